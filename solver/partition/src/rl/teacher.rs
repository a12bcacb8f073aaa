//! What an expert would do: the nearest state that keeps a target, and the actions that lead there.
//!
//! With `P[i]` the layers on cores `0..=i`, every action moves one border: a to `P[i - 1]`, c one layer down, b to
//! `P[i + 1]`, d one layer up. The nearest state is the one with the smallest sum of `|P[i] - P'[i]|` among all that keep
//! the target, by dynamic programming over cores and layers; demands ([`super::demand`]) cut off what cannot end well.

use crate::rl::demand::Demands;
use crate::rl::environment::{Action, Group, Kind, State};
use crate::rl::features::Aim;
use crate::rl::machine::Machine;

/// Excess of a demand over the cores that is put down to rounding.
const ROUNDING: f64 = 1e-9;

/// One state to imitate the teacher from.
#[derive(Clone, Debug)]
pub struct Imitation {
    /// The state.
    pub state: State,
    /// The time the teacher keeps, seconds.
    pub wanted_seconds: f64,
    /// The time the policy is told to keep.
    pub target_seconds: f64,
    /// Share of the teacher's way that is gone before the lesson begins.
    pub ahead: f64,
}

/// Layers on the first cores up to every core.
fn borders(state: &State) -> Vec<usize> {
    let mut sum = 0;
    state
        .layers()
        .iter()
        .map(|&layers| {
            sum += layers;
            sum
        })
        .collect()
}

/// The borders of the nearest state of a chip that can be reached and keeps the target; none if there is none.
pub(super) fn nearest(machine: &Machine, aim: &Aim, state: &State) -> Option<Vec<usize>> {
    let (n, cores) = (machine.layers(), machine.slots());
    let now = borders(state);
    // Leading cores without layers never get one.
    let stuck = now.iter().take_while(|&&border| border == 0).count();
    // Layers that may stand before a border after so many cores.
    let window = |used: usize| {
        let least = aim.first_layer_left(cores - used, ROUNDING);
        let most = aim.last_layer_within(used, ROUNDING);
        (least, most)
    };
    let place = |used: usize, layers: usize| used * (n + 1) + layers;
    let mut cost = vec![u32::MAX; (cores + 1) * (n + 1)];
    let mut from = vec![(0u32, 0u32); (cores + 1) * (n + 1)];
    cost[0] = 0;
    for used in 0..cores {
        let (least, most) = window(used);
        for first in least..=most.min(n - 1) {
            let mut so_far = cost[place(used, first)];
            if so_far == u32::MAX {
                continue;
            }
            for count in 1..=cores - used {
                let core = used + count - 1;
                if first > 0 || count > stuck {
                    let (least, most) = window(used + count);
                    for end in least.max(first + 1)..=most {
                        let group = Group { first, end, cores: count, core };
                        if machine.seconds(group) > aim.target_seconds * (1.0 + ROUNDING) {
                            break;
                        }
                        let value = so_far.saturating_add(now[core].abs_diff(end) as u32);
                        if value < cost[place(used + count, end)] && !machine.over_cap(group) {
                            cost[place(used + count, end)] = value;
                            from[place(used + count, end)] = (used as u32, first as u32);
                        }
                    }
                }
                so_far = so_far.saturating_add(now[core].abs_diff(first) as u32);
            }
        }
    }
    if cost[place(cores, n)] == u32::MAX {
        return None;
    }
    let mut wanted = vec![0; cores];
    let (mut used, mut end) = (cores, n);
    while used > 0 {
        let (before, first) = from[place(used, end)];
        let (before, first) = (before as usize, first as usize);
        wanted[before..used - 1].fill(first);
        wanted[used - 1] = end;
        (used, end) = (before, first);
    }
    Some(wanted)
}

/// The best state of a chip within a quarter of a percent, seen from an even spread: its borders and the target it keeps,
/// seconds. None where memory leaves no state, or none of up to four times the bound.
pub(super) fn best(machine: &Machine, demands: &Demands) -> Option<(Vec<usize>, f64)> {
    const TOLERANCE: f64 = 2.5e-3;
    const WIDEST: f64 = 4.0;
    let spread = State::spread(machine.layers(), machine.slots())?;
    let keep =
        |target: f64| nearest(machine, &Aim::new(demands, target), &spread).map(|borders| (borders, target));
    let (mut low, mut high) = (machine.ideal_seconds(), machine.ideal_seconds());
    let mut best = None;
    while best.is_none() && high < WIDEST * machine.ideal_seconds() {
        low = high;
        high *= 1.1;
        best = keep(high);
    }
    while high > low * (1.0 + TOLERANCE) {
        let middle = 0.5 * (low + high);
        match keep(middle) {
            Some(found) => (best, high) = (Some(found), middle),
            None => low = middle,
        }
    }
    best
}

