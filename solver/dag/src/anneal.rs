//! Simulated annealing over free placements, with moves of single groups, swaps and whole clusters.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::hypergraph::{GroupId, Hypergraph};
use crate::loads::Loads;

/// Energy per relative excess over a memory cap.
const MEMORY_WEIGHT: f64 = 50.0;

/// Settings of one run: here, and of the annealing that `ballast-partition` has over programs, which prices memory and unequal links in.
#[derive(Clone, Copy, Debug)]
pub struct Cooling {
    /// The energy of a device is `(load / reference) ^ power`: smooth, yet led by the largest loads, the more the larger it is. The reference is the slowest
    /// device of the best placement met.
    pub power: i32,
    /// Temperature at the start; a load 1 % above the reference adds about `power` % to the energy of its device.
    pub hot: f64,
    /// Temperature at the end.
    pub cold: f64,
    /// Moves tried.
    pub moves: u64,
    /// Does the best placement of the second half count alone, whatever came before?
    pub forgets: bool,
}

impl Cooling {
    /// What the temperature is multiplied by after a move.
    #[must_use]
    pub fn factor(&self) -> f64 {
        (self.cold / self.hot).powf(1.0 / self.moves.max(1) as f64)
    }

    /// Is the best placement forgotten before this move?
    #[must_use]
    pub const fn forgets_at(&self, step: u64) -> bool {
        self.forgets && step == self.moves / 2
    }
}

