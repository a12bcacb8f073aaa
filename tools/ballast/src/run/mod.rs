//! `ballast run`: a program and its rewritten form on the same random arguments; results, memory and time compared.

mod compare;
mod native;
mod tools;
mod xla;

use std::path::{Path, PathBuf};

use ballast_core::units::Bytes;
use comfy_table::Table;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use serde::Serialize;

use crate::Failure;
use crate::output::{read_text, write_json};

/// Who runs the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Backend {
    /// XLA's CPU compiler, through jaxlib: StableHLO programs.
    Xla,
    /// MLIR's own CPU route, heap counted: linalg programs.
    Native,
}

/// Arguments of `ballast run`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program as it was.
    original: PathBuf,
    /// The planned program, annotated or already rewritten.
    rewritten: PathBuf,
    /// Who runs them.
    #[arg(long, value_enum)]
    backend: Backend,
    /// Function to run; without it the only public function, or `main`.
    #[arg(long, default_value = "")]
    function: String,
    /// Seed of the arguments.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Largest difference of results to accept, relative to the largest value of the result.
    #[arg(long, default_value_t = 1e-5)]
    tolerance: f64,
    /// Compile and measure memory, but do not run (xla only).
    #[arg(long)]
    compile_only: bool,
    /// Python with jaxlib (xla only).
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Write the comparison as JSON to this file, `-` for stdout, instead of a table.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// What one run of one program took.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Measured {
    /// Seconds of one run; none: not run.
    seconds: Option<f64>,
    /// Largest memory: heap of the native route; arguments, results and temporaries as XLA lays them out.
    peak_bytes: u64,
    /// Of it, temporaries (xla only).
    temporary_bytes: Option<u64>,
    /// Largest host heap (native only).
    host_peak_bytes: Option<u64>,
    /// Bytes never freed (native only).
    leaked_bytes: Option<u64>,
    /// Operations as the back end counts them (xla only).
    flops: Option<f64>,
    /// Where the results lie.
    #[serde(skip)]
    results: Vec<compare::Values>,
}

/// Both programs, side by side.
#[derive(Debug, Serialize)]
struct Comparison {
    backend: String,
    seed: u64,
    original: Measured,
    rewritten: Measured,
    /// None: not run.
    difference: Option<compare::Difference>,
    /// What the plan says, if the rewritten program carries one.
    plan: Option<Predicted>,
}

/// Figures of a plan on one device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Predicted {
    peak_bytes: u64,
    host_peak_bytes: u64,
    seconds: f64,
    /// Does the peak leave arguments and results out?
    temporaries_only: bool,
}

/// Runs the command.
///
/// # Errors
/// A missing tool, a program that does not compile or run, results that differ by more than the tolerance.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let measure = |program: &Path, planned: bool| match args.backend {
        Backend::Native if args.compile_only => Err(Failure::BadInput(
            "--compile-only is for the xla back end: the native one counts while it runs".into(),
        )),
        Backend::Native => native::measure(program, planned, &args.function, args.seed),
        Backend::Xla => xla::measure(program, planned, args),
    };
    let predicted = predicted(&read_text(&args.rewritten)?);
    let original = measure(&args.original, false)?;
    let rewritten = measure(&args.rewritten, true)?;
    let difference = if args.compile_only {
        None
    } else {
        Some(compare::compare(&original.results, &rewritten.results).map_err(Failure::BadInput)?)
    };
    let comparison = Comparison {
        backend: format!("{:?}", args.backend).to_lowercase(),
        seed: args.seed,
        original,
        rewritten,
        difference,
        plan: predicted,
    };
    match &args.json {
        Some(path) if path.as_os_str() == "-" => write_json(&comparison, None)?,
        Some(path) => write_json(&comparison, Some(path))?,
        None => print(&comparison),
    }
    match &comparison.difference {
        Some(difference) if difference.relative > args.tolerance => Err(Failure::BadInput(format!(
            "the results differ by {:e} relative to their largest value, more than the tolerance of {:e}",
            difference.relative, args.tolerance
        ))),
        _ => Ok(()),
    }
}

