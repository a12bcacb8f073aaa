//! Groups outside the forward order, in the search over chains of ideals.
//!
//! A group of backward nodes alone may go anywhere, and as an element of the lattice each would double the
//! number of ideals. Instead a stage takes such a *floater* only where a net ties it to the stage's groups; a
//! floater that no stage takes has all its nets cut and costs no device anything itself. That is a relaxation:
//! dropping, in any plan, the floaters without a tie on their device gives a case of it with no larger load.
//! Floaters left over are placed afterwards, and where that raises no load above the bound, the plan is optimal.

use crate::hypergraph::{GroupId, Hypergraph};
use crate::sum::Sum;

/// A set of floaters, by bits.
pub(crate) type Mask = u64;

/// Floaters of one stage whose subsets are tried in full.
const MOST_OPEN: usize = 12;

pub(crate) struct Floaters {
    /// Number of kinds.
    kinds: usize,
    time: Vec<f64>,
    size_bytes: Vec<f64>,
    /// Nets of every floater.
    nets: Vec<Vec<u32>>,
    /// Floaters of every net.
    of_net: Vec<Mask>,
    /// Ends of every net in the walk.
    walk_ends: Vec<u32>,
    /// For every floater, the walk's groups it is tied to over any number of floaters, as bits.
    reach: Vec<Vec<u64>>,
    /// No cap can be hit, so exchanges never break one.
    roomy: bool,
}

/// A stage as floaters see it.
#[derive(Clone, Copy)]
pub(crate) struct Held<'a> {
    /// Time of the stage without any floater.
    pub(crate) time: f64,
    /// Cost of the nets that leave it.
    pub(crate) crossing: Sum,
    /// Bytes of the stage.
    pub(crate) bytes: f64,
    /// Per net, how many of its ends in the walk are in the stage.
    pub(crate) inside: &'a [u32],
    /// Per net, the value of `inside` at which nothing of it is elsewhere.
    pub(crate) whole: &'a [u32],
    /// Floaters not used before that share a net with the stage.
    pub(crate) tied: Mask,
    /// Floaters used before.
    pub(crate) used: Mask,
}

/// One way a stage may take floaters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) load: f64,
    pub(crate) taken: Mask,
}

impl Floaters {
    /// `graph` has all groups, `floating` names at most 64 of them and `walk` is what
    /// [`Hypergraph::induced`] leaves without these.
    pub(crate) fn new(graph: &Hypergraph, walk: &Hypergraph, floating: &[GroupId]) -> Self {
        let kinds = graph.kinds.len();
        let mut of_net = vec![0; graph.net_cost.len()];
        for (bit, &group) in floating.iter().enumerate() {
            for &net in graph.nets.of(group) {
                of_net[net as usize] |= 1 << bit;
            }
        }
        let words = walk.len().div_ceil(64).max(1);
        let reach = (0..floating.len())
            .map(|start| {
                let mut bits = vec![0; words];
                let mut seen: Mask = 1 << start;
                let mut stack = vec![start];
                while let Some(at) = stack.pop() {
                    for &net in graph.nets.of(floating[at]) {
                        for &group in walk.pins.of(net as usize) {
                            bits[group as usize / 64] |= 1 << (group % 64);
                        }
                        let fresh = of_net[net as usize] & !seen;
                        seen |= fresh;
                        stack.extend(bits_of(fresh));
                    }
                }
                bits
            })
            .collect();
        let total: f64 = graph.size_bytes.iter().sum();
        Floaters {
            kinds,
            time: floating
                .iter()
                .flat_map(|&g| graph.time[g * kinds..(g + 1) * kinds].iter().copied())
                .collect(),
            size_bytes: floating.iter().map(|&g| graph.size_bytes[g]).collect(),
            nets: floating.iter().map(|&g| graph.nets.of(g).to_vec()).collect(),
            of_net,
            walk_ends: (0..walk.pins.len()).map(|net| walk.pins.of(net).len() as u32).collect(),
            reach,
            roomy: graph.kinds.iter().filter(|k| k.count > 0).all(|k| k.memory_bytes >= total),
        }
    }

    /// The floaters of every net.
    pub(crate) fn of_nets(&self) -> &[Mask] {
        &self.of_net
    }

    /// The nets of a set of floaters, once per floater.
    pub(crate) fn nets_of(&self, mask: Mask) -> impl Iterator<Item = u32> {
        bits_of(mask).flat_map(|bit| self.nets[bit].iter().copied())
    }

    /// The part of `mask` that later stages could still be tied to, after the ideal `bits`.
    pub(crate) fn still_tied(&self, mask: Mask, bits: &[u64]) -> Mask {
        bits_of(mask)
            .filter(|&bit| self.reach[bit].iter().zip(bits).any(|(reach, inside)| reach & !inside != 0))
            .fold(0, |kept, bit| kept | 1 << bit)
    }

