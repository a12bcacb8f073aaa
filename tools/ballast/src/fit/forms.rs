//! Forms of a program that `ballast fit` plans: as it is, with its loops opened, without its author's checkpoints, with gradients
//! of depthwise kernels and of max pooling written out.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::Args;
use crate::failure::Failure;
use crate::output::read_text;
use crate::run::Measured;
use crate::run::tools::{beside, capture};
use crate::run::xla::{self, Job};

/// A form of the program that plans start from, and what XLA takes for it unplanned.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Form {
    /// What was done to the program.
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) file: PathBuf,
    /// What XLA takes.
    pub(super) measured_bytes: u64,
    /// Operations, as XLA counts them: those of a loop's body once.
    pub(super) flops: Option<f64>,
    /// Operations with loops counted as often as they run, over those that XLA counts.
    #[serde(skip)]
    pub(super) scale: f64,
}

/// The program as it was given.
pub(super) const AS_IS: &str = "as-is";
/// Its counted loops replaced by their iterations.
const OPENED: &str = "loops-opened";
/// What its author decided to compute twice computed once, loops opened: where barriers are, as `jax.checkpoint` writes them.
const REMOVED: &str = "checkpoints-removed";
/// Its gradients of depthwise kernels as sums over elementwise products, its gradients of max pooling as elementwise ops: both hold less beside
/// their operands and results; loops opened, checkpoints removed.
const WRITTEN_OUT: [Gradients; 2] = [
    Gradients {
        form: "depthwise-gradients",
        flag: "--ballast-depthwise-gradients",
        has: |text| batch_groups(text) > 0,
        fewer: |before, after| batch_groups(after) < batch_groups(before),
    },
    Gradients {
        form: "pool-gradients",
        flag: "--ballast-pool-gradients",
        has: |text| selects(text) > 0,
        fewer: |before, after| selects(after) < selects(before),
    },
];

/// Gradients that a pass writes out.
struct Gradients {
    form: &'static str,
    flag: &'static str,
    /// Does a program have any?
    has: fn(&str) -> bool,
    /// Are there fewer of them after the pass than before?
    fewer: fn(&str, &str) -> bool,
}

fn selects(text: &str) -> usize {
    text.matches("stablehlo.select_and_scatter").count()
}

/// Convolutions in more than one batch group.
fn batch_groups(text: &str) -> usize {
    let counts = text.split("batch_group_count = ").skip(1);
    counts.filter(|rest| !(rest.starts_with("1 ") || rest.starts_with("1,"))).count()
}

/// The forms of a program, the one with the fewest operations last.
///
/// # Errors
/// A missing tool, a file that cannot be read or written.
pub(super) fn of(
    args: &Args,
    unplanned: &Measured,
    folder: &Path,
    job: &Job<'_>,
) -> Result<Vec<Form>, Failure> {
    let mut forms = vec![Form {
        name: AS_IS,
        file: args.program.clone(),
        measured_bytes: args.cap_counts.of(unplanned),
        flops: unplanned.flops,
        scale: 1.0,
    }];
    forms.extend(opened(args, folder, job)?);
    if let [whole, opened] = forms.as_mut_slice()
        && let (Some(once), Some(all)) = (whole.flops, opened.flops)
        && once > 0.0
    {
        whole.scale = all / once;
    }
    let latest = forms.last().map_or(args.program.clone(), |form| form.file.clone());
    forms.extend(checkpoints_removed(args, &latest, folder, job)?);
    for gradients in &WRITTEN_OUT {
        let latest = forms.last().map_or(args.program.clone(), |form| form.file.clone());
        forms.extend(written_out(gradients, args, &latest, folder, job)?);
    }
    Ok(forms)
}

/// The program with its counted loops opened, where it has any: to a planner a loop is one op.
fn opened(args: &Args, folder: &Path, job: &Job<'_>) -> Result<Option<Form>, Failure> {
    let loops = |text: &str| text.matches("stablehlo.while").count();
    if loops(&read_text(&args.program)?) == 0 {
        return Ok(None);
    }
    let what = args.program.display().to_string();
    let file = folder.join("opened.mlir");
    let inlined = folder.join("inlined.mlir");
    for (pass, file) in [("--ballast-inline", &inlined), ("--ballast-unroll", &file)] {
        let mut run = Command::new(beside("ballast-opt")?);
        run.arg(&args.program).args(["--allow-unregistered-dialect", pass, "-o"]).arg(file);
        capture(&mut run, &what, job.limit)?;
    }
    if loops(&read_text(&file)?) >= loops(&read_text(&inlined)?) {
        tracing::warn!(
            "no loop of {what} can be opened: each is planned as one op, and holds all it carries"
        );
        return Ok(None);
    }
    Ok(form(args, OPENED, file, job))
}

/// The program without its optimization barriers, where it has any: what they keep apart is recomputation that its author chose. A plan
/// made from this one chooses for itself; plans of the other forms start from the author's.
fn checkpoints_removed(
    args: &Args,
    program: &Path,
    folder: &Path,
    job: &Job<'_>,
) -> Result<Option<Form>, Failure> {
    if !read_text(program)?.contains("stablehlo.optimization_barrier") {
        return Ok(None);
    }
    let file = folder.join("checkpoints-removed.mlir");
    xla::without_barriers(program, &file, job)?;
    Ok(form(args, REMOVED, file, job))
}

/// The program with gradients written out, where it has any that can be.
fn written_out(
    gradients: &Gradients,
    args: &Args,
    program: &Path,
    folder: &Path,
    job: &Job<'_>,
) -> Result<Option<Form>, Failure> {
    let before = read_text(program)?;
    if !(gradients.has)(&before) {
        return Ok(None);
    }
    let file = folder.join(gradients.form).with_extension("mlir");
    let mut run = Command::new(beside("ballast-opt")?);
    run.arg(program).args(["--allow-unregistered-dialect", gradients.flag, "-o"]).arg(&file);
    capture(&mut run, &args.program.display().to_string(), job.limit)?;
    let written = (gradients.fewer)(&before, &read_text(&file)?);
    Ok(if written { form(args, gradients.form, file, job) } else { None })
}

/// A form of the program that XLA can compile.
fn form(args: &Args, name: &'static str, file: PathBuf, job: &Job<'_>) -> Option<Form> {
    match xla::measure(&file, false, job) {
        Ok(measured) => Some(Form {
            name,
            file,
            measured_bytes: args.cap_counts.of(&measured),
            flops: measured.flops,
            scale: 1.0,
        }),
        // The program itself could be compiled, so it can still be planned as it is.
        Err(failure) => {
            tracing::warn!("{name}: {}", failure.message());
            None
        }
    }
}
