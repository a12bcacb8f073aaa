//! Splicing: the fastest state made of stages that occur in the states seen.
//!
//! Good states that no short walk joins often differ in parts that can be exchanged: one is better to the left of a
//! border, the other to the right of it. As in tour merging (Cook and Seymour, 2003), a dynamic programme over what was
//! seen finds the best of all exchanges at once: it never proposes a stage that no state had.

use crate::rl::environment::{Group, State};
use crate::rl::machine::{Machine, Site};

/// Fast stages of the states seen on one machine.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    layers: usize,
    slots: usize,
    /// Does it matter on which slot a stage lies?
    placed: bool,
    /// One bit for every stage that was kept.
    known: Vec<u64>,
    /// By first layer.
    kept: Vec<Vec<Group>>,
    /// Stages kept since the last splice.
    fresh: usize,
}

impl Seen {
    /// Nothing seen yet.
    pub(super) fn new(machine: &Machine) -> Self {
        let (layers, slots) = (machine.layers(), machine.slots());
        Seen {
            layers,
            slots,
            placed: matches!(machine.site(), Site::Devices { .. }),
            known: vec![0; (layers * layers * slots).div_ceil(64)],
            kept: vec![Vec::new(); layers],
            fresh: 0,
        }
    }

    /// Keeps the stages of a state that are faster than `seconds` and fit in memory.
    pub(super) fn keep(&mut self, machine: &Machine, state: &State, seconds: f64) {
        for group in state.groups() {
            // A device is what counts where there are devices; idle ones before it may be others next time.
            let slot = if self.placed { group.core } else { group.cores - 1 };
            let bit = (group.first * self.layers + group.end - 1) * self.slots + slot;
            let (word, mask) = (bit / 64, 1 << (bit % 64));
            if self.known[word] & mask == 0 && machine.seconds(group) < seconds && !machine.over_cap(group) {
                self.known[word] |= mask;
                self.kept[group.first].push(group);
                self.fresh += 1;
            }
        }
    }

    /// The state made of kept stages whose slowest is fastest, if one is faster than `seconds` and anything was kept
    /// since the last call.
    pub(super) fn splice(&mut self, machine: &Machine, seconds: f64) -> Option<State> {
        if std::mem::take(&mut self.fresh) == 0 {
            return None;
        }
        // What no longer helps will not help again.
        for kept in &mut self.kept {
            kept.retain(|&group| machine.seconds(group) < seconds);
        }
        // By first layer and slots used before it: the slowest stage so far, and the stage that led here with the slots
        // used before that.
        let width = self.slots + 1;
        let mut best = vec![f64::INFINITY; (self.layers + 1) * width];
        let mut by: Vec<Option<(Group, usize)>> = vec![None; best.len()];
        best[0] = 0.0;
        for first in 0..self.layers {
            for used in 0..self.slots {
                let so_far = best[first * width + used];
                if so_far >= seconds {
                    continue;
                }
                for &group in &self.kept[first] {
                    let after = if self.placed { group.core + 1 } else { used + group.cores };
                    if after <= used || after > self.slots {
                        continue;
                    }
                    let slowest = so_far.max(machine.seconds(group));
                    let place = group.end * width + after;
                    if slowest < best[place] {
                        (best[place], by[place]) = (slowest, Some((group, used)));
                    }
                }
            }
        }
        let last = self.layers * width + self.slots;
        if best[last] >= seconds {
            return None;
        }
        let (mut end, mut used) = (self.layers, self.slots);
        let mut groups = Vec::new();
        while end > 0 {
            let (group, before) = by[end * width + used]?;
            groups.push((group.end - group.first, used - before));
            (end, used) = (group.first, before);
        }
        groups.reverse();
        State::from_groups(&groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Wire;
    use crate::rl::classical::random_state;
    use crate::sequence::Sequence;
    use ballast_core::device::CoreModel;
    use ballast_core::units::Bytes;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn chip(seconds: &[f64], cores: usize) -> Machine {
        let none = vec![0; seconds.len()];
        let model = CoreModel { count: cores, memory_per_core: Bytes(1), speed_up: Vec::new() };
        Machine::new(&Sequence::chain(seconds, &none, &none), Site::chip(&model))
    }

    #[test]
    fn the_good_halves_of_two_states_become_one_state() {
        let machine = chip(&[1.0, 1.0, 4.0, 2.0, 2.0, 2.0], 4);
        let state = |layers: &[usize]| State::new(layers.to_vec()).unwrap();
        // Stages of 2, 4, 4 and 2 seconds; of 6, 4/2 on two cores, and 2.
        let (left, right) = (state(&[2, 1, 2, 1]), state(&[3, 0, 2, 1]));
        let mut seen = Seen::new(&machine);
        assert_eq!(seen.splice(&machine, 10.0), None, "nothing seen");
        seen.keep(&machine, &right, 10.0);
        assert_eq!(seen.splice(&machine, 6.0), None, "a stage of 6 is in all that was seen");
        seen.keep(&machine, &left, 10.0);
        assert_eq!(seen.splice(&machine, 6.0), Some(left));
        assert_eq!(seen.splice(&machine, 6.0), None, "nothing new");
    }

    #[test]
    fn of_random_states_the_best_exchange_is_found_and_uses_seen_stages_alone() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut better = 0;
        for _ in 0..200 {
            let layers: Vec<f64> = (0..7).map(|_| f64::from(rng.random_range(1..20))).collect();
            let machine = if rng.random() {
                chip(&layers, 4)
            } else {
                let none = vec![0; layers.len()];
                let wire = Wire { latency_seconds: 0.0, seconds_per_byte: 0.0 };
                let site = Site::Devices { caps: vec![1; 4], wire, links: Vec::new() };
                Machine::new(&Sequence { row_of: vec![0; 4], ..Sequence::chain(&layers, &none, &none) }, site)
            };
            let states: Vec<State> = (0..12).filter_map(|_| random_state(7, 4, &mut rng)).collect();
            let known = states.iter().map(|state| machine.score(state).tmax_seconds);
            let least = known.fold(f64::INFINITY, f64::min);
            let mut seen = Seen::new(&machine);
            states.iter().for_each(|state| seen.keep(&machine, state, least));
            // Every state there is, if all its stages are in those seen.
            let key = |group: Group| {
                let slot = if matches!(machine.site(), Site::Chip { .. }) { group.cores } else { group.core };
                (group.first, group.end, slot)
            };
            let stages: Vec<_> = states.iter().flat_map(State::groups).map(key).collect();
            let all = all_states(7, 4);
            let made = all.iter().filter(|state| state.groups().all(|group| stages.contains(&key(group))));
            let best = made.map(|state| machine.score(state).tmax_seconds).fold(f64::INFINITY, f64::min);
            let spliced = seen.splice(&machine, least);
            assert_eq!(spliced.is_some(), best < least);
            if let Some(state) = spliced {
                assert_eq!(machine.score(&state).tmax_seconds, best);
                assert!(state.groups().all(|group| stages.contains(&key(group))));
                better += 1;
            }
        }
        assert!(better > 10, "{better}");
    }

    /// Every state of so many layers and cores.
    fn all_states(layers: usize, cores: usize) -> Vec<State> {
        let mut found = vec![(Vec::new(), layers)];
        for _ in 0..cores {
            found = found
                .into_iter()
                .flat_map(|(state, left): (Vec<usize>, usize)| {
                    (0..=left).map(move |count| ([state.clone(), vec![count]].concat(), left - count))
                })
                .collect();
        }
        found.into_iter().filter(|(_, left)| *left == 0).filter_map(|(state, _)| State::new(state)).collect()
    }
}
