//! The relaxation at HiGHS, and what its dual values prove.

use std::sync::Arc;

use ballast_core::limits::Deadline;
use highs::{Col, HighsModelStatus, Model, RowProblem, Sense};

use super::row::{ROOM, Row};
use super::rows::Relaxation;

/// Rounds without a price after which a row is let go, and how many of them are let go together: the program is made anew without them.
const IDLE_ROUNDS: usize = 5;
const LET_GO: usize = 50;

/// What it costs to give up all rows at once, in units of the value: where nothing else helps, no plan is better. So there is always a solution,
/// and its prices prove that none costs less.
const GIVEN_UP: f64 = 1e4;

/// Prices below this are none.
const NO_PRICE: f64 = 1e-9;

/// A program that rows are added to. Its last column gives them up.
pub(super) struct Program {
    columns: Vec<Col>,
    /// Rows that are never let go, the first ones.
    lasting: usize,
    /// None once HiGHS failed.
    model: Option<Model>,
    /// Seconds that solves of this model have taken: HiGHS counts its limit over all of them, without the time in between.
    solving_seconds: f64,
    rows: Vec<Arc<Row>>,
    /// Rounds since each row had a price.
    idle: Vec<usize>,
}

/// What one solve gave.
pub(super) struct Solution {
    pub(super) columns: Vec<f64>,
    /// The bound that its dual values prove.
    pub(super) proven: f64,
    pub(super) steps: u64,
}

impl Program {
    pub(super) fn new(relaxation: &Relaxation<'_>) -> Option<Self> {
        Self::with(relaxation.columns(), relaxation.lasting.iter().cloned(), std::iter::empty())
    }

    /// With rows that last, and others.
    pub(super) fn with(
        columns: usize,
        lasting: impl IntoIterator<Item = Arc<Row>>,
        others: impl IntoIterator<Item = Arc<Row>>,
    ) -> Option<Self> {
        let mut problem = RowProblem::default();
        let cost = |column: usize| match column {
            ROOM => 1.0,
            _ if column == columns => GIVEN_UP,
            _ => 0.0,
        };
        let columns: Vec<Col> =
            (0..=columns).map(|column| problem.add_column(cost(column), 0.0..=1.0)).collect();
        let mut model = problem.try_optimise(Sense::Minimise).ok()?;
        model.make_quiet();
        model.set_threads(std::num::NonZeroU32::MIN);
        let mut program = Program {
            columns,
            lasting: 0,
            model: Some(model),
            solving_seconds: 0.0,
            rows: Vec::new(),
            idle: Vec::new(),
        };
        lasting.into_iter().try_for_each(|row| program.add_row(row))?;
        program.lasting = program.rows.len();
        others.into_iter().try_for_each(|row| program.add_row(row))?;
        Some(program)
    }

    /// The rows that last.
    pub(super) fn lasting(&self) -> &[Arc<Row>] {
        &self.rows[..self.lasting]
    }

    /// The others that had a price when it was solved last.
    pub(super) fn priced(&self) -> Vec<Arc<Row>> {
        let others = self.rows.iter().zip(&self.idle).skip(self.lasting);
        others.filter(|&(_, &rounds)| rounds == 0).map(|(row, _)| row.clone()).collect()
    }

    /// Adds rows; lets go of idle ones first, where there are many.
    pub(super) fn add(&mut self, rows: Vec<Row>) -> Option<()> {
        let idle = |&&rounds: &&usize| rounds > IDLE_ROUNDS;
        if self.idle.iter().skip(self.lasting).filter(idle).count() > LET_GO {
            let mut lasting = std::mem::take(&mut self.rows);
            let others = lasting.split_off(self.lasting);
            let kept = others.into_iter().zip(&self.idle[self.lasting..]);
            let kept: Vec<_> = kept.filter(|(_, rounds)| !idle(rounds)).map(|(row, _)| row).collect();
            *self = Self::with(self.columns.len() - 1, lasting, kept)?;
        }
        rows.into_iter().try_for_each(|row| self.add_row(Arc::new(row)))
    }

    fn add_row(&mut self, row: Arc<Row>) -> Option<()> {
        let given_up = (self.columns.len() - 1, row.most_missing());
        let entries = row.entries.iter().chain([&given_up]);
        let entries: Vec<(Col, f64)> = entries.map(|&(column, c)| (self.columns[column], c)).collect();
        self.model.as_mut()?.try_add_row(row.least.., entries).ok()?;
        self.rows.push(row);
        self.idle.push(0);
        Some(())
    }

