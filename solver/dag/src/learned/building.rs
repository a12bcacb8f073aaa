//! A placement under construction: loads so far, what may come next, and what a policy knows about it.

use crate::learned::board::Board;
use crate::problem::PlanClass;

/// Numbers that describe putting the next group on one device.
pub const FEATURES: usize = 32;

/// Groups placed so far along the board's order.
#[derive(Clone)]
pub struct Building<'a> {
    board: &'a Board,
    /// Device of every group; those from `at` on in the order have none.
    placement: Vec<usize>,
    at: usize,
    load: Vec<f64>,
    bytes: Vec<f64>,
    used: Vec<bool>,
    /// Devices that hold ends of a net, and its ends not placed yet.
    touched: Vec<Vec<u32>>,
    unplaced: Vec<u32>,
    /// Cost of the open nets that only this device holds, per device: paid if another one gets the rest.
    pending: Vec<f64>,
    /// `before[a * devices + b]`: forward nodes on `b` wait for `a`, at once or by others.
    before: Vec<bool>,
    last: usize,
}

impl<'a> Building<'a> {
    /// Nothing is placed.
    #[must_use]
    pub fn new(board: &'a Board) -> Self {
        let (groups, devices) = (board.graph.len(), board.devices());
        let nets = board.graph.net_cost.len();
        Building {
            board,
            placement: vec![usize::MAX; groups],
            at: 0,
            load: vec![0.0; devices],
            bytes: vec![0.0; devices],
            used: vec![false; devices],
            touched: vec![Vec::new(); nets],
            unplaced: (0..nets).map(|net| board.graph.pins.of(net).len() as u32).collect(),
            pending: vec![0.0; devices],
            before: vec![false; devices * devices],
            last: usize::MAX,
        }
    }

    /// Is every group placed?
    #[must_use]
    pub fn finished(&self) -> bool {
        self.at == self.board.order.len()
    }

    /// Device of every group, once finished.
    #[must_use]
    pub fn placement(&self) -> &[usize] {
        &self.placement
    }

    /// Largest load so far, in units of the board.
    #[must_use]
    pub fn max_load(&self) -> f64 {
        self.load.iter().copied().fold(0.0, f64::max) / self.board.unit
    }

    fn factor(&self, device: usize) -> f64 {
        self.board.graph.kinds[self.board.kind_of[device]].transfer_factor
    }

    /// What the device gets, and the largest load of another device that has to pay more.
    fn added(&self, group: usize, device: usize) -> (f64, f64) {
        let graph = &self.board.graph;
        let mut own = graph.time(group, self.board.kind_of[device]);
        let mut others: Vec<(usize, f64)> = Vec::new();
        for &net in graph.nets.of(group) {
            let (touched, cost) = (&self.touched[net as usize], graph.net_cost[net as usize]);
            if touched.is_empty() || touched.contains(&(device as u32)) {
                continue;
            }
            own += self.factor(device) * cost;
            if let [only] = touched[..] {
                let only = only as usize;
                match others.iter_mut().find(|other| other.0 == only) {
                    Some(other) => other.1 += self.factor(only) * cost,
                    None => others.push((only, self.factor(only) * cost)),
                }
            }
        }
        let most = others.iter().map(|&(other, more)| self.load[other] + more).fold(0.0, f64::max);
        (own, most)
    }

    /// May the next group be on a device? Of unused devices of a kind only the first is offered.
    fn may(&self, group: usize, device: usize) -> bool {
        let (graph, kind) = (&self.board.graph, self.board.kind_of[device]);
        let devices = self.board.devices();
        if graph.time(group, kind).is_infinite() {
            return false;
        }
        let cap = graph.kinds[kind].memory_bytes;
        if self.bytes[device] + graph.size_bytes[group] > cap {
            return false;
        }
        if !self.used[device]
            && (0..device).any(|earlier| self.board.kind_of[earlier] == kind && !self.used[earlier])
        {
            return false;
        }
        if self.board.class == PlanClass::Contiguous {
            let waits = |from: usize, to: usize| self.before[from * devices + to];
            // Along a topological order only writers are placed already.
            let mut writers = graph.predecessors.of(group).iter().map(|&g| self.placement[g as usize]);
            return !writers.any(|from| from != device && waits(device, from));
        }
        true
    }

