//! A set of ideals of the forward order, each with the labels of the device chains that reach it.

use super::floaters::Mask;

/// A chain of stages that covers an ideal: which devices it used, its largest load, where it came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    /// Devices used per kind, in mixed radix over `count + 1`.
    pub(super) code: u32,
    /// The largest load so far.
    pub(super) value: f64,
    /// The ideal before the last stage.
    pub(super) parent: u32,
    /// The code before the last stage.
    pub(super) parent_code: u32,
    /// Floaters that stages took and later stages could still be tied to.
    pub(super) used: Mask,
    /// The same before the last stage.
    pub(super) parent_used: Mask,
    /// The floaters the last stage took.
    pub(super) taken: Mask,
}

impl Label {
    /// Can every chain that goes on from `other`, with the same devices used, go on from this one as well?
    /// A floater not used may be left open at no cost to later stages but what they pay if it is used.
    pub(super) fn covers(&self, other: &Label) -> bool {
        self.value <= other.value && self.used & !other.used == 0
    }
}

/// Ideals found so far, as `words` words of bits each, in one allocation, found again by hash.
pub(super) struct IdealStore {
    words: usize,
    bits: Vec<u64>,
    hashes: Vec<u64>,
    labels: Vec<Vec<Label>>,
    /// Open addressing, `u32::MAX` is free; the length is a power of two.
    slots: Vec<u32>,
    label_count: usize,
}

impl IdealStore {
    pub(super) fn new(words: usize) -> Self {
        IdealStore {
            words,
            bits: Vec::new(),
            hashes: Vec::new(),
            labels: Vec::new(),
            slots: vec![u32::MAX; 1024],
            label_count: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Bytes held, near enough to stop before memory does.
    pub(super) fn bytes(&self) -> usize {
        self.bits.len() * 8
            + self.hashes.len() * (8 + size_of::<Vec<Label>>())
            + self.slots.len() * 4
            + self.label_count * 2 * size_of::<Label>()
    }

    pub(super) fn bits(&self, ideal: u32) -> &[u64] {
        &self.bits[ideal as usize * self.words..(ideal as usize + 1) * self.words]
    }

    pub(super) fn labels(&self, ideal: u32) -> &[Label] {
        &self.labels[ideal as usize]
    }

    /// The index of an ideal, and whether it is new. `hash` must be a function of `bits`.
    pub(super) fn find_or_add(&mut self, bits: &[u64], hash: u64) -> (u32, bool) {
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
        self.labels.push(Vec::new());
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

    /// Keeps the label unless one of the same code covers it, and drops those it covers.
    pub(super) fn offer(&mut self, ideal: u32, label: Label) {
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
    pub(super) fn label(&self, ideal: u32, code: u32, used: Mask) -> Option<&Label> {
        self.labels[ideal as usize].iter().find(|label| (label.code, label.used) == (code, used))
    }
}
