//! Rounds of partition and memory plan: the caps they hold, and what they tell the partitioner.

use std::cell::RefCell;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::graph::{Graph, Op, OpId, Tensor};
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::units::Bytes;
use ballast_partition::{Next, missed};
use ballast_planner::{Again, Error, Options, Wanted, plan, plan_stages};

/// So many ops forward, whose values ops backward read in reverse.
fn training(layers: usize) -> Graph {
    let mut graph = Graph { name: "training".into(), ..Graph::default() };
    for id in 0..2 * layers {
        let inputs: Vec<usize> = match id {
            0 => vec![],
            _ if id < layers => vec![id - 1],
            _ if id == layers => vec![layers - 1],
            _ => vec![id - 1, 2 * layers - 1 - id],
        };
        graph.ops.push(Op::new(format!("op{id}"), inputs, [id]));
        graph.tensors.push(Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(if id < layers { 100 } else { 1 }),
            returned: id + 1 == 2 * layers,
            type_name: "value".into(),
        });
    }
    graph
}

/// A training step of so many layers, every op of which takes a second on each of its devices.
struct Step {
    graph: Graph,
    costs: Costs,
    cluster: Cluster,
}

impl Step {
    fn new(layers: usize, devices: usize) -> Self {
        Step {
            graph: training(layers),
            costs: Costs { seconds: vec![vec![1.0; 2 * layers]; devices] },
            cluster: Cluster::from_count(devices).expect("devices"),
        }
    }

    fn program(&self) -> Program<'_> {
        Program { graph: &self.graph, costs: &self.costs, cluster: &self.cluster }
    }
}

fn report() -> Report {
    let search = SearchStats {
        method: "given".into(),
        stop_reason: StopReason::Finished,
        seconds: 0.0,
        work: 0,
        seed: 0,
    };
    Report::new(0.0, Bound::proved(0.0, BoundClass::AnyAssignment), search).expect("a bound of nothing")
}

#[test]
fn a_share_stays_as_many_bytes_in_every_round_and_rounds_tell_what_plans_came_to() {
    let (layers, devices) = (12, 3);
    let step = Step::new(layers, devices);
    let program = step.program();
    // Device 2 is left idle.
    let given: Vec<DeviceId> = (0..2 * layers).map(|op| DeviceId(usize::from(op == layers))).collect();
    let other: Vec<DeviceId> = (0..2 * layers).map(|op| DeviceId(op % devices)).collect();
    let peaks: Vec<u64> = program.stages(&given).iter().map(|stage| stage.problem.unplanned_peak()).collect();
    let half = |bytes: u64| Bytes(bytes.div_ceil(2));
    let caps = [half(peaks[0]), half(peaks[1]), half(peaks[0])];
    let seen = RefCell::new(Vec::new());
    let again = |again: &Again<'_>| {
        assert_eq!(again.caps, caps);
        if again.wanted != Wanted::Searched {
            return Ok(Vec::new());
        }
        let last = again.rounds.last().expect("the round before");
        let told = (again.rounds.len(), again.fruitless);
        seen.borrow_mut().push((told, last.device_of.to_vec(), last.seconds.to_vec()));
        let next = [&other, &given][usize::from(again.rounds.len() > 1)];
        Ok(vec![next.clone()])
    };
    let options = Options {
        cap: CapSpec::Share(0.5),
        limits: Limits { time_limit_seconds: None, work_limit: Some(2_000), seed: 1, threads: 1 },
        relax_limit: 100.0,
        max_rounds: 4,
        ..Options::default()
    };
    let planned = plan(&program, given.clone(), report(), &options, Some(&again)).expect("a plan").plan;
    for stage in &planned.stages {
        assert_eq!(Bytes(stage.requested_cap_bytes), caps[stage.score.device.0]);
    }
    // The placement proposed the second time had been planned: later searches know, and are few.
    let seen = seen.into_inner();
    assert_eq!(planned.rounds, 2);
    assert_eq!(
        seen.iter().map(|(told, ..)| *told).collect::<Vec<_>>(),
        [(1, 0), (2, 0), (2, 1), (2, 2), (2, 3)]
    );
    assert_eq!((&seen[0].1, &seen[1].1), (&given, &other));
    assert!(seen[0].2[0] > 2.0 * layers as f64 - 1.0, "recomputation counts: {:?}", seen[0].2);
}

