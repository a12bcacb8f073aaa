//! Work of one execution of an op: operations, traffic, layer type, purity. One module per dialect.
//!
//! Counting: a multiply-add is two operations, every other arithmetic op of an element one, whatever it computes;
//! moving data is none. Traffic is every distinct operand that is read, once, plus every result; operands that
//! are constants of a single value are not counted. Regions count once per point of the iteration space.

mod control;
mod in_place;
mod linalg;
mod scalar;
mod stablehlo;
mod tosa;

use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use ballast_core::graph::{Arithmetic, LayerType, Work};
use ballast_core::units::Bytes;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::is_memory_effect_free;
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};

use super::symbols::Symbols;
use super::types::{TypeInfo, Types};

pub(crate) use control::{Sum, counted_loop, dearness};
pub(crate) use stablehlo::is_elementwise;

/// Regions nested deeper than this are refused: summing them recurses.
const DEEPEST_REGION: usize = 64;

/// How an op takes part, before it is known whether its operands are constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Computes.
    Compute,
    /// Shares the memory of operand 0.
    View,
    /// A constant; of a single value, or read from memory.
    Constant {
        /// One value for all elements, or computed from indices: nothing to read.
        splat: bool,
    },
    /// A constant if all its operands are, else it computes.
    Foldable,
}

/// Does an op do more than compute its results?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// No; what its regions do is looked at.
    None,
    /// Yes, or a random result: never run it twice.
    Some,
    /// MLIR knows.
    Registered,
}

/// Bytes an op moves.
#[derive(Clone, Debug, PartialEq)]
enum Traffic {
    /// All operands and results.
    All,
    /// All results, and the operands so numbered.
    Reads(Vec<usize>),
    /// Exactly so many.
    Exactly(u64),
}

/// What a dialect's module says about an op.
#[derive(Clone, Debug, PartialEq)]
struct Price {
    role: Role,
    layer: LayerType,
    flops: u64,
    exact: u64,
    traffic: Traffic,
    effect: Effect,
    priced: bool,
    workspace: u64,
    /// The operand that its result is written over, if there is one.
    in_place: Option<usize>,
    /// Overrides the arithmetic found from the types.
    arithmetic: Option<Arithmetic>,
}

impl Price {
    fn new(role: Role, layer: LayerType, flops: u64) -> Self {
        Price {
            role,
            layer,
            flops,
            exact: flops,
            traffic: Traffic::All,
            effect: Effect::None,
            priced: true,
            workspace: 0,
            in_place: None,
            arithmetic: None,
        }
    }

    /// Arithmetic on every element.
    fn elementwise(flops: u64) -> Self {
        Price::new(Role::Foldable, LayerType::Activation, flops)
    }

    /// Data moved, nothing computed.
    fn movement() -> Self {
        Price::new(Role::Foldable, LayerType::Other, 0)
    }

    fn view() -> Self {
        Price::new(Role::View, LayerType::Other, 0)
    }

    fn constant(splat: bool) -> Self {
        Price::new(Role::Constant { splat }, LayerType::Other, 0)
    }

    /// A matrix product or convolution with both countings.
    fn contraction(layer: LayerType, fused: u64, exact: u64) -> Self {
        Price { exact, ..Price::new(Role::Compute, layer, fused) }
    }

    /// Nothing is known but the types.
    fn unknown() -> Self {
        Price { effect: Effect::Some, priced: false, ..Price::new(Role::Compute, LayerType::Other, 0) }
    }

    fn compute(self) -> Self {
        Price { role: Role::Compute, ..self }
    }

    fn traffic(self, traffic: Traffic) -> Self {
        Price { traffic, ..self }
    }

    fn with_flops(self, flops: u64) -> Self {
        Price { flops, exact: flops, ..self }
    }

    fn effect(self, effect: Effect) -> Self {
        Price { effect, ..self }
    }
}

