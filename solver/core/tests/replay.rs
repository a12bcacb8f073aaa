//! The replay of schedules: known answers, every rule it enforces, and agreement with a second simulator that
//! advances a clock tick by tick.

mod ticks;

use ballast_core::memory::{
    CompactPlan, Node, NodeId, Problem, Schedule, Step, SwapModel, assess, compact, expand, replay,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use ticks::Clock;

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);
const C: NodeId = NodeId(2);
const D: NodeId = NodeId(3);

/// a (2 s, 4 B); b reads a (3, 4); c reads b (5, 4); d reads a and c (1, 1).
fn four() -> Problem {
    Problem {
        name: "four".into(),
        nodes: vec![
            Node::new("a", 2.0, 4, vec![]),
            Node::new("b", 3.0, 4, vec![0]),
            Node::new("c", 5.0, 4, vec![1]),
            Node::new("d", 1.0, 1, vec![0, 2]),
        ],
        resident_bytes: 0,
    }
}

fn link(bandwidth: f64, overlap: bool) -> SwapModel {
    SwapModel {
        out_bandwidth: bandwidth,
        in_bandwidth: bandwidth,
        latency: 0.0,
        overlap,
        host_capacity_bytes: None,
    }
}

fn swap_of_a() -> CompactPlan {
    CompactPlan { swap_out: vec![(0, A)], swap_in: vec![(3, A)], ..CompactPlan::default() }
}

#[test]
fn the_unplanned_program_takes_11_seconds_and_peaks_at_c() {
    let schedule = expand(&four(), &CompactPlan::default()).unwrap();
    let result = replay(&four(), &schedule, None, None).unwrap();
    assert_eq!((result.time, result.peak_bytes, result.peak_node), (11.0, 12, Some(C)));
    assert_eq!(result.timeline, [(A, 4), (B, 8), (C, 12), (D, 9)]);
    let refused = replay(&four(), &schedule, None, Some(11)).unwrap_err();
    assert_eq!((refused.step, refused.node), (2, Some(C)));
    assert_eq!(refused.reason, "node 2 ('c') needs 12 bytes on the device, above the cap of 11");
}

#[test]
fn bytes_missing_are_summed_over_the_steps_that_miss_them() {
    let schedule = expand(&four(), &CompactPlan::default()).unwrap();
    // At c 12 bytes, at d 9.
    for (cap, missing, steps) in [(12, 0, 0), (10, 2, 1), (8, 5, 2)] {
        let assessed = assess(&four(), &schedule, None, cap).unwrap();
        assert_eq!((assessed.time, assessed.excess_bytes, assessed.short.len()), (11.0, missing, steps));
    }
}

#[test]
fn recomputing_a_takes_13_seconds_under_9_bytes() {
    let plan = CompactPlan { recompute: vec![(3, A)], ..CompactPlan::default() };
    let schedule = expand(&four(), &plan).unwrap();
    let result = replay(&four(), &schedule, None, Some(9)).unwrap();
    assert_eq!((result.time, result.recompute_time, result.recomputes), (13.0, 2.0, 1));
    assert!(replay(&four(), &schedule, None, Some(8)).is_err());
}

#[test]
fn swapping_a_in_full_costs_8_bytes_of_transfer() {
    let schedule = expand(&four(), &swap_of_a()).unwrap();
    for (bandwidth, seconds) in [(8.0, 12.0), (4.0, 13.0), (2.0, 15.0)] {
        let result = replay(&four(), &schedule, Some(&link(bandwidth, false)), Some(9)).unwrap();
        assert_eq!((result.time, result.swap_bytes, result.host_peak_bytes), (seconds, 8, 4));
        assert_eq!(result.exposed_swap_time, seconds - 11.0);
    }
}

#[test]
fn with_overlap_the_copy_out_hides_and_the_copy_in_cannot() {
    let schedule = expand(&four(), &swap_of_a()).unwrap();
    let result = replay(&four(), &schedule, Some(&link(8.0, true)), Some(11)).unwrap();
    assert_eq!(result.time, 11.5);
    let early = CompactPlan { swap_in: vec![(2, A)], ..swap_of_a() };
    let early = expand(&four(), &early).unwrap();
    assert!(
        replay(&four(), &early, Some(&link(8.0, true)), Some(11)).is_err(),
        "a comes back beside b and c"
    );
    assert_eq!(replay(&four(), &early, Some(&link(8.0, true)), Some(12)).unwrap().time, 11.0);
}

#[test]
fn computation_waits_for_memory_that_a_copy_still_holds() {
    let schedule = expand(&four(), &swap_of_a()).unwrap();
    // The copy runs from 2 to 6; b ends at 5; c has to wait for a's memory.
    let result = replay(&four(), &schedule, Some(&link(1.0, true)), Some(11)).unwrap();
    assert_eq!(result.time, 6.0 + 5.0 + 4.0 + 1.0);
}

