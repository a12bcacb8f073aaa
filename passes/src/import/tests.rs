//! Reads small modules with hand-counted work, exported models, and programs that must be refused.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ballast_core::device::DeviceId;
use ballast_core::graph::{Arithmetic, Graph, LayerType, Op, OpId, OpRole};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use melior::utility::register_all_dialects;

use super::*;

pub(crate) fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    ballast_dialects::registration::register_dialect(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context.set_allow_unregistered_dialects(true);
    context
}

/// Reads a program; on failure, every diagnostic with its location.
fn read_text(text: &str, options: &ImportOptions) -> Result<Graph, Vec<String>> {
    let context = context();
    let seen: Rc<RefCell<Vec<String>>> = Rc::default();
    let heard = Rc::clone(&seen);
    context.attach_diagnostic_handler(move |diagnostic| {
        heard.borrow_mut().push(format!("{}: {diagnostic}", diagnostic.location()));
        true
    });
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("{:?}\n{text}", seen.borrow()));
    let module: OperationRef<'_, '_> = module.as_operation();
    match read(module, options) {
        Ok(imported) => {
            assert_eq!(imported.ops.len(), imported.graph.ops.len());
            check(&imported.graph);
            Ok(imported.graph)
        }
        Err(_) => Err(seen.take()),
    }
}

/// What every graph must keep: topological order, ids that exist, one producer per tensor.
fn check(graph: &Graph) {
    for (id, op) in OpId::of(&graph.ops) {
        for &input in &op.inputs {
            assert!(graph.tensors[input].producer.is_none_or(|producer| producer < id), "{}", op.name);
        }
        for (index, &output) in op.outputs.iter().enumerate() {
            assert_eq!((graph.tensors[output].producer, graph.tensors[output].index), (Some(id), index));
        }
        if op.role != OpRole::Compute {
            assert_eq!((op.work.flops, op.work.bytes.0, op.workspace.0), (0, 0, 0), "{}", op.name);
        }
    }
}

fn read_ok(text: &str) -> Graph {
    read_text(text, &ImportOptions::default()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn op<'g>(graph: &'g Graph, name: &str) -> &'g Op {
    graph.ops.iter().find(|op| op.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn flops(graph: &Graph) -> u64 {
    graph.ops.iter().map(|op| op.work.flops).sum()
}

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/inputs/models").join(name)
}

pub(crate) fn read_file(path: &Path) -> Graph {
    read_ok(&std::fs::read_to_string(path).unwrap())
}

/// A StableHLO function with one op, in generic form.
fn stablehlo(arguments: &str, ops: &str, result: &str) -> String {
    format!("func.func @main({arguments}) -> {result} {{\n{ops}\n  return %r : {result}\n}}")
}

mod devices;
mod equal;
mod graphs;
mod models;
mod refusals;
mod stablehlo;
mod structured;
