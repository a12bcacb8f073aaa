//! How a policy sees a state: the published encoding, and one whose weights are shared between the pairs.

use ballast_learner_client::{Activation, Head, NetworkConfig};
use serde::{Deserialize, Serialize};

use crate::rl::environment::{Group, KINDS, State};
use crate::rl::machine::Machine;

/// Which network looks at the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// The state as it is: layers and operations of every core, `2n` numbers, one softmax layer of `4(n - 1)`
    /// outputs. Fits one number of cores only.
    Flat,
    /// [`PAIR_FEATURES`] numbers for each pair of neighbours and the same weights for all pairs: fits any number of
    /// cores and layers.
    #[default]
    Pairs,
}

/// Numbers a pair is described by.
pub const PAIR_FEATURES: usize = 32;

impl View {
    /// Rows a state of so many cores has.
    #[must_use]
    pub fn rows(self, cores: usize) -> usize {
        match self {
            View::Flat => 1,
            View::Pairs => cores - 1,
        }
    }

    /// Numbers in a row.
    #[must_use]
    pub fn inputs(self, cores: usize) -> usize {
        match self {
            View::Flat => 2 * cores,
            View::Pairs => PAIR_FEATURES,
        }
    }

    /// The network: `2n-128-128-4(n-1)` for the flat view, as first default, `32-64-64-4` for pairs.
    #[must_use]
    pub fn network(self, cores: usize, seed: u64) -> NetworkConfig {
        let layers = match self {
            View::Flat => vec![2 * cores, 128, 128, KINDS.len() * (cores - 1)],
            View::Pairs => vec![PAIR_FEATURES, 64, 64, KINDS.len()],
        };
        NetworkConfig { layers, head: Head::Policy, activation: Activation::Relu, seed }
    }

    /// What a saved network of this view is for: a word. The number changes with the meaning of the inputs.
    #[must_use]
    pub fn kind(self, cores: usize) -> String {
        match self {
            View::Flat => format!("partition-flat-{cores}/1"),
            View::Pairs => "partition-pairs/1".into(),
        }
    }

    /// Appends the rows of a state to `rows`, and which actions are valid to `allowed`.
    pub fn encode(
        self,
        machine: &Machine,
        state: &State,
        ideal: f64,
        rows: &mut Vec<f32>,
        allowed: &mut Vec<u8>,
    ) {
        let pairs = state.cores() - 1;
        for number in 0..state.actions() {
            let action = crate::rl::environment::Action { kind: KINDS[number / pairs], pair: number % pairs };
            allowed.push(u8::from(state.valid(action)));
        }
        match self {
            View::Flat => flat(machine, state, rows),
            View::Pairs => pair_rows(machine, state, ideal, rows),
        }
    }
}

fn flat(machine: &Machine, state: &State, rows: &mut Vec<f32>) {
    let layers = machine.layers() as f32;
    rows.extend(state.layers().iter().map(|&count| count as f32 / layers));
    let total = machine.operations(0, machine.layers()).max(1.0);
    let mut first = 0;
    for &count in state.layers() {
        rows.push((machine.operations(first, first + count) / total) as f32);
        first += count;
    }
}

fn pair_rows(machine: &Machine, state: &State, ideal: f64, rows: &mut Vec<f32>) {
    let groups: Vec<Group> = state.groups().collect();
    let seconds: Vec<f64> = groups.iter().map(|&group| machine.seconds(group) / ideal).collect();
    let tmax = seconds.iter().copied().fold(0.0, f64::max);
    let total = machine.seconds_on_one(0, machine.layers()).max(f64::MIN_POSITIVE);
    let slots = machine.slots() as f64;
    let mut held = 0;
    for pair in 0..state.cores() - 1 {
        let start = rows.len();
        if state.layers()[pair] == 0 {
            rows.resize(start + PAIR_FEATURES, 0.0);
            continue;
        }
        let (g, h) = (held, held + 1);
        held += 1;
        let (left, right) = (groups[g], groups[h]);
        let time = |index: Option<usize>| index.and_then(|i| seconds.get(i)).copied().unwrap_or(0.0).min(4.0);
        let spread = machine.seconds_on_one(0, left.end) / total * slots - (pair + 1) as f64;
        let count = |group: Group| (group.end - group.first) as f64;
        let mut push = |number: f64| rows.push(number as f32);
        push(f64::from(u8::from(right.cores == 1)));
        push(time(Some(g)));
        push(time(Some(h)));
        push(time(g.checked_sub(1)));
        push(time(Some(h + 1)));
        push((left.cores as f64).log2() / 6.0);
        push((right.cores as f64).log2() / 6.0);
        push(count(left).ln() / 5.0);
        push(count(right).ln() / 5.0);
        push((spread / 2.0).tanh());
        push((spread / 10.0).clamp(-3.0, 3.0));
        let outcomes = outcomes(machine, left, right, groups.get(h + 1).copied(), ideal);
        for outcome in &outcomes {
            push(outcome.map_or(0.0, |o| (o.after - o.before).clamp(-2.0, 2.0)));
        }
        for outcome in &outcomes {
            push(outcome.map_or(0.0, |o| o.after.min(4.0)));
        }
        for outcome in &outcomes {
            push(f64::from(u8::from(outcome.is_some())));
        }
        push(seconds[g] / tmax);
        push(seconds[h] / tmax);
        push(f64::from(u8::from(machine.over_cap(left))));
        push(f64::from(u8::from(machine.over_cap(right))));
        push((tmax - 1.0).min(2.0));
        push((machine.seconds_on_one(left.end - 1, left.end) / ideal).min(4.0));
        push((machine.seconds_on_one(right.first, right.first + 1) / ideal).min(4.0));
        push(slots.log2() / 7.0);
        push((machine.layers() as f64 / slots).ln());
        debug_assert_eq!(rows.len() - start, PAIR_FEATURES);
    }
}

/// Slowest stage among those an action touches, before and after, over the ideal.
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
    ideal: f64,
) -> [Option<Change>; 4] {
    let joined = right.core - (right.cores - 1);
    let slowest = |groups: &[Group]| {
        groups
            .iter()
            .map(|&group| machine.seconds(group) / ideal * if machine.over_cap(group) { 2.0 } else { 1.0 })
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
    use crate::rl::environment::Action;
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

    #[test]
    fn rows_and_masks_have_the_shape_the_network_expects() {
        let sequence = Sequence::chain(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1; 5], &[1; 5]);
        let model = CoreModel { count: 4, memory_per_core: Bytes(1 << 30), speed_up: Vec::new() };
        let machine = Machine::new(&sequence, Site::chip(&model));
        let state = State::new(vec![0, 2, 1, 2]).expect("a state");
        for view in [View::Flat, View::Pairs] {
            let (mut rows, mut allowed) = (Vec::new(), Vec::new());
            view.encode(&machine, &state, machine.ideal_seconds(), &mut rows, &mut allowed);
            assert_eq!(rows.len(), view.rows(4) * view.inputs(4));
            let outputs = *view.network(4, 0).layers.last().expect("layers");
            assert_eq!(allowed.len(), view.rows(4) * outputs);
            assert!(rows.iter().all(|number| number.is_finite()));
        }
        let (mut rows, mut allowed) = (Vec::new(), Vec::new());
        View::Flat.encode(&machine, &state, 1.0, &mut rows, &mut allowed);
        assert_eq!(rows[..4], [0.0, 0.4, 0.2, 0.4]);
        assert_eq!(allowed, [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]);
    }
}
