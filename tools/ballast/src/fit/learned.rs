//! What a plan that XLA compiled teaches the next one: where it held more or less than the plan said, and what it stored that the plan had fused.
//!
//! XLA's schedule and the steps of the plan are laid side by side: in both orders the same large ops run, so the heaviest common subsequence says which
//! stretch of one belongs to which stretch of the other. In a stretch the difference is what XLA held at most less what the plan held at most. The next plan
//! reckons with it wherever an op of that stretch runs, as workspace. Plans that follow one another are alike, so differences are as well; where
//! one turns out too high it is halved, so that a search does not go to and fro between two plans.

use std::collections::{BTreeMap, BTreeSet};

use ballast_core::graph::{Graph, OpId, OpRole};
use ballast_core::memory::{expand, replay};
use ballast_core::plan::{Plan, compact_plans};
use ballast_core::planned_stages::stages_of;
use ballast_core::stage::NodeSource;
use ballast_core::stored::{OpStored, STORED_VERSION, StoredFile};

use crate::run::held::{Buffer, Held};

/// Ops whose values are a smaller share of the peak do not tell where in the plan XLA is.
const SMALL: u64 = 1000;
/// Most cells of the table in which the two orders are compared: bytes.
const MOST_CELLS: usize = 1 << 28;

/// What was learned of one way to plan a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Learned {
    /// Bytes XLA held above the plan where the op ran; below it, negative.
    above: BTreeMap<OpId, i64>,
    /// The same of the last plan alone.
    last: BTreeMap<OpId, i64>,
    /// Ops whose values XLA stores though they were predicted to be fused.
    stored: BTreeSet<OpId>,
    /// Names of these ops.
    names: BTreeMap<OpId, String>,
    /// Bytes that the whole program takes less than predicted; zero or more.
    less: u64,
    /// What XLA holds beside the stacks of paired loops, where these are what is planned.
    around: Option<u64>,
}

/// Bytes as a difference; there is no memory of 2^63 bytes.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

impl Learned {
    /// That so much is held beside the stacks of paired loops.
    pub(super) fn beside_stacks(bytes: u64) -> Self {
        Learned { around: Some(bytes), ..Learned::default() }
    }

    /// What is held beside the stacks of paired loops, if that is known.
    pub(super) fn around(&self) -> Option<u64> {
        self.around
    }

    /// Takes in what XLA held of a program with `plan`, and took in all, `measured_bytes`, where it may take `cap_bytes`; `around_bytes` are held all
    /// the while beside what was planned.
    ///
    /// # Errors
    /// A plan that cannot be replayed.
    pub(super) fn take(
        &mut self,
        plan: &Plan,
        graph: &Graph,
        held: &Held,
        (measured_bytes, cap_bytes): (u64, u64),
        around_bytes: u64,
    ) -> Result<(), String> {
        let mut predicted = self.predicted(plan)?;
        predicted.iter_mut().for_each(|(_, bytes)| *bytes = bytes.saturating_add(around_bytes));
        let found = differences(held, &predicted, measured_bytes, |op| graph.value_bytes(op).0);
        self.less = less(&found, &predicted, measured_bytes, cap_bytes);
        self.correct(found);
        self.stored.extend(held.peak.iter().flat_map(|buffer| stored_for(graph, buffer)));
        let known = self.above.keys().chain(&self.stored);
        self.names = known.filter_map(|&op| Some((op, graph.ops.get(op.0)?.name.clone()))).collect();
        Ok(())
    }

    /// Takes in differences by op.
    fn correct(&mut self, now: BTreeMap<OpId, i64>) {
        for (&op, &above) in &now {
            let known = self.above.entry(op).or_insert(above);
            *known = if above >= *known { above } else { i64::midpoint(*known, above) };
        }
        self.last = now;
    }

    /// What was learned, with nothing halved of what the last plan taught: of that plan, and of one like it, it says what XLA takes.
    pub(super) fn of_last_plan(&self) -> Self {
        let mut exact = self.clone();
        exact.above.extend(&self.last);
        exact
    }

    /// How many ops are known to hold other than predicted?
    pub(super) fn ops(&self) -> usize {
        self.entries().count()
    }

