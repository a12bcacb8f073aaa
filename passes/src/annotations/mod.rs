//! A plan as attributes in the IR: written after planning, read back by the verifier and by the rewriting passes.

pub(crate) mod pipeline;
pub(crate) mod settings;
pub(crate) mod together;

use std::collections::BTreeMap;

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::{OpId, OpRole, Work};
use ballast_core::limits::StopReason;
use ballast_core::plan::{OpPlan, Plan, ReceivePlan, SwapPlan};
use ballast_core::stage::settle_fused;
use ballast_dialects::attributes as ir;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir as program_ir;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location};

use crate::import::Imported;

use settings::PlanSettings;

/// Attributes a plan puts on ops; planning again removes them first.
const PLANNED: [&str; 6] = [ir::DEVICE, ir::POSITION, ir::RECOMPUTE, ir::SWAP, ir::RECEIVES, ir::COST];

/// A planned program, as read back from the IR.
pub(crate) struct Annotated<'c> {
    /// The device of every op, views and constants included.
    pub device_of: Vec<DeviceId>,
    /// What happens to every planned op, in program order.
    pub ops: Vec<OpPlan>,
    /// `ballast.cost` in seconds of every op; zero for views and constants.
    pub seconds: Vec<f64>,
    /// `ballast.cost` of every planned op.
    pub costs: BTreeMap<OpId, ir::Cost>,
    /// `ballast.plan`.
    pub plan: ir::Plan<'c>,
    /// What it was made with.
    pub settings: PlanSettings,
}

/// Removes every trace of an earlier plan. Ops of `pins`, in order, stay on their devices, which are rules of the user.
pub(crate) fn clear(imported: &Imported<'_, '_>, pins: &[OpId]) {
    for (id, &op) in OpId::of(&imported.ops) {
        let is_rule = |name: &str| name == ir::DEVICE && pins.binary_search(&id).is_ok();
        for name in PLANNED.into_iter().filter(|name| !is_rule(name)) {
            program_ir::remove(op, name);
        }
    }
    program_ir::remove(imported.function, ir::PLAN);
    program_ir::remove(imported.function, ir::PIPELINE);
}

fn index(value: usize) -> i64 {
    i64::try_from(value).expect("positions and device numbers fit in 63 bits")
}

fn indices(values: &[usize]) -> Vec<i64> {
    values.iter().map(|&value| index(value)).collect()
}