    /// May the next group be on a device?
    #[must_use]
    pub fn allows(&self, device: usize) -> bool {
        self.board.order.get(self.at).is_some_and(|&group| self.may(group, device))
    }

    /// Rows of features of all devices for the next group, and which devices it may be on.
    pub fn look(&self, rows: &mut Vec<f32>, allowed: &mut Vec<u8>) {
        let (board, graph) = (self.board, &self.board.graph);
        let (devices, unit) = (board.devices(), board.unit);
        let group = board.order[self.at];
        rows.clear();
        allowed.clear();
        let clipped = |x: f64, most: f64| if x.is_finite() { x.min(most) } else { most };
        let largest = self.load.iter().copied().fold(0.0, f64::max);
        let used = (0..devices).filter(|&device| self.used[device]);
        let least = used.map(|device| self.load[device]).fold(f64::INFINITY, f64::min);
        let mean = self.load.iter().sum::<f64>() / devices as f64;
        let net_cost: f64 = graph.nets.of(group).iter().map(|&net| graph.net_cost[net as usize]).sum();
        let best_time =
            (0..graph.kinds.len()).map(|kind| graph.time(group, kind)).fold(f64::INFINITY, f64::min);
        let writers = graph.predecessors.of(group);
        for device in 0..devices {
            let kind = board.kind_of[device];
            let time = graph.time(group, kind);
            let (own, others) = self.added(group, device);
            let after = (self.load[device] + own).max(others).max(largest);
            let cap = graph.kinds[kind].memory_bytes;
            let filled = |bytes: f64| if cap.is_finite() && cap > 0.0 { bytes / cap } else { 0.0 };
            let here: f64 = (graph.nets.of(group).iter())
                .filter(|&&net| self.touched[net as usize].contains(&(device as u32)))
                .map(|&net| graph.net_cost[net as usize])
                .sum();
            let written_here = writers.iter().filter(|&&g| self.placement[g as usize] == device).count();
            let of_kind = (0..devices).filter(|&d| board.kind_of[d] == kind);
            let unused = of_kind.clone().filter(|&d| !self.used[d]).count() as f64;
            let may = self.may(group, device);
            let features: [f64; FEATURES] = [
                clipped(self.load[device] / unit, 4.0),
                clipped((self.load[device] + own) / unit, 4.0),
                clipped(time / unit, 4.0),
                clipped((own - time).max(0.0) / unit, 4.0),
                clipped(others / unit, 4.0),
                clipped((after - largest) / unit, 2.0) * 4.0,
                filled(self.bytes[device]),
                filled(self.bytes[device] + graph.size_bytes[group]).min(2.0),
                if net_cost > 0.0 { here / net_cost } else { 0.0 },
                written_here as f64 / writers.len().max(1) as f64,
                f64::from(u8::from(self.used[device] && self.load[device] <= least)),
                f64::from(u8::from(self.used[device])),
                f64::from(u8::from(self.last == device)),
                board.done[self.at],
                clipped(self.pending[device] / unit, 4.0),
                clipped((1.0 - self.load[device] / unit).max(-2.0), 1.0),
                clipped(net_cost / unit, 4.0),
                clipped(board.cut[self.at], 4.0),
                clipped(board.cut[self.at] - board.cheapest[self.at][0], 2.0),
                clipped(board.cut[self.at] - board.cheapest[self.at][1], 2.0),
                clipped(board.cut[self.at] - board.cheapest[self.at][2], 2.0),
                f64::from(u8::from(graph.kinds[kind].transfer_factor == 0.0)),
                clipped((time / best_time.max(f64::MIN_POSITIVE)).max(1.0).ln(), 5.0) / 5.0,
                unused / of_kind.count() as f64,
                clipped(board.near_work[group][0], 2.0),
                clipped(board.near_work[group][1], 4.0),
                clipped(board.work[group], 2.0),
                clipped(largest / unit, 4.0),
                clipped(mean / unit, 4.0),
                (devices as f64).ln() / 4.0,
                f64::from(u8::from(board.class == PlanClass::Contiguous)),
                f64::from(u8::from(may)),
            ];
            rows.extend(features.map(|feature| feature as f32));
            allowed.push(u8::from(may));
        }
    }

