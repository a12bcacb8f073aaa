//! Quantities with units as device files write them: `16GiB`, `2039GB/s`, `19.5TFLOP/s`, `5us`, or plain numbers.

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use crate::units::Bytes;

/// A number or a text with a unit, not yet read as a size, a rate or a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Quantity {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Quantity;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number or a text with a unit, such as \"16GiB\"")
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Quantity, E> {
                Ok(Quantity::Integer(value))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Quantity, E> {
                Ok(Quantity::Float(value))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Quantity, E> {
                Ok(Quantity::Text(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// How many there are of something.
#[derive(Clone, Copy)]
pub(super) struct Count(pub(super) usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Count;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number from 1")
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Count, E> {
                let refused = |_| E::invalid_value(Unexpected::Signed(value), &self);
                usize::try_from(value).map(Count).map_err(refused)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Quantity::Integer(value) => write!(f, "{value}"),
            Quantity::Float(value) => write!(f, "{value}"),
            Quantity::Text(text) => write!(f, "'{text}'"),
        }
    }
}

/// Decimal and binary prefixes of a unit, longest first.
const PREFIXES: [(&str, f64); 11] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("", 1.0),
];

/// Common links by name, bytes per second in one direction. NVLink: 25 GB/s a link from the second generation on, 50 from the
/// fifth, times the links of a GPU (6, 12, 18, 18; data sheets of V100, A100, H100 and B200). PCIe: 16 lanes of 8, 16 and
/// 32 GT/s at 128/130 (PCI Express base specifications 3 to 5).
pub(super) const LINKS: [(&str, f64); 7] = [
    ("nvlink-2", 150e9),
    ("nvlink-3", 300e9),
    ("nvlink-4", 450e9),
    ("nvlink-5", 900e9),
    ("pcie-3", 15.75e9),
    ("pcie-4", 31.5e9),
    ("pcie-5", 63e9),
];

/// Splits `12.5GB/s` into 12.5 and `GB/s`; none without a leading number.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        let exponent = matches!(c, 'e' | 'E')
            && text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        let sign = matches!(c, '-' | '+') && (at == 0 || text[..at].ends_with(['e', 'E']));
        if !(c.is_ascii_digit() || c == '.' || exponent || sign) {
            end = at;
            break;
        }
    }
    text[..end].parse().ok().map(|number| (number, text[end..].trim()))
}

impl Quantity {
    fn rate(&self, units: &[&str]) -> Option<f64> {
        match self {
            Quantity::Integer(value) => Some(*value as f64),
            Quantity::Float(value) => Some(*value),
            Quantity::Text(text) => {
                let (number, unit) = split(text)?;
                if unit.is_empty() {
                    return Some(number);
                }
                let scale = PREFIXES.iter().find_map(|(prefix, scale)| {
                    let rest = unit.strip_prefix(prefix)?;
                    units.contains(&rest).then_some(*scale)
                })?;
                Some(number * scale)
            }
        }
    }

    /// Bytes, at least 1.
    pub(super) fn bytes(&self) -> Result<Bytes, String> {
        let error =
            || format!("{self} is not a size of 1 byte or more: write \"16GiB\" or a number of bytes");
        let bytes = match self {
            Quantity::Integer(value) => u64::try_from(*value).map(Bytes).map_err(|_| error())?,
            Quantity::Float(_) => return Err(error()),
            Quantity::Text(text) => text.parse().map_err(|_| error())?,
        };
        if bytes == Bytes::ZERO { Err(error()) } else { Ok(bytes) }
    }

    /// Bytes per second, finite and above zero.
    pub(super) fn bytes_per_second(&self) -> Result<f64, String> {
        if let Quantity::Text(text) = self
            && let Some((_, bandwidth)) = LINKS.iter().find(|(name, _)| name == text)
        {
            return Ok(*bandwidth);
        }
        positive(self.rate(&["B/s", "Bps"])).ok_or_else(|| {
            let links: Vec<&str> = LINKS.iter().map(|(name, _)| *name).collect();
            format!(
                "{self} is not a bandwidth above zero: write \"900GB/s\", a number of bytes per second, or one of {}",
                links.join(", ")
            )
        })
    }

    /// Operations per second, finite and above zero.
    pub(super) fn operations_per_second(&self) -> Result<f64, String> {
        positive(self.rate(&["FLOP/s", "FLOPS", "OP/s", "OPS"])).ok_or_else(|| {
            format!(
                "{self} is not a peak rate above zero: write \"19.5TFLOP/s\" or a number of operations per second"
            )
        })
    }

    /// Seconds, finite and not negative.
    pub(super) fn seconds(&self) -> Result<f64, String> {
        let value = match self {
            Quantity::Integer(value) => Some(*value as f64),
            Quantity::Float(value) => Some(*value),
            Quantity::Text(text) => split(text).and_then(|(number, unit)| {
                let scale = match unit {
                    "" | "s" => 1.0,
                    "ms" => 1e-3,
                    "us" | "µs" => 1e-6,
                    "ns" => 1e-9,
                    _ => return None,
                };
                Some(number * scale)
            }),
        };
        value.filter(|s| s.is_finite() && *s >= 0.0).ok_or_else(|| {
            format!("{self} is not a time of zero or more: write \"5us\" or a number of seconds")
        })
    }
}

fn positive(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite() && *v > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Quantity {
        Quantity::Text(text.to_owned())
    }

    #[test]
    fn units_are_scaled() {
        assert_eq!(text("2039GB/s").bytes_per_second(), Ok(2.039e12));
        assert_eq!(text("1.5 GiB/s").bytes_per_second(), Ok(1.5 * 1_073_741_824.0));
        assert_eq!(text("nvlink-4").bytes_per_second(), Ok(4.5e11));
        assert_eq!(text("19.5TFLOP/s").operations_per_second(), Ok(1.95e13));
        assert_eq!(text("624 TOPS").operations_per_second(), Ok(6.24e14));
        assert_eq!(text("1.5e3").operations_per_second(), Ok(1500.0));
        assert_eq!(Quantity::Integer(7).bytes(), Ok(Bytes(7)));
        assert_eq!(text("5us").seconds(), Ok(5.0 * 1e-6));
        assert_eq!(Quantity::Float(0.0).seconds(), Ok(0.0));
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in [
            "",
            "fast",
            "nvlink",
            "nvlink-9",
            "12 parsecs",
            "1GB",
            "-1GB/s",
            "0GB/s",
            "nan",
            "inf",
            "1e999B/s",
        ] {
            assert!(text(bad).bytes_per_second().is_err(), "{bad:?} was read as a bandwidth");
        }
        for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(Quantity::Float(bad).operations_per_second().is_err(), "{bad} was read as a rate");
        }
        for bad in [Quantity::Integer(0), Quantity::Integer(-5), Quantity::Float(2.5), text("-3GiB")] {
            assert!(bad.bytes().is_err(), "{bad} was read as a size");
        }
        for bad in ["5", "5 us", "1e-6"] {
            assert!(text(bad).seconds().is_ok(), "{bad:?} was refused as a time");
        }
        for bad in ["-1us", "5 minutes", "nan"] {
            assert!(text(bad).seconds().is_err(), "{bad:?} was read as a time");
        }
    }
}
