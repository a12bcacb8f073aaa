//! A row of the relaxation.

/// Column of the largest load; after it the lengths of the nets.
pub(super) const ROOM: usize = 0;

/// `sum of coefficient * column >= least`, all columns in [0, 1].
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) entries: Vec<(usize, f64)>,
    pub(super) least: f64,
}

impl Row {
    /// That a column is 1, or that it is 0: a plan cuts a net or does not, and a group runs on a kind or does not.
    pub(super) fn decided(column: usize, is_so: bool) -> Self {
        let sign = if is_so { 1.0 } else { -1.0 };
        Row { entries: vec![(column, sign)], least: if is_so { 1.0 } else { 0.0 } }
    }

    /// The most by which any columns can miss it.
    pub(super) fn most_missing(&self) -> f64 {
        self.least - self.entries.iter().map(|entry| entry.1.min(0.0)).sum::<f64>()
    }
}
