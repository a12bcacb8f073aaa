//! Memory-planning instances and their plans as files: what other planners read and write.
//!
//! An instance is an op sequence with a time and a size per node; a plan is the list of its steps, or the compact form of one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::memory::{CompactPlan, Node, NodeId, Problem, Schedule, Step, expand};

/// A memory-planning instance. Unknown keys are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Instance {
    /// Name for messages.
    #[serde(default)]
    pub name: String,
    /// The nodes, in a topological order: the program order.
    pub nodes: Vec<InstanceNode>,
    /// `[node, reader]`: the reader needs the node's value on the device while it runs.
    pub edges: Vec<(NodeId, NodeId)>,
    /// Bytes on the device from start to end whatever the plan does: weights and inputs.
    #[serde(default, skip_serializing_if = "crate::units::is_zero")]
    pub resident_bytes: u64,
    /// Budgets to plan for, bytes by share of the unplanned peak; `ballast lab bench remat` reads them.
    #[serde(default, skip_serializing_if = "indexmap::IndexMap::is_empty")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub budgets: indexmap::IndexMap<String, u64>,
}

/// One node of an instance.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InstanceNode {
    /// Its index in the list.
    pub id: NodeId,
    /// Time of one run, in a unit of the file's own; finite, not negative.
    pub time: f64,
    /// Bytes of its value. Whole; writers that turn them into floats are understood.
    #[schemars(with = "u64")]
    pub size: serde_json::Number,
    /// Name for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Is it part of the backward pass?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_backward: bool,
    /// Must its value be on the device at the end?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// Bytes held only while it runs.
    #[serde(default, skip_serializing_if = "crate::units::is_zero")]
    pub workspace: u64,
    /// May it run more than once? Not where it has effects or draws random numbers.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub recomputable: bool,
    /// May its value be copied to the host and back?
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub swappable: bool,
    /// Must its value stay on the device from its run to its last use?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Its value lies in the memory of this earlier node, as a reshape's does: size and time are 0, and who reads it reads
    /// that node too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_of: Option<NodeId>,
}

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Run the node; its value is then on the device.
    Compute,
    /// Drop the value from the device.
    Free,
    /// Copy the value to the host; it stays on the device until it is freed.
    SwapOut,
    /// Copy the value back.
    SwapIn,
    /// Drop the copy on the host.
    HostFree,
}

/// A plan of an instance: its steps in order, each an action and a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Steps {
    /// Such as `["compute", 0]`.
    pub steps: Vec<(Action, NodeId)>,
}

/// A plan in either of the forms that files have.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum WrittenPlan {
    /// All its steps.
    Steps(Steps),
    /// What runs again and what is swapped.
    Compact(CompactPlan),
}

impl From<&Schedule> for Steps {
    fn from(schedule: &Schedule) -> Self {
        let step = |step: &Step| match *step {
            Step::Compute(node) => (Action::Compute, node),
            Step::Free(node) => (Action::Free, node),
            Step::SwapOut(node) => (Action::SwapOut, node),
            Step::SwapIn(node) => (Action::SwapIn, node),
            Step::HostFree(node) => (Action::HostFree, node),
        };
        Steps { steps: schedule.steps.iter().map(step).collect() }
    }
}

impl From<Steps> for Schedule {
    fn from(steps: Steps) -> Self {
        let step = |(action, node)| match action {
            Action::Compute => Step::Compute(node),
            Action::Free => Step::Free(node),
            Action::SwapOut => Step::SwapOut(node),
            Action::SwapIn => Step::SwapIn(node),
            Action::HostFree => Step::HostFree(node),
        };
        Schedule { steps: steps.steps.into_iter().map(step).collect() }
    }
}

/// Reads a plan: `{"steps": [["compute", 0], ...]}`, or `{"recompute": [[position, node], ...], "swap_out": ..., "swap_in": ...}`
/// with every other node run once and every value freed after its last use.
///
/// # Errors
/// No JSON, neither form, or a compact form that stands for no schedule. Whether the plan is one is the judge's to say.
pub fn read_plan(text: &str, problem: &Problem) -> Result<Schedule, String> {
    WrittenPlan::parse(text)?.schedule(problem)
}

impl WrittenPlan {
    /// Reads a plan, whatever it is for.
    ///
    /// # Errors
    /// No JSON, or neither form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        if !value.is_object() {
            return Err(
                "a plan is an object with 'steps', or with 'recompute', 'swap_out' and 'swap_in'".to_owned()
            );
        }
        if value.get("steps").is_some() {
            return serde_json::from_value(value)
                .map(WrittenPlan::Steps)
                .map_err(|error| format!("'steps' are pairs such as [\"compute\", 0]: {error}"));
        }
        serde_json::from_value(value)
            .map_err(|_| "neither 'steps' nor 'recompute', 'swap_out' and 'swap_in'".to_owned())
    }

    /// The schedule of a problem that it stands for.
    ///
    /// # Errors
    /// A compact form that stands for none.
    pub fn schedule(self, problem: &Problem) -> Result<Schedule, String> {
        match self {
            WrittenPlan::Steps(steps) => Ok(steps.into()),
            WrittenPlan::Compact(plan) => expand(problem, &plan).map_err(|error| error.to_string()),
        }
    }
}

