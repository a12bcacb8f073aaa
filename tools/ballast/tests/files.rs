//! What commands read and write, and how they end: pipes that close, disks that are full, files that are each other, endless or
//! made for something else.

#[path = "support/command.rs"]
mod command;
mod support;

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use command::{ballast, program};
use std::os::unix::process::ExitStatusExt as _;
use support::{DYNAMIC, examples, json};

/// A chain of three nodes, as a memory-planning instance.
const CHAIN: &str = r#"{"nodes": [{"id": 0, "time": 1, "size": 8}, {"id": 1, "time": 1, "size": 8}, {"id": 2, "time": 1, "size": 8}],
    "edges": [[0, 1], [1, 2]]}"#;

/// A program of one op, 8 B, as `graph-file=` writes it.
const GRAPH: &str = r#"{"name": "f", "ops": [{"name": "tanh", "key": "tanh", "location": "f:1:1", "inputs": [], "outputs": [0], "role": "compute",
    "layer": "other", "opens_layer": false, "work": {"flops": 2, "macs_exact": 0, "arithmetic": "f32", "bytes": 8, "priced": true}, "pure_op": true,
    "backward": false, "workspace": 0, "rules": {"never_recompute": false, "never_swap": false, "must_keep": false, "device": null}}],
    "tensors": [{"producer": 0, "index": 0, "bytes": 8, "returned": true, "type_name": "tensor<2xf32>"}], "early": []}"#;

/// A node that takes a second on the only accelerator.
const WORKLOAD: &str = r#"{"maxSizePerFPGA": 100.0, "maxFPGAs": 1, "maxCPUs": 0, "nodes": [{"name": "n", "id": 0, "supportedOnFpga": 1, "cpuLatency": 2.0,
    "fpgaLatency": 1.0, "isBackwardNode": 0, "colorClass": 0, "size": 1.0}], "edges": []}"#;

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with the chain in `chain.json`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("chain.json"), CHAIN).expect("written");
    folder
}

#[test]
fn a_reader_that_goes_away_ends_a_command_quietly() {
    let folder = folder();
    for args in [&["schema"][..], &["remat", "chain.json", "--budget", "24", "-o", "plan.json"], &["--help"]]
    {
        // Closed before anything is written.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut child =
            program(folder.path(), args).stdout(writer).stderr(Stdio::piped()).spawn().expect("runs");
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("read");
        let status = child.wait().expect("ends");
        assert_eq!((status.signal(), said.as_str()), (Some(libc::SIGPIPE), ""), "{args:?}: {status}");
    }
}

