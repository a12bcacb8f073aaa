//! What each op of a program is to XLA's instruction fusion: the one place that tells by name. A new dialect's ops are entered here.
//!
//! Names are looked at without their dialect: `stablehlo.tanh`, `math.tanh` and `tosa.tanh` are one op to a fusing compiler.

use ballast_core::fusion::{FusionClass, FusionClasses, FusionKind};
use ballast_core::graph::{Graph, LayerType, Op, OpId, TensorId};
use ballast_dialects::ir;
use ballast_dialects::types::{Kind, kind, shape};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::names::{is_expensive, last_name};
use crate::import::{Imported, opaque};

/// Data movement that a loop can do on the way.
const MOVEMENT: [&str; 10] = [
    "concat",
    "concatenate",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "pad",
    "reshape",
    "reverse",
    "slice",
    "splat",
];

/// Elementwise ops of the library that runs reductions for XLA's CPU compiler (openxla/xla, `ynn_support.cc`).
const IN_LIBRARY: [&str; 27] = [
    "abs",
    "add",
    "ceil",
    "convert",
    "cosine",
    "divide",
    "erf",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "power",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
];

/// What the ops and tensors of a program are.
pub(crate) fn classes(imported: &Imported<'_, '_>) -> FusionClasses {
    let graph = &imported.graph;
    let rank = |tensor| shape(imported.value(tensor).r#type()).and_then(|shape| Some(shape.dims?.len()));
    let class = |(id, op): (OpId, &Op)| class_of(&op.name, &body(imported, id), op.layer, op.work.flops > 0);
    let mut ops: Vec<FusionClass> = OpId::of(&graph.ops).map(class).collect();
    for id in reversed_kernels(graph) {
        ops[id].kind = FusionKind::Reversal;
    }
    for id in padded_windows(imported) {
        ops[id].kind = FusionKind::Padding;
    }
    let ranks = TensorId::first(graph.tensors.len()).map(|tensor| rank(tensor).unwrap_or(0)).collect();
    FusionClasses { ops, ranks, library: None }
}

/// The same for XLA's CPU compiler, whose reductions are run by a library, and which copies the operands of some concatenations in blocks, one after the other:
/// such a one takes nothing in and goes into nothing. What puts elements of several places together is stored for several fusions that read it through other ops:
/// the gradients of slices of a stack, padded and summed for two moments of an optimiser, are each as large as the stack (seen with jaxlib 0.10.2).
pub(crate) fn cpu_classes(imported: &Imported<'_, '_>) -> FusionClasses {
    let mut classes = classes(imported);
    for (id, op) in OpId::of(&imported.graph.ops) {
        let name = last_name(&op.name);
        if name == "concatenate" && is_copied(imported, op) {
            classes.ops[id].kind = FusionKind::Opaque;
        } else if ["concatenate", "gather", "pad"].contains(&name)
            && classes.ops[id].kind == FusionKind::Movement
        {
            classes.ops[id].kind = FusionKind::Assembly;
        } else if is_multiplication(imported, id, op) {
            classes.ops[id].kind = FusionKind::Broadcast;
        }
    }
    let ops = OpId::of(&imported.graph.ops);
    classes.library = Some(ops.map(|(id, op)| is_in_library(imported, id, op)).collect());
    classes
}

/// Is it a product of which each element is one product of two numbers? XLA's algebraic simplifier makes it a multiplication of operands that are spread, which is
/// fused like any other (`HandleDot` in `algebraic_simplifier.cc`): the gradient of a weight for every example by itself is such a one.
fn is_multiplication(imported: &Imported<'_, '_>, id: OpId, op: &Op) -> bool {
    if op.name != "stablehlo.dot_general" {
        return false;
    }
    let contracted = || -> Option<Vec<i64>> {
        let fields = opaque::fields(&ir::opaque(imported.ops[id], "dot_dimension_numbers")?, "dot")?;
        Some(fields.get("lhs_contracting_dimensions").cloned().unwrap_or_default())
    };
    let dims = || shape(imported.value(*op.inputs.first()?).r#type())?.dims;
    contracted().zip(dims()).is_some_and(|(contracted, dims)| {
        let extent = |&dim: &i64| dims.get(usize::try_from(dim).ok()?).copied().flatten();
        contracted.iter().all(|dim| extent(dim) == Some(1))
    })
}

/// Does the library that runs reductions for XLA's CPU compiler have an op?
fn is_in_library(imported: &Imported<'_, '_>, id: OpId, op: &Op) -> bool {
    let of = |tensor: TensorId| shape(imported.value(tensor).r#type()).map(|shape| kind(shape.element));
    let has_type = |&tensor: &TensorId| match of(tensor) {
        Some(Kind::Float { width, brain }) => width != 16 || brain,
        Some(Kind::Integer { width, .. }) => width == 8,
        _ => false,
    };
    let mut types = op.inputs.iter().chain(&op.outputs);
    let name = last_name(&op.name);
    let integers = |name: &str| ir::integers(imported.ops[id], name);
    let all_one = |name: &str| integers(name).is_none_or(|all| all.iter().all(|&extent| extent == 1));
    // Windows that lie side by side.
    let tiles = || {
        let (sizes, strides) = (integers("window_dimensions"), integers("window_strides"));
        let sizes = sizes.unwrap_or_default();
        let strides = strides.unwrap_or_else(|| vec![1; sizes.len()]);
        sizes.iter().zip(&strides).all(|(size, stride)| size == stride || *size == 1)
            && all_one("base_dilations")
            && all_one("window_dilations")
    };
    let joins = || {
        let body = body(imported, id);
        let mut names = body.iter().map(|name| last_name(name));
        matches!(names.next(), Some("add" | "maximum" | "minimum"))
            && names.eq(["return"])
            && op.outputs.len() == 1
    };
    types.all(has_type)
        && match name {
            "reduce" => joins(),
            "reduce_window" => joins() && tiles(),
            "broadcast_in_dim" => true,
            "dot_general" => is_multiplication(imported, id, op),
            _ => IN_LIBRARY.binary_search(&name).is_ok(),
        }
}

/// The same for XLA's compiler for GPUs, whose kernels work on whole rows, and to which no elementwise op is too expensive to be computed in several of
/// them: it weighs operations against the traffic of a stored value (openxla/xla, `priority_fusion.cc`), and an exponential is never worth one.
pub(crate) fn gpu_classes(imported: &Imported<'_, '_>) -> FusionClasses {
    let mut classes = classes(imported);
    for (id, op) in OpId::of(&imported.graph.ops) {
        classes.ops[id].expensive = false;
        if op.name == "stablehlo.reduce" && is_along_rows(imported, id) {
            classes.ops[id].kind = FusionKind::RowReduction;
        }
    }
    classes
}

/// Does a reduction make one element of each row of one operand, of at least two dimensions?
fn is_along_rows(imported: &Imported<'_, '_>, id: OpId) -> bool {
    let op = &imported.graph.ops[id];
    let [operand, _] = op.inputs[..] else { return false };
    let Some(rank) = shape(imported.value(operand).r#type()).and_then(|shape| Some(shape.dims?.len())) else {
        return false;
    };
    let last = i64::try_from(rank).map_or(-1, |rank| rank - 1);
    rank > 1 && ir::integers(imported.ops[id], "dimensions").as_deref() == Some(&[last])
}

/// Most operands of a concatenation that is fused.
const MOST_JOINED: usize = 8;
/// Elements of a joined row from which on it is copied.
const WIDE: u64 = 128;

/// Is a concatenation copied in blocks? Seen with jaxlib 0.10.2: of more than eight operands always, of fewer where rows of 128 elements or
/// more are joined, that is, along the last of at least two dimensions.
fn is_copied(imported: &Imported<'_, '_>, op: &Op) -> bool {
    let last = |tensor: TensorId| -> Option<(usize, u64)> {
        let dims = shape(imported.value(tensor).r#type())?.dims?;
        Some((dims.len(), dims.last().copied()??))
    };
    let (Some(&first), Some(&joined)) = (op.inputs.first(), op.outputs.first()) else { return false };
    let (Some((_, part)), Some((rank, row))) = (last(first), last(joined)) else { return false };
    op.inputs.len() > MOST_JOINED || (rank > 1 && row != part && row >= WIDE)
}

/// Reversals that convolutions alone read: XLA reverses a kernel as it copies it to the layout in which it reads it.
fn reversed_kernels(graph: &Graph) -> Vec<OpId> {
    let is_reversal = |tensor: &TensorId| {
        graph.tensors[*tensor].producer.filter(|&op| last_name(&graph.ops[op].name) == "reverse")
    };
    let mut read_by_others = vec![false; graph.ops.len()];
    for op in graph.ops.iter().filter(|op| last_name(&op.name) != "convolution") {
        op.inputs.iter().filter_map(is_reversal).for_each(|reversal| read_by_others[reversal] = true);
    }
    let kernels = graph.ops.iter().filter(|op| last_name(&op.name) == "convolution");
    let kernels = kernels.filter_map(|op| op.inputs.get(1).and_then(is_reversal));
    kernels.filter(|&reversal| !read_by_others[reversal]).collect()
}

/// Paddings that a reduction over windows alone reads, with what the reduction begins with: XLA's algebraic simplifier moves the windows over what was
/// padded instead (`HandleReduceWindow` in `algebraic_simplifier.cc`). The gradient of average pooling is one.
fn padded_windows(imported: &Imported<'_, '_>) -> Vec<OpId> {
    let graph = &imported.graph;
    let of = |tensor: TensorId, name: &str| {
        graph.tensors[tensor].producer.filter(|&op| last_name(&graph.ops[op].name) == name)
    };
    // JAX spreads a number over no dimensions.
    let number = |mut tensor: TensorId| {
        while let Some(spread) = of(tensor, "broadcast_in_dim") {
            tensor = *graph.ops[spread].inputs.first()?;
        }
        of(tensor, "constant").and_then(|op| imported.ops[op].attribute("value").ok())
    };
    let mut readers = vec![0_usize; graph.ops.len()];
    for &tensor in graph.ops.iter().flat_map(|op| &op.inputs) {
        graph.tensors[tensor].producer.into_iter().for_each(|op| readers[op] += 1);
    }
    let windows = graph.ops.iter().filter(|op| last_name(&op.name) == "reduce_window");
    let padded = windows.filter_map(|op| {
        let [values, first] = op.inputs[..] else { return None };
        let padding = of(values, "pad")?;
        let filled = graph.ops[padding].inputs.get(1).copied()?;
        (readers[padding] == 1 && number(first).is_some() && number(first) == number(filled))
            .then_some(padding)
    });
    padded.collect()
}

/// The class of an op by its name, those of the ops in its body, its layer, and whether it computes anything.
fn class_of(name: &str, body: &[&str], layer: LayerType, computes: bool) -> FusionClass {
    let expensive = body.iter().copied().chain([name]).any(is_expensive);
    let kind = match (last_name(name), layer) {
        ("broadcast" | "broadcast_in_dim" | "tile", _) => FusionKind::Broadcast,
        ("transpose", _) => FusionKind::Transpose,
        ("iota", _) => FusionKind::Iota,
        _ if is_barrier(name) => FusionKind::Barrier,
        (_, LayerType::Activation) if name == "func.call" || name.starts_with("scf.") => FusionKind::Opaque,
        (_, LayerType::Activation) => FusionKind::Elementwise,
        (last, LayerType::Other) if MOVEMENT.binary_search(&last).is_ok() => FusionKind::Movement,
        (_, LayerType::Other) if name == "linalg.generic" && !computes => FusionKind::Movement,
        _ => FusionKind::Opaque,
    };
    FusionClass { kind, expensive }
}

/// Names of the ops in the body of an op, all of them: the key of a profile lists the first few.
fn body<'a>(imported: &Imported<'_, 'a>, id: OpId) -> Vec<&'a str> {
    ir::nested(imported.ops[id]).into_iter().map(ir::name).collect()
}

/// Does an op write into a buffer that holds what one of its operands held? Of an operand that is read elsewhere, or that is a constant, XLA
/// makes a copy, and that of a constant waits for nothing: jaxlib 0.10.2 runs it before the first op of a program and holds it until
/// the op that writes into it.
pub(crate) fn writes_into_operand(name: &str) -> bool {
    matches!(name, "stablehlo.scatter" | "stablehlo.while" | "stablehlo.dynamic_update_slice")
}

/// Is it a reduction, over windows or over whole dimensions? With jaxlib 0.10.2 a library runs these together with the elementwise ops in front
/// of and behind them. It spreads a number on the way where nothing else reads that spread; one that is read elsewhere too, as the zeros of
/// all rectified layers of a size are, is stored before the first op of a program.
pub(crate) fn is_reduction(name: &str) -> bool {
    matches!(name, "stablehlo.reduce" | "stablehlo.reduce_window")
}

/// Is it an op that keeps a compiler from moving or merging others across it?
pub(crate) fn is_barrier(name: &str) -> bool {
    last_name(name) == "optimization_barrier"
}

#[cfg(test)]
mod tests {
    use ballast_core::fusion::{Fusion, fuse};
    use ballast_core::units::Bytes;
    use melior::ir::Module;

    use super::*;
    use crate::import::tests::context;
    use crate::import::{ImportOptions, read};

    #[test]
    fn tables_are_sorted() {
        assert!(MOVEMENT.is_sorted() && IN_LIBRARY.is_sorted());
    }

    #[test]
    fn a_rank_is_that_of_the_type_whatever_its_elements_are_called() {
        let context = context();
        let text = r#"func.func @f(%a: tensor<4xcomplex<f32>>, %b: tensor<4x2xindex>, %c: tensor<index>) -> tensor<4xcomplex<f32>> {
            %0 = "stablehlo.add"(%a, %a) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
            return %0 : tensor<4xcomplex<f32>>
        }"#;
        let module = Module::parse(&context, text).expect("the test's program parses");
        let imported =
            read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
        assert_eq!(classes(&imported).ranks, [1, 2, 0, 1]);
    }

    #[test]
    fn sums_along_rows_are_those_over_the_last_of_several_dimensions_and_only_to_a_gpu() {
        let kinds = |operand: &str, dimension: usize, result: &str| {
            let context = context();
            let text = format!(
                r#"func.func @f(%a: {operand}) -> {result} {{
                    %z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
                    %0 = "stablehlo.reduce"(%a, %z) <{{dimensions = array<i64: {dimension}>}}> ({{
                    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
                      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                      "stablehlo.return"(%s) : (tensor<f32>) -> ()
                    }}) : ({operand}, tensor<f32>) -> {result}
                    return %0 : {result}
                }}"#
            );
            let module = Module::parse(&context, &text).expect("the test's program parses");
            let imported =
                read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
            [gpu_classes(&imported), classes(&imported)].map(|classes| classes.ops[1].kind)
        };
        let (rows, none) =
            ([FusionKind::RowReduction, FusionKind::Opaque], [FusionKind::Opaque, FusionKind::Opaque]);
        assert_eq!(kinds("tensor<4x8xf32>", 1, "tensor<4xf32>"), rows);
        assert_eq!(kinds("tensor<4x8xf32>", 0, "tensor<8xf32>"), none);
        assert_eq!(kinds("tensor<2x4x4xf32>", 2, "tensor<2x4xf32>"), rows);
        assert_eq!(kinds("tensor<2x4x4xf32>", 1, "tensor<2x4xf32>"), none);
        assert_eq!(kinds("tensor<8xf32>", 0, "tensor<f32>"), none);
    }

    #[test]
    fn a_kernel_is_reversed_on_its_way_into_a_convolution_and_nothing_else_is() {
        let context = context();
        let layout = "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>";
        let text = format!(
            r#"func.func @f(%a: tensor<2x4x3xf32>, %k: tensor<3x3x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>) {{
            %0 = "stablehlo.reverse"(%k) <{{dimensions = array<i64: 0>}}> : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
            %1 = "stablehlo.convolution"(%a, %0) <{{batch_group_count = 1 : i64, dimension_numbers = {layout}, feature_group_count = 1 : i64, padding = dense<1> : tensor<1x2xi64>}}> : (tensor<2x4x3xf32>, tensor<3x3x3xf32>) -> tensor<2x4x3xf32>
            %2 = "stablehlo.reverse"(%1) <{{dimensions = array<i64: 1>}}> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
            %3 = "stablehlo.convolution"(%2, %k) <{{batch_group_count = 1 : i64, dimension_numbers = {layout}, feature_group_count = 1 : i64, padding = dense<1> : tensor<1x2xi64>}}> : (tensor<2x4x3xf32>, tensor<3x3x3xf32>) -> tensor<2x4x3xf32>
            return %1, %3 : tensor<2x4x3xf32>, tensor<2x4x3xf32>
        }}"#
        );
        let module = Module::parse(&context, &text).expect("the test's program parses");
        let mut imported =
            read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
        let kinds: Vec<FusionKind> = classes(&imported).ops.iter().map(|class| class.kind).collect();
        assert_eq!(
            kinds,
            [FusionKind::Reversal, FusionKind::Opaque, FusionKind::Movement, FusionKind::Opaque]
        );
        // The kernel is copied once, reversed, though it has the layout that the convolution reads.
        let kernel = imported.graph.value_bytes(OpId(0));
        assert_eq!(imported.workspace_in_xla[1].during, kernel);
        let classes = classes(&imported);
        let mut left_alone = imported.graph.clone();
        fuse(&mut left_alone, &classes, Fusion::Xla, &[]);
        assert_eq!(left_alone.value_bytes(OpId(0)), kernel);
        fuse(&mut imported.graph, &classes, Fusion::XlaHeld, &[]);
        assert_eq!(imported.graph.value_bytes(OpId(0)), Bytes::ZERO);
        assert_ne!(imported.graph.value_bytes(OpId(2)), Bytes::ZERO);
    }

    #[test]
    fn a_margin_of_what_windows_begin_with_is_not_stored() {
        let context = context();
        let stored = |margin: &str| {
            let text = format!(
                r#"func.func @f(%a: tensor<4x4xf32>) -> tensor<8x8xf32> {{
                %z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
                %m = "stablehlo.constant"() <{{value = dense<{margin}> : tensor<f32>}}> : () -> tensor<f32>
                %n = "stablehlo.broadcast_in_dim"(%z) <{{broadcast_dimensions = array<i64>}}> : (tensor<f32>) -> tensor<f32>
                %0 = "stablehlo.add"(%a, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
                %1 = "stablehlo.pad"(%0, %m) <{{edge_padding_low = array<i64: 1, 1>, edge_padding_high = array<i64: 1, 1>, interior_padding = array<i64: 1, 1>}}> : (tensor<4x4xf32>, tensor<f32>) -> tensor<9x9xf32>
                %2 = "stablehlo.reduce_window"(%1, %n) <{{window_dimensions = array<i64: 2, 2>}}> ({{
                ^bb0(%l: tensor<f32>, %r: tensor<f32>):
                  %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                  "stablehlo.return"(%s) : (tensor<f32>) -> ()
                }}) : (tensor<9x9xf32>, tensor<f32>) -> tensor<8x8xf32>
                return %2 : tensor<8x8xf32>
            }}"#
            );
            let module = Module::parse(&context, &text).expect("the test's program parses");
            let mut imported =
                read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
            let classes = cpu_classes(&imported);
            fuse(&mut imported.graph, &classes, Fusion::XlaHeld, &[]);
            imported.graph.planned().map(|id| imported.graph.ops[id].name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(stored("0.0"), ["stablehlo.add", "stablehlo.reduce_window"]);
        assert_eq!(stored("1.0"), ["stablehlo.pad", "stablehlo.reduce_window"]);
    }

    #[test]
    fn a_library_has_sums_and_windows_side_by_side_of_floats_and_few_ops_in_front_of_them() {
        let context = context();
        let (rows, flags) = ("tensor<8x8xf32>", "tensor<8x8xi1>");
        let join = |name: &str, element: &str| {
            format!(
                r#"({{
                ^bb0(%l: tensor<{element}>, %r: tensor<{element}>):
                  %s = "stablehlo.{name}"(%l, %r) : (tensor<{element}>, tensor<{element}>) -> tensor<{element}>
                  "stablehlo.return"(%s) : (tensor<{element}>) -> ()
                }})"#
            )
        };
        let windows = |stride: usize| {
            format!(
                r#""stablehlo.reduce_window"(%c, %z) <{{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, {stride}>}}> {} : ({rows}, tensor<f32>) -> tensor<8x{}xf32>"#,
                join("maximum", "f32"),
                (8 - 2) / stride + 1
            )
        };
        let sum = |name: &str, values: &str, zero: &str, element: &str| {
            format!(
                r#""stablehlo.reduce"(%{values}, %{zero}) <{{dimensions = array<i64: 1>}}> {} : (tensor<8x8x{element}>, tensor<{element}>) -> tensor<8x{element}>"#,
                join(name, element)
            )
        };
        let text = format!(
            r#"func.func @f(%a: {rows}, %i: tensor<8x8xi32>, %z: tensor<f32>, %n: tensor<i32>) {{
                %b = "stablehlo.tanh"(%a) : ({rows}) -> {rows}
                %p = "stablehlo.compare"(%a, %b) <{{comparison_direction = #stablehlo<comparison_direction GT>}}> : ({rows}, {rows}) -> {flags}
                %c = "stablehlo.select"(%p, %a, %b) : ({flags}, {rows}, {rows}) -> {rows}
                %0 = {}
                %1 = {}
                %2 = {}
                %3 = {}
                %4 = {}
                return
            }}"#,
            sum("add", "c", "z", "f32"),
            sum("multiply", "c", "z", "f32"),
            sum("add", "i", "n", "i32"),
            windows(2),
            windows(1),
        );
        let module = Module::parse(&context, &text).expect("the test's program parses");
        let imported =
            read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
        let library = cpu_classes(&imported).library.expect("a CPU's compiler has a library");
        assert_eq!(library, [true, false, false, true, false, false, true, false]);
        assert_eq!(classes(&imported).library, None);
    }

    #[test]
    fn wide_rows_and_many_operands_are_joined_by_copies_on_a_cpu_and_inside_a_loop_elsewhere() {
        /// Kinds, on a CPU and elsewhere, of a concatenation of operands of a type.
        fn joined(operand: &str, count: usize, dimension: usize, result: &str) -> [FusionKind; 2] {
            let context = context();
            let operands = vec!["%a"; count].join(", ");
            let types = vec![operand; count].join(", ");
            let text = format!(
                r#"func.func @f(%a: {operand}) -> {result} {{
                    %0 = "stablehlo.concatenate"({operands}) <{{dimension = {dimension} : i64}}> : ({types}) -> {result}
                    return %0 : {result}
                }}"#
            );
            let module = Module::parse(&context, &text).expect("the test's program parses");
            let imported =
                read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
            [cpu_classes(&imported), classes(&imported)].map(|classes| classes.ops[0].kind)
        }
        let (copied, fused) =
            ([FusionKind::Opaque, FusionKind::Movement], [FusionKind::Assembly, FusionKind::Movement]);
        assert_eq!(joined("tensor<9x64xf32>", 2, 1, "tensor<9x128xf32>"), copied);
        assert_eq!(joined("tensor<9x63xf32>", 2, 1, "tensor<9x126xf32>"), fused);
        assert_eq!(joined("tensor<9x64xf32>", 2, 0, "tensor<18x64xf32>"), fused);
        assert_eq!(joined("tensor<9x256xf32>", 2, 0, "tensor<18x256xf32>"), fused);
        assert_eq!(joined("tensor<4096xf32>", 2, 0, "tensor<8192xf32>"), fused);
        assert_eq!(joined("tensor<9x4xf32>", 8, 0, "tensor<72x4xf32>"), fused);
        assert_eq!(joined("tensor<9x4xf32>", 9, 0, "tensor<81x4xf32>"), copied);
    }

    #[test]
    fn a_product_without_sums_is_a_multiplication_to_the_compiler_for_cpus() {
        let of = |extent: u64, contracted: &str, result: &str| {
            let context = context();
            let text = format!(
                r#"func.func @f(%a: tensor<4x{extent}xf32>, %b: tensor<4x{extent}xf32>) -> {result} {{
                    %0 = "stablehlo.dot_general"(%a, %b) <{{dot_dimension_numbers = #stablehlo.dot<{contracted}>}}> : (tensor<4x{extent}xf32>, tensor<4x{extent}xf32>) -> {result}
                    return %0 : {result}
                }}"#
            );
            let module = Module::parse(&context, &text).expect("the test's program parses");
            let imported =
                read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
            let classes = cpu_classes(&imported);
            (classes.ops[0].kind, classes.library.expect("CPUs have one")[0])
        };
        let (sums, none) = ((FusionKind::Opaque, false), (FusionKind::Broadcast, true));
        let last = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]";
        let batches = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0]";
        assert_eq!(of(3, last, "tensor<4x4xf32>"), sums);
        assert_eq!(of(1, last, "tensor<4x4xf32>"), none);
        assert_eq!(of(3, batches, "tensor<4x3x3xf32>"), none);
        assert_eq!(of(3, &format!("{batches}, {last}"), "tensor<4xf32>"), sums);
    }

    #[test]
    fn names_count_without_their_dialect_and_bodies_by_what_is_in_them() {
        let of_body = |name: &str, body: &[&str], layer: LayerType| {
            let FusionClass { kind, expensive } = class_of(name, body, layer, false);
            (kind, expensive)
        };
        let of = |name: &str, layer: LayerType| of_body(name, &[], layer);
        let (elementwise, other) = (LayerType::Activation, LayerType::Other);
        assert_eq!(of("math.tanh", elementwise), (FusionKind::Elementwise, true));
        assert_eq!(of("tosa.add", elementwise), (FusionKind::Elementwise, false));
        assert_eq!(
            of_body("linalg.generic", &["arith.addf", "arith.divf"], elementwise),
            (FusionKind::Elementwise, true)
        );
        assert_eq!(of("linalg.generic", other), (FusionKind::Movement, false));
        assert_eq!(of("tosa.tile", other), (FusionKind::Broadcast, false));
        assert_eq!(of("stablehlo.sort", other), (FusionKind::Opaque, false));
        assert_eq!(of("scf.for", elementwise), (FusionKind::Opaque, false));
    }

    #[test]
    fn what_is_dear_is_dear_wherever_in_a_body_it_stands() {
        // The profile's key of such an op lists its first sixteen.
        let dear = |last: &str| {
            let context = context();
            let adds: String =
                (0..16).map(|id| format!("%{} = arith.addf %{id}, %x : f32\n", id + 1)).collect();
            let text = format!(
                r#"#map = affine_map<(d0) -> (d0)>
                func.func @f(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {{
                    %r = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}} ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) {{
                    ^bb0(%x: f32, %y: f32):
                      %0 = arith.addf %x, %x : f32
                      {adds}
                      %last = {last} : f32
                      linalg.yield %last : f32
                    }} -> tensor<8xf32>
                    return %r : tensor<8xf32>
                }}"#
            );
            let module = Module::parse(&context, &text).expect("the test's program parses");
            let imported =
                read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
            classes(&imported).ops[0].expensive
        };
        assert!(dear("math.exp %16") && !dear("arith.negf %16"));
    }
}
