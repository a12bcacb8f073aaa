// Gradients of max pooling become elementwise ops: the position that each window chose, then a sum over positions.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pool-gradients -split-input-file | FileCheck %s
// A second run finds nothing to do.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pool-gradients --ballast-pool-gradients -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pool-gradients --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Windows of two that do not overlap.
// CHECK-LABEL: func @windows_side_by_side
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<2xf32>
// CHECK: %[[INIT:.*]] = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}>
// CHECK-NOT: select_and_scatter
// CHECK: %[[A:.*]] = "stablehlo.slice"(%[[X]]) {limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 2>}
// CHECK: %[[FIRST:.*]] = "stablehlo.constant"() {value = dense<0> : tensor<2xi8>}
// CHECK: %[[B:.*]] = "stablehlo.slice"(%[[X]]) {limit_indices = array<i64: 4>, start_indices = array<i64: 1>, strides = array<i64: 2>}
// CHECK: %[[SECOND:.*]] = "stablehlo.constant"() {value = dense<1> : tensor<2xi8>}
// CHECK: %[[KEEP:.*]] = "stablehlo.compare"(%[[A]], %[[B]]) {{.*}}comparison_direction GE
// CHECK: %[[AT:.*]] = "stablehlo.select"(%[[KEEP]], %[[FIRST]], %[[SECOND]])
// CHECK: %[[STORED:.*]] = "stablehlo.optimization_barrier"(%[[AT]]) : (tensor<2xi8>) -> tensor<2xi8>
// CHECK: %[[START:.*]] = "stablehlo.broadcast_in_dim"(%[[INIT]])
// CHECK: %[[LATE:.*]] = "stablehlo.pad"({{.*}}) {edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>} : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: %[[SUM:.*]] = "stablehlo.add"(%[[START]], %[[LATE]])
// CHECK: %[[EARLY:.*]] = "stablehlo.pad"({{.*}}) {edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}
// CHECK: %[[G:.*]] = "stablehlo.add"(%[[SUM]], %[[EARLY]])
// CHECK: return %[[G]]
// REMARK: remark: [Passed] PoolGradient | Category:ballast | Function=windows_side_by_side | Remark="pooling gradients were written out", ops=1
func.func @windows_side_by_side(%x: tensor<4xf32>, %dy: tensor<2xf32>) -> tensor<4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %g = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// Windows of three, two apart, over a padding of one on either side: positions in the padding are never chosen, and get nothing.
// CHECK-LABEL: func @padding_is_never_chosen
// CHECK-SAME: %[[X:.*]]: tensor<5xbf16>
// CHECK: %[[P:.*]] = "stablehlo.pad"(%[[X]], {{.*}}) {edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 0>} : (tensor<5xbf16>, tensor<bf16>) -> tensor<7xbf16>
// CHECK: %[[LINE:.*]] = "stablehlo.constant"() {value = dense<[false, true, true]> : tensor<3xi1>}
// CHECK: %[[FOUND:.*]] = "stablehlo.broadcast_in_dim"(%[[LINE]]) {broadcast_dimensions = array<i64: 0>}
// CHECK: %[[C:.*]] = "stablehlo.compare"({{.*}}comparison_direction GE
// CHECK: "stablehlo.and"(%[[C]], %[[FOUND]])
// CHECK: %[[LAST:.*]] = "stablehlo.constant"() {value = dense<[true, true, false]> : tensor<3xi1>}
// CHECK: %[[INSIDE:.*]] = "stablehlo.broadcast_in_dim"(%[[LAST]])
// CHECK: %[[OUTSIDE:.*]] = "stablehlo.not"(%[[INSIDE]])
// CHECK: "stablehlo.or"({{.*}}, %[[OUTSIDE]])
// CHECK: "stablehlo.pad"({{.*}}) {edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>, interior_padding = array<i64: 1>} : (tensor<3xbf16>, tensor<bf16>) -> tensor<5xbf16>
// CHECK: "stablehlo.pad"({{.*}}) {edge_padding_high = array<i64: 0>, edge_padding_low = array<i64: 0>, interior_padding = array<i64: 1>}
// CHECK: "stablehlo.pad"({{.*}}) {edge_padding_high = array<i64: 1>, edge_padding_low = array<i64: -1>, interior_padding = array<i64: 1>}
func.func @padding_is_never_chosen(%x: tensor<5xbf16>, %dy: tensor<3xbf16>) -> tensor<5xbf16> {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<bf16>}> : () -> tensor<bf16>
  %g = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{padding = dense<1> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = "stablehlo.add"(%a, %b) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
    "stablehlo.return"(%c) : (tensor<bf16>) -> ()
  }) : (tensor<5xbf16>, tensor<3xbf16>, tensor<bf16>) -> tensor<5xbf16>
  return %g : tensor<5xbf16>
}

// -----

// The smallest element is another matter, and so is a product.
// CHECK-LABEL: func @other_selections_stay
// CHECK-COUNT-2: select_and_scatter
// REMARK: remark: [Missed] PoolGradient | Category:ballast | Function=other_selections_stay | Remark="a pooling gradient stays as it is: it does not select the first of the largest elements"
// REMARK: remark: [Missed] PoolGradient | Category:ballast | Function=other_selections_stay | Remark="a pooling gradient stays as it is: it does not add what it scatters"
func.func @other_selections_stay(%x: tensor<4xf32>, %dy: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %g = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %h = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.multiply"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %g, %h : tensor<4xf32>, tensor<4xf32>
}

// -----

// A window past the end, one with more positions than are worth writing out, and integers.
// CHECK-LABEL: func @odd_windows_stay
// CHECK-COUNT-3: select_and_scatter
// REMARK: Function=odd_windows_stay | Remark="a pooling gradient stays as it is: its windows do not lie in its padded operand"
// REMARK: Function=odd_windows_stay | Remark="a pooling gradient stays as it is: its window has too many positions"
// REMARK: Function=odd_windows_stay | Remark="a pooling gradient stays as it is: its elements are not floating-point numbers"
func.func @odd_windows_stay(%x: tensor<4xf32>, %dy: tensor<3xf32>, %y: tensor<100xf32>, %dz: tensor<1xf32>, %i: tensor<4xi32>, %di: tensor<2xi32>, %z: tensor<i32>) -> (tensor<4xf32>, tensor<100xf32>, tensor<4xi32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %g = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %h = "stablehlo.select_and_scatter"(%y, %dz, %zero) <{window_dimensions = array<i64: 100>, window_strides = array<i64: 100>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<100xf32>, tensor<1xf32>, tensor<f32>) -> tensor<100xf32>
  %j = "stablehlo.select_and_scatter"(%i, %di, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  return %g, %h, %j : tensor<4xf32>, tensor<100xf32>, tensor<4xi32>
}
