//! Bytes that XLA's CPU compiler holds beside an op's operands and results while the op runs.
//!
//! Seen in its buffer assignment (jaxlib 0.10.2), one op compiled alone at a time; 67 convolutions, 6 select-and-scatter ops and
//! 18 products of the exported models:
//! - a convolution reads `[b, 0, 1, .., f]` and `[0, 1, .., i, o]` and writes `[b, 0, 1, .., f]`; every operand in another layout is
//!   copied, a reversed kernel as it is reversed, and a result in another layout is copied once the operands' copies are gone;
//! - a product whose left operand contracts several dimensions that are not its last ones copies it;
//! - select-and-scatter becomes a window reduction over values and indices and a scatter: one 32-bit index per dimension of
//!   every element of the operand and of the source, and two copies of the source. Nothing comes before the indices of the operand
//!   and the buffer of the result, filled with the initial value: where the rest has to wait, as every op behind a barrier does, the
//!   scheduler still runs these first of all.

use ballast_core::units::Bytes;
use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};

use crate::import::opaque;
use crate::import::types::{TypeInfo, Types};

/// Bytes of an index into one dimension.
const INDEX_BYTES: u64 = 4;

/// Bytes beside an op's operands and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// Held while the op runs.
    pub(crate) during: Bytes,
    /// Held from before the first op of the program until the op has run.
    pub(crate) early: Bytes,
}

/// What is held beside the op; nothing for an op that is not in the list, or cannot be read.
pub(crate) fn workspace(op: OperationRef<'_, '_>, types: &mut Types) -> Workspace {
    let (during, early) = found(op, types).unwrap_or_default();
    Workspace { during: Bytes(during), early: Bytes(early) }
}

fn found(op: OperationRef<'_, '_>, types: &mut Types) -> Option<(u64, u64)> {
    let mut operand = |index| -> Option<std::rc::Rc<TypeInfo>> {
        let value = op.operand(index).ok()?;
        types.of(value.r#type()).ok()
    };
    match ir::name(op) {
        "stablehlo.convolution" => {
            let usual = opaque::convolution(&ir::opaque(op, "dimension_numbers")?)?.usual;
            let copy = |index: usize, bytes: u64| if usual[index] { 0 } else { bytes };
            let kernel = operand(1)?.bytes;
            let of_kernel = if is_reversed(op.operand(1).ok()?) { kernel } else { copy(1, kernel) };
            let copies = copy(0, operand(0)?.bytes).saturating_add(of_kernel);
            let result = types.of(op.result(0).ok()?.r#type()).ok()?;
            Some((copies.max(copy(2, result.bytes)), 0))
        }
        "stablehlo.dot_general" => {
            let fields = opaque::fields(&ir::opaque(op, "dot_dimension_numbers")?, "dot")?;
            let dims = fields.get("lhs_contracting_dimensions")?;
            let left = operand(0)?;
            let first = i64::try_from(left.dims.len().checked_sub(dims.len())?).ok()?;
            let last = dims.iter().enumerate().all(|(at, &dim)| first + at as i64 == dim);
            Some((if dims.len() < 2 || last { 0 } else { left.bytes }, 0))
        }
        "stablehlo.select_and_scatter" => {
            let (read, source) = (operand(0)?, operand(1)?);
            let indices = |of: &TypeInfo| of.elements.saturating_mul(of.dims.len() as u64 * INDEX_BYTES);
            let workspace = indices(&source).saturating_add(source.bytes.saturating_mul(2));
            Some((workspace, indices(&read).saturating_add(read.bytes)))
        }
        _ => None,
    }
}

fn is_reversed(value: Value<'_, '_>) -> bool {
    ir::producer(value).is_some_and(|op| ir::name(op) == "stablehlo.reverse")
}
