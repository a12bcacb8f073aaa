//! Plans that were changed by chance, judged by the judge, by a replay written another way, and by a clock that ticks.

use ballast_core::instance::{Steps, read_plan};
use ballast_core::memory::{Node, NodeId, Problem, Schedule, Step, SwapModel, replay};

use crate::source::Source;

#[path = "../../../solver/core/tests/ticks/mod.rs"]
mod ticks;

/// Most nodes of a problem, and steps of a plan.
const NODES: usize = 8;
const STEPS: usize = 48;

/// Draws a problem, a plan, a link and a cap.
///
/// # Panics
/// Where the three do not agree on what is a plan, or on its time and peak.
pub fn run(input: &[u8]) {
    let mut source = Source(input);
    let problem = problem(&mut source);
    if problem.check().is_err() {
        return;
    }
    let cap = (source.below(4) > 0).then(|| source.below(40) as u64);
    let host_cap = 4 + source.below(40) as u64;
    let (latency, ticks_per_byte) = (source.below(3) as u64, 1 + source.below(3) as u64);
    let link = |overlap| SwapModel {
        out_bandwidth: 1.0 / ticks_per_byte as f64,
        in_bandwidth: 1.0 / ticks_per_byte as f64,
        latency: latency as f64,
        overlap,
        host_capacity_bytes: Some(host_cap),
    };
    let schedule = schedule(&mut source, problem.nodes.len());
    let written = format!("{{\"steps\":{}}}", steps_text(&schedule));
    assert_eq!(read_plan(&written, &problem).as_ref(), Ok(&schedule), "{written}");

    let copy = |bytes: u64| latency + bytes * ticks_per_byte;
    let judged = replay(&problem, &schedule, Some(&link(false)), cap);
    let plain = in_turn(&problem, &schedule.steps, copy, cap.unwrap_or(u64::MAX), host_cap);
    match (&judged, plain) {
        (Ok(judged), Some((time, peak, host_peak))) => {
            assert_eq!(
                (judged.time, judged.peak_bytes, judged.host_peak_bytes),
                (time as f64, peak, host_peak)
            );
        }
        (Err(_), None) => {}
        (judged, plain) => panic!("{judged:?} against {plain:?}: {schedule:?} of {problem:?}"),
    }
    // The clock knows no rules: it is asked about plans that keep them, under any cap. It orders no events of one moment.
    let keeps_rules = in_turn(&problem, &schedule.steps, copy, u64::MAX, u64::MAX).is_some();
    let instant = problem.nodes.iter().any(|node| node.time == 0.0 || node.bytes == 0);
    if !keeps_rules || instant {
        return;
    }
    let clock = ticks::Clock {
        problem: &problem,
        cap: cap.unwrap_or(u64::MAX / 2),
        host_cap,
        latency,
        ticks_per_byte,
    };
    match (replay(&problem, &schedule, Some(&link(true)), cap), clock.run(&schedule.steps)) {
        (Ok(judged), Some((time, peak, host_peak))) => {
            assert!((judged.time - time as f64).abs() < 1e-9, "{} against {time}: {schedule:?}", judged.time);
            assert_eq!((judged.peak_bytes, judged.host_peak_bytes), (peak, host_peak), "{schedule:?}");
        }
        (Err(_), None) => {}
        (judged, ticked) => panic!("{judged:?} against {ticked:?}: {schedule:?} of {problem:?}"),
    }
}

fn problem(source: &mut Source<'_>) -> Problem {
    let count = 1 + source.below(NODES);
    let nodes = (0..count)
        .map(|id| {
            let readers = source.byte();
            let inputs: Vec<usize> = (0..id).filter(|&input| readers >> input & 1 == 1).collect();
            let flags = source.byte();
            let is = |bit: u8| flags >> bit & 1 == 1;
            let mut node =
                Node::new(format!("n{id}"), source.below(6) as f64, source.below(7) as u64, inputs);
            node.workspace_bytes = if is(0) { source.below(3) as u64 } else { 0 };
            (node.keep, node.recomputable, node.swappable, node.pinned) =
                (is(1), !is(2) || is(3), !is(4), is(5) && is(6));
            node
        })
        .collect();
    Problem { name: "drawn".into(), nodes, resident_bytes: source.below(4) as u64 }
}

