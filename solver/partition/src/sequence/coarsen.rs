//! Coarser sequences: ops into layers, items into runs, fine items around chosen cuts.

use ballast_core::graph::Graph;

use super::{Argument, Arrival, Pin, Sequence, Value};

impl Sequence {
    /// Places in the op list where a layer begins: at every op that opens one, and at the first op.
    #[must_use]
    pub fn layer_starts(&self, graph: &Graph) -> Vec<usize> {
        (0..self.ops.len()).filter(|&place| place == 0 || graph.ops[self.ops[place]].opens_layer).collect()
    }

    /// Merges items: item `i` of the result holds the items from `starts[i]` up to `starts[i + 1]`.
    ///
    /// # Panics
    /// When `starts` does not begin with 0 or does not ascend.
    #[must_use]
    pub fn grouped(&self, starts: &[usize]) -> Self {
        let n = self.len();
        assert!(n == 0 || starts.first() == Some(&0), "the first run begins at the first item");
        let mut group_of = vec![0; n];
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([n]).collect();
        for (group, (&start, &end)) in starts.iter().zip(&ends).enumerate() {
            assert!(start < end, "runs ascend and are not empty");
            group_of[start..end].fill(group);
        }
        let groups = || starts.iter().zip(&ends).map(|(&start, &end)| start..end);
        // A value that stays inside its run adds to what lives there only.
        let mut change = vec![0i128; n + 1];
        let mut values = Vec::new();
        for value in &self.values {
            let producer = group_of[value.producer];
            let mut readers: Vec<usize> = value.readers.iter().map(|&reader| group_of[reader]).collect();
            readers.dedup();
            readers.retain(|&reader| reader != producer);
            if readers.is_empty() && !value.returned {
                let last = value.readers.last().copied().unwrap_or(value.producer);
                change[value.producer] += i128::from(value.held_bytes);
                change[last + 1] -= i128::from(value.held_bytes);
            } else {
                values.push(Value { producer, readers, ..*value });
            }
        }
        let mut live = 0i128;
        let inside: Vec<u64> = (0..n)
            .map(|item| {
                live += change[item];
                live as u64 + self.internal_peak[item]
            })
            .collect();
        let arguments = self
            .arguments
            .iter()
            .map(|argument| {
                let mut readers: Vec<usize> = argument.readers.iter().map(|&r| group_of[r]).collect();
                readers.dedup();
                Argument { readers, bytes: argument.bytes }
            })
            .collect();
        let arrivals = groups()
            .enumerate()
            .map(|(group, run)| {
                let of_item = self.arrivals[run].iter().flatten();
                let outside = of_item.filter_map(|arrival| {
                    let inputs = arrival.inputs.iter().map(|&(item, bytes)| (group_of[item], bytes));
                    let inputs: Vec<(usize, u64)> = inputs.filter(|&(from, _)| from != group).collect();
                    (!inputs.is_empty()).then_some(Arrival { working_set: arrival.working_set, inputs })
                });
                outside.collect()
            })
            .collect();
        let largest = |of: &[u64]| groups().map(|run| of[run].iter().copied().max().unwrap_or(0)).collect();
        Sequence {
            ops: self.ops.clone(),
            starts: starts.iter().map(|&s| self.starts[s]).chain([self.ops.len()]).collect(),
            seconds: self
                .seconds
                .iter()
                .map(|row| groups().map(|run| row[run].iter().sum()).collect())
                .collect(),
            row_of: self.row_of.clone(),
            operations: groups().map(|run| self.operations[run].iter().sum()).collect(),
            working_set: largest(&self.working_set),
            arrivals,
            resident: groups().map(|run| self.resident[run].iter().sum()).collect(),
            internal_peak: largest(&inside),
            pins: groups()
                .map(|run| self.pins[run].iter().fold(Pin::Free, |all, &pin| all.and(pin)))
                .collect(),
            values,
            arguments,
        }
    }

    /// Starts of at most `limit` runs of similar time, each beginning where few bytes cross.
    ///
    /// The sequence is cut into `limit` windows of equal time, and each window's border moves to the place
    /// inside it that the fewest bytes cross.
    #[must_use]
    pub(crate) fn run_starts(&self, limit: usize) -> Vec<usize> {
        let n = self.len();
        if n <= limit {
            return (0..n).collect();
        }
        let crossing = self.crossing_bytes();
        let weight = |item: usize| self.seconds.first().map_or(1.0, |row| row[item]);
        let total: f64 = (0..n).map(weight).sum();
        // Half the weight by time, half by count: neither costly items nor many cheap ones share a run.
        let share = |item: usize| {
            0.5 / n as f64 + if total > 0.0 { 0.5 * weight(item) / total } else { 0.5 / n as f64 }
        };
        let mut starts = vec![0];
        let (mut passed, mut best): (f64, Option<usize>) = (0.0, None);
        for item in 1..n {
            let before = (passed * limit as f64) as usize;
            passed += share(item - 1);
            let window = (passed * limit as f64) as usize;
            if window > before
                && let Some(place) = best.take()
                && starts.len() < limit
            {
                starts.push(place);
            }
            if best.is_none_or(|place| crossing[item] < crossing[place]) {
                best = Some(item);
            }
        }
        starts
    }

    /// Bytes held while each item runs, wherever the items run.
    #[must_use]
    pub(crate) fn running_bytes(&self) -> Vec<u64> {
        let mut change = vec![0i128; self.len() + 1];
        for value in &self.values {
            let (first, last) = value.places();
            change[first] += i128::from(value.stored_bytes());
            change[last.saturating_add(1).min(self.len())] -= i128::from(value.stored_bytes());
        }
        let mut live = 0i128;
        change
            .iter()
            .zip(&self.internal_peak)
            .map(|(&delta, &inside)| {
                live += delta;
                (live as u64).saturating_add(inside)
            })
            .collect()
    }

    /// Bytes that cross each place: `crossing[i]` lies between items `i - 1` and `i`.
    #[must_use]
    pub(crate) fn crossing_bytes(&self) -> Vec<u64> {
        let mut change = vec![0i128; self.len() + 2];
        for value in &self.values {
            if let Some(&last) = value.readers.last() {
                change[value.producer + 1] += i128::from(value.bytes);
                change[last + 1] -= i128::from(value.bytes);
            }
        }
        let mut live = 0i128;
        change[..=self.len()]
            .iter()
            .map(|&delta| {
                live += delta;
                live as u64
            })
            .collect()
    }
}
