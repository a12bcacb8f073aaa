//! What the scheduler is compared with: no swaps, vDNN-like and Capuchin-like planning.

use ballast_core::graph::LayerType;
use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{CompactPlan, NodeId, Replay, Schedule, SwapModel, expand, replay};
use serde::{Deserialize, Serialize};

use super::error::LearnError;
use super::step::{Candidate, Scheme, TrainingStep};

/// A planner without learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// Nothing leaves the device.
    NoSwap,
    /// After vDNN (Rhu et al., 2016): every tensor a convolution of the forward pass reads is swapped.
    Vdnn,
    /// After Capuchin (Peng et al., 2020): while the peak is over the cap, the tensor whose absence over the peak
    /// costs least is swapped or recomputed, by the times of its uses.
    Capuchin,
}

/// Plans with a baseline; the judge has passed the plan, under the cap if there is one.
///
/// # Errors
/// [`LearnError::OverCap`] if the plan does not fit, [`LearnError::Options`] for a step that makes no sense.
pub fn baseline(
    which: Baseline,
    step: &TrainingStep,
    swap: &SwapModel,
    cap_bytes: Option<u64>,
    limits: &Limits,
) -> Result<(CompactPlan, Replay), LearnError> {
    step.problem.check().map_err(|error| LearnError::Options(error.to_string()))?;
    let candidates = step.candidates();
    let plan = match which {
        Baseline::NoSwap => CompactPlan::default(),
        Baseline::Vdnn => step.plan_of(&candidates, &convolution_inputs(step, &candidates), swap),
        Baseline::Capuchin => Greedy::new(step, &candidates, swap, cap_bytes).plan(limits)?,
    };
    let schedule = expanded(step, &plan)?;
    match replay(&step.problem, &schedule, Some(swap), cap_bytes) {
        Ok(replay) => Ok((plan, replay)),
        Err(refused) => match (replay(&step.problem, &schedule, Some(swap), None), cap_bytes) {
            (Ok(free), Some(cap)) => Err(LearnError::OverCap { cap, smallest: free.peak_bytes, rounds: 1 }),
            _ => Err(LearnError::Iteration(refused.to_string())),
        },
    }
}

fn expanded(step: &TrainingStep, plan: &CompactPlan) -> Result<Schedule, LearnError> {
    expand(&step.problem, plan).map_err(|error| LearnError::Iteration(error.to_string()))
}

fn convolution_inputs(step: &TrainingStep, candidates: &[Candidate]) -> Scheme {
    let mut read = vec![false; step.problem.nodes.len()];
    for (id, node) in step.problem.nodes.iter().enumerate() {
        if step.layers[id] == LayerType::Convolution && !node.backward {
            node.inputs.iter().for_each(|&input| read[input] = true);
        }
    }
    Scheme(candidates.iter().map(|candidate| read[candidate.node]).collect())
}

/// How a tensor is absent over the peak.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absence {
    Swapped,
    Recomputed,
}

/// Nodes replayed that count as one step of work: a search takes about as long for both.
const REPLAYED_PER_STEP: u64 = 1000;

/// Most nodes run again to bring one tensor back.
const LONGEST_CHAIN: usize = 16;

struct Greedy<'a> {
    step: &'a TrainingStep,
    candidates: &'a [Candidate],
    swap: &'a SwapModel,
    cap_bytes: Option<u64>,
    /// Candidate of a node.
    of_node: Vec<Option<usize>>,
    /// Position of the last use of every value; past the end where it is kept.
    last_use: Vec<usize>,
    /// Time before each node runs, nothing swapped.
    started: Vec<f64>,
    absent: Vec<Option<Absence>>,
    /// Candidates whose absence did not help or could not be run.
    barred: Vec<bool>,
}

