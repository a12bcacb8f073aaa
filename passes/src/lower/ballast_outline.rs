//! `--ballast-outline`: one program per device of a rewritten function, with messages between them, and a host that runs them all.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::c_void;

use ballast_core::device::DeviceId;
use ballast_dialects::attributes as names;
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, is_memory_effect_free, set_attribute, set_operand};
use ballast_dialects::passes::BallastOutlineOptions;
use melior::Context;
use melior::ir::attribute::{IntegerAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Location, Region, RegionLike, Type, Value, ValueLike,
};

use crate::apply::ballast_apply::check_applied;
use crate::import;
use crate::lower::messages::{self, End};
use crate::lower::native::{Code, check_free, function};
use crate::lower::segments::{Event, Line, Message, Segment, Swap, ValueId, cut};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; then nothing has been changed.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastOutlineOptions) -> Result<(), Reported> {
    if import::functions(module).iter().any(|(_, function)| function.has_attribute(names::PROGRAM)) {
        return Ok(());
    }
    let wanted = (!options.function.is_empty()).then_some(options.function.as_str());
    let program = Program::read(module, import::function(module, wanted)?)?;
    let events = cut(&program.lines, &program.returned).map_err(|unreachable| {
        let text = "reads a value of another device, which is not copied to the host for it: partition and plan the whole function \
                    again, then run `--ballast-apply`";
        let maker = program.ops[unreachable.maker].location();
        let note = [(maker, "the value is made here".to_owned())];
        diagnostics::error_with_notes(program.ops[unreachable.reader].location(), text, &note)
    })?;
    let messages: Vec<&Message> = events
        .iter()
        .filter_map(|event| match event {
            Event::Message(message) => Some(message),
            Event::Segment(_) => None,
        })
        .collect();
    program.check(&messages)?;
    let segments = program.segment_names(&events);
    let programs = DeviceId::first(program.devices).map(|device| program.program_name(device));
    for name in programs.chain(segments.iter().flatten().cloned()) {
        check_free(module, &name, program.function)?;
    }
    program.write(module, &events, &segments)
}

/// A rewritten function, as the cut sees it.
struct Program<'c, 'a> {
    function: OperationRef<'c, 'a>,
    name: String,
    block: BlockRef<'c, 'a>,
    terminator: OperationRef<'c, 'a>,
    /// All ops but the terminator.
    ops: Vec<OperationRef<'c, 'a>>,
    lines: Vec<Line>,
    /// Arguments, then results in program order.
    values: Vec<Value<'c, 'a>>,
    arguments: usize,
    devices: usize,
    /// For every result of the function: who returns it, and which value it is.
    returned: Vec<(DeviceId, ValueId)>,
    /// The arguments that each device holds.
    held: Vec<Vec<ValueId>>,
}

/// A value as one device knows it.
type Known<'c, 'a> = BTreeMap<(DeviceId, ValueId), Value<'c, 'a>>;

