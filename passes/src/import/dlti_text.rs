//! Writes a [`Cluster`] as `dlti.target_system_spec`, the way [`super::dlti`] reads it.

use std::fmt::Write;

use ballast_core::device::{Cluster, Device, DeviceId, Link};
use ballast_dialects::attributes::PLAN;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use melior::ir::Attribute;
use melior::ir::operation::{OperationLike, OperationRef};

use super::dlti::{ARITHMETICS, HOST, SYSTEM_SPEC};

/// Describes the devices in the module that `planned` was planned for, in place of an earlier description; other functions whose plans
/// were made for that are told so.
///
/// # Errors
/// When MLIR does not take the description, which is a bug.
pub(crate) fn write(
    module: OperationRef<'_, '_>,
    cluster: &Cluster,
    planned: OperationRef<'_, '_>,
) -> Result<(), Reported> {
    let context = ir::context(module);
    let Some(attribute) = Attribute::parse(context, &spec(cluster)) else {
        return Err(diagnostics::error(
            module.location(),
            "internal error: the devices cannot be written as DLTI",
        ));
    };
    if ir::attribute(module, SYSTEM_SPEC).is_some_and(|before| before != attribute) {
        for (name, other) in super::functions(module) {
            if other != planned && other.has_attribute(PLAN) {
                let text = format!(
                    "the plan of @{name} was made for other devices than these, and a module describes one set: it can no longer be \
                     checked or carried out. Carry it out first, or plan both for the same devices"
                );
                diagnostics::warning(ir::place(other), &text);
            }
        }
    }
    ir::set(module, SYSTEM_SPEC, attribute);
    Ok(())
}

/// Are these the devices that the module describes? What is around the module tells of it, too, as where the description is read.
pub(crate) fn describes(module: OperationRef<'_, '_>, cluster: &Cluster) -> bool {
    let around = std::iter::successors(Some(module), |op| op.parent_operation());
    let described = around.into_iter().find_map(|op| ir::attribute(op, SYSTEM_SPEC));
    described.is_some() && described == Attribute::parse(ir::context(module), &spec(cluster))
}

fn spec(cluster: &Cluster) -> String {
    let mut devices: Vec<String> = Vec::new();
    for (id, device) in DeviceId::of(&cluster.devices) {
        let links = cluster.links.iter().filter(|(from, ..)| *from == id);
        let links = links
            .map(|(_, to, between)| format!("{} = {}", quoted(&cluster.devices[*to].name), link(between)));
        devices.push(device_spec(device, &links.collect::<Vec<_>>()));
    }
    let mut host = format!("\"link\" = {}", link(&cluster.default_link));
    if let Some(memory) = cluster.host_memory {
        let _ = write!(host, ", \"memory_bytes\" = {} : i64", memory.0);
    }
    devices.push(format!("{} = #dlti.target_device_spec<{host}>", quoted(HOST)));
    format!("#dlti.target_system_spec<{}>", devices.join(", "))
}

fn device_spec(device: &Device, links: &[String]) -> String {
    let peaks: Vec<String> = ARITHMETICS
        .iter()
        .filter_map(|(name, arithmetic)| {
            Some(format!("{name} = {}", number(*device.peak_flops.get(arithmetic)?)))
        })
        .collect();
    let mut entries = vec![
        format!("\"kind\" = {}", quoted(&device.kind)),
        format!("\"memory_bytes\" = {} : i64", device.memory.0),
        format!("\"memory_bandwidth\" = {}", number(device.memory_bandwidth)),
        format!("\"peak_flops\" = {{{}}}", peaks.join(", ")),
        format!("\"launch_overhead\" = {}", number(device.launch_overhead_seconds)),
        format!("\"to_host\" = {}", link(&device.to_host)),
        format!("\"from_host\" = {}", link(&device.from_host)),
    ];
    if !links.is_empty() {
        entries.push(format!("\"links\" = {{{}}}", links.join(", ")));
    }
    if let Some(cores) = &device.cores {
        entries.push(format!("\"cores\" = {} : i64", cores.count));
        entries.push(format!("\"core_memory_bytes\" = {} : i64", cores.memory_per_core.0));
        if !cores.speed_up.is_empty() {
            let speed_up: Vec<String> = cores.speed_up.iter().copied().map(number).collect();
            entries.push(format!("\"core_speed_up\" = [{}]", speed_up.join(", ")));
        }
    }
    if let Some(group) = device.group {
        entries.push(format!("\"group_cores\" = {} : i64", group.cores));
        entries.push(format!("\"group_speed_up\" = {}", number(group.speed_up)));
    }
    if let Some(slot) = device.slot {
        entries.push(format!("\"stage\" = {} : i64", slot.chunk));
        entries.push(format!("\"stages\" = {} : i64", slot.chunks));
    }
    format!("{} = #dlti.target_device_spec<{}>", quoted(&device.name), entries.join(", "))
}

fn link(link: &Link) -> String {
    format!("[{}, {}]", number(link.bytes_per_second), number(link.latency_seconds))
}

/// The shortest text that reads back to the same bits; MLIR wants a point in it.
fn number(value: f64) -> String {
    let text = format!("{value:e}");
    if text.contains('.') { text } else { text.replacen('e', ".0e", 1) }
}

fn quoted(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' | 0..=31 | 127..=255 => format!("\\{byte:02X}"),
        _ => char::from(byte).to_string(),
    };
    format!("\"{}\"", text.bytes().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use ballast_core::device::CoreGroup;

    use super::*;
    use crate::import::dlti;
    use crate::import::tests::context;
    use melior::ir::Module;

    #[test]
    fn what_is_written_reads_back_to_the_same_cluster() {
        let mut cluster = Cluster::from_count(3).expect("the default kind");
        cluster.devices[1].name = "odd \"name\" \\ with ümlaut".to_owned();
        cluster.devices[1].memory_bandwidth = 1.0 / 3.0;
        cluster.devices[2].group = Some(CoreGroup { cores: 3, speed_up: 2.0 / 3.0 });
        cluster.links.push((
            DeviceId(0),
            DeviceId(1),
            Link { bytes_per_second: 1e300, latency_seconds: 1e-7 },
        ));
        cluster.host_memory = Some(ballast_core::units::Bytes(1 << 40));
        let context = context();
        let module = Module::parse(&context, "func.func private @planned()").expect("a function");
        let functions = crate::import::functions(module.as_operation());
        write(module.as_operation(), &cluster, functions[0].1).expect("taken");
        assert_eq!(dlti::read(module.as_operation()).expect("sound"), Some(cluster));
    }
}
