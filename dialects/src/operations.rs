//! Ops and values where melior has no answer: effects, properties, uses; and changes of ops that others refer to.

use std::collections::HashSet;

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Location, Operation, RegionLike, Type, TypeLike, Value,
    ValueLike,
};
use mlir_sys::{
    mlirArrayAttrGetElement, mlirArrayAttrGetNumElements, mlirAttributeIsAString, mlirAttributeIsASymbolRef,
    mlirBlockDestroy, mlirBlockDetach, mlirFlatSymbolRefAttrGetValue, mlirOpOperandGetNextUse,
    mlirOpOperandGetOperandNumber, mlirOpOperandGetOwner, mlirOperationDestroy, mlirOperationMoveBefore,
    mlirStringAttrGetValue, mlirSymbolRefAttrGetNestedReference, mlirSymbolRefAttrGetNumNestedReferences,
    mlirSymbolRefAttrGetRootReference, mlirSymbolTableCreate, mlirSymbolTableDestroy, mlirValueGetFirstUse,
    mlirValueReplaceAllUsesOfWith, mlirValueSetType,
};

use crate::ffi::{self, owned};

/// Is the op known to neither read nor write memory nor do anything else, its regions included?
///
/// False for every op MLIR knows nothing about: unregistered ones, and calls.
#[must_use]
pub fn is_memory_effect_free<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> bool {
    // SAFETY: the op is live.
    unsafe { ffi::ballastIsMemoryEffectFree(op.to_raw()) }
}

/// Is the op a constant to MLIR: no operands, no effects, folds to an attribute? False for unregistered ops.
#[must_use]
pub fn is_constant_like<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> bool {
    // SAFETY: the op is live.
    unsafe { ffi::ballastIsConstantLike(op.to_raw()) }
}

/// The op's properties as one attribute; none for an op without.
///
/// Of an unregistered op these are the attributes written in `<{..}>`, as a dictionary: they can be looked up by
/// name, but the C API does not enumerate them.
#[must_use]
pub fn properties<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> Option<Attribute<'c>> {
    // SAFETY: the op is live, the attribute belongs to its context.
    unsafe { Attribute::from_option_raw(ffi::ballastProperties(op.to_raw())) }
}

/// The bytes of the elements of a dense attribute, held in it or in a resource: one element where all are equal. None for any other
/// attribute.
#[must_use]
pub fn element_bytes<'c>(attribute: impl AttributeLike<'c>) -> Option<&'c [u8]> {
    let mut raw = mlir_sys::MlirStringRef { data: std::ptr::null(), length: 0 };
    // SAFETY: the attribute and its bytes live as long as its context.
    unsafe { ffi::ballastElementBytes(attribute.to_raw(), &raw mut raw).then(|| crate::text::bytes(raw)) }
}

/// The entries of a DLTI attribute (`#dlti.target_system_spec`, `#dlti.target_device_spec`, `#dlti.map`), in the
/// order written; none for any other attribute. Entries with a type as key are left out.
#[must_use]
pub fn dlti_entries<'c>(attribute: impl AttributeLike<'c>) -> Option<Vec<(String, Attribute<'c>)>> {
    // SAFETY: attributes belong to a live context; the shim returns an array of pairs or null.
    unsafe {
        let flat = ffi::ballastDltiEntries(attribute.to_raw());
        if flat.ptr.is_null() {
            return None;
        }
        let pairs = mlirArrayAttrGetNumElements(flat) / 2;
        Some(
            (0..pairs)
                .map(|pair| {
                    (mlirArrayAttrGetElement(flat, 2 * pair), mlirArrayAttrGetElement(flat, 2 * pair + 1))
                })
                .filter(|(key, _)| mlirAttributeIsAString(*key))
                .map(|(key, value)| (owned(mlirStringAttrGetValue(key)), Attribute::from_raw(value)))
                .collect(),
        )
    }
}

/// Visits every op inside `root`, regions of regions included, `root` itself left out; an op before what is inside it,
/// otherwise in program order. Needs no more stack for deeper nesting; the visitor may change ops, not move them.
pub fn for_each_op<'c: 'a, 'a>(root: OperationRef<'c, 'a>, mut visit: impl FnMut(OperationRef<'c, 'a>)) {
    let mut open = children(root);
    while let Some(op) = open.pop() {
        visit(op);
        open.extend(children(op));
    }
}

/// Do names inside an op mean what it has, and not what the ops around it have?
#[must_use]
pub fn is_symbol_table<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> bool {
    // SAFETY: the op is live; a table of an op that holds no symbols is null, and any other is destroyed here.
    unsafe {
        let table = mlirSymbolTableCreate(op.to_raw());
        let found = !table.ptr.is_null();
        if found {
            mlirSymbolTableDestroy(table);
        }
        found
    }
}

/// The ops directly inside `op`, last first.
fn children<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut inside = Vec::new();
    for region in 0..op.region_count() {
        let mut block = op.region(region).ok().and_then(|region| region.first_block());
        while let Some(current) = block {
            inside.extend(std::iter::successors(current.first_operation(), |op| op.next_in_block()));
            block = current.next_in_region();
        }
    }
    inside.reverse();
    inside
}

