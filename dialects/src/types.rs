//! What a type is: its kind and its parts, read once and safely.

use melior::ir::{Attribute, AttributeLike, Type, TypeLike};
use mlir_sys::{
    mlirComplexTypeGetElementType, mlirFloatTypeGetWidth, mlirIntegerTypeGetWidth, mlirIntegerTypeIsUnsigned,
    mlirOpaqueTypeGetData, mlirQuantizedTypeGetStorageType, mlirShapedTypeGetDimSize,
    mlirShapedTypeGetElementType, mlirShapedTypeGetRank, mlirShapedTypeHasRank, mlirShapedTypeIsDynamicDim,
    mlirTupleTypeGetNumTypes, mlirTupleTypeGetType, mlirTypeIsABF16, mlirTypeIsAComplex, mlirTypeIsAFloat,
    mlirTypeIsAIndex, mlirTypeIsAInteger, mlirTypeIsAMemRef, mlirTypeIsANone, mlirTypeIsAOpaque,
    mlirTypeIsAQuantizedType, mlirTypeIsARankedTensor, mlirTypeIsAShaped, mlirTypeIsATensor,
    mlirTypeIsATuple,
};

use crate::ffi::owned;
use crate::ir;

/// The kind of a type, with its parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'c> {
    /// `i32`, `ui8`.
    Integer {
        /// Bits.
        width: u32,
        /// Is it unsigned by its own name?
        unsigned: bool,
    },
    /// `index`.
    Index,
    /// `f32`, `bf16`, `f8E4M3FN`.
    Float {
        /// Bits.
        width: u32,
        /// Is it `bf16`?
        brain: bool,
    },
    /// `complex<f32>`, by its part.
    Complex(Type<'c>),
    /// A quantised element, by what it is stored as.
    Quantized(Type<'c>),
    /// `tuple<..>`.
    Tuple(Vec<Type<'c>>),
    /// A tensor, a memref, a vector.
    Shaped(Shape<'c>),
    /// `none`.
    None,
    /// A type of a dialect that is not loaded, without its namespace.
    Opaque(String),
    /// Any other.
    Other,
}

/// A shaped type.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape<'c> {
    /// Extents, none where one is dynamic; none at all for a type without rank.
    pub dims: Option<Vec<Option<u64>>>,
    /// Type of an element.
    pub element: Type<'c>,
    /// What holds the elements.
    pub container: Container,
}

/// What holds elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A ranked tensor.
    RankedTensor,
    /// A tensor without rank.
    UnrankedTensor,
    /// A ranked memref.
    MemRef,
    /// A vector, a memref without rank.
    Other,
}

impl Shape<'_> {
    /// Extents of a static shape.
    #[must_use]
    pub fn static_dims(&self) -> Option<Vec<u64>> {
        self.dims.as_ref()?.iter().copied().collect()
    }
}

