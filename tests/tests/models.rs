//! Exported programs through `ballast-opt`: planned, verified from the written IR, and refused when a plan lies.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use ballast_tests::{Run, ballast, ballast_opt, built, model, models, run, scratch};
use serde_json::Value;

/// Plans with a work limit and without the learner: the same bytes on every machine.
const REPEATABLE: [&str; 2] = [
    "--rl-partition=devices=2 use-all-devices=true method=dp seed=1 time-limit=0 work-limit=200",
    "--remat=cap=70% seed=1 time-limit=0 work-limit=200",
];

fn verify(annotated: &Path) -> Run {
    ballast_opt(annotated, ["--ballast-verify", "-o", "/dev/null"])
}

#[test]
fn every_model_is_planned_and_the_plan_holds() {
    let folder = scratch();
    let (output, plan) = (folder.path().join("out.mlir"), folder.path().join("plan.json"));
    for model in models() {
        let remat = format!("--remat=cap=70% seed=1 time-limit=2 plan-file='{}'", plan.display());
        let arguments: [OsString; 4] = [
            "--rl-partition=devices=4 use-all-devices=true method=dp seed=1 time-limit=1".into(),
            remat.into(),
            "-o".into(),
            output.clone().into(),
        ];
        let planned = ballast_opt(&model, arguments);
        assert_eq!(planned.code, Some(0), "{}: {}", model.display(), planned.stderr);
        let verified = verify(&output);
        assert_eq!(verified.code, Some(0), "{}: {}", model.display(), verified.stderr);
        check_plan(&plan, &planned.stderr);
        let report = ballast([Path::new("report"), &plan]).succeeded();
        assert!(report.stdout.contains("tmax"), "{}", report.stdout);
    }
}

/// Rules that hold for every plan: peaks under caps, relaxed caps spoken of, totals that add up, bounds below.
fn check_plan(path: &Path, messages: &str) {
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number in {value}"));
    let mut tmax = 0.0f64;
    for stage in plan["stages"].as_array().unwrap() {
        assert!(number(&stage["peak_bytes"]) <= number(&stage["cap_bytes"]), "{stage}");
        if number(&stage["cap_bytes"]) > number(&stage["requested_cap_bytes"]) {
            assert!(number(&stage["smallest_cap_bytes"]) <= number(&stage["cap_bytes"]), "{stage}");
            assert!(messages.contains("warning"), "a raised cap without a warning: {stage}");
        }
        let parts: f64 = ["compute", "recompute", "receive", "send", "exposed_swap"]
            .iter()
            .map(|part| number(&stage[format!("{part}_seconds")]))
            .sum();
        assert!((number(&stage["seconds"]) - parts).abs() <= 1e-9 * parts.max(1e-9), "{stage}");
        tmax = tmax.max(parts);
    }
    let (value, bound) = (number(&plan["balance"]["tmax_seconds"]), number(&plan["bound_seconds"]));
    assert!((value - tmax).abs() <= 1e-9 * tmax && bound <= value * (1.0 + 1e-9), "{plan}");
}

#[test]
fn plans_repeat_byte_for_byte_and_stock_mlir_opt_writes_the_same() {
    let model = model("mlp3_b128.mlir");
    let first = ballast_opt(&model, REPEATABLE).succeeded();
    let second = ballast_opt(&model, REPEATABLE).succeeded();
    assert_eq!(first.stdout, second.stdout);
    let library = built("libballast.so");
    let inner = REPEATABLE.map(|flag| {
        let (pass, options) = flag.trim_start_matches("--").split_once('=').unwrap();
        format!("{pass}{{{options}}}")
    });
    let stock = run(Command::new("/usr/lib/llvm-22/bin/mlir-opt")
        .arg(&model)
        .arg("--allow-unregistered-dialect")
        .arg(format!("--load-pass-plugin={}", library.display()))
        .arg(format!("--load-dialect-plugin={}", library.display()))
        .arg(format!("--pass-pipeline=builtin.module({})", inner.join(","))))
    .succeeded();
    assert_eq!(first.stdout, stock.stdout);
}

#[test]
fn a_lie_in_the_annotations_is_found() {
    let folder = scratch();
    let path = folder.path().join("annotated.mlir");
    let annotated = ballast_opt(&model("mlp3_b128.mlir"), REPEATABLE).succeeded().stdout;
    std::fs::write(&path, &annotated).unwrap();
    assert_eq!(verify(&path).code, Some(0), "the honest plan is refused: {}", verify(&path).stderr);
    let first_device =
        annotated.find("#ballast.device<").expect("an op on a device") + "#ballast.device<".len();
    let moved = match &annotated[first_device..=first_device] {
        "0" => "1",
        _ => "0",
    };
    let mut other_device = annotated.clone();
    other_device.replace_range(first_device..=first_device, moved);
    for (lie, text) in
        [("an op on another device", other_device), ("a smaller peak", one_less(&annotated, " peak = "))]
    {
        std::fs::write(&path, text).unwrap();
        let refused = verify(&path);
        assert_ne!(refused.code, Some(0), "{lie} was not found");
        assert!(refused.stderr.contains("error"), "{lie}: {}", refused.stderr);
    }
}

/// `text` with the first number behind `key` made smaller by one.
fn one_less(text: &str, key: &str) -> String {
    let at = text.find(key).unwrap_or_else(|| panic!("no {key:?} in the plan")) + key.len();
    let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[at..at + digits].parse().unwrap();
    format!("{}{}{}", &text[..at], number - 1, &text[at + digits..])
}

#[test]
fn memory_planning_alone_never_loads_libtorch() {
    let folder = scratch();
    let trace = folder.path().join("loader");
    let planned = run(Command::new(built("ballast-opt"))
        .arg(model("mlp3_b128.mlir"))
        .args(["--allow-unregistered-dialect", "--remat=cap=70% time-limit=2", "-o", "/dev/null"])
        .env("LD_DEBUG", "files")
        .env("LD_DEBUG_OUTPUT", &trace))
    .succeeded();
    let trace: String = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(trace.contains("libMLIR"), "the loader left no trace: {planned:#?}");
    assert!(!trace.contains("libtorch"), "libtorch was loaded");
}

#[test]
fn a_failed_run_writes_nothing() {
    let folder = scratch();
    let (output, plan) = (folder.path().join("out.mlir"), folder.path().join("plan.json"));
    let model = model("mlp3_b128.mlir");
    for options in
        ["cap=0", "cap=lots", "cap=1KiB relax-limit=0", "cap=60% time-limit=-1", "cap=60% threads=1025"]
    {
        let remat = format!("--remat={options} plan-file='{}'", plan.display());
        let failed = ballast_opt(
            &model,
            [
                "--rl-partition=devices=2 use-all-devices=true method=dp",
                &remat,
                "-o",
                output.to_str().unwrap(),
            ],
        );
        assert_eq!(failed.code, Some(1), "{options}: {failed:#?}");
        assert!(failed.stderr.contains("error: "), "{options}: {}", failed.stderr);
        assert!(!output.exists() && !plan.exists(), "{options} left a file");
    }
}
