//! The learned refinement of a partition over devices: from a cut of the sequence to a better one.

use ballast_core::device::DeviceId;
use ballast_learner_client::LearnerError;

use crate::error::Error;
use crate::exchange::exchanged;
use crate::proposer::{Proposal, Proposer, Task, limit_of};
use crate::rl::environment::State;
use crate::rl::machine::{self, Machine, Reward};
use crate::rl::train;

/// Layers the environment has at most; a longer sequence is seen in runs.
pub(crate) const MOST_LAYERS: usize = 192;

/// The learner, from the cut whose parts are runs of neighbouring items.
pub(crate) struct Learner {
    options: train::Options,
}

impl Proposer for Learner {
    fn name(&self) -> &'static str {
        "rl"
    }

    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error> {
        let mut notes = Vec::new();
        let run = self.run(task);
        Ok(match learned(run, &mut notes)? {
            Some((device_of, answer)) => Proposal {
                work: answer.steps,
                stopped: limit_of(answer.stop_reason),
                ..Proposal::of_items(self.name(), task, &device_of)
            },
            None => Proposal { notes, ..Proposal::default() },
        })
    }
}

impl Learner {
    pub(crate) fn new(options: &train::Options) -> Self {
        Learner { options: options.clone() }
    }

    /// The device of every item, and how it was learned.
    fn run(&self, task: &Task<'_>) -> Result<(Vec<DeviceId>, train::Answer), train::RlError> {
        let (sequence, devices) = (&task.items.sequence, task.program.devices());
        let n = sequence.len();
        let start = task.start;
        let cuts: Vec<usize> = (1..n).filter(|&item| start[item] != start[item - 1]).collect();
        let mut starts = sequence.run_starts(MOST_LAYERS.saturating_sub(cuts.len()).max(devices));
        starts.extend(&cuts);
        starts.sort_unstable();
        starts.dedup();
        let mut layers = sequence.grouped(&starts);
        // Slots in the order in which the start uses the devices; idle devices first, where they belong to the
        // group on their right.
        let used: Vec<DeviceId> = std::iter::once(0).chain(cuts).map(|item| start[item]).collect();
        if (1..used.len()).any(|i| used[..i].contains(&used[i])) {
            let reason = "the partition to start from is no cut into stages of neighbouring ops";
            return Err(train::RlError::Learner(LearnerError::Failed(reason.into())));
        }
        let idle = DeviceId::first(devices).filter(|device| !used.contains(device));
        let slots: Vec<DeviceId> = idle.chain(used.iter().copied()).collect();
        layers.row_of = slots.iter().map(|&device| sequence.row_of[device]).collect();
        let mut counts = vec![0; slots.len()];
        for &item in &starts {
            if let Some(slot) = slots.iter().position(|&device| device == start[item]) {
                counts[slot] += 1;
            }
        }
        let caps = slots.iter().map(|&d| task.caps.map_or(u64::MAX, |caps| caps[d])).collect();
        let (wire, links) = match task.links.uniform() {
            true => (task.links.fastest(), Vec::new()),
            false => (task.links.mean(), task.links.between(&slots)),
        };
        let machine = Machine::new(&layers, machine::Site::Devices { caps, wire, links });
        let Some(state) = State::new(counts) else {
            return Err(train::RlError::Options("the start leaves the last device without a layer".into()));
        };
        let answer = train::run(&machine, &state, &self.options, &task.limits, task.deadline, |_| {})?;
        let of_layer = machine.slot_of(&answer.best.state);
        let mut device_of = vec![DeviceId(0); n];
        for (layer, &first) in starts.iter().enumerate() {
            let end = starts.get(layer + 1).copied().unwrap_or(n);
            device_of[first..end].fill(slots[of_layer[layer]]);
        }
        // The order of the slots was that of the start; other stages may suit another one.
        let device_of = match self.options.reward {
            Reward::MaxTime => {
                let caps = task.caps.map_or_else(|| vec![u64::MAX; devices], <[u64]>::to_vec);
                exchanged(sequence, task.links, &caps, device_of, task.deadline).1
            }
            Reward::Weighted { .. } => device_of,
        };
        Ok((device_of, answer))
    }
}

/// What a run of the learner gave. Without the library the answer so far stands, and a note says so; options and
/// files that make no sense are errors.
pub(crate) fn learned<T>(
    run: Result<T, train::RlError>,
    notes: &mut Vec<String>,
) -> Result<Option<T>, Error> {
    match run {
        Ok(found) => Ok(Some(found)),
        Err(train::RlError::Learner(error)) => {
            notes.push(format!("the partition is not refined by the learner: {error}"));
            Ok(None)
        }
        Err(error) => Err(Error::Learner(error.to_string())),
    }
}
