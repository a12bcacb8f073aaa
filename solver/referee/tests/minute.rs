//! A minute of the referee: no claims contradict each other, and bounds of every class were held against brute force.

use ballast_core::report::BoundClass;
use ballast_referee::{Domain, Ledger, examine};

/// Programs of a domain, from the first seed on.
const PROGRAMS: [(Domain, u64); 7] = [
    (Domain::Placements, 400),
    (Domain::Chips, 400),
    (Domain::Memory, 200),
    (Domain::Stages, 60),
    (Domain::Workloads, 400),
    (Domain::Tables, 200),
    (Domain::Wholes, 200),
];

/// Programs that once showed a contradiction.
const KNOWN: [(Domain, u64); 16] = [
    // Refused with proof by a solver that neither swaps nor changes the order.
    (Domain::Stages, 253),
    // Refused with proof by sizes rounded up for an arena, which host memory does not hold.
    (Domain::Memory, 9_739_440),
    // An arena's plan timed under another cap than the one reported.
    (Domain::Stages, 129),
    // A bound over runs of layers said to hold for any sets of them.
    (Domain::Chips, 151),
    (Domain::Chips, 1097),
    // Groups of cores over their memory: arguments that no op reads, and ops in another order than the program's.
    (Domain::Chips, 1365),
    (Domain::Chips, 1562),
    (Domain::Chips, 1163),
    // A given start kept instead of the cut that beats it.
    (Domain::Placements, 2568),
    (Domain::Placements, 2977),
    // A cut that leaves a device idle, slower than one that may not, once single ops have moved.
    (Domain::Placements, 304_627),
    (Domain::Placements, 308_302),
    (Domain::Placements, 9_626_957),
    // No cut keeps the caps, and one over all devices misses them by less.
    (Domain::Placements, 9_001_388),
    (Domain::Placements, 9_135_084),
    // No cut keeps the rules: what stands in for one is of no class of cuts.
    (Domain::Placements, 317_787),
];

#[test]
fn no_claims_contradict_each_other() {
    let mut ledger = Ledger::default();
    for (domain, programs) in PROGRAMS {
        (0..programs).for_each(|seed| examine(domain, seed, &mut ledger));
    }
    for (domain, seed) in KNOWN {
        examine(domain, seed, &mut ledger);
    }
    assert!(ledger.contradictions.is_empty(), "{ledger}");
    // A class that is met no more is examined no more.
    assert_eq!(ledger.unseen(3), [""; 0], "{ledger}");
    assert!(ledger.refusals > 50 && ledger.ladders > 500, "{ledger}");
    let crossed: u64 = ledger.classes.values().map(|counts| counts.crossed).sum();
    assert!(ledger.classes.len() == BoundClass::ALL.len() && crossed > 5_000, "{ledger}");
}

#[test]
fn a_false_bound_is_found() {
    use ballast_core::report::Bound;
    let mut ledger = Ledger::default();
    ledger.bound(Bound::proved(2.0, BoundClass::Free), Some(1.9), || "too much".to_owned());
    ledger.bound(Bound::proved(2.0, BoundClass::Free), Some(2.0), || "just right".to_owned());
    ledger.cross(Bound::proved(2.0, BoundClass::Free), 1.9, || "against another".to_owned());
    assert_eq!(ledger.contradictions.len(), 2, "{ledger}");
    assert_eq!(ledger.classes["free"].sharp, 2);
}
