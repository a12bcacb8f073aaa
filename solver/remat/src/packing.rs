//! Addresses of few buffers by branch and bound: the smallest arena there is, where it is found within the steps allowed.
//!
//! Every packing can be let down until each buffer lies on the bottom or on one that it meets in time, and is no higher then. In ascending
//! order of offsets each then lies on the highest of those placed before that it meets: searching the orders is searching the packings.

use ballast_core::limits::Deadline;

/// Most buffers.
const MOST_BLOCKS: usize = 24;
/// Most buffers placed in all.
const MOST_STEPS: u32 = 50_000;
/// Buffers placed between two looks at the clock.
const LOOKS: u32 = 512;

/// Sets of buffers, as bits.
type Set = u32;

/// A buffer.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// When it is there.
    pub(crate) steps: std::ops::Range<usize>,
    /// Its bytes with what fills the alignment.
    pub(crate) bytes: u64,
}

struct Search<'a> {
    blocks: &'a [Block],
    /// The moments at which each is there, as a range of their numbers.
    moments: Vec<std::ops::Range<usize>>,
    /// Where what was placed ends, and bytes of what was not, by moment.
    tops: Vec<u64>,
    rest: Vec<u64>,
    offsets: Vec<u64>,
    /// The lowest packing so far, and its offsets where this search found it.
    height: u64,
    found: Option<Vec<u64>>,
    /// No packing is lower.
    least: u64,
    steps: u32,
    deadline: &'a Deadline,
    over: bool,
}

/// Offsets of a packing lower than `height`, and how high it is; none where there is none, or there are too many blocks or orders of them.
/// No packing is lower than `least`.
pub(crate) fn lower(
    blocks: &[Block],
    (height, least): (u64, u64),
    deadline: &Deadline,
) -> Option<(Vec<u64>, u64)> {
    if height <= least || blocks.len() > MOST_BLOCKS || blocks.iter().any(|block| block.steps.is_empty()) {
        return None;
    }
    // Two that meet do so when the later one begins.
    let mut begins: Vec<usize> = blocks.iter().map(|block| block.steps.start).collect();
    begins.sort_unstable();
    begins.dedup();
    let number = |step: usize| begins.partition_point(|&other| other < step);
    let moments: Vec<_> =
        blocks.iter().map(|block| number(block.steps.start)..number(block.steps.end)).collect();
    let mut rest = vec![0; begins.len()];
    for (block, moments) in std::iter::zip(blocks, &moments) {
        rest[moments.clone()].iter_mut().for_each(|bytes| *bytes += block.bytes);
    }
    let mut search = Search {
        blocks,
        moments,
        tops: vec![0; begins.len()],
        rest,
        offsets: vec![0; blocks.len()],
        height,
        found: None,
        least,
        steps: 0,
        deadline,
        over: deadline.over(),
    };
    search.place((1 << blocks.len()) - 1, (0, 0));
    search.found.map(|offsets| (offsets, search.height))
}

impl Search<'_> {
    /// Places one of those left after another, none below `floor`, the offset of the last one and its number.
    fn place(&mut self, left: Set, floor: (u64, usize)) {
        if left == 0 {
            // Higher ones were not gone on with.
            self.height = self.tops.iter().copied().max().unwrap_or(0);
            self.found = Some(self.offsets.clone());
            self.over |= self.height <= self.least;
            return;
        }
        let mut choice: Vec<(u64, std::cmp::Reverse<u64>, usize)> = (0..self.blocks.len())
            .filter(|&block| left >> block & 1 == 1)
            .map(|block| {
                let tops = &self.tops[self.moments[block].clone()];
                let offset = tops.iter().copied().max().unwrap_or(0);
                (offset, std::cmp::Reverse(self.blocks[block].bytes), block)
            })
            .filter(|&(offset, _, block)| (offset, block) >= floor)
            .collect();
        choice.sort_unstable();
        for (offset, std::cmp::Reverse(bytes), block) in choice {
            if self.over || self.is_too_high(floor.0) {
                return;
            }
            self.steps += 1;
            self.over |= self.steps >= MOST_STEPS || self.steps.is_multiple_of(LOOKS) && self.deadline.over();
            let moments = self.moments[block].clone();
            let before = self.tops[moments.clone()].to_vec();
            self.tops[moments.clone()].fill(offset + bytes);
            self.rest[moments.clone()].iter_mut().for_each(|rest| *rest -= bytes);
            self.offsets[block] = offset;
            if !self.is_too_high(offset) {
                self.place(left & !(1 << block), (offset, block));
            }
            self.rest[moments.clone()].iter_mut().for_each(|rest| *rest += bytes);
            self.tops[moments].copy_from_slice(&before);
        }
    }

    /// Does some moment end no lower than the best packing, as what is left there lies above the floor and what was placed?
    fn is_too_high(&self, floor: u64) -> bool {
        std::iter::zip(&self.tops, &self.rest).any(|(&top, &rest)| {
            let end = if rest > 0 { top.max(floor) + rest } else { top };
            end >= self.height
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(list: &[(usize, usize, u64)]) -> Vec<Block> {
        list.iter().map(|&(from, to, bytes)| Block { steps: from..to, bytes }).collect()
    }

    fn check(blocks: &[Block], offsets: &[u64], height: u64) {
        let ends = |index: usize| offsets[index] + blocks[index].bytes;
        for (index, a) in blocks.iter().enumerate() {
            assert!(ends(index) <= height);
            for (other, b) in blocks.iter().enumerate().skip(index + 1) {
                let in_time = a.steps.start < b.steps.end && b.steps.start < a.steps.end;
                let in_space = offsets[index] < ends(other) && offsets[other] < ends(index);
                assert!(!(in_time && in_space), "{a:?} at {}, {b:?} at {}", offsets[index], offsets[other]);
            }
        }
    }

    /// Of a program of nine ops: no order by size or time finds how it lies in the bytes that are live at once.
    #[test]
    fn a_packing_without_gaps_is_found() {
        let list = [
            (0, 11, 8),
            (1, 6, 2),
            (2, 15, 5),
            (3, 4, 12),
            (5, 8, 9),
            (7, 12, 4),
            (9, 13, 3),
            (9, 10, 4),
            (10, 16, 2),
            (10, 11, 5),
            (14, 17, 7),
        ];
        let blocks = blocks(&list);
        let (offsets, height) = lower(&blocks, (100, 27), &Deadline::after(None)).expect("a packing");
        assert_eq!(height, 27);
        check(&blocks, &offsets, height);
    }

    #[test]
    fn nothing_is_found_where_nothing_is_lower_and_where_no_time_is_left() {
        // The first two meet the third.
        let blocks = blocks(&[(0, 2, 3), (2, 4, 5), (1, 3, 1)]);
        let (offsets, height) = lower(&blocks, (9, 0), &Deadline::after(None)).expect("a packing");
        assert_eq!(height, 6);
        check(&blocks, &offsets, height);
        assert_eq!(lower(&blocks, (6, 0), &Deadline::after(None)), None);
        assert_eq!(lower(&blocks, (9, 0), &Deadline::after(Some(0.0))), None);
    }
}
