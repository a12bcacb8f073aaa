//! First plans with swaps, for any cap that the largest working set keeps: values leave when room is needed, and come
//! back when they are read.
//!
//! The first runs are walked in order. Where the next one does not fit, values not read by it leave, in the order of a
//! [`Policy`]; how one comes back is decided only at its next use, when it is known what is there: it is made again
//! or copied back from the host, whichever takes less time. As a swap-out right after the run that makes a value
//! holds no memory the value does not hold anyway, it can be added afterwards, and the walk never turns back. Where every
//! value may be swapped, the plan keeps every cap that has a plan at all.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use ballast_core::limits::Deadline;
use ballast_core::memory::SwapModel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::program::{Again, Plan, Program, Slot};

/// Who leaves first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Policy {
    /// The value read again last (Belady 1966).
    Farthest,
    /// The value that comes back cheapest, per byte.
    Cheapest,
    /// The value that comes back cheapest, per byte and position over the cap that it is away for.
    CheapestAway,
}

impl Policy {
    /// All of them.
    pub(crate) const ALL: [Policy; 3] = [Policy::Farthest, Policy::Cheapest, Policy::CheapestAway];
}

/// Most nodes looked at to price one value.
const DEPTH: u32 = 48;

/// Positions between two looks at the clock.
const STRIDE: Slot = 256;

/// A plan by a policy, whose order `noise` disturbs: prices are multiplied by up to `1 + noise`. It may be over the cap where
/// values must not be swapped. None once the deadline is over, but by [`Policy::Farthest`] without noise: that one takes time
/// proportional to the program, so that there always is a first plan.
pub(crate) fn page(
    program: &Program,
    swap: &SwapModel,
    policy: Policy,
    noise: f64,
    seed: u64,
    deadline: &Deadline,
) -> Option<Plan> {
    let mut pager = Pager::new(program, swap, policy, noise > 0.0);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    if noise > 0.0 {
        pager.bias.iter_mut().for_each(|bias| *bias = 1.0 + noise * rng.random::<f64>());
    }
    for at in 0..program.len() as Slot {
        if pager.queue.is_none() && at % STRIDE == 0 && deadline.over() {
            return None;
        }
        pager.step(at);
    }
    pager.plan.again.sort_unstable();
    pager.plan.out.sort_unstable();
    pager.plan.back.sort_unstable();
    Some(pager.plan)
}

struct Pager<'a> {
    program: &'a Program,
    swap: &'a SwapModel,
    policy: Policy,
    /// Factor on the price of each value.
    bias: Vec<f64>,
    /// Positions over the cap before each position, nothing planned.
    over_before: Vec<u32>,
    /// Readers already passed.
    passed: Vec<u32>,
    there: Vec<bool>,
    hosted: Vec<bool>,
    /// Values on the device, unordered, and the index of each there.
    resident: Vec<Slot>,
    place: Vec<u32>,
    /// Those of them that may leave by their next use, where nothing else decides: the last one leaves first, of equal ones the
    /// smallest.
    queue: Option<BTreeSet<(Slot, Reverse<Slot>)>>,
    held: f64,
    /// Bytes of the values on the device that may leave.
    loose: f64,
    plan: Plan,
}

/// How a value comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Again,
    Copied,
}

impl<'a> Pager<'a> {
    fn new(program: &'a Program, swap: &'a SwapModel, policy: Policy, is_disturbed: bool) -> Self {
        let n = program.len();
        let mut over_before = vec![0];
        over_before.extend(program.unplanned().iter().scan(0, |count, &bytes| {
            *count += u32::from(bytes > program.cap);
            Some(*count)
        }));
        Pager {
            program,
            swap,
            policy,
            bias: vec![1.0; n],
            over_before,
            passed: vec![0; n],
            there: vec![false; n],
            hosted: vec![false; n],
            resident: Vec::new(),
            place: vec![0; n],
            queue: (policy == Policy::Farthest && !is_disturbed).then(BTreeSet::new),
            held: 0.0,
            loose: 0.0,
            plan: Plan::default(),
        }
    }