#[test]
fn every_broken_rule_is_refused() {
    use Step::{Compute as Run, Free as F, HostFree as H, SwapIn as I, SwapOut as O};
    let cases: &[(&[Step], &str)] = &[
        (&[Run(NodeId(9))], "there is no node"),
        (&[Run(B)], "not resident"),
        (&[Run(A), Run(A)], "while it is resident"),
        (&[F(A)], "freed but not resident"),
        (&[Run(A), Run(B), Run(C)], "never runs"),
        (&[O(A)], "swapped out but not resident"),
        (&[Run(A), O(A), O(A)], "on the host already"),
        (&[Run(A), I(A)], "not on the host"),
        (&[Run(A), O(A), I(A)], "while it is resident"),
        (&[Run(A), H(A)], "freed on the host but not there"),
        (&[Run(A), O(A), H(A), F(A), I(A)], "not on the host"),
    ];
    for (steps, expected) in cases {
        let error = replay(&four(), &Schedule { steps: steps.to_vec() }, Some(&link(1.0, false)), None);
        let message = error.expect_err(expected).to_string();
        assert!(message.contains(expected), "{message} does not say {expected}");
    }
    let all = [Run(A), Run(B), Run(C), F(A), Run(A), Run(D), F(D)];
    let mut problem = four();
    problem.nodes[0].recomputable = false;
    assert!(replay(&problem, &Schedule { steps: all.to_vec() }, None, None).is_err());
    problem.nodes[0].recomputable = true;
    problem.nodes[0].pinned = true;
    assert!(replay(&problem, &Schedule { steps: all.to_vec() }, None, None).is_err());
    problem.nodes[0].pinned = false;
    assert!(replay(&problem, &Schedule { steps: all.to_vec() }, None, None).is_ok());
    problem.nodes[3].keep = true;
    assert!(replay(&problem, &Schedule { steps: all.to_vec() }, None, None).is_err());
    problem.nodes[3].keep = false;
    let swapped = [Run(A), O(A), Run(B), F(A), Run(C), I(A), Run(D)];
    assert!(replay(&problem, &Schedule { steps: swapped.to_vec() }, None, None).is_err(), "no link");
    let small_host = SwapModel { host_capacity_bytes: Some(3), ..link(1.0, true) };
    assert!(replay(&problem, &Schedule { steps: swapped.to_vec() }, Some(&small_host), None).is_err());
    problem.nodes[0].swappable = false;
    assert!(replay(&problem, &Schedule { steps: swapped.to_vec() }, Some(&link(1.0, true)), None).is_err());
}

#[test]
fn effects_come_in_the_order_of_the_program() {
    use Step::{Compute as Run, Free as F};
    let node = |label: &str, inputs: Vec<usize>| Node::new(label, 1.0, 1, inputs);
    let nodes = vec![node("a", vec![]), node("b", vec![0]), node("c", vec![0])];
    let mut problem = Problem { name: "effects".into(), nodes, resident_bytes: 0 };
    let judge =
        |problem: &Problem, steps: &[Step]| replay(problem, &Schedule { steps: steps.to_vec() }, None, None);
    let turned_round = [Run(A), Run(C), Run(B)];
    assert!(judge(&problem, &turned_round).is_ok());
    problem.nodes[C].after = Some(B);
    let refused = judge(&problem, &turned_round).unwrap_err();
    assert_eq!((refused.step, refused.node), (1, Some(C)));
    assert_eq!(refused.reason, "node 2 ('c') runs before node 1 ('b'), whose effects come first");
    // First runs count: what came before may be gone, and run again afterwards.
    assert!(judge(&problem, &[Run(A), Run(B), F(B), Run(C), Run(B)]).is_ok());
}

fn random_problem(rng: &mut ChaCha8Rng, n: usize) -> Problem {
    let nodes = (0..n)
        .map(|id| {
            let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(0.35)).collect();
            // Times of zero are left to the other tests: ticks cannot order events of one moment.
            let mut node =
                Node::new(format!("n{id}"), rng.random_range(1..6) as f64, rng.random_range(1..7), inputs);
            node.workspace_bytes = rng.random_range(0..3);
            node.keep = rng.random_bool(0.2);
            node
        })
        .collect();
    Problem { name: "random".into(), nodes, resident_bytes: rng.random_range(0..4) }
}

