//! The static problem solved exactly, by branch and bound: the referee of the genetic search.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};

use super::search::Placement;
use super::table::{LayerTable, PlacementError};

/// Finds the placement with the least max_j t_j.
///
/// Layers are placed in order of falling time; a device is skipped when it and its load equal one already
/// tried, or when the placement cannot beat the best. The work limit counts placed layers.
///
/// # Errors
/// [`PlacementError::NoPlacement`] if no placement keeps the rules (or none was met before a limit),
/// [`PlacementError::Input`] for a table that makes no sense.
pub fn exact(table: &LayerTable, limits: &Limits) -> Result<Placement, PlacementError> {
    table.check()?;
    table.check_fits()?;
    let deadline = Deadline::start(limits);
    let mut tree = Tree::new(table, limits.work_limit, &deadline);
    tree.search();
    let complete = tree.stopped.is_none();
    let Some((value, device_of)) = tree.best else {
        return Err(PlacementError::NoPlacement(if complete {
            "no placement keeps the devices' memories with every device used: give the devices more memory"
                .into()
        } else {
            format!("no placement was met in {} steps: raise the limits", tree.steps)
        }));
    };
    let bound = if complete { value } else { table.bound() };
    let search = SearchStats {
        method: "exact-placement".into(),
        stop_reason: tree.stopped.unwrap_or(StopReason::Proved),
        seconds: deadline.elapsed_seconds(),
        work: tree.steps,
        seed: limits.seed,
    };
    let report = Report::new(value, Bound::proved(bound, BoundClass::AnyPlacement), search)?;
    Ok(Placement {
        device_of,
        seconds: value,
        predicted_seconds: value,
        generations: 0,
        cache_hits: 0,
        curve: Vec::new(),
        report,
    })
}

struct Tree<'a> {
    table: &'a LayerTable,
    /// Layers in the order they are placed.
    order: Vec<usize>,
    /// Least seconds of the layers from position i of `order` on.
    rest: Vec<f64>,
    /// `alike[d]` is the first device with the same seconds, bytes and memory as d.
    alike: Vec<DeviceId>,
    placement: Vec<DeviceId>,
    loads: Vec<f64>,
    stored: Vec<u64>,
    counts: Vec<usize>,
    best: Option<(f64, Vec<DeviceId>)>,
    steps: u64,
    work_limit: Option<u64>,
    deadline: &'a Deadline,
    stopped: Option<StopReason>,
}

impl<'a> Tree<'a> {
    fn new(table: &'a LayerTable, work_limit: Option<u64>, deadline: &'a Deadline) -> Self {
        let least = table.least_seconds();
        let mut order: Vec<usize> = (0..table.layers()).collect();
        order.sort_by(|&a, &b| least[b].total_cmp(&least[a]).then(a.cmp(&b)));
        let mut rest = vec![0.0; order.len() + 1];
        for i in (0..order.len()).rev() {
            rest[i] = rest[i + 1] + least[order[i]];
        }
        let same = |a: DeviceId, b: DeviceId| {
            table.seconds[a] == table.seconds[b]
                && table.bytes[a] == table.bytes[b]
                && table.device_memory_bytes[a] == table.device_memory_bytes[b]
        };
        let devices = table.devices();
        let alike = DeviceId::first(devices)
            .map(|d| DeviceId::first(d.0).find(|&e| same(d, e)).unwrap_or(d))
            .collect();
        Tree {
            table,
            order,
            rest,
            alike,
            placement: vec![DeviceId(0); table.layers()],
            loads: vec![0.0; devices],
            stored: vec![0; devices],
            counts: vec![0; devices],
            best: None,
            steps: 0,
            work_limit,
            deadline,
            stopped: None,
        }
    }

    /// Depth first with a stack of (position, device tried last): thousands of layers do not overflow ours.
    fn search(&mut self) {
        let layers = self.order.len();
        let mut choices: Vec<std::vec::IntoIter<DeviceId>> = vec![self.candidates(0).into_iter()];
        loop {
            let depth = choices.len() - 1;
            match choices[depth].next() {
                Some(device) => {
                    // Candidates were listed before deeper levels improved the best.
                    if !self.promising(depth, device) {
                        continue;
                    }
                    self.place(depth, device);
                    if depth + 1 < layers {
                        choices.push(self.candidates(depth + 1).into_iter());
                        continue;
                    }
                    self.record();
                    self.unplace(depth);
                }
                None => {
                    choices.pop();
                    if choices.is_empty() {
                        return;
                    }
                    self.unplace(choices.len() - 1);
                }
            }
            if self.over() {
                return;
            }
        }
    }

    fn over(&mut self) -> bool {
        if self.work_limit.is_some_and(|limit| self.steps >= limit) {
            self.stopped = Some(StopReason::WorkLimit);
        } else if self.steps.is_multiple_of(1024) && self.deadline.over() {
            self.stopped = Some(self.deadline.reason());
        }
        self.stopped.is_some()
    }

