//! A hash of all that a function says: its ops with their attributes, constants and regions, and the functions and globals it names.
//!
//! Attributes called `ballast.*` are left out: a plan does not change what it is a plan of. So are locations, and how a function
//! is seen from outside. The hash is the same for a program as made, as printed and parsed again, and as read from bytecode.

use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;

use ballast_dialects::ir;
use ballast_dialects::operations::{element_bytes, properties, referenced_symbols};
use ballast_dialects::text;
use ballast_dialects::types::{self, Kind};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, AttributeLike, BlockLike, BlockRef, RegionLike, Type, TypeLike, ValueLike};
use xxhash_rust::xxh3::Xxh3;

/// Lists in lists deeper than this are hashed as printed.
const DEEPEST: usize = 64;

/// What says how a function is seen, or what its body says once more.
const OF_FUNCTIONS: [&[u8]; 3] = [b"sym_visibility", b"function_type", b"no_inline"];
/// Dictionaries per argument and result: empty ones say as much as none.
const PER_VALUE: [&[u8]; 2] = [b"arg_attrs", b"res_attrs"];

/// The hash of a function of `module`, 16 hexadecimal digits.
pub(super) fn of<'c: 'a, 'a>(module: OperationRef<'c, 'a>, function: OperationRef<'c, 'a>) -> String {
    let mut hasher = Hasher::default();
    hasher.op_with_all(function);
    let symbols: HashMap<String, OperationRef<'c, 'a>> = ir::blocks(module)
        .into_iter()
        .flat_map(ir::ops)
        .filter_map(|op| Some((ir::string(op, "sym_name")?, op)))
        .collect();
    // In order of names, each once.
    let mut seen: BTreeSet<String> = ir::string(function, "sym_name").into_iter().collect();
    let mut open: BTreeSet<String> = referenced_symbols(&function).into_iter().collect();
    while let Some(name) = open.pop_first() {
        if let Some(&op) = symbols.get(&name)
            && seen.insert(name)
        {
            hasher.op_with_all(op);
            open.extend(referenced_symbols(&op).into_iter().filter(|name| !seen.contains(name)));
        }
    }
    format!("{:016x}", hasher.stream.digest())
}

/// A hash of what an op says besides its name, its operands and its types; none where that is nothing.
pub(super) fn of_op<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Option<u64> {
    let is_empty = properties(&op).is_none_or(|all| entries(all).is_some_and(|entries| entries.is_empty()));
    if is_empty && op.region_count() == 0 && ir::discardable(op).into_iter().all(|(name, _)| is_ours(name)) {
        return None;
    }
    let mut hasher = Hasher::default();
    hasher.attributes_of(op, false);
    for inner in ir::nested(op) {
        hasher.op(inner);
    }
    Some(hasher.stream.digest())
}

#[derive(Default)]
struct Hasher {
    stream: Xxh3,
    /// Numbers of values and blocks, in the order in which they are met.
    numbers: HashMap<*const c_void, u64>,
    types: HashMap<*const c_void, u64>,
    attributes: HashMap<*const c_void, u64>,
}

