//! `cargo xtask bench fit`: caps that XLA's own measure keeps, on programs that the exporters write when asked: `ballast fit` on each, beside the same
//! program with a `jax.checkpoint` around every block, and StableHLO programs that are there.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::cmd;

use super::{file_name, from_here};
use crate::jax;
use crate::say;
use crate::workspace::{Workspace, step};

/// Arguments of `cargo xtask bench fit`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Programs by name; all of them and the project's own examples without one.
    programs: Vec<String>,
    /// Further StableHLO files.
    #[arg(long)]
    file: Vec<PathBuf>,
    /// Caps, percent of the temporaries XLA takes for the program as it is.
    #[arg(long, value_delimiter = ',', default_value = "75,60,40")]
    caps: Vec<u32>,
    /// Seconds for each memory plan.
    #[arg(long, default_value = "10")]
    time_limit: f64,
    /// Leave out the rows under what a checkpoint around every block takes.
    #[arg(long)]
    no_policies: bool,
    /// Plans for each cap, as many as `ballast fit` makes by itself.
    #[arg(long, default_value = "6")]
    tries: u32,
    /// Seed of every search.
    #[arg(long, default_value = "1")]
    seed: u64,
    /// A Python with jaxlib, instead of the one the tests use.
    #[arg(long)]
    python: Option<PathBuf>,
    /// What XLA compiles for: cpu, gpu or tpu.
    #[arg(long, default_value = "cpu")]
    platform: String,
    /// Compile for the GPU that this file describes, which need not be at hand.
    #[arg(long)]
    target: Option<PathBuf>,
}

impl Args {
    /// What XLA compiles for, as `ballast fit` and `run.py` take it.
    fn compiled_for(&self) -> Result<Vec<String>> {
        let mut options = vec![format!("--platform={}", self.platform)];
        if let Some(target) = &self.target {
            options.push(format!("--target={}", from_here(target)?.display()));
        }
        Ok(options)
    }
}

/// Programs by name, with the arguments of `ballast.export.jax`.
const PROGRAMS: [(&str, &str); 15] = [
    ("alexnet", "alexnet --batch 128 --image 32 --classes 10"),
    ("vgg16", "vgg16 --batch 32"),
    ("resnet50-64", "resnet50 --batch 4 --image 64"),
    ("resnet50-224", "resnet50 --batch 32"),
    ("inception-v3", "inception-v3 --batch 32"),
    ("mobilenet", "mobilenet"),
    ("average-pooled", "average-pooled"),
    ("unet", "unet"),
    ("bert", "bert"),
    ("gpt2-tiny", "gpt2 --batch 2 --sequence 64 --vocabulary 256 --layers 2 --width 64 --heads 4"),
    ("gpt2-small", "gpt2"),
    ("decoder-scan", "decoder"),
    ("vit-adamw-bf16", "vit --dtype bf16 --optimizer adamw"),
    ("vit-adamw-bf16-scan", "vit --dtype bf16 --optimizer adamw --scanned 1"),
    ("lstm-scan", "lstm"),
];

/// Policies of JAX that every block of a program is checkpointed with, to compare with.
const POLICIES: [&str; 2] = ["nothing_saveable", "dots_saveable"];

/// Prints one Markdown table.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if let Some(unknown) = args.programs.iter().find(|name| PROGRAMS.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = PROGRAMS.iter().map(|(name, _)| *name).collect();
        anyhow::bail!("no program '{unknown}': there are {}", known.join(", "));
    }
    let python = match &args.python {
        Some(python) => from_here(python)?,
        None if args.target.is_some() => jax::install_cuda_if_missing(workspace)?,
        None => jax::install_if_missing(workspace)?,
    };
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let bench = Bench { workspace, python, args, compiled_for: args.compiled_for()?, folder };
    say!("{HEAD}");
    let everything = args.programs.is_empty() && args.file.is_empty();
    let chosen =
        PROGRAMS.iter().filter(|(name, _)| everything || args.programs.iter().any(|wanted| wanted == name));
    for (name, options) in chosen {
        step(&format!("{name}: exported"));
        let program = bench.export(name, options, "none")?;
        let plain = bench.measure(&program)?;
        let mut policies = Vec::new();
        for policy in POLICIES {
            let blocks = bench.export(&format!("{name}.{policy}"), options, policy)?;
            policies.push((policy, bench.measure_beside(&blocks, &plain)?));
        }
        bench.rows(name, &program, &plain, &policies)?;
    }
    let mut files = args.file.iter().map(|file| from_here(file)).collect::<Result<Vec<_>>>()?;
    if everything {
        files.extend(stablehlo_programs(workspace, &workspace.root.join("tests/inputs/models"))?);
    }
    for file in &files {
        bench.rows(&file_name(file), file, &bench.measure(file)?, &[])?;
    }
    Ok(())
}

