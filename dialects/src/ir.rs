//! The IR where melior has no shorthand: names, attributes of unregistered ops, nested ops, locations; and attributes that are set.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Location, Operation, RegionLike, Type, Value, ValueLike,
};
use melior::{Context, ContextRef};
use mlir_sys::{
    MlirStringRef, mlirArrayAttrGetElement, mlirArrayAttrGetNumElements, mlirAttributeGetType,
    mlirAttributeIsAArray, mlirAttributeIsABool, mlirAttributeIsADenseBoolArray,
    mlirAttributeIsADenseElements, mlirAttributeIsADenseI32Array, mlirAttributeIsADenseI64Array,
    mlirAttributeIsADictionary, mlirAttributeIsAFloat, mlirAttributeIsAInteger, mlirAttributeIsAOpaque,
    mlirAttributeIsAString, mlirBoolAttrGetValue, mlirDenseArrayGetNumElements, mlirDenseBoolArrayGetElement,
    mlirDenseElementsAttrGetBoolValue, mlirDenseElementsAttrGetIndexValue,
    mlirDenseElementsAttrGetInt32Value, mlirDenseElementsAttrGetInt64Value,
    mlirDenseElementsAttrGetSplatValue, mlirDenseElementsAttrIsSplat, mlirDenseI32ArrayGetElement,
    mlirDenseI64ArrayGetElement, mlirDictionaryAttrGetElement, mlirDictionaryAttrGetElementByName,
    mlirDictionaryAttrGetNumElements, mlirElementsAttrGetNumElements, mlirFloatAttrGetValueDouble,
    mlirIdentifierStr, mlirIntegerAttrGetValueInt, mlirIntegerTypeGetWidth, mlirLocationCallSiteGet,
    mlirLocationFileLineColGet, mlirLocationGetContext, mlirLocationUnknownGet, mlirOpOperandGetNextUse,
    mlirOpResultGetOwner, mlirOpaqueAttrGetData, mlirOperationGetAttributeByName, mlirOperationGetContext,
    mlirOperationGetDiscardableAttribute, mlirOperationGetName, mlirOperationGetNumDiscardableAttributes,
    mlirOperationGetNumSuccessors, mlirOperationGetSuccessor, mlirOperationRemoveDiscardableAttributeByName,
    mlirOperationSetDiscardableAttributeByName, mlirShapedTypeGetElementType, mlirStringAttrGetValue,
    mlirTypeIsAIndex, mlirTypeIsAInteger, mlirValueGetFirstUse, mlirValueIsAOpResult,
};

use crate::ffi::view;
use crate::operations::{properties, symbol_path};
use crate::text;

/// Longest list of integers read from one attribute: attributes that describe shapes are short.
const LONGEST_LIST: usize = 4096;

/// A copy of MLIR's string.
fn text(raw: MlirStringRef) -> String {
    // SAFETY: MLIR's string refs point at `length` bytes that live as long as the context.
    text::readable(unsafe { text::bytes(raw) })
}

/// Name of an op, such as `stablehlo.add`.
pub fn name<'c>(op: OperationRef<'c, '_>) -> &'c str {
    // SAFETY: op names are interned in the context, are never empty and never freed before it.
    unsafe {
        let raw = mlirIdentifierStr(mlirOperationGetName(op.to_raw()));
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length)).unwrap_or("?")
    }
}

/// An attribute of an op, inherent or discardable, registered or not.
pub fn attribute<'c>(op: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
    // SAFETY: the op is live; a missing attribute is null.
    unsafe { Attribute::from_option_raw(mlirOperationGetAttributeByName(op.to_raw(), view(name))) }
}

/// An integer (or boolean) attribute.
pub fn integer(op: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    attribute(op, name).and_then(integer_value)
}

