//! The same stages on other devices: what order of the devices suits the links.

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;

use crate::loads::{Links, Loads};
use crate::sequence::{Pin, Sequence};

/// Lets pairs of devices with the same cap change places as long as the slowest device gets faster, every transfer priced by the
/// link it takes; its seconds, and the device of every item. Device rules are kept.
pub(crate) fn exchanged(
    sequence: &Sequence,
    links: &Links,
    caps: &[u64],
    device_of: Vec<DeviceId>,
    deadline: &Deadline,
) -> (f64, Vec<DeviceId>) {
    let index = sequence.index();
    let value = |of: &[DeviceId]| Loads::new(sequence, &index, links, of.to_vec()).tmax();
    let mut best = (value(&device_of), device_of);
    let mut improved = true;
    while improved && !deadline.over() {
        improved = false;
        for a in DeviceId::first(caps.len()) {
            for b in DeviceId::first(caps.len()).skip(a.0 + 1) {
                if deadline.over() || caps[a] != caps[b] {
                    continue;
                }
                let place = |&device: &DeviceId| match device {
                    device if device == a => b,
                    device if device == b => a,
                    device => device,
                };
                let swapped: Vec<DeviceId> = best.1.iter().map(place).collect();
                let allowed = swapped.iter().zip(&sequence.pins).all(|(&device, &pin)| match pin {
                    Pin::To(pinned) => pinned == device,
                    _ => true,
                });
                let new = value(&swapped);
                if allowed && new < best.0 {
                    best = (new, swapped);
                    improved = true;
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use ballast_core::device::{Cluster, Link};

    use super::*;

    #[test]
    fn stages_move_to_the_devices_whose_links_are_fast() {
        // Three stages in a chain; the only fast links lead from device 1 to 0 and from 0 to 2.
        let sequence = Sequence { row_of: vec![0; 3], ..Sequence::chain(&[1.0; 3], &[8; 3], &[0; 3]) };
        let link = |bandwidth| Link { bytes_per_second: bandwidth, latency_seconds: 0.0 };
        let mut cluster = Cluster::from_count(3).expect("three devices");
        cluster.default_link = link(1.0);
        let of = [0, 1, 2].map(DeviceId);
        cluster.links = vec![(of[1], of[0], link(8.0)), (of[0], of[2], link(8.0))];
        let links = Links::new(&cluster);
        let forever = Deadline::after(None);
        let (seconds, device_of) = exchanged(&sequence, &links, &[9; 3], of.to_vec(), &forever);
        assert_eq!(
            (seconds, device_of),
            (3.0, vec![of[1], of[0], of[2]]),
            "one second each to compute, receive and send"
        );
        let (_, kept) = exchanged(&sequence, &links, &[9, 8, 7], of.to_vec(), &forever);
        assert_eq!(kept, of, "caps differ");
    }
}