    /// Solves from where the last solve ended; none where the clock or HiGHS itself gave up.
    pub(super) fn solve(&mut self, clock: &Deadline) -> Option<Solution> {
        let mut model = self.model.take()?;
        let left = clock.remaining_seconds();
        if left.is_finite() {
            model.set_option("time_limit", self.solving_seconds + left.max(0.01));
        }
        let before = clock.elapsed_seconds();
        let solved = model.try_solve().ok()?;
        self.solving_seconds += clock.elapsed_seconds() - before;
        if solved.status() != HighsModelStatus::Optimal {
            return None;
        }
        let solution = solved.get_solution();
        let prices: Vec<f64> = solution.dual_rows().iter().map(|price| price.max(0.0)).collect();
        for (idle, &price) in self.idle.iter_mut().zip(&prices) {
            *idle = if price > NO_PRICE { 0 } else { *idle + 1 };
        }
        let iterations = u64::try_from(solved.simplex_iteration_count()).unwrap_or(0);
        self.model = Some(Model::from(solved));
        Some(Solution {
            columns: solution.columns()[..self.columns.len() - 1].to_vec(),
            proven: proven(self.columns.len(), &self.rows, &prices),
            steps: iterations * self.rows.len() as u64 + self.columns.len() as u64,
        })
    }
}

/// The least of the first column over columns in [0, 1] that keep the rows, by weak duality with these prices: no less than
/// `price . least + sum over columns of min(0, cost - price . column)`. The last column gives up the rows.
fn proven(columns: usize, rows: &[Arc<Row>], prices: &[f64]) -> f64 {
    let mut reduced = vec![0.0; columns];
    reduced[ROOM] = 1.0;
    reduced[columns - 1] = GIVEN_UP;
    let mut value = 0.0;
    for (row, price) in rows.iter().zip(prices) {
        value += price * row.least;
        reduced[columns - 1] -= price * row.most_missing();
        for &(column, coefficient) in &row.entries {
            reduced[column] -= price * coefficient;
        }
    }
    value + reduced.iter().map(|cost| cost.min(0.0)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_prices_prove_no_more_than_the_optimum() {
        // The least x0 with x0 >= 0.5 + 0.2 x1 and x0 + x1 >= 0.9 is 0.5666... = 17/30.
        let rows = [
            Row { entries: vec![(0, 1.0), (1, -0.2)], least: 0.5 },
            Row { entries: vec![(0, 1.0), (1, 1.0)], least: 0.9 },
        ]
        .map(Arc::new);
        let optimum = 17.0 / 30.0;
        let exact = proven(3, &rows, &[5.0 / 6.0, 1.0 / 6.0]);
        assert!((exact - optimum).abs() < 1e-12, "{exact}");
        for first in 0..20 {
            for second in 0..20 {
                let prices = [f64::from(first) * 0.11, f64::from(second) * 0.13];
                assert!(proven(3, &rows, &prices) <= optimum + 1e-12, "{prices:?}");
            }
        }
    }

    #[test]
    fn rows_added_after_a_solve_count_and_idle_ones_are_let_go() {
        let row = |least: f64| Row { entries: vec![(0, 1.0)], least };
        let mut program = Program::with(1, [Arc::new(row(0.1))], []).expect("a program");
        let clock = Deadline::after(None);
        for step in 0..200u32 {
            let least = 0.1 + f64::from(step) * 1e-3;
            program.add(vec![row(least)]).expect("added");
            let solution = program.solve(&clock).expect("solved");
            assert!((solution.proven - least).abs() < 1e-9, "{} for {least}", solution.proven);
        }
        assert!(program.rows.len() < 80, "{} rows", program.rows.len());
        assert!((program.rows[0].least - 0.1).abs() < 1e-12, "the first row stays");
    }

    #[test]
    fn rows_that_nothing_keeps_prove_more_than_any_value() {
        // A net that is cut and not cut.
        let rows =
            [Row { entries: vec![(1, 1.0)], least: 1.0 }, Row { entries: vec![(1, -1.0)], least: 0.0 }];
        let mut program = Program::with(2, rows.map(Arc::new), []).expect("a program");
        let solution = program.solve(&Deadline::after(None)).expect("solved");
        assert!(solution.proven > 1.0, "{}", solution.proven);
    }
}
