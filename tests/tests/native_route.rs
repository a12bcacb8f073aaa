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
    assert_eq!(compared["within_caps"], true, "{compared}");
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

#[test]
fn ops_are_timed_and_plans_reckon_with_their_times() {
    const WIDTH: usize = 16;
    let folder = scratch();
    let [original, profile, devices, planned] =
        ["original.mlir", "profile.json", "devices.toml", "planned.mlir"]
            .map(|name| folder.path().join(name));
    std::fs::write(&original, DeepMlp { layers: 3, width: WIDTH, batch: 32 }.program()).unwrap();
    let options = ["--backend", "native", "--runs", "3", "--kind", "here", "-o"].map(Path::new);
    let arguments = [Path::new("profile"), &original].into_iter().chain(options);
    let _ = ballast(arguments.chain([profile.as_path()])).succeeded();
    let measured: Value = serde_json::from_str(&std::fs::read_to_string(&profile).unwrap()).unwrap();
    let ops = measured["kinds"]["here"]["ops"].as_object().unwrap();
    // Products: forward and towards the inputs are one, and one towards the weights. Pointwise: rectifier, its gradient, error,
    // update. Transposes: of values, and of weights.
    assert!(ops.len() >= 7 && ops.len() < 20, "{measured:#}");
    for (key, op) in ops {
        assert_eq!(op["runs"], 3, "{key}");
        assert!(
            op["seconds"].as_f64().unwrap() > 0.0 && op["spread-seconds"].as_f64().unwrap() >= 0.0,
            "{key}"
        );
    }
    assert!(measured["kinds"]["here"]["to-host"]["bytes-per-second"].as_f64().unwrap() > 0.0);
    let text = "version = 1\n[kinds.here]\nmemory = \"1GiB\"\npeak = { f32 = \"1GFLOP/s\" }\nmemory-bandwidth = \"10GB/s\"\n\
                launch-overhead = \"0s\"\nhost-link = { bandwidth = \"1GB/s\", latency = \"0s\" }\n[[devices]]\nkind = \"here\"\n";
    std::fs::write(&devices, text).unwrap();
    let remat =
        format!("--remat=devices='{}' profile='{}' time-limit=2", devices.display(), profile.display());
    let _ = ballast_opt(&original, [remat, "-o".into(), planned.display().to_string()]).succeeded();
    // Every op costs what was measured.
    let text = std::fs::read_to_string(&planned).unwrap();
    let costs: Vec<f64> = text
        .split("#ballast.cost<seconds = ")
        .skip(1)
        .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
        .collect();
    let times: Vec<f64> = ops.values().map(|op| op["seconds"].as_f64().unwrap()).collect();
    assert!(!costs.is_empty() && costs.iter().all(|cost| times.contains(cost)), "{costs:?} {times:?}");
}

#[test]
fn a_model_that_cannot_be_timed_leaves_no_profile() {
    let folder = scratch();
    let profile = folder.path().join("profile.json");
    let options = ["--backend", "native", "-o"].map(Path::new);
    let stablehlo = model("mlp3_b128.mlir");
    let arguments = [Path::new("profile"), &stablehlo].into_iter().chain(options);
    let refused = ballast(arguments.chain([profile.as_path()]));
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    assert!(refused.stderr.contains("mlp3_b128.mlir"), "{}", refused.stderr);
    assert!(!profile.exists());
}

/// A program over 64 numbers between -1 and 1, made from the arguments, with one result per pair of what is computed from one.
fn functions(bodies: &[&str]) -> String {
    let types = vec!["tensor<64xf64>"; bodies.len()].join(", ");
    let mut text =
        format!("#id = affine_map<(i) -> (i)>\nfunc.func @main(%x: tensor<64xf64>) -> ({types}) {{\n");
    for (number, body) in bodies.iter().enumerate() {
        text += &format!(
            "  %e{number} = tensor.empty() : tensor<64xf64>\n  \
             %r{number} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = [\"parallel\"]}} \
             ins(%x : tensor<64xf64>) outs(%e{number} : tensor<64xf64>) {{\n  ^bb0(%argument: f64, %o: f64):\n    \
             %one = arith.constant 1.0 : f64\n    %a = math.sin %argument : f64\n{body}    linalg.yield %y : f64\n  \
             }} -> tensor<64xf64>\n"
        );
    }
    let results: Vec<String> = (0..bodies.len()).map(|number| format!("%r{number}")).collect();
    text + &format!("  return {} : {types}\n}}\n", results.join(", "))
}

