// A sum of paddings read by a reduction and by an op far behind it: XLA stores it. Where a plan makes it again for the second reader, the reduction is the only one to read the
// first: XLA's library would take the sum in, and store every padding in front, which it lacks. A barrier keeps the sum stored.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=1600B cap-counts=temp heap-gaps=false swap=false time-limit=5" --ballast-to-stablehlo | FileCheck %s --check-prefix=ONCE
// ONCE: %[[SUM:.*]] = "stablehlo.add"(%{{.*}}, %{{.*}}) : (tensor<8x16xf32>
// ONCE: "stablehlo.multiply"(%[[SUM]], %[[SUM]])
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=1280B cap-counts=temp heap-gaps=false swap=false time-limit=5" --ballast-to-stablehlo | FileCheck %s --check-prefix=TWICE
// TWICE: %[[SUM:.*]] = "stablehlo.add"(%{{.*}}, %{{.*}}) : (tensor<8x16xf32>
// TWICE: %[[STORED:.*]] = "stablehlo.optimization_barrier"(%[[SUM]]) : (tensor<8x16xf32>)
// TWICE: "stablehlo.multiply"(%[[STORED]], %[[STORED]])
// TWICE: "stablehlo.add"(%{{.*}}, %{{.*}}) : (tensor<8x16xf32>

func.func @main(%a: tensor<4x16xf32>, %b: tensor<16x16xf32>) -> (tensor<f32>, tensor<4x16xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %p = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %q = "stablehlo.dot_general"(%p, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %pp = "stablehlo.pad"(%p, %zero) <{edge_padding_low = array<i64: 0, 0>, edge_padding_high = array<i64: 4, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<4x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %pq = "stablehlo.pad"(%q, %zero) <{edge_padding_low = array<i64: 4, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<4x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %sum = "stablehlo.add"(%pp, %pq) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %square = "stablehlo.multiply"(%sum, %sum) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %norm = "stablehlo.reduce"(%square, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %n4 = "stablehlo.broadcast_in_dim"(%norm) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x16xf32>
  %s0 = "stablehlo.add"(%q, %n4) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %t1 = "stablehlo.dot_general"(%s0, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %t2 = "stablehlo.dot_general"(%t1, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %t3 = "stablehlo.dot_general"(%t2, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %u = "stablehlo.add"(%t3, %p) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %v = "stablehlo.dot_general"(%u, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %last = "stablehlo.reduce"(%v, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%2) : (tensor<f32>) -> ()
  }) : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>
  %n8 = "stablehlo.broadcast_in_dim"(%last) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
  %w = "stablehlo.multiply"(%sum, %n8) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %end = "stablehlo.reduce"(%w, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %3 = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%3) : (tensor<f32>) -> ()
  }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  return %end, %v : tensor<f32>, tensor<4x16xf32>
}