    /// Devices worth trying for the layer at `depth`, least loaded first.
    fn candidates(&self, depth: usize) -> Vec<DeviceId> {
        let layer = self.order[depth];
        let devices = self.table.devices();
        let empty = self.counts.iter().filter(|&&c| c == 0).count();
        let left = self.order.len() - depth;
        let must_open = self.table.every_device_used() && left == empty;
        let mut candidates: Vec<DeviceId> = DeviceId::first(devices)
            .filter(|&d| {
                let twin = DeviceId::first(d.0).any(|e| {
                    self.alike[e] == self.alike[d]
                        && self.loads[e] == self.loads[d]
                        && self.stored[e] == self.stored[d]
                        && (self.counts[e] == 0) == (self.counts[d] == 0)
                });
                let room = self.stored[d] + self.table.bytes[d][layer] <= self.table.device_memory_bytes[d];
                room && !twin && (!must_open || self.counts[d] == 0) && self.promising(depth, d)
            })
            .collect();
        let after = |d: DeviceId| self.loads[d] + self.table.seconds[d][layer];
        candidates.sort_by(|&a, &b| after(a).total_cmp(&after(b)).then(a.cmp(&b)));
        candidates
    }

    /// Can placing the layer at `depth` on `device` still beat the best?
    fn promising(&self, depth: usize, device: DeviceId) -> bool {
        let Some((best, _)) = &self.best else { return true };
        let seconds = self.table.seconds[device][self.order[depth]];
        let total: f64 = self.loads.iter().sum::<f64>() + seconds + self.rest[depth + 1];
        let slack = best * (1.0 - 1e-12);
        self.loads[device] + seconds < slack && total / (self.loads.len() as f64) < slack
    }

    fn place(&mut self, depth: usize, device: DeviceId) {
        let layer = self.order[depth];
        self.steps += 1;
        self.placement[layer] = device;
        self.loads[device] += self.table.seconds[device][layer];
        self.stored[device] += self.table.bytes[device][layer];
        self.counts[device] += 1;
    }

    fn unplace(&mut self, depth: usize) {
        let layer = self.order[depth];
        let device = self.placement[layer];
        self.stored[device] -= self.table.bytes[device][layer];
        self.counts[device] -= 1;
        // Summed anew in placing order: subtracting would leave rounding behind and part twins.
        self.loads[device] = self.order[..depth]
            .iter()
            .filter(|&&l| self.placement[l] == device)
            .map(|&l| self.table.seconds[device][l])
            .sum();
    }

    fn record(&mut self) {
        let value = self.table.slowest(&self.placement);
        if self.best.as_ref().is_none_or(|(best, _)| value < *best) {
            self.best = Some((value, self.placement.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn random_table(seed: u64) -> LayerTable {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let layers = rng.random_range(3..7);
        let devices = rng.random_range(2..4);
        let equal = rng.random_bool(0.5);
        let row: Vec<f64> = (0..layers).map(|_| f64::from(rng.random_range(1..20u8))).collect();
        LayerTable {
            names: (0..layers).map(|i| format!("l{i}")).collect(),
            seconds: (0..devices)
                .map(|_| {
                    if equal {
                        row.clone()
                    } else {
                        (0..layers).map(|_| f64::from(rng.random_range(1..20u8))).collect()
                    }
                })
                .collect(),
            bytes: vec![(0..layers).map(|_| rng.random_range(1..10)).collect(); devices],
            device_memory_bytes: (0..devices).map(|_| rng.random_range(8..30)).collect(),
            message_bytes: vec![0; layers - 1],
        }
    }

    #[test]
    fn agrees_with_trying_every_placement() {
        let mut solved = 0;
        for seed in 0..300 {
            let table = random_table(seed);
            let mut best = f64::INFINITY;
            for mut code in 0..table.devices().pow(table.layers() as u32) {
                let placement: Vec<DeviceId> = (0..table.layers())
                    .map(|_| {
                        let device = code % table.devices();
                        code /= table.devices();
                        DeviceId(device)
                    })
                    .collect();
                if table.excess(&placement).none() {
                    best = best.min(table.slowest(&placement));
                }
            }
            match exact(&table, &Limits::default()) {
                Ok(found) => {
                    assert!(table.excess(&found.device_of).none(), "seed {seed}");
                    assert_eq!(found.seconds, best, "seed {seed}");
                    assert!(found.report.proved());
                    solved += 1;
                }
                Err(error) => assert!(best.is_infinite(), "seed {seed}: {error}, but {best} exists"),
            }
        }
        assert!(solved > 150, "only {solved} problems had a placement");
    }

    #[test]
    fn a_work_limit_keeps_an_honest_bound() {
        let table = LayerTable::uniform(
            (0..40).map(|i| i.to_string()).collect(),
            &(0..40).map(|i| 1.0 + f64::from(i * i % 17) / 7.0).collect::<Vec<_>>(),
            &[1; 40],
            vec![40; 6],
            vec![0; 39],
        );
        let limits = Limits { time_limit_seconds: None, work_limit: Some(2_000), ..Limits::default() };
        let found = exact(&table, &limits).expect("a first descent");
        assert_eq!(found.report.stop_reason, StopReason::WorkLimit);
        assert!(found.report.bound().value() <= found.seconds && !found.report.proved());
    }
}
