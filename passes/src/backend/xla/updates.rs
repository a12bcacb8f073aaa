//! What only makes results, such as updates of weights, is made as soon as what it reads is there.
//!
//! Frameworks write an optimiser after all gradients. In that order every gradient of the program is held at once, while the buffers of the new weights
//! lie empty: XLA runs such ops when their operands are there, but the barriers of a rewritten program keep it to the order of the plan.
//!
//! So are reductions to next to nothing, such as the norm of a gradient or a check that it is finite: the gradient need not wait for them. And so are sums of values that nothing else reads, as of the gradients of one micro-batch and those of all before it, which a loop adds at its end: one value instead
//! of several from then on.

use ballast_core::fusion::{FusionClass, FusionKind};
use ballast_core::graph::{Graph, OpId, OpRole, TensorId};
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::operations::move_before;
use melior::ir::BlockLike;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::backend::xla::classes::classes;
use crate::import::{self, ImportOptions};

/// Moves the ops on elements of a StableHLO function that only results are made of, or reductions to next to nothing, and these, or that read several values for the last time and make no more of them, right
/// behind the last op they read, and the constants they read to the front.
///
/// # Errors
/// Where the function cannot be read.
pub(crate) fn hasten(module: OperationRef<'_, '_>, options: &ImportOptions) -> Result<(), Reported> {
    let imported = import::read(module, options)?;
    let terminator = imported.ops.first().and_then(|op| op.block()).and_then(|block| block.terminator());
    let Some(mut next) = terminator else { return Ok(()) };
    for id in order(&imported.graph, &classes(&imported).ops).into_iter().rev() {
        let op = imported.ops[id];
        if op.next_in_block().is_none_or(|follows| follows != next) {
            move_before(op, next);
        }
        next = op;
    }
    Ok(())
}

/// The ops in their new order.
fn order(graph: &Graph, classes: &[FusionClass]) -> Vec<OpId> {
    let count = graph.ops.len();
    // One that is made of what is none has to stand behind that.
    let of_constants = |tensor: &TensorId| {
        graph.tensors[*tensor].producer.is_some_and(|op| graph.ops[op].role == OpRole::Constant)
    };
    let is_constant =
        |id: OpId| graph.ops[id].role == OpRole::Constant && graph.ops[id].inputs.iter().all(of_constants);
    let mut readers: Vec<Vec<OpId>> = vec![Vec::new(); count];
    let mut producers: Vec<Vec<OpId>> = vec![Vec::new(); count];
    for (id, op) in OpId::of(&graph.ops) {
        producers[id] = op.inputs.iter().filter_map(|&tensor| graph.tensors[tensor].producer).collect();
        producers[id].iter().for_each(|&producer| readers[producer].push(id));
    }
    // Readers come after what they read.
    let mut only_makes_results = vec![false; count];
    for (id, op) in OpId::of(&graph.ops).rev() {
        let returned = op.outputs.iter().any(|&tensor| graph.tensors[tensor].returned);
        only_makes_results[id] = works_on_elements(graph, classes, id)
            && (returned || !readers[id].is_empty())
            && readers[id].iter().all(|&reader| only_makes_results[reader]);
    }
    let mut leaves_little = vec![false; count];
    for id in OpId::first(count).rev() {
        let goes_in = works_on_elements(graph, classes, id) && !readers[id].is_empty();
        leaves_little[id] = reduces_to_little(graph, id)
            || (goes_in && readers[id].iter().all(|&reader| leaves_little[reader]));
    }
    let sums_up = |id: OpId| works_on_elements(graph, classes, id) && sums_up(graph, &readers, id);
    let moves: Vec<bool> =
        OpId::first(count).map(|id| only_makes_results[id] || leaves_little[id] || sums_up(id)).collect();
    let mut front = vec![false; count];
    let mut behind: Vec<Vec<OpId>> = vec![Vec::new(); count];
    for id in OpId::first(count).filter(|&id| moves[id]) {
        let mut open = vec![id];
        while let Some(reader) = open.pop() {
            let constants = producers[reader].iter().filter(|&&producer| is_constant(producer));
            let new: Vec<OpId> = constants.copied().filter(|&constant| !front[constant]).collect();
            new.iter().for_each(|&constant| front[constant] = true);
            open.extend(new);
        }
    }
    // Where every op stands now: one that moved stands where the last op it reads stands, behind it.
    let mut stands: Vec<OpId> = OpId::first(count).collect();
    for id in OpId::first(count).filter(|&id| moves[id]) {
        let read = producers[id].iter().filter(|&&producer| !front[producer]);
        if let Some(&last) = read.max_by_key(|&&producer| (stands[producer], producer)) {
            stands[id] = stands[last];
            behind[stands[id]].push(id);
        }
    }
    let mut order: Vec<OpId> = OpId::first(count).filter(|&id| front[id]).collect();
    for id in OpId::first(count).filter(|&id| !front[id] && stands[id] == id) {
        order.push(id);
        order.append(&mut behind[id]);
    }
    order
}

