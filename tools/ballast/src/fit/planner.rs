//! One plan of a form of the program, by the driver's own `--remat`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ballast_core::device::Cluster;
use ballast_remat::stacks::StacksFile;

use super::Args;
use super::learned::Learned;
use crate::failure::Failure;
use crate::output::{read_bytes, read_text, write_file, write_json};
use crate::run::compare::short_types;
use crate::run::plan::{PlanFigures, StageFigures};
use crate::run::tools::{beside, capture};
use crate::run::xla::Job;

/// The model that counts every value but what loops make where they read it.
pub(super) const SPREAD: &str = "spread";

/// The model of what the platform's compiler stores, where the options do not name one.
pub(super) fn predicted(args: &Args) -> &str {
    let platform = match args.platform.as_str() {
        "cpu" => "xla-cpu",
        "gpu" => "xla-gpu",
        _ => "xla",
    };
    named(&args.remat).unwrap_or(platform)
}

/// The model that the options of a plan name, if they do: the last counts.
pub(super) fn named(options: &str) -> Option<&str> {
    options.split_whitespace().filter_map(|option| option.strip_prefix("fusion=")).next_back()
}

/// Options of `--remat` that `fit` gives every plan, and what of `fit` sets them.
const OWN: [(&str, &str); 6] = [
    ("cap", "the cap is what --cap says, moved until what XLA takes keeps it"),
    ("cap-counts", "--cap-counts says what of the memory counts"),
    ("function", "--function names the function to plan"),
    ("plan-file", "the plan is in the program that --output names"),
    (
        "graph-file",
        "the graph of every plan is read from a file of fit's own; `ballast-opt --remat=graph-file=...` writes one",
    ),
    ("storage", "what XLA stores is measured and corrected from plan to plan"),
];

/// Refuses options of `--remat` that `fit` sets: given twice, one of both would be dropped without a word.
///
/// # Errors
/// The first of them, and what sets it.
pub(super) fn refuse_own(options: &str) -> Result<(), Failure> {
    let named = |option: &str| option.split_once('=').map_or(option, |(name, _)| name).to_owned();
    let names: Vec<String> = options.split_whitespace().map(named).collect();
    match OWN.iter().find(|(own, _)| names.iter().any(|name| name == own)) {
        None => Ok(()),
        Some((own, instead)) => {
            Err(Failure::BadInput(format!("--remat: '{own}' is not for here: {instead}: leave it out")))
        }
    }
}

/// The files that options of `--remat` have read: those of the devices, the times, the tables.
pub(super) fn files_of(options: &str) -> impl Iterator<Item = &Path> {
    options.split_whitespace().filter_map(|option| {
        let (name, value) = option.split_once('=')?;
        let value = value.trim_matches(['\'', '"']);
        match name {
            "devices" => Cluster::file_of(value),
            "profile" => Some(Path::new(value)),
            _ => None,
        }
    })
}

/// Refuses options of `--remat` that cannot be, before anything is compiled: a module without a function is refused for that alone where they can.
///
/// # Errors
/// What the driver says of them.
pub(super) fn check_options(options: &str, folder: &Path, limit: Duration) -> Result<(), Failure> {
    let empty = folder.join("empty.mlir");
    write_file(&empty, b"module {}\n")?;
    let mut driver = Command::new(beside("ballast-opt")?);
    driver.arg(&empty).args(["-o", "/dev/null"]).arg(format!("--remat={options}"));
    match capture(&mut driver, "--remat", limit) {
        Ok(_) => Ok(()),
        Err(failure) if failure.reason() == NO_FUNCTION => Ok(()),
        Err(Failure::BadInput(text)) => {
            let reason = Failure::BadInput(text).reason().to_owned();
            Err(Failure::BadInput(format!("--remat: {reason}")))
        }
        Err(other) => Err(other),
    }
}

/// What passes say of an empty module.
const NO_FUNCTION: &str = "the module has no function to plan";

/// What stands for a model where the stacks between paired loops are what is planned.
pub(super) const STACKS: &str = "stacks";

/// A cap above any program.
pub(super) const BOUNDLESS: u64 = 1 << 50;

