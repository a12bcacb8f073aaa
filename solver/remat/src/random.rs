//! Random problems for the tests of this crate.

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
