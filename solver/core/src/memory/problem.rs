//! The memory-planning problem of one device.

use serde::{Deserialize, Serialize};

index_type! {
    /// Index of a node in [`Problem::nodes`]; also its position in program order.
    NodeId
}

/// One op of the sequence and the value it produces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Name for messages and model files.
    pub label: String,
    /// Time of one execution, in the problem's unit (seconds for imported programs).
    pub time: f64,
    /// Bytes of the value while it is stored.
    pub bytes: u64,
    /// Extra bytes held only while the node runs.
    pub workspace_bytes: u64,
    /// Values read, by node; ascending, no repeats, all smaller than this node's own index.
    pub inputs: Vec<NodeId>,
    /// Is this node part of the backward pass, where that is known?
    pub backward: bool,
    /// Must the value be resident at the end (a returned value)?
    pub keep: bool,
    /// May the node run more than once?
    pub recomputable: bool,
    /// May the value be swapped to host memory?
    pub swappable: bool,
    /// Must the value stay on the device from its first computation to its last use?
    pub pinned: bool,
    /// A node with effects that has to have run before this one, which has effects, too; smaller than this node's own index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<NodeId>,
}

impl Node {
    /// A node that reads the nodes of these numbers and may be recomputed and swapped, with no workspace.
    #[must_use]
    pub fn new(
        label: impl Into<String>,
        time: f64,
        bytes: u64,
        inputs: impl IntoIterator<Item = usize>,
    ) -> Self {
        Node {
            label: label.into(),
            time,
            bytes,
            workspace_bytes: 0,
            inputs: inputs.into_iter().map(NodeId).collect(),
            backward: false,
            keep: false,
            recomputable: true,
            swappable: true,
            pinned: false,
            after: None,
        }
    }
}

/// An op sequence on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Name for messages and files.
    pub name: String,
    /// The nodes, in program order.
    pub nodes: Vec<Node>,
    /// Bytes resident from start to end whatever the plan does: weights and inputs.
    pub resident_bytes: u64,
}

/// A problem that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// An input index that is not smaller than the node's own.
    #[error("node {node} ('{label}') reads node {input}, which does not come before it")]
    Order {
        /// The reading node.
        node: NodeId,
        /// Its label.
        label: String,
        /// The input.
        input: NodeId,
    },
    /// A time that is negative, infinite or not a number.
    #[error("node {node} ('{label}') has time {time}: times are finite and not negative")]
    Time {
        /// The node.
        node: NodeId,
        /// Its label.
        label: String,
        /// The time given.
        time: f64,
    },
    /// Sizes whose sum is no whole number as a float any more: solvers count bytes in these.
    #[error("the sizes add up to 2^53 bytes (8 PiB) or more, and plans are exact below that")]
    Size,
    /// Times whose sum leaves no room for what plans add to it.
    #[error("the times add up to {0:e}: at most 1e300")]
    Times(f64),
}

/// Bytes from which on a float is not every whole number.
const INEXACT_BYTES: u64 = 1 << f64::MANTISSA_DIGITS;

/// Most that the times of a problem may add up to: plans run nodes many times, and compare sums.
const MOST_TIME: f64 = 1e300;

impl Problem {
    /// Checks the invariants the solvers and the judge rely on.
    ///
    /// # Errors
    /// The first broken invariant.
    pub fn check(&self) -> Result<(), ProblemError> {
        let mut total = self.resident_bytes;
        for (id, node) in NodeId::of(&self.nodes) {
            let label = || node.label.clone();
            if !(node.time.is_finite() && node.time >= 0.0) {
                return Err(ProblemError::Time { node: id, label: label(), time: node.time });
            }
            let mut previous = None;
            for &input in &node.inputs {
                if input >= id || previous.is_some_and(|p| p >= input) {
                    return Err(ProblemError::Order { node: id, label: label(), input });
                }
                previous = Some(input);
            }
            total = total
                .checked_add(node.bytes)
                .and_then(|t| t.checked_add(node.workspace_bytes))
                .filter(|&t| t < INEXACT_BYTES)
                .ok_or(ProblemError::Size)?;
        }
        match self.total_time() {
            time if time <= MOST_TIME => Ok(()),
            time => Err(ProblemError::Times(time)),
        }
    }

    /// Consumers of every node, ascending.
    #[must_use]
    pub fn consumers(&self) -> Vec<Vec<NodeId>> {
        let mut consumers = vec![Vec::new(); self.nodes.len()];
        for (id, node) in NodeId::of(&self.nodes) {
            for &input in &node.inputs {
                consumers[input].push(id);
            }
        }
        consumers
    }

    /// Time of running every node once.
    #[must_use]
    pub fn total_time(&self) -> f64 {
        self.nodes.iter().map(|node| node.time).sum()
    }

    /// The least cap any plan can have: the largest of inputs + output + workspace over the nodes, and the
    /// values kept at the end, on top of the resident bytes; with the node that sets it.
    #[must_use]
    pub fn working_set(&self) -> (u64, Option<NodeId>) {
        let mut worst = (0, None);
        for (id, node) in NodeId::of(&self.nodes) {
            let bytes = node
                .inputs
                .iter()
                .map(|&input| self.nodes[input].bytes)
                .chain([node.bytes, node.workspace_bytes])
                .fold(0, u64::saturating_add);
            if worst.1.is_none() || bytes > worst.0 {
                worst = (bytes, Some(id));
            }
        }
        let kept = self.nodes.iter().filter(|node| node.keep).map(|node| node.bytes);
        let kept = kept.fold(0, u64::saturating_add);
        if kept > worst.0 {
            worst = (kept, self.nodes.len().checked_sub(1).map(NodeId));
        }
        (worst.0.saturating_add(self.resident_bytes), worst.1)
    }

    /// Memory at each position when nothing is recomputed or swapped and every value goes after its last use. Sums stop at
    /// 2^64 - 1 bytes, which is above every memory.
    #[must_use]
    pub fn unplanned_profile(&self) -> Vec<u64> {
        let consumers = self.consumers();
        let mut leaving = vec![0u128; self.nodes.len() + 1];
        let mut live = u128::from(self.resident_bytes);
        let mut profile = Vec::with_capacity(self.nodes.len());
        for (id, node) in NodeId::of(&self.nodes) {
            live += u128::from(node.bytes);
            profile.push(u64::try_from(live + u128::from(node.workspace_bytes)).unwrap_or(u64::MAX));
            if !node.keep {
                let last = consumers[id].last().copied().unwrap_or(id);
                leaving[last] += u128::from(node.bytes);
            }
            live -= leaving[id];
        }
        profile
    }

    /// Largest entry of [`Problem::unplanned_profile`].
    #[must_use]
    pub fn unplanned_peak(&self) -> u64 {
        self.unplanned_profile().into_iter().max().unwrap_or(self.resident_bytes)
    }
}