    fn step(&mut self, at: Slot) {
        let program = self.program;
        let missing: Vec<Slot> =
            program.inputs(at).iter().copied().filter(|&input| !self.there[input as usize]).collect();
        let own = program.size[at as usize];
        let workspace = program.workspace[at as usize];
        let mut back = self.bring_back(at, &missing, true);
        let mut needed = self.needed(&back, workspace) + own;
        let spare = |pager: &Self, back: &[(Slot, Way)], needed: f64| {
            pager.evictable(at, back) + program.cap >= pager.held + needed
        };
        if !missing.is_empty() && !spare(self, &back, needed) {
            back = self.bring_back(at, &missing, false);
            needed = self.needed(&back, workspace) + own;
        }
        self.make_room(at, &back, needed);
        for &(slot, way) in &back {
            match way {
                Way::Again => self.plan.again.push(Again { position: at, round: 0, slot }),
                Way::Copied => {
                    if !std::mem::replace(&mut self.hosted[slot as usize], true) {
                        self.plan.out.push((slot, slot));
                    }
                    self.plan.back.push((at, slot));
                }
            }
            self.enter(slot);
        }
        self.enter(at);
        // What is read for the last time goes; so does what nobody reads.
        for &input in program.inputs(at) {
            self.unqueue(input);
            self.passed[input as usize] += 1;
            self.enqueue(input);
        }
        let mut at_hand: Vec<Slot> = program.inputs(at).to_vec();
        at_hand.extend(back.iter().map(|&(slot, _)| slot));
        at_hand.push(at);
        at_hand.retain(|&slot| self.next_use(slot).is_none());
        self.leave(&at_hand);
    }

    fn enter(&mut self, slot: Slot) {
        let size = self.program.size[slot as usize];
        self.there[slot as usize] = true;
        self.place[slot as usize] = self.resident.len() as u32;
        self.resident.push(slot);
        self.held += size;
        self.loose += if self.may_leave(slot) { size } else { 0.0 };
        self.enqueue(slot);
    }

    fn leave(&mut self, slots: &[Slot]) {
        for &slot in slots {
            if !self.there[slot as usize] {
                continue;
            }
            self.unqueue(slot);
            let size = self.program.size[slot as usize];
            self.there[slot as usize] = false;
            self.held -= size;
            self.loose -= if self.may_leave(slot) { size } else { 0.0 };
            let place = self.place[slot as usize];
            self.resident.swap_remove(place as usize);
            if let Some(&moved) = self.resident.get(place as usize) {
                self.place[moved as usize] = place;
            }
        }
    }

    /// Where a value stands in the queue, by its next use.
    fn turn(&self, slot: Slot) -> (Slot, Reverse<Slot>) {
        (self.next_use(slot).unwrap_or(self.program.len() as Slot), Reverse(slot))
    }

    fn enqueue(&mut self, slot: Slot) {
        let turn = self.turn(slot);
        if self.there[slot as usize]
            && self.may_leave(slot)
            && let Some(queue) = &mut self.queue
        {
            queue.insert(turn);
        }
    }

    fn unqueue(&mut self, slot: Slot) {
        let turn = self.turn(slot);
        if let Some(queue) = &mut self.queue {
            queue.remove(&turn);
        }
    }

    fn next_use(&self, slot: Slot) -> Option<Slot> {
        self.program.readers(slot).get(self.passed[slot as usize] as usize).copied()
    }

    /// What has to come back for the values missing at a position, inputs before what is made of them.
    fn bring_back(&self, at: Slot, missing: &[Slot], again: bool) -> Vec<(Slot, Way)> {
        let mut back: Vec<(Slot, Way)> = Vec::new();
        let mut seen: HashSet<Slot> = HashSet::new();
        let mut open: Vec<Slot> = missing.iter().copied().filter(|&slot| seen.insert(slot)).collect();
        while let Some(slot) = open.pop() {
            let way = self.way_back(slot, again);
            back.push((slot, way));
            if way == Way::Again {
                let gone = self.program.inputs(slot).iter().filter(|&&input| !self.there[input as usize]);
                open.extend(gone.filter(|&&input| seen.insert(input)));
            }
        }
        back.sort_unstable_by_key(|&(slot, way)| (way == Way::Again, slot));
        debug_assert!(back.iter().all(|&(slot, _)| slot < at));
        back
    }

    /// How a missing value comes back.
    fn way_back(&self, slot: Slot, again: bool) -> Way {
        let mut steps = DEPTH;
        if !self.program.swappable[slot as usize] {
            Way::Again
        } else if !again || !self.program.repeatable[slot as usize] {
            Way::Copied
        } else if self.again_time(slot, &mut steps, &|input| self.there[input as usize])
            < self.copy_time(slot)
        {
            Way::Again
        } else {
            Way::Copied
        }
    }

    /// Time of the copies that bring a value back.
    fn copy_time(&self, slot: Slot) -> f64 {
        let bytes = self.program.size[slot as usize] as u64;
        let out = if self.hosted[slot as usize] { 0.0 } else { self.swap.out_time(bytes) };
        out + self.swap.in_time(bytes)
    }

