//! Text out of MLIR, which knows bytes alone: names and attributes may hold any.

use std::ffi::c_void;
use std::fmt::Write;

use melior::ir::operation::OperationLike;
use melior::ir::{AttributeLike, TypeLike};
use mlir_sys::{MlirStringRef, mlirAttributePrint, mlirOperationPrint, mlirTypePrint};

/// The bytes as text; a byte that is no part of UTF-8 is written as MLIR writes it, `\FF`, so that different names stay different.
#[must_use]
pub fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\{byte:02X}");
        }
    }
    text
}

/// The bytes behind MLIR's string.
///
/// # Safety
/// `text` points at `length` bytes that live as long as `'b`.
#[must_use]
pub unsafe fn bytes<'b>(text: MlirStringRef) -> &'b [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) }
}

/// What takes the pieces MLIR prints.
struct Sink<'f>(&'f mut dyn FnMut(&[u8]));

unsafe extern "C" fn take(piece: MlirStringRef, sink: *mut c_void) {
    // SAFETY: the callers below hand in a sink that outlives the printing, and a piece lives through this call.
    unsafe { (*sink.cast::<Sink<'_>>()).0(bytes(piece)) }
}

/// Prints an attribute, piece by piece.
pub fn print_attribute<'c>(attribute: impl AttributeLike<'c>, mut to: impl FnMut(&[u8])) {
    let mut sink = Sink(&mut to);
    // SAFETY: the attribute is live, and the sink outlives the call.
    unsafe { mlirAttributePrint(attribute.to_raw(), Some(take), (&raw mut sink).cast()) }
}

/// Prints a type, piece by piece.
pub fn print_type<'c>(kind: impl TypeLike<'c>, mut to: impl FnMut(&[u8])) {
    let mut sink = Sink(&mut to);
    // SAFETY: the type is live, and the sink outlives the call.
    unsafe { mlirTypePrint(kind.to_raw(), Some(take), (&raw mut sink).cast()) }
}

/// Prints an op with all it holds, piece by piece.
pub fn print_op<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>, mut to: impl FnMut(&[u8])) {
    let mut sink = Sink(&mut to);
    // SAFETY: the op is live, and the sink outlives the call.
    unsafe { mlirOperationPrint(op.to_raw(), Some(take), (&raw mut sink).cast()) }
}

/// An attribute as printed.
pub fn of_attribute<'c>(attribute: impl AttributeLike<'c>) -> String {
    let mut printed = Vec::new();
    print_attribute(attribute, |piece| printed.extend_from_slice(piece));
    readable(&printed)
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_that_are_no_text_stay_apart() {
        assert_eq!(super::readable("añ".as_bytes()), "añ");
        assert_eq!(super::readable(b"a\xFFb\xC3"), "a\\FFb\\C3");
        assert_ne!(super::readable(b"\xFE"), super::readable(b"\xFF"));
    }
}
