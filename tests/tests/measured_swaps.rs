//! Swaps learned from iterations that are really run on the native route.

use std::path::Path;

use ballast_tests::deep_mlp::DeepMlp;
use ballast_tests::{ballast, root, scratch};
use serde_json::Value;

fn swaps(program: &Path, options: &[&str]) -> Value {
    let devices = root().join("lit/Inputs/fast-host.toml").display().to_string();
    let first =
        ["lab", "swaps", &program.display().to_string(), "--devices", &devices, "--backend", "native"];
    ballast(first.iter().chain(options).map(Path::new)).succeeded().json()
}

#[test]
fn a_scheme_learned_from_real_iterations_keeps_the_cap_where_it_runs() {
    let folder = scratch();
    let program = folder.path().join("deep.mlir");
    std::fs::write(&program, DeepMlp { layers: 6, width: 16, batch: 128 }.program()).unwrap();
    let common = ["--cap", "80%", "--repeats", "1"];
    let learned = swaps(&program, &[&common[..], &["--rounds", "8", "--initial", "all"]].concat());
    let real = &learned["measured"];
    let peak = |value: &Value| value.as_u64().unwrap();
    assert!(peak(&real["peak_bytes"]) <= peak(&learned["cap_bytes"]), "{learned}");
    assert!(peak(&real["unswapped_peak_bytes"]) > peak(&learned["cap_bytes"]), "{learned}");
    assert!(peak(&learned["swap_bytes"]) > 0);
    // The step without swaps, eight rounds, and one run each of both programs at the end.
    assert_eq!(real["iterations"], 11, "{learned}");
    // What the simulator says of the peak is what the heap counted.
    let (simulated, counted) =
        (learned["peak_bytes"].as_f64().unwrap(), real["peak_bytes"].as_f64().unwrap());
    assert!((simulated - counted).abs() <= 0.05 * simulated, "{learned}");
    let capuchin = swaps(&program, &[&common[..], &["--method", "capuchin"]].concat());
    assert!(peak(&capuchin["measured"]["peak_bytes"]) <= peak(&capuchin["cap_bytes"]), "{capuchin}");
}

#[test]
fn a_graph_alone_cannot_be_run() {
    let folder = scratch();
    let graph = folder.path().join("graph.json");
    std::fs::write(&graph, "{}").unwrap();
    let arguments = ["lab", "swaps", &graph.display().to_string(), "--devices", "1", "--backend", "native"];
    let refused = ballast(arguments.iter().map(Path::new));
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    assert!(refused.stderr.contains("give the .mlir"), "{}", refused.stderr);
}
