//! The partition by dynamic programming: choice of granularity, coarse search first, then around its cuts.

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;

use crate::chain::{Class, Cut, Question, Table, Wire, best_cut, states};
use crate::exchange::exchanged;
use crate::loads::Links;
use crate::sequence::{Pin, Sequence};

/// Items of the first, quick search.
const QUICK_ITEMS: usize = 192;
/// Steps (states x stages) one search may take: about two seconds.
const SEARCH_STEPS: f64 = 4e8;
/// Stages one table may hold: 8 bytes each, 24 with memory.
const TABLE_STAGES: f64 = 6e6;
/// At most so many items, whatever the number of devices.
const MOST_ITEMS: usize = 6000;
/// More (class, devices used) states than this: the devices are taken in a fixed order.
const MOST_STATES: usize = 4096;

/// What the devices are like.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) links: &'a Links,
    /// Cap of every device, bytes.
    pub(crate) caps: &'a [u64],
    /// Can memory bind at all?
    pub(crate) memory_matters: bool,
    /// Must every device get a stage?
    pub(crate) use_all: bool,
    pub(crate) pressure: f64,
}

/// An answer of the dynamic programme.
pub(crate) struct Answer {
    /// Device of every item of the sequence given.
    pub(crate) device_of: Vec<DeviceId>,
    /// Lower bound on tmax over all cuts of the sequence given, seconds; none where the sequence was coarsened
    /// or devices were taken in a fixed order.
    pub(crate) bound: Option<f64>,
    /// Does the bound hold only for cuts whose arguments and working sets keep the caps?
    pub(crate) bound_within_caps: bool,
    /// Did the deadline end a search?
    pub(crate) cut_short: bool,
    /// States and stages looked at.
    pub(crate) work: u64,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl Answer {
    /// A placement that somebody else made, of which nothing is known.
    pub(crate) fn given(device_of: Vec<DeviceId>) -> Self {
        Answer {
            device_of,
            bound: None,
            bound_within_caps: false,
            cut_short: false,
            work: 0,
            notes: Vec::new(),
        }
    }
}

/// Groups devices that cannot be told apart.
pub(crate) fn classes(sequence: &Sequence, site: &Site<'_>) -> Vec<Class> {
    let mut pinned: Vec<DeviceId> =
        sequence.pins.iter().filter_map(|pin| if let Pin::To(d) = pin { Some(*d) } else { None }).collect();
    pinned.sort_unstable();
    pinned.dedup();
    let mut classes: Vec<Class> = Vec::new();
    for device in DeviceId::first(site.caps.len()) {
        let cap = if site.memory_matters { site.caps[device] } else { u64::MAX };
        let row = sequence.row_of[device];
        let alone = pinned.binary_search(&device).is_ok();
        match classes.iter_mut().find(|class| {
            !alone && class.row == row && class.cap == cap && pinned.binary_search(&class.devices[0]).is_err()
        }) {
            Some(class) => class.devices.push(device),
            None => classes.push(Class { row, cap, devices: vec![device] }),
        }
    }
    classes
}

/// Cuts the sequence into stages.
pub(crate) fn partition(sequence: &Sequence, site: &Site<'_>, deadline: &Deadline) -> Answer {
    let classes = classes(sequence, site);
    let mut search = Search {
        sequence,
        site,
        deadline,
        work: 0,
        cut_short: false,
        notes: Vec::new(),
        exact_order: states(&classes) <= MOST_STATES,
        classes,
        site_caps: site.memory_matters,
        relaxed: false,
    };
    search.run()
}

struct Search<'a> {
    sequence: &'a Sequence,
    site: &'a Site<'a>,
    deadline: &'a Deadline,
    classes: Vec<Class>,
    /// Is every order of the device classes tried?
    exact_order: bool,
    site_caps: bool,
    /// Have the caps been widened?
    relaxed: bool,
    work: u64,
    cut_short: bool,
    notes: Vec<String>,
}

