//! Finds pairs of counted loops, as `lax.scan` and its gradient write them: the forward loop writes a slice of every stack in every iteration, the
//! backward loop carries the stacks unchanged and reads the slices of one iteration in each of its own.

use std::collections::HashMap;
use std::ffi::c_void;

use ballast_dialects::ir;
use ballast_dialects::operations::uses;
use ballast_dialects::types;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value, ValueLike};

use crate::counted::{Loop, Why};

/// A value as a key.
pub(super) fn key<'c>(value: impl ValueLike<'c>) -> *const c_void {
    value.to_raw().ptr
}

/// The arguments of a block.
pub(super) fn arguments<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    (0..block.argument_count()).filter_map(|at| block.argument(at).ok()).map(Value::from).collect()
}

/// A stack that a loop writes, one slice per iteration.
#[derive(Clone, Debug)]
pub(crate) struct Written<'c, 'a> {
    /// Which of the carried values it is.
    pub(super) carried: usize,
    /// What writes the slice.
    pub(super) write: OperationRef<'c, 'a>,
    /// Along which it is written.
    axis: usize,
    /// Where each iteration writes.
    at: Vec<i64>,
}

impl<'c: 'a, 'a> Written<'c, 'a> {
    /// The slice, with an extent of one along the axis.
    pub(super) fn slice(&self) -> Option<Value<'c, 'a>> {
        self.write.operand(1).ok()
    }

    /// What it is written at, and how many slices it has.
    pub(super) fn place(&self) -> Option<(Value<'c, 'a>, u64)> {
        Some((self.write.operand(self.axis + 2).ok()?, extent(self.write, 0, self.axis)?))
    }
}

/// A stack of a pair.
#[derive(Clone, Debug)]
pub(crate) struct Stack<'c, 'a> {
    pub(super) written: Written<'c, 'a>,
    /// Which of the values carried by the backward loop it is.
    pub(super) read: Vec<usize>,
    /// What reads its slices there.
    pub(super) slices: Vec<OperationRef<'c, 'a>>,
    /// Is it read by anything else, so that it stays whatever is decided?
    pub(super) stays: bool,
}

/// A counter of the forward loop, in the backward loop's iteration that reads what was written at it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counter<'c, 'a> {
    /// It is this integer of the backward loop's body.
    Same(Value<'c, 'a>),
    /// It is this carried integer plus a number.
    Ahead(usize, i64),
    /// It is a number less this carried integer.
    Mirrored(usize, i64),
}

/// Two loops of the same number of iterations.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'c, 'a> {
    pub(crate) forward: Loop<'c, 'a>,
    pub(crate) backward: Loop<'c, 'a>,
    pub(crate) trips: u64,
    /// How often both run: once for every iteration of the loops they are inside of.
    pub(crate) times: u64,
    /// Stacks whose slices the backward loop reads, all at the same iteration of the forward loop.
    pub(super) stacks: Vec<Stack<'c, 'a>>,
    /// Counters of the forward loop by the number of the carried value.
    pub(super) counters: HashMap<usize, Counter<'c, 'a>>,
    /// What the backward loop reads the first stack at.
    pub(super) index: Value<'c, 'a>,
}

/// A loop that is in no pair.
pub(crate) struct Single<'c, 'a> {
    pub(crate) op: OperationRef<'c, 'a>,
    pub(crate) why: String,
}

/// A loop with what is known of its integers.
struct Counted<'c, 'a> {
    found: Loop<'c, 'a>,
    trips: u64,
    written: Vec<Written<'c, 'a>>,
    /// Integers that it carries, or reads stacks at, by iteration.
    integers: Vec<(Value<'c, 'a>, Vec<i64>)>,
}

/// The pairs among the loops of a block, no loop in two of them, and the loops that are in none. Where a loop is in none, its body is looked into, as that of
/// a loop over micro-batches or steps of training.
pub(crate) fn pairs<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> (Vec<Pair<'c, 'a>>, Vec<Single<'c, 'a>>) {
    pairs_inside(block, 1)
}

