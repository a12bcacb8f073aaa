//! Fusions that many values go into for the last time, in parts.
//!
//! A sum over forty gradients is one fusion to a compiler, which needs all forty at once. Where a part of it is stored, the values that went into that part
//! are gone: one value instead of several, for writing and reading it once.

use std::collections::{BTreeMap, BTreeSet};

use super::within::computed_in;
use super::{Fuser, Group, groups, readers};
use crate::graph::{Graph, OpId};
use crate::units::Bytes;

/// A part is stored when this many times its bytes go into it for the last time.
const LAST_READ: u64 = 4;
/// And this many times its bytes go into the rest of the fusion for the last time: else the fusion is short.
const STILL_READ: u64 = 2;
/// The same where the sum goes on much later than the part could be made, as in a gradient that is summed up over micro-batches: values that wait that long are
/// better stored as one.
const LAST_READ_EARLY: u64 = 2;
const STILL_READ_LATE: u64 = 1;
/// The part of the program, one in so many, that is much later, and the least ops.
const LATER: usize = 8;
const LEAST_LATER: usize = 32;
/// Least values that go into a part of a sum that several devices share: two of which one byte in eight is left, as of a comparison, are no sum, and cost
/// every device a value that is written and read.
const LEAST_VALUES: usize = 4;
/// Most values that are followed into a part one by one. Of those as large as the part, [`LAST_READ`] are enough; of others the bytes are, which count twice where two
/// ways lead into the part.
const MOST_VALUES: usize = 64;

impl Fuser<'_> {
    /// Stores parts of fusions that many values go into for the last time. What was read by one part may be read by several then, and
    /// is stored for them: such parts are short.
    pub(super) fn part_sums(&mut self) {
        let before = self.held.len();
        let groups = groups(&self.roots);
        self.held.extend(held_of(self.graph, &groups, &self.roots, &self.readers, Parts::OF_ONE));
        if self.held.len() > before {
            self.decide();
        }
    }
}

/// Ops to hold so that long sums fall into parts, at most about `most` each and no larger than they need be where more than `largest` goes into one, which several
/// devices may compute where their values are.
/// `graph` has not been fused, `fused` has, into `groups`; then `stored` will be stored besides, for several fusions that each would sum up the same: what
/// goes into such an op is a fusion of its own.
#[must_use]
pub fn sums_in_parts(
    graph: &Graph,
    fused: &Graph,
    groups: &[Group],
    stored: &[OpId],
    (most, largest): (usize, Bytes),
) -> Vec<OpId> {
    let mut roots = computed_in(graph, fused, groups);
    let readers = readers(graph);
    stored.iter().for_each(|&id| roots[id] = vec![id]);
    let behind: Vec<Group> =
        stored.iter().map(|&root| fusion_of(graph, root, &readers, &mut roots)).collect();
    let rest = groups.iter().map(|group| Group {
        root: group.root,
        members: group.members.iter().copied().filter(|&id| roots[id].contains(&group.root)).collect(),
    });
    let groups: Vec<Group> = rest.chain(behind).collect();
    let parts = Parts { most, largest, least_values: LEAST_VALUES, may_wait: false };
    held_of(graph, &groups, &roots, &readers, parts)
}

/// An op that is to be stored, and what is computed for it alone then: `roots` say so from now on.
fn fusion_of(graph: &Graph, root: OpId, readers: &[Vec<OpId>], roots: &mut [Vec<OpId>]) -> Group {
    let mut members = BTreeSet::from([root]);
    // The last op first: whatever reads an op has been looked at before it.
    let mut open: BTreeSet<OpId> = graph.value_inputs(root).into_iter().collect();
    while let Some(id) = open.pop_last() {
        let is_inside = !roots[id].is_empty() && !roots[id].contains(&id);
        if is_inside && readers[id].iter().all(|reader| members.contains(reader)) {
            members.insert(id);
            roots[id] = vec![root];
            open.extend(graph.value_inputs(id));
        }
    }
    members.remove(&root);
    Group { root, members: members.into_iter().collect() }
}

