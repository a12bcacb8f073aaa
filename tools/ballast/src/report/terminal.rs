//! The report as text: tables of at most 80 columns, each under its caption.

use std::fmt::Write as _;

use ballast_core::device::DeviceId;
use ballast_core::plan::{OpPlan, PipelinePlan, Plan};
use ballast_report::{Curve, Unit, milliseconds, stop};
use comfy_table::Table;

use crate::tables::{figures, terminal as table};

/// The whole report; `ops`: with every op that is recomputed or swapped; `curves`: overhead against cap, none without.
pub(super) fn text(plan: &Plan, ops: bool, curves: &[Curve]) -> String {
    let mut text = summary(plan);
    if let Some(pipeline) = &plan.pipeline {
        let _ = writeln!(text, "{pipeline}");
    }
    let _ = write!(text, "\nTime of every device, ms\n{}\n", times(plan));
    let (unit, table) = memory(plan);
    let _ = write!(text, "\nMemory of every device, {unit}\n{table}\n");
    if let Some(pipeline) = &plan.pipeline {
        let (unit, table) = step(pipeline);
        let _ = write!(
            text,
            "\nStages of the pipeline: passes of a micro-batch in ms, memory in {unit}\n{table}\n"
        );
    }
    if !curves.is_empty() {
        text.push_str(&curve_table(curves));
    }
    if ops {
        text.push('\n');
        text.push_str(&op_table(plan));
    }
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn summary(plan: &Plan) -> String {
    let balance = &plan.balance;
    let ratio = balance.ratio.map_or("none".to_owned(), |ratio| format!("{ratio:.3}"));
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!(
        "@{}: {} on {}, {} idle\n\
         tmax {} ms, tmin {} ms, tmax/tmin {ratio}\n\
         proven bound on tmax {} ms ({}{}), gap {:.2} %\n\
         one step by itself {} ms; tmax is the time between steps in flight\n\
         placement {}, partition by {}\n\
         {} of partitioning and memory planning\n\
         stopped: {}; seed {}\n{}",
        plan.function,
        plural(plan.ops.len(), "planned op"),
        plural(plan.devices.len(), "device"),
        balance.idle_devices,
        milliseconds(balance.tmax_seconds),
        milliseconds(balance.tmin_seconds),
        milliseconds(plan.bound_seconds),
        plan.bound_class,
        if plan.bound_trusts_highs { "; by HiGHS's branch and bound" } else { "" },
        plan.gap * 100.0,
        milliseconds(plan.step_seconds),
        plan.placement.name(),
        plan.partition.method,
        plural(plan.rounds, "round"),
        stop(plan),
        plan.partition.seed,
        if plan.cap_met {
            ""
        } else {
            "the cap asked for is not kept: it was raised where no plan was found under it\n"
        },
    )
}

fn device(plan: &Plan, device: DeviceId) -> String {
    format!("{device} {}", plan.device_name(device))
}

fn times(plan: &Plan) -> Table {
    let mut table = table(&["device", "ops", "total", "compute", "transfer", "remat", "swap", "gap %"]);
    for stage in &plan.stages {
        let score = &stage.score;
        table.add_row([
            device(plan, score.device),
            score.ops.to_string(),
            milliseconds(score.seconds),
            milliseconds(score.compute_seconds),
            milliseconds(score.receive_seconds + score.send_seconds),
            milliseconds(score.recompute_seconds),
            milliseconds(score.exposed_swap_seconds),
            format!("{:.3}", stage.report.gap * 100.0),
        ]);
    }
    figures(table)
}

fn memory(plan: &Plan) -> (&'static str, Table) {
    let unit = Unit::of(plan.stages.iter().map(|stage| stage.score.unplanned_peak_bytes));
    let cap_unit = Unit::of(plan.stages.iter().map(|stage| stage.cap_bytes));
    let cap_head = if cap_unit == unit { "cap".to_owned() } else { format!("cap, {}", cap_unit.name()) };
    let relaxed = plan.stages.iter().any(|stage| stage.cap_bytes != stage.requested_cap_bytes);
    let mut heads = vec!["device", "weights", "unplanned", "peak", &cap_head];
    if relaxed {
        heads.push("asked");
    }
    heads.extend(["remats", "swapped"]);
    let mut table = table(&heads);
    for stage in &plan.stages {
        let score = &stage.score;
        let mut cells = vec![
            device(plan, score.device),
            unit.show(score.resident_bytes),
            unit.show(score.unplanned_peak_bytes),
            unit.show(score.peak_bytes),
            cap_unit.show(stage.cap_bytes),
        ];
        if relaxed {
            cells.push(cap_unit.show(stage.requested_cap_bytes));
        }
        cells.extend([score.recomputes.to_string(), unit.show(score.swap_bytes)]);
        table.add_row(cells);
    }
    (unit.name(), figures(table))
}

fn step(pipeline: &PipelinePlan) -> (&'static str, Table) {
    let unit = Unit::of(pipeline.stages.iter().map(|stage| stage.need_bytes.max(stage.unplanned_need_bytes)));
    let mut table =
        table(&["stage", "in flight", "forward", "backward", "weights", "stash", "needs", "unplanned"]);
    for stage in &pipeline.stages {
        table.add_row([
            stage.device.to_string(),
            stage.in_flight.to_string(),
            milliseconds(stage.forward_seconds),
            milliseconds(stage.backward_seconds),
            milliseconds(stage.weights_seconds),
            unit.show(stage.stash_bytes),
            unit.show(stage.need_bytes),
            unit.show(stage.unplanned_need_bytes),
        ]);
    }
    (unit.name(), figures(table))
}

fn curve_table(curves: &[Curve]) -> String {
    let unit = Unit::of(curves.iter().map(|curve| curve.unplanned_peak_bytes));
    let mut table = table(&["device", "cap", "overhead %", "bound %", "proved", "bound holds for"]);
    for (device, point, own) in curves.iter().flat_map(Curve::rows) {
        let share =
            |share: Option<f64>| share.map_or_else(|| "no plan".to_owned(), |share| format!("{share:.3}"));
        table.add_row([
            device.to_string(),
            unit.show(point.cap_bytes),
            format!("{}{}", share(point.overhead_percent), if own { " (this plan)" } else { "" }),
            point.bound_percent.map_or_else(String::new, |bound| format!("{bound:.3}")),
            if point.proved { "yes" } else { "no" }.to_owned(),
            point.bound_class.unwrap_or_default().to_owned(),
        ]);
    }
    format!("\nOverhead against cap; caps in {}\n{}\n", unit.name(), figures(table))
}

fn op_table(plan: &Plan) -> String {
    let changed: Vec<&OpPlan> =
        plan.ops.iter().filter(|op| !op.recompute_before.is_empty() || op.swap.is_some()).collect();
    if changed.is_empty() {
        return "Nothing is recomputed or swapped.\n".to_owned();
    }
    let mut table = table(&["op", "on", "at", "run again before", "out after, in before", "location"]);
    for op in &changed {
        let listed = |places: &[usize]| places.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let swap = op.swap.as_ref();
        table.add_row([
            format!("#{} {}", op.op, op.name),
            op.device.to_string(),
            op.position.to_string(),
            listed(&op.recompute_before),
            swap.map_or(String::new(), |swap| format!("{}, {}", swap.out_after, listed(&swap.in_before))),
            op.location.clone(),
        ]);
    }
    format!("Ops recomputed or swapped, by position in their device's op sequence\n{table}\n")
}
