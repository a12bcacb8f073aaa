//! How the default memory planner does on small problems with swaps: `cargo run --release -p ballast-referee --example small_swaps [GRAPHS]`.
//!
//! Random graphs and training chains of 2 to 8 ops, two caps each, copies in full and beside computation: how many plans take as
//! little time as the best one that brute force finds, how many are proved, and how long the slowest takes.

#![expect(clippy::print_stdout, reason = "a command-line tool talks to its user")]

use std::io::{Error, Result};
use std::time::Instant;

use ballast_core::memory::{Problem, SwapModel};
use ballast_referee::clock::{self, Link};
use ballast_referee::in_full::{self, Freedom};
use ballast_referee::memory::{any, chain};
use ballast_remat::{Options, Order, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What was seen of one kind of copies.
#[derive(Default)]
struct Seen {
    problems: usize,
    refused: usize,
    as_good: usize,
    proved: usize,
    worst_seconds: f64,
}

fn main() -> Result<()> {
    let graphs: u64 = match std::env::args().nth(1) {
        Some(text) => text.parse().map_err(|_| Error::other("give the number of graphs"))?,
        None => 500,
    };
    for overlap in [false, true] {
        let mut seen = Seen::default();
        for seed in 0..graphs {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let n = random.random_range(2..=8);
            let problem = if seed % 3 == 0 { chain(&mut random, n) } else { any(&mut random, n) };
            let link =
                Link { slow: (random.random_range(1..3), random.random_range(1..3)), latency: seed % 2 };
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            for cap in [(least + peak) / 2, (3 * least + peak) / 4] {
                one(&problem, link, cap, overlap, &mut seen);
            }
        }
        let Seen { problems, refused, as_good, proved, worst_seconds } = seen;
        println!(
            "overlap={overlap}: {problems} problems with a plan, {as_good} as fast as brute force's, {proved} proved, {refused} refused, \
             slowest {worst_seconds:.3} s"
        );
    }
    Ok(())
}

fn one(problem: &Problem, link: Link, cap: u64, overlap: bool, seen: &mut Seen) {
    let swap = SwapModel {
        out_bandwidth: 1.0 / link.slow.0 as f64,
        in_bandwidth: 1.0 / link.slow.1 as f64,
        latency: link.latency as f64,
        overlap,
        host_capacity_bytes: None,
    };
    let options = Options { cap_bytes: cap, swap: Some(swap), ..Options::default() };
    let freedom = Freedom { order: options.order == Order::Free, rounds: options.rounds };
    let total: f64 = problem.nodes.iter().map(|node| node.time).sum();
    let start = Instant::now();
    let planned = plan(problem, &options);
    seen.worst_seconds = seen.worst_seconds.max(start.elapsed().as_secs_f64());
    match planned {
        Ok(outcome) => {
            seen.problems += 1;
            let value = outcome.report.value;
            let least = match overlap {
                true => {
                    clock::least(problem, link, cap, freedom, value.ceil() as u64).map(|least| least as f64)
                }
                false => in_full::least(problem, Some(&swap), cap, freedom).map(|least| total + least),
            };
            seen.as_good += usize::from(least.is_none_or(|least| value <= least * (1.0 + 1e-9)));
            seen.proved += usize::from(outcome.report.proved());
        }
        Err(ballast_remat::Error::Infeasible { .. }) => seen.refused += 1,
        Err(failure) => panic!("{failure}"),
    }
}
