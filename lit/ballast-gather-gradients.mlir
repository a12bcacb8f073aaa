// Gradients of gathers that pick one element per row become selections, and sums over their rows the element.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-gather-gradients -split-input-file | FileCheck %s
// A second run finds nothing to do.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-gather-gradients --ballast-gather-gradients -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-gather-gradients --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// As `take_along_axis` has it. The negated row is summed, as the gradient of `log_softmax` does; a label outside of the row adds nothing to the sum.
// CHECK-LABEL: func @batched
// CHECK-SAME: %[[LABEL:.*]]: tensor<2x3x1x1xi32>, %[[U:.*]]: tensor<2x3x1xf32>
// CHECK: %[[ZEROS:.*]] = "stablehlo.broadcast_in_dim"
// CHECK: %[[AT:.*]] = "stablehlo.reshape"(%[[LABEL]]) : (tensor<2x3x1x1xi32>) -> tensor<2x3xi32>
// CHECK: %[[BY_ROW:.*]] = "stablehlo.reshape"(%[[U]]) : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[ALL_AT:.*]] = "stablehlo.broadcast_in_dim"(%[[AT]]) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>) -> tensor<2x3x7xi32>
// CHECK: %[[HERE:.*]] = "stablehlo.iota"() {iota_dimension = 2 : i64} : () -> tensor<2x3x7xi32>
// CHECK: %[[HIT:.*]] = "stablehlo.compare"(%[[HERE]], %[[ALL_AT]]) {compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}
// CHECK: %[[ALL:.*]] = "stablehlo.broadcast_in_dim"(%[[BY_ROW]]) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3x7xf32>
// CHECK: %[[G:.*]] = "stablehlo.select"(%[[HIT]], %[[ALL]], %[[ZEROS]])
// CHECK-NOT: stablehlo.reduce
// CHECK: %[[FROM:.*]] = "stablehlo.compare"({{.*}} GE>
// CHECK: %[[TO:.*]] = "stablehlo.compare"({{.*}} LE>
// CHECK: %[[INSIDE:.*]] = "stablehlo.and"(%[[FROM]], %[[TO]])
// CHECK: %[[SUM:.*]] = "stablehlo.select"(%[[INSIDE]],
// CHECK: %[[MINUS:.*]] = "stablehlo.negate"(%[[SUM]]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: return %[[G]], %[[MINUS]]
// REMARK: remark: [Passed] GatherGradient | Category:ballast | Function=batched | Remark="gather gradients were written out", ops=1
func.func @batched(%label: tensor<2x3x1x1xi32>, %u: tensor<2x3x1xf32>) -> (tensor<2x3x7xf32>, tensor<2x3xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %zeros = "stablehlo.broadcast_in_dim"(%zero) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x3x7xf32>
  %g = "stablehlo.scatter"(%zeros, %label, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<2x3x7xf32>, tensor<2x3x1x1xi32>, tensor<2x3x1xf32>) -> tensor<2x3x7xf32>
  %minus = "stablehlo.negate"(%g) : (tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %row = "stablehlo.reduce"(%minus, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<2x3x7xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %g, %row : tensor<2x3x7xf32>, tensor<2x3xf32>
}

// -----

// As `log_p[arange(n), labels]` has it: the rows are counted beside the labels, negative ones from the end. A sum over all but the rows is another sum.
// CHECK-LABEL: func @counted_rows
// CHECK-SAME: %[[LABEL:.*]]: tensor<4x1xi32>, %[[U:.*]]: tensor<4xf32>
// CHECK: %[[AT:.*]] = "stablehlo.reshape"(%[[LABEL]]) : (tensor<4x1xi32>) -> tensor<4xi32>
// CHECK: "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<4x9xi32>
// CHECK: %[[G:.*]] = "stablehlo.select"
// CHECK: "stablehlo.reduce"(%[[G]],
// CHECK-NOT: stablehlo.scatter
// REMARK: remark: [Passed] GatherGradient | Category:ballast | Function=counted_rows | Remark="gather gradients were written out", ops=1
func.func @counted_rows(%label: tensor<4x1xi32>, %u: tensor<4xf32>) -> (tensor<4x9xf32>, tensor<9xf32>) {
  %zeros = "stablehlo.constant"() <{value = dense<0.0> : tensor<4x9xf32>}> : () -> tensor<4x9xf32>
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %none = "stablehlo.constant"() <{value = dense<0> : tensor<4xi32>}> : () -> tensor<4xi32>
  %four = "stablehlo.constant"() <{value = dense<4> : tensor<4xi32>}> : () -> tensor<4xi32>
  %row = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
  %negative = "stablehlo.compare"(%row, %none) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %end = "stablehlo.add"(%row, %four) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %wrapped = "stablehlo.select"(%negative, %end, %row) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %rows = "stablehlo.broadcast_in_dim"(%wrapped) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x1xi32>
  %both = "stablehlo.concatenate"(%rows, %label) <{dimension = 1 : i64}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %g = "stablehlo.scatter"(%zeros, %both, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x9xf32>
  %all = "stablehlo.reduce"(%g, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<f32>) -> tensor<9xf32>
  return %g, %all : tensor<4x9xf32>, tensor<9xf32>
}

// -----

// What stays as it is, and why; rows of a table, as the gradient of an embedding adds them, are no such gradient at all.
// CHECK-LABEL: func @others_stay
// CHECK-COUNT-6: "stablehlo.scatter"
// REMARK: remark: [Missed] GatherGradient {{.*}}a gather gradient stays as it is: what it scatters into is not zero
// REMARK: remark: [Missed] GatherGradient {{.*}}a gather gradient stays as it is: it scatters several elements into a row
// REMARK: remark: [Missed] GatherGradient {{.*}}a gather gradient stays as it is: it neither adds nor sets what it scatters
// REMARK: remark: [Missed] GatherGradient {{.*}}a gather gradient stays as it is: it does not pick along one axis
// REMARK: remark: [Missed] GatherGradient {{.*}}a gather gradient stays as it is: positions of its rows do not fit their type
// REMARK-NOT: GatherGradient
func.func @others_stay(%x: tensor<4x9xf32>, %at: tensor<4x1xi32>, %two: tensor<4x2x1xi32>, %pairs: tensor<4x2xi32>, %u: tensor<4xf32>, %v: tensor<4x2xf32>, %w: tensor<4x9xf32>, %few: tensor<4x1xi8>) -> (tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x300xf32>, tensor<5x9xf32>) {
  %zeros = "stablehlo.constant"() <{value = dense<0.0> : tensor<4x9xf32>}> : () -> tensor<4x9xf32>
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4x9xf32>
  %1 = "stablehlo.scatter"(%zeros, %two, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<4x2x1xi32>, tensor<4x2xf32>) -> tensor<4x9xf32>
  %2 = "stablehlo.scatter"(%zeros, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %most = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%most) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4x9xf32>
  %3 = "stablehlo.scatter"(%zeros, %pairs, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x9xf32>
  %long = "stablehlo.constant"() <{value = dense<0.0> : tensor<4x300xf32>}> : () -> tensor<4x300xf32>
  %4 = "stablehlo.scatter"(%long, %few, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x300xf32>, tensor<4x1xi8>, tensor<4xf32>) -> tensor<4x300xf32>
  %table = "stablehlo.constant"() <{value = dense<0.0> : tensor<5x9xf32>}> : () -> tensor<5x9xf32>
  %5 = "stablehlo.scatter"(%table, %at, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<5x9xf32>, tensor<4x1xi32>, tensor<4x9xf32>) -> tensor<5x9xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x300xf32>, tensor<5x9xf32>
}
