//! What the planning passes share: the program, its devices and its costs from IR and options; limits; notes.

use std::collections::HashSet;
use std::path::Path;

use ballast_core::cap::CapSpec;
use ballast_core::cost::Costs;
use ballast_core::device::{Cluster, DeviceId};
use ballast_core::fusion::Group;
use ballast_core::graph::{Graph, OpId, TensorId};
use ballast_core::limits::Limits;
use ballast_core::pipeline::{Schedule, Spec, first_backward};
use ballast_core::plan::fingerprint;
use ballast_core::predictor::Counting;
use ballast_core::profile::Profile;
use ballast_core::report::Bound;
use ballast_core::stage::{Stage, stages};
use ballast_core::stored::StoredFile;
use ballast_core::units::Bytes;
use ballast_dialects::attributes;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::passes;
use ballast_dialects::remarks::{Kind, Remark};
use indexmap::IndexMap;
use melior::ir::Location;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::backend::storage::Storage;
use crate::files;
use crate::import::{self, ImportOptions, Imported, dlti, sharding};
use crate::parts::{for_devices, within};

/// Seconds a search may take when the user names neither a time nor a work limit.
const DEFAULT_TIME_LIMIT_SECONDS: f64 = 60.0;
/// Where a program and its costs come from, as the passes' options say it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'o> {
    pub function: &'o str,
    pub devices: &'o str,
    pub dynamic_dim: u64,
    pub profile: &'o str,
    pub count: passes::Counting,
    pub storage: Chosen,
    /// Path of what the back end was measured to hold; empty: nothing was.
    pub measured_storage: &'o str,
    pub loops: Loops,
    /// Cap over which the program that is not partitioned, or has one device, has its gradients of max pooling, of depthwise kernels and of gathers of one element per row
    /// written out before planning, for XLA's compiler for CPUs; none: never.
    pub gradients: Option<CapSpec>,
    /// The same for its products of 16-bit floats, and the cap counts the copies for them.
    pub products: Option<CapSpec>,
    /// Cap of one device, under which fusions that alone exceed it are planned in parts.
    pub within: Option<CapSpec>,
    /// Ops that store their values besides those that do anyway.
    pub held: &'o [OpId],
    /// See [`Graph::results_apart`].
    pub results_apart: bool,
}

/// Which counted loops are opened before planning.
#[derive(Clone, Copy)]
pub(crate) enum Loops {
    /// None.
    Whole,
    /// All, where they take much of a device's share of the time.
    ForTime,
    /// All, where the program that is not partitioned, or has one device, is over this cap with them whole.
    ForCap(CapSpec),
}

impl Loops {
    /// As an option says it; `open` where it is left to the planner.
    pub(crate) fn chosen(handling: passes::LoopHandling, open: Loops) -> Self {
        match handling {
            passes::LoopHandling::Auto => open,
            passes::LoopHandling::Whole => Loops::Whole,
        }
    }
}

/// The [`Source`] that the options of a planning pass name.
macro_rules! source {
    ($options:expr) => {
        $crate::program::Source {
            function: &$options.function,
            devices: &$options.devices,
            dynamic_dim: $options.dynamic_dim,
            profile: &$options.profile,
            count: $options.count,
            storage: $crate::program::Chosen::Options(
                $options.fusion,
                $options.cap_counts,
                $options.heap_gaps,
            ),
            measured_storage: "",
            loops: $crate::program::Loops::Whole,
            gradients: None,
            products: None,
            within: None,
            held: &[],
            results_apart: false,
        }
    };
}
pub(crate) use source;

/// What the back end stores: as options ask for, or as a plan says.
#[derive(Clone, Copy)]
pub(crate) enum Chosen {
    /// Fusion model, what a cap counts, and the room for gaps of the heap.
    Options(passes::FusionModel, passes::CapCounts, passes::HeapGaps),
    Plan,
}

