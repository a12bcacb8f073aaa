//! What every search says about itself: value, proven bound, gap, why it stopped.

use serde::{Deserialize, Serialize};

use crate::cost::Costs;
use crate::graph::Graph;
use crate::limits::StopReason;

/// Relative gap at or below which a value counts as proved optimal, and relative difference between a bound and a
/// value that is put down to rounding.
pub const PROOF_TOLERANCE: f64 = 1e-6;

/// A value this close to its bound, relative to the value, is reported as proved: 0.001 points of the time
/// without recomputation.
pub const PROVED_WITHIN: f64 = 1e-5;

/// The plans a lower bound holds for: no plan of the class is better than the bound.
///
/// Classes of placements come first, then those of placements found in workload files, then those of memory plans.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum BoundClass {
    /// Every op on any device, in any order; devices may stay idle.
    AnyAssignment,
    /// The same in program order on every device, with memory plans that together keep within the sum of all caps and in which every copy
    /// counts in full.
    AnyAssignmentWithinCaps,
    /// The op sequence cut into runs of neighbouring ops, one run per device at most.
    ContiguousSequence,
    /// The same, and no stage needs more than its cap however its memory is planned.
    ContiguousSequenceWithinCaps,
    /// The op sequence cut between layers, one run per device at most.
    ContiguousLayers,
    /// The same, and no stage needs more than its cap however its memory is planned.
    ContiguousLayersWithinCaps,
    /// Stages that form a pipeline over the data, in any topological order of the ops.
    ContiguousDag,
    /// The same, and no stage needs more than its cap however its memory is planned.
    ContiguousDagWithinCaps,
    /// Stages that form a pipeline over the data, in any topological order of the layers.
    ContiguousDagLayers,
    /// The same, and no stage needs more than its cap however its memory is planned.
    ContiguousDagLayersWithinCaps,
    /// Runs of layers on groups of neighbouring cores of one chip, no group over the memory of its cores as its
    /// layers run one after the other.
    CoreGroups,
    /// The same, also over their memory.
    AnyGrouping,
    /// Plans of a workload graph in which every device's part is contiguous.
    Contiguous,
    /// Plans of a workload graph without that demand.
    Free,
    /// Every layer of a table on any device, every device used.
    AnyPlacement,
    /// Any memory plan: everything runs at least once.
    Any,
    /// Memory plans in any order of first runs; between two of them copies to the host, copies back and recomputes follow each other, each
    /// op at most once per kind, in program order, and a value is copied to the host once.
    AnyOrderAscending,
    /// Memory plans whose first runs keep program order.
    ProgramOrder,
    /// The same; between two first runs as in `any-order-ascending`.
    ProgramOrderAscending,
    /// `program-order`, and nothing is copied to the host although it may be.
    ProgramOrderWithoutSwaps,
    /// `program-order-ascending`, and nothing is copied to the host although it may be.
    ProgramOrderAscendingWithoutSwaps,
}

impl BoundClass {
    /// Every class.
    pub const ALL: &[BoundClass] = <Self as strum::VariantArray>::VARIANTS;

    /// The name in plans, reports and attributes.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The class of a name; none where there is none.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| class.name() == name)
    }

    /// Does the class hold only plans that can keep the caps of its search? A bound for it says nothing about plans under
    /// other caps, such as raised ones.
    #[must_use]
    pub const fn within_caps(self) -> bool {
        matches!(
            self,
            Self::AnyAssignmentWithinCaps
                | Self::ContiguousSequenceWithinCaps
                | Self::ContiguousLayersWithinCaps
                | Self::ContiguousDagWithinCaps
                | Self::ContiguousDagLayersWithinCaps
        )
    }
}

impl std::fmt::Display for BoundClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Who proved a lower bound on a memory plan's time.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Prover {
    /// Nobody: in every plan each op runs once.
    EachOpOnce,
    /// The dynamic program that counts what a chain's gradients leave room for.
    Counting,
    /// Duals of the linear program over residency at critical positions, with what was added to it.
    LinearProgram,
    /// HiGHS's branch and bound on a mixed-integer program.
    BranchAndBound,
    /// The best-first search over what is on the device and on the host.
    BestFirst,
}

