//! Which arguments a stage holds for every micro-batch: inputs of the micro-batch, as against weights, which are there once.
//!
//! What a step updates comes back with the same type, so of the arguments of a type as many are weights as values of it
//! are returned. Where a type has both, nothing says which is which: a stage is taken to hold as much data as it can.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::graph::{BoundaryMemory, Graph, TensorId};
use crate::pipeline::schedule::Pass;
use crate::stage::{NodeSource, Stage};

/// An argument that may be data of the micro-batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub(super) bytes: u64,
    /// Index of its type in [`Arguments::most`].
    kind: usize,
}

/// The data of a stage.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// Read off the program.
    Read(Arguments),
    /// Known from a plan file: under the plan, and without recomputation.
    Known { planned: DataBytes, unplanned: DataBytes },
}

/// The arguments of a stage that may be data of the micro-batch.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) all: Vec<Argument>,
    /// How many of every type are data.
    most: Vec<usize>,
    /// The arguments that every node reads, by index.
    pub(super) reads: Vec<Vec<usize>>,
}

/// An argument that is data, with the last pass that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) argument: usize,
    pub(super) bytes: u64,
    pub(super) last: Pass,
}

/// Bytes of a stage that are data of the micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataBytes {
    /// What no pass but the forward one reads: there once.
    pub once: u64,
    /// What each micro-batch holds between its forward and its backward pass.
    pub stash: u64,
    /// What each holds between the halves of its backward pass.
    pub deferred: u64,
}

impl Data {
    /// Bytes held under a plan whose runs of nodes are in these passes. `plain`: is it the plan without recomputation?
    pub(super) fn bytes(&self, runs: impl Iterator<Item = (usize, Pass)>, plain: bool) -> DataBytes {
        match self {
            Data::Read(arguments) => DataBytes::of(&arguments.held(&arguments.last(runs))),
            Data::Known { unplanned, .. } if plain => *unplanned,
            Data::Known { planned, .. } => *planned,
        }
    }
}

impl Arguments {
    pub(super) fn of(graph: &Graph, stage: &Stage) -> Self {
        let kind = |argument: TensorId| {
            let tensor = &graph.tensors[argument];
            (tensor.type_name.as_str(), tensor.bytes)
        };
        // Of every type: arguments less returned values.
        let mut spare: BTreeMap<_, i64> = BTreeMap::new();
        for (id, tensor) in TensorId::of(&graph.tensors) {
            let spare = spare.entry(kind(id)).or_default();
            *spare += i64::from(tensor.producer.is_none());
            *spare -= i64::from(tensor.returned);
        }
        let (mut data, mut kinds, mut index) = (Arguments::none(stage), BTreeMap::new(), BTreeMap::new());
        if graph.ends == BoundaryMemory::NotCounted {
            return data;
        }
        for &argument in &stage.arguments {
            let most = spare.get(&kind(argument)).map_or(0, |&spare| usize::try_from(spare).unwrap_or(0));
            if most > 0 {
                let next = kinds.len();
                let kind = *kinds.entry(kind(argument)).or_insert(next);
                data.most.resize(kinds.len(), most);
                index.insert(argument, data.all.len());
                data.all.push(Argument { bytes: graph.tensors[argument].bytes.0, kind });
            }
        }
        for (reads, source) in data.reads.iter_mut().zip(&stage.sources) {
            if let NodeSource::Op(op) = source {
                *reads = graph.argument_inputs(*op).iter().filter_map(|t| index.get(t).copied()).collect();
            }
        }
        data
    }

    fn none(stage: &Stage) -> Self {
        Arguments { all: Vec::new(), most: Vec::new(), reads: vec![Vec::new(); stage.sources.len()] }
    }

    /// The data, where the last passes to read the arguments are these: of every type what is read last.
    pub(super) fn held(&self, last: &[Pass]) -> Vec<Held> {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by_key(|&argument| std::cmp::Reverse(last[argument]));
        let mut left = self.most.clone();
        order.retain(|&argument| {
            let left = &mut left[self.all[argument].kind];
            let taken = *left > 0;
            *left = left.saturating_sub(1);
            taken
        });
        let held = |argument: usize| Held { argument, bytes: self.all[argument].bytes, last: last[argument] };
        order.into_iter().map(held).collect()
    }

    /// The last pass that reads every argument.
    pub(super) fn last(&self, runs: impl Iterator<Item = (usize, Pass)>) -> Vec<Pass> {
        let mut last = vec![Pass::Forward; self.all.len()];
        for (node, pass) in runs {
            for &argument in &self.reads[node] {
                last[argument] = last[argument].max(pass);
            }
        }
        last
    }
}

impl DataBytes {
    fn of(held: &[Held]) -> Self {
        let sum = |which: &dyn Fn(Pass) -> bool| {
            held.iter().filter(|held| which(held.last)).map(|held| held.bytes).fold(0, u64::saturating_add)
        };
        DataBytes {
            once: sum(&|last| last == Pass::Forward),
            stash: sum(&|last| last > Pass::Forward),
            deferred: sum(&|last| last == Pass::Weights),
        }
    }

    /// Is there none?
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == DataBytes::default()
    }

    /// All of it, once.
    #[must_use]
    pub fn total(self) -> u64 {
        self.once.saturating_add(self.stash)
    }
}
