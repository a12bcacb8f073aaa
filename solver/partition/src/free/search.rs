//! The search itself: rounds of independent lanes, each from coarse to fine.

use ballast_core::device::{Cluster, DeviceId};
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_dag::anneal::Cooling;
use ballast_dag::proof::SMALL;
use ballast_dag::reduce::groups_of;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::board::{Board, Caps, GroupId, Site};
use super::levels::{Coarse, breadth_first, coarsen, lift, runs};
use super::policy::Policy;
use super::state::State;
use super::walk::anneal;
use crate::loads::Links;
use crate::relief::{Copies, Reliefs};
use crate::sequence::Sequence;
use crate::squeeze::Prices;
use crate::workload::workload;

/// Independent runs whose best result every round goes on from, whatever the number of threads.
const LANES: usize = 4;
/// Moves of a lane by group, in the first rounds and at most: rounds without a gain make the next ones longer.
const FIRST_MOVES_PER_GROUP: u64 = 40;
const MOVES_PER_GROUP: u64 = 1_000;
const FEWEST_MOVES: u64 = 20_000;
const MOST_MOVES: u64 = 2_000_000;
const LONGER: f64 = 1.3;
/// Rounds in which placements are made anew, before they are combined.
const NEW_ROUNDS: u64 = 6;
/// Moves of the whole search, by group, at least and at most.
const ALL_MOVES_PER_GROUP: u64 = 20_000;
const FEWEST_ALL_MOVES: u64 = 1_500_000;
const MOST_ALL_MOVES: u64 = 60_000_000;
/// Rounds of any length without a gain of this share, after which a search ends.
const IDLE_ROUNDS: usize = 24;
const WORTH_A_ROUND: f64 = 1e-4;
/// A placement this close to its bound is not improved on.
const CLOSE_ENOUGH: f64 = 1e-4;
/// Long rounds after that, where no caps are: so many at most, and so many without a gain; rounds after each that combine. Moves of a lane by group, at
/// least and at most.
const LONG_ROUNDS: u64 = 12;
const IDLE_LONG_ROUNDS: usize = 3;
const COMBINING_ROUNDS: usize = 2;
const LONG_MOVES_PER_GROUP: u64 = 1_000;
const FEWEST_LONG_MOVES: u64 = 500_000;
const MOST_LONG_MOVES: u64 = 3_000_000;
/// Share of the time left that they may take, and most groups that are moved one by one.
const LONG_SHARE: f64 = 0.4;
const MOST_LONG_GROUPS: usize = 5_000;
/// Powers and temperatures that their lanes take in turn.
const ELSEWHERE: [(i32, f64); 6] = [(12, 10.0), (30, 1.0), (12, 10.0), (12, 0.3), (30, 3.0), (12, 3.0)];
/// Powers of the energy: coarse levels look more at the sum of all loads, the last at the largest.
const COARSE_POWER: i32 = 6;
/// The power that temperatures below are meant for.
const USUAL_POWER: i32 = 12;
const POWER: i32 = 30;
/// Groups of the coarsest level: for every device, and at least.
const COARSEST_PER_DEVICE: usize = 40;
const COARSEST: usize = 240;
/// No coarse group has more than this share of a device's work.
const LARGEST_SHARE: f64 = 1.0 / 16.0;
/// Share of a lane's moves on the coarsest level.
const COARSE_SHARE: f64 = 0.4;
/// Temperatures: of a lane that starts anew, of one that goes on, of finer levels, of lanes that know what values cost, and at the end of all.
const HOT: f64 = 0.5;
const WARM: [f64; LANES] = [0.03, 0.1, 0.3, 1.0];
const FINE: f64 = 0.03;
const BY_VALUE: [f64; LANES] = [COLD, 0.01, FINE, 0.1];
const COLD: f64 = 0.002;
/// Placements kept to combine the best with; two whose values differ by less than this share count as one.
const MOST_OTHERS: usize = 12;
const SAME: f64 = 1e-5;
/// Where two placements are combined, what they agree on may be joined up to this share of a device's work.
const AGREED_SHARE: f64 = 0.2;
/// Orders a lane that starts anew takes its start from.
const ORDERS: usize = 6;

