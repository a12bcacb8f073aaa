//! Hostile input: for every kind of it a function that panics where a promise is broken.
//!
//! `cargo xtask soak` runs the functions under libFuzzer, which makes inputs of its own and keeps those that reach new code; it starts
//! from the files under `corpus/`. What was found once lies under `found/`, and the tests run both.

pub mod commands;
pub mod faults;
pub mod judged;
pub mod options;
pub mod planned;
pub mod programs;
pub mod readers;
mod source;

/// Takes an input of one kind.
pub type Target = fn(&[u8]);

/// Every kind of input by name.
pub const TARGETS: [(&str, Target); 14] = [
    ("cluster", readers::cluster),
    ("commands", commands::run),
    ("device", readers::device),
    ("instance", readers::instance),
    ("judge", judged::run),
    ("layers", readers::layers),
    ("network", readers::network),
    ("options", options::run),
    ("planner", planned::run),
    ("profile", readers::profile),
    ("programs", programs::run),
    ("table", readers::table),
    ("topology", readers::topology),
    ("workload", readers::workload),
];

/// The kind of that name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|&(_, target)| target)
}