/// Which parts a fusion may fall into.
#[derive(Clone, Copy)]
struct Parts {
    /// About as many at most.
    most: usize,
    /// What goes into one, where it can be had.
    largest: Bytes,
    /// Values that go into each, at least.
    least_values: usize,
    /// Is less enough where the fusion runs much later?
    may_wait: bool,
}

impl Parts {
    /// Those of one device: whatever frees memory.
    const OF_ONE: Parts =
        Parts { most: usize::MAX, largest: Bytes(u64::MAX), least_values: 1, may_wait: true };
}

/// Ops to hold of all groups, whose ops are computed in `roots` and read by `readers`.
fn held_of(
    graph: &Graph,
    groups: &[Group],
    roots: &[Vec<OpId>],
    readers: &[Vec<OpId>],
    parts: Parts,
) -> Vec<OpId> {
    let last_readers: Vec<OpId> =
        OpId::of(readers).map(|(id, readers)| readers.last().copied().unwrap_or(id)).collect();
    groups.iter().flat_map(|group| held(graph, group, roots, &last_readers, parts)).collect()
}

/// Ops of a fusion to hold so that no part of it is where many stored values are read for the last time. `graph` has not been fused;
/// `roots` are the fusions each of its ops is computed in; `last_readers` the last op, in program order, that reads the op's value; ops in several
/// fusions are left in them.
fn held(graph: &Graph, group: &Group, roots: &[Vec<OpId>], last_readers: &[OpId], parts: Parts) -> Vec<OpId> {
    // Others may read it before the fusion runs: it is kept from then on for the fusion alone.
    let dies = |id: OpId| roots[id].contains(&id) && last_readers[id] <= group.root;
    let bytes = |values: &BTreeSet<OpId>| {
        values.iter().fold(0u64, |sum, &id| sum.saturating_add(graph.value_bytes(id).0))
    };
    let ops = || group.members.iter().copied().chain([group.root]);
    let all: BTreeSet<OpId> = ops().flat_map(|id| graph.value_inputs(id)).filter(|&id| dies(id)).collect();
    let mut left = bytes(&all);
    let of_part = (left / parts.most.max(1) as u64).min(parts.largest.0);
    // Ascending, as the ops are.
    let mut held = Vec::new();
    // By op of the fusion: the values that go into it and are not in a stored part yet, and the bytes of those that are not followed.
    let mut open: BTreeMap<OpId, (BTreeSet<OpId>, u64)> = BTreeMap::new();
    for id in ops() {
        let (mut values, mut more) = (BTreeSet::new(), 0_u64);
        for input in graph.value_inputs(id) {
            match open.get(&input) {
                Some((below, bytes)) => {
                    values.extend(below);
                    more = more.saturating_add(*bytes);
                }
                None if dies(input) || held.binary_search(&input).is_ok() => {
                    values.insert(input);
                }
                None => {}
            }
        }
        let size = graph.value_bytes(id).0;
        let read = bytes(&values).saturating_add(more);
        // Several fusions may sum up the same: what is stored serves all of them.
        let is_early = |root: &OpId| root.0.saturating_sub(id.0) > LEAST_LATER.max(graph.ops.len() / LATER);
        let waits = parts.may_wait && roots[id].iter().all(is_early);
        let too_large = size.saturating_mul(LAST_READ) > parts.largest.0;
        let few = (waits || too_large) && values.len() > 1;
        let (last_read, still_read) =
            if few { (LAST_READ_EARLY, STILL_READ_LATE) } else { (LAST_READ, STILL_READ) };
        let is_long = left.saturating_sub(read) >= size.saturating_mul(still_read);
        let least_values = if few { 2.min(parts.least_values) } else { parts.least_values };
        let is_served = roots[id].len() == 1 || (waits && values.len() > 1);
        let may_be_held = id != group.root && size > 0 && is_served && values.len() >= least_values;
        if may_be_held && is_long && read >= size.saturating_mul(last_read).max(of_part) {
            held.push(id);
            left = left.saturating_sub(read).saturating_add(size);
            continue;
        }
        while values.len() > MOST_VALUES {
            let first = values.pop_first();
            more = more.saturating_add(first.map_or(0, |id| graph.value_bytes(id).0));
        }
        open.insert(id, (values, more));
    }
    held
}

