//! Cover rows: what a memory row says of whole values, which its linear form lets go in parts.
//!
//! A memory row says that sum of a_i y_i <= b for literals y_i (a column, or 1 less a column, so that all a_i > 0). For any
//! set U of its literals, d = sum over U of a_i - b bytes have to go; a literal that is larger than that does no
//! more than cover d, so that sum over U of min(a_i, d) (1 - y_i) >= d holds wherever all y_i are 0 or 1 (Carr,
//! Fleischer, Leung and Phillips, "Strengthening integrality gaps for capacitated network design and covering problems",
//! SODA 2000, equation for the empty set). A fractional point breaks it where it sends away a part of a large value.

use crate::model::{Column, Name, Row};

/// Literals of at least so much at the point make up the sets tried.
pub(crate) const LEVELS: [f64; 10] = [1e-6, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.999];
/// Least violation, as a share of what has to go.
pub(crate) const LEAST: f64 = 1e-3;
/// Room for rounding, on the same scale.
pub(crate) const ROUNDING: f64 = 1e-9;
/// Smallest excess of a set, in memory units, that is no rounding error.
pub(crate) const LEAST_EXCESS: f64 = 1e-3;

/// One literal of a row: its column, its weight, its value at the point, and is it 1 less the column?
struct Literal {
    column: Column,
    weight: f64,
    value: f64,
    negated: bool,
}

/// The cover row of `row` that the point breaks most; none if it breaks none of those tried.
pub(crate) fn broken_cover(row: &Row, point: &[f64]) -> Option<Row> {
    let mut room = row.upper;
    let mut literals: Vec<Literal> = Vec::new();
    for &(column, factor) in &row.terms {
        let negated = factor < 0.0;
        if negated {
            room -= factor;
        }
        let value = if negated { 1.0 - point[column] } else { point[column] };
        if factor != 0.0 && value >= LEVELS[0] {
            literals.push(Literal { column, weight: factor.abs(), value, negated });
        }
    }
    literals.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.column.cmp(&b.column)));
    let mut best: Option<(f64, usize, f64)> = None;
    for level in LEVELS {
        let count = literals.partition_point(|literal| literal.value >= level);
        let set = &literals[..count];
        let excess = set.iter().map(|literal| literal.weight).sum::<f64>() - room;
        if excess < LEAST_EXCESS {
            break;
        }
        let covered: f64 = set.iter().map(|literal| literal.weight.min(excess) * (1.0 - literal.value)).sum();
        let broken = 1.0 - covered / excess;
        if broken > best.map_or(LEAST, |(most, ..)| most) {
            best = Some((broken, count, excess));
        }
    }
    let (_, count, excess) = best?;
    let mut lower = 1.0 - ROUNDING;
    let mut terms: Vec<(Column, f64)> = Vec::with_capacity(count);
    for literal in &literals[..count] {
        let share = literal.weight.min(excess) / excess;
        if literal.negated {
            terms.push((literal.column, share));
        } else {
            terms.push((literal.column, -share));
            lower -= share;
        }
    }
    terms.sort_unstable_by_key(|&(column, _)| column);
    Some(Row { name: Name { family: "cover", ..row.name }, lower, upper: f64::INFINITY, terms })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::model::single;

    #[test]
    fn half_of_a_large_value_does_not_cover_a_small_excess() {
        // 9 + 4 bytes under a cap of 10: three have to go, and either value does.
        let row = Row {
            name: single("capacity", 0),
            lower: f64::NEG_INFINITY,
            upper: 10.0,
            terms: vec![(0, 9.0), (1, 4.0)],
        };
        let cover = broken_cover(&row, &[2.0 / 3.0, 1.0]).expect("a third of the large value is gone");
        assert!(cover.value(&[1.0, 1.0]) < cover.lower - 0.5);
        for whole in [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]] {
            assert!(cover.value(&whole) >= cover.lower);
        }
        assert!(broken_cover(&row, &[0.0, 1.0]).is_none());
    }

    #[test]
    fn covers_hold_at_every_whole_point_of_their_row() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut found = 0;
        for _ in 0..500 {
            let n = rng.random_range(2..9usize);
            let terms: Vec<(Column, f64)> =
                (0..n).map(|column| (column, f64::from(rng.random_range(-9..10)))).collect();
            let upper = f64::from(rng.random_range(-4..12));
            let row = Row { name: single("capacity", 0), lower: f64::NEG_INFINITY, upper, terms };
            let point: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..1.0)).collect();
            let Some(cover) = broken_cover(&row, &point) else { continue };
            found += 1;
            assert!(cover.value(&point) < cover.lower);
            for set in 0..1usize << n {
                let whole: Vec<f64> = (0..n).map(|at| (set >> at & 1) as f64).collect();
                if row.value(&whole) <= row.upper {
                    assert!(
                        cover.value(&whole) >= cover.lower - 1e-9,
                        "{cover:?} cuts off {whole:?} of {row:?}"
                    );
                }
            }
        }
        assert!(found > 50, "{found} covers");
    }
}
