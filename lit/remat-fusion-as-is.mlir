// A cheap value that a product stores: in the program as it is, XLA computes it once more for the elementwise reader, which keeps what
// it is made of. A rewritten program stores it for all. Values take 64 bytes, the result lies in its own buffer, as %t does before. While the third
// product runs, %p, %s and %q are there, or %s and %q alone; room for one more value comes on top.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu-as-is cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ASIS
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-cpu-as-is cap-counts=temp method=dp" --remat="cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ASIS
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=HELD
// ASIS: unplanned_peak = 256
// ASIS-SAME: fusion = "xla-cpu-as-is"
// HELD: unplanned_peak = 192
// HELD-SAME: fusion = "xla-cpu"
// Barriers see to it that it is read, also where nothing runs again.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu time-limit=5" --ballast-apply | FileCheck %s --check-prefix=READ
// READ: %[[P:.+]] = "stablehlo.dot_general"
// READ: %[[S:.+]] = "stablehlo.negate"(%[[P]])
// READ: %[[Q:.+]] = "stablehlo.dot_general"(%[[S]],
// READ: %[[B:.+]] = ballast.barrier %[[S]]
// READ: "stablehlo.add"(%{{.*}}, %[[B]])

func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = "stablehlo.negate"(%p) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = "stablehlo.dot_general"(%s, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = "stablehlo.dot_general"(%s, %q) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %u = "stablehlo.add"(%t, %q) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = "stablehlo.add"(%u, %s) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
