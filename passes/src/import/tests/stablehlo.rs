//! StableHLO and CHLO ops with work counted by hand.

use super::*;

/// Reads one op applied to the function's arguments.
fn one(arguments: &str, text: &str, result: &str) -> Op {
    let graph = read_ok(&super::stablehlo(arguments, text, result));
    graph.ops.last().unwrap().clone()
}

#[test]
fn products_count_two_per_multiply_add() {
    let dot = one(
        "%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x5x6xf32>",
        r#"%r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>}> : (tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32>"#,
        "tensor<2x3x4x6xf32>",
    );
    let outputs = 2 * 3 * 4 * 6;
    assert_eq!((dot.work.flops, dot.work.macs_exact), (outputs * 2 * 5, outputs * (2 * 5 - 1)));
    assert_eq!(dot.work.bytes.0, 4 * (120 + 180 + outputs));
    assert_eq!((dot.layer, dot.opens_layer), (LayerType::Dense, true));
    let plain = one(
        "%a: tensor<4x5xbf16>, %b: tensor<5xbf16>",
        r#"%r = "stablehlo.dot"(%a, %b) : (tensor<4x5xbf16>, tensor<5xbf16>) -> tensor<4xf32>"#,
        "tensor<4xf32>",
    );
    assert_eq!((plain.work.flops, plain.work.arithmetic), (40, Arithmetic::Bf16));
    let damaged = one(
        "%a: tensor<4x5xf32>",
        r#"%r = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [7]>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x4xf32>"#,
        "tensor<4x4xf32>",
    );
    assert_eq!((damaged.work.priced, damaged.work.bytes.0), (false, 80 + 64), "priced by its bytes");
}

fn convolution(input: &str, kernel: &str, result: &str, attributes: &str) -> Op {
    one(
        &format!("%a: {input}, %k: {kernel}"),
        &format!(
            r#"%r = "stablehlo.convolution"(%a, %k) <{{{attributes}}}> : ({input}, {kernel}) -> {result}"#
        ),
        result,
    )
}

const NHWC: &str = "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>";

#[test]
fn convolutions_count_their_window_at_every_output() {
    // 8x8x3 with a 3x3 kernel to 16 channels, stride 2, padded to 4x4.
    let plain = convolution(
        "tensor<2x8x8x3xf32>",
        "tensor<3x3x3x16xf32>",
        "tensor<2x4x4x16xf32>",
        &format!(
            "batch_group_count = 1 : i64, {NHWC}, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 2, 2>"
        ),
    );
    let outputs = 2 * 4 * 4 * 16;
    assert_eq!(plain.work.flops, outputs * 2 * 9 * 3);
    // [D]: each pair of channels sums its window on its own.
    assert_eq!(plain.work.macs_exact, outputs * 3 * (9 + 8));
    assert_eq!((plain.layer, plain.opens_layer), (LayerType::Convolution, true));
    assert_eq!(plain.work.bytes.0, 4 * (2 * 64 * 3 + 9 * 48 + outputs));
    // Four feature groups: every output reads a quarter of the input features.
    let grouped = convolution(
        "tensor<1x8x8x8xf32>",
        "tensor<3x3x2x16xf32>",
        "tensor<1x6x6x16xf32>",
        &format!("{NHWC}, feature_group_count = 4 : i64, batch_group_count = 1 : i64"),
    );
    assert_eq!(grouped.work.flops, 36 * 16 * 2 * 9 * 2);
    // Two batch groups: the batch of the result is halved, the sums are as long.
    let batched = convolution(
        "tensor<4x8x8x3xf32>",
        "tensor<3x3x3x16xf32>",
        "tensor<2x6x6x16xf32>",
        &format!("{NHWC}, feature_group_count = 1 : i64, batch_group_count = 2 : i64"),
    );
    assert_eq!(batched.work.flops, 2 * 36 * 16 * 2 * 9 * 3);
    // A dilated kernel has as many taps.
    let dilated = convolution(
        "tensor<1x9x9x1xf32>",
        "tensor<3x3x1x1xf32>",
        "tensor<1x5x5x1xf32>",
        &format!("{NHWC}, rhs_dilation = array<i64: 2, 2>"),
    );
    assert_eq!(dilated.work.flops, 25 * 2 * 9);
}