impl<'a> Greedy<'a> {
    fn new(
        step: &'a TrainingStep,
        candidates: &'a [Candidate],
        swap: &'a SwapModel,
        cap_bytes: Option<u64>,
    ) -> Self {
        let nodes = &step.problem.nodes;
        let mut of_node = vec![None; nodes.len()];
        for (i, candidate) in candidates.iter().enumerate() {
            of_node[candidate.node] = Some(i);
        }
        let consumers = step.problem.consumers();
        let last_use = NodeId::of(&consumers)
            .map(|(id, users)| if nodes[id].keep { nodes.len() } else { users.last().unwrap_or(&id).0 })
            .collect();
        let started = nodes
            .iter()
            .scan(0.0, |now, node| {
                let start = *now;
                *now += node.time;
                Some(start)
            })
            .collect();
        Greedy {
            step,
            candidates,
            swap,
            cap_bytes,
            of_node,
            last_use,
            started,
            absent: vec![None; candidates.len()],
            barred: vec![false; candidates.len()],
        }
    }

    /// Takes tensors off the device, one at a time, until the cap is kept or a limit reached.
    fn plan(mut self, limits: &Limits) -> Result<CompactPlan, LearnError> {
        let deadline = Deadline::start(limits);
        let most = limits.work_limit.map(|steps| steps.saturating_mul(REPLAYED_PER_STEP));
        let mut replayed = 0;
        let mut plan = CompactPlan::default();
        let Some(cap) = self.cap_bytes else { return Ok(plan) };
        let mut state = self.judge(&plan)?;
        while state.as_ref().is_some_and(|replay| replay.peak_bytes > cap)
            && !deadline.over()
            && most.is_none_or(|most| replayed < most)
        {
            replayed += self.step.problem.nodes.len() as u64;
            let peak = state.as_ref().and_then(|replay| replay.peak_node).map_or(0, |node| node.0);
            let Some((chosen, how)) = self.cheapest(peak) else { break };
            self.absent[chosen] = Some(how);
            let tried = self.compose();
            match self.judge(&tried)? {
                Some(replay) => {
                    plan = tried;
                    state = Some(replay);
                }
                None => {
                    self.absent[chosen] = None;
                    self.barred[chosen] = true;
                }
            }
        }
        Ok(plan)
    }

    /// The replay: under the cap where it fits, else without; none where it cannot be run.
    fn judge(&self, plan: &CompactPlan) -> Result<Option<Replay>, LearnError> {
        let schedule = expanded(self.step, plan)?;
        let run = |cap| replay(&self.step.problem, &schedule, Some(self.swap), cap).ok();
        Ok(run(self.cap_bytes).or_else(|| run(None)))
    }

    /// The candidate away over position `peak` with the least cost per byte, and how it is cheapest absent.
    fn cheapest(&self, peak: usize) -> Option<(usize, Absence)> {
        let mut best: Option<(f64, usize, Absence)> = None;
        for (i, candidate) in self.candidates.iter().enumerate() {
            let away = candidate.out_after < peak && peak < candidate.in_before;
            if !away || self.absent[i].is_some() || self.barred[i] {
                continue;
            }
            let swap = (self.swap_cost(candidate), Absence::Swapped);
            let again = self.chain(candidate).map(|chain| {
                let time: f64 = chain.iter().map(|&node| self.step.problem.nodes[node].time).sum();
                (time, Absence::Recomputed)
            });
            let (cost, how) = match again {
                Some(again) if again.0 < swap.0 => again,
                _ => swap,
            };
            let per_byte = cost / candidate.bytes as f64;
            if best.is_none_or(|(least, ..)| per_byte < least) {
                best = Some((per_byte, i, how));
            }
        }
        best.map(|(_, i, how)| (i, how))
    }

    /// Synchronous copies cost their time; overlapped ones what the nodes between the uses cannot hide.
    fn swap_cost(&self, candidate: &Candidate) -> f64 {
        let copies = self.swap.out_time(candidate.bytes) + self.swap.in_time(candidate.bytes);
        if !self.swap.overlap {
            return copies;
        }
        let nodes = &self.step.problem.nodes;
        let from = self.started[candidate.out_after] + nodes[candidate.out_after].time;
        (copies - (self.started[candidate.in_before] - from)).max(0.0)
    }