/// What every plan is made with.
#[derive(Clone, Copy)]
pub(super) struct Planner<'a> {
    pub(super) args: &'a Args,
    /// The program that was given: what is planned may be a copy of it in another form, which messages do not name.
    pub(super) given: &'a Path,
    pub(super) job: Job<'a>,
    /// Where planned programs go, one after the other.
    pub(super) file: &'a Path,
    /// The option that says which device's times are planned with, where neither the options nor the program say it.
    pub(super) devices: &'static str,
}

/// The option that has plans for a processor made with its times: in bf16 and f16 an accelerator computes a product again in the time of reading a tenth of the
/// bytes that a processor reads meanwhile. In f32 both do about as much per byte. Empty where the options or the program describe a device.
pub(super) fn devices_of(args: &Args, program: &str) -> &'static str {
    let is_described = args.remat.contains("devices=") || program.contains("dlti.target_system_spec");
    let is_narrow = short_types(program).next().is_some();
    if args.platform == "cpu" && is_narrow && !is_described { "devices=cpu " } else { "" }
}

impl Planner<'_> {
    /// Runs the driver; what it says of the copy of the program it says of the program.
    pub(super) fn driven(&self, driver: &mut Command) -> Result<(), Failure> {
        let ran = capture(driver, &self.given.display().to_string(), self.job.limit);
        ran.map(|_| ()).map_err(|failure| failure.naming(&self.args.program, self.given))
    }

    /// Plans a function of a program for a cap, with a model of what XLA stores and what was learned of it, in `patience` times the limits that
    /// were given; the figures of the only stage.
    ///
    /// # Errors
    /// What the driver says, and a plan for several devices.
    pub(super) fn plan(
        &self,
        (program, function): (&Path, &str),
        fusion: &str,
        learned: Option<&Learned>,
        cap_bytes: u64,
        patience: u32,
    ) -> Result<StageFigures, Failure> {
        let what = self.given.display().to_string();
        let mut plan = Command::new(beside("ballast-opt")?);
        // Where the prediction is far above the truth, a plan above the cap may still keep it.
        let relax = if self.args.remat.contains("relax-limit=") { "" } else { RELAX };
        let gaps = if self.args.remat.contains("heap-gaps=") { "" } else { NO_GAPS };
        let loops = if self.args.remat.contains("loops=") { "" } else { WHOLE_LOOPS };
        let gradients = if self.args.remat.contains("gradients=") { "" } else { WHOLE_GRADIENTS };
        let products = if self.args.remat.contains("products=") { "" } else { WHOLE_PRODUCTS };
        let devices = self.devices;
        let Files { plan: plan_file, graph, storage } = Files::beside(self.file);
        let mut corrections = String::new();
        if let Some(learned) = learned {
            // The ops are those of the plan before: a form is rewritten in the same way every time.
            write_json(&learned.file(), Some(&storage))?;
            corrections = format!("storage='{}' ", storage.display());
        }
        plan.arg(program).args(["--allow-unregistered-dialect", "-o"]).arg(self.file).arg(format!(
            "--remat=cap-counts={} fusion={fusion} function='{function}' {} {relax}{gaps}{loops}{gradients}{products}{devices}{corrections}plan-file='{}' graph-file='{}' cap={cap_bytes}",
            self.args.cap_counts.name(),
            longer(&self.args.remat, patience),
            plan_file.display(),
            graph.display(),
        ));
        self.driven(&mut plan)?;
        let figures = PlanFigures::find(&read_text(self.file)?, function).and_then(|plan| plan.only_stage());
        figures.ok_or_else(|| {
            Failure::BadInput(format!(
                "{what}: its plan has more than one stage: memory is fitted on one device"
            ))
        })
    }
}

