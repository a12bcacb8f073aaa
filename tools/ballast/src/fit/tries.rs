//! The tries of `ballast fit`: each plans a form of the program along a route, has XLA compile the outcome, and teaches the route what XLA held.

use std::path::Path;

use ballast_core::limits::{StopReason, interrupted};
use ballast_core::plan::Plan;
use ballast_core::units::Bytes;
use ballast_planner::UNPROVED;
use serde::Serialize;

use super::compiled::Compiled;
use super::deadline::Deadline;
use super::forms::{Form, Forms, PAIRED};
use super::learned::Learned;
use super::pairs;
use super::planner::{BOUNDLESS, Files, Planner, STACKS};
use super::routes::{Route, calibrated, continued, next_route, routes, to_say_again, with_more_time};
use super::tried::{Attempt, Try, best};
use crate::failure::{Failure, note};
use crate::graph_file;
use crate::output::{read_bytes, read_text};
use crate::run::held::Held;

/// Why there was no further try where the time of the command is over.
pub(super) const TIME_LIMIT: &str = "time-limit";

/// What all routes found.
pub(super) struct Found {
    pub(super) tries: Vec<Try>,
    /// The try to write, and its program.
    pub(super) chosen: Option<(usize, Vec<u8>)>,
    /// What that try taught, with nothing of the tries before where it knows better.
    taught: Option<Learned>,
    /// Plans that were asked for and not measured.
    pub(super) dropped: Vec<Dropped>,
    /// Why there was no further try.
    pub(super) stopped: &'static str,
    /// Why the last route that was given up was.
    pub(super) failed: Option<Failure>,
}

/// A plan that was asked for and not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Dropped {
    /// Form of the program.
    program: String,
    /// Model of what XLA stores.
    fusion: String,
    /// Cap the plan was asked for.
    asked_bytes: u64,
    /// Tries that had been measured by then.
    after_tries: usize,
    /// Why there is no plan, or why it was not measured.
    reason: String,
    /// Was the time over before a plan was found, or before it was proved that there is none?
    ran_out: bool,
}

impl Found {
    /// Where no plan keeps the cap, or one that takes more memory for nothing: the form with the fewest operations that keeps it without one.
    pub(super) fn or_without_plan(&mut self, forms: &[Form], cap_bytes: u64) -> Result<(), Failure> {
        let keeps = |form: &&Form| form.measured_bytes <= cap_bytes && !form.is_paired();
        let Some(form) = forms.iter().rev().find(keeps) else { return Ok(()) };
        let unplanned = Try::without_plan(form);
        match self.chosen.as_ref().map(|&(index, _)| &self.tries[index]) {
            None => {
                tracing::warn!(
                    "no plan keeps the cap, but {} does without one: it is written as it is",
                    form.name
                );
            }
            Some(chosen) if chosen.gains_nothing_over(&unplanned) => note(&format!(
                "{} keeps the cap without a plan, and takes less than with one: it is written as it is",
                form.name
            )),
            Some(_) => return Ok(()),
        }
        self.chosen = Some((self.tries.len(), read_bytes(&form.file)?));
        self.tries.push(unplanned);
        Ok(())
    }
}

/// What every try is made with.
pub(super) struct Fitting<'a> {
    pub(super) planner: Planner<'a>,
    /// Most bytes XLA may take for a plan.
    pub(super) cap_bytes: u64,
    /// What XLA takes for the program as it is.
    pub(super) unplanned_bytes: u64,
    pub(super) deadline: Deadline,
    pub(super) compiled: Compiled,
}

