//! Work of regions, control flow and calls.
//!
//! A call counts what its callee does; a loop its body times the trips, where they can be told; a branch its dearest
//! arm. Loops whose trips cannot be told count one and are marked as not priced.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::c_void;

use ballast_core::graph::{Arithmetic, LayerType};
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, RegionLike, RegionRef, Value, ValueLike};

use super::{Effect, Facts, Price, Pricer, Role, Seen, Traffic};
use crate::counted::Loop;

/// What one execution of a region does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sum {
    /// Operations.
    pub(crate) flops: u64,
    /// Operations in the exact counting.
    pub(crate) exact: u64,
    /// Bytes moved.
    pub(crate) bytes: u64,
    /// Without side effects and randomness.
    pub(crate) pure_ops: bool,
    /// All by formula.
    pub(crate) priced: bool,
    /// Layer type of its dearest op.
    pub(crate) layer: LayerType,
    /// Arithmetic of its dearest op.
    pub(crate) arithmetic: Option<Arithmetic>,
    /// Most bytes of values of its own alive at once.
    pub(crate) peak: u64,
    dearest: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Sum {
            flops: 0,
            exact: 0,
            bytes: 0,
            pure_ops: true,
            priced: true,
            layer: LayerType::Other,
            arithmetic: None,
            peak: 0,
            dearest: 0,
        }
    }
}

impl Sum {
    fn add(&mut self, facts: &Facts, bytes: u64) {
        self.pure_ops &= facts.pure_op;
        if !matches!(facts.role, Role::Compute | Role::Foldable) {
            return;
        }
        self.flops = self.flops.saturating_add(facts.work.flops);
        self.exact = self.exact.saturating_add(facts.work.macs_exact);
        self.bytes = self.bytes.saturating_add(bytes);
        self.priced &= facts.work.priced;
        if facts.work.flops >= self.dearest {
            self.dearest = facts.work.flops;
            self.layer = facts.layer;
            self.arithmetic = Some(facts.work.arithmetic);
        }
    }

    /// As the price of an op that runs it so many times.
    fn price(&self, times: u64) -> Price {
        Price {
            exact: self.exact.saturating_mul(times),
            traffic: Traffic::Exactly(self.bytes.saturating_mul(times)),
            workspace: self.peak,
            priced: self.priced,
            arithmetic: self.arithmetic,
            effect: if self.pure_ops { Effect::None } else { Effect::Some },
            ..Price::new(Role::Compute, self.layer, self.flops.saturating_mul(times))
        }
    }
}

impl<'c: 'a, 'a> Pricer<'c, 'a, '_> {
    /// Sums what one execution of a region does.
    pub(super) fn sum(&mut self, region: RegionRef<'c, 'a>, depth: usize) -> Result<Sum, Reported> {
        let mut sum = Sum::default();
        let mut block = region.first_block();
        while let Some(current) = block {
            self.sum_block(current, depth, &mut sum)?;
            block = current.next_in_region();
        }
        Ok(sum)
    }

