//! Seconds of every op on every device: a measured profile where it has the op, else the roofline.
//!
//! Roofline (S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for
//! multicore architectures", CACM 52(4), 2009):
//! `seconds = max(operations / peak(arithmetic), bytes / memory bandwidth) + launch overhead`.
//!
//! A loop that is one op takes as long as the ops of its body, one by one, as often as they run.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::device::{Cluster, Device, DeviceId};
use crate::graph::{Graph, Op, OpId, OpRole, Work};
use crate::predictor::Counting;
use crate::profile::Profile;

/// Seconds by device and op: `seconds[device][op]`; zero for views and constants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// `seconds[device][op]`.
    pub seconds: Vec<Vec<f64>>,
}

/// Costs, and which ops no formula and no measurement priced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Seconds of every op on every device.
    pub costs: Costs,
    /// Names of ops priced by the bytes of their operands and results alone on some device, with how many there
    /// are of each; in program order of the first.
    pub unpriced: IndexMap<String, usize>,
}

/// Roofline seconds of some work on a device.
#[must_use]
pub fn roofline_seconds(work: &Work, device: &Device, counting: Counting) -> f64 {
    let operations = match counting {
        Counting::Fused => work.flops,
        Counting::Exact => work.macs_exact,
    };
    let arithmetic = operations as f64 / device.peak(work.arithmetic);
    let traffic = work.bytes.as_f64() / device.memory_bandwidth;
    arithmetic.max(traffic) + device.launch_overhead_seconds
}

/// Roofline seconds of an op on a device; of one that others run inside of, the sum of theirs.
fn seconds_of(op: &Op, device: &Device, counting: Counting) -> f64 {
    match op.inner.as_slice() {
        [] => roofline_seconds(&op.work, device, counting),
        inner => inner
            .iter()
            .map(|inner| inner.times as f64 * roofline_seconds(&inner.work, device, counting))
            .sum(),
    }
}

impl Costs {
    /// The costs of every stage, where each of the first `devices` devices runs so many stages
    /// ([`Cluster::divided`]).
    #[must_use]
    pub fn divided(&self, devices: usize, chunks: usize) -> Costs {
        let rows = self.seconds.iter().take(devices);
        Costs { seconds: (0..chunks).flat_map(|_| rows.clone().cloned()).collect() }
    }

    /// Seconds of one op on one device.
    #[must_use]
    pub fn of(&self, device: DeviceId, op: OpId) -> f64 {
        self.seconds[device][op]
    }

    /// Seconds of an op on the device that is fastest at it.
    #[must_use]
    pub fn least_seconds(&self, op: OpId) -> f64 {
        self.seconds.iter().map(|seconds| seconds[op]).fold(f64::INFINITY, f64::min)
    }

    /// Prices every op on every device, a multiply-add counted as two operations.
    #[must_use]
    pub fn estimate(graph: &Graph, cluster: &Cluster, profile: Option<&Profile>) -> Estimate {
        Self::estimate_with(graph, cluster, profile, Counting::Fused)
    }

