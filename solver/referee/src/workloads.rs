//! Workload graphs: contiguous and free plans by every method against all assignments.

use ballast_core::limits::Limits;
use ballast_core::report::Bound;
use ballast_dag::check::check;
use ballast_dag::problem::{Kind, Node, PlanClass, Problem};
use ballast_dag::solve::{Error, Method, Options, Solved, solve};
use ballast_partition::genetic;
use ballast_partition::genetic::place_workload;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ledger::{Ledger, at_most};
use crate::tables::every;

/// Examines one workload.
pub fn examine(seed: u64, ledger: &mut Ledger) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let small = random.random_bool(0.85);
    let count = if small { random.random_range(3..8) } else { random.random_range(9..16) };
    let problem = workload(&mut random, count);
    let least = |class| {
        let loads = every(problem.nodes.len(), problem.device_count(), |device| device)
            .filter_map(|assignment| check(&problem, class, &assignment).ok());
        loads.map(|verdict| verdict.max_load).fold(f64::INFINITY, f64::min)
    };
    let (contiguous, free) =
        if small { (Some(least(PlanClass::Contiguous)), Some(least(PlanClass::Free))) } else { (None, None) };
    let mut found: Vec<(String, Solved)> = Vec::new();
    let mut refused: Vec<(PlanClass, String)> = Vec::new();
    let runs = [
        (PlanClass::Contiguous, Method::Auto),
        (PlanClass::Contiguous, Method::Order),
        (PlanClass::Contiguous, Method::Exact),
        (PlanClass::Free, Method::Auto),
        (PlanClass::Free, Method::Anneal),
    ];
    for (class, method) in runs {
        let limits = Limits {
            time_limit_seconds: None,
            work_limit: Some([50, 2_000, 50_000][random.random_range(0..3)]),
            seed: random.random_range(0..3),
            threads: 1,
        };
        let who = format!("{} {} work={:?}", class.name(), method.name(), limits.work_limit);
        let run = Options { class, method, limits, finish_early: true, placer: None, observe: &|_| () };
        ledger.runs += 1;
        match solve(&problem, &run) {
            Ok(outcome) => found.push((who, outcome)),
            Err(Error::Infeasible { .. }) => refused.push((class, who)),
            Err(Error::NotFound { .. }) => {}
            Err(failure) => ledger.contradicts(format!("{who}: {failure}: {problem:?}")),
        }
        if random.random_bool(0.1) {
            let options = genetic::Options { population: 6, generations: 10, ..genetic::Options::default() };
            ledger.runs += 1;
            if let Ok(outcome) = place_workload(&problem, class, &options, &limits) {
                found.push((format!("{} genetic", class.name()), outcome));
            }
        }
    }
    let best = |bound: Bound| if bound.class() == PlanClass::Free.bound_class() { free } else { contiguous };
    for (who, outcome) in &found {
        let (report, bound) = (&outcome.report, outcome.report.bound());
        ledger.bound(bound, best(bound), || format!("{who}: {problem:?}"));
        ledger.holds(at_most(bound.value(), report.value), || format!("{who}: {report:?}"));
        for (other, plan) in &found {
            let class = [PlanClass::Free, PlanClass::Contiguous]
                .into_iter()
                .find(|class| class.bound_class() == bound.class());
            if class.is_some_and(|class| check(&problem, class, &plan.assignment).is_ok()) {
                ledger.cross(bound, plan.report.value, || format!("{who} against {other}: {problem:?}"));
            }
        }
    }
    for (class, who) in refused {
        let best = if class == PlanClass::Free { free } else { contiguous };
        ledger.refusals += u64::from(best.is_some());
        let other = found.iter().find(|(_, plan)| check(&problem, class, &plan.assignment).is_ok());
        ledger.holds(best.is_none_or(f64::is_infinite) && other.is_none(), || {
            format!("{who}: refused with proof, and there is a plan: {problem:?}")
        });
    }
}

/// A workload with backward nodes, colours, caps and nodes some devices cannot run.
fn workload(random: &mut ChaCha8Rng, count: usize) -> Problem {
    let kind = |name: &str, count, memory_bytes, transfer_factor| Kind {
        name: name.into(),
        count,
        memory_bytes,
        transfer_factor,
    };
    let memory = [f64::INFINITY, 2.0 * count as f64, 5.0 * count as f64][random.random_range(0..3)];
    let kinds = vec![
        kind("fast", random.random_range(1..3), memory, 1.0),
        kind("slow", random.random_range(0..2), 30.0 + count as f64, 1.5),
        kind("CPU core", random.random_range(0..2), f64::INFINITY, 0.0),
    ];
    let forward = random.random_range(2..=count);
    let coloured = random.random_bool(0.6);
    let mut nodes: Vec<Node> = (0..count)
        .map(|v| {
            let time = f64::from(random.random_range(0..8));
            let accelerated = random.random_range(0..8) > 0;
            let on = |factor: f64| if accelerated { time * factor } else { f64::INFINITY };
            Node {
                id: v.to_string(),
                time: vec![on(1.0), on(1.7), time * 4.0],
                size_bytes: f64::from(random.random_range(0..6)),
                backward: v >= forward,
                colour: (coloured && random.random_range(0..3) == 0).then(|| random.random_range(0..2)),
                output_cost: [0.0, 0.3, 1.0, 4.0][random.random_range(0..4)],
                readers: Vec::new(),
            }
        })
        .collect();
    let share = if count > 8 { 3.0 / count as f64 } else { 0.4 };
    for (from, node) in nodes.iter_mut().enumerate() {
        node.readers = (from + 1..count).filter(|_| random.random_bool(share)).collect();
    }
    Problem { name: String::new(), kinds, nodes, colours: 2 }
}