fn pairs_inside<'c: 'a, 'a>(block: BlockRef<'c, 'a>, times: u64) -> (Vec<Pair<'c, 'a>>, Vec<Single<'c, 'a>>) {
    let mut counted: Vec<Counted<'c, 'a>> = Vec::new();
    let mut singles: Vec<Single<'c, 'a>> = Vec::new();
    // Bodies of loops that are in no pair, and how often each runs.
    let mut bodies: Vec<(BlockRef<'c, 'a>, u64)> = Vec::new();
    for op in ir::ops(block) {
        match Loop::of(op).map(|found| found.and_then(Counted::of)) {
            _ if ir::name(op) == "scf.for" => {
                singles.push(Single { op, why: "of loops `stablehlo.while` alone is paired".to_owned() });
                singles.extend(inside(op));
            }
            Some(Ok(found)) => counted.push(found),
            Some(Err(why)) => {
                singles.push(Single { op, why: why.to_string() });
                singles.extend(inside(op));
            }
            None => singles.extend(inside(op)),
        }
    }
    let mut taken = vec![false; counted.len()];
    let mut pairs: Vec<Pair<'c, 'a>> = Vec::new();
    for first in 0..counted.len() {
        if taken[first] {
            continue;
        }
        let seconds = (first + 1..counted.len()).filter(|&second| !taken[second]);
        let found = seconds.filter_map(|second| Some((second, pair(&counted[first], &counted[second])?)));
        // The one that reads most; of equal ones the first.
        let best = found.reduce(|best, next| if next.1.bytes() > best.1.bytes() { next } else { best });
        if let Some((second, pair)) = best {
            (taken[first], taken[second]) = (true, true);
            pairs.push(pair);
        }
    }
    for (counted, taken) in counted.iter().zip(taken) {
        if taken {
            singles.extend(inside(counted.found.op));
        } else {
            singles.push(Single { op: counted.found.op, why: counted.why_alone() });
            bodies.push((counted.found.body, times.saturating_mul(counted.trips)));
        }
    }
    pairs.iter_mut().for_each(|pair| pair.times = times);
    for (body, times) in bodies {
        let (more, alone) = pairs_inside(body, times);
        pairs.extend(more);
        singles.extend(alone);
    }
    (pairs, singles)
}

/// The loops inside an op that is not looked into.
fn inside<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> impl Iterator<Item = Single<'c, 'a>> {
    let loops = ir::nested(op).into_iter().filter(|&inner| Loop::of(inner).is_some());
    loops.map(|op| Single {
        op,
        why: "it is inside a branch, or a loop that is paired or not counted".to_owned(),
    })
}

impl<'c: 'a, 'a> Counted<'c, 'a> {
    /// Reads a loop.
    fn of(found: Loop<'c, 'a>) -> Result<Self, Why> {
        let carried = arguments(found.body);
        let mut stacks: Vec<(usize, OperationRef<'c, 'a>, usize)> = Vec::new();
        for (number, &next) in found.next().iter().enumerate() {
            stacks.extend(ir::producer(next).and_then(|write| {
                let axis = written_along(&found, number, write)?;
                Some((number, write, axis))
            }));
        }
        let mut asked: Vec<Value<'c, 'a>> = carried.clone();
        asked.extend(stacks.iter().filter_map(|&(_, write, axis)| write.operand(axis + 2).ok()));
        let writes = asked.len();
        for read in ir::ops(found.body).filter(|&op| ir::name(op) == "stablehlo.dynamic_slice") {
            asked.extend(read.operands().skip(1));
        }
        let trace = found.trace(&asked)?;
        let mut written = Vec::new();
        for (&(number, write, axis), at) in stacks.iter().zip(&trace.values[carried.len()..writes]) {
            let Some(at) = at.clone().filter(|at| each_once(at, extent(write, 0, axis))) else { continue };
            written.push(Written { carried: number, write, axis, at });
        }
        let known = asked.into_iter().zip(trace.values);
        let mut integers: Vec<(Value<'c, 'a>, Vec<i64>)> =
            known.filter_map(|(value, values)| Some((value, values?))).collect();
        let mut seen = std::collections::HashSet::new();
        integers.retain(|&(value, _)| seen.insert(key(value)));
        Ok(Counted { found, trips: trace.trips, written, integers })
    }

    fn values(&self, of: Value<'c, 'a>) -> Option<&[i64]> {
        self.integers.iter().find(|(value, _)| key(*value) == key(of)).map(|(_, values)| values.as_slice())
    }

    fn why_alone(&self) -> String {
        if self.written.is_empty() {
            "it stacks nothing that a later loop reads".to_owned()
        } else {
            "no later loop alone reads what it stacks, slice by slice, iteration for iteration".to_owned()
        }
    }
}

