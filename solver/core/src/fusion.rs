//! Memory and traffic as a fusing back end sees them: values inside a fusion never exist in memory.
//!
//! [`fuse`] rewrites a graph in place and keeps every op's number. An op whose value is only read inside fusions
//! becomes a constant in the sense of [`OpRole::Constant`]: no time, no memory, made again where it is read. The op
//! that ends a fusion reads what the fusion reads and does the work of all of it.
//!
//! The rules are those of XLA's instruction fusion (openxla/xla, `instruction_fusion.cc` and the CPU compiler's
//! subclass of it), in the order it works in, readers first: a producer is fused if it works on elements or moves them,
//! every reader can take it, and it is not both expensive and needed by several fusions (in a rewritten program a long chain of cheap ones counts as expensive). A cheap op with at most one operand that is not
//! spread or constant is fused into the readers that take it even if it is stored for others (`EffectivelyAtMostUnary` there):
//! these read its operand instead. Elementwise ops and data movement take what they read; a reduction takes the one op in front of it, or what the library that runs
//! it takes (`library.rs`); a matrix product takes a transpose and nothing behind it,
//! in a rewritten program a convolution the reversal of its kernel. XLA's compiler for GPUs also has sums along rows in the middle of a fusion (`rows.rs`).
//! What an op writes over an operand takes no memory (`over.rs`). Not modelled: common subexpressions, copies that change a layout, rewrites by the
//! algebraic simplifier. `docs/cost-model.md` and `docs/running-plans.md` compare the outcome with XLA's buffer assignment.

mod inside;
mod joins;
mod library;
mod lookups;
mod over;
mod parts;
mod products;
mod repeats;
mod rows;
mod sums;
mod together;
mod within;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::graph::{Backing, Graph, LayerType, OpId, OpRole, TensorId};
use crate::units::Bytes;

pub use inside::{computed_inside, made_of};
pub use joins::joins;
pub use lookups::lookups;
pub use over::{fits_over_argument, write_over};
pub use parts::parts;
pub use sums::sums_in_parts;
use together::{groups, rewrite};
pub use within::{Needs, parts_within};

/// How the back end fuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fusion {
    /// Every op's result goes through memory.
    #[default]
    None,
    /// As XLA's loop fusion does.
    Xla,
    /// The same in a rewritten program, where a value that is stored is read by all: barriers keep XLA from computing it once more
    /// for some of its readers, which would read, and keep, what it is made of instead.
    XlaHeld,
    /// As XLA's compiler for GPUs does, whose kernels work on whole rows: what a softmax has between its operand and its result is nowhere stored.
    XlaGpu,
}

/// One fusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The op whose value is stored.
    pub root: OpId,
    /// Ops fused into it, ascending, the root left out. An op may be in several groups, and stored besides.
    pub members: Vec<OpId>,
}

/// What an op is to a compiler that fuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FusionClass {
    /// What it does with elements.
    pub kind: FusionKind,
    /// Is it too expensive to be computed in two fusions?
    pub expensive: bool,
}

/// What an op does with elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FusionKind {
    /// Nothing that a loop over its result could do on the way: its value is stored.
    #[default]
    Opaque,
    /// Computes an element from those at the same place.
    Elementwise,
    /// Moves elements: slices, concatenations, reshapes.
    Movement,
    /// Puts elements of several places together, and goes into several fusions only where it is what each ends with.
    Assembly,
    /// Moves elements so that a matrix product may read them where they were.
    Transpose,
    /// Moves elements that a convolution alone reads, and copies to another place anyway: a reversed kernel.
    Reversal,
    /// Puts a margin and gaps into what a reduction over windows alone reads, and counts with anyway.
    Padding,
    /// Spreads elements over more of them.
    Broadcast,
    /// Makes one element of each row of its operand, the last dimension, where kernels work on whole rows.
    RowReduction,
    /// Makes elements from their indices alone.
    Iota,
    /// Keeps the compiler from moving or merging others across it.
    Barrier,
}

impl FusionKind {
    /// Elementwise, or movement that a loop over the result can do?
    fn is_fusible(self) -> bool {
        !matches!(self, FusionKind::Opaque | FusionKind::Iota | FusionKind::Barrier)
    }
}

