//! Results of two runs, element by element.

use serde::{Deserialize, Serialize};

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    /// Element type, as in MLIR.
    pub(crate) element: String,
    /// Its bytes, row-major, little-endian.
    pub(crate) bytes: Vec<u8>,
}

/// What a back end says of a result it wrote.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Taken {
    /// Which result of the program it is (native and mpi only).
    #[serde(default)]
    pub(crate) number: usize,
    element: String,
    elements: usize,
}

/// Cuts a file of results into them.
///
/// # Errors
/// A file that is too short or too long, an unknown element type.
pub(crate) fn read_results(taken: &[Taken], mut bytes: &[u8]) -> Result<Vec<Values>, String> {
    let mut results = Vec::with_capacity(taken.len());
    for Taken { element, elements, .. } in taken {
        let length =
            width(element).ok_or_else(|| format!("results of type {element} cannot be read"))? * elements;
        let Some((mine, rest)) = bytes.split_at_checked(length) else {
            return Err(format!("the file of results ends {} bytes early", length - bytes.len()));
        };
        results.push(Values { element: element.clone(), bytes: mine.to_vec() });
        bytes = rest;
    }
    if bytes.is_empty() {
        Ok(results)
    } else {
        Err(format!("the file of results is {} bytes too long", bytes.len()))
    }
}

/// Bytes of an element.
fn width(element: &str) -> Option<usize> {
    Some(match element {
        "i1" | "i8" => 1,
        "f16" | "bf16" | "i16" => 2,
        "f32" | "i32" => 4,
        "f64" | "i64" | "index" => 8,
        _ => return None,
    })
}

/// How far two sets of results are apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// Number of results.
    pub(crate) results: usize,
    /// The same bits everywhere?
    pub(crate) identical: bool,
    /// Largest difference of two elements.
    pub(crate) absolute: f64,
    /// Largest difference of two elements of a result over the largest magnitude in that result.
    pub(crate) relative: f64,
}

impl Values {
    fn numbers(&self) -> Result<Vec<f64>, String> {
        let numbers =
            |width: usize, read: fn(&[u8]) -> f64| self.bytes.chunks_exact(width).map(read).collect();
        Ok(match self.element.as_str() {
            "f32" => numbers(4, |b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            "f64" => numbers(8, |b| f64::from_bits(word(b))),
            "bf16" => numbers(2, |b| f64::from(f32::from_le_bytes([0, 0, b[0], b[1]]))),
            "f16" => numbers(2, |b| half(u16::from_le_bytes([b[0], b[1]]))),
            "i1" => numbers(1, |b| f64::from(b[0])),
            "i8" => numbers(1, |b| f64::from(b[0].cast_signed())),
            "i16" => numbers(2, |b| f64::from(i16::from_le_bytes([b[0], b[1]]))),
            "i32" => numbers(4, |b| f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            "i64" | "index" => numbers(8, |b| word(b).cast_signed() as f64),
            other => return Err(format!("results of type {other} cannot be compared")),
        })
    }
}

fn word(b: &[u8]) -> u64 {
    u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])
}

/// An IEEE half-precision number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match (bits >> 10) & 0x1f {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    }
}

/// Compares results of the same program. NaN equals NaN, and differs infinitely from every number.
///
/// # Errors
/// Other numbers, types or sizes of results.
pub(crate) fn compare(before: &[Values], after: &[Values]) -> Result<Difference, String> {
    if before.len() != after.len() {
        return Err(format!(
            "the original has {} results, the rewritten program {}",
            before.len(),
            after.len()
        ));
    }
    let mut difference = Difference { results: before.len(), identical: true, absolute: 0.0, relative: 0.0 };
    for (index, (before, after)) in before.iter().zip(after).enumerate() {
        if before.element != after.element || before.bytes.len() != after.bytes.len() {
            return Err(format!(
                "result {index} is {} bytes of {} in the original, {} bytes of {} in the rewritten program",
                before.bytes.len(),
                before.element,
                after.bytes.len(),
                after.element
            ));
        }
        if before.bytes == after.bytes {
            continue;
        }
        difference.identical = false;
        let (before, after) = (before.numbers()?, after.numbers()?);
        let largest = before.iter().filter(|x| x.is_finite()).fold(0_f64, |largest, x| largest.max(x.abs()));
        let apart = before.iter().zip(&after).map(|(a, b)| apart(*a, *b)).fold(0.0, f64::max);
        difference.absolute = difference.absolute.max(apart);
        let relative = if apart == 0.0 { 0.0 } else { apart / largest.max(f64::MIN_POSITIVE) };
        difference.relative = difference.relative.max(relative);
    }
    Ok(difference)
}

fn apart(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        0.0
    } else if a.is_finite() && b.is_finite() {
        (a - b).abs()
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::{Values, compare, half};

    fn singles(values: &[f32]) -> Values {
        Values { element: "f32".into(), bytes: values.iter().flat_map(|x| x.to_le_bytes()).collect() }
    }

    #[test]
    fn differences_are_measured_against_the_largest_value_of_the_result() {
        let same = compare(&[singles(&[1.0, f32::NAN])], &[singles(&[1.0, f32::NAN])]).unwrap();
        assert!(same.identical);
        let off = compare(&[singles(&[4.0, 1.0])], &[singles(&[4.0, 1.5])]).unwrap();
        assert_eq!((off.identical, off.absolute, off.relative), (false, 0.5, 0.125));
        let broken = compare(&[singles(&[4.0, 1.0])], &[singles(&[4.0, f32::NAN])]).unwrap();
        assert_eq!(broken.relative, f64::INFINITY);
        let signs = compare(&[singles(&[0.0])], &[singles(&[-0.0])]).unwrap();
        assert_eq!((signs.identical, signs.relative), (false, 0.0));
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(compare(&[singles(&[1.0])], &[]).is_err());
        assert!(compare(&[singles(&[1.0])], &[singles(&[1.0, 2.0])]).is_err());
    }

    #[test]
    fn half_precision_is_read() {
        let numbers: Vec<f64> = [0x3c00, 0xc000, 0x0001, 0x7bff, 0x2c00].into_iter().map(half).collect();
        assert_eq!(numbers, [1.0, -2.0, 2_f64.powi(-24), 65504.0, 0.0625]);
        assert!(half(0x7e00).is_nan());
    }
}
