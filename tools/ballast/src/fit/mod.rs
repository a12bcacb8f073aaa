//! `ballast fit`: plans a program until XLA's own measure of its memory keeps the cap.
//!
//! What XLA takes for a program is known once it has compiled it: fusion, order and the gaps of its heap are its own. Plans are
//! made for a prediction. So the cap a plan is asked for is moved, by what the last one took, until the measured memory is
//! under the cap and close to it. There are several ways to plan a program: with its loops opened, paired or whole, with XLA's fusions
//! predicted or every value stored. Each is a search of its own, and what is written is the best plan that any of them measured.

mod compiled;
mod deadline;
mod forms;
mod learned;
mod next_cap;
mod pairs;
mod planner;
mod routes;
mod search;
mod tried;
mod tries;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ballast_core::cap::CapSpec;
use ballast_core::units::{Bytes, told_apart};
use serde::Serialize;

use crate::failure::Failure;
use crate::fitted;
use crate::output::{a_file, check, paths, read_text, write_file, write_json};
use crate::ranges::{count, seconds, share};
use crate::run::Measured;
use crate::run::generic::generic;
use crate::run::plan::is_in;
use crate::run::xla::{self, Job};
use compiled::Compiled;
use deadline::Deadline;
use forms::{Form, Forms, Maker};
use planner::{Planner, refuse_own};
use tried::Try;
use tries::{Dropped, Fitting, Found, TIME_LIMIT};

/// What the cap is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CapCounts {
    /// Temporaries alone.
    Temp,
    /// Arguments and results too.
    All,
}

impl CapCounts {
    fn of(self, measured: &Measured) -> u64 {
        match self {
            CapCounts::Temp => measured.temporary_bytes.unwrap_or(measured.peak_bytes),
            CapCounts::All => measured.peak_bytes,
        }
    }

    fn name(self) -> &'static str {
        match self {
            CapCounts::Temp => "temp",
            CapCounts::All => "all",
        }
    }
}

/// What may become of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Loops {
    /// They stay loops where opening them makes the program more than twice as long and saves at most a tenth of the operations: opened, they compile as slowly as
    /// they have iterations.
    Any,
    /// They stay loops.
    Stay,
    /// Counted ones are opened.
    Open,
}

/// Arguments of `ballast fit`.
#[derive(Clone, clap::Args)]
pub(crate) struct Args {
    /// StableHLO program, in any form that JAX writes.
    program: PathBuf,
    /// Most memory XLA may take: bytes with a unit, or a percentage of what it takes for the program as it is.
    #[arg(long)]
    cap: String,
    /// Where the planned program goes.
    #[arg(short, long, value_parser = a_file)]
    output: PathBuf,
    /// What of the memory counts.
    #[arg(long, value_enum, default_value = "temp")]
    cap_counts: CapCounts,
    /// What may become of loops.
    #[arg(long, value_enum, default_value = "any")]
    loops: Loops,
    /// Further options of `--remat`.
    #[arg(long, default_value = "swap=false time-limit=10")]
    remat: String,
    /// Most plans to measure, and as many of paired loops, which take seconds; one more where the plan to be written takes a tenth more or less than was expected;
    /// 1 to 1000.
    #[arg(long, value_parser = count::<u32, 1, 1000>, default_value_t = 6)]
    tries: u32,
    /// How far below the cap is near enough, as a share of the cap; 0 to 1.
    #[arg(long, value_parser = share, default_value_t = 0.03)]
    within: f64,
    /// Seconds for all of it: after them no plan is begun, but the first where there is none yet, and no other form of the program, such as with its loops
    /// opened, is compiled any longer. None: as long as the tries take; above zero, at most 1e9.
    #[arg(long, value_parser = seconds)]
    time_limit: Option<f64>,
    /// Seconds that planning or compiling one program may take, at most; above zero, at most 1e9. Without it 600, and for the program in another form, such
    /// as with its loops opened, two minutes or twenty times what the program as it is took.
    #[arg(long, value_parser = seconds)]
    step_limit: Option<f64>,
    /// Function to plan; without it the only public function, or `main`.
    #[arg(long, default_value = "")]
    function: String,
    /// What XLA compiles for: cpu, gpu or tpu, as the jaxlib at hand knows them. For cpu, programs in bf16 or f16 are planned with a CPU's times, unless `--remat` or they describe a
    /// device.
    #[arg(long, default_value = "cpu")]
    platform: String,
    /// Compile for the GPU that this file describes as XLA does (`*.gpu_target_config.pbtxt` of a dump, or tools/xla/h100.txtpb): it need not be at hand, a jaxlib for its platform must.
    /// Kernels are not timed there, so that they may be others than on the GPU.
    #[arg(long)]
    target: Option<PathBuf>,
    /// Python with jaxlib.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
}

