//! `ballast remat` and `ballast curve` as scripts use them: answers, plan files, exit codes, damaged instances.

#[path = "support/command.rs"]
mod command;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use command::ballast;
use serde_json::{Value, json};

/// Sixteen layers forward and backward, unit times and sizes.
fn chain() -> Value {
    chain_of(16, 1024)
}

fn chain_of(layers: usize, size: u64) -> Value {
    let nodes: Vec<Value> = (0..2 * layers)
        .map(|id| json!({"id": id, "time": 1, "size": size, "is_backward": id >= layers, "keep": false}))
        .collect();
    let mut edges: Vec<(usize, usize)> = (1..2 * layers).map(|id| (id - 1, id)).collect();
    for layer in 0..layers - 1 {
        edges.push((layer, 2 * layers - 1 - layer));
    }
    json!({"name": "chain", "nodes": nodes, "edges": edges, "budgets": {"0.5": 8 * 1024}})
}

fn remat(folder: &Path, text: &str, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("instance.json"), text).unwrap();
    let mut all = vec!["remat", "instance.json", "-o", "plan.json", "--work-limit", "20000"];
    all.extend(arguments);
    ballast(folder, &all)
}

/// Replays a plan file by the rules of the format alone: time and peak.
fn judge(instance: &Value, plan: &Value) -> (f64, u64) {
    let number = |node: usize, key: &str| instance["nodes"][node][key].as_f64().unwrap();
    let mut inputs = vec![Vec::new(); instance["nodes"].as_array().unwrap().len()];
    for edge in instance["edges"].as_array().unwrap() {
        inputs[edge[1].as_u64().unwrap() as usize].push(edge[0].as_u64().unwrap() as usize);
    }
    let (mut resident, mut ran) = (BTreeSet::new(), BTreeSet::new());
    let (mut time, mut peak) = (0.0, 0);
    for step in plan["steps"].as_array().unwrap() {
        let node = step[1].as_u64().unwrap() as usize;
        match step[0].as_str().unwrap() {
            "compute" => {
                assert!(inputs[node].iter().all(|input| resident.contains(input)));
                assert!(resident.insert(node));
                ran.insert(node);
                time += number(node, "time");
                peak = peak.max(resident.iter().map(|&v| number(v, "size") as u64).sum());
            }
            "free" => assert!(resident.remove(&node)),
            other => panic!("{other} without a host link"),
        }
    }
    assert_eq!(ran.len(), inputs.len());
    (time, peak)
}

#[test]
fn the_answer_agrees_with_the_plan_file() {
    let folder = tempfile::tempdir().unwrap();
    let instance = chain();
    let output =
        remat(folder.path(), &instance.to_string(), &["--budget", "8KiB", "--no-swap", "--order", "program"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in [
        "value",
        "bound",
        "gap",
        "proved",
        "stop_reason",
        "seconds",
        "seed",
        "overhead_percent",
        "peak_bytes",
        "swap_bytes",
    ] {
        assert!(!answer[key].is_null(), "{key} is missing in {answer}");
    }
    let plan = serde_json::from_slice(&std::fs::read(folder.path().join("plan.json")).unwrap()).unwrap();
    let (time, peak) = judge(&instance, &plan);
    assert_eq!((answer["value"].as_f64(), answer["peak_bytes"].as_u64()), (Some(time), Some(peak)));
    assert!(peak <= 8 * 1024 && answer["bound"].as_f64().unwrap() <= time);
    let overhead = answer["overhead_percent"].as_f64().unwrap();
    assert!((overhead - 100.0 * (time / 32.0 - 1.0)).abs() < 1e-9 && overhead > 0.0);
}

#[test]
fn a_budget_below_the_working_set_has_no_plan_unless_it_may_rise() {
    let folder = tempfile::tempdir().unwrap();
    let text = chain().to_string();
    let refused = remat(folder.path(), &text, &["--budget", "2KiB"]);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("4096") || message.contains("3072"), "{message} does not name the smallest cap");
    assert!(!folder.path().join("plan.json").exists());
    // What scripts read of it.
    let refusal: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!((&refusal["no_plan"], refusal["requested_budget"].as_u64()), (&json!(true), Some(2048)));
    let smallest = refusal["smallest_budget"].as_u64().unwrap();
    assert!(smallest > 2048 && message.contains(&smallest.to_string()), "{refusal}");
    assert!(refusal["proved"].is_boolean() && refusal["smallest_budget_has_plan"].is_boolean());
    let raised =
        remat(folder.path(), &text, &["--budget", "2KiB", "--relax-limit", "4", "--relax-step", "0.5"]);
    assert_eq!(raised.status.code(), Some(0), "{}", String::from_utf8_lossy(&raised.stderr));
    let answer: Value = serde_json::from_slice(&raised.stdout).unwrap();
    assert!(answer["used_budget"].as_u64() > answer["requested_budget"].as_u64());
    assert!(answer["smallest_budget"].as_u64() <= answer["used_budget"].as_u64());
}

#[test]
fn a_solver_that_changes_nothing_has_no_plan_below_the_peak() {
    let folder = tempfile::tempdir().unwrap();
    let text = chain().to_string();
    let refused = remat(folder.path(), &text, &["--budget", "8KiB", "--solver", "keep-all"]);
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stderr));
    let refusal: Value = serde_json::from_slice(&refused.stdout).unwrap();
    let known = [&refusal["no_plan"], &refusal["proved"], &refusal["smallest_budget_has_plan"]];
    assert_eq!(known, [&json!(true), &json!(false), &json!(true)]);
    // From the budget that it names on there is a plan.
    let peak = refusal["smallest_budget"].to_string();
    assert!(remat(folder.path(), &text, &["--budget", &peak, "--solver", "keep-all"]).status.success());
}

