//! What the charts of the page are drawn from.

use ballast_core::memory::{EventKind, NodeId};
use ballast_core::pipeline::TimedTask;
use ballast_core::plan::Plan;
use serde_json::{Value, json};

use crate::facts::{Facts, StageFacts};
use crate::step::{pass_name, step};
use crate::trace;
use crate::words::short_location;

/// What the charts need of every device, in columns. Times in microseconds.
pub(crate) fn devices(plan: &Plan, facts: &Facts<'_>) -> Vec<Value> {
    facts.stages.iter().map(|stage| device(plan, facts, stage)).collect()
}

fn device(plan: &Plan, facts: &Facts<'_>, stage: &StageFacts<'_>) -> Value {
    let device = stage.stage.device;
    let nodes = &stage.stage.problem.nodes;
    let events = &stage.explained.events;
    let mut places: indexmap::IndexSet<&str> = indexmap::IndexSet::new();
    let at: Vec<usize> = NodeId::first(nodes.len())
        .map(|node| places.insert_full(facts.entry(stage, node).map_or("", |entry| &entry.location)).0)
        .collect();
    let micro = |seconds: f64| (seconds * 1e9).round() / 1e3;
    let kinds = ["computation", "recompute", "transfer", "copy"];
    let kind = |event| kinds.iter().position(|kind| *kind == trace::category(stage, event));
    let lane = |event: &ballast_core::memory::Event| match event.kind {
        EventKind::Run | EventKind::Again => 0,
        EventKind::Out => 1,
        EventKind::In => 2,
    };
    json!({
        "device": device,
        "name": plan.device_name(device),
        "resident": stage.stage.problem.resident_bytes,
        "cap": stage.entry.cap_bytes,
        "peak": stage.explained.peak,
        "before": stage.before,
        "names": NodeId::first(nodes.len()).map(|node| facts.name(stage, node)).collect::<Vec<_>>(),
        "bytes": nodes.iter().map(|node| node.bytes).collect::<Vec<_>>(),
        "workspace": nodes.iter().map(|node| node.workspace_bytes).collect::<Vec<_>>(),
        "keep": nodes.iter().enumerate().filter(|(_, node)| node.keep).map(|(id, _)| id).collect::<Vec<_>>(),
        "location": at,
        "locations": places.iter().map(|place| short_location(place)).collect::<Vec<_>>(),
        "event": {
            "node": events.iter().map(|event| event.node).collect::<Vec<_>>(),
            "kind": events.iter().map(kind).collect::<Vec<_>>(),
            "lane": events.iter().map(lane).collect::<Vec<_>>(),
            "place": stage.places.iter().map(|place| (place * 1e4).round() / 1e4).collect::<Vec<_>>(),
            "held": events.iter().map(|event| event.device_bytes).collect::<Vec<_>>(),
            "start": events.iter().map(|event| micro(event.start)).collect::<Vec<_>>(),
            "end": events.iter().map(|event| micro(event.end)).collect::<Vec<_>>(),
        },
        "send": micro(stage.entry.score.send_seconds),
        "stays": stage.stays.iter().map(|&(node, workspace, from, to)| (node, u8::from(workspace), from, to)).collect::<Vec<_>>(),
    })
}

pub(crate) fn tasks(plan: &Plan) -> Value {
    let micro = |seconds: f64| (seconds * 1e9).round() / 1e3;
    let task = |task: &TimedTask| {
        json!([pass_name(task.task.pass), task.task.micro_batch, micro(task.start), micro(task.end)])
    };
    step(plan).iter().map(|tasks| tasks.iter().map(task).collect::<Vec<_>>()).collect::<Vec<_>>().into()
}