    fn sum_block(&mut self, block: BlockRef<'c, 'a>, depth: usize, sum: &mut Sum) -> Result<(), Reported> {
        let ops: Vec<OperationRef<'c, 'a>> = ir::ops(block).collect();
        // Bytes made at each op, and bytes whose last reader it is.
        let mut made = vec![0_u64; ops.len()];
        let mut freed = vec![0_u64; ops.len()];
        let mut last_read: BTreeMap<*const c_void, (usize, u64)> = BTreeMap::new();
        // Values in the memory of others of the block.
        let mut lies_in: HashMap<*const c_void, *const c_void> = HashMap::new();
        for (at, &op) in ops.iter().enumerate() {
            let facts = self.facts_at(op, depth)?;
            let last = at + 1 == ops.len();
            let bytes = if last {
                0
            } else {
                facts
                    .bytes(op, &mut self.types, |_| false)
                    .map_err(|message| diagnostics::error(op.location(), &message))?
                    .0
            };
            sum.add(&facts, bytes);
            let readers = std::iter::once(op).chain(ir::nested(op));
            for reader in readers {
                for operand in reader.operands() {
                    let raw = operand.to_raw().ptr;
                    if let Some(entry) = last_read.get_mut(lies_in.get(&raw).unwrap_or(&raw)) {
                        entry.0 = at;
                    }
                }
            }
            let over = if facts.role == Role::View { Some(0) } else { facts.in_place };
            if let Some(over) = over
                && let (Ok(base), Ok(result)) = (op.operand(over), op.result(0))
            {
                let base = base.to_raw().ptr;
                lies_in.insert(result.to_raw().ptr, lies_in.get(&base).copied().unwrap_or(base));
            }
            let allocates = matches!(facts.role, Role::Compute | Role::Foldable) && over.is_none();
            for result in op.results() {
                let kind = self.types.of(result.r#type());
                let bytes = kind.map_err(|message| diagnostics::error(op.location(), &message))?.bytes;
                if allocates && bytes > 0 {
                    made[at] = made[at].saturating_add(bytes);
                    last_read.insert(result.to_raw().ptr, (at, bytes));
                }
            }
            made[at] = made[at].saturating_add(facts.workspace);
            freed[at] = freed[at].saturating_add(facts.workspace);
        }
        for (at, bytes) in last_read.into_values() {
            freed[at] = freed[at].saturating_add(bytes);
        }
        let mut live = 0_u64;
        for (made, freed) in made.into_iter().zip(freed) {
            live = live.saturating_add(made);
            sum.peak = sum.peak.max(live);
            live = live.saturating_sub(freed);
        }
        Ok(())
    }

    /// Sums every function that `entry` calls, directly or not, callees first. Without recursion.
    ///
    /// # Errors
    /// Functions that call each other in a circle; a type without a size in one of them.
    pub(crate) fn sum_callees(&mut self, entry: OperationRef<'c, 'a>) -> Result<(), Reported> {
        struct Frame<'c, 'a> {
            function: OperationRef<'c, 'a>,
            calls: Vec<OperationRef<'c, 'a>>,
        }
        let calls = |function| {
            ir::nested(function).into_iter().filter(|&op| callee(op).is_some()).collect::<Vec<_>>()
        };
        let mut open: HashSet<*const c_void> = HashSet::new();
        let mut stack = vec![Frame { function: entry, calls: calls(entry) }];
        while let Some(frame) = stack.last_mut() {
            if let Some(call) = frame.calls.pop() {
                let Some(function) = self.function_called(call) else { continue };
                if self.called.contains_key(&address(function)) {
                    continue;
                }
                if function == entry || !open.insert(address(function)) {
                    let name = self.symbols.name(function);
                    let message =
                        format!("'@{name}' calls itself, directly or not: such programs are not planned");
                    return Err(diagnostics::error(call.location(), &message));
                }
                stack.push(Frame { function, calls: calls(function) });
                continue;
            }
            let Some(done) = stack.pop() else { break };
            if stack.is_empty() {
                break;
            }
            open.remove(&address(done.function));
            let mut sum = Sum::default();
            for region in done.function.regions() {
                if region.first_block().is_none() {
                    // A declaration: what it does is not known.
                    sum.pure_ops = false;
                    sum.priced = false;
                } else {
                    sum = self.sum(region, 1)?;
                }
            }
            self.called.insert(address(done.function), sum);
        }
        Ok(())
    }

    /// Price of a call.
    pub(super) fn call(&self, op: OperationRef<'c, 'a>) -> Price {
        match self.function_called(op).and_then(|function| self.called.get(&address(function))) {
            Some(sum) => {
                let price = sum.price(1);
                // Nothing is known of a declaration: its operands and results are all there is to price.
                if sum.bytes == 0 { price.traffic(Traffic::All) } else { price }
            }
            None => Price::unknown(),
        }
    }

    /// The function that an op calls: of several with one name, that of the module around the call.
    fn function_called(&self, op: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
        self.symbols.find(op, &callee(op)?).filter(|&called| ir::name(called) == "func.func")
    }
}

fn address(op: OperationRef<'_, '_>) -> *const c_void {
    op.to_raw().ptr
}

/// What an op names as the function it calls.
fn callee(op: OperationRef<'_, '_>) -> Option<Vec<String>> {
    match ir::name(op) {
        "func.call" => ir::symbol(op, "callee"),
        "stablehlo.composite" => ir::symbol(op, "decomposition"),
        _ => None,
    }
}

/// `func` ops.
pub(super) fn func<'c: 'a, 'a>(pricer: &Pricer<'c, 'a, '_>, seen: &Seen<'c, 'a>) -> Price {
    match seen.name {
        "call" => pricer.call(seen.op),
        "return" => Price::movement().traffic(Traffic::Exactly(0)),
        "constant" => Price::constant(true),
        _ => Price::unknown(),
    }
}

