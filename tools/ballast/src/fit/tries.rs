//! The tries of `ballast fit`: each plans a form of the program along a route, has XLA compile the outcome, and teaches the route what XLA held.

use std::path::{Path, PathBuf};
use std::process::Command;

use ballast_core::limits::StopReason;
use ballast_core::plan::Plan;

use super::forms::Form;
use super::learned::Learned;
use super::search::BOUNDLESS;
use super::{Args, Route, Try, best, calibrated, next_route, routes};
use crate::failure::Failure;
use crate::graph_file;
use crate::output::{read_bytes, read_text, write_json};
use crate::run::held::Held;
use crate::run::plan::{PlanFigures, StageFigures};
use crate::run::tools::{beside, capture};
use crate::run::xla::{self, Job};

/// What all routes found.
pub(super) struct Found {
    pub(super) tries: Vec<Try>,
    /// The try to write, and its program.
    pub(super) chosen: Option<(usize, Vec<u8>)>,
    /// Why there was no further try.
    pub(super) stopped: &'static str,
    /// Why the last route that was given up was.
    pub(super) failed: Option<Failure>,
}

impl Found {
    /// Where no plan keeps the cap: the form with the fewest operations that does without one.
    pub(super) fn or_without_plan(&mut self, forms: &[Form], most_bytes: u64) -> Result<(), Failure> {
        if self.chosen.is_none()
            && let Some(form) = forms.iter().rev().find(|form| form.measured_bytes <= most_bytes)
        {
            tracing::warn!(
                "no plan keeps the cap, but {} does without one: it is written as it is",
                form.name
            );
            self.chosen = Some((self.tries.len(), read_bytes(&form.file)?));
            self.tries.push(Try::without_plan(form));
        }
        Ok(())
    }
}

/// What every try is made with.
pub(super) struct Fitting<'a> {
    pub(super) args: &'a Args,
    pub(super) forms: &'a [Form],
    pub(super) job: &'a Job<'a>,
    /// Where planned programs go, one after the other.
    pub(super) file: &'a Path,
    /// Most bytes XLA may take for a plan.
    pub(super) most_bytes: u64,
}

