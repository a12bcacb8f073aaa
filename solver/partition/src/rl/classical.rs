//! Random search and simulated annealing in the same environment: what a learner has to beat.

use ballast_core::limits::Deadline;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::rl::environment::{Action, Group, State};
use crate::rl::machine::{Machine, Score};
use crate::rl::splice::Seen;

/// The best state a search saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The state.
    pub state: State,
    /// Its loads.
    pub score: Score,
    /// Environment steps taken.
    pub steps: u64,
}

impl Best {
    /// States without violations are better if their slowest stage is faster than this, seconds.
    #[must_use]
    pub(crate) fn to_beat(&self) -> f64 {
        if self.score.violations == 0 { self.score.tmax_seconds } else { f64::INFINITY }
    }

    /// Takes a state found after so many steps, if there is one and it is better.
    pub(super) fn renew(&mut self, machine: &Machine, state: Option<State>, steps: u64) {
        let Some(state) = state else { return };
        let score = machine.score(&state);
        if better(&score, &self.score) {
            *self = Best { state, score, steps };
        }
    }
}

/// Is a state better: fewer violations, then a faster slowest stage.
#[must_use]
pub fn better(new: &Score, old: &Score) -> bool {
    (new.violations, new.tmax_seconds) < (old.violations, old.tmax_seconds)
}

