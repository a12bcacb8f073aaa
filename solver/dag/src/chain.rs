//! Contiguous plans, exactly: dynamic programming over chains of ideals of the forward order.
//!
//! A contiguous plan is a chain of ideals `{} = I_0 < I_1 < ... < I_m`, stage `i` being `I_i - I_(i-1)`
//! (Tarnawski et al., NeurIPS 2020, section 5). Ideals come into being when a chain below the threshold reaches
//! them; each is expanded once, by `stage`, for all device counts at once, and no pair of ideals is kept.
//! With threshold `T` a search that ends without a plan proves that no plan is below `T`. Groups outside the
//! forward order are relaxed as `floaters` tells.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bound::WorkPrices;
use crate::floaters::{Choice, Floaters, Mask, bits_of};
use crate::hypergraph::{GroupId, Hypergraph};
use crate::lattice::{IdealStore, Label};
use crate::stage::{StageLimits, StageWalk};

/// Relative slack for sums of work, so that rounding never excludes a plan.
const ROUNDING: f64 = 1e-9;

/// Memory the ideals may take, in bytes; the search stops there.
const MEMORY_LIMIT_BYTES: usize = 700 << 20;

/// How a search below a threshold ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ChainEnd {
    /// All chains were seen: what was found is the best below the threshold, and nothing found means there is
    /// nothing.
    Complete,
    /// `go_on` said no, or memory ran out.
    Stopped,
}

/// What a search below a threshold found.
#[derive(Clone, Debug)]
pub struct ChainOutcome {
    /// The best plan below the threshold, if any: its largest load, and the device of every group; none for
    /// groups that the relaxation leaves open.
    pub best: Option<(f64, Vec<Option<usize>>)>,
    /// How it ended.
    pub end: ChainEnd,
    /// Stages looked at.
    pub steps: u64,
    /// Ideals that were reached.
    pub ideals: usize,
}

/// Groups without order that stay elements of the lattice: those whose nets say little about where they go.
const MOST_LOOSE: usize = 6;

/// Which groups without order are elements of the lattice; the others float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// All: the search is exact, for few of them.
    All,
    /// At most so many, those whose nets say little about where they go.
    Loose(usize),
}

impl Elements {
    /// As many as a search over a lattice without end can take.
    pub const SOME: Elements = Elements::Loose(MOST_LOOSE);
}

/// What the search works on: the groups of the lattice, and those that float.
pub struct ChainGraph {
    pub(crate) graph: Hypergraph,
    /// The lattice part, all nets under their old numbers.
    pub(crate) walk: Hypergraph,
    pub(crate) walk_groups: Vec<GroupId>,
    pub(crate) prices: WorkPrices,
    pub(crate) floating: Vec<GroupId>,
    pub(crate) floaters: Floaters,
}

impl ChainGraph {
    /// Prepares a graph whose forward arcs have no cycle.
    #[must_use]
    pub fn new(graph: &Hypergraph, elements: Elements) -> Self {
        let cuts = |g: GroupId| -> f64 { graph.nets.of(g).iter().map(|&n| graph.net_cost[n as usize]).sum() };
        let fastest = |g: GroupId| {
            let able = (0..graph.kinds.len()).filter(|&k| graph.kinds[k].count > 0);
            able.map(|k| graph.time(g, k)).fold(f64::INFINITY, f64::min)
        };
        let mut loose: Vec<GroupId> =
            (0..graph.len()).filter(|&g| !graph.ordered[g] && fastest(g) > cuts(g)).collect();
        loose.sort_by(|&a, &b| fastest(b).total_cmp(&fastest(a)).then(a.cmp(&b)));
        loose.truncate(if let Elements::Loose(most) = elements { most } else { 0 });
        let keep: Vec<bool> = (0..graph.len())
            .map(|g| elements == Elements::All || graph.ordered[g] || loose.contains(&g))
            .collect();
        let walk = graph.induced(&keep);
        let mut floating: Vec<GroupId> = (0..graph.len()).filter(|&g| !keep[g]).collect();
        floating.sort_by(|&a, &b| cuts(b).total_cmp(&cuts(a)).then(a.cmp(&b)));
        floating.truncate(Mask::BITS as usize);
        ChainGraph {
            prices: WorkPrices::fit(&walk),
            floaters: Floaters::new(graph, &walk, &floating),
            walk_groups: (0..graph.len()).filter(|&g| keep[g]).collect(),
            graph: graph.clone(),
            walk,
            floating,
        }
    }
}

