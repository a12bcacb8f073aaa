//! Making the dialect known to MLIR.

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
