//! Cores a layer takes at least when no stage may last longer than a target, and the bound that follows.
//!
//! A stage of `S` seconds on `c` cores gives a layer of `t` seconds the share `c t / S` of its cores. Of the stages that
//! begin at one layer and keep the target on `c` cores, the longest gives the smallest shares; the smallest share over
//! all beginnings and all `c` is the layer's demand. Every grouping that keeps the target uses at least the demand of
//! every layer, so a target under which the demands sum to more than all cores cannot be kept.

use crate::rl::environment::State;
use crate::rl::machine::{Machine, Site};

/// Excess of a sum of demands over the cores that is put down to rounding.
const ROUNDING: f64 = 1e-9;

/// Relative width of the interval at which the bound is settled.
const SETTLED: f64 = 1e-6;

/// Demands of layers on one machine.
#[derive(Clone, Debug)]
pub struct Demands {
    /// Speed-up by cores.
    speed_up: Vec<f64>,
    /// Seconds of the first `i` layers on one core.
    prefix: Vec<f64>,
    slots: f64,
}

impl Demands {
    /// Of cores with this speed-up and layers that take `prefix[i]` seconds up to layer `i` on one core.
    #[must_use]
    pub fn new(speed_up: Vec<f64>, prefix: Vec<f64>, cores: usize) -> Self {
        Demands { speed_up, prefix, slots: cores as f64 }
    }

    /// Of a machine; separate devices count as single cores.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let speed_up = match machine.site() {
            Site::Chip { speed_up, .. } => speed_up.clone(),
            Site::Devices { .. } => vec![1.0],
        };
        let prefix = (0..=machine.layers()).map(|end| machine.seconds_on_one(0, end)).collect();
        Demands { speed_up, prefix, slots: machine.slots() as f64 }
    }

    /// Demands of the first `i` layers under a target in seconds, for every `i`. A layer no number of cores makes
    /// fast enough counts as all cores; under a target of 0 or below every layer that takes time is one.
    #[must_use]
    pub fn prefix(&self, target_seconds: f64) -> Vec<f64> {
        let layers = self.prefix.len() - 1;
        let target_seconds = target_seconds.max(0.0);
        let mut per_second = vec![f64::INFINITY; layers];
        for first in 0..layers {
            let mut reached = first;
            for (cores, speed) in self.speed_up.iter().enumerate() {
                let most = self.prefix[first] + target_seconds * speed * (1.0 + ROUNDING);
                let end = self.prefix.partition_point(|&seconds| seconds <= most) - 1;
                // More cores for the same layers are no smaller share.
                if end <= reached {
                    continue;
                }
                reached = end;
                let rate = (cores + 1) as f64 / (self.prefix[end] - self.prefix[first]);
                for least in &mut per_second[first..end] {
                    *least = least.min(rate);
                }
                if end == layers {
                    break;
                }
            }
        }
        let mut sum = 0.0;
        let of = per_second.iter().zip(self.prefix.windows(2)).map(|(rate, pair)| {
            let seconds = pair[1] - pair[0];
            sum += if seconds > 0.0 { (rate * seconds).min(self.slots) } else { 0.0 };
            sum
        });
        std::iter::once(0.0).chain(of).collect()
    }

    /// Layers spread by their demand under a target: every core gets its share of the sum, the first at least one layer.
    #[must_use]
    pub fn spread(&self, target_seconds: f64) -> Option<State> {
        let demand = self.prefix(target_seconds);
        let (layers, cores) = (demand.len() - 1, self.slots as usize);
        if layers == 0 || cores == 0 {
            return None;
        }
        let per_core = demand[layers] / self.slots;
        let mut before = 0;
        let of = (1..=cores).map(|core| {
            let share = (core as f64 + 0.5) * per_core;
            let end = if core == cores { layers } else { demand.partition_point(|&sum| sum <= share) - 1 };
            // The last core keeps a layer.
            let end = if core < cores { end.clamp(1, layers.max(2) - 1) } else { end }.max(before);
            std::mem::replace(&mut before, end).abs_diff(end)
        });
        State::new(of.collect())
    }

    /// The largest target found that no grouping of the cores of a chip keeps below, at least `from` seconds.
    #[must_use]
    pub fn bound_seconds(&self, from: f64) -> f64 {
        let layers = self.prefix.len() - 1;
        let too_short = |target: f64| self.prefix(target)[layers] > self.slots * (1.0 + ROUNDING);
        let (mut low, mut high) = (from, self.prefix[layers].max(from));
        if low <= 0.0 || !too_short(low) {
            return from;
        }
        // The bound is seldom far above the shared work.
        while high > 2.0 * low && too_short(1.5 * low) {
            low *= 1.5;
        }
        high = high.min(1.5 * low);
        while high > low * (1.0 + SETTLED) {
            let middle = 0.5 * (low + high);
            *(if too_short(middle) { &mut low } else { &mut high }) = middle;
        }
        low
    }
}