impl Prover {
    /// The name in plans and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A proven lower bound on an objective, in its own unit, over the plans of a class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bound {
    /// Proven lower bound on the objective over the class of plans named in `bound_class`.
    #[serde(rename = "bound")]
    value: f64,
    /// Which class of plans the bound holds for.
    #[serde(rename = "bound_class")]
    class: BoundClass,
    /// Does the proof rest on what HiGHS says of its branch and bound? Its tolerances then are taken on trust; any other bound holds in exact
    /// arithmetic.
    #[serde(rename = "bound_trusts_highs", default, skip_serializing_if = "std::ops::Not::not")]
    trusts_highs: bool,
    /// Who proved it, where that is said.
    #[serde(rename = "bound_method", default, skip_serializing_if = "Option::is_none")]
    prover: Option<Prover>,
    /// Search steps that proofs took, whichever of them gave the bound, on the scale of `work`.
    #[serde(rename = "bound_work", default, skip_serializing_if = "Option::is_none")]
    work: Option<u64>,
}

impl Bound {
    /// What a proof found: no plan of `class` is below `value`. Only the code that holds the proof may say so.
    #[must_use]
    pub const fn proved(value: f64, class: BoundClass) -> Self {
        Bound { value, class, trusts_highs: false, prover: None, work: None }
    }

    /// What holds for every memory plan: each op runs once, which takes `seconds`.
    #[must_use]
    pub const fn each_op_once(seconds: f64) -> Self {
        Bound::proved(seconds, BoundClass::Any).by(Prover::EachOpOnce, 0)
    }

    /// The same bound: who proved it, and the search steps that proofs took. What HiGHS's branch and bound proved rests on it.
    #[must_use]
    pub const fn by(self, prover: Prover, work: u64) -> Self {
        let trusts_highs = matches!(prover, Prover::BranchAndBound);
        Bound { trusts_highs, prover: Some(prover), work: Some(work), ..self }
    }

    /// The same bound, its proof resting on HiGHS's branch and bound or not.
    #[must_use]
    pub const fn trusting_highs(self, trusts_highs: bool) -> Self {
        Bound { trusts_highs, ..self }
    }

    /// No assignment of ops to devices is faster than the least times spread evenly, or than the op that takes longest.
    #[must_use]
    pub fn any_assignment(graph: &Graph, costs: &Costs) -> Self {
        let devices = costs.seconds.len();
        let (total, longest) = graph
            .planned()
            .map(|op| costs.least_seconds(op))
            .fold((0.0, 0.0_f64), |(total, longest), seconds| (total + seconds, longest.max(seconds)));
        Bound::proved(longest.max(total / devices.max(1) as f64), BoundClass::AnyAssignment)
    }

    /// The same bound for all orders of first runs, where program order is the only one.
    #[must_use]
    pub const fn in_any_order(self) -> Self {
        let class = match self.class {
            BoundClass::ProgramOrder => BoundClass::Any,
            BoundClass::ProgramOrderAscending => BoundClass::AnyOrderAscending,
            other => other,
        };
        Bound { class, ..self }
    }

    /// The bound, in the objective's unit.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.value
    }

    /// The plans it holds for.
    #[must_use]
    pub const fn class(self) -> BoundClass {
        self.class
    }

    /// Does the proof rest on what HiGHS says of its branch and bound?
    #[must_use]
    pub const fn trusts_highs(self) -> bool {
        self.trusts_highs
    }

    /// Who proved it, where that is said.
    #[must_use]
    pub const fn prover(self) -> Option<Prover> {
        self.prover
    }

    /// Search steps that proofs took, where that is said.
    #[must_use]
    pub const fn work(self) -> Option<u64> {
        self.work
    }

    /// This bound, raised to that of a class that holds all plans of this one.
    #[must_use]
    pub const fn raised_to(self, wider: Bound) -> Self {
        if wider.value > self.value { Bound { class: self.class, ..wider } } else { self }
    }

    /// The bound to report for a plan that may lie outside the class: `wider`, which holds for it in any case, where the
    /// plan beats this one.
    #[must_use]
    pub fn unless_beaten_by(self, value: f64, wider: Bound) -> Self {
        if self.value > value * (1.0 + PROOF_TOLERANCE) { wider } else { self }
    }

    /// The bound for a program whose memory is planned next, perhaps under other caps: `wider` where this one depends on
    /// the caps of its search.
    #[must_use]
    pub fn under_other_caps(self, wider: Bound) -> Self {
        if self.class.within_caps() { wider } else { self }
    }

    /// The bound beside the value of a plan of its class: equal to it where only rounding puts it above.
    ///
    /// # Errors
    /// Where it is above the value by more than [`PROOF_TOLERANCE`]: the bound is false.
    pub fn beside(self, value: f64) -> Result<Self, FalseBound> {
        if self.value.is_nan() || self.value > value + PROOF_TOLERANCE * value.abs() {
            return Err(FalseBound { bound: self.value, class: self.class, value });
        }
        Ok(Bound { value: self.value.min(value), ..self })
    }
}