/// What is to be placed, and how long that may take.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) sequence: &'a Sequence,
    pub(crate) links: &'a Links,
    /// The cap of every device, and what memory over it costs; none where no stage can be over its cap.
    pub(crate) caps: Option<(&'a [u64], &'a Prices)>,
    /// Is memory over the caps priced by what the values there cost to do without?
    pub(crate) by_value: bool,
    /// The devices, and what copies to the host cost.
    pub(crate) cluster: &'a Cluster,
    pub(crate) copies: Copies,
    /// By what factor a cap may be raised that no plan keeps.
    pub(crate) relax_limit: f64,
    /// What every device holds besides what a board sees of it, where a placement has told: the last of `starts`, which the search goes on
    /// from.
    pub(crate) unseen: Option<&'a [f64]>,
    /// Placements to start from, by item.
    pub(crate) starts: &'a [Vec<DeviceId>],
    /// A lower bound on the slowest device.
    pub(crate) bound: f64,
    pub(crate) limits: Limits,
    pub(crate) deadline: &'a Deadline,
    /// Does a policy propose the moves?
    pub(crate) learns: bool,
}

/// What was found.
pub(crate) struct Found {
    /// The device of every item.
    pub(crate) device_of: Vec<DeviceId>,
    /// What it counts for.
    pub(crate) value: f64,
    /// Moves tried.
    pub(crate) work: u64,
    /// The limit that stopped the search, if one did.
    pub(crate) stopped: Option<StopReason>,
}

/// Places the items of a sequence anywhere; no slower than the best start, as the board counts. None without items, devices
/// or time.
pub(crate) fn search(task: &Task<'_>) -> Option<Found> {
    let devices = task.sequence.row_of.len();
    if devices < 2 || task.sequence.is_empty() || task.deadline.over() {
        return None;
    }
    let (site, board) = setting(task);
    let mut starts: Vec<Vec<u32>> = task.starts.iter().map(|start| bound(&board, start)).collect();
    starts.dedup();
    let mut search = Search {
        task,
        site: &site,
        board: &board,
        starts: &starts,
        teams: site.teams(),
        best: None,
        others: Vec::new(),
        work: 0,
        mover: task.learns.then(Policy::new),
    };
    for start in &starts {
        search.offer(State::new(&board, &site, start).worth().value, start.clone());
    }
    let stopped = match rayon::ThreadPoolBuilder::new().num_threads(task.limits.threads).build() {
        Ok(pool) => pool.install(|| search.rounds()),
        Err(error) => {
            tracing::warn!("no threads of our own: {error}; searching on this one");
            search.rounds()
        }
    };
    let work = search.work;
    if task.caps.is_some() {
        tracing::debug!(
            value = search.value(),
            work,
            seconds = task.deadline.elapsed_seconds(),
            "under caps"
        );
    }
    search.best.map(|(value, placement)| Found {
        value,
        device_of: placement.into_iter().map(|device| DeviceId(device as usize)).collect(),
        work,
        stopped,
    })
}

/// The devices, and what is placed on them.
pub(super) fn setting(task: &Task<'_>) -> (Site, Board) {
    let given = task.unseen.and(task.starts.last()).map(Vec::as_slice);
    let caps = task.caps.map(|caps| Caps::new(task.sequence, (caps, task.relax_limit), task.unseen, given));
    let mut site = Site::new(&task.sequence.row_of, task.links, caps);
    let mut board = Board::of(task.sequence, &site, task.caps.is_some());
    if let Some(lifetimes) = board.lifetimes.as_ref().filter(|_| task.by_value) {
        board.reliefs = Reliefs::new(task.sequence, lifetimes, (task.cluster, task.links), task.copies);
    }
    let raises_a_cap =
        |start: &Vec<DeviceId>| State::new(&board, &site, &bound(&board, start)).worth().raises_a_cap;
    if task.caps.is_some() && !task.starts.is_empty() && task.starts.iter().all(raises_a_cap) {
        site = site.raising();
    }
    (site, board)
}

