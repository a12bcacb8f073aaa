//! A bound for chains of layers that counts values: how many fit beside each gradient, whatever is kept and recomputed.
//!
//! While the gradient of layer t runs, the values t and t-1 and two gradients are on the device, and beside them at most so many
//! values of earlier layers as the smallest of them fit. What is on the device there and was not at the gradient before, with the
//! layers between it and the nearest value that was, runs again in between. The least time of such a sequence of sets, whatever
//! happens at other moments, is below every plan's. It has the form of a dynamic program, since values count alike: a value dropped before
//! its own gradient has run is better replaced by its successor from the first run of that on, and one not used yet by
//! what it is made of. So each value held is held until its gradient has run. With E(s, t, d) for the gradients t down to s where d values before s
//! are held, s-1 among them, and K(t) values of layers beside the gradient t:
//! E(t, t, d) = 0 if d + 1 <= K(t); E(s, t, d) = min over s < k <= t of time(s..k-1) + E(k, t, d+1) + E(s, k-1, d); and C(s, d), with
//! t the last layer, whose forward pass makes every value for nothing, without the time. For values of one size the recursion is that of Griewank and
//! Walther, "Algorithm 799: revolve" (2000), and its bound is met; for others it is one all the same.

use ballast_core::limits::Deadline;

use crate::chain::Chain;
use crate::program::{Program, Slot};

/// Most entries of the table, 8 bytes each.
const ENTRIES: usize = 40_000_000;
/// Most sums of two entries: a few seconds.
const SUMS: f64 = 1e10;
/// Share of the bound taken off for sums of times that are no whole numbers.
const ROUNDING: f64 = 1e-12;

/// A lower bound on the time of the recomputes of every plan of a chain that swaps nothing, first runs in program order. None
/// where the table would be too large, the time is over or no set fits.
pub(crate) fn counting_bound(program: &Program, chain: &Chain<'_>, deadline: &Deadline) -> Option<f64> {
    let layers = chain.layers();
    let held: Vec<usize> = (0..layers).map(|t| most_held(program, chain, t)).collect();
    let time: Vec<f64> = (0..layers).map(|layer| program.time[layer]).collect();
    least(&time, &held, deadline)
}

/// K(t): how many values of layers may be on the device while the gradient of layer t runs.
fn most_held(program: &Program, chain: &Chain<'_>, t: usize) -> usize {
    let gradient = chain.gradient(t);
    let inputs = program.inputs(gradient as Slot).iter().map(|&v| program.size[v as usize]);
    let own = program.size[gradient] + program.workspace[gradient] + inputs.sum::<f64>();
    let before = t.saturating_sub(1);
    let mut sizes = program.size[..before].to_vec();
    sizes.sort_by(f64::total_cmp);
    let mut bytes = own;
    let others = sizes.iter().take_while(|&&size| {
        bytes += size;
        bytes <= program.cap
    });
    t + 1 - before + others.count()
}