/// An op as the dialects' modules see it.
struct Seen<'c, 'a> {
    op: OperationRef<'c, 'a>,
    /// Name without the dialect.
    name: &'c str,
    operands: Vec<Rc<TypeInfo>>,
    results: Vec<Rc<TypeInfo>>,
    /// One sum per region.
    regions: Vec<Sum>,
}

impl Seen<'_, '_> {
    /// Elements of the first result; 0 without one.
    fn points(&self) -> u64 {
        self.results.first().map_or(0, |result| result.elements)
    }

    fn operand_elements(&self, index: usize) -> u64 {
        self.operands.get(index).map_or(0, |operand| operand.elements)
    }

    fn operand_bytes(&self, index: usize) -> u64 {
        self.operands.get(index).map_or(0, |operand| operand.bytes)
    }

    fn result_bytes(&self) -> u64 {
        self.results.iter().fold(0, |sum, result| sum.saturating_add(result.bytes))
    }

    /// Operations of one execution of the first region.
    fn body(&self) -> u64 {
        self.regions.first().map_or(0, |region| region.flops)
    }
}

/// Everything known of an op but its name and types.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    /// How it takes part.
    pub(crate) role: Role,
    /// Operations, arithmetic and whether a formula priced it; the bytes are those of [`Facts::traffic`].
    pub(crate) work: Work,
    /// Layer type.
    pub(crate) layer: LayerType,
    /// Without side effects and randomness.
    pub(crate) pure_op: bool,
    /// Bytes held only while it runs.
    pub(crate) workspace: u64,
    /// The operand that its result is written over, if there is one.
    pub(crate) in_place: Option<usize>,
    traffic: Traffic,
}

impl Facts {
    /// Is it a contraction or a convolution?
    pub(crate) fn opens_layer(&self) -> bool {
        matches!(self.layer, LayerType::Dense | LayerType::Convolution)
    }

