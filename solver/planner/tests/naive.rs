//! The judge against a second, naive simulator on random placed programs: stage times, peaks, tmax, tmin and
//! their ratio agree, with and without a memory plan.

use std::collections::{BTreeMap, BTreeSet};

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, Device, DeviceId, Link};
use ballast_core::graph::{Arithmetic, Graph, Op, OpId, OpRole, Tensor, TensorId};
use ballast_core::limits::{Limits, StopReason};
use ballast_core::plan::{OpPlan, Plan};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::units::Bytes;
use ballast_planner::{Error, Options, plan};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_graph(rng: &mut impl Rng) -> Graph {
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    for index in 0..rng.random_range(1..3) {
        graph.tensors.push(Tensor {
            producer: None,
            index,
            bytes: Bytes(rng.random_range(1..20)),
            returned: false,
            type_name: "argument".into(),
        });
    }
    let ops = rng.random_range(4..12);
    for id in 0..ops {
        let role = match rng.random_range(0..10) {
            0 => OpRole::View,
            1 => OpRole::Constant,
            _ => OpRole::Compute,
        };
        let reads = match role {
            OpRole::View => 1,
            OpRole::Constant => 0,
            OpRole::Compute => rng.random_range(1..4),
        };
        let inputs: Vec<usize> = (0..reads).map(|_| rng.random_range(0..graph.tensors.len())).collect();
        let output = graph.tensors.len();
        graph.tensors.push(Tensor {
            producer: Some(OpId(id)),
            index: 0,
            bytes: Bytes(rng.random_range(1..20)),
            returned: role == OpRole::Compute && rng.random_bool(0.2),
            type_name: "value".into(),
        });
        graph.ops.push(Op {
            role,
            pure_op: rng.random_bool(0.9),
            workspace: Bytes(rng.random_range(0..3)),
            ..Op::new(format!("op{id}"), inputs, vec![output])
        });
    }
    write_over(&mut graph, rng);
    graph
}

/// Lets some ops write over an operand that nobody reads after them.
fn write_over(graph: &mut Graph, rng: &mut impl Rng) {
    let returned = graph.returned_ops();
    let planned: Vec<OpId> = graph.planned().collect();
    for &op in planned.iter().filter(|&&op| !returned[op]) {
        let is_last = |operand: OpId| {
            planned.iter().rfind(|&&reader| graph.value_inputs(reader).contains(&operand)) == Some(&op)
        };
        let operand = graph.value_inputs(op).into_iter().find(|&read| !returned[read] && is_last(read));
        if let Some(operand) = operand.filter(|_| rng.random_bool(0.5)) {
            let bytes = graph.value_bytes(operand);
            let made = graph.ops[op].outputs[0];
            graph.tensors[made].bytes = bytes;
            graph.ops[op].over = Some(operand);
        }
    }
}

fn cluster(devices: usize, rng: &mut impl Rng) -> Cluster {
    let mut link = || Link {
        bytes_per_second: f64::from(rng.random_range(1..9)),
        latency_seconds: f64::from(rng.random_range(0..2)),
    };
    let device = Device {
        name: "d".into(),
        kind: "k".into(),
        memory: Bytes(1 << 40),
        peak_flops: [(Arithmetic::F32, 1.0)].into_iter().collect(),
        memory_bandwidth: 1.0,
        launch_overhead_seconds: 0.0,
        to_host: link(),
        from_host: link(),
        cores: None,
        group: None,
        slot: None,
    };
    let devices: Vec<Device> =
        (0..devices).map(|i| Device { name: format!("d{i}"), ..device.clone() }).collect();
    let links = vec![(DeviceId(0), DeviceId(devices.len() - 1), link())];
    Cluster { devices, default_link: link(), links, host_memory: None }
}

/// Seconds and peak of every device, from the op entries of the plan alone, by going through the program op by
/// op with sets of what is where. Shares nothing with the judge but the graph.
fn naive(graph: &Graph, costs: &Costs, cluster: &Cluster, plan: &Plan) -> Vec<(f64, u64)> {
    let entry: BTreeMap<OpId, &OpPlan> = plan.ops.iter().map(|entry| (entry.op, entry)).collect();
    let devices = DeviceId::first(cluster.devices.len());
    devices.map(|device| naive_device(graph, costs, cluster, &entry, device)).collect()
}