#[cfg(test)]
mod tests {
    use super::super::Fusion;
    use super::super::tests::{fuse, graph, stored};
    use super::*;
    use crate::graph::LayerType;
    use crate::graph::LayerType::{Activation, Dense};

    const ROOMY: Bytes = Bytes(u64::MAX);

    /// Products of the argument, their sum, one after another, and more ops behind it.
    fn sum_of_products(products: usize, more: &[(LayerType, &[usize])], returned: &[usize]) -> Graph {
        let mut ops = vec![(Dense, vec![0]); products];
        ops.push((Activation, vec![1, 2]));
        ops.extend((2..products).map(|product| (Activation, vec![product + 1, products - 1 + product])));
        ops.extend(more.iter().map(|&(layer, inputs)| (layer, inputs.to_vec())));
        let name = |layer| if layer == Dense { "s.dot" } else { "s.add" };
        let ops: Vec<(&str, LayerType, &[usize])> =
            ops.iter().map(|(layer, inputs)| (name(*layer), *layer, &inputs[..])).collect();
        graph(&ops, returned)
    }

    #[test]
    fn a_long_sum_is_stored_in_parts_in_a_rewritten_program() {
        // Twelve products and their sum, one after another.
        let sum = |forward_reads: bool| {
            // A product that reads all others again, after their sum.
            let again: Vec<usize> = (1..=12).collect();
            let more: &[(LayerType, &[usize])] = if forward_reads { &[(Dense, &again)] } else { &[] };
            sum_of_products(12, more, &[23])
        };
        let products: Vec<OpId> = OpId::first(12).collect();
        let mut whole = sum(false);
        fuse(&mut whole, Fusion::Xla, &[]);
        assert_eq!(
            stored(&whole),
            [&products[..], &[OpId(22)]].concat(),
            "as the compiler does it by itself"
        );
        let mut parted = sum(false);
        let groups = fuse(&mut parted, Fusion::XlaHeld, &[]);
        // Four products, then three at a time with the sum so far; the last two are not worth a part of their own.
        assert_eq!(groups.iter().map(|group| group.root).collect::<Vec<_>>(), [14, 17, 20, 22].map(OpId));
        assert_eq!(parted.value_inputs(OpId(17)), [4, 5, 6, 14].map(OpId));
        // In two parts, and a rest, as for several devices.
        let groups = fuse(&mut sum(false), Fusion::Xla, &[]);
        let in_parts = |most| sums_in_parts(&sum(false), &whole, &groups, &[], (most, ROOMY));
        assert_eq!(in_parts(usize::MAX), [14, 17, 20].map(OpId));
        assert_eq!(in_parts(2), [16].map(OpId));
        // Of no more than 500 bytes each, of products of 100.
        let small = sums_in_parts(&sum(false), &whole, &groups, &[], (2, Bytes(500)));
        assert_eq!(small, [15, 19].map(OpId));
        // Of which two alone are more than that.
        let smallest = sums_in_parts(&sum(false), &whole, &groups, &[], (2, Bytes(150)));
        assert_eq!(smallest, (12..22).map(OpId).collect::<Vec<_>>());
        // Values that stay for others would not go away.
        let mut kept = sum(true);
        assert_eq!(fuse(&mut kept, Fusion::XlaHeld, &[]).len(), 1);
    }