fn schedule(source: &mut Source<'_>, nodes: usize) -> Schedule {
    let mut steps = Vec::new();
    // A node beyond the last now and then.
    while !source.is_empty() && steps.len() < STEPS {
        let kind = source.below(8);
        let node = NodeId(source.below(nodes + usize::from(steps.len() % 16 == 15)));
        steps.push(match kind {
            0 | 1 => Step::Free(node),
            2 => Step::SwapOut(node),
            3 => Step::SwapIn(node),
            4 => Step::HostFree(node),
            _ => Step::Compute(node),
        });
    }
    // Most bytes are no plan. What is missing at the end is run, so that more of them are one.
    let ran = |node: NodeId| steps.contains(&Step::Compute(node));
    let missing: Vec<Step> = NodeId::first(nodes).filter(|&node| !ran(node)).map(Step::Compute).collect();
    steps.extend(missing);
    Schedule { steps }
}

fn steps_text(schedule: &Schedule) -> String {
    let words: Vec<String> = Steps::from(schedule)
        .steps
        .iter()
        .map(|(action, node)| {
            let action = format!("{action:?}");
            let mut word = String::new();
            for letter in action.chars() {
                if letter.is_uppercase() && !word.is_empty() {
                    word.push('_');
                }
                word.extend(letter.to_lowercase());
            }
            format!("[\"{word}\",{node}]")
        })
        .collect();
    format!("[{}]", words.join(","))
}

/// Takes one step after the other; time, device peak and host peak, or none where a rule is broken.
fn in_turn(
    problem: &Problem,
    steps: &[Step],
    copy: impl Fn(u64) -> u64,
    cap: u64,
    host_cap: u64,
) -> Option<(u64, u64, u64)> {
    let count = problem.nodes.len();
    let (mut device, mut host, mut ran) = (vec![false; count], vec![false; count], vec![false; count]);
    let held = |there: &[bool]| -> u64 {
        problem.nodes.iter().zip(there).map(|(node, &there)| if there { node.bytes } else { 0 }).sum()
    };
    let (mut time, mut peak, mut host_peak) = (0, problem.resident_bytes, 0);
    for &step in steps {
        let id = step.node();
        let node = problem.nodes.get(id.0)?;
        let mut workspace = 0;
        match step {
            Step::Compute(_) => {
                let again = ran[id] && (!node.recomputable || node.pinned);
                if again || device[id] || node.inputs.iter().any(|&input| !device[input]) {
                    return None;
                }
                (device[id], ran[id]) = (true, true);
                workspace = node.workspace_bytes;
                time += node.time as u64;
            }
            Step::Free(_) => device[id] = if device[id] { false } else { return None },
            Step::SwapOut(_) => {
                if !device[id] || host[id] || !node.swappable || node.pinned {
                    return None;
                }
                host[id] = true;
                time += copy(node.bytes);
            }
            Step::SwapIn(_) => {
                if device[id] || !host[id] {
                    return None;
                }
                device[id] = true;
                time += copy(node.bytes);
            }
            Step::HostFree(_) => host[id] = if host[id] { false } else { return None },
        }
        let needed = problem.resident_bytes + held(&device) + workspace;
        let makes_room = matches!(step, Step::Free(_) | Step::HostFree(_) | Step::SwapOut(_));
        if (needed > cap && !makes_room) || held(&host) > host_cap {
            return None;
        }
        (peak, host_peak) = (peak.max(needed), host_peak.max(held(&host)));
    }
    let whole = problem.nodes.iter().enumerate().all(|(id, node)| ran[id] && (device[id] || !node.keep));
    whole.then_some((time, peak, host_peak))
}
