//! Reads a workload file: strict, and every refusal names the file, the element and the remedy.
//!
//! The format is the JSON of the dnn-partitioning benchmark (see `docs/dag-partition.md`), with one optional
//! addition, `accelerators`, for accelerators that are not alike.

use std::path::Path;

use ballast_core::instance::other_edge;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::check::lenient;
use crate::problem::{Kind, Node, NodeId, Problem};

/// Why a workload was refused.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The file could not be read.
    #[error("{path}: cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no JSON of the expected form.
    #[error("{path}: not a workload: {source}")]
    Json {
        /// The file.
        path: String,
        /// Where and what.
        source: serde_json::Error,
    },
    /// The content contradicts itself or the format.
    #[error("{path}: {message}")]
    Content {
        /// The file.
        path: String,
        /// The element, what is wrong with it and what to do.
        message: String,
    },
}

/// A number or a text.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Label {
    Number(i64),
    Text(String),
    /// Read like any other, so that the refusal can name the element.
    #[schemars(skip)]
    Other(serde_json::Value),
}

impl Label {
    /// As text; `what` names it where it is neither.
    fn read(self, what: impl FnOnce() -> String) -> Result<String, String> {
        match self {
            Label::Number(number) => Ok(number.to_string()),
            Label::Text(text) => Ok(text),
            Label::Other(other) => Err(format!(
                "{} is {}: write a text or a whole number from -2^63 to 2^63 - 1",
                what(),
                shown(&other)
            )),
        }
    }
}

/// What a value looks like in a message, its beginning where it is long.
fn shown(value: &serde_json::Value) -> String {
    const MOST: usize = 40;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// True, false, 1 or 0.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Flag {
    Bool(bool),
    Number(f64),
    /// As of a label.
    #[schemars(skip)]
    Other(serde_json::Value),
}

impl Flag {
    fn read(self, what: &str) -> Result<bool, String> {
        match self {
            Flag::Bool(value) => Ok(value),
            Flag::Number(0.0) => Ok(false),
            Flag::Number(1.0) => Ok(true),
            Flag::Number(other) => Err(format!("{what} is {other}: write true, false, 1 or 0")),
            Flag::Other(other) => Err(format!("{what} is {}: write true, false, 1 or 0", shown(&other))),
        }
    }
}

/// A workload file as it is written; [`read`] is the way to one, [`WorkloadFile::of`] the way back.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadFile {
    /// Name for messages; the file's own without it.
    #[serde(default)]
    name: Option<String>,
    /// Number of accelerators, all alike.
    #[schemars(range(min = 0))]
    #[serde(rename = "maxFPGAs", skip_serializing_if = "Option::is_none")]
    max_fpgas: Option<f64>,
    /// Number of CPU cores.
    #[serde(rename = "maxCPUs")]
    #[schemars(required, range(min = 0))]
    max_cpus: Option<f64>,
    /// Memory of an accelerator, in the unit of the sizes; of none where `maxFPGAs` is 0.
    #[serde(rename = "maxSizePerFPGA", skip_serializing_if = "Option::is_none")]
    max_size_per_fpga: Option<f64>,
    /// Accelerators that are not alike, in place of `maxFPGAs` and `maxSizePerFPGA`.
    accelerators: Option<Vec<AcceleratorEntry>>,
    /// The nodes.
    nodes: Vec<NodeEntry>,
    /// The edges.
    edges: Vec<EdgeEntry>,
}

/// One line of `accelerators`: `count` devices alike.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AcceleratorEntry {
    /// How many.
    count: usize,
    /// Divides `fpgaLatency`; `latencies` are as they are.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    speed: f64,
    /// Memory of each; without it there is no cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_size: Option<f64>,
    /// Multiplies the edge costs.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    transfer_factor: f64,
}

fn one() -> f64 {
    1.0
}

/// A node.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NodeEntry {
    /// Its name, used once.
    id: Label,
    /// Time on an accelerator; of none where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    fpga_latency: Option<f64>,
    /// Time on a device of each line of `accelerators`, null where it cannot run; in place of `fpgaLatency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    latencies: Option<Vec<Option<f64>>>,
    /// Time on a CPU core.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_latency: Option<f64>,
    /// Memory it takes on an accelerator.
    size: Option<f64>,
    /// May it run on an accelerator?
    #[serde(skip_serializing_if = "Option::is_none")]
    supported_on_fpga: Option<Flag>,
    /// Is it part of the backward pass, and so free of the order rule?
    is_backward_node: Option<Flag>,
    /// Nodes of one class share a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    color_class: Option<Label>,
}

