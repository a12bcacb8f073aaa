//! `ballast remat`: exit codes, the JSON on standard output, and plan files replayed by a judge of this test's own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ballast_tests::{Run, ballast, scratch};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;

/// Training of a chain of unit layers: forward l0.., a loss, gradients that read their layer's output and input.
/// All ops take time 1 and hold 1 MiB, except the loss: time 0, 4 bytes.
fn unit_chain(layers: usize) -> Value {
    let last = 2 * layers;
    let node = |id: usize| match id == layers {
        true => json!({ "id": id, "time": 0, "size": 4 }),
        false => json!({ "id": id, "time": 1, "size": MIB }),
    };
    let mut edges: Vec<(usize, usize)> = (0..last).map(|id| (id, id + 1)).collect();
    for layer in 0..layers {
        let gradient = last - layer;
        edges.push((layer, gradient));
        if layer > 0 {
            edges.push((layer - 1, gradient));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    json!({ "name": "unit chain", "nodes": (0..=last).map(node).collect::<Vec<_>>(), "edges": edges })
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn remat(folder: &Path, instance: &Value, arguments: &[&str]) -> (Run, Option<Value>) {
    let input = write(folder, "instance.json", &instance.to_string());
    let plan = folder.join("plan.json");
    let mut all = vec!["remat", &input, "-o", plan.to_str().unwrap()];
    all.extend_from_slice(arguments);
    let run = ballast(all);
    let plan = std::fs::read_to_string(plan).ok().map(|text| serde_json::from_str(&text).unwrap());
    (run, plan)
}

/// What a plan file costs, by the rules of the format alone.
#[derive(Debug, PartialEq)]
struct Cost {
    time: f64,
    peak: u64,
    moved: u64,
}

fn replay(instance: &Value, plan: &Value) -> Result<Cost, String> {
    let nodes: Vec<(f64, u64)> = instance["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["time"].as_f64().unwrap(), node["size"].as_u64().unwrap()))
        .collect();
    let mut inputs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for edge in instance["edges"].as_array().unwrap() {
        let end = |side: usize| usize::try_from(edge[side].as_u64().unwrap()).unwrap();
        inputs.entry(end(1)).or_default().push(end(0));
    }
    let (mut device, mut host, mut run) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut cost = Cost { time: 0.0, peak: 0, moved: 0 };
    for (index, step) in plan["steps"].as_array().unwrap().iter().enumerate() {
        let id = usize::try_from(step[1].as_u64().unwrap()).unwrap();
        let (time, size) = nodes[id];
        let fine = match step[0].as_str().unwrap() {
            "compute" => {
                cost.time += time;
                run.insert(id);
                inputs.get(&id).is_none_or(|from| from.iter().all(|input| device.contains(input)))
                    && device.insert(id)
            }
            "free" => device.remove(&id),
            "swap_out" => {
                cost.moved += size;
                device.contains(&id) && host.insert(id)
            }
            "swap_in" => {
                cost.moved += size;
                host.contains(&id) && device.insert(id)
            }
            "host_free" => host.remove(&id),
            other => return Err(format!("step {index}: {other}")),
        };
        if !fine {
            return Err(format!("step {index}, {step}, is not possible"));
        }
        cost.peak = cost.peak.max(device.iter().map(|&id| nodes[id].1).sum());
    }
    if run.len() < nodes.len() {
        return Err(format!("{} of {} nodes run", run.len(), nodes.len()));
    }
    Ok(cost)
}

#[test]
fn the_summary_says_what_the_plan_file_does() {
    let folder = scratch();
    let instance = unit_chain(12);
    let total = 24.0;
    for (budget, extra) in
        [(9 * MIB, &["--no-swap"][..]), (6 * MIB, &["--no-swap"]), (6 * MIB, &["--bandwidth", "1MiB"])]
    {
        let budget_text = budget.to_string();
        let mut arguments = vec!["--budget", &budget_text, "--order", "program", "--time-limit", "2"];
        arguments.extend_from_slice(extra);
        let (run, plan) = remat(folder.path(), &instance, &arguments);
        let summary = run.succeeded().json();
        let cost = replay(&instance, &plan.unwrap()).unwrap();
        assert!(cost.peak <= budget, "{cost:?} over {budget}");
        assert_eq!(summary["peak_bytes"], cost.peak);
        assert_eq!(summary["swap_bytes"], cost.moved);
        let (value, bound) = (summary["value"].as_f64().unwrap(), summary["bound"].as_f64().unwrap());
        if cost.moved == 0 {
            assert!((value - cost.time).abs() < 1e-9, "{summary} against {cost:?}");
        }
        assert!(value >= cost.time - 1e-9 && bound <= value + 1e-9, "{summary}");
        let overhead = summary["overhead_percent"].as_f64().unwrap();
        assert!((overhead - 100.0 * (value / total - 1.0)).abs() < 1e-6, "{summary}");
        assert!((summary["gap"].as_f64().unwrap() - (value - bound) / value).abs() < 1e-6, "{summary}");
        for key in ["proved", "stop_reason", "seconds", "seed"] {
            assert!(!summary[key].is_null(), "{key} is missing: {summary}");
        }
    }
}

#[test]
fn the_best_known_plans_of_the_unit_chain_are_found() {
    let folder = scratch();
    let instance = unit_chain(32);
    // Peak without recomputation: 33 MiB and the loss. Recomputations are proven minima of program order.
    for (budget, recomputes) in [(27_682_410, 7), (17_301_506, 17)] {
        let budget = f64::from(budget).to_string();
        let arguments = ["--budget", &budget, "--no-swap", "--order", "program", "--time-limit", "5"];
        let summary = remat(folder.path(), &instance, &arguments).0.succeeded().json();
        let found = summary["value"].as_f64().unwrap() - 64.0;
        assert!(
            (found - f64::from(recomputes)).abs() < 1e-9,
            "{found} recomputations, expected {recomputes}"
        );
    }
}

#[test]
fn a_budget_below_every_working_set_is_no_plan() {
    let folder = scratch();
    let (run, plan) = remat(folder.path(), &unit_chain(6), &["--budget", "2MiB", "--time-limit", "2"]);
    assert_eq!((run.code, plan), (Some(1), None), "{run:#?}");
    let refusal: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let said = (&refusal["no_plan"], &refusal["proved"], &refusal["requested_budget"]);
    assert_eq!(said, (&json!(true), &json!(true), &json!(2 << 20)), "{refusal}");
    assert!(run.stderr.contains("ballast: no plan"), "{run:#?}");
}

#[test]
fn an_arena_keeps_the_budget_and_its_buffers_apart() {
    let folder = scratch();
    let instance = unit_chain(8);
    // Whole blocks of 1 MiB, the loss's four bytes in one of its own: ten at the peak without recomputation, seven here.
    let arguments = ["--budget", "7MiB", "--no-swap", "--time-limit", "4", "--arena", "1MiB"];
    let (run, plan) = remat(folder.path(), &instance, &arguments);
    let (summary, plan) = (run.succeeded().json(), plan.unwrap());
    let bytes = |value: &Value| value.as_u64().unwrap();
    assert!(replay(&instance, &plan).unwrap().peak <= 7 * MIB);
    assert_eq!(summary["arena_bytes"], plan["arena"]["arena_bytes"]);
    assert!(bytes(&plan["arena"]["arena_bytes"]) <= 7 * MIB && bytes(&summary["recomputes"]) > 0);
    let buffers = plan["arena"]["buffers"].as_array().unwrap();
    let runs = plan["steps"].as_array().unwrap().iter().filter(|step| step[0] == "compute").count();
    assert_eq!(buffers.len(), runs);
    for (index, a) in buffers.iter().enumerate() {
        assert!(bytes(&a["offset"]) % MIB == 0 && bytes(&a["offset"]) + bytes(&a["bytes"]) <= 7 * MIB);
        for b in &buffers[..index] {
            let meet = |from: &str, length: &dyn Fn(&Value) -> u64| {
                bytes(&a[from]) < length(b) && bytes(&b[from]) < length(a)
            };
            let in_time = meet("from", &|buffer| bytes(&buffer["to"]));
            let in_space = meet("offset", &|buffer| bytes(&buffer["offset"]) + bytes(&buffer["bytes"]));
            assert!(!(in_time && in_space), "{a} and {b}");
        }
    }
}

#[test]
fn bad_input_is_refused_by_name_and_nothing_is_written() {
    let folder = scratch();
    let node = |id: i64| json!({ "id": id, "time": 1, "size": 1 });
    let of = |nodes: Vec<Value>, edges: Value| json!({ "nodes": nodes, "edges": edges });
    let bad = [
        of(vec![], json!([])),
        of(vec![node(0), node(1)], json!([[0, 1], [1, 0]])),
        of(vec![node(0)], json!([[0, 7]])),
        of(vec![node(0)], json!([[0, 0]])),
        of(vec![json!({ "id": 0, "time": 1, "size": -1 })], json!([])),
        of(vec![json!({ "id": 0, "time": -1, "size": 1 })], json!([])),
        of(vec![json!({ "id": 0, "size": 1 })], json!([])),
        json!({ "edges": [] }),
        json!("not an instance"),
    ];
    for instance in &bad {
        let (run, plan) = remat(folder.path(), instance, &["--budget", "1KiB", "--time-limit", "1"]);
        assert_eq!((run.code, plan), (Some(2), None), "{instance}: {run:#?}");
        assert_eq!(run.stdout, "", "{instance}");
        assert!(run.stderr.contains("instance.json"), "the message names no file: {run:#?}");
    }
    let good = unit_chain(3);
    for arguments in [
        &["--budget", "0"][..],
        &["--budget", "-5"],
        &["--budget", "lots"],
        &[],
        &["--budget", "9MiB", "--time-limit", "-1"],
        &["--budget", "9MiB", "--order", "any"],
        &["--budget", "9MiB", "--threads", "0"],
        &["--budget", "9MiB", "--arena", "0"],
        &["--budget", "9MiB", "--unknown"],
    ] {
        let (run, plan) = remat(folder.path(), &good, arguments);
        assert_eq!((run.code, plan), (Some(2), None), "{arguments:?}: {run:#?}");
    }
    let missing = folder.path().join("missing.json");
    let output = folder.path().join("plan.json");
    let run = ballast([Path::new("remat"), &missing, Path::new("--budget=1"), Path::new("-o"), &output]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("missing.json") && !output.exists(), "{run:#?}");
}

#[test]
fn the_same_seed_and_work_give_the_same_bytes_on_any_number_of_threads() {
    let folder = scratch();
    let instance = unit_chain(20);
    let outcomes = ["1", "1", "2"].map(|threads| {
        let budget = (12 * MIB).to_string();
        let arguments =
            ["--budget", &budget, "--seed", "7", "--work-limit", "2000", "--threads", threads, "--no-swap"];
        let (run, plan) = remat(folder.path(), &instance, &arguments);
        let mut summary = run.succeeded().json();
        summary["seconds"] = Value::Null;
        (summary, plan.unwrap().to_string())
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
}
