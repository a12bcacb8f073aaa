//! On small random graphs whose copies run beside computation no schedule is faster than the planner's.
//!
//! The other side tries every sequence of runs, frees and copies, first runs in program order, on a clock of whole
//! numbers of its own; what cannot end before the planner's answer is given up.

use std::collections::HashMap;

use ballast_core::memory::{Node, Problem, SwapModel};
use ballast_core::report::BoundClass;
use ballast_remat::{Options, Order, plan};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A moment of a schedule; times count from the issuer's clock on, 0 for what is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Moment {
    elapsed: u64,
    /// Ops that ran for the first time.
    ran: usize,
    device: u32,
    host: u32,
    used: u64,
    /// Until a value on the device may be read, until its copy to the host has ended.
    ready: Vec<u64>,
    leaving: Vec<u64>,
    out_busy: u64,
    in_busy: u64,
    /// Bytes that come free later, ascending.
    coming: Vec<(u64, u64)>,
    /// Values below this may not be freed before the next claim: it is what frees are for, and their order is one.
    freed: u32,
}

impl Moment {
    fn pass(&mut self, time: u64) {
        self.elapsed += time;
        for wait in self.ready.iter_mut().chain(&mut self.leaving) {
            *wait = wait.saturating_sub(time);
        }
        self.out_busy = self.out_busy.saturating_sub(time);
        self.in_busy = self.in_busy.saturating_sub(time);
        for (wait, _) in &mut self.coming {
            *wait = wait.saturating_sub(time);
        }
        self.used -= self.coming.iter().filter(|(wait, _)| *wait == 0).map(|(_, bytes)| bytes).sum::<u64>();
        self.coming.retain(|(wait, _)| *wait > 0);
    }

    /// Is everything there at least as early, with at least as much memory at any time?
    fn is_no_worse(&self, other: &Self) -> bool {
        let late = |a: u64, b: u64| self.elapsed + a > (other.elapsed + b).max(self.elapsed);
        let waits = |m: &Self| m.ready.iter().chain(&m.leaving).copied().collect::<Vec<_>>();
        let used_at = |m: &Self, time: u64| {
            m.used - m.coming.iter().filter(|(wait, _)| m.elapsed + wait <= time).map(|c| c.1).sum::<u64>()
        };
        let mut drops = other.coming.iter().map(|(wait, _)| other.elapsed + wait);
        self.elapsed <= other.elapsed
            && waits(self).into_iter().zip(waits(other)).all(|(a, b)| !late(a, b))
            && !late(self.out_busy, other.out_busy)
            && !late(self.in_busy, other.in_busy)
            && used_at(self, other.elapsed) <= other.used
            && drops.all(|time| used_at(self, time) <= used_at(other, time))
    }

    /// Waits until so many bytes fit; false if they never do.
    fn claim(&mut self, bytes: u64, cap: u64) -> bool {
        while self.used + bytes > cap {
            let Some(&(wait, _)) = self.coming.first() else { return false };
            self.pass(wait);
        }
        self.used += bytes;
        true
    }
}

struct Exhaustive<'a> {
    problem: &'a Problem,
    cap: u64,
    /// Units of time per byte, to the host and back, and per copy.
    slow: (u64, u64),
    latency: u64,
    times: Vec<u64>,
    /// Time of the first runs from each on.
    rest: Vec<u64>,
}

