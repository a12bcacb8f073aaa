//! What one round may change: tensors of one layer type.

use ballast_core::graph::LayerType;
use serde::{Deserialize, Serialize};

use super::step::{Candidate, Scheme};

/// One change of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Of the layer type, the so many tensors that are away longest are swapped and the others stay.
    Swap(LayerType, usize),
    /// This candidate changes between staying and being swapped.
    Flip(usize),
}

/// The actions of a step. \[B\] groups by layer type and leaves the groups open; ours are the levels 0, 1/8 ... 8/8
/// of a type, and every tensor on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Actions {
    /// Per layer type that occurs, its candidates, those away longest first.
    by_type: Vec<(LayerType, Vec<usize>)>,
    list: Vec<Action>,
}

/// Parts a layer type is swapped in.
const LEVELS: usize = 8;

impl Actions {
    /// The actions over these candidates.
    #[must_use]
    pub fn new(candidates: &[Candidate]) -> Self {
        let mut by_type: Vec<(LayerType, Vec<usize>)> = Vec::new();
        for (i, candidate) in candidates.iter().enumerate() {
            match by_type.iter_mut().find(|(layer, _)| *layer == candidate.layer) {
                Some((_, group)) => group.push(i),
                None => by_type.push((candidate.layer, vec![i])),
            }
        }
        by_type.sort_by_key(|(layer, _)| *layer);
        let away = |i: usize| candidates[i].in_before - candidates[i].out_after;
        let mut list = Vec::new();
        for (layer, group) in &mut by_type {
            group.sort_by_key(|&i| (std::cmp::Reverse(away(i)), i));
            let mut counts: Vec<usize> = (0..=LEVELS).map(|level| group.len() * level / LEVELS).collect();
            counts.dedup();
            list.extend(counts.into_iter().map(|count| Action::Swap(*layer, count)));
            list.extend(group.iter().map(|&i| Action::Flip(i)));
        }
        Actions { by_type, list }
    }

    /// All of them.
    #[must_use]
    pub fn list(&self) -> &[Action] {
        &self.list
    }

    /// The scheme after an action.
    #[must_use]
    pub fn apply(&self, scheme: &Scheme, action: Action) -> Scheme {
        let mut next = scheme.clone();
        match action {
            Action::Flip(i) => next.0[i] = !next.0[i],
            Action::Swap(layer, count) => {
                let group = self.by_type.iter().find(|(l, _)| *l == layer);
                for (rank, &i) in group.iter().flat_map(|(_, group)| group.iter().enumerate()) {
                    next.0[i] = rank < count;
                }
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::tests::chain;
    use super::*;

    #[test]
    fn every_action_changes_one_layer_type_at_most() {
        let candidates = chain(12, 80, 1.0).candidates();
        let actions = Actions::new(&candidates);
        let scheme = Scheme((0..candidates.len()).map(|i| i % 3 == 0).collect());
        for &action in actions.list() {
            let next = actions.apply(&scheme, action);
            let mut changed: Vec<LayerType> = (0..candidates.len())
                .filter(|&i| next.0[i] != scheme.0[i])
                .map(|i| candidates[i].layer)
                .collect();
            changed.dedup();
            assert!(changed.len() <= 1, "{action:?} changes {changed:?}");
        }
        assert_eq!(actions.list().iter().filter(|a| matches!(a, Action::Flip(_))).count(), candidates.len());
    }

    #[test]
    fn levels_take_those_away_longest() {
        let candidates = chain(12, 80, 1.0).candidates();
        let actions = Actions::new(&candidates);
        let none = Scheme(vec![false; candidates.len()]);
        let half = actions.apply(&none, Action::Swap(LayerType::Convolution, 6));
        let swapped: Vec<usize> =
            (0..candidates.len()).filter(|&i| half.0[i]).map(|i| candidates[i].node.0).collect();
        assert_eq!(swapped, [0, 2, 4, 6, 8, 10]);
    }
}
