//! Loops of the IR whose iterations can be counted before they run.

use std::collections::HashMap;
use std::ffi::c_void;

use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value, ValueLike};

use super::integers::{Integers, fold};

/// Ops looked at to count the iterations of one loop, at most.
const MOST_STEPS: u64 = 50_000_000;

/// Iterations from which on a loop is not looked at one by one: nobody opens so many, nor plans them in pairs.
const MOST_TRACED: u64 = 100_000;

/// Iterations that are looked at to price a loop which does not count evenly.
const FEW: u64 = 1024;

/// Ops of `stablehlo` that do more than make elements of elements on the way, or write a part of what a loop stacks.
const WORK: [&str; 15] = [
    "cholesky",
    "convolution",
    "custom_call",
    "dot",
    "dot_general",
    "dynamic_update_slice",
    "fft",
    "gather",
    "map",
    "reduce",
    "reduce_window",
    "scatter",
    "select_and_scatter",
    "sort",
    "triangular_solve",
];

/// Why a loop stays whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// How often it runs depends on what it computes, or on arguments.
    Uncounted,
    /// It runs [`MOST_TRACED`] times or more.
    Long,
    /// Its regions are not one block each.
    Regions,
    /// It stands in a region of several blocks.
    Around,
    /// It would be more ops than are allowed.
    Ops {
        /// Iterations; at least so many where counting them all took too long.
        trips: u64,
        /// Ops it would become.
        ops: u64,
    },
}

impl std::fmt::Display for Why {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Uncounted => formatter.write_str("how often it runs depends on values that are computed"),
            Why::Long => write!(formatter, "it runs {MOST_TRACED} times or more"),
            Why::Regions => formatter.write_str("its regions are not one block each"),
            Why::Around => formatter.write_str("the region it stands in has several blocks"),
            Why::Ops { trips, ops } => {
                write!(formatter, "its {trips} iterations would be {ops} ops, more than max-ops leaves")
            }
        }
    }
}

/// A loop, as `stablehlo.while` or `scf.for` write it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop<'c, 'a> {
    pub(crate) op: OperationRef<'c, 'a>,
    /// The block whose result says whether to go on; none where a counter does.
    condition: Option<BlockRef<'c, 'a>>,
    pub(crate) body: BlockRef<'c, 'a>,
}

/// The integers of a value that a constant makes.
fn constant<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Integers<'c>> {
    ir::producer(value).and_then(Integers::of_constant)
}

