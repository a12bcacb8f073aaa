//! Op times on the native route: every distinct op becomes a function, and one process runs all of them in turn.

use std::path::Path;
use std::process::Command;

use super::{read_keys, split_ops};
use crate::failure::Failure;
use crate::run::Job;
use crate::run::native::{Figures, lower, runner};
use crate::run::tools::{beside, capture, llvm};

/// Seconds of every run of every distinct op, by op key.
pub(super) fn times(model: &Path, job: &Job<'_>) -> Result<super::Times, Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
    let what = model.display().to_string();
    let (split, keys) = split_ops(folder.path(), job);
    let route =
        format!("--ballast-to-native=apply=false entry=true each=true seed={} runs={}", job.seed, job.runs);
    lower(model, &["--ballast-inline", &split, &route], folder.path(), job)?;
    let keys = read_keys(&keys, &what)?;
    let library = beside("libballast_runtime.so")?;
    let mut command = Command::new(llvm("mlir-runner"));
    command.args(runner(&[&library])).current_dir(folder.path());
    capture(&mut command, &what, job.limit)?;
    let (figures, _) = Figures::read(folder.path(), &what)?;
    let runs = job.runs as usize;
    if figures.seconds.len() != keys.len() * runs {
        let text = format!("{what}: {} ops were run {} times in all", keys.len(), figures.seconds.len());
        return Err(Failure::Internal(text));
    }
    Ok(keys.into_iter().zip(figures.seconds.chunks(runs).map(<[f64]>::to_vec)).collect())
}