/// The kind of a type.
#[must_use]
pub fn kind(kind: Type<'_>) -> Kind<'_> {
    let raw = kind.to_raw();
    // SAFETY: the type is live, and each accessor follows its type test.
    unsafe {
        if mlirTypeIsAInteger(raw) {
            Kind::Integer { width: mlirIntegerTypeGetWidth(raw), unsigned: mlirIntegerTypeIsUnsigned(raw) }
        } else if mlirTypeIsAIndex(raw) {
            Kind::Index
        } else if mlirTypeIsAFloat(raw) {
            Kind::Float { width: mlirFloatTypeGetWidth(raw), brain: mlirTypeIsABF16(raw) }
        } else if mlirTypeIsAComplex(raw) {
            Kind::Complex(Type::from_raw(mlirComplexTypeGetElementType(raw)))
        } else if mlirTypeIsAQuantizedType(raw) {
            Kind::Quantized(Type::from_raw(mlirQuantizedTypeGetStorageType(raw)))
        } else if mlirTypeIsATuple(raw) {
            let parts = 0..mlirTupleTypeGetNumTypes(raw);
            Kind::Tuple(parts.map(|index| Type::from_raw(mlirTupleTypeGetType(raw, index))).collect())
        } else if mlirTypeIsANone(raw) {
            Kind::None
        } else if mlirTypeIsAOpaque(raw) {
            Kind::Opaque(owned(mlirOpaqueTypeGetData(raw)))
        } else {
            shape(kind).map_or(Kind::Other, Kind::Shaped)
        }
    }
}

/// The shape of a type; none for one that is not shaped.
#[must_use]
pub fn shape(kind: Type<'_>) -> Option<Shape<'_>> {
    let raw = kind.to_raw();
    // SAFETY: the type is live, and each accessor follows its type test; axes are below the rank.
    unsafe {
        if !mlirTypeIsAShaped(raw) {
            return None;
        }
        let dims = mlirShapedTypeHasRank(raw).then(|| {
            (0..mlirShapedTypeGetRank(raw))
                .map(|axis| {
                    let axis = axis as isize;
                    let is_static = !mlirShapedTypeIsDynamicDim(raw, axis);
                    is_static.then(|| mlirShapedTypeGetDimSize(raw, axis).unsigned_abs())
                })
                .collect()
        });
        let container = if mlirTypeIsARankedTensor(raw) {
            Container::RankedTensor
        } else if mlirTypeIsATensor(raw) {
            Container::UnrankedTensor
        } else if mlirTypeIsAMemRef(raw) {
            Container::MemRef
        } else {
            Container::Other
        };
        Some(Shape { dims, element: Type::from_raw(mlirShapedTypeGetElementType(raw)), container })
    }
}

/// The shape of a ranked tensor; none for other types.
#[must_use]
pub fn ranked_tensor(kind: Type<'_>) -> Option<Shape<'_>> {
    shape(kind).filter(|shape| shape.container == Container::RankedTensor)
}

/// The shape of a ranked memref; none for other types.
#[must_use]
pub fn memref(kind: Type<'_>) -> Option<Shape<'_>> {
    shape(kind).filter(|shape| shape.container == Container::MemRef)
}

/// Is it a tensor, with rank or without?
#[must_use]
pub fn is_tensor(kind: Type<'_>) -> bool {
    // SAFETY: the type is live.
    unsafe { mlirTypeIsATensor(kind.to_raw()) }
}

/// Is it a memref without a layout of its own, so that copies of it are copies of bytes?
#[must_use]
pub fn is_dense_memref(kind: Type<'_>) -> bool {
    let raw = kind.to_raw();
    // SAFETY: each accessor follows its type test.
    unsafe {
        mlirTypeIsAMemRef(raw) && {
            let layout = mlir_sys::mlirMemRefTypeGetLayout(raw);
            mlir_sys::mlirAttributeIsAAffineMap(layout)
                && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(layout))
        }
    }
}

/// The memory space of a memref, where it is a number; none for other spaces and types.
#[must_use]
pub fn memory_space(kind: Type<'_>) -> Option<i64> {
    let raw = kind.to_raw();
    // SAFETY: the accessor follows its type test; no memory space is a null attribute.
    let space = unsafe {
        mlirTypeIsAMemRef(raw)
            .then(|| mlir_sys::mlirMemRefTypeGetMemorySpace(raw))
            .and_then(|space| Attribute::from_option_raw(space))
    };
    ir::integer_value(space?)
}

/// A `dense<..>` attribute of a ranked tensor type whose elements are all the one of `like`, which has the same element type; none where
/// `like` is no such attribute.
#[must_use]
pub fn splat_of<'c>(kind: Type<'c>, like: Attribute<'c>) -> Option<Attribute<'c>> {
    let element = ir::splat(like)?;
    let same = ranked_tensor(kind)?.element == shape(ir::type_of(like)?)?.element;
    // SAFETY: the type is a tensor of the element's type.
    same.then(|| unsafe {
        Attribute::from_raw(mlir_sys::mlirDenseElementsAttrSplatGet(kind.to_raw(), element.to_raw()))
    })
}