#[test]
fn the_gradients_of_a_strided_convolution_count_as_much_as_the_convolution() {
    // Forward: 1x7x7x2 by 3x3 to 1x3x3x4, stride 2, no padding: 9 outputs x 4 x 9 taps x 2 features.
    let forward = 2 * 9 * 4 * 9 * 2;
    let to_input = convolution(
        "tensor<1x3x3x4xf32>",
        "tensor<3x3x2x4xf32>",
        "tensor<1x7x7x2xf32>",
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, lhs_dilation = array<i64: 2, 2>, padding = dense<2> : tensor<2x2xi64>",
    );
    // By hand, one axis: outputs 0..7 and taps 0..3 meet an even position of the dilated input, the padding of
    // two aligned with it: outputs 0, 2, 4, 6 have two taps, 1, 3, 5 have one.
    let one_axis = 4 * 2 + 3;
    assert_eq!(to_input.work.flops, 2 * one_axis * one_axis * 2 * 4);
    // Over the outputs that are inside, it is the forward count: two taps over padding on either side.
    let over_padding = 2;
    assert_eq!(2 * (one_axis - over_padding) * (one_axis - over_padding) * 2 * 4, forward);
    let to_kernel = convolution(
        "tensor<1x7x7x2xf32>",
        "tensor<1x3x3x4xf32>",
        "tensor<3x3x2x4xf32>",
        "dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, rhs_dilation = array<i64: 2, 2>",
    );
    assert_eq!(to_kernel.work.flops, forward);
}

#[test]
fn holes_are_counted_as_one_by_one_counting_does() {
    // Widths chosen so that stride, tap spacing and hole period share factors and do not.
    for (holes, stride, spread, low) in
        [(2, 1, 1, 2), (3, 2, 1, -1), (4, 2, 2, 3), (3, 3, 1, 1), (5, 1, 3, 0)]
    {
        let (out, window) = (11_i64, 4_i64);
        let by_hand = (0..out)
            .flat_map(|o| (0..window).map(move |k| o * stride + k * spread - low))
            .filter(|at| at.rem_euclid(holes) == 0)
            .count() as u64;
        let op = convolution(
            "tensor<1x100x1xf32>",
            "tensor<4x1x1xf32>",
            "tensor<1x11x1xf32>",
            &format!(
                "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, lhs_dilation = array<i64: {holes}>, rhs_dilation = array<i64: {spread}>, window_strides = array<i64: {stride}>, padding = dense<[[{low}, 0]]> : tensor<1x2xi64>"
            ),
        );
        assert_eq!(op.work.flops, 2 * by_hand, "holes {holes} stride {stride} spread {spread} low {low}");
    }
}

#[test]
fn reductions_and_windows_count_their_joins() {
    let body = |op: &str| {
        format!(
            r#"({{
        ^bb0(%l: tensor<f32>, %q: tensor<f32>):
          %j = "stablehlo.{op}"(%l, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%j) : (tensor<f32>) -> ()
        }})"#
        )
    };
    let sum = one(
        "%a: tensor<6x10xf32>, %z: tensor<f32>",
        &format!(
            r#"%r = "stablehlo.reduce"(%a, %z) <{{dimensions = array<i64: 1>}}> {} : (tensor<6x10xf32>, tensor<f32>) -> tensor<6xf32>"#,
            body("add")
        ),
        "tensor<6xf32>",
    );
    assert_eq!(
        (sum.work.flops, sum.work.bytes.0, sum.layer),
        (54, 4 * (60 + 1 + 6), LayerType::Normalisation)
    );
    let pool = one(
        "%a: tensor<1x8x8x2xf32>, %z: tensor<f32>",
        &format!(
            r#"%r = "stablehlo.reduce_window"(%a, %z) <{{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> {} : (tensor<1x8x8x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>"#,
            body("maximum")
        ),
        "tensor<1x3x3x2xf32>",
    );
    assert_eq!((pool.work.flops, pool.layer, pool.opens_layer), (18 * 8, LayerType::Pooling, false));
    let scatter = one(
        "%a: tensor<1x8x8x2xf32>, %s: tensor<1x4x4x2xf32>, %z: tensor<f32>",
        r#"%r = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
        ^bb0(%l: tensor<f32>, %q: tensor<f32>):
          %j = "stablehlo.compare"(%l, %q) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
          "stablehlo.return"(%j) : (tensor<i1>) -> ()
        }, {
        ^bb0(%l: tensor<f32>, %q: tensor<f32>):
          %j = "stablehlo.add"(%l, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%j) : (tensor<f32>) -> ()
        }) : (tensor<1x8x8x2xf32>, tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x8x8x2xf32>"#,
        "tensor<1x8x8x2xf32>",
    );
    assert_eq!(scatter.work.flops, 32 * 3 + 32);
}