impl Exhaustive<'_> {
    /// The least time of any schedule, if it is at most `limit`: moments in order of the earliest end they allow.
    fn least(&self, limit: u64) -> Option<u64> {
        let n = self.times.len();
        let mut seen: HashMap<(usize, u32, u32, u32), Vec<Moment>> = HashMap::new();
        let mut open = vec![Vec::new(); limit as usize + 1];
        let start = Moment { ready: vec![0; n], leaving: vec![0; n], ..Moment::default() };
        open.get_mut(self.rest[0] as usize)?.push(start);
        for least in 0..open.len() {
            while let Some(moment) = open[least].pop() {
                let kept = (0..n).all(|v| !self.problem.nodes[v].keep || moment.device >> v & 1 == 1);
                if moment.ran == n && kept {
                    return Some(least as u64);
                }
                for next in self.after(&moment) {
                    let end = next.elapsed + self.rest[next.ran].max(next.out_busy).max(next.in_busy);
                    let known = seen.entry((next.ran, next.device, next.host, next.freed)).or_default();
                    if end <= limit && !known.iter().any(|other| other.is_no_worse(&next)) {
                        known.retain(|other| !next.is_no_worse(other));
                        known.push(next.clone());
                        open[end as usize].push(next);
                    }
                }
            }
        }
        None
    }

    fn after(&self, moment: &Moment) -> Vec<Moment> {
        let nodes = &self.problem.nodes;
        let mut all = Vec::new();
        for (v, node) in nodes.iter().enumerate().take(moment.ran + 1) {
            let (here, there) = (moment.device >> v & 1 == 1, moment.host >> v & 1 == 1);
            if here && moment.freed <= v as u32 {
                let mut next = moment.clone();
                next.freed = v as u32 + 1;
                next.device &= !(1 << v);
                let wait = moment.ready[v].max(moment.leaving[v]);
                if wait == 0 {
                    next.used -= node.bytes;
                } else {
                    next.coming.push((wait, node.bytes));
                    next.coming.sort_unstable();
                }
                next.ready[v] = 0;
                all.push(next);
            }
            if here {
                if !there && moment.freed == 0 {
                    let mut next = moment.clone();
                    next.out_busy =
                        next.out_busy.max(next.ready[v]) + self.slow.0 * node.bytes + self.latency;
                    next.leaving[v] = next.out_busy;
                    next.host |= 1 << v;
                    all.push(next);
                }
                continue;
            }
            let mut next = moment.clone();
            next.freed = 0;
            if there && next.claim(node.bytes, self.cap) {
                next.in_busy = next.in_busy.max(next.leaving[v]) + self.slow.1 * node.bytes + self.latency;
                next.ready[v] = next.in_busy;
                next.device |= 1 << v;
                all.push(next);
            }
            let mut next = moment.clone();
            next.freed = 0;
            if node.inputs.iter().all(|&u| moment.device >> u & 1 == 1) {
                next.pass(node.inputs.iter().map(|&u| moment.ready[u]).max().unwrap_or(0));
                if next.claim(node.bytes, self.cap) {
                    next.device |= 1 << v;
                    next.pass(self.times[v]);
                    next.ran += usize::from(v == moment.ran);
                    all.push(next);
                }
            }
        }
        all
    }
}

fn random_problem(rng: &mut ChaCha8Rng) -> Problem {
    let n = rng.random_range(3..=7);
    let density = rng.random_range(0.25..0.6);
    let nodes = (0..n)
        .map(|id| {
            let inputs = (0..id).filter(|_| rng.random_bool(density)).collect();
            let time = f64::from(rng.random_range(1..9));
            Node::new(format!("n{id}"), time, rng.random_range(1..4), inputs)
        })
        .collect();
    Problem { name: "random".into(), nodes, resident_bytes: 0 }
}

#[test]
fn no_schedule_is_faster_than_the_joint_plan_under_overlap() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut planned, mut costly, mut swapped) = (0, 0, 0);
    for graph in 0..100 {
        let problem = random_problem(&mut rng);
        let slow = (rng.random_range(1..3), rng.random_range(1..3));
        let latency = u64::from(rng.random_bool(0.3));
        let swap = SwapModel {
            out_bandwidth: 1.0 / slow.0 as f64,
            in_bandwidth: 1.0 / slow.1 as f64,
            latency: latency as f64,
            overlap: true,
            host_capacity_bytes: None,
        };
        let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
        for cap in [(least + peak).div_ceil(2), least] {
            let options = Options {
                cap_bytes: cap,
                swap: Some(swap),
                order: Order::Program,
                rounds: true,
                ..Options::default()
            };
            let times: Vec<u64> = problem.nodes.iter().map(|node| node.time as u64).collect();
            let rest = (0..=times.len()).map(|from| times[from..].iter().sum()).collect();
            let hand = Exhaustive { problem: &problem, cap, slow, latency, times, rest };
            match plan(&problem, &options) {
                Ok(outcome) => {
                    let value = outcome.report.value.round() as u64;
                    assert!((outcome.report.value - value as f64).abs() < 1e-6, "times are whole numbers");
                    assert!(outcome.report.proved(), "{:?}", outcome.report);
                    let fits = problem.unplanned_peak() <= cap;
                    let class = if fits { BoundClass::Any } else { BoundClass::ProgramOrder };
                    assert_eq!(outcome.report.bound().class(), class);
                    planned += 1;
                    costly += usize::from(value > hand.rest[0]);
                    swapped += usize::from(outcome.replay.swap_bytes > 0);
                    assert_eq!(
                        hand.least(value),
                        Some(value),
                        "graph {graph}, cap {cap}: {problem:?} {swap:?}"
                    );
                }
                Err(failure) => panic!("graph {graph}, cap {cap}: {failure}"),
            }
        }
    }
    assert!(planned == 200 && costly > 25 && swapped > 12, "{planned} {costly} {swapped}");
}
