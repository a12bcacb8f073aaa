//! Pipelines of micro-batches: hand-checked bytes, caps kept, the loop against the exact joint partition.

#[path = "support/chain.rs"]
mod chains;
mod support;

use std::rc::Rc;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, Limits};
use ballast_core::memory::{CompactPlan, NodeId};
use ballast_core::pipeline::{
    DataBytes, FlowError, Judged, MicroBatch, Schedule, Spec, check_flow, judge, need_bytes,
};
use ballast_core::program::Program;
use ballast_core::stage::stages;
use ballast_core::units::Bytes;
use ballast_partition::pipeline::{Layers, LayersError, RunTimes, layers};
use ballast_partition::sequence::Granularity;
use ballast_planner::pipelined::{Run, Runs, Site, StopRule, balanced, choices, exact, joint};
use ballast_planner::{Again, Error, Options, Pipelining, Planned, Repartition, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use chains::{Chain, chain};
use support::cluster;

/// Bytes a second.
const HOST_BANDWIDTH: f64 = 1e4;

fn site<'a>(chain: &'a Chain, cluster: &'a Cluster, layers: &'a Layers, cap: u64) -> Site<'a> {
    Site {
        graph: &chain.graph,
        costs: &chain.costs,
        cluster,
        layers,
        spec: Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 6 },
        cap: CapSpec::Absolute(Bytes(cap)),
        memory: ballast_remat::Options {
            solver: ballast_remat::Solver::LOCAL_SEARCH,
            limits: Limits { time_limit_seconds: None, work_limit: Some(2000), seed: 0, threads: 1 },
            ..ballast_remat::Options::default()
        },
        swap: false,
        overlap: false,
        uniform: false,
    }
}

#[test]
fn layers_keep_forward_and_backward_of_a_weight_together() {
    let chain = chain(&[(1.0, 10, 100), (2.0, 20, 200), (3.0, 30, 300)], 2);
    let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
    assert_eq!((layers.pieces, layers.first_backward), (3, OpId(3)));
    // Forward 0 1 2, then backward and update of 2, 1, 0.
    assert_eq!(layers.piece_of, [0, 1, 2, 2, 2, 1, 1, 0, 0]);
    for cut in 1..3 {
        check_flow(&chain.graph, &layers.stage_of(&chain.graph, &[cut])).unwrap();
    }
    // Layer 1 runs forward on device 1, backward on device 0: its gradient would go back to device 1 no more.
    let error = check_flow(&chain.graph, &[0, 1, 0, 1, 1, 1, 1, 0, 0].map(DeviceId)).unwrap_err();
    assert!(
        matches!(
            error,
            FlowError::AgainstTheFlow { op: OpId(2), from: DeviceId(1), device: DeviceId(0), .. }
        ),
        "{error}"
    );
}

#[test]
fn programs_that_are_no_training_step_are_refused() {
    let mut chain = chain(&[(1.0, 10, 100); 3], 2);
    let refused = |graph: &Graph, costs: &Costs| layers(graph, costs, Granularity::Op, 99).unwrap_err();
    let mut pinned = chain.graph.clone();
    pinned.ops[1].rules.device = Some(DeviceId(0));
    assert!(matches!(refused(&pinned, &chain.costs), LayersError::Pinned { op: OpId(1), .. }));
    chain.graph.ops.iter_mut().for_each(|op| op.backward = Some(false));
    assert!(matches!(
        refused(&chain.graph, &chain.costs),
        LayersError::Flow(FlowError::OnePass { pass: "backward", .. })
    ));
    chain.graph.ops.iter_mut().for_each(|op| op.backward = None);
    assert!(matches!(refused(&chain.graph, &chain.costs), LayersError::Flow(FlowError::Untold { .. })));
}