#[test]
fn where_the_placement_given_has_no_plan_another_one_is_looked_for() {
    // Two results of 100 bytes are there at the end: too much for one device with 150 that may not be raised, and not for two.
    let mut step = Step::new(1, 2);
    for tensor in &mut step.graph.tensors {
        (tensor.bytes, tensor.returned) = (Bytes(100), true);
    }
    step.graph.ops[1].inputs.clear();
    let program = step.program();
    let (given, apart) = (vec![DeviceId(0); 2], vec![DeviceId(0), DeviceId(1)]);
    let options = |max_rounds: usize| Options {
        cap: CapSpec::Absolute(Bytes(150)),
        limits: Limits { time_limit_seconds: None, work_limit: Some(2_000), seed: 1, threads: 1 },
        relax_limit: 0.0,
        max_rounds,
        ..Options::default()
    };
    let again =
        |again: &Again<'_>| Ok(Vec::from_iter((again.wanted == Wanted::Searched).then(|| apart.clone())));
    let refused = plan(&program, given.clone(), report(), &options(1), Some(&again));
    assert!(matches!(refused, Err(Error::Infeasible { .. })), "{refused:?}");
    let planned = plan(&program, given.clone(), report(), &options(4), Some(&again)).expect("a plan");
    assert_eq!(planned.device_of, apart);
    assert!(planned.plan.cap_met);
    // Where no other has one, the failure is that of the placement given.
    let same = |again: &Again<'_>| {
        Ok(Vec::from_iter((again.wanted == Wanted::Searched).then(|| vec![DeviceId(1); 2])))
    };
    let refused = plan(&program, given, report(), &options(4), Some(&same));
    assert!(matches!(refused, Err(Error::Infeasible { device: DeviceId(0), .. })), "{refused:?}");
}

#[test]
fn placements_that_need_no_search_are_tried_beside_the_rounds() {
    let (layers, devices) = (12, 2);
    let step = Step::new(layers, devices);
    let program = step.program();
    // All but the loss and its gradient on one device: the other is nearly idle.
    let given: Vec<DeviceId> =
        (0..2 * layers).map(|op| DeviceId(usize::from(op == layers - 1 || op == layers))).collect();
    let layer = |op: usize| op.min(2 * layers - 1 - op);
    let folded: Vec<DeviceId> =
        (0..2 * layers).map(|op| DeviceId(usize::from(layer(op) >= layers / 2))).collect();
    let whole = vec![DeviceId(0); 2 * layers];
    let asked = RefCell::new(Vec::new());
    let again = |again: &Again<'_>| {
        asked.borrow_mut().push(again.wanted);
        Ok(match again.wanted {
            Wanted::Simple(number) => {
                [&whole, &folded].get(number).map(|&of| of.clone()).into_iter().collect()
            }
            _ => Vec::new(),
        })
    };
    let options = Options {
        cap: CapSpec::Absolute(Bytes(1 << 30)),
        limits: Limits { time_limit_seconds: None, work_limit: Some(2_000), seed: 1, threads: 1 },
        swap: false,
        relax_limit: 100.0,
        max_rounds: 4,
        ..Options::default()
    };
    let planned = plan(&program, given, report(), &options, Some(&again)).expect("a plan");
    assert_eq!(planned.device_of, folded);
    assert!(planned.plan.cap_met);
    assert_eq!(planned.plan.rounds, 1, "they are no rounds");
    // No other placement was known; the first plain one cannot win, and the second, in balance, is the last that was wanted.
    assert_eq!(asked.into_inner(), [Wanted::Searched, Wanted::Simple(0), Wanted::Simple(1)]);
}

