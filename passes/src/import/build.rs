//! Builds the graph of one block.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::c_void;

use ballast_core::device::DeviceId;
use ballast_core::graph::{Graph, Op, OpId, OpRole, Rules, Tensor, TensorId};
use ballast_core::units::Bytes;
use ballast_dialects::attributes::{self, DEVICE, MUST_KEEP, NEVER_RECOMPUTE, NEVER_SWAP};
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, ValueLike};

use super::content;
use super::imported::{Body, Imported, Runs};
use super::types::can_be_on_host;
use super::work::{Facts, Pricer, Role, counted_loop};
use crate::backend::xla::constants::is_stored;
use crate::backend::xla::workspace::{Workspace, workspace};
use crate::counted::Loop;

/// Op names listed in the profile key of an op with regions.
const NAMES_IN_KEY: usize = 16;
/// Constants computed from constants take memory from so many bytes on, where no back end knows them before it runs: smaller ones are no matter, and as
/// values they would have to travel between devices.
const LEAST_STORED: u64 = 1 << 16;
/// A program whose values together take more than this (an exbibyte) is refused: sums of what a plan holds and moves stay in 64 bits.
const MOST_BYTES: u64 = 1 << 60;

struct Builder<'c, 'a> {
    graph: Graph,
    ops: Vec<OperationRef<'c, 'a>>,
    workspace_in_xla: Vec<Workspace>,
    in_place: Vec<Option<TensorId>>,
    values: HashMap<*const c_void, TensorId>,
    /// By tensor: a constant that nobody reads from memory: of one value, or told by its indices.
    splat: Vec<bool>,
    /// By tensor: a constant whose elements indices tell, or one computed of such a constant.
    indexed: Vec<bool>,
    /// What constants and views are made of besides constants and the value they show, as an empty tensor of a size that an op tells, or a slice at an offset that one computes:
    /// whoever reads them waits for it.
    made_of: HashMap<TensorId, Vec<TensorId>>,
    /// Values that the block returns.
    returned: HashSet<*const c_void>,
    /// Bytes of all values so far.
    total: u64,
}

/// Builds the graph of a function's only block.
///
/// # Errors
/// A type without a size, reported at the op that has it.
pub(super) fn build<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
    pricer: &mut Pricer<'c, 'a, '_>,
) -> Result<Imported<'c, 'a>, Reported> {
    let terminator = block.terminator();
    let returned = terminator.iter().flat_map(|terminator| terminator.operands());
    let mut builder = Builder {
        graph: Graph { name: ir::string(function, "sym_name").unwrap_or_default(), ..Graph::default() },
        ops: Vec::new(),
        workspace_in_xla: Vec::new(),
        in_place: Vec::new(),
        values: HashMap::new(),
        splat: Vec::new(),
        indexed: Vec::new(),
        made_of: HashMap::new(),
        returned: returned.map(|value| value.to_raw().ptr).collect(),
        total: 0,
    };
    for index in 0..block.argument_count() {
        let Ok(argument) = block.argument(index) else { break };
        let refuse = |message: String| {
            diagnostics::error(ir::place(function), &format!("argument {index}: {message}"))
        };
        let kind = pricer.types.of(argument.r#type()).map_err(refuse)?;
        builder.count(kind.bytes).map_err(refuse)?;
        builder.values.insert(argument.to_raw().ptr, TensorId(builder.graph.tensors.len()));
        builder.splat.push(false);
        builder.indexed.push(false);
        builder.graph.tensors.push(Tensor {
            producer: None,
            index,
            bytes: Bytes(kind.bytes),
            returned: false,
            type_name: kind.text.clone(),
        });
    }
    let mut next = block.first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        if next.is_some() {
            builder.add(op, pricer)?;
        } else {
            builder.finish(op);
        }
    }
    let reads = builder.graph.ops.iter().map(|op| op.inputs.clone()).collect();
    let Builder { graph, ops, workspace_in_xla, in_place, .. } = builder;
    let (equal, shared, bodies) = (BTreeMap::new(), Vec::new(), Vec::new());
    Ok(Imported { graph, reads, equal, workspace_in_xla, in_place, ops, function, block, shared, bodies })
}

