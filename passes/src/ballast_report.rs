//! `--ballast-report`: what a verified plan does, stage by stage, for people or programs.

use std::fmt::Write;
use std::path::Path;

use ballast_core::simulate::{Balance, StageScore, balance};
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{BallastReportOptions, ReportFormat};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use melior::ir::operation::OperationRef;
use serde::Serialize;

use crate::ballast_verify::{Verified, verify};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastReportOptions) -> Result<(), Reported> {
    let Verified { program, scores } = verify(module, &options.function, &options.devices, &options.profile)?;
    let function = &program.imported.graph.name;
    let text = match options.format {
        ReportFormat::Table => table(function, &scores),
        ReportFormat::Json => json(function, &scores)
            .map_err(|error| program.error(None, &format!("internal error: no report: {error}")))?,
    };
    crate::files::write(Path::new(&options.output), text.as_bytes()).map_err(|error| {
        program.error(None, &format!("cannot write the report to '{}': {error}", options.output))
    })
}

/// The JSON form.
#[derive(Serialize)]
struct Report<'r> {
    function: &'r str,
    balance: Balance,
    stages: &'r [StageScore],
}

fn json(function: &str, stages: &[StageScore]) -> serde_json::Result<String> {
    let report = Report { function, balance: balance(stages), stages };
    serde_json::to_string_pretty(&report).map(|text| text + "\n")
}

fn table(function: &str, scores: &[StageScore]) -> String {
    let balance = balance(scores);
    let ratio = balance.ratio.map_or_else(|| "none".to_owned(), |ratio| format!("{ratio:.3}"));
    let mut text = format!(
        "@{function}: tmax {:.6} ms, tmin {:.6} ms, tmax/tmin {ratio}, {} idle\n",
        balance.tmax_seconds * 1e3,
        balance.tmin_seconds * 1e3,
        balance.idle_devices
    );
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
    text
}
