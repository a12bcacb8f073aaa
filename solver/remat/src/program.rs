//! The problem as the solvers see it: an order of first runs, sizes in exact floats, a sink for kept values.
//!
//! Positions are indices into the order. Nodes are renumbered by position, so node = position of its first
//! run and inputs are always smaller; a final node of no size and no time reads every value to be kept at the
//! end. [`Program::compact`] goes back to the caller's numbering.

use ballast_core::memory::{CompactPlan, NodeId, Problem};

/// Node of a [`Program`]; also the position of its first run.
pub(crate) type Slot = u32;

/// A recompute: before the first run at `position`, run `slot` again. Rounds of a position follow each other,
/// within a round the caller's numbering rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Again {
    pub(crate) position: Slot,
    pub(crate) round: u32,
    pub(crate) slot: Slot,
}

/// A plan in slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) again: Vec<Again>,
    /// `(position, slot)`: copied to the host after the first run at the position.
    pub(crate) out: Vec<(Slot, Slot)>,
    /// `(position, slot)`: copied back before the first run at the position.
    pub(crate) back: Vec<(Slot, Slot)>,
}

impl Plan {
    /// A plan without swaps.
    pub(crate) fn recomputing(again: &[Again]) -> Self {
        Plan { again: again.to_vec(), ..Plan::default() }
    }
}

/// A problem in the order of its first runs.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Time of one run.
    pub(crate) time: Vec<f64>,
    /// Bytes of the value, a whole number.
    pub(crate) size: Vec<f64>,
    /// Bytes held only while the node runs.
    pub(crate) workspace: Vec<f64>,
    /// May the node run again?
    pub(crate) repeatable: Vec<bool>,
    /// May the value be swapped?
    pub(crate) swappable: Vec<bool>,
    /// Order of nodes within a position: the caller's numbering.
    pub(crate) original: Vec<NodeId>,
    /// Number of nodes without the sink.
    pub(crate) real: usize,
    inputs: Lists,
    /// What has to have run before the first run of a node, for its effects.
    after: Vec<Option<Slot>>,
    readers: Lists,
    /// Bytes left for values: the cap less what is always resident, in whole units of the sizes.
    pub(crate) cap: f64,
    /// Time of running everything once.
    pub(crate) total_time: f64,
    program_order: bool,
    /// May recomputes of one position run in several rounds?
    pub(crate) rounds: bool,
}

/// Most nodes, the sink included: the timeline packs node and round into half a word.
pub(crate) const MOST_NODES: usize = (1 << NODE_BITS) - 1;
/// Bits of a node number.
pub(crate) const NODE_BITS: u32 = 26;
/// Kinds of steps between two first runs beside rounds of recomputes: copies to the host, and back.
pub(crate) const COPY_LANES: u32 = 2;
/// Most rounds of a position.
pub(crate) const MOST_ROUNDS: u32 = (1 << (32 - NODE_BITS)) - 1 - COPY_LANES;

/// Rounds a list of recomputes needs.
fn round_count(list: &[Again]) -> u32 {
    list.iter().map(|again| again.round + 1).max().unwrap_or(0)
}

/// Lists of slots, one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    start: Vec<u32>,
    items: Vec<Slot>,
}

impl Lists {
    fn of(lists: impl Iterator<Item = Vec<Slot>>) -> Self {
        let mut result = Lists { start: vec![0], items: Vec::new() };
        for list in lists {
            result.items.extend(list);
            result.start.push(u32::try_from(result.items.len()).unwrap_or(u32::MAX));
        }
        result
    }

    fn get(&self, slot: Slot) -> &[Slot] {
        let at = slot as usize;
        &self.items[self.start[at] as usize..self.start[at + 1] as usize]
    }
}

