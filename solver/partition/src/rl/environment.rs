//! The environment of the RL partitioner: layers on cores, merges and splits of neighbours.
//!
//! A state lists the layers of every core. A core without layers belongs to the group of the next core to its
//! right that has some; the last core always has one. Actions act on a pair of neighbours `(i, i + 1)` and are
//! numbered by kind, then by pair: `a` first, `d` last.

/// What an action does to the pair `(i, i + 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// a: core `i` joins the group of `i + 1` and brings its layers.
    JoinRight,
    /// b: the layers of `i + 1` go to `i`; core `i + 1` joins the group on its right.
    TakeRight,
    /// c: the last layer of `i` moves to `i + 1`.
    GiveLast,
    /// d: the first layer of `i + 1` moves to `i`.
    TakeFirst,
}

/// All kinds, in the order of their numbers.
pub const KINDS: [Kind; 4] = [Kind::JoinRight, Kind::TakeRight, Kind::GiveLast, Kind::TakeFirst];

/// An action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does.
    pub kind: Kind,
    /// The left core of the pair, counted from 0.
    pub pair: usize,
}

impl Action {
    /// The action with this number on `cores` cores; none beyond the last one.
    #[must_use]
    pub(crate) fn from_number(number: usize, cores: usize) -> Option<Self> {
        let pairs = cores.checked_sub(1).filter(|&pairs| pairs > 0)?;
        let kind = *KINDS.get(number / pairs)?;
        Some(Action { kind, pair: number % pairs })
    }

    /// Its number on `cores` cores.
    #[must_use]
    pub fn number(self, cores: usize) -> usize {
        self.kind as usize * (cores - 1) + self.pair
    }
}

/// A group of cores that runs one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// First layer.
    pub first: usize,
    /// One past the last layer.
    pub end: usize,
    /// Number of cores.
    pub cores: usize,
    /// The core that holds the layers: the last one of the group.
    pub core: usize,
}

/// Layers by core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    layers: Vec<usize>,
}

impl State {
    /// A state from the layers of every core; none when there is no core or the last one has no layer.
    #[must_use]
    pub fn new(layers: Vec<usize>) -> Option<Self> {
        layers.last().is_some_and(|&last| last > 0).then_some(State { layers })
    }

    /// Layers spread evenly. With fewer layers than cores, one layer each on the first cores and the last
    /// layer on the last core: every grouping can be reached from there, while a core left of all layers
    /// could never get one.
    #[must_use]
    pub fn spread(layers: usize, cores: usize) -> Option<Self> {
        if layers == 0 || cores == 0 {
            return None;
        }
        let mut of = vec![0; cores];
        if layers >= cores {
            for (core, count) in of.iter_mut().enumerate() {
                *count = (core + 1) * layers / cores - core * layers / cores;
            }
        } else {
            of[..layers - 1].fill(1);
            of[cores - 1] = 1;
        }
        State::new(of)
    }

    /// Layers of every core.
    #[must_use]
    pub fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// Number of cores.
    #[must_use]
    pub fn cores(&self) -> usize {
        self.layers.len()
    }

    /// Number of actions, valid or not.
    #[must_use]
    pub fn actions(&self) -> usize {
        KINDS.len() * (self.cores() - 1)
    }

    /// Would the action change the state?
    #[must_use]
    pub fn valid(&self, action: Action) -> bool {
        let (i, j) = (action.pair, action.pair + 1);
        if j >= self.cores() || self.layers[i] == 0 {
            return false;
        }
        let last = j + 1 == self.cores();
        match action.kind {
            Kind::JoinRight | Kind::GiveLast => true,
            Kind::TakeRight => self.layers[j] > 0 && !last,
            Kind::TakeFirst => self.layers[j] > usize::from(last),
        }
    }

    /// Takes an action; an invalid one leaves the state as it is. Returns whether it was valid.
    pub fn apply(&mut self, action: Action) -> bool {
        if !self.valid(action) {
            return false;
        }
        let (i, j) = (action.pair, action.pair + 1);
        let (from, to, count) = match action.kind {
            Kind::JoinRight => (i, j, self.layers[i]),
            Kind::TakeRight => (j, i, self.layers[j]),
            Kind::GiveLast => (i, j, 1),
            Kind::TakeFirst => (j, i, 1),
        };
        self.layers[from] -= count;
        self.layers[to] += count;
        true
    }

