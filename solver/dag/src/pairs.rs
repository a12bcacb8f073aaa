//! Contiguous plans where the forward order has few ideals: dynamic programming over pairs of ideals.
//!
//! `best(J, used) = min over ideals I < J and kinds k of max(best(I, used - k), load of J - I on k)`
//! (Tarnawski et al., NeurIPS 2020, section 5). From every ideal that some chain reaches below the threshold, the
//! ideals above it are walked along the lattice, each once, with the load of the difference kept up group by group. Run
//! time plus tensors with an end in the difference and one in `I` only grow on the way, so what they rule out is not walked on.
//! Groups without order that are no elements of the lattice are relaxed as `floaters` tells.

use std::collections::HashMap;

use crate::chain::ChainGraph;
use crate::floaters::{Choice, Held, Mask, bits_of};
use crate::lattice::Lattice;
use crate::sum::Sum;

/// Relative slack for sums of work, so that rounding never excludes a plan.
const ROUNDING: f64 = 1e-9;

/// Memory the states of the program may take, in bytes.
const MEMORY_LIMIT_BYTES: usize = 600 << 20;

/// What the program found below a threshold.
pub(crate) struct PairsOutcome {
    /// The best plan below the threshold: its largest load, and the device of every group; none for groups that the
    /// relaxation leaves open.
    pub(crate) best: Option<(f64, Vec<Option<usize>>)>,
    /// Was everything seen? Then nothing below the threshold is better.
    pub(crate) complete: bool,
    /// Pairs of ideals looked at.
    pub(crate) steps: u64,
}

/// How a state was reached: the node, the kind of the last stage, the floaters it took.
#[derive(Clone, Copy, Default)]
struct Step {
    node: u32,
    kind: u8,
    taken: Mask,
}

/// What the walk has in the stage.
#[derive(Clone, Copy, Default)]
struct Sums {
    time: f64,
    bytes: f64,
    /// Cost of nets with an end in the stage and one below it.
    certain: f64,
    /// Cost of nets with an end in the stage and one elsewhere.
    crossing: Sum,
    /// Floaters on the nets with an end in the stage.
    tied: Mask,
}

struct Frame {
    next: usize,
    end: usize,
    group: usize,
    sums: Sums,
}

/// An ideal, and the floaters used below it that later stages could still be tied to.
#[derive(Clone, Copy)]
struct Node {
    ideal: usize,
    used: Mask,
}

/// The states of the program, and what a step between them costs.
pub(crate) struct Pairs<'a> {
    chain: &'a ChainGraph,
    lattice: &'a Lattice,
    /// Priced time of what is above an ideal.
    work_above: Vec<f64>,
    work_slack: f64,
    /// Devices used per kind in mixed radix: what one more of a kind adds, and how many codes there are.
    radix: Vec<usize>,
    codes: usize,
    /// Priced time of the devices that a code leaves unused.
    capacity_left: Vec<f64>,
    nodes: Vec<Node>,
    /// The nodes of every ideal; the first, without used floaters, has the ideal's number.
    with_floaters: Vec<Vec<u32>>,
    found: HashMap<(usize, Mask), u32>,
    /// Largest load so far, by node and code, and the step before.
    value: Vec<f64>,
    parent: Vec<Step>,
    threshold: f64,
    /// The last stage of the best chain, and the devices used before it.
    last: Option<(Step, usize)>,
    /// Ends of every net below the stage, in it, and at which number in it nothing of the net is elsewhere.
    below: Vec<u32>,
    inside: Vec<u32>,
    whole: Vec<u32>,
    choices: Vec<Choice>,
    steps: u64,
}

