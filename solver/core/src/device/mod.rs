//! Devices and the links between them: the data, device files, and ready-made kinds.

mod cluster;
mod file;
mod quantity;
mod spec;

pub use cluster::{Cluster, CoreGroup, CoreModel, Device, DeviceId, Link, MAX_DEVICES, Slot};
pub use file::{DEFAULT_KIND, DeviceError, FILE_VERSION, load, parse, ready_made_kinds};

#[cfg(test)]
mod tests;
