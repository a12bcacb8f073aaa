//! `ballast`: planning without MLIR, training, reports.
//!
//! Every planning command prints one JSON object on stdout and nothing else; messages go to stderr. Exit codes: see `failure.rs`.

mod batches;
mod compare;
mod completions;
mod curve;
mod explain;
mod failure;
mod fit;
mod fitted;
mod graph_file;
mod instance;
mod judge;
mod lab;
mod mlir;
mod output;
mod partition;
mod profile;
mod ranges;
mod remat;
mod replan;
mod report;
mod run;
mod schema;
mod search_args;
mod statistics;
mod tables;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use failure::Failure;

/// Time that the passes may take to say their version: they open libraries of hundreds of megabytes.
const VERSION_LIMIT: std::time::Duration = std::time::Duration::from_secs(60);

#[derive(Parser)]
#[command(version, about = "Plans which device runs which op, and what is kept, recomputed or swapped.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show a plan file as tables, as an HTML page, or as a trace.
    Report(report::Args),
    /// Plan a program so that XLA, measured, keeps a cap.
    Fit(fit::Args),
    /// Run a program and its rewritten form, and compare results, memory and time.
    Run(run::Args),
    /// Compare all methods and solvers on programs, at equal time.
    Compare(compare::Args),
    /// Move a plan to devices that changed: some gone, slower or with less memory.
    Replan(replan::Args),
    /// Partition a workload graph over accelerators and CPU cores.
    Partition(partition::Args),
    /// Plan recomputation and swaps of one device under a memory budget.
    Remat(remat::Args),
    /// Plan one device for many memory budgets, or with least memory for an overhead.
    Curve(curve::Args),
    /// Score anybody's plan of an instance, a program or a workload.
    Judge(judge::Args),
    /// Say why a plan keeps, recomputes or swaps a value, and which op binds the peak.
    Explain(explain::Args),
    /// Find the largest batch of a training step that fits a device, by every way to plan its memory.
    Batches(batches::Args),
    /// Time the ops of a program on this machine, for plans to reckon with.
    Profile(profile::Args),
    /// Print the JSON schema of a file.
    Schema(schema::Args),
    /// Print completions for a shell, to be read when it starts.
    Completions(completions::Args),
    /// Benchmarks of the methods, learned and genetic placement, training of networks.
    #[command(subcommand)]
    Lab(lab::Command),
    /// One of the processes of `ballast lab genetic --processes`.
    #[command(hide = true)]
    GeneticRank(lab::genetic::rank::Args),
    /// One of the processes of `ballast lab genetic PROGRAM --processes`.
    #[command(hide = true)]
    ProgramRank(lab::genetic::program_rank::Args),
}

impl Command {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Command::Report(args) => report::run(args),
            Command::Fit(args) => fit::run(args),
            Command::Run(args) => run::run(args),
            Command::Compare(args) => compare::run(args),
            Command::Replan(args) => replan::run(args),
            Command::Partition(args) => partition::run(args),
            Command::Remat(args) => remat::run(args),
            Command::Curve(args) => curve::run(args),
            Command::Judge(args) => judge::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Batches(args) => batches::run(args),
            Command::Profile(args) => profile::run(args),
            Command::Schema(args) => schema::run(args),
            Command::Completions(args) => completions::run(args),
            Command::Lab(command) => command.run(),
            Command::GeneticRank(args) => lab::genetic::rank::run(args),
            Command::ProgramRank(args) => lab::genetic::program_rank::run(args),
        }
    }
}

/// The program: reads the command line, runs the command and tells how it ended.
#[must_use]
pub fn main() -> ExitCode {
    ballast_core::log::to_stderr();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(stopped) => return without_command(&stopped),
    };
    failure::let_writes_fail();
    if let Err(error) = ballast_core::limits::catch_signals() {
        tracing::warn!("signals are not caught: {error}");
    }
    let outcome = std::panic::catch_unwind(|| cli.command.run())
        .unwrap_or_else(|_| Err(Failure::Internal("a bug in ballast; the message above says where".into())));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Runs a command line, whose first word is the program's name, in this process. No signal is caught, and a bug panics.
///
/// # Errors
/// What the program would print, with its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), (u8, String)> {
    let told = |failure: Failure| (failure.code(), failure.message().to_owned());
    let cli = Cli::try_parse_from(arguments).map_err(|stopped| told(Failure::Usage(stopped.to_string())))?;
    cli.command.run().map_err(told)
}

/// Is this a command line of the program, whose first word is the program's name?
#[must_use]
pub fn reads(arguments: impl IntoIterator<Item = OsString>) -> bool {
    Cli::try_parse_from(arguments).is_ok()
}

/// The command line. What `ballast lab` runs was once a command of its own, and is found under its old name for one version more.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(old) =
        arguments.get(1).and_then(|name| name.to_str()).filter(|name| lab::Command::has_subcommand(name))
    {
        failure::note(&format!(
            "`ballast {old}` is now `ballast lab {old}`; the old name goes with the next version"
        ));
        arguments.insert(1, "lab".into());
    }
    arguments
}

/// A line for everything that plans are made with.
fn versions() -> String {
    let passes = run::tools::beside("ballast-opt").and_then(|driver| {
        let mut command = std::process::Command::new(driver);
        run::tools::capture(command.arg("--version"), "asking the passes for MLIR's version", VERSION_LIMIT)
    });
    let mlir = match &passes {
        Ok(said) => {
            let said = String::from_utf8_lossy(said);
            let line = said.lines().find(|line| line.contains("LLVM version")).unwrap_or("of no version");
            format!("MLIR: {}\n", line.trim())
        }
        Err(failure) => format!("MLIR: none; {}\n", failure.message()),
    };
    ballast_planner::versions() + &mlir
}

/// Help, which was asked for and goes to standard output, or what is wrong with the command line.
fn without_command(stopped: &clap::Error) -> ExitCode {
    let mut text = stopped.render().to_string();
    if stopped.use_stderr() {
        if stopped.kind() == clap::error::ErrorKind::UnknownArgument {
            let given: Vec<OsString> = std::env::args_os().collect();
            text.push_str(report::tip(&given).unwrap_or_default());
        }
        return Failure::Usage(text).report();
    }
    if stopped.kind() == clap::error::ErrorKind::DisplayVersion {
        text.push_str(&versions());
    }
    match output::print(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
