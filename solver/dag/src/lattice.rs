//! Sets of ideals of the forward order: found again by their bits, in full with what may follow each, and with the
//! labels of the device chains that reach them.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::floaters::Mask;
use crate::hypergraph::{GroupId, Hypergraph};

/// A chain of stages that covers an ideal: which devices it used, its largest load, where it came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Devices used per kind, in mixed radix over `count + 1`.
    pub(crate) code: u32,
    /// The largest load so far.
    pub(crate) value: f64,
    /// The ideal before the last stage.
    pub(crate) parent: u32,
    /// The code before the last stage.
    pub(crate) parent_code: u32,
    /// Floaters that stages took and later stages could still be tied to.
    pub(crate) used: Mask,
    /// The same before the last stage.
    pub(crate) parent_used: Mask,
    /// The floaters the last stage took.
    pub(crate) taken: Mask,
}

impl Label {
    /// Can every chain that goes on from `other`, with the same devices used, go on from this one as well?
    /// A floater not used may be left open at no cost to later stages but what they pay if it is used.
    pub(crate) fn covers(&self, other: &Label) -> bool {
        self.value <= other.value && self.used & !other.used == 0
    }
}

/// Ideals, as `words` words of bits each, in one allocation, found again by hash.
pub(crate) struct IdealSet {
    words: usize,
    bits: Vec<u64>,
    hashes: Vec<u64>,
    /// Open addressing, `u32::MAX` is free; the length is a power of two.
    slots: Vec<u32>,
}

impl IdealSet {
    pub(crate) fn new(words: usize) -> Self {
        IdealSet { words, bits: Vec::new(), hashes: Vec::new(), slots: vec![u32::MAX; 1024] }
    }

    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.len() * 8 + self.hashes.len() * 8 + self.slots.len() * 4
    }

    fn hash(&self, ideal: u32) -> u64 {
        self.hashes[ideal as usize]
    }

    pub(crate) fn bits(&self, ideal: u32) -> &[u64] {
        &self.bits[ideal as usize * self.words..(ideal as usize + 1) * self.words]
    }

    /// The index of an ideal, and whether it is new. `hash` must be a function of `bits`.
    pub(crate) fn find_or_add(&mut self, bits: &[u64], hash: u64) -> (u32, bool) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let ideal = self.slots[slot];
            if ideal == u32::MAX {
                break;
            }
            if self.hashes[ideal as usize] == hash && self.bits(ideal) == bits {
                return (ideal, false);
            }
            slot = (slot + 1) & mask;
        }
        let ideal = self.hashes.len() as u32;
        self.slots[slot] = ideal;
        self.bits.extend_from_slice(bits);
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.slots.len() {
            self.grow();
        }
        (ideal, true)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![u32::MAX; mask + 1];
        for (ideal, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & mask;
            while self.slots[slot] != u32::MAX {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = ideal as u32;
        }
    }
}

/// Ideals found so far, each with its labels.
pub(crate) struct IdealStore {
    ideals: IdealSet,
    labels: Vec<Vec<Label>>,
    label_count: usize,
}

