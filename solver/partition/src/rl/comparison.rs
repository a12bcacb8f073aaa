//! The learner beside the classical searches and the exact answer, on the same chains and for the same time.

use ballast_core::cost::Costs;
use ballast_core::device::CoreModel;
use ballast_core::graph::Graph;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::units::Bytes;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::rl::chains::{PROFILES, UNSEEN, chain};
use crate::rl::classical::{Best, anneal, one_core_stages, random_search, random_state};
use crate::rl::environment::State;
use crate::rl::exact::best_grouping;
use crate::rl::machine::{Machine, Site};
use crate::rl::train::{Episode, Options, RlError, run};
use crate::sequence::{Order, Sequence, sequence_order};

/// Environment steps of a zero-shot answer: well under a second.
pub const ZERO_SHOT_STEPS: u64 = 32_000;

/// Who looks for a grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// The policy acts from an even spread and does not learn, [`ZERO_SHOT_STEPS`] steps.
    ZeroShot,
    /// The learner from a random state.
    RlRandom,
    /// The learner from the plain dynamic programme's answer.
    RlDp,
    /// The learner from a random state, without splices.
    RlPlain,
    /// Simulated annealing from the same random state.
    Annealing,
    /// The same with the splices of the learner.
    AnnealingSplice,
    /// Random walks from the same random state.
    Random,
    /// The best stages of one core each; spare cores go to the slowest stage.
    Dp,
}

impl Contender {
    /// All of them, in the order of tables.
    pub const ALL: [Contender; 8] = [
        Contender::RlRandom,
        Contender::RlDp,
        Contender::ZeroShot,
        Contender::RlPlain,
        Contender::AnnealingSplice,
        Contender::Annealing,
        Contender::Random,
        Contender::Dp,
    ];

    /// Its name in options, and its name in tables.
    #[must_use]
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Contender::RlRandom => ("rl-random", "RL, random start"),
            Contender::RlDp => ("rl-dp", "RL from DP"),
            Contender::ZeroShot => ("zero-shot", "policy, zero-shot"),
            Contender::RlPlain => ("rl-plain", "RL without splices"),
            Contender::Annealing => ("annealing", "annealing"),
            Contender::AnnealingSplice => ("annealing-splice", "annealing with splices"),
            Contender::Random => ("random", "random search"),
            Contender::Dp => ("dp", "plain DP"),
        }
    }

    /// Does its answer depend on the seed?
    #[must_use]
    pub fn seeded(self) -> bool {
        self != Contender::Dp
    }
}

/// A chain with its optimum.
pub struct Case {
    /// Name in tables.
    pub name: String,
    /// The chain on its chip.
    pub machine: Machine,
    /// Slowest stage of the exact answer, seconds.
    pub optimum_seconds: f64,
}

impl Case {
    /// Solves a chain exactly; none where no grouping keeps to the memory.
    #[must_use]
    pub fn new(name: String, machine: Machine) -> Option<Self> {
        let (_, optimum_seconds) = best_grouping(&machine)?;
        Some(Case { name, machine, optimum_seconds })
    }

    /// The op sequence of a program as a chain of at most `layers` runs of ops (cut where few bytes cross), on a chip with
    /// memory for all: `c` cores are `c^exponent` times as fast as one. `seconds[op]` is the time of an op on one core.
    #[must_use]
    pub fn of_program(
        graph: &Graph,
        seconds: &[f64],
        (layers, cores): (usize, usize),
        exponent: f64,
    ) -> Option<Self> {
        let costs = Costs { seconds: vec![seconds.to_vec()] };
        let ops = Sequence::of_ops(graph, &costs, sequence_order(graph, Order::default()));
        let runs = ops.grouped(&ops.run_starts(layers));
        let speed_up = (1..=cores).map(|c| (c as f64).powf(exponent)).collect();
        let model = CoreModel { count: cores, memory_per_core: Bytes(1 << 50), speed_up };
        let name = format!("{} {} x {cores}", graph.name, runs.len());
        Case::new(name, Machine::new(&runs, Site::chip(&model)))
    }