/// The dynamic program for layers of these times and so many values beside each gradient.
fn least(time: &[f64], held: &[usize], deadline: &Deadline) -> Option<f64> {
    let layers = time.len();
    let width = held.iter().copied().max().unwrap_or(0) + 1;
    let (segments, n) = (layers * (layers + 1) / 2, layers as f64);
    if segments.saturating_mul(width) > ENTRIES || n * n * n / 6.0 * width as f64 > SUMS {
        return None;
    }
    let before: Vec<f64> = std::iter::once(0.0)
        .chain(time.iter().scan(0.0, |sum, &time| {
            *sum += time;
            Some(*sum)
        }))
        .collect();
    // Segments of one s follow each other; the last ones are the first pass.
    let segment = |s: usize, t: usize| (s * (2 * layers - s + 1) / 2 + t - s) * width;
    let pass = |s: usize| (segments + s) * width;
    let mut table = vec![f64::INFINITY; (segments + layers) * width];
    let mut row = vec![f64::INFINITY; width];
    for s in (0..layers).rev() {
        for t in s..=layers {
            if deadline.over() {
                return None;
            }
            // Up to the last layer, and once more as a first pass.
            let first = t == layers;
            let t = t.min(layers - 1);
            row.fill(f64::INFINITY);
            if s == t {
                row[..held[t]].fill(0.0);
            }
            for k in s + 1..=t {
                let late = if first { pass(k) } else { segment(k, t) };
                let late = &table[late + 1..late + width];
                let early = &table[segment(s, k - 1)..][..width];
                let sweep = if first { 0.0 } else { before[k] - before[s] };
                for ((cost, late), early) in row.iter_mut().zip(late).zip(early) {
                    *cost = cost.min(sweep + late + early);
                }
            }
            let at = if first { pass(s) } else { segment(s, t) };
            table[at..at + width].copy_from_slice(&row);
        }
    }
    let bound = table[pass(0)] * (1.0 - ROUNDING);
    bound.is_finite().then_some(bound)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ballast_core::memory::{Node, Problem};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The least time of a sequence of sets, one at each gradient, by trying them all.
    fn by_sets(time: &[f64], held: &[usize]) -> f64 {
        let layers = time.len();
        let sets = |t: usize| {
            (0..1usize << (t + 1)).filter(move |set| {
                let own = set >> t & 1 == 1 && (t == 0 || set >> (t - 1) & 1 == 1);
                own && set.count_ones() as usize <= held[t]
            })
        };
        let mut costs: BTreeMap<usize, f64> = sets(layers - 1).map(|set| (set, 0.0)).collect();
        for t in (0..layers - 1).rev() {
            let mut next = BTreeMap::new();
            for to in sets(t) {
                let from = costs.iter().map(|(&from, cost)| {
                    // Whatever is not there has to run, and what it is made of with it.
                    let mut runs = to & !from;
                    for v in (1..=t).rev() {
                        if runs >> v & 1 == 1 && from >> (v - 1) & 1 == 0 {
                            runs |= 1 << (v - 1);
                        }
                    }
                    cost + (0..=t).filter(|v| runs >> v & 1 == 1).map(|v| time[v]).sum::<f64>()
                });
                next.insert(to, from.fold(f64::INFINITY, f64::min));
            }
            costs = next;
        }
        costs.into_values().fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_recursion_finds_the_least_sequence_of_sets() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut above_zero = 0;
        for _ in 0..400 {
            let layers = rng.random_range(2..8);
            let time: Vec<f64> = (0..layers).map(|_| f64::from(rng.random_range(0..9))).collect();
            let most = rng.random_range(2..5);
            let held: Vec<usize> = (0..layers).map(|_| rng.random_range(2..=most)).collect();
            let sets = by_sets(&time, &held);
            let found = least(&time, &held, &Deadline::after(None)).unwrap_or(f64::INFINITY);
            let equal = (found - sets).abs() <= 1e-9 || found == sets;
            assert!(equal, "{found} for {sets}: {time:?} {held:?}");
            above_zero += usize::from(sets > 0.0);
        }
        assert!(above_zero > 200, "{above_zero}");
    }

    /// Layers, perhaps a loss, gradients; a draw of times and one of sizes.
    fn chain(
        layers: usize,
        loss: bool,
        times: &mut dyn FnMut() -> u64,
        sizes: &mut dyn FnMut() -> u64,
    ) -> Problem {
        let mut nodes: Vec<Node> = (0..layers)
            .map(|i| Node::new(format!("l{i}"), times() as f64, sizes(), i.checked_sub(1)))
            .collect();
        if loss {
            nodes.push(Node::new("loss", times() as f64, sizes() / 4, vec![layers - 1]));
        }
        for i in (0..layers).rev() {
            let mut inputs: Vec<usize> = i.checked_sub(1).into_iter().chain([i]).collect();
            inputs.extend((loss || i + 1 < layers).then(|| nodes.len() - 1));
            let mut node = Node::new(format!("grad{i}"), times() as f64, sizes(), inputs);
            node.workspace_bytes = sizes() / 8;
            nodes.push(node);
        }
        Problem { name: "chain".into(), nodes, resident_bytes: 0 }
    }

    /// The least time of recomputes of all plans with first runs in program order: the cheapest way through all sets of values held.
    fn by_states(problem: &Problem, cap: u64) -> Option<f64> {
        let n = problem.nodes.len();
        let bytes =
            |set: usize| (0..n).filter(|v| set >> v & 1 == 1).map(|v| problem.nodes[v].bytes).sum::<u64>();
        let needs = |v: usize| problem.nodes[v].inputs.iter().fold(0usize, |set, input| set | 1 << input.0);
        let fits = |v: usize, set: usize| bytes(set | 1 << v) + problem.nodes[v].workspace_bytes <= cap;
        let drop_any = |costs: &mut Vec<f64>| {
            for v in 0..n {
                for set in (0..1usize << n).filter(|set| set >> v & 1 == 1) {
                    costs[set & !(1 << v)] = costs[set & !(1 << v)].min(costs[set]);
                }
            }
        };
        let mut costs = vec![f64::INFINITY; 1 << n];
        costs[0] = 0.0;
        for p in 0..n {
            // Recomputes until none makes anything cheaper.
            loop {
                let before = costs.clone();
                drop_any(&mut costs);
                for v in 0..p {
                    for set in 0..1usize << n {
                        if set >> v & 1 == 0 && set & needs(v) == needs(v) && fits(v, set) {
                            let again = costs[set] + problem.nodes[v].time;
                            costs[set | 1 << v] = costs[set | 1 << v].min(again);
                        }
                    }
                }
                if costs == before {
                    break;
                }
            }
            let mut next = vec![f64::INFINITY; 1 << n];
            for set in 0..1usize << n {
                if set & needs(p) == needs(p) && fits(p, set) {
                    next[set | 1 << p] = next[set | 1 << p].min(costs[set]);
                }
            }
            costs = next;
        }
        Some(costs.into_iter().fold(f64::INFINITY, f64::min)).filter(|cost| cost.is_finite())
    }

    /// Never above the best plan there is, of any sizes; met where values and gradients are of one size.
    #[test]
    fn the_bound_is_below_every_plan_of_a_chain() {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        let (mut solved, mut met, mut alike) = (0, 0, 0);
        for round in 0..180 {
            let (layers, one_size) = (rng.random_range(2..6), round % 3 == 0);
            let spread = if round % 3 == 1 { 1 } else { 8 };
            let mut other = ChaCha8Rng::seed_from_u64(round);
            let problem = chain(layers, round % 2 == 0, &mut || rng.random_range(0..9), &mut || {
                if one_size { 8 } else { 8 + other.random_range(0..=spread) - spread / 2 }
            });
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            for cap in (least..peak).step_by(3) {
                let program = Program::new(&problem, None, cap).with_rounds(true);
                let chain = Chain::of(&program).expect("a chain");
                let bound = counting_bound(&program, &chain, &Deadline::after(None));
                let Some(optimum) = by_states(&problem, cap) else { continue };
                let bound = bound.expect("a small table, and a plan");
                assert!(bound <= optimum, "{bound} above {optimum} with {cap}: {problem:?}");
                solved += 1;
                met += usize::from(bound >= optimum - 1e-9);
                alike += usize::from(one_size && bound >= optimum - 1e-9);
            }
        }
        assert!(solved > 300 && met * 2 > solved && alike > 60, "{solved} {met} {alike}");
    }
}
