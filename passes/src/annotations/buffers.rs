//! Memory of which several devices would each have one.

use ballast_core::device::DeviceId;
use ballast_dialects::diagnostics::{self, Reported};
use melior::ir::operation::OperationLike;

use crate::import::Imported;

/// Refuses a placement on several devices of ops that use one memory which one of them writes, be it a buffer or state behind a symbol: each device would
/// have one of its own, and nothing says what is written to which.
///
/// # Errors
/// At the first op that is elsewhere than one before it.
pub(super) fn check(imported: &Imported<'_, '_>, device_of: &[DeviceId]) -> Result<(), Reported> {
    for shared in &imported.shared {
        let Some(&first) = shared.ops.first() else { continue };
        if let Some(&op) = shared.ops.iter().find(|&&op| device_of[op] != device_of[first]) {
            let (here, there) = (device_of[op].0, device_of[first].0);
            let (name, what) = (&imported.graph.ops[first].name, shared.name());
            let text = format!(
                "placed on device {here}, and '{name}' on device {there}, though both use {what}: each device would have one of its own. Put them on \
                 one device (`ballast.device`), or cut the program before it is bufferized"
            );
            return Err(diagnostics::error(imported.ops[op].location(), &text));
        }
    }
    Ok(())
}
