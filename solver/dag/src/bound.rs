//! Lower bounds on the largest load that need no search.

use crate::hypergraph::Hypergraph;

/// Prices of device time that turn unequal kinds into one currency.
///
/// For any prices `p >= 0`, the load bound `L` satisfies
/// `sum over groups of min over kinds of p_k time_k(v) <= L * sum over kinds of p_k count_k`
/// (weak duality of the fractional assignment relaxation).
#[derive(Clone, Debug)]
pub struct WorkPrices {
    /// Price per kind.
    pub price: Vec<f64>,
    /// `min over kinds of price * time`, per group.
    pub work: Vec<f64>,
    /// Sum of `work`.
    pub total: f64,
}

impl WorkPrices {
    /// Prices found by coordinate ascent on the resulting bound; good for the few kinds a cluster has.
    #[must_use]
    pub fn fit(graph: &Hypergraph) -> Self {
        let kinds = graph.kinds.len();
        let mut price: Vec<f64> =
            graph.kinds.iter().map(|kind| if kind.count > 0 { 1.0 } else { 0.0 }).collect();
        let bound_of = |price: &[f64]| Self::priced(graph, price).bound(graph);
        let mut best = bound_of(&price);
        for step in [16.0, 4.0, 2.0, 1.2, 1.05, 1.01, 1.002] {
            let mut improved = true;
            let mut rounds = 0;
            while improved && rounds < 40 {
                improved = false;
                rounds += 1;
                for kind in (0..kinds).filter(|&k| graph.kinds[k].count > 0) {
                    for factor in [step, 1.0 / step] {
                        let old = price[kind];
                        price[kind] *= factor;
                        let bound = bound_of(&price);
                        if bound > best {
                            best = bound;
                            improved = true;
                        } else {
                            price[kind] = old;
                        }
                    }
                }
            }
        }
        Self::priced(graph, &price)
    }

    /// The same prices on another graph of the same kinds.
    #[must_use]
    pub fn reprice(&self, graph: &Hypergraph) -> Self {
        Self::priced(graph, &self.price)
    }

    fn priced(graph: &Hypergraph, price: &[f64]) -> Self {
        let kinds = graph.kinds.len();
        let used: Vec<usize> = (0..kinds).filter(|&k| graph.kinds[k].count > 0).collect();
        let work: Vec<f64> = (0..graph.len())
            .map(|g| used.iter().map(|&k| price[k] * graph.time(g, k)).fold(f64::INFINITY, f64::min))
            .collect();
        let total = work.iter().sum();
        WorkPrices { price: price.to_vec(), work, total }
    }

    /// The price of all devices together.
    #[must_use]
    pub fn capacity(&self, graph: &Hypergraph) -> f64 {
        graph.kinds.iter().zip(&self.price).map(|(kind, price)| kind.count as f64 * price).sum()
    }

    /// The bound these prices prove.
    #[must_use]
    pub fn bound(&self, graph: &Hypergraph) -> f64 {
        let capacity = self.capacity(graph);
        if capacity > 0.0 && self.total.is_finite() { self.total / capacity } else { 0.0 }
    }
}

/// The largest of: the work bound, and the fastest time of the slowest group.
#[must_use]
pub fn simple_bound(graph: &Hypergraph, prices: &WorkPrices) -> f64 {
    let used: Vec<usize> = (0..graph.kinds.len()).filter(|&k| graph.kinds[k].count > 0).collect();
    let slowest = (0..graph.len())
        .map(|g| used.iter().map(|&k| graph.time(g, k)).fold(f64::INFINITY, f64::min))
        .fold(0.0, f64::max);
    // A hair below, so that rounding of sums never makes the bound exceed a true optimum.
    prices.bound(graph).max(slowest) * (1.0 - 1e-12)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::problem::{Kind, Node, Problem};
    use crate::spreading::tests::{best_of_all, random_problem};

    #[test]
    fn no_plan_of_a_small_problem_is_below_the_bound_at_any_prices() {
        let mut random = ChaCha8Rng::seed_from_u64(43);
        let (mut cases, mut met) = (0, 0);
        for case in 0..400 {
            let problem = random_problem(&mut random);
            let best = best_of_all(&problem);
            if !(best > 0.0 && best.is_finite()) {
                continue;
            }
            let graph = Hypergraph::of(&problem);
            let fitted = simple_bound(&graph, &WorkPrices::fit(&graph));
            assert!(fitted <= best, "case {case}: {fitted} above {best}: {problem:?}");
            let prices: Vec<f64> = graph.kinds.iter().map(|_| random.random_range(0.0..3.0)).collect();
            let priced = WorkPrices::priced(&graph, &prices).bound(&graph);
            assert!(priced <= best * (1.0 + 1e-12), "case {case}: {priced} at {prices:?} above {best}");
            cases += 1;
            met += usize::from(fitted > best * 0.999);
        }
        assert!(cases > 300 && met > 30, "{met} of {cases} met");
    }

    /// Six groups that take 1 on either of two accelerators and 2 on a host: it takes half as many as an accelerator, and in parts all would end after 2.4. With a
    /// group of 3 beside them, which the host cannot run, no plan ends before 3.
    #[test]
    fn unequal_kinds_share_the_work_and_no_group_is_divided() {
        let kind =
            |count| Kind { name: String::new(), count, memory_bytes: f64::INFINITY, transfer_factor: 1.0 };
        let node = |time: Vec<f64>| Node {
            id: String::new(),
            time,
            size_bytes: 0.0,
            backward: false,
            colour: None,
            output_cost: 0.0,
            readers: Vec::new(),
        };
        let mut nodes: Vec<Node> = (0..6).map(|_| node(vec![1.0, 2.0])).collect();
        let bound = |nodes: &[Node]| {
            let problem = Problem {
                name: String::new(),
                kinds: vec![kind(2), kind(1)],
                nodes: nodes.to_vec(),
                colours: 0,
            };
            let graph = Hypergraph::of(&problem);
            let prices = WorkPrices::fit(&graph);
            (simple_bound(&graph, &prices), prices.bound(&graph), best_of_all(&problem))
        };
        let (simple, _, best) = bound(&nodes);
        assert!(simple <= 2.4 && simple > 2.4 - 0.01, "{simple}");
        assert_eq!(best, 3.0);
        nodes.truncate(3);
        nodes.push(node(vec![3.0, f64::INFINITY]));
        let (simple, work, best) = bound(&nodes);
        assert!(work < 2.5 && simple <= 3.0 && simple > 3.0 - 1e-9, "{work} {simple}");
        assert_eq!(best, 3.0);
    }
}