/// A placement with every group where rules bind it.
pub(super) fn bound(board: &Board, placement: &[DeviceId]) -> Vec<u32> {
    (0..board.groups).map(|group| board.pins[group].unwrap_or(placement[group]).0 as u32).collect()
}

/// What a board sees of the bytes that every device holds in a placement of the items.
pub(crate) fn held(task: &Task<'_>, placement: &[DeviceId]) -> Vec<f64> {
    let (site, board) = setting(task);
    let state = State::new(&board, &site, &bound(&board, placement));
    (0..site.devices).map(|device| state.held(device)).collect()
}

/// What a placement of the items counts for.
pub(crate) fn value(task: &Task<'_>, placement: &[DeviceId]) -> f64 {
    let (site, board) = setting(task);
    State::new(&board, &site, &bound(&board, placement)).worth().value
}

/// By item: its group, where items that no placement faster than `value` needs apart are one; and how many groups there are.
fn together(task: &Task<'_>, value: f64) -> (Vec<GroupId>, usize) {
    let (mut groups, count) = groups_of(&workload(task.sequence, task.links, None).0, value);
    // Further values of an item are with it.
    groups.truncate(task.sequence.len());
    (groups, count)
}

struct Search<'a> {
    task: &'a Task<'a>,
    site: &'a Site,
    board: &'a Board,
    starts: &'a [Vec<u32>],
    /// Sets of devices that new placements start on.
    teams: Vec<Vec<usize>>,
    best: Option<(f64, Vec<u32>)>,
    /// Good placements besides, the best first.
    others: Vec<(f64, Vec<u32>)>,
    work: u64,
    /// The policy that proposes moves, where one does.
    mover: Option<Policy>,
}

/// What one lane of a round does.
struct Lane {
    start: Option<Vec<u32>>,
    /// Another placement to combine it with: what the two agree on stays together.
    other: Option<Vec<u32>>,
    hot: f64,
    /// Are single groups moved alone?
    flat: bool,
    /// The devices a new placement starts on.
    team: usize,
    moves: u64,
    seed: u64,
}

