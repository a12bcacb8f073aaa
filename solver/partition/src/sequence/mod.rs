//! The op sequence: what is cut into stages, with everything the cutting needs to know.
//!
//! A [`Sequence`] is a list of items in run order. An item is one planned op (`granularity=op`), one layer
//! (`granularity=layer`: a contraction or convolution with the ops that follow it) or, where a program is too
//! long for the quadratic search, a run of such. Views and constants travel with their readers and are no
//! items.

mod coarsen;
mod order;

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::{BoundaryMemory, Graph, Op, OpId};

pub use order::{Order, sequence_order};

/// What one item of the sequence is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// One planned op.
    #[default]
    Op,
    /// One contraction or convolution with the ops that follow it; the ops before the first one are a layer.
    Layer,
}

/// A value read by another item than the one that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The item that makes it.
    pub producer: usize,
    /// The items that read it, ascending, the producer left out; empty for a value only returned.
    pub readers: Vec<usize>,
    /// Stored size where it arrives from another device.
    pub bytes: u64,
    /// Memory it takes where it is made: less than `bytes` where it lies in the buffer of a result.
    pub held_bytes: u64,
    /// Does the function return it?
    pub returned: bool,
    /// What a memory plan may not do with it.
    pub rules: ValueRules,
}

/// What a memory plan may not do with a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueRules {
    /// It may not be made again.
    pub made_once: bool,
    /// It may not go to the host.
    pub not_swapped: bool,
    /// It may not arrive again where it was received either.
    pub stays: bool,
}

impl Value {
    /// Bytes it takes: where it is returned, those that lie in no buffer of a result, which is counted as such.
    pub(crate) fn stored_bytes(&self) -> u64 {
        if self.returned { self.held_bytes } else { self.bytes }
    }

    /// The first and the last item that it is in memory for, if it is made once.
    pub(crate) fn places(&self) -> (usize, usize) {
        let last =
            if self.returned { usize::MAX } else { self.readers.last().copied().unwrap_or(self.producer) };
        (self.producer, last)
    }
}

/// An op that reads values which take more memory when they arrive from another device than where they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Inputs + value + workspace of the op when all its inputs are made on its device, bytes.
    pub working_set: u64,
    /// The items that make such values, each with the bytes added where it lies on another device.
    pub inputs: Vec<(usize, u64)>,
}

/// An argument (weight or input): resident on every device with an item that reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The items that read it, ascending.
    pub readers: Vec<usize>,
    /// Stored size; 0 where arguments do not count.
    pub bytes: u64,
}

/// The user's device rules of the ops of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// No rule.
    #[default]
    Free,
    /// The item must run on this device.
    To(DeviceId),
    /// Its ops are bound to different devices.
    Conflict,
}

impl Pin {
    /// The rule of two neighbouring pieces together.
    #[must_use]
    pub fn and(self, other: Pin) -> Pin {
        match (self, other) {
            (Pin::Free, pin) | (pin, Pin::Free) => pin,
            (Pin::To(a), Pin::To(b)) if a == b => self,
            _ => Pin::Conflict,
        }
    }
}

/// The op sequence of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// The planned ops in run order.
    pub ops: Vec<OpId>,
    /// Item `i` is `ops[starts[i]..starts[i + 1]]`; one entry more than there are items.
    pub starts: Vec<usize>,
    /// `seconds[row][item]`, one row per distinct column of costs.
    pub seconds: Vec<Vec<f64>>,
    /// The row of `seconds` that holds for a device.
    pub row_of: Vec<usize>,
    /// Operations of an item by the counting of exact multiplications and additions.
    pub operations: Vec<u64>,
    /// The largest inputs + value + workspace among the ops of an item, bytes, with all inputs made on its device.
    pub working_set: Vec<u64>,
    /// Ops of an item that need more than that where inputs arrive.
    pub arrivals: Vec<Vec<Arrival>>,
    /// Bytes resident on the device of an item from start to end, arguments apart: buffers of its results, and those
    /// that the back end fills early.
    pub resident: Vec<u64>,
    /// Peak of what lives only inside an item: workspaces, and values read nowhere else, bytes.
    pub internal_peak: Vec<u64>,
    /// Device rules.
    pub pins: Vec<Pin>,
    /// Values that cross item borders or are returned, by producer.
    pub values: Vec<Value>,
    /// Arguments some item reads.
    pub arguments: Vec<Argument>,
}

/// Bytes of the values of every op, and those of them in the buffers of results: what counts as memory here is what the judge
/// counts (`ballast_core::stage`).
fn stored_bytes(graph: &Graph, order: &[OpId]) -> Vec<(u64, u64)> {
    let in_results = match graph.ends {
        BoundaryMemory::ResultsWhenMade => Vec::new(),
        _ => graph.in_result_buffers(),
    };
    let of_op = |&op: &OpId| {
        let (held, in_result) = graph.stored_bytes(op, &in_results);
        (held.0, if graph.ends == BoundaryMemory::Throughout { in_result.0 } else { 0 })
    };
    order.iter().map(of_op).collect()
}