impl Fitting<'_> {
    /// Follows the routes, the most promising first, until nothing is left to gain, to try or of the time.
    pub(super) fn follow(&self, over: &dyn Fn() -> bool) -> Result<Found, Failure> {
        let mut routes = routes(self.args, self.forms, self.most_bytes);
        // Without a plan nothing is computed twice.
        let least_flops = self.forms.last().and_then(|form| form.flops);
        let mut found = Found { tries: Vec::new(), chosen: None, stopped: "finished", failed: None };
        loop {
            if found.tries.len() >= self.args.tries as usize {
                found.stopped = "tries";
                return Ok(found);
            }
            if !found.tries.is_empty() && over() {
                found.stopped = "time-limit";
                return Ok(found);
            }
            let Some((route, asked_bytes)) = next_route(&routes, least_flops) else { return Ok(found) };
            let route = &mut routes[route];
            let asked_bytes = self.first_calibrated(route, asked_bytes);
            match self.attempt(route, asked_bytes) {
                Ok((tried, learned)) => {
                    tracing::info!(
                        tried.program,
                        tried.fusion,
                        asked_bytes,
                        tried.measured_bytes,
                        tried.fits,
                        "planned"
                    );
                    route.search.learned = learned;
                    route.search.tries.push(tried.clone());
                    found.tries.push(tried);
                    let last = found.tries.len() - 1;
                    if best(&found.tries) == Some(last) {
                        found.chosen = Some((last, read_bytes(self.file)?));
                    }
                }
                // Another route may still do, and what was found stays.
                Err(failure) => {
                    tracing::warn!("{}", failure.message());
                    route.search.closed = true;
                    found.failed = Some(failure);
                }
            }
        }
    }

    /// What to ask a route for: at first, where what its model says is another thing than what XLA takes, the same share of both.
    fn first_calibrated(&self, route: &Route, asked_bytes: u64) -> u64 {
        if !route.is_uncalibrated() || asked_bytes != self.most_bytes {
            return asked_bytes;
        }
        match self.plan_under(route, BOUNDLESS) {
            Ok(stage) => calibrated(self.most_bytes, &stage, &self.forms[route.form]),
            Err(failure) => {
                tracing::warn!("{}", failure.message());
                asked_bytes
            }
        }
    }

    /// Plans for a cap, and lets XLA compile the outcome.
    fn attempt(&self, route: &Route, asked_bytes: u64) -> Result<(Try, Option<Learned>), Failure> {
        let form = &self.forms[route.form];
        let stage = self.plan_under(route, asked_bytes)?;
        let measured = xla::measure(self.file, true, self.job)?;
        let measured_bytes = self.args.cap_counts.of(&measured);
        let corrected_ops = route.search.learned.as_ref().map_or(0, Learned::ops);
        let plan = read_plan(self.file)?;
        let learned = measured.held.as_ref().filter(|held| held.is_told());
        let learned = learned.map(|held| learn(route, held, measured_bytes, &plan, self.file)).transpose()?;
        let tried = Try {
            program: form.name,
            fusion: route.fusion.to_owned(),
            corrected_ops,
            compared_flops: measured.flops.map(|flops| flops * form.scale),
            asked_bytes,
            predicted_bytes: stage.peak_bytes,
            measured_bytes,
            flops: measured.flops,
            fits: measured_bytes <= self.most_bytes,
            free: stage.seconds <= stage.unplanned_seconds,
            cut_short: matches!(plan.stop_reason, StopReason::TimeLimit | StopReason::WorkLimit),
        };
        Ok((tried, learned))
    }

    /// Plans for a cap; the figures of the only stage.
    fn plan_under(&self, route: &Route, asked_bytes: u64) -> Result<StageFigures, Failure> {
        let what = self.args.program.display().to_string();
        let mut plan = Command::new(beside("ballast-opt")?);
        // Where the prediction is far above the truth, a plan above the cap may still keep it.
        let relax = if self.args.remat.contains("relax-limit=") { "" } else { RELAX };
        let gaps = if self.args.remat.contains("heap-gaps=") { "" } else { NO_GAPS };
        let loops = if self.args.remat.contains("loops=") { "" } else { WHOLE_LOOPS };
        let form = &self.forms[route.form];
        let Files { plan: plan_file, graph, storage } = Files::beside(self.file);
        let mut corrections = String::new();
        if let Some(learned) = &route.search.learned {
            // The ops are those of the plan before: a form is rewritten in the same way every time.
            write_json(&learned.file(), Some(&storage))?;
            corrections = format!("storage='{}' ", storage.display());
        }
        plan.arg(&form.file).args(["--allow-unregistered-dialect", "-o"]).arg(self.file).arg(format!(
            "--remat=cap-counts={} fusion={} function='{}' {} {relax}{gaps}{loops}{corrections}plan-file='{}' graph-file='{}' cap={asked_bytes}",
            self.args.cap_counts.name(),
            route.fusion,
            self.args.function,
            self.args.remat,
            plan_file.display(),
            graph.display(),
        ));
        capture(&mut plan, &what, self.job.limit)?;
        let figures = PlanFigures::find(&read_text(self.file)?).and_then(|plan| plan.only_stage());
        figures.ok_or_else(|| {
            Failure::BadInput(format!(
                "{what}: its plan has more than one stage: memory is fitted on one device"
            ))
        })
    }
}

/// The plan of a program that was planned just now.
fn read_plan(file: &Path) -> Result<Plan, Failure> {
    let text = read_text(&Files::beside(file).plan)?;
    serde_json::from_str(&text).map_err(|error| not_a_plan(&error.to_string()))
}

fn not_a_plan(error: &str) -> Failure {
    Failure::Internal(format!("the plan that was measured: {error}"))
}

/// What is known of a route once XLA has compiled its plan.
fn learn(
    route: &Route,
    held: &Held,
    measured_bytes: u64,
    plan: &Plan,
    file: &Path,
) -> Result<Learned, Failure> {
    let graph = graph_file::read(&Files::beside(file).graph)?;
    let mut learned = route.search.learned.clone().unwrap_or_default();
    learned.take(plan, &graph, held, measured_bytes).map_err(|error| not_a_plan(&error))?;
    Ok(learned)
}

/// What a plan is made with and leaves behind.
struct Files {
    plan: PathBuf,
    graph: PathBuf,
    storage: PathBuf,
}

impl Files {
    fn beside(planned: &Path) -> Self {
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