    /// Puts the next group on a device that may have it.
    pub fn place(&mut self, device: usize) {
        let graph = &self.board.graph;
        let group = self.board.order[self.at];
        let devices = self.board.devices();
        self.load[device] += graph.time(group, self.board.kind_of[device]);
        self.bytes[device] += graph.size_bytes[group];
        self.used[device] = true;
        for &net in graph.nets.of(group) {
            let net = net as usize;
            let cost = graph.net_cost[net];
            let (own, unplaced) = (self.factor(device) * cost, &mut self.unplaced[net]);
            *unplaced -= 1;
            let open = *unplaced > 0;
            match self.touched[net][..] {
                [] => {
                    self.touched[net].push(device as u32);
                    self.pending[device] += if open { own } else { 0.0 };
                }
                [only] if only as usize == device => {
                    self.pending[device] -= if open { 0.0 } else { own };
                }
                [only] => {
                    let paid = self.factor(only as usize) * cost;
                    self.load[only as usize] += paid;
                    self.pending[only as usize] -= paid;
                    self.load[device] += own;
                    self.touched[net].push(device as u32);
                }
                _ => {
                    if !self.touched[net].contains(&(device as u32)) {
                        self.load[device] += own;
                        self.touched[net].push(device as u32);
                    }
                }
            }
        }
        self.placement[group] = device;
        if self.board.class == PlanClass::Contiguous {
            for &writer in graph.predecessors.of(group) {
                self.wait(self.placement[writer as usize], device, devices);
            }
        }
        self.last = device;
        self.at += 1;
    }

    fn wait(&mut self, from: usize, to: usize, devices: usize) {
        if from == to || self.before[from * devices + to] {
            return;
        }
        let reach = |from: usize, to: usize, before: &[bool]| from == to || before[from * devices + to];
        for a in 0..devices {
            for b in 0..devices {
                if reach(a, from, &self.before) && reach(to, b, &self.before) {
                    self.before[a * devices + b] = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::learned::graphs::random_problem;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn any_allowed_placement_passes_the_judge_with_the_loads_counted_here() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        let (mut finished, mut tried) = (0, 0);
        for _ in 0..60 {
            let problem = random_problem(&mut rng);
            for class in [PlanClass::Contiguous, PlanClass::Free] {
                let board = Board::new(&problem, class);
                let mut building = Building::new(&board);
                let (mut rows, mut allowed) = (Vec::new(), Vec::new());
                tried += 1;
                while !building.finished() {
                    building.look(&mut rows, &mut allowed);
                    assert!(rows.len() == FEATURES * allowed.len() && rows.iter().all(|x| x.is_finite()));
                    let open: Vec<usize> = (0..allowed.len()).filter(|&d| allowed[d] != 0).collect();
                    if open.is_empty() {
                        break;
                    }
                    building.place(open[rng.random_range(0..open.len())]);
                }
                if building.finished() {
                    let verdict = check(&problem, class, &board.assignment(building.placement()));
                    let max_load = verdict.expect("a plan").max_load;
                    let counted = building.max_load() * board.unit;
                    assert!((max_load - counted).abs() <= 1e-6 * max_load, "{max_load} {counted}");
                    assert!(building.pending.iter().all(|pending| pending.abs() <= 1e-6 * max_load));
                    finished += 1;
                }
            }
        }
        assert!(finished * 2 > tried, "{finished} of {tried}");
    }
}