/// What memory plans may not do with the value of every op: what is written over, or lies where another value was, is made once and stays till then.
fn value_rules(graph: &Graph) -> Vec<ValueRules> {
    let of = |op: &Op| ValueRules {
        made_once: !op.pure_op || op.rules.never_recompute || op.rules.must_keep || op.over.is_some(),
        not_swapped: op.rules.never_swap || op.rules.must_keep || op.over.is_some(),
        stays: op.rules.must_keep,
    };
    let mut rules: Vec<ValueRules> = graph.ops.iter().map(of).collect();
    for written_over in graph.ops.iter().filter_map(|op| op.over) {
        rules[written_over] = ValueRules { made_once: true, not_swapped: true, ..rules[written_over] };
    }
    rules
}

impl Sequence {
    /// The sequence of `graph` with one item per planned op, in the given order of planned ops.
    #[must_use]
    pub fn of_ops(graph: &Graph, costs: &Costs, order: Vec<OpId>) -> Self {
        let (row_of, rows) = distinct_rows(costs);
        let mut place = vec![usize::MAX; graph.ops.len()];
        for (item, &op) in order.iter().enumerate() {
            place[op] = item;
        }
        let returned = graph.returned_ops();
        let stored = stored_bytes(graph, &order);
        let mut resident: Vec<u64> = stored.iter().map(|&(_, in_result)| in_result).collect();
        for &(op, bytes) in graph.early.iter().filter(|(op, _)| place[*op] != usize::MAX) {
            resident[place[op]] += bytes.0;
        }
        let mut readers = vec![Vec::new(); order.len()];
        let mut argument_readers = vec![Vec::new(); graph.tensors.len()];
        let mut working_set = Vec::with_capacity(order.len());
        let mut arrivals = vec![Vec::new(); order.len()];
        for (item, &op) in order.iter().enumerate() {
            // What is written over an operand takes no more.
            let own = if graph.ops[op].over.is_some() { 0 } else { stored[item].0 };
            let mut held = own + graph.ops[op].workspace.0;
            let mut inputs = Vec::new();
            for producer in graph.value_inputs(op) {
                let from = place[producer];
                readers[from].push(item);
                held += stored[from].0;
                let more = graph.value_bytes(producer).0.saturating_sub(stored[from].0);
                if more > 0 {
                    inputs.push((from, more));
                }
            }
            for argument in graph.argument_inputs(op) {
                argument_readers[argument].push(item);
            }
            working_set.push(held);
            if !inputs.is_empty() {
                arrivals[item].push(Arrival { working_set: held, inputs });
            }
        }
        let rules = value_rules(graph);
        let mut values = Vec::new();
        let mut internal_peak = Vec::with_capacity(order.len());
        for (item, (&op, readers)) in order.iter().zip(readers).enumerate() {
            let (bytes, held_bytes) = (graph.value_bytes(op).0, stored[item].0);
            let mut internal = graph.ops[op].workspace.0;
            if readers.is_empty() && !returned[op] {
                internal += held_bytes;
            } else {
                let rules = rules[op];
                let returned = returned[op];
                values.push(Value { producer: item, readers, bytes, held_bytes, returned, rules });
            }
            internal_peak.push(internal);
        }
        let counted = |bytes: u64| if graph.ends == BoundaryMemory::NotCounted { 0 } else { bytes };
        let arguments = argument_readers
            .into_iter()
            .enumerate()
            .filter(|(_, readers)| !readers.is_empty())
            .map(|(tensor, readers)| Argument { readers, bytes: counted(graph.tensors[tensor].bytes.0) })
            .collect();
        Sequence {
            starts: (0..=order.len()).collect(),
            seconds: rows
                .iter()
                .map(|&device| order.iter().map(|&op| costs.of(device, op)).collect())
                .collect(),
            row_of,
            operations: order.iter().map(|&op| graph.ops[op].work.macs_exact).collect(),
            working_set,
            arrivals,
            resident,
            internal_peak,
            pins: order.iter().map(|&op| graph.ops[op].rules.device.map_or(Pin::Free, Pin::To)).collect(),
            values,
            arguments,
            ops: order,
        }
    }

