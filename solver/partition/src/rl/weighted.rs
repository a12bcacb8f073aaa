//! The exact grouping of a chip's cores under the weighted reward.
//!
//! The reward is a sum of three maxima, so a partial grouping is no better than another only if none of its three largest loads is
//! smaller. At every (layer, cores used) the dynamic programme therefore keeps all triples that no other is at or below in every load, as
//! multi-criteria shortest paths do (Martins, "On a multicriteria shortest path problem", EJOR 16, 1984), and of these only such as can
//! still beat the best state known.

use crate::rl::environment::{Group, State};
use crate::rl::machine::{Goal, Machine, Score, Site};

/// Stages added to partial groupings at most; past it nothing is known.
const MOST_STEPS: u64 = 200_000_000;
/// Partial groupings kept at most.
const MOST_LABELS: u64 = 20_000_000;

/// A partial grouping: its largest loads, and the stage it ends with.
#[derive(Clone, Copy)]
struct Label {
    loads: [f64; 3],
    cost: f64,
    /// First layer and cores of the last stage, and the label before it.
    first: usize,
    cores: usize,
    before: usize,
}

/// The grouping of all cores within the memory of the cores whose weighted sum is least, if one is better than `known`.
///
/// # Errors
/// [`TooLarge`] where the search takes more steps or memory than it may, or `go_on` says no.
pub fn best_weighted(
    machine: &Machine,
    goal: &Goal,
    known: &Score,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<State>, TooLarge> {
    let Site::Chip { .. } = machine.site() else { return Ok(None) };
    let (n, cores) = (machine.layers(), machine.slots());
    let per_unit = goal.per_unit();
    let cost = |loads: &[f64; 3]| loads.iter().zip(&per_unit).map(|(load, unit)| load * unit).sum::<f64>();
    let limit = if known.violations == 0 { goal.cost(known) * (1.0 - 1e-12) } else { f64::INFINITY };
    let place = |layer: usize, used: usize| layer * (cores + 1) + used;
    let mut labels: Vec<Vec<Label>> = vec![Vec::new(); (n + 1) * (cores + 1)];
    labels[0].push(Label { loads: [0.0; 3], cost: 0.0, first: 0, cores: 0, before: 0 });
    let (mut steps, mut kept) = (0u64, 0u64);
    for first in 0..n {
        for used in 0..cores {
            let here = undominated(std::mem::take(&mut labels[place(first, used)]));
            for end in first + 1..=n {
                if steps > MOST_STEPS || kept > MOST_LABELS || !go_on() {
                    return Err(TooLarge);
                }
                for count in 1..=cores - used {
                    let group = Group { first, end, cores: count, core: used + count - 1 };
                    // Every core is used in the end, and every stage has a core.
                    if machine.over_cap(group) || (end == n) != (used + count == cores) {
                        continue;
                    }
                    let stage = [
                        machine.seconds(group),
                        machine.peak_bytes(group) as f64 / count as f64,
                        machine.route_bytes(group) as f64,
                    ];
                    // What has no weight is not looked at, or it would keep groupings apart that are worth the same.
                    let counted = |load: usize| if per_unit[load] > 0.0 { stage[load] } else { 0.0 };
                    for (before, label) in here.iter().enumerate() {
                        let loads = [0, 1, 2].map(|load| label.loads[load].max(counted(load)));
                        let cost = cost(&loads);
                        if cost < limit {
                            kept += 1;
                            labels[place(end, used + count)].push(Label {
                                loads,
                                cost,
                                first,
                                cores: count,
                                before,
                            });
                        }
                    }
                    steps += here.len() as u64;
                }
            }
            labels[place(first, used)] = here;
        }
    }
    let last = &labels[place(n, cores)];
    let Some(mut at) = (0..last.len()).min_by(|&a, &b| last[a].cost.total_cmp(&last[b].cost)) else {
        return Ok(None);
    };
    let (mut end, mut used, mut groups) = (n, cores, Vec::new());
    while end > 0 {
        let label = labels[place(end, used)][at];
        groups.push((end - label.first, label.cores));
        (end, used, at) = (label.first, used - label.cores, label.before);
    }
    groups.reverse();
    Ok(State::from_groups(&groups))
}

/// The problem has too many groupings that cannot be told apart early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Without labels that another is at or below in every load.
fn undominated(mut labels: Vec<Label>) -> Vec<Label> {
    labels.sort_by(|a, b| {
        a.loads
            .iter()
            .zip(&b.loads)
            .map(|(x, y)| x.total_cmp(y))
            .find(|o| o.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut kept: Vec<Label> = Vec::new();
    for label in labels {
        let below = |other: &Label| other.loads.iter().zip(&label.loads).all(|(a, b)| a <= b);
        if !kept.iter().any(below) {
            kept.push(label);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rl::machine::Reward;
    use crate::sequence::Sequence;
    use ballast_core::device::CoreModel;
    use ballast_core::units::Bytes;
    use rand::{RngExt, SeedableRng};

    fn every_state(layers: usize, cores: usize) -> Vec<State> {
        let mut found = vec![(Vec::new(), layers)];
        for _ in 0..cores {
            let more = |(state, left): (Vec<usize>, usize)| {
                (0..=left).map(move |count| ([state.clone(), vec![count]].concat(), left - count))
            };
            found = found.into_iter().flat_map(more).collect();
        }
        found.into_iter().filter(|(_, left)| *left == 0).filter_map(|(state, _)| State::new(state)).collect()
    }

    #[test]
    fn no_grouping_has_a_smaller_weighted_sum() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let mut better = 0;
        for round in 0..80 {
            let (n, cores) = (2 + round % 5, 2 + round % 4);
            let seconds: Vec<f64> = (0..n).map(|_| f64::from(rng.random_range(1..30u32))).collect();
            let bytes: Vec<u64> = (0..n).map(|_| rng.random_range(1..40)).collect();
            let memory: Vec<u64> = (0..n).map(|_| rng.random_range(1..60)).collect();
            let speed_up = (1..=cores).map(|c| (c as f64).sqrt()).collect();
            let memory_per_core = Bytes(if round % 3 == 0 { 120 } else { 1 << 40 });
            let model = CoreModel { count: cores, memory_per_core, speed_up };
            let machine = Machine::new(&Sequence::chain(&seconds, &bytes, &memory), Site::chip(&model));
            let start = machine.score(&State::spread(n, cores).expect("a state"));
            let weight = |rng: &mut rand_chacha::ChaCha8Rng| f64::from(rng.random_range(0..4u32));
            let (compute, memory, route) = (weight(&mut rng), weight(&mut rng), weight(&mut rng));
            let goal = Goal {
                reward: Reward::Weighted { compute, memory, route },
                scale: 1.0,
                penalty: -1.0,
                start,
            };
            let scores = every_state(n, cores).into_iter().map(|state| machine.score(&state));
            let least =
                scores.filter(|s| s.violations == 0).map(|s| goal.cost(&s)).fold(f64::INFINITY, f64::min);
            let known = if start.violations == 0 { goal.cost(&start) } else { f64::INFINITY };
            match best_weighted(&machine, &goal, &start, &mut || true).expect("small") {
                Some(state) => {
                    let score = machine.score(&state);
                    assert_eq!(score.violations, 0);
                    assert!(
                        (goal.cost(&score) - least).abs() < 1e-9,
                        "round {round}: {} {least}",
                        goal.cost(&score)
                    );
                    better += 1;
                }
                None => assert!(least >= known * (1.0 - 1e-9), "round {round}: {least} {known}"),
            }
        }
        assert!(better > 30, "{better}");
    }
}
