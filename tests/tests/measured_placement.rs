//! `ballast lab genetic --processes`: placements measured on processes under Open MPI.

use std::path::Path;
use std::process::Command;

use ballast_tests::deep_mlp::DeepMlp;
use ballast_tests::{Run, ballast_opt, built, model, run, scratch};

/// Four dense layers, one ten times the others.
const MODEL: &str = r#"name = "small"
[[layer]]
name = "a"
kind = "convolution"
channels_in = 1
height = 16
width = 16
channels_out = 4
kernel = 3
stride = 2
[[layer]]
name = "b"
kind = "dense"
rows = 16
inputs = 16
outputs = 64
[[layer]]
name = "c"
kind = "dense"
rows = 16
inputs = 64
outputs = 64
[[layer]]
name = "d"
kind = "dense"
rows = 16
inputs = 64
outputs = 8
"#;

#[test]
fn the_measured_search_ends_no_slower_than_the_static_one() {
    let folder = scratch();
    let model = folder.path().join("small.toml");
    std::fs::write(&model, MODEL).unwrap();
    let mut command = Command::new(built("ballast"));
    command.args(["lab", "genetic"]).arg(&model).args([
        "--devices",
        "2",
        "--dynamic",
        "--processes",
        "--batch",
        "5",
    ]);
    let answer = run(command.args(["--repeats", "2", "--runs", "8", "--population", "6"])).succeeded().json();
    let measured = &answer["measured"];
    let seconds = |key: &str| measured[key].as_f64().unwrap_or_else(|| panic!("no {key} in {answer}"));
    assert!(seconds("seconds") > 0.0 && seconds("seconds") <= seconds("static_seconds"), "{answer}");
    assert_eq!(measured["runs"], 5, "{answer}");
    assert!(answer["report"]["work"].as_u64().unwrap() <= 8, "{answer}");
    assert_eq!(answer["report"]["proved"], false, "{answer}");
    let used: std::collections::BTreeSet<&str> =
        answer["layers"].as_array().unwrap().iter().map(|layer| layer["device"].as_str().unwrap()).collect();
    assert_eq!(used.len(), 2, "{answer}");
}

/// The search over a program, on so many processes.
fn place(program: &Path, devices: &str, more: &[&str]) -> Run {
    let mut command = Command::new(built("ballast"));
    command.args(["lab", "genetic"]).arg(program).args([
        "--devices",
        devices,
        "--dynamic",
        "--processes",
        "--repeats",
        "1",
    ]);
    run(command.args(["--threads", "2"]).args(more))
}

#[test]
fn placements_of_a_program_are_run_and_the_best_comes_back_as_a_plan_that_computes_the_same() {
    let folder = scratch();
    let program = folder.path().join("program.mlir");
    std::fs::write(&program, DeepMlp { layers: 6, width: 32, batch: 64 }.program()).unwrap();
    let [planned, placement, again] =
        ["planned.mlir", "placement.json", "again.mlir"].map(|name| folder.path().join(name));
    let files = ["--planned", planned.to_str().unwrap(), "--placement", placement.to_str().unwrap()];
    let answer = place(&program, "3", &[&files[..], &["--runs", "6", "--population", "4"]].concat());
    let answer = answer.succeeded().json();
    let seconds = |key: &str| answer["measured"][key].as_f64().unwrap_or_else(|| panic!("{key}: {answer}"));
    assert!(seconds("seconds") > 0.0 && seconds("seconds") <= seconds("static_seconds"), "{answer}");
    assert_eq!((&answer["unusable"], &answer["report"]["proved"]), (&0.into(), &false.into()), "{answer}");
    assert!(answer["report"]["work"].as_u64().unwrap() <= 6, "{answer}");
    // Kernels are compiled once, placements with every run of the search.
    let compiled = |key: &str| answer["compiled"][key].as_u64().unwrap();
    assert!(compiled("placements") >= 2 && compiled("kernels") > 0, "{answer}");
    let placed: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&placement).unwrap()).unwrap();
    let ops = placed["ops"].as_array().unwrap();
    assert_eq!(answer["genes"].as_u64(), Some(ops.len() as u64));
    let devices = answer["devices"].as_array().unwrap();
    for (number, device) in devices.iter().enumerate() {
        let mine = ops.iter().filter(|op| op["device"] == number).count();
        assert_eq!(device["ops"].as_u64(), Some(mine as u64), "{answer}");
        assert!(mine > 0, "{answer}");
    }
    // The file and the program say the same, and the plan runs as promised, by other means.
    let pass = format!("--rl-partition=devices=3 placement-file={}", placement.display());
    let _ =
        ballast_opt(&program, [pass.as_str(), "--ballast-verify", "-o", again.to_str().unwrap()]).succeeded();
    let devices_of = |path: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        text.split("ballast.device = ")
            .skip(1)
            .map(|rest| rest[..rest.find('>').unwrap()].to_owned())
            .collect()
    };
    assert!(!devices_of(&planned).is_empty());
    assert_eq!(devices_of(&planned), devices_of(&again));
    let mut compared = Command::new(built("ballast"));
    let compared = compared.arg("run").args([&program, &planned]).args(["--backend", "mpi", "--json", "-"]);
    assert_eq!(run(compared).succeeded().json()["difference"]["identical"], true);
}

