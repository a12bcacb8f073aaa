//! Exact dynamic programming over the op sequence: the best cut into stages of neighbouring items.
//!
//! A stage's time is its computation on its device plus receiving plus sending. Devices that cannot be told
//! apart form a class, and the search runs over (place in the sequence, devices used of each class):
//!
//! `best(end, used) = min over class c, first of max(best(first, used - c), time of first..end on c)`.
//!
//! Where links differ, a stage's transfer time depends on which devices its partners are; the search then uses
//! the fastest link in use, and its value is a lower bound only.

mod sweep;

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;

use crate::sequence::{Pin, Sequence};
pub use sweep::{Interval, Sweep, Table, Wire};

/// Devices that cannot be told apart: same costs, same cap, no device rule for any of them alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Row of [`Sequence::seconds`].
    pub row: usize,
    /// Memory cap, bytes.
    pub cap: u64,
    /// Its devices, ascending.
    pub devices: Vec<DeviceId>,
}

/// What the search is asked.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The devices.
    pub classes: &'a [Class],
    /// Must every device get a stage? Otherwise devices may stay idle.
    pub use_all: bool,
    /// Do caps hold? Otherwise memory is not looked at.
    pub caps: bool,
    /// Seconds added to a stage whose unplanned peak is over the cap, as a share of its computation at full
    /// excess: `pressure x computation x (peak - cap) / peak`.
    pub pressure: f64,
    /// Is the device of the k-th stage fixed, in the order of the classes (one device each)? Otherwise every
    /// order of the classes is tried.
    pub fixed_order: bool,
    /// Only cuts with no stage slower than this are of interest.
    pub limit_seconds: f64,
}

/// A cut into stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The stages in order: first item, end item, device.
    pub stages: Vec<(usize, usize, DeviceId)>,
    /// Time of the slowest stage as the search saw it, pressure included.
    pub tmax_seconds: f64,
}

impl Cut {
    /// The device of every item.
    #[must_use]
    pub fn devices(&self, items: usize) -> Vec<DeviceId> {
        let mut of = vec![DeviceId(0); items];
        for &(first, end, device) in &self.stages {
            of[first..end].fill(device);
        }
        of
    }
}

/// How many (class, devices used) steps a search takes for every pair of places.
#[must_use]
pub fn states(classes: &[Class]) -> usize {
    classes.iter().map(|class| class.devices.len() + 1).fold(1, usize::saturating_mul)
}

/// Time of a stage on a class, or none where it may not run there.
struct Pricing<'a> {
    question: &'a Question<'a>,
    prefix: Vec<Vec<f64>>,
    table: &'a Table,
}

impl Pricing<'_> {
    fn seconds(&self, class: usize, first: usize, end: usize) -> Option<f64> {
        let class = &self.question.classes[class];
        match self.table.pin(first, end) {
            Pin::Free => {}
            Pin::To(device) if class.devices == [device] => {}
            Pin::To(_) | Pin::Conflict => return None,
        }
        let compute = self.prefix[class.row][end] - self.prefix[class.row][first];
        let mut seconds = compute + self.table.transfer_seconds(first, end);
        if self.question.caps
            && let Some((least, peak)) = self.table.memory(first, end)
        {
            if least > class.cap {
                return None;
            }
            if peak > class.cap {
                seconds += self.question.pressure * compute * (peak - class.cap) as f64 / peak as f64;
            }
        }
        Some(seconds)
    }
}

/// The best cut, or none when no cut keeps the caps, the rules and the limit.
///
/// Among cuts with the least tmax those that use the most devices count, and of these the one
/// whose fastest stage is slowest is returned.
///
/// # Errors
/// When the deadline ends the search: nothing is known then.
pub fn best_cut(
    sequence: &Sequence,
    table: &Table,
    question: &Question<'_>,
    deadline: &Deadline,
) -> Result<Option<Cut>, TimeOver> {
    let pricing = Pricing { question, prefix: sequence.prefix_seconds(), table };
    let n = sequence.len();
    let steps = Steps::new(question);
    let Some((tmax_seconds, stages)) =
        search(n, &pricing, &steps, Goal::SlowestFast { limit: question.limit_seconds }, deadline)?
    else {
        return Ok(None);
    };
    // Sums in another order may differ in the last bits.
    let goal = Goal::FastestSlow { limit: tmax_seconds * (1.0 + 1e-12) };
    let stages = match search(n, &pricing, &steps, goal, deadline) {
        Ok(Some((_, balanced))) => balanced,
        Ok(None) | Err(TimeOver) => stages,
    };
    Ok(Some(Cut { stages, tmax_seconds }))
}

/// The deadline ended a search before it knew anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOver;