struct Search<'a> {
    chain: &'a ChainGraph,
    graph: &'a Hypergraph,
    prices: &'a WorkPrices,
    radix: Vec<u32>,
    store: IdealStore,
    /// Ideals by number of groups.
    layers: Vec<Vec<u32>>,
    threshold: f64,
    best: Option<Best>,
}

/// The last stage of the best full chain, and the label it follows.
#[derive(Clone, Copy)]
struct Best {
    value: f64,
    ideal: u32,
    code: u32,
    used: Mask,
    kind: usize,
    taken: Mask,
}

/// Finds the contiguous plan of smallest value below `threshold`.
///
/// `go_on` is asked now and then, with the number of steps taken so far in this search.
pub fn search(chain: &ChainGraph, threshold: f64, go_on: &mut dyn FnMut(u64) -> bool) -> ChainOutcome {
    let graph = &chain.walk;
    let mut radix = vec![1u32];
    for kind in &graph.kinds {
        radix.push(radix[radix.len() - 1] * (kind.count as u32 + 1));
    }
    // Only the spread of the keys matters: equal hashes are told apart by their bits.
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let keys: Vec<u64> = (0..graph.len()).map(|_| random.next_u64()).collect();
    let words = graph.len().div_ceil(64).max(1);
    let mut state = Search {
        chain,
        graph,
        prices: &chain.prices,
        radix,
        store: IdealStore::new(words),
        layers: vec![Vec::new(); graph.len() + 1],
        threshold,
        best: None,
    };
    let (root, _) = state.store.find_or_add(&vec![0; words], 0);
    let nothing =
        Label { code: 0, value: 0.0, parent: root, parent_code: 0, used: 0, parent_used: 0, taken: 0 };
    state.store.offer(root, nothing);
    state.layers[0].push(root);
    let mut walk = StageWalk::new(graph, &chain.prices.work, &keys, chain.floaters.of_nets());
    let mut end = ChainEnd::Complete;
    'layers: for size in 0..graph.len() {
        for at in 0..state.layers[size].len() {
            let ideal = state.layers[size][at];
            if !state.expand(ideal, size, &mut walk, go_on) {
                end = ChainEnd::Stopped;
                break 'layers;
            }
        }
    }
    let best = state.best.map(|best| (best.value, state.placement(best)));
    ChainOutcome { best, end, steps: walk.steps, ideals: state.store.len() }
}

