//! Writing small pieces of buffer code: calls of the run-time library, and what they need.

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{
    Attribute, BlockLike, BlockRef, Identifier, Location, Operation, Region, RegionLike, Type, Value,
};

/// A place to put ops at.
pub(crate) struct Code<'c, 'a> {
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    /// Before this op; none: at the end.
    before: Option<OperationRef<'c, 'a>>,
    location: Location<'c>,
}

impl<'c: 'a, 'a> Code<'c, 'a> {
    /// Ops go before `before`.
    pub(crate) fn before(
        context: &'c Context,
        block: BlockRef<'c, 'a>,
        before: OperationRef<'c, 'a>,
        location: Location<'c>,
    ) -> Self {
        Code { context, block, before: Some(before), location }
    }

    /// Ops go to the end of a block.
    pub(crate) fn at_end(context: &'c Context, block: BlockRef<'c, 'a>, location: Location<'c>) -> Self {
        Code { context, block, before: None, location }
    }

    /// Reports an error where the ops go.
    pub(crate) fn error(&self, text: &str) -> Reported {
        diagnostics::error(self.location, text)
    }

    /// A type by its text.
    pub(crate) fn kind(&self, text: &str) -> Result<Type<'c>, Reported> {
        Type::parse(self.context, text).ok_or_else(|| self.error(&format!("cannot make the type {text}")))
    }

    fn build(
        &mut self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[&str],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<Vec<Value<'c, 'a>>, Reported> {
        let kinds: Vec<Type<'c>> = results.iter().map(|text| self.kind(text)).collect::<Result<_, _>>()?;
        self.make(name, operands, &kinds, attributes)
    }

    /// An op with attributes.
    pub(crate) fn make(
        &mut self,
        name: &str,
        operands: &[Value<'c, 'a>],
        kinds: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<Vec<Value<'c, 'a>>, Reported> {
        let attributes: Vec<(Identifier<'c>, Attribute<'c>)> =
            attributes.iter().map(|&(name, value)| (Identifier::new(self.context, name), value)).collect();
        let op = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(kinds)
            .add_attributes(&attributes)
            .build()
            .map_err(|error| self.error(&format!("cannot make {name}: {error}")))?;
        Ok(self.insert(op).results().map(Value::from).collect())
    }

    /// Puts an op there.
    pub(crate) fn insert(&self, op: Operation<'c>) -> OperationRef<'c, 'a> {
        match self.before {
            Some(before) => self.block.insert_operation_before(before, op),
            None => self.block.append_operation(op),
        }
    }

    /// What the ops come from.
    pub(crate) fn location(&self) -> Location<'c> {
        self.location
    }

    /// What the ops belong to.
    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// An op without attributes.
    pub(crate) fn op(
        &mut self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[&str],
    ) -> Result<Vec<Value<'c, 'a>>, Reported> {
        self.build(name, operands, results, &[])
    }

    /// A buffer of static shape on the device.
    pub(crate) fn alloc(&mut self, kind: &str) -> Result<Value<'c, 'a>, Reported> {
        self.buffer("memref.alloc", kind)
    }

    /// A buffer of static shape on the stack.
    pub(crate) fn alloca(&mut self, kind: &str) -> Result<Value<'c, 'a>, Reported> {
        self.buffer("memref.alloca", kind)
    }

    fn buffer(&mut self, name: &str, kind: &str) -> Result<Value<'c, 'a>, Reported> {
        let none = self.attribute("array<i32: 0, 0>")?;
        Ok(self.build(name, &[], &[kind], &[("operandSegmentSizes", none)])?[0])
    }

    /// A constant of type index.
    pub(crate) fn index(&mut self, value: u64) -> Result<Value<'c, 'a>, Reported> {
        let value = i64::try_from(value).map_err(|_| self.error(&format!("{value} is too large")))?;
        let value = IntegerAttribute::new(self.kind("index")?, value);
        Ok(self.build("arith.constant", &[], &["index"], &[("value", value.into())])?[0])
    }

    /// A constant of 32 bits.
    pub(crate) fn small(&mut self, value: i64) -> Result<Value<'c, 'a>, Reported> {
        let value = i32::try_from(value).map_err(|_| self.error(&format!("{value} is too large")))?;
        let value = IntegerAttribute::new(self.kind("i32")?, i64::from(value));
        Ok(self.build("arith.constant", &[], &["i32"], &[("value", value.into())])?[0])
    }

    /// A buffer without gaps, of two dimensions or more, as one of one dimension.
    pub(crate) fn collapse(
        &mut self,
        buffer: Value<'c, 'a>,
        rank: usize,
        kind: &str,
    ) -> Result<Value<'c, 'a>, Reported> {
        let all: Vec<String> = (0..rank).map(|dimension| format!("{dimension} : i64")).collect();
        let groups = self.attribute(&format!("[[{}]]", all.join(", ")))?;
        Ok(self.build("memref.collapse_shape", &[buffer], &[kind], &[("reassociation", groups)])?[0])
    }

    /// A call of a function of the module.
    pub(crate) fn call(
        &mut self,
        callee: &str,
        operands: &[Value<'c, 'a>],
        results: &[&str],
    ) -> Result<Vec<Value<'c, 'a>>, Reported> {
        let kinds: Vec<Type<'c>> = results.iter().map(|text| self.kind(text)).collect::<Result<_, _>>()?;
        self.call_typed(callee, operands, &kinds)
    }

    /// The same, where the types are at hand.
    pub(crate) fn call_typed(
        &mut self,
        callee: &str,
        operands: &[Value<'c, 'a>],
        kinds: &[Type<'c>],
    ) -> Result<Vec<Value<'c, 'a>>, Reported> {
        let callee = FlatSymbolRefAttribute::new(self.context, callee);
        self.make("func.call", operands, kinds, &[("callee", callee.into())])
    }

    /// An attribute by its text.
    pub(crate) fn attribute(&self, text: &str) -> Result<Attribute<'c>, Reported> {
        Attribute::parse(self.context, text)
            .ok_or_else(|| self.error(&format!("cannot make the attribute {text}")))
    }
}

