//! `ballast lab genetic`, `ballast lab place` and `ballast replan` as programs: answers, exit codes, nothing half-written.

#[path = "support/command.rs"]
mod command;
#[path = "support/refused.rs"]
mod refused;
mod support;

use std::path::Path;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::graph::{Graph, LayerType, Op, OpId, Tensor, TensorId, Work};
use ballast_core::limits::Limits;
use ballast_core::plan::{ArenaPlan, PipelinePlan, Plan, StagePlan};
use ballast_core::predictor::Counting;
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use ballast_partition::{Method, Partition};
use command::ballast;
use refused::fails;
use serde_json::Value;
use support::{DYNAMIC, examples, json};

#[test]
fn the_shipped_example_is_placed_statically_and_dynamically() {
    let static_answer =
        json(&ballast(&examples(), &["lab", "genetic", "ten-layers.toml", "--devices", "eight-chips.toml"]));
    let seconds = static_answer["predicted_seconds"].as_f64().expect("seconds");
    assert!((seconds * 1e3 - 11.080523).abs() < 5e-7);
    let searched = json(&ballast(&examples(), &[&DYNAMIC[..], &["--runs", "500"]].concat()));
    let exact = json(&ballast(&examples(), &[&DYNAMIC[..], &["--exact"]].concat()));
    let value = |answer: &Value| answer["report"]["value"].as_f64().expect("a value");
    assert_eq!(exact["report"]["proved"], true);
    assert!(value(&searched) >= value(&exact) && value(&searched) <= 1.02 * value(&exact));
}

#[test]
fn broken_input_of_genetic_is_refused() {
    let here = examples();
    fails(&here, &["lab", "genetic", "no.toml", "--devices", "8"], 2, "no.toml");
    fails(&here, &["lab", "genetic", "two-boards.toml", "--devices", "8"], 2, "two-boards.toml");
    fails(&here, &["lab", "genetic", "ten-layers.toml", "--devices", "0"], 2, "0");
    let wrong = ["lab", "genetic", "ten-layers.toml", "--devices", "eight-chips.toml", "--mutation", "3"];
    fails(&here, &wrong, 2, "from 0 to 1");
    let names =
        ["lab", "genetic", "ten-layers.toml", "--devices", "8", "--dynamic", "--topology", "two-boards.toml"];
    fails(&here, &names, 2, "'chip0'");
}

#[test]
fn layers_that_need_more_memory_together_than_there_is_are_refused_with_both_sums() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let layer = "[[layer]]\nkind = \"counted\"\noperations = 1000\nelements = 1000\noutputs = 10\n";
    let layers: String = ["a", "b", "c"].map(|name| format!("{layer}name = \"{name}\"\n")).concat();
    std::fs::write(here.join("layers.toml"), format!("name = \"tight\"\n{layers}")).expect("written");
    // A layer takes 4000 bytes: each device holds one, neither holds two.
    let two = "version = 1\n[kinds.k]\nlike = \"board-chip\"\nmemory = 5000\n[[devices]]\nkind = \"k\"\ncount = 2\n\
        [link]\nbandwidth = \"1GB/s\"\n";
    std::fs::write(here.join("two.toml"), two).expect("written");
    let together = "the layers need 12000 bytes together and the devices have 10000";
    fails(here, &["lab", "genetic", "layers.toml", "--devices", "two.toml"], 1, together);
}

