//! What a state costs: stage times, memory and route load on a chip's cores or on separate devices.

use ballast_core::device::CoreModel;

use crate::chain::{Interval, Sweep, Wire};
use crate::rl::environment::{Group, State};
use crate::sequence::{Sequence, Value};

/// Where the stages run.
#[derive(Clone, Debug, PartialEq)]
pub enum Site {
    /// Groups of equal cores of one chip: stage time = computation / speed-up, per-core memory = stage memory /
    /// cores. Transfers take no time.
    Chip {
        /// Speed-up of `c` cores at `c - 1`.
        speed_up: Vec<f64>,
        /// Memory of one core, bytes.
        memory_per_core: u64,
    },
    /// One device per slot; a slot without layers is an idle device. Stage time = computation + transfers.
    Devices {
        /// Cap of every device, bytes.
        caps: Vec<u64>,
        /// Price of a transfer where all links are alike, else of one over the mean link: what a stage is taken to cost before
        /// it is known who its neighbours are.
        wire: Wire,
        /// Where links differ, the price by `[from * slots + to]`; empty where they are alike.
        links: Vec<Wire>,
    },
}

impl Site {
    /// The cores of a chip.
    #[must_use]
    pub fn chip(model: &CoreModel) -> Self {
        let speed_up = (1..=model.count).map(|cores| speed_up(model, cores)).collect();
        Site::Chip { speed_up, memory_per_core: model.memory_per_core.0 }
    }
}

/// Speed-up of so many cores: as the model lists it, its last entry beyond that; linear without a list.
#[must_use]
pub fn speed_up(model: &CoreModel, cores: usize) -> f64 {
    let listed = model.speed_up.get(cores - 1).or(model.speed_up.last());
    listed.copied().unwrap_or(cores as f64)
}

/// The loads of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Slowest stage, seconds.
    pub tmax_seconds: f64,
    /// Largest computation, seconds.
    pub compute_seconds: f64,
    /// Largest memory per core or device, bytes.
    pub memory_bytes: f64,
    /// Largest route load: bytes into and out of a stage.
    pub route_bytes: f64,
    /// Stages over their memory.
    pub violations: usize,
    /// Stages in use.
    pub stages: usize,
}

/// A sequence on a site, with every stage priced in advance.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) slots: usize,
    pub(super) site: Site,
    /// `prefix[slot's row][i]`: seconds of the first `i` layers.
    pub(super) prefix: Vec<Vec<f64>>,
    row_of: Vec<usize>,
    operations: Vec<f64>,
    /// `intervals[first][end - first - 1]`.
    intervals: Vec<Vec<Interval>>,
    /// Values that layers hand on, where links differ: maker, bytes, readers (ascending).
    values: Vec<(usize, u64, Vec<usize>)>,
}

impl Machine {
    /// Prices every stage of the sequence; meant for some hundreds of layers.
    #[must_use]
    pub fn new(sequence: &Sequence, site: Site) -> Self {
        let starts: Vec<usize> = (0..sequence.len()).collect();
        Machine::of_runs(sequence, &starts, site)
    }

    /// Prices every stage of the layers that begin at `starts` in a sequence of smaller items, with the memory that these
    /// need: a layer taken as one holds what arrives for it all along.
    ///
    /// # Panics
    /// As [`Sequence::grouped`].
    #[must_use]
    pub(crate) fn of_runs(items: &Sequence, starts: &[usize], site: Site) -> Self {
        let sequence = &items.grouped(starts);
        let n = sequence.len();
        let (slots, wire) = match &site {
            Site::Chip { speed_up, .. } => {
                (speed_up.len(), Wire { latency_seconds: 0.0, seconds_per_byte: 0.0 })
            }
            Site::Devices { caps, wire, .. } => (caps.len(), *wire),
        };
        let row_of = match &site {
            Site::Chip { .. } => vec![sequence.row_of.first().copied().unwrap_or(0); slots],
            Site::Devices { .. } => sequence.row_of.clone(),
        };
        let index = items.index();
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([items.len()]).collect();
        let intervals = (0..n)
            .map(|first| {
                let mut sweep =
                    Sweep::new(items, &index, wire, starts[first], Some(items.len() - starts[first]));
                let mut grow = |(&start, &end): (&usize, &usize)| {
                    let mut interval = sweep.push();
                    for _ in start + 1..end {
                        interval = sweep.push();
                    }
                    interval
                };
                starts[first..].iter().zip(&ends[first..]).map(&mut grow).collect()
            })
            .collect();
        let mut total = 0.0;
        let running = sequence.operations.iter().map(|&operations| {
            total += operations as f64;
            total
        });
        let operations = std::iter::once(0.0).chain(running).collect();
        let handed_on = |value: &Value| (value.producer, value.bytes, value.readers.clone());
        let values = match &site {
            Site::Devices { links, .. } if !links.is_empty() => {
                sequence.values.iter().filter(|value| !value.readers.is_empty()).map(handed_on).collect()
            }
            _ => Vec::new(),
        };
        Machine { slots, site, prefix: sequence.prefix_seconds(), row_of, operations, intervals, values }
    }

