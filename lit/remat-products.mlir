// A transposed product becomes the product of the exchanged operands, as XLA makes it: what updates a weight can then overwrite it.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100%% fusion=none swap=false" -split-input-file | FileCheck %s
// What is timed of it, alone, is the product that is planned.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-split-ops -split-input-file 2> %t.keys | FileCheck %s --check-prefix=TIMED
// TIMED: func.func @op0(
// TIMED-NEXT: "stablehlo.dot_general"{{.*}} -> tensor<16x32xf32>
// TIMED-NEXT: return

// CHECK-LABEL: func.func @gradient_of_a_weight
// CHECK-SAME: %[[X:.*]]: tensor<4x8x16xf32>, %[[DY:.*]]: tensor<4x8x32xf32>
// CHECK-NEXT: %[[DW:.*]] = "stablehlo.dot_general"(%[[X]], %[[DY]]) {{.*}}dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]{{.*}} : (tensor<4x8x16xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
// CHECK-NEXT: return %[[DW]]
func.func @gradient_of_a_weight(%x: tensor<4x8x16xf32>, %dy: tensor<4x8x32xf32>) -> tensor<16x32xf32> {
  %p = "stablehlo.dot_general"(%dy, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]}> : (tensor<4x8x32xf32>, tensor<4x8x16xf32>) -> tensor<32x16xf32>
  %t = "stablehlo.transpose"(%p) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
  return %t : tensor<16x32xf32>
}

// -----

// Another permutation, another reader, a batch, and a rule of the user: nothing is exchanged.
// CHECK-LABEL: func.func @others_stay
// CHECK-COUNT-4: stablehlo.transpose
func.func @others_stay(%x: tensor<4x8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<4x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x8x8xf32>, tensor<8x8xf32>) {
  %a = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<4x8x8xf32>, tensor<8x8xf32>) -> tensor<4x8x8xf32>
  %b = "stablehlo.transpose"(%a) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %c = "stablehlo.dot_general"(%y, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = "stablehlo.transpose"(%c) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %f = "stablehlo.transpose"(%e) <{permutation = array<i64: 0, 2, 1>}> : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %g = "stablehlo.dot_general"(%y, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = "stablehlo.transpose"(%g) <{permutation = array<i64: 1, 0>}> {ballast.must_keep} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b, %c, %d, %f, %h : tensor<4x8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x8x8xf32>, tensor<8x8xf32>
}

// -----

// What is said of the product is said of the exchanged one.
// CHECK-LABEL: func.func @attributes_go_along
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[DY:.*]]: tensor<8x32xf32>
// CHECK-NEXT: "stablehlo.dot_general"(%[[X]], %[[DY]]) {{.*}}mhlo.frontend_attributes = {_scheduling_group_id = "3"}
// CHECK-NEXT: return
func.func @attributes_go_along(%x: tensor<8x16xf32>, %dy: tensor<8x32xf32>) -> tensor<16x32xf32> {
  %p = "stablehlo.dot_general"(%dy, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> {mhlo.frontend_attributes = {_scheduling_group_id = "3"}} : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  %t = "stablehlo.transpose"(%p) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
  return %t : tensor<16x32xf32>
}

// -----

// A sharding names the axes of the product in their order, and would be of others.
// CHECK-LABEL: func.func @a_product_with_a_sharding_stays
// CHECK: "stablehlo.dot_general"{{.*}}mhlo.sharding
// CHECK-NEXT: "stablehlo.transpose"
func.func @a_product_with_a_sharding_stays(%x: tensor<8x16xf32>, %dy: tensor<8x32xf32>) -> tensor<16x32xf32> {
  %p = "stablehlo.dot_general"(%dy, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> {mhlo.sharding = "{replicated}"} : (tensor<8x32xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  %t = "stablehlo.transpose"(%p) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
  return %t : tensor<16x32xf32>
}
