//! One process per device: the programs of a plan's devices, run by `mpirun` on real processes with counted heaps.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use super::compare::Values;
use super::native::{Figures, lower, runner};
use super::plan::PlanFigures;
use super::tools::{beside, capture, llvm};
use super::{Job, Measured};
use crate::failure::Failure;

/// What to do where Open MPI is missing.
const REMEDY: &str = "install Open MPI (Debian: openmpi-bin and libopenmpi-dev), as `cargo xtask setup` does";

/// What one rank did.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Rank {
    /// Its number, which is that of its device.
    pub(crate) rank: usize,
    /// Seconds of its shortest run, waiting included.
    pub(crate) seconds: f64,
    /// Of it, seconds in messages: transfer, and waiting for the other end.
    pub(crate) waiting_seconds: f64,
    /// The rest: computation, and copies to and from its host heap. The measured time of its stage.
    pub(crate) stage_seconds: f64,
    /// Largest device heap.
    pub(crate) peak_bytes: u64,
    /// Largest host heap.
    pub(crate) host_peak_bytes: u64,
    /// Bytes never freed.
    pub(crate) leaked_bytes: u64,
}

/// Runs the programs of all devices of a planned program, `job.runs` times; what each rank did, and the results in order.
///
/// # Errors
/// A missing Open MPI, a program that cannot be lowered, a rank that fails or takes longer than the limit.
pub(crate) fn run_ranks(
    program: &Path,
    ranks: usize,
    job: &Job<'_>,
) -> Result<(Vec<Rank>, Vec<Values>), Failure> {
    let what = program.display().to_string();
    let io = |error: std::io::Error| Failure::BadInput(format!("no temporary folder: {error}"));
    let library = library(job.limit)?;
    let folder = tempfile::tempdir().map_err(io)?;
    let folders: Vec<PathBuf> = (0..ranks).map(|rank| folder.path().join(format!("rank{rank}"))).collect();
    for (rank, folder) in folders.iter().enumerate() {
        std::fs::create_dir(folder).map_err(io)?;
        lower(program, &[&format!("--ballast-to-mpi=rank={rank} {}", job.options())], folder, job)?;
    }
    let arguments = runner(&[&beside("libballast_runtime.so")?, &library]);
    let mut command = mpirun(folder.path());
    for (rank, folder) in folders.iter().enumerate() {
        if rank > 0 {
            command.arg(":");
        }
        command.args(["-n", "1", "-wdir"]).arg(folder).arg(llvm("mlir-runner")).args(&arguments);
    }
    capture(&mut command, &what, job.limit)?;
    let mut all = Vec::with_capacity(ranks);
    let mut results: Vec<(usize, Values)> = Vec::new();
    for (rank, folder) in folders.iter().enumerate() {
        let (figures, mine) = Figures::read(folder, &format!("{what}, rank {rank}"))?;
        results.extend(mine);
        let (seconds, waiting_seconds) = figures.shortest();
        all.push(Rank {
            rank,
            seconds,
            waiting_seconds,
            stage_seconds: seconds - waiting_seconds,
            peak_bytes: figures.peak_bytes,
            host_peak_bytes: figures.host_peak_bytes,
            leaked_bytes: figures.leaked_bytes,
        });
    }
    results.sort_by_key(|(number, _)| *number);
    Ok((all, results.into_iter().map(|(_, values)| values).collect()))
}

/// Runs the rewritten program on one process per device.
pub(super) fn measure(
    program: &Path,
    plan: Option<&PlanFigures>,
    job: &Job<'_>,
) -> Result<Measured, Failure> {
    let Some(plan) = plan else {
        let text = format!("{}: carries no plan for several devices: plan it first", program.display());
        return Err(Failure::BadInput(text));
    };
    let (ranks, results) = run_ranks(program, plan.devices, job)?;
    Ok(Measured {
        seconds: ranks.iter().map(|rank| rank.seconds).reduce(f64::max),
        peak_bytes: ranks.iter().map(|rank| rank.peak_bytes).max().unwrap_or(0),
        host_peak_bytes: ranks.iter().map(|rank| rank.host_peak_bytes).max(),
        leaked_bytes: Some(ranks.iter().map(|rank| rank.leaked_bytes).sum()),
        ranks,
        results,
        ..Measured::default()
    })
}

/// `mpirun` for any number of processes, which keeps the files of its session in a folder of its own. More ranks than cores
/// are welcome.
pub(crate) fn mpirun(session: &Path) -> Command {
    let mut command = Command::new("mpirun");
    command.arg("--oversubscribe");
    // One folder for all sessions of a user is the usual: of two runs that start at once, one finds that the other has just made
    // it, and fails. The first name is that of Open MPI 4, the second that of 5; each ignores the other's.
    for name in ["OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"] {
        command.env(name, session);
    }
    // SAFETY: asks for a number that every process has.
    if unsafe { libc::geteuid() } == 0 {
        command.arg("--allow-run-as-root");
    }
    command
}

/// Open MPI's library, which compiled programs call. Nothing links it.
///
/// # Errors
/// Where it is missing, with the remedy.
pub(crate) fn library(limit: Duration) -> Result<PathBuf, Failure> {
    let missing = |reason: String| Failure::BadInput(format!("no Open MPI: {reason}: {REMEDY}"));
    let what = "the mpi back end";
    let answer = capture(Command::new("ompi_info").args(["--path", "libdir", "--parsable"]), what, limit)
        .map_err(|failure| missing(failure.message().to_owned()))?;
    let answer = String::from_utf8_lossy(&answer);
    let folder = answer.trim().rsplit(':').next().unwrap_or_default().to_owned();
    // The plain name comes with the development package, the numbered one with the library.
    let found = ["libmpi.so", "libmpi.so.40"].map(|name| Path::new(&folder).join(name));
    found.into_iter().find(|path| path.exists()).ok_or_else(|| missing(format!("no libmpi.so in {folder}")))
}
