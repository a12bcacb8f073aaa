//! Device files: TOML in, [`Cluster`] out, every mistake reported with file, line and remedy. Ready-made kinds are such files, with
//! the public source of every figure.

use std::ops::Range;
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use toml::Spanned;

use super::cluster::{Cluster, CoreModel, Device, DeviceId, Link, MAX_DEVICES};
use super::quantity::{Count, Quantity};
use crate::graph::Arithmetic;
use crate::units::Bytes;

/// Version of the device file format this program reads.
pub const FILE_VERSION: u32 = 1;

/// A device description that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}{}: {message}", .place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default())]
pub struct DeviceError {
    /// File, or the option text where there is no file.
    pub origin: String,
    /// Line and column, from 1.
    pub place: Option<(usize, usize)>,
    /// What is wrong and what to write instead.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    version: Spanned<u32>,
    host_memory: Option<Spanned<Quantity>>,
    #[serde(default)]
    kinds: IndexMap<String, Spanned<Kind>>,
    #[serde(default)]
    devices: Vec<Spanned<Entry>>,
    link: Option<Spanned<LinkText>>,
    #[serde(default)]
    links: Vec<Spanned<Between>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Kind {
    like: Option<Spanned<String>>,
    memory: Option<Spanned<Quantity>>,
    #[serde(default)]
    peak: IndexMap<Arithmetic, Spanned<Quantity>>,
    memory_bandwidth: Option<Spanned<Quantity>>,
    launch_overhead: Option<Spanned<Quantity>>,
    host_link: Option<Spanned<LinkText>>,
    to_host: Option<Spanned<LinkText>>,
    from_host: Option<Spanned<LinkText>>,
    cores: Option<Spanned<Cores>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LinkText {
    bandwidth: Spanned<Quantity>,
    latency: Option<Spanned<Quantity>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Cores {
    count: Spanned<Count>,
    memory_per_core: Spanned<Quantity>,
    #[serde(default)]
    speed_up: Vec<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    kind: Spanned<String>,
    count: Option<Spanned<Count>>,
    name: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Between {
    from: Spanned<String>,
    to: Spanned<String>,
    bandwidth: Spanned<Quantity>,
    latency: Option<Spanned<Quantity>>,
    #[serde(default)]
    one_way: bool,
}

/// Turns byte positions into places of the error messages.
struct Source<'a> {
    origin: &'a str,
    text: &'a str,
}

impl Source<'_> {
    fn error(&self, span: Option<Range<usize>>, message: impl Into<String>) -> DeviceError {
        let place = span.map(|span| {
            let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
            let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
            let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
            (line, column)
        });
        DeviceError { origin: self.origin.to_owned(), place, message: message.into() }
    }

    /// Reads one quantity with one of its unit readers, placing the complaint.
    fn read<T>(
        &self,
        quantity: &Spanned<Quantity>,
        reader: impl Fn(&Quantity) -> Result<T, String>,
    ) -> Result<T, DeviceError> {
        reader(quantity.get_ref()).map_err(|message| self.error(Some(quantity.span()), message))
    }

    fn link(
        &self,
        bandwidth: &Spanned<Quantity>,
        latency: Option<&Spanned<Quantity>>,
    ) -> Result<Link, DeviceError> {
        Ok(Link {
            bytes_per_second: self.read(bandwidth, Quantity::bytes_per_second)?,
            latency_seconds: latency.map_or(Ok(0.0), |latency| self.read(latency, Quantity::seconds))?,
        })
    }

    fn link_text(&self, text: &Spanned<LinkText>) -> Result<Link, DeviceError> {
        self.link(&text.get_ref().bandwidth, text.get_ref().latency.as_ref())
    }
}

/// Reads a device file.
///
/// # Errors
/// A file that cannot be read, and everything [`parse`] refuses.
pub fn load(path: &Path) -> Result<Cluster, DeviceError> {
    let origin = path.display().to_string();
    match crate::file::read_text(path) {
        Ok(text) => parse(&origin, &text),
        Err(error) => Err(DeviceError {
            origin,
            place: None,
            message: format!("the device file cannot be read: {error}"),
        }),
    }
}

/// Reads the text of a device file; `origin` names it in messages.
///
/// # Errors
/// The first mistake in the file, with its line and a remedy.
pub fn parse(origin: &str, text: &str) -> Result<Cluster, DeviceError> {
    let source = Source { origin, text };
    let file: File = toml::from_str(text)
        .map_err(|error| source.error(error.span(), error.message().trim_end().replace('\n', "; ")))?;
    if *file.version.get_ref() != FILE_VERSION {
        let message = format!(
            "version {} is not known: this program reads version {FILE_VERSION}",
            file.version.get_ref()
        );
        return Err(source.error(Some(file.version.span()), message));
    }
    let devices = devices(&source, &file)?;
    let (default_link, links) = links(&source, &file, &devices)?;
    let host_memory = file.host_memory.as_ref().map(|size| source.read(size, Quantity::bytes)).transpose()?;
    let cluster = Cluster { devices, default_link, links, host_memory };
    cluster.check().map_err(|message| source.error(None, message))?;
    Ok(cluster)
}

fn devices(source: &Source<'_>, file: &File) -> Result<Vec<Device>, DeviceError> {
    let mut kinds: IndexMap<&str, Device> = IndexMap::new();
    for (name, kind) in &file.kinds {
        kinds.insert(name, describe(source, name, kind)?);
    }
    let mut devices: Vec<Device> = Vec::new();
    for entry in &file.devices {
        let (span, entry) = (entry.span(), entry.get_ref());
        let kind = entry.kind.get_ref();
        let template = match kinds.get(kind.as_str()) {
            Some(template) => template.clone(),
            None => ready_made_device(kind).ok_or_else(|| {
                let message = format!(
                    "no kind '{kind}': describe it as [kinds.{kind}] or use a ready-made one ({})",
                    ready_made_kinds().join(", ")
                );
                source.error(Some(entry.kind.span()), message)
            })?,
        };
        let count = entry.count.as_ref().map_or(1, |count| count.get_ref().0);
        let all = devices.len().saturating_add(count);
        if count == 0 || all > MAX_DEVICES {
            let at = entry.count.as_ref().map_or(span, Spanned::span);
            let message = match (devices.len(), count) {
                (_, 0) => format!("count is 0: write 1 to {MAX_DEVICES}"),
                (0, _) => format!("count is {count}: write 1 to {MAX_DEVICES}"),
                _ => format!("{count} more make {all} devices: at most {MAX_DEVICES} in all"),
            };
            return Err(source.error(Some(at), message));
        }
        for copy in 0..count {
            let name = match &entry.name {
                Some(name) if count == 1 => name.get_ref().clone(),
                Some(name) => format!("{}{copy}", name.get_ref()),
                None => format!("{kind}-{}", devices.iter().filter(|device| device.kind == *kind).count()),
            };
            if devices.iter().any(|device| device.name == name) {
                let at = entry.name.as_ref().map_or(entry.kind.span(), Spanned::span);
                return Err(source.error(Some(at), format!("two devices are called '{name}': rename one")));
            }
            devices.push(Device { name, ..template.clone() });
        }
    }
    if devices.is_empty() {
        let message = "no devices: add an entry [[devices]] with a kind and a count";
        return Err(source.error(Some(0..0), message));
    }
    Ok(devices)
}

/// One device of a kind, its own entries over those of the kind it is like.
fn describe(source: &Source<'_>, name: &str, kind: &Spanned<Kind>) -> Result<Device, DeviceError> {
    let (span, kind) = (kind.span(), kind.get_ref());
    let base = match &kind.like {
        None => None,
        Some(like) => Some(ready_made_device(like.get_ref()).ok_or_else(|| {
            let message = format!(
                "no ready-made kind '{}': there are {}",
                like.get_ref(),
                ready_made_kinds().join(", ")
            );
            source.error(Some(like.span()), message)
        })?),
    };
    let missing = |what: &str, example: &str| {
        source.error(Some(span.clone()), format!("kind '{name}' has no {what}: add {example}"))
    };
    let cores = match &kind.cores {
        None => base.as_ref().and_then(|base| base.cores.clone()),
        Some(cores) => Some(core_model(source, cores)?),
    };
    let memory = match &kind.memory {
        Some(memory) => source.read(memory, Quantity::bytes)?,
        None => cores
            .as_ref()
            .filter(|_| kind.cores.is_some())
            .map(|cores| Bytes(cores.memory_per_core.0.saturating_mul(cores.count as u64)))
            .or(base.as_ref().map(|base| base.memory))
            .ok_or_else(|| missing("memory", "memory = \"16GiB\""))?,
    };
    let mut peak_flops = base.as_ref().map(|base| base.peak_flops.clone()).unwrap_or_default();
    for (arithmetic, rate) in &kind.peak {
        peak_flops.insert(*arithmetic, source.read(rate, Quantity::operations_per_second)?);
    }
    if peak_flops.is_empty() {
        return Err(missing("peak rate", "peak = { f32 = \"10TFLOP/s\" }"));
    }
    let memory_bandwidth = match &kind.memory_bandwidth {
        Some(bandwidth) => source.read(bandwidth, Quantity::bytes_per_second)?,
        None => base
            .as_ref()
            .map(|base| base.memory_bandwidth)
            .ok_or_else(|| missing("memory bandwidth", "memory-bandwidth = \"900GB/s\""))?,
    };
    let launch_overhead_seconds = match &kind.launch_overhead {
        Some(time) => source.read(time, Quantity::seconds)?,
        None => base.as_ref().map_or(0.0, |base| base.launch_overhead_seconds),
    };
    let host = |own: &Option<Spanned<LinkText>>, of_base: Option<Link>| match own
        .as_ref()
        .or(kind.host_link.as_ref())
    {
        Some(text) => source.link_text(text),
        None => of_base.ok_or_else(|| {
            missing("host link", "host-link = { bandwidth = \"16GB/s\", latency = \"10us\" }")
        }),
    };
    Ok(Device {
        name: name.to_owned(),
        kind: name.to_owned(),
        memory,
        peak_flops,
        memory_bandwidth,
        launch_overhead_seconds,
        to_host: host(&kind.to_host, base.as_ref().map(|base| base.to_host))?,
        from_host: host(&kind.from_host, base.as_ref().map(|base| base.from_host))?,
        cores,
        group: None,
        slot: None,
    })
}

fn core_model(source: &Source<'_>, cores: &Spanned<Cores>) -> Result<CoreModel, DeviceError> {
    let cores = cores.get_ref();
    let count = cores.count.get_ref().0;
    if count == 0 || count > MAX_DEVICES {
        let message = format!("a chip with {count} cores: write 1 to {MAX_DEVICES}");
        return Err(source.error(Some(cores.count.span()), message));
    }
    if let Some(last) = cores.speed_up.last()
        && cores.speed_up.len() != count
    {
        let message = format!(
            "speed-up has {} entries for {count} cores: write one per number of cores, or none for linear",
            cores.speed_up.len()
        );
        return Err(source.error(Some(last.span()), message));
    }
    for entry in &cores.speed_up {
        if !(entry.get_ref().is_finite() && *entry.get_ref() > 0.0) {
            let message = format!("a speed-up of {}: write a number above zero", entry.get_ref());
            return Err(source.error(Some(entry.span()), message));
        }
    }
    Ok(CoreModel {
        count,
        memory_per_core: source.read(&cores.memory_per_core, Quantity::bytes)?,
        speed_up: cores.speed_up.iter().map(|entry| *entry.get_ref()).collect(),
    })
}

type Links = Vec<(DeviceId, DeviceId, Link)>;

fn links(source: &Source<'_>, file: &File, devices: &[Device]) -> Result<(Link, Links), DeviceError> {
    let mut links: IndexMap<(DeviceId, DeviceId), Link> = IndexMap::new();
    for between in &file.links {
        let (span, between) = (between.span(), between.get_ref());
        let find = |name: &Spanned<String>| {
            devices.iter().position(|device| device.name == *name.get_ref()).map(DeviceId).ok_or_else(|| {
                let message =
                    format!("no device '{}': devices are called {}", name.get_ref(), listed(devices));
                source.error(Some(name.span()), message)
            })
        };
        let (from, to) = (find(&between.from)?, find(&between.to)?);
        if from == to {
            return Err(source.error(Some(span), "a link from a device to itself: remove it"));
        }
        let link = source.link(&between.bandwidth, between.latency.as_ref())?;
        let pairs = [Some((from, to)), (!between.one_way).then_some((to, from))];
        for pair in pairs.into_iter().flatten() {
            if links.insert(pair, link).is_some() {
                let message = format!(
                    "the link from '{}' to '{}' is given twice: remove one, or add one-way = true to both",
                    devices[pair.0].name, devices[pair.1].name
                );
                return Err(source.error(Some(span), message));
            }
        }
    }
    let default = match &file.link {
        Some(text) => source.link_text(text)?,
        // Every pair has a link of its own, or there is no pair: the entry is never asked for.
        None if links.len() == devices.len() * (devices.len() - 1) => devices[0].from_host,
        None => {
            let message = "no link between the devices: add [link] with bandwidth = \"25GB/s\"";
            return Err(source.error(Some(0..0), message));
        }
    };
    Ok((default, links.into_iter().map(|((from, to), link)| (from, to, link)).collect()))
}

fn listed(devices: &[Device]) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<&str> = devices.iter().take(SHOWN).map(|device| device.name.as_str()).collect();
    if devices.len() > SHOWN {
        names.push("...");
    }
    names.join(", ")
}

/// Kind used where only a number of devices is given.
pub const DEFAULT_KIND: &str = "a100-80gb";

/// Name and file of every ready-made kind.
const FILES: [(&str, &str); 18] = [
    ("a100-40gb", include_str!("../devices/a100-40gb.toml")),
    ("a100-80gb", include_str!("../devices/a100-80gb.toml")),
    ("b200", include_str!("../devices/b200.toml")),
    ("board-chip", include_str!("../devices/board-chip.toml")),
    ("cpu", include_str!("../devices/cpu.toml")),
    ("h100-80gb", include_str!("../devices/h100-80gb.toml")),
    ("h200", include_str!("../devices/h200.toml")),
    ("l40s", include_str!("../devices/l40s.toml")),
    ("mi300x", include_str!("../devices/mi300x.toml")),
    ("rtx-4090", include_str!("../devices/rtx-4090.toml")),
    ("rtx-5090", include_str!("../devices/rtx-5090.toml")),
    ("rtx2080ti", include_str!("../devices/rtx2080ti.toml")),
    ("tpu-v3-core", include_str!("../devices/tpu-v3-core.toml")),
    ("tpu-v5e", include_str!("../devices/tpu-v5e.toml")),
    ("tpu-v5p", include_str!("../devices/tpu-v5p.toml")),
    ("tpu-v6e", include_str!("../devices/tpu-v6e.toml")),
    ("v100-16gb", include_str!("../devices/v100-16gb.toml")),
    ("v100-32gb", include_str!("../devices/v100-32gb.toml")),
];

/// Names of the ready-made kinds, sorted.
#[must_use]
pub fn ready_made_kinds() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// The ready-made file of a kind: one device and the link between two of its kind.
pub(super) fn ready_made(name: &str) -> Option<Cluster> {
    let (name, text) = FILES.iter().find(|(known, _)| *known == name)?;
    parse(&format!("{name}.toml"), text).ok()
}

/// One device of a ready-made kind.
fn ready_made_device(name: &str) -> Option<Device> {
    ready_made(name)?.devices.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ready_made_file_describes_one_device_of_its_name() {
        for (name, text) in FILES {
            let cluster = parse(name, text).unwrap();
            assert_eq!(cluster.devices.len(), 1, "{name}");
            assert_eq!(cluster.devices[0].kind, name);
            assert!(text.contains("Source"), "{name} names no source");
        }
    }

    #[test]
    fn counts_that_cannot_be_are_refused_with_what_is_too_much_of_them() {
        let refused = |counts: [&str; 2]| {
            let entries = counts.map(|count| format!("[[devices]]\nkind = \"cpu\"\ncount = {count}\n"));
            let text = format!("version = 1\nlink = {{ bandwidth = \"1GB/s\" }}\n{}", entries.concat());
            parse("d.toml", &text).expect_err("refused").to_string()
        };
        let said = refused(["4096", "4096"]);
        assert!(said.starts_with("d.toml:8:9: 4096 more make 8192 devices: at most 4096 in all"), "{said}");
        let said = refused(["4097", "1"]);
        assert!(said.starts_with("d.toml:5:9: count is 4097: write 1 to 4096"), "{said}");
        for count in ["-1", "0", "1.5", "\"two\""] {
            let said = refused(["1", count]);
            assert!(said.starts_with("d.toml:8:9: ") && !said.contains("usize"), "{said}");
            assert!(said.contains("a whole number from 1") || said.contains("write 1 to 4096"), "{said}");
        }
    }

    #[test]
    fn the_default_kind_is_ready_made_and_names_are_sorted() {
        assert!(ready_made_kinds().contains(&DEFAULT_KIND));
        assert!(ready_made_kinds().is_sorted());
    }
}