/// A program ready to plan.
pub(crate) struct Program<'c, 'a> {
    pub imported: Imported<'c, 'a>,
    pub cluster: Cluster,
    pub costs: Costs,
    /// What the back end stores.
    pub storage: Storage,
    /// Ops that the back end makes one.
    pub groups: Vec<Group>,
    /// Hash of the measured times that were given, 16 hexadecimal digits.
    pub profile: Option<String>,
    /// Did the devices come from the options, so that the module should say so from now on?
    pub cluster_is_new: bool,
    /// The peak of the program on one device before its gradients were written out, its loops opened, or values stored that are computed where they are read, if that was done.
    pub whole_peak: Option<Bytes>,
}

impl Program<'_, '_> {
    /// What planners are given.
    pub(crate) fn view(&self) -> ballast_core::program::Program<'_> {
        let Program { imported, costs, cluster, .. } = self;
        ballast_core::program::Program { graph: &imported.graph, costs, cluster }
    }

    /// The only stage of a program that has one device.
    pub(crate) fn only_stage(&self) -> Option<Stage> {
        let Program { imported, costs, cluster, .. } = self;
        if cluster.devices.len() > 1 { None } else { stage_on_one(&imported.graph, costs, cluster) }
    }

    /// Reports an error at an op, or at the function.
    pub(crate) fn error(&self, op: Option<OpId>, text: &str) -> Reported {
        diagnostics::error(self.place(op), text)
    }

    /// Reports a warning at an op, or at the function.
    pub(crate) fn warning(&self, op: Option<OpId>, text: &str) {
        diagnostics::warning(self.place(op), text);
    }

    /// Where a message about an op points, or one about the function.
    pub(crate) fn place(&self, op: Option<OpId>) -> Location<'_> {
        ir::place(op.map_or(self.imported.function, |op| self.imported.ops[op]))
    }

    /// Writes the graph that was planned, if a path is given.
    ///
    /// # Errors
    /// At the function, where the file cannot be written.
    pub(crate) fn write_graph(&self, module: OperationRef<'_, '_>, path: &str) -> Result<(), Reported> {
        if path.is_empty() {
            return Ok(());
        }
        files::write_json(module, Path::new(path), &self.imported.graph)
            .map_err(|error| self.error(None, &format!("cannot write graph-file '{path}': {error}")))
    }

    /// Makes a device of every stage that a device runs under a schedule; undoes it for other schedules.
    ///
    /// # Errors
    /// At the function, for too many stages.
    pub(crate) fn divide_devices(&mut self, pipeline: Option<Spec>) -> Result<(), Reported> {
        let chunks = pipeline.map_or(1, |spec| spec.schedule.chunks());
        let divided = self.cluster.divided(chunks).map_err(|text| self.error(None, &text))?;
        if divided.devices.len() != self.cluster.devices.len() {
            self.costs = self.costs.divided(self.cluster.whole_devices(), chunks);
            self.cluster = divided;
            self.cluster_is_new = true;
        }
        Ok(())
    }

    /// Of the devices that ops have, those of `pins` alone are rules: the user's. What is fused with such an op is bound with it; where a partition put
    /// the others binds no other placement.
    pub(crate) fn bind_only(&mut self, pins: &[OpId]) {
        let tensors = &self.imported.graph.tensors;
        let is_pin = |op: &OpId| pins.binary_search(op).is_ok();
        // An op that an equal one stands for is bound as that.
        let is_made_by_pin = |&dropped: &TensorId| tensors[dropped].producer.is_some_and(|op| is_pin(&op));
        let equal = self.imported.equal.iter().filter(|(_, dropped)| dropped.iter().any(is_made_by_pin));
        let mut bound: HashSet<OpId> = equal.filter_map(|(&kept, _)| tensors[kept].producer).collect();
        bound.extend(pins);
        let is_bound = |op: &OpId| bound.contains(op);
        let fused = self.groups.iter().filter(|group| group.members.iter().any(is_bound));
        let roots: Vec<OpId> = fused.map(|group| group.root).collect();
        bound.extend(roots);
        let ops = &mut self.imported.graph.ops;
        for (_, op) in ops.iter_mut().enumerate().filter(|&(id, _)| !bound.contains(&OpId(id))) {
            op.rules.device = None;
        }
    }

    /// What a plan of the program is made with, as far as the program tells.
    pub(crate) fn settings(&self, pipeline: Option<Spec>) -> PlanSettings {
        let first = pipeline.and_then(|_| first_backward(&self.imported.graph).ok());
        PlanSettings {
            pipeline,
            first_backward: first,
            profile: self.profile.clone(),
            ..self.storage.settings()
        }
    }

    /// No placement is faster than a fair share of the work, or than the longest op.
    pub(crate) fn least_tmax_seconds(&self) -> f64 {
        Bound::any_assignment(&self.imported.graph, &self.costs).value()
    }

    /// Is the program what it was when a plan of it was made?
    pub(crate) fn is_as_planned(&self, plan: &attributes::Plan<'_>) -> bool {
        plan.fingerprint == format!("{:016x}", fingerprint(&self.imported.graph))
    }

    /// A remark about the function.
    pub(crate) fn remark(&self, kind: Kind, name: &str, text: impl Into<String>) -> Remark {
        Remark::new(kind, name, &self.imported.graph.name, text)
    }
}

