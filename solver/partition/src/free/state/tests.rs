//! Loads and bytes that are kept up while groups move are those of the placement, and of the stages it makes.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, Op, OpId, Tensor};
use ballast_core::program::Program;
use ballast_core::units::Bytes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::board::Caps;
use super::*;
use crate::items::Items;
use crate::loads::Links;
use crate::relief::{Copies, Reliefs};
use crate::sequence::{Granularity, Order};
use crate::squeeze::Prices;

/// Ops that read some of those before them, and an argument each.
fn random_graph(random: &mut ChaCha8Rng, ops: usize) -> Graph {
    let mut graph = Graph { name: "random".into(), ..Graph::default() };
    let tensor = |producer, bytes, returned| Tensor {
        producer,
        index: 0,
        bytes: Bytes(bytes),
        returned,
        type_name: "value".into(),
    };
    graph.tensors.push(tensor(None, random.random_range(1..20), false));
    for id in 0..ops {
        let inputs: Vec<usize> = (0..3).map(|_| random.random_range(0..graph.tensors.len())).collect();
        let bytes = random.random_range(1..20);
        graph.tensors.push(tensor(Some(OpId(id)), bytes, random.random_bool(0.1)));
        graph.ops.push(Op::new(format!("op{id}"), inputs, vec![id + 1]));
    }
    graph
}

#[test]
fn caps_out_of_reach_count_for_more_than_any_time_and_by_their_number() {
    let worth = |devices: &[(f64, f64, f64)]| {
        let of = |&(load, seconds, over): &(f64, f64, f64)| {
            (load, Pressed { seconds, over, ..Pressed::default() })
        };
        Worth::of(devices.iter().map(of))
    };
    let kept = worth(&[(1.0, 40.0, 0.0), (2.0, 2.0, 0.0)]);
    let missed = worth(&[(1.0, 1.5, 0.001), (2.0, 2.0, 0.0)]);
    assert!(kept.value < missed.value, "{kept:?} {missed:?}");
    assert_eq!((kept.value, kept.seconds), (40.0, 40.0));
    // Loads are compared with what a device without a plan is busy for, not with what memory would cost it.
    assert_eq!(worth(&[(1.0, 20.0, 0.1), (2.0, 2.0, 0.0)]).seconds, 2.0);
    // Two caps out of reach for a tenth less time are no gain, for half of it they are.
    let two = |seconds: f64| worth(&[(1.0, seconds, 0.001), (1.0, seconds, 0.001)]).value;
    assert!(missed.value < two(1.8) && two(1.0) < missed.value);
}

#[test]
fn what_caps_are_over_by_leaves_all_else_of_the_energy_as_it_is() {
    let busy = |seconds| Pressed { seconds, ..Pressed::default() };
    let energy = |pressed: Pressed, over| Pressed { over, ..pressed }.energy(2.0, 30);
    // A hundredth less time is as much less energy, whatever the cap is over by, and a thousandth of the cap more can be crossed for it.
    let less = |over| energy(busy(2.0), over) - energy(busy(1.98), over);
    assert!((less(0.0) - less(0.5)).abs() < 1e-9 && less(0.0) > 0.2, "{} {}", less(0.0), less(0.5));
    let more = energy(busy(2.0), 0.501) - energy(busy(2.0), 0.5);
    assert!(more > 0.0 && more < 2.0 * less(0.5), "{more} {}", less(0.5));
    // However little a device runs whose cap is out of reach, that counts.
    assert!(energy(busy(0.01), 0.01) > energy(busy(2.0), 0.0));
    assert!(energy(busy(0.01), 0.01) < energy(busy(0.01), 0.5));
}

#[test]
fn a_device_whose_cap_is_raised_loses_nothing_to_keep_it() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let graph = random_graph(&mut random, 40);
    let costs = Costs { seconds: vec![vec![1.0; 40]; 2] };
    let cluster = Cluster::from_count(2).expect("devices");
    let items = Items::new(&graph, &costs, (Granularity::Op, Order::Program), 2);
    let links = Links::new(&cluster);
    let board = |caps: Caps| {
        let site = Site::new(&items.sequence.row_of, &links, Some(caps)).raising();
        (Board::of(&items.sequence, &site, true), site)
    };
    let all_on_first = |cap: u64, limit: f64| {
        let (board, site) =
            board(Caps::new(&items.sequence, ((&[cap; 2], &Prices::usual(2)), limit), None, None));
        let state = State::new(&board, &site, &[0; 40]);
        (state.pressed_now(0), state.loads()[0], state.least(0), state.held(0))
    };
    let (_, _, least, held) = all_on_first(1, f64::INFINITY);
    assert!(least > 1.0 && held > least + 10.0, "{least} {held}");
    // The least byte more than there is, where some cap must be raised: raised to all that the device holds it loses nothing, raised to the least of all it does.
    let cap = least as u64 - 1;
    let (raised, load, ..) = all_on_first(cap, f64::INFINITY);
    assert!(raised.over > 0.0 && raised.seconds == load, "{raised:?} {load}");
    let (little, load, ..) = all_on_first(cap, 1.0 + 2.0 / cap as f64);
    assert!(little.over > 0.0 && little.seconds > load, "{little:?} {load}");
    // Where all caps may be kept it costs what it would if this one were.
    let caps = Caps::new(&items.sequence, ((&[cap; 2], &Prices::usual(2)), f64::INFINITY), None, None);
    let site = Site::new(&items.sequence.row_of, &links, Some(caps));
    let board = Board::of(&items.sequence, &site, true);
    let state = State::new(&board, &site, &[0; 40]);
    assert!(state.pressed_now(0).over > 0.0 && state.pressed_now(0).seconds > load);
    // A cap that can just be kept costs what it does.
    let (kept, load, ..) = all_on_first(least as u64 + 1, f64::INFINITY);
    assert!(kept.over == 0.0 && kept.seconds > load, "{kept:?} {load}");
}