    /// Time to make a value again, of its inputs that are not there the cheaper way each; infinite if it must not run
    /// again or takes more than `steps` looks.
    fn again_time(&self, slot: Slot, steps: &mut u32, there: &dyn Fn(Slot) -> bool) -> f64 {
        if *steps == 0 || !self.program.repeatable[slot as usize] {
            return f64::INFINITY;
        }
        *steps -= 1;
        let mut time = self.program.time[slot as usize];
        for &input in self.program.inputs(slot) {
            if !there(input) {
                time += self.way_time(input, steps, there);
            }
        }
        time
    }

    fn way_time(&self, slot: Slot, steps: &mut u32, there: &dyn Fn(Slot) -> bool) -> f64 {
        let again = self.again_time(slot, steps, there);
        if self.program.swappable[slot as usize] { again.min(self.copy_time(slot)) } else { again }
    }

    /// Bytes claimed before the first run: everything that comes back, all at once.
    fn needed(&self, back: &[(Slot, Way)], workspace: f64) -> f64 {
        let program = self.program;
        let bytes: f64 = back.iter().map(|&(slot, _)| program.size[slot as usize]).sum();
        let most = back
            .iter()
            .filter(|(_, way)| *way == Way::Again)
            .map(|&(slot, _)| program.workspace[slot as usize])
            .fold(workspace, f64::max);
        bytes + most
    }

    /// Values that the runs of a position need where they are.
    fn in_use(&self, at: Slot, back: &[(Slot, Way)]) -> Vec<Slot> {
        let mut list: Vec<Slot> = self.program.inputs(at).to_vec();
        for &(slot, way) in back {
            if way == Way::Again {
                list.extend_from_slice(self.program.inputs(slot));
            }
        }
        list.sort_unstable();
        list
    }

    /// Bytes of the values that could leave.
    fn evictable(&self, at: Slot, back: &[(Slot, Way)]) -> f64 {
        let mut used = self.in_use(at, back);
        used.dedup();
        let bound = used.iter().filter(|&&slot| self.there[slot as usize] && self.may_leave(slot));
        self.loose - bound.map(|&slot| self.program.size[slot as usize]).sum::<f64>()
    }

    fn may_leave(&self, slot: Slot) -> bool {
        let slot = slot as usize;
        self.program.size[slot] > 0.0 && (self.program.swappable[slot] || self.program.repeatable[slot])
    }

    fn make_room(&mut self, at: Slot, back: &[(Slot, Way)], needed: f64) {
        let excess = self.held + needed - self.program.cap;
        if excess <= 0.0 {
            return;
        }
        let used = self.in_use(at, back);
        let (choice, mut freed) = self.choice(at, &used, excess);
        // A large one at the end may make small ones before it needless: the dearest of those stay.
        let mut leaving = Vec::new();
        for &slot in choice.iter().rev() {
            let size = self.program.size[slot as usize];
            if freed - size >= excess {
                freed -= size;
            } else {
                leaving.push(slot);
            }
        }
        self.leave(&leaving);
    }

    /// Values that leave, in their order, until so many bytes are free, and the bytes they free.
    fn choice(&self, at: Slot, used: &[Slot], excess: f64) -> (Vec<Slot>, f64) {
        let free = |slot: &Slot| used.binary_search(slot).is_err();
        let mut freed = 0.0;
        let mut choice = Vec::new();
        let mut take = |slot: Slot| {
            choice.push(slot);
            freed += self.program.size[slot as usize];
            freed >= excess
        };
        if let Some(queue) = &self.queue {
            let _ = queue.iter().rev().map(|&(_, Reverse(slot))| slot).filter(free).any(take);
            return (choice, freed);
        }
        let loose = self.resident.iter().copied().filter(|slot| self.may_leave(*slot) && free(slot));
        let mut priced: Vec<(f64, Slot)> = loose.map(|slot| (self.price(slot, at), slot)).collect();
        priced.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let _ = priced.iter().any(|&(_, slot)| take(slot));
        (choice, freed)
    }