    /// Bytes moved, given the types and which operands are constants of one value.
    pub(crate) fn bytes<'c: 'a, 'a>(
        &self,
        op: OperationRef<'c, 'a>,
        types: &mut Types,
        is_splat: impl Fn(usize) -> bool,
    ) -> Result<Bytes, String> {
        if let Traffic::Exactly(bytes) = self.traffic {
            return Ok(Bytes(bytes));
        }
        let mut total = 0_u64;
        let mut counted = Vec::new();
        for (index, operand) in op.operands().enumerate() {
            let read = match &self.traffic {
                Traffic::Reads(indices) => indices.contains(&index),
                _ => true,
            };
            let raw = operand.to_raw().ptr;
            if read && !is_splat(index) && !counted.contains(&raw) {
                counted.push(raw);
                total = total.saturating_add(types.of(operand.r#type())?.bytes);
            }
        }
        for result in op.results() {
            total = total.saturating_add(types.of(result.r#type())?.bytes);
        }
        Ok(Bytes(total))
    }
}

/// Prices ops; remembers types and the sums of called functions.
pub(crate) struct Pricer<'c, 'a, 's> {
    /// Types measured so far.
    pub(crate) types: Types,
    symbols: &'s Symbols<'c, 'a>,
    /// Sums of called functions by the op that each is.
    called: HashMap<*const c_void, Sum>,
}

impl<'c: 'a, 'a, 's> Pricer<'c, 'a, 's> {
    /// A pricer for the functions of a program.
    pub(crate) fn new(symbols: &'s Symbols<'c, 'a>, dynamic_dim: Option<u64>) -> Self {
        Pricer { types: Types::new(dynamic_dim), symbols, called: HashMap::new() }
    }

    /// Everything known of an op.
    ///
    /// # Errors
    /// A type without a size, reported at the op that has it; regions nested too deep.
    pub(crate) fn facts(&mut self, op: OperationRef<'c, 'a>) -> Result<Facts, Reported> {
        self.facts_at(op, 0)
    }

    fn facts_at(&mut self, op: OperationRef<'c, 'a>, depth: usize) -> Result<Facts, Reported> {
        let full = ir::name(op);
        if depth > DEEPEST_REGION {
            return Err(diagnostics::error(op.location(), "regions are nested too deep to be read"));
        }
        let report = |message: String| diagnostics::error(op.location(), &format!("'{full}': {message}"));
        let operands: Vec<Rc<TypeInfo>> = op
            .operands()
            .map(|value| self.types.of(value.r#type()))
            .collect::<Result<_, _>>()
            .map_err(report)?;
        let results: Vec<Rc<TypeInfo>> = op
            .results()
            .map(|value| self.types.of(value.r#type()))
            .collect::<Result<_, _>>()
            .map_err(report)?;
        let regions: Vec<Sum> =
            op.regions().map(|region| self.sum(region, depth + 1)).collect::<Result<_, _>>()?;
        let (dialect, name) = full.split_once('.').unwrap_or(("", full));
        let seen = Seen { op, name, operands, results, regions };
        let price = match dialect {
            "stablehlo" | "chlo" => stablehlo::price(self, dialect, &seen),
            "linalg" => linalg::price(&seen, self.types.dynamic_dim),
            "tosa" => tosa::price(&seen),
            "tm_tensor" => stablehlo::tm_tensor(&seen),
            "scf" => control::scf(&seen),
            "func" => control::func(self, &seen),
            _ => scalar::price(dialect, &seen),
        };
        Ok(finish(price, &seen))
    }
}

fn finish(price: Price, seen: &Seen<'_, '_>) -> Facts {
    let own = match price.effect {
        Effect::None => true,
        Effect::Some => false,
        Effect::Registered => is_memory_effect_free(&seen.op),
    };
    let is_float = |kind: &&Rc<TypeInfo>| {
        kind.elements > 0 && !matches!(kind.arithmetic, Arithmetic::Int | Arithmetic::I8)
    };
    let opens = matches!(price.layer, LayerType::Dense | LayerType::Convolution);
    let arithmetic = price.arithmetic.unwrap_or_else(|| {
        let first = if opens { seen.operands.first() } else { None };
        first
            .or_else(|| seen.results.iter().chain(&seen.operands).find(is_float))
            .or_else(|| seen.operands.first())
            .or_else(|| seen.results.first())
            .map_or(Arithmetic::Int, |kind| kind.arithmetic)
    });
    Facts {
        role: price.role,
        work: Work {
            flops: price.flops,
            macs_exact: price.exact,
            arithmetic,
            bytes: Bytes::ZERO,
            priced: price.priced && seen.regions.iter().all(|region| region.priced),
        },
        layer: price.layer,
        pure_op: own && seen.regions.iter().all(|region| region.pure_ops),
        workspace: price.workspace,
        in_place: price.in_place,
        traffic: price.traffic,
    }
}

/// Product of extents; saturating.
fn product<'d>(dims: impl IntoIterator<Item = &'d u64>) -> u64 {
    dims.into_iter().fold(1, |product, dim| product.saturating_mul(*dim))
}

/// Products of real numbers that one of two elements is: four of complex ones.
fn real_products(seen: &Seen<'_, '_>) -> u64 {
    if seen.operands.first().is_some_and(|left| left.text.contains("complex<")) { 4 } else { 1 }
}

/// Both countings of so many sums of products of one length each.
fn products(layer: LayerType, sums: u64, length: u64) -> Price {
    use ballast_core::predictor::{Counting, sums_of_products};
    Price::contraction(
        layer,
        sums_of_products(sums, length, Counting::Fused),
        sums_of_products(sums, length, Counting::Exact),
    )
}

/// Operations of so many one-dimensional transforms of a length: `5 n log2 n` each (Cooley and Tukey's split into
/// real operations, as the FFT benchmarks count).
fn fourier(transforms: u64, length: u64) -> u64 {
    (5.0 * transforms as f64 * length as f64 * (length.max(2) as f64).log2()) as u64
}