fn random_plan(rng: &mut ChaCha8Rng, n: usize) -> CompactPlan {
    let mut plan = CompactPlan::default();
    for position in 1..n {
        for node in 0..position {
            if rng.random_bool(0.06) {
                plan.recompute.push((position, NodeId(node)));
            }
        }
    }
    for node in 0..n - 2 {
        if rng.random_bool(0.5) {
            let out = rng.random_range(node..n - 2);
            plan.swap_out.push((out, NodeId(node)));
            let back = rng.random_range(out + 1..n);
            plan.swap_in.push((back, NodeId(node)));
            if back < n - 1 && rng.random_bool(0.3) {
                let again = rng.random_range(back..n - 1);
                plan.swap_out.push((again, NodeId(node)));
                plan.swap_in.push((rng.random_range(again + 1..n), NodeId(node)));
            }
        }
    }
    plan
}

#[test]
fn a_clock_that_ticks_agrees_on_random_schedules() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut accepted, mut refused, mut stalled) = (0, 0, 0);
    for _ in 0..3000 {
        let n = rng.random_range(3..9);
        let problem = random_problem(&mut rng, n);
        problem.check().unwrap();
        let schedule = expand(&problem, &random_plan(&mut rng, n)).unwrap();
        let loose = replay(&problem, &schedule, Some(&link(1.0, false)), None).unwrap();
        let cap = loose.peak_bytes.saturating_sub(rng.random_range(0..4)) + rng.random_range(0..3);
        let host_cap = loose.host_peak_bytes + rng.random_range(0..4);
        let (latency, ticks_per_byte) = (rng.random_range(0..3), rng.random_range(1..4));
        let swap = SwapModel {
            latency: latency as f64,
            host_capacity_bytes: Some(host_cap),
            ..link(1.0 / ticks_per_byte as f64, true)
        };
        let clock = Clock { problem: &problem, cap, host_cap, latency, ticks_per_byte };
        match (replay(&problem, &schedule, Some(&swap), Some(cap)), clock.run(&schedule.steps)) {
            (Ok(result), Some((time, peak, host_peak))) => {
                assert!(
                    (result.time - time as f64).abs() < 1e-9,
                    "{} against {time}: {schedule:?}",
                    result.time
                );
                assert_eq!((result.peak_bytes, result.host_peak_bytes), (peak, host_peak), "{schedule:?}");
                accepted += 1;
                stalled += usize::from(result.exposed_swap_time > 0.0);
            }
            (Err(_), None) => refused += 1,
            (judged, ticked) => panic!("{judged:?} against {ticked:?}: {schedule:?}"),
        }
    }
    assert!(accepted > 500 && refused > 100 && stalled > 100, "{accepted} {refused} {stalled}");
}

#[test]
fn compact_plans_round_trip_and_account_for_every_step() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..500 {
        let n = rng.random_range(3..9);
        let problem = random_problem(&mut rng, n);
        let schedule = expand(&problem, &random_plan(&mut rng, n)).unwrap();
        let back = compact(&problem, &schedule).unwrap();
        assert_eq!(expand(&problem, &back).unwrap(), schedule);
        let result = replay(&problem, &schedule, Some(&link(2.0, false)), None).unwrap();
        assert_eq!(result.recomputes, back.recompute.len());
        let swapped: u64 =
            back.swap_out.iter().chain(&back.swap_in).map(|&(_, node)| problem.nodes[node].bytes).sum();
        assert_eq!(result.swap_bytes, swapped);
        let expected = problem.total_time() + result.recompute_time + swapped as f64 / 2.0;
        assert!((result.time - expected).abs() < 1e-9);
    }
}

#[test]
fn assessing_agrees_with_the_judge_under_the_cap_and_counts_what_is_missing_above() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for _ in 0..500 {
        let n = rng.random_range(3..9);
        let problem = random_problem(&mut rng, n);
        let schedule = expand(&problem, &random_plan(&mut rng, n)).unwrap();
        let swap = link(2.0, true);
        let cap = problem.working_set().0 + rng.random_range(0..12);
        let assessed = assess(&problem, &schedule, Some(&swap), cap).unwrap();
        match replay(&problem, &schedule, Some(&swap), Some(cap)) {
            Ok(result) => {
                assert_eq!((result.time, 0, 0), (assessed.time, assessed.excess_bytes, assessed.short.len()))
            }
            Err(error) => {
                assert!(assessed.excess_bytes > 0);
                assert_eq!(assessed.short.first(), Some(&error.step));
            }
        }
    }
}

#[test]
fn host_links_need_positive_bandwidths_and_a_finite_latency() {
    let sound = |out_bandwidth, in_bandwidth, latency| {
        SwapModel { out_bandwidth, in_bandwidth, latency, overlap: false, host_capacity_bytes: None }
            .is_sound()
    };
    assert!(sound(1.0, 2.0, 0.0) && sound(1e-9, f64::INFINITY, 3.0));
    for bad in [0.0, -1.0, f64::NAN] {
        assert!(!sound(bad, 1.0, 0.0) && !sound(1.0, bad, 0.0), "{bad}");
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(!sound(1.0, 1.0, bad), "{bad}");
    }
}
