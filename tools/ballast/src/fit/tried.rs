//! A plan that was measured, and which of several is written.

use serde::Serialize;

use super::forms::Form;
use super::learned::Learned;

/// A plan that XLA takes so much more for than it says, as a share, is made again.
const UNDERSTATED: f64 = 0.01;
/// A plan that XLA takes so much more or less for than was expected, as a share, is known badly.
const MISSTATED: f64 = 0.1;
/// And it is as good as one that takes what it says with so many times its operations.
const ITS_WORD: f64 = 1.002;

/// A plan and what XLA took for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Try {
    /// Form of the program that was planned.
    pub(super) program: String,
    /// Model of what XLA stores that it was planned with.
    pub(super) fusion: String,
    /// Cap the plan was asked for.
    pub(super) asked_bytes: u64,
    /// Peak by the plan.
    pub(super) predicted_bytes: u64,
    /// What XLA is expected to take for it: the peak, less what XLA took less than the plans before.
    pub(super) expected_bytes: u64,
    /// Ops of which more was known than is predicted, from what XLA held of the plans before.
    pub(super) corrected_ops: usize,
    /// What XLA takes.
    pub(super) measured_bytes: u64,
    /// Operations of the planned program, as XLA counts them.
    pub(super) flops: Option<f64>,
    /// Does it keep the cap?
    pub(super) fits: bool,
    /// Does it take more than the program as it is?
    pub(super) above_unplanned: bool,
    /// Is it without recomputation and swaps?
    #[serde(skip)]
    pub(super) free: bool,
    /// Did a limit of time or work end the search for it? Then that no smaller plan was found does not say that there is none.
    pub(super) cut_short: bool,
    /// Operations with loops counted as often as they run, as near as that is known.
    pub(super) compared_flops: Option<f64>,
    /// How many times the operations of the best other plan it may take and be as good; see [`Form::margin`].
    #[serde(skip)]
    pub(super) margin: f64,
}

impl Try {
    /// Does XLA take more for it than its plan says, by enough that whoever reads the plan is misled?
    pub(super) fn understates(&self) -> bool {
        self.measured_bytes as f64 > self.predicted_bytes as f64 * (1.0 + UNDERSTATED)
    }

    /// Does XLA take another amount for it than was expected, by so much that its model is no guide?
    pub(super) fn is_far_off(&self) -> bool {
        let off = self.measured_bytes.abs_diff(self.expected_bytes) as f64;
        off > self.expected_bytes as f64 * MISSTATED
    }

    /// Does XLA take another amount for it than it says, or than was expected?
    fn misstates(&self) -> bool {
        self.understates() || self.is_far_off()
    }

    /// Does it take more than a program without a plan, and compute no less, so that nothing speaks for it? What it computes less where it changes nothing, as XLA
    /// fuses in another order, is not its merit.
    pub(super) fn gains_nothing_over(&self, unplanned: &Try) -> bool {
        let flops = |tried: &Try| tried.compared_flops.unwrap_or(f64::INFINITY);
        let changes_nothing = self.free && self.program == unplanned.program;
        self.measured_bytes > unplanned.measured_bytes
            && (changes_nothing || flops(self) >= self.margin * flops(unplanned))
    }

    /// Compares a plan of paired loops with what is known of the form now, where something else was `before`.
    pub(super) fn compare_again(&mut self, before: &Form, now: &Form) {
        let more = now.compared_flops().zip(before.compared_flops()).map(|(now, before)| now - before);
        self.compared_flops = self.compared_flops.zip(more).map(|(flops, more)| flops + more);
        self.margin = now.margin;
    }

    /// A form of the program as it is.
    pub(super) fn without_plan(form: &Form) -> Self {
        Try {
            program: form.name.clone(),
            fusion: NO_PLAN.to_owned(),
            asked_bytes: form.measured_bytes,
            predicted_bytes: form.measured_bytes,
            expected_bytes: form.measured_bytes,
            corrected_ops: 0,
            measured_bytes: form.measured_bytes,
            flops: form.flops,
            fits: true,
            above_unplanned: false,
            free: true,
            cut_short: false,
            compared_flops: form.compared_flops(),
            margin: form.margin,
        }
    }
}

