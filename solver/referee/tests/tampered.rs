//! Plan files with one value changed: what a report would show of them is refused, unless the file alone cannot tell.

use ballast_core::cap::CapSpec;
use ballast_core::limits::Limits;
use ballast_core::pipeline::{Schedule, Spec};
use ballast_core::plan::Plan;
use ballast_partition::Method;
use ballast_partition::sequence::Granularity;
use ballast_planner::pipelined::balanced;
use ballast_planner::{Options, Pipelining, plan};
use ballast_referee::programs::{Program, placed, training};
use ballast_report::Facts;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Number, Value};

/// What the file is trusted for, as docs/reports.md lists it. Lists are written as `*`.
const TRUSTED: &[&str] = &[
    // Names.
    "function",
    "fingerprint",
    "devices.*.name",
    "devices.*.kind",
    "devices.*.memory_bytes",
    "ops.*.name",
    "ops.*.location",
    "notes.*",
    // What was asked for.
    "stages.*.requested_cap_bytes",
    "stages.*.cap_bytes",
    "stages.*.smallest_cap_bytes",
    // What the searches say of themselves.
    "version",
    "placement",
    "rounds",
    "stop_reason",
    "bound_class",
    "bound_trusts_highs",
    "partition.bound_class",
    "partition.bound_trusts_highs",
    "partition.bound_method",
    "partition.bound_work",
    "partition.method",
    "partition.stop_reason",
    "partition.work",
    "partition.seed",
    "stages.*.report.bound_class",
    "stages.*.report.bound_trusts_highs",
    "stages.*.report.bound_method",
    "stages.*.report.bound_work",
    "stages.*.report.method",
    "stages.*.report.stop_reason",
    "stages.*.report.work",
    "stages.*.report.seed",
    // What is planned: the program's ops on their devices.
    "pipeline.stages.*.data.once",
    "pipeline.stages.*.unplanned_data.once",
    "stages.*.memory.swap",
    "stages.*.memory.nodes.*.bytes",
    "stages.*.memory.nodes.*.workspace_bytes",
    "stages.*.memory.nodes.*.inputs.*",
    "stages.*.memory.nodes.*.backward",
    "stages.*.memory.nodes.*.keep",
    "stages.*.memory.nodes.*.runs_once",
    "stages.*.memory.nodes.*.no_swap",
    "stages.*.memory.nodes.*.pinned",
    // What is decided: with the same figures it is another plan.
    "ops.*.position",
    "ops.*.recompute_before.*",
    "ops.*.receives.*.position",
    "ops.*.receives.*.again_before.*",
];

fn limits() -> Limits {
    Limits { time_limit_seconds: None, work_limit: Some(2_000), seed: 1, threads: 1 }
}

/// The plan of a small training step; `arena` and `pipeline` as asked for.
fn planned(program: &Program, arena: Option<u64>, schedule: Option<Schedule>) -> Plan {
    let partition = ballast_partition::Options {
        method: Method::DP,
        limits: limits(),
        ..ballast_partition::Options::default()
    };
    let found = ballast_partition::plan(&program.view(), &partition).expect("a partition");
    let pipeline = schedule.map(|schedule| Pipelining {
        spec: Spec { schedule, micro_batches: 4 },
        granularity: Granularity::Layer,
        may_idle: true,
    });
    let device_of = match pipeline {
        Some(pipeline) => balanced(&program.view(), pipeline, CapSpec::DeviceMemory).expect("cuts").device_of,
        None => found.device_of.clone(),
    };
    let options = Options {
        cap: CapSpec::Share(0.8),
        swap: false,
        relax_limit: 4.0,
        limits: limits(),
        arena,
        pipeline,
        ..Options::default()
    };
    plan(&program.view(), device_of, found.report, &options, None).expect("a plan").plan
}

/// Paths of all leaves.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let mut below = |key: String, value: &Value| {
        path.push(key);
        leaves(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| below(at.to_string(), value)),
        _ => found.push(path.clone()),
    }
}

