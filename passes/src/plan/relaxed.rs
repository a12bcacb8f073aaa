//! Caps that no plan keeps: what was asked, what was used, what binds, why, and what would help.

use ballast_core::cap::CapSpec;
use ballast_core::device::DeviceId;
use ballast_core::graph::{BoundaryMemory, OpId};
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::passes::BallastUnrollOptions;
use ballast_dialects::remarks::Kind;
use ballast_partition::{Reason, Unavoidable};
use ballast_planner::{Error, Options, Planned, Relaxed};
use ballast_remat::Order;
use melior::ir::operation::OperationLike;

use crate::counted::Loop;
use crate::lower::pairs::{body_of, pairs};
use crate::program::{Program, mebibytes};

/// What helps where nothing else does.
const LARGER: &str = "A larger cap helps, or more devices";
/// What helps where one op needs more by itself.
const LARGER_ALONE: &str =
    "A larger cap helps; more devices do not, as the op alone needs more than this one";

/// Why a cap has no plan, and what would help.
struct Why {
    reason: String,
    remedy: &'static str,
}

/// Warns, once per function, of caps that were raised, each to at most `relax_limit` times what was asked for as `cap`. On one device where values may be stored in other
/// ways than those tried, `tried_least` is the least that a plan of any of these needs: nobody knows what is possible.
pub(crate) fn warn(
    program: &Program<'_, '_>,
    planned: &Planned,
    tried_least: Option<Bytes>,
    (cap, options): (CapSpec, &Options),
) {
    let shortfall = |relaxed: &&Relaxed| relaxed.used.as_f64() / relaxed.requested.as_f64().max(1.0);
    let Some(worst) = planned.relaxed.iter().max_by(|a, b| shortfall(a).total_cmp(&shortfall(b))) else {
        return;
    };
    let all = stages(&program.imported.graph, &program.costs, &program.cluster, &planned.device_of);
    let figures = |relaxed: &Relaxed| {
        let least = tried_least.unwrap_or(relaxed.least);
        let [requested, used, told] = [relaxed.requested, relaxed.used, least].map(mebibytes);
        let in_ways = if tried_least.is_some() { " in the ways tried to store values" } else { "" };
        let mut text = format!("asked {requested}, used {used}, least possible{in_ways} {told}");
        if let Some(smallest) = relaxed.smallest.filter(|&smallest| smallest != least) {
            text += &format!(", smallest found to have a plan {}", mebibytes(smallest));
        }
        let stage = planned.plan.stages.iter().find(|stage| stage.score.device == relaxed.device);
        let peak = stage.map(|stage| Bytes(stage.score.peak_bytes));
        // Nothing else would say why a plan is over a cap that its values keep.
        let is_over_by_gaps =
            |&peak: &Bytes| peak <= relaxed.requested && relaxed.smallest.is_some_and(|bytes| bytes > peak);
        if let Some(peak) = peak.filter(is_over_by_gaps) {
            text += &format!(": {} of values at once, and gaps between them", mebibytes(peak));
        }
        text
    };
    let op = worst.op.or_else(|| binding(all.get(worst.device.0)?));
    let (reason, remedy) = why(program, all.get(worst.device.0), (op, worst.requested), options);
    let name = op.map_or("", |op| &program.imported.graph.ops[op].name);
    let is_proved = tried_least.is_none() && worst.least > worst.requested;
    let keeps = if is_proved { "no memory plan keeps" } else { "no memory plan was found that keeps" };
    let text = format!(
        "{keeps} the cap of device {}: {}; '{name}' binds: {reason}. {remedy}",
        worst.device,
        figures(worst),
    );
    let mut notes: Vec<_> = planned
        .relaxed
        .iter()
        .filter(|relaxed| relaxed.device != worst.device)
        .map(|relaxed| {
            (
                program.place(relaxed.op),
                format!("nor that of device {}: {}", relaxed.device, figures(relaxed)),
            )
        })
        .collect();
    let unavoidable = unavoidable(program, planned, options.relax_limit);
    if let Some(found) = &unavoidable {
        let at = match found.reason {
            Reason::Op { op, .. } | Reason::Ops { op, .. } => Some(op),
            Reason::Together { .. } => op,
        };
        notes.push((program.place(at), unavoidable_text(program, found, (planned.relaxed.len(), cap))));
    }
    diagnostics::warning_with_notes(program.place(op), &text, &notes);
    let number = |bytes: Option<Bytes>| bytes.map_or_else(|| "none".to_owned(), |bytes| bytes.0.to_string());
    program
        .remark(Kind::Missed, "Cap", format!("{keeps} the cap asked for"))
        .fact("device", worst.device)
        .fact("requested_cap", worst.requested.0)
        .fact("cap", worst.used.0)
        .fact("least_cap", tried_least.unwrap_or(worst.least).0)
        .fact("smallest_cap", number(worst.smallest))
        .fact("raised_caps", planned.relaxed.len())
        .fact("unavoidable_caps", unavoidable.map_or(0, |found| found.caps))
        .fact("op", name)
        .fact("reason", reason)
        .fact("remedy", remedy)
        .emit(program.place(op));
}

