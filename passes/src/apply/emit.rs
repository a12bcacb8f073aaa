//! Writes actions as IR: ops and their repeats as clones in the order of the actions, copies to and from the host, barriers.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

use ballast_core::device::DeviceId;
use ballast_core::graph::{LayerType, OpId, OpRole, TensorId};
use ballast_dialects::attributes::{self as names, Device};
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::operations::{erase, set_operand};
use melior::Context;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, BlockRef, Location, RegionLike, Type, TypeLike, Value, ValueLike};

use super::actions::{Action, Held, Returned, What};
use crate::annotations::together::no_copy;
use crate::backend::storage::SpreadLate;
use crate::import::Imported;
use crate::import::types::can_be_on_host;

/// Attributes that say what the plan wants, and no longer hold once it is carried out.
pub(crate) const CARRIED_OUT: [&str; 5] =
    [names::POSITION, names::RECOMPUTE, names::SWAP, names::RECEIVES, names::COST];

/// A copy on the host: made for the op's own device, or as one device sees what was made for others.
type HandleKey = (DeviceId, Held);

struct Emitter<'c, 'a, 'i> {
    imported: &'i Imported<'c, 'a>,
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    terminator: OperationRef<'c, 'a>,
    /// By device: what stands for the values of the original program, where it is not they themselves.
    current: Vec<HashMap<TensorId, Value<'c, 'a>>>,
    /// The results of every op that are read somewhere.
    results: Vec<Vec<TensorId>>,
    /// Host copies, one per result that is read.
    handles: HashMap<HandleKey, Vec<Value<'c, 'a>>>,
    device_of: &'i [DeviceId],
    /// Spread constants that are made behind a barrier.
    late: &'i SpreadLate,
    /// An op of the original program whose value was asked for and not made: what would read it must not be left behind.
    unmade: Cell<Option<OpId>>,
}

/// Replaces the body of the function by the actions.
///
/// # Errors
/// At an op whose value cannot go to the host; then nothing has been changed.
pub(crate) fn emit<'c: 'a, 'a>(
    imported: &Imported<'c, 'a>,
    device_of: &[DeviceId],
    late: &SpreadLate,
    actions: &[Action],
    returned: &Returned,
) -> Result<(), Reported> {
    let location = imported.function.location();
    let block = imported.function.first_region().and_then(|region| region.first_block());
    let Some((block, terminator)) = block.and_then(|block| Some((block, block.terminator()?))) else {
        return Err(diagnostics::error(location, "the function has no body to rewrite"));
    };
    let devices = actions.iter().map(|action| action.device.0 + 1).max().unwrap_or(1);
    let context = ballast_dialects::ir::context(imported.function);
    let mut emitter = Emitter {
        imported,
        context,
        block,
        terminator,
        current: vec![HashMap::new(); devices],
        results: read_results(imported),
        handles: HashMap::new(),
        device_of,
        late,
        unmade: Cell::new(None),
    };
    emitter.check(actions)?;
    for action in actions {
        emitter.take(action)?;
    }
    emitter.finish(returned)
}

/// By op: its results that an op reads or the function returns.
fn read_results(imported: &Imported<'_, '_>) -> Vec<Vec<TensorId>> {
    let graph = &imported.graph;
    let mut read: Vec<bool> = graph.tensors.iter().map(|tensor| tensor.returned).collect();
    for &tensor in imported.reads.iter().flatten() {
        read[tensor] = true;
    }
    graph.ops.iter().map(|op| op.outputs.iter().copied().filter(|&tensor| read[tensor]).collect()).collect()
}

impl<'c: 'a, 'a> Emitter<'c, 'a, '_> {
    /// Can every value that is to go to the host go there?
    fn check(&self, actions: &[Action]) -> Result<(), Reported> {
        for action in actions {
            let What::Store(Held::Swapped(op) | Held::Sent(op)) = action.what else { continue };
            for &tensor in &self.results[op] {
                let kind = self.imported.value(tensor).r#type();
                if self.host_type(kind).is_none() {
                    return Err(diagnostics::error(self.imported.ops[op].location(), &no_copy(kind)));
                }
            }
        }
        Ok(())
    }