impl Search<'_> {
    fn run(&mut self) -> Answer {
        let sequence = self.sequence;
        let k = self.site.caps.len();
        let n = sequence.len();
        let mut best: Option<(f64, Vec<DeviceId>)> = None;
        let quick = sequence.run_starts(QUICK_ITEMS.max(2 * k));
        let (limit, starts) = loop {
            self.offer(&mut best, &quick);
            let limit = self.item_limit(best.is_some());
            let starts = sequence.run_starts(limit);
            if quick.len() < starts.len() {
                self.offer(&mut best, &starts);
            }
            if best.is_some() || !self.relax_caps(&quick) {
                break (limit, starts);
            }
        };
        let exact = starts.len() == n;
        let mut bound = None;
        if !exact && let Some((_, devices)) = &best {
            let refined = refined_starts(sequence, devices, limit, k);
            self.offer(&mut best, &refined);
        }
        if exact && self.exact_order {
            bound = self.bound(&starts, best_value(&best));
        }
        let device_of = match best {
            Some((_, devices)) => devices,
            None => {
                self.notes.push(
                    "no partition into neighbouring ops keeps the device rules or the time limit: the sequence \
                     is cut into stages of similar time"
                        .into(),
                );
                self.proportional()
            }
        };
        Answer {
            device_of,
            bound,
            bound_within_caps: self.site_caps,
            cut_short: self.cut_short,
            work: self.work,
            notes: std::mem::take(&mut self.notes),
        }
    }

    /// The most items for which a search keeps to its limits.
    fn item_limit(&self, incumbent: bool) -> usize {
        let k = self.site.caps.len() as f64;
        // With an incumbent no stage is much longer than its share.
        let stages_per_pair = if incumbent { (1.5 / k).min(0.5) } else { 0.5 };
        let steps =
            if self.exact_order { (states(&self.classes) * self.classes.len()) as f64 } else { k + 1.0 };
        let by_steps = (SEARCH_STEPS / (steps * stages_per_pair)).sqrt();
        let memory = if self.site_caps { 0.3 } else { 1.0 };
        let by_table = (memory * TABLE_STAGES / stages_per_pair).sqrt();
        (by_steps.min(by_table) as usize).clamp(QUICK_ITEMS.max(2 * self.site.caps.len()), MOST_ITEMS)
    }

    /// Searches the cuts at `starts` and keeps the answer if it is the best so far.
    fn offer(&mut self, best: &mut Option<(f64, Vec<DeviceId>)>, starts: &[usize]) {
        let wires = if self.site.links.uniform() {
            vec![self.site.links.fastest()]
        } else {
            vec![self.site.links.fastest(), self.site.links.mean()]
        };
        let coarse = self.sequence.grouped(starts);
        for wire in wires {
            // Prices differ from the true ones where links do: an incumbent's value is no limit there.
            let limit = if self.site.links.uniform() { best_value(best) } else { f64::INFINITY };
            let Some(cut) = self.cut(&coarse, wire, self.site.pressure, self.site.use_all, limit) else {
                continue;
            };
            let value = cut.tmax_seconds;
            let devices = expand(&coarse, &cut.devices(coarse.len()), self.sequence.len(), starts);
            let (value, devices) = if self.site.links.uniform() {
                (value, devices)
            } else {
                exchanged(self.sequence, self.site.links, self.site.caps, devices, self.deadline)
            };
            if best.as_ref().is_none_or(|(old, _)| value <= *old) {
                *best = Some((value, devices));
            }
        }
    }

    fn cut(
        &mut self,
        coarse: &Sequence,
        wire: Wire,
        pressure: f64,
        use_all: bool,
        limit: f64,
    ) -> Option<Cut> {
        if self.deadline.over() {
            self.cut_short = true;
            return None;
        }
        // The same sums in another order may be a rounding above the value they gave.
        let limit = limit * (1.0 + 1e-9);
        let least = self.least_prefix(coarse);
        let index = coarse.index();
        let table = Table::new(coarse, &index, wire, self.site_caps, &least, limit);
        let stages: usize = (0..coarse.len()).map(|first| table.reach(first)).sum();
        let fixed;
        let classes = if self.exact_order {
            &self.classes
        } else {
            fixed = fixed_order(&self.classes);
            &fixed
        };
        self.work += stages as u64;
        let question = Question {
            classes,
            use_all,
            caps: self.site_caps,
            pressure,
            fixed_order: !self.exact_order,
            limit_seconds: limit,
        };
        match best_cut(coarse, &table, &question, self.deadline) {
            Ok(cut) => cut,
            Err(_) => {
                self.cut_short = true;
                None
            }
        }
    }

    /// Running sums of the least time of each item over the devices.
    fn least_prefix(&self, sequence: &Sequence) -> Vec<f64> {
        let mut total = 0.0;
        let least = |item: usize| sequence.seconds.iter().map(|row| row[item]).fold(f64::INFINITY, f64::min);
        std::iter::once(0.0)
            .chain((0..sequence.len()).map(|item| {
                total += least(item);
                total
            }))
            .collect()
    }

    fn bound(&mut self, starts: &[usize], limit: f64) -> Option<f64> {
        // A bound under wider caps than asked for would name no class that anyone knows.
        self.site_caps &= !self.relaxed;
        let coarse = self.sequence.grouped(starts);
        // Over cuts that leave devices idle too, whatever the plan must do: one bound for one class.
        let cut = self.cut(&coarse, self.site.links.fastest(), 0.0, false, limit)?;
        Some(cut.tmax_seconds)
    }

    /// Where no cut keeps the caps, finds by how much all caps have to grow for one to exist; returns whether to search
    /// again.
    fn relax_caps(&mut self, starts: &[usize]) -> bool {
        if !self.site_caps || self.relaxed || self.deadline.over() {
            return false;
        }
        self.relaxed = true;
        let coarse = self.sequence.grouped(starts);
        let wire = self.site.links.fastest();
        let original: Vec<u64> = self.classes.iter().map(|class| class.cap).collect();
        let scale = |classes: &mut [Class], by: f64| {
            for (class, &cap) in classes.iter_mut().zip(&original) {
                class.cap = (cap as f64 * by).ceil() as u64;
            }
        };
        let (mut low, mut high, mut found) = (1.0, 2.0, false);
        while high < 1e6 && !self.deadline.over() {
            scale(&mut self.classes, high);
            found = self.cut(&coarse, wire, 0.0, self.site.use_all, f64::INFINITY).is_some();
            if found {
                break;
            }
            low = high;
            high *= 2.0;
        }
        while found && high - low > 0.01 * low && !self.deadline.over() {
            let middle = 0.5 * (low + high);
            scale(&mut self.classes, middle);
            if self.cut(&coarse, wire, 0.0, self.site.use_all, f64::INFINITY).is_some() {
                high = middle;
            } else {
                low = middle;
            }
        }
        if found {
            scale(&mut self.classes, high);
            self.notes.push(format!(
                "no partition into neighbouring ops was found that keeps arguments and working sets within the caps; \
                 with caps {:.0} % larger there is one, and the partition is made for those",
                (high - 1.0) * 100.0
            ));
        } else {
            // Device rules stand in the way, not memory.
            self.site_caps = false;
        }
        true
    }

    /// Stages of similar time, for want of anything better; device rules kept op by op.
    fn proportional(&self) -> Vec<DeviceId> {
        let n = self.sequence.len();
        let k = self.site.caps.len().min(n);
        let prefix = self.least_prefix(self.sequence);
        let total = prefix[n];
        (0..n)
            .map(|item| match self.sequence.pins[item] {
                Pin::To(device) => device,
                _ => {
                    let done = if total > 0.0 { prefix[item] / total } else { item as f64 / n as f64 };
                    DeviceId(((done * k as f64) as usize).clamp(k.saturating_sub(n - item), item.min(k - 1)))
                }
            })
            .collect()
    }
}

