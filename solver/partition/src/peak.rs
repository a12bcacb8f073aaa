//! Sums by place, to any stretch of which something is added, and the largest of them, in logarithmic time.

use std::ops::{Add, AddAssign};

/// Sums of at least zero. Bytes are whole numbers, whose sums are exact in an `f64`, too.
#[derive(Clone, Debug)]
pub(crate) struct Peak<T> {
    places: usize,
    leaves: usize,
    /// By node of the tree: the largest sum below it, without what is added to a node above.
    most: Vec<T>,
    /// By inner node: what is added to all below it.
    added: Vec<T>,
}

impl<T: Copy + Default + PartialOrd + Add<Output = T> + AddAssign> Peak<T> {
    /// Begins with a sum for every place.
    pub(crate) fn new(sums: &[T]) -> Self {
        let places = sums.len();
        let leaves = places.next_power_of_two();
        let mut most = vec![T::default(); 2 * leaves];
        most[leaves..leaves + places].copy_from_slice(sums);
        let mut peak = Peak { places, leaves, most, added: vec![T::default(); leaves] };
        for node in (1..leaves).rev() {
            peak.mend(node);
        }
        peak
    }

    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// The largest sum.
    pub(crate) fn most(&self) -> T {
        self.most[1]
    }

    /// Adds to the places `from..to`.
    pub(crate) fn add(&mut self, from: usize, to: usize, more: T) {
        if from >= to {
            return;
        }
        let (mut left, mut right) = (from + self.leaves, to + self.leaves);
        // Parents of what was added to, mended level by level.
        let (mut low, mut high) = (left >> 1, (right - 1) >> 1);
        while left < right {
            if left & 1 == 1 {
                self.raise(left, more);
                left += 1;
            }
            if right & 1 == 1 {
                right -= 1;
                self.raise(right, more);
            }
            left >>= 1;
            right >>= 1;
            self.mend_both(low, high);
            (low, high) = (low >> 1, high >> 1);
        }
        // Above all that was added to, what is as it was changes nothing further up.
        while low > 0 && self.mend_both(low, high) {
            (low, high) = (low >> 1, high >> 1);
        }
    }

    fn raise(&mut self, node: usize, more: T) {
        self.most[node] += more;
        if let Some(added) = self.added.get_mut(node) {
            *added += more;
        }
    }

    /// Has the largest sum below one of two nodes changed? Zero is no node.
    fn mend_both(&mut self, low: usize, high: usize) -> bool {
        let changed = low > 0 && self.mend(low);
        high != low && self.mend(high) || changed
    }

    fn mend(&mut self, node: usize) -> bool {
        let (left, right) = (self.most[2 * node], self.most[2 * node + 1]);
        let most = if left < right { right } else { left } + self.added[node];
        most != std::mem::replace(&mut self.most[node], most)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::Peak;

    #[test]
    fn the_peak_is_the_largest_of_all_sums() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        for places in 1..40 {
            let mut sums: Vec<f64> =
                (0..places).map(|_| f64::from(random.random_range(2000..2100i32))).collect();
            let mut peak = Peak::new(&sums);
            for _ in 0..200 {
                let from = random.random_range(0..places);
                let to = random.random_range(from..=places);
                let more = f64::from(random.random_range(-9..10i32));
                sums[from..to].iter_mut().for_each(|sum| *sum += more);
                peak.add(from, to, more);
                assert_eq!(peak.most(), sums.iter().copied().fold(0.0, f64::max), "{sums:?}");
            }
        }
    }
}
