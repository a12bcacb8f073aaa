//! The memory of a whole program on one device, as the planner asks for it: swap schedulers of the field and raised caps besides.

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::expand;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_planner::{Error, Options, caps_of, plan_stages};
use ballast_remat::Order;
use ballast_remat::{SOLVERS, Solver};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::in_full::{Freedom, MOST_NODES};
use crate::ledger::Ledger;
use crate::memory::{Answer, BruteForce, Claim, cross_examine};
use crate::programs::{Program, any, placed, training};

/// Examines one program.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let graph = if random.random_bool(0.4) {
        let layers = random.random_range(2..6);
        training(&mut random, layers)
    } else {
        let ops = random.random_range(3..12);
        any(&mut random, ops, 1)
    };
    let mut program = placed(&mut random, graph, 1);
    program.cluster.host_memory = random.random_bool(0.2).then(|| Bytes(random.random_range(60..300)));
    let device_of = vec![DeviceId(0); program.graph.ops.len()];
    let Program { graph, costs, cluster } = &program;
    let stages = stages(graph, costs, cluster, &device_of);
    let problem = &stages[0].problem;
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let caps = [least, (least + peak) / 2, (3 * least + peak) / 4, peak, least.saturating_sub(5)];
    let mut claims = Vec::new();
    for _ in 0..random.random_range(3..7) {
        let options = draw_options(&mut random, &caps);
        ledger.runs += 1;
        let deadline = Deadline::start(&options.limits);
        let asked = caps_of(&stages, cluster, options.cap);
        let outcome = plan_stages(graph, &stages, &asked, cluster, &options, &deadline);
        let who = name_of(&options);
        let CapSpec::Absolute(Bytes(asked)) = options.cap else { continue };
        let freedom = Freedom { order: options.order == Order::Free, rounds: false };
        let swap = options.swap.then(|| cluster.swap_model(&cluster.devices[0], options.overlap));
        let mut cap = asked;
        let answer = match outcome {
            Ok(mut outcomes) => {
                let outcome = outcomes.swap_remove(0);
                cap = outcome.cap.0;
                ledger
                    .holds(outcome.requested_cap.0 == asked && cap >= asked, || format!("{who}: cap {cap}"));
                ledger.holds(options.relax_limit > 0.0 || cap == asked, || format!("{who}: raised to {cap}"));
                match expand(problem, &outcome.plan) {
                    Ok(schedule) => Answer::Plan {
                        schedule,
                        value: outcome.report.value,
                        bound: outcome.report.bound(),
                        proved: outcome.report.proved(),
                        compact: Box::new(outcome.plan),
                    },
                    Err(error) => {
                        ledger.contradicts(format!("{who}: {error}"));
                        Answer::Nothing
                    }
                }
            }
            // With a limit of its own the cap refused is not the one asked for alone.
            Err(Error::Infeasible { proved: true, .. }) => Answer::Refused,
            Err(Error::Infeasible { .. } | Error::Stage { .. }) => Answer::Nothing,
            Err(failure) => {
                ledger.contradicts(format!("{who}: {failure}"));
                Answer::Nothing
            }
        };
        let most = options.solver == Solver::default() && options.limits.work_limit == Some(300_000);
        let ladder = most.then_some(options.limits.seed);
        claims.push(Claim { who, swap, cap, alignment: options.arena, freedom, ladder, answer });
    }
    // Times are no whole numbers here: what runs beside computation is held against the other plans alone.
    let small = problem.nodes.len() < MOST_NODES;
    let brute_force = if small { BruteForce::Yes(None) } else { BruteForce::No };
    cross_examine(problem, &claims, brute_force, ledger);
}

fn draw_options(random: &mut ChaCha8Rng, caps: &[u64]) -> Options {
    let solver = SOLVERS[random.random_range(0..SOLVERS.len())];
    Options {
        cap: CapSpec::Absolute(Bytes(caps[random.random_range(0..caps.len())].max(1))),
        solver: if random.random_bool(0.4) { Solver::default() } else { solver },
        order: if random.random_bool(0.5) { Order::Free } else { Order::Program },
        swap: random.random_bool(0.7),
        overlap: random.random_bool(0.5),
        arena: random.random_bool(0.15).then_some(4),
        limits: Limits {
            time_limit_seconds: None,
            work_limit: Some([1_000, 30_000, 300_000][random.random_range(0..3)]),
            seed: random.random_range(0..3),
            threads: 1,
        },
        relax_step: 0.1,
        relax_limit: if random.random_bool(0.5) { 0.0 } else { 3.0 },
        max_ratio: 1.0,
        ..Options::default()
    }
}

fn name_of(options: &Options) -> String {
    format!(
        "{} {:?} {:?} swap={} overlap={} arena={:?} relax={} work={:?}",
        options.solver.name(),
        options.cap,
        options.order,
        options.swap,
        options.overlap,
        options.arena,
        options.relax_limit,
        options.limits.work_limit
    )
}
