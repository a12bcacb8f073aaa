//! Generated graphs to train the learned placer on.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::problem::{Kind, Node, Problem};

/// A graph of blocks as in networks for inference or training: chains, branches that join again, bypasses; for a
/// training step every forward node has a backward node of the same colour. Two to eight accelerators, with or without a
/// slow CPU core.
#[must_use]
pub fn random_problem(rng: &mut ChaCha8Rng) -> Problem {
    let accelerators = rng.random_range(2..=8);
    let cores = rng.random_range(0..=1);
    let blocks = rng.random_range(3..=20);
    let spread = rng.random_range(0.3..2.5);
    let traffic = 10f64.powf(rng.random_range(-1.5..0.5));
    let mut nodes: Vec<Node> = Vec::new();
    let add = |nodes: &mut Vec<Node>, inputs: &[usize], rng: &mut ChaCha8Rng| {
        let id = nodes.len();
        let time = 10f64.powf(spread * rng.random::<f64>());
        let slow = if rng.random_range(0..20) == 0 { 1.5 } else { rng.random_range(5.0..60.0) };
        nodes.push(Node {
            id: id.to_string(),
            time: vec![time, time * slow],
            size_bytes: 10f64.powf(3.0 * rng.random::<f64>()),
            backward: false,
            colour: None,
            output_cost: traffic * 10f64.powf(1.5 * rng.random::<f64>()),
            readers: Vec::new(),
        });
        for &input in inputs {
            if !nodes[input].readers.contains(&id) {
                nodes[input].readers.push(id);
            }
        }
        id
    };
    let mut end = add(&mut nodes, &[], rng);
    let pattern = rng.random_range(0..3);
    for _ in 0..blocks {
        let begin = end;
        let branches = if pattern == 0 { 1 } else { rng.random_range(1..=4) };
        let mut ends = Vec::new();
        for _ in 0..branches {
            let mut last = begin;
            for _ in 0..rng.random_range(1..=4) {
                last = add(&mut nodes, &[last], rng);
            }
            ends.push(last);
        }
        if rng.random_range(0..2) == 0 {
            ends.push(begin);
        }
        end = add(&mut nodes, &ends, rng);
    }
    if rng.random_range(0..3) == 0 {
        mirror(&mut nodes, rng);
    }
    let total: f64 = nodes.iter().map(|node| node.size_bytes).sum();
    let largest = nodes.iter().map(|node| node.size_bytes).fold(0.0, f64::max);
    // Colour classes share a device: with a mirrored node twice the largest.
    let room = if rng.random_range(0..2) == 0 { f64::INFINITY } else { rng.random_range(1.3..3.0) };
    let memory_bytes = (room * total / accelerators as f64).max(2.5 * largest);
    let kinds = vec![
        Kind { name: "accelerator".into(), count: accelerators, memory_bytes, transfer_factor: 1.0 },
        Kind { name: "CPU core".into(), count: cores, memory_bytes: f64::INFINITY, transfer_factor: 0.0 },
    ];
    let colours = nodes.iter().filter_map(|node| node.colour).max().map_or(0, |most| most + 1);
    Problem { name: "generated".into(), kinds, nodes, colours }
}

/// Appends a backward node for every node, in the opposite order, about twice as slow.
fn mirror(nodes: &mut Vec<Node>, rng: &mut ChaCha8Rng) {
    let forward = nodes.len();
    let back = |node: usize| 2 * forward - 1 - node;
    for node in (0..forward).rev() {
        nodes[node].colour = Some(node);
        let slower = rng.random_range(1.5..2.5);
        let mut copy = nodes[node].clone();
        copy.id = back(node).to_string();
        copy.time.iter_mut().for_each(|time| *time *= slower);
        copy.size_bytes *= 0.5;
        copy.backward = true;
        copy.readers = Vec::new();
        nodes.push(copy);
    }
    for node in 0..forward {
        // Gradients flow against the edges; activations are read again by the backward node.
        for reader in nodes[node].readers.clone() {
            let (from, to) = (back(reader), back(node));
            nodes[from].readers.push(to);
        }
        nodes[node].readers.push(back(node));
    }
}
