//! The referee of claims: small random programs planned under all options, and every bound, proof and refusal held against
//! brute force and against the plans of all other runs.
//!
//! A bound names the class of plans it holds for. So for every program: no plan of the class, found by whichever run or by trying all of them,
//! may be better than the bound; no plan may exist where one was refused with proof; and a run that may do more must not find less.

#![forbid(unsafe_code)]

pub mod chips;
pub mod clock;
pub mod in_full;
pub mod ledger;
pub mod memory;
pub mod placements;
pub mod programs;
pub mod stages;
pub mod tables;
pub mod wholes;
pub mod workloads;

pub use ledger::Ledger;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Ops of a program over devices.
    Placements,
    /// Ops of a program over the cores of a chip.
    Chips,
    /// Memory of one op sequence.
    Memory,
    /// Memory of a program on one device, through the planner.
    Stages,
    /// Workload graphs.
    Workloads,
    /// Tables of layers.
    Tables,
    /// Placement and memory together, pipelines included.
    Wholes,
}

/// Plans and examines the program of a seed.
pub type Examine = fn(u64, &mut Ledger);

impl Domain {
    /// Every domain with its name and the function that plans and examines the program of a seed.
    pub const ALL: [(Domain, &'static str, Examine); 7] = [
        (Domain::Placements, "placements", placements::examine),
        (Domain::Chips, "chips", chips::examine),
        (Domain::Memory, "memory", memory::examine),
        (Domain::Stages, "stages", stages::examine),
        (Domain::Workloads, "workloads", workloads::examine),
        (Domain::Tables, "tables", tables::examine),
        (Domain::Wholes, "wholes", wholes::examine),
    ];
}

/// Plans and examines the program of a seed. A panic is a contradiction like any other.
pub fn examine(domain: Domain, seed: u64, ledger: &mut Ledger) {
    let Some(&(_, name, examine)) = Domain::ALL.iter().find(|(which, ..)| *which == domain) else { return };
    ledger.begin(name, seed);
    if catch_unwind(AssertUnwindSafe(|| examine(seed, ledger))).is_err() {
        ledger.contradicts("a panic".to_owned());
    }
}
