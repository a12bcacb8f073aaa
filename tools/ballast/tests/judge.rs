//! `ballast judge` and planners outside of Ballast: right plans scored, wrong ones refused with the reason, slow ones killed.

#[path = "support/command.rs"]
mod command;
#[path = "support/refused.rs"]
mod refused;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use command::ballast;
use refused::fails;
use serde_json::{Value, json};

fn answer(folder: &Path, args: &[&str]) -> Value {
    let output = ballast(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A chain of sixteen layers forward and back, of 1 KiB each; the first may not run twice, the last is kept.
fn write_chain(folder: &Path) {
    let layers = 16;
    let mut nodes: Vec<Value> =
        (0..2 * layers).map(|id| json!({"id": id, "time": 1, "size": 1024})).collect();
    nodes[0]["recomputable"] = false.into();
    nodes[2 * layers - 1]["keep"] = true.into();
    let mut edges: Vec<(usize, usize)> = (1..2 * layers).map(|id| (id - 1, id)).collect();
    edges.extend((0..layers - 1).map(|layer| (layer, 2 * layers - 1 - layer)));
    let instance = json!({"name": "chain", "resident_bytes": 512, "nodes": nodes, "edges": edges});
    std::fs::write(folder.join("chain.json"), instance.to_string()).expect("written");
}

/// A planner that ships as an example.
fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../planners").join(name);
    format!("exec:{}", path.display())
}

/// A file of the tests' inputs.
fn input(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs").join(path);
    path.to_str().expect("a plain path").to_owned()
}

fn script(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("made to run");
    format!("exec:{}", path.display())
}

const BUDGET: [&str; 4] = ["--budget", "9KiB", "--order", "program"];

#[test]
fn plans_of_ballast_and_of_others_have_the_figures_their_planner_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write_chain(here);
    for solver in ["auto", "greedy", &shipped("belady.py")] {
        let plan = ["remat", "chain.json", "-o", "plan.json", "--work-limit", "5000", "--solver", solver];
        let printed = answer(here, &[&plan[..], &BUDGET].concat());
        let judged = answer(here, &["judge", "chain.json", "plan.json", "--budget", "9KiB"]);
        for key in ["value", "peak_bytes", "recomputes", "overhead_percent"] {
            assert_eq!(judged[key], printed[key], "{solver}: {key}");
        }
        // The same with times in seconds, and with copies that take some.
        let timed = ["--rate", "1e3", "--bandwidth", "1MB", "--latency", "1e-3"];
        let of_timed = answer(here, &[&plan[..], &BUDGET, &timed].concat());
        let judged_timed = answer(here, &[&["judge", "chain.json", "plan.json"][..], &timed].concat());
        for key in ["value", "peak_bytes", "swap_bytes", "overhead_percent"] {
            assert_eq!(judged_timed[key], of_timed[key], "{solver}: {key}");
        }
        answer(here, &[&plan[..], &BUDGET].concat());
        assert!(judged["recomputes"].as_u64() > Some(0));
        fails(here, &["judge", "chain.json", "plan.json", "--budget", "4KiB"], 1, "above the cap");
    }
}