#[test]
fn resident_bytes_workspace_and_ops_that_run_once_bind_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = chain();
    let arguments = ["--budget", "8KiB", "--no-swap", "--order", "program"];
    let runs_of = |instance: &Value, node: u64| {
        let output = remat(folder.path(), &instance.to_string(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let plan: Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("plan.json")).unwrap()).unwrap();
        let runs = |node| {
            plan["steps"].as_array().unwrap().iter().filter(|&step| *step == json!(["compute", node])).count()
        };
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (runs(node), answer["peak_bytes"].as_u64().unwrap())
    };
    let again =
        (1..16).find(|&node| runs_of(&instance, node).0 > 1).expect("half the memory needs recomputation");
    instance["nodes"][again as usize]["recomputable"] = json!(false);
    assert_eq!(runs_of(&instance, again).0, 1);
    instance["resident_bytes"] = json!(1000);
    instance["nodes"][5]["workspace"] = json!(500);
    assert!(runs_of(&instance, again).1 > 1000);
    instance["nodes"][5]["workspace"] = json!(8192);
    assert_eq!(remat(folder.path(), &instance.to_string(), &arguments).status.code(), Some(1));
}

#[test]
fn damaged_instances_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let good = chain();
    let with = |pointer: &str, value: Value| {
        let mut damaged = good.clone();
        *damaged.pointer_mut(pointer).unwrap() = value;
        damaged.to_string()
    };
    let cut = good.to_string();
    let cases = [
        (String::new(), "EOF"),
        ("[]".into(), "invalid"),
        ("{}".into(), "nodes"),
        (cut[..cut.len() / 2].into(), "line 1"),
        (with("/nodes", json!([])), "no nodes"),
        (with("/nodes", json!({})), "invalid type"),
        (with("/edges", json!(null)), "invalid type"),
        (with("/nodes/3/id", json!(4)), "nodes[3] has id 4"),
        (with("/nodes/3/id", json!(-1)), "invalid value"),
        (with("/nodes/3/time", json!(-2)), "time -2"),
        (with("/nodes/3/time", json!(1e308)), "add up to 1e308"),
        (with("/nodes/3/time", json!("long")), "invalid type"),
        (with("/nodes/3/time", json!(null)), "invalid type"),
        (with("/nodes/3/size", json!(-1)), "node 3 has size -1"),
        (with("/nodes/3/size", json!(0.5)), "node 3 has size 0.5"),
        (with("/nodes/3/size", json!("big")), "invalid type"),
        (with("/nodes/3/size", json!(1.0e300)), "node 3 has size"),
        (with("/nodes/3/keep", json!(7)), "invalid type"),
        (with("/edges/2", json!([2])), "edges[2] is [2]: an edge is a pair"),
        (with("/edges/2", json!([9, 2])), "a value is read by later nodes only"),
        (with("/edges/2", json!([2, 2])), "a value is read by later nodes only"),
        (with("/edges/2", json!([2, 99])), "but the nodes are 0 to 31"),
        (with("/edges/2", json!([0, 1])), "given twice"),
        (with("/budgets", json!({"0.5": "much"})), "invalid type"),
    ];
    for (text, expected) in cases {
        let output = remat(folder.path(), &text, &["--budget", "8KiB"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}: {message}");
        assert!(
            message.contains("instance.json") && message.contains(expected),
            "{message} lacks {expected}"
        );
        assert!(output.stdout.is_empty() && !folder.path().join("plan.json").exists(), "{text}");
    }
}