/// The value of an integer or boolean attribute of up to 64 bits.
pub fn integer_value(attribute: Attribute<'_>) -> Option<i64> {
    let raw = attribute.to_raw();
    // SAFETY: each accessor follows its type test; wider integers are refused before they are read.
    unsafe {
        if mlirAttributeIsABool(raw) {
            return Some(i64::from(mlirBoolAttrGetValue(raw)));
        }
        let narrow = mlirAttributeIsAInteger(raw) && {
            let kind = mlirAttributeGetType(raw);
            mlirTypeIsAIndex(kind) || (mlirTypeIsAInteger(kind) && mlirIntegerTypeGetWidth(kind) <= 64)
        };
        narrow.then(|| mlirIntegerAttrGetValueInt(raw))
    }
}

/// A list of integers or booleans, written as `array<i64: ..>`, `dense<..>` or `[..]`; row-major where it has more dimensions.
pub fn integers(op: OperationRef<'_, '_>, name: &str) -> Option<Vec<i64>> {
    let attribute = attribute(op, name)?;
    let raw = attribute.to_raw();
    // SAFETY: each accessor follows its type test.
    unsafe {
        if mlirAttributeIsADenseI64Array(raw) {
            return Some(
                (0..mlirDenseArrayGetNumElements(raw)).map(|i| mlirDenseI64ArrayGetElement(raw, i)).collect(),
            );
        }
        if mlirAttributeIsADenseI32Array(raw) {
            return Some(
                (0..mlirDenseArrayGetNumElements(raw))
                    .map(|i| i64::from(mlirDenseI32ArrayGetElement(raw, i)))
                    .collect(),
            );
        }
        if mlirAttributeIsADenseBoolArray(raw) {
            return Some(
                (0..mlirDenseArrayGetNumElements(raw))
                    .map(|i| i64::from(mlirDenseBoolArrayGetElement(raw, i)))
                    .collect(),
            );
        }
        if mlirAttributeIsADenseElements(raw) {
            return dense_integers(attribute);
        }
    }
    elements(attribute)?.into_iter().map(integer_value).collect()
}

/// The integers or booleans of a `dense<..>` attribute; none for other element types or a very long one.
pub fn dense_integers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let raw = attribute.to_raw();
    // SAFETY: the type of the attribute is tested before its element type, and that before each reader.
    unsafe {
        if !mlirAttributeIsADenseElements(raw) {
            return None;
        }
        let count =
            usize::try_from(mlirElementsAttrGetNumElements(raw)).ok().filter(|&n| n <= LONGEST_LIST)?;
        let element = mlirShapedTypeGetElementType(mlirAttributeGetType(raw));
        let width = if mlirTypeIsAIndex(element) {
            0
        } else if mlirTypeIsAInteger(element) {
            mlirIntegerTypeGetWidth(element)
        } else {
            return None;
        };
        (0..count)
            .map(|i| match width {
                0 => i64::try_from(mlirDenseElementsAttrGetIndexValue(raw, i as isize)).ok(),
                1 => Some(i64::from(mlirDenseElementsAttrGetBoolValue(raw, i as isize))),
                32 => Some(i64::from(mlirDenseElementsAttrGetInt32Value(raw, i as isize))),
                64 => Some(mlirDenseElementsAttrGetInt64Value(raw, i as isize)),
                _ => None,
            })
            .collect()
    }
}

/// Is it a `dense<..>` attribute with one value for all elements? Scalars count as such.
pub fn is_splat(attribute: Attribute<'_>) -> bool {
    let raw = attribute.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { !mlirAttributeIsADenseElements(raw) || mlirDenseElementsAttrIsSplat(raw) }
}

/// Text of an attribute of a dialect that is not loaded, without its namespace: `dot<..>`.
pub fn opaque(op: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let raw = attribute(op, name)?.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { mlirAttributeIsAOpaque(raw).then(|| text(mlirOpaqueAttrGetData(raw))) }
}

