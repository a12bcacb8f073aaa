//! Cloning ops with their operands replaced: `mlir::IRMapping`.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Location, Operation, Value, ValueLike};
use mlir_sys::mlirBlockArgumentSetLocation;

use crate::ffi::{self, RawMapping};
use crate::ir;
use crate::operations::set_location;

/// Makes an op, all it holds, and the arguments of its blocks come from nowhere.
pub fn forget_locations(op: OperationRef<'_, '_>) {
    let nowhere = Location::unknown(ir::context(op));
    for op in ir::nested(op).into_iter().chain([op]) {
        set_location(op, nowhere);
        for block in ir::blocks(op) {
            for argument in (0..block.argument_count()).filter_map(|index| block.argument(index).ok()) {
                // SAFETY: the argument is that of a live block.
                unsafe { mlirBlockArgumentSetLocation(argument.to_raw(), nowhere.to_raw()) };
            }
        }
    }
}

/// Which value stands for which in a clone. Cloning an op adds its results.
#[derive(Debug)]
pub struct Mapping {
    raw: *mut RawMapping,
}

impl Mapping {
    /// Maps nothing.
    #[must_use]
    pub fn new() -> Self {
        // SAFETY: no precondition.
        Mapping { raw: unsafe { ffi::ballastMappingCreate() } }
    }

    /// From now on `to` stands for `from`.
    pub fn map<'c>(&mut self, from: impl ValueLike<'c>, to: impl ValueLike<'c>) {
        // SAFETY: both values are live.
        unsafe { ffi::ballastMappingMap(self.raw, from.to_raw(), to.to_raw()) }
    }

    /// What stands for `from`: itself if nothing was mapped.
    #[must_use]
    pub fn lookup<'c, 'a>(&self, from: impl ValueLike<'c>) -> Value<'c, 'a> {
        // SAFETY: the value is live; the mapping holds live values only.
        unsafe { Value::from_raw(ffi::ballastMappingLookup(self.raw, from.to_raw())) }
    }

    /// Clones an op with its regions; operands are mapped, results are mapped to those of the clone.
    pub fn clone_op<'c: 'a, 'a>(&mut self, op: &impl OperationLike<'c, 'a>) -> Operation<'c> {
        // SAFETY: the op is live; the clone is detached and owned by the caller.
        unsafe { Operation::from_raw(ffi::ballastMappingClone(self.raw, op.to_raw())) }
    }
}

impl Default for Mapping {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: made by `new`, dropped once.
        unsafe { ffi::ballastMappingDestroy(self.raw) }
    }
}