#[test]
fn jobs_are_placed_and_bad_jobs_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("written");
    write(
        "jobs.json",
        r#"{"version":1,"jobs":[{"name":"a","devices":2,"seconds":10},{"name":"b","devices":2,"seconds":5}]}"#,
    );
    write(
        "cluster.json",
        r#"{"version":1,"devices":[{"name":"x","state":"failed"},{"name":"y"},{"name":"z"},{"name":"w"}]}"#,
    );
    let first_fit = ["lab", "place", "jobs.json", "cluster.json", "--method", "first-fit"];
    let period = json(&ballast(here, &first_fit));
    assert_eq!(period["placed"][0]["devices"], serde_json::json!(["y", "z"]));
    assert_eq!(period["waiting"], serde_json::json!(["b"]));
    // The same where nobody is named; a network names the learned policy.
    assert_eq!(json(&ballast(here, &first_fit[..4])), period);

    write(
        "dead.json",
        r#"{"version":1,"devices":[{"name":"x","state":"failed"},{"name":"y","state":"failed"}]}"#,
    );
    write("rate.json", r#"{"version":1,"devices":[{"name":"x","failures-per-second":2}]}"#);
    write("large.json", r#"{"version":1,"jobs":[{"name":"a","devices":9,"seconds":10}]}"#);
    write("net", "nonsense");
    let to = ["-o", "out.json", "--method", "random"];
    fails(
        here,
        &[&["lab", "place", "jobs.json", "dead.json"], &to[..]].concat(),
        1,
        "none of the cluster's 2 devices",
    );
    fails(
        here,
        &[&["lab", "place", "jobs.json", "rate.json"], &to[..]].concat(),
        2,
        "'x' fails 2 times a second",
    );
    fails(here, &[&["lab", "place", "large.json", "cluster.json"], &to[..]].concat(), 1, "needs 9 devices");
    let named = ["lab", "place", "jobs.json", "cluster.json", "-o", "out.json"];
    fails(here, &[&named[..], &["--method", "learned"]].concat(), 2, "--network");
    fails(here, &[&named[..], &["--network", "no.net"]].concat(), 2, "no.net: ");
    assert!(!here.join("out.json").exists());
}

#[test]
fn times_and_speeds_beyond_reason_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("written");
    write("sound.json", r#"{"version":1,"devices":[{"name":"d"}]}"#);
    write("slow.json", r#"{"version":1,"devices":[{"name":"d","speed":1e-9}]}"#);
    let jobs = |name: &str, seconds: &str, submitted: &str| {
        let job =
            format!(r#"{{"name":"j","devices":1,"seconds":{seconds},"submitted-seconds":{submitted}}}"#);
        write(name, &format!(r#"{{"version":1,"jobs":[{job}]}}"#));
    };
    jobs("short.json", "1", "0");
    jobs("long.json", "1.001e9", "0");
    jobs("late.json", "1", "1.001e9");
    jobs("most.json", "1e9", "1e9");
    for command in ["place", "place-simulate"] {
        for (jobs, cluster, part) in [
            ("short.json", "slow.json", "slow.json: device 'd' has speed 0.000000001"),
            ("long.json", "sound.json", "long.json: job 'j' runs 1001000000 s"),
            ("late.json", "sound.json", "late.json: job 'j' is submitted at 1001000000 s"),
        ] {
            fails(here, &["lab", command, jobs, cluster, "--method", "first-fit"], 2, part);
        }
        json(&ballast(here, &["lab", command, "most.json", "sound.json", "--method", "first-fit"]));
    }
}

/// A chain whose ops take about a millisecond each, every fourth also read ten ops later.
fn graph(ops: usize) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    for id in 0..ops {
        let mut inputs: Vec<usize> = id.checked_sub(1).into_iter().collect();
        inputs.extend(id.checked_sub(10).filter(|far| far % 4 == 0));
        graph.ops.push(Op {
            layer: LayerType::Dense,
            work: Work {
                flops: 15_000_000_000 + 1_000_000_000 * (id as u64 * 7 % 11),
                bytes: Bytes(1 << 20),
                ..Work::NONE
            },
            ..Op::new(format!("op{id}"), inputs, vec![id])
        });
        graph.tensors.push(Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(1 << 20),
            returned: id + 1 == ops,
            type_name: "tensor<262144xf32>".into(),
        });
    }
    graph
}

fn devices(names: &[&str]) -> String {
    let entries: String =
        names.iter().map(|name| format!("[[devices]]\nkind = \"gpu\"\nname = \"{name}\"\n")).collect();
    format!("version = 1\n[kinds.gpu]\nlike = \"v100-16gb\"\n{entries}[link]\nbandwidth = \"50GB/s\"\n")
}

fn planned(graph: &Graph, cluster: &Cluster) -> Plan {
    let costs = Costs::estimate(graph, cluster, None).costs;
    let limits = Limits { time_limit_seconds: None, work_limit: Some(2_000), ..Limits::default() };
    let partition = ballast_partition::Options { limits, ..ballast_partition::Options::default() };
    let cut =
        ballast_partition::plan(&Program { graph, costs: &costs, cluster }, &partition).expect("a partition");
    let options = ballast_planner::Options { limits, ..ballast_planner::Options::default() };
    ballast_planner::plan(
        &Program { graph, costs: &costs, cluster },
        cut.device_of,
        cut.report,
        &options,
        None,
    )
    .expect("a plan")
    .plan
}

/// The plan as if it were for a pipeline.
fn of_pipeline(plan: Plan) -> Plan {
    let pipeline = PipelinePlan {
        schedule: "gpipe".into(),
        micro_batches: 8,
        step_seconds: 1.0,
        bubble: 0.0,
        devices: None,
        stages: Vec::new(),
    };
    Plan { pipeline: Some(pipeline), ..plan }
}

#[test]
fn a_plan_is_moved_when_a_device_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("written");
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    write("eight.toml", &devices(&names));
    write("seven.toml", &devices(&[&names[..3], &names[4..]].concat()));
    let graph = graph(240);
    let cluster = Cluster::parse(&here.join("eight.toml").display().to_string()).expect("eight devices");
    let plan = planned(&graph, &cluster);
    write("graph.json", &serde_json::to_string(&graph).expect("plain data"));
    write("plan.json", &serde_json::to_string(&plan).expect("plain data"));
    let replan =
        ["replan", "plan.json", "seven.toml", "--graph", "graph.json", "-o", "new.json", "--time-limit", "5"];
    let answer = json(&ballast(here, &replan));
    let number = |key: &str| answer[key].as_f64().expect(key);
    assert_eq!(number("had_to_move"), plan.stages[3].score.ops as f64);
    assert!(number("moved") >= number("had_to_move"));
    assert!(number("moved") <= number("scratch_moved"), "{answer}");
    assert!(number("tmax_seconds") <= 1.05 * number("scratch_tmax_seconds") + 1e-12);
    let new: Plan = serde_json::from_str(&std::fs::read_to_string(here.join("new.json")).expect("written"))
        .expect("a plan");
    assert_eq!((new.devices.len(), new.ops.len()), (7, plan.ops.len()));
    assert!(new.stages.iter().all(|stage| stage.score.peak_bytes <= stage.cap_bytes));
    for before in &plan.ops {
        let after = new.ops.iter().find(|entry| entry.op == before.op).expect("every op is placed");
        let stayed = plan.devices[before.device].name == new.devices[after.device].name;
        let listed = answer["moves"].as_array().expect("moves").iter().any(|m| m["op"] == before.op.0);
        assert_eq!(stayed, !listed, "op {}", before.op);
    }

    // Nothing has changed: nothing moves.
    let same = json(&ballast(
        here,
        &["replan", "plan.json", "eight.toml", "--graph", "graph.json", "-o", "same.json"],
    ));
    assert_eq!(same["moved"], 0);

    let mut other = graph;
    other.ops[5].name = "another".into();
    write("other.json", &serde_json::to_string(&other).expect("plain data"));
    other.ops[5].inputs = vec![TensorId(9_999)];
    write("broken.json", &serde_json::to_string(&other).expect("plain data"));
    for (graph, part) in
        [("other.json", "fingerprint"), ("broken.json", "tensor 9999"), ("plan.json", "not a graph")]
    {
        fails(here, &["replan", "plan.json", "seven.toml", "--graph", graph, "-o", "bad.json"], 2, part);
    }
    fails(
        here,
        &["replan", "graph.json", "seven.toml", "--graph", "graph.json", "-o", "bad.json"],
        2,
        "graph.json",
    );
    // A pipeline is refused before anything is planned; arenas are planned again.
    write("piped.json", &serde_json::to_string(&of_pipeline(plan.clone())).expect("plain data"));
    let given = ["replan", "piped.json", "seven.toml", "--graph", "graph.json", "-o", "bad.json"];
    fails(here, &given, 2, "plan again with `--ballast-plan` and its schedule");
    let mut laid_out = plan.clone();
    let arena = |alignment_bytes| {
        Some(ArenaPlan { alignment_bytes, arena_bytes: 0, live_bytes: 0, buffers: Vec::new() })
    };
    laid_out.stages[0].arena = arena(64);
    write("laid-out.json", &serde_json::to_string(&laid_out).expect("plain data"));
    let given = ["replan", "laid-out.json", "seven.toml", "--graph", "graph.json", "-o", "laid-out-new.json"];
    json(&ballast(here, &given));
    let new: Plan =
        serde_json::from_str(&std::fs::read_to_string(here.join("laid-out-new.json")).expect("written"))
            .expect("a plan");
    let alignment = |stage: &StagePlan| stage.arena.as_ref().map(|arena| arena.alignment_bytes);
    assert!(new.stages.iter().all(|stage| alignment(stage) == Some(64)));
    laid_out.stages[1].arena = arena(16);
    write("laid-out.json", &serde_json::to_string(&laid_out).expect("plain data"));
    fails(here, &given, 2, "alignments of 64 and 16 bytes");
    let mut twice = plan;
    twice.ops.push(twice.ops[5].clone());
    write("twice.json", &serde_json::to_string(&twice).expect("plain data"));
    let given = ["replan", "twice.json", "seven.toml", "--graph", "graph.json", "-o", "bad.json"];
    fails(here, &given, 2, "places op 5 twice");
    assert!(!here.join("bad.json").exists());
}

/// `layers` forward and backward, each way a millisecond a layer; a step back also reads what its layer made.
fn training(layers: usize) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    for id in 0..2 * layers {
        let backward = id >= layers;
        let mut inputs: Vec<usize> = id.checked_sub(1).into_iter().collect();
        inputs.extend(backward.then(|| 2 * layers - 1 - id).filter(|&own| own + 1 < id));
        graph.ops.push(Op {
            layer: LayerType::Dense,
            backward: Some(backward),
            work: Work { flops: 15_000_000_000, bytes: Bytes(1 << 20), ..Work::NONE },
            ..Op::new(format!("op{id}"), inputs, [id])
        });
        graph.tensors.push(Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(32 << 20),
            returned: id + 1 == 2 * layers,
            type_name: "tensor<8388608xf32>".into(),
        });
    }
    graph
}

