//! Simulated annealing over placements: moves of single groups, swaps, and whole clusters.

use ballast_dag::anneal::Cooling;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::board::{Board, GroupId, Site};
use super::moves::{grow, target};
use super::policy::{INPUTS, Policy, Source};
use super::state::{Pressed, State, Worth};

/// Odds of moves of annealing: a single group, a swap, a cluster, and a single group and a cluster at a net that is cut. A cluster takes tens of
/// times as long as a single group; under caps, where one group alone seldom makes room, it is worth that.
const ODDS: [u32; 5] = [6, 1, 1, 8, 2];
const ODDS_UNDER_CAPS: [u32; 5] = [9, 4, 3, 2, 2];
/// Moves between two looks at the clock.
const BETWEEN_LOOKS: u64 = 4096;

/// What it costs to move a group and take that back, and to find that a net is not cut, in units of a move of one group: measured.
const COST_OF_GROUP: f32 = 0.7;
const COST_OF_TRY: f32 = 0.1;
/// Groups of a cluster, at least and at most.
const ANY_SIZE: (usize, usize) = (2, 64);

/// One run from `start`: the best placement met, its value, and the moves tried. `go_on` is asked every few thousand moves.
pub(super) fn anneal(
    board: &Board,
    site: &Site,
    start: &[u32],
    cooling: Cooling,
    seed: u64,
    mover: &mut Option<Policy>,
    go_on: &dyn Fn() -> bool,
) -> (f64, Vec<u32>, u64) {
    let mut walk = Walk::new(board, site, start, cooling.power, seed);
    let (factor, mut temperature) = (cooling.factor(), cooling.hot);
    let mut tried = 0;
    while tried < cooling.moves && board.groups > 0 && site.devices > 1 {
        if tried % BETWEEN_LOOKS == 0 {
            walk.state.recount();
            walk.refresh();
            if !go_on() {
                break;
            }
        }
        if cooling.forgets_at(tried) {
            walk.forget();
        }
        match mover {
            Some(policy) => walk.proposed_step(policy, temperature),
            None => walk.step(temperature),
        }
        temperature *= factor;
        tried += 1;
    }
    (walk.value, walk.best, tried)
}

struct Walk<'a> {
    board: &'a Board,
    site: &'a Site,
    state: State<'a>,
    random: ChaCha8Rng,
    power: i32,
    /// Of every device: load with memory priced in, and its energy.
    pressed: Vec<Pressed>,
    energy: Vec<f64>,
    /// Value of the best placement met, and its slowest device, to which energies are relative.
    value: f64,
    scale: f64,
    best: Vec<u32>,
    /// Groups that have moved since the best placement was copied, and whether a group is among them.
    moved: Vec<u32>,
    has_moved: Vec<bool>,
    /// Marks groups already in the cluster being built.
    marked: Vec<bool>,
    cluster: Vec<GroupId>,
    loads: Vec<f64>,
    /// Of the last move tried: what it gained, in units of the temperature, and what trying it cost, in units of a decision.
    gain: f32,
    cost: f32,
}

impl<'a> Walk<'a> {
    fn new(board: &'a Board, site: &'a Site, start: &[u32], power: i32, seed: u64) -> Self {
        let state = State::new(board, site, start);
        let worth = state.worth();
        let devices = site.devices;
        let mut walk = Walk {
            board,
            site,
            value: worth.value,
            scale: worth.seconds,
            state,
            random: ChaCha8Rng::seed_from_u64(seed),
            power,
            pressed: vec![Pressed::default(); devices],
            energy: vec![0.0; devices],
            best: start.to_vec(),
            moved: Vec::new(),
            has_moved: vec![false; board.groups],
            marked: vec![false; board.groups],
            cluster: Vec::new(),
            loads: vec![0.0; devices],
            gain: 0.0,
            cost: 0.0,
        };
        walk.refresh();
        walk
    }

    /// Takes the placement as it is for the best.
    fn forget(&mut self) {
        self.value = f64::INFINITY;
        self.keep_best();
    }