const HEAD: &str = "| program | XLA's temporaries MB | by blocks, `nothing_saveable`: MB, operations | `dots_saveable` | cap: MB \
                    | expected MB | kept: MB, operations | form | plans | s |\n|---|---|---|---|---|---|---|---|---|---|";

struct Bench<'b> {
    workspace: &'b Workspace,
    python: PathBuf,
    args: &'b Args,
    compiled_for: Vec<String>,
    folder: PathBuf,
}

/// What XLA says of a program.
#[derive(Clone, Copy)]
struct Measured {
    megabytes: f64,
    /// Loops counted as often as they run, where they can be opened.
    operations: f64,
    /// The body of a loop counted once, as XLA does.
    operations_once: f64,
    /// Iterations of the loops that stack values for later ones; 1 without any.
    trips: f64,
    /// Temporaries and operations of the same program with its loops opened, what it computes twice held apart; none: it has no loops.
    opened: Option<(f64, f64)>,
}

/// A cap by its name.
struct Cap {
    name: String,
    bytes: f64,
}

/// What was written under a cap.
#[derive(Clone)]
struct Fitted {
    megabytes: f64,
    expected_megabytes: f64,
    /// Over those of the program as it is.
    operations: f64,
    form: String,
    plans: usize,
}

impl Fitted {
    fn of(answer: &Value) -> Option<Self> {
        let tries = answer["tries"].as_array()?;
        let chosen = tries.get(usize::try_from(answer["chosen"].as_u64()?).ok()?)?;
        Some(Fitted {
            megabytes: chosen["measured_bytes"].as_f64()? / 1e6,
            expected_megabytes: chosen["expected_bytes"].as_f64()? / 1e6,
            operations: chosen["compared_flops"].as_f64()?
                / answer["unplanned_compared_flops"].as_f64()?.max(1.0),
            form: format!("{}, {}", chosen["program"].as_str()?, chosen["fusion"].as_str()?),
            plans: tries.len(),
        })
    }
}