/// The caps of several devices that no placement keeps, where that is known without a search.
fn unavoidable(program: &Program<'_, '_>, planned: &Planned, limit: f64) -> Option<Unavoidable> {
    let stages = &planned.plan.stages;
    if stages.len() < 2 || planned.plan.pipeline.is_some() {
        return None;
    }
    let mut caps = vec![Bytes::ZERO; program.cluster.devices.len()];
    for stage in stages {
        caps[stage.score.device.0] = Bytes(stage.requested_cap_bytes);
    }
    ballast_partition::unavoidable(&program.view(), &caps, limit)
}

fn unavoidable_text(
    program: &Program<'_, '_>,
    found: &Unavoidable,
    (raised, cap): (usize, CapSpec),
) -> String {
    let why = match &found.reason {
        Reason::Op { op, needs, cap } => format!(
            "'{}' alone needs {} at once, and no device may hold more than {}",
            program.imported.graph.ops[*op].name,
            mebibytes(*needs),
            mebibytes(*cap)
        ),
        Reason::Ops { count, op, needs, cap, held } => format!(
            "{count} ops, such as '{}' ({}), need more than {} each and {} together, which fewer raised caps do not hold",
            program.imported.graph.ops[*op].name,
            mebibytes(*needs),
            mebibytes(*cap),
            mebibytes(*held)
        ),
        Reason::Together { held, caps } => format!(
            "arguments, buffers of results and one working set take {}, and all devices together may hold {}",
            mebibytes(*held),
            mebibytes(*caps)
        ),
    };
    // A share is one of what the placement given needs, and stays so many bytes in every round; given another, it is other bytes.
    let placement = match cap {
        CapSpec::Share(_) => "any placement held to these bytes",
        _ => "any placement",
    };
    format!("at least {} of the {raised} caps raised would be so under {placement}: {why}", found.caps)
}

/// Reports that there is no plan.
pub(crate) fn refuse(
    program: &Program<'_, '_>,
    device_of: &[DeviceId],
    failure: &Error,
    options: &Options,
) -> Reported {
    let Error::Infeasible { device, op, cap, .. } = failure else {
        return program.error(failure.op(), &failure.to_string());
    };
    let all = stages(&program.imported.graph, &program.costs, &program.cluster, device_of);
    let (reason, remedy) = why(program, all.get(device.0), (*op, *cap), options);
    let limit = options.relax_limit;
    let mut notes = vec![(program.place(*op), format!("{reason}. {remedy}"))];
    let raised = if limit > 1.0 {
        let most = mebibytes(Bytes((cap.as_f64() * limit) as u64));
        format!("relax-limit={limit} let the cap be raised to {most}, under which no plan was found either")
    } else {
        let needs = all.get(device.0).map(|stage| Bytes(stage.problem.unplanned_peak()));
        let needs = needs.map_or_else(String::new, |peak| {
            format!("; with every value kept until it is read last the device needs {}", mebibytes(peak))
        });
        format!("`relax-limit` lets the cap be raised{needs}")
    };
    notes.push((program.place(*op), raised));
    diagnostics::error_with_notes(program.place(*op), &failure.to_string(), &notes)
}

/// The op with the largest working set.
fn binding(stage: &Stage) -> Option<OpId> {
    let (_, node) = stage.problem.working_set();
    Some(stage.sources.get(node?.0)?.op())
}

/// Bytes that XLA's compiler for CPUs fills before the first op for gradients that are one op each, and holds until they have run.
fn indices(program: &Program<'_, '_>) -> u64 {
    let of_op = |id: OpId| program.imported.workspace_in_xla.get(id.0).map_or(0, |held| held.early.0);
    if program.storage.is_cpu() { program.imported.graph.planned().map(of_op).sum() } else { 0 }
}

