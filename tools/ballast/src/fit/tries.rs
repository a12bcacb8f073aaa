//! The tries of `ballast fit`: each plans a form of the program along a route, has XLA compile the outcome, and teaches the route what XLA held.

use std::path::Path;

use ballast_core::limits::StopReason;
use ballast_core::plan::Plan;

use super::forms::Form;
use super::learned::Learned;
use super::pairs;
use super::planner::{Files, Planner};
use super::search::BOUNDLESS;
use super::{Route, Try, best, calibrated, next_route, routes};
use crate::failure::Failure;
use crate::graph_file;
use crate::output::{read_bytes, read_text};
use crate::run::held::Held;
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
            && let Some(form) =
                forms.iter().rev().find(|form| form.measured_bytes <= most_bytes && !form.is_paired())
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
    pub(super) planner: Planner<'a>,
    pub(super) forms: &'a [Form],
    /// Most bytes XLA may take for a plan.
    pub(super) most_bytes: u64,
}

impl Fitting<'_> {
    /// Follows the routes, the most promising first, until nothing is left to gain, to try or of the time.
    pub(super) fn follow(&self, over: &dyn Fn() -> bool) -> Result<Found, Failure> {
        let mut routes = routes(self.planner.args, self.forms, self.most_bytes);
        // Without a plan nothing is computed twice.
        let unplanned = self.forms.iter().rfind(|form| !form.is_paired());
        let least_flops = unplanned.and_then(Form::compared_flops);
        let mut found = Found { tries: Vec::new(), chosen: None, stopped: "finished", failed: None };
        loop {
            let most = self.planner.args.tries as usize;
            if found.tries.iter().filter(|tried| !tried.loops_stay).count() >= most {
                found.stopped = "tries";
                return Ok(found);
            }
            for route in routes.iter_mut().filter(|route| route.search.tries.len() >= most) {
                route.search.closed = true;
            }
            if !found.tries.is_empty() && over() {
                found.stopped = "time-limit";
                return Ok(found);
            }
            let Some((route, asked_bytes)) = next_route(&routes, least_flops) else { return Ok(found) };
            let route = &mut routes[route];
            let asked_bytes = self.first_calibrated(route, asked_bytes);
            match self.attempt(route, asked_bytes) {
                // The same program again: it was measured.
                Ok(None) => route.search.closed = true,
                Ok(Some((tried, learned))) => {
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
                        found.chosen = Some((last, read_bytes(self.planner.file)?));
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
        let form = &self.forms[route.form];
        match self.planner.plan(form.planned(), route.fusion, None, BOUNDLESS) {
            Ok(stage) => calibrated(self.most_bytes, &stage, form),
            Err(failure) => {
                tracing::warn!("{}", failure.message());
                asked_bytes
            }
        }
    }

    /// Plans for a cap, and lets XLA compile the outcome.
    fn attempt(
        &self,
        route: &mut Route,
        asked_bytes: u64,
    ) -> Result<Option<(Try, Option<Learned>)>, Failure> {
        let form = &self.forms[route.form];
        if form.is_paired() {
            return pairs::attempt(&self.planner, form, route, (asked_bytes, self.most_bytes));
        }
        let Planner { args, file, job } = self.planner;
        let known = route.search.learned.as_ref();
        let own_bytes = asked_bytes.saturating_sub(form.around_bytes).max(1);
        let stage = self.planner.plan(form.planned(), route.fusion, known, own_bytes)?;
        let measured = xla::measure(file, true, &Job { function: &form.function, ..*job })?;
        let measured_bytes = args.cap_counts.of(&measured);
        let plan = read_plan(file)?;
        let held = measured.held.as_ref().filter(|held| held.is_told());
        let learned = held.map(|held| learn(route, form, held, measured_bytes, &plan, file)).transpose()?;
        let predicted_bytes = stage.peak_bytes.saturating_add(form.around_bytes);
        let tried = Try {
            program: form.name.clone(),
            fusion: route.fusion.to_owned(),
            corrected_ops: known.map_or(0, Learned::ops),
            compared_flops: measured.flops.map(|flops| flops * form.scale),
            asked_bytes,
            predicted_bytes,
            expected_bytes: predicted_bytes.saturating_sub(known.map_or(0, Learned::less)),
            measured_bytes,
            flops: measured.flops,
            fits: measured_bytes <= self.most_bytes,
            free: stage.seconds <= stage.unplanned_seconds,
            cut_short: matches!(plan.stop_reason, StopReason::TimeLimit | StopReason::WorkLimit),
            loops_stay: false,
        };
        Ok(Some((tried, learned)))
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
    form: &Form,
    held: &Held,
    measured_bytes: u64,
    plan: &Plan,
    file: &Path,
) -> Result<Learned, Failure> {
    let graph = graph_file::read(&Files::beside(file).graph)?;
    let mut learned = route.search.learned.clone().unwrap_or_default();
    learned
        .take(plan, &graph, held, measured_bytes, form.around_bytes)
        .map_err(|error| not_a_plan(&error))?;
    Ok(learned)
}