#[test]
fn wrong_plans_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write_chain(here);
    for (plan, part) in [
        (r#"{"steps": [["compute", 1]]}"#, "reads node 0"),
        (r#"{"steps": [["compute", 0], ["free", 0], ["compute", 0]]}"#, "must not run twice"),
        (r#"{"steps": [["compute", 0]]}"#, "never runs"),
        (r#"{"steps": [["compute", 0], ["swap_out", 0]]}"#, "no host link"),
        (r#"{"steps": [["compute", 99]]}"#, "no node 99"),
        (r#"{"recompute": [[99, 1]]}"#, "beyond the end"),
        ("not a plan", "not JSON"),
        ("{\"moves\": 1}", "neither 'steps'"),
    ] {
        std::fs::write(here.join("plan.json"), plan).expect("written");
        // What is no plan file is input that cannot be used; a plan that is wrong is no plan.
        let code = if ["not JSON", "neither 'steps'"].contains(&part) { 2 } else { 1 };
        fails(here, &["judge", "chain.json", "plan.json"], code, part);
        // The same out of the mouth of a program.
        let program =
            script(here, "wrong.sh", &format!("cat > /dev/null; echo '{}'", plan.replace('\'', "")));
        let remat = ["remat", "chain.json", "-o", "out.json", "--solver", &program];
        fails(here, &[&remat[..], &BUDGET].concat(), 1, "refused");
        assert!(!here.join("out.json").exists());
    }
    std::fs::write(here.join("plan.json"), "{}").expect("written");
    assert_eq!(answer(here, &["judge", "chain.json", "plan.json"])["recomputes"], 0, "nothing runs again");
}

#[test]
fn an_arena_whose_buffers_meet_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("written");
    write(
        "chain.json",
        r#"{"nodes": [{"id": 0, "time": 1, "size": 4}, {"id": 1, "time": 1, "size": 8}, {"id": 2, "time": 1, "size": 4}],
            "edges": [[0, 1], [1, 2]]}"#,
    );
    answer(here, &["remat", "chain.json", "--budget", "16", "--arena", "4", "-o", "plan.json"]);
    answer(here, &["judge", "chain.json", "plan.json", "--budget", "16"]);
    fails(here, &["judge", "chain.json", "plan.json", "--budget", "11"], 1, "11");
    let plan: Value =
        serde_json::from_str(&std::fs::read_to_string(here.join("plan.json")).expect("written"))
            .expect("JSON");
    for (pointer, value, part) in [
        ("/arena/buffers/1/offset", 0, "overlap"),
        ("/arena/buffers/1/offset", 2, "no multiple"),
        ("/arena/buffers/0/to", 1, "not what its schedule holds"),
        ("/arena/arena_bytes", 8, "arena_bytes"),
        ("/arena/alignment_bytes", 0, "alignment of 0"),
    ] {
        let mut other = plan.clone();
        *other.pointer_mut(pointer).expect("written") = value.into();
        write("other.json", &other.to_string());
        fails(here, &["judge", "chain.json", "other.json", "--budget", "16"], 1, part);
    }
}

#[test]
fn a_program_that_hangs_fails_or_is_missing_is_named_and_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write_chain(here);
    // There from the start: what is refused writes no file.
    let number = here.join("number");
    std::fs::write(&number, "").expect("written");
    let slow = script(here, "slow.sh", &format!("sleep 1000 & echo $! > {}; wait", number.display()));
    let broken = script(here, "broken.sh", "echo out of ideas >&2; exit 3");
    let remat = |program: &str| -> Vec<String> {
        let args = ["remat", "chain.json", "-o", "out.json", "--time-limit", "0.5", "--solver", program];
        args.iter().chain(&BUDGET).map(|arg| (*arg).to_owned()).collect()
    };
    let fails_with = |program: &str, part: &str| {
        let args = remat(program);
        let code = if part == "cannot be run" { 2 } else { 1 };
        fails(here, &args.iter().map(String::as_str).collect::<Vec<_>>(), code, part);
    };
    let start = Instant::now();
    fails_with(&slow, "time limit");
    assert!(start.elapsed().as_secs() < 60, "it was waited for");
    let child = std::fs::read_to_string(number).expect("it started").trim().to_owned();
    // A signal takes effect when the process is next scheduled.
    let state = || std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    let gone = || state().is_empty() || state().contains(") Z ");
    while !gone() && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(gone(), "its child still runs: {}", state());
    fails_with(&broken, "out of ideas");
    fails_with("exec:no-such-program", "cannot be run");
    // Where all fits, nobody would be asked.
    let roomy = ["remat", "chain.json", "-o", "out.json", "--budget", "1GiB", "--solver"];
    fails(here, &[&roomy[..], &["exec:no-such-program"]].concat(), 2, "cannot be run");
    answer(here, &[&roomy[..], &[&broken]].concat());
}

/// A chain of three nodes for two accelerators, which hold two nodes each.
fn write_three(folder: &Path) {
    let node =
        |id: usize| json!({"id": id, "fpgaLatency": 2, "cpuLatency": 9, "size": 1, "supportedOnFpga": 1});
    let workload = json!({
        "maxFPGAs": 2, "maxCPUs": 0, "maxSizePerFPGA": 2,
        "nodes": [node(0), node(1), node(2)],
        "edges": [{"sourceId": 0, "destId": 1, "cost": 1}, {"sourceId": 1, "destId": 2, "cost": 1}],
    });
    std::fs::write(folder.join("workload.json"), workload.to_string()).expect("written");
}

#[test]
fn a_partitioner_of_ones_own_is_judged_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let fill = shipped("fill.py");
    for (workload, class) in [
        ("dnn-partitioning/OperatorGraphs/bert_l-3_inference.json", "--contiguous"),
        ("dnn-partitioning/LayerGraphs/resnet50_training.json", "--any"),
    ] {
        let workload = input(workload);
        let asked = ["partition", &workload, "-o", "plan.json", class, "--method", &fill];
        let printed = answer(here, &asked);
        let class = if class == "--any" { &["--any"][..] } else { &[] };
        let judged = answer(here, &[&["judge", workload.as_str(), "plan.json"], class].concat());
        assert_eq!((&printed["value"], &printed["loads"]), (&judged["value"], &judged["loads"]));
        assert_eq!(printed["method"], "exec:fill.py");
        assert!(
            printed["bound"].as_f64() > Some(0.0) && printed["bound"].as_f64() <= printed["value"].as_f64()
        );
    }
    write_three(here);
    for (assignment, part) in [
        (r#"{"0": 0, "1": 0}"#, "node 2 has no device"),
        (r#"{"0": 0, "1": 0, "2": 1, "3": 1}"#, "no node 3"),
        (r#"{"0": 0, "1": 0, "2": 2}"#, "node 2 is on device 2, there are 2"),
        (r#"{"0": 0, "1": 1, "2": 0}"#, "not contiguous"),
        (r#"{"0": 0, "1": 0, "2": 0}"#, "device 0 needs 3 bytes and holds 2"),
    ] {
        let wrong =
            script(here, "wrong.sh", &format!("cat > /dev/null; echo '{{\"assignment\": {assignment}}}'"));
        let asked = ["partition", "workload.json", "-o", "no.json", "--method", &wrong];
        fails(here, &asked, 1, "its plan is refused");
        fails(here, &asked, 1, part);
    }
    let slow = script(here, "slow.sh", "sleep 1000");
    let asked = ["partition", "workload.json", "-o", "no.json", "--time-limit", "0.3", "--method", &slow];
    fails(here, &asked, 1, "time limit");
    assert!(!here.join("no.json").exists());
}

#[test]
fn assignments_of_workloads_are_scored() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write_three(here);
    let write = |plan: Value| std::fs::write(here.join("plan.json"), plan.to_string()).expect("written");
    let judge = ["judge", "workload.json", "plan.json"];
    write(json!({"assignment": {"0": 0, "1": 0, "2": 1}}));
    assert_eq!(answer(here, &judge)["value"], 5.0, "4 of work and 1 of a tensor that crosses");
    write(json!({"assignment": {"0": 0, "1": 1, "2": 0}}));
    fails(here, &judge, 1, "not contiguous");
    assert_eq!(answer(here, &[&judge[..], &["--any"]].concat())["value"], 6.0);
    write(json!({"assignment": {"0": 0, "1": 0}}));
    fails(here, &judge, 1, "node 2 has no device");
    write(json!({"assignment": {"0": 0, "1": 0, "2": 0, "3": 0}}));
    fails(here, &judge, 1, "no node 3");
    let twice = r#"{"assignment": {"0": 0, "1": 0, "2": 0, "2": 1}}"#;
    std::fs::write(here.join("plan.json"), twice).expect("written");
    // Nobody knows which of the two is meant: there is no plan to judge.
    fails(here, &judge, 2, "node 2 is given two devices");
    fails(here, &[&judge[..], &["--budget", "1GiB"]].concat(), 2, "a workload says");
}

#[test]
fn the_worked_example_of_the_page_is_judged_as_the_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/other-planners.md");
    let page = std::fs::read_to_string(page).expect("a page");
    for block in page.split("```json ").skip(1) {
        let (name, text) = block.split_once('\n').expect("a name");
        std::fs::write(here.join(name), text.split("```").next().expect("a block")).expect("written");
    }
    let memory = answer(here, &["judge", "instance.json", "plan.json", "--budget", "24"]);
    assert_eq!(
        (&memory["value"], &memory["peak_bytes"], &memory["unplanned_peak_bytes"], &memory["recomputes"]),
        (&json!(7.0), &json!(24), &json!(28), &json!(1))
    );
    std::fs::write(here.join("compact.json"), r#"{"recompute": [[3, 0]]}"#).expect("written");
    assert_eq!(answer(here, &["judge", "instance.json", "compact.json", "--budget", "24"]), memory);
    fails(here, &["judge", "instance.json", "plan.json", "--budget", "23"], 1, "above the cap of 23");
    let loads = answer(here, &["judge", "workload.json", "assignment.json"]);
    assert_eq!((&loads["value"], &loads["bytes"]), (&json!(4.5), &json!([16.0, 8.0])));
}

/// The rows of a comparison of these methods on a training step.
fn compared(here: &Path, only: &str, args: &[&str]) -> Value {
    let model = input("models/mlp3_b128.mlir");
    let common = ["compare", &model, "--only", only, "--time-limit", "5", "--json", "rows.json"];
    let output = ballast(here, &[&common[..], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read_to_string(here.join("rows.json")).expect("written");
    serde_json::from_str(&written).expect("JSON")
}

#[test]
fn options_that_mean_nothing_for_an_input_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write_chain(here);
    write_three(here);
    let graph = r#"{"name": "g", "ops": [], "tensors": []}"#;
    std::fs::write(here.join("graph.json"), graph).expect("written");
    std::fs::write(here.join("plan.json"), "{}").expect("written");
    for (args, part) in [
        (&["judge", "chain.json", "plan.json", "--latency", "1"][..], "--latency: an instance has no link"),
        (
            &["judge", "chain.json", "plan.json", "--host-memory", "1GiB"],
            "--host-memory: an instance has no link",
        ),
        (&["judge", "chain.json", "plan.json", "--any"], "--any is for plans of a workload"),
        (&["judge", "chain.json", "plan.json", "--device", "h200"], "no graph"),
        (&["judge", "graph.json", "plan.json", "--rate", "1e3"], "--rate: times of a graph"),
        (&["judge", "graph.json", "plan.json", "--any"], "--any is for plans of a workload"),
        (&["judge", "workload.json", "plan.json", "--bandwidth", "1GB"], "--bandwidth: a workload"),
        (&["judge", "workload.json", "plan.json", "--rate", "1"], "--rate: a workload"),
        (&["judge", "workload.json", "plan.json", "--no-overlap"], "--no-overlap: a workload"),
        (&["judge", "workload.json", "plan.json", "--device", "h200"], "--device is for graphs"),
        (&["remat", "chain.json", "-o", "p", "--budget", "9KiB", "--latency", "1"], "--latency: an instance"),
        (
            &["remat", "graph.json", "-o", "p", "--budget", "9KiB", "--rate", "1e3"],
            "--rate: times of a graph",
        ),
        (
            &["partition", "workload.json", "-o", "p", "--population", "10"],
            "--population is for --method genetic",
        ),
        (&["partition", "workload.json", "-o", "p", "--method", "exact", "--elite", "1"], "--elite is for"),
        (&["partition", "workload.json", "-o", "p", "--method", "exec:no-such-program"], "cannot be run"),
    ] {
        fails(here, args, 2, part);
    }
}

#[test]
fn a_program_of_ones_own_competes_on_a_real_training_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let wrong = script(here, "wrong.sh", "cat > /dev/null; echo '{\"steps\": []}'");
    let only = format!("greedy,{},{wrong}", shipped("belady.py"));
    let rows = compared(here, &only, &["--devices", "1", "--cap", "95%", "--seeds", "1"]);
    let row = |part: &str| {
        let rows = rows[0]["rows"].as_array().expect("rows").iter();
        rows.clone()
            .find(|row| row["method"].as_str().is_some_and(|name| name.contains(part)))
            .expect(part)
            .clone()
    };
    let run = |part: &str| row(part)["runs"][0].clone();
    for who in ["belady.py", "greedy"] {
        let run = run(who);
        assert!(run["tmax_seconds"].as_f64() >= run["bound_seconds"].as_f64(), "{who}: {run}");
    }
    assert!(row("wrong.sh")["refused"].as_str().expect("a reason").contains("never runs"));
}

#[test]
fn a_partitioner_of_ones_own_competes_on_a_real_training_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let wrong = script(here, "wrong.sh", "cat > /dev/null; echo '{\"assignment\": {}}'");
    let only = format!("dp,method={},method={wrong}", shipped("fill.py"));
    let rows = compared(here, &only, &["--devices", "2", "--cap", "90%", "--seeds", "2"]);
    let [dp, fill, wrong] = [0, 1, 2].map(|row| &rows[0]["rows"][row]);
    assert_eq!((&fill["what"], &wrong["what"]), (&json!("partition"), &json!("partition")));
    for run in fill["runs"].as_array().expect("runs") {
        assert!(run["proposed_seconds"].as_f64() > Some(0.0), "{run}");
        assert!(run["tmax_seconds"].as_f64() >= run["bound_seconds"].as_f64(), "{run}");
    }
    assert_eq!(
        (fill["runs"].as_array().map(Vec::len), dp["runs"].as_array().map(Vec::len)),
        (Some(2), Some(1))
    );
    assert!(wrong["refused"].as_str().expect("a reason").contains("has no device"), "{wrong}");
}

#[test]
fn a_graph_file_is_planned_like_an_instance_and_schemas_are_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/models/mlp3_b128.mlir");
    let made = Command::new(Path::new(env!("CARGO_BIN_EXE_ballast")).with_file_name("ballast-opt"))
        .current_dir(here)
        .arg(model)
        .args([
            "--allow-unregistered-dialect",
            "--remat=solver=keep-all cap=100% graph-file=graph.json",
            "-o",
            "/dev/null",
        ])
        .output()
        .expect("runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let points = answer(here, &["curve", "graph.json", "--points", "2", "--time-limit", "2"]);
    let peak = points[1]["budget_bytes"].to_string();
    let plan = [
        "remat",
        "graph.json",
        "--budget",
        &peak,
        "-o",
        "plan.json",
        "--work-limit",
        "2000",
        "--device",
        "h200",
    ];
    let printed = answer(here, &plan);
    let judged = answer(here, &["judge", "graph.json", "plan.json", "--device", "h200", "--budget", &peak]);
    assert_eq!((&judged["value"], &judged["peak_bytes"]), (&printed["value"], &printed["peak_bytes"]));
    for (file, words) in [
        ("instance", ["workspace", "resident_bytes", "recomputable", "view_of"]),
        ("steps", ["swap_out", "swap_in", "host_free", "compute"]),
        ("workload", ["maxFPGAs", "isBackwardNode", "colorClass", "accelerators"]),
        ("plan", ["memory", "runs_once", "workspace_bytes", "bound_class"]),
    ] {
        let schema = answer(here, &["schema", file]).to_string();
        assert!(words.iter().all(|word| schema.contains(word)), "{file}");
    }
}
