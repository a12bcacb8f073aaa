//! Placements of a graph as strings of genes, for searches that breed them.
//!
//! A gene is the device its group would like, in the order in which the learned placer builds. Building
//! in that order puts each group on the device it asks for, or where the rules of the class, a memory cap, or the
//! device itself forbid that, on the next one that may have it: every string stands for at most one plan, and one that may be
//! used.

use ballast_core::limits::StopReason;
use ballast_core::report::{Bound, Report, SearchStats};

use crate::bound::{WorkPrices, simple_bound};
use crate::check::{Violation, check};
use crate::hypergraph::Hypergraph;
use crate::learned::board::Board;
use crate::learned::building::Building;
use crate::problem::{Assignment, PlanClass, Problem};
use crate::solve::Solved;

/// Reads strings of genes.
pub struct Genes<'a> {
    problem: &'a Problem,
    board: Board,
    bound: f64,
}

/// What the search that bred a plan says about itself.
#[derive(Clone, Debug)]
pub struct Bred {
    /// Name of the method.
    pub method: &'static str,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Seconds it took.
    pub seconds: f64,
    /// Plans looked at.
    pub work: u64,
    /// Its seed.
    pub seed: u64,
}

impl<'a> Genes<'a> {
    /// Prepares a problem for one class of plans.
    #[must_use]
    pub fn new(problem: &'a Problem, class: PlanClass) -> Self {
        let graph = Hypergraph::of(problem);
        let bound = simple_bound(&graph, &WorkPrices::fit(&graph));
        Genes { problem, board: Board::new(problem, class), bound }
    }

    /// Genes of a string.
    #[must_use]
    pub fn len(&self) -> usize {
        self.board.steps()
    }

    /// Is there nothing to place?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A proven lower bound on the largest load.
    #[must_use]
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The plan a string stands for, and its largest load in the problem's unit; none where a group finds no device.
    ///
    /// # Panics
    /// If there are fewer genes than [`Genes::len`], or one names no device.
    #[must_use]
    pub fn read(&self, genes: &[usize]) -> Option<(Vec<usize>, f64)> {
        let devices = self.board.devices();
        let mut building = Building::new(&self.board);
        for &wanted in &genes[..self.len()] {
            let device = (0..devices).map(|more| (wanted + more) % devices).find(|&d| building.allows(d))?;
            building.place(device);
        }
        Some((building.placement().to_vec(), building.max_load() * self.board.unit))
    }

    /// The string of a plan made elsewhere; its groups ask for the device of their first node. Devices that are alike are
    /// numbered in the order of their first use, as building does.
    #[must_use]
    pub fn of(&self, assignment: &[usize]) -> Vec<usize> {
        // What group a node belongs to shows in the assignment that numbers the groups.
        let groups: Vec<usize> = (0..self.len()).collect();
        let mut wanted = vec![0; self.len()];
        for (&group, &device) in self.board.assignment(&groups).iter().zip(assignment).rev() {
            wanted[group] = device;
        }
        let mut number: Vec<Option<usize>> = vec![None; self.board.devices()];
        let mut used = vec![0; self.problem.kinds.len()];
        let mut canonical = |device: usize| {
            *number[device].get_or_insert_with(|| {
                let kind = self.board.kind_of[device];
                used[kind] += 1;
                self.problem.devices_of(kind).start + used[kind] - 1
            })
        };
        self.board.order.iter().map(|&group| canonical(wanted[group])).collect()
    }

    /// A plan read from a string, judged.
    ///
    /// # Errors
    /// What the judge refuses it for, which is a bug.
    pub fn judged(&self, placement: &[usize], bred: Bred) -> Result<Solved, Violation> {
        let assignment: Assignment = self.board.assignment(placement);
        let verdict = check(self.problem, self.board.class, &assignment)?;
        let value = verdict.max_load;
        let search = SearchStats {
            method: bred.method.into(),
            stop_reason: bred.stop_reason,
            seconds: bred.seconds,
            work: bred.work,
            seed: bred.seed,
        };
        let report = Report::new(value, Bound::proved(self.bound, self.board.class.bound_class()), search)?;
        Ok(Solved { assignment, verdict, report })
    }
}