/// Says that a program is spread over a mesh of devices, of which a plan knows nothing.
pub(crate) fn warn_of_shardings(module: OperationRef<'_, '_>, program: &Program<'_, '_>) {
    let Some(spread) = sharding::find(module, &program.imported) else { return };
    let what = spread.argument.map_or_else(String::new, |index| format!("argument {index}: "));
    let others = match spread.count {
        1 => String::new(),
        2 => ", and one more".to_owned(),
        count => format!(", and {} more", count - 1),
    };
    let text = format!(
        "{what}is sharded over a mesh of devices{others}: sizes, times and caps here are those of whole values, not of what one \
         device of the mesh holds. To plan for one of them, export the program as it is partitioned for it; to plan the whole \
         program unsharded, remove the shardings"
    );
    diagnostics::warning(ir::place(spread.op), &text);
}

/// Says that caps are above the memory of their devices. `caps` has device and cap; none above: nothing is said.
pub(crate) fn warn_of_large_caps(
    program: &Program<'_, '_>,
    caps: impl IntoIterator<Item = (DeviceId, Bytes)>,
) {
    let memory = |device: DeviceId| program.cluster.devices[device].memory;
    let above: Vec<(DeviceId, Bytes)> =
        caps.into_iter().filter(|&(device, cap)| cap > memory(device)).collect();
    let Some(&(device, cap)) = above.iter().max_by(|a, b| {
        let excess = |&(device, cap): &(DeviceId, Bytes)| cap.as_f64() / memory(device).as_f64().max(1.0);
        excess(a).total_cmp(&excess(b))
    }) else {
        return;
    };
    let others = match above.len() - 1 {
        0 => String::new(),
        1 => ", and that of one more device above its own".to_owned(),
        more => format!(", and those of {more} more devices above their own"),
    };
    let text = format!(
        "the cap of {} of device {device} is above its memory, {}{others}: a plan that uses it does not run there",
        mebibytes(cap),
        mebibytes(memory(device))
    );
    program.warning(None, &text);
}

/// A size in MiB, in GiB and more from 10 000 of the unit before on, or in bytes where it is less than a tenth of one.
pub(crate) fn mebibytes(bytes: Bytes) -> String {
    // Four digits, so that caps and needs that are nearly alike can be told apart.
    let mut size = bytes.as_f64() / f64::from(1 << 20);
    let mut unit = "MiB";
    for larger in ["GiB", "TiB", "PiB"] {
        if size >= 10_000.0 {
            (size, unit) = (size / 1024.0, larger);
        }
    }
    match size {
        ..0.1 => format!("{} bytes", bytes.0),
        ..10.0 => format!("{size:.3} {unit}"),
        ..100.0 => format!("{size:.2} {unit}"),
        _ => format!("{size:.1} {unit}"),
    }
}

/// Reads the program as it stands.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn read_as_is<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    source: &Source<'_>,
) -> Result<Program<'c, 'a>, Reported> {
    let cluster = cluster(module, source.devices)?;
    read(module, source, cluster)
}