#[test]
fn moving_data_computes_nothing() {
    let gather = one(
        "%a: tensor<100x8xf32>, %i: tensor<5x1xi32>",
        r#"%r = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>"#,
        "tensor<5x8xf32>",
    );
    assert_eq!(
        (gather.work.flops, gather.work.bytes.0),
        (0, 20 + 2 * 160),
        "only the rows it picks are read"
    );
    let slice = one(
        "%a: tensor<100x8xf32>",
        r#"%r = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 5, 8>, strides = array<i64: 1, 1>}> : (tensor<100x8xf32>) -> tensor<5x8xf32>"#,
        "tensor<5x8xf32>",
    );
    assert_eq!((slice.work.flops, slice.work.bytes.0, slice.role), (0, 320, OpRole::Compute));
    for (name, role) in [("transpose", OpRole::Compute), ("reshape", OpRole::View)] {
        let op = one(
            "%a: tensor<4x8xf32>",
            &format!(r#"%r = "stablehlo.{name}"(%a) : (tensor<4x8xf32>) -> tensor<8x4xf32>"#),
            "tensor<8x4xf32>",
        );
        assert_eq!((op.work.flops, op.role), (0, role));
    }
}

#[test]
fn a_slice_is_written_in_place_where_nobody_else_reads_the_whole() {
    let bytes = |before: &str, whole: &str, after: &str| {
        let text = format!(
            r#"{before}
            %r = "stablehlo.dynamic_update_slice"({whole}, %u, %i, %i) : (tensor<100x8xf32>, tensor<5x8xf32>, tensor<i32>, tensor<i32>) -> tensor<100x8xf32>
            {after}"#
        );
        let graph = read_ok(&super::stablehlo(
            "%a: tensor<100x8xf32>, %u: tensor<5x8xf32>, %i: tensor<i32>",
            &text,
            "tensor<100x8xf32>",
        ));
        op(&graph, "stablehlo.dynamic_update_slice").work.bytes.0
    };
    let made = r#"%m = "stablehlo.tanh"(%a) : (tensor<100x8xf32>) -> tensor<100x8xf32>"#;
    let read = r#"%n = "stablehlo.abs"(%m) : (tensor<100x8xf32>) -> tensor<100x8xf32>"#;
    assert_eq!(bytes(made, "%m", ""), 2 * 160);
    let copied = 2 * 3200 + 160 + 4;
    assert_eq!(bytes(made, "%m", read), copied, "the abs reads what was there");
    assert_eq!(bytes("", "%a", ""), copied, "an argument stays as it is");
    let zeros =
        r#"%z = "stablehlo.constant"() <{value = dense<0.0> : tensor<100x8xf32>}> : () -> tensor<100x8xf32>"#;
    assert_eq!(bytes(zeros, "%z", ""), copied - 3200, "zeros are written with the slice");
}

#[test]
fn elementwise_ops_count_one_per_element() {
    for name in ["chlo.square", "chlo.erfc", "stablehlo.tanh", "stablehlo.convert", "stablehlo.log"] {
        let op = one(
            "%a: tensor<4x8xf32>",
            &format!(r#"%r = "{name}"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>"#),
            "tensor<4x8xf32>",
        );
        assert_eq!(
            (op.work.flops, op.work.bytes.0, op.work.priced, op.pure_op),
            (32, 256, true, true),
            "{name}"
        );
        assert_eq!(op.layer, LayerType::Activation);
    }
    let cast = one(
        "%a: tensor<4xf32>",
        r#"%r = "stablehlo.bitcast_convert"(%a) : (tensor<4xf32>) -> tensor<4xi32>"#,
        "tensor<4xi32>",
    );
    assert_eq!(cast.role, OpRole::View);
}

#[test]
fn counted_loops_multiply_their_body() {
    let graph = |limit: &str, direction: &str| {
        read_ok(&super::stablehlo(
            "%x: tensor<4x4xf32>, %n: tensor<i32>",
            &format!(
                r#"%i = "stablehlo.constant"() <{{value = dense<0> : tensor<i32>}}> : () -> tensor<i32>
        %l:2 = "stablehlo.while"(%i, %x) ({{
        ^bb0(%c: tensor<i32>, %v: tensor<4x4xf32>):
          %k = "stablehlo.constant"() <{{value = dense<10> : tensor<i32>}}> : () -> tensor<i32>
          %p = "stablehlo.compare"(%c, {limit}) <{{comparison_direction = #stablehlo<comparison_direction {direction}>}}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
          "stablehlo.return"(%p) : (tensor<i1>) -> ()
        }}, {{
        ^bb0(%c: tensor<i32>, %v: tensor<4x4xf32>):
          %one = "stablehlo.constant"() <{{value = dense<3> : tensor<i32>}}> : () -> tensor<i32>
          %d = "stablehlo.dot_general"(%v, %v) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
          %m = "stablehlo.add"(%c, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
          "stablehlo.return"(%m, %d) : (tensor<i32>, tensor<4x4xf32>) -> ()
        }}) : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
        %r = "stablehlo.negate"(%l#1) : (tensor<4x4xf32>) -> tensor<4x4xf32>"#
            ),
            "tensor<4x4xf32>",
        ))
    };
    // 0, 3, 6, 9: four trips of 128 for the product, one for the counter, one for the comparison.
    let counted = graph("%k", "LT");
    let counted = op(&counted, "stablehlo.while");
    assert_eq!((counted.work.flops, counted.work.priced), (4 * 130, true));
    assert_eq!((counted.layer, counted.pure_op), (LayerType::Dense, true));
    for (limit, direction) in [("%n", "LT"), ("%k", "NE")] {
        let open = graph(limit, direction);
        let open = op(&open, "stablehlo.while");
        assert_eq!((open.work.flops, open.work.priced), (130, false), "{limit} {direction}");
    }
}

#[test]
fn constants_of_indices_take_memory_where_xla_stores_them() {
    // The sine has this reader and `more`.
    let role = |reader: &str, more: &str| {
        let text = format!(
            r#"%i = "stablehlo.iota"() <{{iota_dimension = 0 : i64}}> : () -> tensor<128x128xf32>
            %m = "stablehlo.multiply"(%i, %i) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
            %s = "stablehlo.sine"(%m) : (tensor<128x128xf32>) -> tensor<128x128xf32>
            {reader}
            {more}"#
        );
        let graph = read_ok(&super::stablehlo("%a: tensor<128x128xf32>", &text, "tensor<128x128xf32>"));
        assert_eq!(op(&graph, "stablehlo.multiply").role, OpRole::Constant, "it is cheap");
        op(&graph, "stablehlo.sine").role
    };
    let dot = r#"%r = "stablehlo.dot_general"(%a, %s) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>"#;
    let add =
        r#"%r = "stablehlo.add"(%a, %s) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>"#;
    let more = r#"%q = "stablehlo.subtract"(%a, %s) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>"#;
    assert_eq!(role(dot, ""), OpRole::Compute, "a product takes nothing in");
    assert_eq!(role(add, ""), OpRole::Constant, "computed in the sum");
    assert_eq!(role(add, more), OpRole::Compute, "too expensive to be computed twice");
}

#[test]
fn a_complex_product_is_four_real_ones() {
    let dims = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
    let flops = |element: &str| {
        let (image, kernel, result) = (
            format!("tensor<2x6x6x4x{element}>"),
            format!("tensor<3x3x4x8x{element}>"),
            format!("tensor<2x4x4x8x{element}>"),
        );
        let text = format!(
            r#"%r = "stablehlo.convolution"(%a, %k) <{{dimension_numbers = #stablehlo.conv<{dims}>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}}> : ({image}, {kernel}) -> {result}"#
        );
        one(&format!("%a: {image}, %k: {kernel}"), &text, &result).work.flops
    };
    assert_eq!(flops("f32"), 2 * (2 * 4 * 4 * 8) * (3 * 3 * 4));
    assert_eq!(flops("complex<f32>"), 4 * flops("f32"));
}
