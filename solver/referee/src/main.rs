//! Runs the referee of claims over as many programs as asked for: `cargo xtask referee`.

#![expect(clippy::print_stdout, reason = "a command-line tool talks to its user")]

use std::process::ExitCode;

use ballast_referee::{Domain, Ledger, examine};
use clap::Parser;

/// Plan small random programs under all options and hold every claim against brute force and against all other plans.
#[derive(Parser)]
#[command(name = "ballast-referee")]
struct Cli {
    /// Programs to plan, each under several sets of options.
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    /// Seed of the first program; the others follow.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only programs of this kind: placements, chips, memory, stages, workloads, tables or wholes.
    #[arg(long)]
    domain: Option<String>,
}

fn main() -> ExitCode {
    let Cli { programs, seed, domain } = Cli::parse();
    let domains: Vec<Domain> = Domain::ALL
        .iter()
        .filter(|(_, name, _)| domain.as_ref().is_none_or(|wanted| wanted == name))
        .map(|&(which, ..)| which)
        .collect();
    if domains.is_empty() {
        println!("no such domain: {}", domain.unwrap_or_default());
        return ExitCode::FAILURE;
    }
    let mut ledger = Ledger::default();
    let mut told = 0;
    for (done, seed) in (0..programs).zip(seed..) {
        examine(domains[(done % domains.len() as u64) as usize], seed, &mut ledger);
        for contradiction in &ledger.contradictions[told..] {
            println!("{} {}: {}", contradiction.domain, contradiction.seed, contradiction.text);
        }
        told = ledger.contradictions.len();
        if (done + 1) % 1000 == 0 {
            println!("{} programs, {} runs, {told} contradictions", ledger.programs, ledger.runs);
        }
    }
    println!("{ledger}");
    if ledger.contradictions.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
