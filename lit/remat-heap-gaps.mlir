// Under fusion=xla-cpu one more value of each class of sizes is counted, as XLA's heap has gaps; not where whoever asks measures the outcome. The one value
// stored takes 64 bytes.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ROOM
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=true time-limit=5" --ballast-verify | FileCheck %s --check-prefix=ROOM
// ROOM: unplanned_peak = 128
// ROOM-NOT: heap_gaps
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify | FileCheck %s --check-prefix=NONE
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-apply -o /dev/null
// NONE: unplanned_peak = 64
// NONE-SAME: heap_gaps = "false"
// Where that room is what a cap lacks, the warning says so.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=100B cap-counts=temp time-limit=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: warning: no memory plan keeps the cap of device 0: asked 100 bytes, used {{.*}} are counted as room for gaps between buffers in XLA's heap, which need not be there. `heap-gaps=false` counts none
// Nor is it left out where the cap lacks more than that.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=60B cap-counts=temp relax-limit=3 time-limit=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: warning: no memory plan keeps the cap of device 0: asked 60 bytes, used {{.*}} least possible 128 bytes{{.*}}; 64 bytes of the least possible are room for gaps between buffers in XLA's heap, which `heap-gaps=false` does not count
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="heap-gaps=some" 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: heap-gaps

func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.dot_general"(%0, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
