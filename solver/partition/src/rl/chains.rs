//! Generated chains of layers: what policies are trained and compared on.

use ballast_core::device::CoreModel;
use ballast_core::units::Bytes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::rl::machine::{Machine, Site};
use crate::sequence::Sequence;

/// How the times of neighbouring layers relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Profile {
    /// Drawn independently, within a factor of ten.
    Even,
    /// Drawn independently, a few layers far above the others.
    Heavy,
    /// Rising and falling slowly along the chain, as in convolution networks.
    Waves,
    /// A short pattern repeated, as in transformers.
    Blocks,
    /// Nearly all time in a few layers, as with large embeddings and heads.
    Towers,
    /// A pattern of small and large layers, then the same backwards at twice the time, as in a training step.
    Training,
}

/// All profiles.
pub const PROFILES: &[Profile] = <Profile as strum::VariantArray>::VARIANTS;

impl Profile {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Chains a policy is judged on have seeds from here on, those it is trained on stay below.
pub const UNSEEN: u64 = 1 << 32;

/// A chain of `layers` layers on a chip of `cores` cores with enough memory.
///
/// `c` cores are `c^e` times as fast as one, e drawn from 0.6 to 0.95. With a linear speed-up there is nothing to
/// find: one stage on all cores is as fast as any.
#[must_use]
pub fn chain(layers: usize, cores: usize, profile: Profile, seed: u64) -> Machine {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let pattern: Vec<f64> = (0..rng.random_range(3..9)).map(|_| 10f64.powf(rng.random::<f64>())).collect();
    let (length, shift) = (rng.random_range(8.0..40.0), rng.random_range(0.0..6.3));
    // One layer in thirty, or in five.
    let towers = 0.03 * 6f64.powf(rng.random());
    let seconds: Vec<f64> = (0..layers)
        .map(|layer| {
            let jitter = rng.random_range(0.8..1.25);
            jitter
                * 1e-3
                * match profile {
                    Profile::Even => 10f64.powf(rng.random::<f64>()),
                    Profile::Heavy => 30f64.powf(rng.random::<f64>().powi(3)),
                    Profile::Waves => 1.0 + 4.0 * (shift + layer as f64 / length * 6.3).sin().powi(2),
                    Profile::Blocks => pattern[layer % pattern.len()],
                    Profile::Towers if rng.random::<f64>() < towers => rng.random_range(20.0..80.0),
                    Profile::Towers => rng.random_range(0.5..2.0),
                    Profile::Training if 2 * layer < layers => pattern[layer % pattern.len()].powf(1.5),
                    Profile::Training => 2.0 * pattern[(layers - 1 - layer) % pattern.len()].powf(1.5),
                }
        })
        .collect();
    let bytes: Vec<u64> = (0..layers).map(|_| rng.random_range(1 << 10..1 << 20)).collect();
    let memory: Vec<u64> = (0..layers).map(|_| rng.random_range(1 << 10..1 << 22)).collect();
    let exponent = rng.random_range(0.6..0.95);
    let speed_up = (1..=cores).map(|c| (c as f64).powf(exponent)).collect();
    let model = CoreModel { count: cores, memory_per_core: Bytes(1 << 40), speed_up };
    Machine::new(&Sequence::chain(&seconds, &bytes, &memory), Site::chip(&model))
}
