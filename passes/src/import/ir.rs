//! Reading the IR where melior has no shorthand: names, attributes of unregistered ops, nested ops, locations.

use ballast_dialects::operations::properties;
use ballast_dialects::text;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Location, Operation, RegionLike, Value, ValueLike,
};
use mlir_sys::{
    MlirStringRef, mlirArrayAttrGetElement, mlirArrayAttrGetNumElements, mlirAttributeGetType,
    mlirAttributeIsAArray, mlirAttributeIsABool, mlirAttributeIsADenseElements,
    mlirAttributeIsADenseI32Array, mlirAttributeIsADenseI64Array, mlirAttributeIsAFlatSymbolRef,
    mlirAttributeIsAInteger, mlirAttributeIsAOpaque, mlirAttributeIsAString, mlirAttributeIsASymbolRef,
    mlirBoolAttrGetValue, mlirDenseArrayGetNumElements, mlirDenseElementsAttrGetIndexValue,
    mlirDenseElementsAttrGetInt32Value, mlirDenseElementsAttrGetInt64Value, mlirDenseElementsAttrIsSplat,
    mlirDenseI32ArrayGetElement, mlirDenseI64ArrayGetElement, mlirElementsAttrGetNumElements,
    mlirFlatSymbolRefAttrGetValue, mlirIdentifierStr, mlirIntegerAttrGetValueInt, mlirIntegerTypeGetWidth,
    mlirLocationFileLineColGet, mlirLocationGetContext, mlirOpResultGetOwner, mlirOpaqueAttrGetData,
    mlirOperationGetAttributeByName, mlirOperationGetName, mlirShapedTypeGetElementType,
    mlirStringAttrGetValue, mlirSymbolRefAttrGetRootReference, mlirTypeIsAIndex, mlirTypeIsAInteger,
    mlirValueGetFirstUse, mlirValueIsAOpResult,
};

/// Longest list of integers read from one attribute: attributes that describe shapes are short.
const LONGEST_LIST: usize = 4096;

/// A copy of MLIR's string.
pub(crate) fn text(raw: MlirStringRef) -> String {
    // SAFETY: MLIR's string refs point at `length` bytes that live as long as the context.
    text::readable(unsafe { text::bytes(raw) })
}

/// Name of an op, such as `stablehlo.add`.
pub(crate) fn name<'c>(op: OperationRef<'c, '_>) -> &'c str {
    // SAFETY: op names are interned in the context, are never empty and never freed before it.
    unsafe {
        let raw = mlirIdentifierStr(mlirOperationGetName(op.to_raw()));
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length)).unwrap_or("?")
    }
}

/// An attribute of an op, inherent or discardable, registered or not.
pub(crate) fn attribute<'c>(op: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
    let name = MlirStringRef { data: name.as_ptr().cast(), length: name.len() };
    // SAFETY: the op is live; a missing attribute is null.
    unsafe { Attribute::from_option_raw(mlirOperationGetAttributeByName(op.to_raw(), name)) }
}

/// An integer (or boolean) attribute.
pub(crate) fn integer(op: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    attribute(op, name).and_then(integer_value)
}

/// The value of an integer or boolean attribute of up to 64 bits.
pub(crate) fn integer_value(attribute: Attribute<'_>) -> Option<i64> {
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

/// A list of integers, written as `array<i64: ..>`, `dense<..>` or `[..]`; row-major where it has more dimensions.
pub(crate) fn integers(op: OperationRef<'_, '_>, name: &str) -> Option<Vec<i64>> {
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
        if mlirAttributeIsADenseElements(raw) {
            return dense_integers(attribute);
        }
        if mlirAttributeIsAArray(raw) {
            return (0..mlirArrayAttrGetNumElements(raw))
                .map(|i| integer_value(Attribute::from_raw(mlirArrayAttrGetElement(raw, i))))
                .collect();
        }
    }
    None
}

/// The integers of a `dense<..>` attribute; none for other element types or a very long one.
pub(crate) fn dense_integers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
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
                32 => Some(i64::from(mlirDenseElementsAttrGetInt32Value(raw, i as isize))),
                64 => Some(mlirDenseElementsAttrGetInt64Value(raw, i as isize)),
                _ => None,
            })
            .collect()
    }
}

/// Is it a `dense<..>` attribute with one value for all elements? Scalars count as such.
pub(crate) fn is_splat(attribute: Attribute<'_>) -> bool {
    let raw = attribute.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { !mlirAttributeIsADenseElements(raw) || mlirDenseElementsAttrIsSplat(raw) }
}

/// Text of an attribute of a dialect that is not loaded, without its namespace: `dot<..>`.
pub(crate) fn opaque(op: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let raw = attribute(op, name)?.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { mlirAttributeIsAOpaque(raw).then(|| text(mlirOpaqueAttrGetData(raw))) }
}

/// A string attribute.
pub(crate) fn string(op: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let raw = attribute(op, name)?.to_raw();
    // SAFETY: the accessor follows its type test.
    unsafe { mlirAttributeIsAString(raw).then(|| text(mlirStringAttrGetValue(raw))) }
}

/// A symbol reference, such as `@relu`.
pub(crate) fn symbol(op: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let raw = attribute(op, name)?.to_raw();
    // SAFETY: the accessors follow their type tests.
    unsafe {
        if mlirAttributeIsAFlatSymbolRef(raw) {
            Some(text(mlirFlatSymbolRefAttrGetValue(raw)))
        } else if mlirAttributeIsASymbolRef(raw) {
            Some(text(mlirSymbolRefAttrGetRootReference(raw)))
        } else {
            None
        }
    }
}

/// The ops of a block, in order.
pub(crate) fn ops<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |op| op.next_in_block())
}

/// The blocks of all regions of an op, in order.
pub(crate) fn blocks<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    op.regions()
        .flat_map(|region| std::iter::successors(region.first_block(), |block| block.next_in_region()))
        .collect()
}

/// Every op nested in an op, outer before inner, in program order. Without recursion.
pub(crate) fn nested<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
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
pub(crate) fn producer<'c, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    // SAFETY: the value is live, and so is the op it is a result of.
    unsafe {
        mlirValueIsAOpResult(value.to_raw())
            .then(|| OperationRef::from_raw(mlirOpResultGetOwner(value.to_raw())))
    }
}

/// Is a value read anywhere?
pub(crate) fn is_used<'c>(value: impl ValueLike<'c>) -> bool {
    // SAFETY: the value is live; a missing use is null.
    unsafe { !mlirValueGetFirstUse(value.to_raw()).ptr.is_null() }
}

/// The terminator of a block: its last op.
pub(crate) fn last_op<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    ops(block).last()
}

/// Where a message about an op points.
///
/// A driver prints the line of text that a location names, and a function with hundreds of arguments, or a loop over hundreds of
/// values, is one line of many kilobytes. Of such an op the line is given by number alone, without a column: then drivers print no text.
pub(crate) fn place<'c>(op: OperationRef<'c, '_>) -> Location<'c> {
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
pub(crate) fn location_text(op: &Operation<'_>) -> String {
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