impl Search<'_> {
    fn offer(&mut self, value: f64, placement: Vec<u32>) {
        if self.best.as_ref().is_none_or(|(best, _)| value < *best) {
            if let Some(beaten) = self.best.replace((value, placement)) {
                self.keep(beaten);
            }
        } else {
            self.keep((value, placement));
        }
    }

    /// Keeps a placement to combine the best with.
    fn keep(&mut self, (value, placement): (f64, Vec<u32>)) {
        let known = |other: f64| (other - value).abs() <= SAME * value;
        if known(self.value()) || self.others.iter().any(|&(other, _)| known(other)) {
            return;
        }
        let place = self.others.partition_point(|&(other, _)| other < value);
        self.others.insert(place, (value, placement));
        self.others.truncate(MOST_OTHERS);
    }

    fn value(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |(value, _)| *value)
    }

    /// Searches until nothing more is gained; which limit ended it, if one did.
    fn rounds(&mut self) -> Option<StopReason> {
        let groups = self.board.groups as u64;
        let longest = (MOVES_PER_GROUP * groups).clamp(FEWEST_MOVES, MOST_MOVES);
        let all = (ALL_MOVES_PER_GROUP * groups).clamp(FEWEST_ALL_MOVES, MOST_ALL_MOVES);
        let usual = (FIRST_MOVES_PER_GROUP * groups).clamp(FEWEST_MOVES, longest);
        // Where moves take long, a short round tells how long.
        let mut moves = if self.board.reliefs.is_some() { FEWEST_MOVES / 10 } else { usual };
        let first = if self.task.unseen.is_some() { NEW_ROUNDS } else { 0 };
        let (mut idle, mut round, mut pace) = (0, first, 0.0);
        // A small problem is solved as one program afterwards.
        let small = self.board.groups * self.site.devices <= SMALL;
        let goes_on = self.task.caps.is_none() && !small && self.board.groups <= MOST_LONG_GROUPS;
        while idle < IDLE_ROUNDS && self.work < all && !self.is_close_enough() {
            let share = match self.share(moves, pace, self.task.deadline) {
                Ok(share) => share,
                Err(stopped) => return Some(stopped),
            };
            let before = self.value();
            pace = self.paced(share, |search| search.round(round, share));
            let gained = self.value() < before * (1.0 - WORTH_A_ROUND);
            idle = if gained { 0 } else { idle + 1 };
            moves = moves.max(usual);
            if !gained && round >= NEW_ROUNDS {
                moves = ((LONGER * moves as f64) as u64).min(longest);
            }
            round += 1;
        }
        if goes_on && let Some(stopped) = self.long_rounds(round, pace) {
            return Some(stopped);
        }
        self.task.deadline.over().then(|| self.task.deadline.reason())
    }

    /// Rounds whose lanes go on from the best so hot that they end elsewhere, each before others that combine what they found; `pace`: seconds that a move has
    /// taken.
    fn long_rounds(&mut self, mut round: u64, mut pace: f64) -> Option<StopReason> {
        let groups = self.board.groups as u64;
        let moves = (LONG_MOVES_PER_GROUP * groups).clamp(FEWEST_LONG_MOVES, MOST_LONG_MOVES);
        let deadline = match self.task.deadline.remaining_seconds() {
            left if left.is_finite() => self.task.deadline.within(left * LONG_SHARE),
            _ => *self.task.deadline,
        };
        let mut idle = 0;
        for turn in 0..LONG_ROUNDS {
            if idle == IDLE_LONG_ROUNDS || self.is_close_enough() {
                break;
            }
            let before = self.value();
            for number in 0..=COMBINING_ROUNDS {
                let share = match self.share(moves, pace, &deadline) {
                    Ok(share) => share,
                    // The rest of the time is for the bound.
                    Err(_) if !self.task.deadline.over() && !self.is_out_of_work() => return None,
                    Err(stopped) => return Some(stopped),
                };
                pace = self.paced(share, |search| match number {
                    0 => search.long_round((turn as usize * LANES, round), share),
                    _ => search.round(round, share),
                });
                round += 1;
            }
            idle = if self.value() < before * (1.0 - WORTH_A_ROUND) { 0 } else { idle + 1 };
        }
        None
    }

    /// Is nothing left to gain?
    fn is_close_enough(&self) -> bool {
        self.value() <= self.task.bound * (1.0 + CLOSE_ENOUGH)
    }

    /// Moves of a lane in a round, of so many at most; or the limit that leaves none. `pace`: seconds that one takes, zero where that is not known.
    fn share(&self, moves: u64, pace: f64, deadline: &Deadline) -> Result<u64, StopReason> {
        if deadline.over() {
            return Err(deadline.reason());
        }
        if self.is_out_of_work() {
            return Err(StopReason::WorkLimit);
        }
        let left = self.work_left();
        // A run that is cut off hot is lost: what is left of the time or the work sets its length.
        let remaining = deadline.remaining_seconds();
        let affordable =
            if pace > 0.0 && remaining.is_finite() { (0.9 * remaining / pace) as u64 } else { u64::MAX };
        Ok(moves.min(affordable.max(FEWEST_MOVES / 4)).min(left.unwrap_or(u64::MAX)))
    }

    /// Moves that every lane has left.
    fn work_left(&self) -> Option<u64> {
        self.task.limits.work_limit.map(|limit| limit.saturating_sub(self.work) / LANES as u64)
    }

    fn is_out_of_work(&self) -> bool {
        self.work_left() == Some(0)
    }

    /// Seconds that a move of a lane takes in a round of so many.
    fn paced(&mut self, moves: u64, round: impl FnOnce(&mut Self)) -> f64 {
        let elapsed = self.task.deadline.elapsed_seconds();
        round(self);
        (self.task.deadline.elapsed_seconds() - elapsed) / moves as f64
    }

    /// All lanes from the best, at energies and temperatures of their own, from that number on.
    fn long_round(&mut self, (first, round): (usize, u64), moves: u64) {
        let Some((value, best)) = self.best.clone() else { return };
        let merged = Coarse::of(self.board, self.site, together(self.task, value));
        let start = lift(&merged, &best);
        let energy = |lane: usize| ELSEWHERE[(first + lane) % ELSEWHERE.len()];
        let lanes: Vec<((i32, f64), u64)> =
            (0..LANES).map(|lane| (energy(lane), self.seed(round, lane))).collect();
        let go_on = || !self.task.deadline.over();
        let found = lanes.par_iter().map(|&((power, hot), seed)| {
            let mut mover = self.mover.clone();
            let cooling = Cooling { power, hot, cold: COLD, moves, forgets: true };
            let (value, placement, work) =
                anneal(&merged.board, self.site, &start, cooling, seed, &mut mover, &go_on);
            (value, merged.spread(&placement), work, mover)
        });
        let found = found.collect();
        self.take(found);
    }

    fn seed(&self, round: u64, lane: usize) -> u64 {
        let seed = self.task.limits.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        seed.wrapping_add(round * LANES as u64 + lane as u64)
    }

    /// Takes in what every lane of a round found.
    fn take(&mut self, found: Vec<(f64, Vec<u32>, u64, Option<Policy>)>) {
        let mut movers = Vec::new();
        for (value, placement, work, mover) in found {
            self.work += work;
            self.offer(value, placement);
            movers.extend(mover);
        }
        // What each lane has learned counts alike, whichever ended first.
        self.mover = Policy::mean(&movers);
    }

    fn round(&mut self, round: u64, moves: u64) {
        let mut random = ChaCha8Rng::seed_from_u64(self.task.limits.seed ^ (round << 32));
        let lanes: Vec<Lane> = (0..LANES)
            .map(|lane| {
                let seed = self.seed(round, lane);
                let drawn = round as usize * LANES + lane;
                let best = || self.best.as_ref().map(|(_, placement)| placement.clone());
                let lane_of = |start: Option<Vec<u32>>, other, hot| Lane {
                    start,
                    other,
                    hot,
                    flat: false,
                    // Every second new placement starts on some devices alone.
                    team: if drawn.is_multiple_of(2) { 0 } else { drawn / 2 % self.teams.len() },
                    moves,
                    seed,
                };
                // What values cost is known of items alone.
                if self.board.reliefs.is_some() {
                    return Lane { flat: true, ..lane_of(best(), None, BY_VALUE[lane]) };
                }
                // What a plan was made of is mended before anything else is tried.
                if self.task.unseen.is_some() && round == NEW_ROUNDS && lane < 2 {
                    let start = self.starts.last().cloned();
                    return Lane { flat: true, ..lane_of(start, None, [COLD, FINE][lane]) };
                }
                // First every start that was given.
                if let (0, Some(start)) = (round, self.starts.get(lane)) {
                    return lane_of(Some(start.clone()), None, WARM[1]);
                }
                let mut other = || match self.others.len() {
                    0 => None,
                    count => Some(self.others[random.random_range(0..count)].1.clone()),
                };
                match lane {
                    0 if round == 0 => lane_of(None, None, HOT),
                    1..LANES if round < NEW_ROUNDS => lane_of(None, None, HOT),
                    0 => lane_of(best(), None, WARM[round as usize % LANES]),
                    1 => lane_of(best(), other(), WARM[1]),
                    2 => lane_of(other().or_else(best), other(), WARM[2]),
                    _ if round.is_multiple_of(3) => lane_of(None, None, HOT),
                    _ => lane_of(best(), other(), WARM[2]),
                }
            })
            .collect();
        let found = lanes.par_iter().map(|lane| self.lane(lane)).collect();
        self.take(found);
    }

    /// From the coarsest level to the board itself.
    fn lane(&self, lane: &Lane) -> (f64, Vec<u32>, u64, Option<Policy>) {
        let mut mover = self.mover.clone();
        let mut random = ChaCha8Rng::seed_from_u64(lane.seed);
        let go_on = || !self.task.deadline.over();
        let devices = self.site.devices;
        let work: f64 = (0..self.board.groups).map(|group| self.board.least_seconds(group)).sum();
        let share = if lane.other.is_some() { AGREED_SHARE } else { LARGEST_SHARE };
        let most_seconds = share * work / devices as f64;
        let coarsest = COARSEST.max(COARSEST_PER_DEVICE * devices);
        let mut levels: Vec<Coarse> = Vec::new();
        let mut placement = lane.start.clone();
        // Only groups that are together in both placements are joined.
        let mut apart = lane.start.clone().map(|start| match &lane.other {
            Some(other) => start.iter().zip(other).map(|(a, b)| a * devices as u32 + b).collect(),
            None => start,
        });
        loop {
            let current = levels.last().map_or(self.board, |level| &level.board);
            if lane.flat || current.groups <= coarsest || !go_on() {
                break;
            }
            let Some(level) = coarsen(current, self.site, apart.as_deref(), most_seconds, &mut random) else {
                break;
            };
            apart = apart.map(|apart| lift(&level, &apart));
            placement = placement.map(|placement| lift(&level, &placement));
            levels.push(level);
        }
        let current = levels.last().map_or(self.board, |level| &level.board);
        let mut placement =
            placement.unwrap_or_else(|| self.fresh(current, &self.teams[lane.team], &mut random));
        let (on_coarse, on_each) = match levels.len() as u64 {
            0 => (lane.moves, 0),
            count => {
                let coarse = (COARSE_SHARE * lane.moves as f64) as u64;
                (coarse, (lane.moves - coarse) / count)
            }
        };
        let (mut hot, mut moves, mut tried) = (lane.hot, on_coarse, 0);
        loop {
            let current = levels.last().map_or(self.board, |level| &level.board);
            let last = levels.is_empty() && (self.board.groups > coarsest || lane.seed.is_multiple_of(2));
            let power = if last { POWER } else { COARSE_POWER };
            let forgets = tried == 0 && lane.other.is_some();
            let scaled = hot * f64::from(power) / f64::from(USUAL_POWER);
            let cooling = Cooling { power, hot: scaled, cold: COLD, moves, forgets };
            let (value, better, steps) =
                anneal(current, self.site, &placement, cooling, random.next_u64(), &mut mover, &go_on);
            (placement, tried) = (better, tried + steps);
            match levels.pop() {
                Some(level) => placement = level.spread(&placement),
                None => return (value, placement, tried, mover),
            }
            // Finer levels only polish what the coarser ones settled.
            (hot, moves) = (FINE, on_each);
        }
    }

    /// The best of some orders, cut into runs.
    fn fresh(&self, board: &Board, team: &[usize], random: &mut ChaCha8Rng) -> Vec<u32> {
        let mut best: Option<(f64, Vec<u32>)> = None;
        for _ in 0..ORDERS {
            let order = breadth_first(board, random.random_range(0..board.groups));
            let placement = runs(board, self.site, (&order, team));
            let value = State::new(board, self.site, &placement).worth().value;
            if best.as_ref().is_none_or(|(known, _)| value < *known) {
                best = Some((value, placement));
            }
        }
        best.map_or_else(|| vec![0; board.groups], |(_, placement)| placement)
    }
}
