// Kernels of XLA's compiler for GPUs work on whole rows: of a softmax between two products nothing is stored but what comes in and what goes out, 64 bytes
// each. Loop fusions end with a sum: the exponentials, written over what comes in, and the two sums are stored.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-gpu cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ROWS
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-gpu cap-counts=temp method=dp" --remat="cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ROWS
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=LOOPS
// ROWS: unplanned_peak = 128
// ROWS-SAME: fusion = "xla-gpu"
// ROWS-NOT: "stablehlo.exponential"{{.*}}ballast.position
// ROWS: "stablehlo.divide"{{.*}}ballast.position = 1
// LOOPS: fusion = "xla"
// LOOPS: "stablehlo.exponential"{{.*}}ballast.position = 2
// LOOPS: "stablehlo.divide"{{.*}}ballast.position = 4
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-gpu cap-counts=temp time-limit=5" --ballast-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: fusion=xla-gpu: 1 fusion
// REPORT: stablehlo.divide at position 1 with stablehlo.reduce, stablehlo.broadcast_in_dim, stablehlo.subtract, stablehlo.exponential, stablehlo.reduce, stablehlo.broadcast_in_dim
// A cap that leaves room for one value alone has to be raised: the softmax is never there in parts.
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-gpu cap-counts=temp cap=127 relax-limit=0 swap=false time-limit=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: 'stablehlo.divide' binds; the smallest cap not ruled out is 128

func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %max = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = "stablehlo.reduce"(%s, %max) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %x = "stablehlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = "stablehlo.broadcast_in_dim"(%m) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x4xf32>
  %d = "stablehlo.subtract"(%s, %mb) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = "stablehlo.exponential"(%d) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = "stablehlo.reduce"(%e, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %x = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %tb = "stablehlo.broadcast_in_dim"(%t) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x4xf32>
  %p = "stablehlo.divide"(%e, %tb) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = "stablehlo.dot_general"(%p, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %q : tensor<4x4xf32>
}