/// The part of what a reduction reads, one in so many, that is little.
const LITTLE: u64 = 64;

/// Is it a reduction, such as a norm, whose value is nothing beside what it reads?
fn reduces_to_little(graph: &Graph, id: OpId) -> bool {
    let op = &graph.ops[id];
    let bytes = |tensor: &TensorId| graph.tensors[*tensor].bytes.0;
    let largest = op.inputs.iter().map(bytes).max().unwrap_or(0);
    op.pure_op
        && op.name == "stablehlo.reduce"
        && op.outputs.iter().all(|tensor| bytes(tensor) <= largest / LITTLE)
}

/// Does it make of several values that nothing else reads one that is no larger than any of them?
fn sums_up(graph: &Graph, readers: &[Vec<OpId>], id: OpId) -> bool {
    let op = &graph.ops[id];
    let [made] = op.outputs[..] else { return false };
    let ends_here = |tensor: TensorId| {
        let tensor = &graph.tensors[tensor];
        let is_value = |op: OpId| {
            graph.ops[op].role != OpRole::Constant && readers[op].iter().all(|&reader| reader == id)
        };
        !tensor.returned && tensor.bytes >= graph.tensors[made].bytes && tensor.producer.is_some_and(is_value)
    };
    op.role == OpRole::Compute && op.inputs.len() > 1 && op.inputs.iter().all(|&tensor| ends_here(tensor))
}

/// Does the op only compute elements from elements, or move, spread or view them?
fn works_on_elements(graph: &Graph, classes: &[FusionClass], id: OpId) -> bool {
    let op = &graph.ops[id];
    let kind = classes[id].kind;
    let on_elements = matches!(
        kind,
        FusionKind::Elementwise
            | FusionKind::Movement
            | FusionKind::Assembly
            | FusionKind::Transpose
            | FusionKind::Broadcast
    );
    let by_role = match op.role {
        OpRole::Compute => on_elements,
        OpRole::View => kind != FusionKind::Barrier,
        OpRole::Constant => false,
    };
    by_role && op.pure_op && op.name.starts_with("stablehlo.")
}

#[cfg(test)]
mod tests {
    use melior::ir::Module;

    use super::*;
    use crate::import::tests::context;

    /// Names of the ops after the move, by what they are called in the program.
    fn order_of(ops: &str, results: &str, types: &str) -> Vec<String> {
        order_in(ops, (results, types), T)
    }

