//! Some of the devices by themselves: a pipeline on them, whose cuts move as if the others were not there.

use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::units::Bytes;

/// These devices alone, in this order, with their links and their share of the host's memory.
pub(super) fn cluster_of(cluster: &Cluster, kept: &[DeviceId]) -> Cluster {
    let place = |device: DeviceId| kept.iter().position(|&other| other == device).map(DeviceId);
    let link = |&(from, to, link): &(DeviceId, DeviceId, Link)| Some((place(from)?, place(to)?, link));
    let count = cluster.devices.len().max(1) as u64;
    Cluster {
        devices: kept.iter().map(|&device| cluster.devices[device].clone()).collect(),
        links: cluster.links.iter().filter_map(link).collect(),
        host_memory: cluster.host_memory.map(|host| Bytes(host.0 / count * kept.len() as u64)),
        ..cluster.clone()
    }
}

/// The costs on these devices.
pub(super) fn costs_of(costs: &Costs, kept: &[DeviceId]) -> Costs {
    Costs { seconds: kept.iter().map(|&device| costs.seconds[device].clone()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_cluster_has_its_links_and_its_share_of_the_host() {
        let mut cluster = Cluster::from_count(4).expect("devices");
        let fast = Link { bytes_per_second: 1e12, latency_seconds: 0.0 };
        cluster.links = vec![(DeviceId(1), DeviceId(3), fast), (DeviceId(0), DeviceId(1), fast)];
        cluster.host_memory = Some(Bytes(800));
        let part = cluster_of(&cluster, &[1, 3].map(DeviceId));
        assert_eq!(part.devices, [1, 3].map(|device| cluster.devices[device].clone()));
        assert_eq!(part.links, [(DeviceId(0), DeviceId(1), fast)]);
        let share = |cluster: &Cluster| cluster.swap_model(&cluster.devices[0], false).host_capacity_bytes;
        assert_eq!((share(&part), share(&cluster)), (Some(200), Some(200)));
        let costs = Costs { seconds: vec![vec![1.0], vec![2.0], vec![3.0], vec![4.0]] };
        assert_eq!(costs_of(&costs, &[1, 3].map(DeviceId)).seconds, [[2.0], [4.0]]);
    }
}
