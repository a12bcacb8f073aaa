// Barriers of an author, as jax.checkpoint puts them before what it computes again: they copy nothing, nothing is fused across them, and what reads
// behind one waits for its turn.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100%% cap-counts=temp fusion=none swap=false" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100%% cap-counts=temp fusion=xla swap=false" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100%% cap-counts=temp fusion=none swap=false" --ballast-to-stablehlo | FileCheck %s

// Behind the barrier lie the value and the gradient; with what is computed again, 3 of 4096 bytes. A barrier that copied would hold both twice.
// NONE: remark: [Analysis] Stage0 {{.*}} unplanned_peak=12288
// Fused, what is computed again goes into the product, but neither of the two behind the barrier does.
// FUSED: remark: [Analysis] Stage0 {{.*}} unplanned_peak=8192

// CHECK-LABEL: func.func @repeated
// CHECK-SAME: %[[X:.*]]: tensor<1024xf32>, %[[DY:.*]]: tensor<1024xf32>
// CHECK: %[[A:.*]] = "stablehlo.tanh"(%[[X]])
// CHECK: %[[S:.*]] = "stablehlo.reverse"
// What is computed again comes after the gradient, though its operand is there before.
// CHECK: %[[LATE:.*]]:2 = "stablehlo.optimization_barrier"(%[[A]], %[[S]])
// CHECK: %[[BEHIND:.*]] = "stablehlo.optimization_barrier"(%[[LATE]]#0) : (tensor<1024xf32>) -> tensor<1024xf32>
// CHECK: "stablehlo.cosine"(%[[BEHIND]])
func.func @repeated(%x: tensor<1024xf32>, %dy: tensor<1024xf32>) -> tensor<1024xf32> {
  %a = "stablehlo.tanh"(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
  %g = "stablehlo.negate"(%dy) : (tensor<1024xf32>) -> tensor<1024xf32>
  %s = "stablehlo.reverse"(%g) <{dimensions = array<i64: 0>}> : (tensor<1024xf32>) -> tensor<1024xf32>
  %b:2 = "stablehlo.optimization_barrier"(%a, %s) : (tensor<1024xf32>, tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>)
  %c = "stablehlo.cosine"(%b#0) : (tensor<1024xf32>) -> tensor<1024xf32>
  %r = "stablehlo.multiply"(%c, %b#1) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}