    /// The nodes to run again before the first backward use, ascending; none where a rule forbids it or the chain
    /// grows too long.
    fn chain(&self, candidate: &Candidate) -> Option<Vec<NodeId>> {
        let nodes = &self.step.problem.nodes;
        let at = candidate.in_before;
        let mut chain = vec![candidate.node];
        let mut next = 0;
        while next < chain.len() {
            let node = chain[next];
            next += 1;
            if !nodes[node].recomputable || nodes[node].pinned || chain.len() > LONGEST_CHAIN {
                return None;
            }
            for &input in &nodes[node].inputs {
                if !self.there(input, at) && !chain.contains(&input) {
                    chain.push(input);
                }
            }
        }
        chain.sort_unstable();
        Some(chain)
    }

    /// Is a value on the device when the node at a position is about to run?
    fn there(&self, node: NodeId, at: usize) -> bool {
        self.last_use[node] >= at
            && self.of_node[node].is_none_or(|i| match self.absent[i] {
                None => true,
                Some(_) => self.candidates[i].in_before <= at,
            })
    }

    fn compose(&self) -> CompactPlan {
        let swapped = Scheme(self.absent.iter().map(|how| *how == Some(Absence::Swapped)).collect());
        let mut plan = self.step.plan_of(self.candidates, &swapped, self.swap);
        for (i, candidate) in self.candidates.iter().enumerate() {
            if self.absent[i] == Some(Absence::Recomputed)
                && let Some(chain) = self.chain(candidate)
            {
                plan.recompute.extend(chain.into_iter().map(|node| (candidate.in_before, node)));
            }
        }
        plan.recompute.sort_unstable();
        plan.recompute.dedup();
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::tests::chain;
    use super::*;

    fn model(bandwidth: f64, overlap: bool) -> SwapModel {
        SwapModel {
            out_bandwidth: bandwidth,
            in_bandwidth: bandwidth,
            latency: 0.0,
            overlap,
            host_capacity_bytes: None,
        }
    }

    #[test]
    fn vdnn_swaps_what_convolutions_read() {
        let step = chain(4, 80, 1.0);
        let (plan, replay) =
            baseline(Baseline::Vdnn, &step, &model(80.0, false), None, &Limits::default()).expect("a plan");
        // The convolutions 2, 4 and 6 read the activations 1, 3 and 5.
        let swapped: Vec<NodeId> = plan.swap_out.iter().map(|&(_, node)| node).collect();
        assert_eq!(swapped, [NodeId(1), NodeId(3), NodeId(5)]);
        assert_eq!(replay.time, step.problem.total_time() + 6.0);
    }

    #[test]
    fn capuchin_recomputes_where_copies_are_slow_and_swaps_where_they_are_fast() {
        let step = chain(8, 80, 1.0);
        let cap = step.problem.unplanned_peak() * 7 / 10;
        let run = |bandwidth| {
            baseline(Baseline::Capuchin, &step, &model(bandwidth, false), Some(cap), &Limits::default())
                .expect("a plan")
        };
        let (slow, replay) = run(8.0);
        assert!(slow.swap_out.is_empty() && !slow.recompute.is_empty());
        assert!(replay.peak_bytes <= cap);
        let (fast, replay) = run(8_000.0);
        assert!(!fast.swap_out.is_empty() && fast.recompute.is_empty());
        assert!(replay.peak_bytes <= cap);
    }

    #[test]
    fn overlapped_copies_are_free_where_the_gap_hides_them() {
        let step = chain(10, 80, 1.0);
        let cap = step.problem.unplanned_peak() * 8 / 10;
        let (_, replay) =
            baseline(Baseline::Capuchin, &step, &model(200.0, true), Some(cap), &Limits::default())
                .expect("a plan");
        assert!(replay.peak_bytes <= cap);
        assert!(replay.time < step.problem.total_time() * 1.05, "{}", replay.time);
    }

    #[test]
    fn what_does_not_fit_names_the_peak() {
        let step = chain(4, 80, 1.0);
        for which in [Baseline::NoSwap, Baseline::Vdnn, Baseline::Capuchin] {
            let error = baseline(which, &step, &model(80.0, false), Some(100), &Limits::default())
                .expect_err("too small")
                .to_string();
            assert!(error.contains("100 bytes"), "{error}");
        }
    }
}
