//! The load of every device under an assignment of items, kept up to date move by move.

use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::units::Bytes;

use crate::chain::Wire;
use crate::sequence::{Index, Pin, Sequence};

/// All links of a cluster, looked up once.
#[derive(Clone, Debug)]
pub struct Links {
    devices: usize,
    links: Vec<Link>,
}

impl Links {
    /// The links of a cluster.
    #[must_use]
    pub fn new(cluster: &Cluster) -> Self {
        let devices = cluster.devices.len();
        let mut links = vec![cluster.default_link; devices * devices];
        // The first entry for a pair counts, as in `Cluster::link`.
        for &(from, to, link) in cluster.links.iter().rev() {
            if from.0.max(to.0) < devices {
                links[from.0 * devices + to.0] = link;
            }
        }
        Links { devices, links }
    }

    /// Seconds of sending so many bytes.
    #[must_use]
    pub fn seconds(&self, from: DeviceId, to: DeviceId, bytes: u64) -> f64 {
        self.link(from, to).seconds(Bytes(bytes))
    }

    /// The link from one device to another.
    #[must_use]
    pub fn link(&self, from: DeviceId, to: DeviceId) -> Link {
        self.links[from.0 * self.devices + to.0]
    }

    fn pairs(&self) -> impl Iterator<Item = Link> + '_ {
        (0..self.links.len()).filter(|i| i / self.devices != i % self.devices).map(|i| self.links[i])
    }

    /// Are all links between different devices alike?
    #[must_use]
    pub fn uniform(&self) -> bool {
        let mut pairs = self.pairs();
        pairs.next().is_none_or(|first| pairs.all(|link| link == first))
    }

    /// A link at least as fast as every link: prices with it are lower bounds.
    #[must_use]
    pub fn fastest(&self) -> Wire {
        self.pairs()
            .fold(Wire { latency_seconds: f64::INFINITY, seconds_per_byte: f64::INFINITY }, |w, l| Wire {
                latency_seconds: w.latency_seconds.min(l.latency_seconds),
                seconds_per_byte: w.seconds_per_byte.min(1.0 / l.bytes_per_second),
            })
            .or_free(self.devices)
    }

    /// The links between some devices, by `[from * devices.len() + to]`; from a device to itself, free.
    #[must_use]
    pub(crate) fn between(&self, devices: &[DeviceId]) -> Vec<Wire> {
        let wire = |from: DeviceId, to: DeviceId| {
            let link = self.link(from, to);
            match from == to {
                true => Wire { latency_seconds: 0.0, seconds_per_byte: 0.0 },
                false => Wire {
                    latency_seconds: link.latency_seconds,
                    seconds_per_byte: 1.0 / link.bytes_per_second,
                },
            }
        };
        devices.iter().flat_map(|&from| devices.iter().map(move |&to| wire(from, to))).collect()
    }

    /// The mean link.
    #[must_use]
    pub fn mean(&self) -> Wire {
        let count = self.pairs().count().max(1) as f64;
        Wire {
            latency_seconds: self.pairs().map(|link| link.latency_seconds).sum::<f64>() / count,
            seconds_per_byte: self.pairs().map(|link| 1.0 / link.bytes_per_second).sum::<f64>() / count,
        }
    }
}

impl Wire {
    fn or_free(self, devices: usize) -> Wire {
        if devices > 1 { self } else { Wire { latency_seconds: 0.0, seconds_per_byte: 0.0 } }
    }
}

/// How often a value or argument is read on each device that reads it.
type Readers = Vec<(DeviceId, usize)>;

fn count(readers: &mut Readers, device: DeviceId, change: isize) {
    match readers.iter().position(|&(d, _)| d == device) {
        Some(place) => {
            readers[place].1 = readers[place].1.wrapping_add_signed(change);
            if readers[place].1 == 0 {
                readers.swap_remove(place);
            }
        }
        None => readers.push((device, change as usize)),
    }
}

/// An assignment of items to devices with the load of every device.
#[derive(Clone, Debug)]
pub struct Loads<'a> {
    sequence: &'a Sequence,
    index: &'a Index,
    links: &'a Links,
    device_of: Vec<DeviceId>,
    items: Vec<usize>,
    compute: Vec<f64>,
    transfer: Vec<f64>,
    resident: Vec<u64>,
    /// Largest working set seen on the device: never lowered, so an upper bound.
    working_set: Vec<u64>,
    value_readers: Vec<Readers>,
    argument_readers: Vec<Readers>,
    traffic: i128,
}