/// A string attribute.
pub fn string(op: OperationRef<'_, '_>, name: &str) -> Option<String> {
    attribute(op, name).and_then(string_value)
}

/// A symbol reference as its names from outside in, such as `@relu` or `@inner::@relu`.
pub fn symbol(op: OperationRef<'_, '_>, name: &str) -> Option<Vec<String>> {
    symbol_path(attribute(op, name)?)
}

/// The ops of a block, in order.
pub fn ops<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |op| op.next_in_block())
}

/// The blocks of all regions of an op, in order.
pub fn blocks<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    op.regions()
        .flat_map(|region| std::iter::successors(region.first_block(), |block| block.next_in_region()))
        .collect()
}

/// Every op nested in an op, outer before inner, in program order. Without recursion.
pub fn nested<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    if op.region_count() == 0 {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut pending: Vec<OperationRef<'c, 'a>> = blocks(op).into_iter().flat_map(ops).collect();
    pending.reverse();
    while let Some(inner) = pending.pop() {
        all.push(inner);
        if inner.region_count() > 0 {
            let first = pending.len();
            pending.extend(blocks(inner).into_iter().flat_map(ops));
            pending[first..].reverse();
        }
    }
    all
}

/// The op that makes a value; none for a block argument.
pub fn producer<'c, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    // SAFETY: the value is live, and so is the op it is a result of.
    unsafe {
        mlirValueIsAOpResult(value.to_raw())
            .then(|| OperationRef::from_raw(mlirOpResultGetOwner(value.to_raw())))
    }
}

/// Is a value read anywhere?
pub fn is_used<'c>(value: impl ValueLike<'c>) -> bool {
    // SAFETY: the value is live; a missing use is null.
    unsafe { !mlirValueGetFirstUse(value.to_raw()).ptr.is_null() }
}

/// Is a value read at exactly one place?
pub fn is_used_once<'c>(value: impl ValueLike<'c>) -> bool {
    // SAFETY: the value is live; a missing use is null.
    unsafe {
        let first = mlirValueGetFirstUse(value.to_raw());
        !first.ptr.is_null() && mlirOpOperandGetNextUse(first).ptr.is_null()
    }
}

/// The first result of an op that may have none: asked for by number, a result that is not there costs the text of the op, which MLIR verifies the whole module for.
pub fn first_result<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    op.results().next().map(Value::from)
}

/// The terminator of a block: its last op.
pub fn last_op<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    ops(block).last()
}

/// Where a message about an op points.
///
/// A driver prints the line of text that a location names, and a function with hundreds of arguments, or a loop over hundreds of
/// values, is one line of many kilobytes. Of such an op the line is given by number alone, without a column: then drivers print no text.
pub fn place<'c>(op: OperationRef<'c, '_>) -> Location<'c> {
    /// Bytes of a line that is still worth printing, and those of an operand or result with its type, roughly.
    const LONGEST_LINE: usize = 400;
    const PER_VALUE: usize = 24;
    let mut length = PER_VALUE * (op.operand_count() + op.result_count());
    let own =
        (0..op.discardable_attribute_count()).filter_map(|index| op.discardable_attribute_at(index).ok());
    for attribute in own.map(|(_, value)| value).chain(properties(&op)) {
        text::print_attribute(attribute, |piece| length += piece.len());
    }
    let location = op.location();
    if length <= LONGEST_LINE {
        return location;
    }
    let mut inner = location;
    while inner.is_name() {
        inner = inner.name_child_location();
    }
    if !inner.is_file_line_col_range() {
        return location;
    }
    // SAFETY: the location belongs to a live context, which copies the name.
    unsafe {
        Location::from_raw(mlirLocationFileLineColGet(
            mlirLocationGetContext(inner.to_raw()),
            mlirIdentifierStr(inner.file_line_col_range_filename().to_raw()),
            u32::try_from(inner.file_line_col_range_start_line()).unwrap_or(0),
            0,
        ))
    }
}

