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
/// workspace at once, whatever is recomputed or swapped.
#[must_use]
pub fn unavoidable(program: &Program<'_>, caps: &[Bytes], limit: f64) -> Option<Unavoidable> {
    let graph = program.graph;
    let sequence = Sequence::of_ops(graph, program.costs, sequence_order(graph, Order::Program));
    let needs = sequence.needs(false);
    let (item, &neediest) = needs.iter().enumerate().max_by_key(|(_, bytes)| **bytes)?;
    let largest = caps.iter().copied().max()?;
    let arguments: u64 = sequence.arguments.iter().map(|argument| argument.bytes).sum();
    let buffers: u64 = sequence.resident.iter().sum();
    let working_set = sequence.working_set.iter().copied().max().unwrap_or(0);
    let held = arguments + buffers + working_set + unread_argument_bytes(graph).0;
    let together = least_raised(held, caps, limit);
    if together > 0 {
        let reason = Reason::Together { held: Bytes(held), caps: caps.iter().copied().sum() };
        return Some(Unavoidable { caps: together, reason });
    }
    (neediest > largest.0).then(|| Unavoidable {
        caps: 1,
        reason: Reason::Op { op: sequence.ops[item], needs: Bytes(neediest), cap: largest },
    })
}

/// The fewest caps, the largest of them, that must be raised before so many bytes have room.
fn least_raised(held: u64, caps: &[Bytes], limit: f64) -> usize {
    let mut sorted: Vec<f64> = caps.iter().map(|cap| cap.0 as f64).collect();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut room: f64 = sorted.iter().sum();
    let more = (limit - 1.0).max(0.0);
    sorted
        .iter()
        .take_while(|cap| {
            let full = held as f64 > room;
            room += more * **cap;
            full
        })
        .count()
}
