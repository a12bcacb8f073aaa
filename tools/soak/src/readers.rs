//! Files of others: what is read is sound, or refused with a message.

use ballast_core::device;
use ballast_core::device::DeviceId;
use ballast_core::instance::{Instance, read_plan};
use ballast_core::memory::{CompactPlan, SwapModel, expand, replay};
use ballast_core::profile::Profile;
use ballast_dag::check::check;
use ballast_dag::problem::PlanClass;
use ballast_dag::workload as workloads;
use ballast_jobs::{FirstFit, JobCluster, JobList, parse_history, place};
use ballast_learner_client::saved::{checksum, decode};
use ballast_partition::Given;
use ballast_partition::genetic::LayerFile;
use ballast_partition::genetic::platform::Platform;
use ballast_remat::swaps::QTable;

fn text(input: &[u8]) -> &str {
    std::str::from_utf8(input).unwrap_or_default()
}

/// The two halves of an input that holds two files, with a line `---` between them.
pub(crate) fn halves(input: &[u8]) -> (&[u8], &[u8]) {
    const BETWEEN: &[u8] = b"\n---\n";
    match input.windows(BETWEEN.len()).position(|window| window == BETWEEN) {
        Some(at) => (&input[..at], &input[at + BETWEEN.len()..]),
        None => (input, &[]),
    }
}

/// A device file.
///
/// # Panics
/// Where what was read breaks the rules it was checked for.
pub fn device(input: &[u8]) {
    let Ok(cluster) = device::parse("device.toml", text(input)) else { return };
    cluster.check().expect("what is read is sound");
    let count = cluster.devices.len();
    assert!((1..=device::MAX_DEVICES).contains(&count));
    for from in DeviceId::first(count.min(8)) {
        for to in DeviceId::first(count.min(8)) {
            let seconds = cluster.link(from, to).seconds(ballast_core::units::Bytes(1 << 20));
            assert!(seconds >= 0.0, "{from} to {to}: {seconds} s");
        }
    }
    if count <= 64 {
        let _ = cluster.divided(2);
    }
}

/// A workload graph; what is read is judged with every node on the first device.
///
/// # Panics
/// On a verdict that makes no sense.
pub fn workload(input: &[u8]) {
    let Ok(problem) = workloads::parse(text(input), "workload.json") else { return };
    let assignment = vec![0; problem.nodes.len()];
    for class in [PlanClass::Contiguous, PlanClass::Free] {
        if let Ok(verdict) = check(&problem, class, &assignment) {
            assert!(verdict.max_load >= 0.0, "{}", verdict.max_load);
        }
    }
}

/// An instance and, behind a line `---`, a plan of it.
///
/// # Panics
/// Where an instance that was read does not run unplanned, or is not the one that is written again.
pub fn instance(input: &[u8]) {
    let (first, second) = halves(input);
    let Ok(problem) = Instance::parse(text(first)).and_then(|instance| instance.problem(1.0)) else { return };
    problem.check().expect("what is read is sound");
    let unplanned = expand(&problem, &CompactPlan::default()).expect("the order of the file");
    let result = replay(&problem, &unplanned, None, None).expect("it runs as it is");
    assert_eq!(result.peak_bytes, problem.unplanned_peak());
    assert!(result.peak_bytes >= problem.working_set().0);
    let again = Instance::of(&problem).problem(1.0).expect("what is written can be read");
    assert_eq!(again, problem);
    if let Ok(plan) = read_plan(text(second), &problem) {
        for overlap in [false, true] {
            let (out_bandwidth, in_bandwidth) = (2.0, 3.0);
            let swap =
                SwapModel { out_bandwidth, in_bandwidth, latency: 0.5, overlap, host_capacity_bytes: None };
            let _ = replay(&problem, &plan, Some(&swap), None);
        }
    }
}

/// Measured times.
pub fn profile(input: &[u8]) {
    if let Ok(profile) = Profile::parse("profile.json", text(input)) {
        let _ = profile.content();
        let _ = profile.seconds("cpu", "add");
    }
}

/// A saved network of each kind, or a table of Q-learning.
///
/// # Panics
/// Never, one hopes.
pub fn network(input: &[u8]) {
    // Damaged files are found by a checksum over all that follows: it is made right, or nothing behind it would be looked at.
    for kind in ["partition", "jobs", "dag"] {
        let _ = decode::<std::collections::BTreeMap<String, String>>(kind, input);
    }
    let mut repaired = input.to_vec();
    if let Some(end) = repaired.iter().position(|&byte| byte == b'\n')
        && let Some(start) = repaired[..end].iter().rposition(|&byte| byte == b' ')
    {
        let sum = checksum(&repaired[end + 1..]);
        repaired.splice(start + 1..end, format!("{sum:016x}").into_bytes());
        let kind =
            String::from_utf8_lossy(&repaired[..start]).rsplit(' ').next().unwrap_or_default().to_owned();
        let _ = decode::<std::collections::BTreeMap<String, ()>>(&kind, &repaired);
    }
    let _ = QTable::parse(text(input));
}

/// A table of Q-learning, or a placement.
pub fn table(input: &[u8]) {
    let _ = QTable::parse(text(input));
    let _ = Given::parse(text(input));
}

/// A layer file.
pub fn layers(input: &[u8]) {
    if let Ok(file) = LayerFile::parse(text(input)) {
        let _ = file.table(&[1e12, 2e12], &[1 << 30, 1 << 34]);
    }
}

/// The topology of three devices.
///
/// # Panics
/// Where there is a way to a device and none back.
pub fn topology(input: &[u8]) {
    let names: Vec<String> = (0..3).map(|chip| format!("chip{chip}")).collect();
    if let Ok(platform) = Platform::parse(text(input), &names) {
        assert_eq!(
            platform.switches_between(DeviceId(0), DeviceId(2)).len(),
            platform.switches_between(DeviceId(2), DeviceId(0)).len()
        );
    }
}

/// A cluster and, behind a line `---`, training jobs or the history of some.
///
/// # Panics
/// Where a job gets devices that it may not have.
pub fn cluster(input: &[u8]) {
    let (first, second) = halves(input);
    let _ = parse_history(text(second), 4);
    let (Ok(cluster), Ok(jobs)) = (JobCluster::parse(text(first)), JobList::parse(text(second))) else {
        return;
    };
    cluster.check().expect("what is read is sound");
    let usable = cluster.usable();
    if let Ok(period) = place(&jobs, &cluster, &mut FirstFit) {
        for placed in &period.placed {
            let of = |name: &String| cluster.devices.iter().position(|device| device.name == *name);
            assert!(placed.devices.iter().all(|name| of(name).is_some_and(|device| usable[device])));
        }
    }
}
