//! Sizes of values, from their types.
//!
//! An element takes the smallest power of two of whole bytes that holds it: i1, i4 and f4 take one byte, i24 and tf32
//! four, f80 sixteen, as MLIR lays out memrefs. A complex element takes two of its part, an index eight bytes, a
//! quantised element what its storage type takes. A tuple is the sum of its parts; tokens, shapes and `none`
//! take nothing. An encoding or a layout does not change the size.

use std::collections::HashMap;
use std::rc::Rc;

use ballast_core::graph::Arithmetic;
use melior::ir::{Type, TypeLike};
use mlir_sys::{
    MlirType, mlirComplexTypeGetElementType, mlirFloatTypeGetWidth, mlirIntegerTypeGetWidth,
    mlirOpaqueTypeGetData, mlirQuantizedTypeGetStorageType, mlirShapedTypeGetDimSize,
    mlirShapedTypeGetElementType, mlirShapedTypeGetRank, mlirShapedTypeHasRank, mlirShapedTypeIsDynamicDim,
    mlirTupleTypeGetNumTypes, mlirTupleTypeGetType, mlirTypeIsABF16, mlirTypeIsAComplex, mlirTypeIsAFloat,
    mlirTypeIsAIndex, mlirTypeIsAInteger, mlirTypeIsANone, mlirTypeIsAOpaque, mlirTypeIsAQuantizedType,
    mlirTypeIsAShaped, mlirTypeIsATuple,
};

use super::ir;

/// What is known of a type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypeInfo {
    /// As printed.
    pub(crate) text: String,
    /// Extents of a shaped type; empty for a scalar.
    pub(crate) dims: Vec<u64>,
    /// Elements; 1 for a scalar, 0 for types without data.
    pub(crate) elements: u64,
    /// Bytes of all elements.
    pub(crate) bytes: u64,
    /// Which peak rate arithmetic on it runs at.
    pub(crate) arithmetic: Arithmetic,
}

/// Types already measured. Types are unique in their context, so a table by pointer serves.
#[derive(Debug)]
pub(crate) struct Types {
    known: HashMap<*const std::ffi::c_void, Rc<TypeInfo>>,
    /// Size of every dynamic dimension.
    pub(crate) dynamic_dim: Option<u64>,
}

/// Bytes and arithmetic of one element.
#[derive(Clone, Copy)]
struct Element {
    bytes: u64,
    arithmetic: Arithmetic,
}

impl Types {
    /// An empty table.
    pub(crate) fn new(dynamic_dim: Option<u64>) -> Self {
        Types { known: HashMap::new(), dynamic_dim }
    }

    /// Measures a type.
    ///
    /// # Errors
    /// A dynamic dimension without a size, no rank, a type of unknown size, more than 2^63 bytes.
    pub(crate) fn of(&mut self, kind: Type<'_>) -> Result<Rc<TypeInfo>, String> {
        let raw = kind.to_raw();
        if let Some(info) = self.known.get(&raw.ptr) {
            return Ok(Rc::clone(info));
        }
        let info = Rc::new(self.measure(raw, kind.to_string())?);
        self.known.insert(raw.ptr, Rc::clone(&info));
        Ok(info)
    }