/// Writes a plan into the IR.
///
/// Everything is built, and so verified, before the first attribute is set: nothing is half-written.
///
/// # Errors
/// Where ops are on several devices that have to be on one; when the dialect refuses an attribute, which is a bug.
pub(crate) fn write<'c>(
    imported: &Imported<'c, '_>,
    costs: &Costs,
    plan: &Plan,
    device_of: &[DeviceId],
    settings: &PlanSettings,
) -> Result<(), Reported> {
    let function = imported.function;
    let context = ballast_dialects::ir::context(function);
    let mut device_of = device_of.to_vec();
    settle_fused(&imported.graph, &imported.reads, &mut device_of);
    together::check(imported, &device_of)?;
    let mut written: Vec<(OperationRef<'c, '_>, &str, Attribute<'c>)> = Vec::new();
    for (id, &device) in OpId::of(&device_of) {
        let op = imported.ops[id];
        written.push((op, ir::DEVICE, ir::Device { id: index(device.0) }.attribute(op.location())?));
    }
    let position = IntegerType::new(context, 64).into();
    let mut seconds = Vec::with_capacity(plan.ops.len());
    for entry in &plan.ops {
        let op = imported.ops[entry.op];
        let location = op.location();
        let work = &imported.graph.ops[entry.op].work;
        let [flops, bytes] = counts(work);
        let cost = ir::Cost { seconds: costs.of(entry.device, entry.op), flops, bytes };
        seconds.push(cost.seconds);
        written.push((op, ir::COST, cost.attribute(location)?));
        let place = IntegerAttribute::new(position, index(entry.position));
        written.push((op, ir::POSITION, place.into()));
        if !entry.recompute_before.is_empty() {
            let before = indices(&entry.recompute_before);
            written.push((op, ir::RECOMPUTE, ir::Recompute { before }.attribute(location)?));
        }
        if let Some(swap) = &entry.swap {
            let swap = ir::Swap { out_after: index(swap.out_after), in_before: indices(&swap.in_before) };
            written.push((op, ir::SWAP, swap.attribute(location)?));
        }
        if !entry.receives.is_empty() {
            let receives = entry.receives.iter().map(|receive| {
                let again_before = indices(&receive.again_before);
                let (device, position) = (index(receive.device.0), index(receive.position));
                ir::Receive { device, position, again_before }.attribute(location)
            });
            let receives: Vec<Attribute<'c>> = receives.collect::<Result<_, _>>()?;
            written.push((op, ir::RECEIVES, ArrayAttribute::new(context, &receives).into()));
        }
    }
    let figures = plan_attribute(plan, settings, &seconds, context, function.location())?;
    let step = plan.pipeline.as_ref().map(|pipeline| pipeline::attribute(context, pipeline));
    clear(imported, &[]);
    for (op, name, attribute) in written {
        program_ir::set(op, name, attribute);
    }
    program_ir::set(function, ir::PLAN, figures);
    if let Some(step) = step {
        program_ir::set(function, ir::PIPELINE, step);
    }
    Ok(())
}

fn plan_attribute<'c>(
    plan: &Plan,
    settings: &PlanSettings,
    seconds: &[f64],
    context: &'c Context,
    location: Location<'c>,
) -> Result<Attribute<'c>, Reported> {
    let bytes = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let stages = plan.stages.iter().filter(|stage| stage.score.ops > 0).map(|stage| {
        let score = &stage.score;
        ir::Stage {
            device: index(score.device.0),
            cores: index(plan.devices[score.device].cores),
            cap: bytes(stage.cap_bytes),
            requested_cap: bytes(stage.requested_cap_bytes),
            smallest_cap: stage.smallest_cap_bytes.map(bytes),
            peak: bytes(score.peak_bytes),
            unplanned_peak: bytes(score.unplanned_peak_bytes),
            host_peak: bytes(score.host_peak_bytes),
            seconds: score.seconds,
            unplanned_seconds: score.compute_seconds + score.receive_seconds + score.send_seconds,
            // The search's value leaves sends out; adding them rounds once more.
            bound: (stage.report.bound + score.send_seconds).min(score.seconds),
        }
    });
    let mut written = ir::Plan {
        devices: index(plan.devices.len()),
        tmax: plan.balance.tmax_seconds,
        tmin: plan.balance.tmin_seconds,
        ratio: plan.balance.ratio,
        bound: plan.bound_seconds,
        bound_class: plan.bound_class.name().to_owned(),
        gap: plan.gap,
        stop: stop_reason(plan.stop_reason),
        method: plan.partition.method.clone(),
        seed: plan.partition.seed,
        fingerprint: plan.fingerprint.clone(),
        checksum: String::new(),
        cap_met: plan.cap_met,
        bound_trusts_highs: plan.bound_trusts_highs,
        stages: stages.collect(),
        settings: Some(settings.attribute(context, plan)),
    };
    written.checksum = checksum(&written, seconds);
    written.attribute(location)
}

/// Operations and bytes of an op, as its attribute has them.
pub(crate) fn counts(work: &Work) -> [i64; 2] {
    [work.flops, work.bytes.0].map(|count| i64::try_from(count).unwrap_or(i64::MAX))
}

