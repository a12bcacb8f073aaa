// What XLA's CPU compiler holds beside an op's operands and results is counted for it alone: here it copies the left operand of
// a product that contracts two leading dimensions. Arguments 48 and 80 bytes, result 60, copy 48.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ANY
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla method=dp" --ballast-verify | FileCheck %s --check-prefix=ANY
// ANY: unplanned_peak = 188
// ANY-SAME: fusion = "xla"
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu time-limit=5" --ballast-verify | FileCheck %s --check-prefix=CPU
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-cpu method=dp" --remat="time-limit=5" --ballast-verify | FileCheck %s --check-prefix=CPU
// CPU: unplanned_peak = 236
// CPU-SAME: fusion = "xla-cpu"

func.func @main(%a: tensor<2x2x3xf32>, %b: tensor<2x2x5xf32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x3xf32>, tensor<2x2x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
