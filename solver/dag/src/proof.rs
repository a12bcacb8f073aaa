//! Small problems as one integer program, beside a plan that somebody else found.

use ballast_core::limits::{Deadline, Limits};

use crate::check::check;
use crate::hypergraph::Hypergraph;
use crate::mip::{MipLimits, reassign};
use crate::neighbourhood::WORK_PER_PROGRAM;
use crate::problem::{Assignment, PlanClass, Problem};
use crate::reduce::{merge_dominated, merge_uncuttable};

/// Groups and devices, multiplied, up to which a problem is small.
pub const SMALL: usize = 600;

/// Branch-and-bound nodes where time is limited, and where it is not.
const NODES: u32 = 5_000;
const NODES_WITHOUT_CLOCK: u32 = 250;

/// Steps that the program counts for.
pub const STEPS: u64 = 10 * WORK_PER_PROGRAM;

/// What was proved, and found on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// No plan has a smaller largest load; it rests on what HiGHS says of its branch and bound.
    pub bound: f64,
    /// A plan with a smaller largest load than the one given.
    pub better: Option<Assignment>,
}

/// Looks for better plans and for the proof that there are none, by the whole problem as one program of HiGHS, which what no better plan
/// needs has made smaller. None where that is too large, where the plan breaks a rule, and where HiGHS says nothing.
#[must_use]
pub fn prove(problem: &Problem, plan: &Assignment, limits: &Limits, clock: &Deadline) -> Option<Proof> {
    let value = check(problem, PlanClass::Free, plan).ok()?.max_load;
    if !(value > 0.0 && value.is_finite()) || clock.over() {
        return None;
    }
    let graph = merge_uncuttable(&Hypergraph::of(problem), value);
    let graph = merge_dominated(&graph, value, false);
    let devices = problem.device_count();
    if graph.len() * devices > SMALL {
        return None;
    }
    let seconds = clock.remaining_seconds();
    let limits = MipLimits {
        seconds,
        nodes: if seconds.is_finite() { NODES } else { NODES_WITHOUT_CLOCK },
        seed: limits.seed,
        threads: 1,
    };
    let open: Vec<usize> = (0..devices).collect();
    let solved = reassign(&graph, &graph.restrict(plan), &open, limits);
    let better = solved.placement.map(|placement| graph.expand(&placement, problem.nodes.len()));
    let better = better.filter(|plan| {
        check(problem, PlanClass::Free, plan).is_ok_and(|verdict| verdict.max_load < value * (1.0 - 1e-9))
    });
    Some(Proof { bound: solved.bound?.min(value), better })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::spreading::tests::{best_of_all, random_problem};

    #[test]
    fn any_plan_of_a_small_problem_is_bettered_or_proved_by_the_optimum_of_all_plans() {
        let mut random = ChaCha8Rng::seed_from_u64(29);
        let limits = Limits::default();
        let (mut bettered, mut proved) = (0, 0);
        for case in 0..150 {
            let problem = random_problem(&mut random);
            let best = best_of_all(&problem);
            let devices = problem.device_count();
            let plan: Assignment = problem.nodes.iter().map(|_| random.random_range(0..devices)).collect();
            let Ok(verdict) = check(&problem, PlanClass::Free, &plan) else { continue };
            let Some(proof) = prove(&problem, &plan, &limits, &Deadline::after(None)) else { continue };
            assert!(proof.bound <= best * (1.0 + 1e-6), "case {case}: {} above {best}", proof.bound);
            assert!(proof.bound >= best * (1.0 - 1e-6), "case {case}: {} below {best}", proof.bound);
            proved += 1;
            match proof.better {
                Some(better) => {
                    let better = check(&problem, PlanClass::Free, &better).expect("a plan").max_load;
                    assert!(better <= best * (1.0 + 1e-6), "case {case}: {better} above {best}");
                    bettered += 1;
                }
                None => assert!(verdict.max_load <= best * (1.0 + 1e-6), "case {case}: not bettered"),
            }
        }
        assert!(proved > 80 && bettered > 60, "{proved} proved, {bettered} bettered");
    }

    #[test]
    fn large_problems_and_plans_that_break_rules_are_left_alone() {
        let mut random = ChaCha8Rng::seed_from_u64(31);
        let problem = random_problem(&mut random);
        let clock = Deadline::after(None);
        let nowhere = vec![problem.device_count(); problem.nodes.len()];
        assert_eq!(prove(&problem, &nowhere, &Limits::default(), &clock), None);
    }
}
