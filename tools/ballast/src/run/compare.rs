//! Results of two runs, element by element.

use half::{bf16, f16};
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
        "i1" | "i8" | "ui8" => 1,
        "f16" | "bf16" | "i16" | "ui16" => 2,
        "f32" | "i32" | "ui32" => 4,
        "f64" | "i64" | "ui64" | "index" => 8,
        _ => return None,
    })
}

/// How far two sets of results are apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// Number of results.
    pub(crate) results: usize,
    /// Of these, results in which a number was compared.
    pub(crate) compared: usize,
    /// Elements compared.
    pub(crate) elements: u64,
    /// Elements that are NaN in both programs, in any result: they say nothing and are not compared.
    pub(crate) both_nan: u64,
    /// The same bits everywhere?
    pub(crate) identical: bool,
    /// Largest difference of two elements.
    pub(crate) absolute: f64,
    /// Largest difference of two elements of a result over the largest magnitude in that result.
    pub(crate) relative: f64,
    /// The result furthest beyond its tolerance, if any is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) beyond: Option<Beyond>,
}

/// A result that differs by more than it may.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Beyond {
    /// Its number.
    pub(crate) result: usize,
    /// Its element type.
    pub(crate) element: String,
    /// By how much it differs, relative to its largest magnitude.
    pub(crate) relative: f64,
    /// By how much it may.
    pub(crate) tolerance: f64,
}

impl Difference {
    /// Are the results alike, as far as they say anything?
    ///
    /// # Errors
    /// Why not, for the user: a result beyond its tolerance, or results that are all NaN.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        if let Some(Beyond { result, element, relative, tolerance }) = &self.beyond {
            return Err(format!(
                "result {result} ({element}) differs by {relative:e} relative to its largest value, more than the tolerance of \
                 {tolerance:e}: --tolerance sets another"
            ));
        }
        if self.says_nothing() {
            return Err("every result is NaN in both programs: nothing was compared; another --seed helps only where NaN comes of \
                        the numbers drawn"
                .into());
        }
        Ok(())
    }

    /// Is every element NaN in both programs?
    fn says_nothing(&self) -> bool {
        self.elements == 0 && self.both_nan > 0
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { results, compared, elements, both_nan, .. } = self;
        writeln!(f, "results: {compared} of {results} compared, {elements} elements")?;
        if *both_nan > 0 {
            writeln!(f, "not compared: {both_nan} elements that are NaN in both programs")?;
        }
        if self.says_nothing() {
            return Ok(());
        }
        if self.identical {
            writeln!(f, "identical bit for bit")
        } else {
            writeln!(
                f,
                "largest difference {:e}, {:e} of the largest value of its result",
                self.absolute, self.relative
            )
        }
    }
}

/// How far two results of a type may be apart, relative to the largest magnitude, where nothing else is asked for.
///
/// In units of roundoff (IEEE 754 and bfloat16: 2^-53, 2^-24, 2^-11, 2^-8): some thousands for f64, 168 for f32, whose sums are as long as the
/// program makes them; four for the short types, in which sums are kept in f32 and rounded once.
fn tolerance_of(element: &str) -> f64 {
    match element {
        "f64" => 1e-12,
        "f32" => 1e-5,
        "f16" => 2_f64.powi(-9),
        "bf16" => 2_f64.powi(-6),
        _ => 0.0,
    }
}

/// The short floating-point types that a program, as text, has tensors of.
pub(crate) fn short_types(text: &str) -> impl Iterator<Item = &'static str> {
    let is_there = |element: &&str| {
        [format!("x{element}>"), format!("<{element}>")].iter().any(|end| text.contains(end))
    };
    ["bf16", "f16"].into_iter().filter(is_there)
}

/// How far two results may be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tolerance {
    /// All of them, relative to their largest magnitude.
    All(f64),
    /// Each by its type; those in a floating-point type at least by so much.
    ByType(f64),
}

impl Tolerance {
    /// That of the types that a program computes in: a result in f32 that comes from numbers in bf16 is no nearer to another order of the same sums than these.
    pub(crate) fn of_program(text: &str) -> Self {
        Tolerance::ByType(short_types(text).map(tolerance_of).fold(0.0, f64::max))
    }

