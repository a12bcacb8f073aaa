//! Placements next to a given one, by what they are estimated to come to: for somebody who makes the memory plans of each.
//!
//! What a search of placements knows of memory is an estimate, and where it has ended the plans of what it passed over may be better. Here the
//! estimate is brought to what the plans of the given placement came to, device by device, and moves from the slow devices are ranked by it.

use std::collections::HashSet;

use ballast_core::device::DeviceId;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::board::{Board, GroupId, Site};
use super::moves::{grow, target};
use super::search::{Task, bound, setting};
use super::state::{State, Worth};

/// Moves drawn for every placement wanted.
const DRAWN: usize = 64;
/// The power of loads by which devices are drawn to move something away from, and placements are rated.
const POWER: i32 = 12;
/// Groups that move at once, at most; half of the moves are of one group.
const MOST_GROUPS: usize = 16;
/// Clusters that a shake moves, and groups of one, at most: so few that what was good elsewhere stays.
const MOST_SHAKES: usize = 2;
const MOST_SHAKEN: usize = 4;
/// One in so many moves brings a group back in exchange.
const EXCHANGES: u32 = 3;

/// So many placements of the items next to the last start of a task, those estimated best first; where all devices are to be `used`, none that leaves one
/// without items.
pub(crate) fn neighbours(task: &Task<'_>, count: usize, used: bool) -> Vec<Vec<DeviceId>> {
    let (site, board) = setting(task);
    let start = task.starts.last().map(|start| bound(&board, start)).unwrap_or_default();
    if start.is_empty() || site.devices < 2 {
        return Vec::new();
    }
    let mut near = Near::new(&board, &site, &start, task.limits.seed);
    let mut found: Vec<(f64, Vec<(GroupId, usize)>)> = Vec::new();
    let mut known = HashSet::new();
    for _ in 0..DRAWN * count {
        if task.deadline.over() {
            break;
        }
        let Some(mut moves) = near.draw() else { continue };
        moves.sort_unstable();
        if known.insert(moves.clone()) && !(used && near.empties(&moves)) {
            found.push((near.rated(&moves), moves));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(count);
    let placed = |(_, moves): (f64, Vec<(GroupId, usize)>)| {
        let mut placement: Vec<DeviceId> = start.iter().map(|&device| DeviceId(device as usize)).collect();
        moves.into_iter().for_each(|(group, to)| placement[group] = DeviceId(to));
        placement
    };
    found.into_iter().map(placed).collect()
}

/// A placement some way from the last start of a task: several clusters elsewhere, wherever that leads. None where nothing can move.
pub(crate) fn shaken(task: &Task<'_>) -> Option<Vec<DeviceId>> {
    let (site, board) = setting(task);
    let start = task.starts.last().map(|start| bound(&board, start)).filter(|start| !start.is_empty())?;
    if site.devices < 2 {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(task.limits.seed);
    let mut state = State::new(&board, &site, &start);
    let (mut cluster, mut marked) = (Vec::new(), vec![false; board.groups]);
    for _ in 0..random.random_range(1..=MOST_SHAKES) {
        let group = random.random_range(0..board.groups);
        let to = target(&state, group, &mut random);
        let size = random.random_range(1..=MOST_SHAKEN);
        grow(&state, group, size, (&mut cluster, &mut marked), &mut random);
        if cluster.iter().all(|&group| board.runs(group, to)) {
            cluster.iter().for_each(|&group| state.relocate(group, to));
        }
    }
    let placed: Vec<DeviceId> = (0..board.groups).map(|group| DeviceId(state.device_of(group))).collect();
    let moved = placed.iter().zip(&start).any(|(now, &before)| now.0 != before as usize);
    moved.then_some(placed)
}

struct Near<'a> {
    board: &'a Board,
    site: &'a Site,
    state: State<'a>,
    random: ChaCha8Rng,
    /// Loads as they are at the start.
    loads: Vec<f64>,
    worth: Worth,
    /// Sums of what devices count, by which one is drawn.
    sums: Vec<f64>,
    on_device: Vec<Vec<GroupId>>,
    /// The groups drawn last, and marks for who is among them.
    cluster: Vec<GroupId>,
    marked: Vec<bool>,
}

impl<'a> Near<'a> {
    fn new(board: &'a Board, site: &'a Site, start: &[u32], seed: u64) -> Self {
        let state = State::new(board, site, start);
        let mut on_device = vec![Vec::new(); site.devices];
        start.iter().enumerate().for_each(|(group, &device)| on_device[device as usize].push(group));
        let (worth, loads) = (state.worth(), state.loads().to_vec());
        let random = ChaCha8Rng::seed_from_u64(seed);
        let marked = vec![false; board.groups];
        let mut near = Near {
            board,
            site,
            state,
            random,
            loads,
            worth,
            sums: Vec::new(),
            on_device,
            cluster: Vec::new(),
            marked,
        };
        let mut sum = 0.0;
        near.sums = (0..site.devices)
            .map(|device| {
                sum += if near.on_device[device].is_empty() { 0.0 } else { near.counted(device) };
                sum
            })
            .collect();
        near
    }

    /// What a device counts for.
    fn counted(&self, device: usize) -> f64 {
        let scale = self.worth.seconds;
        self.state.pressed_now(device).energy(scale, POWER)
    }

    fn rated(&mut self, moves: &[(GroupId, usize)]) -> f64 {
        let back: Vec<usize> = moves.iter().map(|&(group, _)| self.state.device_of(group)).collect();
        for &(group, to) in moves {
            self.state.relocate(group, to);
        }
        let rated = (0..self.site.devices).map(|device| self.counted(device)).sum();
        for (&(group, _), from) in moves.iter().zip(back).rev() {
            self.state.relocate(group, from);
        }
        self.state.restore(&self.loads);
        rated
    }

    /// Do moves leave a device without groups that has some?
    fn empties(&self, moves: &[(GroupId, usize)]) -> bool {
        let of = |device: usize| {
            let leave = moves.iter().filter(|&&(group, _)| self.state.device_of(group) == device).count();
            let come = moves.iter().filter(|&&(_, to)| to == device).count();
            leave > 0 && self.on_device[device].len() + come == leave
        };
        moves.iter().any(|&(group, _)| of(self.state.device_of(group)))
    }

    /// Groups of a device that is slow, and where they may go.
    fn draw(&mut self) -> Option<Vec<(GroupId, usize)>> {
        let all = self.sums.last().copied().unwrap_or_default();
        let drawn = self.random.random::<f64>() * all;
        let from = self.sums.partition_point(|&sum| sum <= drawn).min(self.site.devices - 1);
        let group = *pick(&self.on_device[from], &mut self.random)?;
        let to = target(&self.state, group, &mut self.random);
        if to == from {
            return None;
        }
        let mut size = 1;
        while size < MOST_GROUPS && self.random.random::<bool>() {
            size *= 2;
        }
        let into = (&mut self.cluster, &mut self.marked[..]);
        grow(&self.state, group, size, into, &mut self.random);
        let mut moves: Vec<(GroupId, usize)> = self.cluster.iter().map(|&group| (group, to)).collect();
        if self.random.random_range(0..EXCHANGES) == 0 {
            moves.extend(pick(&self.on_device[to], &mut self.random).map(|&other| (other, from)));
        }
        moves.iter().all(|&(group, to)| self.board.runs(group, to)).then_some(moves)
    }
}

fn pick<'a, T>(list: &'a [T], random: &mut ChaCha8Rng) -> Option<&'a T> {
    if list.is_empty() { None } else { list.get(random.random_range(0..list.len())) }
}