/// An edge.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EdgeEntry {
    /// The node that makes the tensor.
    source_id: Label,
    /// The node that reads it.
    dest_id: Label,
    /// Time to move it between a device and host memory; edges of one source have one cost.
    #[schemars(required, range(min = 0))]
    cost: Option<f64>,
}

impl WorkloadFile {
    /// A problem as a file, every number as it is: of nodes that run on no kind of accelerator and have no CPU core it says so, which
    /// no reader takes.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let cores = problem.kinds.iter().filter(|kind| is_core(kind)).map(|kind| kind.count).sum::<usize>();
        let accelerators = problem.kinds.iter().filter(|kind| !is_core(kind)).map(|kind| AcceleratorEntry {
            count: kind.count,
            speed: 1.0,
            max_size: kind.memory_bytes.is_finite().then_some(kind.memory_bytes),
            transfer_factor: kind.transfer_factor,
        });
        let label = |node: NodeId| Label::Text(problem.nodes[node].id.clone());
        let nodes = problem.nodes.iter().enumerate().map(|(id, node)| {
            let times = || problem.kinds.iter().zip(&node.time);
            let finite = |(_, &time): (_, &f64)| time.is_finite().then_some(time);
            NodeEntry {
                id: label(id),
                fpga_latency: None,
                latencies: Some(times().filter(|(kind, _)| !is_core(kind)).map(finite).collect()),
                cpu_latency: times().filter(|(kind, _)| is_core(kind)).find_map(finite),
                size: Some(node.size_bytes),
                supported_on_fpga: None,
                is_backward_node: Some(Flag::Bool(node.backward)),
                color_class: node.colour.map(|colour| Label::Text(colour.to_string())),
            }
        });
        let edges = problem.nodes.iter().enumerate().flat_map(|(id, node)| {
            node.readers.iter().map(move |&reader| EdgeEntry {
                source_id: label(id),
                dest_id: label(reader),
                cost: Some(node.output_cost),
            })
        });
        WorkloadFile {
            name: Some(problem.name.clone()),
            max_fpgas: None,
            max_cpus: Some(cores as f64),
            max_size_per_fpga: None,
            accelerators: Some(accelerators.collect()),
            nodes: nodes.collect(),
            edges: edges.collect(),
        }
    }
}

/// Is it a CPU core, whose transfers are free?
fn is_core(kind: &Kind) -> bool {
    kind.transfer_factor == 0.0
}

/// Reads and checks a workload file.
///
/// # Errors
/// On anything that makes the file unreadable, ambiguous or without any plan for a single node.
pub fn read(path: &Path) -> Result<Problem, WorkloadError> {
    let shown = path.display().to_string();
    let text = ballast_core::file::read_text(path)
        .map_err(|source| WorkloadError::Read { path: shown.clone(), source })?;
    parse(&text, &shown)
}

/// Checks the text of a workload; `origin` names it in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, origin: &str) -> Result<Problem, WorkloadError> {
    let content = |message: String| WorkloadError::Content { path: origin.to_owned(), message };
    let is_edge = |edge: &serde_json::Value| EdgeEntry::deserialize(edge).is_ok();
    let file = serde_json::from_str(text).map_err(|source| match other_edge(text, is_edge) {
        Some(edge) => {
            content(edge + r#": an edge is an object such as {"sourceId": 0, "destId": 1, "cost": 0.5}"#)
        }
        None => WorkloadError::Json { path: origin.to_owned(), source },
    })?;
    build(file).map_err(content)
}