/// What fusion needs to know of a program beyond its graph: which dialects' ops these are is known to whoever read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionClasses {
    /// By op.
    pub ops: Vec<FusionClass>,
    /// Number of dimensions, by tensor.
    pub ranks: Vec<usize>,
    /// Does the library that runs reductions have the op? By op; none where no library does.
    pub library: Option<Vec<bool>>,
}

struct Fuser<'g> {
    graph: &'g Graph,
    classes: &'g FusionClasses,
    /// Ops that read an op's value, through views; ascending, no repeats.
    readers: Vec<Vec<OpId>>,
    returned: Vec<bool>,
    /// Is a stored value computed once more for some of its readers?
    repeats_stored: bool,
    /// What fusions have in them, by root, where kernels work on whole rows.
    rows: Option<Vec<rows::Inside>>,
    /// Ops that store their values whatever reads them.
    held: BTreeSet<OpId>,
    /// Ops computed in every fusion that reads them, however expensive.
    inside: &'g [OpId],
    /// The fusions an op is computed in, ascending: itself for an op that stores its value.
    roots: Vec<Vec<OpId>>,
    /// By op: the ops computed in its fusion so far.
    sizes: Vec<usize>,
}

/// Most ops of a fusion of a rewritten program. Chains of stencils, as a loop of a wave equation that was opened has them, would be one fusion in which an op is computed
/// once for every way that leads to it, and XLA does not come to an end.
const MOST_OPS: usize = 256;

/// Fuses a graph in place; the groups found, in order of their roots, those of one op left out. The ops of `held`, ascending,
/// store their values whatever reads them.
///
/// # Panics
/// If `classes` is not that of the graph.
pub fn fuse(graph: &mut Graph, classes: &FusionClasses, fusion: Fusion, held: &[OpId]) -> Vec<Group> {
    fuse_with(graph, classes, fusion, held, &[])
}

/// The same; those of `inside`, ascending, are computed in every fusion that reads them, however expensive they are.
///
/// # Panics
/// If `classes` is not that of the graph.
pub fn fuse_with(
    graph: &mut Graph,
    classes: &FusionClasses,
    fusion: Fusion,
    held: &[OpId],
    inside: &[OpId],
) -> Vec<Group> {
    match fusion {
        Fusion::None => Vec::new(),
        Fusion::Xla | Fusion::XlaHeld | Fusion::XlaGpu => {
            let held = [held, &behind_barriers(graph, classes)].concat();
            let mut fuser = Fuser {
                repeats_stored: fusion != Fusion::XlaHeld,
                rows: (fusion == Fusion::XlaGpu).then(|| vec![rows::Inside::default(); graph.ops.len()]),
                readers: readers(graph),
                returned: graph.returned_ops(),
                roots: vec![Vec::new(); graph.ops.len()],
                sizes: Vec::new(),
                held: held.into_iter().collect(),
                inside,
                graph,
                classes,
            };
            fuser.decide();
            if fusion == Fusion::XlaHeld {
                fuser.part_sums();
            }
            let roots = fuser.roots;
            rewrite(graph, &roots)
        }
    }
}

/// Ops whose values are read through a barrier: nothing is fused across one.
fn behind_barriers(graph: &Graph, classes: &FusionClasses) -> Vec<OpId> {
    let barriers = graph.ops.iter().zip(&classes.ops);
    let barriers =
        barriers.filter(|(op, class)| op.role == OpRole::View && class.kind == FusionKind::Barrier);
    let values = barriers.flat_map(|(op, _)| &op.inputs).map(|&tensor| graph.backing(tensor));
    values.filter_map(|storage| if let Backing::Op(maker) = storage { Some(maker) } else { None }).collect()
}

fn readers(graph: &Graph) -> Vec<Vec<OpId>> {
    let mut readers: Vec<Vec<OpId>> = vec![Vec::new(); graph.ops.len()];
    for id in graph.planned() {
        for producer in graph.value_inputs(id) {
            readers[producer].push(id);
        }
    }
    readers
}

