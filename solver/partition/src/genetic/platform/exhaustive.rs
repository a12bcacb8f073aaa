//! The dynamic problem by trying every placement that could be best: the referee of the dynamic search.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::units::Bytes;

use super::measure::Pipeline;
use super::simulate::{Batch, Run, simulate_within};
use super::topology::Platform;
use crate::genetic::{LayerTable, Measure, Placement, PlacementError};

/// Runs every placement that keeps the rules, but one of those that differ only by devices changing places,
/// and none that a bound shows to be no better than the best.
///
/// The work limit counts runs.
///
/// # Errors
/// [`PlacementError::Input`] for a problem that makes no sense, [`PlacementError::NoPlacement`] if no placement
/// was met.
pub fn exhaustive(
    platform: &Platform,
    table: &LayerTable,
    batch: &Batch,
    limits: &Limits,
) -> Result<Placement, PlacementError> {
    let floor = Pipeline::new(platform, table, *batch)?.bound();
    table.check_fits()?;
    let deadline = Deadline::start(limits);
    let mut walk = Walk::new(platform, table, *batch, limits.work_limit, &deadline);
    walk.search();
    let Some((seconds, device_of)) = walk.best else {
        return Err(PlacementError::NoPlacement(match walk.stopped {
            Some(_) => "the search was stopped before the first placement was run: give it more time, or a smaller batch".into(),
            None => format!("no placement keeps the devices' memories with every device used ({} tried)", walk.runs),
        }));
    };
    let bound = if walk.stopped.is_none() { seconds } else { floor };
    let search = SearchStats {
        method: "exhaustive".into(),
        stop_reason: walk.stopped.unwrap_or(StopReason::Proved),
        seconds: deadline.elapsed_seconds(),
        work: walk.runs,
        seed: limits.seed,
    };
    let report = Report::new(seconds, Bound::proved(bound, BoundClass::AnyPlacement), search)?;
    let predicted_seconds = table.slowest(&device_of);
    Ok(Placement {
        device_of,
        seconds,
        predicted_seconds,
        generations: 0,
        cache_hits: 0,
        curve: Vec::new(),
        report,
    })
}

/// Steps between two looks at the clock.
const STEPS_PER_LOOK: u64 = 1 << 16;

struct Walk<'a> {
    platform: &'a Platform,
    table: &'a LayerTable,
    batch: Batch,
    /// The first device that may change places with device d.
    alike: Vec<DeviceId>,
    placement: Vec<DeviceId>,
    best: Option<(f64, Vec<DeviceId>)>,
    runs: u64,
    /// Since the last look at the clock.
    steps: u64,
    work_limit: Option<u64>,
    deadline: &'a Deadline,
    stopped: Option<StopReason>,
}

impl<'a> Walk<'a> {
    fn new(
        platform: &'a Platform,
        table: &'a LayerTable,
        batch: Batch,
        work_limit: Option<u64>,
        deadline: &'a Deadline,
    ) -> Self {
        let same = |a: DeviceId, b: DeviceId| {
            table.seconds[a] == table.seconds[b]
                && table.bytes[a] == table.bytes[b]
                && table.device_memory_bytes[a] == table.device_memory_bytes[b]
                && platform.interchangeable(a, b)
        };
        Walk {
            platform,
            table,
            batch,
            alike: DeviceId::first(table.devices())
                .map(|d| DeviceId::first(d.0).find(|&e| same(e, d)).unwrap_or(d))
                .collect(),
            placement: Vec::new(),
            best: None,
            runs: 0,
            steps: 0,
            work_limit,
            deadline,
            stopped: None,
        }
    }

    /// Depth first over the layers in run order; the next device to try is one past the one undone.
    fn search(&mut self) {
        let mut device = 0;
        loop {
            if self.over() {
                return;
            }
            if device < self.table.devices() {
                if !self.may_take(DeviceId(device)) {
                    device += 1;
                    continue;
                }
                self.placement.push(DeviceId(device));
                if self.promising() {
                    if self.placement.len() < self.table.layers() {
                        device = 0;
                        continue;
                    }
                    self.run();
                }
                self.placement.pop();
                device += 1;
            } else {
                match self.placement.pop() {
                    Some(last) => device = last.0 + 1,
                    None => return,
                }
            }
        }
    }

    fn over(&mut self) -> bool {
        // A node looks at every pair of devices and every layer placed.
        self.steps += (self.table.devices() * self.table.devices()) as u64 + self.placement.len() as u64;
        if self.work_limit.is_some_and(|limit| self.runs >= limit) {
            self.stopped = Some(StopReason::WorkLimit);
        } else if self.steps > STEPS_PER_LOOK {
            self.steps = 0;
            if self.deadline.over() {
                self.stopped = Some(self.deadline.reason());
            }
        }
        self.stopped.is_some()
    }