/// Adds a function to the end of the module; declarations get a C interface.
pub(crate) fn function<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    name: &str,
    kind: Type<'c>,
    body: Region<'c>,
) -> Result<OperationRef<'c, 'a>, Reported> {
    let location = module.location();
    let context = ballast_dialects::ir::context(module);
    let fail = |text: String| diagnostics::error(module.location(), &text);
    let mut attributes = vec![
        (Identifier::new(context, "sym_name"), StringAttribute::new(context, name).into()),
        (Identifier::new(context, "function_type"), TypeAttribute::new(kind).into()),
    ];
    if body.first_block().is_none() {
        attributes.push((
            Identifier::new(context, "sym_visibility"),
            StringAttribute::new(context, "private").into(),
        ));
        attributes.push((Identifier::new(context, "llvm.emit_c_interface"), Attribute::unit(context)));
    }
    let function = OperationBuilder::new("func.func", location)
        .add_attributes(&attributes)
        .add_regions([body])
        .build()
        .map_err(|error| fail(format!("cannot make the function {name}: {error}")))?;
    let block = module.first_region().and_then(|region| region.first_block());
    block
        .map(|block| block.append_operation(function))
        .ok_or_else(|| fail("the module has no body".to_owned()))
}

/// What has a name in the module.
pub(crate) fn named<'c: 'a, 'a>(module: OperationRef<'c, 'a>, name: &str) -> Option<OperationRef<'c, 'a>> {
    let mut all = ir::blocks(module).into_iter().flat_map(ir::ops);
    all.find(|&op| ir::string(op, "sym_name").is_some_and(|known| known == name))
}

/// Refuses a name for what is about to be added that the module has already.
///
/// # Errors
/// At `place`.
pub(crate) fn check_free(
    module: OperationRef<'_, '_>,
    name: &str,
    place: OperationRef<'_, '_>,
) -> Result<(), Reported> {
    let Some(known) = named(module, name) else { return Ok(()) };
    let what = if ir::name(known) == "func.func" { "function" } else { "symbol" };
    let text = format!("the module has a {what} '@{name}' already: rename it");
    Err(diagnostics::error(place.location(), &text))
}

/// Declares a function of the run-time library, unless the module has it.
///
/// # Errors
/// At what else has its name.
pub(crate) fn declare(module: OperationRef<'_, '_>, name: &str, kind: &str) -> Result<(), Reported> {
    let kind = function_type(module, kind)?;
    let Some(known) = named(module, name) else {
        return function(module, name, kind, Region::new()).map(|_| ());
    };
    if ir::attribute(known, "function_type") == Some(TypeAttribute::new(kind).into()) {
        return Ok(());
    }
    let text = format!("'@{name}' is a name of the run-time library's, of type {kind}: rename it");
    Err(diagnostics::error(known.location(), &text))
}

/// A type of functions by its text.
pub(crate) fn function_type<'c>(module: OperationRef<'c, '_>, text: &str) -> Result<Type<'c>, Reported> {
    let context = ballast_dialects::ir::context(module);
    Type::parse(context, text)
        .ok_or_else(|| diagnostics::error(module.location(), &format!("cannot make the type {text}")))
}