impl Program {
    /// The problem under a cap, in an order of first runs that puts inputs first (program order if none).
    pub(crate) fn new(problem: &Problem, order: Option<&[NodeId]>, cap_bytes: u64) -> Self {
        let real = problem.nodes.len();
        let order: Vec<NodeId> = order.map_or_else(|| NodeId::first(real).collect(), <[NodeId]>::to_vec);
        let program_order = order.iter().copied().eq(NodeId::first(order.len()));
        let mut position = vec![0; real];
        for (at, &node) in order.iter().enumerate() {
            position[node] = at as Slot;
        }
        let kept: Vec<Slot> = {
            let mut kept: Vec<Slot> = NodeId::first(real)
                .filter(|&node| problem.nodes[node].keep)
                .map(|node| position[node])
                .collect();
            kept.sort_unstable();
            kept
        };
        let nodes = || order.iter().map(|&node| &problem.nodes[node]);
        let mut time: Vec<f64> = nodes().map(|node| node.time).collect();
        let mut size: Vec<f64> = nodes().map(|node| node.bytes as f64).collect();
        let mut workspace: Vec<f64> = nodes().map(|node| node.workspace_bytes as f64).collect();
        let mut repeatable: Vec<bool> = nodes().map(|node| node.recomputable && !node.pinned).collect();
        let mut swappable: Vec<bool> =
            nodes().map(|node| node.swappable && !node.pinned && node.bytes > 0).collect();
        let mut inputs: Vec<Vec<Slot>> = nodes()
            .map(|node| {
                let mut slots: Vec<Slot> = node.inputs.iter().map(|&input| position[input]).collect();
                slots.sort_unstable();
                slots
            })
            .collect();
        let mut after: Vec<Option<Slot>> =
            nodes().map(|node| node.after.map(|before| position[before])).collect();
        let mut original = order;
        if !kept.is_empty() {
            time.push(0.0);
            size.push(0.0);
            workspace.push(0.0);
            repeatable.push(false);
            swappable.push(false);
            inputs.push(kept);
            after.push(None);
            original.push(NodeId(real));
        }
        let mut readers = vec![Vec::new(); time.len()];
        for (reader, list) in inputs.iter().enumerate() {
            for &input in list {
                readers[input as usize].push(reader as Slot);
            }
        }
        // What is held is a whole number of units, so that the last part of one is of no use.
        let unit = unit(size.iter().chain(&workspace));
        let room = cap_bytes as f64 - problem.resident_bytes as f64;
        let cap = if unit > 0.0 { (room / unit).floor() * unit } else { room };
        Program {
            total_time: time.iter().sum(),
            time,
            size,
            workspace,
            repeatable,
            swappable,
            original,
            real,
            inputs: Lists::of(inputs.into_iter()),
            after,
            readers: Lists::of(readers.into_iter()),
            cap,
            program_order,
            rounds: false,
        }
    }

    /// The same, with recomputes of one position in any order.
    pub(crate) fn with_rounds(mut self, rounds: bool) -> Self {
        self.rounds = rounds;
        self
    }

    /// Number of nodes, the sink included.
    pub(crate) fn len(&self) -> usize {
        self.time.len()
    }

    /// The node whose first run comes before that of another, for their effects.
    pub(crate) fn after(&self, slot: Slot) -> Option<Slot> {
        self.after[slot as usize]
    }

    /// Values read, ascending.
    pub(crate) fn inputs(&self, slot: Slot) -> &[Slot] {
        self.inputs.get(slot)
    }

    /// Nodes that read the value, ascending.
    pub(crate) fn readers(&self, slot: Slot) -> &[Slot] {
        self.readers.get(slot)
    }

    /// Last first run that reads the value; the value's own without readers.
    pub(crate) fn last_reader(&self, slot: Slot) -> Slot {
        self.readers(slot).last().copied().unwrap_or(slot)
    }

    /// Bytes at each first run when nothing is done: every value from its run to its last reader.
    pub(crate) fn unplanned(&self) -> Vec<f64> {
        let mut ending = vec![0.0; self.len()];
        let mut live = 0.0;
        (0..self.len())
            .map(|at| {
                ending[self.last_reader(at as Slot) as usize] += self.size[at];
                live += self.size[at];
                let bytes = live + self.workspace[at];
                live -= ending[at];
                bytes
            })
            .collect()
    }

    /// A plan in slots; none if its first runs have another order or there are copies between recomputes.
    pub(crate) fn plan(&self, plan: &CompactPlan) -> Option<Plan> {
        let without = CompactPlan { swap_out: Vec::new(), swap_in: Vec::new(), ..plan.clone() };
        let again = self.recomputes(&without)?;
        let mut slot_of = vec![0; self.len()];
        for (slot, &node) in self.original.iter().enumerate() {
            slot_of[node] = slot as Slot;
        }
        let copies = |list: &[(usize, NodeId)]| -> Option<Vec<(Slot, Slot)>> {
            let mut copies = list
                .iter()
                .map(|&(position, node)| Some((position as Slot, *slot_of.get(node.0)?)))
                .collect::<Option<Vec<_>>>()?;
            copies.sort_unstable();
            Some(copies)
        };
        Some(Plan { again, out: copies(&plan.swap_out)?, back: copies(&plan.swap_in)? })
    }

