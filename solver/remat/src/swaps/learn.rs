//! The learning loop of \[B\]: a scheme, an iteration, a reward, one layer type changed, q of the round before.

use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::memory::{CompactPlan, Replay, SwapModel, expand, replay};
use ballast_core::report::{Bound, Report, SearchStats};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::actions::{Action, Actions};
use super::error::LearnError;
use super::initial::Initial;
use super::iterations::{Iterations, Measured, Simulated};
use super::step::{Candidate, Scheme, TrainingStep};
use super::table::{QTable, updated};

/// Parameters of the learning. Defaults without a note are those of \[B\].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Iterations to learn from; 0: the first round's scheme is the answer as it is.
    pub rounds: u64,
    /// Learning rate.
    pub alpha: f64,
    /// Discount.
    pub gamma: f64,
    /// Probability of an action drawn at random. Not printed in \[B\].
    pub epsilon: f64,
    /// w of the reward, 0 for time alone and 1 for memory alone. Ours; \[B\] gives the range.
    pub weight: f64,
    /// q of pairs not met yet. \[B\] says "one constant"; ours is what staying without swaps for ever is worth,
    /// 1 / (1 - gamma), so that only what has proved better is preferred.
    pub initial_q: f64,
    /// Stop once the reward is at or below it.
    pub target_reward: Option<f64>,
    /// Bytes the plan must fit in. Ours: memory then counts down to the cap and not below, and every part by
    /// which a peak exceeds it adds `cap_weight` times that part to the reward.
    pub cap_bytes: Option<u64>,
    /// See `cap_bytes`.
    pub cap_weight: f64,
    /// After so many rounds without a better scheme learning goes on from the best one; 0: never. Ours.
    pub restart_after: u64,
    /// Scheme of the first round.
    pub initial: Initial,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rounds: 2_000,
            alpha: 0.5,
            gamma: 0.9,
            epsilon: 0.1,
            weight: 0.5,
            initial_q: 10.0,
            target_reward: None,
            cap_bytes: None,
            cap_weight: 4.0,
            restart_after: 12,
            initial: Initial::Best,
        }
    }
}

impl Options {
    /// Checks all that does not depend on a program.
    ///
    /// # Errors
    /// [`LearnError::Options`] naming the first parameter out of its range.
    pub fn check_ranges(&self) -> Result<(), LearnError> {
        let refuse = |reason: String| Err(LearnError::Options(reason));
        for (name, value) in [("alpha", self.alpha), ("epsilon", self.epsilon), ("w", self.weight)] {
            if !(0.0..=1.0).contains(&value) {
                return refuse(format!("{name} is {value}: it lies in 0 to 1"));
            }
        }
        if !(0.0..1.0).contains(&self.gamma) {
            return refuse(format!("gamma is {}: it lies in 0 to 1, 1 left out", self.gamma));
        }
        if !self.initial_q.is_finite() || !self.cap_weight.is_finite() || self.cap_weight < 0.0 {
            return refuse("initial-q is finite, cap-weight finite and not negative".into());
        }
        if self.target_reward.is_some_and(|target| !(target.is_finite() && target > 0.0)) {
            return refuse("target-reward is finite and above 0".into());
        }
        Ok(())
    }

    fn check(&self, candidates: usize) -> Result<(), LearnError> {
        self.check_ranges()?;
        match &self.initial {
            Initial::Given(scheme) if scheme.0.len() != candidates => Err(LearnError::Options(format!(
                "the initial scheme has {} entries and this program {candidates} tensors to swap",
                scheme.0.len()
            ))),
            _ => Ok(()),
        }
    }
}

/// r of \[B\]: `r_time + w·(r_mem - r_time)`, both divided by their values without swaps.
#[must_use]
pub fn reward(relative_time: f64, relative_memory: f64, weight: f64) -> f64 {
    relative_time + weight * (relative_memory - relative_time)
}

/// Reward of schemes that cannot be run.
const NOT_RUNNABLE: f64 = 10.0;

/// What a run of the learner left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The best scheme: of those that fit the cap the fastest, without a cap that of the smallest reward.
    pub scheme: Scheme,
    /// Its iteration.
    pub measured: Measured,
    /// Its reward.
    pub reward: f64,
    /// The iteration without swaps.
    pub unswapped: Measured,
    /// The sum of the step times of all rounds: what learning cost.
    pub learning_time: f64,
    /// The table, to be saved and resumed.
    pub table: QTable,
    /// Rounds of this run.
    pub rounds: u64,
    /// Why it stopped.
    pub stop_reason: StopReason,
}

