//! Lower bounds on linear programs that hold whatever the tolerances of the solver that gave the duals.
//!
//! Any multipliers of the rows give a lower bound where every column lies in a known finite interval (weak duality); what rounding
//! may have added is taken off (Neumaier and Shcherbina, "Safe bounds in linear and mixed-integer linear programming",
//! Mathematical Programming 99, 2004, section 3; error bounds of sums as in Higham, "Accuracy and Stability of Numerical Algorithms", 2002,
//! section 4.2).

/// One row: `lower <= sum of terms <= upper`, the terms as column and factor, and the multiplier given for it.
#[derive(Clone, Copy, Debug)]
pub struct DualRow<'a> {
    /// Lower side; minus infinity: none.
    pub lower: f64,
    /// Upper side; infinity: none.
    pub upper: f64,
    /// Columns and their factors; a column may appear more than once.
    pub terms: &'a [(usize, f64)],
    /// Any number; the closer to an optimal dual, the better the bound. Positive ones count the lower side.
    pub dual: f64,
}

/// Columns: their cost in the objective, and the interval each lies in.
#[derive(Clone, Copy, Debug)]
pub struct DualColumns<'a> {
    /// Cost per unit.
    pub cost: &'a [f64],
    /// Least value.
    pub lower: &'a [f64],
    /// Largest value.
    pub upper: &'a [f64],
}

/// A lower bound and the reduced costs it was made with.
#[derive(Clone, Debug, PartialEq)]
pub struct DualBound {
    /// No point of the rows and intervals has a smaller objective; minus infinity where a column that counts has no finite interval.
    pub value: f64,
    /// Cost of each column less what the rows pay for it: a column moved from the better end of its interval adds as much
    /// per unit to the bound.
    pub reduced: Vec<f64>,
}

/// Unit roundoff of doubles.
const ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Relative error of a sum of so many rounded products, itself rounded up.
fn error_of(terms: usize) -> f64 {
    let error = (terms + 2) as f64 * ROUNDOFF;
    error / (1.0 - error) * (1.0 + 1e-6)
}