#[test]
fn one_micro_batch_has_the_bytes_and_times_worked_out_by_hand() {
    // Two layers on one device: values of 10 and 20 bytes, weights of 100 and 200, 7 bytes of data.
    let chain = chain(&[(1.0, 10, 100), (2.0, 20, 200)], 1);
    let cluster = cluster(1, HOST_BANDWIDTH);
    let stages = stages(&chain.graph, &chain.costs, &cluster, &[DeviceId(0); 6]);
    let micro = MicroBatch::of(&chain.graph, &stages[0], &[DeviceId(0); 6], OpId(2));
    assert_eq!(micro.boundary, 2);
    // Weights and sums of new weights; data that only the forward pass reads is there once.
    assert_eq!(micro.resident_bytes, 300 + 300);
    assert_eq!(micro.least_data(false), DataBytes { once: 7, ..DataBytes::default() });
    let kept = micro.measure(&CompactPlan::default(), None, false).unwrap();
    assert_eq!((kept.forward_seconds, kept.backward_seconds, kept.weights_seconds), (3.0, 3.75, 0.0));
    // Between the passes both values; while backward 1 runs, its gradient of 20 bytes beside them.
    assert_eq!((kept.stash_bytes, kept.peak_bytes), (30, [30, 50, 0]));
    // The first value dropped and made again before backward 0, which stands at position 4.
    let again = CompactPlan { recompute: vec![(4, NodeId(0))], ..CompactPlan::default() };
    let again = micro.measure(&again, None, false).unwrap();
    // It is made of the data, which is now held per micro-batch.
    assert_eq!((again.stash_bytes, again.forward_seconds, again.backward_seconds), (20 + 7, 3.0, 4.75));
    assert_eq!(again.data, DataBytes { stash: 7, ..DataBytes::default() });
    // Nothing is sent backward: all of the backward pass may wait where a schedule splits it.
    let split = micro.measure(&CompactPlan::default(), None, true).unwrap();
    assert_eq!((split.backward_seconds, split.weights_seconds), (0.0, 3.75));
}

fn random_chain(rng: &mut ChaCha8Rng, count: usize, devices: usize) -> Chain {
    let layers: Vec<(f64, u64, u64)> = (0..count)
        .map(|_| (rng.random_range(1..=8u32).into(), rng.random_range(10..=80), rng.random_range(5..=40)))
        .collect();
    chain(&layers, devices)
}

/// Judges planned runs as one pipeline: the first stages of all devices, then their second ones, and so on.
fn judged(runs: &[Rc<Run>], spec: Spec) -> Judged {
    let chunks = spec.schedule.chunks();
    let stages = || (0..chunks).flat_map(|chunk| runs.iter().map(move |run| (run, chunk)));
    let micros: Vec<MicroBatch> = stages().map(|(run, chunk)| run.micros[chunk].clone()).collect();
    let plan = |(run, chunk): (&Rc<Run>, usize)| match &run.found {
        Some(found) => found.stages[chunk].plan.clone(),
        None => CompactPlan::default(),
    };
    let plans: Vec<CompactPlan> = stages().map(plan).collect();
    let stages: Vec<_> = stages().map(|(run, chunk)| run.stages[chunk].clone()).collect();
    judge(&micros, &stages, &plans, &[], spec).unwrap()
}

/// The judge's peak is the formula's need, under every schedule, and no plan is over its cap.
#[test]
fn devices_hold_what_the_formula_says_and_no_more_than_the_cap() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut planned, mut split, mut missed) = (0, 0, 0);
    for _ in 0..40 {
        let devices = rng.random_range(2..=4);
        let count = rng.random_range(devices..=9);
        let chain = random_chain(&mut rng, count, devices);
        let cluster = cluster(devices, HOST_BANDWIDTH);
        let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
        let micro_batches = rng.random_range(1..=7);
        for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::ZeroBubble] {
            let spec = Spec { schedule, micro_batches };
            let mut site = site(&chain, &cluster, &layers, 0);
            site.spec = spec;
            site.cap = CapSpec::Share(0.75);
            let times = RunTimes::of(&chain.graph, &chain.costs, &cluster, &layers);
            let cuts = times.best_cuts(micro_batches, &|_, _, _| 0.0).unwrap();
            let runs = Runs::new(&site).unwrap().of_cuts(&cuts).unwrap();
            let judged = judged(&runs, spec);
            for (device, (run, in_flight)) in
                runs.iter().zip(spec.in_flight_of_all(devices).unwrap()).enumerate()
            {
                let need = need_bytes(&run.micros, &[judged.stages[device]], &in_flight);
                assert_eq!(judged.timeline.in_flight[device], in_flight.micro_batches(0), "{schedule}");
                let alone = judged.stages[device];
                let alone = run.micros[0].resident_bytes + alone.data.once + alone.alone_bytes;
                let peak = judged.timeline.peak_bytes[device] as u64;
                assert_eq!(peak.max(alone), need, "{schedule}");
                if let Some(found) = &run.found {
                    assert_eq!(found.need_bytes, need);
                    assert!(need <= run.cap_bytes);
                    let plan = &found.stages[0].plan;
                    assert!(
                        plan.rounds.is_empty() && plan.copies.is_empty(),
                        "has no form in the IR: {plan:?}"
                    );
                    let again = usize::from(!plan.recompute.is_empty());
                    planned += again;
                    split += again * usize::from(in_flight.split);
                }
                missed += usize::from(in_flight.split && run.found.is_none());
            }
        }
    }
    assert!(planned > 50, "only {planned} stages recompute anything");
    assert!(split >= 30 && missed <= 75, "split: {split} recompute, {missed} without a plan");
}