#[test]
fn a_placement_that_breaks_a_rule_never_wins() {
    let (layers, devices) = (12, 2);
    let mut step = Step::new(layers, devices);
    // The rule wants the first op on the device that has nearly nothing to do; halves without it are as fast as placements get.
    step.graph.ops[0].rules.device = Some(DeviceId(1));
    let program = step.program();
    let given: Vec<DeviceId> = (0..2 * layers).map(|op| DeviceId(usize::from(op == 0))).collect();
    let free = from_layer(layers / 2, layers);
    let kept: Vec<DeviceId> = free.iter().map(|device| DeviceId(1 - device.0)).collect();
    let options = Options {
        cap: CapSpec::Absolute(Bytes(1 << 30)),
        limits: Limits { time_limit_seconds: None, work_limit: Some(2_000), seed: 1, threads: 1 },
        swap: false,
        max_rounds: 4,
        ..Options::default()
    };
    let planned = |offered: &[&Vec<DeviceId>]| {
        let again = |again: &Again<'_>| {
            let offered = offered.iter().map(|&placement| placement.clone());
            Ok(if again.wanted == Wanted::Searched { offered.collect() } else { Vec::new() })
        };
        plan(&program, given.clone(), report(), &options, Some(&again)).expect("a plan")
    };
    assert_eq!(planned(&[&free]).device_of, given);
    assert_eq!(planned(&[&kept, &free]).device_of, kept);
    // Nor is one taken that was given.
    let refused = plan(&program, free.clone(), report(), &options, None);
    assert!(matches!(refused, Err(Error::Partition(_))), "{refused:?}");
}

/// Both passes of this layer and all later ones on the second device.
fn from_layer(first: usize, layers: usize) -> Vec<DeviceId> {
    let layer = |op: usize| op.min(2 * layers - 1 - op);
    (0..2 * layers).map(|op| DeviceId(usize::from(layer(op) >= first))).collect()
}

/// Little work for a plan, and time for many placements.
fn in_20_seconds() -> Options {
    Options {
        cap: CapSpec::Absolute(Bytes(1 << 30)),
        limits: Limits { time_limit_seconds: Some(20.0), work_limit: Some(2_000), seed: 1, threads: 1 },
        swap: false,
        max_rounds: 4,
        ..Options::default()
    }
}

#[test]
fn placements_next_to_the_best_are_taken_where_their_plans_are_better() {
    let (layers, devices) = (12, 2);
    let step = Step::new(layers, devices);
    let program = step.program();
    // All but the loss and its gradient on one device. Layer by layer, from the last, the other takes them over.
    let folded = |first: usize| from_layer(first, layers);
    let asked = RefCell::new(0);
    let again = |again: &Again<'_>| {
        let Wanted::Near { next: Next::Likeliest { count }, .. } = again.wanted else {
            return Ok(Vec::new());
        };
        assert!(count > 1 && again.rounds.len() == 1);
        let [now] = again.rounds else { return Ok(Vec::new()) };
        assert_eq!(now.device_of, again.device_of);
        *asked.borrow_mut() += 1;
        let first = layers - now.device_of.iter().filter(|device| device.0 == 1).count() / 2;
        // A worse one first.
        Ok(vec![vec![DeviceId(0); 2 * layers], folded(first - 1)])
    };
    let options = in_20_seconds();
    let given = folded(layers - 1);
    let planned = plan(&program, given.clone(), report(), &options, Some(&again)).expect("a plan");
    assert_eq!(planned.device_of, folded(layers / 2));
    // Six layers are half of all: five moves, the last of which leaves nothing to be had.
    assert_eq!(asked.take(), layers / 2 - 1);
    // No limit of time: what comes out is a matter of the rounds alone.
    let untimed = Options { limits: Limits { time_limit_seconds: None, ..options.limits }, ..options };
    let planned = plan(&program, given.clone(), report(), &untimed, Some(&again)).expect("a plan");
    assert_eq!(planned.device_of, given);
}

#[test]
fn where_no_placement_next_to_the_best_is_better_others_are_reached_from_further_off() {
    let (layers, devices) = (12, 2);
    let step = Step::new(layers, devices);
    let program = step.program();
    let folded = |first: usize| from_layer(first, layers);
    // Nothing leads on from where it starts; a shake ends where the plans are worse, next to the best.
    let (given, off) = (folded(layers - 1), vec![DeviceId(1); 2 * layers]);
    let again = |again: &Again<'_>| {
        Ok(match again.wanted {
            Wanted::Near { next: Next::Shaken, number: 0 } => vec![off.clone()],
            Wanted::Near { next: Next::Likeliest { .. }, .. } if again.device_of == off => {
                vec![folded(layers / 2)]
            }
            _ => Vec::new(),
        })
    };
    let options = in_20_seconds();
    let planned = plan(&program, given, report(), &options, Some(&again)).expect("a plan");
    assert_eq!(planned.device_of, folded(layers / 2));
}