/// Builds the graphs of the bodies of loops and of the arms of branches, and of those inside of them up to `depth` more.
///
/// # Errors
/// As [`build`].
pub(super) fn bodies<'c: 'a, 'a>(
    imported: &Imported<'c, 'a>,
    pricer: &mut Pricer<'c, 'a, '_>,
    depth: usize,
) -> Result<Vec<Body<'c, 'a>>, Reported> {
    let mut bodies = Vec::new();
    for of in imported.graph.planned() {
        let op = imported.ops[of];
        for (runs, block) in inside(op) {
            let mut body = build(op, block, pricer)?;
            if depth > 0 {
                body.bodies = self::bodies(&body, pricer, depth - 1)?;
            }
            bodies.push(Body { of, runs, imported: body });
        }
    }
    Ok(bodies)
}

/// The blocks that an op runs which are read as programs are, and how often.
fn inside<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<(Runs, BlockRef<'c, 'a>)> {
    if let Some((trips, block)) = counted_loop(op) {
        return vec![(Runs::Times(trips), block)];
    }
    match ir::name(op) {
        "stablehlo.while" => ir::blocks(op).pop().map(|body| (Runs::AsValuesSay, body)).into_iter().collect(),
        "stablehlo.case" | "stablehlo.if" => {
            ir::blocks(op).into_iter().map(|arm| (Runs::InTurn, arm)).collect()
        }
        _ => Vec::new(),
    }
}