/// What is counted as room for gaps between buffers of the back end's heap, bytes.
fn gaps(program: &Program<'_, '_>) -> u64 {
    let early = program.imported.graph.early.iter().map(|&(_, bytes)| bytes.0).sum::<u64>();
    if program.storage.leaves_room() { early.saturating_sub(indices(program)) } else { 0 }
}

/// Does an op need more than a cap wherever it runs: its operands, its value, and what it holds besides?
fn is_above_alone(program: &Program<'_, '_>, op: Option<OpId>, cap: Bytes) -> bool {
    let graph = &program.imported.graph;
    let Some(id) = op else { return false };
    let in_results = graph.in_result_buffers();
    let counts =
        |results: Bytes| if graph.ends == BoundaryMemory::NotCounted { Bytes::ZERO } else { results };
    let stored = |id: OpId| {
        let (held, in_result) = graph.stored_bytes(id, &in_results);
        held + counts(in_result)
    };
    let arguments =
        graph.argument_inputs(id).into_iter().map(|argument| counts(graph.tensors[argument].bytes));
    let read = graph.value_inputs(id).into_iter().map(stored).chain(arguments).sum::<Bytes>();
    stored(id) + graph.ops[id].workspace + read > cap
}

/// Why, where what is there throughout is the reason; a stage's resident bytes and the least it needs at once are given.
fn why_throughout(
    program: &Program<'_, '_>,
    (resident, least): (u64, u64),
    (op, requested): (Option<OpId>, Bytes),
) -> Option<Why> {
    let gaps = gaps(program);
    if least > requested.0 && least.saturating_sub(gaps) <= requested.0 {
        return Some(Why {
            reason: format!(
                "{} are counted as room for gaps between buffers in XLA's heap, which need not be there",
                mebibytes(Bytes(gaps))
            ),
            remedy: "`heap-gaps=false` counts none, for plans that are measured as `ballast fit` does",
        });
    }
    let resident = Bytes(resident.saturating_sub(gaps));
    let indices = Bytes(indices(program));
    let lacks = |bytes: u64| bytes >= requested.0 && bytes.saturating_sub(indices.0) < requested.0;
    if lacks(resident.0) || lacks(least.saturating_sub(gaps)) {
        return Some(Why {
            reason: format!(
                "{} are indices of pooling gradients, which XLA fills before the first op and holds until these have run",
                mebibytes(indices)
            ),
            remedy: "`--ballast-pool-gradients` before planning writes them out, as `gradients=auto` does on one device under `fusion=xla-cpu`",
        });
    }
    (resident >= requested).then(|| Why {
        reason: format!(
            "what stays on the device throughout, such as arguments and buffers of results, alone takes {}",
            mebibytes(resident)
        ),
        remedy: if is_above_alone(program, op, requested) {
            LARGER_ALONE
        } else {
            "More devices help, or `cap-counts=temp` where the cap is meant for temporaries alone"
        },
    })
}

/// What may find a plan where it is not proved that there is none: of what the options do not allow yet, and a stage of a pipeline
/// keeps program order.
fn search_further(options: &Options) -> &'static str {
    let may_reorder = options.order == Order::Free || options.pipeline.is_some();
    match (may_reorder, options.swap) {
        (false, false) => {
            "`order=free` or `swap=true` may find one, or a larger limit where that ended the search"
        }
        (false, true) => "`order=free` may find one, or a larger limit where that ended the search",
        (true, false) => "`swap=true` may find one, or a larger limit where that ended the search",
        (true, true) => "A larger limit may find one where that ended the search, or a larger cap helps",
    }
}

/// The reason, and what would help.
fn why(
    program: &Program<'_, '_>,
    stage: Option<&Stage>,
    (op, requested): (Option<OpId>, Bytes),
    options: &Options,
) -> (String, String) {
    let of_stage = stage.map(|stage| (stage.problem.resident_bytes, stage.problem.working_set().0));
    if let Some(why) = of_stage.and_then(|of_stage| why_throughout(program, of_stage, (op, requested))) {
        return (why.reason, why.remedy.to_owned());
    }
    let mut why = why_at_op(program, of_stage, (op, requested), options);
    let gaps = gaps(program);
    if gaps > 0 && of_stage.is_some_and(|(_, least)| least > requested.0) {
        why.reason += &format!(
            "; {} of the least possible are room for gaps between buffers in XLA's heap, which `heap-gaps=false` does not count",
            mebibytes(Bytes(gaps))
        );
    }
    let mut remedy = why.remedy.to_owned();
    if has_paired_loops(program) {
        remedy += ". `--ballast-pair-loops` before planning lets the backward loop compute again what the forward loop stacks for it, as \
                   `ballast fit` does";
    }
    (why.reason, remedy)
}

