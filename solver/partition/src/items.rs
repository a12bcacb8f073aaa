//! The items a search places, and how their devices become those of ops.

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::Graph;
use ballast_core::stage::settle_views;

use crate::sequence::{Granularity, Order, Sequence, sequence_order};

/// The op sequence of a program, and the items it is placed by: its ops, or its layers.
#[derive(Clone, Debug)]
pub struct Items {
    /// The planned ops in order.
    pub ops: Sequence,
    /// What is placed as one.
    pub sequence: Sequence,
    /// Where each item begins in `ops`.
    pub starts: Vec<usize>,
    /// What an item is.
    pub granularity: Granularity,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Items {
    /// The items of this granularity, of the sequence in this order; ops where there are fewer layers than `devices`.
    #[must_use]
    pub fn new(
        graph: &Graph,
        costs: &Costs,
        (granularity, order): (Granularity, Order),
        devices: usize,
    ) -> Self {
        let ops = Sequence::of_ops(graph, costs, sequence_order(graph, order));
        let mut notes = Vec::new();
        if granularity == Granularity::Layer {
            let starts = ops.layer_starts(graph);
            if starts.len() >= devices {
                let sequence = ops.grouped(&starts);
                return Items { sequence, ops, starts, granularity: Granularity::Layer, notes };
            }
            let layers = match starts.len() {
                1 => "one layer".to_owned(),
                layers => format!("{layers} layers"),
            };
            notes.push(format!("{devices} devices for {layers}: the partition is made op by op"));
        }
        let starts = (0..ops.len()).collect();
        Items { sequence: ops.clone(), starts, ops, granularity: Granularity::Op, notes }
    }

    /// From the device of every item to that of every op of the sequence.
    #[must_use]
    pub fn to_ops(&self, device_of: &[DeviceId]) -> Vec<DeviceId> {
        let mut of = vec![DeviceId(0); self.ops.len()];
        for (item, &device) in device_of.iter().enumerate() {
            let end = self.starts.get(item + 1).copied().unwrap_or(self.ops.len());
            of[self.starts[item]..end].fill(device);
        }
        of
    }

    /// From the device of every op of the sequence to that of every op of the program: rules of the program hold, views and
    /// constants follow their readers.
    #[must_use]
    pub fn place(&self, graph: &Graph, of_sequence: &[DeviceId]) -> Vec<DeviceId> {
        let mut device_of = vec![DeviceId(0); graph.ops.len()];
        for (&op, &device) in self.ops.ops.iter().zip(of_sequence) {
            device_of[op] = graph.ops[op].rules.device.unwrap_or(device);
        }
        settle_views(graph, &mut device_of);
        device_of
    }

    /// The device of every item in a placement of all ops: that of its first op.
    #[must_use]
    pub fn read(&self, device_of: &[DeviceId]) -> Vec<DeviceId> {
        self.starts.iter().map(|&start| device_of[self.ops.ops[start]]).collect()
    }
}