    /// The runs of a plan in order, with the bytes held meanwhile as they are predicted without what was learned.
    fn predicted(&self, plan: &Plan) -> Result<Vec<(OpId, u64)>, String> {
        let stages = stages_of(plan)?;
        let compact = compact_plans(&stages, &plan.ops).map_err(|error| error.to_string())?;
        let (Some(stage), Some(compact)) = (stages.first(), compact.first()) else { return Ok(Vec::new()) };
        let schedule = expand(&stage.problem, compact).map_err(|error| error.to_string())?;
        let swap = plan.stages[0].memory.as_ref().and_then(|memory| memory.swap);
        let replayed =
            replay(&stage.problem, &schedule, swap.as_ref(), None).map_err(|error| error.to_string())?;
        let runs = replayed.timeline.iter().filter_map(|&(node, bytes)| match stage.sources[node] {
            NodeSource::Op(op) => Some((op, bytes.saturating_sub(self.workspace(op)))),
            NodeSource::Receive(_) => None,
        });
        Ok(runs.collect())
    }

    /// What the next plan adds to what the op holds while it runs.
    fn workspace(&self, op: OpId) -> u64 {
        self.above
            .get(&op)
            .map_or(0, |&above| u64::try_from(above.saturating_add(signed(self.less))).unwrap_or(0))
    }

    /// Bytes that XLA takes less than the model predicts, zero or more.
    pub(super) fn less(&self) -> u64 {
        self.less
    }

    /// What to ask a plan for so that XLA takes `cap_bytes`.
    pub(super) fn asked(&self, cap_bytes: u64) -> u64 {
        cap_bytes.saturating_add(self.less)
    }

    /// As a file for `--remat`.
    pub(super) fn file(&self) -> StoredFile {
        StoredFile { version: STORED_VERSION, ops: self.entries().collect() }
    }

    fn entries(&self) -> impl Iterator<Item = OpStored> + '_ {
        let entries = self.names.iter().map(|(&op, name)| OpStored {
            op,
            name: name.clone(),
            workspace_bytes: self.workspace(op),
            stored: self.stored.contains(&op),
        });
        entries.filter(|entry| entry.stored || entry.workspace_bytes > 0)
    }
}

/// The most bytes of steps.
fn most<T>(steps: &[(T, u64)]) -> u64 {
    steps.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
}

/// Bytes that the next plan may be asked for above the cap, as XLA takes less than is predicted: of the peak; or, where an op was predicted above the
/// cap, of that op, as one that overwrites what it reads. Else no plan would be there for what XLA can keep.
fn less(above: &BTreeMap<OpId, i64>, predicted: &[(OpId, u64)], measured_bytes: u64, cap_bytes: u64) -> u64 {
    let over = predicted.iter().filter(|&&(_, bytes)| bytes > cap_bytes);
    let of_op = over.map(|&(op, bytes)| {
        let below = above.get(&op).map_or(0, |&above| u64::try_from(above.saturating_neg()).unwrap_or(0));
        below.min(bytes - cap_bytes)
    });
    of_op.max().unwrap_or(0).max(most(predicted).saturating_sub(measured_bytes))
}

/// By op, what was held above `predicted` in the stretch in which it ran, the most where it ran several times; below it, negative.
fn differences(
    held: &Held,
    predicted: &[(OpId, u64)],
    measured_bytes: u64,
    size: impl Fn(OpId) -> u64,
) -> BTreeMap<OpId, i64> {
    // Gaps of the heap, and what is counted besides temporaries: there at every moment.
    let besides = signed(measured_bytes) - signed(most(&held.steps));
    let mut found: BTreeMap<OpId, i64> = BTreeMap::new();
    for (theirs, ours) in stretches(&held.steps, predicted, most(predicted) / SMALL, size) {
        let ours = &predicted[ours];
        let above = signed(most(&held.steps[theirs])) + besides - signed(most(ours));
        for &(op, _) in ours {
            found.entry(op).and_modify(|known| *known = above.max(*known)).or_insert(above);
        }
    }
    found
}

/// The ops whose value a buffer holds, where the plan had them fused: by its number, or as what its readers read.
fn stored_for(graph: &Graph, buffer: &Buffer) -> Vec<OpId> {
    let bytes =
        |op: OpId| graph.ops[op].outputs.iter().map(|&tensor| graph.tensors[tensor].bytes.0).sum::<u64>();
    // What is fused has no value of its own in the graph, nor has a constant.
    let fused = |op: OpId| {
        graph.ops.get(op.0).is_some_and(|found| found.role == OpRole::Constant) && bytes(op) == buffer.bytes
    };
    if !buffer.ops.is_empty() || !buffer.spreads {
        return buffer.ops.iter().copied().filter(|&op| fused(op)).collect();
    }
    // XLA's simplifier makes spreads anew, without a name. Ops inside a fusion read what they read in the program, up to views.
    let readers = buffer.readers.iter().filter_map(|op| graph.ops.get(op.0));
    let read = readers.flat_map(|op| &op.inputs).filter_map(|&tensor| graph.tensors[tensor].producer);
    read.filter(|&op| is_spread(graph, op) && fused(op)).collect()
}

