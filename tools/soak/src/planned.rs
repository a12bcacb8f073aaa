//! The planner on random programs: what the referee says of them.

use ballast_referee::{Domain, Ledger, examine};

use crate::source::Source;

/// The first byte chooses what is planned, the others are the seed of the program and its options.
///
/// # Panics
/// On a panic, or a claim that another run or brute force contradicts.
pub fn run(input: &[u8]) {
    let mut source = Source(input);
    let (domain, ..) = Domain::ALL[source.below(Domain::ALL.len())];
    let seed = source.number();
    let mut ledger = Ledger::default();
    examine(domain, seed, &mut ledger);
    assert!(ledger.contradictions.is_empty(), "{:?}", ledger.contradictions);
}
