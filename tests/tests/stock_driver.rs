//! Every rewritten program is one that stock `mlir-opt` reads, with the library loaded as its plugin.

use std::process::Command;

use ballast_tests::{ballast_opt, built, models, run, scratch};

#[test]
fn stock_mlir_opt_reads_every_rewritten_and_every_cut_model() {
    let folder = scratch();
    let library = built("libballast.so");
    let (mut barriers, mut messages) = (0, 0);
    for model in models() {
        let name = model.file_name().unwrap().to_string_lossy().into_owned();
        let rewritten = folder.path().join(&name);
        let options = [
            "--rl-partition=devices=2 use-all-devices=true method=dp seed=1 time-limit=3".to_owned(),
            "--remat=devices=2 cap=80% solver=greedy seed=1 time-limit=3 relax-limit=8".to_owned(),
            "--ballast-apply".to_owned(),
        ];
        for more in [None, Some("--ballast-outline")] {
            let arguments =
                options.iter().map(String::as_str).chain(more).chain(["-o", rewritten.to_str().unwrap()]);
            let _ = ballast_opt(&model, arguments).succeeded();
            let mut stock = Command::new("/usr/lib/llvm-22/bin/mlir-opt");
            for kind in ["pass", "dialect"] {
                stock.arg(format!("--load-{kind}-plugin={}", library.display()));
            }
            let read = run(stock.arg("--allow-unregistered-dialect").arg(&rewritten)).succeeded();
            // What is printed is what was written, but for the names of values and locations.
            let written = std::fs::read_to_string(&rewritten).unwrap();
            for op in ["ballast.barrier", "ballast.swap_out", "ballast.send", "ballast.recv"] {
                assert_eq!(read.stdout.matches(op).count(), written.matches(op).count(), "{name}: {op}");
            }
            barriers += written.matches("ballast.barrier").count();
            messages += written.matches("ballast.send").count();
        }
    }
    assert!(
        barriers > 100 && messages > 20,
        "{barriers} barriers, {messages} messages: too little to be a test"
    );
}
