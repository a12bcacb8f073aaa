//! A device of its own for every layer, where there are as many devices as layers or more.

use ballast_core::device::DeviceId;

use super::table::LayerTable;

/// Gives every layer a device of its own so that the slowest is as fast as possible.
///
/// \[D\] leaves open which device; here it is the bottleneck matching over the devices that can hold the layer,
/// which for equal devices is layer i on device i. None where the memories allow no such placement.
pub(super) fn own_devices(table: &LayerTable) -> Option<Vec<DeviceId>> {
    let (layers, devices) = (table.layers(), table.devices());
    let fits =
        |layer: usize, device: DeviceId| table.bytes[device][layer] <= table.device_memory_bytes[device];
    let mut times: Vec<f64> = table.seconds.iter().flatten().copied().collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let within = |limit: f64| matching(layers, devices, |l, d| fits(l, d) && table.seconds[d][l] <= limit);
    // The least time at which all layers find a device, by bisection over the times that occur.
    let least = times.partition_point(|&limit| within(limit).is_none());
    times.get(least).and_then(|&limit| within(limit))
}

/// A device for every layer, by augmenting paths; each layer tries devices in ascending order.
fn matching(
    layers: usize,
    devices: usize,
    allowed: impl Fn(usize, DeviceId) -> bool,
) -> Option<Vec<DeviceId>> {
    let mut layer_of: Vec<Option<usize>> = vec![None; devices];
    for layer in 0..layers {
        // Breadth first over (device, the layer that reached it): no recursion, so any size is fine.
        let mut reached: Vec<Option<usize>> = vec![None; devices];
        let mut queue = vec![layer];
        let mut end = None;
        let mut head = 0;
        'grow: while head < queue.len() {
            let from = queue[head];
            head += 1;
            for device in DeviceId::first(devices) {
                if reached[device].is_some() || !allowed(from, device) {
                    continue;
                }
                reached[device] = Some(from);
                match layer_of[device] {
                    Some(next) => queue.push(next),
                    None => {
                        end = Some(device);
                        break 'grow;
                    }
                }
            }
        }
        let mut device = end?;
        loop {
            let from = reached[device]?;
            let previous = layer_of.iter().position(|&l| l == Some(from)).map(DeviceId);
            layer_of[device] = Some(from);
            match previous {
                Some(freed) if from != layer => {
                    device = freed;
                }
                _ => break,
            }
        }
    }
    let mut device_of = vec![DeviceId(0); layers];
    for (device, &layer) in DeviceId::of(&layer_of) {
        if let Some(layer) = layer {
            device_of[layer] = device;
        }
    }
    Some(device_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_devices_are_taken_in_order() {
        let table =
            LayerTable::uniform(vec!["a".into(), "b".into()], &[1.0, 2.0], &[1, 1], vec![1; 3], vec![0]);
        assert_eq!(own_devices(&table), Some([0, 1].map(DeviceId).to_vec()));
    }

    #[test]
    fn the_slowest_is_as_fast_as_any_assignment_allows() {
        use rand::{RngExt, SeedableRng};
        for seed in 0..200 {
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let table = LayerTable {
                names: (0..3).map(|i| i.to_string()).collect(),
                seconds: (0..4)
                    .map(|_| (0..3).map(|_| f64::from(rng.random_range(1..9u8))).collect())
                    .collect(),
                bytes: (0..4).map(|_| (0..3).map(|_| rng.random_range(1..10)).collect()).collect(),
                device_memory_bytes: (0..4).map(|_| rng.random_range(3..10)).collect(),
                message_bytes: vec![0; 2],
            };
            let mut best = f64::INFINITY;
            for code in 0..64usize {
                let placement = [code % 4, code / 4 % 4, code / 16].map(DeviceId);
                let distinct = placement[0] != placement[1]
                    && placement[1] != placement[2]
                    && placement[0] != placement[2];
                if distinct && table.excess(&placement).none() {
                    best = best.min(table.slowest(&placement));
                }
            }
            match own_devices(&table) {
                Some(placement) => {
                    assert!(table.excess(&placement).none(), "seed {seed}: {placement:?}");
                    assert_eq!(table.slowest(&placement), best, "seed {seed}");
                }
                None => assert!(best.is_infinite(), "seed {seed}: a placement of {best} exists"),
            }
        }
    }
}
