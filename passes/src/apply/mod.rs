//! From a plan to a program that carries it out.

pub(crate) mod actions;
pub(crate) mod emit;
pub(crate) mod native;

use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::import::ir;

/// Erases an op whose results nobody reads any more.
pub(crate) fn erase(op: OperationRef<'_, '_>) {
    // SAFETY: the caller replaced all uses; the reference is not used after this.
    unsafe { mlir_sys::mlirOperationDestroy(op.to_raw()) }
}

/// Removes what only the planner reads: the plan and the devices. What runs programs does not know those dialects.
pub(crate) fn strip(module: OperationRef<'_, '_>) {
    for op in ir::nested(module).into_iter().chain([module]) {
        let names =
            (0..op.discardable_attribute_count()).filter_map(|index| op.discardable_attribute_at(index).ok());
        let names: Vec<String> =
            names.map(|(name, _)| name.as_string_ref().as_str().unwrap_or_default().to_owned()).collect();
        for name in names.iter().filter(|name| name.starts_with("ballast.") || name.starts_with("dlti.")) {
            annotations::remove(op, name);
        }
    }
}
