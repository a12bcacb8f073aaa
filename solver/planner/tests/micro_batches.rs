//! What devices of a pipeline hold, against a simulator that follows every value of every micro-batch through a step.
//!
//! It knows the schedules' orders and nothing else of the planner: it reads programs and plans, and looks for readers anew at every step.

mod support;

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::{Graph, Op, OpId, Tensor};
use ballast_core::memory::{CompactPlan, NodeId, SwapModel};
use ballast_core::pipeline::{MicroBatch, Pass, Schedule, Spec, Task, judge, need_bytes, orders};
use ballast_core::stage::{NodeSource, Stage, stages};
use ballast_core::units::Bytes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use support::cluster;

/// Bytes a second.
const HOST_BANDWIDTH: f64 = 16.0;

/// A random training step over `devices` stages: forward ops in runs, backward ops in the same runs backwards, arguments that are weights
/// or data, and values that are returned.
fn random_step(rng: &mut ChaCha8Rng, devices: usize) -> (Graph, Costs, Vec<DeviceId>, OpId) {
    let mut graph = Graph { name: "step".into(), ..Graph::default() };
    let tensor = |graph: &mut Graph, producer, bytes, returned, name: &str| {
        let type_name = name.to_owned();
        graph.tensors.push(Tensor { producer, index: 0, bytes: Bytes(bytes), returned, type_name });
        graph.tensors.len() - 1
    };
    // Three last ops make returned values. Two weights that come back, two arguments of one type of which one comes back, and one that never does.
    let types = [("w", 3), ("w", 3), ("either", 5), ("either", 5), ("data", 7)];
    let arguments: Vec<usize> =
        types.iter().map(|&(name, bytes)| tensor(&mut graph, None, bytes, false, name)).collect();
    let (forward, backward) = (rng.random_range(devices..=6), rng.random_range(3..=8));
    let returned = ["w", "w", "either"];
    let mut device_of: Vec<usize> = Vec::new();
    let mut values: Vec<usize> = Vec::new();
    for op in 0..forward + backward {
        let late = op >= forward;
        let device = match late {
            false => op * devices / forward,
            true => devices - 1 - (op - forward) * devices / backward,
        };
        let mut inputs = vec![arguments[rng.random_range(0..arguments.len())]];
        for _ in 0..rng.random_range(1..=3) {
            let sources: Vec<usize> = (0..op)
                .filter(|&from| match (from < forward, late) {
                    (false, true) => device_of[from] >= device,
                    (true, false) => device_of[from] <= device,
                    // A forward value is read where it was made.
                    _ => device_of[from] == device,
                })
                .collect();
            if !sources.is_empty() {
                inputs.push(values[sources[rng.random_range(0..sources.len())]]);
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        let left = forward + backward - op;
        let (name, bytes) = match returned.get(left - 1).filter(|_| late) {
            Some(&name) => (name, if name == "w" { 3 } else { 5 }),
            None => ("value", rng.random_range(1..=9)),
        };
        values.push(tensor(&mut graph, Some(OpId(op)), bytes, name != "value", name));
        graph.ops.push(Op {
            backward: Some(late),
            workspace: Bytes(rng.random_range(0..=4)),
            ..Op::new(format!("op{op}"), inputs, vec![values[op]])
        });
        device_of.push(device);
    }
    let seconds = (0..graph.ops.len()).map(|_| f64::from(rng.random_range(1..=8u32))).collect();
    let costs = Costs { seconds: vec![seconds; devices] };
    (graph, costs, device_of.into_iter().map(DeviceId).collect(), OpId(forward))
}

/// A run of a node or a copy of its value, with the steps whose values it reads.
struct Step {
    node: usize,
    reads: Vec<usize>,
    pass: Pass,
    /// Bytes on the device from here on, and more while it runs.
    bytes: u64,
    workspace: u64,
    runs: bool,
}

/// The pass in which every node first runs.
fn pass_of(stage: &Stage, boundary: usize, is_split: bool) -> Vec<Pass> {
    let is_op = |node: usize| matches!(stage.sources[node], NodeSource::Op(_));
    let pass = |node: usize| match node < boundary {
        true => Pass::Forward,
        false if is_split && is_op(node) && !is_sent(stage, node) => Pass::Weights,
        false => Pass::Backward,
    };
    (0..stage.sources.len()).map(pass).collect()
}

/// The steps of one micro-batch as its passes run, one after another: steps before a node and copies to the host after it are in its pass, or where what is
/// copied is made.
fn steps(stage: &Stage, plan: &CompactPlan, pass_of: &[Pass]) -> Vec<Step> {
    let nodes = &stage.problem.nodes;
    let mut made = vec![Pass::Forward; nodes.len()];
    // Step, and does it make a copy on the host?
    let mut steps: Vec<(Step, bool)> = Vec::new();
    let listed = |list: &[(usize, NodeId)], at: usize| {
        let here = list.iter().filter(|(position, _)| *position == at).map(|(_, node)| node.0);
        let mut nodes: Vec<usize> = here.collect();
        nodes.sort_unstable();
        nodes
    };
    let step = |node: usize, pass: Pass| {
        let (bytes, reads) = (nodes[NodeId(node)].bytes, Vec::new());
        Step { node, reads, pass, bytes, workspace: 0, runs: false }
    };
    for (at, &pass) in pass_of.iter().enumerate() {
        for node in listed(&plan.swap_in, at) {
            made[node] = pass;
            steps.push((step(node, pass), false));
        }
        let again = listed(&plan.recompute, at);
        for node in again.into_iter().chain([at]) {
            let what = &nodes[node];
            made[node] = pass;
            // Returned values are summed up in place.
            let bytes = if what.keep { 0 } else { what.bytes };
            let run = Step { bytes, workspace: what.workspace_bytes, runs: true, ..step(node, pass) };
            steps.push((run, false));
        }
        for node in listed(&plan.swap_out, at) {
            steps.push((Step { bytes: 0, ..step(node, pass.max(made[node])) }, true));
        }
    }
    steps.sort_by_key(|(step, _)| step.pass);
    let (mut device, mut host) = (vec![usize::MAX; nodes.len()], vec![usize::MAX; nodes.len()]);
    for (index, (step, is_copy)) in steps.iter_mut().enumerate() {
        step.reads = match (step.runs, *is_copy) {
            (true, _) => nodes[NodeId(step.node)].inputs.iter().map(|input| device[input.0]).collect(),
            (false, true) => vec![device[step.node]],
            (false, false) => vec![host[step.node]],
        };
        if *is_copy { host[step.node] = index } else { device[step.node] = index }
    }
    steps.into_iter().map(|(step, _)| step).collect()
}

/// Is a node needed for anything that is sent?
fn is_sent(stage: &Stage, node: usize) -> bool {
    let own =
        matches!(stage.sources[node], NodeSource::Op(op) if stage.sends.iter().any(|(sent, _)| *sent == op));
    own || (node + 1..stage.sources.len())
        .any(|reader| stage.problem.nodes[reader].inputs.contains(&NodeId(node)) && is_sent(stage, reader))
}

/// Bytes of data, and the last pass that reads each: of `data` all, of `either` one, the one that is read last; none where the stage
/// reads none.
fn data(graph: &Graph, stage: &Stage, steps: &[Step]) -> Vec<(u64, Pass)> {
    let last = |argument: usize| {
        let reads = |step: &&Step| match stage.sources[step.node] {
            NodeSource::Op(op) => step.runs && graph.ops[op].inputs.iter().any(|input| input.0 == argument),
            NodeSource::Receive(_) => false,
        };
        steps.iter().filter(reads).map(|step| step.pass).max().unwrap_or(Pass::Forward)
    };
    let here = |argument: &usize| stage.arguments.iter().any(|own| own.0 == *argument);
    let mut data: Vec<(u64, Pass)> = [4].iter().filter(|a| here(a)).map(|&a| (7, last(a))).collect();
    data.extend([2, 3].iter().filter(|a| here(a)).map(|&a| (5, last(a))).max_by_key(|held| held.1));
    data
}

/// Most bytes of a device over its order.
fn most(graph: &Graph, stage: &Stage, plan: &CompactPlan, boundary: usize, order: &[Task]) -> u64 {
    let is_split = order.iter().any(|task| task.pass == Pass::Weights);
    let steps = steps(stage, plan, &pass_of(stage, boundary, is_split));
    let data = data(graph, stage, &steps);
    let kept: u64 = stage.problem.nodes.iter().filter(|node| node.keep).map(|node| node.bytes).sum();
    let late = || data.iter().filter(|(_, last)| *last > Pass::Forward);
    let always = stage.problem.resident_bytes + kept - late().map(|(bytes, _)| bytes).sum::<u64>();
    // What is alive: (micro-batch, step).
    let (mut alive, mut held, mut most) = (Vec::<(usize, usize)>::new(), Vec::<(usize, u64, Pass)>::new(), 0);
    for task in order {
        if task.pass == Pass::Forward {
            held.extend(late().map(|&(bytes, last)| (task.micro_batch, bytes, last)));
        }
        let bytes = |alive: &[(usize, usize)], held: &[(usize, u64, Pass)]| {
            always
                + alive.iter().map(|&(_, step)| steps[step].bytes).sum::<u64>()
                + held.iter().map(|&(_, bytes, _)| bytes).sum::<u64>()
        };
        most = most.max(bytes(&alive, &held));
        for at in (0..steps.len()).filter(|&at| steps[at].pass == task.pass) {
            alive.push((task.micro_batch, at));
            most = most.max(bytes(&alive, &held) + steps[at].workspace);
            let later = |reader: usize| (steps[reader].pass, reader) > (task.pass, at);
            alive.retain(|&(micro_batch, made)| {
                let read = |&reader: &usize| steps[reader].reads.contains(&made) && later(reader);
                micro_batch != task.micro_batch || (0..steps.len()).any(|reader| read(&reader))
            });
        }
        held.retain(|&(micro_batch, _, last)| (micro_batch, last) != (task.micro_batch, task.pass));
    }
    most
}

fn random_plan(rng: &mut ChaCha8Rng, micro: &MicroBatch, boundary: usize) -> CompactPlan {
    let nodes = &micro.problem.nodes;
    let mut plan = CompactPlan::default();
    for (id, node) in NodeId::of(nodes) {
        for at in id.0 + 1..nodes.len() {
            if node.recomputable && rng.random_bool(0.25) {
                plan.recompute.push((at, id));
            }
        }
        if node.swappable && id.0 < boundary && nodes.len() > boundary && rng.random_bool(0.2) {
            plan.swap_out.push((id.0, id));
            plan.swap_in.push((rng.random_range(boundary.max(id.0 + 1)..nodes.len()), id));
        }
    }
    plan
}

#[test]
fn what_a_device_needs_is_what_its_values_take_one_by_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut judged, mut deferred) = (0, 0);
    for round in 0..3000 {
        let schedule =
            [Schedule::ZeroBubble, Schedule::OneForwardOneBackward, Schedule::GPipe, Schedule::ZeroBubble]
                [round % 4];
        let devices = rng.random_range(1..=3);
        let spec = Spec { schedule, micro_batches: rng.random_range(1..=5) };
        let (graph, costs, device_of, first_backward) = random_step(&mut rng, devices);
        let stages = stages(&graph, &costs, &cluster(devices, HOST_BANDWIDTH), &device_of);
        let micro = |stage| MicroBatch::of(&graph, stage, &device_of, first_backward);
        let micros: Vec<MicroBatch> = stages.iter().map(micro).collect();
        let plans: Vec<CompactPlan> =
            micros.iter().map(|micro| random_plan(&mut rng, micro, micro.boundary)).collect();
        let swap = SwapModel {
            out_bandwidth: 16.0,
            in_bandwidth: 16.0,
            latency: 0.0,
            overlap: false,
            host_capacity_bytes: None,
        };
        let Ok(found) = judge(&micros, &stages, &plans, &vec![Some(swap); devices], spec) else { continue };
        judged += 1;
        let orders = orders(schedule, devices, spec.micro_batches).unwrap();
        for (device, held) in spec.in_flight_of_all(devices).unwrap().iter().enumerate() {
            let (stage, micro) = (&stages[device], &micros[device]);
            let expected = most(&graph, stage, &plans[device], micro.boundary, &orders[device]);
            let measured = found.stages[device];
            let peak = found.timeline.peak_bytes[device] as u64;
            assert_eq!(peak, expected, "round {round}, {schedule}, device {device}: {:?}", plans[device]);
            let need = need_bytes(std::slice::from_ref(micro), &[measured], held);
            let alone = micro.resident_bytes + measured.data.once + measured.alone_bytes;
            assert_eq!(need, expected.max(alone), "round {round}, {schedule}, device {device}");
            deferred += usize::from(measured.deferred_bytes > 0);
        }
    }
    assert!(judged > 1000 && deferred > 300, "{judged} judged, {deferred} with deferred bytes");
}