    fn measure(&self, raw: MlirType, text: String) -> Result<TypeInfo, String> {
        let nothing = TypeInfo {
            text: text.clone(),
            dims: Vec::new(),
            elements: 0,
            bytes: 0,
            arithmetic: Arithmetic::Int,
        };
        // SAFETY: each accessor follows its type test.
        unsafe {
            if mlirTypeIsATuple(raw) {
                let mut total = nothing;
                for part in 0..mlirTupleTypeGetNumTypes(raw) {
                    let inner = mlirTupleTypeGetType(raw, part);
                    let part = self.measure(inner, Type::from_raw(inner).to_string())?;
                    total.elements = total.elements.saturating_add(part.elements);
                    total.bytes = total.bytes.saturating_add(part.bytes);
                    total.arithmetic = part.arithmetic;
                }
                return Ok(total);
            }
            if is_without_data(raw, &text) {
                return Ok(nothing);
            }
            if !mlirTypeIsAShaped(raw) {
                let element = element(raw).ok_or_else(|| format!("the size of type {text} is not known"))?;
                let Element { bytes, arithmetic } = element;
                return Ok(TypeInfo { elements: 1, bytes, arithmetic, ..nothing });
            }
            if !mlirShapedTypeHasRank(raw) {
                return Err(format!("{text} has no rank: give the program static shapes"));
            }
            let inner = mlirShapedTypeGetElementType(raw);
            let element = element(inner)
                .ok_or_else(|| format!("the size of the elements of type {text} is not known"))?;
            let mut dims = Vec::new();
            for axis in 0..mlirShapedTypeGetRank(raw) {
                dims.push(if mlirShapedTypeIsDynamicDim(raw, axis as isize) {
                    self.dynamic_dim.ok_or_else(|| {
                        format!("{text} has a dynamic dimension: give its size with dynamic-dim=N")
                    })?
                } else {
                    mlirShapedTypeGetDimSize(raw, axis as isize).unsigned_abs()
                });
            }
            let too_large = || format!("{text} takes more than 2^63 bytes");
            let elements = dims
                .iter()
                .try_fold(1_u64, |product, &dim| product.checked_mul(dim))
                .ok_or_else(too_large)?;
            let bytes =
                elements.checked_mul(element.bytes).filter(|&bytes| bytes < 1 << 63).ok_or_else(too_large)?;
            Ok(TypeInfo { text, dims, elements, bytes, arithmetic: element.arithmetic })
        }
    }
}

/// Types that stand for order or for shapes, not for data.
unsafe fn is_without_data(raw: MlirType, text: &str) -> bool {
    // SAFETY: the accessor follows its type test; the caller passes a live type.
    unsafe {
        mlirTypeIsANone(raw)
            || text.starts_with("!tosa.shape")
            || text == "!async.token"
            || (mlirTypeIsAOpaque(raw) && ir::text(mlirOpaqueTypeGetData(raw)) == "token")
    }
}

/// One element of a type; none where its size is not known.
///
/// # Safety
/// The type is live.
unsafe fn element(raw: MlirType) -> Option<Element> {
    let stored = |bits: u32| u64::from(bits.div_ceil(8).max(1)).next_power_of_two();
    // SAFETY: each accessor follows its type test.
    unsafe {
        if mlirTypeIsAInteger(raw) {
            let width = mlirIntegerTypeGetWidth(raw);
            let arithmetic = if (2..=8).contains(&width) { Arithmetic::I8 } else { Arithmetic::Int };
            return Some(Element { bytes: stored(width), arithmetic });
        }
        if mlirTypeIsAIndex(raw) {
            return Some(Element { bytes: 8, arithmetic: Arithmetic::Int });
        }
        if mlirTypeIsAFloat(raw) {
            let width = mlirFloatTypeGetWidth(raw);
            let arithmetic = match width {
                0..=8 => Arithmetic::F8,
                9..=16 if mlirTypeIsABF16(raw) => Arithmetic::Bf16,
                9..=16 => Arithmetic::F16,
                17..=32 => Arithmetic::F32,
                _ => Arithmetic::F64,
            };
            return Some(Element { bytes: stored(width), arithmetic });
        }
        if mlirTypeIsAComplex(raw) {
            let part = element(mlirComplexTypeGetElementType(raw))?;
            return Some(Element { bytes: 2 * part.bytes, ..part });
        }
        if mlirTypeIsAQuantizedType(raw) {
            return element(mlirQuantizedTypeGetStorageType(raw));
        }
        // A tensor of vectors, or a memref of memrefs: as many bytes as the inner one.
        if mlirTypeIsAShaped(raw) && mlirShapedTypeHasRank(raw) {
            let mut inner = element(mlirShapedTypeGetElementType(raw))?;
            for axis in 0..mlirShapedTypeGetRank(raw) {
                if mlirShapedTypeIsDynamicDim(raw, axis as isize) {
                    return None;
                }
                let extent = mlirShapedTypeGetDimSize(raw, axis as isize).unsigned_abs();
                inner.bytes = inner.bytes.checked_mul(extent)?;
            }
            return Some(inner);
        }
    }
    None
}