    /// Where the stages run.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Cores of the chip, or devices.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of layers.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.intervals.len()
    }

    /// Operations of a run of layers.
    #[must_use]
    pub fn operations(&self, first: usize, end: usize) -> f64 {
        self.operations[end] - self.operations[first]
    }

    /// Seconds of a run of layers on one core or on the first device.
    #[must_use]
    pub fn seconds_on_one(&self, first: usize, end: usize) -> f64 {
        let row = &self.prefix[self.row_of[0]];
        row[end] - row[first]
    }

    /// Seconds of the stage of a group; where links differ, over the mean link. [`Machine::score`] knows the neighbours, and
    /// prices the links that are taken.
    #[must_use]
    pub fn seconds(&self, group: Group) -> f64 {
        self.compute_seconds(group)
            + match self.site {
                Site::Chip { .. } => 0.0,
                Site::Devices { .. } => self.interval(group).transfer_seconds,
            }
    }

    /// Seconds that every slot sends and receives in a state, where links differ: a value is paid for once by every reader
    /// and once by its maker, who pays the slowest of its links.
    fn transfers(&self, state: &State) -> Option<Vec<f64>> {
        let Site::Devices { links, .. } = &self.site else { return None };
        if links.is_empty() {
            return None;
        }
        let of_layer = self.slot_of(state);
        let mut seconds = vec![0.0; self.slots];
        for (maker, bytes, readers) in &self.values {
            let (from, mut slowest, mut before) = (of_layer[*maker], 0.0f64, None);
            for &reader in readers {
                let to = of_layer[reader];
                // Readers stand in order, and so do their slots.
                if to == from || before == Some(to) {
                    continue;
                }
                before = Some(to);
                let wire = links[from * self.slots + to];
                let taken = wire.latency_seconds + wire.seconds_per_byte * *bytes as f64;
                seconds[to] += taken;
                slowest = slowest.max(taken);
            }
            seconds[from] += slowest;
        }
        Some(seconds)
    }

    /// Seconds of the stage of a group beside these transfers.
    fn priced(&self, group: Group, transfers: Option<&[f64]>) -> f64 {
        match transfers {
            Some(transfers) => self.compute_seconds(group) + transfers[group.core],
            None => self.seconds(group),
        }
    }

    fn interval(&self, group: Group) -> &Interval {
        &self.intervals[group.first][group.end - group.first - 1]
    }

    fn compute_seconds(&self, group: Group) -> f64 {
        let row = &self.prefix[self.row_of[group.core]];
        let seconds = row[group.end] - row[group.first];
        match &self.site {
            Site::Chip { speed_up, .. } => seconds / speed_up[group.cores - 1],
            Site::Devices { .. } => seconds,
        }
    }

    /// Is the stage of a group over its memory? On a chip its unplanned peak counts, for nothing is recomputed
    /// there; on a device the least any memory plan needs.
    #[must_use]
    pub(crate) fn over_cap(&self, group: Group) -> bool {
        let interval = self.interval(group);
        match &self.site {
            Site::Chip { memory_per_core, .. } => {
                interval.peak_bytes > memory_per_core.saturating_mul(group.cores as u64)
            }
            Site::Devices { caps, .. } => interval.least_bytes > caps[group.core],
        }
    }

    /// Unplanned peak of the stage of a group, bytes.
    #[must_use]
    pub fn peak_bytes(&self, group: Group) -> u64 {
        self.interval(group).peak_bytes
    }

    /// Bytes into and out of the stage of a group.
    #[must_use]
    pub(crate) fn route_bytes(&self, group: Group) -> u64 {
        self.interval(group).route_bytes
    }

    /// The loads of a state.
    #[must_use]
    pub fn score(&self, state: &State) -> Score {
        let mut score = Score::default();
        let transfers = self.transfers(state);
        for group in state.groups() {
            let interval = self.interval(group);
            let cores = match self.site {
                Site::Chip { .. } => group.cores as f64,
                Site::Devices { .. } => 1.0,
            };
            score.tmax_seconds = score.tmax_seconds.max(self.priced(group, transfers.as_deref()));
            score.compute_seconds = score.compute_seconds.max(self.compute_seconds(group));
            score.memory_bytes = score.memory_bytes.max(interval.peak_bytes as f64 / cores);
            score.route_bytes = score.route_bytes.max(interval.route_bytes as f64);
            score.violations += usize::from(self.over_cap(group));
            score.stages += 1;
        }
        score
    }

    /// `-(1/p) ln(mean over cores of (stage time / ideal)^p)`, p = 8: a smooth stand-in for the slowest
    /// stage, which also falls when a stage just below the slowest gets faster. For shaping only.
    #[must_use]
    pub(crate) fn potential(&self, state: &State, ideal: f64) -> f64 {
        const POWER: i32 = 8;
        let weight = |group: Group| match self.site {
            Site::Chip { .. } => group.cores as f64,
            Site::Devices { .. } => 1.0,
        };
        let transfers = self.transfers(state);
        let sum: f64 = state
            .groups()
            .map(|group| {
                let penalty = if self.over_cap(group) { 2.0 } else { 1.0 };
                weight(group) * (penalty * self.priced(group, transfers.as_deref()) / ideal).powi(POWER)
            })
            .sum();
        -(sum / self.slots as f64).max(f64::MIN_POSITIVE).ln() / f64::from(POWER)
    }

    /// The slot of every layer, for separate devices.
    #[must_use]
    pub fn slot_of(&self, state: &State) -> Vec<usize> {
        let mut of = vec![0; self.layers()];
        for group in state.groups() {
            of[group.first..group.end].fill(group.core);
        }
        of
    }
}