impl Hasher {
    fn number(&mut self, value: usize) {
        self.stream.update(&(value as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.stream.update(bytes);
    }

    fn reference(&mut self, raw: *const c_void) {
        let next = self.numbers.len() as u64;
        let number = *self.numbers.entry(raw).or_insert(next);
        self.stream.update(&number.to_le_bytes());
    }

    fn op_with_all<'c: 'a, 'a>(&mut self, root: OperationRef<'c, 'a>) {
        self.op(root);
        // Outer ops come before inner ones, and say how many these are.
        for op in ir::nested(root) {
            self.op(op);
        }
    }

    fn op<'c: 'a, 'a>(&mut self, op: OperationRef<'c, 'a>) {
        let name = ir::name_bytes(op);
        self.bytes(name);
        let is_function = name == b"func.func" && !ir::blocks(op).is_empty();
        self.number(op.operand_count());
        for operand in op.operands() {
            self.reference(operand.to_raw().ptr);
        }
        self.number(op.result_count());
        for result in op.results() {
            self.reference(result.to_raw().ptr);
            self.kind(result.r#type());
        }
        self.attributes_of(op, is_function);
        let successors = ir::successors(op);
        self.number(successors.len());
        for block in successors {
            self.reference(block.to_raw().ptr);
        }
        self.number(op.region_count());
        for region in op.regions() {
            let blocks = || std::iter::successors(region.first_block(), |block| block.next_in_region());
            self.number(blocks().count());
            blocks().for_each(|block| self.block(block));
        }
    }

    fn block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>) {
        self.reference(block.to_raw().ptr);
        self.number(block.argument_count());
        for index in 0..block.argument_count() {
            if let Ok(argument) = block.argument(index) {
                self.reference(argument.to_raw().ptr);
                self.kind(argument.r#type());
            }
        }
        self.number(ir::ops(block).count());
    }

    fn attributes_of(&mut self, op: OperationRef<'_, '_>, is_function: bool) {
        let skipped = |name: &[u8]| is_function && OF_FUNCTIONS.contains(&name);
        if let Some(properties) = properties(&op) {
            match entries(properties) {
                Some(entries) => {
                    for (name, value) in entries.into_iter().filter(|(name, _)| !skipped(name)) {
                        if PER_VALUE.contains(&name) {
                            self.per_value(name, value);
                        } else {
                            self.entry(name, value);
                        }
                    }
                }
                None => self.entry(b"", properties),
            }
        }
        self.stream.update(&[0xFF]);
        // What else stands on a function says how it is called from outside.
        for (name, value) in
            ir::discardable(op).into_iter().filter(|(name, _)| !is_function && !is_ours(name))
        {
            self.entry(name, value);
        }
        self.stream.update(&[0xFF]);
    }

    fn entry(&mut self, name: &[u8], value: Attribute<'_>) {
        let value = self.attribute(value, 0);
        self.bytes(name);
        self.stream.update(&value.to_le_bytes());
    }

    fn per_value(&mut self, name: &[u8], list: Attribute<'_>) {
        for (index, value) in ir::elements(list).unwrap_or_default().into_iter().enumerate() {
            if entries(value).is_none_or(|entries| !entries.is_empty()) {
                self.number(index);
                self.entry(name, value);
            }
        }
    }

    fn kind(&mut self, kind: Type<'_>) {
        let hash = self.type_hash(kind, 0);
        self.stream.update(&hash.to_le_bytes());
    }

    fn type_hash(&mut self, kind: Type<'_>, depth: usize) -> u64 {
        let raw = kind.to_raw();
        if let Some(&known) = self.types.get(&raw.ptr) {
            return known;
        }
        let mut stream = Xxh3::new();
        match types::kind(kind) {
            // As printed, a tuple of tuples can be as long as 2 to the power of its depth.
            Kind::Tuple(parts) if depth < DEEPEST => {
                stream.update(b"tuple");
                for part in parts {
                    stream.update(&self.type_hash(part, depth + 1).to_le_bytes());
                }
            }
            _ => text::print_type(kind, |piece| stream.update(piece)),
        }
        let hash = stream.digest();
        self.types.insert(raw.ptr, hash);
        hash
    }

    fn attribute(&mut self, attribute: Attribute<'_>, depth: usize) -> u64 {
        let raw = attribute.to_raw();
        if let Some(&known) = self.attributes.get(&raw.ptr) {
            return known;
        }
        let mut stream = Xxh3::new();
        if let Some(entries) = entries(attribute).filter(|_| depth < DEEPEST) {
            stream.update(b"{");
            for (name, value) in entries {
                let value = self.attribute(value, depth + 1);
                stream.update(&(name.len() as u64).to_le_bytes());
                stream.update(name);
                stream.update(&value.to_le_bytes());
            }
        } else if let Some(elements) = ir::elements(attribute).filter(|_| depth < DEEPEST) {
            stream.update(b"[");
            for element in elements {
                stream.update(&self.attribute(element, depth + 1).to_le_bytes());
            }
        } else if let Some(bytes) = element_bytes(attribute) {
            stream.update(b"dense");
            let kind = ir::type_of(attribute).map_or(0, |kind| self.type_hash(kind, 0));
            stream.update(&kind.to_le_bytes());
            stream.update(bytes);
        } else {
            text::print_attribute(attribute, |piece| stream.update(piece));
        }
        let hash = stream.digest();
        self.attributes.insert(raw.ptr, hash);
        hash
    }
}

fn is_ours(name: &[u8]) -> bool {
    name.starts_with(b"ballast.")
}

/// The entries of a dictionary, Ballast's own left out.
fn entries<'c>(attribute: Attribute<'c>) -> Option<Vec<(&'c [u8], Attribute<'c>)>> {
    let entries = ir::entries(attribute)?;
    Some(entries.into_iter().filter(|(name, _)| !is_ours(name)).collect())
}