    /// The groups, left to right.
    pub fn groups(&self) -> impl Iterator<Item = Group> + '_ {
        let (mut first, mut cores) = (0, 0);
        self.layers.iter().enumerate().filter_map(move |(core, &layers)| {
            cores += 1;
            (layers > 0).then(|| {
                let group = Group { first, end: first + layers, cores, core };
                (first, cores) = (group.end, 0);
                group
            })
        })
    }

    /// The state with these groups: `(layers, cores)` each, left to right.
    #[must_use]
    pub fn from_groups(groups: &[(usize, usize)]) -> Option<Self> {
        let mut layers = Vec::new();
        for &(count, cores) in groups {
            if count == 0 || cores == 0 {
                return None;
            }
            layers.extend(std::iter::repeat_n(0, cores - 1));
            layers.push(count);
        }
        State::new(layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn after(layers: &[usize], number: usize) -> Vec<usize> {
        let mut state = State::new(layers.to_vec()).expect("a state");
        let action = Action::from_number(number, layers.len()).expect("an action");
        state.apply(action);
        state.layers().to_vec()
    }

    #[test]
    fn the_published_examples_come_out() {
        assert_eq!(after(&[3, 2, 4, 1], 0), [0, 5, 4, 1]);
        assert_eq!(after(&[3, 2, 4, 1], 3), [5, 0, 4, 1]);
        assert_eq!(after(&[3, 2, 4, 1], 6), [2, 3, 4, 1]);
        assert_eq!(after(&[3, 2, 4, 1], 9), [4, 1, 4, 1]);
        assert_eq!(after(&[5, 0, 4, 1], 6), [4, 1, 4, 1]);
        for number in [0, 3, 6, 9] {
            assert_eq!(after(&[0, 5, 4, 1], number), [0, 5, 4, 1]);
        }
        assert_eq!(after(&[3, 2, 4, 1], 5), [3, 2, 4, 1], "b on the last pair would empty the last core");
        assert_eq!(after(&[3, 2, 4, 1], 11), [3, 2, 4, 1], "so would d");
        assert_eq!(after(&[3, 2, 4, 2], 11), [3, 2, 5, 1]);
    }

    #[test]
    fn a_core_without_layers_belongs_to_the_next_core_that_has_some() {
        let state = State::new(vec![0, 0, 5, 3]).expect("a state");
        let groups: Vec<Group> = state.groups().collect();
        assert_eq!(groups[0], Group { first: 0, end: 5, cores: 3, core: 2 });
        assert_eq!(groups[1], Group { first: 5, end: 8, cores: 1, core: 3 });
        assert_eq!(State::from_groups(&[(5, 3), (3, 1)]), Some(state));
        assert_eq!(State::new(vec![1, 0]), None);
        assert_eq!(State::new(vec![]), None);
    }

    #[test]
    fn numbers_and_actions_are_the_same_thing() {
        for cores in 2..9 {
            for number in 0..4 * (cores - 1) {
                let action = Action::from_number(number, cores).expect("an action");
                assert_eq!(action.number(cores), number);
            }
            assert_eq!(Action::from_number(4 * (cores - 1), cores), None);
        }
        assert_eq!(Action::from_number(0, 1), None, "one core has no pair");
    }

    proptest! {
        #[test]
        fn actions_keep_the_layers_and_the_last_core(
            layers in prop::collection::vec(0usize..5, 1..8),
            last in 1usize..4,
            numbers in prop::collection::vec(0usize..64, 0..60),
        ) {
            let mut layers = layers;
            layers.push(last);
            let mut state = State::new(layers.clone()).expect("a state");
            let total: usize = layers.iter().sum();
            for number in numbers {
                let Some(action) = Action::from_number(number, state.cores()) else { continue };
                let before = state.clone();
                let valid = before.valid(action);
                prop_assert_eq!(state.apply(action), valid);
                prop_assert_eq!(state != before, valid, "a valid action changes the state, an invalid one does not");
                prop_assert_eq!(state.layers().iter().sum::<usize>(), total);
                prop_assert!(*state.layers().last().expect("cores") > 0);
                let groups: Vec<Group> = state.groups().collect();
                prop_assert_eq!(groups.iter().map(|g| g.cores).sum::<usize>(), state.cores());
                prop_assert_eq!(groups.last().map(|g| g.end), Some(total));
            }
        }

        #[test]
        fn an_even_spread_uses_every_core_that_can_be_used(layers in 1usize..60, cores in 1usize..20) {
            let state = State::spread(layers, cores).expect("a state");
            prop_assert_eq!(state.layers().iter().sum::<usize>(), layers);
            prop_assert_eq!(state.groups().count(), layers.min(cores));
            if layers >= cores {
                let (min, max) = (state.layers().iter().min(), state.layers().iter().max());
                prop_assert!(max.expect("cores") - min.expect("cores") <= 1);
            }
        }
    }
}