/// One annealing run from `start`: the best placement met that keeps every cap, if any, with its largest load.
///
/// `go_on` is asked every few thousand moves with the number tried so far.
pub fn anneal(
    graph: &Hypergraph,
    start: &[usize],
    cooling: Cooling,
    seed: u64,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Option<(f64, Vec<usize>)> {
    let mut walk = Walk::new(graph, start, cooling.power, seed);
    let (factor, mut temperature) = (cooling.factor(), cooling.hot);
    for step in 0..cooling.moves {
        if step % 4096 == 0 {
            walk.loads.recount();
            walk.reference = walk.best.as_ref().map_or(walk.reference, |best| best.0);
            if !go_on(step) {
                break;
            }
        }
        if cooling.forgets_at(step) {
            walk.best = None;
        }
        walk.step(temperature);
        temperature *= factor;
    }
    walk.best
}

struct Walk<'a> {
    graph: &'a Hypergraph,
    loads: Loads<'a>,
    random: ChaCha8Rng,
    reference: f64,
    power: i32,
    best: Option<(f64, Vec<usize>)>,
    /// Relative gain from which a new best placement is copied out.
    worth_keeping: f64,
    /// Marks groups already in the cluster being built.
    marked: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Hypergraph, start: &[usize], power: i32, seed: u64) -> Self {
        let loads = Loads::new(graph, start);
        let best = loads.fits().then(|| (loads.max_load(), start.to_vec()));
        Walk {
            graph,
            reference: loads.max_load().max(f64::MIN_POSITIVE),
            loads,
            power,
            random: ChaCha8Rng::seed_from_u64(seed),
            best,
            // Copying a large placement for every tiny gain would take all the time.
            worth_keeping: (graph.len() as f64 * 1e-8).clamp(1e-9, 1e-3),
            marked: vec![false; graph.len()],
        }
    }

    fn energy(&self, device: usize, load: f64, bytes: f64) -> f64 {
        let excess = self.loads.excess_bytes(device, bytes);
        let memory = if excess > 0.0 {
            MEMORY_WEIGHT * excess / self.graph.kinds[self.loads.kind_of(device)].memory_bytes.max(1.0)
        } else {
            0.0
        };
        (load / self.reference).powi(self.power) + memory
    }

    fn energy_now(&self, device: usize) -> f64 {
        self.energy(device, self.loads.load()[device], self.loads.bytes()[device])
    }

    fn step(&mut self, temperature: f64) {
        let group = self.random.random_range(0..self.graph.len());
        match self.random.random_range(0..20) {
            0..=9 => {
                let to = self.target(group);
                self.try_single(group, to, temperature);
            }
            10..=12 => self.try_swap(group, temperature),
            13..=15 => {
                let to = self.target(group);
                self.try_cluster(group, to, temperature);
            }
            _ => {
                if let Some((group, to)) = self.border() {
                    self.try_cluster(group, to, temperature);
                }
            }
        }
    }

    /// A group on a net that is cut, and the device of another end of it.
    fn border(&mut self) -> Option<(GroupId, usize)> {
        const TRIES: usize = 16;
        for _ in 0..TRIES.min(self.graph.net_cost.len()) {
            let pins = self.graph.pins.of(self.random.random_range(0..self.graph.net_cost.len()));
            let group = pins[self.random.random_range(0..pins.len())] as usize;
            let other = pins[self.random.random_range(0..pins.len())] as usize;
            let to = self.loads.device_of(other);
            if to != self.loads.device_of(group) {
                return Some((group, to));
            }
        }
        None
    }

    fn accepts(&mut self, change: f64, temperature: f64) -> bool {
        change <= 0.0 || self.random.random::<f64>() < (-change / temperature).exp()
    }

    /// A device next to the group over one of its nets, or any.
    fn target(&mut self, group: GroupId) -> usize {
        let nets = self.graph.nets.of(group);
        if !nets.is_empty() && self.random.random_range(0..4) > 0 {
            let net = nets[self.random.random_range(0..nets.len())] as usize;
            let pins = self.graph.pins.of(net);
            let pin = pins[self.random.random_range(0..pins.len())] as usize;
            let device = self.loads.device_of(pin);
            if device != self.loads.device_of(group) {
                return device;
            }
        }
        self.random.random_range(0..self.loads.devices())
    }

    fn try_single(&mut self, group: GroupId, to: usize, temperature: f64) {
        let from = self.loads.device_of(group);
        if from == to || !self.loads.runs(group, to) {
            return;
        }
        let (on_from, on_to) = self.loads.change(group, to);
        let size = self.graph.size_bytes[group];
        let (load, bytes) = (self.loads.load(), self.loads.bytes());
        let change = self.energy(from, load[from] + on_from, bytes[from] - size)
            + self.energy(to, load[to] + on_to, bytes[to] + size)
            - self.energy_now(from)
            - self.energy_now(to);
        if self.accepts(change, temperature) {
            self.loads.relocate(group, to);
            self.keep_best();
        }
    }

    fn try_swap(&mut self, group: GroupId, temperature: f64) {
        let other = self.random.random_range(0..self.graph.len());
        let (from, to) = (self.loads.device_of(group), self.loads.device_of(other));
        if from == to || !self.loads.runs(group, to) || !self.loads.runs(other, from) {
            return;
        }
        let before = self.energy_now(from) + self.energy_now(to);
        self.loads.relocate(group, to);
        self.loads.relocate(other, from);
        let change = self.energy_now(from) + self.energy_now(to) - before;
        if self.accepts(change, temperature) {
            self.keep_best();
        } else {
            self.loads.relocate(other, to);
            self.loads.relocate(group, from);
        }
    }

    /// Moves a group with some of its neighbours on the same device, grown along nets.
    fn try_cluster(&mut self, seed: GroupId, to: usize, temperature: f64) {
        let from = self.loads.device_of(seed);
        if from == to {
            return;
        }
        let largest = (self.graph.len() / 4).clamp(2, 64);
        let size = 2 + (self.random.random::<f64>().powi(2) * (largest - 1) as f64) as usize;
        let mut cluster = vec![seed];
        self.marked[seed] = true;
        let mut at = 0;
        while at < cluster.len() && cluster.len() < size {
            for &net in self.graph.nets.of(cluster[at]) {
                let pins = self.graph.pins.of(net as usize);
                if pins.len() > 16 || self.random.random_range(0..5) == 0 {
                    continue;
                }
                for &pin in pins {
                    let pin = pin as usize;
                    if !self.marked[pin] && cluster.len() < size && self.loads.device_of(pin) == from {
                        self.marked[pin] = true;
                        cluster.push(pin);
                    }
                }
            }
            at += 1;
        }
        for &group in &cluster {
            self.marked[group] = false;
        }
        if cluster.iter().any(|&group| !self.loads.runs(group, to)) {
            return;
        }
        let before = self.energy_now(from) + self.energy_now(to);
        for &group in &cluster {
            self.loads.relocate(group, to);
        }
        let change = self.energy_now(from) + self.energy_now(to) - before;
        if self.accepts(change, temperature) {
            self.keep_best();
        } else {
            for &group in cluster.iter().rev() {
                self.loads.relocate(group, from);
            }
        }
    }

    fn keep_best(&mut self) {
        let value = self.loads.max_load();
        let better = self.best.as_ref().is_none_or(|best| value < best.0 * (1.0 - self.worth_keeping));
        if better && self.loads.fits() {
            self.best = Some((value, self.loads.placement()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_fall_from_hot_to_cold_and_the_second_half_forgets() {
        let cooling = Cooling { power: 6, hot: 1.0, cold: 0.0625, moves: 4, forgets: true };
        assert_eq!(cooling.factor(), 0.5);
        assert_eq!((0..4).filter(|&step| cooling.forgets_at(step)).collect::<Vec<_>>(), [2]);
        assert!(!Cooling { forgets: false, ..cooling }.forgets_at(2));
        // No move at all: nothing is divided by.
        assert_eq!(Cooling { moves: 0, ..cooling }.factor(), 0.0625);
    }
}
