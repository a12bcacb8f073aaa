//! Making the dialect and the driver known to MLIR.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;

use melior::dialect::DialectRegistry;
use mlir_sys::MlirDialectRegistry;

use crate::ffi;

/// Adds the dialect to a registry.
pub fn register_dialect(registry: &DialectRegistry) {
    ffi::register_dialect(registry.to_raw());
}

/// Adds the dialect to the registry a plugin host hands over.
///
/// # Safety
/// `registry` points at a live `mlir::DialectRegistry`.
pub unsafe fn register_dialect_in(registry: *mut std::ffi::c_void) {
    ffi::register_dialect(MlirDialectRegistry { ptr: registry });
}

/// Runs the driver: `mlir-opt` with all upstream dialects and passes, this dialect, and the passes registered so far.
/// Returns its exit status.
#[must_use]
pub fn opt_main(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    // An argument of a process cannot hold a zero byte.
    let arguments: Vec<CString> =
        arguments.into_iter().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
    let mut pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let count = i32::try_from(pointers.len()).unwrap_or(i32::MAX);
    pointers.push(std::ptr::null());
    // SAFETY: as main: count strings, then null; all outlive the call.
    unsafe { ffi::ballastOptMain(count, pointers.as_ptr()) }
}