#[test]
fn standard_output_that_is_full_is_an_error_with_its_code() {
    let folder = folder();
    for args in [&["schema"][..], &["--version"], &["curve", "chain.json", "--time-limit", "1"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("there");
        let output = program(folder.path(), args).stdout(full).output().expect("runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", message(&output));
        assert!(message(&output).contains("standard output cannot be written"), "{}", message(&output));
    }
}

#[test]
fn an_answer_never_goes_over_an_input_nor_over_another_answer() {
    let folder = folder();
    std::os::unix::fs::symlink("chain.json", folder.path().join("link.json")).expect("linked");
    for args in [
        &["remat", "chain.json", "--budget", "24", "-o", "./chain.json"][..],
        &["remat", "chain.json", "--budget", "24", "-o", "link.json"],
        &["curve", "chain.json", "-o", "chain.json"],
        &["remat", "chain.json", "--budget", "24", "-o", "one.lp", "--model-file", "./one.lp"],
    ] {
        let output = ballast(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = message(&output);
        assert!(said.contains("this is an input") || said.contains("two answers"), "{args:?}: {said}");
    }
    let kept = std::fs::read_to_string(folder.path().join("chain.json")).expect("there");
    assert_eq!(kept, CHAIN);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn an_answer_never_goes_over_devices_nor_figures_over_a_graph() {
    let folder = folder();
    let here = folder.path();
    let device = "version = 1\n[kinds.gpu]\nlike = \"v100-16gb\"\n[[devices]]\nkind = \"gpu\"\n[link]\nbandwidth = \"50GB/s\"\n";
    let node = |id: u32| {
        format!(
            r#"{{"name": "n", "id": {id}, "supportedOnFpga": 1, "cpuLatency": 2.0, "fpgaLatency": 1.0, "isBackwardNode": 0, "colorClass": {id}, "size": 1.0}}"#
        )
    };
    let workload = format!(
        r#"{{"maxSizePerFPGA": 100.0, "maxFPGAs": 1, "maxCPUs": 1, "nodes": [{}, {}], "edges": [{{"sourceId": 0, "destId": 1, "cost": 0.1}}]}}"#,
        node(0),
        node(1)
    );
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs");
    let program = |name: &str| inputs.join(name).to_str().expect("a plain path").to_owned();
    let (step, model) = (program("batches/alexnet-b13.mlir"), program("models/mlp3_b128.mlir"));
    std::fs::write(here.join("d.toml"), device).expect("written");
    std::fs::write(here.join("w.json"), &workload).expect("written");
    for args in [
        &["batches", &step, "--batch", "13", "--most", "13", "--devices", "d.toml", "-o", "d.toml"][..],
        &["compare", &model, "--devices", "d.toml", "--time-limit", "0.1", "--json", "./d.toml"],
        &["remat", "chain.json", "--budget", "24", "--device", "d.toml", "-o", "d.toml"],
        &["fit", &model, "--cap", "50%", "--remat", "seed=1 devices='d.toml'", "-o", "d.toml"],
        &["fit", &model, "--cap", "50%", "--remat", "profile=w.json swap=false", "-o", "w.json"],
        &["lab", "train", "dag", "--graphs", "w.json", "--metrics", "w.json", "--episodes", "1", "-o", "net"],
        &["lab", "train", "partition", "--metrics", "net", "--episodes", "1", "-o", "net"],
    ] {
        let output = ballast(here, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", message(&output));
        let said = message(&output);
        assert!(said.contains("this is an input") || said.contains("two answers"), "{args:?}: {said}");
    }
    let text = |name: &str| std::fs::read_to_string(here.join(name)).expect("there");
    assert_eq!((text("d.toml").as_str(), text("w.json")), (device, workload));
    assert_eq!(std::fs::read_dir(here).expect("a folder").count(), 3);
}

#[test]
fn chains_that_take_no_time_or_more_than_a_number_holds_are_refused() {
    let folder = folder();
    for (seconds, sum) in [("[0, 0, 0]", "0 s"), ("[1e308, 1e308]", "inf s")] {
        let text = format!(r#"{{"name": "c", "seconds": {seconds}}}"#);
        std::fs::write(folder.path().join("layers.json"), text).expect("written");
        let one = ["--layers", "1", "--cores", "2", "--methods", "dp"];
        let output =
            ballast(folder.path(), &[&["lab", "bench", "rl", "--chains", "layers.json"], &one[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{seconds}: {}", message(&output));
        let part = format!("layers.json: the layers take {sum} together");
        assert!(message(&output).contains(&part), "{}", message(&output));
    }
}

#[test]
fn a_target_that_cannot_be_written_is_refused_before_the_search() {
    let folder = folder();
    // A search this long would be noticed.
    let long = ["--time-limit", "1000000", "--budget", "17"];
    for target in ["no/such/folder/plan.json", "."] {
        let args = [&["remat", "chain.json", "-o", target][..], &long].concat();
        let output = ballast(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{target}");
        assert!(message(&output).contains("cannot be written"), "{}", message(&output));
    }
}

#[test]
fn endless_inputs_are_refused() {
    let folder = folder();
    for args in [
        &["remat", "/dev/zero", "--budget", "24", "-o", "plan.json"][..],
        &["partition", "/dev/zero", "-o", "plan.json"],
        &["report", "/dev/zero"],
        &["lab", "genetic", "/dev/zero", "--devices", "2"],
        &["lab", "swaps", "/dev/zero", "--devices", "cpu"],
        &["lab", "place", "/dev/zero", "/dev/zero", "--method", "first-fit"],
        &["lab", "genetic", "chain.json", "--devices", "/dev/zero"],
    ] {
        let output = ballast(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", message(&output));
        assert!(message(&output).contains("the most that is read"), "{args:?}: {}", message(&output));
    }
}

#[test]
fn a_pipe_is_an_input_as_a_file_is() {
    let folder = folder();
    let here = folder.path();
    let piped = |file: &str, args: &[&str]| {
        let input = std::fs::File::open(here.join(file)).expect("there");
        let mut cat = Command::new("cat").stdin(input).stdout(Stdio::piped()).spawn().expect("runs");
        let pipe = cat.stdout.take().expect("piped");
        let output = program(here, args).stdin(pipe).output().expect("runs");
        cat.wait().expect("ends");
        output
    };
    let plan = ["--budget", "24", "--work-limit", "9", "-o", "plan.json"];
    let remat = |input| [&["remat", input], &plan[..]].concat();
    assert_eq!(
        json(&piped("chain.json", &remat("/dev/stdin")))["value"],
        json(&ballast(here, &remat("chain.json")))["value"]
    );
    let curve = ["curve", "/dev/stdin", "--budgets", "24", "--time-limit", "1"];
    assert_eq!(json(&piped("chain.json", &curve))[0]["overhead_percent"], 0.0);
    let judged = ["judge", "/dev/stdin", "plan.json", "--budget", "24"];
    assert_eq!(json(&piped("chain.json", &judged))["peak_bytes"], 16);
    std::fs::write(here.join("graph.json"), GRAPH).expect("written");
    assert_eq!(json(&piped("graph.json", &remat("/dev/stdin")))["peak_bytes"], 8);
    std::fs::write(here.join("workload.json"), WORKLOAD).expect("written");
    std::fs::write(here.join("assignment.json"), r#"{"assignment": {"0": 0}}"#).expect("written");
    let judged = ["judge", "/dev/stdin", "assignment.json"];
    assert_eq!(json(&piped("workload.json", &judged))["value"], 1.0);
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    let folder = folder();
    for (args, range) in [
        (&["curve", "chain.json", "--points", "1000000000"][..], "1 to 10000"),
        (&["curve", "chain.json", "--threads", "1000000000"], "1 to 1024"),
        (&["lab", "train", "dag", "-o", "net", "--episodes", "1000000000"], "1 to 4096"),
        (&["lab", "train", "place-table", "--restart", "1e300"], "0 to 1e9"),
        (&["lab", "train", "place-table", "--load", "1000000000"], "at most 1000"),
        (&["lab", "train", "partition", "-o", "net", "--rate", "1000000000"], "at most 1"),
        (&["remat", "chain.json", "--budget", "24", "-o", "p", "--relax-step", "1e-300"], "0.0001 to 10"),
    ] {
        let output = ballast(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", message(&output));
        assert!(message(&output).contains(range), "{args:?}: {}", message(&output));
    }
    let large = ballast(
        folder.path(),
        &["lab", "decoder", "--layers", "4096", "--heads", "256", "-o", "decoder.json"],
    );
    assert!(message(&large).contains("lower --layers"), "{}", message(&large));
    let huge = ["lab", "decoder", "--tokens", "1048576", "--batch", "1048576", "-o", "decoder.json"];
    assert!(message(&ballast(folder.path(), &huge)).contains("2^53"));
}

#[test]
fn options_that_the_method_chosen_would_not_read_are_refused() {
    let folder = folder();
    let genetic =
        |more: &[&'static str]| [&["lab", "genetic", "layers.toml", "--devices", "2"], more].concat();
    let swaps = |more: &[&'static str]| [&["lab", "swaps", "graph.json", "--devices", "cpu"], more].concat();
    let place = ["lab", "place", "jobs.json", "cluster.json", "--method", "first-fit"];
    let serve = ["lab", "place-serve", "cluster.json", "--method", "random", "--journal", "journal"];
    for (args, reason) in [
        (
            genetic(&["--exact", "--population", "7", "--mutation", "0.5"]),
            "--population is for the genetic search",
        ),
        (genetic(&["--batch", "7"]), "--dynamic"),
        (swaps(&["--method", "capuchin", "--alpha", "0.3"]), "--alpha is for --method q-learning"),
        (swaps(&["--method", "vdnn", "--resume", "chain.json"]), "--resume is for --method q-learning"),
        (swaps(&["--method", "no-swap", "--sub-data", "0.5"]), "--sub-data is for --method q-learning"),
        ([&place[..], &["--network", "chain.json"]].concat(), "--network is for --method learned"),
        ([&serve[..], &["--learner", "chain.json"]].concat(), "--learner is for --method learned"),
        (
            ["compare", "graph.json", "--devices", "1", "--function", "f"].to_vec(),
            "graph.json is the graph of one function",
        ),
    ] {
        let output = ballast(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", message(&output));
        assert!(message(&output).contains(reason), "{args:?}: {}", message(&output));
    }
}

#[test]
fn a_program_given_for_a_plan_is_told_apart() {
    let folder = folder();
    for text in
        ["module {\n}\n", "// A comment.\nfunc.func @main() { return }", "#map = affine_map<() -> ()>\n"]
    {
        std::fs::write(folder.path().join("program.mlir"), text).expect("written");
        let output = ballast(folder.path(), &["report", "program.mlir"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(message(&output).contains("--ballast-report"), "{}", message(&output));
        // What plans graphs says how to make one.
        let plan = ["--budget", "24", "-o", "plan.json"];
        for args in [&[&["remat", "program.mlir"], &plan[..]].concat(), &vec!["curve", "program.mlir"]] {
            let said = message(&ballast(folder.path(), args));
            assert!(said.contains("graph-file=graph.json"), "{args:?}: {said}");
        }
    }
    std::fs::write(folder.path().join("README.md"), "# Ballast\n\nA pass plugin.\n").expect("written");
    let prose = message(&ballast(folder.path(), &["report", "README.md"]));
    assert!(prose.contains("not JSON") && !prose.contains("MLIR"), "{prose}");
    std::fs::write(folder.path().join("graph.json"), GRAPH).expect("written");
    let graph = message(&ballast(folder.path(), &["partition", "graph.json", "-o", "plan.json"]));
    assert!(graph.contains("`ballast-opt --rl-partition`"), "{graph}");
    let other = message(&ballast(folder.path(), &["report", "chain.json"]));
    assert!(other.contains("no 'version'"), "{other}");
}

#[test]
fn a_graph_that_names_what_is_not_there_is_refused() {
    let folder = folder();
    let graph = |early: &str| {
        let text = format!(r#"{{"name": "f", "ops": [], "tensors": [], "early": {early}}}"#);
        std::fs::write(folder.path().join("graph.json"), text).expect("written");
        ballast(folder.path(), &["lab", "swaps", "graph.json", "--devices", "cpu"])
    };
    let output = graph("[[999999, 1]]");
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(message(&output).contains("early: op 999999"), "{}", message(&output));
    let output = graph("[[0, 18446744073709551615]]");
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
}

#[test]
fn names_from_files_reach_a_terminal_as_text() {
    let folder = folder();
    // The message repeats the name of the file.
    let output = ballast(folder.path(), &["remat", "\u{1b}[2J.json", "--budget", "24", "-o", "plan.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains(r"\u{1b}[2J") && !message(&output).contains('\u{1b}'));
}

#[test]
fn searches_that_simulate_large_batches_stop_when_their_time_is_over() {
    let here = examples();
    let output = ballast(&here, &[&DYNAMIC[..], &["--batch", "1000000", "--time-limit", "0.1"]].concat());
    // Within the limit nothing was run to its end: that is said, and nothing is made up.
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
    assert!(message(&output).contains("stopped before"), "{}", message(&output));
    let output =
        ballast(&here, &["lab", "genetic", "ten-layers.toml", "--devices", "4096", "--dynamic", "--exact"]);
    assert!(message(&output).contains("at most 1024"), "{}", message(&output));
    // A curve of more points than there is time for has them all: the plan for a smaller budget serves a larger one.
    let folder = folder();
    let budgets = ["curve", "chain.json", "--budgets", "17,18,19,20,21,22,23,24", "--time-limit", "1e-9"];
    let points = json(&ballast(folder.path(), &budgets));
    let points = points.as_array().expect("points");
    assert_eq!(points.len(), 8);
    assert!(points.iter().all(|point| point["overhead_percent"] == 0.0), "{points:?}");
}