impl Machine {
    /// No state is faster: all computation shared perfectly, or the largest layer on everything there is; on a chip
    /// also the bound of [`Demands`].
    #[must_use]
    pub(crate) fn ideal_seconds(&self) -> f64 {
        let n = self.layers();
        let least = |first: usize, end: usize| {
            self.prefix.iter().map(|row| row[end] - row[first]).fold(f64::INFINITY, f64::min)
        };
        match &self.site {
            Site::Chip { speed_up, .. } => {
                let per_core = speed_up
                    .iter()
                    .enumerate()
                    .map(|(c, speed_up)| speed_up / (c + 1) as f64)
                    .fold(0.0, f64::max);
                let fastest = speed_up.iter().copied().fold(1.0, f64::max);
                let largest = (0..n).map(|i| least(i, i + 1)).fold(0.0, f64::max);
                let shared = (least(0, n) / (per_core * self.slots as f64)).max(largest / fastest);
                Demands::of(self).bound_seconds(shared)
            }
            Site::Devices { .. } => {
                let total: f64 = (0..n).map(|i| least(i, i + 1)).sum();
                (0..n).map(|i| least(i, i + 1)).fold(total / self.slots as f64, f64::max)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rl::chains::{PROFILES, chain};
    use crate::rl::exact::best_grouping;

    #[test]
    fn the_bound_lies_between_the_shared_work_and_the_optimum() {
        let (mut sharper, mut close) = (0, 0);
        for seed in 0..60 {
            let (layers, cores) = (3 + seed as usize % 40, 2 + seed as usize % 23);
            let machine = chain(layers, cores, PROFILES[seed as usize % PROFILES.len()], seed);
            let (_, optimum) = best_grouping(&machine).expect("a grouping");
            let total = machine.seconds_on_one(0, layers) / cores as f64;
            let bound = machine.ideal_seconds();
            assert!(bound <= optimum * (1.0 + 1e-9), "{layers} {cores}: {bound} {optimum}");
            assert!(bound >= total * (1.0 - 1e-9));
            let spread = Demands::of(&machine).spread(bound).expect("a state");
            assert!(spread.layers().iter().sum::<usize>() == layers && spread.layers()[0] > 0);
            sharper += usize::from(bound > 1.01 * total);
            close += usize::from(bound > 0.9 * optimum);
        }
        assert!(sharper > 20 && close > 40, "{sharper} {close}");
    }

    #[test]
    fn layers_share_the_cores_of_the_longest_stages_that_keep_the_target() {
        // Two cores are 1.5 times as fast as one.
        let demands =
            Demands { speed_up: vec![1.0, 1.5], prefix: vec![0.0, 1.0, 2.0, 5.0, 5.0, 6.0], slots: 4.0 };
        // Under 2 s: the first two share a core; 3 s take two cores alone; the last has a core half its own.
        assert_eq!(demands.prefix(2.0), [0.0, 0.5, 1.0, 3.0, 3.0, 4.0]);
        // Under 4 s a third of a core per second from the first layer, on two cores; a quarter from the others.
        assert!((demands.prefix(4.0)[5] - (1.0 / 3.0 + 0.25 + 0.75 + 0.25)).abs() < 1e-12);
        // Under 1 s nothing makes 3 s fast enough: all cores.
        assert_eq!(demands.prefix(1.0), [0.0, 1.0, 2.0, 6.0, 6.0, 7.0]);
        // Where the best plan known is far above the bound, targets beyond the bound can lie below 0.
        for target in [0.0, -1.0, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(demands.prefix(target), [0.0, 4.0, 8.0, 12.0, 12.0, 16.0]);
            let spread = demands.spread(target).expect("a state");
            assert_eq!((spread.layers().iter().sum::<usize>(), spread.cores()), (5, 4));
        }
    }
}
