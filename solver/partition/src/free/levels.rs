//! Coarser boards: groups joined along heavy nets, within a placement or freely, and orders of coarse groups to start from.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::board::{Board, GroupId, Site};

/// Nets with more ends than this do not tell who belongs together.
const WIDE: usize = 64;
/// A level that shrinks the groups by less than this share is the last.
const LEAST_SHRINKING: f64 = 0.05;

/// A coarser board, and the coarse group of every group of the finer one.
pub(super) struct Coarse {
    pub(super) board: Board,
    pub(super) map: Vec<GroupId>,
}

impl Coarse {
    /// A board whose groups are joined as they are numbered.
    pub(super) fn of(board: &Board, site: &Site, (map, count): (Vec<GroupId>, usize)) -> Self {
        Coarse { board: board.quotient(site, &map, count), map }
    }

    /// A placement of the coarse groups, as one of the finer ones.
    pub(super) fn spread(&self, placement: &[u32]) -> Vec<u32> {
        self.map.iter().map(|&group| placement[group]).collect()
    }
}

/// Joins groups that share much traffic, the more the smaller they are, up to `most_seconds` each; only groups of one device
/// where a placement is given. None where hardly any can be joined.
pub(super) fn coarsen(
    board: &Board,
    site: &Site,
    placement: Option<&[u32]>,
    most_seconds: f64,
    random: &mut ChaCha8Rng,
) -> Option<Coarse> {
    let n = board.groups;
    let mut order: Vec<GroupId> = (0..n).collect();
    order.shuffle(random);
    let mut cluster_of: Vec<GroupId> = (0..n).collect();
    let mut size = vec![1usize; n];
    let mut seconds: Vec<f64> = (0..n).map(|group| board.least_seconds(group)).collect();
    let mut pin = board.pins.clone();
    let mut rating = vec![0.0; n];
    let mut near: Vec<GroupId> = Vec::new();
    // A cluster of a few groups at most, so that levels shrink evenly.
    const MOST_JOINED: usize = 4;
    for group in order {
        if size[cluster_of[group]] > 1 || cluster_of[group] != group {
            continue;
        }
        near.clear();
        for &net in board.nets_of.of(group) {
            let ends = board.ends.of(net as usize);
            if ends.len() > WIDE {
                continue;
            }
            let share = board.net_seconds[net as usize] / (ends.len() - 1) as f64;
            for &end in ends {
                let end = end as usize;
                if end == group || placement.is_some_and(|place| place[end] != place[group]) {
                    continue;
                }
                let cluster = cluster_of[end];
                if rating[cluster] == 0.0 {
                    near.push(cluster);
                }
                rating[cluster] += share;
            }
        }
        let fits = |cluster: GroupId| {
            size[cluster] < MOST_JOINED
                && seconds[cluster] + seconds[group] <= most_seconds
                && (pin[cluster].is_none() || pin[group].is_none() || pin[cluster] == pin[group])
        };
        let floor = most_seconds * 1e-3;
        let score = |cluster: GroupId| rating[cluster] / (seconds[cluster] + floor);
        let best = near
            .iter()
            .copied()
            .filter(|&cluster| fits(cluster))
            .max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)));
        // A few groups stay single even so: the next level then joins others.
        if let Some(home) = best.filter(|_| random.random_range(0..16) > 0) {
            cluster_of[group] = home;
            size[home] += 1;
            seconds[home] += seconds[group];
            pin[home] = pin[home].or(pin[group]);
        }
        for &cluster in &near {
            rating[cluster] = 0.0;
        }
    }
    let mut number = vec![usize::MAX; n];
    let mut count = 0;
    let map: Vec<GroupId> = cluster_of
        .iter()
        .map(|&cluster| {
            if number[cluster] == usize::MAX {
                number[cluster] = count;
                count += 1;
            }
            number[cluster]
        })
        .collect();
    (((n - count) as f64) > LEAST_SHRINKING * n as f64).then(|| Coarse::of(board, site, (map, count)))
}

/// The placement of the coarse groups that a placement of the finer ones within the clusters stands for.
pub(super) fn lift(coarse: &Coarse, placement: &[u32]) -> Vec<u32> {
    let mut lifted = vec![0; coarse.board.groups];
    for (&group, &device) in coarse.map.iter().zip(placement) {
        lifted[group] = device;
    }
    lifted
}

/// Groups by their distance from one end of the graph, walked breadth-first: what is far apart in the program's data is
/// far apart here, and forward and backward ops of a layer are neighbours.
pub(super) fn breadth_first(board: &Board, from: GroupId) -> Vec<GroupId> {
    let mut seen = vec![false; board.groups];
    let mut order = walk_from(board, from, &mut seen);
    // From the group reached last, which is at one end; then what is not connected with it.
    let end = order.last().copied().unwrap_or(from);
    seen.fill(false);
    order = walk_from(board, end, &mut seen);
    for group in 0..board.groups {
        if !seen[group] {
            order.extend(walk_from(board, group, &mut seen));
        }
    }
    order
}

fn walk_from(board: &Board, from: GroupId, seen: &mut [bool]) -> Vec<GroupId> {
    /// On a coarse board a net over many groups joins what is far apart.
    const NARROW: usize = 12;
    let mut order = vec![from];
    seen[from] = true;
    let mut at = 0;
    while at < order.len() {
        for &net in board.nets_of.of(order[at]) {
            let ends = board.ends.of(net as usize);
            if ends.len() > NARROW {
                continue;
            }
            for &end in ends {
                let end = end as usize;
                if !seen[end] {
                    seen[end] = true;
                    order.push(end);
                }
            }
        }
        at += 1;
    }
    order
}

/// Runs of an order on one of these devices after the other, in proportion to what each can do; rules hold.
pub(super) fn runs(board: &Board, site: &Site, (order, team): (&[GroupId], &[usize])) -> Vec<u32> {
    let total =
        |row: usize| (0..board.groups).map(|group| board.seconds[group * board.rows + row]).sum::<f64>();
    let totals: Vec<f64> = (0..board.rows).map(total).collect();
    let speed = |device: usize| 1.0 / totals[site.row_of[device]].max(f64::MIN_POSITIVE);
    let all: f64 = team.iter().map(|&device| speed(device)).sum();
    let work: f64 = (0..board.groups).map(|group| board.least_seconds(group)).sum();
    let mut placement = vec![0; board.groups];
    let (mut at, mut done) = (0, 0.0);
    let mut until = speed(team[0]) / all;
    for &group in order {
        let seconds = board.least_seconds(group);
        while at + 1 < team.len() && work > 0.0 && (done + 0.5 * seconds) / work > until {
            at += 1;
            until += speed(team[at]) / all;
        }
        done += seconds;
        placement[group] = board.pins[group].map_or(team[at], |pinned| pinned.0) as u32;
    }
    placement
}
