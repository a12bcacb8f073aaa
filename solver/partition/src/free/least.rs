//! The least memory of a device, whatever its plan recomputes and swaps: what is resident, and on top of that the largest working
//! set of an op or the values returned.

use ballast_dag::hypergraph::GroupId;

use crate::sequence::Sequence;

/// Working sets told apart: bits of a word.
const SIZES: usize = 64;
/// Working sets that differ by less than this share count as the larger one, where there are too many.
const ALIKE: f64 = 0.98;

/// What the groups of a board need.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// Working sets, bytes, the largest first.
    sizes: Vec<f64>,
    /// The place of a group's largest among them.
    rank: Vec<u8>,
    /// Bytes a group returns.
    returned: Vec<f64>,
}

impl Needs {
    /// Of the items of a sequence.
    pub(super) fn of(sequence: &Sequence) -> Self {
        let working_set: Vec<f64> =
            (0..sequence.len()).map(|item| sequence.most_working_set(item) as f64).collect();
        let mut all = working_set.clone();
        all.sort_unstable_by(|a, b| b.total_cmp(a));
        all.dedup();
        let mut sizes: Vec<f64> = Vec::new();
        let few = all.len() <= SIZES;
        for size in all {
            if sizes.len() < SIZES && (few || sizes.last().is_none_or(|&last| size < ALIKE * last)) {
                sizes.push(size);
            }
        }
        let rank = working_set
            .iter()
            .map(|&size| (sizes.partition_point(|&larger| larger >= size).max(1) - 1) as u8)
            .collect();
        let mut returned = vec![0.0; sequence.len()];
        for value in sequence.values.iter().filter(|value| value.returned) {
            returned[value.producer] += value.held_bytes as f64;
        }
        Needs { sizes, rank, returned }
    }

    /// The same of merged groups.
    pub(super) fn quotient(&self, map: &[GroupId], count: usize) -> Self {
        if self.rank.is_empty() {
            return Needs::default();
        }
        let mut merged =
            Needs { sizes: self.sizes.clone(), rank: vec![u8::MAX; count], returned: vec![0.0; count] };
        for (group, &target) in map.iter().enumerate() {
            merged.rank[target] = merged.rank[target].min(self.rank[group]);
            merged.returned[target] += self.returned[group];
        }
        merged
    }
}

/// What the groups on one device need. Bytes are whole numbers, whose sums are exact.
#[derive(Clone, Debug)]
pub(super) struct Needed {
    /// Bytes resident throughout.
    resident: f64,
    returned: f64,
    /// How many groups have their largest working set at each place, and the places with any.
    counts: [u32; SIZES],
    places: u64,
}

impl Default for Needed {
    fn default() -> Self {
        Needed { resident: 0.0, returned: 0.0, counts: [0; SIZES], places: 0 }
    }
}

impl Needed {
    pub(super) fn hold(&mut self, bytes: f64) {
        self.resident += bytes;
    }

    pub(super) fn add(&mut self, needs: &Needs, group: GroupId) {
        let rank = usize::from(needs.rank[group]);
        self.counts[rank] += 1;
        self.places |= 1 << rank;
        self.returned += needs.returned[group];
    }

    pub(super) fn remove(&mut self, needs: &Needs, group: GroupId) {
        let rank = usize::from(needs.rank[group]);
        self.counts[rank] -= 1;
        if self.counts[rank] == 0 {
            self.places &= !(1 << rank);
        }
        self.returned -= needs.returned[group];
    }

    /// Bytes of the least cap.
    pub(super) fn bytes(&self, needs: &Needs) -> f64 {
        self.total(needs, self.places, self.returned, 0.0)
    }

    /// The same without a group, and with so much more resident.
    pub(super) fn without(&self, needs: &Needs, group: GroupId, more: f64) -> f64 {
        let rank = usize::from(needs.rank[group]);
        let places = if self.counts[rank] == 1 { self.places & !(1 << rank) } else { self.places };
        self.total(needs, places, self.returned - needs.returned[group], more)
    }

    /// The same with a group more.
    pub(super) fn with(&self, needs: &Needs, group: GroupId, more: f64) -> f64 {
        let places = self.places | 1 << needs.rank[group];
        self.total(needs, places, self.returned + needs.returned[group], more)
    }

    fn total(&self, needs: &Needs, places: u64, returned: f64, more: f64) -> f64 {
        let largest = needs.sizes.get(places.trailing_zeros() as usize).copied().unwrap_or(0.0);
        self.resident + more + largest.max(returned)
    }
}
