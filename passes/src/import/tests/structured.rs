//! linalg, TOSA and upstream ops with work counted by hand.

use super::*;

fn one(text: &str) -> Op {
    let graph = read_ok(text);
    let id = graph.planned().last().unwrap_or_else(|| panic!("nothing is planned in {text}"));
    graph.ops[id].clone()
}

#[test]
fn named_linalg_ops_count_their_iteration_space() {
    // (op, inputs, output type, fused, exact, layer)
    let cases = [
        ("matmul", "tensor<3x4xf32>, tensor<4x5xf32>", "tensor<3x5xf32>", 15 * 8, 15 * 7, LayerType::Dense),
        (
            "batch_matmul",
            "tensor<2x3x4xf32>, tensor<2x4x5xf32>",
            "tensor<2x3x5xf32>",
            30 * 8,
            30 * 7,
            LayerType::Dense,
        ),
        ("matvec", "tensor<3x4xf32>, tensor<4xf32>", "tensor<3xf32>", 3 * 8, 3 * 7, LayerType::Dense),
        ("dot", "tensor<4xf32>, tensor<4xf32>", "tensor<f32>", 8, 7, LayerType::Dense),
        (
            "conv_2d_nchw_fchw",
            "tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>",
            "tensor<2x8x4x4xf32>",
            256 * 2 * 27,
            256 * 3 * 17,
            LayerType::Convolution,
        ),
        (
            "conv_2d_nhwc_hwcf",
            "tensor<2x6x6x3xf32>, tensor<3x3x3x8xf32>",
            "tensor<2x4x4x8xf32>",
            256 * 2 * 27,
            256 * 3 * 17,
            LayerType::Convolution,
        ),
        (
            "depthwise_conv_2d_nhwc_hwc",
            "tensor<1x6x6x3xf32>, tensor<3x3x3xf32>",
            "tensor<1x4x4x3xf32>",
            48 * 2 * 9,
            48 * 17,
            LayerType::Convolution,
        ),
        (
            "pooling_nchw_max",
            "tensor<1x3x6x6xf32>, tensor<3x3xf32>",
            "tensor<1x3x4x4xf32>",
            48 * 9,
            48 * 9,
            LayerType::Pooling,
        ),
        ("add", "tensor<3x4xf32>, tensor<3x4xf32>", "tensor<3x4xf32>", 12, 12, LayerType::Activation),
    ];
    for (name, inputs, output, fused, exact, layer) in cases {
        let op = one(&format!(
            "func.func @main({}, %o: {output}) -> {output} {{
          %r = linalg.{name} ins(%a0, %a1 : {inputs}) outs(%o : {output}) -> {output}
          return %r : {output}
        }}",
            inputs
                .split(", ")
                .enumerate()
                .map(|(i, kind)| format!("%a{i}: {kind}"))
                .collect::<Vec<_>>()
                .join(", "),
        ));
        assert_eq!((op.work.flops, op.work.macs_exact, op.layer), (fused, exact, layer), "{name}");
        assert!(op.work.priced && op.pure_op, "{name}");
        assert_eq!(op.opens_layer, matches!(layer, LayerType::Dense | LayerType::Convolution), "{name}");
    }
}

#[test]
fn the_window_of_a_pooling_and_a_result_only_written_are_not_read() {
    let op = one(
        "func.func @main(%a: tensor<1x3x6x6xf32>, %w: tensor<3x3xf32>, %o: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
      %r = linalg.pooling_nchw_max ins(%a, %w : tensor<1x3x6x6xf32>, tensor<3x3xf32>) outs(%o : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
      return %r : tensor<1x3x4x4xf32>
    }",
    );
    assert_eq!(op.work.bytes.0, 4 * (108 + 48 + 48));
}

fn generic(maps: &str, iterators: &str, body: &str) -> Op {
    one(&format!(
        "func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %o: tensor<3x5xf32>) -> tensor<3x5xf32> {{
      %c = arith.constant 2.0 : f32
      %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
        ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%o : tensor<3x5xf32>) {{
      ^bb0(%x: f32, %y: f32, %z: f32):
        {body}
      }} -> tensor<3x5xf32>
      return %r : tensor<3x5xf32>
    }}"
    ))
}

