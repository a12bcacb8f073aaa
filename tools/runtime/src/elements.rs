//! Elements of buffers: random ones from a seed, and any as a double.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Element types, numbered as `--ballast-entry` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
    /// A boolean in a byte.
    I1,
    /// A signless integer of 8 bits.
    I8,
    /// A signless integer of 16 bits.
    I16,
    /// A signless integer of 32 bits.
    I32,
    /// A signless integer of 64 bits.
    I64,
    /// An index.
    Index,
}

/// What a buffer is filled from: the same for a seed and buffer on every machine.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// One stream per seed and buffer.
    #[must_use]
    pub fn new(seed: u64, buffer: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(buffer);
        Random(random)
    }

    /// A number from -1/8 up to 1/8: deep programs of sums of products stay finite.
    fn unit(&mut self) -> f64 {
        self.0.random_range(-0.125..0.125)
    }
}

impl Element {
    /// The element type of a number.
    #[must_use]
    pub fn of(number: u64) -> Option<Self> {
        use Element::{Bf16, F16, F32, F64, I1, I8, I16, I32, I64, Index};
        let known = [F32, F64, F16, Bf16, I1, I8, I16, I32, I64, Index];
        usize::try_from(number).ok().and_then(|number| known.get(number)).copied()
    }

    /// Bytes of one element.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Element::I1 | Element::I8 => 1,
            Element::F16 | Element::Bf16 | Element::I16 => 2,
            Element::F32 | Element::I32 => 4,
            Element::F64 | Element::I64 | Element::Index => 8,
        }
    }

    /// Name, as in MLIR's types.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::I1 => "i1",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
            Element::Index => "index",
        }
    }

    /// Fills a buffer. Integers are 0 or 1, which is a valid index of any dimension but those of extent 1.
    pub fn fill(self, buffer: &mut [u8], random: &mut Random) {
        for element in buffer.chunks_exact_mut(self.bytes()) {
            match self {
                Element::F32 => element.copy_from_slice(&(random.unit() as f32).to_le_bytes()),
                Element::F64 => element.copy_from_slice(&random.unit().to_le_bytes()),
                // The upper half of a single is a bfloat16; 0x3000 is 1/8 in half precision.
                Element::Bf16 => element.copy_from_slice(&(random.unit() as f32).to_le_bytes()[2..]),
                Element::F16 => {
                    let bits = 0x2c00 | (random.0.random::<u16>() & 0x83ff);
                    element.copy_from_slice(&bits.to_le_bytes());
                }
                Element::I1 | Element::I8 | Element::I16 | Element::I32 | Element::I64 | Element::Index => {
                    element.fill(0);
                    element[0] = u8::from(random.0.random::<bool>());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, Random};

    #[test]
    fn a_seed_gives_the_same_small_numbers_and_another_seed_others() {
        let fill = |seed, buffer| {
            let mut bytes = vec![0; 4000];
            Element::F32.fill(&mut bytes, &mut Random::new(seed, buffer));
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect::<Vec<_>>()
        };
        let numbers = fill(1, 0);
        assert_eq!(numbers, fill(1, 0));
        assert_ne!(numbers, fill(2, 0));
        assert_ne!(numbers, fill(1, 1));
        assert!(numbers.iter().all(|x| x.abs() <= 0.125));
        let mean = numbers.iter().sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.01, "{mean}");
    }

    #[test]
    fn every_number_has_an_element_of_its_own_name() {
        let names: Vec<&str> = (0..).map_while(Element::of).map(Element::name).collect();
        assert_eq!(names, ["f32", "f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "index"]);
    }

    #[test]
    fn integers_are_valid_indices() {
        let mut bytes = vec![9; 800];
        Element::I64.fill(&mut bytes, &mut Random::new(0, 0));
        assert!(bytes.chunks_exact(8).all(|b| u64::from_le_bytes(b.try_into().unwrap()) <= 1));
    }
}
