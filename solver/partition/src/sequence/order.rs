//! The order of the op sequence: program order, or one that keeps the peak low.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ballast_core::graph::{Graph, OpId};

/// In which order the ops stand in the sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the program has them.
    #[default]
    Program,
    /// A topological order chosen for a low peak: of the ops ready to run, the one that adds the least to what
    /// is live goes first. Program order where that has the lower peak.
    Memory,
}

/// The planned ops in the order asked for. Ops with side effects keep their order among themselves.
#[must_use]
pub fn sequence_order(graph: &Graph, order: Order) -> Vec<OpId> {
    let program: Vec<OpId> = graph.planned().collect();
    match order {
        Order::Program => program,
        Order::Memory => {
            let greedy = least_growth_first(graph, &program);
            if peak(graph, &greedy) < peak(graph, &program) { greedy } else { program }
        }
    }
}

/// Peak of live values when the ops run in this order on one device and nothing is recomputed.
#[must_use]
fn peak(graph: &Graph, order: &[OpId]) -> u64 {
    let returned = graph.returned_ops();
    let mut readers_left = vec![0usize; graph.ops.len()];
    for &op in order {
        for input in graph.value_inputs(op) {
            readers_left[input] += 1;
        }
    }
    let (mut live, mut peak) = (0u64, 0u64);
    for &op in order {
        live += graph.value_bytes(op).0;
        peak = peak.max(live + graph.ops[op].workspace.0);
        if readers_left[op] == 0 && !returned[op] {
            live -= graph.value_bytes(op).0;
        }
        for input in graph.value_inputs(op) {
            readers_left[input] -= 1;
            if readers_left[input] == 0 && !returned[input] {
                live -= graph.value_bytes(input).0;
            }
        }
    }
    peak
}

/// List scheduling: the ready op with the least growth of live bytes, ties in program order.
fn least_growth_first(graph: &Graph, program: &[OpId]) -> Vec<OpId> {
    let returned = graph.returned_ops();
    let inputs: Vec<Vec<OpId>> = OpId::first(graph.ops.len()).map(|op| graph.value_inputs(op)).collect();
    let mut readers = vec![Vec::new(); graph.ops.len()];
    let mut waits = vec![0usize; graph.ops.len()];
    let mut previous_effect = None;
    for &op in program {
        for &input in &inputs[op] {
            readers[input].push(op);
        }
        waits[op] = inputs[op].len();
        if !graph.ops[op].pure_op {
            // Not a reading, so the value may go; only the order counts.
            if let Some(before) = previous_effect.replace(op)
                && !inputs[op].contains(&before)
            {
                waits[op] += 1;
            }
        }
    }
    let mut effect_after = vec![None; graph.ops.len()];
    let effects: Vec<OpId> = program.iter().copied().filter(|&op| !graph.ops[op].pure_op).collect();
    for pair in effects.windows(2) {
        if !inputs[pair[1]].contains(&pair[0]) {
            effect_after[pair[0]] = Some(pair[1]);
        }
    }
    let mut unread: Vec<usize> = readers.iter().map(Vec::len).collect();
    let growth = |op: OpId, unread: &[usize]| {
        let stays = unread[op] > 0 || returned[op];
        let made = if stays { graph.value_bytes(op).0 as i128 } else { 0 };
        let freed: i128 = inputs[op]
            .iter()
            .filter(|&&input| unread[input] == 1 && !returned[input])
            .map(|&input| i128::from(graph.value_bytes(input).0))
            .sum();
        made - freed
    };
    let mut ready: BinaryHeap<Reverse<(i128, OpId)>> =
        program.iter().filter(|&&op| waits[op] == 0).map(|&op| Reverse((growth(op, &unread), op))).collect();
    let mut order = Vec::with_capacity(program.len());
    let mut done = vec![false; graph.ops.len()];
    while let Some(Reverse((known, op))) = ready.pop() {
        // Entries are renewed, not changed in place: a stale one is dropped here.
        if done[op] || known != growth(op, &unread) {
            continue;
        }
        done[op] = true;
        order.push(op);
        for &input in &inputs[op] {
            unread[input] -= 1;
            if unread[input] == 1 {
                for &reader in readers[input].iter().filter(|&&reader| !done[reader] && waits[reader] == 0) {
                    ready.push(Reverse((growth(reader, &unread), reader)));
                }
            }
        }
        for &next in readers[op].iter().chain(effect_after[op].iter()) {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(Reverse((growth(next, &unread), next)));
            }
        }
    }
    order
}