fn is_spread(graph: &Graph, op: OpId) -> bool {
    graph.ops[op].name.ends_with("broadcast_in_dim") || graph.ops[op].name.ends_with(".broadcast")
}

/// Stretches of XLA's steps beside stretches of the plan's runs, in order: each ends with an op that both run there, as many bytes of them as can be
/// had in one order; the last with the ends of both.
fn stretches(
    steps: &[(Vec<OpId>, u64)],
    runs: &[(OpId, u64)],
    small: u64,
    size: impl Fn(OpId) -> u64,
) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mut small = small.max(1);
    let (theirs, ours) = loop {
        let large = |op: OpId| size(op) >= small;
        let ours: Vec<usize> = (0..runs.len()).filter(|&at| large(runs[at].0)).collect();
        let known: BTreeSet<OpId> = ours.iter().map(|&at| runs[at].0).collect();
        let theirs: Vec<usize> =
            (0..steps.len()).filter(|&at| steps[at].0.iter().any(|op| known.contains(op))).collect();
        if (theirs.len() + 1).saturating_mul(ours.len() + 1) <= MOST_CELLS {
            break (theirs, ours);
        }
        small = small.saturating_mul(2);
    };
    // Weight of the best match of what comes before, row by row; and which way it came.
    const BOTH: u8 = 0;
    const THEIRS: u8 = 1;
    const OURS: u8 = 2;
    let width = ours.len() + 1;
    let mut way = vec![OURS; (theirs.len() + 1) * width];
    let mut before = vec![0u64; width];
    for (row, &step) in theirs.iter().enumerate() {
        let mut here = vec![0u64; width];
        way[(row + 1) * width] = THEIRS;
        for (column, &run) in ours.iter().enumerate() {
            let op = runs[run].0;
            let (mut best, mut from) = (before[column + 1], THEIRS);
            if here[column] > best {
                (best, from) = (here[column], OURS);
            }
            if steps[step].0.contains(&op) && before[column] + size(op) > best {
                (best, from) = (before[column] + size(op), BOTH);
            }
            here[column + 1] = best;
            way[(row + 1) * width + column + 1] = from;
        }
        before = here;
    }
    let mut matched = Vec::new();
    let (mut row, mut column) = (theirs.len(), ours.len());
    while row > 0 && column > 0 {
        match way[row * width + column] {
            BOTH => {
                (row, column) = (row - 1, column - 1);
                matched.push((theirs[row], ours[column]));
            }
            THEIRS => row -= 1,
            _ => column -= 1,
        }
    }
    matched.reverse();
    let mut found = Vec::with_capacity(matched.len() + 1);
    let (mut step, mut run) = (0, 0);
    for (their, our) in matched {
        found.push((step..their + 1, run..our + 1));
        (step, run) = (their + 1, our + 1);
    }
    if step < steps.len() && run < runs.len() {
        found.push((step..steps.len(), run..runs.len()));
    }
    found
}

#[cfg(test)]
mod tests {
    use ballast_core::graph::{Op, Tensor};
    use ballast_core::units::Bytes;

    use super::*;

    /// Ops of 100 bytes in a row; those of `fused` are constants to the plan.
    fn graph(names: &[&str], fused: &[OpId]) -> Graph {
        let tensor = |op: OpId| Tensor {
            producer: Some(op),
            index: 0,
            bytes: Bytes(100),
            returned: false,
            type_name: String::new(),
        };
        let op = |(id, name): (usize, &&str)| Op {
            role: if fused.contains(&OpId(id)) { OpRole::Constant } else { OpRole::Compute },
            ..Op::new(*name, if id == 0 { vec![] } else { vec![id - 1] }, vec![id])
        };
        Graph {
            ops: names.iter().enumerate().map(op).collect(),
            tensors: OpId::first(names.len()).map(tensor).collect(),
            ..Graph::default()
        }
    }

    #[test]
    fn stretches_end_where_both_orders_run_the_same_op() {
        let step = |ops: &[usize]| (ops.iter().copied().map(OpId).collect(), 0);
        // Op 7 is none of the plan's, op 1 runs early, op 0 runs again where the plan says.
        let steps = [step(&[0]), step(&[7]), step(&[1, 2]), step(&[0]), step(&[3])];
        let runs = [0, 2, 1, 0, 3].map(|op| (OpId(op), 0));
        let found = stretches(&steps, &runs, 1, |op| if op == OpId(1) { 50 } else { 100 });
        assert_eq!(found, [(0..1, 0..1), (1..3, 1..2), (3..4, 2..4), (4..5, 4..5)]);
        // What is small is no landmark: it falls into the stretch of what comes after it.
        let found = stretches(&steps, &runs, 60, |op| if op == OpId(3) { 100 } else { 50 });
        assert_eq!(found, [(0..5, 0..5)]);
        assert!(stretches(&[], &runs, 1, |_| 1).is_empty());
    }