    /// A bare chain: items with these seconds (equal devices) and operations, each handing `bytes[i]` to the
    /// next one. For chips, tests and generated problems.
    ///
    /// # Panics
    /// When `bytes` is shorter than `seconds`.
    #[must_use]
    pub fn chain(seconds: &[f64], bytes: &[u64], memory: &[u64]) -> Self {
        let n = seconds.len();
        Sequence {
            ops: OpId::first(n).collect(),
            starts: (0..=n).collect(),
            seconds: vec![seconds.to_vec()],
            row_of: vec![0],
            operations: seconds.iter().map(|s| (s * 1e12) as u64).collect(),
            working_set: (0..n).map(|i| bytes[i] + if i > 0 { bytes[i - 1] } else { 0 }).collect(),
            arrivals: vec![Vec::new(); n],
            resident: vec![0; n],
            internal_peak: vec![0; n],
            pins: vec![Pin::Free; n],
            values: (0..n.saturating_sub(1))
                .map(|i| Value {
                    producer: i,
                    readers: vec![i + 1],
                    bytes: bytes[i],
                    held_bytes: bytes[i],
                    returned: false,
                    rules: ValueRules::default(),
                })
                .collect(),
            arguments: (0..n).map(|i| Argument { readers: vec![i], bytes: memory[i] }).collect(),
        }
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Has the sequence no items?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest inputs + value + workspace of an item, wherever its inputs are made, bytes.
    #[must_use]
    pub(crate) fn most_working_set(&self, item: usize) -> u64 {
        let all = |arrival: &Arrival| {
            arrival.working_set + arrival.inputs.iter().map(|&(_, bytes)| bytes).sum::<u64>()
        };
        self.arrivals[item].iter().map(all).fold(self.working_set[item], u64::max)
    }

    /// What the neediest item takes alone, as in [`Sequence::needs`].
    #[must_use]
    pub(crate) fn neediest(&self, wherever: bool) -> u64 {
        self.needs(wherever).into_iter().max().unwrap_or(0)
    }

    /// What every item takes alone, its arguments and results among it, bytes: with all inputs made on its device, less than which
    /// no placement takes; or, `wherever` they are made, which may be more.
    #[must_use]
    pub(crate) fn needs(&self, wherever: bool) -> Vec<u64> {
        let working_set =
            |item: usize| if wherever { self.most_working_set(item) } else { self.working_set[item] };
        let mut alone: Vec<u64> =
            (0..self.len()).map(|item| working_set(item).saturating_add(self.resident[item])).collect();
        for argument in &self.arguments {
            for &reader in &argument.readers {
                alone[reader] = alone[reader].saturating_add(argument.bytes);
            }
        }
        alone
    }

    /// Running sums of seconds by row: `prefix[row][i]` is the time of the first `i` items.
    #[must_use]
    pub(crate) fn prefix_seconds(&self) -> Vec<Vec<f64>> {
        let sum = |row: &Vec<f64>| {
            let mut total = 0.0;
            std::iter::once(0.0)
                .chain(row.iter().map(|&seconds| {
                    total += seconds;
                    total
                }))
                .collect()
        };
        self.seconds.iter().map(sum).collect()
    }

    /// What each item reads and makes, for searches that walk the items.
    #[must_use]
    pub fn index(&self) -> Index {
        let n = self.len();
        let mut index =
            Index { makes: vec![Vec::new(); n], reads: vec![Vec::new(); n], loads: vec![Vec::new(); n] };
        for (id, value) in self.values.iter().enumerate() {
            index.makes[value.producer].push(id);
            let mut previous = value.producer;
            for &reader in &value.readers {
                let last = Some(&reader) == value.readers.last();
                index.reads[reader].push(Read { value: id, previous, last });
                previous = reader;
            }
        }
        for (id, argument) in self.arguments.iter().enumerate() {
            let mut previous = None;
            for &reader in &argument.readers {
                index.loads[reader].push((id, previous));
                previous = Some(reader);
            }
        }
        index
    }
}

/// One reading of a value.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The value.
    pub value: usize,
    /// The item that read it before, or made it.
    pub previous: usize,
    /// Is this its last reader?
    pub last: bool,
}

/// A sequence by item: see [`Sequence::index`].
#[derive(Clone, Debug)]
pub struct Index {
    /// Values an item makes.
    pub makes: Vec<Vec<usize>>,
    /// Values an item reads.
    pub reads: Vec<Vec<Read>>,
    /// Arguments an item reads, each with the item that read it before.
    pub loads: Vec<Vec<(usize, Option<usize>)>>,
}

/// Devices with the same costs for every op share a row: `(row of each device, a device of each row)`.
fn distinct_rows(costs: &Costs) -> (Vec<usize>, Vec<DeviceId>) {
    let mut rows: Vec<DeviceId> = Vec::new();
    let row_of = DeviceId::first(costs.seconds.len())
        .map(|device| {
            rows.iter().position(|&row| costs.seconds[row] == costs.seconds[device]).unwrap_or_else(|| {
                rows.push(device);
                rows.len() - 1
            })
        })
        .collect();
    (row_of, rows)
}