impl Search<'_> {
    fn used(&self, code: u32, kind: usize) -> u32 {
        code / self.radix[kind] % (self.graph.kinds[kind].count as u32 + 1)
    }

    /// Priced time of the devices a code leaves unused.
    fn capacity_left(&self, code: u32) -> f64 {
        (0..self.graph.kinds.len())
            .map(|k| self.prices.price[k] * f64::from(self.graph.kinds[k].count as u32 - self.used(code, k)))
            .sum()
    }

    /// Labels of an ideal that no other, with no more devices used, covers; grouped by floaters used.
    fn worth_expanding(&self, ideal: u32) -> Vec<Label> {
        let labels = self.store.labels(ideal);
        let fewer = |a: u32, b: u32| {
            a != b && (0..self.graph.kinds.len()).all(|k| self.used(a, k) <= self.used(b, k))
        };
        let mut kept: Vec<Label> = labels
            .iter()
            .filter(|label| label.value < self.threshold)
            .filter(|label| !labels.iter().any(|other| fewer(other.code, label.code) && other.covers(label)))
            .copied()
            .collect();
        kept.sort_by(|a, b| a.used.cmp(&b.used).then(a.code.cmp(&b.code)));
        kept
    }

    fn expand(
        &mut self,
        ideal: u32,
        size: usize,
        walk: &mut StageWalk<'_>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let labels = self.worth_expanding(ideal);
        let bits = self.store.bits(ideal).to_vec();
        labels.chunk_by(|a, b| a.used == b.used).all(|labels| {
            walk.start(&bits, labels[0].used, self.chain.floaters.nets_of(labels[0].used));
            (0..self.graph.kinds.len()).all(|kind| self.expand_with(ideal, size, labels, kind, walk, go_on))
        })
    }

    /// Appends one stage on a device of one kind to labels of one ideal that used the same floaters.
    fn expand_with(
        &mut self,
        ideal: u32,
        size: usize,
        labels: &[Label],
        kind: usize,
        walk: &mut StageWalk<'_>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        // Labels that have a device of this kind left, with the priced time left after using it.
        let open: Vec<(Label, f64)> = labels
            .iter()
            .filter(|l| (self.used(l.code, kind) as usize) < self.graph.kinds[kind].count)
            .map(|l| (*l, self.capacity_left(l.code) - self.prices.price[kind]))
            .collect();
        let Some(most_left) = open.iter().map(|o| o.1).reduce(f64::max) else { return true };
        let used = labels[0].used;
        let graph = self.graph;
        let total = graph.len();
        let work_left = walk.work_left();
        let rounding = self.prices.total * ROUNDING;
        let slack =
            |threshold: f64, capacity: f64| threshold * capacity.max(0.0) * (1.0 + ROUNDING) + rounding;
        let limits =
            StageLimits { kind, threshold: self.threshold, work_after: slack(self.threshold, most_left) };
        let floaters = &self.chain.floaters;
        let step = self.radix[kind];
        let (store, layers, best) = (&mut self.store, &mut self.layers, &mut self.best);
        let threshold = &mut self.threshold;
        let mut choices: Vec<Choice> = Vec::new();
        walk.run(
            limits,
            |stage| {
                let rest = work_left - stage.work;
                let groups = size + stage.groups;
                if groups < total && rest > slack(*threshold, most_left) {
                    return Some(*threshold);
                }
                floaters.choices(graph, kind, &stage.held, *threshold, &mut choices);
                for choice in &choices {
                    if groups == total {
                        for (label, _) in &open {
                            let value = label.value.max(choice.load);
                            if value < *threshold {
                                *threshold = value;
                                let (code, taken) = (label.code, choice.taken);
                                *best = Some(Best { value, ideal, code, used, kind, taken });
                            }
                        }
                        continue;
                    }
                    let (next, new) = store.find_or_add(stage.bits, stage.hash);
                    if new {
                        layers[groups].push(next);
                    }
                    let still_used = floaters.still_tied(used | choice.taken, stage.bits);
                    for (label, capacity) in &open {
                        if rest <= slack(*threshold, *capacity) && label.value < *threshold {
                            let new = Label {
                                code: label.code + step,
                                value: label.value.max(choice.load),
                                parent: ideal,
                                parent_code: label.code,
                                used: still_used,
                                parent_used: used,
                                taken: choice.taken,
                            };
                            store.offer(next, new);
                        }
                    }
                    if new && store.bytes() > MEMORY_LIMIT_BYTES {
                        return None;
                    }
                }
                Some(*threshold)
            },
            &mut *go_on,
        )
    }

    /// Reads the best chain back into a device per group.
    fn placement(&self, best: Best) -> Vec<Option<usize>> {
        let mut placement = vec![None; self.chain.graph.len()];
        let first_device: Vec<usize> = (0..self.graph.kinds.len())
            .map(|k| self.graph.kinds[..k].iter().map(|kind| kind.count).sum())
            .collect();
        let Best { mut ideal, mut code, mut used, mut kind, mut taken, .. } = best;
        let mut after = vec![u64::MAX; self.graph.len().div_ceil(64).max(1)];
        loop {
            let before = self.store.bits(ideal).to_vec();
            let device = first_device[kind] + self.used(code, kind) as usize;
            for (g, &group) in self.chain.walk_groups.iter().enumerate() {
                if (after[g / 64] & !before[g / 64]) >> (g % 64) & 1 == 1 {
                    placement[group] = Some(device);
                }
            }
            for bit in bits_of(taken) {
                placement[self.chain.floating[bit]] = Some(device);
            }
            if code == 0 {
                return placement;
            }
            after = before;
            let label = *self.store.label(ideal, code, used).expect("the chain was built from kept labels");
            let step = code - label.parent_code;
            kind = (0..self.graph.kinds.len()).rfind(|&k| self.radix[k] <= step).unwrap_or(0);
            (ideal, code, used, taken) = (label.parent, label.parent_code, label.parent_used, label.taken);
        }
    }
}
