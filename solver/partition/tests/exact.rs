//! `method=exact` against brute force over every assignment whose stages form a pipeline.

mod support;

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::Graph;
use ballast_core::limits::Limits;
use ballast_core::program::Program;
use ballast_core::report::BoundClass;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::sequence::Granularity;
use ballast_partition::{Method, Options, plan};
use support::{cluster, costs, random_graph};

const LINK: Link = Link { bytes_per_second: 16.0, latency_seconds: 0.25 };

fn options() -> Options {
    let limits = Limits { time_limit_seconds: None, ..Limits::default() };
    Options { limits, method: Method::EXACT, ..Options::default() }
}

fn slowest(graph: &Graph, costs: &Costs, cluster: &Cluster, device_of: &[DeviceId]) -> f64 {
    stages(graph, costs, cluster, device_of).iter().map(Stage::load_seconds).fold(0.0, f64::max)
}

/// Can the devices be put in a row so that every value goes from a device to itself or a later one?
fn is_pipeline(graph: &Graph, devices: usize, device_of: &[DeviceId]) -> bool {
    let mut arcs = vec![vec![false; devices]; devices];
    for op in graph.planned() {
        for producer in graph.value_inputs(op) {
            arcs[device_of[producer]][device_of[op]] |= device_of[producer] != device_of[op];
        }
    }
    let mut left: Vec<DeviceId> = DeviceId::first(devices).collect();
    while let Some(at) = left.iter().position(|&d| left.iter().all(|&from| !arcs[from][d])) {
        left.remove(at);
    }
    left.is_empty()
}

fn assignments(ops: usize, devices: usize) -> impl Iterator<Item = Vec<DeviceId>> {
    (0..devices.pow(ops as u32)).map(move |mut code| {
        let mut next = || {
            let device = code % devices;
            code /= devices;
            DeviceId(device)
        };
        (0..ops).map(|_| next()).collect()
    })
}

#[test]
fn the_bound_is_the_best_pipeline_and_the_plan_is_no_worse() {
    let mut better_than_the_sequence = 0;
    for seed in 0..60 {
        let (graph, seconds) = random_graph(seed, 7);
        let k = 2 + (seed as usize % 2);
        let rows: Vec<Vec<f64>> = (0..k)
            .map(|d| {
                let speed = if seed % 3 == 0 { 1.0 + d as f64 } else { 1.0 };
                seconds.iter().map(|s| s / speed).collect()
            })
            .collect();
        let (costs, cluster) = (costs(&rows), cluster(k, 1 << 30, LINK));
        let brute = assignments(7, k)
            .filter(|of| is_pipeline(&graph, k, of))
            .map(|of| slowest(&graph, &costs, &cluster, &of))
            .fold(f64::INFINITY, f64::min);
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        let proposed = outcome.proposed.expect("exact ran");
        assert!((proposed.tmax_seconds - brute).abs() < 1e-9, "seed {seed}: {proposed:?} for {brute}");
        let value = slowest(&graph, &costs, &cluster, &outcome.device_of);
        assert!((value - outcome.report.value).abs() < 1e-9, "seed {seed}");
        assert!(value <= brute + 1e-9, "seed {seed}: {value} for {brute}");
        if outcome.report.bound().class() == BoundClass::ContiguousDag {
            assert!(
                (outcome.report.bound().value() - brute).abs() < 1e-6 * brute,
                "seed {seed}: {:?}",
                outcome.report
            );
        }
        let dp = plan(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            &Options { method: Method::DP, ..options() },
        )
        .expect("a plan");
        better_than_the_sequence += usize::from(value < dp.report.value - 1e-9);
    }
    assert!(better_than_the_sequence > 3, "only {better_than_the_sequence} plans are better than the cut");
}

#[test]
fn layers_with_several_outputs_are_charged_as_the_judge_charges_them() {
    for seed in 100..160 {
        let (graph, seconds) = random_graph(seed, 30);
        let (costs, cluster) = (costs(&vec![seconds; 3]), cluster(3, 1 << 30, LINK));
        let options = Options { granularity: Granularity::Layer, ..options() };
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options).expect("a plan");
        let proposed = outcome.proposed.expect("exact ran");
        let bound = outcome.report.bound().value();
        assert!(bound <= outcome.report.value, "seed {seed}");
        if outcome.report.bound().class() == BoundClass::ContiguousDag && outcome.report.proved() {
            assert!(proposed.tmax_seconds <= bound * (1.0 + 1e-6), "seed {seed}: {proposed:?}, {bound}");
        }
    }
}

#[test]
fn device_rules_are_kept() {
    for seed in 200..230 {
        let (mut graph, seconds) = random_graph(seed, 12);
        graph.ops[3].rules.device = Some(DeviceId(1));
        graph.ops[8].rules.device = Some(DeviceId(0));
        let (costs, cluster) = (costs(&vec![seconds; 2]), cluster(2, 1 << 30, LINK));
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        assert_eq!((outcome.device_of[3], outcome.device_of[8]), (DeviceId(1), DeviceId(0)), "seed {seed}");
    }
}

#[test]
fn caps_raise_the_bound_and_leave_no_plan_under_them_out() {
    let (mut raised, mut met) = (0, 0);
    for seed in 300..360 {
        let (mut graph, seconds) = random_graph(seed, 7);
        for tensor in graph.tensors.iter_mut().filter(|tensor| tensor.producer.is_none()) {
            tensor.bytes = Bytes(400);
        }
        let (costs, cluster) = (costs(&vec![seconds; 2]), cluster(2, 1000, LINK));
        let under_caps = |of: &[DeviceId]| {
            stages(&graph, &costs, &cluster, of).iter().all(|stage| stage.problem.working_set().0 <= 1000)
        };
        let least = |capped: bool| {
            assignments(7, 2)
                .filter(|of| is_pipeline(&graph, 2, of) && (!capped || under_caps(of)))
                .map(|of| slowest(&graph, &costs, &cluster, &of))
                .fold(f64::INFINITY, f64::min)
        };
        let (any, capped) = (least(false), least(true));
        let outcome =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options()).expect("a plan");
        if outcome.report.bound().class() == BoundClass::ContiguousDagWithinCaps && capped.is_finite() {
            assert!(
                outcome.report.bound().value() <= capped + 1e-6,
                "seed {seed}: {:?} for {capped}",
                outcome.report
            );
            raised += usize::from(outcome.report.bound().value() > any + 1e-6);
        }
        if capped.is_finite() && under_caps(&outcome.device_of) {
            met += usize::from((outcome.report.value - capped).abs() < 1e-6);
        }
    }
    assert!(raised >= 5 && met >= 20, "{raised} bounds raised by the caps, {met} plans the best under them");
}