/// `scf` ops.
pub(super) fn scf(seen: &Seen<'_, '_>) -> Price {
    match seen.name {
        "yield" | "condition" | "reduce.return" | "forall.in_parallel" => {
            Price::movement().traffic(Traffic::Exactly(0))
        }
        "execute_region" => looped(seen, Some(1)),
        "if" | "index_switch" => branch(seen),
        "for" => looped(seen, for_trips(seen.op)),
        "forall" => {
            let list = |name| ir::integers(seen.op, name);
            let trips = match (list("staticLowerBound"), list("staticUpperBound"), list("staticStep")) {
                (Some(from), Some(to), Some(step)) => from
                    .iter()
                    .zip(&to)
                    .zip(&step)
                    // What is known when it runs is written as the least number.
                    .map(
                        |((&from, &to), &step)| {
                            if [from, to, step].contains(&i64::MIN) { None } else { trips(from, to, step) }
                        },
                    )
                    .try_fold(1_u64, |product, trips| Some(product.saturating_mul(trips?))),
                _ => None,
            };
            looped(seen, trips)
        }
        "while" => looped(seen, counted_evenly(seen.op)),
        "parallel" => looped(seen, None),
        _ => Price::unknown(),
    }
}

/// Operations in `f32` that a device does while it moves a byte, about: 10 on an A100, 15 on a CPU, 20 on an H100.
const OPERATIONS_PER_BYTE: u64 = 10;

/// What arms are compared by, as no device is known yet: operations, or those for which there would be time while the bytes are moved.
pub(crate) fn dearness(flops: u64, bytes: u64) -> u64 {
    flops.max(bytes.saturating_mul(OPERATIONS_PER_BYTE))
}

/// A branch: its dearest arm.
pub(super) fn branch(seen: &Seen<'_, '_>) -> Price {
    let dearest = seen.regions.iter().max_by_key(|region| dearness(region.flops, region.bytes));
    let mut price = dearest.map_or_else(Price::unknown, |sum| sum.price(1));
    price.workspace = seen.regions.iter().map(|region| region.peak).max().unwrap_or(0);
    price.effect = Effect::None;
    price
}

/// Iterations of a loop, and the block that runs in each; none where they cannot be told.
pub(crate) fn counted_loop<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Option<(u64, BlockRef<'c, 'a>)> {
    let trips = match ir::name(op) {
        "stablehlo.while" => while_trips(op),
        "scf.for" => for_trips(op),
        _ => None,
    };
    Some((trips?, ir::blocks(op).pop()?))
}

/// Iterations of `stablehlo.while`, where constants decide.
pub(super) fn while_trips(op: OperationRef<'_, '_>) -> Option<u64> {
    counted_evenly(op).or_else(|| Loop::of(op)?.ok()?.few_trips())
}

/// Iterations of `scf.for` between constants.
fn for_trips(op: OperationRef<'_, '_>) -> Option<u64> {
    let constant = |index| op.operand(index).ok().and_then(constant_integer);
    let bounds = [constant(0)?, constant(1)?, constant(2)?];
    // Compared without a sign, negative bounds are large ones.
    let wraps = ir::attribute(op, "unsignedCmp").is_some() && bounds.iter().any(|&bound| bound < 0);
    if wraps { None } else { trips(bounds[0], bounds[1], bounds[2]) }
}

/// A loop over all its regions.
pub(super) fn looped(seen: &Seen<'_, '_>, trips: Option<u64>) -> Price {
    let mut whole = Sum::default();
    for region in &seen.regions {
        whole.flops = whole.flops.saturating_add(region.flops);
        whole.exact = whole.exact.saturating_add(region.exact);
        whole.bytes = whole.bytes.saturating_add(region.bytes);
        whole.peak = whole.peak.max(region.peak);
        if region.dearest >= whole.dearest {
            (whole.dearest, whole.layer, whole.arithmetic) =
                (region.dearest, region.layer, region.arithmetic);
        }
    }
    Price { priced: trips.is_some(), ..whole.price(trips.unwrap_or(1)) }
}

