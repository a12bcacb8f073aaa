//! Units: bytes as a type, element types with their widths, sizes such as `16GiB`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A size in bytes. Written and read as `16GiB`, `1.5GB`, `4096`; serialised as a plain number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// No bytes.
    pub const ZERO: Bytes = Bytes(0);

    /// This size as a float, for ratios.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

/// A size that may be typed again as it is printed: in bytes where a unit would round it, the unit beside it.
#[must_use]
pub fn exact(size: Bytes) -> String {
    let text = size.to_string();
    if text.parse() == Ok(size) { text } else { format!("{text} ({} B)", size.0) }
}

/// Sizes for one message: in bytes where two that differ would read alike, such as a cap that is missed by a few bytes.
#[must_use]
pub fn told_apart<const N: usize>(sizes: [Bytes; N]) -> [String; N] {
    let texts = sizes.map(|size| size.to_string());
    let is_alike =
        (1..N).any(|one| (0..one).any(|other| sizes[one] != sizes[other] && texts[one] == texts[other]));
    if is_alike { sizes.map(|size| format!("{} B", size.0)) } else { texts }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bytesize::ByteSize::b(self.0).fmt(f)
    }
}

/// A size that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' {reason}: write bytes with an optional unit, such as 4096, 512MiB or 16GiB")]
pub struct ParseBytesError {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl FromStr for Bytes {
    type Err = ParseBytesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |reason| ParseBytesError { text: text.to_owned(), reason };
        let error = || refuse("is not a size");
        let trimmed = text.trim();
        if !trimmed.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(error());
        }
        // The parser takes `1e` for 1 exabyte and drops a sign; a unit here starts with k, m, g, t, p or e
        // and names bytes.
        let unit = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
        if !unit.is_empty() && !unit.ends_with(['b', 'B']) {
            return Err(error());
        }
        match trimmed.parse::<bytesize::ByteSize>() {
            // What is larger is cut off to this without a word.
            Ok(size) if size.as_u64() == u64::MAX => Err(refuse("is 16 EiB or more")),
            Ok(size) => Ok(Bytes(size.as_u64())),
            Err(_) if unit.is_empty() && !trimmed.contains('.') => Err(refuse("is 16 EiB or more")),
            Err(_) => Err(error()),
        }
    }
}

impl std::ops::Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(sizes: I) -> Bytes {
        sizes.fold(Bytes::ZERO, |a, b| a + b)
    }
}

/// Is it a number that files leave out?
pub(crate) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_units_are_read() {
        assert_eq!("16GiB".parse(), Ok(Bytes(16 << 30)));
        assert_eq!("1.5KiB".parse(), Ok(Bytes(1536)));
        assert_eq!("4096".parse(), Ok(Bytes(4096)));
        assert_eq!("2GB".parse(), Ok(Bytes(2_000_000_000)));
        assert_eq!("15EiB".parse(), Ok(Bytes(15 << 60)));
    }

    #[test]
    fn sizes_that_no_number_holds_are_not_cut_off() {
        for text in ["16EiB", "99999999999999999999GiB", "99999999999999999999999"] {
            let refused = text.parse::<Bytes>().expect_err("refused");
            assert_eq!(refused.reason, "is 16 EiB or more", "{text}");
        }
    }

    #[test]
    fn sizes_that_read_alike_are_told_apart_in_bytes() {
        let told = |sizes: [u64; 2]| told_apart(sizes.map(Bytes));
        assert_eq!(told([1024, 2048]), ["1.0 KiB", "2.0 KiB"]);
        assert_eq!(told([12_163_481, 12_163_482]), ["12163481 B", "12163482 B"]);
        assert_eq!(told([2048, 2048]), ["2.0 KiB", "2.0 KiB"]);
    }

    #[test]
    fn a_size_that_a_unit_would_round_has_its_bytes_beside_it() {
        assert_eq!(exact(Bytes(16)), "16 B");
        assert_eq!(exact(Bytes(1536)), "1.5 KiB");
        assert_eq!(exact(Bytes(12_163_482)), "11.6 MiB (12163482 B)");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "-1", "GiB", "12 apples", "NaN", "1e", "0x10"] {
            assert!(text.parse::<Bytes>().is_err(), "{text:?} was accepted");
        }
    }
}
