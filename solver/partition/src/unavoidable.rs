//! Caps that no placement can keep: what needs no search to know.

use ballast_core::graph::OpId;
use ballast_core::program::Program;
use ballast_core::units::Bytes;

use crate::judge::unread_argument_bytes;
use crate::sequence::{Order, Sequence, sequence_order};

/// Caps that every placement and every memory plan exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavoidable {
    /// So many caps are exceeded at least.
    pub caps: usize,
    /// Why.
    pub reason: Reason,
}

/// What no placement can help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An op needs more than any device may hold: operands, result, workspace, arguments and buffers of results at once.
    Op {
        /// The op.
        op: OpId,
        /// What it needs.
        needs: Bytes,
        /// The largest cap.
        cap: Bytes,
    },
    /// Ops each need more than some device may hold, and together more than there is where they may run.
    Ops {
        /// So many.
        count: usize,
        /// That which needs most.
        op: OpId,
        /// What that needs.
        needs: Bytes,
        /// What such a device may hold.
        cap: Bytes,
        /// What they hold together: arguments and buffers of results, each once, and working sets.
        held: Bytes,
    },
    /// Arguments and buffers of results, each held once, and one largest working set are more than all devices together may hold.
    Together {
        /// What there is.
        held: Bytes,
        /// All caps.
        caps: Bytes,
    },
}

/// The caps that no placement keeps, where a cap may be raised to `limit` times itself; none where nothing is known against them.
///
/// Arguments are resident on every device that reads them, buffers of results where they are made, and every op needs its operands, result and
/// workspace at once, whatever is recomputed or swapped. What needs more than so many bytes runs where there are more: for every size of a cap, raised
/// or not, the ops above it need room on the devices above it.
#[must_use]
pub fn unavoidable(program: &Program<'_>, caps: &[Bytes], limit: f64) -> Option<Unavoidable> {
    let graph = program.graph;
    let sequence = Sequence::of_ops(graph, program.costs, sequence_order(graph, Order::Program));
    let needs = sequence.needs(false);
    let (neediest, &most) = needs.iter().enumerate().max_by_key(|(_, bytes)| **bytes)?;
    let largest = caps.iter().copied().max()?;
    let together = Above::of(&sequence, &needs, None, unread_argument_bytes(graph).0);
    let raised = together.least_raised(caps, limit);
    let mut found = Unavoidable {
        caps: raised,
        reason: Reason::Together { held: Bytes(together.held()), caps: caps.iter().copied().sum() },
    };
    if raised == 0 && most > largest.0 {
        let reason = Reason::Op { op: sequence.ops[neediest], needs: Bytes(most), cap: largest };
        found = Unavoidable { caps: 1, reason };
    }
    let mut sizes: Vec<u64> =
        caps.iter().flat_map(|cap| [cap.0, (limit.max(1.0) * cap.0 as f64) as u64]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes.into_iter().filter(|&size| size < most) {
        let above = Above::of(&sequence, &needs, Some(size), 0);
        let raised = above.least_raised(caps, limit);
        if raised > found.caps {
            let (op, needs) = (sequence.ops[neediest], Bytes(most));
            let reason =
                Reason::Ops { count: above.ops, op, needs, cap: Bytes(size), held: Bytes(above.held()) };
            found = Unavoidable { caps: raised, reason };
        }
    }
    (found.caps > 0).then_some(found)
}

/// The ops that need more than so many bytes each, which only devices with more can run.
struct Above {
    /// The size; none where all ops are meant.
    size: Option<u64>,
    ops: usize,
    /// Arguments and buffers of results, each once, bytes.
    resident: u64,
    /// The smallest and the largest of the working sets, bytes.
    working_set: [u64; 2],
    /// Of these the ones that one op alone needs, by op, ascending, bytes.
    own: Vec<u64>,
}

impl Above {
    /// `resident`: what is held beside arguments that are read and buffers of results.
    fn of(sequence: &Sequence, needs: &[u64], size: Option<u64>, mut resident: u64) -> Self {
        let is_above = |item: usize| size.is_none_or(|size| needs[item] > size);
        let mut working_set = [u64::MAX, 0];
        let mut own = sequence.resident.clone();
        for item in (0..sequence.len()).filter(|&item| is_above(item)) {
            let of_item = sequence.working_set[item];
            working_set = [working_set[0].min(of_item), working_set[1].max(of_item)];
            resident = resident.saturating_add(sequence.resident[item]);
        }
        for argument in &sequence.arguments {
            if let [reader] = argument.readers[..] {
                own[reader] = own[reader].saturating_add(argument.bytes);
            }
        }
        let mut own: Vec<u64> =
            (0..sequence.len()).filter(|&item| is_above(item)).map(|item| own[item]).collect();
        own.sort_unstable();
        let read =
            sequence.arguments.iter().filter(|argument| argument.readers.iter().any(|&item| is_above(item)));
        resident = read.fold(resident, |sum, argument| sum.saturating_add(argument.bytes));
        Above { size, ops: own.len(), resident, working_set, own }
    }

    /// What they hold together on one device.
    fn held(&self) -> u64 {
        self.resident.saturating_add(self.working_set[1])
    }

    /// The fewest caps that must be raised before all have room: of what a device has, its part of the arguments and buffers takes all but a working set.
    fn least_raised(&self, caps: &[Bytes], limit: f64) -> usize {
        let Some(size) = self.size else {
            return fewest(caps, limit, self.held() as f64, |cap| cap);
        };
        let [smallest, largest] = self.working_set.map(|bytes| bytes as f64);
        let room = |cap: f64| if cap > size as f64 { (cap - smallest).max(0.0) } else { 0.0 };
        let by_bytes = fewest(caps, limit, self.resident as f64 + largest - smallest, room);
        // Those of at least so many bytes of their own, one by one: as many as the smallest of them fit.
        let by_count = |at_least: u64| {
            let own = &self.own[self.own.partition_point(|&own| own < at_least)..];
            let sums: Vec<f64> = own
                .iter()
                .scan(0.0, |sum, &own| {
                    *sum += own as f64;
                    Some(*sum)
                })
                .collect();
            fewest(caps, limit, own.len() as f64, |cap| sums.partition_point(|&sum| sum <= room(cap)) as f64)
        };
        let halves = (0..COUNTS).map(|power| self.own.last().copied().unwrap_or(0) >> power);
        halves.take_while(|&own| own > 0).map(by_count).fold(by_bytes, usize::max)
    }
}

/// How many halves of the largest bytes of an op's own are counted from.
const COUNTS: u32 = 8;

/// The fewest caps that must be raised before devices with so much `room` have as much as is needed; all that give any where even that is too little.
fn fewest(caps: &[Bytes], limit: f64, needed: f64, room: impl Fn(f64) -> f64) -> usize {
    let caps = || caps.iter().map(|cap| cap.0 as f64);
    let mut gains: Vec<f64> = caps().map(|cap| room(limit.max(1.0) * cap) - room(cap)).collect();
    gains.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut there: f64 = caps().map(&room).sum();
    let at_least = usize::from(needed > there);
    let raised = gains.iter().take_while(|&&gain| {
        let full = needed > there && gain > 0.0;
        there += gain;
        full
    });
    raised.count().max(at_least)
}
