//! Placements between "patch the old one" and "from scratch".

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::Deadline;
use ballast_core::stage::{settle_views, stages};

/// A placement on the new cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Device of every op, views and constants included.
    pub device_of: Vec<DeviceId>,
    /// Ops that run elsewhere than before, those of lost devices included.
    pub moved: usize,
    /// Slowest stage without recomputation and swaps, seconds.
    pub slowest_seconds: f64,
}

/// Most placements looked at while one is improved.
const MOST_TRIALS: usize = 2_000;

/// Least loaded devices that are offered ops, besides the neighbour.
const IDLEST: usize = 3;

/// Candidates from fewest moved ops to fastest, none with both more moves and more seconds than another.
///
/// `kept` is what [`super::kept`] returns; `scratch` a placement made without regard to the old one.
#[must_use]
pub fn candidates(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    kept: &[Option<DeviceId>],
    scratch: &[DeviceId],
    deadline: &Deadline,
) -> Vec<Candidate> {
    let sequence: Vec<OpId> = graph.planned().collect();
    let staying = sequence.iter().copied().filter(|&op| kept[op].is_some()).collect();
    let mover = Mover { graph, costs, cluster, kept, sequence, staying };
    let mut found = vec![mover.candidate(mover.relabelled(scratch)), mover.candidate(scratch.to_vec())];
    let mut current = mover.candidate(mover.patched());
    found.push(current.clone());
    let mut trials = 0;
    while trials < MOST_TRIALS && !deadline.over() {
        let Some(better) = mover.improved(&current, &mut trials, deadline) else { break };
        current = better;
        found.push(current.clone());
    }
    found.sort_by(|a, b| a.moved.cmp(&b.moved).then(a.slowest_seconds.total_cmp(&b.slowest_seconds)));
    let mut fastest = f64::INFINITY;
    found.retain(|candidate| {
        let useful = candidate.slowest_seconds < fastest;
        fastest = fastest.min(candidate.slowest_seconds);
        useful
    });
    found
}

struct Mover<'a> {
    graph: &'a Graph,
    costs: &'a Costs,
    cluster: &'a Cluster,
    kept: &'a [Option<DeviceId>],
    /// The planned ops in program order.
    sequence: Vec<OpId>,
    /// Those of them that stay.
    staying: Vec<OpId>,
}