#[test]
fn generic_ops_count_their_body_at_every_point() {
    let maps =
        "affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>";
    let iterators = r#""parallel", "parallel", "reduction""#;
    let product = generic(
        maps,
        iterators,
        "%m = arith.mulf %x, %y : f32
        %s = arith.addf %z, %m : f32
        linalg.yield %s : f32",
    );
    assert_eq!((product.work.flops, product.work.macs_exact, product.layer), (120, 15 * 7, LayerType::Dense));
    let other = generic(
        maps,
        iterators,
        "%m = arith.subf %x, %y : f32
        %e = math.exp %m : f32
        %q = arith.mulf %e, %c : f32
        %s = arith.maximumf %z, %q : f32
        linalg.yield %s : f32",
    );
    assert_eq!((other.work.flops, other.layer), (60 * 4, LayerType::Normalisation));
}

#[test]
fn tosa_ops_follow_their_layouts() {
    // (op text, result type, arguments, fused, exact)
    let zero = "%z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>";
    let window = "dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, acc_type = f32";
    let cases = [
        (
            format!("tosa.conv2d %a, %b, %c, %z, %z {{{window}}} : (tensor<2x6x6x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x4x8xf32>"),
            "tensor<2x4x4x8xf32>",
            "%a: tensor<2x6x6x3xf32>, %b: tensor<8x3x3x3xf32>, %c: tensor<8xf32>",
            256 * 2 * 27,
            256 * 3 * 17,
        ),
        (
            format!("tosa.depthwise_conv2d %a, %b, %c, %z, %z {{{window}}} : (tensor<1x6x6x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x6xf32>"),
            "tensor<1x4x4x6xf32>",
            "%a: tensor<1x6x6x3xf32>, %b: tensor<3x3x3x2xf32>, %c: tensor<6xf32>",
            96 * 2 * 9,
            96 * 17,
        ),
        (
            "tosa.transpose_conv2d %a, %b, %c, %z, %z {out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>, acc_type = f32} : (tensor<1x4x4x3xf32>, tensor<8x2x2x3xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x8xf32>".to_owned(),
            "tensor<1x8x8x8xf32>",
            "%a: tensor<1x4x4x3xf32>, %b: tensor<8x2x2x3xf32>, %c: tensor<8xf32>",
            16 * 8 * 3 * 2 * 4,
            16 * 8 * 3 * 7,
        ),
        (
            "tosa.matmul %a, %b, %z, %z : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>".to_owned(),
            "tensor<2x3x5xf32>",
            "%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>",
            30 * 8,
            30 * 7,
        ),
        (
            "tosa.max_pool2d %a {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x6x3xf32>) -> tensor<1x4x4x3xf32>".to_owned(),
            "tensor<1x4x4x3xf32>",
            "%a: tensor<1x6x6x3xf32>",
            48 * 8,
            48 * 8,
        ),
        (
            "tosa.reduce_sum %a {axis = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x1xf32>".to_owned(),
            "tensor<3x1xf32>",
            "%a: tensor<3x4xf32>",
            9,
            9,
        ),
        (
            "tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>".to_owned(),
            "tensor<4x3xf32>",
            "%a: tensor<3x4xf32>",
            0,
            0,
        ),
        (
            "tosa.tanh %a : (tensor<3x4xf32>) -> tensor<3x4xf32>".to_owned(),
            "tensor<3x4xf32>",
            "%a: tensor<3x4xf32>",
            12,
            12,
        ),
    ];
    for (text, result, arguments, fused, exact) in cases {
        let op = one(&format!(
            "func.func @main({arguments}) -> {result} {{\n{zero}\n%r = {text}\nreturn %r : {result}\n}}"
        ));
        assert_eq!((op.work.flops, op.work.macs_exact), (fused, exact), "{text}");
        assert!(op.work.priced && op.pure_op, "{text}");
    }
}

