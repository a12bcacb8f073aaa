//! A memory solver as somebody new would write it, and what it gets for it: relaxed caps, the judge, the table's checks.
//!
//! This is the example of CONTRIBUTING.md, "Adding a memory solver". One that ships with Ballast stands in a file of its own under
//! `solver/remat/src` and is named in `SOLVERS`; everything else is as here.

use ballast_core::limits::StopReason;
use ballast_core::memory::{CompactPlan, Node, NodeId, Problem, expand, replay};
use ballast_core::report::{Bound, BoundClass};
use ballast_remat::{Error, MemorySolver, Options, Proposal, Relaxation, Solver, Task, plan, plan_relaxed};

/// Runs one node a second time, just before the reader that comes last: the node that frees most over the peak.
struct OneAgain {
    /// What it says about the least time of any plan.
    bound_class: BoundClass,
}

impl MemorySolver for OneAgain {
    fn name(&self) -> &'static str {
        "one-again"
    }

    fn about(&self) -> &'static str {
        "one value is dropped after its first uses and made again before its last"
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let problem = task.problem;
        let readers = problem.consumers();
        let peak = |plan: &CompactPlan| {
            let schedule = expand(problem, plan).ok()?;
            replay(problem, &schedule, None, None).ok().map(|replay| replay.peak_bytes)
        };
        let again = |node: NodeId| {
            // A node's number is its position too.
            let last = readers[node].last()?.0;
            let plan = CompactPlan { recompute: vec![(last, node)], ..CompactPlan::default() };
            Some((peak(&plan)?, plan))
        };
        let candidates = NodeId::first(problem.nodes.len()).filter(|&node| problem.nodes[node].recomputable);
        let best = candidates.filter_map(again).min_by_key(|(bytes, _)| *bytes);
        Ok(best.filter(|(bytes, _)| *bytes <= task.options.cap_bytes).map(|(_, plan)| Proposal {
            stop: StopReason::Finished,
            bound: Bound::proved(problem.total_time(), self.bound_class),
            ..Proposal::in_one_pass(self.name(), plan, problem)
        }))
    }
}

static HONEST: OneAgain = OneAgain { bound_class: BoundClass::Any };
static BOASTING: OneAgain = OneAgain { bound_class: BoundClass::ProgramOrder };

/// A value of 10 bytes, read at once and at the very end, with 10 bytes of others in between.
fn problem() -> Problem {
    let nodes = vec![
        Node::new("a", 1.0, 10, vec![]),
        Node::new("b", 2.0, 6, vec![0]),
        Node::new("c", 2.0, 8, vec![1]),
        Node::new("d", 2.0, 4, vec![2]),
        Node::new("e", 1.0, 1, vec![0, 3]),
    ];
    Problem { name: "a long wait".into(), nodes, resident_bytes: 0 }
}

#[test]
fn its_plan_is_judged_and_reported_under_its_name() {
    let problem = problem();
    let options = Options { cap_bytes: 16, solver: Solver::new(&HONEST), ..Options::default() };
    let outcome = plan(&problem, &options).expect("dropping 'a' is enough");
    assert_eq!(outcome.compact.recompute, [(4, NodeId(0))]);
    assert_eq!(
        (outcome.report.value, outcome.report.bound().value()),
        (9.0, 8.0),
        "one second for 'a' again"
    );
    assert_eq!(outcome.report.method, "one-again");
    assert!(outcome.replay.peak_bytes <= 16);
}

#[test]
fn caps_it_cannot_keep_are_raised_and_said() {
    let problem = problem();
    let options = Options { cap_bytes: 15, solver: Solver::new(&HONEST), ..Options::default() };
    assert!(matches!(plan(&problem, &options), Err(Error::Infeasible { .. })));
    let relaxed =
        plan_relaxed(&problem, &options, &Relaxation::default()).expect("a plan under a raised cap");
    assert!(relaxed.used_cap > 15 && relaxed.plan.replay.peak_bytes <= relaxed.used_cap);
}

#[test]
fn a_bound_of_a_class_it_does_not_claim_is_refused() {
    let options = Options { cap_bytes: 16, solver: Solver::new(&BOASTING), ..Options::default() };
    let refused = plan(&problem(), &options);
    assert!(matches!(&refused, Err(Error::Refused(text)) if text.contains("one-again")), "{refused:?}");
}
