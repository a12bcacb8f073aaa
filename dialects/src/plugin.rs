//! What hosts look up in a plugin library by name, and what the driver does.

use std::ffi::{CStr, c_char, c_void};
use std::panic::catch_unwind;

use crate::registration;

/// Version of the plugin interface (`MLIR_PLUGIN_API_VERSION`).
const API_VERSION: u32 = 1;

/// `mlir::PassPluginLibraryInfo`.
#[derive(Debug)]
#[repr(C)]
pub struct PassPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// `mlir::DialectPluginLibraryInfo`.
#[derive(Debug)]
#[repr(C)]
pub struct DialectPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
}

impl PassPlugin {
    /// A library of this name and version whose passes `register` registers.
    #[must_use]
    pub fn new(name: &'static CStr, version: &'static CStr, register: extern "C" fn()) -> Self {
        PassPlugin { api_version: API_VERSION, name: name.as_ptr(), version: version.as_ptr(), register }
    }
}

impl DialectPlugin {
    /// A library of this name and version with the dialect.
    #[must_use]
    pub fn new(name: &'static CStr, version: &'static CStr) -> Self {
        DialectPlugin {
            api_version: API_VERSION,
            name: name.as_ptr(),
            version: version.as_ptr(),
            register: register_dialect,
        }
    }
}

unsafe extern "C" fn register_dialect(registry: *mut c_void) {
    // SAFETY: called by the plugin host with its registry.
    unsafe { registration::register_dialect_in(registry) }
}

/// The exit status of `main`; that of an internal error where it panics.
pub fn guarded(main: impl FnOnce() -> i32 + std::panic::UnwindSafe) -> i32 {
    const INTERNAL_ERROR: i32 = 3;
    catch_unwind(main).unwrap_or(INTERNAL_ERROR)
}

/// Exports what `--load-pass-plugin`, `--load-dialect-plugin` and the driver `ballast-opt` look up: `register` registers the passes,
/// `main` is the driver and gives its exit status.
#[macro_export]
macro_rules! export_plugin {
    (name: $name:expr, version: $version:expr, register: $register:path, main: $main:path) => {
        /// What `--load-pass-plugin` looks up.
        #[unsafe(no_mangle)]
        pub extern "C" fn mlirGetPassPluginInfo() -> $crate::plugin::PassPlugin {
            // A name of its own: `$register` is looked up from inside of it.
            extern "C" fn ballast_plugin_register() {
                $register();
            }
            $crate::plugin::PassPlugin::new($name, $version, ballast_plugin_register)
        }

        /// What `--load-dialect-plugin` looks up.
        #[unsafe(no_mangle)]
        pub extern "C" fn mlirGetDialectPluginInfo() -> $crate::plugin::DialectPlugin {
            $crate::plugin::DialectPlugin::new($name, $version)
        }

        /// The driver: what `ballast-opt` looks up. Takes the arguments of the process; returns the exit status.
        #[unsafe(no_mangle)]
        pub extern "C" fn ballast_opt_main() -> i32 {
            $crate::plugin::guarded($main)
        }
    };
}
