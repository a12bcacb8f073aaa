//! Pipelines beside devices that run nothing.

#[path = "support/chain.rs"]
mod chains;
mod support;

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::limits::Limits;
use ballast_core::memory::CompactPlan;
use ballast_core::pipeline::{MicroBatch, PipelinePlan, Schedule, Spec, first_backward, pipeline_of};
use ballast_core::plan::{Plan, compact_plans};
use ballast_core::planned_pipeline::PlannedPipeline;
use ballast_core::planned_stages::stages_of;
use ballast_core::program::Program;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::sequence::Granularity;
use ballast_planner::pipelined::balanced;
use ballast_planner::{Again, Options, Pipelining, Planned, plan};

use chains::{Chain, chain};
use support::cluster;

/// Bytes a second.
const HOST_BANDWIDTH: f64 = 1e4;

const LIMITS: Limits = Limits { time_limit_seconds: None, work_limit: Some(5_000), seed: 0, threads: 1 };

/// Eight equal layers, four on each of two devices, and so many devices behind that run nothing.
fn planned(schedule: Schedule, idle: usize, cap: u64) -> (Chain, Planned) {
    let chain = chain(&[(1.0, 10, 1); 8], 2 + idle);
    let cluster = cluster(2 + idle, HOST_BANDWIDTH);
    let program = Program { graph: &chain.graph, costs: &chain.costs, cluster: &cluster };
    let made = ballast_partition::Options { limits: LIMITS, ..ballast_partition::Options::default() };
    let partition = ballast_partition::plan(&program, &made).unwrap().report;
    // Eight forward ops, then a backward op and an update of each, from the last layer to the first.
    let on = |op: usize| DeviceId(usize::from(if op < 8 { op >= 4 } else { op < 16 }));
    let spec = Spec { schedule, micro_batches: 8 };
    let options = Options {
        cap: CapSpec::Absolute(Bytes(cap)),
        swap: false,
        limits: LIMITS,
        pipeline: Some(Pipelining { spec, granularity: Granularity::Op, may_idle: true }),
        ..Options::default()
    };
    let device_of = (0..chain.graph.ops.len()).map(on).collect();
    let planned = plan(&program, device_of, partition, &options, None).unwrap();
    (chain, planned)
}

#[test]
fn a_device_that_runs_nothing_is_no_stage() {
    for schedule in [Schedule::OneForwardOneBackward, Schedule::ZeroBubble] {
        let pipeline = |idle: usize, cap: u64| planned(schedule, idle, cap).1.plan.pipeline.unwrap();
        // What two stages need, nothing made again.
        let free = pipeline(0, 1 << 30);
        let cap = free.stages.iter().map(|stage| stage.unplanned_need_bytes).max().unwrap();
        let (alone, beside) = (pipeline(0, cap), pipeline(3, cap));
        assert_eq!(beside.step_seconds, alone.step_seconds, "{schedule}");
        assert_eq!(beside.step_seconds, free.step_seconds, "{schedule}");
        let held = |plan: &PipelinePlan| plan.stages.iter().map(|stage| stage.in_flight).collect::<Vec<_>>();
        assert_eq!(held(&beside), [held(&alone), vec![0; 3]].concat(), "{schedule}");
        assert!(beside.stages[2..].iter().all(|stage| stage.need_bytes == 0), "{schedule}");
    }
}

/// Does the judge of plan files take it?
fn judged(plan: &Plan) -> Result<(), String> {
    let stages = stages_of(plan)?;
    let plans = compact_plans(&stages, &plan.ops).map_err(|error| error.to_string())?;
    PlannedPipeline::of(plan, &stages, &plans).map(|_| ())
}

#[test]
fn a_file_that_counts_idle_devices_is_judged_as_it_was_made() {
    let schedule = Schedule::OneForwardOneBackward;
    let (chain, Planned { mut plan, device_of, .. }) = planned(schedule, 2, 1 << 30);
    judged(&plan).unwrap();
    let cluster = cluster(4, HOST_BANDWIDTH);
    let stages = stages(&chain.graph, &chain.costs, &cluster, &device_of);
    let first_backward = first_backward(&chain.graph).unwrap();
    let counted = |stage| {
        let mut micro = MicroBatch::of(&chain.graph, stage, &device_of, first_backward);
        micro.counts = true;
        micro
    };
    let micros: Vec<MicroBatch> = stages.iter().map(counted).collect();
    let plans = vec![CompactPlan::default(); 4];
    let spec = Spec { schedule, micro_batches: 8 };
    let older = pipeline_of(&micros, &stages, &plans, &[], spec).unwrap();
    let held: Vec<usize> = older.stages.iter().map(|stage| stage.in_flight).collect();
    assert_eq!(held, [4, 3, 2, 1]);
    plan.pipeline = Some(older.clone());
    judged(&plan).unwrap();
    // One device that counts and one that does not: neither what was made then nor what is made now.
    let mut mixed = older;
    mixed.stages[3].in_flight = 0;
    plan.pipeline = Some(mixed);
    assert!(judged(&plan).unwrap_err().contains("in_flight of the pipeline's stage 0 is 3"));
}

/// Seconds of a step, and how many caps were raised, of sixteen layers on two devices and a useless third one, or on the two alone.
fn step_under(cap: u64, devices: usize, max_rounds: usize) -> (usize, f64) {
    // The front keeps more than the back: under a cap its device makes values again, and hands layers on.
    let layers: Vec<(f64, u64, u64)> = (0..16).map(|layer| (1.0, 60 - 3 * layer, 1)).collect();
    let mut chain = chain(&layers, devices);
    chain.costs.seconds.iter_mut().skip(2).flatten().for_each(|seconds| *seconds *= 1e3);
    let cluster = cluster(devices, HOST_BANDWIDTH);
    let program = Program { graph: &chain.graph, costs: &chain.costs, cluster: &cluster };
    let made = ballast_partition::Options { limits: LIMITS, ..ballast_partition::Options::default() };
    let partition = ballast_partition::plan(&program, &made).unwrap().report;
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 8 };
    let pipelining = Pipelining { spec, granularity: Granularity::Op, may_idle: true };
    let cap = CapSpec::Absolute(Bytes(cap));
    let device_of = balanced(&program, pipelining, cap).unwrap().device_of;
    let options = Options {
        cap,
        swap: false,
        limits: LIMITS,
        max_rounds,
        pipeline: Some(pipelining),
        ..Options::default()
    };
    let none = |_: &Again<'_>| Ok(Vec::new());
    let planned = plan(&program, device_of, partition, &options, Some(&none)).unwrap();
    (planned.relaxed.len(), planned.plan.pipeline.unwrap().step_seconds)
}

#[test]
fn cuts_move_on_fewer_devices_as_if_the_others_were_not_there() {
    let mut gains = 0;
    for cap in (300..700).step_by(100) {
        let (kept, alone, beside) = (step_under(cap, 2, 1), step_under(cap, 2, 64), step_under(cap, 3, 64));
        assert_eq!(beside, alone, "under {cap}");
        gains += usize::from(alone < kept);
    }
    assert!(gains > 0, "moving cuts helps under none of the caps");
}
