//! `ballast report`: a plan file as tables a person can read, as an HTML page, or as a trace for a viewer.

mod curve;
mod terminal;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ballast_core::plan::{PLAN_VERSION, Plan};
use ballast_report::{Facts, summary, trace_events};

use crate::failure::Failure;
use crate::mlir::is_mlir;
use crate::output;

/// Arguments of `ballast report`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Plan file written by `--remat="plan-file=..."`.
    plan: PathBuf,
    /// List the ops that are recomputed or swapped, in program order.
    #[arg(long)]
    ops: bool,
    /// Print the figures as JSON instead of as tables.
    #[arg(long, conflicts_with = "ops")]
    json: bool,
    /// Write one HTML page that needs no network: memory over the op sequence, the step as a timeline, what is recomputed, swapped
    /// and kept, and why.
    #[arg(long, value_name = "FILE", value_parser = output::a_file)]
    html: Option<PathBuf>,
    /// Write the step as Chrome trace events, for Perfetto (ui.perfetto.dev) and chrome://tracing.
    #[arg(long, value_name = "FILE", value_parser = output::a_file)]
    trace: Option<PathBuf>,
    #[command(flatten)]
    curve: curve::Args,
}

/// What may help where a command line has a word too many: the seconds of `--curve`, which may be left out, stand after a `=` alone.
pub(crate) fn tip(arguments: &[OsString]) -> Option<&'static str> {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    (has("report") && has(curve::OPTION))
        .then_some("\nSeconds of --curve are written with a '=', such as --curve=5.\n")
}

/// Reads a plan file of this version.
pub(crate) fn read_plan(path: &Path) -> Result<Plan, Failure> {
    let bad = |message: String| Failure::BadInput(format!("{}: {message}", path.display()));
    let text = output::read_text(path)?;
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
    let plan: Plan = serde_json::from_value(value).map_err(|error| bad(error.to_string()))?;
    plan.check_links().map_err(bad)?;
    Ok(plan)
}

/// Why a text is no plan file; MLIR is most likely the program the plan is in.
fn no_json(text: &str, error: &serde_json::Error) -> String {
    if is_mlir(text) {
        "this is MLIR, and a plan file is JSON: `ballast-opt FILE --ballast-report` shows the plan of a planned program, and \
         `--remat=\"plan-file=plan.json\"` writes the file that is read here"
            .to_owned()
    } else {
        format!("not JSON: {error}")
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check([args.plan.as_path()], output::paths(&args.html).chain(output::paths(&args.trace)))?;
    let plan = read_plan(&args.plan)?;
    let no_json = |error| Failure::Internal(format!("no JSON: {error}"));
    let mut curves = Vec::new();
    // What an older version wrote without its stages is shown as tables, as it says.
    let drawn = args.html.is_some() || args.trace.is_some() || args.curve.is_asked();
    if drawn || plan.stages.iter().all(|stage| stage.memory.is_some()) {
        let in_file = |text: String| Failure::BadInput(format!("{}: {text}", args.plan.display()));
        let facts = Facts::of(&plan).map_err(in_file)?;
        curves = args.curve.curves(&plan, &facts)?;
        if let Some(path) = &args.html {
            let page = ballast_report::page(&plan, &facts, &curves).map_err(no_json)?;
            output::write_file(path, page.as_bytes())?;
        }
        if let Some(path) = &args.trace {
            let events = serde_json::to_string(&trace_events(&plan, &facts)).map_err(no_json)?;
            output::write_file(path, events.as_bytes())?;
        }
    }
    if args.json {
        let mut figures = summary(&plan).map_err(no_json)?;
        if let (Some(fields), true) = (figures.as_object_mut(), args.curve.is_asked()) {
            fields.insert("curves".to_owned(), serde_json::to_value(&curves).map_err(no_json)?);
        }
        return output::write_json(&figures, None);
    }
    output::write_text(&terminal::text(&plan, args.ops, &curves), None)
}