/// Other values of the same kind.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(value) => vec![Value::Bool(!value)],
        Value::String(text) => vec![Value::String(format!("{text}x"))],
        Value::Number(number) => match number.as_u64() {
            Some(whole) if !number.is_f64() => {
                [whole + 1, whole.saturating_sub(1), whole * 2 + 3].map(Value::from).to_vec()
            }
            _ => {
                let value = number.as_f64().expect("a number");
                [value * 1.3 + 0.01, value * 0.7]
                    .into_iter()
                    .filter_map(Number::from_f64)
                    .map(Value::from)
                    .collect()
            }
        },
        _ => vec![Value::from(1)],
    }
}

/// Where a path stands in a plan, numbers of lists left out.
fn pattern(path: &[String]) -> String {
    let part = |part: &String| if part.parse::<usize>().is_ok() { "*".to_owned() } else { part.clone() };
    path.iter().map(part).collect::<Vec<_>>().join(".")
}

/// Asserts that every change of a leaf is refused, those apart that the file is trusted for; counts what was refused.
fn all_refused(plan: &Plan) -> usize {
    let file = serde_json::to_value(plan).expect("JSON");
    assert!(Facts::of(plan).is_ok(), "the plan itself: {:?}", Facts::of(plan).err());
    let mut paths = Vec::new();
    leaves(&file, &mut Vec::new(), &mut paths);
    let (mut refused, mut accepted) = (0, Vec::new());
    for path in paths {
        let name = pattern(&path);
        if TRUSTED.iter().any(|trusted| name == *trusted || name.starts_with(&format!("{trusted}."))) {
            continue;
        }
        let pointer = format!("/{}", path.join("/"));
        for other in others(file.pointer(&pointer).expect("a leaf")) {
            let mut changed = file.clone();
            let leaf = changed.pointer_mut(&pointer).expect("a leaf");
            if *leaf == other {
                continue;
            }
            *leaf = other.clone();
            let is_refused = match serde_json::from_value::<Plan>(changed) {
                Ok(plan) => Facts::of(&plan).is_err(),
                Err(_) => true,
            };
            refused += usize::from(is_refused);
            if !is_refused {
                accepted.push(format!("{pointer} = {other}"));
            }
        }
    }
    assert!(accepted.is_empty(), "accepted: {accepted:#?}");
    refused
}

fn program(seed: u64, devices: usize) -> Program {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let graph = training(&mut random, 5);
    placed(&mut random, graph, devices)
}

#[test]
fn a_changed_plan_is_refused() {
    for seed in 0..3 {
        assert!(all_refused(&planned(&program(seed, 2), None, None)) > 200);
    }
}

#[test]
fn a_changed_arena_is_refused() {
    let plan = planned(&program(3, 2), Some(8), None);
    assert!(plan.stages.iter().any(|stage| stage.arena.is_some()));
    assert!(all_refused(&plan) > 300);
    let mut flat = plan;
    for buffer in
        flat.stages.iter_mut().filter_map(|stage| stage.arena.as_mut()).flat_map(|arena| &mut arena.buffers)
    {
        buffer.offset = 0;
    }
    assert!(Facts::of(&flat).is_err(), "every buffer overlaps");
}

#[test]
fn a_changed_pipeline_is_refused() {
    for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::ZeroBubble] {
        let plan = planned(&program(4, 2), None, Some(schedule));
        assert!(plan.pipeline.is_some());
        assert!(all_refused(&plan) > 300, "{schedule}");
    }
    let Program { graph, costs, cluster } = program(5, 2);
    let stages = Program { graph, costs: costs.divided(2, 2), cluster: cluster.divided(2).expect("stages") };
    let plan = planned(&stages, None, Some(Schedule::Interleaved { chunks: 2 }));
    assert!(all_refused(&plan) > 300);
}

#[test]
fn a_step_that_holds_more_than_the_cap_is_refused() {
    let mut plan = planned(&program(4, 2), None, Some(Schedule::GPipe));
    let need = plan.pipeline.as_ref().expect("a pipeline").stages[0].need_bytes;
    let stage = &mut plan.stages[0];
    assert!(stage.score.peak_bytes < need);
    (stage.cap_bytes, stage.requested_cap_bytes) = (need - 1, need - 1);
    plan.cap_met = plan.stages.iter().all(|stage| stage.cap_bytes <= stage.requested_cap_bytes);
    let refused = Facts::of(&plan).err().expect("a refusal");
    assert!(refused.contains("above its cap"), "{refused}");
}
