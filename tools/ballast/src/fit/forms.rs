//! Forms of a program that `ballast fit` plans: as it is, with its loops opened, without its author's checkpoints, with its pooling
//! gradients written out.

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
/// Its gradients of max pooling as elementwise ops, which hold less beside their operands and results; loops opened, checkpoints removed.
const POOLED: &str = "pool-gradients";

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
    let latest = forms.last().map_or(args.program.clone(), |form| form.file.clone());
    forms.extend(pool_gradients(args, &latest, folder, job)?);
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

/// The program with its gradients of max pooling written out, where it has any.
fn pool_gradients(
    args: &Args,
    program: &Path,
    folder: &Path,
    job: &Job<'_>,
) -> Result<Option<Form>, Failure> {
    let count = |text: &str| text.matches("stablehlo.select_and_scatter").count();
    let before = count(&read_text(program)?);
    if before == 0 {
        return Ok(None);
    }
    let file = folder.join("pool-gradients.mlir");
    let mut run = Command::new(beside("ballast-opt")?);
    run.arg(program).args(["--allow-unregistered-dialect", "--ballast-pool-gradients", "-o"]).arg(&file);
    capture(&mut run, &args.program.display().to_string(), job.limit)?;
    Ok(if count(&read_text(&file)?) < before { form(args, POOLED, file, job) } else { None })
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