    /// The type of a value's copy on the host.
    fn host_type(&self, kind: Type<'c>) -> Option<Type<'c>> {
        if !can_be_on_host(kind) {
            return None;
        }
        let copied = if kind.is_ranked_tensor() { kind } else { self.wrapped(kind)? };
        Type::parse(self.context, &format!("!ballast.host<{copied}>"))
    }

    /// The tensor of one element that a number or a vector is copied in.
    fn wrapped(&self, kind: Type<'c>) -> Option<Type<'c>> {
        (can_be_on_host(kind) && !kind.is_ranked_tensor())
            .then(|| Type::parse(self.context, &format!("tensor<{kind}>")))
            .flatten()
    }

    fn insert(
        &self,
        op: melior::ir::Operation<'c>,
        device: DeviceId,
    ) -> Result<OperationRef<'c, 'a>, Reported> {
        let location = op.location();
        let id = i64::try_from(device.0).unwrap_or(i64::MAX);
        let op = self.block.insert_operation_before(self.terminator, op);
        ballast_dialects::ir::set(op, names::DEVICE, Device { id }.attribute(location)?);
        Ok(op)
    }

    fn build(
        &self,
        name: &str,
        device: DeviceId,
        location: Location<'c>,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
    ) -> Result<OperationRef<'c, 'a>, Reported> {
        let op = OperationBuilder::new(name, location).add_operands(operands).add_results(results).build();
        let op = op.map_err(|error| diagnostics::error(location, &format!("cannot make {name}: {error}")))?;
        self.insert(op, device)
    }

    fn take(&mut self, action: &Action) -> Result<(), Reported> {
        let device = action.device;
        match &action.what {
            What::Run { op, travellers } => {
                // What a planned op computes again for this reader alone does not stand for the value that is stored.
                let graph = &self.imported.graph;
                let again = travellers.iter().filter(|&&id| graph.ops[id].role == OpRole::Compute);
                let stored: Vec<(TensorId, Option<Value<'c, 'a>>)> = again
                    .flat_map(|&id| &graph.ops[id].outputs)
                    .map(|&tensor| (tensor, self.current[device].get(&tensor).copied()))
                    .collect();
                let late: Vec<OpId> =
                    travellers.iter().copied().filter(|&id| self.late.is_for(graph, id, *op)).collect();
                let spread = self.spread_from(travellers, &late);
                for &number in &spread {
                    self.copy(device, number)?;
                }
                let numbers = self.delay(device, &late, *op)?;
                for &traveller in travellers.iter().filter(|id| !spread.contains(id)) {
                    self.copy(device, traveller)?;
                }
                // What a reduction starts from stays a constant, by which a compiler knows it.
                self.current[device].extend(numbers);
                self.copy(device, *op)?;
                for (tensor, value) in stored {
                    match value {
                        Some(value) => self.current[device].insert(tensor, value),
                        None => self.current[device].remove(&tensor),
                    };
                }
                Ok(())
            }
            What::Barrier(held) => self.barrier(device, held),
            What::Store(held) => self.store(device, *held),
            What::Load(held) => self.load(device, *held),
        }
    }

    /// Those of the ops that travel with another one which `late` of them are spread from, ascending: numbers, or what is computed of these.
    fn spread_from(&self, travellers: &[OpId], late: &[OpId]) -> BTreeSet<OpId> {
        let mut found = BTreeSet::new();
        let mut pending = late.to_vec();
        while let Some(id) = pending.pop() {
            let makers = self.imported.reads[id].iter();
            let makers = makers.filter_map(|&tensor| self.imported.graph.tensors[tensor].producer);
            for maker in makers.filter(|maker| travellers.binary_search(maker).is_ok()) {
                if found.insert(maker) {
                    pending.push(maker);
                }
            }
        }
        found
    }

    /// Clones an op of the original program.
    fn copy(&mut self, device: DeviceId, id: OpId) -> Result<(), Reported> {
        let original = self.imported.ops[id];
        let op = &self.imported.graph.ops[id];
        // A mapping of its own: one that has cloned a region before would not clone its arguments again.
        let mut mapping = Mapping::new();
        for &tensor in &self.imported.reads[id] {
            let value = self.current(device, tensor);
            let equal = self.imported.equal.get(&tensor).into_iter().flatten();
            for &tensor in equal.chain(std::iter::once(&tensor)) {
                mapping.map(self.imported.value(tensor), value);
            }
        }
        let mut clone = self.insert(mapping.clone_op(&original), device)?;
        for name in CARRIED_OUT {
            ballast_dialects::ir::remove(clone, name);
        }
        if op.name == "tensor.empty" {
            // CSE would merge it with other empty tensors of the type, and so what is written into them.
            let values: Vec<Value<'c, 'a>> = clone.results().map(Value::from).collect();
            let kinds: Vec<Type<'c>> = values.iter().map(|value| value.r#type()).collect();
            clone = self.build("ballast.barrier", device, original.location(), &values, &kinds)?;
        }
        self.remap(device, &op.outputs, clone.results().map(Value::from));
        Ok(())
    }

    /// Puts what constants are spread from behind a barrier that waits for the last value their reader reads, and that value with them: a compiler
    /// would make a constant first of all, once for all readers, and hold it. A barrier does not wait for what nobody reads behind it. The constants
    /// before the barrier.
    fn delay(
        &mut self,
        device: DeviceId,
        spreads: &[OpId],
        reader: OpId,
    ) -> Result<Vec<(TensorId, Value<'c, 'a>)>, Reported> {
        let last = self.waited_for(device, spreads, reader);
        let mut tensors: Vec<TensorId> =
            spreads.iter().filter_map(|&spread| self.imported.reads[spread].first().copied()).collect();
        tensors.sort_unstable();
        tensors.dedup();
        let (Some(&first), Some(last)) = (spreads.first(), last.filter(|_| !tensors.is_empty())) else {
            return Ok(Vec::new());
        };
        let before = tensors.iter().map(|&tensor| (tensor, self.current(device, tensor))).collect();
        tensors.push(last);
        let operands: Vec<Value<'c, 'a>> =
            tensors.iter().map(|&tensor| self.current(device, tensor)).collect();
        let kinds: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
        let location = self.imported.ops[first].location();
        let barrier = self.build("ballast.barrier", device, location, &operands, &kinds)?;
        self.remap(device, &tensors, barrier.results().map(Value::from));
        Ok(before)
    }

    /// The value that numbers `spreads` are made of wait for: the last one the reader reads. Where it is enough that they wait for any, one that XLA
    /// cannot write the reader's value over, as it does where nothing stands between a value and the elementwise op that reads it last.
    fn waited_for(&self, device: DeviceId, spreads: &[OpId], reader: OpId) -> Option<TensorId> {
        let graph = &self.imported.graph;
        let read = graph.value_inputs(reader).into_iter();
        let mut read = read.filter_map(|value| Some((value, *self.results[value].first()?)));
        let op = &graph.ops[reader];
        if op.layer != LayerType::Activation || self.late.has_to_wait(spreads, reader) {
            return read.max().map(|(_, tensor)| tensor);
        }
        let is_behind_barrier = |tensor: TensorId| {
            let maker = ballast_dialects::ir::producer(self.current(device, tensor));
            maker.is_some_and(|maker| ballast_dialects::ir::name(maker) == "ballast.barrier")
        };
        let may_be_overwritten = |&(value, tensor): &(OpId, TensorId)| {
            graph.value_bytes(value) == graph.value_bytes(reader) && !is_behind_barrier(tensor)
        };
        // The newest is the likeliest to be read for the last time.
        let first = read.next()?;
        let waited =
            read.fold(first, |best, other| match (may_be_overwritten(&best), may_be_overwritten(&other)) {
                (true, false) => other,
                (false, false) => best.max(other),
                (true, true) => best.min(other),
                (false, true) => best,
            });
        Some(waited.1)
    }

    /// From here on `values` stand for `tensors`.
    fn remap(
        &mut self,
        device: DeviceId,
        tensors: &[TensorId],
        values: impl IntoIterator<Item = Value<'c, 'a>>,
    ) {
        self.current[device].extend(tensors.iter().copied().zip(values));
    }

    fn current(&self, device: DeviceId, tensor: TensorId) -> Value<'c, 'a> {
        self.current[device].get(&tensor).copied().unwrap_or_else(|| {
            if let Some(producer) = self.imported.graph.tensors[tensor].producer {
                self.unmade.set(Some(producer));
            }
            self.imported.value(tensor)
        })
    }

    /// Host copies as `device` sees them: behind its last barrier over them, or as their maker left them.
    fn handle(&self, device: DeviceId, held: Held) -> &[Value<'c, 'a>] {
        let maker = match held {
            Held::Sent(op) | Held::Swapped(op) => self.device_of[op],
            Held::Value(_) | Held::Argument(_) => device,
        };
        let found = self.handles.get(&(device, held)).or_else(|| self.handles.get(&(maker, held)));
        found.map_or(&[], Vec::as_slice)
    }

    fn barrier(&mut self, device: DeviceId, held: &[Held]) -> Result<(), Reported> {
        let mut operands: Vec<Value<'c, 'a>> = Vec::new();
        let mut location = self.imported.function.location();
        for &one in held {
            match one {
                Held::Value(op) => {
                    location = self.imported.ops[op].location();
                    operands.extend(self.results[op].iter().map(|&tensor| self.current(device, tensor)));
                }
                Held::Argument(tensor) => operands.push(self.current(device, tensor)),
                Held::Swapped(_) | Held::Sent(_) => operands.extend(self.handle(device, one)),
            }
        }
        let kinds: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
        let barrier = self.build("ballast.barrier", device, location, &operands, &kinds)?;
        let mut results = barrier.results().map(Value::from);
        for &one in held {
            match one {
                Held::Value(op) => {
                    let tensors = self.results[op].clone();
                    self.remap(device, &tensors, results.by_ref().take(tensors.len()));
                }
                Held::Argument(tensor) => self.remap(device, &[tensor], results.by_ref().take(1)),
                Held::Swapped(_) | Held::Sent(_) => {
                    let count = self.handle(device, one).len();
                    let handles = results.by_ref().take(count).collect();
                    self.handles.insert((device, one), handles);
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, device: DeviceId, held: Held) -> Result<(), Reported> {
        let (Held::Swapped(op) | Held::Sent(op)) = held else { return Ok(()) };
        let location = self.imported.ops[op].location();
        let mut handles = Vec::new();
        for tensor in self.results[op].clone() {
            let mut value = self.current(device, tensor);
            let Some(kind) = self.host_type(value.r#type()) else { continue };
            if let Some(tensor) = self.wrapped(value.r#type()) {
                let made = self.build("tensor.from_elements", device, location, &[value], &[tensor])?;
                value = made.results().next().map_or(value, Value::from);
            }
            let out = self.build("ballast.swap_out", device, location, &[value], &[kind])?;
            handles.extend(out.results().map(Value::from));
        }
        self.handles.insert((device, held), handles);
        Ok(())
    }

    fn load(&mut self, device: DeviceId, held: Held) -> Result<(), Reported> {
        let (Held::Swapped(op) | Held::Sent(op)) = held else { return Ok(()) };
        let location = self.imported.ops[op].location();
        let handles = self.handle(device, held).to_vec();
        for (tensor, handle) in self.results[op].clone().into_iter().zip(handles) {
            let kind = self.imported.value(tensor).r#type();
            let copied = self.wrapped(kind).unwrap_or(kind);
            let mut back = self.build("ballast.swap_in", device, location, &[handle], &[copied])?;
            if copied != kind {
                let copy: Vec<Value<'c, 'a>> = back.results().map(Value::from).collect();
                back = self.build("tensor.extract", device, location, &copy, &[kind])?;
            }
            self.remap(device, &[tensor], back.results().map(Value::from));
        }
        Ok(())
    }

    /// Lets the terminator read the rewritten program, and erases the original one.
    fn finish(mut self, returned: &Returned) -> Result<(), Reported> {
        for &(device, traveller) in &returned.travellers {
            self.copy(device, traveller)?;
        }
        let operands: Vec<Value<'c, 'a>> = self.terminator.operands().collect();
        let graph = &self.imported.graph;
        let by_value: HashMap<*const std::ffi::c_void, TensorId> = TensorId::first(graph.tensors.len())
            .filter(|&tensor| graph.tensors[tensor].returned)
            .map(|tensor| (self.imported.value(tensor).to_raw().ptr, tensor))
            .collect();
        for (index, value) in operands.into_iter().enumerate() {
            let Some(&tensor) = by_value.get(&value.to_raw().ptr) else { continue };
            let device = match graph.tensors[tensor].producer {
                // A view runs where the value it shows was made.
                Some(producer) => match graph.backing(tensor) {
                    ballast_core::graph::Backing::Op(op) => self.device_of[op],
                    _ => self.device_of[producer],
                },
                None => continue,
            };
            set_operand(self.terminator, index, self.current(device, tensor));
        }
        drop(self.handles);
        if let Some(producer) = self.unmade.get() {
            let text = "a value of this op is read where the rewritten program has not made it, which is a fault of ballast: report it with the program and the plan";
            return Err(diagnostics::error(self.imported.ops[producer].location(), text));
        }
        for &op in self.imported.ops.iter().rev() {
            // Readers go before what they read.
            erase(op);
        }
        Ok(())
    }
}

/// Marks the function as rewritten, with the figures of the plan it carries out.
pub(crate) fn mark(function: OperationRef<'_, '_>, plan: Attribute<'_>) {
    ballast_dialects::ir::remove(function, names::PLAN);
    ballast_dialects::ir::set(function, names::APPLIED, plan);
}