impl<'c: 'a, 'a> Builder<'c, 'a> {
    fn add(&mut self, op: OperationRef<'c, 'a>, pricer: &mut Pricer<'c, 'a, '_>) -> Result<(), Reported> {
        let facts = pricer.facts(op)?;
        let id = self.graph.ops.len();
        let inner = ir::nested(op);
        let report = |message: String| diagnostics::error(ir::place(op), &message);
        let (inputs, operands) = self.inputs(op, &inner);
        let indexed = self.is_indexed(op, &inputs, &inner);
        let (role, splat) = self.role(op, &facts, &inputs, indexed, pricer).map_err(report)?;
        let behind = self.behind(role, &inputs);
        let bytes = if role == OpRole::Compute {
            let is_splat = |index: usize| operands[index].is_some_and(|tensor: TensorId| self.splat[tensor]);
            facts.bytes(op, &mut pricer.types, is_splat).map_err(report)?
        } else {
            Bytes::ZERO
        };
        let mut outputs = Vec::with_capacity(op.result_count());
        let carrying = Loop::of(op).and_then(Result::ok);
        for (index, result) in op.results().enumerate() {
            // What a loop hands on as it is lies where it was, and nobody reads it there by this name.
            let stays =
                !ir::is_used(result) && carrying.as_ref().is_some_and(|looped| looped.hands_on(index));
            let kind = pricer.types.of(result.r#type()).map_err(report)?;
            let tensor = TensorId(self.graph.tensors.len());
            outputs.push(tensor);
            if !behind.is_empty() {
                self.made_of.insert(tensor, behind.clone());
            }
            self.values.insert(result.to_raw().ptr, tensor);
            self.splat.push(splat);
            self.indexed.push(indexed && role == OpRole::Constant);
            self.graph.tensors.push(Tensor {
                producer: Some(OpId(id)),
                index,
                bytes: if stays { Bytes::ZERO } else { Bytes(kind.bytes) },
                returned: false,
                type_name: kind.text.clone(),
            });
        }
        let free = role != OpRole::Compute;
        let held = if free { 0 } else { facts.workspace.saturating_add(self.made_for(op, &operands)) };
        if !free {
            let results = outputs.iter().map(|&tensor| self.graph.tensors[tensor].bytes).sum::<Bytes>();
            self.count(results.0.saturating_add(held)).map_err(report)?;
        }
        let mut work = ballast_core::graph::Work { bytes, ..facts.work };
        if free {
            (work.flops, work.macs_exact, work.priced) = (0, 0, true);
        }
        let name = ir::name(op);
        self.graph.ops.push(Op {
            name: name.to_owned(),
            key: key(op, name, &inner, pricer, free).map_err(report)?,
            location: ir::location_text(&op),
            inputs,
            outputs,
            role,
            layer: facts.layer,
            opens_layer: facts.opens_layer(),
            work,
            pure_op: facts.pure_op,
            backward: None,
            workspace: Bytes(held),
            rules: rules(op),
            inner: Vec::new(),
            over: None,
        });
        self.ops.push(op);
        self.in_place.push(facts.in_place.and_then(|at| operands.get(at).copied().flatten()));
        self.workspace_in_xla.push(if free {
            Workspace::default()
        } else {
            workspace(op, &mut pricer.types)
        });
        Ok(())
    }

    /// Adds to the bytes of all values.
    fn count(&mut self, bytes: u64) -> Result<(), String> {
        self.total = self.total.saturating_add(bytes);
        if self.total > MOST_BYTES {
            let most = Bytes(MOST_BYTES);
            return Err(format!(
                "up to here the values of the program take more than {most}: check the shapes"
            ));
        }
        Ok(())
    }

    /// The tensors an op reads, captured ones appended; and the tensor behind each operand, where it has one.
    fn inputs(
        &self,
        op: OperationRef<'c, 'a>,
        inner: &[OperationRef<'c, 'a>],
    ) -> (Vec<TensorId>, Vec<Option<TensorId>>) {
        let tensor = |raw: *const c_void| self.values.get(&raw).copied();
        let operands: Vec<Option<TensorId>> = op.operands().map(|value| tensor(value.to_raw().ptr)).collect();
        let mut inputs: Vec<TensorId> = operands.iter().flatten().copied().collect();
        let own = inputs.len();
        for operand in inner.iter().flat_map(|inner| inner.operands()) {
            if let Some(tensor) = tensor(operand.to_raw().ptr)
                && !inputs[own..].contains(&tensor)
            {
                inputs.push(tensor);
            }
        }
        let behind: Vec<TensorId> =
            inputs.iter().filter_map(|tensor| self.made_of.get(tensor)).flatten().copied().collect();
        for tensor in behind {
            if !inputs.contains(&tensor) {
                inputs.push(tensor);
            }
        }
        (inputs, operands)
    }

    /// Bytes of constants that are made for the op alone, and lie in memory while it runs: what a named op of `linalg` reads is there as a whole, where
    /// `linalg.generic` takes the making of it in. Numbers of the program itself are in its code.
    fn made_for(&self, op: OperationRef<'c, 'a>, operands: &[Option<TensorId>]) -> u64 {
        let name = ir::name(op);
        if !name.starts_with("linalg.") || name == "linalg.generic" {
            return 0;
        }
        let inputs = operands.len().saturating_sub(op.result_count());
        let mut read: Vec<TensorId> = operands[..inputs].iter().flatten().copied().collect();
        read.sort_unstable();
        read.dedup();
        let is_made = |tensor: &TensorId| {
            let made_by = self.graph.tensors[*tensor].producer.map(|producer| &self.graph.ops[producer]);
            made_by
                .is_some_and(|made_by| made_by.role == OpRole::Constant && made_by.name != "arith.constant")
        };
        let bytes =
            read.iter().filter(|tensor| is_made(tensor)).map(|&tensor| self.graph.tensors[tensor].bytes.0);
        bytes.fold(0, u64::saturating_add)
    }

    /// What readers of an op's results wait for besides these, which travel with them.
    fn behind(&self, role: OpRole, inputs: &[TensorId]) -> Vec<TensorId> {
        let shown = match role {
            OpRole::Compute => return Vec::new(),
            OpRole::View => 1,
            OpRole::Constant => 0,
        };
        inputs[shown..].iter().copied().filter(|&tensor| !self.is_constant(tensor)).collect()
    }

    fn is_constant(&self, tensor: TensorId) -> bool {
        let producer = self.graph.tensors[tensor].producer;
        producer.is_some_and(|producer| self.graph.ops[producer].role == OpRole::Constant)
    }

    /// Do indices tell the elements of its result?
    fn is_indexed(
        &self,
        op: OperationRef<'c, 'a>,
        inputs: &[TensorId],
        inner: &[OperationRef<'c, 'a>],
    ) -> bool {
        ir::name(op) == "stablehlo.iota"
            || inner.iter().any(|&inner| ir::name(inner) == "linalg.index")
            || inputs.iter().any(|&tensor| self.indexed[tensor])
    }

    /// Does what an op of constants alone makes take memory when the program runs? XLA computes before that what the program has as numbers, and much else where it is read; other
    /// back ends know constants of one value alone.
    fn is_stored(
        &self,
        op: OperationRef<'c, 'a>,
        inputs: &[TensorId],
        indexed: bool,
        pricer: &mut Pricer<'c, 'a, '_>,
    ) -> Result<bool, String> {
        let is_xla = ir::name(op).starts_with("stablehlo.");
        if !indexed && (is_xla || inputs.iter().all(|&tensor| self.splat[tensor])) {
            return Ok(false);
        }
        let mut bytes = 0_u64;
        for result in op.results() {
            bytes = bytes.saturating_add(pricer.types.of(result.r#type())?.bytes);
        }
        Ok(bytes >= LEAST_STORED && (!is_xla || is_stored(op)))
    }

    /// The op's role now that its inputs are known, and whether its results are constants that nobody reads from memory.
    fn role(
        &self,
        op: OperationRef<'c, 'a>,
        facts: &Facts,
        inputs: &[TensorId],
        indexed: bool,
        pricer: &mut Pricer<'c, 'a, '_>,
    ) -> Result<(OpRole, bool), String> {
        let all_constant = inputs.iter().all(|&tensor| self.is_constant(tensor));
        let all_splat = inputs.iter().all(|&tensor| self.splat[tensor]);
        let (role, splat) = match facts.role {
            Role::Constant { splat } => (OpRole::Constant, splat),
            Role::View if inputs.first().is_some_and(|&tensor| self.is_constant(tensor)) => {
                (OpRole::Constant, self.splat[inputs[0]])
            }
            Role::View if !inputs.is_empty() => (OpRole::View, false),
            Role::Foldable
                if all_constant && facts.pure_op && !self.is_stored(op, inputs, indexed, pricer)? =>
            {
                (OpRole::Constant, all_splat)
            }
            Role::View | Role::Foldable | Role::Compute => (OpRole::Compute, false),
        };
        // What the function returns travels with no reader that could wait for what it is made of.
        let is_returned = op.results().any(|result| self.returned.contains(&result.to_raw().ptr));
        if is_returned && !self.behind(role, inputs).is_empty() {
            return Ok((OpRole::Compute, false));
        }
        Ok((role, splat))
    }

    /// The terminator: its operands are what the function returns.
    fn finish(&mut self, terminator: OperationRef<'c, 'a>) {
        for operand in terminator.operands() {
            if let Some(&tensor) = self.values.get(&operand.to_raw().ptr) {
                self.graph.tensors[tensor].returned = true;
            }
        }
    }
}

/// What a measured profile lists an op under: name, callee or body, operand and result types, how often it runs, and a hash of what else it says.
fn key<'c: 'a, 'a>(
    op: OperationRef<'c, 'a>,
    name: &str,
    inner: &[OperationRef<'c, 'a>],
    pricer: &mut Pricer<'c, 'a, '_>,
    free: bool,
) -> Result<String, String> {
    let mut key = name.to_owned();
    if let Some(callee) = ir::symbol(op, "callee") {
        key.push_str(" @");
        key.push_str(&callee.join("::@"));
    }
    let mut separator = " {";
    for inner in inner.iter().take(NAMES_IN_KEY) {
        key.push_str(separator);
        key.push_str(ir::name(*inner));
        separator = " ";
    }
    if separator == " " {
        key.push('}');
    }
    let mut list = |opening: &str, types: &mut dyn Iterator<Item = melior::ir::Type<'c>>| {
        key.push_str(opening);
        for (index, kind) in types.enumerate() {
            if index > 0 {
                key.push_str(", ");
            }
            key.push_str(&pricer.types.of(kind)?.text);
        }
        Ok::<(), String>(())
    };
    list(" (", &mut op.operands().map(|value| value.r#type()))?;
    list(") -> (", &mut op.results().map(|value| value.r#type()))?;
    key.push(')');
    // Nobody measures it, and constants are long.
    if free {
        return Ok(key);
    }
    // What its operands say of that is none of its attributes.
    if let Some((trips, _)) = counted_loop(op) {
        key.push_str(&format!(" x{trips}"));
    }
    if let Some(hash) = content::of_op(op) {
        key.push_str(&format!(" #{hash:016x}"));
    }
    Ok(key)
}

/// The user's rules on an op. What the host cannot hold stays on the device, too.
fn rules(op: OperationRef<'_, '_>) -> Rules {
    let says = |name| ir::attribute(op, name).is_some();
    Rules {
        never_recompute: says(NEVER_RECOMPUTE),
        never_swap: says(NEVER_SWAP) || !op.results().all(|result| can_be_on_host(result.r#type())),
        must_keep: says(MUST_KEEP),
        device: ir::attribute(op, DEVICE)
            .and_then(attributes::Device::read)
            .and_then(|device| usize::try_from(device.id).ok())
            .map(DeviceId),
    }
}
