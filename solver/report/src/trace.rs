//! The step as Chrome trace events, which Perfetto reads: one process per device, one thread per engine, a counter of its memory.

use ballast_core::memory::EventKind;
use ballast_core::pipeline::TimedTask;
use ballast_core::plan::Plan;
use serde_json::{Value, json};

use crate::facts::{Facts, StageFacts};
use crate::step::{pass_name, step};

/// Engines of a device.
const ENGINES: [&str; 4] = ["compute", "copies to the host", "copies from the host", "sends"];
/// Above every device number: the step of a pipeline comes after the stages.
const STEP_PROCESS: usize = 1 << 20;

/// What an event is called in legends.
pub(crate) fn category(stage: &StageFacts<'_>, event: &ballast_core::memory::Event) -> &'static str {
    match (event.kind, stage.is_receive(event.node)) {
        (EventKind::Run | EventKind::Again, true) => "transfer",
        (EventKind::Run, false) => "computation",
        (EventKind::Again, false) => "recompute",
        (EventKind::Out | EventKind::In, _) => "copy",
    }
}

fn engine(kind: EventKind) -> usize {
    match kind {
        EventKind::Run | EventKind::Again => 0,
        EventKind::Out => 1,
        EventKind::In => 2,
    }
}

/// The JSON object format of the trace event format: times in microseconds.
#[must_use]
pub fn events(plan: &Plan, facts: &Facts<'_>) -> Value {
    let mut events = Vec::new();
    for stage in &facts.stages {
        let device = stage.stage.device;
        let name = plan.device_name(device);
        events.push(json!({"ph": "M", "pid": device, "name": "process_name", "args": {"name": format!("device {device} {name}")}}));
        for (thread, name) in ENGINES.iter().enumerate() {
            events.push(json!({"ph": "M", "pid": device, "tid": thread, "name": "thread_name", "args": {"name": name}}));
        }
        for event in &stage.explained.events {
            let entry = facts.entry(stage, event.node);
            events.push(json!({
                "ph": "X", "pid": device, "tid": engine(event.kind), "cat": category(stage, event),
                "name": facts.name(stage, event.node), "ts": event.start * 1e6, "dur": (event.end - event.start) * 1e6,
                "args": {
                    "location": entry.map_or("", |entry| &entry.location),
                    "value_bytes": stage.stage.problem.nodes[event.node].bytes,
                    "device_bytes": event.device_bytes,
                },
            }));
            events.push(json!({
                "ph": "C", "pid": device, "name": "memory", "ts": event.start * 1e6, "args": {"bytes": event.device_bytes},
            }));
        }
        let score = &stage.entry.score;
        if score.send_seconds > 0.0 {
            let start = score.seconds - score.send_seconds;
            events.push(json!({
                "ph": "X", "pid": device, "tid": 3, "cat": "transfer", "name": "sends, all together",
                "ts": start * 1e6, "dur": score.send_seconds * 1e6,
            }));
        }
    }
    for (device, tasks) in step(plan).iter().enumerate() {
        let process = STEP_PROCESS + device;
        events.push(json!({"ph": "M", "pid": process, "name": "process_name", "args": {"name": format!("step, device {device}")}}));
        for TimedTask { task, start, end } in tasks {
            events.push(json!({
                "ph": "X", "pid": process, "tid": 0, "cat": "step",
                "name": format!("{} {}", pass_name(task.pass), task.micro_batch), "ts": start * 1e6, "dur": (end - start) * 1e6,
            }));
        }
    }
    json!({"displayTimeUnit": "ms", "traceEvents": events})
}