fn best_value(best: &Option<(f64, Vec<DeviceId>)>) -> f64 {
    best.as_ref().map_or(f64::INFINITY, |(value, _)| *value)
}

/// One class per device, in order of their numbers: for clusters of too many kinds to try every order.
fn fixed_order(classes: &[Class]) -> Vec<Class> {
    let mut devices: Vec<(DeviceId, usize)> = classes
        .iter()
        .enumerate()
        .flat_map(|(c, class)| class.devices.iter().map(move |&device| (device, c)))
        .collect();
    devices.sort_unstable();
    devices
        .into_iter()
        .map(|(device, c)| Class { row: classes[c].row, cap: classes[c].cap, devices: vec![device] })
        .collect()
}

/// Devices of the items of a run sequence, item by item.
fn expand(coarse: &Sequence, devices: &[DeviceId], items: usize, starts: &[usize]) -> Vec<DeviceId> {
    let mut of = vec![DeviceId(0); items];
    for run in 0..coarse.len() {
        let end = starts.get(run + 1).copied().unwrap_or(items);
        of[starts[run]..end].fill(devices[run]);
    }
    of
}

/// Runs again, but single items around every cut.
fn refined_starts(sequence: &Sequence, devices: &[DeviceId], limit: usize, k: usize) -> Vec<usize> {
    let n = sequence.len();
    let mut starts = sequence.run_starts(limit / 2);
    let reach = limit / (4 * k.max(1));
    for cut in 1..n {
        if devices[cut] != devices[cut - 1] {
            starts.extend(cut.saturating_sub(reach)..(cut + reach).min(n));
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}