    fn of(self, element: &str) -> f64 {
        match (self, tolerance_of(element)) {
            (Tolerance::All(tolerance), _) => tolerance,
            (Tolerance::ByType(least), own) if own > 0.0 => own.max(least),
            (Tolerance::ByType(_), own) => own,
        }
    }
}

impl Values {
    fn numbers(&self) -> Result<Vec<f64>, String> {
        let numbers =
            |width: usize, read: fn(&[u8]) -> f64| self.bytes.chunks_exact(width).map(read).collect();
        Ok(match self.element.as_str() {
            "f32" => numbers(4, |b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            "f64" => numbers(8, |b| f64::from_bits(word(b))),
            "bf16" => numbers(2, |b| bf16::from_le_bytes([b[0], b[1]]).to_f64()),
            "f16" => numbers(2, |b| f16::from_le_bytes([b[0], b[1]]).to_f64()),
            "i1" | "ui8" => numbers(1, |b| f64::from(b[0])),
            "ui16" => numbers(2, |b| f64::from(u16::from_le_bytes([b[0], b[1]]))),
            "ui32" => numbers(4, |b| f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            "ui64" => numbers(8, |b| word(b) as f64),
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

/// Compares results of the same program. An element that is NaN in both is not compared, one that is NaN in one of them differs
/// infinitely.
///
/// # Errors
/// Other numbers, types or sizes of results.
pub(crate) fn compare(
    before: &[Values],
    after: &[Values],
    tolerance: Tolerance,
) -> Result<Difference, String> {
    if before.len() != after.len() {
        return Err(format!(
            "the original has {} results, the rewritten program {}",
            before.len(),
            after.len()
        ));
    }
    let mut difference = Difference {
        results: before.len(),
        compared: 0,
        elements: 0,
        both_nan: 0,
        identical: true,
        absolute: 0.0,
        relative: 0.0,
        beyond: None,
    };
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
        difference.identical &= before.bytes == after.bytes;
        let (old, new) = (before.numbers()?, after.numbers()?);
        let nans = old.iter().zip(&new).filter(|(a, b)| a.is_nan() && b.is_nan()).count();
        difference.both_nan += nans as u64;
        difference.elements += (old.len() - nans) as u64;
        difference.compared += usize::from(nans < old.len() || old.is_empty());
        let largest = old.iter().filter(|x| x.is_finite()).fold(0_f64, |largest, x| largest.max(x.abs()));
        let mut apart = old.iter().zip(&new).map(|(a, b)| apart(*a, *b)).fold(0.0, f64::max);
        if apart == 0.0 && tolerance_of(&before.element) == 0.0 && before.bytes != after.bytes {
            // Whole numbers above 2^53, which f64 does not tell apart.
            apart = 1.0;
        }
        difference.absolute = difference.absolute.max(apart);
        let relative = if apart == 0.0 { 0.0 } else { apart / largest.max(f64::MIN_POSITIVE) };
        difference.relative = difference.relative.max(relative);
        let tolerance = tolerance.of(&before.element);
        // The furthest beyond is the one to look at; of those without a tolerance the first.
        let worse = |beyond: &Beyond| relative * beyond.tolerance > beyond.relative * tolerance;
        if relative > tolerance && difference.beyond.as_ref().is_none_or(worse) {
            difference.beyond =
                Some(Beyond { result: index, element: before.element.clone(), relative, tolerance });
        }
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
    use super::{Tolerance, Values};

    fn compare(before: &[Values], after: &[Values], all: Option<f64>) -> Result<super::Difference, String> {
        super::compare(before, after, all.map_or(Tolerance::ByType(0.0), Tolerance::All))
    }

    fn singles(values: &[f32]) -> Values {
        Values { element: "f32".into(), bytes: values.iter().flat_map(|x| x.to_le_bytes()).collect() }
    }

    /// The upper halves of the same numbers.
    fn brain(values: &[f32]) -> Values {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()[2..].to_vec()).collect();
        Values { element: "bf16".into(), bytes }
    }

    #[test]
    fn differences_are_measured_against_the_largest_value_of_the_result() {
        let off = compare(&[singles(&[4.0, 1.0])], &[singles(&[4.0, 1.5])], None).unwrap();
        assert_eq!((off.identical, off.absolute, off.relative), (false, 0.5, 0.125));
        assert!(off.verdict().is_err_and(|text| text.contains("result 0 (f32)")));
        let broken = compare(&[singles(&[4.0, 1.0])], &[singles(&[4.0, f32::NAN])], None).unwrap();
        assert_eq!(broken.relative, f64::INFINITY);
        assert!(broken.verdict().is_err());
        let signs = compare(&[singles(&[0.0])], &[singles(&[-0.0])], None).unwrap();
        assert_eq!((signs.identical, signs.relative, signs.verdict()), (false, 0.0, Ok(())));
    }

    #[test]
    fn what_is_nan_in_both_is_counted_and_not_taken_for_equal() {
        let nan = singles(&[f32::NAN, f32::NAN]);
        let same = compare(
            &[nan.clone(), singles(&[1.0, f32::NAN])],
            &[nan.clone(), singles(&[1.0, f32::NAN])],
            None,
        );
        let same = same.unwrap();
        assert_eq!((same.results, same.compared, same.elements, same.both_nan), (2, 1, 1, 3));
        assert!(same.identical && same.verdict().is_ok());
        assert!(
            same.to_string().contains("1 of 2 compared")
                && same.to_string().contains("3 elements that are NaN")
        );
        let nothing = compare(std::slice::from_ref(&nan), std::slice::from_ref(&nan), None).unwrap();
        assert!(nothing.verdict().is_err_and(|text| text.contains("nothing was compared")));
        assert!(same.to_string().contains("identical") && !nothing.to_string().contains("identical"));
    }

    #[test]
    fn the_tolerance_goes_by_the_element_type_unless_it_is_given() {
        // A unit in the last place of bfloat16: 2^-7.
        let (one, next) = (1.0, 1.0 + 2_f32.powi(-7));
        assert!(compare(&[brain(&[one])], &[brain(&[next])], None).unwrap().verdict().is_ok());
        assert!(compare(&[singles(&[one])], &[singles(&[next])], None).unwrap().verdict().is_err());
        assert!(compare(&[singles(&[one])], &[singles(&[next])], Some(0.01)).unwrap().verdict().is_ok());
        // The result that is furthest beyond its own tolerance is named.
        let far = compare(&[brain(&[1.0]), singles(&[1.0])], &[brain(&[1.0625]), singles(&[1.01])], None);
        assert_eq!(far.unwrap().beyond.unwrap().result, 1);
        let whole = |x: i32| Values { element: "i32".into(), bytes: x.to_le_bytes().to_vec() };
        assert!(compare(&[whole(1_000_000)], &[whole(1_000_001)], None).unwrap().verdict().is_err());
        let long = |x: i64| Values { element: "i64".into(), bytes: x.to_le_bytes().to_vec() };
        assert!(compare(&[long(1 << 60)], &[long((1 << 60) + 1)], None).unwrap().verdict().is_err());
    }

    #[test]
    fn what_is_computed_in_a_short_type_is_compared_as_one() {
        let mixed = Tolerance::of_program("%1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>");
        let close = |tolerance| {
            super::compare(&[singles(&[1.0])], &[singles(&[1.0 + 2_f32.powi(-7)])], tolerance)
                .unwrap()
                .verdict()
                .is_ok()
        };
        assert!(close(mixed) && !close(Tolerance::of_program("tensor<4xf32>")));
        // Of f16 less.
        assert!(!close(Tolerance::of_program("tensor<f16>")));
        assert_eq!(Tolerance::of_program("tensor<f16>").of("f32"), 2_f64.powi(-9));
        // Whole numbers have no rounding.
        assert_eq!(mixed.of("i32"), 0.0);
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(compare(&[singles(&[1.0])], &[], None).is_err());
        assert!(compare(&[singles(&[1.0])], &[singles(&[1.0, 2.0])], None).is_err());
    }

    #[test]
    fn half_precision_is_read() {
        let read = |element: &str, bits: &[u16]| {
            let bytes = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            Values { element: element.into(), bytes }.numbers().unwrap()
        };
        assert_eq!(read("f16", &[0x3c00, 0xc000, 0x0001, 0x7bff]), [1.0, -2.0, 2_f64.powi(-24), 65504.0]);
        assert_eq!(read("bf16", &[0x3f80, 0xc000]), [1.0, -2.0]);
    }
}
