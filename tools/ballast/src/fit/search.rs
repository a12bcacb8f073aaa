//! Which cap to ask a planner for, given what its plans for other caps took.

use super::learned::Learned;
use super::next_cap::{Taken, is_enough, next_cap, slack};
use super::planner::BOUNDLESS;
use super::tried::{Try, best};

/// Which cap to ask for next.
pub(super) struct Search {
    pub(super) cap_bytes: u64,
    pub(super) within: f64,
    /// Does the program keep the cap without a plan?
    pub(super) unplanned_fits: bool,
    /// Did planning or compiling fail?
    pub(super) closed: bool,
    /// Did planning fail as no plan was found in time, though none was proved not to be there?
    pub(super) ran_out: bool,
    /// Was a plan made once more as it took more than it said?
    pub(super) said_again: bool,
    /// Plans that came to a program that was measured before: among the tries, but none of those that were asked for.
    pub(super) repeats: usize,
    /// How many times the limits that were given its plans are made in.
    pub(super) patience: u32,
    pub(super) tries: Vec<Try>,
    /// What XLA held of the plans before, where that can be told.
    pub(super) learned: Option<Learned>,
}

/// How many times longer a search is made that had too little time.
const MORE_PATIENCE: u32 = 4;
/// How many times longer than was asked for it is made at most.
const MOST_PATIENCE: u32 = 4;
/// Plans in a row that are no better than one before them, after which what is learned leads nowhere.
const IN_VAIN: usize = 2;
/// Plans that come to a program that was measured before, after which a search is given up: it moves between few plans.
const MOST_REPEATS: usize = 3;

impl Search {
    pub(super) fn new(cap_bytes: u64, within: f64) -> Self {
        Search {
            cap_bytes,
            within,
            unplanned_fits: false,
            closed: false,
            ran_out: false,
            said_again: false,
            repeats: 0,
            patience: 1,
            tries: Vec::new(),
            learned: None,
        }
    }

    /// How many of its plans were measured.
    pub(super) fn measured(&self) -> usize {
        self.tries.len() - self.repeats
    }

    /// Takes in a plan that came to a program that was measured before. What that takes for this cap narrows the search; where nothing else was learned, another
    /// plan would be the same again.
    pub(super) fn repeat(&mut self, tried: Try, learned: Option<Learned>) {
        self.tries.push(tried);
        self.repeats += 1;
        let is_stuck = learned.is_some() && learned == self.learned;
        self.learned = learned;
        self.closed |= is_stuck || self.repeats >= MOST_REPEATS;
    }

    /// Could more time find what was not found? Either no plan was there in time, or none for the cap that was asked for.
    pub(super) fn wants_time(&self) -> bool {
        let raised = |tried: &Try| tried.cut_short && tried.predicted_bytes > tried.asked_bytes;
        self.patience < MOST_PATIENCE && (self.ran_out || self.tries.last().is_some_and(raised))
    }

    /// The cap to ask for once more, with more time.
    pub(super) fn again(&mut self) -> u64 {
        self.patience = self.patience.saturating_mul(MORE_PATIENCE).min(MOST_PATIENCE);
        (self.closed, self.ran_out) = (false, false);
        let slack = slack(self.cap_bytes, self.within);
        self.learned.as_ref().map_or(self.cap_bytes, |learned| learned.asked(self.cap_bytes - slack / 2))
    }