    #[test]
    fn of_a_sum_over_micro_batches_one_value_is_stored_for_all_so_far() {
        // Three gradients, each the last op but the sum of a micro-batch of 41 ops that read one another.
        let mut ops: Vec<(&str, LayerType, Vec<usize>)> = Vec::new();
        let (mut sum, mut sums) = (None, Vec::new());
        for _ in 0..3 {
            for op in 0..40 {
                let read = if op == 0 { 0 } else { ops.len() };
                ops.push(("s.dot", Dense, vec![read]));
            }
            if let Some(sum) = sum {
                ops.push(("s.add", Activation, vec![sum, ops.len()]));
                sums.push(OpId(ops.len() - 1));
            }
            sum = Some(ops.len());
        }
        let last = ops.len();
        // The same, read a second time, long after.
        let mut twice = ops.clone();
        for op in 0..40 {
            twice.push(("s.dot", Dense, vec![if op == 0 { 0 } else { twice.len() }]));
        }
        twice.push(("s.add", Activation, vec![last, twice.len()]));
        let stored_sums = |ops: &[(&str, LayerType, Vec<usize>)], returned: &[usize], fusion| {
            let ops: Vec<(&str, LayerType, &[usize])> =
                ops.iter().map(|(name, layer, inputs)| (*name, *layer, &inputs[..])).collect();
            let mut program = graph(&ops, returned);
            fuse(&mut program, fusion, &[]);
            let stored = stored(&program);
            sums.iter().copied().filter(|sum| stored.contains(sum)).collect::<Vec<_>>()
        };
        let roots = |fusion| stored_sums(&ops, &[last], fusion);
        assert_eq!(roots(Fusion::Xla), sums[1..], "as the compiler does it by itself");
        assert_eq!(roots(Fusion::XlaHeld), sums);
        let end = twice.len();
        let mut scaled = twice;
        scaled.insert(last, ("s.negate", Activation, vec![last]));
        for (_, _, inputs) in &mut scaled[last + 1..] {
            inputs.iter_mut().filter(|input| **input > last).for_each(|input| *input += 1);
        }
        let of_both = |fusion| stored_sums(&scaled, &[last + 1, end + 1], fusion);
        assert_eq!(of_both(Fusion::Xla), []);
        // Two fusions sum up the same; of the last sum nothing is left to be summed up.
        assert_eq!(of_both(Fusion::XlaHeld), sums[..1]);
    }

    #[test]
    fn a_sum_of_hundreds_of_values_falls_into_few_parts() {
        let program = || sum_of_products(600, &[], &[1199]);
        let mut fused = program();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        let held = sums_in_parts(&program(), &fused, &groups, &[], (8, ROOMY));
        // 75 products each, and the sum so far in place of one of them.
        assert_eq!(held[..2], [673, 747].map(OpId), "{held:?}");
        assert!((6..=8).contains(&held.len()), "{held:?}");
    }

    #[test]
    fn a_sum_that_two_fusions_read_falls_into_parts_once_it_is_stored_for_them() {
        // Twelve products, their sum, and two results that are made of it, as the two moments of an optimiser are of a gradient.
        let program = || sum_of_products(12, &[(Activation, &[23, 0]), (Activation, &[23, 0])], &[24, 25]);
        let mut fused = program();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(groups.iter().map(|group| group.root).collect::<Vec<_>>(), [23, 24].map(OpId));
        // As it stands both compute all of it.
        assert!(sums_in_parts(&program(), &fused, &groups, &[], (4, ROOMY)).is_empty());
        assert_eq!(
            sums_in_parts(&program(), &fused, &groups, &[OpId(22)], (4, ROOMY)),
            [14, 17, 20].map(OpId)
        );
    }

    #[test]
    fn a_comparison_of_two_values_is_a_part_where_memory_counts_and_none_for_several_devices() {
        // Four products; a mask of an eighth of their bytes says which of two the third and the fourth are multiplied with.
        let masked = || {
            let mut masked = graph(
                &[
                    ("s.dot", Dense, &[0]),
                    ("s.dot", Dense, &[0]),
                    ("s.dot", Dense, &[0]),
                    ("s.dot", Dense, &[0]),
                    ("s.compare", Activation, &[1, 2]),
                    ("s.select", Activation, &[5, 3]),
                    ("s.multiply", Activation, &[6, 4]),
                ],
                &[7],
            );
            masked.tensors[5].bytes = Bytes(12);
            masked
        };
        let mut fused = masked();
        let groups = fuse(&mut fused, Fusion::Xla, &[]);
        assert_eq!(groups.len(), 1);
        assert!(sums_in_parts(&masked(), &fused, &groups, &[], (usize::MAX, ROOMY)).is_empty());
        let mut held = masked();
        fuse(&mut held, Fusion::XlaHeld, &[]);
        assert_eq!(stored(&held), [0, 1, 2, 3, 4, 6].map(OpId));
        assert_eq!(stored(&fused), [0, 1, 2, 3, 6].map(OpId));
    }
}
