//! Removes what opened loops leave behind: stacks nobody reads whole, counters, values of the last iteration.

use std::collections::HashSet;
use std::ffi::c_void;

use ballast_dialects::ir;
use ballast_dialects::operations::{erase, is_memory_effect_free};
use melior::ir::operation::{OperationLike, OperationRef};

/// Ops of StableHLO that do more than their results show, or may.
const EFFECTS: [&str; 24] = [
    "after_all",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "async_done",
    "async_start",
    "case",
    "collective_broadcast",
    "collective_permute",
    "composite",
    "create_token",
    "cross-replica-sum",
    "custom_call",
    "if",
    "infeed",
    "outfeed",
    "partition_id",
    "recv",
    "reduce_scatter",
    "replica_id",
    "return",
    "rng",
    "send",
    "while",
];

/// Can the op go if nobody reads its results?
fn is_removable(op: OperationRef<'_, '_>) -> bool {
    if op.result_count() == 0 {
        return false;
    }
    match ir::name(op).split_once('.') {
        Some(("stablehlo", name)) => EFFECTS.binary_search(&name).is_err(),
        Some(("chlo", _)) => true,
        _ => is_memory_effect_free(&op),
    }
}

/// Erases those of `candidates`, given in program order, that nobody reads, and what only they read.
pub(crate) fn sweep(candidates: Vec<OperationRef<'_, '_>>) {
    let mut gone: HashSet<*const c_void> = HashSet::new();
    let mut open = candidates;
    while let Some(op) = open.pop() {
        if gone.contains(&op.to_raw().ptr.cast_const()) || !is_removable(op) || op.results().any(ir::is_used)
        {
            continue;
        }
        let inside = ir::nested(op);
        let read = inside.iter().copied().chain([op]).flat_map(|op| op.operands().collect::<Vec<_>>());
        let makers: Vec<OperationRef<'_, '_>> =
            read.filter_map(ir::producer).filter(|maker| !inside.contains(maker)).collect();
        gone.insert(op.to_raw().ptr.cast_const());
        erase(op);
        open.extend(makers);
    }
}

#[cfg(test)]
mod tests {
    use super::EFFECTS;

    #[test]
    fn the_table_is_sorted() {
        assert!(EFFECTS.is_sorted());
    }
}
