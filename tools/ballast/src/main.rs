//! `ballast`: planning without MLIR, training, reports.
//!
//! Every planning command prints one JSON object on stdout and nothing else; messages go to stderr. Exit codes: see [`failure`].

mod batches;
mod bench;
mod bench_joint;
mod bench_partition;
mod bench_remat;
mod bench_rl;
mod bench_swaps;
mod compare;
mod curve;
mod decoder;
mod explain;
mod failure;
mod fit;
mod genetic;
mod instance;
mod judge;
mod output;
mod partition;
mod place;
mod profile;
mod ranges;
mod remat;
mod replan;
mod report;
mod run;
mod schema;
mod search_args;
mod swaps;
mod train;
mod train_dag;
mod train_partition;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use failure::Failure;

#[derive(Parser)]
#[command(version, about = "Plans which device runs which op, and what is kept, recomputed or swapped.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find the largest batch of a training step that fits a device, by every way to plan its memory.
    Batches(batches::Args),
    /// Compare all methods over a folder of real inputs, as one table.
    Bench(bench::Args),
    /// Compare all methods and solvers on programs, at equal time.
    Compare(compare::Args),
    /// Plan one device for many memory budgets, or with least memory for an overhead.
    Curve(curve::Args),
    /// Write the training step of a decoder as a memory-planning instance.
    Decoder(decoder::Args),
    /// Say why a plan keeps, recomputes or swaps a value, and which op binds the peak.
    Explain(explain::Args),
    /// Plan a program so that XLA, measured, keeps a cap.
    Fit(fit::Args),
    /// Place the layers of a layer file on devices: genetic search, from predicted times or from runs.
    Genetic(genetic::Args),
    /// One of the processes of `ballast genetic --processes`.
    #[command(hide = true)]
    GeneticRank(genetic::rank::Args),
    /// One of the processes of `ballast genetic PROGRAM --processes`.
    #[command(hide = true)]
    ProgramRank(genetic::program_rank::Args),
    /// Score anybody's plan of an instance, a program or a workload.
    Judge(judge::Args),
    /// Partition a workload graph over accelerators and CPU cores.
    Partition(partition::Args),
    /// Give devices to the waiting training jobs of one scheduling period.
    Place(place::Args),
    /// Time the ops of a program on this machine, for plans to reckon with.
    Profile(profile::Args),
    /// Plan recomputation and swaps of one device under a memory budget.
    Remat(remat::Args),
    /// Move a plan to devices that changed: some gone, slower or with less memory.
    Replan(replan::Args),
    /// Show a plan file as tables, as an HTML page, or as a trace.
    Report(report::Args),
    /// Run a program and its rewritten form, and compare results, memory and time.
    Run(run::Args),
    /// Print the JSON schema of a file.
    Schema(schema::Args),
    /// Choose the tensors of a training step to swap: learned, or by a baseline.
    Swaps(swaps::Args),
    /// Train networks for later use.
    Train(train::Args),
}

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("BALLAST_LOG"))
        .init();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(stopped) => return without_command(&stopped),
    };
    if let Err(error) = ballast_core::limits::catch_signals() {
        tracing::warn!("signals are not caught: {error}");
    }
    let outcome = std::panic::catch_unwind(|| match cli.command {
        Command::Batches(args) => batches::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Curve(args) => curve::run(&args),
        Command::Decoder(args) => decoder::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Genetic(args) => genetic::run(&args),
        Command::GeneticRank(args) => genetic::rank::run(&args),
        Command::ProgramRank(args) => genetic::program_rank::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Partition(args) => partition::run(&args),
        Command::Place(args) => place::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Remat(args) => remat::run(&args),
        Command::Replan(args) => replan::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Swaps(args) => swaps::run(&args),
        Command::Train(args) => train::run(&args),
    })
    .unwrap_or_else(|_| Err(Failure::Internal("a bug in ballast; the message above says where".into())));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Help, which was asked for and goes to standard output, or what is wrong with the command line.
fn without_command(stopped: &clap::Error) -> ExitCode {
    let text = stopped.render();
    if stopped.use_stderr() {
        return Failure::Usage(text.to_string()).report();
    }
    match output::print(&text.to_string()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