impl<'a> Fitting<'a> {
    /// Follows the routes, the most promising first, until nothing is left to gain, to try or of the time.
    pub(super) fn follow(&mut self, forms: &mut Forms<'_>) -> Result<Found, Failure> {
        let mut routes = routes(self.planner.args, &forms.made, self.cap_bytes);
        let mut found = Found {
            tries: Vec::new(),
            chosen: None,
            taught: None,
            dropped: Vec::new(),
            stopped: "finished",
            failed: None,
        };
        loop {
            let most = self.planner.args.tries as usize;
            let is_last = found.tries.iter().filter(|tried| tried.program != PAIRED).count() >= most;
            let chosen = found.chosen.as_ref().map(|&(index, _)| &found.tries[index]);
            if is_last {
                found.stopped = "tries";
                // One more, where it is not known what the plan to be written takes.
                if !chosen.is_some_and(Try::is_far_off) {
                    return Ok(found);
                }
            }
            for route in routes.iter_mut().filter(|route| route.search.measured() >= most) {
                route.search.closed = true;
            }
            // Without a first plan there would be no answer.
            let has_begun = !(found.tries.is_empty() && found.dropped.is_empty());
            if has_begun && (self.deadline.is_over() || interrupted()) {
                found.stopped = if interrupted() { "interrupted" } else { TIME_LIMIT };
                return Ok(found);
            }
            // Without a plan nothing is computed twice.
            let unplanned = forms.made.iter().rfind(|form| !form.is_paired());
            let least_flops = unplanned.and_then(Form::compared_flops);
            // Where nothing else is left, what had too little time is given more; and the plan that is written says what XLA takes for it.
            let next = match is_last {
                true => None,
                false => next_route(&routes, least_flops).or_else(|| with_more_time(&mut routes)),
            };
            let is_paired = |&(route, _): &(usize, u64)| routes[route].fusion == STACKS;
            if !forms.are_all && !next.as_ref().map_or(forms.pairs_may_do, is_paired) {
                self.complete(forms, &mut routes, &mut found)?;
                continue;
            }
            let says_again = next.is_none();
            let next =
                next.or_else(|| to_say_again(&mut routes, (chosen?, found.taught.as_ref()), self.cap_bytes));
            let Some((route, asked_bytes)) = next else { return Ok(found) };
            let route = &mut routes[route];
            let form = &forms.made[route.form];
            let (factor, asked_bytes) = self.first_calibrated(form, route, asked_bytes);
            let outcome = self.attempt(form, route, asked_bytes, factor);
            self.take(&mut found, &forms.made, (route, asked_bytes, says_again), outcome)?;
        }
    }

    /// Makes the forms that are not made yet, and with them the routes. Plans of paired loops stay, and are compared with what is known now.
    fn complete(
        &self,
        forms: &mut Forms<'_>,
        routes: &mut Vec<Route<'a>>,
        found: &mut Found,
    ) -> Result<(), Failure> {
        let before = forms.made.last().cloned();
        forms.complete()?;
        *routes = continued(self.planner.args, &forms.made, self.cap_bytes, std::mem::take(routes));
        let Some((before, now)) = before.zip(forms.made.last()) else { return Ok(()) };
        let followed = routes.iter_mut().flat_map(|route| &mut route.search.tries);
        found.tries.iter_mut().chain(followed).for_each(|tried| tried.compare_again(&before, now));
        Ok(())
    }

