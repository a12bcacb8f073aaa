//! Branch and bound over which nets are cut (Land and Doig, "An automatic method of solving discrete programming problems", Econometrica 28, 1960).
//!
//! Every plan cuts a net or does not, and the rows of a relaxation hold for all of them: so the least bound over both kinds is a bound. Of the sets of plans that
//! are open the one with the least bound is divided, by the net that is most expensively undecided in its solution.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::Search;
use super::program::Program;
use super::row::Row;

/// Sets of plans that are divided at most.
const MOST_DIVIDED: usize = 600;

/// Rounds without a gain after which the bound of such a set has settled: the sets it is divided into add rows of their own.
const SETTLED_ROUNDS: usize = 1;

/// A net with less than this at stake is decided.
const DECIDED: f64 = 1e-6;

/// Plans that agree on some nets, and what is known of them.
pub(super) struct Open {
    pub(super) bound: f64,
    /// The last solution; nothing where there is none.
    pub(super) columns: Vec<f64>,
    /// Rows that last: of all devices together, and what the plans agree on.
    pub(super) lasting: Vec<Arc<Row>>,
    /// The others with a price.
    pub(super) rows: Vec<Arc<Row>>,
    /// Where rows are looked for.
    pub(super) mean: Vec<f64>,
}

impl Search<'_> {
    /// The bound of all plans, from that of the root.
    pub(super) fn branch(&mut self, root: Open) -> f64 {
        let mut open = BinaryHeap::from([root]);
        for _ in 0..MOST_DIVIDED {
            let Some(least) = open.peek().filter(|least| least.bound < 1.0 && !self.is_over()) else { break };
            let Some(column) = self.undecided(&least.columns) else { break };
            let parts = [true, false].map(|is_one| self.part(least, column, is_one));
            let [Some(one), Some(zero)] = parts else { break };
            open.pop();
            open.extend([one, zero]);
        }
        open.peek().map_or(0.0, |least| least.bound)
    }

    /// The column to decide: the net that costs most, by how far it is from being decided; else the group with most work of which it is not decided on which kind
    /// of device it runs.
    fn undecided(&self, columns: &[f64]) -> Option<usize> {
        let open = |column: usize| columns[column].min(1.0 - columns[column]);
        let most = |columns: std::ops::Range<usize>, weight: &dyn Fn(usize) -> f64| {
            let at_stake = |column: usize| weight(column) * open(column);
            let column = columns.max_by(|&a, &b| at_stake(a).total_cmp(&at_stake(b)).then(b.cmp(&a)))?;
            (open(column) > DECIDED && weight(column) > 0.0).then_some(column)
        };
        let nets = (1 + self.relaxation.nets()).min(columns.len());
        most(1..nets, &|column| self.relaxation.net_cost(column - 1))
            .or_else(|| most(nets..columns.len(), &|column| self.relaxation.work_of_column(column)))
    }

    /// The plans of a set in which a column is 1, or those in which it is 0.
    fn part(&mut self, of: &Open, column: usize, is_one: bool) -> Option<Open> {
        let decided = Arc::new(Row::decided(column, is_one));
        let lasting = of.lasting.iter().cloned().chain([decided]);
        let program = Program::with(of.columns.len(), lasting, of.rows.iter().cloned())?;
        self.mean.clone_from(&of.mean);
        self.mean[column] = if is_one { 1.0 } else { 0.0 };
        Some(self.settled(program, of.bound, SETTLED_ROUNDS))
    }
}

/// The least bound first; of equal ones the one that agrees on more.
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(self.lasting.len().cmp(&other.lasting.len()))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}
