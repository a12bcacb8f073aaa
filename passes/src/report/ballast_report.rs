//! `--ballast-report`: what a verified plan does, stage by stage, for people or programs.

use std::fmt::Write;
use std::path::Path;

use ballast_core::graph::{OpId, OpRole};
use ballast_core::plan::PipelinePlan;
use ballast_core::simulate::{Balance, StageScore, balance};
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{BallastReportOptions, ReportFormat};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use melior::ir::operation::OperationRef;
use serde::Serialize;

use crate::files;
use crate::program::Program;
use crate::report::ballast_verify::{Verified, check_files, verify};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastReportOptions) -> Result<(), Reported> {
    check_files(module, (&options.devices, &options.profile), files::named("output", &options.output))?;
    let Verified { program, scores, pipeline, cap_met, .. } =
        verify(module, &options.function, &options.devices, &options.profile)?;
    let text = match options.format {
        ReportFormat::Table => table(&program, &scores, pipeline.as_ref(), cap_met),
        ReportFormat::Json => json(&program, &scores, pipeline.as_ref(), cap_met)
            .map_err(|error| program.error(None, &format!("internal error: no report: {error}")))?,
    };
    files::write(module, Path::new(&options.output), text.as_bytes()).map_err(|error| {
        program.error(None, &format!("cannot write the report to '{}': {error}", options.output))
    })
}

/// The JSON form.
#[derive(Serialize)]
struct Report<'r> {
    function: &'r str,
    /// Does every stage keep the cap asked for?
    cap_met: bool,
    balance: Balance,
    stages: &'r [StageScore],
    /// Which values the back end stores, as the option names it.
    fusion: &'static str,
    /// What a cap counts, as the option names it.
    cap_counts: &'static str,
    groups: Vec<Group<'r>>,
    /// The step of a pipeline of micro-batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<&'r PipelinePlan>,
}

/// Ops that the back end makes one.
#[derive(Serialize)]
struct Group<'r> {
    /// Place of the stored value in the op sequence.
    position: usize,
    root: &'r str,
    location: &'r str,
    members: Vec<&'r str>,
}

fn groups<'r>(program: &'r Program<'_, '_>) -> Vec<Group<'r>> {
    let graph = &program.imported.graph;
    let mut position = 0;
    let position_of: Vec<usize> = graph
        .ops
        .iter()
        .map(|op| {
            let here = position;
            position += usize::from(op.role == OpRole::Compute);
            here
        })
        .collect();
    let name = |op: OpId| graph.ops[op].name.as_str();
    program
        .groups
        .iter()
        .map(|group| Group {
            position: position_of[group.root],
            root: name(group.root),
            location: &graph.ops[group.root].location,
            members: group.members.iter().map(|&op| name(op)).collect(),
        })
        .collect()
}

fn json(
    program: &Program<'_, '_>,
    stages: &[StageScore],
    pipeline: Option<&PipelinePlan>,
    cap_met: bool,
) -> serde_json::Result<String> {
    let (cap_counts, fusion) = (program.storage.counts().name(), program.storage.model().name());
    let report = Report {
        function: &program.imported.graph.name,
        cap_met,
        balance: balance(stages),
        stages,
        fusion,
        cap_counts,
        groups: groups(program),
        pipeline,
    };
    serde_json::to_string_pretty(&report).map(|text| text + "\n")
}

/// The step of a pipeline, and what every device holds.
fn pipeline_table(pipeline: &PipelinePlan) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header([
        "device",
        "in flight",
        "forward ms",
        "backward ms",
        "weights ms",
        "stash",
        "needs",
        "unplanned",
    ]);
    for stage in &pipeline.stages {
        table.add_row([
            stage.device.to_string(),
            stage.in_flight.to_string(),
            format!("{:.6}", stage.forward_seconds * 1e3),
            format!("{:.6}", stage.backward_seconds * 1e3),
            format!("{:.6}", stage.weights_seconds * 1e3),
            Bytes(stage.stash_bytes).to_string(),
            Bytes(stage.need_bytes).to_string(),
            Bytes(stage.unplanned_need_bytes).to_string(),
        ]);
    }
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    format!("{pipeline}\n{table}\n")
}

fn table(
    program: &Program<'_, '_>,
    scores: &[StageScore],
    pipeline: Option<&PipelinePlan>,
    cap_met: bool,
) -> String {
    let function = &program.imported.graph.name;
    let balance = balance(scores);
    let ratio = balance.ratio.map_or_else(|| "none".to_owned(), |ratio| format!("{ratio:.3}"));
    let mut text = format!(
        "@{function}: tmax {:.6} ms, tmin {:.6} ms, tmax/tmin {ratio}, {} idle\n",
        balance.tmax_seconds * 1e3,
        balance.tmin_seconds * 1e3,
        balance.idle_devices
    );
    if !cap_met {
        text += "the cap asked for is not kept: it was raised where no plan was found under it\n";
    }
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header([
        "device",
        "ops",
        "time ms",
        "recompute ms",
        "swap ms",
        "unplanned peak",
        "peak",
        "host peak",
        "recomputed",
        "swapped",
    ]);
    for score in scores {
        table.add_row([
            score.device.to_string(),
            score.ops.to_string(),
            format!("{:.6}", score.seconds * 1e3),
            format!("{:.6}", score.recompute_seconds * 1e3),
            format!("{:.6}", score.exposed_swap_seconds * 1e3),
            Bytes(score.unplanned_peak_bytes).to_string(),
            Bytes(score.peak_bytes).to_string(),
            Bytes(score.host_peak_bytes).to_string(),
            score.recomputes.to_string(),
            Bytes(score.swap_bytes).to_string(),
        ]);
    }
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let _ = writeln!(text, "{table}");
    text.extend(pipeline.map(pipeline_table));
    let groups = groups(program);
    let (counts, fusion) = (program.storage.counts().name(), program.storage.model().name());
    let plural = if groups.len() == 1 { "" } else { "s" };
    let _ = writeln!(text, "fusion={fusion}: {} fusion{plural}, cap counts {counts}", groups.len());
    for group in groups {
        let _ = writeln!(
            text,
            "  {} at position {} with {}",
            group.root,
            group.position,
            group.members.join(", ")
        );
    }
    text
}
