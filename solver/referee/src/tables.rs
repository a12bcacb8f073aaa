//! Tables of layers over devices: the exact and the genetic search against all placements.

use ballast_core::device::DeviceId;
use ballast_core::limits::Limits;
use ballast_partition::genetic::{LayerTable, Options, PlacementError, exact::exact, solve};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ledger::Ledger;

/// Examines one table.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (layers, devices) = (random.random_range(1..8), random.random_range(1..4));
    let alike = random.random_bool(0.5);
    let mut row = || -> Vec<f64> { (0..layers).map(|_| f64::from(random.random_range(0..20))).collect() };
    let first = row();
    let seconds: Vec<Vec<f64>> = (0..devices).map(|_| if alike { first.clone() } else { row() }).collect();
    let bytes: Vec<u64> = (0..layers).map(|_| random.random_range(1..10)).collect();
    let table = LayerTable {
        names: (0..layers).map(|layer| format!("layer {layer}")).collect(),
        seconds,
        bytes: vec![bytes; devices],
        device_memory_bytes: (0..devices).map(|_| random.random_range(10..60)).collect(),
        message_bytes: vec![1; layers - 1],
    };
    let least = every(layers, devices, DeviceId)
        .filter(|placement| {
            let used = DeviceId::first(devices).all(|device| placement.contains(&device))
                || !table.every_device_used();
            used && table.excess(placement).none()
        })
        .map(|placement| table.slowest(&placement))
        .fold(f64::INFINITY, f64::min);
    let mut found = Vec::new();
    for work_limit in [None, Some(random.random_range(1..200))] {
        let limits = Limits { time_limit_seconds: None, work_limit, seed, threads: 1 };
        let options = Options { population: 8, generations: 40, ..Options::default() };
        let runs = [("exact", exact(&table, &limits)), ("genetic", solve(&table, &options, &limits))];
        for (who, run) in runs {
            ledger.runs += 1;
            match run {
                Ok(placement) => {
                    let (report, value) = (&placement.report, table.slowest(&placement.device_of));
                    ledger.bound(report.bound(), Some(least), || format!("{who} {work_limit:?}: {table:?}"));
                    ledger.holds(report.value >= least - 1e-9 && report.value == value, || {
                        format!("{who}: {report:?} for {value}, least {least}: {table:?}")
                    });
                    found.push((who, value, report.bound()));
                }
                Err(PlacementError::NoPlacement(_)) => {
                    let complete = who == "exact" && work_limit.is_none();
                    ledger.refusals += u64::from(complete);
                    ledger.holds(!complete || least.is_infinite(), || format!("{who}: refused {table:?}"));
                }
                Err(error) => ledger.contradicts(format!("{who}: {error}")),
            }
        }
    }
    for &(who, value, _) in &found {
        for &(other, _, bound) in &found {
            ledger.cross(bound, value, || format!("{other} against {who}: {table:?}"));
        }
    }
}

/// All placements, with devices made of their numbers.
pub(crate) fn every<D>(
    items: usize,
    devices: usize,
    device: impl Fn(usize) -> D,
) -> impl Iterator<Item = Vec<D>> {
    (0..devices.pow(items as u32)).map(move |mut code| {
        let digit = |_| {
            let number = code % devices;
            code /= devices;
            device(number)
        };
        (0..items).map(digit).collect()
    })
}
