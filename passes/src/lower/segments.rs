//! Cuts a placed program into segments that one device runs without a word from others, and the messages between them.
//! Plain data; [`crate::lower::ballast_outline`] reads it from IR and writes it as IR.
//!
//! Everything happens in one global order, the order of the program: a message is one moment in it, when its value has been
//! made. Every device meets its own messages in that order, so that the first message not yet through can always get through.

use std::collections::{BTreeMap, BTreeSet};

use ballast_core::device::DeviceId;

/// A value: arguments first, then results of ops in program order.
pub(crate) type ValueId = usize;
/// An op: its index in the program.
pub(crate) type LineId = usize;

/// What an op of the program is to the cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Devices that run it, ascending; several for views and constants, none where nobody needs it.
    pub(crate) devices: Vec<DeviceId>,
    /// Values it or its regions read.
    pub(crate) inputs: Vec<ValueId>,
    /// Its results.
    pub(crate) outputs: Vec<ValueId>,
    /// Is it a copy to the host, or one from there?
    pub(crate) swap: Option<Swap>,
}

/// Copies between a device and the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swap {
    /// To the host.
    Out,
    /// From the host.
    In,
}

/// A value on its way to another device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The copy to the host that it stands for.
    pub(crate) line: LineId,
    /// Who sends.
    pub(crate) source: DeviceId,
    /// Who receives.
    pub(crate) target: DeviceId,
    /// What is sent.
    pub(crate) value: ValueId,
    /// What it is called where it arrives: the host copy, or the copy from there where that comes next.
    pub(crate) arrives: ValueId,
    /// Does it arrive in host memory?
    pub(crate) staged: bool,
}

/// Ops of one device with no message between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The device.
    pub(crate) device: DeviceId,
    /// The ops, in program order.
    pub(crate) lines: Vec<LineId>,
    /// Values it reads and does not make.
    pub(crate) inputs: Vec<ValueId>,
    /// Values it makes and others read.
    pub(crate) outputs: Vec<ValueId>,
}

/// What happens next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A device runs ops.
    Segment(Segment),
    /// A value moves.
    Message(Message),
}

/// A value that cannot get where it is read: the reader, and the op that makes it elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable {
    /// Who reads.
    pub(crate) reader: LineId,
    /// Who makes the value, on other devices alone.
    pub(crate) maker: LineId,
}

/// Cuts a program into events, in one global order.
///
/// `returned` names the results of the whole program with the device that returns each.
pub(crate) fn cut(lines: &[Line], returned: &[(DeviceId, ValueId)]) -> Result<Vec<Event>, Unreachable> {
    let uses = Uses::of(lines, returned)?;
    let mut events = Vec::new();
    let mut open: BTreeMap<DeviceId, Vec<LineId>> = BTreeMap::new();
    let mut arrived: BTreeSet<LineId> = BTreeSet::new();
    for (id, line) in lines.iter().enumerate() {
        let sent = uses.sent.get(&id);
        for &device in &line.devices {
            // A copy to the host for others alone is a message, no copy; a value that came straight here needs none back.
            let only_sent = sent.is_some() && !uses.is_read(line.outputs[0], device);
            if !only_sent && !arrived.contains(&id) {
                open.entry(device).or_default().push(id);
            }
        }
        for &target in sent.into_iter().flatten() {
            let source = line.devices[0];
            for device in [source, target] {
                close(lines, &uses, device, &mut open, &mut events);
            }
            let direct = uses.direct(lines, id, target, &arrived);
            arrived.extend(direct);
            events.push(Event::Message(Message {
                line: id,
                source,
                target,
                value: line.inputs[0],
                arrives: direct.map_or(line.outputs[0], |back| lines[back].outputs[0]),
                staged: direct.is_none(),
            }));
        }
    }
    let left: Vec<DeviceId> = open.keys().copied().collect();
    for device in left {
        close(lines, &uses, device, &mut open, &mut events);
    }
    Ok(events)
}

/// Makes a segment of what a device has run since its last message.
fn close(
    lines: &[Line],
    uses: &Uses,
    device: DeviceId,
    open: &mut BTreeMap<DeviceId, Vec<LineId>>,
    events: &mut Vec<Event>,
) {
    let Some(ids) = open.remove(&device) else { return };
    let mut made: BTreeSet<ValueId> = BTreeSet::new();
    let mut inputs: Vec<ValueId> = Vec::new();
    let mut seen: BTreeSet<ValueId> = BTreeSet::new();
    for &id in &ids {
        for &input in &lines[id].inputs {
            if !made.contains(&input) && seen.insert(input) {
                inputs.push(input);
            }
        }
        made.extend(&lines[id].outputs);
    }
    let inside: BTreeSet<LineId> = ids.iter().copied().collect();
    let outputs = made.into_iter().filter(|&value| uses.leaves(value, device, &inside)).collect();
    events.push(Event::Segment(Segment { device, lines: ids, inputs, outputs }));
}

/// Who reads what, where.
struct Uses {
    /// Readers of a value on a device, ascending.
    readers: BTreeMap<(ValueId, DeviceId), Vec<LineId>>,
    /// Values that a device sends or returns.
    kept: BTreeSet<(ValueId, DeviceId)>,
    /// Copies to the host that other devices read, with these.
    sent: BTreeMap<LineId, Vec<DeviceId>>,
    /// Ops of each device, ascending.
    of_device: BTreeMap<DeviceId, Vec<LineId>>,
}