/// Hash of what a reader of a plan cannot derive again: what the search says of itself, caps, settings, and times of ops in program
/// order, which may be measured. It finds what was changed by hand or by mistake; it is no signature.
pub(crate) fn checksum(plan: &ir::Plan<'_>, seconds: &[f64]) -> String {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let mut word = |text: &str| {
        hash.update(text.as_bytes());
        hash.update(&[0]);
    };
    let stop = format!("{:?}", plan.stop);
    for text in [&plan.bound_class, &stop, &plan.method, &plan.fingerprint] {
        word(text);
    }
    for number in [plan.bound, plan.gap].iter().chain(seconds) {
        word(&format!("{:016x}", number.to_bits()));
    }
    word(&format!("{} {} {}", plan.devices, plan.seed, plan.cap_met));
    if plan.bound_trusts_highs {
        word("bound trusts HiGHS");
    }
    for stage in &plan.stages {
        let ir::Stage { device, cores, cap, requested_cap, smallest_cap, bound, .. } = stage;
        word(&format!("{device} {cores} {cap} {requested_cap} {smallest_cap:?} {:016x}", bound.to_bits()));
    }
    if let Some(settings) = plan.settings {
        word(&ballast_dialects::text::of_attribute(settings));
    }
    format!("{:016x}", hash.digest())
}

fn stop_reason(reason: StopReason) -> ir::StopReason {
    match reason {
        StopReason::Proved => ir::StopReason::Proved,
        StopReason::Finished => ir::StopReason::Finished,
        StopReason::TimeLimit => ir::StopReason::TimeLimit,
        StopReason::WorkLimit => ir::StopReason::WorkLimit,
        StopReason::Interrupted => ir::StopReason::Interrupted,
    }
}

/// The device of every op, from `ballast.device`; none where no planned op has one.
///
/// # Errors
/// At the first planned op without a device where others have one, and at a device the cluster lacks.
pub(crate) fn read_devices(
    imported: &Imported<'_, '_>,
    devices: usize,
) -> Result<Option<Vec<DeviceId>>, Reported> {
    let graph = &imported.graph;
    let mut device_of = vec![DeviceId(0); graph.ops.len()];
    let mut without: Option<OpId> = None;
    let mut with = false;
    for id in graph.planned() {
        let op = imported.ops[id];
        let Some(device) = op.attribute(ir::DEVICE).ok().and_then(ir::Device::read) else {
            without = without.or(Some(id));
            continue;
        };
        with = true;
        device_of[id] = match usize::try_from(device.id) {
            Ok(id) if id < devices => DeviceId(id),
            _ => {
                let text = format!(
                    "runs on device {}, but there are {devices} devices, numbered from 0: give `devices=` as many, or \
                     partition again",
                    device.id
                );
                return Err(diagnostics::error(program_ir::place(op), &text));
            }
        };
    }
    match without {
        None => {}
        Some(id) if with => {
            let text =
                "has no `ballast.device`, but other ops of the function have: partition the whole function";
            return Err(diagnostics::error(program_ir::place(imported.ops[id]), text));
        }
        Some(_) => return Ok(None),
    }
    settle_fused(graph, &imported.reads, &mut device_of);
    Ok(Some(device_of))
}

/// Views and constants say the device of what they travel with, or none.
fn check_travellers(imported: &Imported<'_, '_>, device_of: &[DeviceId]) -> Result<(), Reported> {
    for (id, &op) in OpId::of(&imported.ops) {
        let says = op.attribute(ir::DEVICE).ok().and_then(ir::Device::read);
        if let Some(says) = says.filter(|says| says.id != index(device_of[id].0)) {
            let text = format!(
                "`{}` says device {}, but views and constants travel with their readers, to device {}",
                ir::DEVICE,
                says.id,
                device_of[id]
            );
            return Err(diagnostics::error(program_ir::place(op), &text));
        }
    }
    Ok(())
}

/// Attributes of a plan on ops inside of other ops, which are not planned, are none of the plan.
fn check_nested(imported: &Imported<'_, '_>) -> Result<(), Reported> {
    for op in imported.ops.iter().flat_map(|&op| program_ir::nested(op)) {
        if let Some(name) = PLANNED[1..].iter().find(|name| op.has_attribute(name)) {
            let text = format!("`{name}` on an op inside of another, which is planned as one");
            return Err(diagnostics::error(program_ir::place(op), &text));
        }
    }
    Ok(())
}

/// `ballast.plan` of the function, if it has one.
pub(crate) fn read_plan<'c>(imported: &Imported<'c, '_>) -> Option<ir::Plan<'c>> {
    imported.function.attribute(ir::PLAN).ok().and_then(ir::Plan::read)
}