impl Planner<'_> {
    /// Rewrites the pairs of loops of a function of a program with a cap for their stacks, and says what was decided.
    ///
    /// # Errors
    /// What the driver says.
    pub(super) fn pair_loops(
        &self,
        (program, function): (&Path, &str),
        cap_bytes: Option<u64>,
    ) -> Result<StacksFile, Failure> {
        let decided = Files::beside(self.file).plan;
        let cap = cap_bytes.map_or(String::new(), |bytes| format!("cap={bytes} "));
        let mut run = Command::new(beside("ballast-opt")?);
        run.arg(program).args(["--allow-unregistered-dialect", "-o"]).arg(self.file).arg(format!(
            "--ballast-pair-loops={cap}function='{function}' plan-file='{}'",
            decided.display()
        ));
        self.driven(&mut run)?;
        serde_json::from_slice(&read_bytes(&decided)?)
            .map_err(|error| Failure::Internal(format!("what was decided about loops: {error}")))
    }
}

/// Options of `--remat` with limits of time and work that are so many times as large.
fn longer(options: &str, times: u32) -> String {
    if times == 1 {
        return options.to_owned();
    }
    let mut timed = false;
    let longer = options.split_whitespace().map(|option| {
        let limit = option.split_once('=').filter(|(name, _)| matches!(*name, "time-limit" | "work-limit"));
        let Some((name, Ok(limit))) = limit.map(|(name, limit)| (name, limit.parse::<f64>())) else {
            return option.to_owned();
        };
        timed = true;
        format!("{name}={}", limit * f64::from(times))
    });
    let longer: Vec<String> = longer.collect();
    let default = if timed { String::new() } else { format!(" time-limit={}", DEFAULT_SECONDS * times) };
    longer.join(" ") + &default
}

/// Seconds of a search whose options name no limit, as `--remat` has it.
const DEFAULT_SECONDS: u32 = 60;

/// What a plan is made with and leaves behind.
pub(super) struct Files {
    pub(super) plan: PathBuf,
    pub(super) graph: PathBuf,
    storage: PathBuf,
}

impl Files {
    pub(super) fn beside(planned: &Path) -> Self {
        let with = |extension: &str| planned.with_extension(extension);
        Files { plan: with("plan.json"), graph: with("graph.json"), storage: with("storage.json") }
    }
}

/// Most a cap that is asked for may be raised.
const RELAX: &str = "relax-limit=8 ";
/// Gaps of the heap are in what is measured: a plan that leaves room for them recomputes for memory that may not be needed.
const NO_GAPS: &str = "heap-gaps=false ";
/// A form of the program with its loops opened is tried beside this one.
const WHOLE_LOOPS: &str = "loops=whole ";
/// So is one with its gradients written out.
const WHOLE_GRADIENTS: &str = "gradients=whole ";
/// And one with its products of 16-bit floats in single precision.
const WHOLE_PRODUCTS: &str = "products=whole ";

#[cfg(test)]
mod tests {
    use super::{longer, named, refuse_own};

    #[test]
    fn options_that_fit_sets_itself_are_refused_with_what_sets_them() {
        assert!(refuse_own("swap=false time-limit=10 fusion=xla devices=cpu relax-limit=2").is_ok());
        for (options, sets) in [
            ("cap=5MB", "--cap"),
            ("seed=1 cap-counts=all", "--cap-counts"),
            ("function='f'", "--function"),
            ("plan-file=p.json", "--output"),
            ("graph-file=g.json", "ballast-opt"),
            ("storage=s.json", "measured"),
        ] {
            let said = refuse_own(options).expect_err("refused").message().to_owned();
            assert!(said.contains(sets), "{said}");
        }
    }

    #[test]
    fn of_models_of_fusion_the_last_named_counts() {
        assert_eq!(named("swap=false fusion=none seed=1 fusion=xla"), Some("xla"));
        assert_eq!(named("swap=false"), None);
    }

    #[test]
    fn limits_are_made_longer_and_the_rest_stays() {
        assert_eq!(longer("swap=false time-limit=2.5", 1), "swap=false time-limit=2.5");
        assert_eq!(longer("swap=false time-limit=2.5 seed=1", 4), "swap=false time-limit=10 seed=1");
        assert_eq!(longer("work-limit=1000", 4), "work-limit=4000");
        assert_eq!(longer("swap=false", 4), "swap=false time-limit=240");
    }
}
