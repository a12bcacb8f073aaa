//! The file of a workload's plan: the device of every node.

use std::fmt::Formatter;

use indexmap::{IndexMap, IndexSet};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::problem::{Assignment, Problem};

/// `{"assignment": {"node": device, ...}}`; devices are counted as in the workload, accelerators first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssignmentFile {
    #[serde(deserialize_with = "each_once")]
    assignment: IndexMap<String, usize>,
    /// The largest load, which readers work out for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_load: Option<f64>,
}

/// A map whose keys are there once: of two devices for a node nobody knows which one is meant.
fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<IndexMap<String, usize>, D::Error> {
    struct Once;

    impl<'de> Visitor<'de> for Once {
        type Value = IndexMap<String, usize>;

        fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a device for every node")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut read = IndexMap::new();
            while let Some((node, device)) = entries.next_entry::<String, usize>()? {
                if read.insert(node.clone(), device).is_some() {
                    return Err(A::Error::custom(format!("node {node} is given two devices")));
                }
            }
            Ok(read)
        }
    }

    from.deserialize_map(Once)
}

impl AssignmentFile {
    /// Of a plan with this largest load.
    #[must_use]
    pub fn new(problem: &Problem, assignment: &Assignment, max_load: f64) -> Self {
        let of_nodes = problem.nodes.iter().zip(assignment).map(|(node, &device)| (node.id.clone(), device));
        AssignmentFile { assignment: of_nodes.collect(), max_load: Some(max_load) }
    }

    /// Reads a file's text; nothing is judged yet.
    ///
    /// # Errors
    /// No assignment file, a node it lacks, a node the workload lacks.
    pub fn parse(text: &str, problem: &Problem) -> Result<Assignment, String> {
        Self::read(text)?.of(problem)
    }

    /// Reads a file's text, whatever the workload.
    ///
    /// # Errors
    /// No assignment file.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("not an assignment: {error}"))
    }

    /// The device of every node of a workload; nothing is judged yet.
    ///
    /// # Errors
    /// A node it lacks, a node the workload lacks.
    pub fn of(&self, problem: &Problem) -> Result<Assignment, String> {
        let known: IndexSet<&str> = problem.nodes.iter().map(|node| node.id.as_str()).collect();
        if let Some(unknown) = self.assignment.keys().find(|id| !known.contains(id.as_str())) {
            return Err(format!("the plan is wrong: the workload has no node {unknown}"));
        }
        let device = |id: &str| {
            let found = self.assignment.get(id).copied();
            found.ok_or_else(|| format!("the plan is wrong: node {id} has no device"))
        };
        problem.nodes.iter().map(|node| device(&node.id)).collect()
    }
}
