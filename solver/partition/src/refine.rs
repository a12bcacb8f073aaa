//! The learned refinement of a partition over devices: from a cut of the sequence to a better one.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits};
use ballast_learner_client::LearnerError;

use crate::dynamic::Site;
use crate::proposal::Proposal;
use crate::rl::environment::State;
use crate::rl::machine::{self, Machine};
use crate::rl::train;
use crate::sequence::Sequence;

/// Layers the environment has at most; a longer sequence is seen in runs.
pub(crate) const MOST_LAYERS: usize = 192;

/// What the learner found.
pub(crate) struct Refined {
    /// Device of every item.
    pub(crate) device_of: Vec<DeviceId>,
    pub(crate) answer: train::Answer,
}

impl From<Refined> for Proposal {
    fn from(refined: Refined) -> Self {
        Proposal {
            device_of: refined.device_of,
            bound: None,
            work: refined.answer.steps,
            stop_reason: refined.answer.stop_reason,
        }
    }
}

/// Runs the learner on `sequence` from the cut `start`, whose parts must be runs of neighbouring items.
pub(crate) fn refine(
    sequence: &Sequence,
    site: &Site<'_>,
    start: &[DeviceId],
    options: &train::Options,
    limits: &Limits,
    deadline: &Deadline,
) -> Result<Refined, train::Error> {
    let n = sequence.len();
    let cuts: Vec<usize> = (1..n).filter(|&item| start[item] != start[item - 1]).collect();
    let mut starts = sequence.run_starts(MOST_LAYERS.saturating_sub(cuts.len()).max(site.caps.len()));
    starts.extend(&cuts);
    starts.sort_unstable();
    starts.dedup();
    let mut layers = sequence.grouped(&starts);
    // Slots in the order in which the start uses the devices; idle devices first, where they belong to the
    // group on their right.
    let used: Vec<DeviceId> = std::iter::once(0).chain(cuts).map(|item| start[item]).collect();
    if (1..used.len()).any(|i| used[..i].contains(&used[i])) {
        let reason = "the partition to start from is no cut into stages of neighbouring ops";
        return Err(train::Error::Learner(LearnerError::Failed(reason.into())));
    }
    let idle = (0..site.caps.len()).filter(|device| !used.contains(device));
    let slots: Vec<DeviceId> = idle.chain(used.iter().copied()).collect();
    layers.row_of = slots.iter().map(|&device| sequence.row_of[device]).collect();
    let mut counts = vec![0; slots.len()];
    for &item in &starts {
        if let Some(slot) = slots.iter().position(|&device| device == start[item]) {
            counts[slot] += 1;
        }
    }
    let caps = slots.iter().map(|&d| if site.memory_matters { site.caps[d] } else { u64::MAX }).collect();
    let wire = if site.links.uniform() { site.links.fastest() } else { site.links.mean() };
    let machine = Machine::new(&layers, machine::Site::Devices { caps, wire });
    let Some(state) = State::new(counts) else {
        return Err(train::Error::Options("the start leaves the last device without a layer".into()));
    };
    let answer = train::run(&machine, &state, options, limits, deadline, |_| {})?;
    let of_layer = machine.devices(&answer.best.state);
    let mut device_of = vec![0; n];
    for (layer, &first) in starts.iter().enumerate() {
        let end = starts.get(layer + 1).copied().unwrap_or(n);
        device_of[first..end].fill(slots[of_layer[layer]]);
    }
    Ok(Refined { device_of, answer })
}
