//! Why a plan keeps, recomputes or swaps a value, and what would change that; read off the judged schedule alone.
//!
//! A value idles while it lies on the device between two uses. Dropping it then frees its bytes there, and pays where what the
//! device holds meanwhile matters: keeping a dropped value needs, in the same schedule, the most bytes held while it was away plus its
//! own. These figures are exact for the plan at hand with everything else as it is; they do not say what another search would find.

mod words;

use crate::memory::{Event, EventKind, Node, NodeId, Problem, ReplayError, Schedule, Step, SwapModel, trace};
pub use words::seconds;

/// What happens to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Fate {
    /// It stays from its first run to its last use.
    Kept,
    /// It is dropped and computed, or received, again.
    Recomputed,
    /// It goes to the host and comes back.
    Swapped,
}

impl Fate {
    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Between two uses of a value, with what the device holds meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// What ran or was copied last before it: index of the event.
    pub after: usize,
    /// What needs the value next; none: the end of the program, for a returned value.
    pub before: Option<usize>,
    /// Most bytes held in between, those of [`Beside`] included.
    pub held_bytes: u64,
    /// Node whose run or copy holds them.
    pub at: NodeId,
    /// Bytes the device would need with the value held throughout, as often as [`Stretch::copies`] says.
    pub kept_bytes: u64,
    /// How many of the value the device would hold: one for every micro-batch in flight where it is the stretch between the passes.
    pub copies: usize,
}

/// What a device of a pipeline holds beside the micro-batch that runs.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// Bytes of it.
    pub bytes: u64,
    /// Last node of the forward pass; what is there between it and the next is there for every micro-batch in flight.
    pub last_forward: Option<NodeId>,
    /// Most micro-batches in flight.
    pub micro_batches: usize,
    /// What the device would need if a value were kept instead of made again, or copied back, before a position; none where that is
    /// no plan.
    pub need_if_kept: &'a dyn Fn(NodeId, usize) -> Option<u64>,
}

/// What is to be said about one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The node.
    pub node: NodeId,
    /// What happens to it.
    pub fate: Fate,
    /// Times it runs again, or is copied in either direction.
    pub times: usize,
    /// What these cost: repeated runs, or copies as if nothing ran beside them.
    pub seconds: f64,
    /// Kept: the stretch of idling in which the device holds most. Otherwise: the stretch of absence in which it holds most.
    pub stretch: Option<Stretch>,
}

/// A stage's schedule with what happens to every value.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Runs and copies in order.
    pub events: Vec<Event>,
    /// One verdict per node.
    pub verdicts: Vec<Verdict>,
    /// Index of the first event that holds the peak; none without nodes.
    pub peak: Option<usize>,
    /// Bytes held then, those of [`Beside`] included.
    pub peak_bytes: u64,
    /// Dearest price the plan pays for a byte that is away, seconds per byte; none where nothing is away.
    pub dearest: Option<(NodeId, f64)>,
}

/// Largest bytes over runs of events, in logarithmic tables.
struct Highest(Vec<Vec<usize>>);

impl Highest {
    fn new(events: &[Event]) -> Self {
        let mut levels = vec![(0..events.len()).collect::<Vec<_>>()];
        let mut width = 1;
        while 2 * width <= events.len() {
            let last = &levels[levels.len() - 1];
            let next = (0..=events.len() - 2 * width).map(|at| higher(events, last[at], last[at + width]));
            let next = next.collect();
            levels.push(next);
            width *= 2;
        }
        Highest(levels)
    }

    /// First of the highest events from `from` up to, not including, `to`.
    fn of(&self, events: &[Event], from: usize, to: usize) -> Option<usize> {
        let level = (to.checked_sub(from)?).checked_ilog2()? as usize;
        let row = &self.0[level];
        Some(higher(events, row[from], row[to - (1 << level)]))
    }
}

fn higher(events: &[Event], one: usize, other: usize) -> usize {
    if events[other].device_bytes > events[one].device_bytes { other } else { one }
}