impl Bench<'_> {
    fn export(&self, name: &str, options: &str, blocks: &str) -> Result<PathBuf> {
        let file = self.folder.join(format!("{name}.mlir"));
        let python = &self.python;
        cmd!(self.workspace.shell, "{python} -m ballast.export.jax")
            .env("PYTHONPATH", self.workspace.root.join("tools/python/src"))
            .args(options.split(' '))
            .args(["--blocks", blocks, "-o"])
            .arg(&file)
            .quiet()
            .ignore_stderr()
            .run()?;
        Ok(file)
    }

    fn measure(&self, program: &Path) -> Result<Measured> {
        let once = self.counted_once(program)?;
        if !self.workspace.shell.read_file(program)?.contains("stablehlo.while") {
            return Ok(once);
        }
        let opened = self.opened(program)?;
        let (paired, stacks) = (self.folder.join("paired.mlir"), self.folder.join("stacks.json"));
        self.rewrite(
            program,
            &format!("--ballast-pair-loops=cap=1% plan-file='{}'", stacks.display()),
            &paired,
        )?;
        let stacks: Value = serde_json::from_str(&self.workspace.shell.read_file(&stacks)?)?;
        let trips = stacks["trips"].as_f64().context("no trips")?.max(1.0);
        Ok(Measured { operations: opened.1, trips, opened: Some(opened), ..once })
    }

    /// A program that computes more than `plain` in every iteration of its loops. What loops that stay run more is counted as `ballast fit` counts it for plans
    /// whose loops stay: from one iteration, for which XLA counts what fusions compute twice, too. That is less for loops that stack less, so the program is
    /// counted with its loops opened besides, as plans are that open them.
    fn measure_beside(&self, program: &Path, plain: &Measured) -> Result<Measured> {
        let once = self.counted_once(program)?;
        let more = (once.operations_once - plain.operations_once) * plain.trips;
        let opened = plain.opened.map(|_| self.opened(program)).transpose()?;
        Ok(Measured { operations: plain.operations + more, opened, ..once })
    }

    /// Temporaries and operations of a program with its loops opened.
    fn opened(&self, program: &Path) -> Result<(f64, f64)> {
        let opened = self.folder.join("opened.mlir");
        self.rewrite(program, "--ballast-unroll", &opened)?;
        let opened = self.counted_once(&opened)?;
        Ok((opened.megabytes, opened.operations))
    }

    /// What XLA says.
    fn counted_once(&self, program: &Path) -> Result<Measured> {
        let answer = self.ask(program)?;
        let operations = answer["flops"].as_f64().context("no operations")?;
        let megabytes = answer["temporary_bytes"].as_f64().context("no temporaries")? / 1e6;
        Ok(Measured { megabytes, operations, operations_once: operations, trips: 1.0, opened: None })
    }

    fn rewrite(&self, program: &Path, pass: &str, output: &Path) -> Result<()> {
        let driver = self.workspace.program("ballast-opt");
        cmd!(self.workspace.shell, "{driver} {program} --allow-unregistered-dialect {pass} -o {output}")
            .quiet()
            .ignore_stderr()
            .run()
            .map_err(Into::into)
    }

    fn ask(&self, program: &Path) -> Result<Value> {
        let (python, script) = (&self.python, self.workspace.root.join("tools/xla/run.py"));
        let compiled_for = &self.compiled_for;
        let answer =
            cmd!(self.workspace.shell, "{python} {script} {program} {compiled_for...}").quiet().read()?;
        serde_json::from_str(&answer).context("XLA's answer is not JSON")
    }

    fn rows(
        &self,
        name: &str,
        program: &Path,
        plain: &Measured,
        policies: &[(&str, Measured)],
    ) -> Result<()> {
        let tell = |cap: &Cap, found: Option<&Fitted>, seconds| {
            say!("{}", row(name, plain, policies, cap, found, seconds));
        };
        let mut fitted: Vec<(String, Fitted)> = Vec::new();
        for &share in &self.args.caps {
            let bytes = (plain.megabytes * 1e4 * f64::from(share)).floor();
            let cap = Cap { name: format!("{share} %"), bytes };
            let (found, seconds) = self.timed(name, program, &cap)?;
            tell(&cap, found.as_ref(), seconds);
            fitted.extend(found.map(|found| (cap.name, found)));
        }
        let gains = |measured: &Measured| !self.args.no_policies && measured.megabytes < plain.megabytes;
        for (policy, measured) in policies.iter().filter(|(_, measured)| gains(measured)) {
            let cap = Cap { name: (*policy).to_owned(), bytes: (measured.megabytes * 1e6).floor() };
            // What was found under another cap may do.
            let known = fitted.iter().find(|(_, found)| {
                found.megabytes <= measured.megabytes
                    && found.operations * plain.operations <= measured.operations
            });
            let (found, seconds) = match known {
                Some((under, found)) => {
                    (Some(Fitted { form: format!("as under {under}"), ..found.clone() }), 0.0)
                }
                None => self.timed(name, program, &cap)?,
            };
            tell(&cap, found.as_ref(), seconds);
        }
        Ok(())
    }

    /// What is written under a cap, and the seconds it took.
    fn timed(&self, name: &str, program: &Path, cap: &Cap) -> Result<(Option<Fitted>, f64)> {
        step(&format!("{name}, {}", cap.name));
        let begin = Instant::now();
        Ok((self.fit(program, cap)?, begin.elapsed().as_secs_f64()))
    }

    fn fit(&self, program: &Path, cap: &Cap) -> Result<Option<Fitted>> {
        let (limit, seed) = (self.args.time_limit, self.args.seed);
        let (fit, python) = (self.workspace.program("ballast"), &self.python);
        let output = self.folder.join("fitted.mlir");
        let answer = cmd!(self.workspace.shell, "{fit} fit {program} --python {python} -o {output}")
            .args(&self.compiled_for)
            .arg(format!("--cap={}", cap.bytes))
            .arg(format!("--tries={}", self.args.tries))
            .arg(format!("--remat=swap=false time-limit={limit} seed={seed}"))
            .quiet()
            .ignore_status()
            .ignore_stderr()
            .read()?;
        // Without a plan nothing is printed.
        let answer: Option<Value> = serde_json::from_str(&answer).ok();
        Ok(answer.as_ref().and_then(Fitted::of))
    }
}

