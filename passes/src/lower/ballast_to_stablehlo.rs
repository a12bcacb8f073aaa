//! `--ballast-to-stablehlo`: carries out the plan of a StableHLO program, in StableHLO alone.

use std::collections::BTreeSet;

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, referenced_symbols, replace_all_uses, set_attribute};
use ballast_dialects::passes::BallastToStablehloOptions;
use ballast_dialects::remarks::{self, Remark};
use ballast_dialects::types::{Kind, kind};
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef, OperationResult};
use melior::ir::{Attribute, BlockLike, BlockRef, Identifier, Type, Value, ValueLike};

use crate::apply::ballast_apply;
use crate::import;
use crate::lower::ballast_strip::{is_of_planning, strip};

/// Name under which XLA knows a copy between memories.
const PLACEMENT: &str = "annotate_device_placement";

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastToStablehloOptions) -> Result<(), Reported> {
    let called: BTreeSet<String> = import::functions(module)
        .into_iter()
        .flat_map(|(_, function)| ir::nested(function))
        .flat_map(|op| referenced_symbols(&op))
        .collect();
    let mut copied = Vec::new();
    for function in ballast_apply::carry_out(module, &options.function, options.number_ops)? {
        let copies = ir::blocks(function).into_iter().map(lower).sum::<Result<usize, _>>()?;
        copied.push((function, copies));
        // What the program calls is a part of it, and no program besides.
        if ir::string(function, "sym_name").is_some_and(|name| called.contains(&name)) {
            let private = StringAttribute::new(ir::context(function), "private");
            set_attribute(function, "sym_visibility", private.into());
        }
    }
    // What runs StableHLO knows neither dialect.
    strip(module, |name, value| is_of_planning(name, value) || name.starts_with("dlti."));
    for (function, copies) in copied.into_iter().filter(|&(_, copies)| copies > 0) {
        let name = ir::string(function, "sym_name").unwrap_or_default();
        let text = "copies to the host are requests to XLA: clients without a separate host memory, such as the CPU client, keep \
                    the values on the device";
        Remark::new(remarks::Kind::Missed, "HostOffload", &name, text)
            .fact("copies", copies)
            .emit(function.location());
    }
    Ok(())
}

/// Lowers the ops of a block; how many copies to or from the host there were.
fn lower<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Result<usize, Reported> {
    let mut copies = 0;
    let ops: Vec<OperationRef<'c, 'a>> = ir::ops(block).collect();
    for op in ops {
        match ir::name(op) {
            "ballast.barrier" => {
                refuse_tuples(op)?;
                replace(block, op, "stablehlo.optimization_barrier", &[])?;
            }
            "ballast.swap_out" => copies += place(block, op, "pinned_host")?,
            "ballast.swap_in" => copies += place(block, op, "device")?,
            _ => {}
        }
    }
    Ok(copies)
}

/// StableHLO's barriers take tensors and tokens alone.
fn refuse_tuples(barrier: OperationRef<'_, '_>) -> Result<(), Reported> {
    let tuple = barrier.operands().find(|value| matches!(kind(value.r#type()), Kind::Tuple(_)));
    let Some(tuple) = tuple else { return Ok(()) };
    let location =
        OperationResult::try_from(tuple).map_or(barrier.location(), |made| made.owner().location());
    let text = "a tuple is to be kept by a barrier, which takes tensors alone: have functions give several results instead of tuples, then plan again";
    Err(diagnostics::error(location, text))
}

fn place<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    op: OperationRef<'c, 'a>,
    kind: &str,
) -> Result<usize, Reported> {
    let frontend = format!("{{_xla_buffer_placement = \"{kind}\"}}");
    let attributes = [
        ("call_target_name", format!("\"{PLACEMENT}\"")),
        ("has_side_effect", "true".to_owned()),
        ("api_version", "1 : i32".to_owned()),
        ("mhlo.frontend_attributes", frontend),
    ];
    replace(block, op, "stablehlo.custom_call", &attributes)?;
    Ok(1)
}

/// Replaces an op by one that takes the same values and gives values of their types.
fn replace<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    op: OperationRef<'c, 'a>,
    name: &str,
    attributes: &[(&str, String)],
) -> Result<(), Reported> {
    let location = op.location();
    let context = ballast_dialects::ir::context(op);
    let operands: Vec<Value<'c, 'a>> = op.operands().collect();
    // A host handle has become a tensor by now: its maker comes first.
    let kinds: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
    let attributes: Vec<(Identifier<'c>, Attribute<'c>)> = attributes
        .iter()
        .filter_map(|(name, text)| Some((Identifier::new(context, name), Attribute::parse(context, text)?)))
        .collect();
    let new = OperationBuilder::new(name, location)
        .add_operands(&operands)
        .add_results(&kinds)
        .add_attributes(&attributes)
        .build()
        .map_err(|error| diagnostics::error(location, &format!("cannot make {name}: {error}")))?;
    let new = block.insert_operation_before(op, new);
    for (old, new) in op.results().zip(new.results()) {
        replace_all_uses(old, Value::from(new));
    }
    erase(op);
    Ok(())
}
