//! The genetic search as a method of the partitioner: against every assignment, with itself on other threads.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::{Graph, Op, OpId, Tensor, Work};
use ballast_core::limits::Limits;
use ballast_core::program::Program;
use ballast_core::stage::{Stage, stages};
use ballast_core::units::Bytes;
use ballast_partition::genetic::{self, Fitness, Genetic};
use ballast_partition::{Error, Method, Options, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// `ops` ops, each reading one or two earlier ones, and their seconds.
fn program(seed: u64, ops: usize) -> (Graph, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut graph = Graph { name: "main".into(), ..Graph::default() };
    for op in 0..ops {
        let mut inputs: Vec<usize> =
            (0..op.min(2)).map(|_| rng.random_range(op.saturating_sub(4)..op)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        graph.tensors.push(Tensor {
            producer: Some(OpId(op)),
            index: 0,
            bytes: Bytes(rng.random_range(1..20)),
            returned: op + 1 == ops,
            type_name: String::new(),
        });
        graph.ops.push(Op {
            opens_layer: true,
            work: Work { flops: 2, macs_exact: 1, ..Work::NONE },
            ..Op::new("test.op", inputs, vec![op])
        });
    }
    let seconds = (0..ops).map(|_| f64::from(rng.random_range(1..20u32))).collect();
    (graph, seconds)
}

/// The options with the genetic search as the method.
fn with(genetic: Genetic, options: Options) -> Options {
    Options { method: Method::GENETIC, genetic, ..options }
}

fn cluster(devices: usize) -> Cluster {
    let mut cluster = Cluster::from_count(devices).expect("devices");
    cluster.default_link = Link { bytes_per_second: 16.0, latency_seconds: 0.25 };
    cluster
}

fn slowest(graph: &Graph, costs: &Costs, cluster: &Cluster, device_of: &[DeviceId]) -> f64 {
    stages(graph, costs, cluster, device_of).iter().map(Stage::load_seconds).fold(0.0, f64::max)
}

fn options(seed: u64, threads: usize) -> Options {
    Options {
        limits: Limits { time_limit_seconds: None, work_limit: None, seed, threads },
        ..Options::default()
    }
}

fn search(generations: u64) -> Genetic {
    Genetic { options: genetic::Options { generations, ..Default::default() }, fitness: Fitness::Loads }
}

#[test]
fn small_programs_get_the_best_of_all_assignments_or_nearly() {
    let mut met = 0;
    for seed in 0..12 {
        let (graph, seconds) = program(seed, 8);
        let k = 2 + seed as usize % 2;
        let (costs, cluster) = (Costs { seconds: vec![seconds; k] }, cluster(k));
        let mut best = f64::INFINITY;
        for mut code in 0..k.pow(8) {
            let mut device_of = vec![DeviceId(0); 8];
            for device in &mut device_of {
                (*device, code) = (DeviceId(code % k), code / k);
            }
            if DeviceId::first(k).all(|device| device_of.contains(&device)) {
                best = best.min(slowest(&graph, &costs, &cluster, &device_of));
            }
        }
        let genetic = search(300);
        let found = plan(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            &with(genetic, options(seed, 1)),
        )
        .expect("a plan");
        let proposed = found.proposed.expect("it ran");
        assert!(proposed.tmax_seconds >= best - 1e-9 && found.report.bound().value() <= found.report.value);
        assert!(proposed.tmax_seconds <= best * 1.02, "seed {seed}: {proposed:?} for {best}");
        met += usize::from(proposed.tmax_seconds <= best + 1e-9);
    }
    // A roulette wheel promises nothing.
    assert!(met >= 10, "the best was met by {met} of 12 seeds");
}

#[test]
fn no_partition_is_slower_than_the_one_it_starts_from() {
    for seed in 20..30 {
        let (graph, seconds) = program(seed, 60);
        let (costs, cluster) = (Costs { seconds: vec![seconds; 4] }, cluster(4));
        let start = plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options(seed, 1))
            .expect("a plan");
        for fitness in [Fitness::Loads, Fitness::Predicted] {
            let genetic = Genetic { fitness, ..search(30) };
            let found = plan(
                &Program { graph: &graph, costs: &costs, cluster: &cluster },
                &with(genetic, options(seed, 1)),
            )
            .expect("a plan");
            assert!(found.report.value <= start.report.value, "seed {seed}, {fitness:?}");
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_threads_but_on_the_seed() {
    let (graph, seconds) = program(3, 60);
    let (costs, cluster) = (Costs { seconds: vec![seconds; 4] }, cluster(4));
    let run = |seed, threads| {
        let found = plan(
            &Program { graph: &graph, costs: &costs, cluster: &cluster },
            &with(search(40), options(seed, threads)),
        );
        let found = found.expect("a plan");
        (found.device_of, found.proposed, found.report.work)
    };
    assert_eq!(run(5, 1), run(5, 2));
    assert_ne!(run(5, 1).1, run(6, 1).1);
}

#[test]
fn parameters_out_of_range_are_refused_and_a_spent_limit_leaves_the_start() {
    let (graph, seconds) = program(1, 20);
    let (costs, cluster) = (Costs { seconds: vec![seconds; 2] }, cluster(2));
    let bad = genetic::Options { crossover: 2.0, ..Default::default() };
    let genetic = Genetic { options: bad, ..Genetic::default() };
    let refused =
        plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &with(genetic, options(0, 1)));
    assert!(matches!(refused, Err(Error::Proposer { method: "genetic", .. })), "{refused:?}");

    let none = Limits { time_limit_seconds: Some(0.0), ..options(0, 1).limits };
    let limited = with(search(10), Options { limits: none, ..Options::default() });
    let found = plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &limited);
    assert!(found.expect("the start stands").proposed.is_some());
}
