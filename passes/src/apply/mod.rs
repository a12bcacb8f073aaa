//! From a plan to a program that carries it out.

pub(crate) mod actions;
pub(crate) mod emit;
pub(crate) mod native;

use melior::ir::operation::OperationRef;

/// Erases an op whose results nobody reads any more.
pub(crate) fn erase(op: OperationRef<'_, '_>) {
    // SAFETY: the caller replaced all uses; the reference is not used after this.
    unsafe { mlir_sys::mlirOperationDestroy(op.to_raw()) }
}
