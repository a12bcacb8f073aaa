//! `ballast lab place-simulate`: a batch of training jobs in the simulator, with the failures that it drew.

use ballast_jobs::{BatchRun, FaultTrace, FaultUnit, World, run_batch};
use serde::Serialize;

use crate::failure::Failure;
use crate::lab::place::PlaceTask;
use crate::output::write_json;
use crate::ranges::{duration, factor};

/// Most failures that are listed.
const MOST_FAILURES: f64 = 1e6;

/// How jobs run and devices fail in the simulator.
#[derive(clap::Args)]
pub(super) struct WorldArgs {
    /// Seconds a job takes to start again after a failure; 0 to 1e9.
    #[arg(long, value_parser = duration, default_value_t = 30.0)]
    restart: f64,
    /// Seconds a failed device is out of order; 0 to 1e9.
    #[arg(long, value_parser = duration, default_value_t = 120.0)]
    recovery: f64,
    /// A job lasts this much longer for every other job on its hosts; 0 to 1000.
    #[arg(long, value_parser = factor, default_value_t = 0.05)]
    interference: f64,
    /// What fails as one: each device, or all of a host at the rate of its first.
    #[arg(long, value_enum, default_value_t = Unit::Device)]
    fault_unit: Unit,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Unit {
    Device,
    Host,
}

impl WorldArgs {
    pub(super) fn world(&self) -> World {
        World {
            restart_seconds: self.restart,
            recovery_seconds: self.recovery,
            interference: self.interference,
            fault_unit: match self.fault_unit {
                Unit::Device => FaultUnit::Device,
                Unit::Host => FaultUnit::Host,
            },
            ..World::default()
        }
    }
}

/// Arguments of `ballast lab place-simulate`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    task: PlaceTask,
    #[command(flatten)]
    world: WorldArgs,
    /// Seed of the failures.
    #[arg(long, default_value_t = 0)]
    fault_seed: u64,
    /// Seconds up to which failures are listed; 0 to 1e9.
    #[arg(long, value_parser = duration, default_value_t = 0.0)]
    horizon: f64,
}

/// A failure of a device, or of the host of a device.
#[derive(Serialize)]
struct DeviceFailure<'a> {
    device: &'a str,
    seconds: f64,
}

#[derive(Serialize)]
struct Simulated<'a> {
    #[serde(flatten)]
    run: BatchRun,
    failures: Vec<DeviceFailure<'a>>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let PlaceTask { chooser, output, .. } = &args.task;
    let (jobs, cluster) = args.task.read()?;
    let world = args.world.world();
    let expected: f64 = cluster.devices.iter().map(|device| device.failures_per_second * args.horizon).sum();
    if expected > MOST_FAILURES {
        return Err(Failure::BadInput(format!(
            "--horizon {}: {expected:.0} failures are to be expected until then, more than {MOST_FAILURES}",
            args.horizon
        )));
    }
    let mut faults = FaultTrace::new(&cluster, &world, args.fault_seed);
    let run = chooser.method().with_placer(&cluster, &chooser.source(false), |placer| {
        run_batch(&cluster, &jobs.jobs, &world, &mut faults, placer)
    })?;
    let failures = faults
        .failures_until(args.horizon)?
        .into_iter()
        .map(|(device, seconds)| DeviceFailure { device: &cluster.devices[device].name, seconds })
        .collect();
    write_json(&Simulated { run, failures }, output.as_deref())
}
