//! The entry: from a program, its costs and a cluster to a device for every op.

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass, PROOF_TOLERANCE, Report, SearchStats};
use ballast_core::simulate::Balance;
use ballast_dag::proof;
use ballast_dag::spreading::Budget;

use crate::dynamic::{self, Site};
use crate::error::Error;
use crate::fine_tune::{Keep, fine_tune};
use crate::free;
use crate::items::Items;
use crate::judge::{Judge, Judged, PRESSURE};
use crate::loads::Links;
use crate::membership::Membership;
use crate::options::{Options, check};
use crate::proposer::{Proposal, Proposer, Task};
use crate::rl::machine::{Goal, Score};
use crate::sequence::{Granularity, Index, Sequence};
use crate::squeeze::Measured;

/// A partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The device of every op; views and constants carry that of their first reader.
    pub device_of: Vec<DeviceId>,
    /// The op sequence that was cut: the planned ops in run order.
    pub sequence: Vec<OpId>,
    /// Places in `sequence` where the device changes.
    pub cuts: Vec<usize>,
    /// Slowest and fastest stage without recomputation and swaps.
    pub balance: Balance,
    /// Value (tmax, seconds), bound, method.
    pub report: Report,
    /// Every bound proved on the way; the report names the strongest that says something about its plan.
    pub bounds: Vec<Bound>,
    /// What the method chosen proposed by itself, whether or not it was taken.
    pub proposed: Option<Proposed>,
    /// Who moved ops after the cut, and what that brought; none of methods that do not.
    pub refined: Option<Refined>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What moving ops brought, from the better of the cut and the folded layers on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refined {
    /// `annealing` or `learned`; `none`: nobody was asked to; `needless`: a proof made it so; `nothing`: there was no time, or nothing to move.
    pub by: &'static str,
    /// The slowest stage before, seconds.
    pub from_seconds: f64,
    /// The slowest stage of the answer, seconds; more than before where memory over the caps was worth it.
    pub to_seconds: f64,
}

/// What a method found by itself, as the judge sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposed {
    /// The method.
    pub method: &'static str,
    /// Its slowest stage, seconds.
    pub tmax_seconds: f64,
    /// What the method was to make small, over that of the answer: above 1 the answer, found otherwise, is better by that factor.
    pub over_answer: f64,
}

/// Partitions a program.
///
/// With [`Options::start`], the answer is never slower than the start and never needs more memory over the caps.
///
/// # Errors
/// Input that makes no sense: see [`Error`]. Caps that cannot be kept are no error but a note.
pub fn plan(program: &Program<'_>, options: &Options) -> Result<Partition, Error> {
    search(program, options, None, true)
}