/// The error function by its power series, which for arguments up to 1 is exact to the last digits after 24 terms.
fn error_function_by_series() -> String {
    let mut text = "    %s = arith.mulf %a, %a : f64\n    %t24 = arith.constant 0.0 : f64\n".to_owned();
    let mut factor = 2.0 / std::f64::consts::PI.sqrt();
    let mut factors = Vec::new();
    for term in 0..24_u32 {
        factors.push(factor / f64::from(2 * term + 1));
        factor /= -f64::from(term + 1);
    }
    for (term, factor) in factors.iter().enumerate().rev() {
        text += &format!(
            "    %c{term} = arith.constant {factor:.17e} : f64\n    %m{term} = arith.mulf %t{}, %s : f64\n    \
             %t{term} = arith.addf %m{term}, %c{term} : f64\n",
            term + 1
        );
    }
    text + "    %f = arith.mulf %t0, %a : f64\n"
}

#[test]
fn functions_that_llvm_has_no_intrinsic_for_are_computed() {
    let folder = scratch();
    let [original, planned, by_hand] =
        ["original.mlir", "planned.mlir", "by-hand.mlir"].map(|name| folder.path().join(name));
    let series = error_function_by_series();
    let (erf, erfc) = (
        format!("{series}    %y = arith.addf %f, %one : f64\n"),
        format!("{series}    %y = arith.subf %one, %f : f64\n"),
    );
    let half = "    %h = arith.constant 0.5 : f64\n    %b = arith.mulf %a, %h : f64\n";
    let pairs = [
        ("    %f = math.erf %a : f64\n    %y = arith.addf %f, %one : f64\n".to_owned(), erf),
        ("    %y = math.erfc %a : f64\n".to_owned(), erfc),
        (
            "    %c = math.cbrt %a : f64\n    %d = arith.mulf %c, %c : f64\n    %y = arith.mulf %d, %c : f64\n".to_owned(),
            "    %y = arith.mulf %a, %one : f64\n".to_owned(),
        ),
        (
            format!("{half}    %y = math.atanh %b : f64\n"),
            format!(
                "{half}    %p = arith.addf %one, %b : f64\n    %q = arith.subf %one, %b : f64\n    \
                 %r = arith.divf %p, %q : f64\n    %l = math.log %r : f64\n    %y = arith.mulf %l, %h : f64\n"
            ),
        ),
    ];
    let (calls, formulas): (Vec<&str>, Vec<&str>) =
        pairs.iter().map(|(call, formula)| (call.as_str(), formula.as_str())).unzip();
    for (bodies, program, output) in [(formulas, &planned, &by_hand), (calls, &original, &planned)] {
        std::fs::write(program, functions(&bodies)).unwrap();
        let arguments = ["--remat=seed=1 time-limit=1", "-o"].map(Path::new);
        let _ = ballast_opt(program, arguments.iter().chain([&output.as_path()])).succeeded();
    }
    for rewritten in [&planned, &by_hand] {
        let compared = [Path::new("run"), &original, rewritten];
        let options = ["--backend", "native", "--seed", "7", "--json", "-"].map(Path::new);
        let compared = ballast(compared.into_iter().chain(options)).succeeded().json();
        assert_eq!(compared["difference"]["elements"], 256, "{compared}");
        assert!(compared["difference"]["relative"].as_f64().unwrap() < 1e-13, "{compared}");
    }
}
