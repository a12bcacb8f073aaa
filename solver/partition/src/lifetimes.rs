//! When the values of a sequence are held, item by item.

use ballast_dag::hypergraph::Lists;

use crate::sequence::{Sequence, ValueRules};

/// The values of a sequence with the items that need them, in run order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifetimes {
    bytes: Vec<f64>,
    rules: Vec<ValueRules>,
    /// Value `i` is needed at `ends[starts[i]..starts[i + 1]]`: places, and the items that need it there.
    starts: Vec<u32>,
    ends: Vec<(u32, u32)>,
    /// Values of every item.
    values_of: Lists,
    /// Bytes of all values of an item.
    bytes_of: Vec<f64>,
    /// Items.
    items: usize,
}

impl Lifetimes {
    /// Of the items of a sequence.
    pub(crate) fn new(sequence: &Sequence) -> Self {
        let items = sequence.len();
        let mut lifetimes = Lifetimes { starts: vec![0], items, ..Lifetimes::default() };
        let mut push = |bytes: u64, rules: ValueRules, ends: &mut dyn Iterator<Item = (usize, usize)>| {
            if bytes > 0 {
                lifetimes.bytes.push(bytes as f64);
                lifetimes.rules.push(rules);
                lifetimes.ends.extend(ends.map(|(place, item)| (place as u32, item as u32)));
                lifetimes.starts.push(lifetimes.ends.len() as u32);
            }
        };
        for (item, &bytes) in sequence.internal_peak.iter().enumerate() {
            push(bytes, ValueRules::default(), &mut std::iter::once((item, item)));
        }
        for value in &sequence.values {
            let made = (value.producer, value.producer);
            let read = value.readers.iter().map(|&reader| (reader, reader));
            // What is returned stays where it was made.
            let end = value.returned.then_some((items - 1, value.producer));
            push(value.stored_bytes(), value.rules, &mut std::iter::once(made).chain(read).chain(end));
        }
        let mut of = vec![Vec::new(); items];
        for value in 0..lifetimes.bytes.len() {
            for &(_, item) in lifetimes.ends(value) {
                let of: &mut Vec<u32> = &mut of[item as usize];
                if of.last() != Some(&(value as u32)) {
                    of.push(value as u32);
                }
            }
        }
        lifetimes.bytes_of =
            of.iter().map(|of| of.iter().map(|&value| lifetimes.bytes[value as usize]).sum()).collect();
        lifetimes.values_of = Lists::new(of);
        lifetimes
    }

    /// Bytes of all that an item needs.
    pub(crate) fn bytes_of(&self, item: usize) -> f64 {
        self.bytes_of[item]
    }

    /// Where a value is needed, the maker first: places in run order, and the items that need it there.
    pub(crate) fn ends(&self, value: usize) -> &[(u32, u32)] {
        &self.ends[self.starts[value] as usize..self.starts[value + 1] as usize]
    }

    /// How many items, values.
    pub(crate) fn items(&self) -> usize {
        self.items
    }

    pub(crate) fn values(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn bytes(&self, value: usize) -> f64 {
        self.bytes[value]
    }

    pub(crate) fn rules(&self, value: usize) -> ValueRules {
        self.rules[value]
    }

    /// Values an item makes or reads.
    pub(crate) fn values_of(&self, item: usize) -> &[u32] {
        self.values_of.of(item)
    }
}