#[test]
fn tensor_views_share_and_updates_copy() {
    let graph = read_ok(
        "func.func @main(%a: tensor<4x8xf32>, %b: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<4x8xf32>) {
      %0 = math.exp %a : tensor<4x8xf32>
      %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
      %2 = tensor.expand_shape %1 [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
      %3 = tensor.extract_slice %2[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
      %4 = tensor.insert_slice %b into %a[1, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
      return %3, %4 : tensor<2x8xf32>, tensor<4x8xf32>
    }",
    );
    let planned: Vec<&str> = graph.planned().map(|id| graph.ops[id].name.as_str()).collect();
    assert_eq!(planned, ["math.exp", "tensor.insert_slice"]);
    assert!(graph.returned_ops()[0], "the slice returned is a view of the exponential");
    assert_eq!(op(&graph, "tensor.insert_slice").work.bytes.0, 4 * (32 + 16 + 32));
}

#[test]
fn integer_and_narrow_arithmetic_are_told_apart() {
    for (kind, op, arithmetic) in [
        ("i8", "arith.addi", Arithmetic::I8),
        ("i1", "arith.andi", Arithmetic::Int),
        ("i64", "arith.addi", Arithmetic::Int),
        ("f16", "arith.addf", Arithmetic::F16),
        ("bf16", "arith.addf", Arithmetic::Bf16),
        ("f64", "arith.addf", Arithmetic::F64),
        ("f8E5M2", "arith.addf", Arithmetic::F8),
    ] {
        let text = format!(
            "func.func @main(%a: tensor<4x{kind}>) -> tensor<4x{kind}> {{\n%r = {op} %a, %a : tensor<4x{kind}>\nreturn %r : tensor<4x{kind}>\n}}"
        );
        assert_eq!(one(&text).work.arithmetic, arithmetic, "{kind}");
    }
}

#[test]
fn rows_are_inserted_where_the_whole_lies() {
    let looped = |start: &str, read: &str| {
        one(&format!(
            "func.func @main(%a: tensor<4096x8xf32>, %row: tensor<1x8xf32>) -> tensor<4096x8xf32> {{
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          %many = arith.constant 4096 : index
          %s = {start}
          %0 = scf.for %i = %zero to %many step %one iter_args(%x = %s) -> tensor<4096x8xf32> {{
            %n = tensor.insert_slice %row into %x[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4096x8xf32>
            {read}
            scf.yield %n : tensor<4096x8xf32>
          }}
          return %0 : tensor<4096x8xf32>
        }}"
        ))
        .work
        .bytes
        .0
    };
    let exp = "math.exp %a : tensor<4096x8xf32>";
    assert_eq!(looped(exp, ""), 4096 * 2 * 32);
    let read = "%e = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4096x8xf32> to tensor<1x8xf32>";
    assert!(looped(exp, read) > 4096 * 4096 * 32, "the slice reads what was there");
}

#[test]
fn tables_of_indices_take_memory() {
    let graph = read_ok(
        "#map = affine_map<(d0, d1) -> (d0, d1)>
        func.func @main(%a: tensor<128x128xf32>) -> tensor<128x128xf32> {
          %e = tensor.empty() : tensor<128x128xf32>
          %t = linalg.generic {indexing_maps = [#map], iterator_types = [\"parallel\", \"parallel\"]} outs(%e : tensor<128x128xf32>) {
          ^bb0(%o: f32):
            %i = linalg.index 0 : index
            %n = arith.index_cast %i : index to i32
            %f = arith.sitofp %n : i32 to f32
            linalg.yield %f : f32
          } -> tensor<128x128xf32>
          %m = linalg.matmul ins(%a, %t : tensor<128x128xf32>, tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
          return %m : tensor<128x128xf32>
        }",
    );
    let generic = op(&graph, "linalg.generic");
    assert_eq!((generic.role, graph.tensors[generic.outputs[0]].bytes.0), (OpRole::Compute, 1 << 16));
}