/// Where an op comes from, for people: the framework's name for it, then file, line and column.
pub fn location_text(op: &Operation<'_>) -> String {
    /// Locations nest: name in name, call in call.
    const DEEPEST: usize = 64;
    let mut location: Location<'_> = op.location();
    let mut label: Option<String> = None;
    for _ in 0..DEEPEST {
        if location.is_name() {
            let inner = location.name_value();
            // SAFETY: the identifier belongs to the live context.
            label.get_or_insert_with(|| text(unsafe { mlirIdentifierStr(inner.to_raw()) }));
            location = location.name_child_location();
        } else if location.is_call_site() {
            location = location.call_site_callee();
        } else if location.is_fused() && location.fused_num_locations() > 0 {
            location = location.fused_location(0);
        } else {
            break;
        }
    }
    let place = location.is_file_line_col_range().then(|| {
        // SAFETY: the identifier belongs to the live context.
        let file = text(unsafe { mlirIdentifierStr(location.file_line_col_range_filename().to_raw()) });
        format!(
            "{file}:{}:{}",
            location.file_line_col_range_start_line(),
            location.file_line_col_range_start_column()
        )
    });
    match (label, place) {
        (Some(label), Some(place)) => format!("{label} at {place}"),
        (Some(label), None) => label,
        (None, Some(place)) => place,
        (None, None) => String::new(),
    }
}

/// The entry of a dictionary attribute; none for another attribute, and where there is no such key.
pub fn entry<'c>(dictionary: Attribute<'c>, key: &str) -> Option<Attribute<'c>> {
    let raw = dictionary.to_raw();
    // SAFETY: the accessor follows its type test; a missing key gives null.
    unsafe {
        mlirAttributeIsADictionary(raw)
            .then(|| mlirDictionaryAttrGetElementByName(raw, view(key)))
            .and_then(|found| Attribute::from_option_raw(found))
    }
}

/// The text of a string attribute.
pub fn string_value(attribute: Attribute<'_>) -> Option<String> {
    let raw = attribute.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { mlirAttributeIsAString(raw).then(|| text(mlirStringAttrGetValue(raw))) }
}

/// The text of an entry of a dictionary attribute.
pub fn string_entry(dictionary: Attribute<'_>, key: &str) -> Option<String> {
    entry(dictionary, key).and_then(string_value)
}

/// The value of a floating-point attribute.
pub fn float_value(attribute: Attribute<'_>) -> Option<f64> {
    let raw = attribute.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { mlirAttributeIsAFloat(raw).then(|| mlirFloatAttrGetValueDouble(raw)) }
}

/// Sets a discardable attribute.
pub fn set(op: OperationRef<'_, '_>, name: &str, attribute: Attribute<'_>) {
    // SAFETY: op and attribute belong to one live context; the name lives through the call.
    unsafe { mlirOperationSetDiscardableAttributeByName(op.to_raw(), view(name), attribute.to_raw()) }
}

/// Removes a discardable attribute, if it is there.
pub fn remove(op: OperationRef<'_, '_>, name: &str) {
    // SAFETY: as above.
    unsafe { mlirOperationRemoveDiscardableAttributeByName(op.to_raw(), view(name)) };
}

/// The entries of a dictionary attribute by their names, whatever bytes these are; none for another attribute.
#[must_use]
pub fn entries(attribute: Attribute<'_>) -> Option<Vec<(&[u8], Attribute<'_>)>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors follow their type test; names live as long as the context.
    unsafe {
        mlirAttributeIsADictionary(raw).then(|| {
            (0..mlirDictionaryAttrGetNumElements(raw))
                .map(|index| {
                    let entry = mlirDictionaryAttrGetElement(raw, index);
                    (text::bytes(mlirIdentifierStr(entry.name)), Attribute::from_raw(entry.attribute))
                })
                .collect()
        })
    }
}