/// The devices: those of the option, else those of the module, else one default device.
pub(crate) fn cluster(module: OperationRef<'_, '_>, devices: &str) -> Result<(Cluster, bool), Reported> {
    let report = |error: &dyn std::fmt::Display| diagnostics::error(module.location(), &error.to_string());
    if !devices.is_empty() {
        return Cluster::parse(devices).map(|cluster| (cluster, true)).map_err(|error| report(&error));
    }
    match dlti::read(module)? {
        Some(cluster) => Ok((cluster, false)),
        None => Cluster::from_count(1).map(|cluster| (cluster, true)).map_err(|error| report(&error)),
    }
}

/// What a program is read with.
pub(crate) fn options(source: &Source<'_>) -> ImportOptions {
    ImportOptions {
        function: (!source.function.is_empty()).then(|| source.function.to_owned()),
        dynamic_dim: (source.dynamic_dim > 0).then_some(source.dynamic_dim),
        results_apart: source.results_apart,
    }
}

pub(crate) fn read<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    source: &Source<'_>,
    cluster: (Cluster, bool),
) -> Result<Program<'c, 'a>, Reported> {
    let (program, unpriced) = read_quietly(module, source, cluster)?;
    if !unpriced.is_empty() {
        let names: Vec<String> = unpriced.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let text = "no cost formula and no measurement; priced by bytes moved";
        let remark = program.remark(Kind::Analysis, "PricedByBytes", text).fact("ops", names.join(", "));
        remark.emit(program.place(None));
    }
    Ok(program)
}

/// The program, and how many ops of which name have no price but their bytes.
pub(crate) fn read_quietly<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    source: &Source<'_>,
    (mut cluster, mut cluster_is_new): (Cluster, bool),
) -> Result<(Program<'c, 'a>, IndexMap<String, usize>), Reported> {
    let options = options(source);
    let mut imported = import::read(module, &options)?;
    let location = ir::place(imported.function);
    may_be_planned(&imported, source.storage)?;
    let profile = match source.profile {
        "" => None,
        path => {
            let profile = Profile::load(Path::new(path)).and_then(|profile| {
                profile.check(path, &imported.graph, &cluster)?;
                Ok(profile)
            });
            Some(profile.map_err(|error| diagnostics::error(location, &error.to_string()))?)
        }
    };
    let corrections = measured_storage(source.measured_storage, &imported)?;
    let earlier = annotations::read_plan(&imported);
    let made_with = earlier.as_ref().map(PlanSettings::of);
    let storage = match (source.storage, &made_with) {
        (Chosen::Plan, Some(settings)) => Storage::of_plan(settings),
        (Chosen::Plan, None) => Storage::chosen(
            &imported.graph,
            None,
            passes::FusionModel::None,
            passes::CapCounts::All,
            passes::HeapGaps::Room,
        ),
        (Chosen::Options(fusion, counts, gaps), _) => {
            Storage::chosen(&imported.graph, made_with.as_ref(), fusion, counts, gaps)
        }
    };
    if let Some(profile) = &profile {
        let described = cluster.clone();
        profile.apply_links(&mut cluster);
        // What a plan reckons with is what the module describes from then on.
        cluster_is_new |= cluster != described;
    }
    let counting = match source.count {
        passes::Counting::TwoMac => Counting::Fused,
        passes::Counting::Exact => Counting::Exact,
    };
    let price = |graph: &Graph| Costs::estimate_with(graph, &cluster, profile.as_ref(), counting);
    let unfused = (cluster.devices.len() > 1).then(|| imported.graph.clone());
    let storage = corrections.map_or_else(|| storage.clone(), |measured| storage.corrected(&measured));
    let mut whole_peak = None;
    let mut storage = storage.holding(source.held.to_vec());
    let mut groups = storage.apply(&mut imported);
    let mut estimate = price(&imported.graph);
    // What an earlier plan for as many devices decided stands, or its ops would not be those of this graph.
    let is_decided = earlier.as_ref().is_some_and(|plan| {
        usize::try_from(plan.devices) == Ok(cluster.devices.len())
            && made_with.as_ref().is_some_and(|settings| settings.fusion == storage.model())
    });
    if let (Chosen::Options(..), false) = (source.storage, is_decided) {
        let before = storage.clone();
        match (unfused, source.within) {
            (Some(unfused), within) => {
                let of_peak = || peak_on_one(&imported.graph, &estimate.costs, &cluster);
                let cap = within.and_then(|cap| cap_of_each(cap, of_peak, &cluster));
                let held = for_devices(&unfused, &imported.graph, &groups, &estimate.costs, cap);
                storage = storage.holding(held);
            }
            (None, Some(cap)) if storage.model() == passes::FusionModel::XlaCpu => {
                let peak = peak_on_one(&imported.graph, &estimate.costs, &cluster);
                let most = cap.bytes(peak, cluster.devices[0].memory);
                if peak > most {
                    storage = within(module, &options, (&imported.graph, &groups), storage, most)?;
                    whole_peak = Some(peak).filter(|_| storage != before);
                }
            }
            (None, _) => {}
        }
        if storage != before {
            imported = import::read(module, &options)?;
            groups = storage.apply(&mut imported);
            estimate = price(&imported.graph);
        }
    }
    let profile = profile.map(|profile| profile.content());
    let costs = estimate.costs;
    let program = Program { imported, cluster, costs, storage, groups, profile, cluster_is_new, whole_peak };
    Ok((program, estimate.unpriced))
}

