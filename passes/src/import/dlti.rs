//! Devices in the module: `dlti.target_system_spec`, read into a [`Cluster`]. [`super::dlti_text`] writes it.
//!
//! One entry per device, in order, its name as key; an entry `"host"` holds host memory and the link between devices.
//! Keys of a device: `memory_bytes`, `memory_bandwidth` (bytes/s), `peak_flops` (one rate, or a dictionary by element
//! type as in device files), `kind`, `launch_overhead` (s), `to_host` and `from_host` (`[bytes/s, s]`),
//! `links` (a dictionary from device name to `[bytes/s, s]`, one way), `cores`, `core_memory_bytes`,
//! `core_speed_up`; for a group of cores planned as one device, `group_cores` and `group_speed_up`; for
//! one of several stages of a device, `stage` (its number) and `stages` (how many). Keys of the host: `memory_bytes`, `link`. Other keys are other people's and are left alone.

use ballast_core::device::{Cluster, CoreGroup, CoreModel, Device, DeviceId, Link, MAX_DEVICES, Slot};
use ballast_core::graph::Arithmetic;
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::dlti_entries;
use ballast_dialects::text::{of_attribute, readable};
use indexmap::IndexMap;
use melior::ir::Attribute;
use melior::ir::operation::{OperationLike, OperationRef};

/// The attribute of the module that describes its devices.
pub(crate) const SYSTEM_SPEC: &str = "dlti.target_system_spec";

pub(super) const HOST: &str = "host";

pub(super) const ARITHMETICS: [(&str, Arithmetic); 7] = [
    ("f64", Arithmetic::F64),
    ("f32", Arithmetic::F32),
    ("bf16", Arithmetic::Bf16),
    ("f16", Arithmetic::F16),
    ("f8", Arithmetic::F8),
    ("i8", Arithmetic::I8),
    ("int", Arithmetic::Int),
];

type Entries<'c> = Vec<(String, Attribute<'c>)>;

/// The devices a module describes, or else the nearest module around it; none if none does.
///
/// # Errors
/// An incomplete or impossible description, reported at the module that has it.
pub(crate) fn read(module: OperationRef<'_, '_>) -> Result<Option<Cluster>, Reported> {
    let around = std::iter::successors(Some(module), |op| op.parent_operation());
    let found = around.into_iter().find_map(|op| Some((op, ir::attribute(op, SYSTEM_SPEC)?)));
    let Some((holder, attribute)) = found else { return Ok(None) };
    cluster(attribute)
        .map(Some)
        .map_err(|message| diagnostics::error(ir::place(holder), &format!("'{SYSTEM_SPEC}': {message}")))
}

fn cluster(attribute: Attribute<'_>) -> Result<Cluster, String> {
    let specs = dlti_entries(attribute).ok_or("it is not a '#dlti.target_system_spec'")?;
    let mut devices: Vec<Device> = Vec::new();
    let mut named_links: Vec<(DeviceId, String, Link)> = Vec::new();
    let mut host = Vec::new();
    for (name, spec) in specs {
        let entries =
            dlti_entries(spec).ok_or_else(|| format!("'{name}' is not a '#dlti.target_device_spec'"))?;
        if name == HOST {
            host = entries;
            continue;
        }
        if devices.len() == MAX_DEVICES {
            return Err(format!("more than {MAX_DEVICES} devices"));
        }
        let device = device(&name, &entries).map_err(|message| format!("device '{name}': {message}"))?;
        for (other, link) in entry(&entries, "links").map_or(Ok(Vec::new()), links)? {
            named_links.push((DeviceId(devices.len()), other, link));
        }
        devices.push(device);
    }
    let mut resolved = Vec::new();
    for (from, name, link) in named_links {
        let to = devices
            .iter()
            .position(|device| device.name == name)
            .map(DeviceId)
            .ok_or_else(|| format!("a link to '{name}', which is no device"))?;
        resolved.push((from, to, link));
    }
    let complete = resolved.len() == devices.len() * devices.len().saturating_sub(1);
    let default_link = match (entry(&host, "link"), devices.first()) {
        (Some(attribute), _) => link("link", attribute)?,
        (None, Some(first)) if complete => first.from_host,
        (None, Some(_)) => {
            return Err(
                "no link between the devices: add \"link\" = [bytes per second, seconds] to \"host\"".into(),
            );
        }
        (None, None) => return Err("it describes no device besides the host".into()),
    };
    let host_memory =
        entry(&host, "memory_bytes").map(|size| bytes("host memory_bytes", size)).transpose()?;
    let cluster = Cluster { devices, default_link, links: resolved, host_memory };
    cluster.check()?;
    Ok(cluster)
}

fn entry<'c>(entries: &Entries<'c>, key: &str) -> Option<Attribute<'c>> {
    entries.iter().find(|(known, _)| known == key).map(|(_, value)| *value)
}