/// The files of a folder that hold StableHLO.
fn stablehlo_programs(workspace: &Workspace, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut programs = Vec::new();
    for path in workspace.shell.read_dir(folder)? {
        let is_program = path.extension().is_some_and(|extension| extension == "mlir");
        if is_program && workspace.shell.read_file(&path)?.contains("stablehlo.") {
            programs.push(path);
        }
    }
    Ok(programs)
}

fn row(
    name: &str,
    plain: &Measured,
    policies: &[(&str, Measured)],
    cap: &Cap,
    fitted: Option<&Fitted>,
    seconds: f64,
) -> String {
    let by_blocks: Vec<String> = POLICIES
        .iter()
        .map(|policy| {
            let found = policies.iter().find(|(name, _)| name == policy);
            found.map_or("-".to_owned(), |(_, found)| {
                let over = |operations: f64| operations / plain.operations.max(1.0);
                let opened = found.opened.map(|(megabytes, operations)| {
                    format!("; opened {megabytes:.1}, {:.3}", over(operations))
                });
                let opened = opened.unwrap_or_default();
                format!("{:.1}, {:.3}{opened}", found.megabytes, over(found.operations))
            })
        })
        .collect();
    let found = match fitted {
        Some(found) => format!(
            "{:.1} | {:.1}, {:.3} | {} | {}",
            found.expected_megabytes, found.megabytes, found.operations, found.form, found.plans
        ),
        None => " | no |  | ".to_owned(),
    };
    format!(
        "| {name} | {:.1} | {} | {}: {:.1} | {found} | {seconds:.0} |",
        plain.megabytes,
        by_blocks.join(" | "),
        cap.name,
        cap.bytes / 1e6,
    )
}

#[cfg(test)]
mod tests {
    use super::{Cap, Fitted, Measured, row};

    #[test]
    fn a_row_says_what_was_kept_and_what_policies_take() {
        let plain =
            Measured { megabytes: 100.0, operations: 4.0, operations_once: 4.0, trips: 1.0, opened: None };
        let policy = Measured { megabytes: 30.0, operations: 5.0, ..plain };
        let answer = serde_json::json!({ "chosen": 1, "unplanned_compared_flops": 4.0, "tries": [
            { "program": "as-is", "fusion": "xla-cpu", "measured_bytes": 70_000_000, "compared_flops": 4.0 },
            { "program": "as-is", "fusion": "none", "measured_bytes": 59_000_000, "expected_bytes": 58_000_000,
              "flops": 1.0, "compared_flops": 4.4 },
        ]});
        let cap = |name: &str, bytes| Cap { name: name.to_owned(), bytes };
        assert_eq!(
            row(
                "m",
                &plain,
                &[("dots_saveable", policy)],
                &cap("60 %", 6e7),
                Fitted::of(&answer).as_ref(),
                12.4
            ),
            "| m | 100.0 | - | 30.0, 1.250 | 60 %: 60.0 | 58.0 | 59.0, 1.100 | as-is, none | 2 | 12 |"
        );
        let scanned = Measured { opened: Some((20.0, 4.2)), ..policy };
        let beside = row("m", &plain, &[("dots_saveable", scanned)], &cap("60 %", 6e7), None, 0.0);
        assert!(beside.starts_with("| m | 100.0 | - | 30.0, 1.250; opened 20.0, 1.050 |"), "{beside}");
        let nothing = serde_json::json!({ "chosen": null, "tries": [] });
        assert_eq!(
            row("m", &plain, &[], &cap("40 %", 4e7), Fitted::of(&nothing).as_ref(), 1.0),
            "| m | 100.0 | - | - | 40 %: 40.0 |  | no |  |  | 1 |"
        );
    }
}
