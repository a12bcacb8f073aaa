//! Repair of a child that breaks a rule: layers move from full devices to roomy ones and to empty ones.

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::table::LayerTable;

/// Changes `placement` until it keeps the rules, no move helps or the time is over; says whether it keeps them.
///
/// \[D\] says that infeasible children are repaired, not how. Here: a device that must be used and is empty
/// takes a layer it can hold from a device with several, then a layer of a device over its memory moves to one
/// with room; where no device has room, a layer changes places with a smaller one elsewhere. Ties by the
/// generator.
pub fn repair(
    table: &LayerTable,
    placement: &mut [DeviceId],
    rng: &mut ChaCha8Rng,
    deadline: &Deadline,
) -> bool {
    fill_empty_devices(table, placement, rng);
    let mut stored = table.stored(placement);
    // Every move lowers the total excess, so the loop ends; the count guards against long walks.
    for _ in 0..4 * table.layers() {
        let Some(full) = DeviceId::first(table.devices()).find(|&d| stored[d] > table.device_memory_bytes[d])
        else {
            return table.excess(placement).none();
        };
        // A round looks at every pair of layers.
        if deadline.over() {
            return false;
        }
        if !move_out(table, placement, &mut stored, full, rng)
            && !exchange(table, placement, &mut stored, full, rng)
        {
            return false;
        }
    }
    table.excess(placement).none()
}

fn counts(table: &LayerTable, placement: &[DeviceId]) -> Vec<usize> {
    let mut counts = vec![0; table.devices()];
    for &device in placement {
        counts[device] += 1;
    }
    counts
}

fn fill_empty_devices(table: &LayerTable, placement: &mut [DeviceId], rng: &mut ChaCha8Rng) {
    if !table.every_device_used() {
        return;
    }
    let mut counts = counts(table, placement);
    for empty in DeviceId::first(table.devices()) {
        if counts[empty] > 0 {
            continue;
        }
        let spare: Vec<usize> = (0..table.layers()).filter(|&l| counts[placement[l]] > 1).collect();
        let fitting: Vec<usize> = spare
            .iter()
            .copied()
            .filter(|&l| table.bytes[empty][l] <= table.device_memory_bytes[empty])
            .collect();
        let pool = if fitting.is_empty() { &spare } else { &fitting };
        if pool.is_empty() {
            return;
        }
        let layer = pool[rng.random_range(0..pool.len())];
        counts[placement[layer]] -= 1;
        counts[empty] += 1;
        placement[layer] = empty;
    }
}

/// Moves one layer of `full` to a device with room for it.
fn move_out(
    table: &LayerTable,
    placement: &mut [DeviceId],
    stored: &mut [u64],
    full: DeviceId,
    rng: &mut ChaCha8Rng,
) -> bool {
    let layers: Vec<usize> = (0..table.layers()).filter(|&l| placement[l] == full).collect();
    if layers.len() < 2 && table.every_device_used() {
        return false;
    }
    let moves: Vec<(usize, DeviceId)> = layers
        .iter()
        .flat_map(|&layer| DeviceId::first(table.devices()).map(move |to| (layer, to)))
        .filter(|&(layer, to)| {
            to != full && stored[to] + table.bytes[to][layer] <= table.device_memory_bytes[to]
        })
        .collect();
    if moves.is_empty() {
        return false;
    }
    let (layer, to) = moves[rng.random_range(0..moves.len())];
    stored[full] -= table.bytes[full][layer];
    stored[to] += table.bytes[to][layer];
    placement[layer] = to;
    true
}

/// Swaps a layer of `full` with one elsewhere so that the sum of excess bytes falls.
fn exchange(
    table: &LayerTable,
    placement: &mut [DeviceId],
    stored: &mut [u64],
    full: DeviceId,
    rng: &mut ChaCha8Rng,
) -> bool {
    let over = |bytes: u64, device: DeviceId| bytes.saturating_sub(table.device_memory_bytes[device]);
    let mut exchanges = Vec::new();
    for ours in (0..table.layers()).filter(|&l| placement[l] == full) {
        for theirs in (0..table.layers()).filter(|&l| placement[l] != full) {
            let other = placement[theirs];
            let here = stored[full] - table.bytes[full][ours] + table.bytes[full][theirs];
            let there = stored[other] - table.bytes[other][theirs] + table.bytes[other][ours];
            let before = over(stored[full], full).saturating_add(over(stored[other], other));
            if over(here, full).saturating_add(over(there, other)) < before {
                exchanges.push((ours, theirs, here, there));
            }
        }
    }
    if exchanges.is_empty() {
        return false;
    }
    let (ours, theirs, here, there) = exchanges[rng.random_range(0..exchanges.len())];
    let other = placement[theirs];
    stored[full] = here;
    stored[other] = there;
    placement.swap(ours, theirs);
    true
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn empty_devices_are_filled_and_full_ones_relieved() {
        let table = LayerTable::uniform(
            (0..5).map(|i| format!("l{i}")).collect(),
            &[1.0; 5],
            &[60, 50, 40, 30, 20],
            vec![90, 70, 60],
            vec![0; 4],
        );
        let mut repaired = 0;
        for seed in 0..50 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut placement: Vec<DeviceId> = (0..5).map(|_| DeviceId(rng.random_range(0..2))).collect();
            let whole = repair(&table, &mut placement, &mut rng, &Deadline::after(None));
            assert_eq!(whole, table.excess(&placement).none());
            repaired += usize::from(whole);
        }
        assert!(repaired >= 40, "only {repaired} of 50 repaired");
    }

    #[test]
    fn what_cannot_be_repaired_is_said() {
        let table =
            LayerTable::uniform(vec!["a".into(), "b".into()], &[1.0; 2], &[60, 50], vec![10, 70], vec![0]);
        let mut placement = [DeviceId(1); 2];
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        assert!(!repair(&table, &mut placement, &mut rng, &Deadline::after(None)));
    }
}
