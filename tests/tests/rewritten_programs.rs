//! Planned programs that run: random ones and exported ones do after rewriting what they did before, within their memory.
//!
//! The native route runs them: MLIR's own lowering, with a heap that counts.

use std::fmt::Write as _;
use std::path::Path;

use ballast_tests::{ballast, ballast_opt, model, root, scratch};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// A random program on 8 x 8 matrices: products, sums, functions, transposes, views and shared constants, read at random
/// distances, so that values live long.
fn program(random: &mut ChaCha8Rng) -> String {
    const TYPE: &str = "tensor<8x8xf32>";
    let mut body = format!(
        "    %zero = arith.constant 0.0 : f32\n    %empty = tensor.empty() : {TYPE}\n    \
         %filled = linalg.fill ins(%zero : f32) outs(%empty : {TYPE}) -> {TYPE}\n"
    );
    let mut values: Vec<String> = (0..random.random_range(1..=3)).map(|i| format!("%arg{i}")).collect();
    let arguments = values.len();
    for id in 0..random.random_range(6..40) {
        let mut pick = || values[random.random_range(0..values.len())].clone();
        let (a, b) = (pick(), pick());
        let name = format!("%v{id}");
        let line = match random.random_range(0..8) {
            0 => format!("linalg.matmul ins({a}, {b} : {TYPE}, {TYPE}) outs(%filled : {TYPE}) -> {TYPE}"),
            1 => format!("linalg.add ins({a}, {b} : {TYPE}, {TYPE}) outs(%empty : {TYPE}) -> {TYPE}"),
            2 => format!("linalg.sub ins({a}, {b} : {TYPE}, {TYPE}) outs(%empty : {TYPE}) -> {TYPE}"),
            3 => format!("linalg.mul ins({a}, {b} : {TYPE}, {TYPE}) outs(%empty : {TYPE}) -> {TYPE}"),
            4 => format!("linalg.abs ins({a} : {TYPE}) outs(%empty : {TYPE}) -> {TYPE}"),
            5 => format!("linalg.negf ins({a} : {TYPE}) outs(%empty : {TYPE}) -> {TYPE}"),
            6 => format!("linalg.transpose ins({a} : {TYPE}) outs(%empty : {TYPE}) permutation = [1, 0]"),
            _ => {
                // A view, and a reader of it.
                let flat = "tensor<64xf32>";
                writeln!(body, "    {name}f = tensor.collapse_shape {a} [[0, 1]] : {TYPE} into {flat}")
                    .unwrap();
                writeln!(body, "    {name}e = tensor.expand_shape {name}f [[0, 1]] output_shape [8, 8] : {flat} into {TYPE}")
                    .unwrap();
                format!("linalg.add ins({name}e, {b} : {TYPE}, {TYPE}) outs(%empty : {TYPE}) -> {TYPE}")
            }
        };
        writeln!(body, "    {name} = {line}").unwrap();
        values.push(name);
    }
    let made = &values[arguments..];
    let mut returned = vec![made[made.len() - 1].clone()];
    for value in &made[..made.len() - 1] {
        // Mostly, values nobody else reads are returned, so that all of the program matters.
        if !body.contains(&format!("{value} :")) && !body.contains(&format!("{value},"))
            || random.random_range(0..12) == 0
        {
            returned.push(value.clone());
        }
    }
    let list =
        |what: &dyn Fn(usize) -> String, count: usize| (0..count).map(what).collect::<Vec<_>>().join(", ");
    format!(
        "func.func @main({}) -> ({}) {{\n{body}    return {} : {}\n}}\n",
        list(&|i| format!("%arg{i}: {TYPE}"), arguments),
        list(&|_| TYPE.to_owned(), returned.len()),
        returned.join(", "),
        list(&|_| TYPE.to_owned(), returned.len()),
    )
}

/// What became of one random program.
#[derive(Default)]
struct Seen {
    recomputed: usize,
    swapped: usize,
    crossing: usize,
    /// Programs whose peak was compared.
    peaks: usize,
}

