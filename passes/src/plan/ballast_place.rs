//! `--ballast-place`: functions as training jobs, their times from the cost model, placed on a cluster.

use std::path::Path;

use ballast_core::file;
use ballast_dialects::attributes as names;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::passes::{self, BallastPlaceOptions, CapCounts, FusionModel, HeapGaps};
use ballast_dialects::remarks::Kind;
use ballast_dialects::text;
use ballast_jobs::{FILE_VERSION, Job, JobCluster, JobError, JobList, Method, PlacerSource};
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, FloatAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Identifier, Type};

use crate::files::{self, named};
use crate::import;
use crate::program::{self, Chosen, Loops, Program, Source};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; nothing is written then, neither into the module nor to a file.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastPlaceOptions) -> Result<(), Reported> {
    let refuse = |text: &str| diagnostics::error(module.location(), text);
    if options.cluster.is_empty() {
        return Err(refuse("cluster= names no file: jobs are placed on the devices of a cluster file"));
    }
    let inputs = [
        named("cluster", &options.cluster),
        named("network", &options.network),
        files::devices(&options.devices),
        named("profile", &options.profile),
    ];
    files::check(module, inputs.into_iter().flatten(), named("placement-file", &options.placement_file))
        .map_err(|text| refuse(&text))?;
    let text = file::read_text(Path::new(&options.cluster))
        .map_err(|error| refuse(&format!("{}: {error}", options.cluster)))?;
    let cluster =
        JobCluster::parse(&text).map_err(|error| refuse(&format!("{}: {error}", options.cluster)))?;
    let programs = jobs(module, options)?;
    if programs.is_empty() {
        return Err(refuse("no public function with a body: there is no job to place"));
    }
    let list = JobList { version: FILE_VERSION, jobs: programs.iter().map(|(job, _)| job.clone()).collect() };
    let network = (!options.network.is_empty()).then(|| Path::new(&options.network));
    let source = PlacerSource { network, seed: options.seed, ..PlacerSource::default() };
    let period = method(options, network).place(&list, &cluster, &source).map_err(|error| {
        let text = error.to_string();
        // A job that the cluster cannot serve is named in the message; it is shown where it stands.
        let job = programs.iter().find(|(job, _)| {
            matches!(error, JobError::NoPlacement(_)) && text.contains(&format!("'{}'", job.name))
        });
        job.map_or_else(|| refuse(&text), |(_, program)| program.error(None, &text))
    })?;
    if !options.placement_file.is_empty() {
        let text = serde_json::to_string_pretty(&period).expect("a placement is JSON");
        files::write(module, Path::new(&options.placement_file), text.as_bytes())
            .map_err(|error| refuse(&format!("{} cannot be written: {error}", options.placement_file)))?;
    }
    for (job, program) in &programs {
        let devices = period
            .placed
            .iter()
            .find(|placed| placed.job == job.name)
            .map_or(&[][..], |placed| placed.devices.as_slice());
        write(program, job, devices);
    }
    Ok(())
}

/// The jobs of a module with their programs, in order.
fn jobs<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    options: &BallastPlaceOptions,
) -> Result<Vec<(Job, Program<'c, 'a>)>, Reported> {
    import::functions(module)
        .into_iter()
        .filter(|(_, op)| {
            ir::string(*op, "sym_visibility").is_none_or(|visibility| visibility == "public")
                && import::has_body(*op)
        })
        .map(|(name, op)| {
            let (devices, steps) = request(op, options)?;
            let program = program::read_as_is(
                module,
                &Source {
                    function: &name,
                    devices: &options.devices,
                    dynamic_dim: options.dynamic_dim,
                    profile: &options.profile,
                    count: options.count,
                    storage: Chosen::Options(FusionModel::None, CapCounts::All, HeapGaps::Room),
                    measured_storage: "",
                    loops: Loops::Whole,
                    gradients: None,
                    products: None,
                    within: None,
                    held: &[],
                    results_apart: false,
                },
            )?;
            let step: f64 = program.costs.seconds.first().map_or(0.0, |ops| ops.iter().sum());
            let job = Job::new(name, devices, step * steps as f64);
            job.check().map_err(|error| diagnostics::error(op.location(), &error.to_string()))?;
            Ok((job, program))
        })
        .collect()
}

/// Devices and steps of a job: what `ballast.job` says, else the options.
fn request(function: OperationRef<'_, '_>, options: &BallastPlaceOptions) -> Result<(usize, u64), Reported> {
    let (mut devices, mut steps) = (options.job_devices, options.steps);
    let Some(job) = ir::attribute(function, names::JOB) else { return Ok((whole(devices), steps)) };
    let refuse = |text: &str| Err(diagnostics::error(function.location(), text));
    let Some(entries) = ir::entries(job) else { return refuse("'ballast.job' must be a dictionary") };
    for (key, value) in entries {
        let key = text::readable(key);
        let slot = match key.as_str() {
            "devices" => &mut devices,
            "steps" => &mut steps,
            _ => {
                return refuse(&format!("'ballast.job' has an entry '{key}': it knows devices and steps"));
            }
        };
        match ir::integer_value(value).and_then(|value| u64::try_from(value).ok()).filter(|&value| value > 0)
        {
            Some(value) => *slot = value,
            None => return refuse(&format!("'ballast.job': {key} is a whole number above 0, not {value}")),
        }
    }
    Ok((whole(devices), steps))
}

/// Clusters are far smaller than what does not fit.
fn whole(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn method(options: &BallastPlaceOptions, network: Option<&Path>) -> Method {
    use passes::PlacementMethod as Named;
    match options.method {
        Named::Auto => Method::default_for(network),
        Named::Learned => Method::Learned,
        Named::Random => Method::Random,
        Named::FirstFit => Method::FirstFit,
        Named::CapacityAware => Method::CapacityAware,
        Named::InterferenceAware => Method::InterferenceAware,
        Named::FaultGreedy => Method::FaultGreedy,
    }
}

fn write(program: &Program<'_, '_>, job: &Job, devices: &[String]) {
    let function = program.imported.function;
    let context = ballast_dialects::ir::context(function);
    let list: Vec<Attribute<'_>> =
        devices.iter().map(|name| StringAttribute::new(context, name).into()).collect();
    let seconds = FloatAttribute::new(context, Type::float64(context), job.seconds);
    let entries = [
        (Identifier::new(context, "devices"), ArrayAttribute::new(context, &list).into()),
        (Identifier::new(context, "seconds"), seconds.into()),
    ];
    let value: Attribute<'_> = DictionaryAttribute::new(context, &entries).into();
    ballast_dialects::ir::set(function, names::PLACEMENT, value);
    let (kind, text) = match devices {
        [] => (Kind::Missed, "waits for devices"),
        _ => (Kind::Passed, "was given devices"),
    };
    program
        .remark(kind, "Placement", text)
        .fact("devices", devices.join(", "))
        .fact("seconds", job.seconds)
        .emit(function.location());
}
