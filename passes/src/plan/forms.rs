//! Which form of a program `--remat` plans: with its loops opened and its gradients written out, or, where no plan of that keeps the cap, as it was before.
//!
//! Opened, values of single iterations can be dropped and made again, so that less memory does. But every iteration has ops of its own that store their values, and under
//! a cap that even so is not kept the loops as one op each may need less, or be faster under as large a cap.

use ballast_core::limits::{Deadline, Limits};
use ballast_core::pipeline::Spec;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::RematOptions;
use ballast_planner::ways::{self, Best, Standing};
use melior::ir::operation::OperationRef;

use crate::opening::Before;
use crate::plan::attempt::{Attempt, Told};
use crate::plan::split::limits_of_whole;
use crate::program::{Program, Source};

/// Share of the time limit that is left for the program as it was before.
const BEFORE_SHARE: f64 = 0.2;

/// A program to plan, and what it was before loops were opened and gradients written out.
pub(super) struct Forms<'c, 'a> {
    pub(super) module: OperationRef<'c, 'a>,
    pub(super) program: Program<'c, 'a>,
    /// The earliest first; all stand in modules of their own.
    pub(super) before: &'a [Before<'c>],
}

/// What a program is planned with.
#[derive(Clone, Copy)]
pub(super) struct Asked<'o> {
    pub(super) options: &'o RematOptions,
    pub(super) planner: &'o ballast_planner::Options,
    pub(super) pipeline: Option<Spec>,
    pub(super) deadline: &'o Deadline,
}

impl<'c: 'a, 'a> Forms<'c, 'a> {
    /// The plan of the best form, which stands in the module afterwards.
    ///
    /// # Errors
    /// With the diagnostic that was emitted; that there is no plan is no such error.
    pub(super) fn plan(self, source: &Source<'_>, asked: Asked<'_>) -> Result<Attempt<'c, 'a>, Reported> {
        let (limits, deadline, module) = (asked.planner.limits, asked.deadline, self.module);
        let mut best = self.best(source, asked)?.planned_on(&limits, deadline);
        best.tell(module);
        Ok(best)
    }

    /// The form whose plan is best.
    fn best(self, source: &Source<'_>, asked: Asked<'_>) -> Result<Attempt<'c, 'a>, Reported> {
        let Forms { module, program, before } = self;
        let before = if asked.pipeline.is_some() { &[] } else { before };
        let Asked { planner, deadline, .. } = asked;
        let share = if before.is_empty() { 1.0 } else { 1.0 - BEFORE_SHARE };
        let limit = planner.limits.time_limit_seconds.map(|seconds| share * seconds);
        let limits = Limits { time_limit_seconds: limit, ..planner.limits };
        let turn = deadline.within(share * deadline.remaining_seconds());
        let opened = plan_form(module, program, Asked { deadline: &turn, ..asked }, limits)?;
        if before.is_empty() || Standing::of(&opened.planned).keeps_the_caps() {
            return Ok(opened);
        }
        let figures = opened.figures();
        let mut least = opened.least();
        let is_last_resort = vec![true; before.len()];
        let Best { attempt: mut best, way, all_proved } = ways::best_of_ways(
            opened,
            &is_last_resort,
            (&planner.limits, deadline),
            |attempt| Standing::of(&attempt.planned),
            |number, _, limits| {
                let form = &before[number];
                let turn = Deadline::start(&limits);
                let next =
                    plan_form(form.module(), form.read(source)?, Asked { deadline: &turn, ..asked }, limits)?;
                least = least.min(next.least());
                Ok(next)
            },
        )?;
        best.tried(least, all_proved);
        if let Some(form) = way.map(|number| &before[number]) {
            form.take_back(&best.program, module)?;
            best.told.push(Told {
                name: "AsBefore",
                text: format!(
                    "no plan was found that keeps the cap with {}: planned as it was before",
                    form.done
                ),
                other: "changed",
                figures,
                to_be_had: "",
            });
        }
        Ok(best)
    }
}

/// Plans a form of the program within limits.
fn plan_form<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    program: Program<'c, 'a>,
    Asked { options, planner, pipeline, deadline }: Asked<'_>,
    limits: Limits,
) -> Result<Attempt<'c, 'a>, Reported> {
    let planner = ballast_planner::Options { limits, ..planner.clone() };
    let limits = limits_of_whole(&program, options, &planner, pipeline.is_some());
    let whole = ballast_planner::Options { limits, ..planner.clone() };
    Attempt::make(module, program, options, whole, pipeline)?
        .with_fused_ops_split(module, options, planner, deadline)
}
