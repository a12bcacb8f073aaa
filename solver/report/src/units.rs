//! Bytes and seconds as the columns of a table show them: one unit per column.

/// Binary units, smallest first.
const UNITS: [(&str, f64); 5] = [
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// A unit for several sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    name: &'static str,
    bytes: f64,
}

impl Unit {
    /// The unit in which the largest of these sizes has one to four digits before the point.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        let largest = sizes.into_iter().max().unwrap_or(0) as f64;
        let fitting = UNITS.iter().rev().find(|(_, bytes)| largest >= *bytes);
        let &(name, bytes) = fitting.unwrap_or(&UNITS[0]);
        // 1.2 GiB is written 1228.8 MiB: a table of peaks and caps is read by its small differences.
        match UNITS.iter().position(|unit| unit.0 == name) {
            Some(at) if at > 0 && largest < 10.0 * bytes => {
                let (name, bytes) = UNITS[at - 1];
                Unit { name, bytes }
            }
            _ => Unit { name, bytes },
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// A size in it, without its name.
    pub fn show(self, bytes: u64) -> String {
        match self.name {
            "B" => bytes.to_string(),
            _ => format!("{:.1}", bytes as f64 / self.bytes),
        }
    }
}

/// Seconds as milliseconds.
pub fn milliseconds(seconds: f64) -> String {
    format!("{:.3}", seconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_the_unit_of_its_largest_entry() {
        let unit = |sizes: &[u64]| Unit::of(sizes.iter().copied());
        assert_eq!(unit(&[]).name(), "B");
        assert_eq!(unit(&[5000, 12]).show(5000), "5000");
        let mib = unit(&[824 << 20, 27 << 20]);
        assert_eq!(
            (mib.name(), mib.show(824 << 20), mib.show(1 << 19)),
            ("MiB", "824.0".into(), "0.5".into())
        );
        assert_eq!((unit(&[3 << 30]).name(), unit(&[30 << 30]).name()), ("MiB", "GiB"));
    }
}
