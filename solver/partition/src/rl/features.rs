//! What the policy for all sizes knows about a pair of neighbouring cores.
//!
//! A state is seen under a target: a time all stages are to keep. Stage times count in targets, and every border
//! knows the cores that are left over on either side of it once all layers there have their demand
//! ([`super::demand`]): where they are below zero, the border has to move.

use crate::rl::demand::Demands;
use crate::rl::environment::Group;
use crate::rl::machine::Machine;

/// Numbers a pair is described by.
pub const PAIR_FEATURES: usize = 48;

/// What all states of a machine have in common under one target.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The time all stages are to keep, seconds.
    pub target_seconds: f64,
    /// Demand in cores of the first `i` layers.
    demand: Vec<f64>,
}

impl Aim {
    /// A target for the machine the demands are of.
    #[must_use]
    pub fn new(demands: &Demands, target_seconds: f64) -> Self {
        let target_seconds = target_seconds.max(f64::MIN_POSITIVE);
        Aim { target_seconds, demand: demands.prefix(target_seconds) }
    }

    /// Cores left over before and behind a border at layer `layer` after `cores` cores.
    fn left_over(&self, slots: usize, layer: usize, cores: usize) -> (f64, f64) {
        let total = self.demand[self.demand.len() - 1];
        let before = cores as f64 - self.demand[layer];
        (before, slots as f64 - total - before)
    }

    /// The first border behind which the demand fits on so many cores.
    pub(super) fn first_layer_left(&self, cores: usize, rounding: f64) -> usize {
        let most = cores as f64 + rounding;
        let total = self.demand[self.demand.len() - 1];
        self.demand.partition_point(|&before| total - before > most)
    }

    /// The last border before which the demand fits on so many cores.
    pub(super) fn last_layer_within(&self, cores: usize, rounding: f64) -> usize {
        let most = cores as f64 + rounding;
        self.demand.partition_point(|&before| before <= most).saturating_sub(1)
    }

    fn demand(&self, first: usize, end: usize) -> f64 {
        self.demand[end] - self.demand[first]
    }
}

/// Fills the row of the pair whose left core is the last of group `g`; there is a group after it.
pub(super) fn pair_row(
    machine: &Machine,
    aim: &Aim,
    groups: &[Group],
    seconds: &[f64],
    g: usize,
    row: &mut [f32],
) {
    let target = aim.target_seconds;
    let (left, right) = (groups[g], groups[g + 1]);
    let slots = machine.slots();
    let n = machine.layers();
    let time = |index: Option<usize>| {
        index.and_then(|i| seconds.get(i)).map_or(0.0, |seconds| (seconds / target).min(4.0))
    };
    let layer = |layer: Option<usize>| {
        let seconds = layer.filter(|&layer| layer < n).map_or(0.0, |i| machine.seconds_on_one(i, i + 1));
        (seconds / target).min(4.0)
    };
    let count = |group: Group| ((group.end - group.first) as f64).ln() / 5.0;
    let mut place = 0;
    let mut push = |number: f64| {
        row[place] = number as f32;
        place += 1;
    };
    // Two scales: within a core of the right place, and far from it.
    let soft = |cores: f64| [cores.tanh(), (cores / 6.0).tanh()];
    push(f64::from(u8::from(right.cores == 1)));
    for index in [Some(g), Some(g + 1), g.checked_sub(1), Some(g + 2)] {
        push(time(index));
    }
    push((left.cores as f64).log2() / 6.0);
    push((right.cores as f64).log2() / 6.0);
    push(count(left));
    push(count(right));
    let here = aim.left_over(slots, left.end, left.core + 1);
    let next_core = groups.get(g + 1).map_or(slots, |group| group.core + 1);
    let before = aim.left_over(slots, left.first, left.core + 1 - left.cores);
    let behind = aim.left_over(slots, right.end, next_core);
    for cores in [here.0, here.1, before.0, behind.1] {
        soft(cores).into_iter().for_each(&mut push);
    }
    // Where the border belongs if what is left over is spread evenly.
    let total = aim.demand[n].max(f64::MIN_POSITIVE);
    soft((left.core + 1) as f64 - aim.demand[left.end] / total * slots as f64)
        .into_iter()
        .for_each(&mut push);
    push((aim.demand(left.first, left.end) - left.cores as f64).clamp(-3.0, 3.0));
    push((aim.demand(right.first, right.end) - right.cores as f64).clamp(-3.0, 3.0));
    let outcomes = outcomes(machine, left, right, groups.get(g + 2).copied(), target);
    for outcome in &outcomes {
        push(outcome.map_or(0.0, |o| (o.after - o.before).clamp(-2.0, 2.0)));
    }
    for outcome in &outcomes {
        push(outcome.map_or(0.0, |o| o.after.min(4.0)));
    }
    for outcome in &outcomes {
        push(f64::from(u8::from(outcome.is_some_and(|o| o.after <= 1.0))));
    }
    for outcome in &outcomes {
        push(f64::from(u8::from(outcome.is_some())));
    }
    push(f64::from(u8::from(seconds[g] > target)));
    push(f64::from(u8::from(seconds[g + 1] > target)));
    push(f64::from(u8::from(machine.over_cap(left))));
    push(f64::from(u8::from(machine.over_cap(right))));
    for index in [left.end.checked_sub(2), Some(left.end - 1), Some(right.first), Some(right.first + 1)] {
        push(layer(index));
    }
    push((here.0 + here.1).clamp(-2.0, 8.0) / 4.0);
    push((machine.layers() as f64 / slots as f64).ln() / 2.0);
    push((slots as f64).log2() / 7.0);
    debug_assert_eq!(place, PAIR_FEATURES);
}