impl<'a> Loads<'a> {
    /// The loads of an assignment.
    #[must_use]
    pub fn new(sequence: &'a Sequence, index: &'a Index, links: &'a Links, device_of: Vec<DeviceId>) -> Self {
        let devices = links.devices;
        let mut loads = Loads {
            sequence,
            index,
            links,
            items: vec![0; devices],
            compute: vec![0.0; devices],
            transfer: vec![0.0; devices],
            resident: vec![0; devices],
            working_set: vec![0; devices],
            value_readers: vec![Readers::new(); sequence.values.len()],
            argument_readers: vec![Readers::new(); sequence.arguments.len()],
            traffic: 0,
            device_of,
        };
        for (item, &device) in loads.device_of.iter().enumerate() {
            loads.items[device] += 1;
            loads.compute[device] += sequence.seconds[sequence.row_of[device]][item];
            loads.resident[device] += sequence.resident[item];
            loads.working_set[device] = loads.working_set[device].max(sequence.most_working_set(item));
        }
        for (id, value) in sequence.values.iter().enumerate() {
            for &reader in &value.readers {
                count(&mut loads.value_readers[id], loads.device_of[reader], 1);
            }
            loads.charge(id, 1);
        }
        for (id, argument) in sequence.arguments.iter().enumerate() {
            for &reader in &argument.readers {
                count(&mut loads.argument_readers[id], loads.device_of[reader], 1);
            }
            for &(device, _) in &loads.argument_readers[id] {
                loads.resident[device] += argument.bytes;
            }
        }
        loads
    }

    /// The device of every item.
    #[must_use]
    pub fn device_of(&self) -> &[DeviceId] {
        &self.device_of
    }

    /// Number of items on a device.
    #[must_use]
    pub fn items(&self, device: DeviceId) -> usize {
        self.items[device]
    }

    /// Seconds of computation on a device.
    #[must_use]
    pub fn compute_seconds(&self, device: DeviceId) -> f64 {
        self.compute[device]
    }

    /// Computation, receiving and sending, seconds.
    #[must_use]
    pub fn seconds(&self, device: DeviceId) -> f64 {
        self.compute[device] + self.transfer[device]
    }

    /// The slowest device, seconds.
    #[must_use]
    pub fn tmax(&self) -> f64 {
        DeviceId::first(self.compute.len()).map(|device| self.seconds(device)).fold(0.0, f64::max)
    }

    /// Bytes that move between devices, every receiver counted.
    #[must_use]
    pub fn traffic(&self) -> i128 {
        self.traffic
    }

    /// What is resident on a device and (an upper bound on) its largest working set, bytes.
    #[must_use]
    pub fn least_bytes(&self, device: DeviceId) -> u64 {
        self.resident[device] + self.working_set[device]
    }

    /// May this item run on that device, as far as device rules go?
    #[must_use]
    pub fn allowed(&self, item: usize, device: DeviceId) -> bool {
        match self.sequence.pins[item] {
            Pin::Free => true,
            Pin::To(pinned) => pinned == device,
            Pin::Conflict => false,
        }
    }

    /// Moves one item.
    pub fn relocate(&mut self, item: usize, to: DeviceId) {
        let from = self.device_of[item];
        if from == to {
            return;
        }
        let (sequence, index) = (self.sequence, self.index);
        for &value in &index.makes[item] {
            self.charge(value, -1);
        }
        for read in &index.reads[item] {
            self.charge(read.value, -1);
        }
        self.device_of[item] = to;
        for &value in &index.makes[item] {
            self.charge(value, 1);
        }
        for read in &index.reads[item] {
            count(&mut self.value_readers[read.value], from, -1);
            count(&mut self.value_readers[read.value], to, 1);
            self.charge(read.value, 1);
        }
        for &(argument, _) in &index.loads[item] {
            let bytes = sequence.arguments[argument].bytes;
            let readers = &mut self.argument_readers[argument];
            count(readers, from, -1);
            if !readers.iter().any(|&(device, _)| device == from) {
                self.resident[from] -= bytes;
            }
            if !readers.iter().any(|&(device, _)| device == to) {
                self.resident[to] += bytes;
            }
            count(readers, to, 1);
        }
        self.items[from] -= 1;
        self.items[to] += 1;
        self.compute[from] -= sequence.seconds[sequence.row_of[from]][item];
        self.compute[to] += sequence.seconds[sequence.row_of[to]][item];
        self.resident[from] -= sequence.resident[item];
        self.resident[to] += sequence.resident[item];
        self.working_set[to] = self.working_set[to].max(sequence.most_working_set(item));
    }

    /// Adds (or with -1 takes back) the transfers of a value.
    fn charge(&mut self, id: usize, sign: i32) {
        let value = &self.sequence.values[id];
        let maker = self.device_of[value.producer];
        let mut slowest = 0.0f64;
        for &(device, _) in &self.value_readers[id] {
            if device != maker {
                let seconds = self.links.seconds(maker, device, value.bytes);
                slowest = slowest.max(seconds);
                self.transfer[device] += f64::from(sign) * seconds;
                self.traffic += i128::from(sign) * i128::from(value.bytes);
            }
        }
        self.transfer[maker] += f64::from(sign) * slowest;
    }
}