/// A random plan that makes some values again, each before its first reader in the backward pass or before some of them.
fn random_plan(rng: &mut ChaCha8Rng, micro: &MicroBatch) -> CompactPlan {
    let nodes = &micro.problem.nodes;
    let (share, once) = (rng.random_range(0.2..=1.0), rng.random_bool(0.5));
    let mut recompute = Vec::new();
    for (id, _) in NodeId::of(nodes).filter(|(id, node)| id.0 < micro.boundary && node.recomputable) {
        let mut readers = (micro.boundary..nodes.len()).filter(|&at| nodes[NodeId(at)].inputs.contains(&id));
        if rng.random_bool(share) {
            let some = if once { readers.next().into_iter().collect::<Vec<_>>() } else { readers.collect() };
            recompute.extend(some.into_iter().map(|at| (at, id)));
        }
    }
    recompute.sort_unstable();
    CompactPlan { recompute, ..CompactPlan::default() }
}

/// A cap that one of many random plans keeps is kept nearly always, and mostly as fast.
#[test]
fn caps_that_random_plans_keep_are_kept() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::ZeroBubble] {
        let (mut asked, mut missed, mut slower) = (0, 0, 0);
        for _ in 0..40 {
            let devices = rng.random_range(1..=3);
            let count = rng.random_range(2 * devices..=9);
            let chain = random_chain(&mut rng, count, devices);
            let cluster = cluster(devices, HOST_BANDWIDTH);
            let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
            let mut site = site(&chain, &cluster, &layers, u64::MAX >> 2);
            site.spec = Spec { schedule, micro_batches: rng.random_range(1..=7) };
            site.memory.solver = ballast_remat::Options::default().solver;
            let times = RunTimes::of(&chain.graph, &chain.costs, &cluster, &layers);
            let cuts = times.best_cuts(site.spec.micro_batches, &|_, _, _| 0.0).unwrap();
            let free = Runs::new(&site).unwrap().of_cuts(&cuts).unwrap();
            for (device, in_flight) in site.spec.in_flight_of_all(devices).unwrap().iter().enumerate() {
                let micro = &free[device].micros[0];
                let mut known: Vec<(u64, f64)> = (0..200)
                    .filter_map(|_| {
                        let plan = random_plan(&mut rng, micro);
                        let measured = micro.measure(&plan, None, in_flight.split).ok()?;
                        let need = need_bytes(&free[device].micros, &[measured], in_flight);
                        Some((need, measured.seconds()))
                    })
                    .filter(|&(need, _)| need < free[device].unplanned_need_bytes)
                    .collect();
                known.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                let caps = [known.first(), known.get(known.len() / 2)];
                for &(cap, _) in caps.into_iter().flatten() {
                    let best =
                        known.iter().filter(|plan| plan.0 <= cap).map(|plan| plan.1).fold(f64::MAX, f64::min);
                    let capped = Site { cap: CapSpec::Absolute(Bytes(cap)), ..site.clone() };
                    let run = Runs::new(&capped).unwrap().of_cuts(&cuts).unwrap().swap_remove(device);
                    asked += 1;
                    match &run.found {
                        None => missed += 1,
                        Some(found) => slower += usize::from(found.seconds() > best * 1.05),
                    }
                }
            }
        }
        // Caps are what such a plan needs to the byte.
        assert!(
            asked > 100 && missed * 15 < asked && slower * 6 < asked,
            "{schedule}: {asked} caps, {missed} missed, {slower} slower"
        );
    }
}

