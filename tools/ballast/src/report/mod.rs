//! `ballast report`: a plan file as tables a person can read, as an HTML page, or as a trace for a viewer.

mod facts;
mod html;
mod step;
mod terminal;
mod trace;

use std::path::{Path, PathBuf};

use ballast_core::plan::{PLAN_VERSION, Plan};

use crate::failure::Failure;
use crate::output;
pub(crate) use facts::{Facts, StageFacts};
pub(crate) use html::short_location;

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
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the step as Chrome trace events, for Perfetto (ui.perfetto.dev) and chrome://tracing.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
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
    serde_json::from_value(value).map_err(|error| bad(error.to_string()))
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

/// What a plan says apart from its single ops: the figures of the report, as JSON.
pub(crate) fn summary(plan: &Plan) -> Result<serde_json::Value, Failure> {
    let mut short = plan.clone();
    short.ops.clear();
    short.stages.iter_mut().for_each(|stage| (stage.memory, stage.arena) = (None, None));
    let mut value =
        serde_json::to_value(short).map_err(|error| Failure::Internal(format!("no JSON: {error}")))?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("ops");
        fields.insert("planned_ops".to_owned(), plan.ops.len().into());
    }
    Ok(value)
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check([args.plan.as_path()], output::paths(&args.html).chain(output::paths(&args.trace)))?;
    let plan = read_plan(&args.plan)?;
    if args.html.is_some() || args.trace.is_some() {
        let in_file = |text: String| Failure::BadInput(format!("{}: {text}", args.plan.display()));
        let facts = Facts::of(&plan).map_err(in_file)?;
        if let Some(path) = &args.html {
            let page = html::page(&plan, &facts)?;
            output::write_file(path, page.as_bytes())?;
        }
        if let Some(path) = &args.trace {
            let events = serde_json::to_string(&trace::events(&plan, &facts))
                .map_err(|error| Failure::Internal(format!("no JSON: {error}")))?;
            output::write_file(path, events.as_bytes())?;
        }
    }
    if args.json {
        return output::write_json(&summary(&plan)?, None);
    }
    output::write_text(&terminal::text(&plan, args.ops), None)
}