/// A plan that was made, and what came of it.
pub(super) struct Attempt {
    pub(super) tried: Try,
    /// What it taught.
    pub(super) learned: Option<Learned>,
    /// Was the same program measured before?
    pub(super) is_known: bool,
}

/// What stands for a model where nothing was planned.
const NO_PLAN: &str = "no-plan";

/// The try that keeps the cap with the fewest operations, then with the least memory, then that says how much, then the first. One with a margin is as good
/// as one with so many times fewer operations; one that takes another amount than it says is not as good as it looks. One whose operations are not known comes after all others.
pub(super) fn best(tries: &[Try]) -> Option<usize> {
    let flops = |index: usize| {
        let tried = &tries[index];
        // That more is taken than was said is worse than that less is.
        let held_to = match (tried.understates(), tried.misstates()) {
            (true, _) => ITS_WORD * ITS_WORD,
            (false, true) => ITS_WORD,
            (false, false) => 1.0,
        };
        // What is not known to be few is not few.
        tried.compared_flops.unwrap_or(f64::INFINITY) * held_to
    };
    let key = |index: usize| (flops(index), tries[index].measured_bytes, tries[index].misstates());
    let least = |indices: &mut dyn Iterator<Item = usize>| {
        indices.reduce(|best, index| if key(index) < key(best) { index } else { best })
    };
    let fitting = || (0..tries.len()).filter(|&index| tries[index].fits);
    let all = least(&mut fitting())?;
    let favoured = least(&mut fitting().filter(|&index| tries[index].margin > 1.0));
    Some(favoured.filter(|&index| flops(index) <= tries[index].margin * flops(all)).unwrap_or(all))
}

#[cfg(test)]
mod tests {
    use super::super::forms::{AS_IS, Form};
    use super::super::search::tests::a_try;
    use super::{Try, best};

    #[test]
    fn a_try_whose_operations_are_not_known_comes_last() {
        let unknown = |measured| Try { flops: None, compared_flops: None, ..a_try(measured, 0.0, 1000) };
        assert_eq!(best(&[unknown(500), a_try(900, 3.0, 1000)]), Some(1));
        assert_eq!(best(&[Try { margin: 1.1, ..unknown(500) }, a_try(900, 3.0, 1000)]), Some(1));
        // Where none are known, memory decides.
        assert_eq!(best(&[unknown(900), unknown(500)]), Some(1));
        assert_eq!(best(&[unknown(1500), unknown(900)]), Some(1));
    }

    #[test]
    fn more_memory_than_without_a_plan_is_taken_for_fewer_operations_alone() {
        let unplanned = Try { free: true, ..a_try(900, 3.0, 1000) };
        let gains_nothing = |tried: Try| tried.gains_nothing_over(&unplanned);
        assert!(gains_nothing(a_try(901, 3.0, 1000)) && !gains_nothing(a_try(900, 3.5, 1000)));
        assert!(!gains_nothing(a_try(950, 2.9, 1000)));
        assert!(gains_nothing(Try { free: true, ..a_try(901, 2.999, 1000) }));
        // Of another form it may be.
        let of_other =
            |flops| Try { free: true, program: "loop-pairs".to_owned(), ..a_try(950, flops, 1000) };
        assert!(gains_nothing(of_other(3.0)) && !gains_nothing(of_other(2.9)));
        // Loops that stay are worth a tenth.
        assert!(!gains_nothing(Try { margin: 1.1, ..of_other(3.2) }));
    }

    #[test]
    fn plans_of_pairs_keep_what_they_compute_more_once_the_program_is_known_better() {
        let form = |scale, margin| Form {
            name: AS_IS.to_owned(),
            file: std::path::PathBuf::new(),
            function: String::new(),
            around_bytes: 0,
            measured_bytes: 0,
            flops: Some(10.0),
            scale,
            margin,
        };
        let mut tried = Try { margin: 1.1, ..a_try(900, 25.0, 1000) };
        tried.compare_again(&form(2.0, 1.1), &form(4.0, 1.0));
        assert_eq!((tried.compared_flops, tried.margin), (Some(45.0), 1.0));
        let unknown = Form { flops: None, ..form(4.0, 1.0) };
        tried.compare_again(&unknown, &unknown);
        assert_eq!(tried.compared_flops, None);
    }
}