/// Without a time limit: the same everywhere.
const STEPS: Limits = Limits { time_limit_seconds: None, work_limit: Some(2_000), seed: 0, threads: 1 };

fn placed(graph: &Graph, cluster: &Cluster, method: Method, caps: Option<Vec<Bytes>>) -> Partition {
    let costs = Costs::estimate(graph, cluster, None).costs;
    let options =
        ballast_partition::Options { method, limits: STEPS, caps, ..ballast_partition::Options::default() };
    ballast_partition::plan(&Program { graph, costs: &costs, cluster }, &options).expect("a placement")
}

/// Moves the plan for devices a to d to a, b and c, and gives the answer, the new plan and the cluster of three.
fn replanned(here: &Path, graph: &Graph, more: &[&str]) -> (Value, Plan, Cluster) {
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("written");
    write("four.toml", &devices(&["a", "b", "c", "d"]));
    write("three.toml", &devices(&["a", "b", "c"]));
    let cluster = |name: &str| Cluster::parse(&here.join(name).display().to_string()).expect("a device file");
    let plan = planned(graph, &cluster("four.toml"));
    write("graph.json", &serde_json::to_string(graph).expect("plain data"));
    write("plan.json", &serde_json::to_string(&plan).expect("plain data"));
    let replan = ["replan", "plan.json", "three.toml", "--graph", "graph.json", "-o", "new.json"];
    let limits = ["--time-limit", "0", "--work-limit", "2000"];
    let answer = json(&ballast(here, &[&replan[..], &limits, more].concat()));
    let new = std::fs::read_to_string(here.join("new.json")).expect("written");
    (answer, serde_json::from_str(&new).expect("a plan"), cluster("three.toml"))
}

