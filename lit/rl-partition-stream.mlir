// A sum that goes on from layer to layer, as a residual stream, and is read by two fused ops of each: for several devices the second sum is stored, as fewer bytes are read then than where
// each reader adds all terms before. A compiler would add them up again, so that a rewritten program reads it behind a barrier.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000" 2>/dev/null | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000" --remat="work-limit=20000" --ballast-apply 2>/dev/null | FileCheck %s --check-prefix=APPLIED
// One device is planned as its compiler stores values.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=1 work-limit=20000" 2>/dev/null | FileCheck %s --check-prefix=ONE
// CHECK: fusion = "xla"
// CHECK-SAME: held = "5"
// APPLIED: %[[FIRST:[0-9]+]] = "stablehlo.add"
// APPLIED: %[[SUM:[0-9]+]] = "stablehlo.add"(%[[FIRST]],
// APPLIED: %[[STORED:[0-9]+]] = ballast.barrier %[[SUM]]
// APPLIED: "stablehlo.negate"(%[[STORED]])
// APPLIED: "stablehlo.abs"(%[[STORED]])
// APPLIED-COUNT-2: "stablehlo.add"(%[[STORED]],
// APPLIED-NOT: "stablehlo.add"
// ONE-NOT: held =
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %d0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d1 = "stablehlo.dot_general"(%d0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d2 = "stablehlo.dot_general"(%d1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d3 = "stablehlo.dot_general"(%d2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = "stablehlo.add"(%d0, %d1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = "stablehlo.add"(%s1, %d2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = "stablehlo.add"(%s2, %d3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %a1 = "stablehlo.negate"(%s1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b1 = "stablehlo.abs"(%s1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %m1 = "stablehlo.dot_general"(%a1, %b1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %a2 = "stablehlo.negate"(%s2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b2 = "stablehlo.abs"(%s2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %m2 = "stablehlo.dot_general"(%a2, %b2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %a3 = "stablehlo.negate"(%s3) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b3 = "stablehlo.abs"(%s3) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %m3 = "stablehlo.dot_general"(%a3, %b3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %m1, %m2, %m3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