    /// The cap to ask for, or none if another plan is not worth it.
    pub(super) fn next(&self) -> Option<u64> {
        if self.closed {
            return None;
        }
        let Some(last) = self.tries.last() else {
            return Some(if self.unplanned_fits { BOUNDLESS } else { self.cap_bytes });
        };
        // A plan that changes nothing still holds ops back, which may cost memory.
        if self.unplanned_fits && self.tries.len() == 1 && !last.fits {
            return Some(self.cap_bytes);
        }
        let taken: Vec<Taken> = self.tries.iter().map(Taken::from).collect();
        if is_enough(&taken, self.cap_bytes, self.within) {
            return None;
        }
        if let Some(learned) = &self.learned {
            let slack = slack(self.cap_bytes, self.within);
            // The model was corrected by every plan: where it says now that the cap is kept, it is asked again.
            let best = best(&self.tries)
                .or_else(|| (0..self.tries.len()).min_by_key(|&at| self.tries[at].measured_bytes));
            let in_vain = best.is_some_and(|best| best + IN_VAIN < self.tries.len());
            // No plan for less was found, by a search that came to its end, with a model that says what XLA takes.
            let asked_more = last.asked_bytes.saturating_sub(self.cap_bytes);
            let least = last.predicted_bytes > last.asked_bytes
                && !last.cut_short
                && (last.measured_bytes + asked_more).abs_diff(last.predicted_bytes) <= slack;
            let asked = learned.asked(self.cap_bytes - slack / 2);
            if in_vain {
                // There is memory left, and what the last plan took too much of it is what the model does not know: less is asked by that, once.
                let over = last.measured_bytes.saturating_sub(self.cap_bytes);
                return (self.tries.iter().any(|tried| tried.fits) && over > 0 && last.asked_bytes >= asked)
                    .then(|| asked.saturating_sub(over));
            }
            return (!least).then_some(asked);
        }
        next_cap(&taken, self.cap_bytes, self.within)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::forms::AS_IS;
    use super::super::tried::best;
    use super::{Learned, Search, Try};

    pub(in crate::fit) fn a_try(measured_bytes: u64, flops: f64, cap: u64) -> Try {
        Try {
            program: AS_IS.to_owned(),
            fusion: "xla-cpu".to_owned(),
            asked_bytes: cap,
            predicted_bytes: cap,
            expected_bytes: cap,
            corrected_ops: 0,
            measured_bytes,
            flops: Some(flops),
            fits: measured_bytes <= cap,
            above_unplanned: false,
            free: false,
            cut_short: false,
            compared_flops: Some(flops),
            margin: 1.0,
        }
    }

    /// Tries against a back end that takes what `takes` says, until the search has enough.
    fn tried(cap: u64, takes: impl Fn(u64) -> u64, free_from: u64) -> Search {
        let mut search = Search::new(cap, 0.03);
        while let Some(asked_bytes) = search.next() {
            assert!(search.tries.len() < 20, "{:?}", search.tries);
            let measured_bytes = takes(asked_bytes);
            // The more memory, the fewer operations.
            let flops = 1e6 - asked_bytes.min(free_from) as f64;
            let free = asked_bytes >= free_from;
            search.tries.push(Try {
                asked_bytes,
                predicted_bytes: asked_bytes,
                free,
                ..a_try(measured_bytes, flops, cap)
            });
        }
        search
    }

    #[test]
    fn a_prediction_that_is_right_needs_one_plan() {
        let search = tried(1000, |asked| asked - 5, 10_000);
        assert_eq!((search.tries.len(), best(&search.tries)), (1, Some(0)));
    }

    #[test]
    fn memory_that_is_left_is_used_and_memory_that_is_not_there_is_given_back() {
        for factor in [0.3, 0.62, 0.9, 1.1, 1.7] {
            let search = tried(1000, |asked| (asked as f64 * factor) as u64 + 20, 10_000);
            let best = &search.tries[best(&search.tries).unwrap()];
            assert!((970..=1000).contains(&best.measured_bytes), "{factor}: {:?}", search.tries);
            assert!(search.tries.len() <= 5, "{factor}: {:?}", search.tries);
        }
    }

    #[test]
    fn steps_are_bracketed_until_the_bracket_is_narrow() {
        // Nothing between 700 and 1200 can be had.
        let search = tried(1000, |asked| if asked < 1234 { 700 } else { 1200 }, 10_000);
        let best = &search.tries[best(&search.tries).unwrap()];
        assert!((1200..1234).contains(&best.asked_bytes), "{:?}", search.tries);
    }

    #[test]
    fn a_plan_that_costs_nothing_is_enough_and_one_above_what_it_was_asked_for_is_the_last() {
        let search = tried(1000, |asked| asked / 2, 1500);
        assert!(search.tries.last().unwrap().free && search.tries.len() < 4);
        let mut search = Search::new(1000, 0.03);
        let raised = Try { predicted_bytes: 1500, ..a_try(1400, 1.0, 1000) };
        search.tries.push(raised.clone());
        assert_eq!((search.next(), best(&search.tries)), (None, None));
        search.tries[0] = Try { measured_bytes: 900, fits: true, ..raised };
        assert_eq!((search.next(), best(&search.tries)), (Some(1641), Some(0)));
    }

    #[test]
    fn a_model_that_learns_is_asked_until_it_is_right_or_no_better() {
        let learning =
            |tries: Vec<Try>| Search { tries, learned: Some(Learned::default()), ..Search::new(1000, 0.03) };
        let raised =
            |predicted_bytes, measured_bytes| Try { predicted_bytes, ..a_try(measured_bytes, 1.0, 1000) };
        // Above the cap, whatever was predicted: the model is another one now.
        assert_eq!(learning(vec![raised(1000, 1500)]).next(), Some(985));
        assert_eq!(learning(vec![raised(1500, 2000)]).next(), Some(985));
        // It said what was measured, and no plan for less was found.
        assert_eq!(learning(vec![raised(1500, 1510)]).next(), None);
        // Or the time was over before one was found.
        let cut_short = Try { cut_short: true, ..raised(1500, 1510) };
        assert_eq!(learning(vec![cut_short]).next(), Some(985));
        // Twice no better than before.
        let tries = vec![raised(1000, 1300), raised(1000, 1400)];
        assert_eq!(learning(tries.clone()).next(), Some(985));
        assert_eq!(learning([tries, vec![raised(1000, 1350)]].concat()).next(), None);
        assert_eq!(learning(vec![raised(1000, 980)]).next(), None);
    }

    #[test]
    fn memory_that_a_model_in_vain_leaves_is_asked_for_once_more_with_less() {
        let asked = |asked_bytes, measured| Try { asked_bytes, ..a_try(measured, 1.0, 1000) };
        let tries = vec![asked(1000, 600), asked(985, 1150), asked(985, 1100)];
        let search = |tries| Search { tries, learned: Some(Learned::default()), ..Search::new(1000, 0.03) };
        assert_eq!(search(tries.clone()).next(), Some(885));
        assert_eq!(search([tries, vec![asked(885, 1050)]].concat()).next(), None);
        // Nothing keeps the cap: the model knows too little for that, too.
        assert_eq!(search(vec![asked(1000, 1090), asked(985, 1150), asked(985, 1100)]).next(), None);
    }

    #[test]
    fn a_plan_that_was_measured_before_narrows_the_search_and_is_no_try() {
        let mut search = Search::new(1000, 0.03);
        search.tries.push(a_try(1500, 1.0, 1000));
        assert_eq!(search.next(), Some(656));
        // The same program for less: it is less yet that has to be asked for.
        search.repeat(Try { asked_bytes: 656, predicted_bytes: 656, ..a_try(1500, 1.0, 1000) }, None);
        assert_eq!((search.measured(), search.next()), (1, Some(430)));
        for _ in 0..2 {
            search.repeat(Try { asked_bytes: 430, predicted_bytes: 430, ..a_try(1500, 1.0, 1000) }, None);
        }
        assert_eq!((search.measured(), search.next()), (1, None));
        // What taught nothing new is asked for in vain.
        let learned = || Some(Learned::default());
        let mut search = Search { learned: learned(), ..Search::new(1000, 0.03) };
        search.tries.push(a_try(1500, 1.0, 1000));
        search.repeat(a_try(1500, 1.0, 1000), Some(Learned::beside_stacks(1)));
        assert!(search.next().is_some());
        search.repeat(a_try(1500, 1.0, 1000), Some(Learned::beside_stacks(1)));
        assert_eq!(search.next(), None);
    }

    #[test]
    fn a_search_that_had_too_little_time_is_given_more_once() {
        let mut ran_out = Search { closed: true, ran_out: true, ..Search::new(1000, 0.03) };
        assert!(ran_out.wants_time() && ran_out.next().is_none());
        assert_eq!((ran_out.again(), ran_out.next(), ran_out.patience), (1000, Some(1000), 4));
        // Longer yet it is not made.
        (ran_out.closed, ran_out.ran_out) = (true, true);
        assert!(!ran_out.wants_time());
        // What failed otherwise, was proved, or kept what it was asked for gains nothing.
        assert!(!Search { closed: true, ..Search::new(1000, 0.03) }.wants_time());
        let raised = Try { predicted_bytes: 1500, ..a_try(1500, 1.0, 1000) };
        let of = |tried: Try| Search { tries: vec![tried], ..Search::new(1000, 0.03) };
        assert!(!of(raised.clone()).wants_time());
        assert!(!of(Try { cut_short: true, ..a_try(1500, 1.0, 1000) }).wants_time());
        assert!(of(Try { cut_short: true, ..raised }).wants_time());
    }

    #[test]
    fn what_fits_as_it_is_is_not_planned_for_a_prediction() {
        let search = Search { unplanned_fits: true, ..Search::new(1000, 0.03) };
        assert!(search.next().unwrap() > 1 << 40);
        // Unless that takes more than the cap, since a plan holds ops back.
        let boundless = a_try(1200, 2.0, 1000);
        let search = Search { tries: vec![boundless], ..search };
        assert_eq!(search.next(), Some(1000));
    }
}