/// Explains a schedule that the judge accepts; in a pipeline, of what runs beside others.
///
/// # Errors
/// As [`trace`].
pub fn explain(
    problem: &Problem,
    schedule: &Schedule,
    swap: Option<&SwapModel>,
    cap_bytes: Option<u64>,
    beside: Option<Beside<'_>>,
) -> Result<Explained, ReplayError> {
    let (events, _) = trace(problem, schedule, swap, cap_bytes)?;
    let highest = Highest::new(&events);
    let others = beside.map_or(0, |beside| beside.bytes);
    let peak = highest.of(&events, 0, events.len());
    let peak_bytes = others.saturating_add(peak.map_or(0, |peak| events[peak].device_bytes));
    let last_forward = beside.and_then(|beside| {
        events
            .iter()
            .position(|event| event.kind == EventKind::Run && Some(event.node) == beside.last_forward)
    });
    let count = problem.nodes.len();
    let mut verdicts: Vec<Verdict> = NodeId::first(count)
        .map(|node| Verdict { node, fate: Fate::Kept, times: 0, seconds: 0.0, stretch: None })
        .collect();
    let mut idle: Vec<Option<Stretch>> = vec![None; count];
    let mut away: Vec<Option<Stretch>> = vec![None; count];
    let worse = |stretch: &mut Option<Stretch>, node: NodeId, after: usize, before: usize, is_away: bool| {
        let Some(top) = highest.of(&events, after + 1, before) else { return };
        let (held, bytes) = (events[top].device_bytes, problem.nodes[node].bytes);
        let with = held.saturating_add(if is_away { bytes } else { 0 });
        let plainly = others.saturating_add(with);
        // Between the passes it would be there for every micro-batch in flight.
        let between =
            beside.filter(|_| is_away && last_forward.is_some_and(|last| (after..before).contains(&last)));
        let (kept_bytes, copies) = between.map_or((plainly, 1), |beside| {
            let runs = events[..before].iter().filter(|event| event.kind == EventKind::Run).count();
            let more = bytes.saturating_mul(beside.micro_batches.saturating_sub(1) as u64);
            let need = (beside.need_if_kept)(node, runs);
            (need.unwrap_or(plainly.saturating_add(more)), beside.micro_batches)
        });
        if stretch.is_none_or(|known| kept_bytes > known.kept_bytes) {
            let before = (before < events.len()).then_some(before);
            let held_bytes = others.saturating_add(held);
            *stretch = Some(Stretch { after, before, held_bytes, at: events[top].node, kept_bytes, copies });
        }
    };
    // The last event that used the value, and whether it has left the device since.
    let mut last: Vec<Option<usize>> = vec![None; count];
    let mut gone = vec![false; count];
    let mut next = 0;
    for (step, &what) in schedule.steps.iter().enumerate() {
        if let Step::Free(node) = what {
            gone[node] = true;
        }
        if events.get(next).is_none_or(|event| event.step != step) {
            continue;
        }
        let event = events[next];
        let node = event.node;
        verdicts[node].take(event.kind, &problem.nodes[node], swap);
        let inputs = match event.kind {
            EventKind::Run | EventKind::Again => &problem.nodes[node].inputs[..],
            EventKind::Out | EventKind::In => &[],
        };
        for &used in inputs.iter().chain([&node]) {
            if let Some(before) = last[used] {
                let stretch = if gone[used] { &mut away[used] } else { &mut idle[used] };
                worse(stretch, used, before, next, gone[used]);
            }
            (last[used], gone[used]) = (Some(next), false);
        }
        next += 1;
    }
    for (node, what) in NodeId::of(&problem.nodes) {
        if let (true, Some(before)) = (what.keep, last[node]) {
            worse(&mut idle[node], node, before, events.len(), false);
        }
    }
    let mut dearest: Option<(NodeId, f64)> = None;
    for verdict in &mut verdicts {
        let node = verdict.node;
        verdict.stretch = if verdict.fate == Fate::Kept { idle[node] } else { away[node] };
        let price = verdict.seconds / problem.nodes[node].bytes.max(1) as f64;
        if verdict.fate != Fate::Kept && dearest.is_none_or(|(_, known)| price > known) {
            dearest = Some((node, price));
        }
    }
    Ok(Explained { events, verdicts, peak, peak_bytes, dearest })
}