fn build(file: WorkloadFile) -> Result<Problem, String> {
    let (kinds, speeds) = device_kinds(&file)?;
    let has_cpus = kinds.iter().any(|kind| kind.transfer_factor == 0.0 && kind.count > 0);
    if file.nodes.is_empty() {
        return Err("'nodes' is empty: there is nothing to place".into());
    }
    let devices: usize = kinds.iter().map(|kind| kind.count).sum();
    if devices > file.nodes.len() {
        return Err(format!(
            "{devices} devices for {} nodes: lower maxFPGAs or maxCPUs to at most the number of nodes",
            file.nodes.len()
        ));
    }
    let mut ids: IndexMap<String, NodeId> = IndexMap::new();
    let mut colours: IndexMap<String, usize> = IndexMap::new();
    let mut nodes = Vec::with_capacity(file.nodes.len());
    for entry in file.nodes {
        let node_id = nodes.len();
        let id = entry.id.read(|| format!("id of nodes[{node_id}]"))?;
        if ids.insert(id.clone(), node_id).is_some() {
            return Err(format!("node id {id} occurs twice: give every node an id of its own"));
        }
        let supported = match entry.supported_on_fpga {
            Some(flag) => flag.read(&format!("supportedOnFpga of node {id}"))?,
            None => true,
        };
        let backward = match entry.is_backward_node {
            Some(flag) => flag.read(&format!("isBackwardNode of node {id}"))?,
            None => false,
        };
        // Of a kind without devices there is none that could run it.
        let there = |kind: usize| kinds[kind].count > 0;
        let is_timed = entry.fpga_latency.is_some() || entry.latencies.is_some();
        let accelerator_times = match supported && (is_timed || (0..speeds.len()).any(there)) {
            true => accelerator_times(entry.fpga_latency, entry.latencies.as_deref(), &id, &speeds)?,
            false => vec![f64::INFINITY; speeds.len()],
        };
        let supported =
            accelerator_times.iter().enumerate().any(|(kind, time)| there(kind) && time.is_finite());
        let cpu_time = match (has_cpus, entry.cpu_latency) {
            (false, None) => f64::INFINITY,
            (_, time) => cost(time, "cpuLatency", &format!("node {id}"))?,
        };
        let size_bytes = match entry.size {
            None => 0.0,
            size => cost(size, "size", &format!("node {id}"))?,
        };
        if !supported && !has_cpus && entry.color_class.is_none() {
            return Err(format!(
                "node {id} cannot run on an accelerator (supportedOnFpga is false, or latencies are null for all there are) and there \
                 is no CPU core: raise maxCPUs or say where it runs"
            ));
        }
        let largest = (0..speeds.len()).filter(|&kind| there(kind)).map(|kind| kinds[kind].memory_bytes);
        let largest = largest.fold(f64::NAN, f64::max);
        let too_large = supported && size_bytes > lenient(largest);
        if too_large && !has_cpus {
            return Err(format!(
                "node {id} takes {size_bytes} bytes, an accelerator holds {largest} (maxSizePerFPGA), and there is \
                 no CPU core: raise the cap or maxCPUs"
            ));
        }
        let on_accelerators =
            accelerator_times.into_iter().map(|time| if too_large { f64::INFINITY } else { time });
        let time = on_accelerators.chain([cpu_time]).collect();
        let class = entry.color_class.map(|label| label.read(|| format!("colorClass of node {id}")));
        let colour = class.transpose()?.map(|label| {
            let next = colours.len();
            *colours.entry(label).or_insert(next)
        });
        nodes.push(Node { id, time, size_bytes, backward, colour, output_cost: 0.0, readers: Vec::new() });
    }
    add_edges(&mut nodes, &ids, file.edges)?;
    check_total(&nodes, &kinds)?;
    check_acyclic(&nodes)?;
    check_classes(&nodes, &kinds, &colours)?;
    let name = file.name.unwrap_or_default();
    Ok(Problem { name, kinds, nodes, colours: colours.len() })
}

/// Time of a node on a device of each kind of accelerator; infinite where it cannot run.
fn accelerator_times(
    latency: Option<f64>,
    latencies: Option<&[Option<f64>]>,
    id: &str,
    speeds: &[f64],
) -> Result<Vec<f64>, String> {
    let owner = format!("node {id}");
    match latencies {
        None => {
            let time = cost(latency, "fpgaLatency", &owner)?;
            // A time beyond all numbers would read as a kind that cannot run it.
            let on = |speed: &f64| match time / speed {
                scaled if scaled.is_finite() => Ok(scaled),
                _ => Err(format!(
                    "{owner} has fpgaLatency {time}, which divided by a speed of {speed} is no number: give times in a larger unit"
                )),
            };
            speeds.iter().map(on).collect()
        }
        Some(_) if latency.is_some() => {
            Err(format!("{owner} has both 'fpgaLatency' and 'latencies': leave one of them out"))
        }
        Some(given) if given.len() != speeds.len() => Err(format!(
            "{owner} has {} 'latencies', and there are {} kinds of accelerators: give one for each, null where \
             it cannot run",
            given.len(),
            speeds.len()
        )),
        Some(given) => given
            .iter()
            .map(|time| time.map_or(Ok(f64::INFINITY), |time| cost(Some(time), "latencies", &owner)))
            .collect(),
    }
}