/// Slowest stage among those an action touches, before and after, in units of time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    before: f64,
    after: f64,
}

/// What each kind of action would do to the pair whose left core holds the layers of `left`; none where it is
/// invalid. `right` is the group that begins at the pair's right core, `next` the one after it.
fn outcomes(
    machine: &Machine,
    left: Group,
    right: Group,
    next: Option<Group>,
    unit_seconds: f64,
) -> [Option<Change>; 4] {
    let joined = right.core - (right.cores - 1);
    let slowest = |groups: &[Group]| {
        groups
            .iter()
            .map(|&group| {
                machine.seconds(group) / unit_seconds * if machine.over_cap(group) { 2.0 } else { 1.0 }
            })
            .fold(0.0, f64::max)
    };
    let single = right.cores == 1;
    let merged = Group { first: left.first, end: right.end, cores: left.cores + 1, core: joined };
    let grown = Group { cores: left.cores + 1, core: joined, ..left };
    let shrunk = Group { cores: right.cores.saturating_sub(1), ..right };
    let before = slowest(&[left, right]);
    let join_right = if single { slowest(&[merged]) } else { slowest(&[grown, shrunk]) };
    let take_right = next.filter(|_| single).map(|next| Change {
        before: before.max(slowest(&[next])),
        after: slowest(&[Group { end: right.end, ..left }, Group { cores: next.cores + 1, ..next }]),
    });
    let one_less = Group { end: left.end.saturating_sub(1), ..left };
    let give_last = if left.end - left.first == 1 {
        join_right
    } else if single {
        slowest(&[one_less, Group { first: right.first - 1, ..right }])
    } else {
        let own = Group { first: left.end - 1, end: left.end, cores: 1, core: joined };
        slowest(&[one_less, own, shrunk])
    };
    let take_first = if !single {
        None
    } else if right.end - right.first == 1 {
        take_right
    } else {
        let one_more = Group { end: left.end + 1, ..left };
        Some(Change { before, after: slowest(&[one_more, Group { first: right.first + 1, ..right }]) })
    };
    [
        Some(Change { before, after: join_right }),
        take_right,
        Some(Change { before, after: give_last }),
        take_first,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rl::environment::{Action, KINDS, State};
    use crate::rl::machine::Site;
    use crate::sequence::Sequence;
    use ballast_core::device::CoreModel;
    use ballast_core::units::Bytes;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_foreseen_outcome_of_an_action_is_what_happens() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        let (mut seen, mut merged) = (0, 0);
        for _ in 0..300 {
            let (n, cores) = (rng.random_range(2..12), rng.random_range(2..7));
            let seconds: Vec<f64> = (0..n).map(|_| f64::from(rng.random_range(1..9u32))).collect();
            let sequence = Sequence::chain(&seconds, &vec![1; n], &vec![1; n]);
            let model = CoreModel { count: cores, memory_per_core: Bytes(1 << 30), speed_up: Vec::new() };
            let machine = Machine::new(&sequence, Site::chip(&model));
            let mut layers = vec![0; cores];
            layers[cores - 1] = 1;
            for _ in 1..n {
                layers[rng.random_range(0..cores)] += 1;
            }
            let state = State::new(layers).expect("a state");
            let groups: Vec<Group> = state.groups().collect();
            for (g, pair) in groups.windows(2).enumerate() {
                let core = pair[0].core;
                let foreseen = outcomes(&machine, pair[0], pair[1], groups.get(g + 2).copied(), 1.0);
                for (kind, foreseen) in KINDS.into_iter().zip(foreseen) {
                    let action = Action { kind, pair: core };
                    let mut after = state.clone();
                    assert_eq!(after.apply(action), foreseen.is_some(), "{state:?} {action:?}");
                    let Some(foreseen) = foreseen else { continue };
                    // The groups that are not there before or not after are those the action touched.
                    let old: Vec<Group> = state.groups().collect();
                    let new: Vec<Group> = after.groups().collect();
                    let touched = new.iter().filter(|group| !old.contains(group));
                    let slowest = touched.map(|&group| machine.seconds(group)).fold(0.0, f64::max);
                    assert!(foreseen.after >= slowest - 1e-12, "{state:?} {action:?}");
                    let unchanged = new.iter().filter(|group| old.contains(group));
                    let rest = unchanged.map(|&group| machine.seconds(group)).fold(0.0, f64::max);
                    let tmax = machine.score(&after).tmax_seconds;
                    assert!((foreseen.after.max(rest) - tmax).abs() < 1e-12, "{state:?} {action:?}");
                    seen += 1;
                    merged += usize::from(new.len() < old.len());
                }
            }
        }
        assert!(seen > 1000 && merged > 100, "{seen} {merged}");
    }
}
