//! Entry points of `libballast.so`: what plugin hosts and the driver look up by name.

use std::ffi::{c_char, c_void};
use std::panic::catch_unwind;

use ballast_dialects::diagnostics::Reported;
use ballast_dialects::passes::{
    self, BallastApplyOptions, BallastEntryOptions, BallastHostHeapOptions, BallastInlineOptions,
    BallastKernelsOptions, BallastMessagesOptions, BallastOutlineOptions, BallastPlaceOptions,
    BallastPlanOptions, BallastRankOptions, BallastReportOptions, BallastSplitOpsOptions,
    BallastStripOptions, BallastToBuffersOptions, BallastToStablehloOptions, BallastUnrollOptions,
    BallastVerifyOptions, Passes, RematOptions, RlPartitionOptions,
};
use ballast_dialects::registration;
use melior::ir::operation::OperationRef;

use crate::apply::ballast_apply;
use crate::lower::{
    ballast_entry, ballast_host_heap, ballast_inline, ballast_kernels, ballast_messages, ballast_outline,
    ballast_rank, ballast_split_ops, ballast_strip, ballast_to_buffers, ballast_to_stablehlo, ballast_unroll,
};
use crate::plan::{ballast_place, ballast_plan, remat, rl_partition};
use crate::report::{ballast_report, ballast_verify};
use crate::{driver, signals};

/// Version of the plugin interface (`MLIR_PLUGIN_API_VERSION`).
const API_VERSION: u32 = 1;
const NAME: &std::ffi::CStr = c"ballast";
const VERSION: *const c_char = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// `mlir::DialectPluginLibraryInfo`.
#[repr(C)]
pub struct DialectPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
}

/// What each pass does.
struct Planner;

impl Passes for Planner {
    fn ballast_apply(module: OperationRef<'_, '_>, options: &BallastApplyOptions) -> Result<(), Reported> {
        ballast_apply::run(module, options)
    }

    fn ballast_entry(module: OperationRef<'_, '_>, options: &BallastEntryOptions) -> Result<(), Reported> {
        ballast_entry::run(module, options)
    }

    fn ballast_host_heap(
        module: OperationRef<'_, '_>,
        options: &BallastHostHeapOptions,
    ) -> Result<(), Reported> {
        ballast_host_heap::run(module, options)
    }

    fn ballast_inline(module: OperationRef<'_, '_>, options: &BallastInlineOptions) -> Result<(), Reported> {
        ballast_inline::run(module, options)
    }

    fn ballast_kernels(
        module: OperationRef<'_, '_>,
        options: &BallastKernelsOptions,
    ) -> Result<(), Reported> {
        ballast_kernels::run(module, options)
    }

    fn ballast_messages(
        module: OperationRef<'_, '_>,
        options: &BallastMessagesOptions,
    ) -> Result<(), Reported> {
        ballast_messages::run(module, options)
    }

    fn ballast_outline(
        module: OperationRef<'_, '_>,
        options: &BallastOutlineOptions,
    ) -> Result<(), Reported> {
        ballast_outline::run(module, options)
    }

    fn ballast_rank(module: OperationRef<'_, '_>, options: &BallastRankOptions) -> Result<(), Reported> {
        ballast_rank::run(module, options)
    }

    fn ballast_split_ops(
        module: OperationRef<'_, '_>,
        options: &BallastSplitOpsOptions,
    ) -> Result<(), Reported> {
        ballast_split_ops::run(module, options)
    }

    fn ballast_strip(module: OperationRef<'_, '_>, options: &BallastStripOptions) -> Result<(), Reported> {
        ballast_strip::run(module, options)
    }

    fn ballast_report(module: OperationRef<'_, '_>, options: &BallastReportOptions) -> Result<(), Reported> {
        ballast_report::run(module, options)
    }

    fn ballast_to_buffers(
        module: OperationRef<'_, '_>,
        options: &BallastToBuffersOptions,
    ) -> Result<(), Reported> {
        ballast_to_buffers::run(module, options)
    }

    fn ballast_to_stablehlo(
        module: OperationRef<'_, '_>,
        options: &BallastToStablehloOptions,
    ) -> Result<(), Reported> {
        ballast_to_stablehlo::run(module, options)
    }

    fn ballast_unroll(module: OperationRef<'_, '_>, options: &BallastUnrollOptions) -> Result<(), Reported> {
        ballast_unroll::run(module, options)
    }

    fn ballast_verify(module: OperationRef<'_, '_>, options: &BallastVerifyOptions) -> Result<(), Reported> {
        ballast_verify::run(module, options)
    }

    fn remat(module: OperationRef<'_, '_>, options: &RematOptions) -> Result<(), Reported> {
        let _signals = signals::catch();
        remat::run(module, options)
    }

    fn ballast_place(module: OperationRef<'_, '_>, options: &BallastPlaceOptions) -> Result<(), Reported> {
        ballast_place::run(module, options)
    }

    fn ballast_plan(module: OperationRef<'_, '_>, options: &BallastPlanOptions) -> Result<(), Reported> {
        let _signals = signals::catch();
        ballast_plan::run(module, options)
    }

    fn rl_partition(module: OperationRef<'_, '_>, options: &RlPartitionOptions) -> Result<(), Reported> {
        let _signals = signals::catch();
        rl_partition::run(module, options)
    }
}

extern "C" fn register_passes() {
    passes::register::<Planner>();
}

unsafe extern "C" fn register_dialect(registry: *mut c_void) {
    // SAFETY: called by the plugin host with its registry.
    unsafe { registration::register_dialect_in(registry) }
}

/// What `--load-pass-plugin` looks up.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPluginInfo {
    PassPluginInfo {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION,
        register: register_passes,
    }
}

/// What `--load-dialect-plugin` looks up.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPluginInfo {
    DialectPluginInfo {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION,
        register: register_dialect,
    }
}

/// The driver: what `ballast-opt` looks up. Takes the arguments of the process; returns the exit status.
#[unsafe(no_mangle)]
pub extern "C" fn ballast_opt_main() -> i32 {
    const INTERNAL_ERROR: i32 = 3;
    catch_unwind(|| {
        register_passes();
        signals::own_the_process();
        driver::main(std::env::args_os())
    })
    .unwrap_or(INTERNAL_ERROR)
}
