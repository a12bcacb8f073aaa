//! Who looks for a faster placement than the best cut: the task and the answer.
//!
//! What is proposed is judged beside the start and taken only if it is better: no proposer is trusted.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::program::Program;

use crate::error::Error;
use crate::items::Items;
use crate::loads::Links;
use crate::relief::Copies;
use crate::sequence::Index;
use crate::squeeze::Prices;

/// What a proposer is to improve.
pub struct Task<'a> {
    /// The program, its costs and devices.
    pub program: Program<'a>,
    /// What is placed: `items.sequence` are the items.
    pub items: &'a Items,
    /// The items of `items.sequence` by number.
    pub index: &'a Index,
    /// The links between the devices.
    pub links: &'a Links,
    /// Cap of every device, bytes; none where no stage can be over one.
    pub caps: Option<&'a [u64]>,
    /// What memory over the cap costs every device.
    pub(crate) prices: &'a Prices,
    /// What copies to the host cost.
    pub(crate) copies: Copies,
    /// By what factor a cap may be raised that no plan keeps.
    pub(crate) relax_limit: f64,
    /// Did memory plans of the placement given tell that?
    pub(crate) measured: bool,
    /// Device of every item in the best cut of the sequence.
    pub start: &'a [DeviceId],
    /// Device of every op of the program in the best placement so far.
    pub best: &'a [DeviceId],
    /// A placement of all ops that the caller gave to improve on.
    pub given: Option<&'a [DeviceId]>,
    /// Seconds below which no placement has its slowest device.
    pub floor_seconds: f64,
    /// Limits; the time is what is left.
    pub limits: Limits,
    /// The clock of the whole search.
    pub deadline: &'a Deadline,
}

/// A placement proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Who found it: the proposer, or the part of it that did.
    pub method: &'static str,
    /// Device of every op of the op sequence, `items.ops`.
    pub device_of: Vec<DeviceId>,
}

/// A proposer's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// Placements, to be compared in this order.
    pub candidates: Vec<Candidate>,
    /// A bound proved on the way, over all partitions whose stages form a pipeline: seconds of the slowest stage.
    pub bound_seconds: Option<f64>,
    /// Search steps taken.
    pub work: u64,
    /// The limit that ended the search, if one did.
    pub stopped: Option<StopReason>,
    /// Where the method moves ops from its own candidates on: who did, and the first candidate made so, if there is one.
    pub refined: Option<(&'static str, usize)>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Proposes placements.
pub trait Proposer {
    /// The name reports use.
    fn name(&self) -> &'static str;

    /// Does it search by itself, rather than choose among what others find? Then its first candidate is reported as its
    /// own, candidates are fine-tuned, and compared by their slowest stage alone; else memory over the caps counts too.
    fn own_search(&self) -> bool {
        true
    }

    /// Placements of the items.
    ///
    /// # Errors
    /// Options that make no sense, and searches that cannot run.
    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error>;
}

impl Proposal {
    /// One placement of the items.
    #[must_use]
    pub fn of_items(method: &'static str, task: &Task<'_>, device_of: &[DeviceId]) -> Self {
        let candidate = Candidate { method, device_of: task.items.to_ops(device_of) };
        Proposal { candidates: vec![candidate], ..Proposal::default() }
    }
}

/// The limit that ended a search, if one did.
pub(crate) fn limit_of(stop: StopReason) -> Option<StopReason> {
    (!matches!(stop, StopReason::Finished | StopReason::Proved)).then_some(stop)
}
