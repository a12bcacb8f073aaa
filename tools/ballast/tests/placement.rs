//! `ballast lab genetic`, `ballast lab place` and `ballast replan` as programs: answers, exit codes, nothing half-written.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use ballast_core::cost::Costs;
use ballast_core::device::Cluster;
use ballast_core::graph::{Graph, LayerType, Op, OpId, Tensor, TensorId, Work};
use ballast_core::limits::Limits;
use ballast_core::plan::Plan;
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use serde_json::Value;
use support::{DYNAMIC, examples, json};

fn ballast(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ballast")).current_dir(folder).args(args).output().expect("runs")
}

/// Runs what must fail with this exit code and a message that has this part.
fn fails(folder: &Path, args: &[&str], code: i32, part: &str) {
    let output = ballast(folder, args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
    assert!(message.contains(part), "{args:?}: {message}");
    assert!(output.stdout.is_empty());
}

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
    fails(here, &["lab", "place", "jobs.json", "cluster.json", "-o", "out.json"], 2, "--network");
    assert!(!here.join("out.json").exists());
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
    assert!(!here.join("bad.json").exists());
}