/// The operand where an op's value lies, if that and all that reads it are on the op's device.
fn written_over(graph: &Graph, entry: &BTreeMap<OpId, &OpPlan>, op: OpId) -> Option<OpId> {
    let operand = graph.ops[op].over?;
    let readers = graph.planned().filter(|&reader| graph.value_inputs(reader).contains(&operand));
    readers.chain([operand]).all(|other| entry[&other].device == entry[&op].device).then_some(operand)
}

#[derive(Clone, Copy, PartialEq)]
enum Event {
    Run(OpId),
    Receive(OpId),
    Out(OpId),
    In(OpId),
}

fn naive_device(
    graph: &Graph,
    costs: &Costs,
    cluster: &Cluster,
    entry: &BTreeMap<OpId, &OpPlan>,
    device: DeviceId,
) -> (f64, u64) {
    // (position, phase, op): swap-ins, then repeats, then the first run, then swap-outs.
    let mut events: Vec<(usize, usize, OpId, Event)> = Vec::new();
    let mut sent = 0.0;
    for (&op, plan) in entry {
        if plan.device == device {
            events.push((plan.position, 2, op, Event::Run(op)));
            events.extend(plan.recompute_before.iter().map(|&p| (p, 1, op, Event::Run(op))));
            if let Some(swap) = &plan.swap {
                events.push((swap.out_after, 3, op, Event::Out(op)));
                events.extend(swap.in_before.iter().map(|&p| (p, 0, op, Event::In(op))));
            }
            let link = |to: DeviceId| cluster.link(device, to).seconds(graph.value_bytes(op));
            sent += plan.receives.iter().map(|r| link(r.device)).fold(0.0, f64::max);
        }
        for receive in plan.receives.iter().filter(|r| r.device == device) {
            events.push((receive.position, 2, op, Event::Receive(op)));
            events.extend(receive.again_before.iter().map(|&p| (p, 1, op, Event::Receive(op))));
        }
    }
    events.sort_by_key(|&(position, phase, op, _)| (position, phase, op));
    let reads = |event: Event| match event {
        Event::Run(op) => graph.value_inputs(op),
        Event::Out(op) => vec![op],
        Event::Receive(_) | Event::In(_) => Vec::new(),
    };
    let makes = |event: Event| match event {
        Event::Run(op) | Event::Receive(op) | Event::In(op) => Some(op),
        Event::Out(_) => None,
    };
    let arguments: BTreeSet<TensorId> = TensorId::first(graph.tensors.len())
        .filter(|&t| graph.tensors[t].producer.is_none())
        .filter(|&t| {
            let readers: Vec<DeviceId> = entry
                .values()
                .filter(|e| graph.argument_inputs(e.op).contains(&t))
                .map(|e| e.device)
                .collect();
            readers.contains(&device) || (readers.is_empty() && device == DeviceId(0))
        })
        .collect();
    let resident: u64 = arguments.iter().map(|&t| graph.tensors[t].bytes.0).sum();
    let returned = graph.returned_ops();
    let (mut seconds, mut peak) = (sent, resident);
    let mut held: BTreeSet<OpId> = BTreeSet::new();
    for (index, &(.., event)) in events.iter().enumerate() {
        let bytes = |op: OpId| graph.value_bytes(op).0;
        let dev = &cluster.devices[device];
        let latency = dev.to_host.latency_seconds.max(dev.from_host.latency_seconds);
        seconds += match event {
            Event::Run(op) => costs.of(device, op),
            Event::Receive(op) => cluster.link(entry[&op].device, device).seconds(Bytes(bytes(op))),
            Event::Out(op) => latency + bytes(op) as f64 / dev.to_host.bytes_per_second,
            Event::In(op) => latency + bytes(op) as f64 / dev.from_host.bytes_per_second,
        };
        for input in reads(event) {
            assert!(held.contains(&input), "device {device}: {input} is read and not there");
        }
        let made = makes(event);
        if let Event::Run(op) = event
            && let Some(operand) = written_over(graph, entry, op)
        {
            held.remove(&operand);
        }
        held.extend(made);
        let workspace = match event {
            Event::Run(op) => graph.ops[op].workspace.0,
            _ => 0,
        };
        peak = peak.max(resident + workspace + held.iter().map(|&op| bytes(op)).sum::<u64>());
        // A value stays while it is read before it is made anew, or returned by its own device at the end.
        held.retain(|&op| {
            let mut later = events[index + 1..].iter();
            later
                .find_map(|&(.., event)| match event {
                    _ if reads(event).contains(&op) => Some(true),
                    _ if makes(event) == Some(op) => Some(false),
                    _ => None,
                })
                .unwrap_or(returned[op] && entry[&op].device == device)
        });
    }
    (seconds, peak)
}

