//! Caps without a plan: how far they are raised, and when not.

mod support;

use ballast_core::limits::Limits;
use ballast_core::memory::{Node, Problem};
use ballast_remat::{Error, Options, Relaxation, plan_relaxed};

use support::four;

#[test]
fn a_cap_without_a_plan_is_raised_even_where_no_time_is_left() {
    let problem = four();
    let limits = Limits { time_limit_seconds: Some(0.0), ..Limits::default() };
    let options = Options { cap_bytes: 7, limits, ..Options::default() };
    // All is kept in 12 bytes, no plan takes less than 9, and one that is made in one pass takes that.
    let relaxed = plan_relaxed(&problem, &options, &Relaxation::default()).unwrap();
    assert_eq!((relaxed.used_cap, relaxed.smallest_cap), (9, Some(9)));
    assert!(!relaxed.plan.compact.recompute.is_empty());
    let short = Relaxation { limit: 1.25, ..Relaxation::default() };
    assert!(matches!(plan_relaxed(&problem, &options, &short), Err(Error::Infeasible { .. })));
}

#[test]
fn caps_are_raised_at_once_to_the_least_any_plan_can_keep_and_not_by_next_to_nothing() {
    let options = Options { cap_bytes: 2, ..Options::default() };
    let raised = plan_relaxed(&four(), &options, &Relaxation { step: 0.001, limit: 1e9 }).unwrap();
    assert_eq!((raised.requested_cap, raised.used_cap), (2, 9));
    let refused = plan_relaxed(&four(), &options, &Relaxation { step: 1e-300, limit: 2.0 });
    assert!(matches!(refused, Err(Error::Options(reason)) if reason.contains("relax-step")));
}

#[test]
fn a_cap_is_raised_to_the_limit_itself_where_steps_pass_it_by() {
    let options = Options { cap_bytes: 8, ..Options::default() };
    // The least is 9 bytes, and the first step 12.
    let raised = plan_relaxed(&four(), &options, &Relaxation { step: 0.5, limit: 1.125 }).unwrap();
    assert_eq!((raised.requested_cap, raised.used_cap), (8, 9));
    let refused = plan_relaxed(&four(), &options, &Relaxation { step: 0.5, limit: 1.12 });
    assert!(matches!(refused, Err(Error::Infeasible { cap_bytes: 8, .. })));
}

/// 60 values of a byte that may not run again, made one from the other and read in turn, the last first: 61 bytes while the first of those reads runs.
/// The first value takes 5 and is read last.
fn early_and_late() -> Problem {
    let mut nodes = vec![Node::new("early", 1.0, 5, vec![])];
    for _ in 0..60 {
        let before = (nodes.len() > 1).then(|| nodes.len() - 1);
        nodes.push(Node { recomputable: false, ..Node::new("forward", 1.0, 1, before) });
    }
    for id in (1..=60).rev() {
        let before = (id < 60).then(|| nodes.len() - 1);
        nodes.push(Node::new("backward", 1.0, 1, [id].into_iter().chain(before).collect::<Vec<_>>()));
    }
    let last = nodes.len() - 1;
    nodes.push(Node::new("late", 1.0, 1, vec![0, last]));
    Problem { name: "early and late".into(), nodes, resident_bytes: 0 }
}

#[test]
fn a_search_of_any_order_without_a_plan_leaves_time_for_raised_caps() {
    let problem = early_and_late();
    assert_eq!((problem.working_set().0, problem.unplanned_peak()), (7, 66));
    let limits = Limits { time_limit_seconds: Some(1.5), ..Limits::default() };
    for threads in [1, 2] {
        let options = Options { cap_bytes: 40, limits: Limits { threads, ..limits }, ..Options::default() };
        // The steps are 64 and 80 bytes: the first has a plan, the second would keep everything.
        let raised = plan_relaxed(&problem, &options, &Relaxation { step: 0.6, limit: 2.0 }).unwrap();
        assert_eq!(
            (raised.used_cap, raised.plan.replay.time),
            (64, problem.total_time()),
            "{threads} threads"
        );
    }
}