    /// The order in which values leave, smallest first.
    fn price(&self, slot: Slot, at: Slot) -> f64 {
        let program = self.program;
        let next = self.next_use(slot).unwrap_or(program.len() as Slot);
        let bias = self.bias[slot as usize];
        if self.policy == Policy::Farthest {
            return -f64::from(next - at) / bias;
        }
        let mut steps = DEPTH;
        let still_read = |input: Slot| program.last_reader(input) >= next;
        let time = self.way_time(slot, &mut steps, &still_read) * bias / program.size[slot as usize];
        match self.policy {
            Policy::CheapestAway => {
                let away = self.over_before[next as usize] - self.over_before[at as usize];
                time / f64::from(away.max(1))
            }
            _ => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, Problem, expand, replay};
    use proptest::prelude::*;

    use super::*;

    fn link(bandwidth: f64) -> SwapModel {
        SwapModel {
            out_bandwidth: bandwidth,
            in_bandwidth: bandwidth,
            latency: 0.0,
            overlap: false,
            host_capacity_bytes: None,
        }
    }

    fn problem() -> impl Strategy<Value = Problem> {
        let node = (1u64..20, 0u64..6, 1u32..9, prop::collection::vec(0usize..1000, 0..4), any::<bool>());
        prop::collection::vec((node, prop::bool::weighted(0.1)), 2..40).prop_map(|nodes| Problem {
            name: "random".into(),
            nodes: nodes
                .into_iter()
                .enumerate()
                .map(|(id, ((bytes, workspace, time, inputs, again), keep))| {
                    let mut inputs: Vec<usize> =
                        inputs.into_iter().filter(|_| id > 0).map(|input| input % id.max(1)).collect();
                    inputs.sort_unstable();
                    inputs.dedup();
                    Node {
                        workspace_bytes: workspace,
                        recomputable: again,
                        keep,
                        ..Node::new(format!("n{id}"), f64::from(time), bytes, inputs)
                    }
                })
                .collect(),
            resident_bytes: 3,
        })
    }

    proptest! {
        /// Every cap that the largest working set keeps has a plan, and the judge takes it.
        #[test]
        fn the_largest_working_set_is_enough(problem in problem(), above in 0u64..20, bandwidth in 0.5f64..50.0) {
            let cap = problem.working_set().0 + above;
            let program = Program::new(&problem, None, cap);
            let never = Deadline::after(None);
            for (seed, policy) in Policy::ALL.into_iter().enumerate() {
                for noise in [0.0, 0.5] {
                    let plan = page(&program, &link(bandwidth), policy, noise, seed as u64, &never).expect("no limit");
                    let schedule = expand(&problem, &program.compact(&plan)).expect("a schedule");
                    let replay = replay(&problem, &schedule, Some(&link(bandwidth)), Some(cap));
                    prop_assert!(replay.is_ok(), "{policy:?}: {replay:?}");
                }
            }
        }
    }

    #[test]
    fn values_come_back_the_cheaper_way() {
        // Two values that have to leave: one takes 9 s to make and a byte to copy, the other the reverse.
        let mut nodes = vec![
            Node::new("dear", 9.0, 4, vec![]),
            Node::new("cheap", 1.0, 4, vec![]),
            Node::new("wide", 1.0, 8, vec![]),
        ];
        nodes.push(Node::new("last", 1.0, 0, vec![0, 1]));
        let problem = Problem { name: "two".into(), nodes, resident_bytes: 0 };
        let program = Program::new(&problem, None, 8);
        let never = Deadline::after(None);
        let plan = page(&program, &link(4.0), Policy::Cheapest, 0.0, 0, &never).expect("no limit");
        assert_eq!(plan.again.iter().map(|again| again.slot).collect::<Vec<_>>(), [1]);
        assert_eq!((plan.out, plan.back), (vec![(0, 0)], vec![(3, 0)]));
    }

    #[test]
    fn a_chain_as_long_as_the_program_comes_back_on_a_small_stack() {
        // None of the chain may be copied, and a wide op between makes all of it go.
        let length = 20_000_usize;
        let mut nodes: Vec<Node> = (0..=length)
            .map(|id| Node::new("link", 1.0, 1000, id.checked_sub(1).into_iter().collect::<Vec<_>>()))
            .collect();
        nodes.iter_mut().for_each(|node| node.swappable = false);
        nodes.push(Node { workspace_bytes: 1990, ..Node::new("wide", 1.0, 10, vec![]) });
        nodes.push(Node::new("last", 1.0, 10, vec![length, length + 1]));
        let problem = Problem { name: "deep".into(), nodes, resident_bytes: 0 };
        let program = Program::new(&problem, None, 2500);
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let again = std::thread::scope(|scope| {
            let work = || {
                let never = Deadline::after(None);
                page(&program, &link(1.0), Policy::Farthest, 0.0, 0, &never).expect("no limit").again.len()
            };
            small.spawn_scoped(scope, work).expect("a thread").join().expect("no overflow")
        });
        assert_eq!(again, length + 1);
    }
}
