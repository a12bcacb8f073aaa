//! `--ballast-host-heap`: buffers in the host's memory space come from a heap of their own.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, replace_all_uses, uses};
use ballast_dialects::passes::BallastHostHeapOptions;
use ballast_dialects::types;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};

use crate::import::types::Types;
use crate::lower::ballast_to_buffers::HOST_SPACE;
use crate::lower::native::{Code, declare};

const BYTES: &str = "memref<?xi8>";

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, _options: &BallastHostHeapOptions) -> Result<(), Reported> {
    let allocations: Vec<OperationRef<'_, '_>> = ir::nested(module)
        .into_iter()
        .filter(|&op| {
            ir::name(op) == "memref.alloc" && op.results().any(|result| is_on_host(result.r#type()))
        })
        .collect();
    if allocations.is_empty() {
        return Ok(());
    }
    declare(module, "ballast_host_alloc", &format!("(index) -> {BYTES}"))?;
    declare(module, "ballast_host_free", &format!("({BYTES}) -> ()"))?;
    let mut sizes = Types::new(None);
    allocations.into_iter().try_for_each(|allocation| lower(allocation, &mut sizes))
}

fn is_on_host(kind: Type<'_>) -> bool {
    types::memory_space(kind) == Some(HOST_SPACE)
}

fn lower<'c: 'a, 'a>(allocation: OperationRef<'c, 'a>, sizes: &mut Types) -> Result<(), Reported> {
    let location = allocation.location();
    let context = ballast_dialects::ir::context(allocation);
    let (Some(block), Some(result)) = (allocation.block(), allocation.results().next()) else {
        return Ok(());
    };
    let size = sizes.of(result.r#type()).map_err(|reason| diagnostics::error(location, &reason))?;
    let plain = size.text.replace(&format!(", {HOST_SPACE}>"), ">");
    let mut code = Code::before(context, block, allocation, location);
    let bytes = code.index(size.bytes)?;
    let raw = code.call("ballast_host_alloc", &[bytes], &[BYTES])?;
    let start = code.index(0)?;
    let view = code.op("memref.view", &[raw[0], start], &[plain.as_str()])?;
    let view: Value<'c, 'a> = view[0];
    for reader in uses(result) {
        match ir::name(reader.owner) {
            "memref.copy" | "ballast.send" | "ballast.recv_into" => {}
            "memref.dealloc" => {
                let Some(block) = reader.owner.block() else { continue };
                let mut code = Code::before(context, block, reader.owner, reader.owner.location());
                code.call("ballast_host_free", &[raw[0]], &[])?;
                erase(reader.owner);
            }
            other => {
                let text = format!("reads a copy on the host by {other}: only copies and messages can");
                return Err(diagnostics::error(reader.owner.location(), &text));
            }
        }
    }
    replace_all_uses(result, view);
    erase(allocation);
    Ok(())
}
