//! A partitioner as somebody new would write it: it proposes, and is taken only where the judge finds it better.
//!
//! This is the example of CONTRIBUTING.md, "Adding a partitioner". One that ships with Ballast stands in a file of its own under
//! `solver/partition/src` and is named in `METHODS`; everything else is as here.

mod support;

use ballast_core::device::{DeviceId, Link};
use ballast_core::limits::Limits;
use ballast_core::program::Program;
use ballast_partition::{Entry, Error, Method, Options, Proposal, Proposer, Task, plan};
use support::{cluster, costs, random_graph};

/// Deals the items out in turn, the slowest first, to whoever has least to do: transfers are not looked at.
struct LongestFirst;

impl Proposer for LongestFirst {
    fn name(&self) -> &'static str {
        "longest-first"
    }

    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error> {
        let items = &task.items.sequence;
        let seconds = |device: DeviceId, item: usize| items.seconds[items.row_of[device]][item];
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|&a, &b| seconds(DeviceId(0), b).total_cmp(&seconds(DeviceId(0), a)));
        let mut load = vec![0.0f64; task.program.devices()];
        let mut device_of = vec![DeviceId(0); items.len()];
        for item in order {
            let by_load = |&a: &DeviceId, &b: &DeviceId| load[a].total_cmp(&load[b]);
            let least = DeviceId::first(load.len()).min_by(by_load).unwrap_or_default();
            device_of[item] = least;
            load[least] += seconds(least, item);
        }
        Ok(Proposal { work: items.len() as u64, ..Proposal::of_items(self.name(), task, &device_of) })
    }
}

static LONGEST_FIRST: Entry = Entry {
    name: "longest-first",
    about: "the slowest items first, each to the device with least to do",
    seeded: false,
    proposer: Some(|_| Box::new(LongestFirst)),
};

fn options() -> Options {
    let limits = Limits { time_limit_seconds: None, ..Limits::default() };
    Options { method: Method::new(&LONGEST_FIRST), limits, ..Options::default() }
}

#[test]
fn it_is_taken_where_it_is_faster_and_reported_either_way() {
    // Links so fast that transfers hardly count: single ops of any place may go anywhere.
    let link = Link { bytes_per_second: 1e9, latency_seconds: 1e-3 };
    let mut taken = 0;
    for seed in 0..20 {
        let (graph, seconds) = random_graph(seed, 30);
        let (costs, cluster) = (costs(&vec![seconds; 3]), cluster(3, 1 << 30, link));
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let cut = plan(&program, &Options { method: Method::DP, ..options() }).expect("a cut");
        let found = plan(&program, &options()).expect("a plan");
        let own = found.proposed.expect("it ran");
        assert_eq!(own.method, "longest-first");
        assert!(found.report.value <= cut.report.value, "never slower than the cut it starts from");
        assert!(found.report.value <= own.tmax_seconds, "nor than its own proposal");
        assert!(found.report.bound().value() <= found.report.value);
        taken += usize::from(found.report.method == "longest-first");
    }
    assert!((5..=20).contains(&taken), "taken {taken} times of 20");
}
