//! A second simulator of schedules, which advances a clock tick by tick. It knows no rules but those of memory and of what waits for what.

use std::collections::VecDeque;

use ballast_core::memory::{NodeId, Problem, Step};

/// Advances one tick at a time; times and sizes are whole numbers and one byte takes `ticks_per_byte`.
pub(crate) struct Clock<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) cap: u64,
    pub(crate) host_cap: u64,
    pub(crate) latency: u64,
    pub(crate) ticks_per_byte: u64,
}

#[derive(Clone, Default)]
struct Value {
    device: bool,
    /// Copies to the host: issued, done. A copy back waits for those issued before it, and the other way round.
    outs: (usize, usize),
    ins: (usize, usize),
    /// Copies back that have to be done before the value can be read.
    ready_after: usize,
}

/// Memory freed but held until these copies are done.
struct Leaving {
    value: NodeId,
    outs: usize,
    ins: usize,
    host: bool,
}

/// A copy in an engine's queue.
struct Copy {
    value: NodeId,
    ticks: u64,
    /// Copies of the value in the other direction that have to be done first.
    after: usize,
}

impl Clock<'_> {
    /// End time, largest device and host use; none if the schedule gets stuck.
    #[expect(
        clippy::too_many_lines,
        reason = "one loop over one state, told apart from the judge it is held against"
    )]
    pub(crate) fn run(&self, steps: &[Step]) -> Option<(u64, u64, u64)> {
        let size = |v: NodeId| self.problem.nodes[v].bytes;
        let mut values = vec![Value::default(); self.problem.nodes.len()];
        let (mut device, mut host) = (self.problem.resident_bytes, 0);
        let (mut device_peak, mut host_peak) = (device, 0);
        let mut computing: Option<(NodeId, u64)> = None;
        let mut out: VecDeque<Copy> = VecDeque::new();
        let mut back: VecDeque<Copy> = VecDeque::new();
        let mut leaving: Vec<Leaving> = Vec::new();
        let mut next = 0;
        let mut now = 0;
        loop {
            // Everything that can happen without time passing.
            loop {
                let mut moved = false;
                if let Some((v, 0)) = computing {
                    device -= self.problem.nodes[v].workspace_bytes;
                    computing = None;
                    moved = true;
                }
                if let Some(copy) = out.pop_front_if(|copy| copy.ticks == 0) {
                    values[copy.value].outs.1 += 1;
                    moved = true;
                }
                if let Some(copy) = back.pop_front_if(|copy| copy.ticks == 0) {
                    values[copy.value].ins.1 += 1;
                    moved = true;
                }
                leaving.retain(|copy: &Leaving| {
                    let waits = values[copy.value].outs.1 < copy.outs || values[copy.value].ins.1 < copy.ins;
                    if !waits {
                        *(if copy.host { &mut host } else { &mut device }) -= size(copy.value);
                        moved = true;
                    }
                    waits
                });
                if computing.is_none() && next < steps.len() {
                    let went = match steps[next] {
                        Step::Compute(v) => {
                            let node = &self.problem.nodes[v];
                            let there = node
                                .inputs
                                .iter()
                                .all(|&u| values[u].device && values[u].ins.1 >= values[u].ready_after);
                            let bytes = node.bytes + node.workspace_bytes;
                            let fits = device + bytes <= self.cap;
                            if there && fits {
                                device += bytes;
                                values[v].device = true;
                                values[v].ready_after = 0;
                                computing = Some((v, node.time as u64));
                            }
                            there && fits
                        }
                        Step::SwapIn(v) => {
                            let fits = device + size(v) <= self.cap;
                            if fits {
                                device += size(v);
                                values[v].device = true;
                                values[v].ins.0 += 1;
                                values[v].ready_after = values[v].ins.0;
                                let ticks = self.latency + size(v) * self.ticks_per_byte;
                                back.push_back(Copy { value: v, ticks, after: values[v].outs.0 });
                            }
                            fits
                        }
                        Step::SwapOut(v) => {
                            let fits = host + size(v) <= self.host_cap;
                            if fits {
                                host += size(v);
                                values[v].outs.0 += 1;
                                let ticks = self.latency + size(v) * self.ticks_per_byte;
                                out.push_back(Copy { value: v, ticks, after: values[v].ready_after });
                            }
                            fits
                        }
                        Step::Free(v) => {
                            values[v].device = false;
                            let (outs, ins) = (values[v].outs.0, values[v].ready_after);
                            leaving.push(Leaving { value: v, outs, ins, host: false });
                            true
                        }
                        Step::HostFree(v) => {
                            let (outs, ins) = (values[v].outs.0, values[v].ins.0);
                            leaving.push(Leaving { value: v, outs, ins, host: true });
                            true
                        }
                    };
                    next += usize::from(went);
                    moved |= went;
                    device_peak = device_peak.max(device);
                    host_peak = host_peak.max(host);
                }
                if !moved {
                    break;
                }
            }
            let idle = computing.is_none() && out.is_empty() && back.is_empty();
            if idle {
                return (next == steps.len()).then_some((now, device_peak, host_peak));
            }
            now += 1;
            if let Some((_, left)) = &mut computing {
                *left -= 1;
            }
            if let Some(copy) = out.front_mut()
                && values[copy.value].ins.1 >= copy.after
            {
                copy.ticks -= 1;
            }
            if let Some(copy) = back.front_mut()
                && values[copy.value].outs.1 >= copy.after
            {
                copy.ticks -= 1;
            }
        }
    }
}
