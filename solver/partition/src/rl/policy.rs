//! Which network looks at a state: the published one, or one whose weights are shared between the pairs.

use ballast_learner_client::{Activation, Head, NetworkConfig};
use serde::{Deserialize, Serialize};

use crate::rl::environment::{KINDS, State};
use crate::rl::features::PAIR_FEATURES;
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

    /// The network: `2n-128-128-4(n-1)` for the flat view, as first default, `48-64-64-4` for pairs.
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
            View::Pairs => "partition-pairs/2".into(),
        }
    }
}

/// The row of the flat view: layers of every core, then their operations, each over its total.
pub(super) fn flat(machine: &Machine, state: &State, rows: &mut Vec<f32>) {
    let layers = machine.layers() as f32;
    rows.extend(state.layers().iter().map(|&count| count as f32 / layers));
    let total = machine.operations(0, machine.layers()).max(1.0);
    let mut first = 0;
    for &count in state.layers() {
        rows.push((machine.operations(first, first + count) / total) as f32);
        first += count;
    }
}