fn options(cap: CapSpec, seed: u64) -> Options {
    Options {
        cap,
        // Every family of planners in turn; what they return is judged the same way.
        solver: ["auto", "q-learning", "capuchin", "vdnn"][seed as usize % 4].parse().expect("a solver"),
        q_learning: ballast_remat::swaps::Options { rounds: 40, ..Default::default() },
        limits: Limits { time_limit_seconds: None, work_limit: Some(200), seed, threads: 1 },
        relax_limit: 4.0,
        ..Options::default()
    }
}

#[test]
fn tmax_tmin_and_peaks_equal_those_of_a_naive_simulator_on_random_plans() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut planned, mut changed, mut over) = (0, 0, 0);
    for round in 0..1000 {
        let graph = random_graph(&mut rng);
        let cluster = cluster(rng.random_range(1..4), &mut rng);
        let devices = cluster.devices.len();
        let seconds = (0..graph.ops.len()).map(|_| f64::from(rng.random_range(1..9u32))).collect::<Vec<_>>();
        let costs = Costs { seconds: vec![seconds; devices] };
        let device_of = (0..graph.ops.len()).map(|_| DeviceId(rng.random_range(0..devices))).collect();
        let cap = CapSpec::Share(rng.random_range(0.5..1.1));
        let search = SearchStats {
            method: "random".into(),
            stop_reason: StopReason::Finished,
            seconds: 0.0,
            work: 0,
            seed: round,
        };
        let bound = Bound::proved(0.0, BoundClass::AnyAssignment);
        let report = Report::new(0.0, bound, search).expect("a bound of nothing");
        let planned_program = match plan(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            device_of,
            report,
            &options(cap, round),
            None,
        ) {
            Ok(planned) => planned.plan,
            Err(Error::Infeasible { .. }) => continue,
            Err(failure) => panic!("round {round}: {failure}"),
        };
        planned += 1;
        over += usize::from(graph.ops.iter().any(|op| op.over.is_some()));
        changed += usize::from(
            planned_program.ops.iter().any(|op| !op.recompute_before.is_empty() || op.swap.is_some()),
        );
        let naive = naive(&graph, &costs, &cluster, &planned_program);
        for (stage, (seconds, peak)) in planned_program.stages.iter().zip(&naive) {
            let score = &stage.score;
            assert!((score.seconds - seconds).abs() < 1e-9, "round {round}: {score:?}, naive {seconds}");
            assert_eq!(score.peak_bytes, *peak, "round {round}: {score:?}");
            assert!(score.peak_bytes <= stage.cap_bytes || score.ops == 0, "round {round}: {stage:?}");
        }
        let used: Vec<f64> = planned_program
            .stages
            .iter()
            .zip(&naive)
            .filter(|(stage, _)| stage.score.ops > 0)
            .map(|(_, (seconds, _))| *seconds)
            .collect();
        let tmax = used.iter().copied().fold(0.0, f64::max);
        let tmin = used.iter().copied().fold(f64::INFINITY, f64::min);
        if !used.is_empty() {
            assert!((planned_program.balance.tmax_seconds - tmax).abs() < 1e-9);
            assert!((planned_program.balance.tmin_seconds - tmin).abs() < 1e-9);
            assert!((planned_program.balance.ratio.expect("every op takes time") - tmax / tmin).abs() < 1e-9);
        }
    }
    assert!(planned > 800 && changed > 100, "{planned} planned, {changed} with recomputation or swaps");
    assert!(over > 300, "{over} with values written over");
}