/// One forward op of 10 bytes and 1 s; the copy to the host takes 10 s, and the backward op reads the value again.
#[test]
fn a_pass_ends_when_its_copies_have_ended() {
    let value = |producer: usize| Tensor {
        producer: Some(OpId(producer)),
        index: 0,
        bytes: Bytes(10),
        returned: producer == 2,
        type_name: String::new(),
    };
    let op = |id: usize, inputs: Vec<usize>| Op {
        backward: Some(id > 0),
        ..Op::new(format!("op{id}"), inputs, vec![id])
    };
    let graph = Graph {
        ops: vec![op(0, vec![]), op(1, vec![]), op(2, vec![0, 1])],
        tensors: (0..3).map(value).collect(),
        ..Graph::default()
    };
    let costs = Costs { seconds: vec![vec![1.0; 3]] };
    let stages = stages(&graph, &costs, &cluster(1, HOST_BANDWIDTH), &[DeviceId(0); 3]);
    let micro = MicroBatch::of(&graph, &stages[0], &[DeviceId(0); 3], OpId(1));
    let plan = CompactPlan {
        swap_out: vec![(0, NodeId(0))],
        swap_in: vec![(2, NodeId(0))],
        ..CompactPlan::default()
    };
    let swap = |overlap| SwapModel {
        out_bandwidth: 1.0,
        in_bandwidth: 10.0,
        latency: 0.0,
        overlap,
        host_capacity_bytes: None,
    };
    // The copy back is issued behind op 1, and op 2 waits for it.
    for overlap in [false, true] {
        let measured = micro.measure(&plan, Some(&swap(overlap)), false).unwrap();
        assert_eq!((measured.forward_seconds, measured.backward_seconds), (11.0, 3.0), "{overlap}");
        assert_eq!((measured.stash_bytes, measured.peak_bytes), (0, [10, 20, 0]), "{overlap}");
    }
}