    #[test]
    fn a_difference_is_that_of_the_stretch_and_one_that_was_too_high_is_halved() {
        let [a, b, c] = [0, 1, 2].map(OpId);
        let steps = vec![(vec![a], 30), (vec![], 90), (vec![b], 40), (vec![a], 20)];
        let held = Held { steps, peak: vec![] };
        // XLA's heap has a gap of 10 bytes; op 0 runs twice.
        let found = differences(&held, &[(a, 30), (b, 60), (a, 50)], 100, |_| 100);
        assert_eq!(found, BTreeMap::from([(a, 10), (b, 40)]));
        let mut learned = Learned::default();
        learned.correct(found);
        learned.correct(BTreeMap::from([(a, 20), (b, 0), (c, -5)]));
        assert_eq!(learned.above, BTreeMap::from([(a, 20), (b, 20), (c, -5)]));
        // Of the last plan alone it is known.
        assert_eq!(learned.of_last_plan().above, BTreeMap::from([(a, 20), (b, 0), (c, -5)]));
    }

    #[test]
    fn what_an_op_above_the_cap_takes_less_may_be_asked_for() {
        let [a, b] = [0, 1].map(OpId);
        let above = |of_a, of_b| BTreeMap::from([(a, of_a), (b, of_b)]);
        // The peak is there, and op 1 overwrites what it reads: predicted at 90, it took 60.
        let predicted = [(a, 80), (b, 90)];
        assert_eq!(less(&above(0, -30), &predicted, 80, 70), 20);
        assert_eq!(less(&above(0, -5), &predicted, 85, 70), 5);
        // What keeps the cap needs nothing; as much as the peak was lower is known anyway.
        assert_eq!(less(&above(0, -30), &predicted, 80, 95), 10);
        assert_eq!(less(&above(0, 10), &predicted, 100, 70), 0);
    }

    #[test]
    fn a_value_the_plan_had_fused_is_found_by_its_number_or_by_its_readers() {
        let graph = graph(&["s.dot", "s.broadcast_in_dim", "s.maximum", "s.add"], &[1, 2].map(OpId));
        let ids = |list: &[usize]| list.iter().copied().map(OpId).collect();
        let buffer = |ops: &[usize], spreads, readers: &[usize], bytes| Buffer {
            ops: ids(ops),
            spreads,
            readers: ids(readers),
            bytes,
        };
        assert_eq!(stored_for(&graph, &buffer(&[2], false, &[3], 100)), [OpId(2)]);
        assert_eq!(stored_for(&graph, &buffer(&[], true, &[2, 3], 100)), [OpId(1)]);
        // Stored in the plan as well; of another size; no spread; no op of the program.
        for known in [
            buffer(&[0], false, &[], 100),
            buffer(&[2], false, &[], 50),
            buffer(&[], false, &[2], 100),
            buffer(&[9], true, &[9], 100),
        ] {
            assert!(stored_for(&graph, &known).is_empty(), "{known:?}");
        }
    }

    #[test]
    fn what_is_held_above_the_plan_is_workspace_and_what_is_held_below_it_is_asked_for() {
        let learned = |less, above: &[(usize, i64)]| Learned {
            above: above.iter().map(|&(op, above)| (OpId(op), above)).collect(),
            names: above.iter().map(|&(op, _)| (OpId(op), format!("s.op{op}"))).collect(),
            less,
            ..Learned::default()
        };
        let over = learned(0, &[(3, 70), (5, -20)]);
        let workspace = |learned: &Learned, op: usize| learned.workspace(OpId(op));
        assert_eq!(
            (over.asked(1000), workspace(&over, 3), workspace(&over, 5), over.ops()),
            (1000, 70, 0, 1)
        );
        // Twenty bytes less than predicted in all: one that is not less is held above the rest.
        let under = learned(20, &[(3, 0), (5, -20), (6, -30)]);
        assert_eq!(
            (under.asked(1000), workspace(&under, 3), workspace(&under, 5), workspace(&under, 6)),
            (1020, 20, 0, 0)
        );
        assert_eq!(under.file().ops.iter().map(|entry| entry.op).collect::<Vec<_>>(), [OpId(3)]);
    }
}