impl<'c: 'a, 'a> Loop<'c, 'a> {
    /// Reads a loop; none for any other op.
    pub(crate) fn of(op: OperationRef<'c, 'a>) -> Option<Result<Self, Why>> {
        let blocks = match ir::name(op) {
            "stablehlo.while" | "scf.for" => ir::blocks(op),
            _ => return None,
        };
        let is_while = ir::name(op) == "stablehlo.while";
        Some(match *blocks.as_slice() {
            [condition, body] if is_while && op.region_count() == 2 => {
                Ok(Loop { op, condition: Some(condition), body })
            }
            [body] if !is_while => Ok(Loop { op, condition: None, body }),
            _ => Err(Why::Regions),
        })
    }

    /// Operands that say where a counter begins, ends, and how it steps.
    pub(crate) fn bounds(&self) -> usize {
        if self.condition.is_some() { 0 } else { 3 }
    }

    /// The block whose result says whether to go on; none where a counter does.
    pub(crate) fn condition(&self) -> Option<BlockRef<'c, 'a>> {
        self.condition
    }

    /// What is carried into the first iteration.
    pub(crate) fn carried(&self) -> Vec<Value<'c, 'a>> {
        self.op.operands().skip(self.bounds()).collect()
    }

    /// Does every iteration hand on one of the values carried as it got it?
    pub(crate) fn hands_on(&self, index: usize) -> bool {
        let counters = usize::from(self.condition.is_none());
        let value = ir::last_op(self.body).and_then(|last| last.operand(index).ok());
        let argument = self.body.argument(index + counters).ok();
        value.zip(argument).is_some_and(|(value, argument)| value.to_raw().ptr == argument.to_raw().ptr)
    }

    /// What an iteration hands on.
    pub(crate) fn next(&self) -> Vec<Value<'c, 'a>> {
        ir::last_op(self.body).map(|last| last.operands().collect()).unwrap_or_default()
    }

    /// The same without running sums, to which an iteration adds: these may be added up in any parts. None where iterations only make elements of elements,
    /// as the rounds of a generator of random numbers do: in one fusion they move nothing.
    pub(crate) fn states(&self) -> Vec<Value<'c, 'a>> {
        if !self.works() {
            return Vec::new();
        }
        let is_sum = |index: usize, value: Value<'c, 'a>| {
            let Ok(before) = self.body.argument(index) else { return false };
            ir::producer(value).is_some_and(|add| {
                ir::name(add) == "stablehlo.add"
                    && add.operands().any(|operand| operand.to_raw().ptr == before.to_raw().ptr)
            })
        };
        let next = self.next().into_iter().enumerate();
        next.filter(|&(index, value)| !is_sum(index, value)).map(|(_, value)| value).collect()
    }

    /// Does an iteration do more than make elements of elements?
    fn works(&self) -> bool {
        let is_work = |op: OperationRef<'_, '_>| {
            ir::name(op).strip_prefix("stablehlo.").is_none_or(|name| WORK.binary_search(&name).is_ok())
        };
        ir::ops(self.body).any(|op| is_work(op) || ir::nested(op).into_iter().any(is_work))
    }

    /// Ops of one iteration, nested ones included, the terminator left out.
    pub(crate) fn ops(&self) -> u64 {
        ir::ops(self.body).map(|op| 1 + ir::nested(op).len() as u64).sum::<u64>().saturating_sub(1)
    }

    /// The counter's values in an iteration: the first argument of a body whose counter is its own.
    pub(crate) fn counter(
        &self,
        iteration: u64,
        known: &impl Fn(Value<'c, 'a>) -> Option<Integers<'c>>,
    ) -> Option<Integers<'c>> {
        if self.condition.is_some() {
            return None;
        }
        let one = |index: usize| known(self.op.operand(index).ok()?)?.one();
        let kind = self.body.argument(0).ok()?.r#type();
        let offset = one(2)?.checked_mul(i64::try_from(iteration).ok()?)?;
        Integers::scalar(kind, one(0)?.checked_add(offset)?)
    }

    /// Iterations, where integers known before the loop decide; looks at no more of them than make `most_ops` ops.
    ///
    /// # Errors
    /// Why they cannot be counted, or too many.
    pub(crate) fn trips(
        &self,
        known: &impl Fn(Value<'c, 'a>) -> Option<Integers<'c>>,
        most_ops: u64,
    ) -> Result<u64, Why> {
        let ops = self.ops().max(1);
        let trips = match self.condition {
            Some(condition) => {
                let enough = (most_ops / ops).saturating_add(1);
                self.count(condition, known, enough, &mut |_| {})?
            }
            None => {
                let unsigned = ir::attribute(self.op, "unsignedCmp").is_some();
                let bound = |index: usize| {
                    let integers = known(self.op.operand(index).ok()?)?;
                    if unsigned { integers.one_unsigned() } else { integers.one().map(i128::from) }
                };
                match (bound(0), bound(1), bound(2)) {
                    (Some(from), Some(to), Some(step)) if step > 0 => {
                        let span = to - from;
                        u64::try_from(span.max(0).unsigned_abs().div_ceil(step.unsigned_abs()))
                            .unwrap_or(u64::MAX)
                    }
                    _ => return Err(Why::Uncounted),
                }
            }
        };
        let all = trips.saturating_mul(ops);
        if all > most_ops { Err(Why::Ops { trips, ops: all }) } else { Ok(trips) }
    }

    /// Iterations of a loop that says whether to go on, and what integers of its body are in each of them, where constants decide.
    ///
    /// # Errors
    /// Why they cannot be counted.
    pub(crate) fn trace(&self, of: &[Value<'c, 'a>]) -> Result<Trace, Why> {
        let condition = self.condition.ok_or(Why::Uncounted)?;
        let mut values: Vec<Option<Vec<i64>>> = vec![Some(Vec::new()); of.len()];
        let trips = self.count(condition, &constant, MOST_TRACED, &mut |get| {
            for (&value, seen) in of.iter().zip(&mut values) {
                match (get(value).and_then(|integers| integers.one()), seen.as_mut()) {
                    (Some(here), Some(seen)) => seen.push(here),
                    _ => *seen = None,
                }
            }
        })?;
        // Too many to be looked at.
        if trips >= MOST_TRACED { Err(Why::Long) } else { Ok(Trace { trips, values }) }
    }

    /// Do constants decide how often it runs, though that may be more often than makes so many ops?
    pub(crate) fn is_counted(&self, most_ops: u64) -> bool {
        !matches!(self.trips(&constant, most_ops), Err(Why::Uncounted | Why::Regions))
    }

    /// Iterations of a loop that says whether to go on, where constants decide and it is a short one.
    pub(crate) fn few_trips(&self) -> Option<u64> {
        let trips = self.count(self.condition?, &constant, FEW, &mut |_| {}).ok()?;
        (trips < FEW).then_some(trips)
    }

    /// Runs the integers of the loop until its condition is false; `see` is shown those of every iteration.
    fn count(
        &self,
        condition: BlockRef<'c, 'a>,
        known: &impl Fn(Value<'c, 'a>) -> Option<Integers<'c>>,
        enough: u64,
        see: &mut See<'_, 'c, 'a>,
    ) -> Result<u64, Why> {
        let outside: Vec<Option<Integers<'c>>> = self.carried().into_iter().map(known).collect();
        let mut carried = outside;
        let test = ir::last_op(condition).and_then(|last| last.operand(0).ok()).ok_or(Why::Regions)?;
        let next = self.next();
        // What the condition needs: carried values that it reads, and those their next values are made of.
        let mut wanted: Option<Vec<OperationRef<'c, 'a>>> = None;
        let mut steps = 0_u64;
        for trip in 0.. {
            let mut here = Local { known, values: HashMap::new() };
            here.bind(condition, &carried);
            here.run(ir::ops(condition));
            match here.get(test).and_then(|go_on| go_on.one()) {
                None => return Err(Why::Uncounted),
                Some(0) => return Ok(trip),
                Some(_) if trip >= enough => return Ok(trip),
                Some(_) => {}
            }
            let mut here = Local { known, values: HashMap::new() };
            here.bind(self.body, &carried);
            match &wanted {
                Some(ops) => here.run(ops.iter().copied()),
                None => {
                    here.run(ir::ops(self.body));
                    let folded = |op: &OperationRef<'c, 'a>| {
                        ir::first_result(*op)
                            .is_some_and(|result| here.values.contains_key(&result.to_raw().ptr))
                    };
                    wanted = Some(ir::ops(self.body).filter(folded).collect());
                }
            }
            see(&|value| here.get(value));
            carried = next.iter().map(|&value| here.get(value)).collect();
            steps += wanted.as_ref().map_or(0, Vec::len) as u64 + carried.len() as u64;
            if steps > MOST_STEPS {
                return Ok(enough);
            }
        }
        Err(Why::Uncounted)
    }
}