/// Are there loops of which one stacks what another one reads, as `--ballast-pair-loops` takes them?
fn has_paired_loops(program: &Program<'_, '_>) -> bool {
    let imported = &program.imported;
    pairs(imported.block).0.iter().any(|pair| body_of(imported, pair).is_some())
}

/// Why, where an op is the reason.
fn why_at_op(
    program: &Program<'_, '_>,
    of_stage: Option<(u64, u64)>,
    (op, requested): (Option<OpId>, Bytes),
    options: &Options,
) -> Why {
    let Some(id) = op else {
        return Why { reason: "no op does so alone".to_owned(), remedy: LARGER };
    };
    if of_stage.is_some_and(|(_, least)| least <= requested.0) {
        return Why {
            reason: "no plan was found; it is not proved that there is none".to_owned(),
            remedy: search_further(options),
        };
    }
    let (graph, at) = (&program.imported.graph, program.imported.ops[id]);
    let workspace = mebibytes(graph.ops[id].workspace);
    let name = ir::name(at);
    if at.region_count() > 0 && graph.ops[id].workspace > Bytes::ZERO {
        let is_loop = name.ends_with(".while") || name.ends_with(".for") || name.ends_with(".forall");
        let most_ops = BallastUnrollOptions::default().max_ops;
        let opened = Loop::of(at).map(|found| found.is_ok_and(|found| found.is_counted(most_ops)));
        return if is_loop && opened.is_none() {
            Why {
                reason: format!(
                    "it is a loop, which is planned as one op, and its body alone takes {workspace} at once"
                ),
                remedy: "Written as `scf.for` or `stablehlo.while` it can be opened (`--ballast-unroll`), or its body taken out \
                         (`--ballast-outline-body`)",
            }
        } else if is_loop && opened == Some(false) {
            Why {
                reason: format!(
                    "it is a loop that runs as often as its values say, planned as one op, and its body alone takes {workspace} at once"
                ),
                remedy: "`--ballast-outline-body` takes its body out, to be planned by itself",
            }
        } else if is_loop {
            Why {
                reason: format!(
                    "it is a loop, which is planned as one op, and its body alone takes {workspace} at once"
                ),
                remedy: "`--ballast-unroll` before planning opens it, so that its ops are planned one by one; else recompute inside of it \
                         (in JAX `jax.checkpoint` on the body of `lax.scan`)",
            }
        } else {
            Why {
                reason: format!(
                    "what it holds in its regions is planned as one op and takes {workspace} at once"
                ),
                remedy: "Ops outside of regions are planned one by one",
            }
        };
    }
    if name == "func.call" && graph.ops[id].workspace > Bytes::ZERO {
        return Why {
            reason: format!(
                "it is a call that is not inlined, planned as one op, and takes {workspace} at once"
            ),
            remedy: "Make the function private and of one block, so that its ops are planned one by one",
        };
    }
    let remedy = if is_above_alone(program, op, requested) { LARGER_ALONE } else { LARGER };
    let members = program.groups.iter().find(|group| group.root == id).map_or(0, |group| group.members.len());
    if members > 0 {
        let read = graph.value_inputs(id).len();
        return Why {
            reason: format!(
                "the back end makes one op of it and {members} before it, which reads {read} stored values at once"
            ),
            remedy,
        };
    }
    Why { reason: "its operands, results and workspace are there at once".to_owned(), remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_already_is_not_advised() {
        for (order, swap) in
            [(Order::Program, false), (Order::Program, true), (Order::Free, false), (Order::Free, true)]
        {
            let advice = search_further(&Options { order, swap, ..Options::default() });
            assert_eq!(advice.contains("`order=free`"), order == Order::Program, "{advice}");
            assert_eq!(advice.contains("`swap=true`"), !swap, "{advice}");
            assert!(advice.contains("larger limit"), "{advice}");
        }
    }
}