/// Is every place inside, and none taken twice?
fn each_once(at: &[i64], extent: Option<u64>) -> bool {
    let inside = |&index: &i64| u64::try_from(index).is_ok_and(|index| Some(index) < extent);
    let mut sorted = at.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|two| two[0] < two[1]) && at.iter().all(inside)
}

/// Extent of an operand along an axis.
fn extent(op: OperationRef<'_, '_>, operand: usize, axis: usize) -> Option<u64> {
    dims(op.operand(operand).ok()?)?.get(axis).copied()
}

fn dims(value: Value<'_, '_>) -> Option<Vec<u64>> {
    types::ranked_tensor(value.r#type())?.static_dims()
}

/// The only axis along which `slice` is one of many; every other one it has whole.
fn only_axis(whole: &[u64], slice: &[u64]) -> Option<usize> {
    let mut parts = (0..whole.len()).filter(|&axis| slice.get(axis) != whole.get(axis));
    let axis = parts.next()?;
    (parts.next().is_none() && whole.len() == slice.len() && slice[axis] == 1).then_some(axis)
}

/// Along which axis a carried value is written by an op that alone uses it, and whose result is only handed on.
fn written_along<'c: 'a, 'a>(
    found: &Loop<'c, 'a>,
    number: usize,
    write: OperationRef<'c, 'a>,
) -> Option<usize> {
    if ir::name(write) != "stablehlo.dynamic_update_slice" || write.block()? != found.body {
        return None;
    }
    let argument: Value<'c, 'a> = found.body.argument(number).ok()?.into();
    let last = ir::last_op(found.body)?;
    let written = uses(argument);
    let handed = uses(write.result(0).ok()?);
    let alone = matches!(written.as_slice(), [only] if only.owner == write && only.operand == 0)
        && matches!(handed.as_slice(), [only] if only.owner == last && only.operand == number);
    let tested = ir::is_used(found.condition()?.argument(number).ok()?);
    let axis = only_axis(&dims(argument)?, &dims(write.operand(1).ok()?)?)?;
    (alone && !tested).then_some(axis)
}

/// Two loops as a pair; none if no stack of the first is read by the second alone.
fn pair<'c: 'a, 'a>(first: &Counted<'c, 'a>, second: &Counted<'c, 'a>) -> Option<Pair<'c, 'a>> {
    if first.trips != second.trips || first.trips < 2 {
        return None;
    }
    let mut stacks: Vec<Stack<'c, 'a>> = Vec::new();
    let mut iterations: Option<Vec<usize>> = None;
    for written in &first.written {
        let Some((stack, read_of)) = stack(written, first, second) else { continue };
        // All of one iteration of the forward loop, or what is computed again would be another's.
        if iterations.get_or_insert_with(|| read_of.clone()) == &read_of {
            stacks.push(stack);
        }
    }
    if stacks.iter().all(|stack| stack.stays) {
        return None;
    }
    let index = index_of(stacks.first()?, *stacks.first()?.slices.first()?)?;
    let counters = counters(first, second, &iterations?);
    let (forward, backward) = (first.found, second.found);
    Some(Pair { forward, backward, trips: first.trips, times: 1, stacks, counters, index })
}

/// Does an op of this block read one slice of a stack along this axis?
fn is_slice<'c: 'a, 'a>(
    op: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
    stack: Value<'c, 'a>,
    axis: usize,
) -> bool {
    let extents = || Some((dims(stack)?, dims(op.result(0).ok()?.into())?));
    ir::name(op) == "stablehlo.dynamic_slice"
        && op.block().is_some_and(|of| of == block)
        && extents().is_some_and(|(whole, slice)| only_axis(&whole, &slice) == Some(axis))
}

/// What a slice of a stack is read at.
fn index_of<'c: 'a, 'a>(stack: &Stack<'c, 'a>, slice: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    slice.operand(stack.written.axis + 1).ok()
}

