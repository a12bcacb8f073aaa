//! What a loop or branch costs that is planned as one op: the ops inside, fused as the back end fuses them, as often as they run,
//! and the memory of their values.

use std::collections::{BTreeMap, HashMap, HashSet};

use ballast_core::fusion::{FusionClasses, Group, fits_over_argument};
use ballast_core::graph::{Backing, Graph, Inner, Op, OpId, TensorId};
use ballast_core::units::Bytes;
use ballast_dialects::ir;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::xla::classes::classes;
use crate::import::work::dearness;
use crate::import::{Imported, Runs};

/// Sets [`Op::inner`] and [`Op::workspace`] of every loop and branch, once `fuse` has done with what is inside what it does with a program. Where that says what ops
/// hold beside their values, `holds_more`, more may be held inside than the values there take as they were read.
pub(super) fn price(
    imported: &mut Imported<'_, '_>,
    fuse: &dyn Fn(&mut Imported<'_, '_>) -> Vec<Group>,
    holds_more: bool,
) {
    // Room for gaps counts wherever the largest value of all is: that inside of a loop may be larger than all outside. Half of it may be gaps.
    let room = |graph: &Graph| graph.heap_gaps.map_or(0, |half| 2 * half.0);
    let outside = room(&imported.graph);
    // By branch: how dear its dearest arm is so far, and the most memory.
    let mut arms: BTreeMap<OpId, (u64, Bytes)> = BTreeMap::new();
    for body in &mut imported.bodies {
        let classes = classes(&body.imported);
        let groups = fuse(&mut body.imported);
        let op = &mut imported.graph.ops[body.of];
        let returned = match body.runs {
            Runs::InTurn => Returned::InResults,
            Runs::Times(_) | Runs::AsValuesSay => {
                Returned::Lying(in_arguments(&body.imported, &groups, &classes))
            }
        };
        let gaps = room(&body.imported.graph).saturating_sub(outside);
        let within = peak(&body.imported, &returned, holds_more) + Bytes(gaps);
        match body.runs {
            Runs::Times(trips) => op.inner = inner(&body.imported.graph, trips),
            Runs::AsValuesSay => op.inner = inner(&body.imported.graph, 1),
            Runs::InTurn => {
                let arm = inner(&body.imported.graph, 1);
                let sum = |part: fn(&Inner) -> u64| {
                    arm.iter().fold(0, |sum: u64, inner| {
                        sum.saturating_add(part(inner).saturating_mul(inner.times))
                    })
                };
                let dear = dearness(sum(|inner| inner.work.flops), sum(|inner| inner.work.bytes.0));
                let (dearest, most) = arms.entry(body.of).or_default();
                // Of equally dear ones the last, as where arms are summed.
                if dear >= *dearest {
                    op.inner = arm;
                }
                (*dearest, *most) = (dear.max(*dearest), within.max(*most));
                continue;
            }
        }
        op.workspace = if holds_more { within } else { op.workspace.min(within) };
    }
    for (branch, (_, within)) in arms {
        let workspace = &mut imported.graph.ops[branch].workspace;
        *workspace = if holds_more { within } else { within.min(*workspace) };
    }
}

/// What the planned ops of a graph cost that run so many times.
fn inner(graph: &Graph, times: u64) -> Vec<Inner> {
    let once = |op: &Op| match op.inner.as_slice() {
        [] => vec![Inner { work: op.work, times: 1 }],
        inner => inner.to_vec(),
    };
    let all = graph.planned().flat_map(|id| once(&graph.ops[id]));
    all.map(|inner| Inner { times: inner.times.saturating_mul(times), ..inner }).collect()
}

/// Where what a body returns lies.
enum Returned {
    /// In the results of the op around it, which are there already.
    InResults,
    /// By op: in memory of its own, or where an argument lies that nobody reads any more.
    Lying(Vec<bool>),
}