impl<'a> Pairs<'a> {
    /// Prepares the program over the lattice of the graph's walk; none where its states take too much memory.
    pub(crate) fn new(chain: &'a ChainGraph, lattice: &'a Lattice) -> Option<Self> {
        let (graph, prices) = (&chain.walk, &chain.prices);
        let mut radix = vec![1usize];
        for kind in &graph.kinds {
            radix.push(radix[radix.len() - 1].checked_mul(kind.count + 1)?);
        }
        let codes = radix[graph.kinds.len()];
        let states = codes.checked_mul(lattice.len())?;
        if states > MEMORY_LIMIT_BYTES / STATE_BYTES || graph.kinds.len() > usize::from(u8::MAX) {
            return None;
        }
        let used = |code: usize, kind: usize| code / radix[kind] % (graph.kinds[kind].count + 1);
        let left = |code: usize| {
            let of = |kind: usize| prices.price[kind] * (graph.kinds[kind].count - used(code, kind)) as f64;
            (0..graph.kinds.len()).map(of).sum()
        };
        let mut work_above = vec![0.0; lattice.len()];
        work_above[0] = prices.total;
        for ideal in 0..lattice.len() {
            for place in lattice.covers_of(ideal) {
                let (group, next) = lattice.cover(place);
                work_above[next] = work_above[ideal] - prices.work[group];
            }
        }
        let nets = graph.net_cost.len();
        Some(Pairs {
            work_above,
            work_slack: prices.total * ROUNDING,
            capacity_left: (0..codes).map(left).collect(),
            nodes: (0..lattice.len()).map(|ideal| Node { ideal, used: 0 }).collect(),
            with_floaters: vec![Vec::new(); lattice.len()],
            found: HashMap::new(),
            value: vec![f64::INFINITY; states],
            parent: vec![Step::default(); states],
            threshold: f64::INFINITY,
            last: None,
            below: vec![0; nets],
            inside: vec![0; nets],
            whole: (0..nets).map(|net| graph.pins.of(net).len() as u32).collect(),
            choices: Vec::new(),
            steps: 0,
            radix,
            codes,
            chain,
            lattice,
        })
    }

