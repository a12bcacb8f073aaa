//! The core's view of a partition: what stages it makes, how slow they are, how far over their caps.

use ballast_core::device::DeviceId;
use ballast_core::graph::{BoundaryMemory, Graph, OpId};
use ballast_core::program::Program;
use ballast_core::simulate::Balance;
use ballast_core::stage::{NodeSource, Stage};
use ballast_core::units::Bytes;

use crate::lifetimes::Lifetimes;
use crate::loads::Links;
use crate::options::Options;
use crate::relief::{Copies, Placed, Reliefs, Scratch};
use crate::rl::machine::Score;
use crate::sequence::Sequence;
use crate::squeeze::{MISPRICED, Measured, Missing, Prices, Room, Sample, over};

/// Weight of memory over the cap in a cut: recomputing everything forward costs about a third of a training step's
/// computation, so a stage at twice its cap counts as a sixth slower.
pub(crate) const PRESSURE: f64 = 1.0 / 3.0;

/// A placed program with the figures it is compared by.
#[derive(Clone)]
pub(crate) struct Judged {
    pub(crate) device_of: Vec<DeviceId>,
    pub(crate) balance: Balance,
    /// Bytes by which arguments and largest working set are over the cap, worst device.
    pub(crate) over_least: u64,
    over_device: DeviceId,
    /// Sum over the devices of the unplanned peak over the cap.
    over_peak: u64,
    /// What caps that no plan can keep count for, in rounds of memory plans: 1 where there are none, and before the first plan.
    pub(crate) missing: f64,
    /// What placements are compared by: what is over the caps, then the slowest stage with memory over them priced in. In rounds of memory
    /// plans a cap is kept or raised, by however little: is any out of reach, then the slowest stage with these priced in, too.
    rank: (f64, f64),
    /// The loads as the learner's reward counts them.
    pub(crate) score: Score,
}

impl Judged {
    /// At most as much over the caps, and at most as slow.
    pub(crate) fn no_worse(&self, other: &Judged) -> bool {
        self.over_least <= other.over_least
            && self.balance.tmax_seconds <= other.balance.tmax_seconds * (1.0 + 1e-12)
    }

    /// No worse in anything.
    pub(crate) fn improves(&self, other: &Judged) -> bool {
        self.no_worse(other) && self.over_peak <= other.over_peak
    }

    /// Less over the caps, else faster with the memory over them priced in.
    pub(crate) fn beats(&self, other: &Judged) -> bool {
        self.rank.0 < other.rank.0
            || self.rank.0 == other.rank.0 && self.rank.1 < other.rank.1 * (1.0 - 1e-12)
    }

    /// What the user should know of its memory. Fused ops are one here: the memory planner may divide them, and then keep the cap.
    pub(crate) fn note(&self) -> Option<String> {
        (self.over_least > 0).then(|| {
            format!(
                "arguments and the largest working set are over the cap by {} on device {}: no memory plan that runs every op whole, fused ones too, \
                 can keep it",
                Bytes(self.over_least),
                self.over_device
            )
        })
    }
}

/// Arguments that no op reads: resident on device 0, where arguments count.
pub(crate) fn unread_argument_bytes(graph: &Graph) -> Bytes {
    if graph.ends == BoundaryMemory::NotCounted {
        return Bytes::ZERO;
    }
    let mut unread: Vec<bool> = graph.tensors.iter().map(|tensor| tensor.producer.is_none()).collect();
    for op in graph.planned() {
        for argument in graph.argument_inputs(op) {
            unread[argument] = false;
        }
    }
    unread.iter().zip(&graph.tensors).filter(|(unread, _)| **unread).map(|(_, tensor)| tensor.bytes).sum()
}

