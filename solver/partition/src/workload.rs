//! A program's op sequence as the workload that the solvers of [`ballast_dag`] search.

use ballast_core::device::DeviceId;
use ballast_dag::problem::{Kind, Node, Problem};

use crate::loads::Links;
use crate::sequence::{Pin, Sequence};

/// The items of a sequence as a problem over kinds of devices, and the device behind every device index of it. With unequal links every
/// transfer is priced by one at least as fast as all; a device holds the arguments whose first readers it runs, at most its cap: what it
/// really holds is more, so that no plan under the caps is left out.
pub(crate) fn workload(items: &Sequence, links: &Links, caps: Option<&[u64]>) -> (Problem, Vec<DeviceId>) {
    let cap = |device: DeviceId| caps.map_or(f64::INFINITY, |caps| caps[device] as f64);
    let pinned = items.pins.iter().any(|pin| matches!(pin, Pin::To(_)));
    // Devices of one kind, alike in costs and cap, change places freely, which a rule for one of them forbids.
    let mut kinds: Vec<Vec<DeviceId>> = Vec::new();
    for device in DeviceId::first(items.row_of.len()) {
        let alike = kinds.iter_mut().find(|kind| {
            let like =
                |a: DeviceId, b| items.row_of[a] == items.row_of[b] && cap(a).total_cmp(&cap(b)).is_eq();
            !pinned && like(kind[0], device)
        });
        match alike {
            Some(kind) => kind.push(device),
            None => kinds.push(vec![device]),
        }
    }
    let wire = links.fastest();
    let mut nodes: Vec<Node> = (0..items.len())
        .map(|item| Node {
            id: item.to_string(),
            time: kinds
                .iter()
                .map(|kind| match items.pins[item] {
                    Pin::To(device) if device != kind[0] => f64::INFINITY,
                    _ => items.seconds[items.row_of[kind[0]]][item],
                })
                .collect(),
            size_bytes: 0.0,
            backward: false,
            colour: None,
            output_cost: 0.0,
            readers: Vec::new(),
        })
        .collect();
    for argument in &items.arguments {
        if let Some(&first) = argument.readers.first() {
            nodes[first].size_bytes += argument.bytes as f64;
        }
    }
    for (node, &bytes) in nodes.iter_mut().zip(&items.resident) {
        node.size_bytes += bytes as f64;
    }
    // A node has one output: each further value of an item is a node without time that shares the item's device.
    let mut colours = 0;
    let mut primary = vec![false; items.len()];
    for value in items.values.iter().filter(|value| !value.readers.is_empty()) {
        let cost = wire.latency_seconds + value.bytes as f64 * wire.seconds_per_byte;
        if !primary[value.producer] {
            primary[value.producer] = true;
            nodes[value.producer].output_cost = cost;
            nodes[value.producer].readers.clone_from(&value.readers);
            continue;
        }
        let colour = *nodes[value.producer].colour.get_or_insert_with(|| {
            colours += 1;
            colours - 1
        });
        nodes.push(Node {
            id: format!("{}+{}", value.producer, nodes.len()),
            time: nodes[value.producer].time.iter().map(|t| if t.is_finite() { 0.0 } else { *t }).collect(),
            size_bytes: 0.0,
            backward: false,
            colour: Some(colour),
            output_cost: cost,
            readers: value.readers.clone(),
        });
    }
    let kinds_of = |kind: &Vec<DeviceId>| Kind {
        name: format!("device {}", kind[0]),
        count: kind.len(),
        memory_bytes: cap(kind[0]),
        transfer_factor: 1.0,
    };
    let problem =
        Problem { name: "op sequence".into(), kinds: kinds.iter().map(kinds_of).collect(), nodes, colours };
    (problem, kinds.concat())
}
