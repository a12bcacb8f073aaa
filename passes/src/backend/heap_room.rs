//! Room in XLA's heap beyond what a plan is known to hold.

use ballast_core::graph::{Graph, OpId};
use ballast_core::units::Bytes;

/// Bytes of every op's value in memory of its own, by op.
pub(crate) fn stored_by_op(graph: &Graph) -> Vec<Bytes> {
    let in_results = graph.in_result_buffers();
    OpId::first(graph.ops.len()).map(|id| graph.stored_bytes(id, &in_results).0).collect()
}

/// Room for what XLA's heap holds beyond what a plan holds: one more of the largest value, half of which the gaps may take that the rule leaves by which XLA fills its
/// heap ([`Graph::heap_gaps`]); and one of each class of smaller ones, halves of the largest, while all are no more than a share of what is held without a plan.
/// Measured on 100 plans of 20 rewritten programs, whose order barriers keep: XLA's heap was larger than what a plan holds by up to all of the largest value, or twice that where it is
/// a twentieth of the whole; and where that was more than a quarter larger than the rule has it by at most three quarters.
pub(crate) fn leave_room(graph: &mut Graph, stored: &[Bytes]) {
    // Of equally large ones the first.
    let mut by_size: Vec<(std::cmp::Reverse<Bytes>, OpId)> =
        graph.planned().map(|id| (std::cmp::Reverse(stored[id.0]), id)).collect();
    by_size.sort_unstable();
    let largest = by_size.first().filter(|(size, _)| size.0 > Bytes::ZERO);
    let Some(&(std::cmp::Reverse(Bytes(largest)), first)) = largest else { return };
    let most = held_unplanned(graph, stored) / ROOM_SHARE;
    let mut room = vec![(first, Bytes(largest))];
    let (mut held, mut at_most) = (largest, largest / 2);
    while at_most > 0 {
        let next = by_size.iter().find(|(std::cmp::Reverse(bytes), _)| bytes.0 <= at_most);
        let of_class =
            next.filter(|(size, _)| size.0.0 > at_most / 2 && held.saturating_add(size.0.0) <= most);
        if let Some(&(std::cmp::Reverse(bytes), id)) = of_class {
            room.push((id, bytes));
            held += bytes.0;
        }
        at_most /= 2;
    }
    graph.early.extend(room);
    graph.heap_gaps = Some(Bytes(largest / 2));
}

/// The share of what is held without a plan up to which smaller values have room of their own.
const ROOM_SHARE: u64 = 16;

/// Bytes that tables of barriers take for an op: XLA holds 8 for every value of every barrier, throughout ([`crate::apply::actions`] narrows barriers where that is much).
const TABLES: u64 = 32;
/// The share of what is held without a plan that tables of barriers have room for at most.
const TABLES_SHARE: u64 = 128;

/// Bytes of the smallest buffer in XLA's heap.
const ALIGNMENT: u64 = 64;

/// Room for the tables of barriers that a rewritten program has: little beside large values, and a percent or more where a loop was opened that makes small ones.
pub(crate) fn leave_tables(graph: &mut Graph, stored: &[Bytes]) {
    let held = held_unplanned(graph, stored);
    let Some(first) = graph.planned().next() else { return };
    let tables = (TABLES * graph.planned().count() as u64).min(held / TABLES_SHARE);
    if tables >= ALIGNMENT {
        graph.early.push((first, Bytes(tables)));
    }
}

/// Most bytes of values held at once if all are kept until they are read last.
fn held_unplanned(graph: &Graph, stored: &[Bytes]) -> u64 {
    let mut last = vec![None; graph.ops.len()];
    for id in graph.planned() {
        graph.value_inputs(id).into_iter().for_each(|input| last[input.0] = Some(id));
    }
    let mut let_go = vec![0; graph.ops.len()];
    for (value, reader) in OpId::of(&last) {
        if let Some(reader) = reader {
            let_go[reader.0] = stored[value.0].0.saturating_add(let_go[reader.0]);
        }
    }
    let (mut held, mut most) = (0, 0);
    for id in graph.planned() {
        held = stored[id.0].0.saturating_add(held);
        most = most.max(held);
        held = held.saturating_sub(let_go[id.0]);
    }
    most
}

#[cfg(test)]
mod tests {
    use ballast_core::graph::{BoundaryMemory, Op, Tensor};

    use super::*;

    #[test]
    fn tables_of_barriers_have_room_by_ops_and_little_beside_small_values() {
        let tables = |bytes: u64| {
            let mut graph =
                Graph { name: "chain".into(), ends: BoundaryMemory::NotCounted, ..Graph::default() };
            for id in 0..100_usize {
                graph.ops.push(Op::new("s.tanh", Vec::from_iter(id.checked_sub(1)), [id]));
                graph.tensors.push(Tensor {
                    producer: Some(OpId(id)),
                    index: 0,
                    bytes: Bytes(bytes),
                    returned: false,
                    type_name: "value".into(),
                });
            }
            let stored = stored_by_op(&graph);
            leave_tables(&mut graph, &stored);
            graph.early
        };
        // Two values of a chain are held at once.
        assert_eq!(tables(1 << 20), [(OpId(0), Bytes(100 * TABLES))]);
        assert_eq!(tables(12_800), [(OpId(0), Bytes(200))]);
        assert_eq!(tables(2_560), [], "less than a buffer");
    }
}