/// Data that only the forward pass reads is there once, whoever holds it: a cap with so much more of it is kept by the same plan.
#[test]
fn data_that_are_there_once_count_once() {
    let needs = |data: u64| {
        let mut chain = chain(&[(1.0, 10, 1), (1.0, 100, 1), (1.0, 10, 1), (1.0, 10, 1)], 1);
        chain.graph.tensors[0].bytes = Bytes(data);
        let cluster = cluster(1, HOST_BANDWIDTH);
        let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
        let mut site = site(&chain, &cluster, &layers, data + 350);
        site.spec = Spec { schedule: Schedule::GPipe, micro_batches: 3 };
        let run = Runs::new(&site).unwrap().of_cuts(&[]).unwrap().swap_remove(0);
        assert!(run.unplanned_need_bytes > data + 350);
        run.found.as_ref().map(|found| found.need_bytes - data)
    };
    assert!(needs(7).is_some());
    assert_eq!(needs(1000), needs(7));
}

/// The loop is never better than the exact joint partition, never worse than its start, and mostly equal to the former.
#[test]
fn the_loop_comes_close_to_the_exact_joint_partition() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut equal, mut better_than_given, mut total) = (0, 0, 0);
    for _ in 0..40 {
        let devices = rng.random_range(2..=3);
        let count = rng.random_range(5..=8);
        let chain = random_chain(&mut rng, count, devices);
        let cluster = cluster(devices, HOST_BANDWIDTH);
        let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
        let times = RunTimes::of(&chain.graph, &chain.costs, &cluster, &layers);
        let given = times.best_cuts(6, &|_, _, _| 0.0).unwrap();
        let free = site(&chain, &cluster, &layers, u64::MAX >> 2);
        let needs = Runs::new(&free).unwrap().of_cuts(&given).unwrap();
        let most = needs.iter().map(|run| run.unplanned_need_bytes).max().unwrap();
        let site = site(&chain, &cluster, &layers, most * 7 / 10);
        let mut runs = Runs::new(&site).unwrap();
        let best = exact(&mut runs, layers.pieces, devices, 6).unwrap().unwrap();
        let ends = StopRule { max_rounds: 1000, max_ratio: 1.0, deadline: Deadline::after(None) };
        let found = joint(&mut runs, &site, &given, &ends).unwrap();
        assert!(found.score >= best.score, "the loop beats the exact partition: {found:?} {best:?}");
        assert!(found.score <= found.given);
        if best.score.short_bytes == 0 {
            total += 1;
            assert!(
                found.score.short_bytes == 0,
                "the loop finds a plan where there is one: {found:?} {best:?}"
            );
            assert!(found.score.step_seconds <= best.score.step_seconds * 1.1, "{found:?} {best:?}");
            equal += usize::from(found.score.step_seconds == best.score.step_seconds);
        }
        better_than_given += usize::from(found.score < found.given);
    }
    assert!(total >= 15 && equal * 10 >= total * 9, "{equal} of {total} equal");
    assert!(better_than_given >= 10, "{better_than_given} cuts moved");
}

/// Several stages per device: the judge's peak of a device is the need of all its stages, none is over the cap, and a device
/// whose caps bind recomputes.
#[test]
fn stages_that_share_a_device_share_its_cap() {
    for (share, least_planned, most_missed) in [(0.8, 90, 6), (0.6, 70, 30)] {
        let (planned, missed) = on_shared_devices(share);
        assert!(
            planned >= least_planned && missed <= most_missed,
            "{share}: {planned} devices recompute, {missed} find no plan"
        );
    }
}