#[test]
fn a_plan_is_compared_with_the_default_placement_from_scratch() {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = training(24);
    let (answer, _, three) = replanned(folder.path(), &graph, &[]);
    let tmax = |method| placed(&graph, &three, method, None).balance.tmax_seconds;
    let (cut, auto) = (tmax(Method::DP), tmax(Method::AUTO));
    assert!(cut > 1.2 * auto, "a step that a cut serves badly: {cut} s, {auto} s");
    let scratch = answer["scratch_tmax_seconds"].as_f64().expect("seconds");
    assert!(scratch <= auto * (1.0 + 1e-9), "{scratch} s, {auto} s at once");
}

#[test]
fn a_cap_in_bytes_holds_for_the_placement_from_scratch() {
    let folder = tempfile::tempdir().expect("a folder");
    // The ops that take no time have the weights: by time alone they are all on one device.
    let mut graph = graph(40);
    for id in 0..20 {
        graph.ops[id].work.flops /= 1_000;
        graph.ops[id].inputs.push(TensorId(40 + id));
        graph.tensors.push(Tensor {
            producer: None,
            index: id,
            bytes: Bytes(64 << 20),
            returned: false,
            type_name: "tensor<16777216xf32>".into(),
        });
    }
    let cap = Bytes(600 << 20);
    let (answer, new, three) = replanned(folder.path(), &graph, &["--cap", "600MiB"]);
    let capped = placed(&graph, &three, Method::AUTO, Some(vec![cap; 3])).balance.tmax_seconds;
    let scratch = answer["scratch_tmax_seconds"].as_f64().expect("seconds");
    assert!(scratch <= capped * (1.0 + 1e-9), "{scratch} s, {capped} s at once");
    assert!(new.stages.iter().all(|stage| stage.cap_bytes == cap.0 && stage.score.peak_bytes <= cap.0));
}

