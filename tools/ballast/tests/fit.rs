//! `ballast fit` as a program, beside a shell script that answers for XLA: which forms are compiled, what a time limit ends, what is written, and what is said of
//! bad input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Two loops of forty iterations; the second reads what the first stacks.
const PAIR: &str = r#"
func.func @step(%x: tensor<8xf32>, %w: tensor<40x8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %f = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<40x8xf32>
  %a:5 = "stablehlo.while"(%zero, %x, %w, %empty, %empty) ({
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<40x8xf32>, %s0: tensor<40x8xf32>, %s1: tensor<40x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<40> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<40x8xf32>, %s0: tensor<40x8xf32>, %s1: tensor<40x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %wi.r = "stablehlo.dynamic_slice"(%w.all, %i, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<40x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %wi = "stablehlo.reshape"(%wi.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %m = "stablehlo.multiply"(%h, %wi) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.sine"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<40x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<40x8xf32>
    %t1.r = "stablehlo.reshape"(%h.next) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t1 = "stablehlo.dynamic_update_slice"(%s1, %t1.r, %i, %o) : (tensor<40x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<40x8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %h.next, %w.all, %t0, %t1) : (tensor<i32>, tensor<8xf32>, tensor<40x8xf32>, tensor<40x8xf32>, tensor<40x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<40x8xf32>, tensor<40x8xf32>, tensor<40x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<40x8xf32>, tensor<40x8xf32>, tensor<40x8xf32>)
  %b:4 = "stablehlo.while"(%zero, %a#1, %a#3, %a#4) ({
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<40x8xf32>, %s1: tensor<40x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<40> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<40x8xf32>, %s1: tensor<40x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %last = "stablehlo.constant"() <{value = dense<39> : tensor<i32>}> : () -> tensor<i32>
    %at = "stablehlo.subtract"(%last, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r0.r = "stablehlo.dynamic_slice"(%s0, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<40x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r0 = "stablehlo.reshape"(%r0.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g0 = "stablehlo.multiply"(%g, %r0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %r1.r = "stablehlo.dynamic_slice"(%s1, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<40x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r1 = "stablehlo.reshape"(%r1.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g1 = "stablehlo.multiply"(%g0, %r1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %g1, %s0, %s1) : (tensor<i32>, tensor<8xf32>, tensor<40x8xf32>, tensor<40x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<40x8xf32>, tensor<40x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<40x8xf32>, tensor<40x8xf32>)
  return %b#1 : tensor<8xf32>
}
"#;
/// What the program takes as it is, and with one of its two stacks.
const AS_IS_BYTES: u64 = 3000;
const PAIRED_BYTES: u64 = 1700;

/// A folder with the program and a script that answers for XLA: as it is the program takes 100 operations, paired so many. What has no loop is noted in the file
/// `opened`, and compiled by the shell commands `opened`.
fn scratch(paired_flops: u64, opened: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    std::fs::write(path.join("step.mlir"), PAIR).expect("written");
    let script = format!(
        r#"answer() {{
  echo "{{\"temporary_bytes\": $1, \"argument_bytes\": 0, \"result_bytes\": 0, \"alias_bytes\": 0, \"flops\": $2}}"
}}
case $(grep -c 'stablehlo.while' "$2"),$(grep -c 'stablehlo.dynamic_update_slice' "$2") in
  2,2) answer {AS_IS_BYTES} 100 ;;
  2,1) answer {PAIRED_BYTES} {paired_flops} ;;
  *) touch {}/opened; {opened} ;;
esac
"#,
        path.display()
    );
    program(&path.join("python"), &script);
    (folder, path)
}

/// A layer and its gradient, without loops or checkpoints.
const LAYER: &str = r#"
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %a = "stablehlo.exponential"(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %b = "stablehlo.sine"(%a) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %c = "stablehlo.exponential"(%b) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %d = "stablehlo.multiply"(%c, %b) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %e = "stablehlo.multiply"(%d, %a) : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %e : tensor<8x64xf32>
}
"#;

/// A folder with the layer and a script that answers for XLA: it takes [`AS_IS_BYTES`] as it is, and a planned program so many. What it compiles is
/// kept under `compiled`, by number.
fn layer(planned_bytes: u64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    std::fs::write(path.join("step.mlir"), LAYER).expect("written");
    std::fs::create_dir(path.join("compiled")).expect("made");
    let to = path.join("compiled").display().to_string();
    program(
        &path.join("python"),
        &format!(
            r#"cp "$2" {to}/$(ls {to} | wc -l)
case "$*" in *--stored*) bytes={planned_bytes} ;; *) bytes={AS_IS_BYTES} ;; esac
echo "{{\"temporary_bytes\": $bytes, \"argument_bytes\": 0, \"result_bytes\": 0, \"alias_bytes\": 0, \"flops\": 100}}"
"#
        ),
    );
    (folder, path)
}

/// What was compiled in such a folder.
fn compiled(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("compiled")).expect("a folder");
    let files = files.map(|file| std::fs::read_to_string(file.expect("a file").path()));
    files.collect::<Result<_, _>>().expect("read")
}

/// A shell script.
fn program(path: &Path, script: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{script}")).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, mode).expect("made a program");
}

/// Fits the program; the answer, and what was said.
fn fit(folder: &Path, args: &[&str]) -> (Value, String) {
    let output = run(folder, args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (serde_json::from_slice(&output.stdout).expect("one JSON object on stdout"), said)
}

/// Runs it with these options, which count before those that all tests have.
fn run(folder: &Path, args: &[&str]) -> Output {
    let common = [
        ["--cap", "2000B"],
        ["--python", "./python"],
        ["-o", "fitted.mlir"],
        ["--remat", "swap=false time-limit=1"],
        ["--tries", "1"],
    ];
    let common = common.iter().filter(|[name, _]| !args.contains(name)).flatten();
    Command::new(env!("CARGO_BIN_EXE_ballast"))
        .current_dir(folder)
        .args(["fit", "step.mlir"])
        .args(common)
        .args(args)
        .output()
        .expect("runs")
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let name = |entry: &Value| entry[key].as_str().expect("a name").to_owned();
    list.as_array().expect("a list").iter().map(name).collect()
}

#[test]
fn under_a_time_limit_loops_are_not_opened_where_a_plan_of_pairs_is_good_enough() {
    let (_keep, folder) = scratch(101, "exit 1");
    let (answer, said) = fit(&folder, &["--time-limit", "1000"]);
    assert_eq!(names(&answer["tries"], "program"), ["loop-pairs"], "{said}");
    assert_eq!(names(&answer["forms"], "name"), ["as-is", "loop-pairs"], "{said}");
    assert!(!folder.join("opened").exists(), "{said}");
    assert_eq!(answer["stopped"], "finished");
}

#[test]
fn without_a_time_limit_opened_loops_that_keep_the_cap_come_before_any_plan() {
    let (_keep, folder) = scratch(101, "answer 1500 4000");
    let (answer, said) = fit(&folder, &[]);
    assert_eq!(names(&answer["tries"], "program"), ["loops-opened"], "{said}");
}

#[test]
fn loops_are_opened_where_a_plan_of_pairs_computes_much_more() {
    // What the program takes opened does not change what the pairs took, only what that is compared with.
    for limit in [&[][..], &["--time-limit", "1000"]] {
        let (_keep, folder) = scratch(150, "answer 5000 1000");
        let (answer, said) = fit(&folder, limit);
        assert_eq!(names(&answer["forms"], "name")[..2], ["as-is", "loops-opened"], "{said}");
        assert_eq!(names(&answer["tries"], "program")[..2], ["loop-pairs", "loops-opened"], "{said}");
        assert_eq!(answer["unplanned_compared_flops"], 1000.0);
        // Fifty more in each of forty iterations.
        let compared = answer["tries"][0]["compared_flops"].as_f64().expect("known");
        assert!((compared - 3000.0).abs() < 1e-6, "{compared}");
    }
}

#[test]
fn a_form_that_the_time_limit_stops_is_left_out_and_what_was_found_is_written() {
    let (_keep, folder) = scratch(150, "exec sleep 1000");
    let (answer, said) = fit(&folder, &["--time-limit", "10"]);
    assert!(folder.join("opened").exists(), "{said}");
    assert!(
        said.contains("loops-opened: left out: the time limit was over before it was compiled"),
        "{said}"
    );
    assert_eq!(names(&answer["tries"], "program"), ["loop-pairs"], "{said}");
    assert_eq!((&answer["chosen"], &answer["stopped"]), (&Value::from(0), &Value::from("time-limit")));
}

#[test]
fn the_first_plan_is_made_whatever_the_time() {
    let (_keep, folder) = scratch(150, "exec sleep 1000");
    let (answer, said) = fit(&folder, &["--time-limit", "1e-9"]);
    assert_eq!(names(&answer["tries"], "program"), ["loop-pairs"], "{said}");
    assert_eq!((&answer["chosen"], &answer["stopped"]), (&Value::from(0), &Value::from("time-limit")));
    assert!(!folder.join("opened").exists(), "{said}");
}

#[test]
fn a_plan_far_under_the_cap_keeps_it_and_the_program_is_written_as_it_is_where_that_takes_less() {
    // A plan that changes nothing takes a little more: far below the cap, and above it.
    for (cap, fits) in [("4000B", true), ("100%", false)] {
        let (_keep, folder) = layer(AS_IS_BYTES + 1);
        let (answer, said) = fit(&folder, &["--cap", cap, "--tries", "6"]);
        assert_eq!(names(&answer["tries"], "fusion"), ["xla-cpu", "no-plan"], "{said}");
        let [planned, unplanned] = [&answer["tries"][0], &answer["tries"][1]];
        assert_eq!((&planned["fits"], &planned["above_unplanned"]), (&fits.into(), &true.into()), "{said}");
        assert_eq!((&unplanned["fits"], &answer["chosen"]), (&true.into(), &1.into()), "{said}");
        assert_eq!(said.contains("above the cap"), !fits, "{said}");
        assert_eq!(std::fs::read_to_string(folder.join("fitted.mlir")).expect("written"), LAYER);
        assert_eq!(compiled(&folder).len(), 2, "{said}");
    }
    // One that takes no more is written with its plan.
    let (_keep, folder) = layer(AS_IS_BYTES);
    let (answer, said) = fit(&folder, &["--cap", "4000B", "--tries", "6"]);
    assert_eq!(
        (names(&answer["tries"], "fusion"), &answer["chosen"]),
        (vec!["xla-cpu".to_owned()], &0.into())
    );
    assert!(!said.contains("as it is"), "{said}");
}

#[test]
fn no_program_is_compiled_twice_and_no_plan_is_asked_for_that_is_the_same_again() {
    // Whatever is planned takes as much, and is said to take nothing.
    let (_keep, folder) = layer(AS_IS_BYTES);
    let output = run(&folder, &["--tries", "6"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one JSON object on stdout");
    let mut programs = compiled(&folder);
    let count = programs.len();
    programs.sort_unstable();
    programs.dedup();
    assert_eq!(programs.len(), count, "{said}");
    // The first is the program as it is.
    assert_eq!(answer["tries"].as_array().expect("a list").len(), count - 1, "{said}");
    // What is stored otherwise may still come to the same program.
    let tried = names(&answer["tries"], "fusion");
    let dropped = names(&answer["dropped"], "fusion");
    assert!(dropped.iter().all(|fusion| !tried.contains(fusion)), "{said}");
}

#[test]
fn options_of_plans_that_fit_sets_are_refused_before_anything_is_compiled() {
    for (option, instead) in
        [("cap=5MB", "--cap"), ("cap-counts=all", "--cap-counts"), ("plan-file=p", "--output")]
    {
        let (_keep, folder) = layer(AS_IS_BYTES);
        let output = run(&folder, &["--remat", &format!("swap=false {option}")]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--remat: '") && said.contains(instead), "{said}");
        assert!(compiled(&folder).is_empty() && !folder.join("fitted.mlir").exists(), "{said}");
    }
}

#[test]
fn options_of_plans_that_cannot_be_are_refused_before_anything_is_compiled() {
    for (option, said_of_it) in [
        ("solver=nope", "Cannot find option named 'nope'"),
        ("relax-step=0", "relax-step=0: give 0.0001 to 10"),
        ("profile=nowhere.json", ""),
    ] {
        let (_keep, folder) = layer(AS_IS_BYTES);
        let output = run(&folder, &["--remat", option]);
        let said = String::from_utf8_lossy(&output.stderr);
        if said_of_it.is_empty() {
            // Read with the program: it says which of its ops were timed.
            assert!(said.contains("nowhere.json"), "{said}");
        } else {
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("--remat: ") && said.contains(said_of_it), "{said}");
            assert!(compiled(&folder).is_empty(), "{said}");
        }
        assert!(!folder.join("fitted.mlir").exists(), "{said}");
    }
}

#[test]
fn an_interrupt_before_the_first_plan_is_no_bad_input() {
    let (_keep, folder) = layer(AS_IS_BYTES);
    program(&folder.join("python"), "touch begun; exec sleep 1000");
    let mut fit = Command::new(env!("CARGO_BIN_EXE_ballast"))
        .current_dir(&folder)
        .args(["fit", "step.mlir", "--cap", "2000B", "--python", "./python", "-o", "fitted.mlir"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    while !folder.join("begun").exists() {
        assert!(fit.try_wait().expect("known").is_none(), "it ended before it compiled anything");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // SAFETY: the child has not been waited for, so the number is still its own.
    unsafe { libc::kill(i32::try_from(fit.id()).expect("a number"), libc::SIGTERM) };
    let output = fit.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains("ballast: interrupted: ") && said.contains("no plan was found before"), "{said}");
}

#[test]
fn errors_name_the_program_that_was_given_and_no_copy_of_it() {
    // As JAX writes it; the script makes of it what a Python with JAX would.
    let (_keep, folder) = layer(AS_IS_BYTES);
    let pretty = LAYER.replace("\"stablehlo.sine\"", "stablehlo.sine");
    std::fs::write(folder.join("step.mlir"), pretty).expect("written");
    std::fs::write(folder.join("generic"), LAYER).expect("written");
    let copy = r#"case "$1" in *generic.py) cp generic "$4"; exit ;; esac
echo '{"temporary_bytes": 3000, "argument_bytes": 0, "result_bytes": 0, "alias_bytes": 0, "flops": 100}'; touch compiled/1
"#;
    program(&folder.join("python"), copy);
    let said = |args: &[&str]| {
        let output = run(&folder, args);
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let unknown = said(&["--function", "step"]);
    assert!(
        unknown.contains("step.mlir: --function: there is no function 'step': name one of main"),
        "{unknown}"
    );
    assert!(compiled(&folder).is_empty(), "{unknown}");
    // What the driver says of an option, before there is a copy, and of the copy itself.
    let option = said(&["--remat", "no-such-option=1"]);
    assert!(
        option.contains("error: --remat: ") && option.contains("no such option no-such-option"),
        "{option}"
    );
    std::fs::write(folder.join("generic"), LAYER.replace("return %e", "return %f")).expect("written");
    let copy = said(&[]);
    assert!(copy.contains("error: step.mlir: ") && !copy.contains("generic.mlir"), "{copy}");
}