/// A bound above the judged value of a plan of its class: a bug.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "internal error: the lower bound {bound} over the class '{class}' is above {value}, the value of a plan of the class"
)]
pub struct FalseBound {
    /// The bound.
    pub bound: f64,
    /// Its class.
    pub class: BoundClass,
    /// The value of a plan of the class.
    pub value: f64,
}

/// How a search went.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchStats {
    /// The method that found the plan.
    pub method: String,
    /// Why the search stopped, unless with a proof.
    pub stop_reason: StopReason,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Deterministic search steps taken.
    pub work: u64,
    /// The seed used.
    pub seed: u64,
}

/// The outcome of one search, in the objective's own unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Report {
    /// Objective of the plan found (minimised).
    pub value: f64,
    /// Proven lower bound and the plans it holds for.
    #[serde(flatten)]
    bound: Bound,
    /// `(value - bound) / value`, 0 for a value of 0.
    gap: f64,
    /// Is the value proved optimal, within the method's stated tolerance?
    proved: bool,
    /// The method that found the plan.
    pub method: String,
    /// Why the search stopped.
    pub stop_reason: StopReason,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Deterministic search steps taken.
    pub work: u64,
    /// The seed used.
    pub seed: u64,
    /// Relative gap that counts as a proof.
    #[serde(skip, default = "proof_tolerance")]
    tolerance: f64,
}

fn proof_tolerance() -> f64 {
    PROOF_TOLERANCE
}

impl Report {
    /// A value that the judge derived for a plan of the bound's class, and the bound. A gap of at most
    /// [`PROOF_TOLERANCE`] is a proof.
    ///
    /// # Errors
    /// As [`Bound::beside`].
    pub fn new(value: f64, bound: Bound, search: SearchStats) -> Result<Self, FalseBound> {
        Self::with_tolerance(value, bound, PROOF_TOLERANCE, search)
    }

    /// As [`Report::new`], for a method that states another tolerance.
    ///
    /// # Errors
    /// As [`Bound::beside`].
    pub fn with_tolerance(
        value: f64,
        bound: Bound,
        tolerance: f64,
        search: SearchStats,
    ) -> Result<Self, FalseBound> {
        let SearchStats { method, stop_reason, seconds, work, seed } = search;
        let report = Report {
            value,
            bound,
            gap: 1.0,
            proved: false,
            method,
            stop_reason,
            seconds,
            work,
            seed,
            tolerance,
        };
        report.rebound(bound)
    }

    /// The same search with another bound.
    ///
    /// # Errors
    /// As [`Bound::beside`].
    pub fn rebound(mut self, bound: Bound) -> Result<Self, FalseBound> {
        self.bound = bound.beside(self.value)?;
        self.gap = gap(self.value, self.bound.value);
        self.proved = self.gap <= self.tolerance;
        // A search that came to its end with a proof stopped for that, and one whose proof a lower bound takes away just ended; one that a
        // limit stopped says which.
        self.stop_reason = match self.stop_reason {
            StopReason::Finished if self.proved => StopReason::Proved,
            StopReason::Proved if !self.proved => StopReason::Finished,
            reason => reason,
        };
        Ok(self)
    }

    /// Proven lower bound and the plans it holds for.
    #[must_use]
    pub const fn bound(&self) -> Bound {
        self.bound
    }

