//! Placement commands that are stopped, by the clock or by an interrupt, or are given files made for something else.

#[path = "support/command.rs"]
mod command;
#[path = "support/refused.rs"]
mod refused;
mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use command::program;
use refused::fails;
use support::{DYNAMIC, examples, json};

/// Runs a command, interrupts it once it catches interrupts and has had some time to find something, and waits for its answer.
fn interrupted(folder: &Path, args: &[&str]) -> Output {
    // A search that has not begun has nothing to answer with.
    signalled(folder, args, libc::SIGINT, Duration::from_millis(1500))
}

/// Runs a command, sends it a signal so long after it catches interrupts, and waits for its end.
fn signalled(folder: &Path, args: &[&str], signal: libc::c_int, after: Duration) -> Output {
    let child = program(folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let status = format!("/proc/{}/status", child.id());
    let catches = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 1 << (libc::SIGINT - 1) != 0)
    };
    let start = Instant::now();
    while !catches() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(after);
    let number = i32::try_from(child.id()).expect("a process number");
    // SAFETY: the child has not been waited for, so the number is still its own.
    unsafe { libc::kill(number, signal) };
    child.wait_with_output().expect("ends")
}

#[test]
fn a_command_that_asks_for_no_signals_is_ended_by_the_first() {
    let keep = tempfile::tempdir().expect("a folder");
    let here = keep.path();
    // Nobody ever writes to it: it is read for ever.
    assert!(Command::new("mkfifo").arg(here.join("pipe")).status().expect("mkfifo").success());
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGINT, 130)] {
        let output = signalled(here, &["report", "pipe"], signal, Duration::ZERO);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
}