/// A stack whose slices `second` reads, and the iteration of `first` that wrote what each iteration of `second` reads.
fn stack<'c: 'a, 'a>(
    written: &Written<'c, 'a>,
    first: &Counted<'c, 'a>,
    second: &Counted<'c, 'a>,
) -> Option<(Stack<'c, 'a>, Vec<usize>)> {
    let result: Value<'c, 'a> = first.found.op.result(written.carried).ok()?.into();
    let body = second.found.body;
    let last = ir::last_op(body)?;
    let mut stack = Stack { written: written.clone(), read: Vec::new(), slices: Vec::new(), stays: false };
    for found in uses(result) {
        let number = found.operand;
        if found.owner != second.found.op {
            stack.stays = true;
            continue;
        }
        let argument: Value<'c, 'a> = body.argument(number).ok()?.into();
        let condition = second.found.condition()?.argument(number).ok()?;
        stack.stays |= ir::is_used(second.found.op.result(number).ok()?) || ir::is_used(condition);
        if last.operand(number).is_ok_and(|next| key(next) == key(argument)) {
            stack.read.push(number);
        } else {
            stack.stays = true;
            continue;
        }
        for found in uses(argument) {
            if found.owner == last && found.operand == number {
                continue;
            }
            if is_slice(found.owner, body, argument, written.axis) && found.operand == 0 {
                stack.slices.push(found.owner);
            } else {
                stack.stays = true;
            }
        }
    }
    stack.read.sort_unstable();
    // Uses come newest first.
    stack.slices.sort_by(|&a, &b| {
        if a.is_before_in_block(b) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
    });
    let by_place: HashMap<i64, usize> = written.at.iter().enumerate().map(|(trip, &at)| (at, trip)).collect();
    let mut iterations: Option<Vec<usize>> = None;
    for &slice in &stack.slices {
        let at = second.values(index_of(&stack, slice)?)?;
        let read_of: Vec<usize> = at.iter().map(|at| by_place.get(at).copied()).collect::<Option<_>>()?;
        if iterations.get_or_insert_with(|| read_of.clone()) != &read_of {
            return None;
        }
    }
    Some((stack, iterations?))
}

/// How the backward loop has the counters of the forward loop's iterations that it reads.
fn counters<'c: 'a, 'a>(
    first: &Counted<'c, 'a>,
    second: &Counted<'c, 'a>,
    iterations: &[usize],
) -> HashMap<usize, Counter<'c, 'a>> {
    let carried = arguments(second.found.body);
    let mut counters = HashMap::new();
    for (number, argument) in arguments(first.found.body).into_iter().enumerate() {
        let Some(values) = first.values(argument) else { continue };
        let wanted: Vec<i64> = iterations.iter().map(|&trip| values[trip]).collect();
        let alike = second.integers.iter().filter(|(value, _)| value.r#type() == argument.r#type());
        let mut alike = alike.map(|(value, values)| (*value, values));
        let same =
            alike.clone().find(|(_, values)| **values == wanted).map(|(value, _)| Counter::Same(value));
        let moved = || {
            alike.find_map(|(value, values)| {
                let at = carried.iter().position(|&known| key(known) == key(value))?;
                let two = || wanted.iter().zip(values);
                let ahead = wanted.first()?.checked_sub(*values.first()?)?;
                let sum = wanted.first()?.checked_add(*values.first()?)?;
                if two().all(|(wanted, value)| value.checked_add(ahead) == Some(*wanted)) {
                    Some(Counter::Ahead(at, ahead))
                } else if two().all(|(wanted, value)| sum.checked_sub(*value) == Some(*wanted)) {
                    Some(Counter::Mirrored(at, sum))
                } else {
                    None
                }
            })
        };
        if let Some(counter) = same.or_else(moved) {
            counters.insert(number, counter);
        }
    }
    counters
}

impl<'c: 'a, 'a> Pair<'c, 'a> {
    /// Elements of all stacks: how much there is to save.
    fn bytes(&self) -> u64 {
        let elements = |stack: &Stack<'c, 'a>| {
            let dims = stack.written.write.operand(0).ok().and_then(dims).unwrap_or_default();
            dims.iter().fold(1_u64, |all, &dim| all.saturating_mul(dim))
        };
        let may_go = self.stacks.iter().filter(|stack| !stack.stays);
        may_go.map(elements).fold(0, u64::saturating_add)
    }

    /// Numbers of the values that the forward loop carries unchanged.
    pub(super) fn unchanged(found: &Loop<'c, 'a>) -> Vec<usize> {
        let carried = arguments(found.body).into_iter().zip(found.next());
        carried
            .enumerate()
            .filter(|(_, (before, next))| key(*before) == key(*next))
            .map(|(at, _)| at)
            .collect()
    }
}