    /// `(value - bound) / value`, 0 for a value of 0.
    #[must_use]
    pub const fn gap(&self) -> f64 {
        self.gap
    }

    /// Is the value proved optimal within the class of the bound?
    #[must_use]
    pub const fn proved(&self) -> bool {
        self.proved
    }
}

/// `(value - bound) / value`, clamped to [0, 1]; 0 when the value is 0.
#[must_use]
pub fn gap(value: f64, bound: f64) -> f64 {
    if value <= 0.0 { 0.0 } else { ((value - bound) / value).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search() -> SearchStats {
        SearchStats {
            method: "test".into(),
            stop_reason: StopReason::Finished,
            seconds: 0.0,
            work: 0,
            seed: 0,
        }
    }

    #[test]
    fn a_bound_above_its_value_is_an_error_and_rounding_is_none() {
        let report = |bound| Report::new(10.0, Bound::proved(bound, BoundClass::Any), search());
        assert_eq!(report(10.1), Err(FalseBound { bound: 10.1, class: BoundClass::Any, value: 10.0 }));
        assert!(report(f64::NAN).is_err());
        let rounded = report(10.000_001).expect("rounding");
        assert_eq!((rounded.bound().value(), rounded.gap(), rounded.proved()), (10.0, 0.0, true));
        let open = report(9.0).expect("an open gap");
        assert!((open.gap() - 0.1).abs() < 1e-12 && !open.proved());
    }

    #[test]
    fn a_bound_within_caps_says_nothing_of_other_caps() {
        let floor = Bound::proved(1.0, BoundClass::AnyAssignment);
        for &class in BoundClass::ALL {
            let carried = Bound::proved(2.0, class).under_other_caps(floor);
            assert_eq!(carried == floor, class.name().ends_with("within-caps"), "{class}");
        }
    }

    #[test]
    fn what_rounding_may_do_ends_at_the_tolerance() {
        let edge = 10.0 + PROOF_TOLERANCE * 10.0;
        let bound = |value| Bound::proved(value, BoundClass::ContiguousSequence);
        assert_eq!(bound(edge).beside(10.0).map(Bound::value), Ok(10.0));
        assert!(bound(edge * (1.0 + 1e-15)).beside(10.0).is_err());
        let floor = Bound::proved(1.0, BoundClass::AnyAssignment);
        let edge = 10.0 * (1.0 + PROOF_TOLERANCE);
        assert_eq!(bound(edge).unless_beaten_by(10.0, floor), bound(edge));
        assert_eq!(bound(edge * (1.0 + 1e-15)).unless_beaten_by(10.0, floor), floor);
    }

    #[test]
    fn only_a_search_that_ran_to_its_end_stopped_for_its_proof() {
        let report = |bound, stop_reason| {
            let search = SearchStats { stop_reason, ..search() };
            Report::new(10.0, Bound::proved(bound, BoundClass::Any), search).expect("a bound").stop_reason
        };
        assert_eq!(report(10.0, StopReason::Finished), StopReason::Proved);
        assert_eq!(report(9.0, StopReason::Finished), StopReason::Finished);
        assert_eq!(report(9.0, StopReason::Proved), StopReason::Finished);
        assert_eq!(report(10.0, StopReason::TimeLimit), StopReason::TimeLimit);
        assert_eq!(report(9.0, StopReason::WorkLimit), StopReason::WorkLimit);
    }

    #[test]
    fn a_report_that_was_read_has_the_usual_tolerance() {
        let report = Report::new(10.0, Bound::proved(9.0, BoundClass::Any), search()).expect("an open gap");
        let read: Report =
            serde_json::from_value(serde_json::to_value(&report).expect("JSON")).expect("a report");
        assert_eq!(read, report);
        let proved = |bound| {
            let bound = Bound::proved(bound, BoundClass::Any);
            read.clone().rebound(bound).expect("a bound").proved()
        };
        assert!(proved(10.0) && proved(10.0 - 1e-6) && !proved(10.0 - 1e-4));
    }

    #[test]
    fn no_assignment_is_faster_than_the_work_spread_or_the_longest_op() {
        let op = |id| crate::graph::Op::new("", Vec::new(), vec![id]);
        let graph = Graph { ops: (0..3).map(op).collect(), ..Graph::default() };
        let bound = |seconds| Bound::any_assignment(&graph, &Costs { seconds });
        // The faster device for each op: 2 + 3 + 5, over two devices.
        let spread = bound(vec![vec![2.0, 4.0, 5.0], vec![9.0, 3.0, 6.0]]);
        assert_eq!((spread.value(), spread.class()), (5.0, BoundClass::AnyAssignment));
        assert_eq!(bound(vec![vec![2.0, 3.0, 4.0]; 2]).value(), 4.5);
        assert_eq!(bound(vec![vec![1.0, 1.0, 9.0]; 3]).value(), 9.0);
    }

    #[test]
    fn a_bound_raised_to_a_wider_one_still_speaks_of_its_own_class() {
        let narrow = Bound::proved(2.0, BoundClass::ContiguousSequence);
        for (wider, value) in [(1.0, 2.0), (2.0, 2.0), (3.0, 3.0)] {
            let raised = narrow.raised_to(Bound::proved(wider, BoundClass::AnyAssignment));
            assert_eq!((raised.value(), raised.class()), (value, BoundClass::ContiguousSequence));
        }
    }

    #[test]
    fn a_plan_outside_the_class_gets_the_wider_bound() {
        let floor = Bound::proved(1.0, BoundClass::AnyAssignment);
        let narrow = Bound::proved(2.0, BoundClass::ContiguousSequence);
        assert_eq!(narrow.unless_beaten_by(1.5, floor), floor);
        assert_eq!(narrow.unless_beaten_by(2.0, floor), narrow);
        assert_eq!(narrow.raised_to(Bound::proved(3.0, BoundClass::AnyAssignment)).value(), 3.0);
    }

    #[test]
    fn a_bound_trusts_highs_where_the_larger_one_does() {
        let trusting = |value| Bound::proved(value, BoundClass::Free).trusting_highs(true);
        let exact = |value| Bound::proved(value, BoundClass::Free);
        assert!(exact(1.0).raised_to(trusting(2.0)).trusts_highs());
        assert!(!exact(2.0).raised_to(trusting(2.0)).trusts_highs());
        assert!(!trusting(1.0).raised_to(exact(2.0)).trusts_highs());
        let json = |bound: Bound| serde_json::to_value(bound).expect("JSON");
        assert_eq!(json(trusting(2.0))["bound_trusts_highs"], true);
        assert!(json(exact(2.0)).get("bound_trusts_highs").is_none());
        assert!(trusting(5.0).beside(5.0).is_ok_and(Bound::trusts_highs));
    }

    #[test]
    fn a_bound_names_who_proved_it_and_reports_without_a_name_are_read() {
        let counted = Bound::proved(9.0, BoundClass::ProgramOrder).by(Prover::Counting, 7);
        let searched = Bound::proved(9.5, BoundClass::ProgramOrder).by(Prover::BranchAndBound, 40);
        assert!(!counted.trusts_highs() && searched.trusts_highs());
        // The larger bound's.
        assert_eq!(counted.raised_to(searched).prover(), Some(Prover::BranchAndBound));
        assert_eq!(searched.raised_to(counted), searched);
        let report = Report::new(10.0, counted, search()).expect("an open gap");
        let mut json = serde_json::to_value(&report).expect("JSON");
        assert_eq!((&json["bound_method"], &json["bound_work"]), (&"counting".into(), &7.into()));
        assert_eq!(Prover::Counting.name(), "counting");
        let fields = json.as_object_mut().expect("an object");
        fields.retain(|name, _| !matches!(name.as_str(), "bound_method" | "bound_work"));
        let older: Report = serde_json::from_value(json).expect("a report of before");
        assert_eq!((older.bound().prover(), older.bound().work()), (None, None));
    }

    #[test]
    fn names_are_those_that_serde_writes() {
        for &class in BoundClass::ALL {
            assert_eq!(serde_json::to_value(class).expect("a name"), class.name());
            assert_eq!(BoundClass::of_name(class.name()), Some(class));
            assert_eq!(class.to_string(), class.name());
        }
        assert_eq!(BoundClass::of_name("most-plans"), None);
    }
}
