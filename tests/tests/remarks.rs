//! Remarks as LLVM's own tool reads them: one for every value recomputed or swapped, and for the largest kept, each at its place.

use std::path::Path;
use std::process::Command;

use ballast_tests::{ballast_opt, model, run, scratch};
use serde_json::Value;

/// Most values kept that a device's plan has a remark for.
const MOST_KEPT: u64 = 20;

/// Remarks whose name matches, as `llvm-remarkutil` counts them.
fn count(remarks: &Path, names: &str) -> u64 {
    let counted = run(Command::new("/usr/lib/llvm-22/bin/llvm-remarkutil")
        .args(["count", "--parser=yaml", "--group-by=total", &format!("--rremark-name=^({names})$")])
        .arg(remarks))
    .succeeded();
    // No line at all where it found none.
    let total =
        counted.stdout.lines().find_map(|line| line.strip_prefix("Total,").filter(|rest| *rest != "Count"));
    total.map_or(0, |total| total.parse().unwrap_or_else(|_| panic!("{counted:#?}")))
}

#[test]
fn every_value_recomputed_or_swapped_and_the_largest_kept_have_a_remark() {
    for (name, devices, cap) in
        [("gpt2_tiny_b2_s64.mlir", 1, "60%"), ("resnet50_train_b32.mlir", 4, "500MiB")]
    {
        let folder = scratch();
        let [plan, remarks] = ["plan.json", "remarks.yaml"].map(|name| folder.path().join(name));
        let _ = ballast_opt(
            &model(name),
            [
                &format!("--rl-partition=devices={devices} method=dp use-all-devices=true work-limit=1000"),
                &format!("--remat=cap={cap} solver=greedy work-limit=1000 plan-file={}", plan.display()),
                "--remarks-filter=ballast",
                "--remark-format=yaml",
                &format!("--remarks-output-file={}", remarks.display()),
                "-o",
                "/dev/null",
            ],
        )
        .succeeded();
        let plan: Value = serde_json::from_str(&std::fs::read_to_string(plan).unwrap()).unwrap();
        let ops = plan["ops"].as_array().unwrap();
        let changed = |key: &str| ops.iter().filter(|op| !op[key].is_null()).count() as u64;
        let either = |op: &&Value| !op["recompute_before"].is_null() || !op["swap"].is_null();
        assert!(changed("recompute_before") > 0, "{name}: nothing to say");
        assert_eq!(count(&remarks, "Recompute|Swap"), ops.iter().filter(either).count() as u64, "{name}");
        assert_eq!(count(&remarks, "Swap"), changed("swap"), "{name}");
        assert_eq!(count(&remarks, "Kept"), MOST_KEPT * devices, "{name}");
        assert_eq!(count(&remarks, "Peak[0-9]+"), devices, "{name}");
        // Ops of inlined calls have the place in the callee.
        let text = std::fs::read_to_string(&remarks).unwrap();
        assert!(text.contains(name) && !text.contains("<unknown file>"), "{name}");
    }
}