/// Plans random chains under a share of what devices need without a plan, and checks them: devices that recompute, and that have no plan.
fn on_shared_devices(share: f64) -> (usize, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut planned, mut missed) = (0, 0);
    for _ in 0..40 {
        let (devices, chunks) = (rng.random_range(2..=3), rng.random_range(2..=3));
        let count = rng.random_range(devices * chunks..=12);
        let chain = random_chain(&mut rng, count, devices * chunks);
        let cluster = cluster(devices, HOST_BANDWIDTH).divided(chunks).unwrap();
        let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
        let spec = Spec {
            schedule: Schedule::Interleaved { chunks },
            micro_batches: devices * rng.random_range(1..=3),
        };
        let site = Site { spec, cap: CapSpec::Share(share), ..site(&chain, &cluster, &layers, 0) };
        let times = RunTimes::of(&chain.graph, &chain.costs, &cluster, &layers);
        let cuts = times.cuts_for(spec.schedule, spec.micro_batches, &|_, _, _| 0.0).unwrap();
        let runs = Runs::new(&site).unwrap().of_cuts(&cuts).unwrap();
        let judged = judged(&runs, spec);
        for (device, (run, in_flight)) in
            runs.iter().zip(spec.in_flight_of_all(devices * chunks).unwrap()).enumerate()
        {
            let own: Vec<_> = judged.stages.iter().copied().skip(device).step_by(devices).collect();
            let need = need_bytes(&run.micros, &own, &in_flight);
            assert_eq!(judged.timeline.peak_bytes[device] as u64, need);
            match &run.found {
                Some(found) => {
                    assert_eq!(found.need_bytes, need);
                    assert!(need <= run.cap_bytes);
                    let again =
                        |stage: &ballast_planner::pipelined::StageMemory| !stage.plan.recompute.is_empty();
                    planned += usize::from(found.stages.iter().any(again));
                }
                None => missed += 1,
            }
        }
    }
    (planned, missed)
}

/// Eight equal layers on two devices, four micro-batches, transfers next to free: every device is busy for 4 x 9 s, and
/// waits for one stage of the other at each end of the step, 4.5 s with one stage per device and 2.25 s with two.
#[test]
fn interleaved_stages_idle_half_as_long() {
    let chain = chain(&[(1.0, 10, 5); 8], 2);
    let mut cluster = cluster(2, HOST_BANDWIDTH);
    cluster.default_link.bytes_per_second = 1e12;
    cluster.devices.iter_mut().for_each(|device| device.memory_bandwidth = 1e12);
    let layers = layers(&chain.graph, &chain.costs, Granularity::Op, 99).unwrap();
    let schedules = [Schedule::OneForwardOneBackward, Schedule::Interleaved { chunks: 2 }];
    let mut free = site(&chain, &cluster, &layers, u64::MAX >> 2);
    free.spec.micro_batches = 4;
    let ends = StopRule { max_rounds: 1, max_ratio: 1.0, deadline: Deadline::after(None) };
    let found = choices(&free, &schedules, &ends).unwrap();
    assert_eq!(found.iter().map(|choice| choice.schedule).collect::<Vec<_>>(), [schedules[1], schedules[0]]);
    let seconds: Vec<f64> = found.iter().map(|choice| choice.free_seconds).collect();
    assert!((seconds[0] - 40.5).abs() < 1e-6 && (seconds[1] - 45.0).abs() < 1e-6, "{seconds:?}");
    assert!(found[1].joint.is_none(), "its step without a cap is no shorter");
    // They hold more micro-batches: under what 1F1B needs without recomputation they recompute, and are still ahead.
    let needs = Runs::new(&free).unwrap().of_cuts(&[4]).unwrap();
    let cap = needs.iter().map(|run| run.unplanned_need_bytes).max().unwrap();
    let capped = Site { cap: CapSpec::Absolute(Bytes(cap)), ..free.clone() };
    let found = choices(&capped, &schedules, &ends).unwrap();
    assert_eq!(found[0].schedule, schedules[1]);
    let score = found[0].joint.as_ref().unwrap().score;
    assert_eq!(score.short_bytes, 0);
    assert!(score.step_seconds > 40.5 + 1e-6 && score.step_seconds < 45.0, "{score:?}");
}

