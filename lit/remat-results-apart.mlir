// What lies in the buffer of a result before it is written takes no memory of its own where that is so: on the device of the result, in program order,
// once a step.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 function=main work-limit=1000 seed=1" --remat="cap-counts=temp function=main work-limit=1000 seed=1" --ballast-verify=function=main | FileCheck %s --check-prefix=APART
// RUN: sed 's/ballast.device<1>/ballast.device<0>/' %s | ballast-opt --allow-unregistered-dialect --rl-partition="function=main work-limit=1000 seed=1" --remat="cap-counts=temp function=main work-limit=1000 seed=1" | FileCheck %s --check-prefix=TOGETHER
// RUN: sed 's/ballast.device<1>/ballast.device<0>/' %s | ballast-opt --allow-unregistered-dialect --rl-partition="function=main work-limit=1000 seed=1" --remat="cap-counts=temp order=free function=main work-limit=1000 seed=1" --ballast-verify=function=main | FileCheck %s --check-prefix=FREE

// %v has 1024 bytes, as the second result, which is on the other device.
// APART: stages = [<device = 0, cap = 80000000000, requested_cap = 80000000000, peak = 1024,
// TOGETHER: stages = [<device = 0, cap = 80000000000, requested_cap = 80000000000, peak = 0,
// Another order may write the result first.
// FREE: stages = [<device = 0, cap = 80000000000, requested_cap = 80000000000, peak = 1024,
// FREE-SAME: reordered = "true"
func.func @main(%x: tensor<16x4xf32>, %w: tensor<4x16xf32>, %u: tensor<16x1xf32>, %z: tensor<1x16xf32>) -> (tensor<16x1xf32>, tensor<16x16xf32>) {
  %v = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.device = #ballast.device<0>} : (tensor<16x4xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
  %s = "stablehlo.dot_general"(%v, %u) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.device = #ballast.device<0>} : (tensor<16x16xf32>, tensor<16x1xf32>) -> tensor<16x1xf32>
  %r = "stablehlo.dot_general"(%s, %z) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.device = #ballast.device<1>} : (tensor<16x1xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
  return %s, %r : tensor<16x1xf32>, tensor<16x16xf32>
}