impl Verdict {
    /// Counts an event of the node.
    fn take(&mut self, kind: EventKind, node: &Node, swap: Option<&SwapModel>) {
        let (fate, seconds) = match kind {
            EventKind::Run => return,
            EventKind::Again if self.fate != Fate::Swapped => (Fate::Recomputed, node.time),
            EventKind::Again => (Fate::Swapped, node.time),
            EventKind::Out => (Fate::Swapped, swap.map_or(0.0, |swap| swap.out_time(node.bytes))),
            EventKind::In => (Fate::Swapped, swap.map_or(0.0, |swap| swap.in_time(node.bytes))),
        };
        self.fate = fate;
        self.times += 1;
        self.seconds += seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::words::size_at_least;
    use super::*;
    use crate::memory::{CompactPlan, Node, expand};
    use crate::units::Bytes;

    /// a (4 bytes) is read by b and e; b by c; c (8 bytes) by d; d by e, which is returned. Unplanned peak: 4 + 4 + 8 at c.
    fn problem() -> Problem {
        let node = |label: &str, bytes, inputs: &[usize]| Node::new(label, 2.0, bytes, inputs.to_vec());
        let mut nodes = vec![
            node("a", 4, &[]),
            node("b", 4, &[0]),
            node("c", 8, &[1]),
            node("d", 1, &[2]),
            node("e", 1, &[0, 3]),
        ];
        nodes[4].keep = true;
        Problem { name: "p".into(), nodes, resident_bytes: 0 }
    }

    fn explained(plan: &CompactPlan, swap: Option<&SwapModel>) -> Explained {
        let problem = problem();
        explain(&problem, &expand(&problem, plan).unwrap(), swap, None, None).unwrap()
    }

    fn texts(explained: &Explained, node: NodeId, cap: u64) -> (String, String) {
        let problem = problem();
        let name = |node: NodeId| problem.nodes[node].label.clone();
        let verdict = &explained.verdicts[node];
        (
            explained.reason(verdict, &problem, cap, &name),
            explained.change(verdict, &problem, cap, None, &name),
        )
    }

    #[test]
    fn a_kept_value_idles_where_the_device_holds_most() {
        let explained = explained(&CompactPlan::default(), None);
        let a = explained.verdicts[0];
        assert_eq!((a.fate, a.times), (Fate::Kept, 0));
        // After b read it and until e does, c runs with a, b and itself there.
        assert_eq!(
            a.stretch,
            Some(Stretch {
                after: 1,
                before: Some(4),
                held_bytes: 16,
                at: NodeId(2),
                kept_bytes: 16,
                copies: 1
            })
        );
        assert_eq!(explained.verdicts[1].stretch, None, "b is read at once");
        assert_eq!(explained.peak.map(|event| explained.events[event].node), Some(NodeId(2)));
        let (reason, change) = texts(&explained, NodeId(0), 20);
        assert!(reason.contains("between b and e") && reason.contains("there is room"), "{reason}");
        assert!(change.contains("a cap below 16 B"), "{change}");
        assert!(texts(&explained, NodeId(0), 16).0.contains("to make room"));
    }

    #[test]
    fn a_recomputed_value_says_what_keeping_it_would_hold() {
        let explained =
            explained(&CompactPlan { recompute: vec![(4, NodeId(0))], ..CompactPlan::default() }, None);
        let a = explained.verdicts[0];
        assert_eq!((a.fate, a.times, a.seconds), (Fate::Recomputed, 1, 2.0));
        assert_eq!(a.stretch.map(|stretch| (stretch.held_bytes, stretch.at)), Some((12, NodeId(2))));
        let (reason, change) = texts(&explained, NodeId(0), 12);
        assert!(reason.contains("4 B over the cap"), "{reason}");
        assert!(change.contains("a cap of 16 B"), "{change}");
        assert_eq!(explained.dearest, Some((NodeId(0), 0.5)));
        // The figure is exact: at that cap the plan without the recompute is accepted, below it is not.
        let problem = problem();
        let kept = expand(&problem, &CompactPlan::default()).unwrap();
        assert!(trace(&problem, &kept, None, Some(16)).is_ok());
        assert!(trace(&problem, &kept, None, Some(15)).is_err());
    }

    #[test]
    fn a_cap_that_is_advised_is_enough_as_it_is_printed() {
        assert_eq!(size_at_least(1_216_513), "1.2 MiB");
        // 1.2 MiB are 1 258 291 bytes.
        assert_eq!([size_at_least(1_258_291), size_at_least(1_258_292)], ["1.2 MiB", "1.3 MiB"]);
        for bytes in [0, 1, 1023, 1025, 10_239, 10_241, 1_048_575, 1_048_577, 10_737_418_239, 10_737_418_241]
        {
            let cap: Bytes = size_at_least(bytes).parse().unwrap();
            assert!(cap.0 >= bytes && cap.0 <= bytes + bytes / 10 + 1, "{bytes}: {cap:?}");
        }
    }

    #[test]
    fn what_cannot_go_is_said_with_its_reason_and_without_advice_that_nobody_can_follow() {
        // d writes over a, 4 B: stages leave it with no bytes of its own, and neither of them may go.
        let said = |problem: &Problem, node: usize| {
            let schedule = expand(problem, &CompactPlan::default()).unwrap();
            let explained = explain(problem, &schedule, None, None, None).unwrap();
            let name = |node: NodeId| problem.nodes[node].label.clone();
            let verdict = &explained.verdicts[node];
            (
                explained.reason(verdict, problem, 20, &name),
                explained.change(verdict, problem, 20, None, &name),
            )
        };
        let mut problem = problem();
        problem.nodes[3].inputs = vec![NodeId(0), NodeId(2)];
        problem.nodes[3].bytes = 0;
        for node in [0, 3] {
            (problem.nodes[node].recomputable, problem.nodes[node].swappable) = (false, false);
        }
        let (reason, change) = said(&problem, 0);
        assert!(reason.starts_with("d writes over it"), "{reason}");
        assert_eq!(change, "nothing does: its memory becomes that of d");
        // Without a reader that takes its memory a rule or effects are all there is.
        problem.nodes[3].bytes = 1;
        let (reason, change) = said(&problem, 0);
        assert!(reason.starts_with("it may neither") && change.contains("rules"), "{reason}; {change}");
        problem.nodes[0].swappable = true;
        assert!(said(&problem, 0).1.contains("a plan with swaps"));
        problem.nodes[0].bytes = 0;
        let nothing = ("it takes no memory of its own", "nothing does: there is nothing to free");
        assert_eq!(said(&problem, 0), (nothing.0.to_owned(), nothing.1.to_owned()));
    }

    #[test]
    fn between_the_passes_a_value_would_be_there_for_every_micro_batch() {
        // c runs in the forward pass, or already in the backward pass: only there a is away between the passes of three micro-batches.
        let plan = CompactPlan { recompute: vec![(4, NodeId(0))], ..CompactPlan::default() };
        let schedule = expand(&problem(), &plan).unwrap();
        let asked = std::cell::RefCell::new(Vec::new());
        let need_if_kept = |node, position| {
            asked.borrow_mut().push((node, position));
            Some(100)
        };
        let explained = |last_forward: usize, need_if_kept: &dyn Fn(NodeId, usize) -> Option<u64>| {
            let last_forward = Some(NodeId(last_forward));
            let beside = Beside { bytes: 20, last_forward, micro_batches: 3, need_if_kept };
            explain(&problem(), &schedule, None, None, Some(beside)).unwrap()
        };
        let between = explained(2, &need_if_kept);
        assert_eq!(*asked.borrow(), [(NodeId(0), 4)]);
        let stretch = between.verdicts[0].stretch.unwrap();
        assert_eq!((stretch.held_bytes, stretch.kept_bytes, stretch.copies), (32, 100, 3));
        let (reason, change) = texts(&between, NodeId(0), 60);
        assert!(
            reason.contains("for each of 3 micro-batches in flight it would hold 100 B, 40 B over"),
            "{reason}"
        );
        assert!(change.contains("a cap of 100 B"), "{change}");
        // Where the judge refuses that plan: three times its bytes.
        assert_eq!(explained(2, &|_, _| None).verdicts[0].stretch.unwrap().kept_bytes, 20 + 12 + 3 * 4);
        let within = explained(0, &|_, _| None).verdicts[0].stretch.unwrap();
        assert_eq!((within.held_bytes, within.kept_bytes, within.copies), (32, 36, 1));
        assert_eq!(between.peak_bytes, 20 + 12);
    }

    #[test]
    fn a_swapped_value_pays_for_both_copies() {
        let link = SwapModel {
            out_bandwidth: 2.0,
            in_bandwidth: 4.0,
            latency: 0.0,
            overlap: false,
            host_capacity_bytes: None,
        };
        let plan = CompactPlan {
            swap_out: vec![(0, NodeId(0))],
            swap_in: vec![(4, NodeId(0))],
            ..CompactPlan::default()
        };
        let explained = explained(&plan, Some(&link));
        let a = explained.verdicts[0];
        assert_eq!((a.fate, a.times, a.seconds), (Fate::Swapped, 2, 3.0));
        assert_eq!(a.stretch.map(|stretch| stretch.held_bytes), Some(12));
    }
}
