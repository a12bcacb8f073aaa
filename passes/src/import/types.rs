//! Sizes of values, from their types.
//!
//! An element takes the smallest power of two of whole bytes that holds it: i1, i4 and f4 take one byte, i24 and tf32
//! four, f80 sixteen, as MLIR lays out memrefs. A complex element takes two of its part, an index eight bytes, a
//! quantised element what its storage type takes. A tuple is the sum of its parts; tokens, shapes and `none`
//! take nothing. An encoding or a layout does not change the size.
//!
//! Texts of types longer than [`LONGEST_TEXT`] are cut, with a hash of the whole in their place.

use std::collections::HashMap;
use std::rc::Rc;

use ballast_core::graph::Arithmetic;
use ballast_dialects::text;
use ballast_dialects::types::{self, Container, Kind, Shape};
use melior::ir::{Type, TypeLike};
use xxhash_rust::xxh3::Xxh3;

/// Most bytes of a type's text that are kept.
const LONGEST_TEXT: usize = 4096;
/// Bytes of a longer one that are kept beside its hash.
const START_OF_TEXT: usize = 256;

/// A text as it grows, cut where it is too long.
#[derive(Default)]
struct Cut {
    kept: Vec<u8>,
    whole: Xxh3,
    length: usize,
}

impl Cut {
    fn push(&mut self, piece: &[u8]) {
        self.whole.update(piece);
        self.length += piece.len();
        let room = (LONGEST_TEXT + 1).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn text(mut self) -> String {
        if self.length <= LONGEST_TEXT {
            return text::readable(&self.kept);
        }
        self.kept.truncate(START_OF_TEXT);
        format!("{}..#{:016x}", text::readable(&self.kept), self.whole.digest())
    }
}

/// Can the host hold a copy of a value, as `ballast.swap_out` makes it? A number and a vector go there as a tensor of one element.
pub(crate) fn can_be_on_host(kind: Type<'_>) -> bool {
    match types::kind(kind) {
        Kind::Integer { .. } | Kind::Index | Kind::Float { .. } | Kind::Complex(_) => true,
        Kind::Shaped(shape) if shape.container == Container::RankedTensor => shape.static_dims().is_some(),
        _ => kind.is_vector(),
    }
}

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
        let info = Rc::new(self.measure(kind)?);
        self.known.insert(raw.ptr, Rc::clone(&info));
        Ok(info)
    }

    /// A tuple: the sum of its parts, each of them measured once, however often it is there.
    fn tuple(&mut self, parts: &[Type<'_>]) -> Result<TypeInfo, String> {
        let mut total = TypeInfo {
            text: String::new(),
            dims: Vec::new(),
            elements: 0,
            bytes: 0,
            arithmetic: Arithmetic::Int,
        };
        let mut printed = Cut::default();
        printed.push(b"tuple<");
        for (index, &part) in parts.iter().enumerate() {
            let part = self.of(part)?;
            printed.push(if index == 0 { b"" } else { b", " });
            printed.push(part.text.as_bytes());
            total.elements = total.elements.saturating_add(part.elements);
            total.bytes = total.bytes.saturating_add(part.bytes);
            total.arithmetic = part.arithmetic;
        }
        printed.push(b">");
        total.text = printed.text();
        if total.bytes >= 1 << 63 {
            return Err(format!("{} takes more than 2^63 bytes", total.text));
        }
        Ok(total)
    }

    fn measure(&mut self, kind: Type<'_>) -> Result<TypeInfo, String> {
        let found = types::kind(kind);
        if let Kind::Tuple(parts) = &found {
            return self.tuple(parts);
        }
        let mut printed = Cut::default();
        text::print_type(kind, |piece| printed.push(piece));
        let text = printed.text();
        let nothing = TypeInfo {
            text: text.clone(),
            dims: Vec::new(),
            elements: 0,
            bytes: 0,
            arithmetic: Arithmetic::Int,
        };
        if is_without_data(&found, &text) {
            return Ok(nothing);
        }
        let Kind::Shaped(shape) = found else {
            let element = element(kind).ok_or_else(|| unknown(&text))?;
            let Element { bytes, arithmetic } = element;
            return Ok(TypeInfo { elements: 1, bytes, arithmetic, ..nothing });
        };
        let dims = self.dims(&shape, &text)?;
        let element = element(shape.element)
            .ok_or_else(|| format!("the size of the elements of type {text} is not known"))?;
        let too_large = || format!("{text} takes more than 2^63 bytes");
        let elements =
            dims.iter().try_fold(1_u64, |product, &dim| product.checked_mul(dim)).ok_or_else(too_large)?;
        let bytes =
            elements.checked_mul(element.bytes).filter(|&bytes| bytes < 1 << 63).ok_or_else(too_large)?;
        Ok(TypeInfo { text, dims, elements, bytes, arithmetic: element.arithmetic })
    }

    /// Extents, dynamic ones as the user gave their size.
    fn dims(&self, shape: &Shape<'_>, text: &str) -> Result<Vec<u64>, String> {
        let Some(dims) = &shape.dims else {
            return Err(format!("{text} has no rank: give the program static shapes"));
        };
        let open = || format!("{text} has a dynamic dimension: give its size with dynamic-dim=N");
        dims.iter().map(|dim| dim.or(self.dynamic_dim).ok_or_else(open)).collect()
    }
}

/// What is said of a type that has no size: copies on the host are those of a plan that is carried out.
fn unknown(text: &str) -> String {
    if text.starts_with("!ballast.host<") {
        return format!(
            "{text} is a copy on the host, as `--ballast-apply` writes them: the function carries out a plan already. Verify or \
             report the program with its plan, before that pass"
        );
    }
    format!("the size of type {text} is not known")
}

/// Types that stand for order or for shapes, not for data.
fn is_without_data(found: &Kind<'_>, text: &str) -> bool {
    match found {
        Kind::None => true,
        Kind::Opaque(name) if name == "token" => true,
        _ => text.starts_with("!tosa.shape") || text == "!async.token",
    }
}

/// One element of a type; none where its size is not known.
fn element(kind: Type<'_>) -> Option<Element> {
    let stored = |bits: u32| u64::from(bits.div_ceil(8).max(1)).next_power_of_two();
    match types::kind(kind) {
        Kind::Integer { width, .. } => {
            let arithmetic = if (2..=8).contains(&width) { Arithmetic::I8 } else { Arithmetic::Int };
            Some(Element { bytes: stored(width), arithmetic })
        }
        Kind::Index => Some(Element { bytes: 8, arithmetic: Arithmetic::Int }),
        Kind::Float { width, brain } => {
            let arithmetic = match width {
                0..=8 => Arithmetic::F8,
                9..=16 if brain => Arithmetic::Bf16,
                9..=16 => Arithmetic::F16,
                17..=32 => Arithmetic::F32,
                _ => Arithmetic::F64,
            };
            Some(Element { bytes: stored(width), arithmetic })
        }
        Kind::Complex(part) => element(part).map(|part| Element { bytes: 2 * part.bytes, ..part }),
        Kind::Quantized(stored) => element(stored),
        // A tensor of vectors, or a memref of memrefs: as many bytes as the inner one.
        Kind::Shaped(shape) => {
            let inner = element(shape.element)?;
            let bytes =
                shape.static_dims()?.iter().try_fold(inner.bytes, |bytes, &dim| bytes.checked_mul(dim))?;
            Some(Element { bytes, ..inner })
        }
        Kind::Tuple(_) | Kind::None | Kind::Opaque(_) | Kind::Other => None,
    }
}