impl IdealStore {
    pub(crate) fn new(words: usize) -> Self {
        IdealStore { ideals: IdealSet::new(words), labels: Vec::new(), label_count: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.ideals.len()
    }

    /// Bytes held, near enough to stop before memory does.
    pub(crate) fn bytes(&self) -> usize {
        self.ideals.bytes()
            + self.labels.len() * size_of::<Vec<Label>>()
            + self.label_count * 2 * size_of::<Label>()
    }

    pub(crate) fn bits(&self, ideal: u32) -> &[u64] {
        self.ideals.bits(ideal)
    }

    pub(crate) fn labels(&self, ideal: u32) -> &[Label] {
        &self.labels[ideal as usize]
    }

    /// The index of an ideal, and whether it is new. `hash` must be a function of `bits`.
    pub(crate) fn find_or_add(&mut self, bits: &[u64], hash: u64) -> (u32, bool) {
        let (ideal, new) = self.ideals.find_or_add(bits, hash);
        if new {
            self.labels.push(Vec::new());
        }
        (ideal, new)
    }

    /// Keeps the label unless one of the same code covers it, and drops those it covers.
    pub(crate) fn offer(&mut self, ideal: u32, label: Label) {
        let labels = &mut self.labels[ideal as usize];
        if labels.iter().any(|old| old.code == label.code && old.covers(&label)) {
            return;
        }
        let before = labels.len();
        labels.retain(|old| old.code != label.code || !label.covers(old));
        labels.push(label);
        self.label_count = self.label_count + labels.len() - before;
    }

    /// The label of a code and a set of floaters used.
    pub(crate) fn label(&self, ideal: u32, code: u32, used: Mask) -> Option<&Label> {
        self.labels[ideal as usize].iter().find(|label| (label.code, label.used) == (code, used))
    }
}

/// All ideals of the forward order of a graph, smaller ones first, each with the groups that may join it.
pub(crate) struct Lattice {
    ideals: IdealSet,
    /// The groups that may join ideal `i`, each with the ideal that results: `covers[start[i]..start[i + 1]]`.
    start: Vec<usize>,
    covers: Vec<(u32, u32)>,
}

/// Memory the bits of all ideals may take.
const LATTICE_BYTES: usize = 256 << 20;

impl Lattice {
    /// All ideals, if there are at most `most`. The forward arcs must have no cycle.
    pub(crate) fn of(graph: &Hypergraph, most: usize) -> Option<Self> {
        // Only the spread of the keys matters: equal hashes are told apart by their bits.
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let keys: Vec<u64> = (0..graph.len()).map(|_| random.next_u64()).collect();
        let words = graph.len().div_ceil(64).max(1);
        let most = most.min(LATTICE_BYTES / (8 * words)).min(u32::MAX as usize);
        if graph.len() >= most {
            return None;
        }
        let inside = |bits: &[u64], g: GroupId| bits[g / 64] >> (g % 64) & 1 == 1;
        let mut ideals = IdealSet::new(words);
        let mut bits = vec![0; words];
        ideals.find_or_add(&bits, 0);
        // Groups that may join, by ideal, for those not looked at yet.
        let minimal = (0..graph.len()).filter(|&g| graph.predecessors.of(g).is_empty());
        let mut waiting = std::collections::VecDeque::from([minimal.map(|g| g as u32).collect::<Vec<u32>>()]);
        let (mut start, mut covers) = (vec![0], Vec::new());
        let mut ideal = 0;
        while let Some(candidates) = waiting.pop_front() {
            for &group in &candidates {
                let g = group as usize;
                bits.copy_from_slice(ideals.bits(ideal));
                bits[g / 64] |= 1 << (g % 64);
                let hash = ideals.hash(ideal) ^ keys[g];
                let (next, new) = ideals.find_or_add(&bits, hash);
                covers.push((group, next));
                if new {
                    if ideals.len() > most {
                        return None;
                    }
                    let ready = graph.successors.of(g).iter().copied().filter(|&to| {
                        graph.predecessors.of(to as usize).iter().all(|&p| inside(&bits, p as usize))
                    });
                    waiting
                        .push_back(candidates.iter().copied().filter(|&c| c != group).chain(ready).collect());
                }
            }
            start.push(covers.len());
            ideal += 1;
        }
        Some(Lattice { ideals, start, covers })
    }

    pub(crate) fn len(&self) -> usize {
        self.ideals.len()
    }

    pub(crate) fn bits(&self, ideal: usize) -> &[u64] {
        self.ideals.bits(ideal as u32)
    }

    /// The places of the groups that may join an ideal, for [`Lattice::cover`].
    pub(crate) fn covers_of(&self, ideal: usize) -> std::ops::Range<usize> {
        self.start[ideal]..self.start[ideal + 1]
    }

    /// A group that may join, and the ideal that results.
    pub(crate) fn cover(&self, place: usize) -> (usize, usize) {
        let (group, ideal) = self.covers[place];
        (group as usize, ideal as usize)
    }
}
