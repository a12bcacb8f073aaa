// Gradients of max pooling are written out before planning where the program is over the cap with them, under fusion=xla-cpu on one device.

// As one op, XLA fills 16 indices and 16 zeros for the gradient before the first op (128 bytes), and holds 4 indices and two copies of the 4 gradients while it runs (48), beside its operand
// (64); its result lies in the buffer of what is made of it.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false gradients=whole time-limit=5" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// WHOLE: unplanned_peak = 240
// WHOLE: "stablehlo.select_and_scatter"
// Nothing is over the cap: the program stays as it is.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false gradients=auto cap=240B time-limit=5" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// Over it: a byte per window is stored, which window took which element, and what is planned is that. A share is one of the 240 bytes.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false cap=50% time-limit=5" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false cap=239B time-limit=5" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=WRITTEN
// So it is where a partition put everything on one device.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-cpu devices=1 time-limit=5" --remat="cap-counts=temp heap-gaps=false cap=239B time-limit=5" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: remark: [Passed] PoolGradient | Category:ballast | Function=main | Remark="pooling gradients were written out", ops=1
// WRITTEN: cap_met=true
// WRITTEN: peak=76,
// WRITTEN: attributes {ballast.plan
// WRITTEN-NOT: "stablehlo.select_and_scatter"
// WRITTEN: "stablehlo.optimization_barrier"({{.*}} : (tensor<4xi8>)
// WRITTEN-NOT: "stablehlo.select_and_scatter"
// Not for another back end, and not where ops are on several devices.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla cap-counts=temp cap=50% time-limit=5" -o - 2>/dev/null | FileCheck %s --check-prefix=OTHER
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-cpu devices=2 time-limit=1" --remat="cap-counts=temp cap=50% time-limit=1" -o - 2>/dev/null | FileCheck %s --check-prefix=OTHER
// OTHER: "stablehlo.select_and_scatter"
// Left whole, the indices are what a cap below them lacks, and what is said.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp gradients=whole cap=120B relax-limit=8 time-limit=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: warning: no memory plan was found that keeps the cap of device 0: asked 120 bytes, used {{.*}} 128 bytes are indices of pooling gradients, which XLA fills before the first op and holds until these have run. `--ballast-pool-gradients` before planning writes them out
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="gradients=some" 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: gradients

func.func @main(%x: tensor<16xf32>, %y: tensor<4xf32>) -> tensor<16xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %sx = "stablehlo.sine"(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %g = "stablehlo.select_and_scatter"(%sx, %y, %zero) <{window_dimensions = array<i64: 4>, window_strides = array<i64: 4>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<16xf32>, tensor<4xf32>, tensor<f32>) -> tensor<16xf32>
  %r = "stablehlo.cosine"(%g) : (tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
