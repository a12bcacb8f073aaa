//! What tests of the planner share.

use ballast_core::memory::{Node, Problem};

/// a (2 s, 4 B); b reads a (3, 4); c reads b (5, 4); d reads a and c (1, 1).
pub(crate) fn four() -> Problem {
    Problem {
        name: "four".into(),
        nodes: vec![
            Node::new("a", 2.0, 4, vec![]),
            Node::new("b", 3.0, 4, vec![0]),
            Node::new("c", 5.0, 4, vec![1]),
            Node::new("d", 1.0, 1, vec![0, 2]),
        ],
        resident_bytes: 0,
    }
}
