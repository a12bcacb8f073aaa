//! Integers known while loops are opened: counters, indices, and the masks computed from them.
//!
//! The rules are those of the StableHLO specification for integer and boolean tensors, and of `arith` for counted loops of `scf`.
//! What is not defined there (division by zero), or would need more than 64 bits, is not folded.

use ballast_dialects::ir;
use ballast_dialects::types::{self, Container, Kind};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, ValueLike};

/// Longest tensor whose integers are followed one by one.
const LONGEST: usize = 16;

/// A tensor (or scalar) of known integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Integers<'c> {
    /// Its type.
    pub(crate) kind: Type<'c>,
    /// All elements in row-major order; one where all are equal.
    pub(crate) values: Vec<i64>,
}

/// How integers of a type wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element {
    bits: u32,
    unsigned: bool,
}

/// Extents of a tensor of static shape, or of a scalar.
pub(crate) fn dims(kind: Type<'_>) -> Option<Vec<u64>> {
    match types::kind(kind) {
        Kind::Integer { .. } | Kind::Index => Some(Vec::new()),
        Kind::Shaped(shape) if shape.container == Container::RankedTensor => shape.static_dims(),
        _ => None,
    }
}

/// Is it a tensor?
pub(crate) fn is_tensor(kind: Type<'_>) -> bool {
    types::ranked_tensor(kind).is_some()
}

fn element(kind: Type<'_>) -> Option<Element> {
    match types::kind(types::ranked_tensor(kind).map_or(kind, |shape| shape.element)) {
        Kind::Index => Some(Element { bits: 64, unsigned: false }),
        Kind::Integer { width: bits, unsigned } => {
            // A boolean is 0 or 1, not 0 or -1. Unsigned numbers of 64 bits do not fit.
            let unsigned = bits == 1 || unsigned;
            (bits <= if unsigned { 63 } else { 64 }).then_some(Element { bits, unsigned })
        }
        _ => None,
    }
}

impl Element {
    /// The number as the type holds it: modulo its width.
    fn wrap(self, value: i128) -> i64 {
        let mask = (1_i128 << self.bits) - 1;
        let low = value & mask;
        let negative = !self.unsigned && low >> (self.bits - 1) == 1;
        (if negative { low - (1 << self.bits) } else { low }) as i64
    }
}

impl<'c> Integers<'c> {
    /// The only value, of one element or of equal ones.
    pub(crate) fn one(&self) -> Option<i64> {
        match self.values.as_slice() {
            [value] => Some(*value),
            _ => None,
        }
    }

    /// The only integer, its bits read without a sign.
    pub(crate) fn one_unsigned(&self) -> Option<i128> {
        let bits = element(self.kind)?.bits;
        Some(i128::from(self.one()?) & ((1_i128 << bits) - 1))
    }

    /// Equal or few integers; none for other types and for more of them.
    fn new(kind: Type<'c>, mut values: Vec<i64>) -> Option<Self> {
        let count = dims(kind)?.iter().product::<u64>();
        element(kind)?;
        if count == 0 {
            return None;
        }
        if values.iter().all(|value| *value == values[0]) {
            values.truncate(1);
        }
        (values.len() == 1 || (values.len() <= LONGEST && values.len() as u64 == count))
            .then_some(Integers { kind, values })
    }

    /// One integer of a type.
    pub(crate) fn scalar(kind: Type<'c>, value: i64) -> Option<Self> {
        let wrapped = element(kind)?.wrap(i128::from(value));
        Self::new(kind, vec![wrapped])
    }

    /// The value of a constant op.
    pub(crate) fn of_constant(op: OperationRef<'c, '_>) -> Option<Self> {
        if !matches!(ir::name(op), "stablehlo.constant" | "arith.constant") {
            return None;
        }
        let kind = op.result(0).ok()?.r#type();
        let unit = element(kind)?;
        let attribute = ir::attribute(op, "value")?;
        let values = match ir::integer_value(ir::splat(attribute).unwrap_or(attribute)) {
            Some(value) => vec![value],
            None => ir::dense_integers(attribute)?,
        };
        Self::new(kind, values.into_iter().map(|value| unit.wrap(i128::from(value))).collect())
    }

    /// The attribute of a constant with these values.
    pub(crate) fn text(&self) -> String {
        let kind = self.kind;
        let is_bool = element(kind).is_some_and(|unit| unit.bits == 1);
        let print = |value: i64| if is_bool { (value != 0).to_string() } else { value.to_string() };
        match (self.one(), dims(kind)) {
            (Some(value), _) if !is_tensor(kind) => {
                if is_bool {
                    print(value)
                } else {
                    format!("{value} : {kind}")
                }
            }
            (Some(value), _) => format!("dense<{}> : {kind}", print(value)),
            (None, Some(dims)) => {
                let mut items: Vec<String> = self.values.iter().map(|&value| print(value)).collect();
                for &dim in dims.iter().rev() {
                    let dim = usize::try_from(dim).unwrap_or(usize::MAX);
                    items = items.chunks(dim).map(|part| format!("[{}]", part.join(", "))).collect();
                }
                format!("dense<{}> : {kind}", items.concat())
            }
            (None, None) => String::new(),
        }
    }
}