/// The state with these borders.
pub(super) fn state_of(borders: &[usize]) -> Option<State> {
    let before = std::iter::once(&0).chain(borders);
    State::new(borders.iter().zip(before).map(|(border, before)| border - before).collect())
}

/// Single layers that borders have to move by.
pub(super) fn distance(state: &State, wanted: &[usize]) -> usize {
    borders(state).iter().zip(wanted).map(|(now, wanted)| now.abs_diff(*wanted)).sum()
}

/// Actions on the way from a state to the wanted borders; none when it is there.
pub(super) fn steps(state: &State, wanted: &[usize]) -> Vec<Action> {
    let now = borders(state);
    let layers = state.layers();
    let mut actions = Vec::new();
    for pair in 0..state.cores() - 1 {
        let mut push = |kind: Kind| {
            let action = Action { kind, pair };
            if state.valid(action) {
                actions.push(action);
            }
        };
        if now[pair] > wanted[pair] {
            let whole = layers[pair] > 1 && wanted[pair] <= now[pair] - layers[pair];
            push(if whole { Kind::JoinRight } else { Kind::GiveLast });
        } else if now[pair] < wanted[pair] {
            // A core that is left without layers cannot move its own border any more, nor hand layers on to the
            // empty cores behind it.
            let empty = (pair + 2..state.cores()).take_while(|&core| layers[core] == 0);
            let settled =
                now[pair + 1] >= wanted[pair + 1] && !empty.clone().any(|core| now[core] < wanted[core]);
            if layers[pair + 1] > 1 && settled && wanted[pair] >= now[pair + 1] {
                push(Kind::TakeRight);
            } else if layers[pair + 1] > 1 || settled {
                push(Kind::TakeFirst);
            }
        }
    }
    if actions.is_empty() {
        // A border that is to rise on a core without layers: that core first gets one from its left.
        let locked = (0..state.cores() - 1).find(|&i| now[i] < wanted[i] && layers[i] == 0);
        let giver = locked.and_then(|core| (0..core).rev().find(|&left| layers[left] > 0));
        actions.extend(giver.map(|pair| Action { kind: Kind::GiveLast, pair }));
    }
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rl::chains::{PROFILES, chain};
    use crate::rl::classical::random_state;
    use crate::rl::exact::best_grouping;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_teacher_reaches_the_optimum_from_wherever_it_can_be_reached() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let (mut reached, mut tried) = (0, 0);
        for round in 0..80 {
            let (layers, cores) = (rng.random_range(4..40), rng.random_range(2..20));
            let machine = chain(layers, cores, PROFILES[round % PROFILES.len()], round as u64);
            let (optimal, optimum) = best_grouping(&machine).expect("a grouping");
            let aim = Aim::new(&Demands::of(&machine), optimum);
            assert_eq!(nearest(&machine, &aim, &optimal), Some(borders(&optimal)), "nothing to do");
            let (known, target) = best(&machine, &Demands::of(&machine)).expect("a state");
            let known = machine.score(&state_of(&known).expect("a state")).tmax_seconds;
            assert!(
                known <= target * (1.0 + 1e-8) && target <= 1.0026 * optimum && known >= 0.999_999 * optimum
            );
            let spread = State::spread(layers, cores).expect("a state");
            let random = random_state(layers, cores, &mut rng).expect("a state");
            for (start, always) in [(spread, true), (random, false)] {
                tried += 1;
                let Some(wanted) = nearest(&machine, &aim, &start) else {
                    assert!(!always, "from an even spread every grouping can be reached");
                    continue;
                };
                let mut state = start;
                for _ in 0..20_000 {
                    let actions = steps(&state, &wanted);
                    if actions.is_empty() {
                        break;
                    }
                    state.apply(actions[rng.random_range(0..actions.len())]);
                }
                if borders(&state) != wanted {
                    // Runs of empty cores can take more layers from their left than it has to give.
                    assert!(!always, "{state:?} {wanted:?}");
                    continue;
                }
                assert!(machine.score(&state).tmax_seconds <= optimum * (1.0 + 1e-8));
                reached += 1;
            }
        }
        assert!(reached > 100, "{reached} of {tried}");
    }
}