/// Reads a planned program back.
///
/// # Errors
/// At the op or function where the attributes are missing or contradict each other.
pub(crate) fn read<'c>(imported: &Imported<'c, '_>, devices: usize) -> Result<Annotated<'c>, Reported> {
    let location = program_ir::place(imported.function);
    let Some(plan) = read_plan(imported) else {
        let text = if imported.function.has_attribute(ir::APPLIED) {
            "the function carries out its plan already: a plan is checked before `--ballast-apply`, which checks it too"
        } else {
            "the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`"
        };
        return Err(diagnostics::error(location, text));
    };
    let Some(device_of) = read_devices(imported, devices)? else {
        let text = "the function has a `ballast.plan`, but no op has a `ballast.device`";
        return Err(diagnostics::error(location, text));
    };
    check_travellers(imported, &device_of)?;
    check_nested(imported)?;
    let graph = &imported.graph;
    let mut ops = Vec::new();
    let mut seconds = vec![0.0; graph.ops.len()];
    let mut costs = BTreeMap::new();
    for (id, &op) in OpId::of(&imported.ops) {
        if graph.ops[id].role != OpRole::Compute {
            for name in [ir::POSITION, ir::RECOMPUTE, ir::SWAP, ir::RECEIVES, ir::COST] {
                if op.attribute(name).is_ok() {
                    let text = format!(
                        "`{name}` on an op that is not planned: views and constants travel with their readers"
                    );
                    return Err(diagnostics::error(program_ir::place(op), &text));
                }
            }
            continue;
        }
        let missing = |name: &str| {
            let text = format!("is planned, but has no `{name}`: plan the function again");
            diagnostics::error(program_ir::place(op), &text)
        };
        let cost = op.attribute(ir::COST).ok().and_then(ir::Cost::read).ok_or_else(|| missing(ir::COST))?;
        seconds[id] = cost.seconds;
        costs.insert(id, cost);
        let position = op
            .attribute(ir::POSITION)
            .ok()
            .and_then(|attribute| IntegerAttribute::try_from(attribute).ok())
            .ok_or_else(|| missing(ir::POSITION))?;
        let recompute = op.attribute(ir::RECOMPUTE).ok().and_then(ir::Recompute::read);
        let swap = op.attribute(ir::SWAP).ok().and_then(ir::Swap::read);
        let receives = op.attribute(ir::RECEIVES).ok();
        let receives = receives.and_then(|list| ArrayAttribute::try_from(list).ok());
        let receives: Vec<ir::Receive> = receives
            .into_iter()
            .flat_map(|list| (0..list.len()).filter_map(move |i| list.element(i).ok()))
            .filter_map(ir::Receive::read)
            .collect();
        ops.push(OpPlan {
            op: id,
            name: graph.ops[id].name.clone(),
            location: graph.ops[id].location.clone(),
            device: device_of[id],
            position: place(op, position.value())?,
            recompute_before: places(op, recompute.as_ref().map_or(&[][..], |r| &r.before))?,
            swap: match &swap {
                None => None,
                Some(swap) => Some(SwapPlan {
                    out_after: place(op, swap.out_after)?,
                    in_before: places(op, &swap.in_before)?,
                }),
            },
            receives: receives
                .iter()
                .map(|receive| {
                    Ok(ReceivePlan {
                        device: DeviceId(place(op, receive.device)?),
                        position: place(op, receive.position)?,
                        again_before: places(op, &receive.again_before)?,
                    })
                })
                .collect::<Result<_, Reported>>()?,
        });
    }
    let settings = PlanSettings::of(&plan);
    Ok(Annotated { device_of, ops, seconds, costs, plan, settings })
}

fn place(op: OperationRef<'_, '_>, value: i64) -> Result<usize, Reported> {
    usize::try_from(value).map_err(|_| {
        diagnostics::error(program_ir::place(op), &format!("{value} is no position of an op sequence"))
    })
}

fn places(op: OperationRef<'_, '_>, values: &[i64]) -> Result<Vec<usize>, Reported> {
    values.iter().map(|&value| place(op, value)).collect()
}