    /// A generated chain no training draws.
    #[must_use]
    pub fn unseen(layers: usize, cores: usize, which: usize, seed: u64) -> Option<Self> {
        let profile = PROFILES[which % PROFILES.len()];
        let machine = chain(layers, cores, profile, UNSEEN + 1000 * seed + which as u64);
        Case::new(format!("{} {layers} x {cores}", profile.name()), machine)
    }
}

/// One run of one contender.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Slowest stage over the optimum.
    pub over_optimum: f64,
    /// The same at the start.
    pub start_over_optimum: f64,
    /// Environment steps.
    pub steps: u64,
    /// Wall-clock seconds, those for loading the policy included.
    pub seconds: f64,
}

/// Runs a contender for so many seconds; it stops early at the optimum.
///
/// # Errors
/// When the library or the saved network cannot be used.
pub fn contend(
    case: &Case,
    contender: Contender,
    options: &Options,
    seed: u64,
    seconds: f64,
) -> Result<Entry, RlError> {
    let machine = &case.machine;
    let (layers, cores) = (machine.layers(), machine.slots());
    let clock = Deadline::after(Some(seconds));
    let bad = || RlError::Options("a chain has layers, and a chip cores".into());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let start = match contender {
        Contender::ZeroShot => State::spread(layers, cores),
        Contender::RlDp | Contender::Dp => one_core_stages(machine),
        _ => random_state(layers, cores, &mut rng),
    }
    .ok_or_else(bad)?;
    let enough = case.optimum_seconds;
    let first = machine.score(&start).tmax_seconds;
    let best = match contender {
        Contender::RlRandom | Contender::RlPlain | Contender::RlDp | Contender::ZeroShot => {
            let acts = contender == Contender::ZeroShot;
            let limits = Limits { seed, work_limit: acts.then_some(ZERO_SHOT_STEPS), ..Limits::default() };
            let rate = if acts { 0.0 } else { options.learning_rate };
            let options = Options {
                episodes: usize::MAX,
                enough_seconds: Some(enough),
                learning_rate: rate,
                splice: contender != Contender::RlPlain,
                ..options.clone()
            };
            run(machine, &start, &options, &limits, &clock, |_| {})?.best
        }
        Contender::Annealing | Contender::AnnealingSplice => {
            let splices = contender == Contender::AnnealingSplice;
            anneal(machine, &start, (u64::MAX, enough), splices, seed, &clock)
        }
        Contender::Random => random_search(machine, &start, 4 * layers, u64::MAX, seed, &clock),
        Contender::Dp => Best { score: machine.score(&start), state: start, steps: 0 },
    };
    Ok(Entry {
        over_optimum: best.score.tmax_seconds / case.optimum_seconds,
        start_over_optimum: first / case.optimum_seconds,
        steps: best.steps,
        seconds: clock.elapsed_seconds(),
    })
}

/// Runs so many episodes of the learner from an even spread and returns what every episode was like; fewer where the answer is
/// proved before.
///
/// # Errors
/// When the library or the saved network cannot be used.
pub fn learning_curve(
    case: &Case,
    options: &Options,
    seed: u64,
    episodes: usize,
) -> Result<Vec<Episode>, RlError> {
    let machine = &case.machine;
    let start = State::spread(machine.layers(), machine.slots())
        .ok_or_else(|| RlError::Options("a chain has layers, and a chip cores".into()))?;
    let limits = Limits { seed, time_limit_seconds: None, ..Limits::default() };
    let options = Options { episodes, ..options.clone() };
    let mut curve = Vec::with_capacity(episodes);
    run(machine, &start, &options, &limits, &Deadline::start(&limits), |episode| curve.push(*episode))?;
    Ok(curve)
}