/// What integers of a loop's body are, iteration by iteration.
pub(crate) struct Trace {
    /// Iterations.
    pub(crate) trips: u64,
    /// By value that was asked for; none where it is no single integer in every one of them.
    pub(crate) values: Vec<Option<Vec<i64>>>,
}

/// What is shown the integers of each iteration, by value.
type See<'s, 'c, 'a> = dyn FnMut(&dyn Fn(Value<'c, 'a>) -> Option<Integers<'c>>) + 's;

/// Integers known inside one block.
struct Local<'k, 'c, K> {
    known: &'k K,
    values: HashMap<*const c_void, Option<Integers<'c>>>,
}

impl<'c: 'a, 'a, K: Fn(Value<'c, 'a>) -> Option<Integers<'c>>> Local<'_, 'c, K> {
    fn bind(&mut self, block: BlockRef<'c, 'a>, values: &[Option<Integers<'c>>]) {
        for (index, value) in values.iter().enumerate() {
            if let Ok(argument) = block.argument(index) {
                self.values.insert(argument.to_raw().ptr, value.clone());
            }
        }
    }

    fn get(&self, value: Value<'c, 'a>) -> Option<Integers<'c>> {
        match self.values.get(&value.to_raw().ptr) {
            Some(found) => found.clone(),
            None => (self.known)(value),
        }
    }

    fn run(&mut self, ops: impl Iterator<Item = OperationRef<'c, 'a>>) {
        for op in ops {
            let found = Integers::of_constant(op).or_else(|| {
                if op.operand_count() == 0 || op.region_count() > 0 {
                    return None;
                }
                let operands: Option<Vec<Integers<'c>>> =
                    op.operands().map(|value| self.get(value)).collect();
                fold(op, &operands?)
            });
            if let (Some(found), Some(result)) = (found, ir::first_result(op)) {
                self.values.insert(result.to_raw().ptr, Some(found));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WORK;

    #[test]
    fn the_table_is_sorted() {
        assert!(WORK.is_sorted());
    }
}