#[test]
fn nonsense_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = chain().to_string();
    let cases: [&[&str]; 10] = [
        &["--budget", "0"],
        &["--budget", "-5"],
        &["--budget", "12 apples"],
        &["--budget", "8KiB", "--threads", "0"],
        &["--budget", "8KiB", "--time-limit", "0"],
        &["--budget", "8KiB", "--time-limit", "NaN"],
        &["--budget", "8KiB", "--bandwidth", "0"],
        &["--budget", "8KiB", "--rate", "-1"],
        &["--budget", "8KiB", "--order", "sorted"],
        &["--budget", "8KiB", "--solver", "oracle"],
    ];
    for arguments in cases {
        let output = remat(folder.path(), &text, arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!folder.path().join("plan.json").exists());
    }
    let missing = ballast(folder.path(), &["remat", "nowhere.json", "-o", "plan.json", "--budget", "1GiB"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("nowhere.json"));
    // Standard output has the figures.
    let nowhere = ballast(folder.path(), &["remat", "instance.json", "-o", "-", "--budget", "1GiB"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&nowhere.stderr).contains("give a file") && !folder.path().join("-").exists()
    );
}

#[test]
fn options_of_copies_are_refused_where_nothing_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("chain.json"), chain().to_string()).unwrap();
    let commands =
        [&["remat", "chain.json", "--budget", "8KiB", "-o", "plan.json"][..], &["curve", "chain.json"]];
    let link =
        [&["--bandwidth", "16GB"][..], &["--latency", "5"], &["--host-memory", "5"], &["--no-overlap"]];
    for (command, option) in commands.iter().flat_map(|command| link.map(|option| (command, option))) {
        let output = ballast(folder.path(), &[command, option, &["--no-swap"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?} {option:?}: {said}");
        assert!(said.contains(option[0]) && said.contains("--no-swap") && output.stdout.is_empty(), "{said}");
    }
}

#[test]
fn the_same_seed_and_work_limit_give_the_same_plan_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = chain().to_string();
    let mut plans = BTreeSet::new();
    for threads in ["1", "2", "3"] {
        let output = remat(folder.path(), &text, &["--budget", "7KiB", "--seed", "4", "--threads", threads]);
        assert_eq!(output.status.code(), Some(0));
        plans.insert(std::fs::read(folder.path().join("plan.json")).unwrap());
    }
    assert_eq!(plans.len(), 1);
}

#[test]
fn the_table_has_a_row_per_budget() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("chain.json"), chain().to_string()).unwrap();
    let output = ballast(folder.path(), &["lab", "bench", "remat", ".", "--time-limit", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    let rows = table.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let half = rows.filter(|cells| cells.get(1..4) == Some(&["chain", "32", "0.5"])).collect::<Vec<_>>();
    assert_eq!(half.len(), 1, "{table}");
    let names: Vec<_> =
        table.lines().find(|line| line.contains("instance")).unwrap().split('|').map(str::trim).collect();
    assert_eq!(half[0].len(), names.len(), "{table}");
    let proved_by = names.iter().position(|&name| name == "proved by").unwrap();
    assert_eq!(half[0][proved_by], "linear-program", "{table}");
}

#[test]
fn budgets_of_a_curve_are_spread_evenly_however_large() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("chain.json"), chain_of(4, 1 << 49).to_string()).unwrap();
    let output = ballast(folder.path(), &["curve", "chain.json", "--points", "40"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let points: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let budgets: Vec<u64> = points.iter().map(|point| point["budget_bytes"].as_u64().unwrap()).collect();
    assert_eq!(budgets.len(), 40);
    assert_eq!(points[39]["budget_share"].as_f64(), Some(1.0));
    let step = budgets[1] - budgets[0];
    assert!(budgets.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(step) <= 1), "{budgets:?}");
}