#[test]
fn rules_of_a_program_hold_and_an_earlier_plan_does_not() {
    let folder = scratch();
    let original = folder.path().join("original.mlir");
    std::fs::write(&original, DeepMlp { layers: 3, width: 16, batch: 32 }.program()).unwrap();
    let [planned, bound] = ["planned.mlir", "bound.mlir"].map(|name| folder.path().join(name));
    let _ = ballast_opt(
        &original,
        ["--rl-partition=devices=2 use-all-devices=true method=dp", "-o", planned.to_str().unwrap()],
    )
    .succeeded();
    // The last product is bound to the first device, where the cut does not put it.
    let text = std::fs::read_to_string(&original).unwrap();
    let last = text.rfind("linalg.matmul ins").expect("a product") + "linalg.matmul ".len();
    let rule = "{ballast.device = #ballast.device<0>} ";
    std::fs::write(&bound, [&text[..last], rule, &text[last..]].concat()).unwrap();
    let products = |placement: &Path| -> Vec<u64> {
        let text = std::fs::read_to_string(placement).unwrap();
        let placed: serde_json::Value = serde_json::from_str(&text).unwrap();
        let products = placed["ops"].as_array().unwrap().iter().filter(|op| op["op"] == "linalg.matmul");
        products.map(|op| op["device"].as_u64().unwrap()).collect()
    };
    for program in [&planned, &bound] {
        let placement = folder.path().join("placement.json");
        let more = ["--runs", "2", "--placement", placement.to_str().unwrap()];
        let _ = place(program, "2", &more).succeeded();
        let devices = products(&placement);
        assert!(devices.contains(&0) && devices.contains(&1), "{devices:?}");
        assert!(program == &planned || devices.last() == Some(&0), "{devices:?}");
    }
}

#[test]
fn a_run_that_takes_too_long_is_an_error_that_says_so_and_nothing_is_written() {
    let folder = scratch();
    let output = folder.path().join("placement.json");
    let program = folder.path().join("program.mlir");
    std::fs::write(&program, DeepMlp { layers: 4, width: 256, batch: 512 }.program()).unwrap();
    let more = ["--runs", "2", "--run-limit", "0.05", "--placement", output.to_str().unwrap()];
    let hung = place(&program, "2", &more);
    assert_eq!(hung.code, Some(2), "{hung:#?}");
    assert!(hung.stderr.contains("a run took longer than 0.05 s: raise --run-limit"), "{}", hung.stderr);
    assert!(!output.exists());
}

#[test]
fn a_program_that_crashes_is_an_error_that_names_it() {
    // Divides by zero: the arguments are zeros and ones.
    let folder = scratch();
    let program = folder.path().join("divides.mlir");
    let text = "#map = affine_map<(i) -> (i)>\n\
        func.func @main(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {\n  \
        %e = tensor.empty() : tensor<64xi32>\n  \
        %a = linalg.sub ins(%x, %x : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) -> tensor<64xi32>\n  \
        %b = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = [\"parallel\"]} \
        ins(%y, %a : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) {\n  ^bb0(%p: i32, %q: i32, %o: i32):\n    \
        %r = arith.divsi %p, %q : i32\n    linalg.yield %r : i32\n  } -> tensor<64xi32>\n  return %b : tensor<64xi32>\n}\n";
    std::fs::write(&program, text).unwrap();
    let crashed = place(&program, "2", &["--runs", "2"]);
    assert_eq!(crashed.code, Some(2), "{crashed:#?}");
    assert!(crashed.stderr.contains("divides.mlir: ") && crashed.stdout.is_empty(), "{crashed:#?}");
}

#[test]
fn what_cannot_be_placed_by_runs_is_refused_with_its_remedy() {
    let folder = scratch();
    let program = folder.path().join("program.mlir");
    std::fs::write(&program, DeepMlp { layers: 2, width: 8, batch: 8 }.program()).unwrap();
    let refused = |run: Run, text: &str| {
        assert_eq!(run.code, Some(2), "{run:#?}");
        assert!(run.stderr.contains(text) && run.stdout.is_empty(), "{run:#?}");
    };
    refused(place(&program, "500", &[]), "500 devices for");
    refused(place(&program, "1", &[]), "at least two devices");
    refused(place(&program, "2", &["--runs", "0"]), "give a whole number, at least 1");
    refused(place(&program, "2", &["--batch", "5"]), "--batch is for layer files");
    refused(place(&program, "2", &["--function", "other"]), "no function '@other'");
    refused(place(&program, "2", &["--elite", "50"]), "elite is 50");
    refused(place(&folder.path().join("nowhere.mlir"), "2", &[]), "no such file");
    let stablehlo = model("torch_mlp_train.stablehlo.mlir");
    refused(place(&stablehlo, "2", &["--run-limit", "30"]), "linalg on tensors");
    let mut predicted = Command::new(built("ballast"));
    let predicted = predicted.args(["lab", "genetic"]).arg(&program).args(["--devices", "2"]);
    refused(run(predicted), "--rl-partition=\"method=genetic\"");
    let layers = folder.path().join("small.toml");
    std::fs::write(&layers, MODEL).unwrap();
    refused(place(&layers, "2", &["--planned", "x.mlir"]), "are for programs (.mlir)");
    let mut missing = Command::new(built("ballast"));
    let missing = missing.env("PATH", folder.path()).args(["lab", "genetic"]).arg(&program);
    refused(run(missing.args(["--devices", "2", "--dynamic", "--processes"])), "openmpi-bin");
}

#[test]
fn a_time_limit_ends_the_search_with_an_answer() {
    let folder = scratch();
    let program = folder.path().join("program.mlir");
    std::fs::write(&program, DeepMlp { layers: 4, width: 32, batch: 64 }.program()).unwrap();
    let answer = place(&program, "2", &["--time-limit", "15"]).succeeded().json();
    assert_eq!(answer["report"]["stop_reason"], "time-limit", "{answer}");
    assert!(answer["report"]["value"].as_f64().unwrap() > 0.0, "{answer}");
}
