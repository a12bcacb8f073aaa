//! Messages between devices that wait for each other: do all of them get through?
//!
//! A send and a receive meet: neither goes on before the other has come. That is MPI's standard mode for messages it does not
//! buffer, so a program that gets through this way gets through whatever MPI buffers.

use ballast_core::device::DeviceId;

/// One end of a message, as one device meets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Is it the sending end?
    pub(crate) sends: bool,
    /// The device at the other end.
    pub(crate) other: DeviceId,
    /// What tells messages between the same two devices apart.
    pub(crate) tag: i64,
    /// Type of the tensor.
    pub(crate) kind: String,
}

/// Why messages do not get through, at the device and its end of a message concerned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Stuck {
    /// The device.
    pub(crate) device: DeviceId,
    /// Index among its ends.
    pub(crate) end: usize,
    /// What is wrong.
    pub(crate) reason: String,
}

/// Lets all devices run until every end has met its other end.
///
/// Devices meet whenever the next ends of two fit; which pair meets first does not matter, because a device waits for one
/// partner at a time.
pub(crate) fn check(devices: &[Vec<End>]) -> Result<(), Stuck> {
    let mut at = vec![0; devices.len()];
    // Devices whose next end may have become able to meet.
    let mut pending: Vec<DeviceId> = DeviceId::first(devices.len()).rev().collect();
    while let Some(device) = pending.pop() {
        let Some(end) = devices[device].get(at[device]) else { continue };
        let stuck = |reason| Stuck { device, end: at[device], reason };
        if end.other.0 >= devices.len() {
            let reason = format!("device {} has no program: there are {} devices", end.other, devices.len());
            return Err(stuck(reason));
        }
        let Some(other) = devices[end.other].get(at[end.other]) else { continue };
        if other.other != device || other.tag != end.tag || other.sends == end.sends {
            continue;
        }
        if other.kind != end.kind {
            let reason = format!("one end of the message is {}, the other {}", end.kind, other.kind);
            return Err(stuck(reason));
        }
        let other = end.other;
        at[device] += 1;
        at[other] += 1;
        pending.extend([device, other]);
    }
    let Some(device) = DeviceId::first(devices.len()).find(|&device| at[device] < devices[device].len())
    else {
        return Ok(());
    };
    let end = &devices[device][at[device]];
    let verb = if end.sends { "sends to" } else { "receives from" };
    let (source, target) = if end.sends { (device, end.other) } else { (end.other, device) };
    let what = format!("device {device} {verb} device {}, tag {}", end.other, end.tag);
    let fits = |other: &End| other.other == device && other.tag == end.tag && other.sends != end.sends;
    let reason = if devices[end.other][at[end.other]..].iter().any(fits) {
        format!("deadlock: {what}, but device {} waits for another message first", end.other)
    } else {
        format!("{what}, but no message from {source} to {target} with this tag is left at the other end")
    };
    Err(Stuck { device, end: at[device], reason })
}

#[cfg(test)]
mod tests {
    use super::{DeviceId, End, check};

    fn end(sends: bool, other: usize, tag: i64) -> End {
        End { sends, other: DeviceId(other), tag, kind: "tensor<4xf32>".into() }
    }

    #[test]
    fn messages_in_one_order_get_through() {
        let devices = [
            vec![end(true, 1, 0), end(false, 1, 1), end(true, 2, 2)],
            vec![end(false, 0, 0), end(true, 0, 1)],
            vec![end(false, 0, 2)],
        ];
        assert_eq!(check(&devices), Ok(()));
        assert_eq!(check(&[]), Ok(()));
    }

    #[test]
    fn two_devices_that_send_first_are_stuck() {
        let devices = [vec![end(true, 1, 0), end(false, 1, 1)], vec![end(true, 0, 1), end(false, 0, 0)]];
        let stuck = check(&devices).unwrap_err();
        assert_eq!((stuck.device, stuck.end), (DeviceId(0), 0));
        assert!(stuck.reason.starts_with("deadlock"), "{stuck}");
    }

    #[test]
    fn a_circle_of_three_is_stuck() {
        let devices: Vec<_> = (0..3)
            .map(|device| {
                let (next, previous) = ((device + 1) % 3, (device + 2) % 3);
                vec![end(true, next, device as i64), end(false, previous, previous as i64)]
            })
            .collect();
        assert!(check(&devices).unwrap_err().reason.starts_with("deadlock"));
    }

    #[test]
    fn ends_without_a_partner_are_found() {
        let lost = [vec![end(true, 1, 0)], vec![]];
        assert!(check(&lost).unwrap_err().reason.contains("no message from 0 to 1"));
        let both_send = [vec![end(true, 1, 0)], vec![end(true, 0, 0)]];
        assert!(check(&both_send).is_err());
        let nowhere = [vec![end(true, 7, 0)]];
        assert!(check(&nowhere).unwrap_err().reason.contains("device 7 has no program"));
        let mut other_type = end(false, 0, 0);
        other_type.kind = "tensor<4xf64>".into();
        let types = [vec![end(true, 1, 0)], vec![other_type]];
        assert!(check(&types).unwrap_err().reason.contains("tensor<4xf64>"));
    }

    #[test]
    fn every_projection_of_one_order_gets_through_and_swapping_two_ends_is_judged_as_all_runs_would_be() {
        // Exhaustive: every order of meeting leads to the same end, so one run decides.
        use rand::{RngExt, SeedableRng};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let (mut stuck, mut through) = (0, 0);
        for _ in 0..500 {
            let count = random.random_range(2..5);
            let mut devices = vec![Vec::new(); count];
            for tag in 0..random.random_range(1..8) {
                let source = random.random_range(0..count);
                let target = (source + random.random_range(1..count)) % count;
                devices[source].push(end(true, target, tag));
                devices[target].push(end(false, source, tag));
            }
            assert_eq!(check(&devices), Ok(()));
            let victim = random.random_range(0..count);
            if devices[victim].len() < 2 {
                continue;
            }
            let at = random.random_range(1..devices[victim].len());
            devices[victim].swap(at - 1, at);
            let all = reaches_end(&devices, &mut vec![0; count]);
            assert_eq!(check(&devices).is_ok(), all, "{devices:?}");
            if all { through += 1 } else { stuck += 1 }
        }
        assert!(stuck > 20 && through > 20, "{stuck} {through}");
    }

    /// Tries every order of meeting.
    fn reaches_end(devices: &[Vec<End>], at: &mut Vec<usize>) -> bool {
        if at.iter().zip(devices).all(|(&at, ends)| at == ends.len()) {
            return true;
        }
        for a in 0..devices.len() {
            for b in a + 1..devices.len() {
                let (Some(x), Some(y)) = (devices[a].get(at[a]), devices[b].get(at[b])) else { continue };
                if x.other == DeviceId(b) && y.other == DeviceId(a) && x.tag == y.tag && x.sends != y.sends {
                    at[a] += 1;
                    at[b] += 1;
                    let through = reaches_end(devices, at);
                    at[a] -= 1;
                    at[b] -= 1;
                    if through {
                        return true;
                    }
                }
            }
        }
        false
    }
}