/// Iterations of a counted loop; none for a step that does not lead to the end.
fn trips(from: i64, to: i64, step: i64) -> Option<u64> {
    let span = i128::from(to) - i128::from(from);
    if span <= 0 {
        return Some(0);
    }
    let step = u128::try_from(step).ok().filter(|&step| step > 0)?;
    u64::try_from(span.unsigned_abs().div_ceil(step)).ok()
}

/// Value of a scalar integer constant of any dialect.
fn constant_integer(value: Value<'_, '_>) -> Option<i64> {
    let op = ir::producer(value)?;
    if !matches!(ir::name(op), "arith.constant" | "stablehlo.constant") {
        return None;
    }
    let attribute = ir::attribute(op, "value")?;
    ir::integer_value(attribute).or_else(|| match ir::dense_integers(attribute)?.as_slice() {
        [value] => Some(*value),
        _ => None,
    })
}

/// The order in which a comparison holds, by StableHLO's names; none where it is no order of numbers with a sign.
fn order_of(compare: OperationRef<'_, '_>) -> Option<String> {
    match ir::name(compare) {
        "stablehlo.compare" => {
            let direction = ir::opaque(compare, "comparison_direction")?;
            Some(direction.trim().strip_prefix("comparison_direction ")?.to_owned())
        }
        "arith.cmpi" => {
            let name = match ir::integer_value(ir::attribute(compare, "predicate")?)? {
                2 => "LT",
                3 => "LE",
                4 => "GT",
                5 => "GE",
                _ => return None,
            };
            Some(name.to_owned())
        }
        _ => None,
    }
}

/// However many iterations of `stablehlo.while` or `scf.while` in the form that counted loops are exported in: the condition compares one
/// loop value with a constant, the body adds a constant to it or subtracts one, and it starts from a constant.
fn counted_evenly(op: OperationRef<'_, '_>) -> Option<u64> {
    let [condition, body] = ir::blocks(op).try_into().ok()?;
    let decides = ir::last_op(condition)?;
    let compare = ir::producer(decides.operand(0).ok()?)?;
    let order = order_of(compare)?;
    let place = |value: Value<'_, '_>| {
        (0..condition.argument_count()).find(|&i| {
            condition.argument(i).is_ok_and(|argument| argument.to_raw().ptr == value.to_raw().ptr)
        })
    };
    // A loop value as the body gets it: `scf.condition` hands on what it lists.
    let in_body = |index: usize| {
        let at = match ir::name(decides) {
            "scf.condition" => decides.operands().skip(1).position(|value| place(value) == Some(index))?,
            _ => index,
        };
        Some(body.argument(at).ok()?.to_raw().ptr)
    };
    let index = place(compare.operand(0).ok()?)?;
    // The bound stands in the condition, or is a loop value that the body hands on unchanged.
    let limit = compare.operand(1).ok()?;
    let to = match place(limit) {
        None => constant_integer(limit)?,
        Some(i) => {
            let next = ir::last_op(body)?.operand(i).ok()?;
            if next.to_raw().ptr != in_body(i)? {
                return None;
            }
            constant_integer(op.operand(i).ok()?)?
        }
    };
    let add = ir::producer(ir::last_op(body)?.operand(index).ok()?)?;
    let sign = match ir::name(add) {
        "stablehlo.add" | "arith.addi" => 1,
        "stablehlo.subtract" | "arith.subi" => -1,
        _ => return None,
    };
    let argument = in_body(index)?;
    let (left, right) = (add.operand(0).ok()?, add.operand(1).ok()?);
    let step = if left.to_raw().ptr == argument {
        constant_integer(right)?
    } else if right.to_raw().ptr == argument && sign == 1 {
        constant_integer(left)?
    } else {
        return None;
    };
    let from = constant_integer(op.operand(index).ok()?)?;
    let step = step.checked_mul(sign)?;
    // Down is up with all signs changed.
    match order.as_str() {
        "LT" => trips(from, to, step),
        "LE" => trips(from, to.checked_add(1)?, step),
        "GT" => trips(from.checked_neg()?, to.checked_neg()?, step.checked_neg()?),
        "GE" => trips(from.checked_neg()?, to.checked_neg()?.checked_add(1)?, step.checked_neg()?),
        _ => None,
    }
}
