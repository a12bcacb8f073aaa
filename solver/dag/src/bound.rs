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