    /// The recomputes of a plan with this order of first runs; none if it has another order, swaps, or copies between recomputes.
    pub(crate) fn recomputes(&self, plan: &CompactPlan) -> Option<Vec<Again>> {
        let order = plan.order.as_deref();
        let same = match order {
            Some(order) => order == &self.original[..self.real],
            None => self.program_order,
        };
        if !same || !plan.swap_out.is_empty() || !plan.copies.is_empty() {
            return None;
        }
        let mut slot_of = vec![0; self.len()];
        for (slot, &node) in self.original.iter().enumerate() {
            slot_of[node] = slot as Slot;
        }
        let rounds = [&plan.recompute].into_iter().chain(&plan.rounds).zip(0..MOST_ROUNDS);
        rounds
            .flat_map(|(list, round)| list.iter().map(move |&(position, node)| (position, round, node)))
            .filter(|&(_, round, _)| round == 0 || self.rounds)
            .map(|(position, round, node)| {
                let slot = *slot_of.get(node.0)?;
                let fits =
                    position < self.len() && (slot as usize) < position && self.repeatable[slot as usize];
                fits.then_some(Again { position: position as Slot, round, slot })
            })
            .collect()
    }

    /// The recomputes in a sequence of all runs, first runs in order. None if one may not run again, or if
    /// they would need rounds and must not.
    pub(crate) fn again_of(&self, runs: impl Iterator<Item = Slot>) -> Option<Vec<Again>> {
        let mut next = 0;
        let mut list: Vec<Again> = Vec::new();
        for slot in runs {
            if slot == next {
                next += 1;
                continue;
            }
            let round = self.round_after(list.last(), next, slot);
            if slot > next || !self.repeatable[slot as usize] || round > 0 && !self.rounds {
                return None;
            }
            list.push(Again { position: next, round, slot });
        }
        (round_count(&list) <= MOST_ROUNDS).then_some(list)
    }

    /// Round of a recompute that follows another: the same, or the next where numbering alone would put it
    /// before.
    pub(crate) fn round_after(&self, previous: Option<&Again>, position: Slot, slot: Slot) -> u32 {
        let number = |slot: Slot| self.original[slot as usize];
        match previous {
            Some(last) if last.position == position => {
                last.round + u32::from(number(last.slot) >= number(slot))
            }
            _ => 0,
        }
    }

    /// The plan in the caller's numbering.
    pub(crate) fn compact(&self, plan: &Plan) -> CompactPlan {
        let sorted = |list: &mut dyn Iterator<Item = (Slot, Slot)>| {
            let mut list: Vec<(usize, NodeId)> =
                list.map(|(position, slot)| (position as usize, self.original[slot as usize])).collect();
            list.sort_unstable();
            list
        };
        let mut round = |wanted: u32| {
            let list = plan.again.iter().filter(|again| again.round == wanted);
            sorted(&mut list.map(|again| (again.position, again.slot)))
        };
        CompactPlan {
            order: (!self.program_order).then(|| self.original[..self.real].to_vec()),
            recompute: round(0),
            rounds: (1..round_count(&plan.again)).map(&mut round).collect(),
            swap_out: sorted(&mut plan.out.iter().copied()),
            swap_in: sorted(&mut plan.back.iter().copied()),
            copies: Vec::new(),
        }
    }
}

/// Largest unit that divides all numbers; 0 if they are not whole numbers.
pub(crate) fn unit<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let mut divisor = 0u64;
    for &number in numbers {
        if number.fract() != 0.0 || number > 9.0e15 {
            return 0.0;
        }
        let (mut a, mut b) = (divisor, number as u64);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        divisor = a;
    }
    divisor as f64
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn the_unit_divides_whole_numbers() {
        assert_eq!(unit(&[6.0, 0.0, 9.0]), 3.0);
        assert_eq!(unit(&[0.0]), 0.0);
        assert_eq!(unit(&[1.5, 3.0]), 0.0);
    }
}