/// The bound that the multipliers of the rows prove for minimising the cost.
#[must_use]
pub fn dual_bound<'a>(columns: DualColumns<'_>, rows: impl IntoIterator<Item = DualRow<'a>>) -> DualBound {
    let mut reduced = columns.cost.to_vec();
    let mut sizes: Vec<f64> = columns.cost.iter().map(|cost| cost.abs()).collect();
    let mut counts = vec![1usize; reduced.len()];
    let (mut value, mut size, mut count) = (0.0, 0.0, 0usize);
    for row in rows {
        let side = if row.dual > 0.0 { row.lower } else { row.upper };
        // A side that is not there pays nothing.
        if row.dual == 0.0 || !row.dual.is_finite() || !side.is_finite() {
            continue;
        }
        let pays = row.dual * side;
        value += pays;
        size += pays.abs();
        count += 1;
        for &(column, factor) in row.terms {
            let term = row.dual * factor;
            reduced[column] -= term;
            sizes[column] += term.abs();
            counts[column] += 1;
        }
    }
    for (column, &cost) in reduced.iter().enumerate() {
        let (lower, upper) = (columns.lower[column], columns.upper[column]);
        let off = error_of(counts[column]) * sizes[column];
        let end = if cost > 0.0 { lower } else { upper };
        let (least, wrong) = (cost * end, off * lower.abs().max(upper.abs()));
        if sizes[column] == 0.0 {
            continue;
        }
        if !least.is_finite() || !wrong.is_finite() {
            return DualBound { value: f64::NEG_INFINITY, reduced };
        }
        value += least - wrong;
        size += least.abs() + wrong;
        count += 2;
    }
    value -= error_of(count) * size;
    DualBound { value, reduced }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn optimal_multipliers_give_the_optimum() {
        // min x + 2 y, x + y >= 3, x <= 2: (2, 1) costs 4; the row pays 2, and the bound on x costs it 1.
        let columns = DualColumns { cost: &[1.0, 2.0], lower: &[0.0, 0.0], upper: &[2.0, 9.0] };
        let row = |dual| DualRow { lower: 3.0, upper: f64::INFINITY, terms: &[(0, 1.0), (1, 1.0)], dual };
        let best = dual_bound(columns, [row(2.0)]);
        assert!(best.value <= 4.0 && best.value > 4.0 - 1e-13, "{best:?}");
        assert_eq!(best.reduced, [-1.0, 0.0]);
        // Worse multipliers, and one for a side that is not there, give less, and never more.
        assert!(dual_bound(columns, [row(1.0)]).value <= 3.0);
        let none = dual_bound(columns, [row(-5.0)]).value;
        assert!(none <= 0.0 && none > -1e-13, "{none}");
        let open = DualColumns { upper: &[2.0, f64::INFINITY], ..columns };
        assert_eq!(dual_bound(open, [row(3.0)]).value, f64::NEG_INFINITY);
    }

    /// Unit roundoffs taken off, of a bound that is nought in exact arithmetic.
    fn roundoffs(bound: &DualBound) -> f64 {
        -bound.value / 2f64.powi(-53)
    }

    #[test]
    fn errors_of_sums_are_those_of_the_textbook() {
        assert_eq!(ROUNDOFF, 2f64.powi(-53));
        // n u / (1 - n u), for the products and the rounding of the result as well, rounded up.
        let close = |error: f64, exact: f64| error >= exact && error <= exact * (1.0 + 2e-6);
        assert!(close(error_of(1), 3.0 * ROUNDOFF) && close(error_of(998), 1000.0 * ROUNDOFF));
        assert!(close(error_of((1 << 50) - 2), 0.125 / 0.875), "{}", error_of((1 << 50) - 2));
    }

    #[test]
    fn every_term_that_was_rounded_is_paid_for() {
        // A thousand rows that pay, in turn, 1 and -1, for a column that all of them name: all cancels but the errors.
        let columns = DualColumns { cost: &[0.0], lower: &[0.0], upper: &[4.0] };
        let row = |at: usize| match at % 2 {
            0 => DualRow { lower: 1.0, upper: f64::INFINITY, terms: &[(0, 1.0)], dual: 1.0 },
            _ => DualRow { lower: f64::NEG_INFINITY, upper: 1.0, terms: &[(0, 1.0)], dual: -1.0 },
        };
        let bound = dual_bound(columns, (0..1000).map(row));
        // The column: 1001 terms of size 1000 in all, times its largest value; the rows: 1000 terms, and two of the column.
        let wanted = 1003.0 * 1000.0 * 4.0 + 1004.0 * 1000.0;
        let off = roundoffs(&bound);
        assert!(off >= wanted && off <= wanted * (1.0 + 1e-5), "{off} for {wanted}");
        // A row that pays 2^43, and a column that takes as much: three roundoffs of the column, five of the sum of both.
        let columns = DualColumns { cost: &[-(2f64.powi(40))], lower: &[0.0], upper: &[8.0] };
        let row = DualRow { lower: 1.0, upper: f64::INFINITY, terms: &[], dual: 2f64.powi(43) };
        let off = roundoffs(&dual_bound(columns, [row])) / 2f64.powi(43);
        assert!((11.0..=16.0).contains(&off), "{off}");
    }

    #[test]
    fn multipliers_that_are_no_numbers_count_for_nothing() {
        let columns = DualColumns { cost: &[1.0], lower: &[2.0], upper: &[3.0] };
        let row = |dual| DualRow { lower: 1.0, upper: 5.0, terms: &[(0, 1.0)], dual };
        for dual in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
            let bound = dual_bound(columns, [row(dual)]);
            assert_eq!(bound, dual_bound(columns, []), "{dual}");
        }
    }

    /// Whatever the multipliers, the bound lies below the objective of every point of the program: compared in whole
    /// numbers, with multipliers that are multiples of 1/1024, where doubles are exact, and disturbed ones, where they are not.
    #[test]
    fn no_multipliers_prove_too_much() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut close = 0;
        for _ in 0..2000 {
            let (n, m) = (rng.random_range(1..8), rng.random_range(1..8));
            let whole = |rng: &mut ChaCha8Rng, most: i64| rng.random_range(-most..=most) as f64;
            let cost: Vec<f64> = (0..n).map(|_| whole(&mut rng, 1 << 40) / 7.0).collect();
            let point: Vec<f64> = (0..n).map(|_| rng.random_range(0..=3) as f64).collect();
            let terms: Vec<Vec<(usize, f64)>> =
                (0..m).map(|_| (0..n).map(|column| (column, whole(&mut rng, 9))).collect()).collect();
            let at = |terms: &[(usize, f64)]| terms.iter().map(|&(c, factor)| factor * point[c]).sum::<f64>();
            let objective: f64 = cost.iter().zip(&point).map(|(cost, at)| cost * at).sum();
            // The point is an end of every interval that a column of it is to be at, and of every row: with the right
            // multipliers the bound is close.
            let duals: Vec<f64> = (0..m).map(|_| whole(&mut rng, 1 << 30) / 1024.0).collect();
            let rows = terms.iter().zip(&duals).map(|(terms, &dual)| DualRow {
                lower: at(terms),
                upper: at(terms),
                terms,
                dual,
            });
            let (lower, upper) = (vec![0.0; n], vec![3.0; n]);
            let bound = dual_bound(DualColumns { cost: &cost, lower: &lower, upper: &upper }, rows.clone());
            assert!(bound.value <= objective, "{} above {objective}", bound.value);
            let fixed = DualColumns { cost: &cost, lower: &point, upper: &point };
            let exact = dual_bound(fixed, rows);
            assert!(exact.value <= objective, "{} above {objective}", exact.value);
            close += usize::from(objective - exact.value <= 1.0);
        }
        assert!(close > 1800, "{close}");
    }
}