/// Writes a plan of a training step on one device for this cap, made with copies beside computation, any order and exact counts.
fn in_use(here: &Path, cap: Bytes) -> Plan {
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("written");
    write("one.toml", &devices(&["a"]));
    let cluster = Cluster::parse(&here.join("one.toml").display().to_string()).expect("a device file");
    let mut graph = training(12);
    // A third less by exact counts.
    graph.ops.iter_mut().for_each(|op| op.work.macs_exact = op.work.flops * 2 / 3);
    let costs = Costs::estimate_with(&graph, &cluster, None, Counting::Exact).costs;
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let partition = ballast_partition::Options { limits: STEPS, ..ballast_partition::Options::default() };
    let cut = ballast_partition::plan(&program, &partition).expect("a partition");
    let options = ballast_planner::Options {
        cap: CapSpec::Absolute(cap),
        overlap: true,
        order: ballast_remat::Order::Free,
        limits: Limits { work_limit: Some(20_000), ..STEPS },
        ..ballast_planner::Options::default()
    };
    let planned = ballast_planner::plan(&program, cut.device_of, cut.report, &options, None).expect("a plan");
    assert!(planned.plan.cap_met && planned.plan.stages[0].score.swap_bytes > 0);
    write("graph.json", &serde_json::to_string(&graph).expect("plain data"));
    write("plan.json", &serde_json::to_string(&planned.plan).expect("plain data"));
    planned.plan
}

#[test]
fn where_nothing_has_changed_the_plan_is_no_worse() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let old = in_use(here, Bytes(6 * (32 << 20)));
    let replan = ["replan", "plan.json", "one.toml", "--graph", "graph.json", "-o", "new.json"];
    let limits = ["--time-limit", "0", "--work-limit", "0", "--cap", "192MiB"];
    let output = ballast(here, &[&replan[..], &limits].concat());
    let answer = json(&output);
    assert_eq!(answer["moved"], 0);
    let seconds = |key: &str| answer[key].as_f64().expect("seconds");
    assert_eq!(seconds("old_tmax_seconds"), old.balance.tmax_seconds);
    assert!(seconds("tmax_seconds") <= old.balance.tmax_seconds * (1.0 + 1e-9), "{answer}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.is_empty(), "{said}");
    // In another counting the plan's times are none of the program's, and that is said.
    let output = ballast(here, &[&replan[..], &limits, &["--count", "2mac"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("24 of 24 ops take another time here than in the plan"), "{said}");
    assert!(json(&output)["tmax_seconds"].as_f64() > answer["tmax_seconds"].as_f64());
    fails(here, &[&replan[..], &["--count", "half"]].concat(), 2, "choose 2mac or exact");
}

#[test]
fn a_raised_cap_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    in_use(here, Bytes(6 * (32 << 20)));
    let replan = ["replan", "plan.json", "one.toml", "--graph", "graph.json", "-o", "new.json"];
    let limits = ["--time-limit", "0", "--work-limit", "200", "--cap", "70MiB"];
    let output = ballast(here, &[&replan[..], &limits].concat());
    json(&output);
    let new = std::fs::read_to_string(here.join("new.json")).expect("written");
    let new: Plan = serde_json::from_str(&new).expect("a plan");
    assert!(!new.cap_met);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("device 0: no plan under the cap of 70.0 MiB; planned under"), "{said}");
    assert!(new.notes.iter().any(|note| said.contains(note.as_str())), "{:?}", new.notes);
}
