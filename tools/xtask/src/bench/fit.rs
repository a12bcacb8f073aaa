//! `cargo xtask bench fit`: caps that XLA's own measure keeps, on programs that the exporters write when asked: `ballast fit` on each, beside the same
//! program with a `jax.checkpoint` around every block.

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
    /// Programs by name; all without one.
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
    /// Plans for each cap.
    #[arg(long, default_value = "3")]
    tries: u32,
    /// Seed of every search.
    #[arg(long, default_value = "1")]
    seed: u64,
    /// A Python with jaxlib, instead of the one the tests use.
    #[arg(long)]
    python: Option<PathBuf>,
}

/// Programs by name, with the arguments of `ballast.export.jax`.
const PROGRAMS: [(&str, &str); 14] = [
    ("alexnet", "alexnet --batch 128 --image 32 --classes 10"),
    ("vgg16", "vgg16 --batch 32"),
    ("resnet50-64", "resnet50 --batch 4 --image 64"),
    ("resnet50-224", "resnet50 --batch 32"),
    ("inception-v3", "inception-v3 --batch 32"),
    ("mobilenet", "mobilenet"),
    ("unet", "unet"),
    ("bert", "bert"),
    ("gpt2-tiny", "gpt2 --batch 2 --sequence 64 --vocabulary 256 --layers 2 --width 64 --heads 4"),
    ("gpt2-small", "gpt2"),
    ("decoder-scan", "decoder"),
    ("vit-adamw-bf16", "vit --dtype bf16 --optimizer adamw"),
    ("vit-adamw-bf16-scan", "vit --dtype bf16 --optimizer adamw --scanned 1"),
    ("lstm-scan", "lstm"),
];

/// Prints one Markdown table.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if let Some(unknown) = args.programs.iter().find(|name| PROGRAMS.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = PROGRAMS.iter().map(|(name, _)| *name).collect();
        anyhow::bail!("no program '{unknown}': there are {}", known.join(", "));
    }
    let python = match &args.python {
        Some(python) => from_here(python)?,
        None => jax::install_if_missing(workspace)?,
    };
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let bench = Bench { workspace, python, args, folder };
    say!("{HEAD}");
    let chosen = PROGRAMS.iter().filter(|(name, _)| {
        args.programs.iter().any(|wanted| wanted == name)
            || (args.programs.is_empty() && args.file.is_empty())
    });
    for (name, options) in chosen {
        step(&format!("{name}: exported"));
        let plain = bench.export(name, options, "none")?;
        let blocks = bench.export(&format!("{name}.blocks"), options, "nothing_saveable")?;
        let policy = bench.measure(&blocks)?;
        bench.rows(name, &plain, Some(&policy))?;
    }
    for file in &args.file {
        bench.rows(&file_name(file), &from_here(file)?, None)?;
    }
    Ok(())
}

const HEAD: &str = "| program | XLA's temporaries MB | `nothing_saveable` by blocks: MB, operations | cap %, MB | kept: MB, operations | form | plans | s |\n\
                    |---|---|---|---|---|---|---|---|";

struct Bench<'b> {
    workspace: &'b Workspace,
    python: PathBuf,
    args: &'b Args,
    folder: PathBuf,
}

/// What XLA says of a program.
struct Measured {
    megabytes: f64,
    operations: f64,
}

impl Bench<'_> {
    fn export(&self, name: &str, options: &str, blocks: &str) -> Result<PathBuf> {
        let file = self.folder.join(name).with_extension("mlir");
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
        let (python, script) = (&self.python, self.workspace.root.join("tools/xla/run.py"));
        let answer = cmd!(self.workspace.shell, "{python} {script} {program}").quiet().read()?;
        let answer: Value = serde_json::from_str(&answer).context("XLA's answer is not JSON")?;
        Ok(Measured {
            megabytes: answer["temporary_bytes"].as_f64().context("no temporaries")? / 1e6,
            operations: answer["flops"].as_f64().context("no operations")?,
        })
    }

    fn rows(&self, name: &str, program: &Path, policy: Option<&Measured>) -> Result<()> {
        let plain = self.measure(program)?;
        for &cap in &self.args.caps {
            step(&format!("{name}, {cap} %"));
            let (limit, seed) = (self.args.time_limit, self.args.seed);
            let (fit, python) = (self.workspace.program("ballast"), &self.python);
            let output = self.folder.join("fitted.mlir");
            let begin = Instant::now();
            let answer = cmd!(self.workspace.shell, "{fit} fit {program} --python {python} -o {output}")
                .arg(format!("--cap={cap}%"))
                .arg(format!("--tries={}", self.args.tries))
                .arg(format!("--remat=swap=false time-limit={limit} seed={seed}"))
                .quiet()
                .ignore_status()
                .ignore_stderr()
                .read()?;
            let seconds = begin.elapsed().as_secs_f64();
            // Without a plan nothing is printed.
            let answer: Option<Value> = serde_json::from_str(&answer).ok();
            say!("{}", row(name, &plain, policy, cap, answer.as_ref(), seconds));
        }
        Ok(())
    }
}

fn row(
    name: &str,
    plain: &Measured,
    policy: Option<&Measured>,
    cap: u32,
    answer: Option<&Value>,
    seconds: f64,
) -> String {
    let against = |operations: f64| operations / plain.operations.max(1.0);
    let policy = policy.map_or("-".to_owned(), |policy| {
        format!("{:.1}, {:.3}", policy.megabytes, against(policy.operations))
    });
    let chosen = answer.and_then(|answer| {
        let tries = answer["tries"].as_array()?;
        let chosen = tries.get(usize::try_from(answer["chosen"].as_u64()?).ok()?)?;
        let megabytes = chosen["measured_bytes"].as_f64()? / 1e6;
        let operations = against(chosen["flops"].as_f64()?);
        let form = format!("{}, {}", chosen["program"].as_str()?, chosen["fusion"].as_str()?);
        Some((format!("{megabytes:.1}, {operations:.3}"), form, tries.len().to_string()))
    });
    let (kept, form, plans) = chosen.unwrap_or_else(|| ("no".to_owned(), String::new(), String::new()));
    let bytes = plain.megabytes * f64::from(cap) / 100.0;
    format!(
        "| {name} | {:.1} | {policy} | {cap}, {bytes:.1} | {kept} | {form} | {plans} | {seconds:.0} |",
        plain.megabytes
    )
}

#[cfg(test)]
mod tests {
    use super::{Measured, row};

    #[test]
    fn a_row_says_what_was_kept_and_what_a_policy_takes() {
        let plain = Measured { megabytes: 100.0, operations: 4.0 };
        let policy = Measured { megabytes: 30.0, operations: 5.0 };
        let answer = serde_json::json!({ "chosen": 1, "tries": [
            { "program": "as-is", "fusion": "xla-cpu", "measured_bytes": 70_000_000, "flops": 4.0 },
            { "program": "as-is", "fusion": "none", "measured_bytes": 59_000_000, "flops": 4.4 },
        ]});
        assert_eq!(
            row("m", &plain, Some(&policy), 60, Some(&answer), 12.4),
            "| m | 100.0 | 30.0, 1.250 | 60, 60.0 | 59.0, 1.100 | as-is, none | 2 | 12 |"
        );
        assert_eq!(row("m", &plain, None, 40, None, 1.0), "| m | 100.0 | - | 40, 40.0 | no |  |  | 1 |");
    }
}