impl Uses {
    fn of(lines: &[Line], returned: &[(DeviceId, ValueId)]) -> Result<Self, Unreachable> {
        let mut uses = Uses {
            readers: BTreeMap::new(),
            kept: returned.iter().map(|&(device, value)| (value, device)).collect(),
            sent: BTreeMap::new(),
            of_device: BTreeMap::new(),
        };
        let maker: BTreeMap<ValueId, LineId> = lines
            .iter()
            .enumerate()
            .flat_map(|(id, line)| line.outputs.iter().map(move |&value| (value, id)))
            .collect();
        for (id, line) in lines.iter().enumerate() {
            for &device in &line.devices {
                uses.of_device.entry(device).or_default().push(id);
                for &input in &line.inputs {
                    uses.readers.entry((input, device)).or_default().push(id);
                    let Some(&made) = maker.get(&input) else { continue };
                    if lines[made].devices.contains(&device) {
                        continue;
                    }
                    if lines[made].swap != Some(Swap::Out) || lines[made].devices.len() != 1 {
                        return Err(Unreachable { reader: id, maker: made });
                    }
                    let targets = uses.sent.entry(made).or_default();
                    if let Err(at) = targets.binary_search(&device) {
                        targets.insert(at, device);
                    }
                    uses.kept.insert((lines[made].inputs[0], lines[made].devices[0]));
                }
            }
        }
        Ok(uses)
    }

    fn is_read(&self, value: ValueId, device: DeviceId) -> bool {
        self.readers.contains_key(&(value, device))
    }

    /// Does anything but the ops `inside` need the value on the device?
    fn leaves(&self, value: ValueId, device: DeviceId, inside: &BTreeSet<LineId>) -> bool {
        let readers = self.readers.get(&(value, device));
        self.kept.contains(&(value, device))
            || readers.is_some_and(|all| all.iter().any(|id| !inside.contains(id)))
    }

    /// The copy back from the host, if it is all that `target` does with the message of `line` and does it next: then the
    /// value may come into device memory at once, and takes no more of it than the plan says.
    fn direct(
        &self,
        lines: &[Line],
        line: LineId,
        target: DeviceId,
        arrived: &BTreeSet<LineId>,
    ) -> Option<LineId> {
        let [back] = self.readers.get(&(lines[line].outputs[0], target))?.as_slice() else { return None };
        let on_target = self.of_device.get(&target)?;
        let first_after = on_target.partition_point(|&id| id <= line);
        let next = on_target[first_after..].iter().find(|id| !arrived.contains(id))?;
        (next == back && lines[*back].swap == Some(Swap::In)).then_some(*back)
    }
}

#[cfg(test)]
mod tests {
    use super::{DeviceId, Event, Line, Segment, Swap, Unreachable, cut};

    fn line(devices: &[usize], inputs: &[usize], output: usize, swap: Option<Swap>) -> Line {
        let devices = devices.iter().copied().map(DeviceId).collect();
        Line { devices, inputs: inputs.to_vec(), outputs: vec![output], swap }
    }

    fn segment(device: usize, lines: &[usize], inputs: &[usize], outputs: &[usize]) -> Event {
        Event::Segment(Segment {
            device: DeviceId(device),
            lines: lines.to_vec(),
            inputs: inputs.to_vec(),
            outputs: outputs.to_vec(),
        })
    }

    /// Argument 0; device 0 makes 1, sends it as 2, device 1 gets it as 3 and makes 4, sends it as 5, device 0 gets it as 6
    /// and makes 7 of 1 and 6.
    fn there_and_back() -> Vec<Line> {
        vec![
            line(&[0], &[0], 1, None),
            line(&[0], &[1], 2, Some(Swap::Out)),
            line(&[1], &[2], 3, Some(Swap::In)),
            line(&[1], &[3], 4, None),
            line(&[1], &[4], 5, Some(Swap::Out)),
            line(&[0], &[5], 6, Some(Swap::In)),
            line(&[0], &[1, 6], 7, None),
        ]
    }

    #[test]
    fn a_device_may_run_several_segments() {
        let events = cut(&there_and_back(), &[(DeviceId(0), 7)]).unwrap();
        let [first, Event::Message(there), second, Event::Message(back), third] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(*first, segment(0, &[0], &[0], &[1]));
        assert_eq!(
            (there.source, there.target, there.value, there.arrives, there.staged),
            (DeviceId(0), DeviceId(1), 1, 3, false)
        );
        assert_eq!(*second, segment(1, &[3], &[3], &[4]));
        assert_eq!((back.source, back.target, back.value, back.arrives), (DeviceId(1), DeviceId(0), 4, 6));
        assert_eq!(*third, segment(0, &[6], &[1, 6], &[7]));
    }

    #[test]
    fn a_value_read_later_or_twice_waits_in_host_memory() {
        let mut lines = there_and_back();
        // Device 1 works on something else first.
        lines.insert(2, line(&[1], &[0], 8, None));
        let staged = |lines: &[Line]| {
            cut(lines, &[(DeviceId(0), 7)]).unwrap().into_iter().find_map(|event| match event {
                Event::Message(message) => Some((message.staged, message.arrives)),
                Event::Segment(_) => None,
            })
        };
        assert_eq!(staged(&lines), Some((true, 2)));
        let mut twice = there_and_back();
        twice.insert(4, line(&[1], &[2], 8, Some(Swap::In)));
        assert_eq!(staged(&twice), Some((true, 2)));
        assert_eq!(staged(&there_and_back()), Some((false, 3)));
    }

    #[test]
    fn a_value_reaches_another_device_through_the_host_alone() {
        let lines = [line(&[0], &[0], 1, None), line(&[1], &[1], 2, None)];
        assert_eq!(cut(&lines, &[]), Err(Unreachable { reader: 1, maker: 0 }));
        // A constant runs on both.
        let lines = [line(&[0, 1], &[], 1, None), line(&[0], &[1], 2, None), line(&[1], &[1], 3, None)];
        assert_eq!(cut(&lines, &[]).unwrap().len(), 2);
    }
}