    /// Finds the contiguous plan of smallest value below `threshold`. `go_on` is asked now and then, with the number of
    /// steps taken so far.
    pub(crate) fn search(mut self, threshold: f64, go_on: &mut dyn FnMut(u64) -> bool) -> PairsOutcome {
        self.threshold = threshold;
        self.value[0] = 0.0;
        let mut seen = vec![u64::MAX; self.lattice.len()];
        let mut present = vec![0; self.lattice.bits(0).len()];
        let (mut open, mut walks) = (Vec::new(), 0);
        let mut complete = true;
        'ideals: for ideal in 0..self.lattice.len().saturating_sub(1) {
            for (node, live) in self.live(ideal) {
                self.go_to(ideal, &mut present);
                self.count_used(self.nodes[node].used, true);
                for kind in 0..self.chain.walk.kinds.len() {
                    let count = self.chain.walk.kinds[kind].count;
                    let free = |&&(code, _): &&(usize, f64)| code / self.radix[kind] % (count + 1) < count;
                    open.clear();
                    open.extend(live.iter().filter(free).copied());
                    walks += 1;
                    if !open.is_empty() && !self.walk(node, kind, &open, walks, &mut seen, go_on) {
                        complete = false;
                        break 'ideals;
                    }
                }
                self.count_used(self.nodes[node].used, false);
            }
        }
        let best = self.last.map(|(step, code)| (self.threshold, self.placement(step, code)));
        PairsOutcome { best, complete, steps: self.steps }
    }

    /// The nodes of an ideal with the states that are worth going on from: below the threshold, with room for the rest on
    /// the devices left, and no better with fewer devices and fewer floaters.
    fn live(&self, ideal: usize) -> Vec<(usize, Vec<(usize, f64)>)> {
        let mut nodes: Vec<usize> = self.with_floaters[ideal].iter().map(|&node| node as usize).collect();
        nodes.push(ideal);
        nodes.sort_by_key(|&node| (self.nodes[node].used.count_ones(), node));
        // The least value with no more devices of any kind and no other floaters, by node.
        let mut least: Vec<Vec<f64>> = Vec::with_capacity(nodes.len());
        let mut of_nodes = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            let values = &self.value[node * self.codes..(node + 1) * self.codes];
            let mut own = values.to_vec();
            let mut live = Vec::new();
            for code in 0..self.codes {
                let fewer = (0..self.chain.walk.kinds.len())
                    .filter(|&k| !(code / self.radix[k]).is_multiple_of(self.chain.walk.kinds[k].count + 1))
                    .map(|k| own[code - self.radix[k]])
                    .fold(f64::INFINITY, f64::min);
                let of_others = (0..at)
                    .filter(|&other| self.nodes[nodes[other]].used & !self.nodes[node].used == 0)
                    .map(|other| least[other][code])
                    .fold(fewer, f64::min);
                if values[code] < self.threshold && values[code] < of_others && self.fits(ideal, code) {
                    live.push((code, values[code]));
                }
                own[code] = own[code].min(of_others);
            }
            least.push(own);
            if !live.is_empty() {
                of_nodes.push((node, live));
            }
        }
        of_nodes
    }

    /// Could the devices that a code leaves unused take what is above an ideal, below the threshold?
    fn fits(&self, ideal: usize, code: usize) -> bool {
        let room = self.threshold * self.capacity_left[code] * (1.0 + ROUNDING);
        self.work_above[ideal] <= room + self.work_slack || room.is_nan()
    }

    /// Counts the ends of nets in an ideal, from those in the ideal `present`.
    fn go_to(&mut self, ideal: usize, present: &mut [u64]) {
        for (word, (old, &new)) in present.iter_mut().zip(self.lattice.bits(ideal)).enumerate() {
            for bit in bits_of(*old ^ new) {
                for &net in self.chain.walk.nets.of(word * 64 + bit) {
                    let below = &mut self.below[net as usize];
                    *below = if new >> bit & 1 == 1 { *below + 1 } else { *below - 1 };
                }
            }
            *old = new;
        }
    }

    /// Counts the ends of nets at floaters that stages below took, or takes them back.
    fn count_used(&mut self, used: Mask, add: bool) {
        for net in self.chain.floaters.nets_of(used) {
            for ends in [&mut self.below[net as usize], &mut self.whole[net as usize]] {
                *ends = if add { *ends + 1 } else { *ends - 1 };
            }
        }
    }

    /// Appends every stage on a device of one kind to the states `open` of a node.
    fn walk(
        &mut self,
        node: usize,
        kind: usize,
        open: &[(usize, f64)],
        stamp: u64,
        seen: &mut [u64],
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let (graph, of_nets) = (&self.chain.walk, self.chain.floaters.of_nets());
        let (factor, cap) = (graph.kinds[kind].transfer_factor, graph.kinds[kind].memory_bytes);
        let Node { ideal, used } = self.nodes[node];
        let root = self.lattice.covers_of(ideal);
        let mut sums = Sums::default();
        let mut frames = vec![Frame { next: root.start, end: root.end, group: usize::MAX, sums }];
        while let Some(frame) = frames.last_mut() {
            if frame.next == frame.end {
                if frame.group != usize::MAX {
                    graph.nets.of(frame.group).iter().for_each(|&net| self.inside[net as usize] -= 1);
                }
                sums = frame.sums;
                frames.pop();
                continue;
            }
            let (group, next) = self.lattice.cover(frame.next);
            frame.next += 1;
            if seen[next] == stamp {
                continue;
            }
            seen[next] = stamp;
            self.steps += 1;
            if self.steps.is_multiple_of(4096) && !go_on(self.steps) {
                return false;
            }
            let mut grown = sums;
            grown.time += graph.time(group, kind);
            grown.bytes += graph.size_bytes[group];
            if grown.bytes > cap || grown.time + factor * grown.certain >= self.threshold {
                continue;
            }
            for &net in graph.nets.of(group) {
                let net = net as usize;
                let cost = graph.net_cost[net];
                if self.inside[net] == 0 {
                    grown.crossing += cost;
                    grown.tied |= of_nets[net];
                    if self.below[net] > 0 {
                        grown.certain += cost;
                    }
                }
                self.inside[net] += 1;
                if self.inside[net] == self.whole[net] {
                    grown.crossing -= cost;
                }
            }
            let load = grown.time + factor * grown.crossing.value();
            let tied = grown.tied & !used;
            if load < self.threshold && tied == 0 {
                self.append(node, next, kind, Choice { load, taken: 0 }, open);
            } else if load < self.threshold {
                let held = Held {
                    time: grown.time,
                    crossing: grown.crossing,
                    bytes: grown.bytes,
                    inside: &self.inside,
                    whole: &self.whole,
                    tied,
                    used,
                };
                let mut choices = std::mem::take(&mut self.choices);
                self.chain.floaters.choices(graph, kind, &held, self.threshold, &mut choices);
                for &choice in &choices {
                    self.append(node, next, kind, choice, open);
                }
                self.choices = choices;
                if self.value.len() > MEMORY_LIMIT_BYTES / STATE_BYTES {
                    return false;
                }
            }
            let covers = self.lattice.covers_of(next);
            frames.push(Frame { next: covers.start, end: covers.end, group, sums });
            sums = grown;
            if sums.time + factor * sums.certain >= self.threshold
                && let Some(frame) = frames.last_mut()
            {
                frame.next = frame.end;
            }
        }
        true
    }

    /// One stage after the states `open` of a node.
    fn append(&mut self, node: usize, next: usize, kind: usize, choice: Choice, open: &[(usize, f64)]) {
        let step = Step { node: node as u32, kind: kind as u8, taken: choice.taken };
        let full = next + 1 == self.lattice.len();
        let mut target = None;
        for &(code, before) in open {
            let (value, after) = (before.max(choice.load), code + self.radix[kind]);
            if value >= self.threshold {
                continue;
            }
            if full {
                self.threshold = value;
                self.last = Some((step, code));
                continue;
            }
            if !self.fits(next, after) {
                continue;
            }
            let used = self.nodes[node].used | choice.taken;
            let target = *target.get_or_insert_with(|| self.node(next, used));
            let state = target * self.codes + after;
            if value < self.value[state] {
                self.value[state] = value;
                self.parent[state] = step;
            }
        }
    }

    /// The node of an ideal with these floaters used below it.
    fn node(&mut self, ideal: usize, used: Mask) -> usize {
        if used == 0 {
            return ideal;
        }
        let used = self.chain.floaters.still_tied(used, self.lattice.bits(ideal));
        if used == 0 {
            return ideal;
        }
        let fresh = self.nodes.len() as u32;
        let node = *self.found.entry((ideal, used)).or_insert(fresh);
        if node == fresh {
            self.nodes.push(Node { ideal, used });
            self.with_floaters[ideal].push(node);
            self.value.extend(std::iter::repeat_n(f64::INFINITY, self.codes));
            self.parent.extend(std::iter::repeat_n(Step::default(), self.codes));
        }
        node as usize
    }

    /// Reads the best chain back into a device per group.
    fn placement(&self, mut step: Step, mut code: usize) -> Vec<Option<usize>> {
        let kinds = &self.chain.walk.kinds;
        let mut placement = vec![None; self.chain.graph.len()];
        let mut above = self.lattice.bits(self.lattice.len() - 1);
        loop {
            let kind = usize::from(step.kind);
            let first: usize = kinds[..kind].iter().map(|kind| kind.count).sum();
            let device = first + code / self.radix[kind] % (kinds[kind].count + 1);
            let below = self.lattice.bits(self.nodes[step.node as usize].ideal);
            for (g, &group) in self.chain.walk_groups.iter().enumerate() {
                if (above[g / 64] & !below[g / 64]) >> (g % 64) & 1 == 1 {
                    placement[group] = Some(device);
                }
            }
            for bit in bits_of(step.taken) {
                placement[self.chain.floating[bit]] = Some(device);
            }
            if code == 0 {
                return placement;
            }
            above = below;
            step = self.parent[step.node as usize * self.codes + code];
            code -= self.radix[usize::from(step.kind)];
        }
    }
}

/// Bytes of one state.
const STATE_BYTES: usize = size_of::<f64>() + size_of::<Step>();