impl Fuser<'_> {
    fn decide(&mut self) {
        self.sizes = vec![0; self.graph.ops.len()];
        for (id, op) in OpId::of(&self.graph.ops).rev() {
            if op.role != OpRole::Compute {
                continue;
            }
            self.roots[id] = self.roots_of(id).unwrap_or_else(|| vec![id]);
            self.roots[id].iter().for_each(|&root| self.sizes[root] += 1);
            self.note_inside(id);
        }
    }

    /// The fusions an op goes into; none if its value must be stored.
    fn roots_of(&self, id: OpId) -> Option<Vec<OpId>> {
        if !self.is_fusible(id) {
            return None;
        }
        let readers = &self.readers[id];
        let takers = readers.iter().filter(|&&reader| self.takes(reader, id));
        let mut roots: Vec<OpId> =
            takers.clone().flat_map(|&reader| self.roots[reader].iter().copied()).collect();
        let stored = self.returned[id] || takers.count() < readers.len();
        let goes_on = (self.repeats_stored && self.is_at_most_unary(id)) || self.is_spread(id);
        if roots.is_empty() || (stored && !goes_on) || roots.iter().any(|&root| self.is_full(root)) {
            return None;
        }
        roots.extend(stored.then_some(id));
        roots.sort_unstable();
        roots.dedup();
        self.may_repeat(id, &roots).then_some(roots)
    }

    /// Does the op only spread a value that takes less, or move what is spread for it alone? Whoever can does so for itself, though it is stored for others.
    fn is_spread(&self, id: OpId) -> bool {
        let op = &self.graph.ops[id];
        let bytes = |tensor: &TensorId| self.graph.tensors[*tensor].bytes;
        let made = op.outputs.iter().map(bytes).sum::<Bytes>();
        let spreads = |id: OpId| {
            let reads = self.graph.ops[id].inputs.iter().map(bytes).sum::<Bytes>();
            self.classes.ops[id].kind == FusionKind::Broadcast && reads < made
        };
        let is_spread = match self.classes.ops[id].kind {
            FusionKind::Transpose => self
                .graph
                .value_inputs(id)
                .into_iter()
                .all(|read| spreads(read) && self.readers[read] == [id] && !self.held.contains(&read)),
            _ => spreads(id),
        };
        is_spread && !self.returned[id]
    }

    /// Has a fusion of a rewritten program as many ops as it may have?
    fn is_full(&self, root: OpId) -> bool {
        !self.repeats_stored && self.sizes[root] >= MOST_OPS
    }

    /// Has the op at most one operand as large in rank as its value, besides constants and what is spread from a smaller one?
    fn is_at_most_unary(&self, id: OpId) -> bool {
        let graph = self.graph;
        let rank = |tensor: TensorId| self.classes.ranks[tensor];
        let is_whole = |tensor: &&TensorId| {
            let producer = graph.tensors[**tensor].producer;
            let kind = producer.map(|producer| self.classes.ops[producer].kind);
            let is_spread = matches!(kind, Some(FusionKind::Broadcast | FusionKind::Iota));
            let is_constant = producer.is_some_and(|op| graph.ops[op].role == OpRole::Constant);
            !is_spread
                && !is_constant
                && graph.ops[id].outputs.iter().all(|&value| rank(**tensor) >= rank(value))
        };
        graph.ops[id].inputs.iter().filter(is_whole).count() <= 1
    }

    fn takes(&self, reader: OpId, producer: OpId) -> bool {
        let (reads, makes) = (self.classes.ops[reader], self.classes.ops[producer]);
        let takes = self.takes_as_product(reader, producer);
        if let Some(takes) = takes.or_else(|| self.takes_by_rows(reader, producer)) {
            return takes;
        }
        // The windows are moved over what is not padded: it takes nothing in.
        if [reads.kind, makes.kind].contains(&FusionKind::Padding) {
            let windows = self.graph.ops[reader].layer == LayerType::Pooling;
            return makes.kind == FusionKind::Padding && windows && self.readers[producer].len() == 1;
        }
        if let Some(takes) = self.takes_by_library(reader, producer) {
            return takes;
        }
        match self.graph.ops[reader].layer {
            // A reduction takes the op in front of it and nothing beyond that one.
            LayerType::Normalisation => {
                self.readers[producer].len() == 1
                    && self.graph.ops[producer].layer == LayerType::Activation
                    && !makes.expensive
            }
            _ if self.rows.is_none() && self.is_closed(reader) => false,
            // Each element of the operand would be computed once for every element it is spread to.
            _ if reads.kind == FusionKind::Broadcast && makes.expensive => false,
            _ => reads.kind.is_fusible(),
        }
    }

    /// Is it already inside a reduction's fusion?
    fn is_closed(&self, id: OpId) -> bool {
        self.roots[id]
            .iter()
            .any(|&root| root != id && self.graph.ops[root].layer == LayerType::Normalisation)
    }
}

#[cfg(test)]
mod tests;