#[test]
fn a_search_that_is_stopped_answers_with_the_best_so_far() {
    let here = examples();
    let endless = [&DYNAMIC[..], &["--generations", "1000000000"]].concat();
    let answer = json(&interrupted(&here, &endless));
    assert_eq!(answer["report"]["stop_reason"], "interrupted");
    assert_eq!(answer["layers"].as_array().expect("layers").len(), 10);
    let limited = [&endless[..], &["--time-limit", "0.5"]].concat();
    let answer = json(&program(&here, &limited).output().expect("runs"));
    assert_eq!(answer["report"]["stop_reason"], "time-limit");
    let limited = [&endless[..], &["--runs", "150"]].concat();
    let run = |more: &[&str]| json(&program(&here, &[&limited[..], more].concat()).output().expect("runs"));
    let first = run(&["--seed", "4"]);
    assert_eq!(
        (&first["report"]["stop_reason"], &first["report"]["work"]),
        (&"work-limit".into(), &150.into())
    );
    let again = run(&["--seed", "4", "--threads", "3"]);
    assert_eq!((&first["layers"], &first["cache_hits"]), (&again["layers"], &again["cache_hits"]));
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

/// A cluster file of so many devices with one more entry each.
fn cluster(folder: &Path, name: &str, devices: usize, entry: &str) {
    let list: Vec<String> =
        (0..devices).map(|device| format!(r#"{{"name": "d{device}", "host": {device}{entry}}}"#)).collect();
    write(folder, name, &format!(r#"{{"version": 1, "devices": [{}]}}"#, list.join(", ")));
}

#[test]
fn a_training_that_is_stopped_leaves_a_network_and_seeds_repeat() {
    let keep = tempfile::tempdir().expect("a folder");
    let here = keep.path();
    cluster(here, "four.json", 4, r#", "failures-per-second": 1e-4"#);
    let train = ["lab", "train", "place", "--cluster", "four.json", "--widths", "1,2", "--batches", "2"];
    let endless = [&train[..], &["--trainings", "1000000000"]].concat();
    let answer = json(&interrupted(here, &[&endless[..], &["-o", "stopped.net"]].concat()));
    assert_eq!(answer["stop_reason"], "interrupted");
    let limited = [&endless[..], &["--time-limit", "0.5", "-o", "limited.net"]].concat();
    assert_eq!(json(&program(here, &limited).output().expect("runs"))["stop_reason"], "time-limit");
    write(
        here,
        "jobs.json",
        r#"{"version": 1, "jobs": [{"name": "a", "devices": 2, "seconds": 100}, {"name": "b", "devices": 1, "seconds": 10}]}"#,
    );
    for network in ["stopped.net", "limited.net"] {
        let place = ["lab", "place", "jobs.json", "four.json", "--network", network];
        let period = json(&program(here, &place).output().expect("runs"));
        assert_eq!(period["placed"].as_array().expect("jobs").len(), 2);
    }
    let bytes = |seed: &str, file: &str| {
        let run = [&train[..], &["--trainings", "3", "--seed", seed, "-o", file]].concat();
        let _ = json(&program(here, &run).output().expect("runs"));
        std::fs::read(here.join(file)).expect("a network")
    };
    let first = bytes("5", "first.net");
    assert!(first == bytes("5", "again.net"), "the same seed gave another network");
    assert!(first != bytes("6", "other.net"), "the seed changes nothing");
    for option in [&["--anneal"][..], &["--credit", "job"]] {
        let run = [&train[..], &["--trainings", "3", "--seed", "5", "-o", "option.net"], option].concat();
        let _ = json(&program(here, &run).output().expect("runs"));
        assert!(first != std::fs::read(here.join("option.net")).expect("a network"), "{option:?}");
    }
}

#[test]
fn networks_and_files_of_something_else_are_refused() {
    let keep = tempfile::tempdir().expect("a folder");
    let here = keep.path();
    cluster(here, "four.json", 4, r#", "failures-per-second": 1e-4"#);
    cluster(here, "three.json", 3, "");
    cluster(here, "rate.json", 4, r#", "failures-per-second": 1.01"#);
    cluster(here, "dead.json", 4, r#", "state": "failed""#);
    write(here, "jobs.json", r#"{"version": 1, "jobs": [{"name": "a", "devices": 2, "seconds": 100}]}"#);
    let train = ["lab", "train", "place", "--widths", "1,2", "--batches", "2", "--trainings", "2"];
    let trained = [&train[..], &["--cluster", "four.json", "-o", "four.net"]].concat();
    let _ = json(&program(here, &trained).output().expect("runs"));
    let network = std::fs::read(here.join("four.net")).expect("a network");
    std::fs::write(here.join("half.net"), &network[..network.len() / 2]).expect("written");
    write(here, "broken.jsonl", "{\"jobs\": [");
    let place =
        |cluster, network| ["lab", "place", "jobs.json", cluster, "--network", network, "-o", "out.json"];
    fails(here, &place("three.json", "four.net"), 2, "trained for 4 devices and the cluster has 3");
    fails(here, &place("four.json", "half.net"), 2, "half.net");
    fails(here, &place("four.json", "jobs.json"), 2, "jobs.json");
    fails(here, &place("dead.json", "four.net"), 1, "none of the cluster's 4 devices is usable");
    fails(here, &place("rate.json", "four.net"), 2, "'d0' fails 1.01 times a second");
    let table = ["lab", "train", "place-table", "--load", "1000", "--time-limit", "1e-9", "-o", "out.json"];
    fails(here, &table, 1, "the time was over before");
    let train = |more: &[&'static str]| [&train[..], more, &["-o", "out.net"]].concat();
    fails(here, &train(&["--cluster", "three.json", "--resume", "four.net"]), 2, "trained for 4 devices");
    fails(here, &train(&["--cluster", "four.json", "--resume", "half.net"]), 2, "half.net");
    fails(here, &train(&["--cluster", "four.json", "--history", "broken.jsonl"]), 2, "broken.jsonl");
    fails(here, &train(&["--cluster", "rate.json"]), 2, "'d0' fails 1.01 times a second");
    fails(here, &train(&["--cluster", "dead.json"]), 1, "of the cluster's 4 are usable");
    fails(
        here,
        &["lab", "train", "place", "--widths", "8", "--cluster", "four.json", "-o", "out.net"],
        1,
        "8 devices on a cluster of 4",
    );
}

#[test]
fn processes_that_cannot_run_a_model_are_not_started() {
    let keep = tempfile::tempdir().expect("a folder");
    let here = keep.path();
    let dense = |name: &str, inputs: u32, outputs: u32| {
        format!(
            "[[layer]]\nname = \"{name}\"\nkind = \"dense\"\nrows = 2\ninputs = {inputs}\noutputs = {outputs}\n"
        )
    };
    write(
        here,
        "gap.toml",
        &format!("name = \"m\"\n{}{}{}", dense("a", 4, 8), dense("b", 9, 2), dense("c", 2, 2)),
    );
    write(
        here,
        "counted.toml",
        "name = \"m\"\n[[layer]]\nname = \"x\"\nkind = \"counted\"\noperations = 5\nelements = 6\noutputs = 1\n",
    );
    let run = |file, more: &[&'static str]| {
        [&["lab", "genetic", file, "--devices", "2", "--dynamic", "--processes", "-o", "out.json"], more]
            .concat()
    };
    fails(
        here,
        &run("gap.toml", &[]),
        2,
        "gap.toml: layer 'b': it reads 18 elements and the layer before makes 16",
    );
    fails(here, &run("counted.toml", &[]), 2, "counted.toml: layer 'x': it is only counted");
    fails(here, &run("gap.toml", &["--run-limit", "0"]), 2, "--run-limit");
    fails(here, &run("gap.toml", &["--repeats", "0"]), 2, "--repeats");
    fails(here, &run("gap.toml", &["--exact"]), 2, "--exact");
}