struct Best {
    scheme: Scheme,
    measured: Measured,
    reward: f64,
    fits: bool,
}

impl Best {
    /// Fitting schemes by time, others by peak under a cap; by reward without one.
    fn key(&self, capped: bool) -> (bool, f64, f64) {
        match (capped, self.fits) {
            (false, _) => (false, self.reward, self.measured.time),
            (true, true) => (false, self.measured.time, self.reward),
            (true, false) => (true, self.measured.peak_bytes as f64, self.measured.time),
        }
    }

    fn before(&self, other: &Best, capped: bool) -> bool {
        let (a, b) = (self.key(capped), other.key(capped));
        (a.0, a.1, a.2) < (b.0, b.1, b.2)
    }
}

/// Learns from iterations, starting from `table` if there is one. The work limit counts rounds.
///
/// # Errors
/// Options out of range, a table of another program, iterations that fail, no scheme under the cap.
pub fn learn(
    candidates: &[Candidate],
    iterations: &mut dyn Iterations,
    table: Option<QTable>,
    options: &Options,
    limits: &Limits,
) -> Result<Learned, LearnError> {
    options.check(candidates.len())?;
    let mut table = match table {
        Some(table) => {
            table.check_fits(candidates)?;
            table
        }
        None => QTable::new(candidates, options.initial_q),
    };
    let deadline = Deadline::start(limits);
    let mut rng = ChaCha8Rng::seed_from_u64(limits.seed);
    let actions = Actions::new(candidates);
    let mut must_run = |scheme: &Scheme, what: &str| {
        iterations.run(scheme)?.ok_or_else(|| LearnError::Iteration(format!("{what} cannot be run")))
    };
    let none = Scheme(vec![false; candidates.len()]);
    let unswapped = must_run(&none, "the iteration without swaps")?;
    let mut record = Record::new(options, none, unswapped);
    let mut scheme = options.initial.scheme(&table);
    if options.rounds == 0 {
        let measured = must_run(&scheme, "the scheme given")?;
        record.best = record.met(scheme.clone(), measured);
    }
    // The pair whose q is updated once the next one is chosen.
    let mut chosen: Option<(Scheme, Action)> = None;
    let stop_reason = loop {
        if options.rounds == 0 {
            break StopReason::Finished;
        }
        let reward = record.count(&scheme, iterations.run(&scheme)?);
        if let Some(reason) = record.stops(limits, &deadline, &actions) {
            break reason;
        }
        if options.restart_after > 0 && record.since_best >= options.restart_after {
            scheme = record.best.scheme.clone();
            record.since_best = 0;
        }
        let action = choose(&table, &scheme, &actions, options.epsilon, &mut rng);
        if let Some((from, before)) = chosen.take() {
            let (q, q_next) = (table.value(&from, before), table.value(&scheme, action));
            table.set(&from, before, updated(q, reward, q_next, options.alpha, options.gamma));
        }
        let next = actions.apply(&scheme, action);
        chosen = Some((std::mem::replace(&mut scheme, next), action));
    };
    let Record { best, learning_time, rounds, .. } = record;
    table.rounds += rounds;
    if let (Some(cap), false) = (options.cap_bytes, best.fits) {
        return Err(LearnError::OverCap { cap, smallest: best.measured.peak_bytes, rounds });
    }
    table.best = Some(best.scheme.clone());
    Ok(Learned {
        scheme: best.scheme,
        measured: best.measured,
        reward: best.reward,
        unswapped,
        learning_time,
        table,
        rounds,
        stop_reason,
    })
}

/// What the iterations have shown so far.
struct Record<'a> {
    options: &'a Options,
    unswapped: Measured,
    best: Best,
    learning_time: f64,
    rounds: u64,
    /// Rounds since the best scheme was met.
    since_best: u64,
}

impl<'a> Record<'a> {
    fn new(options: &'a Options, none: Scheme, unswapped: Measured) -> Self {
        let best = Best { scheme: none, measured: unswapped, reward: NOT_RUNNABLE, fits: false };
        let mut record = Record { options, unswapped, best, learning_time: 0.0, rounds: 0, since_best: 0 };
        record.best = record.met(record.best.scheme.clone(), unswapped);
        record
    }