#[expect(clippy::print_stdout, reason = "the command's product")]
fn print(comparison: &Comparison) {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["", "original", "rewritten", "plan"]);
    let bytes = |bytes: Option<u64>| bytes.map_or(String::new(), |bytes| Bytes(bytes).to_string());
    let seconds = |s: Option<f64>| s.map_or(String::new(), |s| format!("{:.3} ms", s * 1e3));
    let (before, after, plan) = (&comparison.original, &comparison.rewritten, comparison.plan);
    let row = |name: &str, cells: [String; 3]| {
        let mut row = vec![name.to_owned()];
        row.extend(cells);
        row
    };
    table.add_row(row(
        "peak",
        [
            bytes(Some(before.peak_bytes)),
            bytes(Some(after.peak_bytes)),
            bytes(plan.filter(|plan| !plan.temporaries_only).map(|plan| plan.peak_bytes)),
        ],
    ));
    table.add_row(row(
        "temporaries",
        [
            bytes(before.temporary_bytes),
            bytes(after.temporary_bytes),
            bytes(plan.filter(|plan| plan.temporaries_only).map(|plan| plan.peak_bytes)),
        ],
    ));
    table.add_row(row(
        "host peak",
        [
            bytes(before.host_peak_bytes),
            bytes(after.host_peak_bytes),
            bytes(plan.map(|plan| plan.host_peak_bytes)),
        ],
    ));
    table.add_row(row("leaked", [bytes(before.leaked_bytes), bytes(after.leaked_bytes), String::new()]));
    let flops = |flops: Option<f64>| flops.map_or(String::new(), |flops| format!("{:.4} GFLOP", flops / 1e9));
    table.add_row(row("operations", [flops(before.flops), flops(after.flops), String::new()]));
    table.add_row(row(
        "time",
        [seconds(before.seconds), seconds(after.seconds), seconds(plan.map(|plan| plan.seconds))],
    ));
    println!("{table}");
    match &comparison.difference {
        None => println!("not run"),
        Some(difference) if difference.identical => {
            println!("results: {} identical bit for bit", difference.results)
        }
        Some(difference) => println!(
            "results: {}, largest difference {:e}, {:e} of the largest value",
            difference.results, difference.absolute, difference.relative
        ),
    }
}

/// Figures of the only stage of the plan a program's text holds.
fn predicted(text: &str) -> Option<Predicted> {
    let plan = &text[text.find("#ballast.plan<")?..];
    let stages = &plan[plan.find("stages = [")?..];
    let stages = &stages[..stages.find(">]")?];
    if stages.matches("device = ").count() != 1 {
        return None;
    }
    let field = |name: &str| {
        let at = stages.find(&format!(" {name} = "))? + name.len() + 4;
        let value = &stages[at..];
        Some(&value[..value.find(',').unwrap_or(value.len())])
    };
    Some(Predicted {
        peak_bytes: field("peak")?.parse().ok()?,
        host_peak_bytes: field("host_peak").map_or(Some(0), |text| text.parse().ok())?,
        seconds: field("seconds")?.parse().ok()?,
        temporaries_only: plan.contains("cap_counts = \"temp\""),
    })
}

#[cfg(test)]
mod tests {
    use super::{Predicted, predicted};

    #[test]
    fn figures_of_a_plan_with_one_stage_are_found_in_the_text() {
        let stage = "<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 40, host_peak = 8, seconds = 1.5e-6, \
                     unplanned_seconds = 1.0e-6, bound = 1.5e-6>";
        let text = format!(
            "attributes {{ballast.applied = #ballast.plan<version = 1, tmax = 1.0, stages = [{stage}]>}}"
        );
        assert_eq!(
            predicted(&text),
            Some(Predicted { peak_bytes: 32, host_peak_bytes: 8, seconds: 1.5e-6, temporaries_only: false })
        );
        let counted = format!("{text} settings = {{cap_counts = \"temp\"}}");
        assert!(predicted(&counted).unwrap().temporaries_only);
        let two = text.replace(stage, &format!("{stage}, {}", stage.replace("device = 0", "device = 1")));
        assert_eq!(predicted(&two), None);
        assert_eq!(predicted("module {}"), None);
    }
}
