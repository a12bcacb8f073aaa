//! A training step on the native route, with and without a plan: same results, and the memory the plan says.

use std::path::{Path, PathBuf};

use ballast_tests::deep_mlp::DeepMlp;
use ballast_tests::{ballast, ballast_opt, model, root, scratch};
use serde_json::Value;

/// Small enough to run in a second without vector instructions, deep enough that values outlive their makers for long.
const DEEP: DeepMlp = DeepMlp { layers: 12, width: 64, batch: 256 };

/// Plans, runs both, and compares what was measured with what was planned.
fn check(original: &Path, folder: &Path, options: &str) -> Value {
    let planned: PathBuf = folder.join("planned.mlir");
    let arguments =
        [format!("--remat={options} seed=1 time-limit=3"), "-o".into(), planned.display().to_string()];
    let _ = ballast_opt(original, arguments).succeeded();
    let compared = [Path::new("run"), original, &planned];
    let options = ["--backend", "native", "--seed", "7", "--json", "-"].map(Path::new);
    let compared = ballast(compared.into_iter().chain(options)).succeeded().json();
    let (measured, plan) = (&compared["rewritten"], &compared["plan"]);
    assert_eq!(compared["difference"]["identical"], true, "{compared}");
    assert_eq!(measured["leaked_bytes"], 0, "{compared}");
    for what in ["peak_bytes", "host_peak_bytes"] {
        let (measured, planned) = (measured[what].as_f64().unwrap(), plan[what].as_f64().unwrap());
        assert!(
            (measured - planned).abs() <= 0.05 * planned,
            "{what}: {measured} measured, {planned} planned"
        );
    }
    assert!(measured["peak_bytes"].as_u64() <= plan["cap_bytes"].as_u64(), "{compared}");
    compared
}

#[test]
fn a_deep_perceptron_keeps_its_plan_with_recomputation() {
    let folder = scratch();
    let original = folder.path().join("original.mlir");
    std::fs::write(&original, DEEP.program()).unwrap();
    for (cap, swaps) in [("100%", false), ("70%", false), ("50%", false)] {
        let compared = check(&original, folder.path(), &format!("cap={cap} swap={swaps}"));
        let before = compared["original"]["peak_bytes"].as_f64().unwrap();
        let after = compared["rewritten"]["peak_bytes"].as_f64().unwrap();
        let share = cap.trim_end_matches('%').parse::<f64>().unwrap() / 100.0;
        assert!(after <= share * before, "cap {cap}: {after} of {before}");
    }
}

#[test]
fn a_deep_perceptron_keeps_its_plan_with_swaps_to_the_second_heap() {
    let folder = scratch();
    let original = folder.path().join("original.mlir");
    std::fs::write(&original, DEEP.program()).unwrap();
    let devices = root().join("lit/Inputs/fast-host.toml");
    let compared = check(&original, folder.path(), &format!("devices='{}' cap=50%", devices.display()));
    assert!(
        compared["rewritten"]["host_peak_bytes"].as_u64().unwrap() > 0,
        "nothing was swapped: {compared}"
    );
}

#[test]
fn an_exported_training_step_keeps_its_plan_with_and_without_swaps() {
    let folder = scratch();
    let original = model("torch_mlp_train.linalg.mlir");
    let devices = root().join("lit/Inputs/fast-host.toml");
    for options in ["cap=100%".to_owned(), format!("devices='{}' cap=98% relax-limit=4", devices.display())] {
        let _ = check(&original, folder.path(), &options);
    }
}
