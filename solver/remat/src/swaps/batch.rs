//! The largest batch that fits a memory.

/// Why no batch was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError<E: std::error::Error> {
    /// A batch of one item does not fit.
    #[error("a batch of 1 does not fit")]
    NothingFits,
    /// A batch could not be tried.
    #[error(transparent)]
    Failed(E),
}

/// The largest batch up to `most` for which `fits` holds, by doubling and bisection, to the share `precision` of
/// itself; with 0 to the item.
///
/// Takes it that a batch fits if a larger one does, which heuristic planners only nearly keep: the answer fits,
/// and a batch at most that share larger (or by one item) did not.
///
/// # Errors
/// See [`BatchError`].
pub fn largest_batch<E: std::error::Error>(
    most: u64,
    precision: f64,
    mut fits: impl FnMut(u64) -> Result<bool, E>,
) -> Result<u64, BatchError<E>> {
    let mut try_one = |batch| fits(batch).map_err(BatchError::Failed);
    if most == 0 || !try_one(1)? {
        return Err(BatchError::NothingFits);
    }
    let (mut good, mut bad) = (1, None);
    while bad.is_none() && good < most {
        let next = good.saturating_mul(2).min(most);
        if try_one(next)? {
            good = next;
        } else {
            bad = Some(next);
        }
    }
    let mut bad = bad.unwrap_or(good + 1);
    while bad - good > 1 && (bad - good) as f64 > precision * good as f64 {
        let middle = good + (bad - good) / 2;
        if try_one(middle)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_found_exactly() {
        for limit in [1, 2, 3, 7, 64, 100, 999, 1000] {
            let mut tries = 0;
            let found = largest_batch(1000, 0.0, |batch| {
                tries += 1;
                Ok::<_, std::fmt::Error>(batch <= limit)
            });
            assert_eq!(found, Ok(limit));
            assert!(tries <= 22, "{tries} tries for {limit}");
        }
    }

    #[test]
    fn a_precision_saves_tries_and_never_exceeds_the_limit() {
        let mut tries = 0;
        let found = largest_batch(1 << 40, 0.01, |batch| {
            tries += 1;
            Ok::<_, std::fmt::Error>(batch <= 777_777)
        });
        let found = found.expect("a batch");
        assert!(found <= 777_777 && found as f64 * 1.01 >= 777_777.0, "{found}");
        assert!(tries <= 30, "{tries}");
    }

    #[test]
    fn nothing_fits_and_failures_are_passed_on() {
        assert_eq!(largest_batch(9, 0.0, |_| Ok::<_, std::fmt::Error>(false)), Err(BatchError::NothingFits));
        assert_eq!(largest_batch(9, 0.0, |_| Err(std::fmt::Error)), Err(BatchError::Failed(std::fmt::Error)));
    }
}