/// Plans a random program, rewrites it, and runs both.
fn check(seed: u64, folder: &Path, seen: &mut Seen) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (original, rewritten) = (folder.join("original.mlir"), folder.join("rewritten.mlir"));
    // Simplified before planning: what CSE would merge anyway, it would merge after planning too, against the plan.
    let generated = folder.join("generated.mlir");
    std::fs::write(&generated, program(&mut random)).unwrap();
    let _ = ballast_opt(
        &generated,
        ["--cse", "--canonicalize", "-o"].map(Path::new).iter().chain([&original.as_path()]),
    )
    .succeeded();
    let cap = random.random_range(45..100);
    let kind = random.random_range(0..3);
    let mut arguments = Vec::new();
    let fast_host = root().join("lit/Inputs/fast-host.toml");
    let devices = match kind {
        0 => String::new(),
        1 => format!("devices='{}'", fast_host.display()),
        _ => {
            arguments.push(
                "--rl-partition=devices=3 use-all-devices=true method=dp seed=1 time-limit=0.5".to_owned(),
            );
            String::new()
        }
    };
    arguments.push(format!("--remat={devices} cap={cap}% seed={seed} time-limit=0.4 relax-limit=8"));
    arguments.extend(["--mlir-print-ir-after=remat", "--ballast-apply"].map(str::to_owned));
    // Half of the programs for several devices are cut too, and run by their host.
    if kind == 2 && seed.is_multiple_of(2) {
        arguments.push("--ballast-outline".to_owned());
    }
    arguments.extend(["--cse", "--canonicalize", "-o"].map(str::to_owned));
    arguments.push(rewritten.display().to_string());
    let annotated = ballast_opt(&original, &arguments).succeeded().stderr;
    seen.recomputed += annotated.matches("#ballast.recompute").count();
    seen.swapped += annotated.matches("#ballast.swap").count();
    seen.crossing += annotated.matches("#ballast.receive").count();
    let compared = compare(&original, &rewritten);
    let context = format!("seed {seed}: {compared}");
    assert_eq!(compared["difference"]["identical"], true, "{context}");
    assert_eq!(compared["original"]["leaked_bytes"], 0, "{context}");
    assert_eq!(compared["rewritten"]["leaked_bytes"], 0, "{context}");
    if let Some(planned) = compared["plan"]["peak_bytes"].as_u64() {
        seen.peaks += 1;
        let copied = 4 * 8 * 8 * copies(&original);
        assert!(compared["rewritten"]["peak_bytes"].as_u64().unwrap() <= planned + copied, "{context}");
        assert!(
            compared["rewritten"]["host_peak_bytes"].as_u64().unwrap()
                <= compared["plan"]["host_peak_bytes"].as_u64().unwrap(),
            "{context}"
        );
    }
}

/// How many results the native route copies: arguments, and values returned before. The plan does not reckon with those.
fn copies(program: &Path) -> u64 {
    let text = std::fs::read_to_string(program).unwrap();
    let line = text.lines().find(|line| line.trim_start().starts_with("return ")).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let values = line.split(':').next().unwrap().split([' ', ',']).filter(|word| word.starts_with('%'));
    values.filter(|value| value.starts_with("%arg") || !seen.insert(value.to_owned())).count() as u64
}

fn compare(original: &Path, rewritten: &Path) -> Value {
    let arguments = [Path::new("run"), original, rewritten];
    let options = ["--backend", "native", "--seed", "5", "--json", "-"].map(Path::new);
    ballast(arguments.into_iter().chain(options)).succeeded().json()
}

fn check_many(seeds: std::ops::Range<u64>) -> Seen {
    let folder = scratch();
    let mut seen = Seen::default();
    for seed in seeds {
        check(seed, folder.path(), &mut seen);
    }
    seen
}

#[test]
fn random_programs_give_the_same_results_in_the_planned_memory() {
    let seen = check_many(0..12);
    assert!(
        seen.recomputed > 0 && seen.swapped > 0 && seen.crossing > 0 && seen.peaks > 0,
        "the plans do too little to be a test"
    );
}

#[test]
#[ignore = "takes minutes; run: cargo test --release --workspace --test rewritten_programs -- --ignored"]
fn three_hundred_random_programs_give_the_same_results_in_the_planned_memory() {
    let seen = check_many(1000..1300);
    assert!(seen.recomputed > 100 && seen.swapped > 100 && seen.crossing > 100);
}

#[test]
fn an_edited_program_is_refused_and_no_file_is_written() {
    let folder = scratch();
    let (annotated, output) = (folder.path().join("annotated.mlir"), folder.path().join("output.mlir"));
    let planned = ["--remat=cap=90% seed=1 time-limit=2", "-o"].map(Path::new);
    let _ = ballast_opt(
        &model("torch_vgg16_cifar_b16.linalg.mlir"),
        planned.iter().chain([&annotated.as_path()]),
    )
    .succeeded();
    let text = std::fs::read_to_string(&annotated).unwrap();
    let edited =
        text.replacen("linalg.matmul", "linalg.matmul {edited}", 1).replacen("arith.addf", "arith.mulf", 1);
    assert_ne!(text, edited);
    let without_one = edited.replacen("ballast.position = 3 : i64", "ballast.position = 4 : i64", 1);
    assert_ne!(without_one, edited);
    std::fs::write(&annotated, without_one).unwrap();
    let refused = ballast_opt(
        &annotated,
        ["--ballast-to-native", "-o"].map(Path::new).iter().chain([&output.as_path()]),
    );
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(refused.stderr.contains("annotated.mlir:"), "{}", refused.stderr);
    assert!(!output.exists());
}
