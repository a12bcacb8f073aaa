//! Small random graphs with swaps under default options: optimal and proved, copies beside computation or counted in full.

use ballast_core::limits::Limits;
use ballast_core::memory::SwapModel;
use ballast_referee::clock::{self, Link};
use ballast_referee::in_full::{self, Freedom};
use ballast_referee::memory;
use ballast_remat::{Error, Options, Order, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Graphs, and their most ops.
const GRAPHS: u64 = 500;
const MOST_OPS: usize = 8;
/// Most ops where copies run beside computation: all schedules of more take too long to try.
const MOST_TIMED: usize = 6;

#[test]
fn default_plans_of_small_graphs_with_swaps_are_optimal_and_proved() {
    let (mut tried, mut proved, mut compared, mut refused, mut costly, mut swapped) = (0, 0, 0, 0, 0, 0);
    for seed in 0..GRAPHS {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let n = random.random_range(3..=MOST_OPS);
        let problem = memory::any(&mut random, n);
        let slow = (random.random_range(1..4u64), random.random_range(1..4u64));
        let latency = u64::from(random.random_bool(0.3));
        let order = if seed % 2 == 0 { Order::Free } else { Order::Program };
        let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
        for overlap in [false, true] {
            for cap_bytes in [(least + peak) / 2, least] {
                let swap = SwapModel {
                    out_bandwidth: 1.0 / slow.0 as f64,
                    in_bandwidth: 1.0 / slow.1 as f64,
                    latency: latency as f64,
                    overlap,
                    host_capacity_bytes: None,
                };
                let options = Options {
                    cap_bytes,
                    swap: Some(swap),
                    // As `ballast remat` asks for it; a count of work in place of a clock.
                    order,
                    rounds: true,
                    limits: Limits {
                        time_limit_seconds: None,
                        work_limit: Some(2_000_000),
                        ..Limits::default()
                    },
                    ..Options::default()
                };
                let freedom = Freedom { order: order == Order::Free, rounds: true };
                let in_full = || in_full::least(&problem, Some(&swap), cap_bytes, freedom);
                tried += 1;
                let outcome = match plan(&problem, &options) {
                    Ok(outcome) => outcome,
                    Err(Error::Infeasible { proved: surely, .. }) => {
                        assert!(surely && in_full().is_none(), "seed {seed}, cap {cap_bytes}: {problem:?}");
                        refused += 1;
                        proved += 1;
                        continue;
                    }
                    Err(failure) => panic!("seed {seed}: {failure}"),
                };
                let value = outcome.report.value;
                let who = || format!("seed {seed}, cap {cap_bytes}, overlap {overlap}: {problem:?} {swap:?}");
                proved += u64::from(outcome.report.proved());
                costly += usize::from(value > problem.total_time());
                swapped += usize::from(outcome.replay.swap_bytes > 0);
                if overlap && n > MOST_TIMED {
                    continue;
                }
                let best = if overlap {
                    let link = Link { slow, latency };
                    clock::least(&problem, link, cap_bytes, freedom, value.round() as u64).map(|t| t as f64)
                } else {
                    in_full().map(|extra| problem.total_time() + extra)
                };
                assert_eq!(best, Some(value), "{}", who());
                compared += 1;
            }
        }
    }
    assert!(tried == 4 * GRAPHS && tried - proved <= 2, "{proved} of {tried} proved");
    assert!(
        compared > 1200 && costly > 200 && swapped > 80 && refused > 8,
        "{compared} {costly} {swapped} {refused}"
    );
}
