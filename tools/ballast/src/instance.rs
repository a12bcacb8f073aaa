//! Memory-planning instances: JSON graphs with a time and a size per node.
//!
//! `{"name"?, "nodes": [{"id", "time", "size", "name"?, "is_backward"?, "keep"?, "workspace"?, "recomputable"?, "swappable"?}],
//! "edges": [[source, reader]], "resident_bytes"?, "budgets"?: {share: bytes}}`;
//! ids are 0 to n-1 in topological order, the program order. Other keys are ignored. `workspace` are bytes held while the node
//! runs, `resident_bytes` those held from start to end; a node is `recomputable` and `swappable` unless it says otherwise.

use std::path::Path;

use ballast_core::memory::{Node, Problem};
use indexmap::IndexMap;
use serde::Deserialize;

use crate::{Failure, output};

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    name: String,
    nodes: Vec<InstanceNode>,
    edges: Vec<(usize, usize)>,
    #[serde(default)]
    resident_bytes: u64,
    #[serde(default)]
    budgets: IndexMap<String, u64>,
}

#[derive(Deserialize)]
struct InstanceNode {
    id: usize,
    time: f64,
    size: serde_json::Number,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    is_backward: bool,
    #[serde(default)]
    keep: bool,
    #[serde(default)]
    workspace: u64,
    #[serde(default = "yes")]
    recomputable: bool,
    #[serde(default = "yes")]
    swappable: bool,
}

fn yes() -> bool {
    true
}

/// Reads an instance; times are divided by `units_per_second` where given.
pub(crate) fn read(path: &Path, units_per_second: Option<f64>) -> Result<Problem, Failure> {
    read_with_budgets(path, units_per_second).map(|(problem, _)| problem)
}

/// Reads an instance and the budgets it names, as shares of the unplanned peak with their bytes.
pub(crate) fn read_with_budgets(
    path: &Path,
    units_per_second: Option<f64>,
) -> Result<(Problem, IndexMap<String, u64>), Failure> {
    let bad = |message: String| Failure::BadInput(format!("{}: {message}", path.display()));
    let mut instance: Instance =
        serde_json::from_str(&output::read_text(path)?).map_err(|error| bad(error.to_string()))?;
    let budgets = std::mem::take(&mut instance.budgets);
    Ok((problem(instance, units_per_second.unwrap_or(1.0)).map_err(bad)?, budgets))
}

fn problem(instance: Instance, scale: f64) -> Result<Problem, String> {
    if instance.nodes.is_empty() {
        return Err("there are no nodes".into());
    }
    let count = instance.nodes.len();
    let mut nodes = Vec::with_capacity(count);
    for (at, node) in instance.nodes.into_iter().enumerate() {
        if node.id != at {
            return Err(format!("nodes[{at}] has id {}: ids are 0 to {} in order", node.id, count - 1));
        }
        let bytes = node.size.as_u64().or_else(|| whole(node.size.as_f64()?)).ok_or_else(|| {
            format!("node {at} has size {}: sizes are whole bytes, not negative", node.size)
        })?;
        let label = node.name.unwrap_or_else(|| format!("n{at}"));
        let mut planned = Node::new(label, node.time / scale, bytes, Vec::new());
        planned.backward = node.is_backward;
        planned.keep = node.keep;
        planned.workspace_bytes = node.workspace;
        planned.recomputable = node.recomputable;
        planned.swappable = node.swappable;
        nodes.push(planned);
    }
    for (at, &(source, reader)) in instance.edges.iter().enumerate() {
        if source >= count || reader >= count {
            return Err(format!("edges[{at}] = [{source}, {reader}], but the nodes are 0 to {}", count - 1));
        }
        if source >= reader {
            return Err(format!(
                "edges[{at}] = [{source}, {reader}]: a value is read by later nodes only (ids are in topological order)"
            ));
        }
        nodes[reader].inputs.push(source);
    }
    for (at, node) in nodes.iter_mut().enumerate() {
        node.inputs.sort_unstable();
        if let Some(pair) = node.inputs.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the edge [{}, {at}] is given twice", pair[0]));
        }
    }
    let problem = Problem { name: instance.name, nodes, resident_bytes: instance.resident_bytes };
    problem.check().map_err(|error| error.to_string())?;
    Ok(problem)
}

/// Writers of JSON turn large whole numbers into floats.
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0 && value < 9.0e15).then_some(value as u64)
}