/// What the command prints.
#[derive(Debug, Serialize)]
struct Answer {
    cap_bytes: u64,
    cap_counts: &'static str,
    /// What XLA takes for the program as it is.
    unplanned_bytes: u64,
    unplanned_flops: Option<f64>,
    /// These with loops counted as often as they run, as near as that is known: what `compared_flops` of a try compares with.
    unplanned_compared_flops: Option<f64>,
    /// The forms of the program that were planned.
    forms: Vec<Form>,
    tries: Vec<Try>,
    /// Plans that were asked for and not measured, and why.
    dropped: Vec<Dropped>,
    /// Which of the tries was written; none where no plan keeps the cap.
    chosen: Option<usize>,
    /// Why there was no further try.
    stopped: &'static str,
}

/// What planning or compiling one program may take, where no limit is given; and compiling it in another form: at least, and in times of what it took as
/// it is. Opened loops of a hundred iterations may compile for longer than all else together.
const STEP_LIMIT: Duration = Duration::from_secs(600);
const FORM_LIMIT: Duration = Duration::from_secs(120);
const FORM_TIMES: u32 = 20;

/// Runs the command.
///
/// # Errors
/// A missing tool, a program that cannot be planned or compiled, no plan that keeps the cap.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    fit(args).map_err(|failure| match failure {
        Failure::Interrupted(text) => Failure::Interrupted(format!("{text}; no plan was found before")),
        other => other,
    })
}

fn fit(args: &Args) -> Result<(), Failure> {
    let bad = |text: String| Failure::BadInput(text);
    let cap: CapSpec = args.cap.parse().map_err(|error| bad(format!("--cap: {error}")))?;
    let limit = args.step_limit.map_or(STEP_LIMIT, Duration::from_secs_f64);
    let deadline = Deadline(args.time_limit.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds)));
    refuse_own(&args.remat)?;
    let job = Job {
        function: &args.function,
        python: &args.python,
        platform: platform_of(args),
        target: args.target.as_deref(),
        seed: 0,
        compile_only: true,
        stored: true,
        positive: None,
        named: Some(&args.program),
        limit,
    };
    let inputs = paths(std::slice::from_ref(&args.program)).chain(paths(&args.target));
    check(inputs.chain(planner::files_of(&args.remat)), [args.output.as_path()])?;
    let folder = tempfile::tempdir().map_err(|error| bad(format!("no temporary folder: {error}")))?;
    // A file that cannot be read, or has another format, is said to be before anything is compiled.
    args.target.as_deref().map(read_text).transpose()?;
    planner::check_options(&args.remat, folder.path(), limit)?;
    let given = args;
    let platform = platform_of(args).to_owned();
    let args = &Args {
        program: generic(&args.program, folder.path(), &args.python, limit)?,
        platform,
        ..args.clone()
    };
    let text = read_text(&args.program)?;
    // Compiling takes long, and needs no function.
    has_function(&text, &args.function)
        .map_err(|text| bad(format!("{}: {text}", given.program.display())))?;
    let started = Instant::now();
    let unplanned = xla::measure(&args.program, false, &job)?;
    let of_forms = match args.step_limit {
        Some(_) => limit,
        None => limit.min(FORM_LIMIT.max(started.elapsed() * FORM_TIMES)),
    };
    let unplanned_bytes = args.cap_counts.of(&unplanned);
    let cap_bytes = cap_of(cap, unplanned_bytes)?;
    let file = folder.path().join("planned.mlir");
    let devices = planner::devices_of(args, &text);
    let planner = Planner { args, given: &given.program, job, file: &file, devices };
    let of_forms = Planner { job: Job { limit: of_forms, ..job }, ..planner };
    let maker = Maker { planner: of_forms, folder: folder.path(), cap_bytes, deadline };
    let mut forms = Forms::of(maker, &unplanned)?;
    let compiled = Compiled::default();
    let mut fitting = Fitting { planner, cap_bytes, unplanned_bytes, deadline, compiled };
    let mut found = fitting.follow(&mut forms)?;
    let forms = forms.made;
    found.or_without_plan(&forms, cap_bytes)?;
    let Found { tries, chosen, dropped, stopped, failed, .. } = found;
    let failed = failed.filter(|_| tries.is_empty());
    let missed = missed(given, cap_bytes, unplanned_bytes, &tries, stopped);
    let (chosen, program) = chosen.unzip();
    if let Some(program) = &program {
        write(&args.output, program, cap_bytes)?;
    }
    let answer = Answer {
        cap_bytes,
        cap_counts: args.cap_counts.name(),
        unplanned_bytes,
        unplanned_flops: unplanned.flops,
        unplanned_compared_flops: forms.first().and_then(Form::compared_flops),
        forms,
        tries,
        dropped,
        chosen,
        stopped,
    };
    // What was tried is told where nothing keeps the cap, too.
    write_json(&answer, None)?;
    if let Some(failure) = failed {
        return Err(failure);
    }
    if program.is_some() { Ok(()) } else { Err(Failure::NoPlan(missed)) }
}