    fn met(&self, scheme: Scheme, measured: Measured) -> Best {
        Best {
            scheme,
            measured,
            reward: scored(&measured, &self.unswapped, self.options),
            fits: self.options.cap_bytes.is_none_or(|cap| measured.peak_bytes <= cap),
        }
    }

    /// Counts a round, and gives its reward.
    fn count(&mut self, scheme: &Scheme, measured: Option<Measured>) -> f64 {
        self.rounds += 1;
        self.since_best += 1;
        let Some(measured) = measured else { return NOT_RUNNABLE };
        self.learning_time += measured.time;
        let met = self.met(scheme.clone(), measured);
        let reward = met.reward;
        if met.before(&self.best, self.options.cap_bytes.is_some()) {
            self.best = met;
            self.since_best = 0;
        }
        reward
    }

    fn stops(&self, limits: &Limits, deadline: &Deadline, actions: &Actions) -> Option<StopReason> {
        let Options { rounds: asked, target_reward, .. } = *self.options;
        let limit = asked.min(limits.work_limit.unwrap_or(u64::MAX));
        if target_reward.is_some_and(|target| self.best.reward <= target && self.best.fits) {
            return Some(StopReason::Finished);
        }
        if self.rounds >= limit {
            return Some(if limit < asked { StopReason::WorkLimit } else { StopReason::Finished });
        }
        if deadline.over() {
            return Some(deadline.reason());
        }
        actions.list().is_empty().then_some(StopReason::Finished)
    }
}

fn scored(measured: &Measured, unswapped: &Measured, options: &Options) -> f64 {
    let ratio = |value: f64, base: f64| if base > 0.0 { value / base } else { 1.0 };
    let time = ratio(measured.time, unswapped.time);
    let base = unswapped.peak_bytes as f64;
    match options.cap_bytes {
        None => reward(time, ratio(measured.peak_bytes as f64, base), options.weight),
        Some(cap) => {
            let counted = measured.peak_bytes.max(cap);
            let excess = ratio((counted - cap) as f64, cap.max(1) as f64);
            reward(time, ratio(counted as f64, base), options.weight) + options.cap_weight * excess
        }
    }
}

/// Epsilon-greedy: with probability epsilon a layer type's group at random, else the smallest q, ties at random.
fn choose(table: &QTable, scheme: &Scheme, actions: &Actions, epsilon: f64, rng: &mut ChaCha8Rng) -> Action {
    if rng.random_bool(epsilon) {
        return actions.list()[rng.random_range(0..actions.list().len())];
    }
    let smallest = table.smallest(scheme, actions);
    smallest[rng.random_range(0..smallest.len())]
}

/// A learned plan that the judge has passed, with its replay and report, from simulated iterations.
///
/// `report.value` is the step time, its bound the time of every node once.
///
/// # Errors
/// See [`learn`]; also a problem or a swap model that makes no sense.
pub fn plan(
    step: &TrainingStep,
    swap: &SwapModel,
    table: Option<QTable>,
    options: &Options,
    limits: &Limits,
) -> Result<(CompactPlan, Replay, Learned, Report), LearnError> {
    step.problem.check().map_err(|error| LearnError::Options(error.to_string()))?;
    if step.layers.len() != step.problem.nodes.len() {
        return Err(LearnError::Options(format!(
            "layer types for {} nodes of {}",
            step.layers.len(),
            step.problem.nodes.len()
        )));
    }
    if !swap.is_sound() {
        return Err(LearnError::Options(
            "the swap bandwidths are not above zero or the latency is negative".into(),
        ));
    }
    let candidates = step.candidates();
    let mut iterations = Simulated::new(step, &candidates, swap, options.cap_bytes);
    plan_from(step, swap, &mut iterations, table, options, limits)
}

