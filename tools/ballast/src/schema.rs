//! `ballast schema`: the JSON schemas of the files that other programs read and write.

use ballast_core::instance::{Instance, Steps};
use ballast_core::plan::Plan;
use ballast_core::profile::Profile;
use ballast_dag::workload::WorkloadFile;

use crate::failure::Failure;
use crate::output;

/// Arguments of `ballast schema`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Of which file.
    #[arg(value_enum, default_value_t = File::Plan)]
    file: File,
}

/// A file with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum File {
    /// Plan file of a program, written by `--remat="plan-file=..."`.
    Plan,
    /// Memory-planning instance, read by `ballast remat`, `curve` and `judge`.
    Instance,
    /// Plan of an instance: its steps.
    Steps,
    /// Measured op times, written by `ballast profile` and read by `profile=` of the passes.
    Profile,
    /// Workload graph, read by `ballast partition` and `judge`.
    Workload,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let schema = match args.file {
        File::Plan => schemars::schema_for!(Plan),
        File::Instance => schemars::schema_for!(Instance),
        File::Steps => schemars::schema_for!(Steps),
        File::Profile => schemars::schema_for!(Profile),
        File::Workload => schemars::schema_for!(WorkloadFile),
    };
    output::write_json(&schema, None)
}