    /// Takes in what became of a plan that a route was asked for, or that is to say what XLA takes for it, and says it.
    fn take(
        &self,
        found: &mut Found,
        forms: &[Form],
        (route, asked_bytes, says_again): (&mut Route<'_>, u64, bool),
        outcome: Result<Attempt, Failure>,
    ) -> Result<(), Failure> {
        let reason = match outcome {
            Ok(Attempt { tried, learned, is_known }) if !is_known || says_again => {
                note(&said(&tried, forms[0].compared_flops()));
                route.search.tries.push(tried.clone());
                found.tries.push(tried);
                let last = found.tries.len() - 1;
                if best(&found.tries) == Some(last) {
                    found.chosen = Some((last, read_bytes(self.planner.file)?));
                    found.taught = learned.as_ref().map(Learned::of_last_plan);
                }
                route.search.learned = learned;
                return Ok(());
            }
            Ok(Attempt { tried, learned, .. }) => {
                route.search.repeat(tried, learned);
                "the same program was measured before".to_owned()
            }
            // Another route may still do, and what was found stays.
            Err(failure) => {
                let message = failure.message();
                route.search.ran_out = message.contains(UNPROVED);
                let reason = failure.reason().to_owned();
                found.failed = Some(failure);
                route.search.closed = true;
                reason
            }
        };
        let dropped = Dropped {
            program: forms[route.form].name.clone(),
            fusion: route.fusion.to_owned(),
            asked_bytes,
            after_tries: found.tries.len(),
            reason,
            ran_out: route.search.ran_out,
        };
        note(&format!(
            "{}, {}: asked for {}, dropped: {}",
            dropped.program,
            dropped.fusion,
            Bytes(asked_bytes),
            dropped.reason
        ));
        found.dropped.push(dropped);
        Ok(())
    }

    /// What to ask a route for: at first, where what its model says is another thing than what XLA takes, the same share of both; and how many bytes of the model
    /// then stand for one.
    fn first_calibrated(&self, form: &Form, route: &Route<'_>, asked_bytes: u64) -> (f64, u64) {
        if !route.is_uncalibrated() || asked_bytes != self.cap_bytes {
            return (1.0, asked_bytes);
        }
        match self.planner.plan(form.planned(), route.fusion, None, BOUNDLESS, 1) {
            Ok(stage) => calibrated(self.cap_bytes, &stage, form),
            Err(failure) => {
                tracing::warn!("{}", failure.message());
                (1.0, asked_bytes)
            }
        }
    }

    /// Plans for a cap, and lets XLA compile the outcome, unless it did so before; `factor` bytes of the model stand for one.
    fn attempt(
        &mut self,
        form: &Form,
        route: &Route<'_>,
        asked_bytes: u64,
        factor: f64,
    ) -> Result<Attempt, Failure> {
        if form.is_paired() {
            return pairs::attempt(&self.planner, &mut self.compiled, form, route, asked_bytes);
        }
        let Planner { args, file, .. } = self.planner;
        let known = route.search.learned.as_ref();
        let own_bytes = asked_bytes.saturating_sub(form.around_bytes).max(1);
        let patience = route.search.patience;
        let stage = self.planner.plan(form.planned(), route.fusion, known, own_bytes, patience)?;
        let (measured, is_known) = self.compiled.measure(&self.planner, true, &form.function)?;
        let measured_bytes = args.cap_counts.of(&measured);
        let plan = read_plan(file)?;
        let held = measured.held.as_ref().filter(|held| held.is_told());
        let learned = held.map(|held| learn(route, form, held, measured_bytes, &plan, file)).transpose()?;
        let predicted_bytes = stage.peak_bytes.saturating_add(form.around_bytes);
        let told_bytes = (stage.peak_bytes as f64 / factor) as u64 + form.around_bytes;
        let tried = Try {
            program: form.name.clone(),
            fusion: route.fusion.to_owned(),
            corrected_ops: known.map_or(0, Learned::ops),
            compared_flops: measured.flops.map(|flops| flops * form.scale),
            asked_bytes,
            predicted_bytes,
            expected_bytes: told_bytes.saturating_sub(known.map_or(0, Learned::less)),
            measured_bytes,
            flops: measured.flops,
            fits: measured_bytes <= self.cap_bytes,
            above_unplanned: measured_bytes > self.unplanned_bytes,
            free: stage.seconds <= stage.unplanned_seconds,
            cut_short: matches!(plan.stop_reason, StopReason::TimeLimit | StopReason::WorkLimit),
            margin: form.margin,
        };
        Ok(Attempt { tried, learned, is_known })
    }
}

/// A try in words; `unplanned` are the operations of the program as it is.
fn said(tried: &Try, unplanned: Option<f64>) -> String {
    let operations = tried.compared_flops.zip(unplanned.filter(|&flops| flops > 0.0));
    let operations =
        operations.map_or(String::new(), |(flops, all)| format!(", {:.3} of the operations", flops / all));
    format!(
        "{}, {}: asked for {}, planned {}, measured {}{}{operations}{}",
        tried.program,
        tried.fusion,
        Bytes(tried.asked_bytes),
        Bytes(tried.expected_bytes),
        Bytes(tried.measured_bytes),
        match (tried.fits, tried.above_unplanned) {
            (false, _) => ", which is above the cap",
            (true, true) => ", which is more than the program takes as it is",
            (true, false) => "",
        },
        if tried.cut_short { ", its search was cut short" } else { "" },
    )
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
    route: &Route<'_>,
    form: &Form,
    held: &Held,
    measured_bytes: u64,
    plan: &Plan,
    file: &Path,
) -> Result<Learned, Failure> {
    let graph = graph_file::read(&Files::beside(file).graph)?;
    let mut learned = route.search.learned.clone().unwrap_or_default();
    learned
        .take(plan, &graph, held, (measured_bytes, route.search.cap_bytes), form.around_bytes)
        .map_err(|error| not_a_plan(&error))?;
    Ok(learned)
}
