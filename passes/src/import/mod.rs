//! Reads one function of a module into a [`Graph`](ballast_core::graph::Graph).
//!
//! Every op of the function's only block becomes a node; ops inside regions belong to the op that holds the region,
//! and values they capture are its inputs. Calls are summed up as one node ([`Pricer::sum_callees`]); inline them
//! first to plan inside them. The op list comes back beside the graph, so that a plan can be written
//! onto the ops.

mod build;
mod content;
pub(crate) mod dlti;
pub(crate) mod dlti_text;
pub(crate) mod donated;
mod imported;
pub(crate) mod opaque;
mod phase;
pub(crate) mod sharding;
mod shared;
mod symbols;
pub(crate) mod types;
pub(crate) mod work;

use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, RegionLike};

use symbols::Symbols;
use work::Pricer;

pub(crate) use imported::{Body, Imported, Runs};

/// Loops inside a loop that are priced by their bodies, too: every level is read once more for each around it.
const NESTED_BODIES: usize = 3;

/// What to read, and what to take for sizes the program leaves open.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportOptions {
    /// Symbol of the function; none: the only public function, else `main`.
    pub(crate) function: Option<String>,
    /// Size of every dynamic dimension; none: they are refused.
    pub(crate) dynamic_dim: Option<u64>,
    /// See [`ballast_core::graph::Graph::results_apart`].
    pub(crate) results_apart: bool,
}

/// Reads a function of a `builtin.module`.
///
/// # Errors
/// With the diagnostic that was emitted, at the op it concerns: no such function, no body, several blocks, dynamic
/// shapes without a size, types of unknown size, calls in a circle.
pub(crate) fn read<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    options: &ImportOptions,
) -> Result<Imported<'c, 'a>, Reported> {
    let functions = functions(module);
    let function = choose(module, &functions, options.function.as_deref())?;
    let block = only_block(function)?;
    let symbols = Symbols::of(module);
    let mut pricer = Pricer::new(&symbols, options.dynamic_dim);
    pricer.sum_callees(function)?;
    let mut imported = build::build(function, block, &mut pricer)?;
    shared::mark(&symbols, &mut imported);
    imported.graph.content = content::of(module, function);
    imported.graph.results_apart = options.results_apart;
    imported.graph.donated = donated::donated(&imported);
    imported.bodies = build::bodies(&imported, &mut pricer, NESTED_BODIES)?;
    phase::mark(&mut imported.graph);
    Ok(imported)
}

/// The function to plan: the one named, else the only public one, else `main`.
///
/// # Errors
/// At the module, where there is no such function.
pub(crate) fn function<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    wanted: Option<&str>,
) -> Result<OperationRef<'c, 'a>, Reported> {
    choose(module, &functions(module), wanted)
}

/// The functions of a module with their names, in order.
pub(crate) fn functions<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<(String, OperationRef<'c, 'a>)> {
    ir::blocks(module)
        .into_iter()
        .flat_map(ir::ops)
        .filter(|&op| ir::name(op) == "func.func")
        .filter_map(|op| Some((ir::string(op, "sym_name")?, op)))
        .collect()
}

fn choose<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    functions: &[(String, OperationRef<'c, 'a>)],
    wanted: Option<&str>,
) -> Result<OperationRef<'c, 'a>, Reported> {
    const LISTED: usize = 8;
    let fail = |message: String| Err(diagnostics::error(ir::place(module), &message));
    let mut names: Vec<String> = functions.iter().take(LISTED).map(|(name, _)| format!("@{name}")).collect();
    if functions.len() > LISTED {
        names.push("...".to_owned());
    }
    let names = names.join(", ");
    if functions.is_empty() {
        let is_function = |op: &OperationRef<'_, '_>| ir::name(*op) == "func.func";
        let is_inside = ir::nested(module).iter().any(is_function);
        let inside = ": one of a module inside of it is not looked for, plan that module alone";
        return fail(format!("the module has no function to plan{}", if is_inside { inside } else { "" }));
    }
    let find = |name: &str| functions.iter().find(|(known, _)| known == name).map(|(_, op)| *op);
    if let Some(wanted) = wanted {
        let wanted = wanted.trim_start_matches('@');
        return match find(wanted) {
            Some(function) => Ok(function),
            None => fail(format!("no function '@{wanted}': the module has {names}")),
        };
    }
    let public: Vec<OperationRef<'c, 'a>> = functions
        .iter()
        .filter(|(_, op)| {
            ir::string(*op, "sym_visibility").is_none_or(|visibility| visibility == "public") && has_body(*op)
        })
        .map(|(_, op)| *op)
        .collect();
    match (public.as_slice(), find("main")) {
        ([only], _) => Ok(*only),
        (_, Some(main)) => Ok(main),
        ([], None) => fail(format!("no public function to plan: name one with function=, of {names}")),
        (_, None) => fail(format!(
            "several public functions and none called @main: name one with function=, of {names}"
        )),
    }
}

/// Has a function more than its declaration?
pub(crate) fn has_body(function: OperationRef<'_, '_>) -> bool {
    function.first_region().is_some_and(|region| region.first_block().is_some())
}

fn only_block<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Result<BlockRef<'c, 'a>, Reported> {
    match ir::blocks(function).as_slice() {
        [] => Err(diagnostics::error(ir::place(function), "the function has no body to plan")),
        [block] => match (block.terminator(), ir::last_op(*block)) {
            (None, Some(last)) => {
                let text = format!(
                    "'{}' is of no dialect that is loaded, so nobody knows that it ends the function: end it with `func.return`",
                    ir::name(last)
                );
                Err(diagnostics::error(ir::place(last), &text))
            }
            _ => Ok(*block),
        },
        [_, second, ..] => {
            let at = second.first_operation().map_or(function.location(), |op| op.location());
            let message = "the function has several blocks: only straight-line programs are planned; \
                           turn branches into scf or stablehlo control flow";
            Err(diagnostics::error_with_notes(
                ir::place(function),
                message,
                &[(at, "the second block starts here".to_owned())],
            ))
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