/// The same from any iterations. What they measure decides; where that is not the simulator, the plan's replay may come to another time,
/// and has to keep the cap as well.
///
/// # Errors
/// See [`learn`].
pub fn plan_from(
    step: &TrainingStep,
    swap: &SwapModel,
    iterations: &mut dyn Iterations,
    table: Option<QTable>,
    options: &Options,
    limits: &Limits,
) -> Result<(CompactPlan, Replay, Learned, Report), LearnError> {
    let clock = Deadline::start(limits);
    let candidates = step.candidates();
    let learned = learn(&candidates, iterations, table, options, limits)?;
    let plan = step.plan_of(&candidates, &learned.scheme, swap);
    let judged = expand(&step.problem, &plan)
        .map_err(|error| error.to_string())
        .and_then(|schedule| {
            replay(&step.problem, &schedule, Some(swap), options.cap_bytes).map_err(|error| error.to_string())
        })
        .map_err(LearnError::Iteration)?;
    let search = SearchStats {
        method: "q-learning".into(),
        stop_reason: learned.stop_reason,
        seconds: clock.elapsed_seconds(),
        work: learned.rounds,
        seed: limits.seed,
    };
    let bound = Bound::each_op_once(step.problem.total_time());
    let report =
        Report::new(judged.time, bound, search).map_err(|error| LearnError::Iteration(error.to_string()))?;
    Ok((plan, judged, learned, report))
}

#[cfg(test)]
mod tests {
    use super::super::step::tests::chain;
    use super::*;

    fn model(overlap: bool) -> SwapModel {
        SwapModel {
            out_bandwidth: 400.0,
            in_bandwidth: 400.0,
            latency: 0.0,
            overlap,
            host_capacity_bytes: None,
        }
    }

    fn limits(seed: u64) -> Limits {
        Limits { time_limit_seconds: None, work_limit: None, seed, threads: 1 }
    }

    #[test]
    fn the_reward_of_the_printed_example() {
        assert!((reward(0.8, 0.4, 0.25) - 0.7).abs() < 1e-12);
        assert_eq!(reward(0.8, 0.4, 0.0), 0.8);
        assert_eq!(reward(0.8, 0.4, 1.0), 0.4);
    }

    #[test]
    fn a_scheme_is_taken_as_it_is_where_no_round_is_run() {
        let step = chain(5, 80, 1.0);
        let candidates = step.candidates().len();
        let run = |initial, rounds| {
            let options = Options { initial, rounds, ..Options::default() };
            plan(&step, &model(false), None, &options, &limits(0)).expect("a plan")
        };
        let given: Scheme = Scheme((0..candidates).map(|i| i % 2 == 1).collect());
        let (_, replay, learned, _) = run(Initial::Given(given.clone()), 0);
        assert_eq!((&learned.scheme, learned.rounds), (&given, 0));
        assert!(replay.time > step.problem.total_time(), "copies in full");
        assert_eq!(run(Initial::All, 0).2.scheme, Scheme(vec![true; candidates]));
        assert_eq!(run(Initial::None, 0).2.scheme, Scheme(vec![false; candidates]));
    }

    #[test]
    fn learning_stops_at_the_target() {
        let step = chain(8, 80, 1.0);
        let run = |target_reward| {
            let options = Options { target_reward, weight: 1.0, rounds: 300, ..Options::default() };
            plan(&step, &model(false), None, &options, &limits(3)).expect("a plan").2
        };
        let (all, part) = (run(None), run(Some(0.8)));
        assert_eq!(all.rounds, 300);
        assert!(part.rounds < 300 && part.reward <= 0.8, "{} rounds, {}", part.rounds, part.reward);
    }

    /// Reports fixed times, so that the delayed updates can be followed by hand.
    struct Scripted(Vec<f64>);
    impl Iterations for Scripted {
        fn run(&mut self, _: &Scheme) -> Result<Option<Measured>, LearnError> {
            Ok(Some(Measured { time: self.0.remove(0), peak_bytes: 100 }))
        }
    }

    #[test]
    fn a_round_updates_the_pair_of_the_round_before() {
        let candidates = chain(2, 80, 1.0).candidates();
        let options = Options {
            rounds: 3,
            initial_q: 0.0,
            epsilon: 0.0,
            weight: 0.0,
            restart_after: 0,
            ..Options::default()
        };
        // Without swaps 10; then rounds of 10, 6, 8. After round 2 the pair chosen before it has reward 0.6 and
        // a next q of 0: 0.3. Round 3's pair has no successor yet and stays.
        let mut script = Scripted(vec![10.0, 10.0, 6.0, 8.0]);
        let learned = learn(&candidates, &mut script, None, &options, &limits(0)).expect("learned");
        let none = Scheme(vec![false; candidates.len()]);
        let row = learned.table.row(&none);
        assert_eq!(row.len(), 1);
        assert!((row[0].1 - 0.3).abs() < 1e-12, "{row:?}");
        assert_eq!(learned.learning_time, 24.0);
        assert_eq!(learned.measured.time, 6.0);
    }

