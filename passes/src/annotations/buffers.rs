//! Memory of which several devices would each have one.

use std::collections::BTreeMap;

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

/// Binds the ops that use one written memory to the device a rule names for one of them, else to that where most of them are. Were any elsewhere?
pub(crate) fn bind(imported: &mut Imported<'_, '_>, device_of: &[DeviceId]) -> bool {
    let mut were_torn = false;
    // Bound to one of two memories, an op binds what uses the other.
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for shared in imported.shared.iter().filter(|shared| shared.ops.len() > 1) {
            let ops = &mut imported.graph.ops;
            let ruled = shared.ops.iter().find_map(|&op| ops[op].rules.device);
            let mut count: BTreeMap<DeviceId, usize> = BTreeMap::new();
            for &op in &shared.ops {
                *count.entry(device_of[op]).or_default() += 1;
            }
            let most = count.iter().max_by_key(|&(device, &count)| (count, std::cmp::Reverse(*device)));
            let Some(device) = ruled.or(most.map(|(&device, _)| device)) else { continue };
            for &op in &shared.ops {
                let rule = &mut ops[op].rules.device;
                goes_on |= rule.is_none();
                rule.get_or_insert(device);
                were_torn |= device_of[op] != device;
            }
        }
    }
    were_torn
}