    fn refresh(&mut self) {
        for device in 0..self.site.devices {
            self.reprice(device);
        }
    }

    fn reprice(&mut self, device: usize) {
        self.set(device, self.state.pressed_now(device));
    }

    fn set(&mut self, device: usize, pressed: Pressed) {
        (self.pressed[device], self.energy[device]) = (pressed, self.energy_of(pressed));
    }

    fn energy_of(&self, pressed: Pressed) -> f64 {
        pressed.energy(self.scale, self.power)
    }

    fn step(&mut self, temperature: f64) {
        let group = self.random.random_range(0..self.board.groups);
        let odds = if self.site.caps.is_some() { &ODDS_UNDER_CAPS } else { &ODDS };
        let drawn = self.random.random_range(0..odds.iter().sum());
        // Sums of the odds up to each kind: the first that lies above the number drawn.
        let kind = odds.iter().scan(0, |sum, odds| {
            *sum += odds;
            Some(*sum)
        });
        let at_border = |walk: &mut Self| walk.border().unwrap_or((group, walk.state.device_of(group)));
        match kind.take_while(|&sum| sum <= drawn).count() {
            0 => {
                let to = target(&self.state, group, &mut self.random);
                self.try_single(group, to, temperature);
            }
            1 => self.try_swap(group, temperature),
            2 => {
                let to = target(&self.state, group, &mut self.random);
                self.try_cluster(group, to, ANY_SIZE, temperature);
            }
            3 => {
                let (group, to) = at_border(self);
                self.try_single(group, to, temperature);
            }
            _ => {
                let (group, to) = at_border(self);
                self.try_cluster(group, to, ANY_SIZE, temperature);
            }
        }
    }

    /// A move of one group, and where that is refused, of more with it, as the policy proposes; the temperature decides.
    fn proposed_step(&mut self, policy: &mut Policy, temperature: f64) {
        let source = policy.source(temperature, self.is_last(), &mut self.random);
        (self.gain, self.cost) = (0.0, 1.0);
        let drawn = if source == Source::Border { self.border() } else { None };
        let (group, to) = drawn.unwrap_or_else(|| {
            let group = self.random.random_range(0..self.board.groups);
            (group, target(&self.state, group, &mut self.random))
        });
        let from = self.state.device_of(group);
        if source == Source::Swap {
            self.try_swap(group, temperature);
        } else if from != to && self.board.runs(group, to) {
            let inputs = self.described(group, to, drawn.is_some(), temperature);
            self.try_single(group, to, temperature);
            if self.state.device_of(group) == from {
                let before = self.cost;
                let action = policy.act(&inputs, &mut self.random);
                if let Some(sizes) = action.sizes() {
                    self.try_cluster(group, to, sizes, temperature);
                }
                policy.learn(&inputs, action, self.gain, self.cost - before);
            }
        }
        policy.learn_source(source, self.gain, self.cost);
    }

    /// Does the energy look at the largest loads alone?
    fn is_last(&self) -> bool {
        self.power > 12
    }

    /// What the network sees of a group that may move: numbers between about -1 and 1.
    fn described(&mut self, group: GroupId, to: usize, at_border: bool, temperature: f64) -> [f32; INPUTS] {
        let from = self.state.device_of(group);
        let change = self.state.change(group, to);
        let (on_from, on_to) = self.state.pressed_after(group, to, &change);
        let less = self.energy_of(on_from) - self.energy[from];
        let more = self.energy_of(on_to) - self.energy[to];
        let power = f64::from(self.power);
        let squashed = |x: f64| (x / (1.0 + x.abs())) as f32;
        let of_load = |seconds: f64| squashed(seconds * power / self.scale);
        [
            (temperature.ln() as f32 + 4.0) / 3.0,
            if self.is_last() { 1.0 } else { 0.0 },
            if at_border { 1.0 } else { 0.0 },
            squashed((self.pressed[from].counted(self.scale) - 1.0) * power),
            squashed((self.pressed[to].counted(self.scale) - 1.0) * power),
            squashed((less + more) / temperature),
            squashed(less / temperature),
            of_load(change.on_from),
            of_load(change.on_to),
            of_load(self.board.seconds[group * self.board.rows + self.site.row_of[to]]),
            (self.board.nets_of.of(group).len() as f32 + 1.0).ln() / 4.0,
            self.state.more_over(from, to, &change),
        ]
    }