/// Reads a number that must be there, finite and not negative.
fn cost(value: Option<f64>, field: &str, owner: &str) -> Result<f64, String> {
    match value {
        None => Err(format!("{owner} has no '{field}': every cost must be given (0 is allowed)")),
        Some(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Some(value) => Err(format!("{owner} has {field} {value}: it must be 0 or more")),
    }
}

/// The kinds of devices, accelerators first and CPU cores last, and the speed of each accelerator kind.
fn device_kinds(file: &WorkloadFile) -> Result<(Vec<Kind>, Vec<f64>), String> {
    let count = |value: Option<f64>, field: &str| match value {
        None => Err(format!("'{field}' is missing: write how many there are")),
        Some(n) if n >= 0.0 && n.fract() == 0.0 && n <= 65_536.0 => Ok(n as usize),
        Some(n) => Err(format!("{field} is {n}: it must be a whole number from 0 to 65536")),
    };
    let mut kinds = Vec::new();
    let mut speeds = Vec::new();
    if let Some(entries) = &file.accelerators {
        for (index, entry) in entries.iter().enumerate() {
            let positive = |value: f64, field: &str| {
                if value > 0.0 && value.is_finite() {
                    Ok(value)
                } else {
                    Err(format!("accelerators[{index}].{field} is {value}: it must be above 0"))
                }
            };
            if entry.count > 65_536 {
                return Err(format!("accelerators[{index}].count is {}: at most 65536", entry.count));
            }
            speeds.push(positive(entry.speed, "speed")?);
            kinds.push(Kind {
                name: format!("accelerator kind {index}"),
                count: entry.count,
                memory_bytes: match entry.max_size {
                    None => f64::INFINITY,
                    given => cost(given, "maxSize", &format!("accelerators[{index}]"))?,
                },
                transfer_factor: positive(entry.transfer_factor, "transferFactor")?,
            });
        }
        let named: usize = kinds.iter().map(|kind| kind.count).sum();
        if file.max_fpgas.is_some() && count(file.max_fpgas, "maxFPGAs")? != named {
            return Err(format!(
                "'accelerators' lists {named} devices but maxFPGAs is {}: leave maxFPGAs out or make them agree",
                file.max_fpgas.unwrap_or_default()
            ));
        }
    } else {
        let accelerators = count(file.max_fpgas, "maxFPGAs")?;
        speeds.push(1.0);
        kinds.push(Kind {
            name: "accelerator".into(),
            count: accelerators,
            memory_bytes: match file.max_size_per_fpga {
                None if accelerators == 0 => f64::INFINITY,
                given => cost(given, "maxSizePerFPGA", "the workload")?,
            },
            transfer_factor: 1.0,
        });
    }
    let cpus = count(file.max_cpus, "maxCPUs")?;
    if kinds.iter().map(|kind| kind.count).sum::<usize>() + cpus == 0 {
        return Err("there is no device: maxFPGAs and maxCPUs are both 0".into());
    }
    kinds.push(Kind {
        name: "CPU core".into(),
        count: cpus,
        memory_bytes: f64::INFINITY,
        transfer_factor: 0.0,
    });
    Ok((kinds, speeds))
}

/// Most that times and costs may add up to: loads are sums of them, and are compared.
const MOST_TIME: f64 = 1e300;

/// Refuses times and costs whose sums leave the range of numbers: no plan would have a load.
fn check_total(nodes: &[Node], kinds: &[Kind]) -> Result<(), String> {
    let factor = kinds.iter().map(|kind| kind.transfer_factor).fold(0.0, f64::max);
    let total: f64 = nodes
        .iter()
        .map(|node| {
            let times = node.time.iter().copied().filter(|time| time.is_finite());
            // A tensor counts on its writer's device and on those of its readers.
            let ends = (1 + node.readers.len()) as f64;
            times.fold(0.0, f64::max) + node.output_cost * factor * ends
        })
        .sum();
    if total <= MOST_TIME {
        return Ok(());
    }
    Err(format!(
        "times and costs add up to {total:e}, the most is {MOST_TIME:e}: give them in a larger unit of time"
    ))
}

fn add_edges(
    nodes: &mut [Node],
    ids: &IndexMap<String, NodeId>,
    edges: Vec<EdgeEntry>,
) -> Result<(), String> {
    for (number, edge) in edges.into_iter().enumerate() {
        let source = edge.source_id.read(|| format!("sourceId of edges[{number}]"))?;
        let target = edge.dest_id.read(|| format!("destId of edges[{number}]"))?;
        let shown = format!("edge {source} -> {target}");
        let find = |id: &str| {
            ids.get(id).copied().ok_or_else(|| {
                format!("{shown} names node {id}, which is not in 'nodes': add the node or drop the edge")
            })
        };
        let (from, to) = (find(&source)?, find(&target)?);
        let output_cost = cost(edge.cost, "cost", &shown)?;
        let node = &mut nodes[from];
        if node.readers.is_empty() {
            node.output_cost = output_cost;
        } else if node.output_cost != output_cost {
            return Err(format!(
                "{shown} costs {output_cost}, another edge of node {source} costs {}: it is one tensor, so \
                 give all its edges one cost",
                node.output_cost
            ));
        }
        node.readers.push(to);
    }
    for node in nodes {
        node.readers.sort_unstable();
        node.readers.dedup();
    }
    Ok(())
}

fn check_acyclic(nodes: &[Node]) -> Result<(), String> {
    let mut waiting = vec![0usize; nodes.len()];
    for node in nodes {
        for &reader in &node.readers {
            waiting[reader] += 1;
        }
    }
    let mut ready: Vec<NodeId> = (0..nodes.len()).filter(|&v| waiting[v] == 0).collect();
    let mut done = 0;
    while let Some(v) = ready.pop() {
        done += 1;
        for &reader in &nodes[v].readers {
            waiting[reader] -= 1;
            if waiting[reader] == 0 {
                ready.push(reader);
            }
        }
    }
    if done == nodes.len() {
        return Ok(());
    }
    // Every node still waiting has a writer that waits too: walking back over writers must close a cycle.
    let mut writer = vec![None; nodes.len()];
    for (v, node) in nodes.iter().enumerate().filter(|&(v, _)| waiting[v] > 0) {
        for &reader in &node.readers {
            writer[reader] = Some(v);
        }
    }
    let mut seen_at = vec![None; nodes.len()];
    let mut walk: Vec<NodeId> = Vec::new();
    let mut at = (0..nodes.len()).find(|&v| waiting[v] > 0).unwrap_or_default();
    while seen_at[at].is_none() {
        seen_at[at] = Some(walk.len());
        walk.push(at);
        at = writer[at].unwrap_or(at);
    }
    let mut cycle: Vec<&str> =
        walk[seen_at[at].unwrap_or(0)..].iter().rev().map(|&v| nodes[v].id.as_str()).collect();
    cycle.push(cycle[0]);
    let mut shown = cycle.join(" -> ");
    if cycle.len() > 12 {
        shown = format!("{} -> ... ({} nodes)", cycle[..10].join(" -> "), cycle.len() - 1);
    }
    Err(format!("the graph has a cycle: {shown}; remove one of its edges"))
}

fn check_classes(nodes: &[Node], kinds: &[Kind], colours: &IndexMap<String, usize>) -> Result<(), String> {
    let mut sizes = vec![0.0; colours.len()];
    let mut runs = vec![vec![true; kinds.len()]; colours.len()];
    let mut example = vec![""; colours.len()];
    for node in nodes {
        let Some(colour) = node.colour else { continue };
        sizes[colour] += node.size_bytes;
        for (kind, time) in node.time.iter().enumerate() {
            if time.is_infinite() {
                runs[colour][kind] = false;
                example[colour] = &node.id;
            }
        }
    }
    for (label, &colour) in colours {
        let supports = |kind: usize| kinds[kind].count > 0 && runs[colour][kind];
        let mut able = (0..kinds.len()).filter(|&kind| supports(kind)).peekable();
        if able.peek().is_none() {
            return Err(format!(
                "colour class {label} can run on no device: its node {} is not supported on accelerators and \
                 there is no CPU core; raise maxCPUs, or change the class or supportedOnFpga",
                example[colour]
            ));
        }
        if able.all(|kind| sizes[colour] > lenient(kinds[kind].memory_bytes)) {
            return Err(format!(
                "colour class {label} takes {} bytes together, more than any device that can run it holds: \
                 raise maxSizePerFPGA, add a CPU core or split the class",
                sizes[colour]
            ));
        }
    }
    Ok(())
}