/// The core's view of a placement: the same stages the memory planner gets.
pub(crate) struct Judge<'a> {
    program: Program<'a>,
    pub(crate) caps: Vec<u64>,
    /// What memory over the cap costs every device.
    pub(crate) prices: Prices,
    /// What values of the op sequence cost to do without, and its ops, once there are memory plans.
    reliefs: Option<(Reliefs, Lifetimes, Vec<OpId>)>,
    /// Are there memory plans already?
    pub(crate) measured: bool,
    /// By what factor a cap may be raised.
    pub(crate) relax_limit: f64,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(program: &Program<'a>, options: &Options) -> Self {
        let caps: Vec<u64> = match &options.caps {
            Some(caps) => caps.iter().map(|cap| cap.0).collect(),
            None => program.cluster.devices.iter().map(|device| device.memory.0).collect(),
        };
        let prices = Prices::usual(caps.len());
        let relax_limit = options.relax_limit.unwrap_or(f64::INFINITY);
        Judge { program: *program, caps, prices, reliefs: None, measured: false, relax_limit }
    }

    /// Caps without what no stage decides about: arguments that no op reads are resident on device 0, where
    /// arguments count.
    pub(crate) fn caps_for_stages(&self) -> Vec<u64> {
        let mut bytes = self.caps.clone();
        if let Some(first) = bytes.first_mut() {
            *first = first.saturating_sub(unread_argument_bytes(self.program.graph).0);
        }
        bytes
    }

    /// Seconds that every stage of a placement loses to keep its cap by an estimate, where one is made.
    fn estimates(&self, device_of: &[DeviceId], stages: &[Stage]) -> Vec<Option<f64>> {
        let Some((reliefs, lifetimes, ops)) = &self.reliefs else { return vec![None; stages.len()] };
        let place: Vec<u32> = ops.iter().map(|&op| device_of[op].0 as u32).collect();
        let mut scratch = Scratch::default();
        let of = |(stage, &cap): (&Stage, &u64)| {
            let room = room(stage, cap);
            if room.held <= room.cap {
                return Some(0.0);
            }
            let beside = cap as f64 - stage.problem.resident_bytes as f64;
            let placed = Placed { lifetimes, device_of: &place, device: stage.device.0 };
            let lost = reliefs.lost(&placed, beside, &mut scratch);
            Some(room.lost(lost))
        };
        stages.iter().zip(&self.caps).map(of).collect()
    }

    /// What plans came to on every device in every one of these placements.
    pub(crate) fn samples(&self, rounds: &[Measured<'_>]) -> Vec<Sample> {
        let of_round = |round: &Measured<'_>| {
            let stages = self.program.stages(round.device_of);
            let estimates = self.estimates(round.device_of, &stages);
            let sample = |(stage, estimate): (&Stage, Option<f64>)| {
                let device = stage.device.0;
                let load = stage.load_seconds();
                Sample {
                    device,
                    room: room(stage, self.caps[device]),
                    load,
                    seconds: round.seconds.get(device).copied().filter(|s| s.is_finite()).unwrap_or(load),
                    raised: round.raised.get(device).copied().unwrap_or(false),
                    estimate,
                }
            };
            stages.iter().zip(estimates).map(sample).collect::<Vec<_>>()
        };
        rounds.iter().flat_map(of_round).collect()
    }

    /// Goes by what plans of these placements came to from now on, and by what values of the op sequence cost to do without.
    pub(crate) fn learn(
        &mut self,
        rounds: &[Measured<'_>],
        ops: &Sequence,
        (links, copies): (&Links, Copies),
    ) {
        let lifetimes = Lifetimes::new(ops);
        let reliefs = Reliefs::new(ops, &lifetimes, (self.program.cluster, links), copies);
        self.reliefs = reliefs.map(|reliefs| (reliefs, lifetimes, ops.ops.clone()));
        let samples = self.samples(rounds);
        for sample in &samples {
            tracing::trace!(?sample, "a plan came to");
        }
        self.prices = Prices::told(self.caps.len(), &samples);
        tracing::debug!("memory over the caps costs {:?}", self.prices);
        self.measured = true;
    }

    /// Could the program be over a cap at all?
    pub(crate) fn memory_matters(&self, ops: &Sequence, caps: &[u64]) -> bool {
        let arguments: u64 = ops.arguments.iter().map(|argument| argument.bytes).sum();
        let values: u64 = ops.values.iter().map(|value| value.bytes).sum();
        let inside = ops.internal_peak.iter().copied().max().unwrap_or(0);
        let resident: u64 = ops.resident.iter().sum();
        let most = arguments.saturating_add(resident).saturating_add(values).saturating_add(inside);
        caps.iter().any(|&cap| cap < most)
    }

    pub(crate) fn judge(&self, device_of: Vec<DeviceId>) -> Judged {
        let stages = self.program.stages(&device_of);
        let idle = stages.iter().filter(|stage| stage.idle()).count();
        let busy = stages.iter().filter(|stage| !stage.idle());
        let balance = Balance::of(busy.map(Stage::load_seconds), idle);
        let (mut over_least, mut over_device, mut over_peak) = (0, DeviceId(0), 0u64);
        let (mut by_bytes, mut by_value, mut missing) = (0.0f64, 0.0f64, Vec::new());
        let mut score = Score { tmax_seconds: balance.tmax_seconds, ..Score::default() };
        let estimates = self.estimates(&device_of, &stages);
        for ((stage, &cap), estimate) in stages.iter().zip(&self.caps).zip(estimates) {
            score.compute_seconds = score.compute_seconds.max(stage.compute_seconds);
            score.route_bytes = score.route_bytes.max(route_bytes(self.program.graph, stage));
            score.stages += usize::from(!stage.idle());
            let least = stage.problem.working_set().0;
            let over_bytes = least.saturating_sub(cap);
            if over_bytes > over_least {
                (over_least, over_device) = (over_bytes, stage.device);
            }
            score.violations += usize::from(over_bytes > 0);
            if self.measured {
                let (least, cap) = (least as f64, cap as f64);
                missing.push(over(least, cap, cap * self.relax_limit));
            }
            let peak = stage.problem.unplanned_peak();
            score.memory_bytes = score.memory_bytes.max(peak as f64);
            over_peak = over_peak.saturating_add(peak.saturating_sub(cap));
            let device = stage.device.0;
            let load = stage.load_seconds();
            let room = room(stage, cap);
            let bytes = room.pressed(load, self.prices.rates[device]);
            // A cap out of reach is raised: nothing is lost to keep it.
            let kept = estimate.filter(|_| room.least <= room.cap);
            by_value = by_value.max(kept.map_or(bytes, |lost| load + self.prices.factors[device] * lost));
            by_bytes = by_bytes.max(bytes);
        }
        let mispriced = by_value > by_bytes * (1.0 + MISPRICED);
        let pressed_seconds = if mispriced { by_value } else { by_bytes };
        let missing = Missing::of(missing).factor();
        let rank = match self.measured {
            true => (f64::from(u8::from(missing > 1.0)), pressed_seconds * missing),
            false => (over_least as f64, pressed_seconds),
        };
        Judged { device_of, balance, over_least, over_device, over_peak, missing, rank, score }
    }
}

/// The bytes of a stage under a cap.
fn room(stage: &Stage, cap: u64) -> Room {
    let (held, least) = (stage.problem.unplanned_peak() as f64, stage.problem.working_set().0 as f64);
    Room { held, least, cap: cap as f64 }
}

/// Bytes that enter and leave a stage.
fn route_bytes(graph: &Graph, stage: &Stage) -> f64 {
    let received = stage.sources.iter().filter_map(|source| match source {
        NodeSource::Receive(op) => Some(graph.value_bytes(*op).0 as f64),
        NodeSource::Op(_) => None,
    });
    let sent = stage.sends.iter().map(|(op, _)| graph.value_bytes(*op).0 as f64);
    received.chain(sent).sum()
}