/// The elements of an array attribute; none for another attribute.
#[must_use]
pub fn elements(attribute: Attribute<'_>) -> Option<Vec<Attribute<'_>>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors follow their type test.
    unsafe {
        mlirAttributeIsAArray(raw).then(|| {
            (0..mlirArrayAttrGetNumElements(raw))
                .map(|index| Attribute::from_raw(mlirArrayAttrGetElement(raw, index)))
                .collect()
        })
    }
}

/// The type of an attribute that has one; none else.
#[must_use]
pub fn type_of(attribute: Attribute<'_>) -> Option<Type<'_>> {
    // SAFETY: the attribute is live; an untyped one has the type `none`.
    unsafe { Type::from_option_raw(mlirAttributeGetType(attribute.to_raw())) }
}

/// The element of a `dense<..>` attribute whose elements are all one; none for any other attribute.
#[must_use]
pub fn splat(attribute: Attribute<'_>) -> Option<Attribute<'_>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors follow their type tests.
    unsafe {
        (mlirAttributeIsADenseElements(raw) && mlirDenseElementsAttrIsSplat(raw))
            .then(|| Attribute::from_raw(mlirDenseElementsAttrGetSplatValue(raw)))
    }
}

/// The discardable attributes of an op by their names, whatever bytes these are.
#[must_use]
pub fn discardable<'c>(op: OperationRef<'c, '_>) -> Vec<(&'c [u8], Attribute<'c>)> {
    // SAFETY: the op is live and has as many attributes as it says; names live as long as the context.
    unsafe {
        (0..mlirOperationGetNumDiscardableAttributes(op.to_raw()))
            .map(|index| {
                let entry = mlirOperationGetDiscardableAttribute(op.to_raw(), index);
                (text::bytes(mlirIdentifierStr(entry.name)), Attribute::from_raw(entry.attribute))
            })
            .collect()
    }
}

/// Name of an op, whatever bytes it is.
#[must_use]
pub fn name_bytes<'c>(op: OperationRef<'c, '_>) -> &'c [u8] {
    // SAFETY: the op is live, and names live as long as the context.
    unsafe { text::bytes(mlirIdentifierStr(mlirOperationGetName(op.to_raw()))) }
}

/// The blocks a terminator may go on with.
#[must_use]
pub fn successors<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    // SAFETY: the op is live and has as many successors as it says.
    unsafe {
        (0..mlirOperationGetNumSuccessors(op.to_raw()))
            .map(|index| BlockRef::from_raw(mlirOperationGetSuccessor(op.to_raw(), index)))
            .collect()
    }
}

/// Where an op is from when it was inlined at `call`: unknown in the callee means at the call.
#[must_use]
pub fn location_at<'c>(callee: Location<'c>, call: Location<'c>) -> Location<'c> {
    // SAFETY: both locations are live and of one context.
    unsafe {
        if callee == Location::from_raw(mlirLocationUnknownGet(mlirLocationGetContext(callee.to_raw()))) {
            return call;
        }
        Location::from_raw(mlirLocationCallSiteGet(callee.to_raw(), call.to_raw()))
    }
}

/// The context an op lives in.
///
/// melior's reference to a context must be kept as long as what is made with it. It is kept for good here, once per context of the
/// process: eight bytes each.
#[must_use]
pub fn context<'c>(op: OperationRef<'c, '_>) -> &'c Context {
    static KEPT: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
    // SAFETY: the op is live.
    let address = unsafe { mlirOperationGetContext(op.to_raw()) }.ptr.addr();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = *kept.entry(address).or_insert_with(|| {
        let kept: *const ContextRef<'c> = Box::leak(Box::new(op.context()));
        kept.expose_provenance()
    });
    // SAFETY: what was kept is never freed, and refers to the context of that address, which is live with the op.
    unsafe { (*std::ptr::with_exposed_provenance::<ContextRef<'c>>(kept)).to_ref() }
}