/// The ops of a loop's body whose value may be written where the loop value lies that it is the next of: nobody reads that afterwards.
fn in_arguments(body: &Imported<'_, '_>, groups: &[Group], classes: &FusionClasses) -> Vec<bool> {
    let graph = &body.graph;
    let mut lies = vec![false; graph.ops.len()];
    let mut last: HashMap<TensorId, OpId> = HashMap::new();
    for id in graph.planned() {
        last.extend(graph.argument_inputs(id).into_iter().map(|argument| (argument, id)));
    }
    let members: HashMap<OpId, &[OpId]> =
        groups.iter().map(|group| (group.root, group.members.as_slice())).collect();
    let results: HashMap<_, TensorId> = TensorId::of(&graph.tensors)
        .filter(|(_, tensor)| tensor.returned)
        .map(|(id, _)| (body.value(id).to_raw().ptr, id))
        .collect();
    let Some(end) = ir::last_op(body.block) else { return lies };
    let returned: Vec<Option<TensorId>> =
        end.operands().map(|value| results.get(&value.to_raw().ptr).copied()).collect();
    let handed_on: HashSet<TensorId> = returned
        .iter()
        .flatten()
        .filter_map(|&tensor| match graph.backing(tensor) {
            Backing::Argument(argument) => Some(argument),
            Backing::Op(_) | Backing::None => None,
        })
        .collect();
    for (index, result) in returned.iter().enumerate() {
        let argument = TensorId(index);
        let Some(result) = *result else { continue };
        let Backing::Op(maker) = graph.backing(result) else { continue };
        let alone = matches!(graph.ops[maker].outputs[..], [_]) && !handed_on.contains(&argument);
        let is_over = || match last.get(&argument) {
            Some(&reader) if reader == maker => {
                let members = members.get(&maker).copied().unwrap_or_default();
                fits_over_argument(graph, (&body.reads, members), classes, argument, maker)
            }
            reader => reader.is_none_or(|&reader| reader < maker),
        };
        lies[maker] = alone && graph.tensors[argument].bytes == graph.value_bytes(maker) && is_over();
    }
    lies
}

/// Most bytes of values of its own that a body holds at once, in its order, with what is filled before its first op. What is written into another value takes none.
fn peak(body: &Imported<'_, '_>, results: &Returned, holds_more: bool) -> Bytes {
    let graph = &body.graph;
    let planned: Vec<OpId> = graph.planned().collect();
    let returned = graph.returned_ops();
    // The op in whose memory the value of each lies; none: in memory that is there already.
    let mut lies_in: Vec<Option<OpId>> = vec![None; graph.ops.len()];
    let mut last = vec![0; graph.ops.len()];
    for (at, &id) in planned.iter().enumerate() {
        let whole = body.in_place[id];
        let is_there = match results {
            Returned::InResults => returned[id],
            Returned::Lying(lies) => lies[id],
        };
        lies_in[id] = match (whole.map(|whole| graph.backing(whole)), graph.ops[id].over) {
            _ if is_there => None,
            (Some(Backing::Argument(_)), _) => None,
            (Some(Backing::Op(base)), _) | (_, Some(base)) => lies_in[base],
            (Some(Backing::None) | None, None) => Some(id),
        };
        for base in graph.value_inputs(id).into_iter().chain([id]).filter_map(|read| lies_in[read]) {
            last[base] = at;
        }
    }
    for (returned, base) in returned.into_iter().zip(&lies_in) {
        if let (true, &Some(base)) = (returned, base) {
            last[base] = planned.len();
        }
    }
    let mut ends = vec![0_u64; planned.len() + 1];
    let mut filled = vec![0_u64; graph.ops.len()];
    for (id, held) in OpId::of(&body.workspace_in_xla).filter(|_| holds_more) {
        filled[id] = held.early.0;
    }
    let (mut live, mut most) = (filled.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes)), 0);
    for (at, &id) in planned.iter().enumerate() {
        if lies_in[id] == Some(id) {
            let Bytes(bytes) = graph.value_bytes(id);
            live = live.saturating_add(bytes);
            ends[last[id]] = ends[last[id]].saturating_add(bytes);
        }
        most = most.max(live.saturating_add(graph.ops[id].workspace.0));
        live = live.saturating_sub(ends[at]).saturating_sub(filled[id]);
    }
    Bytes(most)
}
