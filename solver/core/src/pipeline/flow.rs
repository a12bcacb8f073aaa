//! Forward and backward pass of a training step, and the way values flow between the stages of a pipeline.

use crate::device::DeviceId;
use crate::graph::{Graph, OpId};

/// Why a placed program is no pipeline of training steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// Nothing says which ops are the backward pass.
    #[error(
        "function '{function}': forward and backward pass cannot be told apart, so it is no pipeline of training steps: \
         neither do locations name them (JAX writes 'transpose(' for the backward pass), nor does the function return one \
         floating-point scalar (the loss) beside other results; use schedule=none"
    )]
    Untold {
        /// The function.
        function: String,
    },
    /// All ops are forward, or all backward.
    #[error(
        "function '{function}' has no {pass} pass: a pipeline of training steps needs both; use schedule=none"
    )]
    OnePass {
        /// The function.
        function: String,
        /// The pass that is missing.
        pass: &'static str,
    },
    /// A placement in which values flow against the pipeline.
    #[error(
        "op {op} ('{name}') of the {pass} pass on device {device} reads a value of device {from}: in a pipeline forward \
         values go to later stages and backward values to earlier ones; partition with the same schedule first"
    )]
    AgainstTheFlow {
        /// The reading op.
        op: OpId,
        /// Its name.
        name: String,
        /// The pass it belongs to.
        pass: &'static str,
        /// Its device.
        device: DeviceId,
        /// The device of the value.
        from: DeviceId,
    },
}

impl FlowError {
    /// The op concerned, where there is one.
    #[must_use]
    pub fn op(&self) -> Option<OpId> {
        match self {
            FlowError::AgainstTheFlow { op, .. } => Some(*op),
            FlowError::Untold { .. } | FlowError::OnePass { .. } => None,
        }
    }
}

/// First op of the backward pass: the place in program order with the fewest ops on the wrong side of it, the
/// first such place. An op behind it counts as backward whatever it was told to be.
///
/// # Errors
/// Where nothing tells the passes apart, or one of them is missing.
pub fn first_backward(graph: &Graph) -> Result<OpId, FlowError> {
    let function = || graph.name.clone();
    let planned: Vec<OpId> = graph.planned().collect();
    if planned.iter().all(|&op| graph.ops[op].backward.is_none()) {
        return Err(FlowError::Untold { function: function() });
    }
    let backward = |op: OpId| graph.ops[op].backward == Some(true);
    let total = planned.iter().filter(|&&op| backward(op)).count();
    for (pass, missing) in [("backward", total == 0), ("forward", total == planned.len())] {
        if missing {
            return Err(FlowError::OnePass { function: function(), pass });
        }
    }
    let passes: Vec<(OpId, bool)> = planned.iter().map(|&op| (op, backward(op))).collect();
    Ok(turning_point(&passes).unwrap_or(planned[0]))
}

/// First op of the backward pass among ops in program order, each told to be of it or not; none without ops.
#[must_use]
pub fn turning_point(ops: &[(OpId, bool)]) -> Option<OpId> {
    let total = ops.iter().filter(|(_, backward)| *backward).count();
    // Wrong side: forward ops behind the place, backward ops before it.
    let mut wrong = ops.len() - total;
    let mut best = (usize::MAX, ops.first()?.0);
    for (place, &(op, backward)) in ops.iter().enumerate() {
        if place > 0 && wrong < best.0 {
            best = (wrong, op);
        }
        wrong = if backward { wrong + 1 } else { wrong - 1 };
    }
    Some(best.1)
}

/// Which ops are the update: those of the backward pass that need its gradients and from which nothing leads to a reader of a value of the forward
/// pass. All of them can wait for the end of the backward pass, so their values may go either way, such as the norm over the gradients of all layers.
#[must_use]
pub fn updates(graph: &Graph, first_backward: OpId) -> Vec<bool> {
    let backward = graph.planned().filter(|&op| op >= first_backward);
    let reads: Vec<(OpId, Vec<OpId>)> = backward.map(|op| (op, graph.value_inputs(op))).collect();
    // Ops that make a gradient: what they make reaches an op that reads a value of the forward pass, or they are one.
    let mut gradient = vec![false; graph.ops.len()];
    for (op, inputs) in reads.iter().rev() {
        gradient[*op] |= inputs.iter().any(|&input| input < first_backward);
        if gradient[*op] {
            inputs.iter().filter(|&&input| input >= first_backward).for_each(|&input| gradient[input] = true);
        }
    }
    let mut update = vec![false; graph.ops.len()];
    for (op, inputs) in &reads {
        update[*op] = !gradient[*op] && inputs.iter().any(|&input| gradient[input] || update[input]);
    }
    update
}

/// Checks that a placement is a pipeline: forward values go to the same or a later device, backward ones to the
/// same or an earlier one, those that the [update](updates) reads to any.
///
/// # Errors
/// As [`first_backward`]; at the first op that reads against the flow.
pub fn check_flow(graph: &Graph, device_of: &[DeviceId]) -> Result<(), FlowError> {
    let first_backward = first_backward(graph)?;
    let update = updates(graph, first_backward);
    for op in graph.planned().filter(|&op| !update[op]) {
        for input in graph.value_inputs(op) {
            let (from, device) = (device_of[input], device_of[op]);
            let (against, pass) = match (input < first_backward, op < first_backward) {
                (true, true) => (from > device, "forward"),
                (false, _) => (from < device, "backward"),
                (true, false) => (false, "backward"),
            };
            if against {
                let name = graph.ops[op].name.clone();
                return Err(FlowError::AgainstTheFlow { op, name, pass, device, from });
            }
        }
    }
    Ok(())
}