#[test]
fn a_curve_says_which_budgets_have_no_plan_and_whether_that_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("chain.json"), chain_of(4, 1024).to_string()).unwrap();
    let curve = |arguments: &[&str]| {
        let output = ballast(folder.path(), &[&["curve", "chain.json", "--budgets"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let points: Value = serde_json::from_slice(&output.stdout).unwrap();
        (points, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // A node and what it reads take 2 KiB.
    let (points, said) = curve(&["1KiB,64KiB"]);
    assert_eq!((&points[0]["no_plan"], &points[0]["proved"]), (&json!(true), &json!(true)));
    assert!(points[0]["overhead_percent"].is_null(), "{points}");
    assert_eq!((&points[1]["no_plan"], &points[1]["overhead_percent"]), (&Value::Null, &json!(0.0)));
    assert!(said.contains("no plan for 1 of 2 budgets: 1024 B (there is none)"), "{said}");
    let (_, said) = curve(&["64KiB"]);
    assert_eq!(said, "");
}

#[test]
fn the_least_memory_for_an_overhead_is_called_proved_where_nothing_less_is_left() {
    let folder = tempfile::tempdir().unwrap();
    // Node 0 is read first and last: kept for that it is a third value beside nodes 1 and 2.
    let size = 4 << 20;
    let nodes: Vec<Value> = (0..4).map(|id| json!({"id": id, "time": 1, "size": size})).collect();
    let instance = json!({"name": "fork", "nodes": nodes, "edges": [[0, 1], [1, 2], [0, 3]]});
    std::fs::write(folder.path().join("fork.json"), instance.to_string()).unwrap();
    let least = |overhead: &str, order: &str| {
        let output =
            ballast(folder.path(), &["curve", "fork.json", "--overhead", overhead, "--order", order]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer["budget_bytes"].clone(), answer["bound_bytes"].clone(), answer["proved"].clone())
    };
    let two_values = (json!(2 * size), json!(2 * size), json!(true));
    assert_eq!(least("25", "program"), two_values);
    assert_eq!(least("0", "free"), two_values);
    assert_eq!(least("20", "program"), (json!(3 * size), json!(3 * size), json!(true)));
}

#[test]
fn a_curve_counts_copies_as_remat_does() {
    let folder = tempfile::tempdir().unwrap();
    // Four values that are read in reverse, each a second to make and half of one to copy: two of them have no room under four values.
    let size = 4 << 20;
    let nodes: Vec<Value> = (0..8).map(|id| json!({"id": id, "time": 4, "size": size})).collect();
    let edges = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [2, 5], [5, 6], [1, 6], [6, 7], [0, 7]];
    std::fs::write(
        folder.path().join("back.json"),
        json!({"name": "back", "nodes": nodes, "edges": edges}).to_string(),
    )
    .unwrap();
    let point = |arguments: &[&str]| {
        let budget = (3 * size).to_string();
        let all = ["curve", "back.json", "--budgets", &budget];
        let output = ballast(folder.path(), &[&all[..], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let points: Value = serde_json::from_slice(&output.stdout).unwrap();
        (points[0]["overhead_percent"].as_f64().unwrap(), points[0]["swap_bytes"].as_u64().unwrap())
    };
    let (copied, bytes) = point(&["--bandwidth", "8MiB", "--no-overlap"]);
    let (made_again, none) = point(&["--no-swap"]);
    assert!(bytes > 0 && none == 0 && copied < made_again, "{copied} {made_again}");
    assert_eq!(point(&[]), (made_again, 0), "an instance has no link of its own");
}