    /// All ways for a stage to take floaters not used before, but for those another way makes superfluous.
    pub(crate) fn choices(
        &self,
        graph: &Hypergraph,
        kind: usize,
        stage: &Held<'_>,
        threshold: f64,
        out: &mut Vec<Choice>,
    ) {
        out.clear();
        let runs = |bit: usize| self.time[bit * self.kinds + kind].is_finite();
        let mut tied = bits_of(stage.tied).filter(|&bit| runs(bit)).fold(0, |mask, bit| mask | 1 << bit);
        let mut fresh = tied;
        while fresh != 0 {
            let next = self.nets_of(fresh).fold(0, |mask, net| mask | self.of_net[net as usize]);
            fresh =
                bits_of(next & !tied & !stage.used).filter(|&bit| runs(bit)).fold(0, |m, bit| m | 1 << bit);
            tied |= fresh;
        }
        if tied == 0 {
            let load = stage.time + graph.kinds[kind].transfer_factor * stage.crossing.value();
            out.push(Choice { load, taken: 0 });
            return;
        }
        let factor = graph.kinds[kind].transfer_factor;
        let forced = bits_of(tied)
            .filter(|&bit| self.belongs(graph, kind, factor, stage, bit))
            .fold(0, |mask, bit| mask | 1 << bit);
        let mut open: Vec<usize> = bits_of(tied & !forced).collect();
        // Too many to try every subset: the rest is left out and its nets cost nothing, a further relaxation.
        let ignored =
            open.split_off(open.len().min(MOST_OPEN)).into_iter().fold(0, |mask, bit| mask | 1 << bit);
        // Each subset of the open floaters, in the order of a binary counter.
        for counter in 0..1u64 << open.len() {
            let taken = open
                .iter()
                .enumerate()
                .filter(|&(at, _)| counter >> at & 1 == 1)
                .fold(forced, |mask, (_, &bit)| mask | 1 << bit);
            let load = self.load(graph, kind, stage, (tied, taken, ignored));
            if load < threshold && self.fits(graph, kind, stage, taken) && self.grounded(stage, taken) {
                out.push(Choice { load, taken });
            }
        }
    }

    /// Is some best plan sure to take the floater here? Wherever else it is, moving it here adds its time and
    /// the nets that do not touch this stage, and saves the nets that end here and nowhere else.
    fn belongs(&self, graph: &Hypergraph, kind: usize, factor: f64, stage: &Held<'_>, bit: usize) -> bool {
        if !self.roomy {
            return false;
        }
        let (mut saved, mut added) = (0.0, 0.0);
        for &net in &self.nets[bit] {
            let net = net as usize;
            let alone = self.of_net[net] == 1 << bit;
            if stage.inside[net] == 0 {
                added += graph.net_cost[net];
            } else if alone && stage.inside[net] == self.walk_ends[net] {
                saved += graph.net_cost[net];
            }
        }
        saved >= added && factor * saved >= self.time[bit * self.kinds + kind] + factor * added
    }

    fn load(
        &self,
        graph: &Hypergraph,
        kind: usize,
        stage: &Held<'_>,
        (tied, taken, ignored): (Mask, Mask, Mask),
    ) -> f64 {
        let factor = graph.kinds[kind].transfer_factor;
        let mut crossing = stage.crossing;
        for (bit, net) in bits_of(tied).flat_map(|bit| self.nets[bit].iter().map(move |&net| (bit, net))) {
            let net = net as usize;
            let met_before = (self.of_net[net] & tied).trailing_zeros() as usize != bit;
            if met_before || self.of_net[net] & ignored != 0 {
                continue;
            }
            let here = stage.inside[net] > 0;
            let counted = here && stage.inside[net] != stage.whole[net];
            let all_here = stage.inside[net] == stage.whole[net] && self.of_net[net] & !taken == 0;
            let pays = (here || self.of_net[net] & taken != 0) && !all_here;
            crossing += graph.net_cost[net] * (f64::from(u8::from(pays)) - f64::from(u8::from(counted)));
        }
        let time = bits_of(taken).map(|bit| self.time[bit * self.kinds + kind]).sum::<f64>();
        stage.time + time + factor * crossing.value()
    }

    fn fits(&self, graph: &Hypergraph, kind: usize, stage: &Held<'_>, taken: Mask) -> bool {
        let bytes = stage.bytes + bits_of(taken).map(|bit| self.size_bytes[bit]).sum::<f64>();
        bytes <= graph.kinds[kind].memory_bytes
    }

    /// Is every floater taken tied to the stage, over others taken?
    fn grounded(&self, stage: &Held<'_>, taken: Mask) -> bool {
        let mut held: Mask = 0;
        loop {
            let grown = bits_of(taken & !held)
                .filter(|&bit| {
                    self.nets[bit]
                        .iter()
                        .any(|&net| stage.inside[net as usize] > 0 || self.of_net[net as usize] & held != 0)
                })
                .fold(held, |mask, bit| mask | 1 << bit);
            if grown == held {
                return held == taken;
            }
            held = grown;
        }
    }
}

/// The indices of the bits that are set.
pub(crate) fn bits_of(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}
