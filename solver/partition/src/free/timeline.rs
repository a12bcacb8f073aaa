//! What every device holds while each item runs, kept up while single items move.
//!
//! A device holds a value from the first to the last of the items there that make or read it; what it holds at most is the top of a tree of
//! largest sums over the items in run order, which takes a stretch of them in logarithmic time.

use crate::sequence::Sequence;

/// The values of a sequence with the items that need them, in run order.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<f64>,
    /// Line `i` is needed at `ends[starts[i]..starts[i + 1]]`: places, and the items that need it there.
    starts: Vec<u32>,
    ends: Vec<(u32, u32)>,
    /// Lines of item `i`: `of[of_starts[i]..of_starts[i + 1]]`.
    of_starts: Vec<u32>,
    of: Vec<u32>,
    /// Bytes of all lines of an item.
    bytes_of: Vec<f64>,
    /// Items.
    items: usize,
}

impl Lines {
    /// Of the items of a sequence.
    pub(super) fn new(sequence: &Sequence) -> Self {
        let items = sequence.len();
        let mut lines = Lines { starts: vec![0], items, ..Lines::default() };
        let mut push = |bytes: u64, ends: &mut dyn Iterator<Item = (usize, usize)>| {
            if bytes > 0 {
                lines.bytes.push(bytes as f64);
                lines.ends.extend(ends.map(|(place, item)| (place as u32, item as u32)));
                lines.starts.push(lines.ends.len() as u32);
            }
        };
        for (item, &bytes) in sequence.internal_peak.iter().enumerate() {
            push(bytes, &mut std::iter::once((item, item)));
        }
        for value in &sequence.values {
            let made = (value.producer, value.producer);
            let read = value.readers.iter().map(|&reader| (reader, reader));
            // What is returned stays where it was made.
            let end = value.returned.then_some((items - 1, value.producer));
            push(value.stored_bytes(), &mut std::iter::once(made).chain(read).chain(end));
        }
        let mut of = vec![Vec::new(); items];
        for line in 0..lines.bytes.len() {
            for &(_, item) in lines.ends(line) {
                let of: &mut Vec<u32> = &mut of[item as usize];
                if of.last() != Some(&(line as u32)) {
                    of.push(line as u32);
                }
            }
        }
        lines.bytes_of =
            of.iter().map(|of| of.iter().map(|&line| lines.bytes[line as usize]).sum()).collect();
        lines.of_starts.push(0);
        for list in of {
            lines.of.extend(list);
            lines.of_starts.push(lines.of.len() as u32);
        }
        lines
    }

    /// Bytes of all that an item needs.
    pub(super) fn bytes_of(&self, item: usize) -> f64 {
        self.bytes_of[item]
    }

    fn ends(&self, line: usize) -> &[(u32, u32)] {
        &self.ends[self.starts[line] as usize..self.starts[line + 1] as usize]
    }

    fn of(&self, item: usize) -> &[u32] {
        &self.of[self.of_starts[item] as usize..self.of_starts[item + 1] as usize]
    }
}

/// The first and the last place of some, if there are any.
#[derive(Clone, Copy)]
struct Stretch {
    first: u32,
    last: u32,
}

impl Stretch {
    const NONE: Stretch = Stretch { first: u32::MAX, last: 0 };

    fn take(&mut self, place: u32) {
        self.first = self.first.min(place);
        self.last = self.last.max(place);
    }

    fn none(self) -> bool {
        self.first > self.last
    }
}

/// What all devices hold.
#[derive(Clone, Debug)]
pub(super) struct Timelines {
    trees: Vec<Tree>,
    /// The device of every item as far as the trees know.
    place: Vec<u32>,
    /// Stretches of devices, and what is added to them.
    changed: Vec<(u32, u32, u32, f64)>,
}

impl Timelines {
    /// Of a placement of the items.
    pub(super) fn new(lines: &Lines, devices: usize, place: &[u32]) -> Self {
        let mut on = vec![Stretch::NONE; devices];
        let mut change = vec![vec![0.0; lines.items + 1]; devices];
        for (line, &bytes) in lines.bytes.iter().enumerate() {
            for &(at, item) in lines.ends(line) {
                on[place[item as usize] as usize].take(at);
            }
            for &(_, item) in lines.ends(line) {
                let device = place[item as usize] as usize;
                let stretch = std::mem::replace(&mut on[device], Stretch::NONE);
                if !stretch.none() {
                    change[device][stretch.first as usize] += bytes;
                    change[device][stretch.last as usize + 1] -= bytes;
                }
            }
        }
        let of = |change: Vec<f64>| {
            let mut sum = 0.0;
            let held = change.into_iter().map(|more| {
                sum += more;
                sum
            });
            Tree::new(held.take(lines.items).collect())
        };
        Timelines { trees: change.into_iter().map(of).collect(), place: place.to_vec(), changed: Vec::new() }
    }