fn pipelining(spec: Spec) -> Pipelining {
    Pipelining { spec, granularity: Granularity::Op, may_idle: true }
}

/// A chain of eight ops on two devices under a cap that may be raised by nine tenths at a time.
fn planned_under(cap: u64, relax_limit: f64) -> Result<Planned, Error> {
    let chain = chain(&[(1.0, 10, 1); 8], 2);
    let cluster = cluster(2, HOST_BANDWIDTH);
    let program = Program { graph: &chain.graph, costs: &chain.costs, cluster: &cluster };
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 8 };
    let limits = Limits { time_limit_seconds: None, work_limit: Some(5_000), seed: 0, threads: 1 };
    let made = ballast_partition::Options { limits, ..ballast_partition::Options::default() };
    let partition = ballast_partition::plan(&program, &made).unwrap().report;
    let device_of = balanced(&program, pipelining(spec), CapSpec::DeviceMemory).unwrap().device_of;
    let options = Options {
        cap: CapSpec::Absolute(Bytes(cap)),
        swap: false,
        relax_step: 0.9,
        relax_limit,
        max_rounds: 1,
        limits,
        pipeline: Some(pipelining(spec)),
        ..Options::default()
    };
    plan(&program, device_of, partition, &options, None)
}

#[test]
fn the_least_possible_of_a_raised_cap_is_what_no_plan_goes_below() {
    let planned = |cap: u64| planned_under(cap, 9.0).unwrap();
    let raised = planned(20).relaxed;
    assert!(!raised.is_empty());
    assert!(raised.iter().any(|raised| Some(raised.least) < raised.smallest), "{raised:?}");
    for cap in (20..200).step_by(5) {
        let pipeline = planned(cap).plan.pipeline.unwrap();
        for raised in &raised {
            let need = pipeline.stages[raised.device].need_bytes;
            assert!(raised.least.0 <= need, "{raised:?} under {cap}: {need}");
        }
    }
}

#[test]
fn a_cap_is_raised_to_the_limit_itself_where_steps_pass_it_by() {
    let least = (1..200).find(|&cap| planned_under(2 * cap, 0.0).is_ok()).map(|cap| 2 * cap).unwrap();
    // Half of what the device with more needs: the first step comes to less, and the second passes by the limit.
    let raised = planned_under(least / 2, 2.0).unwrap().relaxed;
    assert!(raised.iter().any(|raised| raised.used.0 == least), "{least}: {raised:?}");
    assert!(matches!(planned_under(least / 2, 1.9), Err(Error::Infeasible { .. })));
}

