//! Reads small modules with hand-counted work, exported models, and programs that must be refused.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ballast_core::graph::{Arithmetic, Graph, LayerType, Op, OpRole};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::utility::register_all_dialects;

use super::*;

fn context() -> Context {
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
    for (id, op) in graph.ops.iter().enumerate() {
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

fn read_file(path: &Path) -> Graph {
    read_ok(&std::fs::read_to_string(path).unwrap())
}

/// A StableHLO function with one op, in generic form.
fn stablehlo(arguments: &str, ops: &str, result: &str) -> String {
    format!("func.func @main({arguments}) -> {result} {{\n{ops}\n  return %r : {result}\n}}")
}

#[test]
#[ignore]
fn scratch() {
    for entry in std::fs::read_dir(std::env::var("MODELS").unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "mlir") {
            continue;
        }
        let graph = read_file(&path);
        let n = |role| graph.ops.iter().filter(|op| op.role == role).count();
        let unpriced: std::collections::BTreeSet<&str> =
            graph.ops.iter().filter(|o| !o.work.priced).map(|o| o.name.as_str()).collect();
        let impure: std::collections::BTreeSet<&str> =
            graph.ops.iter().filter(|o| !o.pure_op).map(|o| o.name.as_str()).collect();
        let heavy: u64 = graph.ops.iter().filter(|o| o.opens_layer).map(|o| o.work.flops).sum();
        let back = graph
            .ops
            .iter()
            .filter(|o| o.backward == Some(true) && o.opens_layer)
            .map(|o| o.work.flops)
            .sum::<u64>();
        println!(
            "{} ops {} compute {} view {} const {} GF {:.3} heavy {:.3} backward heavy {:.3} known {} unpriced {unpriced:?} impure {impure:?}",
            path.file_name().unwrap().display(),
            graph.ops.len(),
            n(OpRole::Compute),
            n(OpRole::View),
            n(OpRole::Constant),
            flops(&graph) as f64 / 1e9,
            heavy as f64 / 1e9,
            back as f64 / 1e9,
            graph.ops.iter().any(|o| o.backward.is_some())
        );
        let mut by: std::collections::BTreeMap<&str, u64> = Default::default();
        for o in &graph.ops {
            *by.entry(&o.name).or_default() += o.work.flops;
        }
        let mut by: Vec<_> = by.into_iter().collect();
        by.sort_by_key(|x| std::cmp::Reverse(x.1));
        println!("   {:?}", &by[..by.len().min(7)]);
    }
}
