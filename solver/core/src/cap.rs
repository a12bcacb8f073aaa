//! How a memory cap is written: bytes, a share of the unplanned peak, or the device's own memory.

use std::fmt;
use std::str::FromStr;

use crate::units::Bytes;

/// A cap as the user gave it.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum CapSpec {
    /// The device's memory.
    #[default]
    DeviceMemory,
    /// So many bytes on every device.
    Absolute(Bytes),
    /// A share of each stage's unplanned peak, 1.0 = all of it.
    Share(f64),
}

/// A cap that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cap '{text}' {reason}: write bytes with a unit, such as 8GiB, or a percentage of the unplanned peak, such as 60%"
)]
pub struct ParseCapError {
    text: String,
    reason: &'static str,
}

impl FromStr for CapSpec {
    type Err = ParseCapError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |reason| ParseCapError { text: text.to_owned(), reason };
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Ok(CapSpec::DeviceMemory);
        }
        if trimmed.starts_with('-') {
            return Err(error("is negative"));
        }
        if let Some(percent) = trimmed.strip_suffix('%') {
            let share: f64 = percent.trim().parse().map_err(|_| error("is not a percentage"))?;
            if !share.is_finite() {
                return Err(error("is not a percentage"));
            }
            if share <= 0.0 {
                return Err(error("leaves no memory at all"));
            }
            return Ok(CapSpec::Share(share / 100.0));
        }
        match trimmed.parse::<Bytes>() {
            Ok(Bytes(0)) => Err(error("leaves no memory at all")),
            Ok(bytes) => Ok(CapSpec::Absolute(bytes)),
            Err(refused) => Err(error(refused.reason)),
        }
    }
}

impl CapSpec {
    /// Bytes of the cap for a stage with this unplanned peak on a device with this memory.
    #[must_use]
    pub fn bytes(self, unplanned_peak: Bytes, device_memory: Bytes) -> Bytes {
        match self {
            CapSpec::DeviceMemory => device_memory,
            CapSpec::Absolute(bytes) => bytes,
            CapSpec::Share(share) => Bytes((unplanned_peak.as_f64() * share).ceil() as u64),
        }
    }

    /// The caps of so many devices below their memories, where they are known before the stages are: a share of each stage's own peak bounds nothing before.
    #[must_use]
    pub fn before_stages(self, devices: usize) -> Option<Vec<Bytes>> {
        match self {
            CapSpec::Absolute(bytes) => Some(vec![bytes; devices]),
            CapSpec::DeviceMemory | CapSpec::Share(_) => None,
        }
    }
}

impl fmt::Display for CapSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapSpec::DeviceMemory => f.write_str("the device's memory"),
            CapSpec::Absolute(bytes) => bytes.fmt(f),
            CapSpec::Share(share) => write!(f, "{}%", share * 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_read_in_every_form() {
        assert_eq!("8GiB".parse(), Ok(CapSpec::Absolute(Bytes(8 << 30))));
        assert_eq!("60%".parse(), Ok(CapSpec::Share(0.6)));
        assert_eq!("".parse(), Ok(CapSpec::DeviceMemory));
        assert_eq!(CapSpec::Share(0.5).bytes(Bytes(101), Bytes(7)), Bytes(51));
        assert_eq!(CapSpec::DeviceMemory.bytes(Bytes(101), Bytes(7)), Bytes(7));
    }

    #[test]
    fn nonsense_caps_are_refused_with_a_reason() {
        for text in ["0", "0%", "-1GiB", "-5%", "lots", "NaN%", "inf%", "12 apples", "%"] {
            assert!(text.parse::<CapSpec>().is_err(), "{text:?} was accepted");
        }
        for (text, reason) in [
            ("NaN%", "is not a percentage"),
            ("inf%", "is not a percentage"),
            ("0%", "leaves no memory"),
            ("16EiB", "is 16 EiB or more"),
        ] {
            let said = text.parse::<CapSpec>().expect_err("refused").to_string();
            assert!(said.contains(reason), "{said}");
        }
    }
}
