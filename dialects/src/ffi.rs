//! The C ABI of `cpp/`: declarations only; safe functions over them are in the other modules.

use mlir_sys::{MlirAttribute, MlirDialectRegistry, MlirLocation, MlirOperation, MlirStringRef, MlirValue};

/// One fact of a remark.
#[repr(C)]
pub(crate) struct RawFact {
    pub(crate) key: MlirStringRef,
    pub(crate) value: MlirStringRef,
}

/// A note below a diagnostic.
#[repr(C)]
pub(crate) struct RawNote {
    pub(crate) location: MlirLocation,
    pub(crate) text: MlirStringRef,
}

/// `#ballast.stage`.
#[repr(C)]
pub(crate) struct RawStage {
    pub(crate) device: i64,
    pub(crate) cores: i64,
    pub(crate) cap: i64,
    pub(crate) requested_cap: i64,
    pub(crate) smallest_cap: i64,
    pub(crate) peak: i64,
    pub(crate) unplanned_peak: i64,
    pub(crate) host_peak: i64,
    pub(crate) seconds: f64,
    pub(crate) unplanned_seconds: f64,
    pub(crate) bound: f64,
}

/// `#ballast.plan` without its stages.
#[repr(C)]
pub(crate) struct RawPlan {
    pub(crate) version: i64,
    pub(crate) devices: i64,
    pub(crate) tmax: f64,
    pub(crate) tmin: f64,
    pub(crate) ratio: f64,
    pub(crate) bound: f64,
    pub(crate) bound_class: MlirStringRef,
    pub(crate) gap: f64,
    pub(crate) stop: u32,
    pub(crate) method: MlirStringRef,
    pub(crate) seed: u64,
    pub(crate) fingerprint: MlirStringRef,
    pub(crate) checksum: MlirStringRef,
    pub(crate) cap_met: bool,
    pub(crate) bound_trusts_highs: bool,
    pub(crate) settings: MlirAttribute,
}

/// `mlir::IRMapping`.
#[repr(C)]
pub(crate) struct RawMapping {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    pub(crate) fn ballastEmit(
        location: MlirLocation,
        severity: u32,
        text: MlirStringRef,
        notes: *const RawNote,
        count: usize,
    );
    pub(crate) fn ballastRemark(
        location: MlirLocation,
        kind: u32,
        name: MlirStringRef,
        function: MlirStringRef,
        text: MlirStringRef,
        facts: *const RawFact,
        count: usize,
    );

    pub(crate) fn ballastRemoveFiles();
    pub(crate) fn ballastIsMemoryEffectFree(op: MlirOperation) -> bool;
    pub(crate) fn ballastIsConstantLike(op: MlirOperation) -> bool;
    pub(crate) fn ballastLinalgLoops(
        op: MlirOperation,
        extents: *mut i64,
        reductions: *mut bool,
        capacity: usize,
    ) -> isize;
    pub(crate) fn ballastProperties(op: MlirOperation) -> MlirAttribute;
    pub(crate) fn ballastElementBytes(attribute: MlirAttribute, bytes: *mut MlirStringRef) -> bool;
    pub(crate) fn ballastDltiEntries(attribute: MlirAttribute) -> MlirAttribute;

    pub(crate) fn ballastSymbolReferences(op: MlirOperation) -> MlirAttribute;

    pub(crate) fn ballastMappingCreate() -> *mut RawMapping;
    pub(crate) fn ballastMappingDestroy(mapping: *mut RawMapping);
    pub(crate) fn ballastMappingMap(mapping: *mut RawMapping, from: MlirValue, to: MlirValue);
    pub(crate) fn ballastMappingLookup(mapping: *mut RawMapping, from: MlirValue) -> MlirValue;
    pub(crate) fn ballastMappingClone(mapping: *mut RawMapping, op: MlirOperation) -> MlirOperation;

