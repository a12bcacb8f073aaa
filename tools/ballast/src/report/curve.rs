//! `ballast report --curve`: what other caps would cost on the devices of a plan.

use std::time::Instant;

use ballast_core::limits::{self, Limits};
use ballast_core::plan::Plan;
use ballast_remat::{Options, Order};
use ballast_report::{Curve, CurvePoint, Facts, StageFacts};

use crate::failure::Failure;
use crate::ranges::seconds;

/// Steps between the least cap there can be a plan for and the bytes held without one.
const STEPS: u64 = 12;

/// Asks for the curve.
pub(super) const OPTION: &str = "--curve";

/// Arguments of the curve.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Show overhead against cap, too: plans for other caps are searched, for so many seconds of wall clock, all devices together;
    /// above zero, at most 1e9; 30 if no number is given.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, num_args = 0..=1, require_equals = true, default_missing_value = "30")]
    curve: Option<f64>,
    /// The same, for so many search steps per cap: without seconds the same bytes come out whatever the clock.
    #[arg(long, value_name = "STEPS")]
    curve_work_limit: Option<u64>,
}

impl Args {
    /// Is there to be one?
    pub(super) fn is_asked(&self) -> bool {
        self.curve.is_some() || self.curve_work_limit.is_some()
    }

    /// The curve of every device that runs something; none unless asked for.
    ///
    /// # Errors
    /// What planning fails with for a reason other than the cap: a bug, since the plan at hand was judged.
    pub(super) fn curves(&self, plan: &Plan, facts: &Facts<'_>) -> Result<Vec<Curve>, Failure> {
        let begin = Instant::now();
        let busy: Vec<&StageFacts<'_>> =
            facts.stages.iter().filter(|stage| !stage.explained.events.is_empty()).collect();
        let mut curves = Vec::new();
        for (index, stage) in busy.iter().enumerate().take_while(|_| self.is_asked()) {
            let rest = |seconds: f64| (seconds - begin.elapsed().as_secs_f64()).max(0.0);
            let share = (busy.len() - index) as f64;
            let limits = Limits {
                time_limit_seconds: self.curve.map(|seconds| rest(seconds) / share),
                work_limit: self.curve_work_limit,
                seed: stage.entry.report.seed,
                threads: limits::threads(usize::MAX),
            };
            let mut curve = curve(stage, limits)?;
            // Bounds of arenas count rounded sizes, those of a pipeline what other micro-batches hold, those of other orders all orders.
            if stage.entry.arena.is_none() && plan.pipeline.is_none() && stage.compact.order.is_none() {
                raise_bounds(&mut curve);
            }
            curves.push(curve);
        }
        Ok(curves)
    }
}

/// Plans for caps from the least possible to what is held without a plan, the plan's own among them. That plan is where every search
/// starts.
fn curve(stage: &StageFacts<'_>, limits: Limits) -> Result<Curve, Failure> {
    let problem = &stage.stage.problem;
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let step = |at: u64| u128::from(peak - least) * u128::from(at) / u128::from(STEPS);
    let mut caps: Vec<u64> = (0..=STEPS).map(|at| least + step(at) as u64).collect();
    caps.extend((stage.room <= peak).then_some(stage.room));
    let options = Options {
        swap: stage.entry.memory.as_ref().and_then(|memory| memory.swap),
        order: if stage.compact.order.is_some() { Order::Free } else { Order::Program },
        limits,
        starts: vec![stage.compact.clone()],
        ..Options::default()
    };
    let points = ballast_remat::curve(problem, &caps, &options).map_err(|failure| {
        Failure::Internal(format!("no curve of device {}: {failure}", stage.stage.device))
    })?;
    let mut curve = Curve::of(stage);
    curve.points = points.iter().map(|point| shown(&curve, point)).collect();
    Ok(curve)
}

/// What was proved for the plan's cap holds for smaller ones. Plans of a wider class may beat it.
fn raise_bounds(curve: &mut Curve) {
    let Curve { plan, points, .. } = curve;
    for point in points.iter_mut().filter(|point| point.cap_bytes <= plan.cap_bytes) {
        if point.bound_percent < plan.bound_percent && plan.bound_percent <= point.overhead_percent {
            (point.bound_percent, point.bound_class) = (plan.bound_percent, plan.bound_class);
            point.proved = plan.proved && point.overhead_percent == plan.overhead_percent;
        }
    }
}

fn shown(curve: &Curve, point: &ballast_remat::CurvePoint) -> CurvePoint {
    let outcome = point.outcome.as_ref();
    CurvePoint {
        cap_bytes: point.cap_bytes,
        overhead_percent: outcome.map(|outcome| curve.percent(outcome.report.value)),
        bound_percent: outcome.map(|outcome| curve.percent(outcome.report.bound().value())),
        bound_class: outcome.map(|outcome| outcome.report.bound().class().name()),
        proved: outcome.map_or(point.ruled_out, |outcome| outcome.report.proved()),
    }
}
