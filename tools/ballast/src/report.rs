//! `ballast report`: a plan file as tables a person can read.

use std::fmt::Write as _;
use std::path::PathBuf;

use ballast_core::plan::{PLAN_VERSION, Plan, StagePlan};
use ballast_core::units::Bytes;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use crate::Failure;
use crate::output::{print, read_text};

/// Arguments of `ballast report`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Plan file written by `--remat="plan-file=..."`.
    plan: PathBuf,
    /// List the ops that are recomputed or swapped, in program order.
    #[arg(long)]
    ops: bool,
}

/// Reads a plan file of this version.
pub(crate) fn read_plan(path: &std::path::Path) -> Result<Plan, Failure> {
    let bad = |message: String| Failure::BadInput(format!("{}: {message}", path.display()));
    let text = read_text(path)?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| bad(no_json(&text, &error)))?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(PLAN_VERSION) => {}
        Some(version) => {
            return Err(bad(format!(
                "plan format {version}; this ballast reads format {PLAN_VERSION}: plan the program again"
            )));
        }
        None => return Err(bad("no 'version': this is not a plan file".into())),
    }
    serde_json::from_value(value).map_err(|error| bad(error.to_string()))
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let plan = read_plan(&args.plan)?;
    let mut text = summary(&plan) + "\n";
    if let Some(pipeline) = &plan.pipeline {
        let _ = writeln!(text, "{pipeline}");
    }
    let _ = writeln!(text, "{}", stage_table(&plan));
    if args.ops {
        let _ = writeln!(text, "{}", op_table(&plan));
    }
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    print(&text)
}

/// Why a text is no plan file; one that looks like MLIR is most likely the program the plan is in.
fn no_json(text: &str, error: &serde_json::Error) -> String {
    let begins = |line: &str| {
        ["module", "func.func", "#", "builtin.module", "\"builtin.module\"", "//"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty()).unwrap_or_default();
    if begins(first) || text.starts_with("ML\u{ef}R") {
        "this is MLIR, and a plan file is JSON: `ballast-opt FILE --ballast-report` shows the plan of a planned program, and \
         `--remat=\"plan-file=plan.json\"` writes the file that is read here"
            .to_owned()
    } else {
        format!("not JSON: {error}")
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.3}", seconds * 1e3)
}

fn bytes(bytes: u64) -> String {
    Bytes(bytes).to_string()
}

fn summary(plan: &Plan) -> String {
    let balance = &plan.balance;
    let ratio = balance.ratio.map_or("none".to_owned(), |ratio| format!("{ratio:.3}"));
    format!(
        "@{}: {} planned ops on {} devices ({} idle)\n\
         tmax {} ms, tmin {} ms, tmax/tmin {ratio}; proven bound on tmax {} ms ({}), gap {:.2} %\n\
         partition by {}, {} round(s) of partitioning and memory planning",
        plan.function,
        plan.ops.len(),
        plan.devices.len(),
        balance.idle_devices,
        milliseconds(balance.tmax_seconds),
        milliseconds(balance.tmin_seconds),
        milliseconds(plan.bound_seconds),
        plan.bound_class,
        plan.gap * 100.0,
        plan.partition.method,
        plan.rounds,
    )
}

fn stage_table(plan: &Plan) -> Table {
    let mut table = Table::new();
    let step = plan.pipeline.as_ref().map_or(&[][..], |pipeline| &pipeline.stages);
    let heads = [
        "device",
        "ops",
        "time ms",
        "compute",
        "transfer",
        "recompute",
        "swap",
        "weights",
        "unplanned peak",
        "cap",
        "peak",
        "recomputed",
        "swapped",
        "gap %",
    ];
    // The cap of a pipeline is for all micro-batches in flight, and a peak is that of one.
    let of_step = if step.is_empty() { &[][..] } else { &["in flight", "needs"] };
    table.load_style(UTF8_FULL_CONDENSED).set_header(heads.iter().chain(of_step));
    for (index, stage) in plan.stages.iter().enumerate() {
        let score = &stage.score;
        let cells = [
            format!("{} {}", score.device, plan.devices.get(score.device).map_or("", |d| &d.name)),
            score.ops.to_string(),
            milliseconds(score.seconds),
            milliseconds(score.compute_seconds),
            milliseconds(score.receive_seconds + score.send_seconds),
            milliseconds(score.recompute_seconds),
            milliseconds(score.exposed_swap_seconds),
            bytes(score.resident_bytes),
            bytes(score.unplanned_peak_bytes),
            cap(stage),
            bytes(score.peak_bytes),
            score.recomputes.to_string(),
            bytes(score.swap_bytes),
            format!("{:.3}", stage.report.gap * 100.0),
        ];
        let of_step = step.get(index).map(|stage| [stage.in_flight.to_string(), bytes(stage.need_bytes)]);
        table.add_row(cells.into_iter().chain(of_step.into_iter().flatten()));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn cap(stage: &StagePlan) -> String {
    if stage.cap_bytes == stage.requested_cap_bytes {
        bytes(stage.cap_bytes)
    } else {
        format!("{} (asked {})", bytes(stage.cap_bytes), bytes(stage.requested_cap_bytes))
    }
}

fn op_table(plan: &Plan) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header([
        "op",
        "device",
        "position",
        "recomputed before",
        "swapped out after, in before",
        "location",
    ]);
    for op in plan.ops.iter().filter(|op| !op.recompute_before.is_empty() || op.swap.is_some()) {
        let swap = op.swap.as_ref();
        table.add_row([
            format!("{} {}", op.op, op.name),
            op.device.to_string(),
            op.position.to_string(),
            format!("{:?}", op.recompute_before),
            swap.map_or(String::new(), |swap| format!("{}, {:?}", swap.out_after, swap.in_before)),
            op.location.clone(),
        ]);
    }
    table
}
