//! What XLA took for the programs that it compiled: what plans for several caps have in common is compiled once.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::planner::Planner;
use crate::failure::Failure;
use crate::run::Measured;
use crate::run::xla::{self, Job};

/// Programs that were compiled, by what tells them apart, with what was measured.
#[derive(Default)]
pub(super) struct Compiled(BTreeMap<[u64; 3], Measured>);

impl Compiled {
    /// What XLA takes for the program that was planned last, of which it compiles the function; and whether that was measured before.
    ///
    /// # Errors
    /// As [`xla::measure`].
    pub(super) fn measure(
        &mut self,
        planner: &Planner<'_>,
        planned: bool,
        function: &str,
    ) -> Result<(Measured, bool), Failure> {
        let job = Job { function, ..planner.job };
        let lowered = xla::lower(planner.file, planned, &job)?;
        let key = key(&lowered.text()?);
        if let Some(measured) = self.0.get(&key) {
            return Ok((measured.clone(), true));
        }
        let measured = lowered.measure(&job)?;
        self.0.insert(key, measured.clone());
        Ok((measured, false))
    }
}

/// The length of a text and two hashes of it: texts of many megabytes need not be kept to be told apart.
fn key(text: &[u8]) -> [u64; 3] {
    let hash = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, text).hash(&mut hasher);
        hasher.finish()
    };
    [text.len() as u64, hash(0), hash(1)]
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn programs_are_told_apart_by_their_text() {
        assert_eq!(key(b"module {}"), key(b"module {}"));
        assert_ne!(key(b"module {}"), key(b"module { }"));
        let [_, one, other] = key(b"module {}");
        assert_ne!(one, other);
    }
}
