//! `--ballast-split-ops`: one function per distinct op of a program, so that each can be timed alone.

use std::path::Path;

use ballast_core::graph::{OpId, OpRole, TensorId};
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::operations::erase;
use ballast_dialects::passes::BallastSplitOpsOptions;
use indexmap::IndexMap;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, BlockLike, Location, Region, RegionLike, Type, Value, ValueLike};

use crate::apply::actions::travellers;
use crate::backend::xla::{barriers, products};
use crate::files;
use crate::import::{self, ImportOptions, Imported};
use crate::lower::ballast_entry::why_not_run;
use crate::lower::native::{Code, check_free, function, named};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastSplitOpsOptions) -> Result<(), Reported> {
    files::check(module, [], files::named("keys-file", &options.keys_file))
        .map_err(|text| diagnostics::error(module.location(), &text))?;
    // The ops to be planned: what is done to a program before that is done here, too.
    barriers::split(module)?;
    products::exchange(module)?;
    let wanted = (!options.function.is_empty()).then(|| options.function.clone());
    let imported = import::read(module, &ImportOptions { function: wanted, ..ImportOptions::default() })?;
    let mut first: IndexMap<&str, OpId> = IndexMap::new();
    for id in imported.graph.planned() {
        first.entry(&imported.graph.ops[id].key).or_insert(id);
    }
    first.retain(|_, &mut id| {
        let mut kinds = values(&imported, id).map(|value| value.r#type());
        let why = kinds.find_map(|kind| Some((kind, why_not_run(kind)?)));
        if let Some((kind, why)) = &why {
            let text = format!("is not timed: it takes or returns {kind}, {why}");
            diagnostics::warning(imported.ops[id].location(), &text);
        }
        why.is_none()
    });
    // Private helpers stay for those who call them.
    let is_public = |op: OperationRef<'_, '_>| {
        ir::string(op, "sym_visibility").is_none_or(|visibility| visibility == "public")
    };
    let functions = import::functions(module).into_iter();
    let before: Vec<OperationRef<'_, '_>> = functions.map(|(_, op)| op).filter(|&op| is_public(op)).collect();
    for number in 0..first.len() {
        let name = format!("op{number}");
        if let Some(known) = named(module, &name).filter(|known| !before.contains(known)) {
            check_free(module, &name, known)?;
        }
    }
    for (number, &id) in first.values().enumerate() {
        write(module, &imported, &format!("op{number}"), id)?;
    }
    let keys: Vec<&str> = first.keys().copied().collect();
    let text = serde_json::to_string_pretty(&keys).expect("text is JSON");
    files::write(module, Path::new(&options.keys_file), text.as_bytes()).map_err(|error| {
        let text = format!("{} cannot be written: {error}", options.keys_file);
        diagnostics::error(module.location(), &text)
    })?;
    before.into_iter().for_each(erase);
    Ok(())
}

/// What an op and the views and constants it reads take from elsewhere.
fn taken(imported: &Imported<'_, '_>, id: OpId) -> Vec<TensorId> {
    let graph = &imported.graph;
    let mut found = Vec::new();
    for reader in travellers(graph, &graph.ops[id].inputs).into_iter().chain([id]) {
        for &tensor in &graph.ops[reader].inputs {
            let made = graph.tensors[tensor].producer.map(|op| graph.ops[op].role);
            if made.is_none_or(|role| role == OpRole::Compute) && !found.contains(&tensor) {
                found.push(tensor);
            }
        }
    }
    found
}

/// What the function of an op takes and returns.
fn values<'c, 'a, 'i>(
    imported: &'i Imported<'c, 'a>,
    id: OpId,
) -> impl Iterator<Item = Value<'c, 'a>> + use<'c, 'a, 'i> {
    let taken = taken(imported, id).into_iter().map(|tensor| imported.value(tensor));
    taken.chain(imported.ops[id].results().map(Value::from))
}

fn write<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    imported: &Imported<'c, 'a>,
    name: &str,
    id: OpId,
) -> Result<(), Reported> {
    let context = ballast_dialects::ir::context(module);
    let (op, inputs) = (imported.ops[id], taken(imported, id));
    let location = op.location();
    let kinds: Vec<Type<'c>> = inputs.iter().map(|&tensor| imported.value(tensor).r#type()).collect();
    let results: Vec<Type<'c>> = op.results().map(|result| result.r#type()).collect();
    let arguments: Vec<(Type<'c>, Location<'c>)> = kinds.iter().map(|&kind| (kind, location)).collect();
    let body = Region::new();
    body.append_block(Block::new(&arguments));
    let function = function(module, name, FunctionType::new(context, &kinds, &results).into(), body)?;
    let Some(block) = function.first_region().and_then(|region| region.first_block()) else { return Ok(()) };
    let mut mapping = Mapping::new();
    for (index, &tensor) in inputs.iter().enumerate() {
        let argument: Value<'c, 'a> = block.argument(index).expect("one argument per input").into();
        mapping.map(imported.value(tensor), argument);
    }
    for traveller in travellers(&imported.graph, &imported.graph.ops[id].inputs) {
        block.append_operation(mapping.clone_op(&imported.ops[traveller]));
    }
    let clone = block.append_operation(mapping.clone_op(&op));
    let made: Vec<Value<'c, 'a>> = clone.results().map(Value::from).collect();
    Code::at_end(context, block, location).op("func.return", &made, &[]).map(|_| ())
}
