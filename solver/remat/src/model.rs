//! A mixed-integer program as plain data: built here, solved in [`crate::highs`].

/// Objective units: the time of running everything once is this much.
pub(crate) const WHOLE_TIME: f64 = 100.0;
/// Memory units: the cap is this much.
pub(crate) const WHOLE_CAP: f64 = 1000.0;

/// Name of a column or row: its family and up to three indices. Several rows added to a model may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) family: &'static str,
    pub(crate) first: usize,
    pub(crate) second: Option<usize>,
    pub(crate) third: Option<usize>,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", self.family, self.first)?;
        self.second.into_iter().chain(self.third).try_for_each(|index| write!(f, "_{index}"))
    }
}

/// A name with two indices.
pub(crate) fn name(family: &'static str, first: usize, second: usize) -> Name {
    Name { family, first, second: Some(second), third: None }
}

/// A name with three indices.
pub(crate) fn triple(family: &'static str, first: usize, second: usize, third: usize) -> Name {
    Name { family, first, second: Some(second), third: Some(third) }
}

/// A name with one index.
pub(crate) fn single(family: &'static str, first: usize) -> Name {
    Name { family, first, second: None, third: None }
}

/// Index of a column.
pub(crate) type Column = usize;

/// In place of a column of residency: the value is not needed there; it is there for certain.
pub(crate) const ABSENT: u32 = u32::MAX;
pub(crate) const ALWAYS: u32 = u32::MAX - 1;

/// `lower <= sum of terms <= upper`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: Name,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) terms: Vec<(Column, f64)>,
}

impl Row {
    /// Is it a row about bytes under the cap?
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.name.family, "capacity" | "running")
    }

    /// Sum of the terms at a point.
    pub(crate) fn value(&self, at: &[f64]) -> f64 {
        self.terms.iter().map(|&(column, factor)| factor * at[column]).sum()
    }
}

/// Keeps the rows a point breaks most, at most so many.
pub(crate) fn keep_most_broken(rows: &mut Vec<Row>, most: usize, excess: impl Fn(&Row) -> f64) {
    rows.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    rows.truncate(most);
}

/// Adds up the factors of a column that appears more than once.
pub(crate) fn merge(terms: &mut Vec<(Column, f64)>) {
    terms.sort_unstable_by_key(|&(column, _)| column);
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// Minimise cost over columns within bounds, subject to rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) names: Vec<Name>,
    pub(crate) cost: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) integer: Vec<bool>,
    pub(crate) rows: Vec<Row>,
}

impl Model {
    /// Adds a column that is 0 or 1.
    pub(crate) fn binary(&mut self, name: Name, cost: f64) -> Column {
        self.column(name, cost, 1.0, true)
    }

    /// Adds a column between 0 and `upper`.
    pub(crate) fn column(&mut self, name: Name, cost: f64, upper: f64, integer: bool) -> Column {
        self.names.push(name);
        self.cost.push(cost);
        self.lower.push(0.0);
        self.upper.push(upper);
        self.integer.push(integer);
        self.names.len() - 1
    }

    /// Adds `sum of terms <= upper`.
    pub(crate) fn at_most(&mut self, name: Name, terms: Vec<(Column, f64)>, upper: f64) {
        self.rows.push(Row { name, lower: f64::NEG_INFINITY, upper, terms });
    }

    /// Adds `sum of terms >= lower`.
    pub(crate) fn at_least(&mut self, name: Name, terms: Vec<(Column, f64)>, lower: f64) {
        self.rows.push(Row { name, lower, upper: f64::INFINITY, terms });
    }

    /// Fixes a column.
    pub(crate) fn fix(&mut self, column: Column, value: f64) {
        self.lower[column] = value;
        self.upper[column] = value;
    }
}