impl Instance {
    /// Reads an instance.
    ///
    /// # Errors
    /// No JSON of this form.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| match other_edge(text, is_pair) {
            Some(edge) => format!("{edge}: an edge is a pair, a node and its reader, such as [0, 1]"),
            None => error.to_string(),
        })
    }

    /// Writes a problem as an instance.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let node = |(id, node): (NodeId, &Node)| InstanceNode {
            id,
            time: node.time,
            size: node.bytes.into(),
            name: Some(node.label.clone()),
            is_backward: node.backward,
            keep: node.keep,
            workspace: node.workspace_bytes,
            recomputable: node.recomputable,
            swappable: node.swappable,
            pinned: node.pinned,
            view_of: None,
        };
        let edges = NodeId::of(&problem.nodes);
        Instance {
            name: problem.name.clone(),
            nodes: NodeId::of(&problem.nodes).map(node).collect(),
            edges: edges
                .flat_map(|(reader, node)| node.inputs.iter().map(move |&source| (source, reader)))
                .collect(),
            resident_bytes: problem.resident_bytes,
            budgets: indexmap::IndexMap::new(),
        }
    }

    /// The problem it states; times are divided by `scale`.
    ///
    /// # Errors
    /// The first entry that makes no sense.
    pub fn problem(self, scale: f64) -> Result<Problem, String> {
        if self.nodes.is_empty() {
            return Err("there are no nodes".into());
        }
        let count = self.nodes.len();
        let mut nodes = Vec::with_capacity(count);
        let mut base: Vec<Option<NodeId>> = Vec::with_capacity(count);
        for (at, node) in self.nodes.into_iter().enumerate() {
            if node.id.0 != at {
                return Err(format!("nodes[{at}] has id {}: ids are 0 to {} in order", node.id, count - 1));
            }
            let bytes = node.size.as_u64().or_else(|| whole(node.size.as_f64()?)).ok_or_else(|| {
                format!("node {at} has size {}: sizes are whole bytes, not negative", node.size)
            })?;
            let mut inputs = Vec::new();
            if let Some(of) = node.view_of {
                if of.0 >= at {
                    return Err(format!("node {at} is a view of {of}: views are of earlier nodes"));
                }
                if bytes > 0 || node.time > 0.0 {
                    return Err(format!("node {at} is a view: its size and time are 0"));
                }
                inputs.push(base[of].unwrap_or(of));
            }
            base.push(inputs.first().copied());
            let label = node.name.unwrap_or_else(|| format!("n{at}"));
            nodes.push(Node {
                workspace_bytes: node.workspace,
                backward: node.is_backward,
                keep: node.keep,
                recomputable: node.recomputable,
                swappable: node.swappable,
                pinned: node.pinned,
                after: None,
                inputs,
                ..Node::new(label, node.time / scale, bytes, [])
            });
        }
        let mut given = std::collections::BTreeSet::new();
        for (at, &(source, reader)) in self.edges.iter().enumerate() {
            if source.0 >= count || reader.0 >= count {
                return Err(format!(
                    "edges[{at}] = [{source}, {reader}], but the nodes are 0 to {}",
                    count - 1
                ));
            }
            if source >= reader {
                return Err(format!(
                    "edges[{at}] = [{source}, {reader}]: a value is read by later nodes only (ids are in topological order)"
                ));
            }
            if !given.insert((source, reader)) {
                return Err(format!("the edge [{source}, {reader}] is given twice"));
            }
            nodes[reader].inputs.push(source);
            // Whoever reads a view reads the memory it lies in.
            nodes[reader].inputs.extend(base[source]);
        }
        // A view that must be there at the end keeps what it lies in.
        for (view, base) in base.iter().enumerate() {
            if let (true, Some(base)) = (nodes[view].keep, *base) {
                nodes[base].keep = true;
            }
        }
        for node in &mut nodes {
            node.inputs.sort_unstable();
            node.inputs.dedup();
        }
        let problem = Problem { name: self.name, nodes, resident_bytes: self.resident_bytes };
        problem.check().map_err(|error| error.to_string())?;
        Ok(problem)
    }
}

/// The first of a file's `edges` that has not the form they have there, and where it stands.
#[must_use]
pub fn other_edge(text: &str, is_one: impl Fn(&serde_json::Value) -> bool) -> Option<String> {
    let file: serde_json::Value = serde_json::from_str(text).ok()?;
    let (at, edge) = file.get("edges")?.as_array()?.iter().enumerate().find(|(_, edge)| !is_one(edge))?;
    Some(format!("edges[{at}] is {edge}"))
}

