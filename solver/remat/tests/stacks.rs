//! What is kept of a forward loop's iterations equals an exhaustive search over all choices.

use ballast_remat::stacks::{Kept, SliceOp, Slices, StackedValue};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A value made by an op of these inputs.
fn made(slices: &mut Slices, inputs: Vec<usize>, cost: f64, bytes: Option<u64>, needed: bool) -> usize {
    slices.ops.push(SliceOp { inputs, cost });
    slices.values.push(StackedValue { op: Some(slices.ops.len() - 1), bytes, needed });
    slices.values.len() - 1
}

/// A carry of 10 bytes, a product of 40 of it at cost 100, and two cheap values of 40 of the product, which the backward loop reads.
fn layer() -> Slices {
    let mut slices =
        Slices { values: vec![StackedValue { op: None, bytes: Some(10), needed: false }], ops: vec![] };
    let product = made(&mut slices, vec![0], 100.0, Some(40), false);
    made(&mut slices, vec![product], 1.0, Some(40), true);
    made(&mut slices, vec![product], 2.0, Some(40), true);
    slices
}

#[test]
fn what_is_dear_and_small_is_kept_and_what_several_need_runs_once() {
    let slices = layer();
    let at = |cap| slices.least_recomputation(cap, 10.0).map(|kept| (kept.keep, kept.bytes, kept.cost));
    assert_eq!(at(80), Some((vec![false, false, true, true], 80, 0.0)));
    // The product alone, and both from it.
    assert_eq!(at(79), Some((vec![false, true, false, false], 40, 3.0)));
    // The carry alone: the product runs once for both.
    assert_eq!(at(39), Some((vec![true, false, false, false], 10, 103.0)));
    assert_eq!(at(9), None);
    assert_eq!(slices.least_bytes(10.0).map(|kept| kept.bytes), Some(10));
}

#[test]
fn what_can_neither_be_kept_nor_made_is_refused() {
    let mut slices = layer();
    slices.values[0].bytes = None;
    assert_eq!(Kept::of(&slices, vec![false; 4]), None);
    let kept = slices.least_bytes(10.0).expect("the product can be kept");
    assert_eq!((kept.keep, kept.cost), (vec![false, true, false, false], 3.0));
    slices.values[1].bytes = None;
    slices.values[2].bytes = None;
    assert_eq!(slices.least_bytes(10.0), None);
}

fn random(rng: &mut ChaCha8Rng) -> Slices {
    let mut slices = Slices::default();
    for _ in 0..rng.random_range(1..4) {
        let bytes = rng.random_bool(0.9).then(|| rng.random_range(1..9));
        slices.values.push(StackedValue { op: None, bytes, needed: rng.random_bool(0.1) });
    }
    for _ in 0..rng.random_range(1..9) {
        let known = slices.values.len();
        let inputs: Vec<usize> = (0..known).filter(|_| rng.random_bool(0.3)).collect();
        let cost = f64::from(rng.random_range(0..20));
        let bytes = rng.random_bool(0.8).then(|| rng.random_range(1..9));
        let value = made(&mut slices, inputs, cost, bytes, rng.random_bool(0.4));
        if rng.random_bool(0.2) {
            // Another result of the same op.
            slices.values.push(StackedValue { needed: rng.random_bool(0.4), ..slices.values[value].clone() });
        }
        if rng.random_bool(0.1) {
            slices.values[value].op = None;
        }
    }
    slices
}

#[test]
fn random_loops_are_planned_as_well_as_by_trying_everything() {
    let mut rng = ChaCha8Rng::seed_from_u64(18);
    let mut refused = 0;
    for round in 0..300 {
        let slices = random(&mut rng);
        let cap = rng.random_range(1..40);
        let all = (0..1_usize << slices.values.len()).filter_map(|set| {
            let keep = (0..slices.values.len()).map(|value| set >> value & 1 == 1).collect();
            Kept::of(&slices, keep)
        });
        let all: Vec<Kept> = all.collect();
        let best = all.iter().filter(|kept| kept.bytes <= cap).map(|kept| kept.cost).reduce(f64::min);
        let found = slices.least_recomputation(cap, 10.0);
        assert_eq!(found.as_ref().map(|kept| kept.cost), best, "round {round}: {slices:?} under {cap}");
        refused += usize::from(best.is_none());
        if let Some(found) = found {
            assert!(found.bytes <= cap && found.bound <= found.cost, "round {round}: {found:?}");
            assert!(found.bound >= found.cost * 0.999 - 1e-3, "round {round}: {found:?}");
        }
        let least = all.iter().map(|kept| kept.bytes).min();
        assert_eq!(slices.least_bytes(10.0).map(|kept| kept.bytes), least, "round {round}: {slices:?}");
    }
    assert!((20..280).contains(&refused), "{refused} of 300 refused");
}
