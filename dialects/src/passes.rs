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

/// Options whose numbers lie in ranges, which `td/Passes.td` names.
pub trait Ranges {
    /// # Errors
    /// The first number that is out of its range, and the range.
    fn check_ranges(&self) -> Result<(), String>;
}

fn count(option: &str, value: u64, low: u64, high: u64) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let range = if high == u64::MAX { format!("at least {low}") } else { format!("{low} to {high}") };
    Err(format!("{option}={value}: give {range}"))
}

fn number(option: &str, value: f64, low: f64, high: f64) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let shown = |number: f64| if number.abs() < 1e6 { number.to_string() } else { format!("{number:e}") };
    Err(format!("{option}={value}: give {} to {}", shown(low), shown(high)))
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
unsafe fn run<O: Ranges>(
    argument: &str,
    module: MlirOperation,
    options: impl FnOnce() -> O,
    of: fn(&Passes) -> Run<O>,
) -> bool {
    // SAFETY: the caller's promise.
    let module = unsafe { OperationRef::from_raw(module) };
    let carry_out = || {
        let options = options();
        options.check_ranges().map_err(|text| diagnostics::error(module.location(), &text))?;
        of(REGISTERED.get().expect("passes run after they are registered"))(module, &options)
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_its_range_is_refused_with_the_range() {
        assert_eq!(RematOptions::default().check_ranges(), Ok(()));
        let refused = |options: RematOptions| options.check_ranges().unwrap_err();
        assert_eq!(
            refused(RematOptions { threads: 1025, ..RematOptions::default() }),
            "threads=1025: give 0 to 1024"
        );
        let step = RematOptions { relax_step: 1e-300, ..RematOptions::default() };
        assert!(refused(step).ends_with("give 0.0001 to 10"));
        for time_limit in [-1.0, f64::NAN, f64::INFINITY, 1.1e9] {
            let text = refused(RematOptions { time_limit, ..RematOptions::default() });
            assert!(text.ends_with("give 0 to 1e9"), "{text}");
        }
        let endless = RlPartitionOptions { episodes: u64::MAX, ..RlPartitionOptions::default() };
        assert!(endless.check_ranges().unwrap_err().starts_with("episodes=18446744073709551615: give 0 to"));
        assert_eq!(
            RlPartitionOptions { seed: u64::MAX, ..RlPartitionOptions::default() }.check_ranges(),
            Ok(())
        );
    }
}