fn device(name: &str, entries: &Entries<'_>) -> Result<Device, String> {
    let required = |key: &str, example: &str| {
        entry(entries, key).ok_or_else(|| format!("no {key}: add \"{key}\" = {example}"))
    };
    let cores = match entry(entries, "cores") {
        None => None,
        Some(count) => Some(CoreModel {
            count: whole("cores", count)? as usize,
            memory_per_core: bytes("core_memory_bytes", required("core_memory_bytes", "1048576 : i64")?)?,
            speed_up: entry(entries, "core_speed_up")
                .map_or(Ok(Vec::new()), |list| numbers("core_speed_up", list))?,
        }),
    };
    let group = match entry(entries, "group_cores") {
        None => None,
        Some(count) => Some(CoreGroup {
            cores: whole("group_cores", count)? as usize,
            speed_up: number("group_speed_up", required("group_speed_up", "2.0")?)?,
        }),
    };
    let slot = match entry(entries, "stage") {
        None => None,
        Some(chunk) => Some(Slot {
            chunk: whole("stage", chunk)? as usize,
            chunks: whole("stages", required("stages", "2 : i64")?)? as usize,
        }),
    };
    let peak = required("peak_flops", "{f32 = 1.0e13}")?;
    let mut peak_flops = IndexMap::new();
    match dictionary(peak) {
        None => {
            peak_flops.insert(Arithmetic::F32, number("peak_flops", peak)?);
        }
        Some(rates) => {
            for (key, rate) in rates {
                let known = ARITHMETICS.iter().find(|(known, _)| *known == key);
                let (_, arithmetic) =
                    known.ok_or_else(|| format!("peak_flops of an unknown type '{key}'"))?;
                peak_flops.insert(*arithmetic, number("peak_flops", rate)?);
            }
        }
    }
    let kind = entry(entries, "kind").and_then(ir::string_value);
    Ok(Device {
        name: name.to_owned(),
        kind: kind.unwrap_or_else(|| name.to_owned()),
        memory: bytes("memory_bytes", required("memory_bytes", "17179869184 : i64")?)?,
        peak_flops,
        memory_bandwidth: number("memory_bandwidth", required("memory_bandwidth", "9.0e11")?)?,
        launch_overhead_seconds: entry(entries, "launch_overhead")
            .map_or(Ok(0.0), |time| number("launch_overhead", time))?,
        to_host: link("to_host", required("to_host", "[1.6e10, 1.0e-5]")?)?,
        from_host: link("from_host", required("from_host", "[1.6e10, 1.0e-5]")?)?,
        cores,
        group,
        slot,
    })
}

fn whole(what: &str, attribute: Attribute<'_>) -> Result<u64, String> {
    ir::integer_value(attribute).and_then(|value| u64::try_from(value).ok()).ok_or_else(|| {
        format!("{what} is {}: write a 64-bit integer that is not negative", of_attribute(attribute))
    })
}

fn bytes(what: &str, attribute: Attribute<'_>) -> Result<Bytes, String> {
    whole(what, attribute).map(Bytes)
}

fn number(what: &str, attribute: Attribute<'_>) -> Result<f64, String> {
    ir::float_value(attribute)
        .or_else(|| ir::integer_value(attribute).map(|value| value as f64))
        .ok_or_else(|| format!("{what} is {}: write a number", of_attribute(attribute)))
}

fn numbers(what: &str, attribute: Attribute<'_>) -> Result<Vec<f64>, String> {
    let elements = ir::elements(attribute)
        .ok_or_else(|| format!("{what} is {}: write a list of numbers", of_attribute(attribute)))?;
    elements.into_iter().map(|element| number(what, element)).collect()
}

fn link(what: &str, attribute: Attribute<'_>) -> Result<Link, String> {
    match numbers(what, attribute)?.as_slice() {
        [bandwidth] => Ok(Link { bytes_per_second: *bandwidth, latency_seconds: 0.0 }),
        [bandwidth, latency] => Ok(Link { bytes_per_second: *bandwidth, latency_seconds: *latency }),
        _ => Err(format!("{what} is {}: write [bytes per second, seconds]", of_attribute(attribute))),
    }
}

fn links(attribute: Attribute<'_>) -> Result<Vec<(String, Link)>, String> {
    dictionary(attribute)
        .ok_or_else(|| {
            format!("links is {}: write {{name = [bytes per second, seconds]}}", of_attribute(attribute))
        })?
        .into_iter()
        .map(|(name, value)| Ok((name, link("links", value)?)))
        .collect()
}

fn dictionary(attribute: Attribute<'_>) -> Option<Entries<'_>> {
    let entries = ir::entries(attribute)?;
    Some(entries.into_iter().map(|(name, value)| (readable(name), value)).collect())
}