/// The cap of one of several devices, if any but its memory: a share is one of what each needs, which is not known yet, so of a fair share of the peak on one.
fn cap_of_each(cap: CapSpec, peak: impl Fn() -> Bytes, cluster: &Cluster) -> Option<Bytes> {
    match cap {
        CapSpec::Absolute(cap) => Some(cap),
        CapSpec::Share(_) => {
            let fair = peak().0 / cluster.devices.len() as u64;
            Some(cap.bytes(Bytes(fair), cluster.devices[0].memory))
        }
        CapSpec::DeviceMemory => None,
    }
}

/// What was measured to be stored, of the file that an option names.
fn measured_storage(path: &str, imported: &Imported<'_, '_>) -> Result<Option<StoredFile>, Reported> {
    if path.is_empty() {
        return Ok(None);
    }
    let checked = StoredFile::load(Path::new(path)).and_then(|file| {
        file.check(path, &imported.graph)?;
        Ok(file)
    });
    checked.map(Some).map_err(|error| diagnostics::error(ir::place(imported.function), &error.to_string()))
}

/// Refuses to plan what carries out a plan: its copies and barriers are no ops of the program.
fn may_be_planned(imported: &Imported<'_, '_>, storage: Chosen) -> Result<(), Reported> {
    let is_applied = imported.function.has_attribute(attributes::APPLIED);
    if !is_applied || matches!(storage, Chosen::Plan) {
        return Ok(());
    }
    let (name, applied) = (&imported.graph.name, attributes::APPLIED);
    let text =
        format!("@{name} carries out a plan already (`{applied}`): plan the program that it was made from");
    Err(diagnostics::error(ir::place(imported.function), &text))
}

/// The peak of a graph on the first device, unplanned.
pub(crate) fn peak_on_one(graph: &Graph, costs: &Costs, cluster: &Cluster) -> Bytes {
    Bytes(stage_on_one(graph, costs, cluster).map_or(0, |stage| stage.problem.unplanned_peak()))
}

/// All of a graph on the first device.
pub(crate) fn stage_on_one(graph: &Graph, costs: &Costs, cluster: &Cluster) -> Option<Stage> {
    stages(graph, costs, cluster, &vec![DeviceId(0); graph.ops.len()]).into_iter().next()
}