impl<'c: 'a, 'a> Program<'c, 'a> {
    fn read(module: OperationRef<'c, 'a>, function: OperationRef<'c, 'a>) -> Result<Self, Reported> {
        let location = function.location();
        let Some(plan) = function.attribute(names::APPLIED).ok().and_then(names::Plan::read) else {
            let text = "the function does not carry out a plan yet: plan it, then run `--ballast-apply`";
            return Err(diagnostics::error(location, text));
        };
        check_applied(module, function, Some(&plan))?;
        let devices = usize::try_from(plan.devices).unwrap_or(1);
        let name = ir::string(function, "sym_name").unwrap_or_default();
        let block = function.first_region().and_then(|region| region.first_block());
        let Some((block, terminator)) = block.and_then(|block| Some((block, block.terminator()?))) else {
            return Err(diagnostics::error(location, "the function has no body to cut"));
        };
        let mut ops: Vec<OperationRef<'c, 'a>> = ir::ops(block).collect();
        ops.pop();
        let mut program = Program {
            function,
            name,
            block,
            terminator,
            ops,
            lines: Vec::new(),
            values: Vec::new(),
            arguments: block.argument_count(),
            devices,
            returned: Vec::new(),
            held: Vec::new(),
        };
        program.number();
        program.place()?;
        Ok(program)
    }

    /// Numbers the values, and lists what every op reads.
    fn number(&mut self) {
        let mut ids: HashMap<*const c_void, ValueId> = HashMap::new();
        let arguments = (0..self.arguments).filter_map(|index| self.block.argument(index).ok());
        self.values.extend(arguments.map(Value::from));
        ids.extend(self.values.iter().enumerate().map(|(id, value)| (value.to_raw().ptr, id)));
        let read = |op: OperationRef<'c, 'a>, ids: &HashMap<*const c_void, ValueId>| -> Vec<ValueId> {
            op.operands().filter_map(|value| ids.get(&value.to_raw().ptr).copied()).collect()
        };
        for &op in &self.ops {
            let mut line = Line { inputs: read(op, &ids), ..Line::default() };
            for inner in ir::nested(op) {
                line.inputs.extend(read(inner, &ids));
            }
            for result in op.results() {
                ids.insert(result.to_raw().ptr, self.values.len());
                line.outputs.push(self.values.len());
                self.values.push(result.into());
            }
            line.swap = match ir::name(op) {
                "ballast.swap_out" => Some(Swap::Out),
                "ballast.swap_in" => Some(Swap::In),
                _ => None,
            };
            self.lines.push(line);
        }
        self.returned = read(self.terminator, &ids).into_iter().map(|value| (DeviceId(0), value)).collect();
    }

    /// Finds the devices of every op, and of the arguments and results. Views and constants run wherever they are read.
    fn place(&mut self) -> Result<(), Reported> {
        let maker: BTreeMap<ValueId, usize> = self
            .lines
            .iter()
            .enumerate()
            .flat_map(|(id, line)| line.outputs.iter().map(move |&value| (value, id)))
            .collect();
        let own: Vec<Option<DeviceId>> =
            self.ops.iter().map(|&op| self.own_device(op)).collect::<Result<_, _>>()?;
        // Of an op that goes with its readers: the first device on the way to what its value is made of.
        let home = |mut value: ValueId| loop {
            let &id = maker.get(&value)?;
            match (own[id], self.lines[id].inputs.first()) {
                (Some(device), _) => return Some(device),
                (None, Some(&input)) => value = input,
                (None, None) => return Some(DeviceId(0)),
            }
        };
        let homes: Vec<Option<DeviceId>> = self.returned.iter().map(|&(_, value)| home(value)).collect();
        let mut needed: Vec<BTreeSet<DeviceId>> = vec![BTreeSet::new(); self.values.len()];
        for (&(_, value), home) in self.returned.iter().zip(&homes) {
            needed[value].extend(home);
        }
        for id in (0..self.ops.len()).rev() {
            let op = self.ops[id];
            let readers = self.lines[id].outputs.iter().flat_map(|&value| needed[value].iter().copied());
            let free = is_memory_effect_free(&op);
            let devices: BTreeSet<DeviceId> = match own[id] {
                Some(device) if !(free && self.lines[id].inputs.is_empty()) => BTreeSet::from([device]),
                None if !free => {
                    let text =
                        "has no `ballast.device`, and may not run on several: partition the whole function";
                    return Err(diagnostics::error(op.location(), text));
                }
                _ => readers.collect(),
            };
            for &input in &self.lines[id].inputs {
                needed[input].extend(&devices);
            }
            self.lines[id].devices = devices.into_iter().collect();
        }
        // An argument is returned where it is read; one that nobody reads lies on the first device, as the plan reckons.
        for (returned, home) in self.returned.iter_mut().zip(homes) {
            returned.0 = home.or_else(|| needed[returned.1].first().copied()).unwrap_or(DeviceId(0));
            needed[returned.1].insert(returned.0);
        }
        for argument in &mut needed[..self.arguments] {
            if argument.is_empty() {
                argument.insert(DeviceId(0));
            }
        }
        let holds =
            |device| (0..self.arguments).filter(|&argument| needed[argument].contains(&device)).collect();
        self.held = DeviceId::first(self.devices).map(holds).collect();
        Ok(())
    }

    fn own_device(&self, op: OperationRef<'c, 'a>) -> Result<Option<DeviceId>, Reported> {
        let Some(device) = op.attribute(names::DEVICE).ok().and_then(names::Device::read) else {
            return Ok(None);
        };
        match usize::try_from(device.id) {
            Ok(id) if id < self.devices => Ok(Some(DeviceId(id))),
            _ => {
                let text =
                    format!("runs on device {}, but the plan is for {} devices", device.id, self.devices);
                Err(diagnostics::error(op.location(), &text))
            }
        }
    }

    /// Judges what is about to be written: every device's messages, as they will meet.
    fn check(&self, messages: &[&Message]) -> Result<(), Reported> {
        let mut ends: Vec<Vec<(End, &Message)>> = vec![Vec::new(); self.devices];
        for (tag, message) in messages.iter().enumerate() {
            let (tag, kind) = (number(tag), self.values[message.value].r#type().to_string());
            for (device, other, sends) in
                [(message.source, message.target, true), (message.target, message.source, false)]
            {
                ends[device].push((End { sends, other, tag, kind: kind.clone() }, *message));
            }
        }
        let plain: Vec<Vec<End>> =
            ends.iter().map(|ends| ends.iter().map(|(end, _)| end.clone()).collect()).collect();
        messages::check(&plain).map_err(|stuck| {
            let location = self.ops[ends[stuck.device][stuck.end].1.line].location();
            diagnostics::error(location, &format!("the messages do not get through: {stuck}"))
        })
    }

    fn program_name(&self, device: DeviceId) -> String {
        format!("{}_device{device}", self.name)
    }

    /// By event: the function of a segment.
    fn segment_names(&self, events: &[Event]) -> Vec<Option<String>> {
        let mut counts = vec![0; self.devices];
        let name = |event: &Event| match event {
            Event::Message(_) => None,
            Event::Segment(segment) => {
                let count = &mut counts[segment.device];
                let name = format!("{}_segment{count}", self.program_name(segment.device));
                *count += 1;
                Some(name)
            }
        };
        events.iter().map(name).collect()
    }

    fn write(
        &self,
        module: OperationRef<'c, 'a>,
        events: &[Event],
        calls: &[Option<String>],
    ) -> Result<(), Reported> {
        let context = ballast_dialects::ir::context(module);
        let mut writer = Writer { program: self, module, context };
        for (event, name) in events.iter().zip(calls) {
            if let (Event::Segment(segment), Some(name)) = (event, name) {
                writer.segment(name, segment)?;
            }
        }
        for device in DeviceId::first(self.devices) {
            writer.device(device, events, calls)?;
        }
        writer.host(events, calls)
    }
}