/// Writes a program. The plan of one that was planned names the cap of a prediction, so that a line in front names the one it was fitted to.
fn write(path: &Path, program: &[u8], cap_bytes: u64) -> Result<(), Failure> {
    let is_planned = is_in(&String::from_utf8_lossy(program));
    let said = if is_planned { fitted::line(cap_bytes) } else { String::new() };
    write_file(path, &[said.as_bytes(), program].concat())
}

/// The cap in bytes, of a program that takes so many.
fn cap_of(cap: CapSpec, unplanned_bytes: u64) -> Result<u64, Failure> {
    match cap {
        CapSpec::DeviceMemory => Err(Failure::BadInput("--cap: give bytes or a percentage".into())),
        // A cap is kept to the byte, so a share is rounded down.
        CapSpec::Share(share) => Ok((unplanned_bytes as f64 * share).floor() as u64),
        CapSpec::Absolute(Bytes(bytes)) => Ok(bytes),
    }
}

/// What XLA compiles for.
fn platform_of(args: &Args) -> &str {
    // It is GPUs that are described.
    if args.target.is_some() { "gpu" } else { &args.platform }
}

/// Is there a function of this name, where one is given?
fn has_function(text: &str, function: &str) -> Result<(), String> {
    let mut names = functions(text).peekable();
    // Where none is seen the text is no program, which the driver says better.
    if function.is_empty() || names.peek().is_none() || functions(text).any(|name| name == function) {
        return Ok(());
    }
    let names: Vec<&str> = names.collect();
    Err(format!("--function: there is no function '{function}': name one of {}", names.join(", ")))
}

/// The names of the functions of a program, in their own form and in the generic one.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    let own = text.split("func.func ").skip(1).filter_map(|rest| {
        let (signature, _) = rest.split_once('(')?;
        signature.rsplit_once('@').map(|(_, name)| name.trim_matches('"'))
    });
    let generic = text.split("\"func.func\"").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once("sym_name = \"")?;
        rest.split_once('"').map(|(name, _)| name)
    });
    own.chain(generic)
}

/// Why nothing was written.
fn missed(args: &Args, cap_bytes: u64, unplanned_bytes: u64, tries: &[Try], stopped: &str) -> String {
    let least = tries.iter().map(|tried| tried.measured_bytes).min().unwrap_or(unplanned_bytes);
    let [cap, least_told, unplanned] = told_apart([cap_bytes, least, unplanned_bytes].map(Bytes));
    let reached = if least < unplanned_bytes {
        format!("the least it took is {least_told}")
    } else {
        format!("none took less than the {unplanned} of the program as it is")
    };
    let more = more(stopped, tries.len() < args.tries as usize);
    format!(
        "{}: no plan of {} keeps {cap} as {} measures it; {reached}: raise the cap, or give {more}",
        args.program.display(),
        tries.len(),
        platform_of(args),
    )
}

/// What may lead further: more of what ended the tries. Where some were left, and time, nothing was left to try.
fn more(stopped: &str, tries_are_left: bool) -> &'static str {
    match (stopped, tries_are_left) {
        (TIME_LIMIT, _) => "a longer --time-limit",
        (_, true) => "a longer time-limit in --remat",
        (_, false) => "more --tries or a longer time-limit in --remat",
    }
}

#[cfg(test)]
mod tests {
    use super::{TIME_LIMIT, has_function, more};

    #[test]
    fn what_ended_the_tries_is_what_is_said_to_need_more() {
        assert_eq!(more(TIME_LIMIT, true), "a longer --time-limit");
        assert_eq!(more("finished", true), "a longer time-limit in --remat");
        assert!(more("tries", false).contains("--tries"));
    }

    #[test]
    fn a_function_is_found_in_either_form_of_a_program() {
        let own = "module { func.func public @main(%x: f32) { call @loss() } func.func private @loss() }";
        let generic = r#""func.func"() <{function_type = () -> (), sym_name = "main"}> ({}) : () -> ()"#;
        for text in [own, generic] {
            assert!(has_function(text, "").is_ok() && has_function(text, "main").is_ok());
            assert!(has_function(text, "mai").is_err());
        }
        assert_eq!(
            has_function(own, "step"),
            Err("--function: there is no function 'step': name one of main, loss".to_owned())
        );
        assert!(has_function("no program", "main").is_ok());
    }
}