/// The reward of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Reward {
    /// `-a x slowest stage + b`.
    #[default]
    MaxTime,
    /// `-a x (weighted sum of the largest compute, memory and route load, each over its start value) + b`.
    Weighted {
        /// Weight of the largest computation.
        compute: f64,
        /// Weight of the largest memory.
        memory: f64,
        /// Weight of the largest route load.
        route: f64,
    },
}

/// Reward with its constants: see [`Reward`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// What counts.
    pub reward: Reward,
    /// `a`; for [`Reward::MaxTime`] per second.
    pub scale: f64,
    /// `b`, below zero: added while there are violations.
    pub penalty: f64,
    /// The loads at the start.
    pub start: Score,
}

impl Goal {
    /// `x` of the reward: what is to be small.
    #[must_use]
    pub fn cost(&self, score: &Score) -> f64 {
        match self.reward {
            Reward::MaxTime => score.tmax_seconds,
            Reward::Weighted { .. } => {
                let weights = self.per_unit();
                weights[0] * score.compute_seconds
                    + weights[1] * score.memory_bytes
                    + weights[2] * score.route_bytes
            }
        }
    }

    /// Of the weighted reward: what a second, a byte of memory and a byte of route add to `x`. A load that is nothing at the start counts
    /// nothing.
    #[must_use]
    pub(super) fn per_unit(&self) -> [f64; 3] {
        let over = |weight: f64, start: f64| if start > 0.0 { weight / start } else { 0.0 };
        match self.reward {
            Reward::MaxTime => [1.0, 0.0, 0.0],
            Reward::Weighted { compute, memory, route } => [
                over(compute, self.start.compute_seconds),
                over(memory, self.start.memory_bytes),
                over(route, self.start.route_bytes),
            ],
        }
    }

    /// The reward of a state with these loads.
    #[must_use]
    pub fn reward(&self, score: &Score) -> f64 {
        -self.scale * self.cost(score) + if score.violations > 0 { self.penalty } else { 0.0 }
    }