fn is_pair(edge: &serde_json::Value) -> bool {
    edge.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(serde_json::Value::is_u64))
}

/// Writers of JSON turn large whole numbers into floats.
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0 && value < 9.0e15).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::replay;

    fn problem(text: &str) -> Result<Problem, String> {
        Instance::parse(text).and_then(|instance| instance.problem(1.0))
    }

    const ALL_KEYS: &str = r#"{"name": "i", "resident_bytes": 5, "nodes": [
        {"id": 0, "time": 2, "size": 8.0, "workspace": 3, "recomputable": false},
        {"id": 1, "time": 0, "size": 0, "view_of": 0},
        {"id": 2, "time": 1, "size": 4, "swappable": false, "is_backward": true},
        {"id": 3, "time": 1, "size": 1, "keep": true, "pinned": true}],
        "edges": [[1, 2], [2, 3]]}"#;

    #[test]
    fn every_key_reaches_the_problem_and_comes_back() {
        let read = problem(ALL_KEYS).unwrap();
        assert_eq!(read.resident_bytes, 5);
        let [a, view, b, c] = &read.nodes[..] else { panic!("four nodes") };
        assert_eq!((a.bytes, a.workspace_bytes, a.recomputable), (8, 3, false));
        assert_eq!(
            (view.bytes, &view.inputs[..], &b.inputs[..]),
            (0, &[NodeId(0)][..], &[NodeId(0), NodeId(1)][..]),
            "through the view"
        );
        assert!(!b.swappable && b.backward && c.keep && c.pinned);
        let text = serde_json::to_string(&Instance::of(&read)).unwrap();
        assert_eq!(problem(&text).unwrap(), read);
    }

    #[test]
    fn a_value_lives_as_long_as_its_views_are_read() {
        let read = problem(ALL_KEYS).unwrap();
        let schedule = read_plan("{}", &read).unwrap();
        let freed = |node| schedule.steps.iter().position(|&step| step == Step::Free(node));
        let runs = |node| schedule.steps.iter().position(|&step| step == Step::Compute(node));
        assert!(freed(NodeId(0)) > runs(NodeId(2)), "{schedule:?}");
    }

    #[test]
    fn nonsense_names_the_entry() {
        for (old, new, part) in [
            ("\"id\": 2", "\"id\": 5", "nodes[2]"),
            ("\"view_of\": 0", "\"view_of\": 1", "views are of earlier"),
            ("\"time\": 0, \"size\": 0", "\"time\": 1, \"size\": 0", "is a view"),
            ("\"size\": 8.0", "\"size\": 8.5", "whole bytes"),
            ("[2, 3]", "[3, 2]", "later nodes only"),
            ("[2, 3]", "[2, 9]", "the nodes are 0 to 3"),
            ("[2, 3]", "[1, 2]", "given twice"),
            (
                "[2, 3]",
                r#"{"from": 2, "to": 3}"#,
                r#"edges[1] is {"from":2,"to":3}: an edge is a pair, a node and its reader, such as [0, 1]"#,
            ),
            ("[1, 2]", r#"["view", 2]"#, r#"edges[0] is ["view",2]: an edge is a pair"#),
            ("\"time\": 2", "\"time\": \"2\"", "expected f64"),
        ] {
            let text = ALL_KEYS.replacen(old, new, 1);
            let error = problem(&text).expect_err(new);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn sizes_that_floats_cannot_add_up_are_refused() {
        // The others are 5 bytes resident, 3 of workspace, 4 and 1.
        let size = |bytes: u64| problem(&ALL_KEYS.replacen("8.0", &bytes.to_string(), 1));
        assert_eq!(size((1 << 53) - 14).unwrap().nodes[0].bytes, (1 << 53) - 14);
        assert!(size((1 << 53) - 13).is_err_and(|error| error.contains("2^53 bytes (8 PiB)")));
    }

    #[test]
    fn plans_come_as_steps_or_compact() {
        let read = problem(ALL_KEYS).unwrap();
        let schedule = read_plan(r#"{"recompute": [[3, 1]]}"#, &read).unwrap();
        let text = serde_json::to_string(&Steps::from(&schedule)).unwrap();
        assert!(text.starts_with(r#"{"steps":[["compute",0]"#), "{text}");
        assert_eq!(read_plan(&text, &read).unwrap(), schedule);
        assert_eq!(replay(&read, &schedule, None, None).unwrap().recomputes, 1);
        for bad in ["", "[]", r#"{"steps": [["jump", 0]]}"#, r#"{"recompute": [[9, 9]]}"#, r#"{"moves": []}"#]
        {
            assert!(read_plan(bad, &read).is_err(), "{bad}");
        }
    }
}