#[test]
fn an_item_that_fits_nowhere_widens_the_caps_of_its_own_device() {
    let mut graph = random_graph(&mut ChaCha8Rng::seed_from_u64(5), 12);
    graph.ops[4].workspace = Bytes(1000);
    let costs = Costs { seconds: vec![vec![1.0; 12]; 3] };
    let items = Items::new(&graph, &costs, (Granularity::Op, Order::Program), 3);
    let placed: Vec<DeviceId> = (0..12).map(|op| DeviceId(op % 3)).collect();
    let of = |placement| {
        Caps::new(&items.sequence, ((&[500; 3], &Prices::usual(3)), f64::INFINITY), None, placement).cap
    };
    let item = items.ops.ops.iter().position(|&op| op == OpId(4)).expect("a planned op");
    let wide: Vec<bool> = of(Some(&placed[..])).iter().map(|&cap| cap > 500.0).collect();
    assert_eq!(wide, [0, 1, 2].map(|device| device == item % 3));
    assert!(of(None).iter().all(|&cap| cap > 1000.0), "none is known to run it");
}

#[test]
fn what_is_held_is_kept_up_while_items_move_and_is_what_stages_hold() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..60 {
        let (ops, devices) = (random.random_range(8..60), 3);
        let graph = random_graph(&mut random, ops);
        let costs = Costs { seconds: vec![vec![1.0; ops]; devices] };
        let cluster = Cluster::from_count(devices).expect("devices");
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let items = Items::new(&graph, &costs, (Granularity::Op, Order::Program), devices);
        let links = Links::new(&cluster);
        let caps = Caps::new(&items.sequence, ((&[50; 3], &Prices::usual(3)), f64::INFINITY), None, None);
        let site = Site::new(&items.sequence.row_of, &links, Some(caps));
        let board = Board::of(&items.sequence, &site, true);
        let mut state = State::new(&board, &site, &vec![0; ops]);
        for _ in 0..200 {
            let (item, to) = (random.random_range(0..ops), random.random_range(0..devices));
            let from = state.device_of(item);
            let least = state.added(item, to);
            let change = state.change(item, to);
            state.relocate(item, to);
            if from != to {
                assert_eq!([change.held_from, change.held_to], [state.held(from), state.held(to)]);
                assert!(least.held_from <= change.held_from && least.held_to <= change.held_to);
            }
        }
        let anew = State::new(&board, &site, state.placement());
        // Merged groups know some moments alone.
        let all: Vec<usize> = (0..ops).collect();
        let merged = board.quotient(&site, &all, ops);
        let merged = State::new(&merged, &site, state.placement());
        let placed: Vec<DeviceId> = state.placement().iter().map(|&d| DeviceId(d as usize)).collect();
        let stages = program.stages(&items.place(&graph, &placed));
        for (device, stage) in stages.iter().enumerate() {
            let peak = stage.problem.unplanned_peak() as f64;
            assert_eq!([state.held(device), anew.held(device)], [peak; 2]);
            assert!(merged.held(device) <= peak, "{} of {peak}", merged.held(device));
        }
    }
}

#[test]
fn what_a_move_costs_is_what_devices_cost_after_it() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut priced = 0;
    for _ in 0..40 {
        let (ops, devices) = (random.random_range(8..40), 3);
        let graph = random_graph(&mut random, ops);
        let costs = Costs { seconds: vec![vec![1.0; ops]; devices] };
        let cluster = Cluster::from_count(devices).expect("devices");
        let items = Items::new(&graph, &costs, (Granularity::Op, Order::Program), devices);
        let links = Links::new(&cluster);
        let prices = Prices::usual(3);
        let caps = Caps::new(&items.sequence, ((&[60; 3], &prices), f64::INFINITY), None, None);
        let site = Site::new(&items.sequence.row_of, &links, Some(caps));
        let mut board = Board::of(&items.sequence, &site, true);
        let lifetimes = board.lifetimes.as_ref().expect("few items");
        board.reliefs = Reliefs::new(&items.sequence, lifetimes, (&cluster, &links), Copies::InFull);
        let mut state = State::new(&board, &site, &vec![0; ops]);
        for _ in 0..100 {
            let (item, to) = (random.random_range(0..ops), random.random_range(0..devices));
            let from = state.device_of(item);
            if from == to {
                continue;
            }
            let least = state.added(item, to);
            let (least_from, least_to) = state.pressed_after(item, to, &least);
            let change = state.change(item, to);
            let after = state.pressed_after(item, to, &change);
            state.relocate(item, to);
            let now = (state.pressed_now(from), state.pressed_now(to));
            assert!((after.0.seconds - now.0.seconds).abs() < 1e-9, "{after:?} {now:?}");
            assert!((after.1.seconds - now.1.seconds).abs() < 1e-9, "{after:?} {now:?}");
            assert!(least_from.seconds <= now.0.seconds + 1e-9 && least_to.seconds <= now.1.seconds + 1e-9);
            priced += usize::from(now.1.per_byte > 0.0);
        }
    }
    assert!(priced > 100, "{priced}");
}
