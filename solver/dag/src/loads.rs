//! Loads of a placement, kept up while groups move.

use crate::hypergraph::{GroupId, Hypergraph};

/// A placement of all groups with the load and the bytes of every device.
#[derive(Clone)]
pub struct Loads<'a> {
    graph: &'a Hypergraph,
    kind_of: Vec<usize>,
    place: Vec<u32>,
    /// `ends[net * devices + device]`: ends of a net on a device.
    ends: Vec<u32>,
    /// Devices a net has ends on.
    spread: Vec<u32>,
    load: Vec<f64>,
    bytes: Vec<f64>,
}

impl<'a> Loads<'a> {
    /// Counts up a placement. Every group must be on a device that can run it.
    #[must_use]
    pub fn new(graph: &'a Hypergraph, placement: &[usize]) -> Self {
        let kind_of: Vec<usize> =
            graph.kinds.iter().enumerate().flat_map(|(k, kind)| std::iter::repeat_n(k, kind.count)).collect();
        let devices = kind_of.len();
        let mut state = Loads {
            graph,
            place: placement.iter().map(|&d| d as u32).collect(),
            ends: vec![0; graph.net_cost.len() * devices],
            spread: vec![0; graph.net_cost.len()],
            load: vec![0.0; devices],
            bytes: vec![0.0; devices],
            kind_of,
        };
        for net in 0..graph.net_cost.len() {
            for &group in graph.pins.of(net) {
                state.ends[net * devices + placement[group as usize]] += 1;
            }
        }
        state.recount();
        state
    }

    /// Sums loads and bytes anew, which clears the rounding that moves leave behind.
    pub fn recount(&mut self) {
        let devices = self.devices();
        self.load.fill(0.0);
        self.bytes.fill(0.0);
        for (group, &device) in self.place.iter().enumerate() {
            let device = device as usize;
            self.load[device] += self.graph.time(group, self.kind_of[device]);
            self.bytes[device] += self.graph.size_bytes[group];
        }
        for (net, &cost) in self.graph.net_cost.iter().enumerate() {
            let ends = &self.ends[net * devices..(net + 1) * devices];
            let spread = ends.iter().filter(|&&count| count > 0).count();
            self.spread[net] = spread as u32;
            if spread > 1 {
                for (device, _) in ends.iter().enumerate().filter(|&(_, &count)| count > 0) {
                    self.load[device] += self.factor(device) * cost;
                }
            }
        }
    }

    fn factor(&self, device: usize) -> f64 {
        self.graph.kinds[self.kind_of[device]].transfer_factor
    }

    /// The graph this is about.
    #[must_use]
    pub fn graph(&self) -> &'a Hypergraph {
        self.graph
    }

    /// Number of devices.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.kind_of.len()
    }

    /// The kind of a device.
    #[must_use]
    pub(crate) fn kind_of(&self, device: usize) -> usize {
        self.kind_of[device]
    }

    /// The device of a group.
    #[must_use]
    pub fn device_of(&self, group: GroupId) -> usize {
        self.place[group] as usize
    }

    /// Load of every device.
    #[must_use]
    pub fn load(&self) -> &[f64] {
        &self.load
    }

    /// Bytes on every device.
    #[must_use]
    pub fn bytes(&self) -> &[f64] {
        &self.bytes
    }

    /// Has a net an end on a device?
    #[must_use]
    pub fn touches(&self, net: usize, device: usize) -> bool {
        self.ends[net * self.devices() + device] > 0
    }

    /// The largest load.
    #[must_use]
    pub fn max_load(&self) -> f64 {
        self.load.iter().copied().fold(0.0, f64::max)
    }

    /// Bytes over the cap of a device if it held so many.
    #[must_use]
    pub fn excess_bytes(&self, device: usize, bytes: f64) -> f64 {
        (bytes - self.graph.kinds[self.kind_of[device]].memory_bytes).max(0.0)
    }

    /// Does every device keep its cap?
    #[must_use]
    pub fn fits(&self) -> bool {
        (0..self.devices()).all(|d| self.excess_bytes(d, self.bytes[d]) == 0.0)
    }

    /// Can a device run a group?
    #[must_use]
    pub fn runs(&self, group: GroupId, device: usize) -> bool {
        self.graph.time(group, self.kind_of[device]).is_finite()
    }

    /// What moving a group would add to the load of its device and of `to`; no other device changes.
    #[must_use]
    pub fn change(&self, group: GroupId, to: usize) -> (f64, f64) {
        let from = self.device_of(group);
        let devices = self.devices();
        let (mut on_from, mut on_to) = (0.0, 0.0);
        for &net in self.graph.nets.of(group) {
            let net = net as usize;
            let cost = self.graph.net_cost[net];
            let leaves = self.ends[net * devices + from] == 1;
            let arrives = self.ends[net * devices + to] == 0;
            match (self.spread[net], leaves, arrives) {
                (1, true, _) => {}
                (1, false, _) => {
                    on_from += cost;
                    on_to += cost;
                }
                (spread, leaves, arrives) => {
                    if leaves {
                        on_from -= cost;
                    }
                    if arrives {
                        on_to += cost;
                    } else if leaves && spread == 2 {
                        on_to -= cost;
                    }
                }
            }
        }
        (
            self.factor(from) * on_from - self.graph.time(group, self.kind_of[from]),
            self.factor(to) * on_to + self.graph.time(group, self.kind_of[to]),
        )
    }

    /// Moves a group to another device that can run it.
    pub fn relocate(&mut self, group: GroupId, to: usize) {
        let from = self.device_of(group);
        if from == to {
            return;
        }
        let (on_from, on_to) = self.change(group, to);
        self.load[from] += on_from;
        self.load[to] += on_to;
        self.bytes[from] -= self.graph.size_bytes[group];
        self.bytes[to] += self.graph.size_bytes[group];
        let devices = self.devices();
        for &net in self.graph.nets.of(group) {
            let net = net as usize;
            let ends = &mut self.ends[net * devices..(net + 1) * devices];
            ends[from] -= 1;
            self.spread[net] -= u32::from(ends[from] == 0);
            self.spread[net] += u32::from(ends[to] == 0);
            ends[to] += 1;
        }
        self.place[group] = to as u32;
    }

    /// The placement.
    #[must_use]
    pub fn placement(&self) -> Vec<usize> {
        self.place.iter().map(|&d| d as usize).collect()
    }
}