    #[test]
    fn peaks_come_under_the_cap_in_every_seed() {
        let step = chain(8, 80, 1.0);
        let unplanned = step.problem.unplanned_peak();
        let cap = unplanned * 6 / 10;
        for overlap in [false, true] {
            for seed in 0..5 {
                let options = Options { cap_bytes: Some(cap), ..Options::default() };
                let (_, replay, learned, report) =
                    plan(&step, &model(overlap), None, &options, &limits(seed)).expect("a plan");
                assert!(replay.peak_bytes <= cap, "{} over {cap}", replay.peak_bytes);
                assert_eq!(replay.time, learned.measured.time);
                assert!(report.bound().value() <= report.value);
                if !overlap {
                    // Every copy counts in full: the time follows from the bytes.
                    let copies = replay.swap_bytes as f64 / 400.0;
                    assert!((replay.time - step.problem.total_time() - copies).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn learned_swaps_are_close_to_the_best_scheme() {
        let step = chain(5, 80, 1.0);
        let candidates = step.candidates();
        let cap = step.problem.unplanned_peak() * 7 / 10;
        let swap = model(false);
        let mut iterations = Simulated::new(&step, &candidates, &swap, Some(cap));
        let mut best = f64::INFINITY;
        for code in 0..1u32 << candidates.len() {
            let scheme = Scheme((0..candidates.len()).map(|i| code >> i & 1 == 1).collect());
            let measured = iterations.run(&scheme).expect("simulated").expect("runnable");
            if measured.peak_bytes <= cap {
                best = best.min(measured.time);
            }
        }
        for seed in 0..5 {
            let options = Options { cap_bytes: Some(cap), ..Options::default() };
            let (_, replay, ..) = plan(&step, &swap, None, &options, &limits(seed)).expect("a plan");
            assert!(replay.time >= best - 1e-9);
            assert!(replay.time <= best * 1.02, "seed {seed}: {} for {best}", replay.time);
        }
    }

    #[test]
    fn a_table_is_carried_on() {
        let step = chain(8, 80, 1.0);
        let cap = step.problem.unplanned_peak() * 6 / 10;
        let options = |rounds| Options { cap_bytes: Some(cap), rounds, ..Options::default() };
        let (_, first, learned, _) =
            plan(&step, &model(false), None, &options(400), &limits(1)).expect("a plan");
        let text = serde_json::to_string(&learned.table).expect("plain data");
        let table = QTable::parse(&text).expect("a table");
        let (_, second, carried, _) =
            plan(&step, &model(false), Some(table), &options(100), &limits(2)).expect("a plan");
        assert!(second.time <= first.time);
        assert_eq!(carried.table.rounds, 500);
        let other = chain(9, 80, 1.0);
        let refused = plan(&other, &model(false), Some(carried.table), &options(10), &limits(0));
        assert!(matches!(refused, Err(LearnError::Table(_))));
    }

    #[test]
    fn caps_out_of_reach_and_broken_options_are_refused() {
        let step = chain(4, 80, 1.0);
        let options = Options { cap_bytes: Some(100), rounds: 300, ..Options::default() };
        let error =
            plan(&step, &model(false), None, &options, &limits(0)).expect_err("too small").to_string();
        assert!(error.contains("fits in 100 bytes: the smallest peak"), "{error}");
        for options in [
            Options { alpha: 2.0, ..Options::default() },
            Options { gamma: 1.0, ..Options::default() },
            Options { target_reward: Some(0.0), ..Options::default() },
            Options { initial: Initial::Given(Scheme(vec![true])), ..Options::default() },
        ] {
            let refused = plan(&step, &model(false), None, &options, &limits(0));
            assert!(matches!(refused, Err(LearnError::Options(_))), "{options:?}");
        }
    }

    #[test]
    fn same_seed_same_bytes() {
        let step = chain(6, 80, 1.0);
        let run = |seed| {
            let (plan, _, learned, _) = plan(
                &step,
                &model(false),
                None,
                &Options { rounds: 200, ..Options::default() },
                &limits(seed),
            )
            .expect("a plan");
            serde_json::to_string(&(plan, learned)).expect("plain data")
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }
}