    /// What a device holds at most.
    pub(super) fn most(&self, device: usize) -> f64 {
        self.trees[device].most()
    }

    /// Moves an item to another device.
    pub(super) fn shift(&mut self, lines: &Lines, item: usize, to: u32) {
        let from = self.place[item];
        if from == to {
            return;
        }
        self.stretches(lines, item, to);
        for &(device, first, end, bytes) in &self.changed {
            self.trees[device as usize].add(first as usize, end as usize, bytes);
        }
        self.place[item] = to;
    }

    /// What the device of an item and another would hold at most after its move there.
    pub(super) fn after(&mut self, lines: &Lines, item: usize, to: u32) -> (f64, f64) {
        let from = self.place[item];
        self.stretches(lines, item, to);
        for &(device, first, end, bytes) in &self.changed {
            self.trees[device as usize].add(first as usize, end as usize, bytes);
        }
        let most = (self.most(from as usize), self.most(to as usize));
        for &(device, first, end, bytes) in &self.changed {
            self.trees[device as usize].add(first as usize, end as usize, -bytes);
        }
        most
    }

    /// What the move of an item changes.
    fn stretches(&mut self, lines: &Lines, item: usize, to: u32) {
        let from = self.place[item];
        self.changed.clear();
        for &line in lines.of(item) {
            let (mut own, mut there, mut here) = (Stretch::NONE, Stretch::NONE, Stretch::NONE);
            for &(at, end) in lines.ends(line as usize) {
                if end as usize == item {
                    own.take(at);
                } else {
                    let device = self.place[end as usize];
                    if device == from {
                        here.take(at);
                    } else if device == to {
                        there.take(at);
                    }
                }
            }
            let bytes = lines.bytes[line as usize];
            for (device, other, bytes) in [(from, here, -bytes), (to, there, bytes)] {
                if other.none() {
                    self.changed.push((device, own.first, own.last + 1, bytes));
                    continue;
                }
                if own.first < other.first {
                    self.changed.push((device, own.first, other.first, bytes));
                }
                if own.last > other.last {
                    self.changed.push((device, other.last + 1, own.last + 1, bytes));
                }
            }
        }
    }
}

/// Sums that stretches are added to, and the largest of them. Bytes are whole numbers, whose sums are exact.
#[derive(Clone, Debug)]
struct Tree {
    leaves: usize,
    /// Of every inner node what was added to all below it, the largest below it added.
    most: Vec<f64>,
    added: Vec<f64>,
}

impl Tree {
    fn new(held: Vec<f64>) -> Self {
        let leaves = held.len().next_power_of_two().max(1);
        let mut most = vec![f64::NEG_INFINITY; 2 * leaves];
        most[leaves..leaves + held.len()].copy_from_slice(&held);
        for node in (1..leaves).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        Tree { leaves, most, added: vec![0.0; leaves] }
    }

    fn most(&self) -> f64 {
        self.most[1].max(0.0)
    }

    fn add(&mut self, first: usize, end: usize, bytes: f64) {
        let (mut left, mut right) = (first + self.leaves, end + self.leaves);
        // Parents of what was added to, mended level by level until there is one.
        let (mut low, mut high) = (left >> 1, (right - 1) >> 1);
        while left < right {
            if left & 1 == 1 {
                self.put(left, bytes);
                left += 1;
            }
            if right & 1 == 1 {
                right -= 1;
                self.put(right, bytes);
            }
            left >>= 1;
            right >>= 1;
            if low > 0 {
                self.mend(low);
                if high != low {
                    self.mend(high);
                }
                low >>= 1;
                high >>= 1;
            }
        }
        while low > 0 {
            let same = !self.mend(low) && high == low;
            let other = high != low && self.mend(high);
            if same && !other {
                return;
            }
            low >>= 1;
            high >>= 1;
        }
    }

    fn put(&mut self, node: usize, bytes: f64) {
        self.most[node] += bytes;
        if node < self.leaves {
            self.added[node] += bytes;
        }
    }

    /// Has the largest below a node changed?
    fn mend(&mut self, node: usize) -> bool {
        let most = self.most[2 * node].max(self.most[2 * node + 1]) + self.added[node];
        most != std::mem::replace(&mut self.most[node], most)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::Tree;

    #[test]
    fn the_top_of_a_tree_is_the_largest_of_its_sums() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        for places in 1..40 {
            let mut held = vec![0.0f64; places];
            let mut tree = Tree::new(held.clone());
            for _ in 0..200 {
                let first = random.random_range(0..places);
                let end = random.random_range(first + 1..=places);
                let bytes = f64::from(random.random_range(-9..10i32));
                held[first..end].iter_mut().for_each(|held| *held += bytes);
                tree.add(first, end, bytes);
                assert_eq!(tree.most(), held.iter().copied().fold(0.0, f64::max), "{held:?}");
            }
        }
    }
}
