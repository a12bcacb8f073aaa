//! The one entry: runs the methods in turn, holds the best judged plan and the best proven bound.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::report::{Bound, FalseBound, Report, SearchStats};

use crate::check::Verdict;
use crate::learned::ppo::Placer;
use crate::problem::{Assignment, PlanClass, Problem};
pub use crate::session::Progress;
use crate::session::Session;
use crate::{contiguous, free, learned};

/// Relative difference between two sums of the same loads that is put down to rounding.
const SUM_ROUNDING: f64 = 2e-9;

/// Who looks for the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = no_method)]
pub enum Method {
    /// Everything that fits the class and the size.
    Auto,
    /// Cuts of linear orders, with descent: contiguous plans, fast, without proof.
    Order,
    /// Chains of ideals: contiguous plans with proof.
    Exact,
    /// Simulated annealing: free plans without proof.
    Anneal,
    /// The learned placer: plans of both classes without proof.
    Rl,
}

impl Method {
    /// The name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn no_method(text: &str) -> String {
    let names = <Method as strum::VariantNames>::VARIANTS;
    format!("'{text}' is no method: choose one of {}", names.join(", "))
}

/// What to look for, and how long.
pub struct Options<'a> {
    /// Which plans are allowed.
    pub class: PlanClass,
    /// Who looks.
    pub method: Method,
    /// Clock, work count, seed, threads. A step of work is a stage looked at or a move tried.
    pub limits: Limits,
    /// Stop when the fixed schedule of the search is through, before any limit; else a search without proof
    /// uses all the time it is given.
    pub finish_early: bool,
    /// The learned placer; none: the one that ships with Ballast.
    pub placer: Option<&'a Placer>,
    /// Told now and then how the search stands.
    pub observe: &'a (dyn Fn(&Progress) + Sync),
}

/// A plan that passed [`check`](crate::check::check()), and what the search says about it.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The device of every node.
    pub assignment: Assignment,
    /// Its loads, as the judge counts them.
    pub verdict: Verdict,
    /// Value, bound, gap, why the search stopped.
    pub report: Report,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Proved that there is none.
    #[error(
        "no {class} plan exists under the memory caps: raise maxSizePerFPGA, or add devices or CPU cores"
    )]
    Infeasible {
        /// The class searched.
        class: &'static str,
    },
    /// None found before the search ended.
    #[error("no {class} plan was found before {end}, and none was ruled out: {advice}")]
    NotFound {
        /// The class searched.
        class: &'static str,
        /// What ended the search.
        end: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The learned placer could not be used.
    #[error("the learned placer: {0}")]
    Learner(String),
    /// A program of others cannot be run.
    #[error("{0}")]
    NoProgram(String),
    /// A program of others gave no plan, or one that the judge refuses.
    #[error("{0}")]
    Outside(String),
    /// A bound that a plan of its class beats: a bug.
    #[error(transparent)]
    Bound(#[from] FalseBound),
    /// The method does not search the class.
    #[error("method '{method}' does not look for {class} plans")]
    Mismatch {
        /// The method asked for.
        method: &'static str,
        /// The class asked for.
        class: &'static str,
    },
}

impl Error {
    /// No plan was found when a search ended for this reason.
    #[must_use]
    pub fn not_found(class: PlanClass, end: StopReason) -> Self {
        let more = "give more time, or raise maxSizePerFPGA";
        let (end, advice) = match end {
            StopReason::WorkLimit => ("the work limit stopped the search", "raise it, or maxSizePerFPGA"),
            StopReason::Interrupted => ("an interrupt stopped the search", more),
            StopReason::TimeLimit => ("the time limit stopped the search", more),
            _ => ("the search ended by itself", "try another method or seed, or raise maxSizePerFPGA"),
        };
        Error::NotFound { class: class.name(), end, advice }
    }
}

/// Searches.
///
/// # Errors
/// When there is no plan, or none was found.
pub fn solve(problem: &Problem, options: &Options<'_>) -> Result<Solved, Error> {
    let class = options.class;
    let mut session = Session {
        problem,
        class,
        limits: options.limits,
        finish_early: options.finish_early,
        clock: Deadline::start(&options.limits),
        work: 0,
        bound: 0.0,
        trusts_highs: false,
        infeasible: false,
        learner_failure: None,
        placer: options.placer,
        best: None,
        observe: options.observe,
    };
    let run: fn(&mut Session<'_>) = match (class, options.method) {
        (PlanClass::Contiguous, Method::Auto | Method::Exact) => |session| contiguous::search(session, true),
        (PlanClass::Contiguous, Method::Order) => |session| contiguous::search(session, false),
        (PlanClass::Free, Method::Auto) => |session| free::search(session, true),
        (PlanClass::Free, Method::Anneal) => |session| free::search(session, false),
        (_, Method::Rl) => learned::search::search,
        (_, method) => return Err(Error::Mismatch { method: method.name(), class: class.name() }),
    };
    match rayon::ThreadPoolBuilder::new().num_threads(options.limits.threads).build() {
        Ok(pool) => pool.install(|| run(&mut session)),
        Err(error) => {
            tracing::warn!("no threads of our own: {error}; searching on this one");
            run(&mut session);
        }
    }
    let stop_reason = if session.proved() || session.infeasible {
        StopReason::Proved
    } else if session.clock.over() {
        session.clock.reason()
    } else if session.over(0) {
        StopReason::WorkLimit
    } else {
        StopReason::Finished
    };
    let (bound, work, seconds) = (session.bound, session.work, session.clock.elapsed_seconds());
    let Some((assignment, verdict, method)) = session.best else {
        if let Some(reason) = session.learner_failure {
            return Err(Error::Learner(reason));
        }
        if session.infeasible {
            return Err(Error::Infeasible { class: class.name() });
        }
        return Err(Error::not_found(class, stop_reason));
    };
    let value = verdict.max_load;
    // Sums in another order leave a proven bound a rounding below the value it equals.
    let bound = if (value * (1.0 - SUM_ROUNDING)..value).contains(&bound) { value } else { bound };
    let search = SearchStats { method: method.into(), stop_reason, seconds, work, seed: options.limits.seed };
    let bound = Bound::proved(bound, class.bound_class()).trusting_highs(session.trusts_highs);
    let report = Report::new(value, bound, search)?;
    Ok(Solved { assignment, verdict, report })
}
