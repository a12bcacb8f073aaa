// Gradients of two micro-batches, each of four layers, added up in place of their layer: one fused op of XLA's compiler for CPUs that reads all eight. With the
// arguments that stay it is above the cap, though by itself it is not; in parts it is not, and the plan keeps the cap.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=480000B fusion=xla-cpu heap-gaps=false swap=false work-limit=100000" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s
// As XLA fuses it as it is, it has no plan there.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=480000B fusion=xla-cpu-as-is heap-gaps=false swap=false work-limit=100000" 2>&1 | FileCheck %s --check-prefix=WHOLE
// CHECK-NOT: no memory plan keeps
// CHECK: remark: [Passed] FusionSplit {{.*}}no plan keeps the cap with fused ops whole: planned with those above it in parts"
// CHECK-NOT: no memory plan keeps
// CHECK: fusion = "xla-cpu"
// CHECK-SAME: held = "{{[0-9]}}
// WHOLE: warning: no memory plan keeps the cap
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x1024xf32>) -> (tensor<64x256xf32>, tensor<64x64xf32>) {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %d0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p0 = "stablehlo.pad"(%d0, %z) <{edge_padding_high = array<i64: 0, 192>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d1 = "stablehlo.dot_general"(%d0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = "stablehlo.pad"(%d1, %z) <{edge_padding_high = array<i64: 0, 128>, edge_padding_low = array<i64: 0, 64>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d2 = "stablehlo.dot_general"(%d1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p2 = "stablehlo.pad"(%d2, %z) <{edge_padding_high = array<i64: 0, 64>, edge_padding_low = array<i64: 0, 128>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d3 = "stablehlo.dot_general"(%d2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p3 = "stablehlo.pad"(%d3, %z) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 192>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d4 = "stablehlo.dot_general"(%d3, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p4 = "stablehlo.pad"(%d4, %z) <{edge_padding_high = array<i64: 0, 192>, edge_padding_low = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d5 = "stablehlo.dot_general"(%d4, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p5 = "stablehlo.pad"(%d5, %z) <{edge_padding_high = array<i64: 0, 128>, edge_padding_low = array<i64: 0, 64>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d6 = "stablehlo.dot_general"(%d5, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p6 = "stablehlo.pad"(%d6, %z) <{edge_padding_high = array<i64: 0, 64>, edge_padding_low = array<i64: 0, 128>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %d7 = "stablehlo.dot_general"(%d6, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p7 = "stablehlo.pad"(%d7, %z) <{edge_padding_high = array<i64: 0, 0>, edge_padding_low = array<i64: 0, 192>, interior_padding = array<i64: 0, 0>}> : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x256xf32>
  %s1 = "stablehlo.add"(%p0, %p1) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %s2 = "stablehlo.add"(%s1, %p2) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %s3 = "stablehlo.add"(%s2, %p3) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %s4 = "stablehlo.add"(%s3, %p4) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %s5 = "stablehlo.add"(%s4, %p5) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %s6 = "stablehlo.add"(%s5, %p6) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %s7 = "stablehlo.add"(%s6, %p7) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %y = "stablehlo.slice"(%v) <{limit_indices = array<i64: 64, 64>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<64x1024xf32>) -> tensor<64x64xf32>
  return %s7, %y : tensor<64x256xf32>, tensor<64x64xf32>
}
