//! `--ballast-rank`: the program of one device of a cut module, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use ballast_core::device::DeviceId;
use ballast_dialects::attributes as names;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, referenced_symbols, set_attribute};
use ballast_dialects::passes::BallastRankOptions;
use melior::ir::ValueLike;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::import;
use crate::lower::ballast_inline::inline_calls;
use crate::lower::messages::{self, End};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; then nothing has been changed.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastRankOptions) -> Result<(), Reported> {
    let programs = programs(module)?;
    check_messages(&programs)?;
    let wanted = usize::try_from(options.rank).ok().and_then(|rank| programs.get(rank));
    let Some(&program) = wanted else {
        let text = format!(
            "there is no rank {}: the program was cut over {} devices, numbered from 0",
            options.rank,
            programs.len()
        );
        return Err(diagnostics::error(module.location(), &text));
    };
    let context = ballast_dialects::ir::context(module);
    let visibility = |text| StringAttribute::new(context, text).into();
    let called = called(module, program);
    for (name, function) in import::functions(module) {
        let visible = ir::string(function, "sym_visibility").is_none_or(|visibility| visibility == "public");
        if function == program {
            continue;
        }
        if called.contains(&name) {
            // What the program calls is a part of it, and no program besides.
            set_attribute(function, "sym_visibility", visibility("private"));
        } else if visible || function.has_attribute(names::PROGRAM) {
            erase(function);
        }
    }
    set_attribute(program, "sym_visibility", visibility("public"));
    inline_calls(module, None)
}

/// Names of the functions that a program calls, and those that they call.
fn called(module: OperationRef<'_, '_>, program: OperationRef<'_, '_>) -> BTreeSet<String> {
    let functions: BTreeMap<String, OperationRef<'_, '_>> = import::functions(module).into_iter().collect();
    let mut found = BTreeSet::new();
    let mut open = referenced_symbols(&program);
    while let Some(name) = open.pop() {
        if let Some(function) = functions.get(&name)
            && found.insert(name)
        {
            open.extend(referenced_symbols(function));
        }
    }
    found
}

/// The programs of all devices, by device.
fn programs<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Result<Vec<OperationRef<'c, 'a>>, Reported> {
    let mut found: Vec<(names::Program, OperationRef<'c, 'a>)> = import::functions(module)
        .into_iter()
        .filter_map(|(_, op)| Some((op.attribute(names::PROGRAM).ok().and_then(names::Program::read)?, op)))
        .collect();
    found.sort_by_key(|(program, _)| program.device);
    let Some(devices) = found.first().map(|(program, _)| program.devices) else {
        let text = "no function is the program of a device: run `--ballast-outline` first";
        return Err(diagnostics::error(module.location(), text));
    };
    for (index, (program, op)) in found.iter().enumerate() {
        if program.devices != devices || usize::try_from(program.device) != Ok(index) {
            let text = format!(
                "is the program of device {} of {}, but the module has {} programs: it needs one for every device",
                program.device,
                program.devices,
                found.len()
            );
            return Err(diagnostics::error(op.location(), &text));
        }
        let block = ir::blocks(*op).first().copied();
        let arguments = block.map_or(0, |block| melior::ir::BlockLike::argument_count(&block));
        let results = block.and_then(ir::last_op).map_or(0, |last| last.operand_count());
        if (arguments, results) != (program.arguments.len(), program.results.len()) {
            let text = format!(
                "takes {arguments} arguments and returns {results} results, but `{}` numbers {} and {}",
                names::PROGRAM,
                program.arguments.len(),
                program.results.len()
            );
            return Err(diagnostics::error(op.location(), &text));
        }
    }
    if usize::try_from(devices) != Ok(found.len()) {
        let text = format!("the module has programs for {} of {devices} devices", found.len());
        return Err(diagnostics::error(module.location(), &text));
    }
    Ok(found.into_iter().map(|(_, op)| op).collect())
}

fn check_messages(programs: &[OperationRef<'_, '_>]) -> Result<(), Reported> {
    let mut all: Vec<Vec<(End, OperationRef<'_, '_>)>> = Vec::with_capacity(programs.len());
    for (device, &program) in programs.iter().enumerate() {
        let mut ends = Vec::new();
        for op in ir::nested(program) {
            let sends = match ir::name(op) {
                "ballast.send" => true,
                "ballast.recv" => false,
                _ => continue,
            };
            if op.parent_operation().is_none_or(|parent| parent != program) {
                let text = "is inside a region: how often it is sent cannot be told";
                return Err(diagnostics::error(op.location(), text));
            }
            let field = |name| ir::integer(op, name).unwrap_or(-1);
            let (own, other) =
                if sends { (field("source"), field("target")) } else { (field("target"), field("source")) };
            if usize::try_from(own) != Ok(device) {
                let verb = if sends { "sent" } else { "received" };
                let text = format!("is {verb} by device {own}, but stands in the program of device {device}");
                return Err(diagnostics::error(op.location(), &text));
            }
            let value = if sends { op.operand(0).ok() } else { op.result(0).ok().map(Into::into) };
            let kind = value.map_or(String::new(), |value| value.r#type().to_string());
            // A tensor may arrive in host memory.
            let tensor = kind.strip_prefix("!ballast.host<").and_then(|kind| kind.strip_suffix('>'));
            let kind = tensor.map_or(kind.clone(), str::to_owned);
            let other = usize::try_from(other).unwrap_or(usize::MAX);
            ends.push((End { sends, other: DeviceId(other), tag: field("tag"), kind }, op));
        }
        all.push(ends);
    }
    let plain: Vec<Vec<End>> =
        all.iter().map(|ends| ends.iter().map(|(end, _)| end.clone()).collect()).collect();
    messages::check(&plain).map_err(|stuck| {
        let location = all[stuck.device][stuck.end].1.location();
        diagnostics::error(location, &format!("the messages do not get through: {stuck}"))
    })
}