/// Symbols that `root` or anything inside it refers to, by the first name of each reference; no repeats. Looks into
/// unregistered ops too.
#[must_use]
pub fn referenced_symbols<'c: 'a, 'a>(root: &impl OperationLike<'c, 'a>) -> Vec<String> {
    // SAFETY: the op is live.
    let root: OperationRef<'c, 'a> = unsafe { OperationRef::from_raw(root.to_raw()) };
    let mut names = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut add = |op| {
        let first = symbol_references(op).into_iter().filter_map(|path| path.into_iter().next());
        names.extend(first.filter(|name| seen.insert(name.clone())));
    };
    add(root);
    for_each_op(root, add);
    names
}

/// The symbol references among an op's attributes, each as its names from outside in; no repeats. What is inside the op is left out.
#[must_use]
pub fn symbol_references(op: OperationRef<'_, '_>) -> Vec<Vec<String>> {
    // SAFETY: the op is live; the shim returns an array of symbol references.
    unsafe {
        let references = ffi::ballastSymbolReferences(op.to_raw());
        (0..mlirArrayAttrGetNumElements(references))
            .filter_map(|index| symbol_path(Attribute::from_raw(mlirArrayAttrGetElement(references, index))))
            .collect()
    }
}

/// The names of a symbol reference from outside in: `@inner::@state` is `inner`, `state`. None for any other attribute.
#[must_use]
pub fn symbol_path(attribute: Attribute<'_>) -> Option<Vec<String>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors follow their type test; what a nested reference holds are flat ones.
    unsafe {
        mlirAttributeIsASymbolRef(raw).then(|| {
            let inner = (0..mlirSymbolRefAttrGetNumNestedReferences(raw)).map(|index| {
                owned(mlirFlatSymbolRefAttrGetValue(mlirSymbolRefAttrGetNestedReference(raw, index)))
            });
            std::iter::once(owned(mlirSymbolRefAttrGetRootReference(raw))).chain(inner).collect()
        })
    }
}

/// One place where a value is read.
#[derive(Clone, Copy, Debug)]
pub struct Use<'c, 'a> {
    /// The reading op, possibly inside a region of an op of the value's block.
    pub owner: OperationRef<'c, 'a>,
    /// Which of its operands.
    pub operand: usize,
}

/// All uses of a value. Collected first, so that the IR may be changed while going through them.
#[must_use]
pub fn uses<'c: 'a, 'a>(value: impl ValueLike<'c>) -> Vec<Use<'c, 'a>> {
    let mut uses = Vec::new();
    // SAFETY: the value is live; the list ends with a null use.
    unsafe {
        let mut next = mlirValueGetFirstUse(value.to_raw());
        while !next.ptr.is_null() {
            uses.push(Use {
                owner: OperationRef::from_raw(mlirOpOperandGetOwner(next)),
                operand: mlirOpOperandGetOperandNumber(next) as usize,
            });
            next = mlirOpOperandGetNextUse(next);
        }
    }
    uses
}

/// Lets every reader of `from` read `to`.
pub fn replace_all_uses<'c>(from: impl ValueLike<'c>, to: Value<'c, '_>) {
    // SAFETY: both values are live.
    unsafe { mlirValueReplaceAllUsesOfWith(from.to_raw(), to.to_raw()) }
}

/// Moves an op to right before another one, of its block or of another; that values are made before they are read is for the caller to see to.
pub fn move_before(op: OperationRef<'_, '_>, other: OperationRef<'_, '_>) {
    // SAFETY: both ops are live and in a block.
    unsafe { mlirOperationMoveBefore(op.to_raw(), other.to_raw()) }
}

/// Erases an op whose results nobody reads any more; the reference must not be used after this.
pub fn erase(op: OperationRef<'_, '_>) {
    // SAFETY: the caller replaced all uses, and has no other reference.
    unsafe { mlirOperationDestroy(op.to_raw()) }
}

/// The op, to change it.
fn changed<'c, 'a>(op: OperationRef<'c, 'a>) -> OperationRefMut<'c, 'a> {
    // SAFETY: the op is live, and one setter at a time works on it.
    unsafe { OperationRefMut::from_raw(op.to_raw()) }
}

/// Lets an op read another value as one of its operands.
pub fn set_operand<'c>(op: OperationRef<'c, '_>, operand: usize, value: Value<'c, '_>) {
    changed(op).set_operand(operand, value);
}

/// Sets an attribute, inherent or discardable.
pub fn set_attribute<'c>(op: OperationRef<'c, '_>, name: &str, attribute: Attribute<'c>) {
    changed(op).set_attribute(name, attribute);
}

/// Gives one of an op's results another type; nothing happens if it has none of that number.
pub fn set_result_type(op: OperationRef<'_, '_>, result: usize, kind: Type<'_>) {
    if let Ok(result) = op.result(result) {
        // SAFETY: the result is that of a live op, and the type is of its context.
        unsafe { mlirValueSetType(result.to_raw(), kind.to_raw()) }
    }
}

/// Says where an op comes from.
pub fn set_location<'c>(op: OperationRef<'c, '_>, location: Location<'c>) {
    changed(op).set_location(location);
}

/// Removes and frees a block that nothing refers to any more; it must not be used after this.
pub fn erase_block(block: BlockRef<'_, '_>) {
    // SAFETY: nothing outside refers to the block or into it, and the caller has no other reference.
    unsafe {
        mlirBlockDetach(block.to_raw());
        mlirBlockDestroy(block.to_raw());
    }
}

/// An op that stands alone, by a reference that is good as long as it.
#[must_use]
pub fn borrowed<'c, 'a>(op: &'a Operation<'c>) -> OperationRef<'c, 'a> {
    // SAFETY: the reference does not outlive the op.
    unsafe { OperationRef::from_raw(op.to_raw()) }
}