    pub(crate) fn ballastDeviceGet(location: MlirLocation, id: i64) -> MlirAttribute;
    pub(crate) fn ballastDeviceRead(attribute: MlirAttribute) -> i64;
    pub(crate) fn ballastRecomputeGet(
        location: MlirLocation,
        before: *const i64,
        count: usize,
    ) -> MlirAttribute;
    pub(crate) fn ballastRecomputeRead(
        attribute: MlirAttribute,
        before: *mut *const i64,
        count: *mut usize,
    ) -> bool;
    pub(crate) fn ballastSwapGet(
        location: MlirLocation,
        out_after: i64,
        in_before: *const i64,
        count: usize,
    ) -> MlirAttribute;
    pub(crate) fn ballastSwapRead(
        attribute: MlirAttribute,
        out_after: *mut i64,
        in_before: *mut *const i64,
        count: *mut usize,
    ) -> bool;
    pub(crate) fn ballastReceiveGet(
        location: MlirLocation,
        device: i64,
        position: i64,
        again_before: *const i64,
        count: usize,
    ) -> MlirAttribute;
    pub(crate) fn ballastReceiveRead(
        attribute: MlirAttribute,
        device: *mut i64,
        position: *mut i64,
        again_before: *mut *const i64,
        count: *mut usize,
    ) -> bool;
    pub(crate) fn ballastProgramGet(
        location: MlirLocation,
        device: i64,
        devices: i64,
        arguments: *const i64,
        argument_count: usize,
        results: *const i64,
        result_count: usize,
    ) -> MlirAttribute;
    pub(crate) fn ballastProgramRead(
        attribute: MlirAttribute,
        device: *mut i64,
        devices: *mut i64,
        arguments: *mut *const i64,
        argument_count: *mut usize,
        results: *mut *const i64,
        result_count: *mut usize,
    ) -> bool;
    pub(crate) fn ballastCostGet(
        location: MlirLocation,
        seconds: f64,
        flops: i64,
        bytes: i64,
    ) -> MlirAttribute;
    pub(crate) fn ballastCostRead(
        attribute: MlirAttribute,
        seconds: *mut f64,
        flops: *mut i64,
        bytes: *mut i64,
    ) -> bool;
    pub(crate) fn ballastPlanGet(
        location: MlirLocation,
        plan: *const RawPlan,
        stages: *const RawStage,
        count: usize,
    ) -> MlirAttribute;
    pub(crate) fn ballastPlanRead(
        attribute: MlirAttribute,
        plan: *mut RawPlan,
        stages: *mut RawStage,
        capacity: usize,
    ) -> isize;

    pub(crate) fn ballastRegisterDialect(registry: *mut std::ffi::c_void);
    pub(crate) fn ballastOptParse(
        argc: i32,
        argv: *const *const std::ffi::c_char,
        input: *mut MlirStringRef,
        output: *mut MlirStringRef,
    );
    pub(crate) fn ballastOptList(argc: i32, argv: *const *const std::ffi::c_char, status: *mut i32) -> bool;
    pub(crate) fn ballastOptRun(
        argc: i32,
        argv: *const *const std::ffi::c_char,
        name: MlirStringRef,
        program: MlirStringRef,
        descriptor: i32,
        partial: MlirStringRef,
        error: *mut i32,
    ) -> bool;
}

/// A string as MLIR takes it, valid as long as `text` is.
pub(crate) fn view(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// A copy of MLIR's string, as [`crate::text::readable`] gives it. melior's own conversion fails on an empty one and on bytes that
/// are no UTF-8.
///
/// # Safety
/// `text` points at `length` live bytes.
pub(crate) unsafe fn owned(text: MlirStringRef) -> String {
    // SAFETY: the caller's promise.
    crate::text::readable(unsafe { crate::text::bytes(text) })
}

/// Makes the raw registry known under the type the C API gives it.
pub(crate) fn register_dialect(registry: MlirDialectRegistry) {
    // SAFETY: the C API's registry is a pointer to mlir::DialectRegistry.
    unsafe { ballastRegisterDialect(registry.ptr) }
}
