//! The passes as `td/Passes.td` declares them: their options as Rust types, and the way from MLIR's pass manager to
//! an implementation of [`Passes`].

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::ir::operation::{OperationLike, OperationRef};
use mlir_sys::{MlirOperation, MlirStringRef};

use crate::diagnostics::{self, Reported};
use crate::ffi::owned;

include!(concat!(env!("OUT_DIR"), "/passes.rs"));

unsafe extern "C" {
    fn ballastRegisterPasses(table: *const PassTable);
}

/// Registers all passes with MLIR, carried out by `P`. The C++ side copies the table.
pub fn register<P: Passes>() {
    // SAFETY: the table lives through the call.
    unsafe { ballastRegisterPasses(&table::<P>()) }
}

/// Runs one pass. No panic leaves it: a bug becomes an error at the op the pass ran on.
///
/// # Safety
/// `module` is live for the whole call.
unsafe fn run<O>(
    argument: &str,
    module: MlirOperation,
    options: impl FnOnce() -> O,
    pass: fn(OperationRef<'_, '_>, &O) -> Result<(), Reported>,
) -> bool {
    // SAFETY: the caller's promise.
    let module = unsafe { OperationRef::from_raw(module) };
    match catch_unwind(AssertUnwindSafe(|| pass(module, &options()))) {
        Ok(outcome) => outcome.is_ok(),
        Err(panic) => {
            let text = format!("internal error in --{argument}: {}", message(&*panic));
            let _ = diagnostics::error(module.location(), &text);
            false
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