/// What one run over all states looks for, among stages of at most `limit` seconds.
#[derive(Clone, Copy)]
enum Goal {
    /// The least time of the slowest stage.
    SlowestFast { limit: f64 },
    /// The largest time of the fastest stage.
    FastestSlow { limit: f64 },
}

/// The states of a search: how many devices of each class are in use.
struct Steps {
    states: usize,
    /// By class: the states it can be used in, and the state after.
    of_class: Vec<Vec<(usize, usize)>>,
    /// Devices in use in every state.
    in_use: Vec<usize>,
}

impl Steps {
    fn new(question: &Question<'_>) -> Self {
        let classes = question.classes;
        let (states, in_use, of_class) = if question.fixed_order {
            let states = classes.len() + 1;
            (states, (0..states).collect(), (0..classes.len()).map(|c| vec![(c, c + 1)]).collect())
        } else {
            let states = states(classes);
            let digits = |mut state: usize| {
                let of_class = |class: &Class| {
                    let radix = class.devices.len() + 1;
                    let used = state % radix;
                    state /= radix;
                    used
                };
                classes.iter().map(of_class).sum()
            };
            let in_use = (0..states).map(digits).collect();
            let mut stride = 1;
            let of_class = classes
                .iter()
                .map(|class| {
                    let (step, radix) = (stride, class.devices.len() + 1);
                    stride *= radix;
                    let free = |state: &usize| state / step % radix < radix - 1;
                    (0..states).filter(free).map(|state| (state, state + step)).collect()
                })
                .collect();
            (states, in_use, of_class)
        };
        Steps { states, of_class, in_use }
    }
}

type Found = (f64, Vec<(usize, usize, DeviceId)>);

fn search(
    n: usize,
    pricing: &Pricing<'_>,
    steps: &Steps,
    goal: Goal,
    deadline: &Deadline,
) -> Result<Option<Found>, TimeOver> {
    let (limit, minimise) = match goal {
        Goal::SlowestFast { limit } => (limit, true),
        Goal::FastestSlow { limit } => (limit, false),
    };
    let classes = pricing.question.classes;
    let worst = if minimise { f64::INFINITY } else { f64::NEG_INFINITY };
    let better = |new: f64, old: f64| if minimise { new < old } else { new > old };
    let mut best = vec![worst; steps.states * (n + 1)];
    // First item, class and state before the last stage.
    let mut from = vec![(u32::MAX, u16::MAX, u32::MAX); steps.states * (n + 1)];
    best[0] = if minimise { 0.0 } else { f64::INFINITY };
    // Stage times are shared by all states: each is priced once per class.
    let mut seconds = Vec::new();
    for first in 0..n {
        if deadline.over() {
            return Err(TimeOver);
        }
        for (c, class) in classes.iter().enumerate() {
            seconds.clear();
            for end in first + 1..=first + pricing.table.reach(first) {
                let compute = pricing.prefix[class.row][end] - pricing.prefix[class.row][first];
                if compute > limit {
                    break;
                }
                seconds.push(pricing.seconds(c, first, end).filter(|&s| s <= limit).unwrap_or(f64::NAN));
            }
            for &(state, after) in &steps.of_class[c] {
                let here = best[state * (n + 1) + first];
                if here == worst {
                    continue;
                }
                let next = after * (n + 1) + first + 1;
                let row = &mut best[next..next + seconds.len()];
                for (step, (&time, old)) in seconds.iter().zip(row).enumerate() {
                    let new = if minimise { here.max(time) } else { here.min(time) };
                    if !time.is_nan() && better(new, *old) {
                        *old = new;
                        from[next + step] = (first as u32, c as u16, state as u32);
                    }
                }
            }
        }
    }
    let at_end = |state: usize| best[state * (n + 1) + n];
    // Of cuts as fast as the fastest, those that leave no device idle come first.
    let preferred = |new: usize, old: usize| {
        better(at_end(new), at_end(old)) && (minimise || steps.in_use[new] == steps.in_use[old])
            || !minimise && steps.in_use[new] > steps.in_use[old]
    };
    let ends = if pricing.question.use_all { steps.states - 1..steps.states } else { 0..steps.states };
    let reached = ends.filter(|&state| at_end(state) != worst);
    let end_state = reached.reduce(|old, new| if preferred(new, old) { new } else { old });
    let Some(mut state) = end_state else { return Ok(None) };
    let value = best[state * (n + 1) + n];
    let (mut end, mut reversed) = (n, Vec::new());
    while end > 0 {
        let (first, class, before) = from[state * (n + 1) + end];
        reversed.push((first as usize, end, class as usize));
        (end, state) = (first as usize, before as usize);
    }
    let mut used = vec![0; classes.len()];
    let stages = reversed
        .into_iter()
        .rev()
        .map(|(first, end, class)| {
            used[class] += 1;
            (first, end, classes[class].devices[used[class] - 1])
        })
        .collect();
    Ok(Some((value, stages)))
}
