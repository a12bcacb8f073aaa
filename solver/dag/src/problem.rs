//! The partition problem: a graph of nodes over kinds of devices, to be read before any solver runs.
//!
//! The load of a device with transfer factor `f` that runs the node set `S` is
//! `sum of time(v) over v in S + f * sum of cost(u) over tensors u with an end on both sides of S`;
//! the objective is the largest load (Tarnawski et al., "Efficient Algorithms for Device Placement of DNN
//! Graph Operators", NeurIPS 2020, section 3). A CPU core has `f = 0`.

use ballast_core::report::BoundClass;
use std::ops::Range;

/// Index of a node in [`Problem::nodes`].
pub type NodeId = usize;

/// Index of a device: the kinds of [`Problem::kinds`] in order, each with its `count` devices.
pub type DeviceIndex = usize;

/// A number of devices that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Name used in messages, such as `accelerator` or `CPU core`.
    pub name: String,
    /// How many devices of this kind there are.
    pub count: usize,
    /// Memory cap of each in bytes; infinite: no cap.
    pub memory_bytes: f64,
    /// Factor on the transfer cost of every tensor that crosses the border of such a device; 0: free.
    pub transfer_factor: f64,
}

/// One node of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The id it has in its file.
    pub id: String,
    /// Time on a device of each kind, in the file's time unit; infinite where the kind cannot run it.
    pub time: Vec<f64>,
    /// Bytes it takes on a device with a memory cap.
    pub size_bytes: f64,
    /// Belongs to the backward pass: exempt from the order rule of contiguous plans.
    pub backward: bool,
    /// Colour class: nodes of one class share a device.
    pub colour: Option<usize>,
    /// Time to move its output between a device and host memory; 0 when nobody reads it.
    pub output_cost: f64,
    /// The nodes that read its output, each once.
    pub readers: Vec<NodeId>,
}

/// A whole problem, valid by construction (see [`super::workload`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Name of the workload, for messages.
    pub name: String,
    /// The kinds of devices; device indices count through them in order.
    pub kinds: Vec<Kind>,
    /// The nodes, in the order of their file.
    pub nodes: Vec<Node>,
    /// Number of colour classes.
    pub colours: usize,
}

impl Problem {
    /// How many devices there are.
    #[must_use]
    pub fn device_count(&self) -> usize {
        self.kinds.iter().map(|kind| kind.count).sum()
    }

    /// The devices of one kind.
    #[must_use]
    pub fn devices_of(&self, kind: usize) -> Range<DeviceIndex> {
        let start = self.kinds[..kind].iter().map(|k| k.count).sum();
        start..start + self.kinds[kind].count
    }

    /// The kind of every device.
    #[must_use]
    pub(crate) fn device_kinds(&self) -> Vec<usize> {
        self.kinds.iter().enumerate().flat_map(|(kind, k)| std::iter::repeat_n(kind, k.count)).collect()
    }
}

/// Which plans are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PlanClass {
    /// The quotient of the forward nodes over the devices has no cycle: the devices form a pipeline.
    Contiguous,
    /// No rule on the order.
    Free,
}

impl PlanClass {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The class as bounds name it.
    #[must_use]
    pub fn bound_class(self) -> BoundClass {
        match self {
            PlanClass::Contiguous => BoundClass::Contiguous,
            PlanClass::Free => BoundClass::Free,
        }
    }
}

/// The device of every node.
pub type Assignment = Vec<DeviceIndex>;
