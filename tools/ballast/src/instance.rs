//! What is planned, from a file: a memory-planning instance ([`ballast_core::instance`]), or the graph of a program on one device.

use std::path::Path;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::instance::Instance;
use ballast_core::memory::{Problem, SwapModel};
use ballast_core::stage::stages;
use ballast_dag::workload;
use indexmap::IndexMap;

use crate::failure::Failure;
use crate::graph_file;
use crate::mlir::{HOW_TO_GRAPH, is_mlir};
use crate::output;

/// An instance or a program, ready to plan.
pub(crate) struct Input {
    /// The problem; times of a program are seconds.
    pub problem: Problem,
    /// Budgets that the file names, bytes by share of the unplanned peak.
    pub budgets: IndexMap<String, u64>,
    /// How a program's device copies to the host, with copies beside computation; an instance says nothing of it.
    pub link: Option<SwapModel>,
}

/// What a file says to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A memory-planning instance.
    Instance,
    /// The graph of a program.
    Graph,
    /// A workload to partition.
    Workload,
}

/// A file that says what to plan, read once: a pipe says nothing twice.
pub(crate) struct Given<'a> {
    path: &'a Path,
    text: String,
    /// What the file says to plan.
    pub kind: Kind,
}

impl<'a> Given<'a> {
    /// Reads the file.
    pub(crate) fn read(path: &'a Path) -> Result<Self, Failure> {
        let text = output::read_text(path)?;
        if is_mlir(&text) {
            return Err(Failure::BadInput(format!("{}: {HOW_TO_GRAPH}", path.display())));
        }
        let kind = kind(&text);
        Ok(Given { path, text, kind })
    }

    /// An instance, or a graph that runs on `device`: a kind, or a device file, of which the first device counts; none: the default device.
    pub(crate) fn input(
        &self,
        units_per_second: Option<f64>,
        device: Option<&str>,
    ) -> Result<Input, Failure> {
        let bad = |message: String| Failure::BadInput(format!("{}: {message}", self.path.display()));
        if self.kind == Kind::Graph {
            let cluster = Cluster::parse(device.unwrap_or("1"))
                .map_err(|error| Failure::BadInput(error.to_string()))?;
            let cluster = Cluster { devices: cluster.devices[..1].to_vec(), links: Vec::new(), ..cluster };
            let graph = graph_file::parse(&self.text, self.path)?;
            let costs = Costs::estimate(&graph, &cluster, None).costs;
            let device_of = vec![DeviceId(0); graph.ops.len()];
            let problem = stages(&graph, &costs, &cluster, &device_of).remove(0).problem;
            problem.check().map_err(|error| bad(error.to_string()))?;
            let link = cluster.swap_model(&cluster.devices[0], true);
            return Ok(Input { problem, budgets: IndexMap::new(), link: Some(link) });
        }
        if device.is_some() {
            return Err(
                bad("this is no graph: its times are not those of a --device: leave that out".into()),
            );
        }
        let mut instance = Instance::parse(&self.text).map_err(bad)?;
        let budgets = std::mem::take(&mut instance.budgets);
        let problem = instance.problem(units_per_second.unwrap_or(1.0)).map_err(bad)?;
        Ok(Input { problem, budgets, link: None })
    }

    /// A workload; of a program's graph, what plans that.
    pub(crate) fn workload(&self) -> Result<ballast_dag::problem::Problem, Failure> {
        if self.kind == Kind::Graph {
            let how = "this is the graph of a program, no workload: `ballast-opt --rl-partition` places the program itself on devices";
            return Err(Failure::BadInput(format!("{}: {how}", self.path.display())));
        }
        workload::parse(&self.text, &self.path.display().to_string())
            .map_err(|error| Failure::BadInput(error.to_string()))
    }
}

/// Which of them a file has.
fn kind(text: &str) -> Kind {
    if has(text, ["ops", "tensors"]) {
        Kind::Graph
    } else if has(text, ["maxFPGAs", "nodes"]) || has(text, ["accelerators", "nodes"]) {
        Kind::Workload
    } else {
        Kind::Instance
    }
}

/// Reads an instance and the budgets it names, as shares of the unplanned peak with their bytes.
pub(crate) fn read_with_budgets(
    path: &Path,
    units_per_second: Option<f64>,
) -> Result<(Problem, IndexMap<String, u64>), Failure> {
    let input = Given::read(path)?.input(units_per_second, None)?;
    Ok((input.problem, input.budgets))
}

fn has(text: &str, keys: [&str; 2]) -> bool {
    // Kept apart from the readers, whose messages are about one form only.
    serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|value| keys.iter().all(|key| value.get(key).is_some()))
}
