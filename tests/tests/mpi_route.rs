//! Plans for several devices, each run by a process of its own under Open MPI's `mpirun`.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use ballast_tests::deep_mlp::DeepMlp;
use ballast_tests::{Run, ballast_opt, built, model, run, scratch};

/// Plans a program for several devices.
fn plan(original: &Path, folder: &Path, devices: usize) -> PathBuf {
    let planned = folder.join(format!("planned{devices}.mlir"));
    let arguments = [
        format!("--rl-partition=devices={devices} use-all-devices=true method=dp seed=1 time-limit=2"),
        format!("--remat=devices={devices} cap=95% seed=1 time-limit=2"),
        "-o".into(),
        planned.display().to_string(),
    ];
    let _ = ballast_opt(original, arguments).succeeded();
    planned
}

fn run_ranks(original: &Path, planned: &Path, more: &[&str]) -> Run {
    let mut command = Command::new(built("ballast"));
    run(command.arg("run").args([original, planned]).args(["--backend", "mpi", "--seed", "3"]).args(more))
}

/// Runs a plan, and checks everything it promised but time.
fn check(original: &Path, planned: &Path, devices: usize) {
    let compared = run_ranks(original, planned, &["--json", "-"]).succeeded().json();
    assert_eq!(compared["difference"]["identical"], true, "{compared}");
    assert_eq!(compared["stages"]["within_caps"], true, "{compared}");
    assert_eq!(compared["rewritten"]["leaked_bytes"], 0, "{compared}");
    let ranks = compared["rewritten"]["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), devices);
    for stage in compared["stages"]["plan"]["stages"].as_array().unwrap() {
        let rank = &ranks[usize::try_from(stage["device"].as_u64().unwrap()).unwrap()];
        // A value that arrives in host memory early may take the place of nothing; never is there more than planned.
        let (measured, planned) =
            (rank["peak_bytes"].as_f64().unwrap(), stage["peak_bytes"].as_f64().unwrap());
        assert!(measured <= planned && measured >= 0.95 * planned, "{measured} measured: {stage}");
    }
}

#[test]
fn an_exported_training_step_runs_on_two_and_on_four_ranks() {
    let folder = scratch();
    let original = model("torch_mlp_train.linalg.mlir");
    for devices in [2, 4] {
        check(&original, &plan(&original, folder.path(), devices), devices);
    }
}

#[test]
fn a_deep_perceptron_runs_on_three_ranks_and_its_cut_module_in_one_process() {
    let folder = scratch();
    let original = folder.path().join("original.mlir");
    std::fs::write(&original, DeepMlp { layers: 8, width: 32, batch: 64 }.program()).unwrap();
    let planned = plan(&original, folder.path(), 3);
    check(&original, &planned, 3);
    let cut = folder.path().join("cut.mlir");
    let arguments = ["--ballast-apply", "--ballast-outline", "--cse", "--canonicalize", "-o"].map(Path::new);
    let _ = ballast_opt(&planned, arguments.iter().chain([&cut.as_path()])).succeeded();
    let text = std::fs::read_to_string(&cut).unwrap();
    assert!(text.contains("main_device2") && text.contains("ballast.send"), "{text}");
    check(&original, &cut, 3);
    let mut host = Command::new(built("ballast"));
    let host = host.arg("run").args([&original, &cut]).args(["--backend", "native", "--json", "-"]);
    let compared = run(host).succeeded().json();
    assert_eq!(compared["difference"]["identical"], true, "{compared}");
    assert_eq!(compared["rewritten"]["leaked_bytes"], 0, "{compared}");
}

/// Two ops on integers, on two devices; the second may divide, by zero among others.
fn integers(second: &str) -> String {
    format!(
        "#map = affine_map<(i) -> (i)>\n\
         func.func @main(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {{\n  \
         %e = tensor.empty() : tensor<64xi32>\n  \
         %a = linalg.sub {{ballast.device = #ballast.device<0>}} ins(%x, %y : tensor<64xi32>, tensor<64xi32>) \
         outs(%e : tensor<64xi32>) -> tensor<64xi32>\n  \
         %b = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = [\"parallel\"]}} \
         ins(%a, %x : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) \
         attrs = {{ballast.device = #ballast.device<1>}} {{\n  ^bb0(%p: i32, %q: i32, %o: i32):\n    \
         %r = arith.{second} %p, %q : i32\n    linalg.yield %r : i32\n  }} -> tensor<64xi32>\n  return %b : tensor<64xi32>\n}}\n"
    )
}

#[test]
fn a_rank_that_crashes_is_an_error_and_no_file_is_written() {
    let folder = scratch();
    let [original, divides, planned, output] =
        ["original.mlir", "divides.mlir", "planned.mlir", "comparison.json"]
            .map(|name| folder.path().join(name));
    std::fs::write(&original, integers("addi")).unwrap();
    std::fs::write(&divides, integers("divsi")).unwrap();
    let arguments = ["--remat=devices=2 time-limit=2", "-o"].map(Path::new);
    let _ = ballast_opt(&divides, arguments.iter().chain([&planned.as_path()])).succeeded();
    let crashed = run_ranks(&original, &planned, &["--json", output.to_str().unwrap()]);
    assert_eq!(crashed.code, Some(2), "{crashed:#?}");
    assert!(crashed.stderr.contains("planned.mlir: mpirun failed"), "{}", crashed.stderr);
    assert!(!output.exists());
}

#[test]
fn values_of_every_type_cross_ranks() {
    let folder = scratch();
    for element in ["i1", "f16", "bf16", "index", "i64"] {
        let (there, back) = (format!("tensor<4x8x{element}>"), format!("tensor<8x4x{element}>"));
        let turn = |name: &str, from: &str, value: &str, to: &str, device: u32| {
            format!(
                "  %e{name} = tensor.empty() : {to}\n  %{name} = linalg.transpose ins({value} : {from}) outs(%e{name} : {to}) \
                 permutation = [1, 0] {{ballast.device = #ballast.device<{device}>}}\n"
            )
        };
        let text = format!(
            "func.func @main(%x: {there}) -> {there} {{\n{}{}  return %b : {there}\n}}\n",
            turn("a", &there, "%x", &back, 0),
            turn("b", &back, "%a", &there, 1)
        );
        let [original, planned] = ["original.mlir", "planned.mlir"].map(|name| folder.path().join(name));
        std::fs::write(&original, text).unwrap();
        let arguments = ["--remat=devices=2 time-limit=2", "-o"].map(Path::new);
        let _ = ballast_opt(&original, arguments.iter().chain([&planned.as_path()])).succeeded();
        let compared = run_ranks(&original, &planned, &["--json", "-"]).succeeded().json();
        assert_eq!(compared["difference"]["identical"], true, "{element}: {compared}");
    }
}

#[test]
fn a_run_keeps_to_a_session_folder_of_its_own() {
    let folder = scratch();
    let original = folder.path().join("original.mlir");
    std::fs::write(&original, DeepMlp { layers: 2, width: 8, batch: 8 }.program()).unwrap();
    let planned = plan(&original, folder.path(), 2);
    // A file where Open MPI would make the one folder for all sessions of this user.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim().split('.').next().unwrap_or_default().to_owned();
    let user = std::fs::metadata(folder.path()).unwrap().uid();
    std::fs::write(folder.path().join(format!("ompi.{host}.{user}")), "in the way").unwrap();
    let mut command = Command::new(built("ballast"));
    command.env("TMPDIR", folder.path()).arg("run").args([&original, &planned]);
    let compared = run(command.args(["--backend", "mpi", "--json", "-"])).succeeded().json();
    assert_eq!(compared["difference"]["identical"], true, "{compared}");
}

/// A program of that name in a folder, as a shell script.
fn script(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_open_mpi_that_misbehaves_is_an_error_and_no_file_is_written() {
    let scratch = scratch();
    let folder = scratch.path();
    let original = folder.join("original.mlir");
    std::fs::write(&original, DeepMlp { layers: 2, width: 8, batch: 8 }.program()).unwrap();
    let planned = plan(&original, folder, 2);
    let broken = folder.join("lib");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("libmpi.so"), b"\x7fELF").unwrap();
    let says_broken = format!("echo path:libdir:{}", broken.display());
    for (name, text, reason) in [
        ("mpirun", "exit 0", "rank 0"),
        ("mpirun", "echo no host >&2; exit 7", "no host"),
        ("mpirun", "kill -9 $$", "mpirun failed"),
        ("mpirun", "sleep 100", "not done after 3 s"),
        ("ompi_info", "echo what", "no libmpi.so in what"),
        ("ompi_info", "exit 1", "no Open MPI"),
        ("ompi_info", says_broken.as_str(), "libmpi.so"),
    ] {
        let programs = folder.join("programs");
        let _ = std::fs::remove_dir_all(&programs);
        std::fs::create_dir(&programs).unwrap();
        script(&programs, name, text);
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        let output = folder.join("comparison.json");
        let mut command = Command::new(built("ballast"));
        command.env("PATH", path).arg("run").args([&original, &planned]);
        let failed = run(command.args(["--backend", "mpi", "--time-limit", "3", "--json"]).arg(&output));
        assert_eq!(failed.code, Some(2), "{name}: {text}: {failed:#?}");
        assert!(failed.stderr.contains(reason), "{name}: {text}: {}", failed.stderr);
        assert!(!output.exists(), "{name}: {text}");
    }
}

#[test]
fn a_missing_mpirun_is_an_error_with_its_remedy() {
    let folder = scratch();
    let original = folder.path().join("original.mlir");
    std::fs::write(&original, DeepMlp { layers: 2, width: 8, batch: 8 }.program()).unwrap();
    let planned = plan(&original, folder.path(), 2);
    let output = folder.path().join("comparison.json");
    let mut command = Command::new(built("ballast"));
    command.env("PATH", folder.path()).arg("run").args([&original, &planned]).args([
        "--backend",
        "mpi",
        "--json",
    ]);
    let missing = run(command.arg(&output));
    assert_eq!(missing.code, Some(2), "{missing:#?}");
    assert!(
        missing.stderr.contains("no Open MPI") && missing.stderr.contains("openmpi-bin"),
        "{}",
        missing.stderr
    );
    assert!(!output.exists());
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    let folder = scratch();
    let original = model("torch_mlp_train.linalg.mlir");
    let planned = plan(&original, folder.path(), 2);
    let output = folder.path().join("comparison.json");
    let late = run_ranks(&original, &planned, &["--time-limit", "0.01", "--json", output.to_str().unwrap()]);
    assert_eq!(late.code, Some(2), "{late:#?}");
    assert!(late.stderr.contains("the time limit: raise it with --time-limit"), "{}", late.stderr);
    assert!(!output.exists());
}