    /// The same with arguments of a type.
    fn order_in(ops: &str, (results, types): (&str, &str), argument: &str) -> Vec<String> {
        let context = context();
        let text = format!(
            r#"func.func @main(%w: {argument}, %x: {argument}) -> ({types}) {{
                {ops}
                return {results} : {types}
            }}"#
        );
        let module = Module::parse(&context, &text).expect("the test's program parses");
        hasten(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
        assert!(module.as_operation().verify(), "every value is made before it is read");
        let imported =
            import::read(module.as_operation(), &ImportOptions::default()).expect("it is still read");
        imported.graph.ops.iter().map(|op| op.name.replace("stablehlo.", "")).collect()
    }

    const T: &str = "tensor<4x4xf32>";
    const LARGE: &str = "tensor<16x16xf32>";

    fn product(name: &str, left: &str, right: &str) -> String {
        format!(
            r#"%{name} = "stablehlo.dot_general"(%{left}, %{right}) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}}> : ({T}, {T}) -> {T}
            "#
        )
    }

    #[test]
    fn an_update_follows_its_gradient_and_takes_its_rate_along() {
        let ops = product("g", "w", "x")
            + &product("h", "g", "x")
            + &format!(
                r#"%c = "stablehlo.constant"() <{{value = dense<0.1> : tensor<f32>}}> : () -> tensor<f32>
                   %r = "stablehlo.broadcast_in_dim"(%c) <{{broadcast_dimensions = array<i64>}}> : (tensor<f32>) -> {T}
                   %s = "stablehlo.multiply"(%r, %g) : ({T}, {T}) -> {T}
                   %u = "stablehlo.subtract"(%w, %s) : ({T}, {T}) -> {T}"#
            );
        let names = order_of(&ops, "%h, %u", &format!("{T}, {T}"));
        assert_eq!(
            names,
            ["constant", "broadcast_in_dim", "dot_general", "multiply", "subtract", "dot_general"]
        );
    }

    #[test]
    fn what_something_else_reads_and_what_is_no_elementwise_op_stays() {
        // The sum is read by a product, which is itself the last to make a result.
        let ops = product("g", "w", "x")
            + &product("h", "g", "x")
            + &format!(r#"%s = "stablehlo.add"(%w, %g) : ({T}, {T}) -> {T}"#)
            + "\n"
            + &product("k", "s", "g");
        let names = order_of(&ops, "%h, %k", &format!("{T}, {T}"));
        assert_eq!(names, ["dot_general", "dot_general", "add", "dot_general"]);
    }

    #[test]
    fn a_sum_that_values_end_in_follows_the_last_of_them() {
        let add = |name: &str, left: &str, right: &str| {
            format!(r#"%{name} = "stablehlo.add"(%{left}, %{right}) : ({T}, {T}) -> {T}"#) + "\n"
        };
        let products = product("g", "w", "x") + &product("h", "w", "w") + &product("k", "x", "x");
        let ops = products.clone() + &add("s", "g", "h") + &product("l", "s", "k");
        assert_eq!(
            order_of(&ops, "%l", T),
            ["dot_general", "dot_general", "add", "dot_general", "dot_general"]
        );
        // One of its operands is read again, or is an argument: no value fewer for it.
        for sum in
            [add("s", "g", "k") + &product("l", "s", "k"), add("s", "h", "x") + &product("l", "s", "k")]
        {
            let names = order_of(&(products.clone() + &sum), "%l, %g, %h", &format!("{T}, {T}, {T}"));
            assert_eq!(names, ["dot_general", "dot_general", "dot_general", "add", "dot_general"]);
        }
    }

    #[test]
    fn a_norm_follows_its_gradient_and_a_sum_that_is_no_smaller_stays() {
        let reduced = |dimensions: &str, result: &str| {
            format!(
                r#"%z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
                   %q = "stablehlo.multiply"(%g, %g) : ({LARGE}, {LARGE}) -> {LARGE}
                   %n = "stablehlo.reduce"(%q, %z) <{{dimensions = array<i64: {dimensions}>}}> ({{
                   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                     %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                     "stablehlo.return"(%c) : (tensor<f32>) -> ()
                   }}) : ({LARGE}, tensor<f32>) -> {result}"#
            )
        };
        let dot = |name: &str, left: &str, right: &str| product(name, left, right).replace(T, LARGE);
        let order = |dimensions: &str, result: &str| {
            let ops = dot("g", "w", "x") + &dot("h", "g", "x") + &reduced(dimensions, result) + "\n";
            let last = format!(
                r#"%r = "stablehlo.custom_call"(%n, %g) <{{call_target_name = "f"}}> : ({result}, {LARGE}) -> {LARGE}"#
            );
            order_in(&(ops + &last), ("%h, %r", &format!("{LARGE}, {LARGE}")), LARGE)
        };
        let first = ["constant", "dot_general", "multiply", "reduce", "dot_general", "custom_call"];
        assert_eq!(order("0, 1", "tensor<f32>"), first);
        let last = ["dot_general", "dot_general", "constant", "multiply", "reduce", "custom_call"];
        assert_eq!(order("0", "tensor<16xf32>"), last);
    }
}