fn number(value: usize) -> i64 {
    i64::try_from(value).expect("counts of ops and devices fit in 63 bits")
}

struct Writer<'c, 'a, 'p> {
    program: &'p Program<'c, 'a>,
    module: OperationRef<'c, 'a>,
    context: &'c Context,
}

impl<'c: 'a, 'a> Writer<'c, 'a, '_> {
    fn kinds(&self, values: &[ValueId]) -> Vec<Type<'c>> {
        values.iter().map(|&value| self.program.values[value].r#type()).collect()
    }

    /// Adds a private function, with room for its body.
    fn function(
        &self,
        name: &str,
        inputs: &[Type<'c>],
        results: &[Type<'c>],
    ) -> Result<(OperationRef<'c, 'a>, BlockRef<'c, 'a>), Reported> {
        let location = self.program.function.location();
        let arguments: Vec<(Type<'c>, Location<'c>)> = inputs.iter().map(|&kind| (kind, location)).collect();
        let body = Region::new();
        body.append_block(Block::new(&arguments));
        let kind = FunctionType::new(self.context, inputs, results).into();
        let function = function(self.module, name, kind, body)?;
        set_attribute(function, "sym_visibility", StringAttribute::new(self.context, "private").into());
        let block = function.first_region().and_then(|region| region.first_block());
        Ok((function, block.expect("a function that was just made has its body")))
    }

    fn segment(&mut self, name: &str, segment: &Segment) -> Result<(), Reported> {
        let (inputs, outputs) = (self.kinds(&segment.inputs), self.kinds(&segment.outputs));
        let (_, block) = self.function(name, &inputs, &outputs)?;
        let mut mapping = Mapping::new();
        for (index, &input) in segment.inputs.iter().enumerate() {
            let argument: Value<'c, 'a> = block.argument(index).expect("one argument per input").into();
            mapping.map(self.program.values[input], argument);
        }
        for &line in &segment.lines {
            block.append_operation(mapping.clone_op(&self.program.ops[line]));
        }
        let made: Vec<Value<'c, 'a>> =
            segment.outputs.iter().map(|&value| mapping.lookup(self.program.values[value])).collect();
        let mut code = Code::at_end(self.context, block, self.program.terminator.location());
        code.op("func.return", &made, &[]).map(|_| ())
    }

    /// The program of one device: its segments, its ends of the messages.
    fn device(
        &mut self,
        device: DeviceId,
        events: &[Event],
        calls: &[Option<String>],
    ) -> Result<(), Reported> {
        let program = self.program;
        let held = &program.held[device];
        let (numbers, values): (Vec<usize>, Vec<ValueId>) = program
            .returned
            .iter()
            .enumerate()
            .filter(|(_, (by, _))| *by == device)
            .map(|(number, &(_, value))| (number, value))
            .unzip();
        let (inputs, results) = (self.kinds(held), self.kinds(&values));
        let (function, block) = self.function(&program.program_name(device), &inputs, &results)?;
        let what = names::Program {
            device: number(device.0),
            devices: number(program.devices),
            arguments: held.iter().map(|&argument| number(argument)).collect(),
            results: numbers.into_iter().map(number).collect(),
        };
        ballast_dialects::ir::set(function, names::PROGRAM, what.attribute(function.location())?);
        let mut known = Known::new();
        for (index, &argument) in held.iter().enumerate() {
            let value = block.argument(index).expect("one argument per argument held").into();
            known.insert((device, argument), value);
        }
        let mut tag = 0;
        for (event, call) in events.iter().zip(calls) {
            match event {
                Event::Segment(segment) if segment.device == device => {
                    let location = program.ops[segment.lines[0]].location();
                    let mut code = Code::at_end(self.context, block, location);
                    self.call(&mut code, call.as_deref().unwrap_or_default(), segment, &mut known)?;
                }
                Event::Segment(_) => {}
                Event::Message(message) => {
                    let location = program.ops[message.line].location();
                    let mut code = Code::at_end(self.context, block, location);
                    let ends = self.ends(message, tag);
                    tag += 1;
                    if message.source == device {
                        let sent = known[&(device, message.value)];
                        code.make("ballast.send", &[sent], &[], &ends)?;
                    } else if message.target == device {
                        let kind = program.values[message.arrives].r#type();
                        let got = code.make("ballast.recv", &[], &[kind], &ends)?;
                        known.insert((device, message.arrives), got[0]);
                    }
                }
            }
        }
        let made: Vec<Value<'c, 'a>> = values.iter().map(|&value| known[&(device, value)]).collect();
        let mut code = Code::at_end(self.context, block, program.terminator.location());
        code.op("func.return", &made, &[]).map(|_| ())
    }

    fn ends(&self, message: &Message, tag: usize) -> [(&'static str, Attribute<'c>); 3] {
        let whole = IntegerType::new(self.context, 64).into();
        let attribute = |value: usize| IntegerAttribute::new(whole, number(value)).into();
        [
            ("source", attribute(message.source.0)),
            ("target", attribute(message.target.0)),
            ("tag", attribute(tag)),
        ]
    }

    fn call(
        &self,
        code: &mut Code<'c, 'a>,
        callee: &str,
        segment: &Segment,
        known: &mut Known<'c, 'a>,
    ) -> Result<(), Reported> {
        let operands: Vec<Value<'c, 'a>> =
            segment.inputs.iter().map(|&value| known[&(segment.device, value)]).collect();
        let made = code.call_typed(callee, &operands, &self.kinds(&segment.outputs))?;
        known.extend(segment.outputs.iter().map(|&value| (segment.device, value)).zip(made));
        Ok(())
    }

    /// The function as it was called before: all segments in the one order, values handed from one to the next.
    fn host(&self, events: &[Event], calls: &[Option<String>]) -> Result<(), Reported> {
        let program = self.program;
        let mut known = Known::new();
        for (device, held) in DeviceId::of(&program.held) {
            known.extend(held.iter().map(|&argument| ((device, argument), program.values[argument])));
        }
        for (event, call) in events.iter().zip(calls) {
            let code = |location| Code::before(self.context, program.block, program.terminator, location);
            match event {
                Event::Segment(segment) => {
                    let mut code = code(program.ops[segment.lines[0]].location());
                    self.call(&mut code, call.as_deref().unwrap_or_default(), segment, &mut known)?;
                }
                Event::Message(message) => {
                    let mut value = known[&(message.source, message.value)];
                    if message.staged {
                        let kind = program.values[message.arrives].r#type();
                        let mut code = code(program.ops[message.line].location());
                        value = code.make("ballast.swap_out", &[value], &[kind], &[])?[0];
                    }
                    known.insert((message.target, message.arrives), value);
                }
            }
        }
        for (index, returned) in program.returned.iter().enumerate() {
            set_operand(program.terminator, index, known[returned]);
        }
        drop(known);
        for &op in program.ops.iter().rev() {
            erase(op);
        }
        Ok(())
    }
}