    /// Is a state better by what is rewarded: fewer violations, then the smaller `x`, then the faster slowest stage.
    #[must_use]
    pub fn better(&self, new: &Score, old: &Score) -> bool {
        let key = |score: &Score| (score.violations, self.cost(score), score.tmax_seconds);
        key(new) < key(old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loads::{Links, Loads};
    use ballast_core::device::{Cluster, DeviceId, Link};
    use ballast_core::units::Bytes;

    fn machine(speed_up: Vec<f64>) -> Machine {
        let sequence = Sequence::chain(&[1.0, 2.0, 3.0, 4.0], &[10, 20, 30, 5], &[100, 0, 0, 50]);
        let model = CoreModel { count: 3, memory_per_core: Bytes(80), speed_up };
        Machine::new(&sequence, Site::chip(&model))
    }

    #[test]
    fn groups_share_time_and_memory_over_their_cores() {
        let machine = machine(Vec::new());
        let score = machine.score(&State::new(vec![0, 3, 1]).expect("a state"));
        assert_eq!(score.tmax_seconds, 4.0, "layers 1 to 3 take 6 s / 2, layer 4 takes 4 s");
        // Stage 1 holds 100 and, at its third layer, 20 + 30; stage 2 holds 50 and 30 that arrive (its own
        // result is read by nobody and lives while it runs only in the working set).
        assert_eq!(score.memory_bytes, 80.0);
        assert_eq!((score.route_bytes, score.violations, score.stages), (30.0, 0, 2));
        let score = machine.score(&State::new(vec![2, 1, 1]).expect("a state"));
        assert_eq!((score.tmax_seconds, score.violations), (4.0, 1), "100 and 30 bytes on one core of 80");
    }

    #[test]
    fn a_listed_speed_up_counts_and_its_last_entry_goes_on() {
        let machine = machine(vec![1.0, 1.5]);
        assert_eq!(machine.score(&State::new(vec![0, 3, 1]).expect("a state")).tmax_seconds, 4.0);
        assert_eq!(machine.score(&State::new(vec![0, 0, 4]).expect("a state")).tmax_seconds, 10.0 / 1.5);
    }

    #[test]
    fn rewards_fall_with_time_and_memory_over_the_cap() {
        let machine = machine(Vec::new());
        let start = machine.score(&State::spread(4, 3).expect("a state"));
        let goal = Goal { reward: Reward::MaxTime, scale: 0.5, penalty: -3.0, start };
        let fits = machine.score(&State::new(vec![0, 3, 1]).expect("a state"));
        assert_eq!(goal.reward(&fits), -2.0);
        let over = machine.score(&State::new(vec![2, 1, 1]).expect("a state"));
        assert_eq!(goal.reward(&over), -5.0);
        let weighted = Reward::Weighted { compute: 1.0, memory: 0.5, route: 0.25 };
        let goal = Goal { reward: weighted, scale: 2.0, penalty: -3.0, start: fits };
        assert_eq!(goal.reward(&fits), -3.5);
    }

    #[test]
    fn transfers_are_priced_by_the_links_they_take() {
        let chain = Sequence::chain(&[1.0, 2.0, 3.0, 4.0], &[10, 20, 30, 5], &[0; 4]);
        // The first value is also read by the last layer.
        let mut sequence = Sequence { row_of: vec![0; 3], ..chain };
        sequence.values[0].readers = vec![1, 3];
        let link = |bandwidth, latency_seconds| Link { bytes_per_second: bandwidth, latency_seconds };
        let mut cluster = Cluster::from_count(3).expect("three devices");
        cluster.default_link = link(10.0, 0.0);
        let of = [0, 1, 2].map(DeviceId);
        cluster.links = vec![(of[0], of[1], link(40.0, 0.5)), (of[1], of[2], link(5.0, 0.0))];
        let links = Links::new(&cluster);
        let site = Site::Devices { caps: vec![1 << 30; 3], wire: links.mean(), links: links.between(&of) };
        let machine = Machine::new(&sequence, site);
        let index = sequence.index();
        for layers in [[1, 1, 2], [2, 1, 1], [1, 2, 1], [0, 1, 3], [2, 0, 2], [0, 0, 4], [3, 0, 1]] {
            let state = State::new(layers.to_vec()).expect("a state");
            let device_of = machine.slot_of(&state).into_iter().map(DeviceId).collect();
            let loads = Loads::new(&sequence, &index, &links, device_of);
            let (score, truth) = (machine.score(&state).tmax_seconds, loads.tmax());
            assert!((score - truth).abs() < 1e-12, "{layers:?}: {score} {truth}");
        }
    }

    #[test]
    fn nothing_beats_the_ideal() {
        for speed_up in [vec![], vec![1.0, 1.5], vec![1.0, 2.5, 3.0]] {
            let machine = machine(speed_up);
            for layers in [[4, 0, 0], [1, 1, 2], [0, 2, 2], [0, 0, 4], [1, 0, 3]] {
                if let Some(state) = State::new(layers.to_vec()) {
                    assert!(machine.score(&state).tmax_seconds >= machine.ideal_seconds() - 1e-12);
                }
            }
        }
    }
}
