//! `ballast compare` and `ballast lab swaps` as programs: a real training step in, figures out, bad input refused.

#[path = "support/command.rs"]
mod command;
#[path = "support/refused.rs"]
mod refused;

use std::path::{Path, PathBuf};
use std::process::Command;

use command::ballast;
use refused::fails;
use serde_json::Value;

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/models").join(name);
    path.to_str().expect("a plain path").to_owned()
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    (folder, path)
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("written")).expect("JSON")
}

/// The graph of a real training step, as the pass writes it.
fn graph(folder: &Path) -> PathBuf {
    let opt = Path::new(env!("CARGO_BIN_EXE_ballast")).with_file_name("ballast-opt");
    let graph = folder.join("graph.json");
    let made = Command::new(opt)
        .arg(model("gpt2_tiny_b2_s64.mlir"))
        .arg("--allow-unregistered-dialect")
        .arg(format!("--remat=solver=keep-all cap=100% graph-file='{}'", graph.display()))
        .args(["-o", "/dev/null"])
        .output()
        .expect("runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    graph
}

#[test]
fn every_method_has_a_row_and_every_row_its_figures() {
    let (_keep, folder) = scratch();
    let model = model("mlp3_b128.mlir");
    let args = [
        "compare",
        &model,
        "--devices",
        "2",
        "--cap",
        "90%",
        "--time-limit",
        "1",
        "--seeds",
        "2",
        "--json",
        "all.json",
    ];
    let output = ballast(&folder, &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let all = read(&folder.join("all.json"));
    let rows = all[0]["rows"].as_array().expect("rows");
    for name in ["dp", "rl", "genetic", "exact", "rounds", "milp", "q-learning", "vdnn", "capuchin", "sqrt-n"]
    {
        assert!(rows.iter().any(|row| row["method"] == name), "no row of {name}");
        assert!(
            text.contains(&format!(" {name} ")) || text.contains(&format!(" {name}: ")),
            "no {name}: {text}"
        );
    }
    for line in text.lines().filter(|line| !line.starts_with("no plan by")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for row in rows {
        let runs = row["runs"].as_array().expect("runs");
        assert_eq!(runs.is_empty(), row["refused"].is_string(), "{row}");
        for run in runs {
            let number = |key: &str| run[key].as_f64().unwrap_or_else(|| panic!("no {key} in {run}"));
            assert!(number("bound_seconds") <= number("tmax_seconds"), "{row}");
            assert!(number("cap_used") >= 1.0 && number("peak_bytes") > 0.0, "{row}");
        }
        let several = ["rl", "genetic", "exact", "rounds", "milp", "q-learning"];
        if several.contains(&row["method"].as_str().expect("a name")) && row["refused"].is_null() {
            assert_eq!(runs.len(), 2, "{row}");
        }
    }
}

#[test]
fn compare_refuses_what_it_cannot_compare() {
    let (_keep, folder) = scratch();
    let model = model("mlp3_b128.mlir");
    fails(&folder, &["compare", "none.mlir", "--devices", "2"], 2, "none.mlir: no such file");
    fails(&folder, &["compare", &model, "--devices", "0"], 2, "devices=0");
    fails(&folder, &["compare", &model, "--devices", "2", "--cap", "lots"], 2, "--cap");
    fails(&folder, &["compare", &model, "--devices", "2", "--only", "luck"], 2, "--only luck: choose of");
    fails(&folder, &["compare", &model, "--devices", "2", "--seeds", "0"], 2, "1 to 1000");
    fails(&folder, &["compare", ".", "--devices", "2"], 2, "no program");
    // Where nobody has a plan there are no tables, and nothing is written.
    let hopeless =
        ["compare", &model, "--devices", "1", "--cap", "1%", "--only", "keep-all", "--json", "o.json"];
    fails(&folder, &hopeless, 1, "mlp3_b128.mlir: no plan by memory keep-all: ");
    std::fs::write(folder.join("broken.mlir"), "func.func @main(").expect("written");
    fails(&folder, &["compare", "broken.mlir", "--devices", "2"], 2, "reading the program");
    std::fs::write(folder.join("broken.json"), "{\"name\": \"x\"").expect("written");
    fails(&folder, &["compare", "broken.json", "--devices", "2", "--json", "o.json"], 2, "not a graph");
}

#[test]
fn swaps_are_learned_resumed_and_compared() {
    let (_keep, folder) = scratch();
    graph(&folder);
    let run = |more: &[&str]| {
        let base = ["lab", "swaps", "graph.json", "--devices", "v100-16gb", "--cap", "85%"];
        let output = ballast(&folder, &[&base[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("one JSON object")
    };
    let first = run(&["--rounds", "300", "--table", "q.json"]);
    let cap = first["cap_bytes"].as_u64().expect("a cap");
    assert!(first["peak_bytes"].as_u64().expect("a peak") <= cap);
    assert!(first["unplanned_peak_bytes"].as_u64().expect("a peak") > cap);
    assert!(first["swap_bytes"].as_u64().expect("bytes") > 0);
    let second = run(&["--rounds", "300", "--resume", "q.json"]);
    assert!(second["seconds"].as_f64() <= first["seconds"].as_f64());
    assert_eq!(run(&["--rounds", "300"])["plan"], first["plan"], "same seed, same plan");
    let greedy = run(&["--method", "capuchin"]);
    assert!(greedy["peak_bytes"].as_u64().expect("a peak") <= cap);
    let parts = run(&["--rounds", "200", "--sub-data", "0.5,1"]);
    assert_eq!(parts.as_array().expect("rows").len(), 2);
}

#[test]
fn swaps_refuse_bad_input_and_write_nothing() {
    let (_keep, folder) = scratch();
    graph(&folder);
    let base = ["lab", "swaps", "graph.json", "--devices", "v100-16gb"];
    let with = |more: &[&'static str]| [&base[..], more].concat();
    fails(&folder, &with(&["--cap", "85%", "--method", "no-swap", "-o", "x"]), 1, "smallest peak");
    fails(&folder, &with(&["--cap", "1%", "--rounds", "20", "--table", "t.json"]), 1, "smallest peak met");
    fails(&folder, &with(&["--weight", "1.5"]), 2, "from 0 to 1");
    fails(&folder, &with(&["--epsilon=-1"]), 2, "from 0 to 1");
    fails(&folder, &with(&["--rounds", "1000000001"]), 2, "from 0 to 1000000000");
    fails(&folder, &with(&["--alpha", "2"]), 2, "from 0 to 1");
    fails(&folder, &with(&["--gamma", "1"]), 2, "1 left out");
    fails(&folder, &with(&["--target", "0"]), 2, "above 0, at most 1000");
    fails(&folder, &with(&["--initial", "012"]), 2, "it is written in 0 and 1");
    fails(&folder, &with(&["--initial", "0101"]), 2, "the initial scheme has 4 entries");
    fails(&folder, &with(&["--time-limit", "0"]), 2, "--time-limit");
    fails(&folder, &with(&["--sub-data", "1.5"]), 2, "1.5");
    std::fs::write(folder.join("damaged.json"), "{\"version\": 1, \"cand").expect("written");
    fails(&folder, &with(&["--cap", "85%", "--resume", "damaged.json"]), 2, "damaged.json");
    let other = "{\"version\": 1, \"candidates\": [\"pooling\"], \"initial\": 10.0, \"rounds\": 1, \"best\": null, \"entries\": []}";
    std::fs::write(folder.join("other.json"), other).expect("written");
    fails(&folder, &with(&["--cap", "85%", "--resume", "other.json"]), 2, "another program");
}

/// The graph of an exported step, as the pass writes it.
fn imported(folder: &Path, name: &str) -> ballast_core::graph::Graph {
    let opt = Path::new(env!("CARGO_BIN_EXE_ballast")).with_file_name("ballast-opt");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/batches").join(name);
    let graph = folder.join(format!("{name}.json"));
    let made = Command::new(opt)
        .arg(model)
        .arg("--allow-unregistered-dialect")
        .arg(format!("--remat=solver=keep-all cap=100% graph-file='{}'", graph.display()))
        .args(["-o", "/dev/null"])
        .output()
        .expect("runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    serde_json::from_value(read(&graph)).expect("a graph")
}

#[test]
fn a_step_rewritten_to_another_batch_is_the_step_exported_at_it() {
    let (_keep, folder) = scratch();
    let small = imported(&folder, "alexnet-b13.mlir");
    let large = imported(&folder, "alexnet-b29.mlir");
    let made = ballast_core::batch::with_batch(&small, 13, 29).expect("a batch");
    assert_eq!(made.tensors, large.tensors);
    let (mut flops, mut traffic) = ([0, 0], [0, 0]);
    for (ours, theirs) in made.ops.iter().zip(&large.ops) {
        assert_eq!(
            (&ours.name, ours.workspace, &ours.inputs),
            (&theirs.name, theirs.workspace, &theirs.inputs)
        );
        for (at, op) in [ours, theirs].into_iter().enumerate() {
            flops[at] += op.work.flops;
            traffic[at] += op.work.bytes.0;
        }
    }
    let near = |[a, b]: [u64; 2]| (a as f64 / b as f64 - 1.0).abs() < 1e-3;
    // A sum of n values takes n - 1 additions, and weights that a fusion reads are no operands of it.
    assert!(near(flops) && near(traffic), "{flops:?} {traffic:?}");
}

#[test]
fn larger_batches_fit_with_swaps_and_no_method_beats_ballast() {
    let (_keep, folder) = scratch();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/batches/alexnet-b13.mlir");
    let model = model.to_str().expect("a plain path");
    let base = ["batches", model, "--batch", "13", "--devices", "rtx2080ti"];
    let more = ["--time-limit", "1", "--precision", "0.1", "--most", "60000", "--json", "b.json"];
    let output = ballast(&folder, &[&base[..], &more[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = read(&folder.join("b.json"))[0]["answers"].clone();
    let batch = |at: usize| answers[at]["batch"].as_u64().expect("a batch");
    assert_eq!(answers[4]["planner"], "Ballast");
    assert!(batch(0) > 1000 && (1..4).all(|at| batch(at) >= batch(0)), "{answers}");
    assert!((0..4).all(|at| batch(4) >= batch(at)), "{answers}");
    for answer in answers.as_array().expect("answers") {
        let seconds = |key: &str| answer[key].as_f64().unwrap_or_else(|| panic!("no {key} in {answer}"));
        let least = seconds("seconds_per_sample") * (1.0 + 1e-9);
        assert!(seconds("own_seconds_per_sample") <= least, "{answer}");
    }
    // A search that ends at the most it may try says no more than that so much fits.
    assert!(answers.as_array().expect("answers").iter().all(|answer| answer["is_most_tried"] == false));
    let few = ["--time-limit", "1", "--most", "4", "--json", "few.json"];
    let output = ballast(&folder, &[&base[..], &few[..]].concat());
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(table.matches(" ≥ 4, ").count(), 5, "{table}");
    assert!(
        table.contains(&format!("`ballast batches {model} --batch 13 ")) && table.contains("--most 4 "),
        "{table}"
    );
    let few = read(&folder.join("few.json"))[0]["answers"].clone();
    assert!(few.as_array().expect("answers").iter().all(|answer| answer["is_most_tried"] == true), "{few}");
    let wrong = ["batches", model, "--batch", "17", "--devices", "rtx2080ti"];
    fails(&folder, &wrong, 2, "no argument of 'main' has a dimension of 17");
    fails(&folder, &[&base[..], &["--precision", "2"]].concat(), 2, "from 0 to 0.5");
    fails(&folder, &["batches", model, "--batch", "0", "--devices", "rtx2080ti"], 2, "from 1 to 1048576");
}