/// As [`plan`]; `rounds`: what memory plans of placements came to, where there are any; `bounded`: time is spent on a bound, too.
pub(crate) fn search(
    program: &Program<'_>,
    options: &Options,
    rounds: Option<&[Measured<'_>]>,
    bounded: bool,
) -> Result<Partition, Error> {
    check(program, options)?;
    let links = Links::new(program.cluster);
    let with_memory = rounds.is_some();
    let mut search = Search::start(program, options, &links, rounds);
    search.propose(options, bounded, with_memory)?;
    if !with_memory {
        search.keep_given(options.start.as_deref());
    }
    search.outcome(options)
}

/// The method of a placement that somebody else made.
const GIVEN: &str = "given";

/// Shares of the time and of the work left that go into the bound: before the search, which may end where a bound is met, and after it,
/// which tells the bound what it is to be held against. Steps of the second where neither is limited.
const BOUND_BEFORE: f64 = 0.02;
const BOUND_AFTER: f64 = 0.2;
pub(crate) const BOUND_STEPS: u64 = 30_000_000;

/// Share of the time left that an integer program of all ops may take, and the most of it, seconds.
const PROGRAM_SHARE: f64 = 0.9;
const PROGRAM_SECONDS: f64 = 5.0;

/// The best placement so far, and what is known about it.
struct Search<'a> {
    program: Program<'a>,
    judge: Judge<'a>,
    items: Items,
    index: Index,
    links: &'a Links,
    caps: Vec<u64>,
    memory_matters: bool,
    use_all: bool,
    /// Do fine-tuned placements keep to the caps?
    tuned_within_caps: bool,
    deadline: Deadline,
    /// What dynamic programming answered.
    cut: dynamic::Answer,
    /// Slowest stage of that cut.
    cut_tmax_seconds: f64,
    /// Can every stage of it keep its cap?
    cut_within_caps: bool,
    best: Judged,
    method: &'static str,
    /// The best by tmax alone, where memory over the caps has chosen since.
    unmoved: Option<(Judged, &'static str)>,
    floor: Bound,
    proposed: Option<(&'static str, Score)>,
    /// What placements are compared by.
    goal: Goal,
    proposed_bound: Option<f64>,
    /// Who moved ops, and the slowest stage before, seconds.
    refined: Option<(&'static str, f64)>,
    /// May the answer come from anywhere, not only from cuts and what one method proposes?
    any_placement: bool,
    stopped: Option<StopReason>,
    work: u64,
    notes: Vec<String>,
}

impl<'a> Search<'a> {
    /// The best cut of the sequence, fine-tuned.
    fn start(
        program: &Program<'a>,
        options: &Options,
        links: &'a Links,
        rounds: Option<&[Measured<'_>]>,
    ) -> Self {
        let deadline = Deadline::on(options.clock, options.limits.time_limit_seconds);
        let Program { graph, costs, .. } = *program;
        let mut judge = Judge::new(program, options);
        let measured = rounds.is_some();
        let items = Items::new(graph, costs, (options.granularity, options.order), program.devices());
        let caps = judge.caps_for_stages();
        let memory_matters = judge.memory_matters(&items.ops, &caps);
        if let Some(rounds) = rounds {
            judge.learn(rounds, &items.ops, (links, options.copies));
        }
        let use_all = options.use_all_devices;
        let site = Site { links, caps: &caps, memory_matters, use_all, pressure: PRESSURE };
        // Where plans of a placement have told what memory costs, the search goes on from it, and no cut is worth the time.
        let goes_on = options.start.as_deref().filter(|_| measured);
        let cut = match goes_on {
            Some(given) => dynamic::Answer::given(items.read(given)),
            None => dynamic::partition(&items.sequence, &site, &deadline),
        };
        let best = judge.judge(items.place(graph, &items.to_ops(&cut.device_of)));
        let mut search = Search {
            program: *program,
            floor: any_assignment(graph, costs, &items.ops, links),
            index: items.ops.index(),
            cut_tmax_seconds: best.balance.tmax_seconds,
            cut_within_caps: best.over_least == 0,
            stopped: cut.cut_short.then(|| deadline.reason()),
            work: cut.work,
            notes: items.notes.clone(),
            method: if goes_on.is_some() { GIVEN } else { "dp" },
            unmoved: None,
            proposed: None,
            goal: options.goal(best.score),
            proposed_bound: None,
            refined: None,
            any_placement: false,
            judge,
            items,
            links,
            caps,
            memory_matters,
            use_all,
            tuned_within_caps: memory_matters && best.over_least == 0,
            deadline,
            cut,
            best,
        };
        if measured {
            return search;
        }
        let tuned = search.tuned(search.items.to_ops(&search.cut.device_of), search.tuned_within_caps);
        if tuned.improves(&search.best) {
            (search.best, search.method) = (tuned, "dp+fine-tuning");
        }
        let wanting = search.best.balance.idle_devices > 0 || search.best.over_least > 0;
        if !use_all && wanting && !search.deadline.over() {
            search.try_all_devices();
        }
        search
    }

    /// The best cut over all devices, fine-tuned: slower than the best cut where that leaves devices idle, and yet where single ops move
    /// it may get ahead. Where neither keeps the caps, either may miss them by less.
    fn try_all_devices(&mut self) {
        let site = Site {
            links: self.links,
            caps: &self.caps,
            memory_matters: self.memory_matters,
            use_all: true,
            pressure: PRESSURE,
        };
        let cut = dynamic::partition(&self.items.sequence, &site, &self.deadline);
        self.work += cut.work;
        let of_sequence = self.items.to_ops(&cut.device_of);
        let judged = self.judged(&of_sequence);
        // As where all devices are asked for: a cut that misses the caps may keep them once single ops have moved over them.
        let within_caps = self.memory_matters && judged.over_least == 0;
        for (found, method) in [(judged, "dp"), (self.tuned(of_sequence, within_caps), "dp+fine-tuning")] {
            let faster = found.balance.tmax_seconds < self.best.balance.tmax_seconds * (1.0 - 1e-12);
            // Where no cut keeps the caps, that which misses them by less is better, however fast.
            if found.over_least < self.best.over_least || faster && found.no_worse(&self.best) {
                (self.best, self.method) = (found, method);
            }
        }
    }

    /// Does a placement leave no more devices idle than the best, where all are to be used?
    fn is_as_busy(&self, other: &Judged) -> bool {
        !self.use_all || other.balance.idle_devices <= self.best.balance.idle_devices
    }

    /// A placement of the op sequence with single ops moved where that helps, judged.
    fn tuned(&self, of_sequence: Vec<DeviceId>, within_caps: bool) -> Judged {
        let keep = Keep { caps: within_caps.then_some(&self.caps[..]) };
        self.judged(&fine_tune(&self.items.ops, &self.index, self.links, of_sequence, keep, &self.deadline))
    }

    fn judged(&self, of_sequence: &[DeviceId]) -> Judged {
        self.judge.judge(self.items.place(self.program.graph, of_sequence))
    }

    /// What the method chosen goes on to find.
    fn propose(&mut self, options: &Options, bounded: bool, measured: bool) -> Result<(), Error> {
        let Some(mut proposer) = options.method.proposer.map(|make| make(options)) else { return Ok(()) };
        self.any_placement = !proposer.own_search();
        if proposer.own_search() && self.program.devices() == 1 {
            return Ok(());
        }
        let bounded = self.any_placement && bounded;
        if bounded {
            self.count_crossings(
                options,
                BOUND_BEFORE,
                (BOUND_STEPS as f64 * BOUND_BEFORE / BOUND_AFTER) as u64,
            );
        }
        let index = self.items.sequence.index();
        let share = if bounded { 1.0 - BOUND_AFTER } else { 1.0 };
        let deadline = match options.limits.time_limit_seconds {
            Some(_) => self.deadline.within(self.deadline.remaining_seconds() * share),
            None => self.deadline,
        };
        let limits = Limits {
            time_limit_seconds: options.limits.time_limit_seconds.map(|_| deadline.remaining_seconds()),
            work_limit: options.limits.work_limit.map(|limit| (limit as f64 * share) as u64),
            ..options.limits
        };
        let proposal = proposer.propose(&Task {
            program: self.program,
            items: &self.items,
            index: &index,
            links: self.links,
            caps: self.memory_matters.then_some(&self.caps[..]),
            prices: &self.judge.prices,
            copies: options.copies,
            relax_limit: self.judge.relax_limit,
            measured,
            start: &self.cut.device_of,
            best: &self.best.device_of,
            given: options.start.as_deref(),
            floor_seconds: self.floor.value(),
            limits,
            deadline: &deadline,
        })?;
        self.take(&*proposer, proposal);
        if bounded {
            self.count_crossings(options, 1.0, BOUND_STEPS);
            self.solve_as_program(options);
        }
        Ok(())
    }

    /// Proves that a small program has no faster placement, or finds one, by an integer program.
    fn solve_as_program(&mut self, options: &Options) {
        let limited = options.limits.work_limit.is_some_and(|limit| limit < self.work + proof::STEPS);
        let proved = self.floor.value() >= self.best.balance.tmax_seconds * (1.0 - PROOF_TOLERANCE);
        if self.program.devices() == 1 || limited || proved {
            return;
        }
        let clock = match options.limits.time_limit_seconds {
            Some(_) => {
                self.deadline.within((self.deadline.remaining_seconds() * PROGRAM_SHARE).min(PROGRAM_SECONDS))
            }
            None => self.deadline,
        };
        let ops = &self.items.ops;
        let placed: Vec<DeviceId> = ops.ops.iter().map(|&op| self.best.device_of[op]).collect();
        let Some((bound, better)) = free::by_program(ops, self.links, &placed, &options.limits, &clock)
        else {
            return;
        };
        self.work += proof::STEPS;
        self.floor =
            Bound::proved(bound, BoundClass::AnyAssignment).trusting_highs(true).raised_to(self.floor);
        let Some(better) = better.map(|placement| self.judged(&placement)) else { return };
        if better.beats(&self.best) && self.is_as_busy(&better) {
            (self.best, self.method) = (better, "free-program");
        }
    }

    /// Raises the bound for any placement by what must cross between devices.
    fn count_crossings(&mut self, options: &Options, share: f64, steps: u64) {
        let clock = match options.limits.time_limit_seconds {
            Some(_) => self.deadline.within(self.deadline.remaining_seconds() * share),
            None => self.deadline,
        };
        let value = self.best.balance.tmax_seconds;
        if self.program.devices() == 1 || clock.over() || self.floor.value() >= value {
            return;
        }
        let left = |limit: u64| (limit.saturating_sub(self.work) as f64 * share) as u64;
        let steps = options.limits.work_limit.map_or(steps, left);
        let budget = Budget { steps, clock: &clock, seed: options.limits.seed };
        let proof = free::by_crossings(&self.items.ops, self.links, value, &budget);
        self.work += proof.steps;
        self.floor = Bound::proved(proof.bound, BoundClass::AnyAssignment).raised_to(self.floor);
    }

    /// Judges what was proposed, and keeps what is better.
    fn take(&mut self, proposer: &dyn Proposer, proposal: Proposal) {
        self.work += proposal.work;
        self.stopped = self.stopped.or(proposal.stopped);
        self.proposed_bound = proposal.bound_seconds;
        self.notes.extend(proposal.notes);
        let own = proposer.own_search();
        self.unmoved = (!own).then(|| (self.best.clone(), self.method));
        for (number, candidate) in proposal.candidates.into_iter().enumerate() {
            if let Some((by, first)) = proposal.refined
                && number == first
            {
                self.refined = Some((by, self.best.balance.tmax_seconds));
            }
            let mut variants = vec![self.judged(&candidate.device_of)];
            if own {
                self.proposed.get_or_insert((proposer.name(), variants[0].score));
                variants.push(self.tuned(candidate.device_of, self.tuned_within_caps));
            }
            for variant in variants {
                let faster = match own {
                    true => {
                        self.goal.cost(&variant.score) < self.goal.cost(&self.best.score) * (1.0 - 1e-12)
                            && variant.over_least <= self.best.over_least
                    }
                    // What the plans of the placement given came to is known: the first other one is worth plans of its own, whatever is
                    // estimated of it.
                    false => {
                        variant.beats(&self.best)
                            || self.method == GIVEN
                                && variant.missing <= self.best.missing
                                && variant.device_of != self.best.device_of
                    }
                };
                if faster && self.is_as_busy(&variant) {
                    (self.best, self.method) = (variant, candidate.method);
                }
            }
        }
        let as_it_is = self.best.balance.tmax_seconds;
        self.refined = self.refined.or(proposal.refined.map(|(by, _)| (by, as_it_is)));
    }

    /// The placement given, where nothing found is as good; not one that leaves devices idle that are to be used.
    fn keep_given(&mut self, given: Option<&[DeviceId]>) {
        let Some(given) = given else { return };
        let of_sequence: Vec<DeviceId> = self.items.ops.ops.iter().map(|&op| given[op]).collect();
        let given = self.judged(&of_sequence);
        if self.best.no_worse(&given) || !self.is_as_busy(&given) {
            return;
        }
        // What is preferred for its memory may be slower than the start: then what came before it counts.
        (self.best, self.method) = match self.unmoved.take() {
            Some(unmoved) if unmoved.0.no_worse(&given) => unmoved,
            _ => (given, GIVEN),
        };
    }

    /// The classes of what dynamic programming answered: where rules leave no cut, it is none.
    fn cut_membership(&self) -> Membership {
        let device_of = self.items.place(self.program.graph, &self.items.to_ops(&self.cut.device_of));
        let ops = &self.items.ops;
        let placed: Vec<DeviceId> = ops.ops.iter().map(|&op| device_of[op]).collect();
        Membership::of(ops, &placed, &self.items.starts, self.cut_within_caps)
    }

    /// Every bound proved, and the one that says most about the plan.
    fn bounds(&self) -> Result<(Bound, Vec<Bound>), Error> {
        let granularity = self.items.granularity;
        let raised = |seconds: f64, class| Bound::proved(seconds, class).raised_to(self.floor);
        let cut =
            self.cut.bound.map(|bound| raised(bound, cut_class(granularity, self.cut.bound_within_caps)));
        if let Some(bound) = cut
            && self.cut_membership().within(bound.class())
        {
            // Whatever was made of the cut since.
            bound.beside(self.cut_tmax_seconds)?;
        }
        let proposed =
            self.proposed_bound.map(|bound| raised(bound, pipeline_class(granularity, self.memory_matters)));
        let ops = &self.items.ops;
        let placed: Vec<DeviceId> = ops.ops.iter().map(|&op| self.best.device_of[op]).collect();
        let membership = Membership::of(ops, &placed, &self.items.starts, self.best.over_least == 0);
        let value = self.best.balance.tmax_seconds;
        // The wider class first, then the narrower one, as far as they say something about the plan.
        let bound = match (cut, proposed) {
            (_, Some(bound)) if bound.value() > self.floor.value() => {
                membership.choose(bound, value, self.floor)
            }
            // Cuts are one class of those looked through.
            (Some(_), _) if self.any_placement => self.floor,
            (Some(bound), _) => membership.choose(bound, value, self.floor),
            _ => self.floor,
        };
        Ok((bound, [Some(self.floor), proposed, cut].into_iter().flatten().collect()))
    }

    fn outcome(mut self, options: &Options) -> Result<Partition, Error> {
        // What the cut had to give up says nothing of a free placement that did not have to.
        let unlike_the_cut =
            self.any_placement && self.best.over_least == 0 && !self.method.starts_with("dp");
        if !unlike_the_cut {
            let place = self.items.notes.len();
            self.notes.splice(place..place, std::mem::take(&mut self.cut.notes));
        }
        self.notes.extend(self.best.note());
        let idle = self.best.balance.idle_devices;
        if idle > 0 {
            self.notes.push(format!(
                "{idle} of {} devices stay idle: no partition found that uses more of them is faster",
                self.program.devices()
            ));
        }
        let (bound, bounds) = self.bounds()?;
        let stats = SearchStats {
            method: self.method.into(),
            stop_reason: self.stopped.unwrap_or(StopReason::Finished),
            seconds: self.deadline.elapsed_seconds(),
            work: self.work,
            seed: options.limits.seed,
        };
        let answer = self.goal.cost(&self.best.score);
        let proposed = self.proposed.map(|(method, score)| Proposed {
            method,
            tmax_seconds: score.tmax_seconds,
            over_answer: if answer > 0.0 { self.goal.cost(&score) / answer } else { 1.0 },
        });
        let refined = self.refined.map(|(by, from_seconds)| Refined {
            by,
            from_seconds,
            to_seconds: self.best.balance.tmax_seconds,
        });
        let (best, sequence) = (self.best, self.items.ops.ops);
        let changes = |&place: &usize| best.device_of[sequence[place]] != best.device_of[sequence[place - 1]];
        Ok(Partition {
            report: Report::new(best.balance.tmax_seconds, bound, stats)?,
            cuts: (1..sequence.len()).filter(changes).collect(),
            device_of: best.device_of,
            sequence,
            balance: best.balance,
            bounds,
            proposed,
            refined,
            notes: self.notes,
        })
    }
}

/// The bound for any assignment, devices that differ priced in.
pub(crate) fn any_assignment(graph: &Graph, costs: &Costs, ops: &Sequence, links: &Links) -> Bound {
    Bound::any_assignment(graph, costs)
        .raised_to(Bound::proved(free::any_assignment(ops, links), BoundClass::AnyAssignment))
}

/// The plans that a cut of the sequence of items competes with.
fn cut_class(granularity: Granularity, within_caps: bool) -> BoundClass {
    match (granularity, within_caps) {
        (Granularity::Op, false) => BoundClass::ContiguousSequence,
        (Granularity::Op, true) => BoundClass::ContiguousSequenceWithinCaps,
        (Granularity::Layer, false) => BoundClass::ContiguousLayers,
        (Granularity::Layer, true) => BoundClass::ContiguousLayersWithinCaps,
    }
}

/// The plans whose stages form a pipeline over the items.
fn pipeline_class(granularity: Granularity, within_caps: bool) -> BoundClass {
    match (granularity, within_caps) {
        (Granularity::Op, false) => BoundClass::ContiguousDag,
        (Granularity::Op, true) => BoundClass::ContiguousDagWithinCaps,
        (Granularity::Layer, false) => BoundClass::ContiguousDagLayers,
        (Granularity::Layer, true) => BoundClass::ContiguousDagLayersWithinCaps,
    }
}