/// A state drawn at random: any number of groups, two at least where that can be, layers and cores dealt to them in any way.
#[must_use]
pub(crate) fn random_state(layers: usize, cores: usize, rng: &mut ChaCha8Rng) -> Option<State> {
    let most = layers.min(cores);
    if most == 0 {
        return None;
    }
    // A single group has no valid action.
    let groups = if most > 1 { rng.random_range(2..=most) } else { 1 };
    let mut deal = |total: usize| {
        let mut ends: Vec<usize> = rand::seq::index::sample(rng, total - 1, groups - 1).into_vec();
        ends.iter_mut().for_each(|end| *end += 1);
        ends.extend([0, total]);
        ends.sort_unstable();
        ends.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    let (layers, cores) = (deal(layers), deal(cores));
    State::from_groups(&layers.into_iter().zip(cores).collect::<Vec<_>>())
}

fn random_action(state: &State, rng: &mut ChaCha8Rng) -> Option<Action> {
    // Cores without layers make most pairs invalid in small states: a few tries, then none.
    (0..64)
        .filter_map(|_| Action::from_number(rng.random_range(0..state.actions().max(1)), state.cores()))
        .find(|&action| state.valid(action))
}

/// Walks of random valid actions, by turns from the start and from a random state.
#[must_use]
pub fn random_search(
    machine: &Machine,
    start: &State,
    walk: usize,
    steps: u64,
    seed: u64,
    deadline: &Deadline,
) -> Best {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut best = Best { state: start.clone(), score: machine.score(start), steps: 0 };
    let mut state = start.clone();
    while best.steps < steps {
        if best.steps.is_multiple_of(256) && deadline.over() {
            break;
        }
        if best.steps.is_multiple_of(walk.max(1) as u64) {
            state = match (best.steps / walk.max(1) as u64) % 2 {
                0 => start.clone(),
                _ => {
                    random_state(machine.layers(), machine.slots(), &mut rng).unwrap_or_else(|| start.clone())
                }
            };
        }
        best.steps += 1;
        let Some(action) = random_action(&state, &mut rng) else { continue };
        state.apply(action);
        let score = machine.score(&state);
        if better(&score, &best.score) {
            best.state = state.clone();
            best.score = score;
        }
    }
    best
}

/// The plain dynamic programme: the cut into as many stages as there are cores, one core each, with the fastest
/// slowest stage (by bisection and filling from the left); cores that are left go to the slowest stage, one by one.
#[must_use]
pub fn one_core_stages(machine: &Machine) -> Option<State> {
    let (n, cores) = (machine.layers(), machine.slots());
    let most = n.min(cores);
    let group = |first, end, cores| Group { first, end, cores, core: 0 };
    // Filling stages up to a time needs the fewest stages; what may be left is cut off one layer each at the end.
    let fill = |seconds: f64| {
        let mut ends = vec![0];
        while ends[ends.len() - 1] < n && ends.len() <= most {
            let (first, stages_left) = (ends[ends.len() - 1], most - ends.len());
            let last_end = n.saturating_sub(stages_left).max(first + 1);
            let end = (first + 1..=last_end)
                .take_while(|&end| end == first + 1 || machine.seconds(group(first, end, 1)) <= seconds)
                .last()?;
            ends.push(end);
        }
        (ends[ends.len() - 1] == n).then_some(ends)
    };
    let slowest =
        |ends: &[usize]| ends.windows(2).map(|w| machine.seconds(group(w[0], w[1], 1))).fold(0.0, f64::max);
    let mut best = fill(f64::INFINITY)?;
    let mut low = 0.0;
    for _ in 0..64 {
        let high = slowest(&best);
        match fill(0.5 * (low + high)) {
            Some(ends) if slowest(&ends) < high => best = ends,
            _ => low = 0.5 * (low + high),
        }
    }
    let mut groups: Vec<(usize, usize)> = best.windows(2).map(|w| (w[1] - w[0], 1)).collect();
    for _ in groups.len()..cores {
        let seconds = |i: usize| machine.seconds(group(best[i], best[i + 1], groups[i].1));
        let at = (0..groups.len()).max_by(|&a, &b| seconds(a).total_cmp(&seconds(b)).then(b.cmp(&a)))?;
        groups[at].1 += 1;
    }
    State::from_groups(&groups)
}

/// Simulated annealing on the smooth potential, with restarts from the best state, a random one and an even spread, and a geometric schedule, until a
/// state without violations takes `enough_seconds`. With `splices`, stages of the states seen are put together anew after
/// every schedule, as the learner does.
#[must_use]
pub fn anneal(
    machine: &Machine,
    start: &State,
    (steps, enough_seconds): (u64, f64),
    splices: bool,
    seed: u64,
    deadline: &Deadline,
) -> Best {
    /// Steps of one cooling run.
    const RUN: u64 = 20_000;
    /// Temperatures at the start and the end of a run, in units of the potential.
    const HOT: f64 = 0.3;
    const COLD: f64 = 1e-4;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ideal = machine.ideal_seconds();
    let mut best = Best { state: start.clone(), score: machine.score(start), steps: 0 };
    let mut state = start.clone();
    let mut seen = splices.then(|| Seen::new(machine));
    let mut value = machine.potential(&state, ideal);
    let enough = |score: &Score| score.violations == 0 && score.tmax_seconds <= enough_seconds;
    while best.steps < steps && !enough(&best.score) {
        if best.steps.is_multiple_of(256) && deadline.over() {
            break;
        }
        if best.steps.is_multiple_of(RUN) {
            if let Some(seen) = &mut seen {
                best.renew(machine, seen.splice(machine, best.to_beat()), best.steps);
            }
            state = match (best.steps / RUN) % 4 {
                _ if best.steps == 0 => start.clone(),
                1 => {
                    random_state(machine.layers(), machine.slots(), &mut rng).unwrap_or_else(|| start.clone())
                }
                2 => State::spread(machine.layers(), machine.slots()).unwrap_or_else(|| start.clone()),
                _ => best.state.clone(),
            };
            value = machine.potential(&state, ideal);
        }
        let done = (best.steps % RUN) as f64 / RUN as f64;
        let temperature = HOT * (COLD / HOT).powf(done);
        best.steps += 1;
        let Some(action) = random_action(&state, &mut rng) else { continue };
        let mut next = state.clone();
        next.apply(action);
        let new = machine.potential(&next, ideal);
        if new >= value || rng.random::<f64>() < ((new - value) / temperature).exp() {
            (state, value) = (next, new);
            let score = machine.score(&state);
            if let Some(seen) = &mut seen {
                seen.keep(machine, &state, best.to_beat());
            }
            if better(&score, &best.score) {
                best.state = state.clone();
                best.score = score;
            }
        }
    }
    best
}