/// The pipeline that options ask for.
///
/// # Errors
/// At the module, for a schedule that is not one.
pub(crate) fn pipeline(
    module: OperationRef<'_, '_>,
    schedule: passes::PipelineSchedule,
    stages_per_device: u64,
    micro_batches: u64,
) -> Result<Option<Spec>, Reported> {
    let refuse = |text: &str| Err(diagnostics::error(module.location(), text));
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let schedule = match schedule {
        passes::PipelineSchedule::NoPipeline => return Ok(None),
        passes::PipelineSchedule::GPipe => Schedule::GPipe,
        passes::PipelineSchedule::OneForwardOneBackward => Schedule::OneForwardOneBackward,
        passes::PipelineSchedule::ZeroBubble => Schedule::ZeroBubble,
        passes::PipelineSchedule::Shortest => {
            return refuse(
                "schedule=auto compares steps under memory plans: only --ballast-plan does both; name a schedule",
            );
        }
        passes::PipelineSchedule::Interleaved => Schedule::Interleaved { chunks: whole(stages_per_device) },
    };
    Ok(Some(Spec { schedule, micro_batches: whole(micro_batches) }))
}

/// Tells the passes apart as the plan of a pipeline did, where there is one for the program as it is.
pub(crate) fn recall_passes(program: &mut Program<'_, '_>) {
    let Some(plan) = annotations::read_plan(&program.imported) else { return };
    if !program.is_as_planned(&plan) {
        return;
    }
    if let Some(first) = PlanSettings::of(&plan).first_backward {
        for (id, op) in program.imported.graph.ops.iter_mut().enumerate() {
            op.backward = Some(id >= first.0);
        }
    }
}

/// Devices written by an earlier plan are no rules, and are forgotten, but those that were rules of the user when it was made; without a plan,
/// `ballast.device` on an op is the user's rule. The ops of the rules that stay, in order, if there is an earlier plan.
pub(crate) fn forget_devices(program: &mut Program<'_, '_>) -> Option<Vec<OpId>> {
    let plan = annotations::read_plan(&program.imported)?;
    let mut pins = PlanSettings::of(&plan).pins;
    if !pins.is_empty() && !program.is_as_planned(&plan) {
        program.warning(
            None,
            "the program is not the one that was planned: which ops were bound to devices is forgotten; take the \
             plan out with `--ballast-strip` and say it again",
        );
        pins.clear();
    }
    program.bind_only(&pins);
    Some(pins)
}

/// Forgets an earlier plan, in the IR too.
pub(crate) fn forget_plan(program: &mut Program<'_, '_>) {
    if let Some(pins) = forget_devices(program) {
        annotations::clear(&program.imported, &pins);
    }
}

/// Limits of a search. Without a time limit the default holds, unless a work limit is set: then no clock is
/// read and the same bytes come out on every machine.
pub(crate) fn limits(time_limit: f64, work_limit: u64, seed: u64, threads: u64) -> Limits {
    let time_limit_seconds = match (time_limit > 0.0, work_limit > 0) {
        (true, _) => Some(time_limit),
        (false, true) => None,
        (false, false) => Some(DEFAULT_TIME_LIMIT_SECONDS),
    };
    let threads = match usize::try_from(threads) {
        Ok(threads @ 1..) => ballast_core::limits::threads(threads),
        _ => ballast_core::limits::threads(usize::MAX),
    };
    Limits { time_limit_seconds, work_limit: (work_limit > 0).then_some(work_limit), seed, threads }
}

/// Refuses a placement on a device that the cluster does not have.
///
/// # Errors
/// At the first op placed there.
pub(crate) fn check_devices(program: &Program<'_, '_>, device_of: &[DeviceId]) -> Result<(), Reported> {
    let devices = program.cluster.devices.len();
    match device_of.iter().position(|device| device.0 >= devices).map(OpId) {
        None => Ok(()),
        Some(op) => {
            Err(program.error(Some(op), &format!("placed on a device that is not one of the {devices}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, mebibytes};

    #[test]
    fn sizes_are_told_in_a_unit_of_at_most_four_digits_before_the_point() {
        let told = [99, 1 << 20, 9999 << 20, 10_000 << 20, 72_000_000_000_000].map(Bytes).map(mebibytes);
        assert_eq!(told, ["99 bytes", "1.000 MiB", "9999.0 MiB", "9.766 GiB", "65.48 TiB"]);
    }
}