    fn may_take(&self, device: DeviceId) -> bool {
        let layer = self.placement.len();
        let used = |d: DeviceId| self.placement.contains(&d);
        // Of the empty devices that may change places, the first stands for all.
        let stands = |d: DeviceId| self.alike[d] == self.alike[device] && !used(d);
        if !used(device) && DeviceId::first(device.0).any(stands) {
            return false;
        }
        if self.table.every_device_used() {
            let empty = DeviceId::first(self.table.devices()).filter(|&d| !used(d)).count();
            if used(device) && self.table.layers() - layer <= empty {
                return false;
            }
        }
        let stored: u64 =
            (0..layer).filter(|&l| self.placement[l] == device).map(|l| self.table.bytes[device][l]).sum();
        stored + self.table.bytes[device][layer] <= self.table.device_memory_bytes[device]
    }

    /// Can the layers placed so far belong to a placement better than the best?
    ///
    /// Device d starts after the first item has come to its first layer and is busy with every item for its
    /// layers and, without overlap, for its messages. Once all layers are placed, some item still has at least
    /// the way from its last layer to the end before it.
    fn promising(&self) -> bool {
        let Some((best, _)) = &self.best else { return true };
        let items = f64::from(self.batch.items);
        let devices = self.table.devices();
        let (mut busy, mut first, mut last) = (vec![0.0; devices], vec![None; devices], vec![0.0; devices]);
        // Seconds of one item on its own, up to the layer at hand.
        let mut way = 0.0;
        for (layer, &device) in self.placement.iter().enumerate() {
            if layer > 0 && self.placement[layer - 1] != device {
                let sender = self.placement[layer - 1];
                let bytes = Bytes(self.table.message_bytes[layer - 1]);
                let hops: Vec<f64> = self
                    .platform
                    .route(sender, device)
                    .iter()
                    .map(|&wire| self.platform.wires()[wire].link.seconds(bytes))
                    .collect();
                let received = if hops.len() > 1 && !self.batch.overlap { hops[hops.len() - 1] } else { 0.0 };
                if !self.batch.overlap {
                    busy[sender] += hops[0];
                    last[sender] = way + hops[0];
                }
                way += hops.iter().sum::<f64>();
                busy[device] += received;
                first[device].get_or_insert(way - received);
            }
            let seconds = self.table.seconds[device][layer];
            first[device].get_or_insert(way);
            busy[device] += seconds;
            way += seconds;
            last[device] = way;
        }
        let whole = self.placement.len() == self.table.layers();
        let bound = DeviceId::first(devices)
            .filter_map(|d| {
                let after: f64 = if whole { way - last[d] } else { 0.0 };
                first[d].map(|before: f64| before + items * busy[d] + after)
            })
            .fold(0.0, f64::max);
        bound < best * (1.0 - 1e-12)
    }

    fn run(&mut self) {
        self.runs += 1;
        let run = simulate_within(self.platform, self.table, &self.placement, &self.batch, self.deadline);
        let Some(Run { seconds, .. }) = run else {
            self.stopped = Some(self.deadline.reason());
            return;
        };
        if self.best.as_ref().is_none_or(|(best, _)| seconds < *best) {
            self.best = Some((seconds, self.placement.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::super::simulate::simulate;
    use super::*;

    #[test]
    fn no_placement_is_faster() {
        let names: Vec<String> = (0..4).map(|i| format!("d{i}")).collect();
        let text = "version = 1\nswitches = ['s', 't']\n[link]\nbytes-per-second = 10.0\n\
            [[links]]\nbetween = ['d0', 's']\n[[links]]\nbetween = ['d1', 's']\n[[links]]\nbetween = ['d2', 't']\n\
            [[links]]\nbetween = ['d3', 't']\n[[links]]\nbetween = ['s', 't']";
        let platform = Platform::parse(text, &names).expect("sound");
        for seed in 0..24 {
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let seconds: Vec<f64> = (0..5).map(|_| f64::from(rng.random_range(1..9u8))).collect();
            let bytes: Vec<u64> = (0..5).map(|_| rng.random_range(1..6)).collect();
            let table = LayerTable::uniform(
                (0..5).map(|i| i.to_string()).collect(),
                &seconds,
                &bytes,
                vec![9; 4],
                (0..4).map(|_| rng.random_range(0..30)).collect(),
            );
            let batch = Batch { items: 3, overlap: seed % 2 == 0, in_order: seed % 3 == 0 };
            let mut best = f64::INFINITY;
            for mut code in 0..1024usize {
                let placement: Vec<DeviceId> = (0..5)
                    .map(|_| {
                        let device = code % 4;
                        code /= 4;
                        DeviceId(device)
                    })
                    .collect();
                if table.excess(&placement).none() {
                    best = best.min(simulate(&platform, &table, &placement, &batch).seconds);
                }
            }
            let found = exhaustive(&platform, &table, &batch, &Limits::default()).expect("a placement");
            assert!((found.seconds - best).abs() < 1e-9, "seed {seed}: {} for {best}", found.seconds);
            assert!(found.report.proved());
        }
    }
}