impl Mover<'_> {
    fn candidate(&self, mut device_of: Vec<DeviceId>) -> Candidate {
        settle_views(self.graph, &mut device_of);
        let moved = self.sequence.iter().filter(|&&op| self.kept[op] != Some(device_of[op])).count();
        let slowest_seconds = self.loads(&device_of).into_iter().fold(0.0, f64::max);
        Candidate { device_of, moved, slowest_seconds }
    }

    /// Computation and transfers of every device.
    fn loads(&self, device_of: &[DeviceId]) -> Vec<f64> {
        stages(self.graph, self.costs, self.cluster, device_of)
            .iter()
            .map(|stage| stage.load_seconds())
            .collect()
    }

    /// Is the op bound to its device by a rule?
    fn bound(&self, op: OpId) -> bool {
        self.graph.ops[op].rules.device.is_some()
    }

    /// The placement with devices that are alike renamed so that more ops stay where they were.
    fn relabelled(&self, placement: &[DeviceId]) -> Vec<DeviceId> {
        let devices = self.cluster.devices.len();
        let mut overlap = vec![vec![0usize; devices]; devices];
        for &op in &self.sequence {
            if let Some(old) = self.kept[op] {
                overlap[placement[op]][old] += 1;
            }
        }
        let mut name: Vec<DeviceId> = DeviceId::first(devices).collect();
        let alike = |a: DeviceId, b: DeviceId| {
            let (a_, b_) = (&self.cluster.devices[a], &self.cluster.devices[b]);
            a_.kind == b_.kind && a_.memory == b_.memory && self.costs.seconds[a] == self.costs.seconds[b]
        };
        let rules = self.sequence.iter().any(|&op| self.bound(op));
        if rules || !self.cluster.links.is_empty() {
            return placement.to_vec();
        }
        // Two exchange names while that keeps more ops in place; the count rises, so this ends.
        let mut changed = true;
        while changed {
            changed = false;
            for a in 0..devices {
                for b in a + 1..devices {
                    let (x, y) = (name[a], name[b]);
                    if alike(x, y) && overlap[a][y] + overlap[b][x] > overlap[a][x] + overlap[b][y] {
                        name.swap(a, b);
                        changed = true;
                    }
                }
            }
        }
        placement.iter().map(|&device| name[device]).collect()
    }

    /// Every op stays where it was; those of lost devices go, in runs, to the devices with room up to a common
    /// level of load, the device of the op before first.
    fn patched(&self) -> Vec<DeviceId> {
        let devices = self.cluster.devices.len();
        let mut loads = vec![0.0; devices];
        let mut device_of = vec![DeviceId(0); self.graph.ops.len()];
        let mut homeless: Vec<OpId> = Vec::new();
        for &op in &self.sequence {
            match self.graph.ops[op].rules.device.filter(|d| d.0 < devices).or(self.kept[op]) {
                Some(device) => {
                    device_of[op] = device;
                    loads[device] += self.costs.of(device, op);
                }
                None => homeless.push(op),
            }
        }
        let longest = loads.iter().copied().fold(0.0, f64::max);
        let all: f64 = homeless.iter().map(|&op| self.longest(op)).sum();
        let (mut low, mut high) = (0.0, longest + all);
        // The lowest level at which all find a place, to a thousandth.
        let mut placed = self.filled(&homeless, &loads, high, &device_of);
        while high - low > 1e-3 * high {
            let level = 0.5 * (low + high);
            match self.filled(&homeless, &loads, level, &device_of) {
                Some(at_level) => {
                    high = level;
                    placed = Some(at_level);
                }
                None => low = level,
            }
        }
        for (op, device) in homeless.iter().zip(placed.unwrap_or_else(|| vec![DeviceId(0); homeless.len()])) {
            device_of[*op] = device;
        }
        device_of
    }

    fn longest(&self, op: OpId) -> f64 {
        DeviceId::first(self.cluster.devices.len()).map(|d| self.costs.of(d, op)).fold(0.0, f64::max)
    }

    /// Devices for the homeless ops with every load at most `level`; none if they do not fit.
    fn filled(
        &self,
        homeless: &[OpId],
        loads: &[f64],
        level: f64,
        device_of: &[DeviceId],
    ) -> Option<Vec<DeviceId>> {
        let mut loads = loads.to_vec();
        let mut placed = Vec::with_capacity(homeless.len());
        let mut current: Option<DeviceId> = None;
        let mut last: Option<OpId> = None;
        for &op in homeless {
            if last.is_none_or(|last| self.between(last, op)) {
                current = self.before(op).map(|before| device_of[before]);
            }
            last = Some(op);
            let fits = |d: DeviceId| loads[d] + self.costs.of(d, op) <= level;
            let device = match current.filter(|&d| fits(d)) {
                Some(device) => device,
                None => {
                    let open = DeviceId::first(loads.len()).filter(|&d| fits(d));
                    open.min_by(|&a, &b| loads[a].total_cmp(&loads[b]))?
                }
            };
            loads[device] += self.costs.of(device, op);
            current = Some(device);
            placed.push(device);
        }
        Some(placed)
    }

    /// Does an op that stays stand between two, of which one follows the other?
    fn between(&self, first: OpId, second: OpId) -> bool {
        self.before(second).is_some_and(|last| last > first)
    }

    /// The last op before this one that stays.
    fn before(&self, op: OpId) -> Option<OpId> {
        let at = self.staying.partition_point(|&other| other < op);
        Some(self.staying[at.checked_sub(1)?])
    }

    /// The best of the placements in which the slowest device hands the end of a run of its ops to the device next
    /// to it in the sequence or to one of the least loaded; none if none is faster.
    fn improved(&self, current: &Candidate, trials: &mut usize, deadline: &Deadline) -> Option<Candidate> {
        let loads = self.loads(&current.device_of);
        let by_load = |&a: &DeviceId, &b: &DeviceId| loads[a].total_cmp(&loads[b]);
        let slowest = DeviceId::first(loads.len()).max_by(by_load)?;
        let mut idle: Vec<DeviceId> = DeviceId::first(loads.len()).collect();
        idle.sort_by(by_load);
        idle.truncate(IDLEST);
        let excess = loads[slowest] - loads.iter().sum::<f64>() / loads.len() as f64;
        let mut best: Option<Candidate> = None;
        for (start, end) in self.runs(&current.device_of, slowest) {
            for from_front in [true, false] {
                let beside = if from_front { start.checked_sub(1) } else { Some(end) };
                let beside = beside.and_then(|at| self.sequence.get(at)).map(|&op| current.device_of[op]);
                let idle = idle.iter().copied().filter(|&device| Some(device) != beside);
                let targets: Vec<DeviceId> = beside.into_iter().chain(idle).collect();
                for share in [0.1, 0.25, 0.5, 1.0] {
                    let ops = self.end_of_run(start, end, from_front, slowest, excess * share);
                    for &target in targets.iter().filter(|&&target| target != slowest) {
                        if *trials >= MOST_TRIALS || deadline.over() {
                            return best;
                        }
                        *trials += 1;
                        let mut moved = current.device_of.clone();
                        ops.iter().for_each(|&op| moved[op] = target);
                        let tried = self.candidate(moved);
                        let least = best.as_ref().unwrap_or(current).slowest_seconds;
                        if tried.slowest_seconds < least * (1.0 - 1e-9) {
                            best = Some(tried);
                        }
                    }
                }
            }
        }
        best
    }

    /// Stretches of the sequence on one device, as (first, one past the last).
    fn runs(&self, device_of: &[DeviceId], device: DeviceId) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (at, &op) in self.sequence.iter().enumerate() {
            if device_of[op] != device {
                continue;
            }
            match runs.last_mut() {
                Some((_, end)) if *end == at => *end += 1,
                _ => runs.push((at, at + 1)),
            }
        }
        runs
    }

    /// Ops from one end of a run worth so many seconds, at least one; those bound by a rule stay.
    fn end_of_run(
        &self,
        start: usize,
        end: usize,
        from_front: bool,
        device: DeviceId,
        seconds: f64,
    ) -> Vec<OpId> {
        let stretch = &self.sequence[start..end];
        let mut taken = Vec::new();
        let mut sum = 0.0;
        let inward: Box<dyn Iterator<Item = &OpId>> =
            if from_front { Box::new(stretch.iter()) } else { Box::new(stretch.iter().rev()) };
        for &op in inward.take_while(|&&op| !self.bound(op)) {
            sum += self.costs.of(device, op);
            if !taken.is_empty() && sum > seconds {
                break;
            }
            taken.push(op);
        }
        taken
    }
}