    /// A group on a net that is cut, and the device of another end of it.
    fn border(&mut self) -> Option<(GroupId, usize)> {
        const TRIES: usize = 16;
        for _ in 0..TRIES.min(self.board.nets.len()) {
            let ends = self.board.ends.of(self.random.random_range(0..self.board.nets.len()));
            let group = ends[self.random.random_range(0..ends.len())] as usize;
            let other = ends[self.random.random_range(0..ends.len())] as usize;
            let to = self.state.device_of(other);
            if to != self.state.device_of(group) {
                return Some((group, to));
            }
            self.cost += COST_OF_TRY;
        }
        None
    }

    /// What a move may add to the energy, drawn beforehand where it takes long to find out what it adds: most moves add too much by their loads alone.
    fn limit(&mut self, temperature: f64) -> f64 {
        if self.state.exact() { -temperature * self.random.random::<f64>().ln() } else { f64::INFINITY }
    }

    fn accepts(&mut self, change: f64, limit: f64, temperature: f64) -> bool {
        match self.state.exact() {
            true => change <= limit,
            false => change <= 0.0 || self.random.random::<f64>() < (-change / temperature).exp(),
        }
    }

    fn try_single(&mut self, group: GroupId, to: usize, temperature: f64) {
        let from = self.state.device_of(group);
        if from == to || !self.board.runs(group, to) {
            return;
        }
        if !self.site.uniform {
            self.try_all(&[(group, to)], temperature);
            return;
        }
        let mut change = self.state.added(group, to);
        let limit = self.limit(temperature);
        if self.state.exact() {
            let (mut on_from, mut on_to) = self.state.pressed_after(group, to, &change);
            let freed = self.state.bytes_of(group);
            on_from.seconds = on_from.seconds.max(self.pressed[from].less(freed) + change.on_from);
            on_to.seconds = on_to.seconds.max(self.pressed[to].seconds + change.on_to);
            let refused = |walk: &Self, on_from: Pressed, on_to: Pressed| {
                walk.energy_of(on_from) + walk.energy_of(on_to) - walk.energy[from] - walk.energy[to] > limit
            };
            if refused(self, on_from, on_to) {
                return;
            }
            self.state.hold_exactly(group, to, &mut change);
            self.state.lose(group, to, &mut change, true);
            let (on_from, on_to) = self.state.pressed_after(group, to, &change);
            if refused(self, on_from, on_to) {
                return;
            }
            self.state.lose(group, to, &mut change, false);
        }
        let (on_from, on_to) = self.state.pressed_after(group, to, &change);
        let change = self.energy_of(on_from) + self.energy_of(on_to) - self.energy[from] - self.energy[to];
        if self.accepts(change, limit, temperature) {
            self.gain = (-change / temperature).max(0.0) as f32;
            self.state.relocate(group, to);
            self.note(group);
            self.set(from, on_from);
            self.set(to, on_to);
            self.keep_best();
        }
    }

    fn try_swap(&mut self, group: GroupId, temperature: f64) {
        let other = self.random.random_range(0..self.board.groups);
        let (from, to) = (self.state.device_of(group), self.state.device_of(other));
        if from != to && self.board.runs(group, to) && self.board.runs(other, from) {
            self.try_all(&[(group, to), (other, from)], temperature);
        }
    }

