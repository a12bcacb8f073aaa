// XLA's CPU compiler hands reductions to a library, which takes what is in front of them and has no other reader. Distances of all pairs of 8 rows of 4
// numbers, 1024 bytes, are read by the sum of their squares and, scaled by its gradient, by the two sums that are the gradient of the rows. XLA stores what the
// last two read, 1024 bytes more than what is there otherwise, and so does a plan, unless that is too much for the cap: then each sum computes it anew.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu-as-is cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify | FileCheck %s --check-prefix=AS-IS
// AS-IS: unplanned_peak = 1280
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=1600B cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify | FileCheck %s --check-prefix=CAPPED
// CAPPED: peak = 512
// A generic accelerator's compiler has no such library: the sums take one op in front of them, and the distances are stored.
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla cap=1000B cap-counts=temp relax-limit=1 time-limit=5" 2>&1 | FileCheck %s --check-prefix=ANY
// ANY: error: no memory plan of device 0 keeps its cap

func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<8x4xf32>) -> tensor<8x8x4xf32>
  %c = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<8x4xf32>) -> tensor<8x8x4xf32>
  %d = "stablehlo.subtract"(%r, %c) : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
  %s = "stablehlo.multiply"(%d, %d) : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
  %n = "stablehlo.reduce"(%s, %z) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%t) : (tensor<f32>) -> ()
  }) : (tensor<8x8x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  %k = "stablehlo.exponential"(%n) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %w = "stablehlo.broadcast_in_dim"(%k) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x8xf32>) -> tensor<8x8x4xf32>
  %g = "stablehlo.multiply"(%w, %d) : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
  %p = "stablehlo.reduce"(%g, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%t) : (tensor<f32>) -> ()
  }) : (tensor<8x8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %q = "stablehlo.reduce"(%g, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%t) : (tensor<f32>) -> ()
  }) : (tensor<8x8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %e = "stablehlo.subtract"(%p, %q) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %e : tensor<8x4xf32>
}
