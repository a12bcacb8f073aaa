//! `cargo xtask`: the one list of commands for working on Ballast.
//!
//! Continuous integration runs the same commands. Nothing here asks a question.

#![expect(clippy::print_stderr, reason = "a command-line tool talks to its user")]

mod bench;
mod book;
mod cycles;
mod demo;
mod dist;
mod docs;
mod jax;
mod libtorch;
mod links;
mod lint;
mod mutants;
mod ods;
mod packages;
mod python;
mod referee;
mod routes;
mod setup;
mod soak;
mod test;
mod tidy;
mod workspace;

/// Prints a line on standard output: see [`workspace::say`].
macro_rules! say {
    ($($argument:tt)*) => { $crate::workspace::say(format_args!($($argument)*)) };
}
pub(crate) use say;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::setup::set_up;
use crate::workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Sets up, demonstrates, tests, checks and documents Ballast.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing: Debian packages and libtorch. Safe to repeat; does nothing when all is there.
    Setup,
    /// Plan the ResNet-50 training step for four devices and print the plan as a table.
    Demo,
    /// Set up, build, and run every test: cargo, lit, generated pages.
    Test,
    /// Install the Python package into an environment of its own and run its tests: those of JAX (two minutes).
    TestPython {
        /// Those of PyTorch too (1.5 GB on disk, five minutes more; the wheel is the one `setup` took libtorch from).
        #[arg(long)]
        torch: bool,
        /// Those of a Ray cluster too (80 MB to download once, a minute more).
        #[arg(long)]
        ray: bool,
    },
    /// Pack what is given to others: the Python package as a wheel with the planner's programs inside, and an archive of programs, plugin,
    /// learner and docs for a Debian with the LLVM 22 runtime.
    Dist {
        /// Folder to put them in.
        #[arg(long, default_value = "target/dist")]
        output: std::path::PathBuf,
        /// Pack one of the two.
        #[arg(long)]
        only: Option<dist::Part>,
        /// Try the archive in this root, made by debootstrap unless it is there (as root): plans there and here must have the same bytes.
        #[arg(long, value_name = "ROOT")]
        check: Option<std::path::PathBuf>,
        /// The Debian release of that root.
        #[arg(long, default_value = "bookworm", requires = "check")]
        release: String,
    },
    /// Plan small random programs under all options, and hold every bound, proof and refusal against brute force and against the
    /// plans of all other runs. The tests do this for a minute; this does it for as long as you like.
    Referee {
        /// Programs to plan, each under several sets of options.
        #[arg(long, default_value_t = 20_000)]
        programs: u64,
        /// Seed of the first program; the others follow.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Only programs of this kind: placements, chips, memory, stages, workloads, tables or wholes.
        #[arg(long)]
        domain: Option<String>,
    },
    /// Change the judge, the bounds, the partitioner's dynamic program and what verifies and applies plans one expression at a time and
    /// run their tests: what no test notices is printed (hours; needs cargo-mutants).
    Mutants {
        /// Only files of this package: ballast-core, ballast-partition or ballast-passes.
        #[arg(long)]
        package: Option<String>,
    },
    /// Give hostile input of every kind to the readers, the judge, the planner, the commands and the passes (coverage-guided, by
    /// libFuzzer), and run the programs while disks fill, memory is scarce and signals come.
    Soak {
        /// Minutes of hostile input, all kinds together; 0 for none.
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// Only this kind of input: a folder of tools/soak/corpus.
        #[arg(long)]
        target: Option<String>,
        /// Runs under faults; 0 for none.
        #[arg(long, default_value_t = 100)]
        faults: u64,
    },
    /// Check formatting, clippy, rustdoc, licences and the rules of `tidy`.
    Lint,
    /// Check the rules of the tree that no compiler checks (part of `lint`).
    Tidy,
    /// Write the generated pages under docs/.
    Docs {
        /// Write nothing; fail if a page differs from what would be written.
        #[arg(long)]
        check: bool,
    },
    /// Make the docs a site that needs no network (needs mdbook), and follow its links.
    Book {
        /// Folder to put it in.
        #[arg(long, default_value = "target/book")]
        output: std::path::PathBuf,
    },
    /// Measure, and print Markdown tables.
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not the debug form, which ends in a backtrace where RUST_BACKTRACE is set.
            eprintln!("xtask: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    let workspace = Workspace::find()?;
    match command {
        Command::Setup => set_up(&workspace),
        Command::Demo => demo::run(&workspace),
        Command::Test => test::run(&workspace),
        Command::TestPython { torch, ray } => python::test(&workspace, torch, ray),
        Command::Dist { output, only, check, release } => {
            dist::run(&workspace, &output, only, check.as_deref(), &release)
        }
        Command::Referee { programs, seed, domain } => {
            referee::run(&workspace, programs, seed, domain.as_deref())
        }
        Command::Soak { minutes, target, faults } => {
            soak::run(&workspace, minutes, target.as_deref(), faults)
        }
        Command::Mutants { package } => mutants::run(&workspace, package.as_deref()),
        Command::Lint => lint::run(&workspace),
        Command::Tidy => tidy::run(&workspace),
        Command::Docs { check: true } => docs::check(&workspace),
        Command::Docs { check: false } => docs::write(&workspace),
        Command::Book { output } => book::run(&workspace, &output),
        Command::Bench(bench) => bench::run(&workspace, &bench),
    }
}