    /// Moves a group with some of its neighbours on the same device, grown along nets.
    fn try_cluster(&mut self, seed: GroupId, to: usize, sizes: (usize, usize), temperature: f64) {
        let from = self.state.device_of(seed);
        if from == to {
            return;
        }
        let largest = (self.board.groups / 4).clamp(2, sizes.1);
        let least = sizes.0.min(largest);
        let size = least + (self.random.random::<f64>().powi(2) * (largest - least + 1) as f64) as usize;
        let mut cluster = std::mem::take(&mut self.cluster);
        grow(&self.state, seed, size, (&mut cluster, &mut self.marked), &mut self.random);
        if cluster.iter().all(|&group| self.board.runs(group, to)) {
            let moves: Vec<(GroupId, usize)> = cluster.iter().map(|&group| (group, to)).collect();
            self.try_all(&moves, temperature);
        }
        self.cluster = cluster;
    }

    /// Makes moves between two devices, and takes them back unless they are accepted.
    fn try_all(&mut self, moves: &[(GroupId, usize)], temperature: f64) {
        self.loads.copy_from_slice(self.state.loads());
        let from = self.state.device_of(moves[0].0);
        let to = moves[0].1;
        for &(group, to) in moves {
            self.state.relocate_but_timelines(group, to);
        }
        self.cost += COST_OF_GROUP * moves.len() as f32;
        let limit = self.limit(temperature);
        // With unequal links the readers on third devices receive at another price.
        let touched = if self.site.uniform { vec![from, to] } else { (0..self.site.devices).collect() };
        let mut after: Vec<(usize, Pressed)> =
            touched.into_iter().map(|device| (device, self.about_least(device, moves))).collect();
        let energy =
            |walk: &Self, (device, pressed): (usize, Pressed)| walk.energy_of(pressed) - walk.energy[device];
        let mut change: f64 = after.iter().map(|&now| energy(self, now)).sum();
        if self.state.exact() {
            // What is known to be too much needs no closer look, device by device.
            if change > limit {
                self.take_back(moves, from);
                return;
            }
            moves.iter().for_each(|&(group, _)| self.state.settle(group));
            for now in after.iter_mut().rev() {
                change -= energy(self, *now);
                now.1 = self.state.pressed_now(now.0);
                change += energy(self, *now);
                if change > limit {
                    self.take_back(moves, from);
                    return;
                }
            }
        }
        if self.accepts(change, limit, temperature) {
            self.gain = (-change / temperature).max(0.0) as f32;
            for &(group, _) in moves {
                self.note(group);
            }
            for (device, pressed) in after {
                self.set(device, pressed);
            }
            self.keep_best();
        } else {
            self.take_back(moves, from);
        }
    }

    /// What a device comes to after moves; where what it holds takes long to find out, about the least.
    fn about_least(&self, device: usize, moves: &[(GroupId, usize)]) -> Pressed {
        if !self.state.exact() {
            return self.state.pressed_now(device);
        }
        let leaves = |&&(_, to): &&(GroupId, usize)| to != device;
        let freed = moves.iter().filter(leaves).map(|&(group, _)| self.state.bytes_of(group)).sum();
        self.state.about_least(device, (self.pressed[device], self.loads[device]), freed)
    }

    /// Moves between two devices, the first from this one, back to where they were.
    fn take_back(&mut self, moves: &[(GroupId, usize)], from: usize) {
        for &(group, to) in moves.iter().rev() {
            let back = if to == from { moves[0].1 } else { from };
            self.state.relocate(group, back);
        }
        self.state.restore(&self.loads);
    }

    fn note(&mut self, group: GroupId) {
        if !self.has_moved[group] {
            self.has_moved[group] = true;
            self.moved.push(group as u32);
        }
    }

    fn keep_best(&mut self) {
        let worth = Worth::of(self.state.loads().iter().copied().zip(self.pressed.iter().copied()));
        if worth.value >= self.value * (1.0 - 1e-9) {
            return;
        }
        (self.value, self.scale) = (worth.value, worth.seconds);
        for group in self.moved.drain(..) {
            self.has_moved[group as usize] = false;
            self.best[group as usize] = self.state.placement()[group as usize];
        }
        // Energies are relative to the best placement.
        for device in 0..self.site.devices {
            self.energy[device] = self.energy_of(self.pressed[device]);
        }
    }
}