#[test]
fn devices_stay_idle_where_a_step_is_shorter_over_fewer_links() {
    // 18 s a micro-batch, 8 of them, and 10 bytes from layer to layer.
    let chain = chain(&[(1.0, 10, 1); 8], 4);
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 8 };
    let on = |cluster: &Cluster| {
        let program = Program { graph: &chain.graph, costs: &chain.costs, cluster };
        let mut on: Vec<usize> = balanced(&program, pipelining(spec), CapSpec::DeviceMemory)
            .expect("cuts")
            .device_of
            .into_iter()
            .map(|device| device.0)
            .collect();
        on.sort_unstable();
        on.dedup();
        on
    };
    let mut devices = cluster(4, HOST_BANDWIDTH);
    assert_eq!(on(&devices), [0, 1, 2, 3]);
    // 100 s for what a layer makes: one device takes 144 s for the whole step.
    let fast = std::mem::replace(&mut devices.default_link.bytes_per_second, 0.1);
    assert_eq!(on(&devices).len(), 1);
    let program = Program { graph: &chain.graph, costs: &chain.costs, cluster: &devices };
    let all = Pipelining { may_idle: false, ..pipelining(spec) };
    let all = balanced(&program, all, CapSpec::DeviceMemory).expect("cuts").cuts;
    assert!(all.is_sorted_by(|a, b| a < b) && all.len() == 3 && all[0] > 0, "{all:?}");
    // The last two are joined by a fast link: about 9 times 9 s on them.
    for (from, to) in [(2, 3), (3, 2)] {
        let link = Link { bytes_per_second: fast, latency_seconds: 0.0 };
        devices.links.push((DeviceId(from), DeviceId(to), link));
    }
    assert_eq!(on(&devices), [2, 3]);
    // They have no room for what half of the layers hold, but for plans that make some of it again.
    devices.devices.iter_mut().for_each(|device| device.memory = Bytes(100));
    assert_eq!(on(&devices), [0, 1, 2, 3]);
    let program = Program { graph: &chain.graph, costs: &chain.costs, cluster: &devices };
    let limits = Limits { time_limit_seconds: None, work_limit: Some(5_000), seed: 0, threads: 1 };
    let made = ballast_partition::Options { limits, ..ballast_partition::Options::default() };
    let options = Options {
        cap: CapSpec::Absolute(Bytes(100)),
        max_rounds: 4,
        swap: false,
        limits,
        pipeline: Some(pipelining(spec)),
        ..Options::default()
    };
    let planned = |movable: bool| {
        let partition = ballast_partition::plan(&program, &made).expect("a partition").report;
        let device_of = balanced(&program, pipelining(spec), CapSpec::DeviceMemory).expect("cuts").device_of;
        let none = |_: &Again<'_>| Ok(Vec::new());
        plan(&program, device_of, partition, &options, movable.then_some(&none as &Repartition<'_>))
            .expect("a plan")
    };
    let (stays, moves) = (planned(false), planned(true));
    assert!(stays.relaxed.is_empty() && moves.relaxed.is_empty());
    let step = |planned: &Planned| planned.plan.pipeline.as_ref().expect("a pipeline").step_seconds;
    assert!(step(&moves) < 120.0 && step(&stays) > 1000.0, "{} {}", step(&moves), step(&stays));
    assert!(moves.device_of.iter().all(|device| device.0 >= 2));
}

/// What rounds come to under a cap from a placement on the first of four devices, over links that take 100 s for what a layer makes. Layers hold 10 bytes,
/// and weights of 10.
fn from_one_device(cap: u64) -> Planned {
    let chain = chain(&[(1.0, 10, 10); 8], 4);
    let mut slow = cluster(4, HOST_BANDWIDTH);
    slow.default_link.bytes_per_second = 0.1;
    let program = Program { graph: &chain.graph, costs: &chain.costs, cluster: &slow };
    let limits = Limits { time_limit_seconds: None, work_limit: Some(5_000), seed: 0, threads: 1 };
    let made = ballast_partition::Options { limits, ..ballast_partition::Options::default() };
    let partition = ballast_partition::plan(&program, &made).expect("a partition").report;
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 8 };
    let options = Options {
        cap: CapSpec::Absolute(Bytes(cap)),
        max_rounds: 4,
        swap: false,
        limits,
        pipeline: Some(pipelining(spec)),
        ..Options::default()
    };
    let on_one = vec![DeviceId(0); chain.graph.ops.len()];
    let none = |_: &Again<'_>| Ok(Vec::new());
    plan(&program, on_one, partition, &options, Some(&none)).expect("a plan")
}

#[test]
fn devices_stay_idle_as_long_as_fewer_keep_the_cap() {
    let step = |planned: &Planned| planned.plan.pipeline.as_ref().expect("a pipeline").step_seconds;
    // One device holds 160 bytes of weights and of sums of new ones, and one micro-batch: 8 values, 7 bytes of data, and a gradient beside them. All of it has
    // room: 8 micro-batches of 18 s one after the other.
    let on_one = from_one_device(1000);
    assert!(on_one.relaxed.is_empty() && on_one.plan.balance.idle_devices == 3);
    assert_eq!(step(&on_one), 144.0);
    // Its weights alone are above this cap. That is no reason to raise it: all devices keep it, 40 bytes of weights and sums each, and wait for links.
    let on_all = from_one_device(150);
    assert!(on_all.relaxed.is_empty(), "{:?}", on_all.relaxed);
    assert_eq!(on_all.plan.balance.idle_devices, 0);
    // The first micro-batch goes over three links and back.
    assert!(step(&on_all) > 600.0, "{}", step(&on_all));
}