    /// Prices every op on every device in a given counting.
    #[must_use]
    pub fn estimate_with(
        graph: &Graph,
        cluster: &Cluster,
        profile: Option<&Profile>,
        counting: Counting,
    ) -> Estimate {
        let mut unpriced_ops = vec![false; graph.ops.len()];
        let mut seconds: Vec<Vec<f64>> = Vec::with_capacity(cluster.devices.len());
        for (id, device) in cluster.devices.iter().enumerate() {
            // Equal devices have equal rows: price a kind once.
            let twin = cluster.devices[..id].iter().position(|other| {
                let renamed = Device { name: other.name.clone(), ..device.clone() };
                *other == renamed
            });
            if let Some(twin) = twin {
                seconds.push(seconds[twin].clone());
                continue;
            }
            let speed_up = device.group.map_or(1.0, |group| group.speed_up);
            let price = |(op, unpriced): (&Op, &mut bool)| {
                if op.role != OpRole::Compute {
                    return 0.0;
                }
                if let Some(measured) = profile.and_then(|profile| profile.seconds(&device.kind, &op.key)) {
                    return measured / speed_up;
                }
                *unpriced |= !op.work.priced;
                seconds_of(op, device, counting) / speed_up
            };
            seconds.push(graph.ops.iter().zip(&mut unpriced_ops).map(price).collect());
        }
        let mut unpriced = IndexMap::new();
        for (op, _) in graph.ops.iter().zip(&unpriced_ops).filter(|(_, unpriced)| **unpriced) {
            *unpriced.entry(op.name.clone()).or_insert(0) += 1;
        }
        Estimate { costs: Costs { seconds }, unpriced }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::device::CoreGroup;
    use crate::graph::{Inner, Tensor};
    use crate::units::Bytes;

    /// A dot, a view of it, an op without a formula.
    pub(crate) fn small_graph() -> Graph {
        let op = |name: &str, role, inputs: Vec<usize>, output, flops, bytes, priced| Op {
            key: format!("{name} (tensor<8xf32>) -> tensor<8xf32>"),
            role,
            work: Work { flops, macs_exact: flops / 2, bytes: Bytes(bytes), priced, ..Work::NONE },
            ..Op::new(name, inputs, vec![output])
        };
        let tensor = |producer: Option<usize>| Tensor {
            producer: producer.map(OpId),
            index: 0,
            bytes: Bytes(32),
            returned: false,
            type_name: "tensor<8xf32>".to_owned(),
        };
        Graph {
            name: "small".to_owned(),
            ops: vec![
                op("test.dot", OpRole::Compute, vec![0], 1, 39_000_000_000_000, 64, true),
                op("test.view", OpRole::View, vec![1], 2, 0, 0, true),
                op("test.odd", OpRole::Compute, vec![2], 3, 0, 2_039_000_000_000, false),
            ],
            tensors: vec![tensor(None), tensor(Some(0)), tensor(Some(1)), tensor(Some(2))],
            ..Graph::default()
        }
    }

    #[test]
    fn a_loop_takes_as_long_as_its_body_does_as_often_as_it_runs() {
        let mut graph = small_graph();
        let [dot, odd] = [0, 2].map(|op| graph.ops[OpId(op)].work);
        graph.ops[0].inner = vec![Inner { work: dot, times: 3 }, Inner { work: odd, times: 2 }];
        let costs = Costs::estimate(&graph, &Cluster::from_count(1).unwrap(), None).costs;
        let launches = 5.0 * 0.9e-6;
        assert!((costs.of(DeviceId(0), OpId(0)) - (3.0 * 2.0 + 2.0 * 1.0 + launches)).abs() < 1e-9);
    }

    #[test]
    fn the_roofline_takes_the_slower_of_arithmetic_and_traffic() {
        let estimate = Costs::estimate(&small_graph(), &Cluster::from_count(2).unwrap(), None);
        let launch = 0.9e-6;
        for device in DeviceId::first(2) {
            // 39 TFLOP at 19.5 TFLOP/s; a view is free; 2039 GB at 2039 GB/s.
            assert!((estimate.costs.of(device, OpId(0)) - (2.0 + launch)).abs() < 1e-12);
            assert_eq!(estimate.costs.of(device, OpId(1)), 0.0);
            assert!((estimate.costs.of(device, OpId(2)) - (1.0 + launch)).abs() < 1e-12);
        }
        assert_eq!(estimate.unpriced, IndexMap::from([("test.odd".to_owned(), 1)]));
    }

    #[test]
    fn the_exact_counting_is_offered_beside_the_fused_one() {
        let cluster = Cluster::from_count(1).unwrap();
        let estimate = Costs::estimate_with(&small_graph(), &cluster, None, Counting::Exact);
        assert!((estimate.costs.of(DeviceId(0), OpId(0)) - (1.0 + 0.9e-6)).abs() < 1e-12);
    }

    #[test]
    fn a_group_of_cores_divides_formula_and_measurement_alike() {
        let graph = small_graph();
        let text = r#"{"version": 1, "kinds": {"v100-16gb": {"ops": {
            "test.odd (tensor<8xf32>) -> tensor<8xf32>": {"seconds": 0.25, "spread-seconds": 0, "runs": 1}}}}}"#;
        let profile = Profile::parse("p.json", text).unwrap();
        let mut cluster = Cluster::parse("v100-16gb").unwrap();
        let one = Costs::estimate(&graph, &cluster, Some(&profile)).costs;
        cluster.devices[0].group = Some(CoreGroup { cores: 3, speed_up: 2.5 });
        let three = Costs::estimate(&graph, &cluster, Some(&profile)).costs;
        assert_eq!(three.of(DeviceId(0), OpId(2)), 0.25 / 2.5);
        assert_eq!(three.of(DeviceId(0), OpId(0)), one.of(DeviceId(0), OpId(0)) / 2.5);
        assert!(one.of(DeviceId(0), OpId(0)) > 0.0);
    }

    #[test]
    fn a_profile_overrides_op_by_op_and_kind_by_kind() {
        let graph = small_graph();
        let text = r#"{"version": 1, "kinds": {"v100-16gb": {"ops": {
            "test.odd (tensor<8xf32>) -> tensor<8xf32>": {"seconds": 0.25, "spread-seconds": 0, "runs": 1},
            "test.view (tensor<8xf32>) -> tensor<8xf32>": {"seconds": 9, "spread-seconds": 0, "runs": 1}}}}}"#;
        let profile = Profile::parse("p.json", text).unwrap();
        let mut cluster = Cluster::parse("v100-16gb").unwrap();
        let alone = Costs::estimate(&graph, &cluster, Some(&profile));
        assert_eq!(alone.costs.of(DeviceId(0), OpId(2)), 0.25);
        assert_eq!(alone.costs.of(DeviceId(0), OpId(1)), 0.0, "views stay free");
        assert!(alone.unpriced.is_empty(), "{:?}", alone.unpriced);
        cluster.devices.extend(Cluster::from_count(1).unwrap().devices);
        let mixed = Costs::estimate(&graph, &cluster, Some(&profile));
        assert_eq!(mixed.costs.of(DeviceId(0), OpId(2)), 0.25);
        assert!(mixed.costs.of(DeviceId(1), OpId(2)) > 0.9);
        assert_eq!(mixed.unpriced.len(), 1, "the second kind has no measurement");
    }
}
