//! The passes as `td/Passes.td` declares them: their options as Rust types with their defaults, and the way from MLIR's pass manager
//! to what carries them out, [`Passes`].

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use melior::ir::operation::{OperationLike, OperationRef};
use mlir_sys::{MlirOperation, MlirStringRef};

use crate::diagnostics::{self, Reported};
use crate::ffi::owned;

include!(concat!(env!("OUT_DIR"), "/passes.rs"));

unsafe extern "C" {
    fn ballastRegisterPasses(table: *const PassTable);
}

/// What carries a pass out; a failure is reported at a location before it is returned.
pub type Run<O> = fn(OperationRef<'_, '_>, &O) -> Result<(), Reported>;

/// What was registered: once per process, as MLIR's registry is.
static REGISTERED: OnceLock<Passes> = OnceLock::new();

/// Registers all passes with MLIR. The C++ side copies the table. What was registered first stays.
pub fn register(passes: Passes) {
    REGISTERED.get_or_init(|| passes);
    // SAFETY: the table lives through the call.
    unsafe { ballastRegisterPasses(&TABLE) }
}

/// Runs one pass. No panic leaves it: a bug becomes an error at the op the pass ran on.
///
/// # Safety
/// `module` is live for the whole call.
unsafe fn run<O>(
    argument: &str,
    module: MlirOperation,
    options: impl FnOnce() -> O,
    of: fn(&Passes) -> Run<O>,
) -> bool {
    // SAFETY: the caller's promise.
    let module = unsafe { OperationRef::from_raw(module) };
    let carry_out =
        || of(REGISTERED.get().expect("passes run after they are registered"))(module, &options());
    match catch_unwind(AssertUnwindSafe(carry_out)) {
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
