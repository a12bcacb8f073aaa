//! Ways to make room for a claim of memory: least sets of values to drop, at each moment at which copies give memory back.

use crate::effort::Effort;

/// Nodes, as bits.
pub(crate) type Set = u32;

/// A claim of memory: so many bytes more under a limit.
pub(crate) struct Room {
    pub(crate) limit: u64,
    /// In use or coming free.
    pub(crate) used: u64,
    pub(crate) bytes: u64,
}

impl Room {
    /// Calls `take` with each least set to drop, and the moment the bytes are there then: no part of the set would do at that moment, and
    /// the set would not do before. Once the effort is over some sets are missing.
    pub(crate) fn ways(
        &self,
        start: f64,
        choice: &[(f64, u64, Set)],
        coming: &[(f64, u64)],
        effort: &Effort,
        mut take: impl FnMut(Set, f64),
    ) {
        let used = self.used + coming.iter().map(|(_, bytes)| bytes).sum::<u64>();
        let mut moments: Vec<f64> = choice
            .iter()
            .map(|&(moment, ..)| moment)
            .chain(coming.iter().map(|&(moment, _)| moment))
            .filter(|&moment| moment > start)
            .collect();
        moments.push(start);
        moments.sort_unstable_by(f64::total_cmp);
        moments.dedup();
        let mut before: Option<f64> = None;
        for &at in &moments {
            let come: u64 = coming.iter().filter(|(moment, _)| *moment <= at).map(|(_, bytes)| bytes).sum();
            let excess = (used - come + self.bytes).saturating_sub(self.limit);
            let now: Vec<(f64, u64, Set)> =
                choice.iter().copied().filter(|&(moment, ..)| moment <= at).collect();
            let earlier = |set: Set| {
                before.is_some_and(|before| {
                    let come: u64 =
                        coming.iter().filter(|(moment, _)| *moment <= before).map(|(_, bytes)| bytes).sum();
                    let gone: u64 = choice
                        .iter()
                        .filter(|&&(moment, _, bit)| moment <= before && set & bit != 0)
                        .map(|&(_, bytes, _)| bytes)
                        .sum();
                    used - come + self.bytes <= self.limit + gone
                })
            };
            least_sets(&now, excess, effort, &mut |set| {
                if !earlier(set) {
                    effort.spend(STEPS_OF_A_STATE);
                    take(set, at);
                }
            });
            if excess == 0 {
                // Later ones would drop nothing either.
                break;
            }
            before = Some(at);
        }
    }
}

/// Steps that a state made of a set counts as: it is copied whole.
const STEPS_OF_A_STATE: u64 = 128;

/// All sets of at least `excess` bytes of which no part has as many, until the effort is over.
fn least_sets(choice: &[(f64, u64, Set)], excess: u64, effort: &Effort, take: &mut dyn FnMut(Set)) {
    /// Goes through the choices from `from` on; `least` is the smallest size in the set.
    fn grow(
        choice: &[(f64, u64, Set)],
        (from, set, bytes, least): (usize, Set, u64, u64),
        excess: u64,
        effort: &Effort,
        take: &mut dyn FnMut(Set),
    ) {
        if effort.over() {
            return;
        }
        effort.spend(1 + (choice.len() - from) as u64);
        if bytes >= excess {
            if set == 0 || bytes - least < excess {
                take(set);
            }
            return;
        }
        let rest: u64 = choice[from..].iter().map(|&(_, bytes, _)| bytes).sum();
        if bytes + rest < excess {
            return;
        }
        for (index, &(_, own, bit)) in choice.iter().enumerate().skip(from) {
            grow(choice, (index + 1, set | bit, bytes + own, least.min(own)), excess, effort, take);
        }
    }
    grow(choice, (0, 0, 0, u64::MAX), excess, effort, take);
}
