//! Ready-made device kinds: one TOML file each, with the public source of every figure.

use super::{Cluster, Device, file};

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
pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// The ready-made file of a kind: one device and the link between two of its kind.
pub(super) fn cluster(name: &str) -> Option<Cluster> {
    let (name, text) = FILES.iter().find(|(known, _)| *known == name)?;
    file::parse(&format!("{name}.toml"), text).ok()
}

/// One device of a ready-made kind.
pub(super) fn device(name: &str) -> Option<Device> {
    cluster(name)?.devices.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ready_made_file_describes_one_device_of_its_name() {
        for (name, text) in FILES {
            let cluster = file::parse(name, text).unwrap();
            assert_eq!(cluster.devices.len(), 1, "{name}");
            assert_eq!(cluster.devices[0].kind, name);
            assert!(text.contains("Source"), "{name} names no source");
        }
    }

    #[test]
    fn the_default_kind_is_ready_made_and_names_are_sorted() {
        assert!(names().contains(&DEFAULT_KIND));
        assert!(names().is_sorted());
    }
}