/// The result of an op whose operands are known; none if it cannot be told.
pub(crate) fn fold<'c>(op: OperationRef<'c, '_>, operands: &[Integers<'c>]) -> Option<Integers<'c>> {
    if op.result_count() != 1 {
        return None;
    }
    let kind = op.result(0).ok()?.r#type();
    let unit = element(kind)?;
    let (dialect, name) = ir::name(op).split_once('.')?;
    match dialect {
        "stablehlo" => {}
        "arith" => {
            let name = match name {
                "addi" => "add",
                "subi" => "subtract",
                "muli" => "multiply",
                "index_cast" => "convert",
                _ => return None,
            };
            // Of one bit `arith` has numbers, which wrap, where StableHLO has truth values.
            let of_one_bit = |of: &Integers<'c>| element(of.kind).is_none_or(|unit| unit.bits == 1);
            if unit.bits == 1 || operands.iter().any(of_one_bit) {
                return None;
            }
            return pointwise(op, name, unit, kind, operands);
        }
        _ => return None,
    }
    match (name, operands) {
        ("reshape", [from]) => Integers::new(kind, from.values.clone()),
        ("broadcast_in_dim", [from]) => Integers::new(kind, vec![from.one()?]),
        ("concatenate", parts) if dims(kind)?.len() == 1 => {
            let mut values = Vec::new();
            for part in parts {
                values.extend(expand(part)?);
            }
            Integers::new(kind, values)
        }
        ("slice", [from]) => Integers::new(kind, vec![from.one()?]),
        _ => pointwise(op, name, unit, kind, operands),
    }
}

/// All elements; none for too many.
fn expand(of: &Integers<'_>) -> Option<Vec<i64>> {
    let count = usize::try_from(dims(of.kind)?.iter().product::<u64>()).ok().filter(|&n| n <= LONGEST)?;
    Some(if of.values.len() == 1 { vec![of.values[0]; count] } else { of.values.clone() })
}

fn pointwise<'c>(
    op: OperationRef<'c, '_>,
    name: &str,
    unit: Element,
    kind: Type<'c>,
    operands: &[Integers<'c>],
) -> Option<Integers<'c>> {
    let from = element(operands.first()?.kind)?;
    let direction = match name {
        "compare" => {
            let text = ir::opaque(op, "comparison_direction")?;
            Some(text.trim().strip_prefix("comparison_direction ")?.to_owned())
        }
        _ => None,
    };
    let one = |values: &[i64]| -> Option<i64> {
        let wide = |index: usize| values.get(index).copied().map(i128::from);
        let (a, b) = (wide(0)?, wide(1));
        Some(unit.wrap(match name {
            "add" if unit.bits == 1 => a | b?,
            "multiply" if unit.bits == 1 => a & b?,
            "add" => a + b?,
            "subtract" => a - b?,
            "multiply" => a * b?,
            "minimum" => a.min(b?),
            "maximum" => a.max(b?),
            "negate" => -a,
            "abs" => a.abs(),
            "and" => a & b?,
            "or" => a | b?,
            "xor" => a ^ b?,
            "not" if unit.bits == 1 => 1 - a,
            "not" => !a,
            // Rounds towards zero.
            "divide" => a.checked_div(b?)?,
            "remainder" => a.checked_rem(b?)?,
            "sign" => a.signum(),
            // To a boolean: is it not zero?
            "convert" if unit.bits == 1 && from.bits != 1 => i128::from(a != 0),
            "convert" => a,
            "clamp" => wide(2)?.min(b?.max(a)),
            "select" => {
                if a != 0 {
                    b?
                } else {
                    wide(2)?
                }
            }
            "compare" => i128::from(match direction.as_deref()? {
                "EQ" => a == b?,
                "NE" => a != b?,
                "LT" => a < b?,
                "LE" => a <= b?,
                "GT" => a > b?,
                "GE" => a >= b?,
                _ => return None,
            }),
            _ => return None,
        }))
    };
    if operands.iter().all(|operand| operand.values.len() == 1) {
        let values: Vec<i64> = operands.iter().map(|operand| operand.values[0]).collect();
        return Integers::new(kind, vec![one(&values)?]);
    }
    let count = usize::try_from(dims(kind)?.iter().product::<u64>()).ok().filter(|&n| n <= LONGEST)?;
    let at = |operand: &Integers<'_>, index: usize| {
        if operand.values.len() == 1 { operand.values[0] } else { operand.values[index] }
    };
    let values: Option<Vec<i64>> = (0..count)
        .map(|index| one(&operands.iter().map(|operand| at(operand, index)).collect::<Vec<i64>>()))
        .collect();
    Integers::new(kind, values?)
}
