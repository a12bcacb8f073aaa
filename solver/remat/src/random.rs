//! Random problems for the tests of this crate, and their optimum by trying all plans.

use std::ops::Range;

use ballast_core::memory::{Node, Problem};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A problem in which a value reads each earlier one with probability `reads`, and may be repeated, and copied, with
/// probability `free`; times are small whole numbers, whose sums are exact, a tenth of the values is kept to the end.
pub(crate) fn random_problem(rng: &mut ChaCha8Rng, nodes: Range<usize>, reads: f64, free: f64) -> Problem {
    let count = rng.random_range(nodes);
    let nodes = (0..count)
        .map(|id| {
            let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(reads)).collect();
            let time = f64::from(rng.random_range(0..9));
            let mut node = Node::new(format!("n{id}"), time, rng.random_range(0..50), inputs);
            node.workspace_bytes = rng.random_range(0..4);
            node.keep = rng.random_bool(0.1);
            node.recomputable = rng.random_bool(free);
            node.swappable = rng.random_bool(free);
            node
        })
        .collect();
    Problem { name: "random".into(), nodes, resident_bytes: 0 }
}

/// The least time of recomputes of any plan under the cap by trying all of them, first runs in program order; none if nothing fits. Between two first runs, and after the last, each node
/// runs once more at most, in program order, or with `rounds` any nodes in any order.
///
/// Of every set of values on the device the least time to come to it; any value may be dropped any time.
pub(crate) fn least_extra(problem: &Problem, cap_bytes: u64, rounds: bool) -> Option<f64> {
    let nodes = &problem.nodes;
    let holds = |set: usize, v: usize| set >> v & 1 == 1;
    let bytes = |set: usize| -> u64 {
        let held = nodes.iter().enumerate().filter(|&(v, _)| holds(set, v));
        problem.resident_bytes + held.map(|(_, node)| node.bytes).sum::<u64>()
    };
    let runs = |set: usize, v: usize| {
        let inputs = nodes[v].inputs.iter().all(|&input| holds(set, input.0));
        inputs && !holds(set, v) && bytes(set | 1 << v) + nodes[v].workspace_bytes <= cap_bytes
    };
    let mut extra = vec![f64::INFINITY; 1 << nodes.len()];
    extra[0] = 0.0;
    let drop_any = |extra: &mut [f64]| {
        for v in 0..nodes.len() {
            for set in (0..extra.len()).filter(|&set| holds(set, v)) {
                extra[set & !(1 << v)] = extra[set & !(1 << v)].min(extra[set]);
            }
        }
    };
    for first in 0..=nodes.len() {
        loop {
            let before = extra.clone();
            for again in (0..first).filter(|&v| nodes[v].recomputable) {
                drop_any(&mut extra);
                for set in (0..extra.len()).filter(|&set| runs(set, again)) {
                    extra[set | 1 << again] = extra[set | 1 << again].min(extra[set] + nodes[again].time);
                }
            }
            if !rounds || before == extra {
                break;
            }
        }
        if first == nodes.len() {
            break;
        }
        drop_any(&mut extra);
        let mut ran = vec![f64::INFINITY; extra.len()];
        for set in (0..extra.len()).filter(|&set| runs(set, first)) {
            ran[set | 1 << first] = extra[set];
        }
        extra = ran;
    }
    let kept = (0..nodes.len()).filter(|&v| nodes[v].keep).fold(0, |kept, v| kept | 1 << v);
    let ends = (0..extra.len()).filter(|set| set & kept == kept).map(|set| extra[set]);
    ends.min_by(f64::total_cmp).filter(|extra| extra.is_finite())
}
