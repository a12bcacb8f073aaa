//! The exact answer of the core-group chain problem, by dynamic programming over layers and cores.
//!
//! `best(end, cores) = min over first, c of max(best(first, cores - c), time of first..end on c cores)`.

use crate::rl::environment::{Group, State};
use crate::rl::machine::{Machine, Site};

/// The best grouping of all cores of a chip under the memory of its cores, with its slowest stage in seconds;
/// none where every grouping is over the memory, or the machine is no chip.
///
/// Takes `layers^2 x cores^2 / 4` steps; stages slower than an even spread of the layers are left out.
#[must_use]
pub fn best_grouping(machine: &Machine) -> Option<(State, f64)> {
    best_grouping_while(machine, &mut || true).ok().flatten()
}

/// The same as long as `go_on` says so, which is asked after every `cores^2 / 2` steps at most.
///
/// # Errors
/// [`Stopped`] where it did not.
pub fn best_grouping_while(
    machine: &Machine,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<(State, f64)>, Stopped> {
    let Site::Chip { .. } = machine.site() else { return Ok(None) };
    let (n, cores) = (machine.layers(), machine.slots());
    let mut best = vec![f64::INFINITY; (n + 1) * (cores + 1)];
    let mut from = vec![(0usize, 0usize); (n + 1) * (cores + 1)];
    best[0] = 0.0;
    let even = State::spread(n, cores).map(|state| machine.score(&state));
    let limit = even.filter(|score| score.violations == 0).map_or(f64::INFINITY, |score| score.tmax_seconds);
    for first in 0..n {
        for end in first + 1..=n {
            if !go_on() {
                return Err(Stopped);
            }
            for count in 1..=cores {
                let group = Group { first, end, cores: count, core: count - 1 };
                if machine.over_cap(group) {
                    continue;
                }
                let seconds = machine.seconds(group);
                if seconds > limit {
                    continue;
                }
                for used in 0..=cores - count {
                    let before = best[first * (cores + 1) + used];
                    let value = before.max(seconds);
                    let place = end * (cores + 1) + used + count;
                    if value < best[place] {
                        best[place] = value;
                        from[place] = (first, count);
                    }
                }
            }
        }
    }
    let value = best[n * (cores + 1) + cores];
    if !value.is_finite() {
        return Ok(None);
    }
    let (mut end, mut left, mut groups) = (n, cores, Vec::new());
    while end > 0 {
        let (first, count) = from[end * (cores + 1) + left];
        groups.push((end - first, count));
        (end, left) = (first, left - count);
    }
    groups.reverse();
    Ok(State::from_groups(&groups).map(|state| (state, value)))
}

/// Told to stop before anything was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::Sequence;
    use ballast_core::device::CoreModel;
    use ballast_core::units::Bytes;
    use rand::{RngExt, SeedableRng};

    fn every_grouping(layers: usize, cores: usize) -> Vec<Vec<(usize, usize)>> {
        if layers == 0 {
            return if cores == 0 { vec![Vec::new()] } else { Vec::new() };
        }
        let mut all = Vec::new();
        for take in 1..=layers {
            for count in 1..=cores {
                for rest in every_grouping(layers - take, cores - count) {
                    all.push(std::iter::once((take, count)).chain(rest).collect());
                }
            }
        }
        all
    }

    #[test]
    fn no_grouping_is_better_than_the_exact_one() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
        for round in 0..60 {
            let (n, cores) = (1 + round % 6, 1 + round % 5);
            let seconds: Vec<f64> = (0..n).map(|_| f64::from(rng.random_range(1..30u32))).collect();
            let bytes: Vec<u64> = (0..n).map(|_| rng.random_range(1..40)).collect();
            let memory: Vec<u64> = (0..n).map(|_| rng.random_range(1..60)).collect();
            let speed_up =
                if round % 2 == 0 { Vec::new() } else { (1..=cores).map(|c| (c as f64).sqrt()).collect() };
            let memory_per_core = Bytes(if round % 3 == 0 { 90 } else { 1 << 40 });
            let model = CoreModel { count: cores, memory_per_core, speed_up };
            let machine = Machine::new(&Sequence::chain(&seconds, &bytes, &memory), Site::chip(&model));
            let brute = every_grouping(n, cores)
                .iter()
                .filter_map(|groups| State::from_groups(groups))
                .map(|state| machine.score(&state))
                .filter(|score| score.violations == 0)
                .map(|score| score.tmax_seconds)
                .fold(f64::INFINITY, f64::min);
            match best_grouping(&machine) {
                Some((state, value)) => {
                    assert!((value - brute).abs() < 1e-9, "round {round}: {value} against {brute}");
                    assert!((machine.score(&state).tmax_seconds - value).abs() < 1e-9);
                }
                None => assert!(brute.is_infinite(), "round {round}"),
            }
        }
    }
}