/// A cap that no plan keeps, which may be raised as far as it takes.
fn under_150_bytes() -> Options {
    Options {
        cap: CapSpec::Absolute(Bytes(150)),
        limits: Limits { time_limit_seconds: None, work_limit: Some(20_000), seed: 1, threads: 1 },
        relax_limit: 100.0,
        swap: false,
        ..Options::default()
    }
}

#[test]
fn a_cap_that_is_raised_anyway_is_raised_further_where_the_slowest_stage_gains_by_it() {
    let (layers, devices) = (16, 2);
    let step = Step::new(layers, devices);
    let program = step.program();
    // The last op alone is elsewhere. No plan of device 0 keeps 150 bytes, and with the least that is possible its chain is made again from the start for every op.
    let given: Vec<DeviceId> =
        (0..2 * layers).map(|op| DeviceId(usize::from(op + 1 == 2 * layers))).collect();
    let options = under_150_bytes();
    let planned = plan(&program, given.clone(), report(), &options, None).expect("a plan").plan;
    let [raised, kept] = &planned.stages[..] else { panic!("two stages") };
    assert_eq!(kept.cap_bytes, 150);
    let stages = program.stages(&given);
    let alone =
        plan_stages(&step.graph, &stages, &[Bytes(150); 2], &step.cluster, &options, &Deadline::after(None))
            .expect("plans");
    assert_eq!(raised.smallest_cap_bytes, alone[0].smallest_cap.map(|cap| cap.0));
    assert!(raised.cap_bytes > alone[0].cap.0, "{} bytes", raised.cap_bytes);
    // A tenth more of the cap asked for has to make the stage faster by more than that.
    let price = |cap: u64| missed(cap as f64 / 150.0 - 1.0);
    assert!(
        raised.score.seconds * price(raised.cap_bytes) < alone[0].score.seconds * price(alone[0].cap.0),
        "{} s after {}",
        raised.score.seconds,
        alone[0].score.seconds
    );
}

#[test]
fn caps_of_stages_that_are_as_slow_are_raised_further_together() {
    // Two training steps that have nothing in common, one a device: more memory for one alone makes nothing faster.
    let layers = 16;
    let Step { mut graph, .. } = Step::new(layers, 2);
    for op in training(layers).ops {
        let inputs = op.inputs.iter().map(|input| input.0 + 2 * layers);
        graph.ops.push(Op::new(format!("twin of {}", op.name), inputs, [graph.ops.len()]));
    }
    let twins = graph.tensors.clone().into_iter().zip(2 * layers..);
    graph.tensors.extend(twins.map(|(tensor, op)| Tensor { producer: Some(OpId(op)), ..tensor }));
    let costs = Costs { seconds: vec![vec![1.0; 4 * layers]; 2] };
    let cluster = Cluster::from_count(2).expect("devices");
    let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
    let given: Vec<DeviceId> = (0..4 * layers).map(|op| DeviceId(usize::from(op >= 2 * layers))).collect();
    let options = under_150_bytes();
    let planned = plan(&program, given.clone(), report(), &options, None).expect("a plan").plan;
    let stages = program.stages(&given);
    let alone = plan_stages(&graph, &stages, &[Bytes(150); 2], &cluster, &options, &Deadline::after(None));
    for (stage, alone) in planned.stages.iter().zip(alone.expect("plans")) {
        assert!(stage.cap_bytes > alone.cap.0, "{} bytes", stage.cap_bytes);
        let price = |cap: u64| missed(cap as f64 / 150.0 - 1.0);
        let (now, before) = (price(stage.cap_bytes), price(alone.cap.0));
        assert!(stage.score.seconds * now * now < alone.score.seconds * before * before);
    }
}
