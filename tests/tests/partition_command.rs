//! `ballast partition`: exit codes, the JSON on standard output, and assignments scored by this test's own rules.

use std::collections::BTreeSet;
use std::path::Path;

use ballast_tests::{Run, ballast, scratch};
use serde_json::{Value, json};

const ACCELERATORS: usize = 2;
const CORES: usize = 1;

struct Node {
    accelerator: f64,
    core: f64,
    size: u64,
    supported: bool,
    color: Option<usize>,
    backward: bool,
}

struct Workload {
    nodes: Vec<Node>,
    /// Source, destination, cost of the source's output.
    edges: Vec<(usize, usize, f64)>,
    cap: u64,
}

impl Workload {
    /// Seven forward nodes with skips, and a gradient of each that must share its device.
    fn training() -> Self {
        let times = [3.0, 5.0, 2.0, 7.0, 4.0, 1.0, 6.0];
        let count = times.len();
        let node = |index: usize, backward: bool| Node {
            accelerator: if backward { 2.0 * times[index] } else { times[index] },
            core: 10.0 * times[index],
            size: 10,
            supported: index != 5,
            color: Some(index),
            backward,
        };
        let nodes =
            (0..count).map(|i| node(i, false)).chain((0..count).rev().map(|i| node(i, true))).collect();
        let cost = |source: usize| [0.5, 0.25, 1.5, 0.75][source % 4];
        let mut edges: Vec<(usize, usize, f64)> = Vec::new();
        for (from, to) in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (2, 5), (4, 6), (5, 6)] {
            edges.push((from, to, cost(from)));
            let (gradient_to, gradient_from) = (2 * count - 1 - to, 2 * count - 1 - from);
            edges.push((gradient_to, gradient_from, cost(gradient_to)));
            edges.push((from, gradient_to, cost(from)));
        }
        Workload { nodes, edges, cap: 90 }
    }

    fn json(&self) -> Value {
        let nodes = self.nodes.iter().enumerate().map(|(id, node)| {
            json!({ "id": id, "fpgaLatency": node.accelerator, "cpuLatency": node.core, "size": node.size,
                    "supportedOnFpga": node.supported, "isBackwardNode": node.backward, "colorClass": node.color })
        });
        let edges = self.edges.iter().map(
            |(source, destination, cost)| json!({ "sourceId": source, "destId": destination, "cost": cost }),
        );
        json!({ "maxFPGAs": ACCELERATORS, "maxCPUs": CORES, "maxSizePerFPGA": self.cap,
                "nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>() })
    }

    /// Largest load of an assignment, by the rules of the format; none where it breaks one.
    fn load(&self, device: &[usize], contiguous: bool) -> Option<f64> {
        let mut load = [0.0; ACCELERATORS + CORES];
        let mut size = [0; ACCELERATORS];
        for (node, &device) in self.nodes.iter().zip(device) {
            if device < ACCELERATORS {
                load[device] += node.accelerator;
                size[device] += node.size;
            } else {
                load[device] += node.core;
            }
            if device < ACCELERATORS && !node.supported {
                return None;
            }
        }
        for (left, &on) in self.nodes.iter().zip(device) {
            let apart = |(right, &other): (&Node, &usize)| left.color == right.color && on != other;
            if left.color.is_some() && self.nodes.iter().zip(device).any(apart) {
                return None;
            }
        }
        let mut paid = BTreeSet::new();
        for &(source, destination, cost) in &self.edges {
            for end in [device[source], device[destination]] {
                let crosses = device[source] != device[destination];
                if crosses && end < ACCELERATORS && paid.insert((source, end)) {
                    load[end] += cost;
                }
            }
        }
        let fits = size.iter().all(|&size| size <= self.cap);
        let in_order = !contiguous || self.is_pipeline(device);
        (fits && in_order).then(|| load.into_iter().fold(0.0, f64::max))
    }

    /// Do the forward nodes form a pipeline over the devices: no cycle among devices?
    fn is_pipeline(&self, device: &[usize]) -> bool {
        let mut reaches = [[false; ACCELERATORS + CORES]; ACCELERATORS + CORES];
        for &(source, destination, _) in &self.edges {
            let forward = !self.nodes[source].backward && !self.nodes[destination].backward;
            if forward && device[source] != device[destination] {
                reaches[device[source]][device[destination]] = true;
            }
        }
        for middle in 0..reaches.len() {
            for from in 0..reaches.len() {
                for to in 0..reaches.len() {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        (0..reaches.len()).all(|device| !reaches[device][device])
    }

    /// The least load over all assignments that keep gradients with their forward nodes.
    fn optimum(&self, contiguous: bool) -> f64 {
        let forward = self.nodes.len() / 2;
        let devices = ACCELERATORS + CORES;
        (0..devices.pow(u32::try_from(forward).unwrap()))
            .filter_map(|code| {
                let on = |index: usize| code / devices.pow(u32::try_from(index).unwrap()) % devices;
                let device: Vec<usize> = self.nodes.iter().map(|node| on(node.color.unwrap())).collect();
                self.load(&device, contiguous)
            })
            .fold(f64::INFINITY, f64::min)
    }
}

fn partition(folder: &Path, workload: &Value, arguments: &[&str]) -> (Run, Option<Value>) {
    let (input, output) = (folder.join("workload.json"), folder.join("assignment.json"));
    std::fs::write(&input, workload.to_string()).unwrap();
    let mut all = vec!["partition", input.to_str().unwrap(), "-o", output.to_str().unwrap()];
    all.extend_from_slice(arguments);
    let run = ballast(all);
    let written = std::fs::read_to_string(output).ok().map(|text| serde_json::from_str(&text).unwrap());
    (run, written)
}

#[test]
fn the_optimum_of_a_small_training_graph_is_found_and_scored() {
    let folder = scratch();
    let workload = Workload::training();
    for (flag, contiguous) in [("--contiguous", true), ("--any", false)] {
        let arguments = [flag, "--time-limit", "5", "--seed", "1", "--threads", "1"];
        let (run, assignment) = partition(folder.path(), &workload.json(), &arguments);
        let summary = run.succeeded().json();
        let assignment = assignment.expect("an assignment file");
        let device: Vec<usize> = (0..workload.nodes.len())
            .map(|id| usize::try_from(assignment["assignment"][id.to_string()].as_u64().unwrap()).unwrap())
            .collect();
        let load =
            workload.load(&device, contiguous).unwrap_or_else(|| panic!("breaks a rule: {assignment}"));
        let optimum = workload.optimum(contiguous);
        let (value, bound) = (summary["value"].as_f64().unwrap(), summary["bound"].as_f64().unwrap());
        assert!((value - load).abs() < 1e-9, "{summary} but the assignment's load is {load}");
        assert!((value - optimum).abs() < 1e-9, "{flag}: {value}, optimum {optimum}");
        assert!(bound <= optimum + 1e-9, "{flag}: bound {bound} above the optimum {optimum}");
        assert!((summary["gap"].as_f64().unwrap() - (value - bound) / value).abs() < 1e-6, "{summary}");
        for key in ["proved", "stop_reason", "seconds", "seed"] {
            assert!(!summary[key].is_null(), "{key} is missing: {summary}");
        }
    }
}

#[test]
fn the_genetic_search_keeps_the_rules_and_its_bytes_whatever_the_threads() {
    let folder = scratch();
    let workload = Workload::training();
    for (flag, contiguous) in [("--contiguous", true), ("--any", false)] {
        let genetic = |seed: &str, threads: &str| {
            let arguments =
                [flag, "--method", "genetic", "--generations", "60", "--seed", seed, "--threads", threads];
            let more = ["--population", "40", "--elite", "2", "--work-limit", "100000"];
            let (run, assignment) =
                partition(folder.path(), &workload.json(), &[&arguments[..], &more[..]].concat());
            let assignment = assignment.expect("an assignment file");
            let device: Vec<usize> = (0..workload.nodes.len())
                .map(|id| {
                    usize::try_from(assignment["assignment"][id.to_string()].as_u64().unwrap()).unwrap()
                })
                .collect();
            let load =
                workload.load(&device, contiguous).unwrap_or_else(|| panic!("breaks a rule: {assignment}"));
            let summary = run.succeeded().json();
            let value = summary["value"].as_f64().unwrap();
            assert!((load - value).abs() < 1e-9 && summary["bound"].as_f64().unwrap() <= value, "{summary}");
            (value, device)
        };
        let optimum = workload.optimum(contiguous);
        for seed in ["1", "2", "3"] {
            let one = genetic(seed, "1");
            assert_eq!(one, genetic(seed, "3"));
            assert!(one.0 >= optimum - 1e-9 && one.0 <= 1.1 * optimum, "{} for {optimum}", one.0);
        }
    }
    let (run, written) = partition(
        scratch().path(),
        &workload.json(),
        &["--method", "genetic", "--population", "1", "--time-limit", "1"],
    );
    assert_eq!((run.code, written), (Some(2), None), "{run:#?}");
    assert!(run.stderr.contains("give a whole number from 2 to 65536"), "{run:#?}");
}

#[test]
fn no_assignment_under_the_memory_cap_is_exit_code_1() {
    let folder = scratch();
    let mut workload = Workload::training().json();
    // 14 nodes of 10 bytes on two accelerators.
    workload["maxSizePerFPGA"] = json!(60);
    workload["maxCPUs"] = json!(0);
    workload["nodes"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|node| node["supportedOnFpga"] = json!(true));
    let (run, written) = partition(folder.path(), &workload, &["--time-limit", "2"]);
    assert_eq!((run.code, written), (Some(1), None), "{run:#?}");
    assert_eq!(run.stdout, "");
}

#[test]
fn what_no_accelerator_can_hold_runs_on_a_core() {
    let folder = scratch();
    let mut workload = Workload::training();
    workload.cap = 5;
    let (run, written) = partition(folder.path(), &workload.json(), &["--contiguous", "--time-limit", "2"]);
    let summary = run.succeeded().json();
    let all_on_the_core: f64 = workload.nodes.iter().map(|node| node.core).sum();
    assert!((summary["value"].as_f64().unwrap() - all_on_the_core).abs() < 1e-9, "{summary}");
    let devices = written.unwrap()["assignment"].as_object().unwrap().clone();
    assert!(devices.values().all(|device| *device == json!(ACCELERATORS)), "{devices:?}");
}

#[test]
fn bad_workloads_are_refused_by_name_and_nothing_is_written() {
    let folder = scratch();
    let good = Workload::training().json();
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut workload = good.clone();
        change(&mut workload);
        workload
    };
    let bad = [
        broken(&|workload| workload["nodes"] = json!([])),
        broken(&|workload| workload["edges"][0]["destId"] = json!(99)),
        broken(&|workload| workload["edges"][0] = json!({ "sourceId": 6, "destId": 0, "cost": 1 })),
        broken(&|workload| workload["nodes"][1]["id"] = json!(0)),
        broken(&|workload| workload["nodes"][1]["fpgaLatency"] = json!(-1)),
        broken(&|workload| workload["edges"][0]["cost"] = json!(-1)),
        broken(&|workload| workload["maxFPGAs"] = json!(-1)),
        broken(&|workload| {
            workload["maxFPGAs"] = json!(0);
            workload["maxCPUs"] = json!(0);
        }),
        json!([1, 2]),
    ];
    for workload in &bad {
        let (run, written) = partition(folder.path(), workload, &["--time-limit", "1"]);
        assert_eq!((run.code, written), (Some(2), None), "{workload}: {run:#?}");
        assert!(run.stdout.is_empty() && run.stderr.contains("workload.json"), "{workload}: {run:#?}");
    }
    for arguments in [
        &["--contiguous", "--any"][..],
        &["--time-limit", "soon"],
        &["--time-limit", "-1"],
        &["--threads", "0"],
    ] {
        let (run, written) = partition(folder.path(), &good, arguments);
        assert_eq!((run.code, written), (Some(2), None), "{arguments:?}: {run:#?}");
    }
}
