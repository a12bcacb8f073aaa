// What XLA's CPU compiler would do otherwise than planned, were it not held to the plan by barriers.

// RUN: split-file %s %t

// A zero that a scatter adds to waits for what is scattered: XLA would make a copy of it for the scatter first of
// all. What is scattered goes through the barrier, too: XLA drops an operand that nobody reads behind it, and the
// wait with it. The same zero stays inside the fusion of the maximum.
// RUN: ballast-opt %t/scatter.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify --ballast-to-stablehlo -o %t/scatter.out
// RUN: FileCheck %s --check-prefix=ZERO --input-file %t/scatter.out
// ZERO: %[[GRADIENT:.+]] = "stablehlo.dot_general"
// ZERO: %[[ZERO:.+]] = "stablehlo.constant"
// ZERO: %[[LATE:.+]]:2 = "stablehlo.optimization_barrier"(%[[ZERO]], %[[GRADIENT]])
// ZERO: %[[SPREAD:.+]] = "stablehlo.broadcast_in_dim"(%[[LATE]]#0)
// ZERO: "stablehlo.scatter"(%[[SPREAD]], %{{.+}}, %[[LATE]]#1)
// ZERO-NOT: optimization_barrier
// ZERO: "stablehlo.maximum"

// The parts in which a sum of twelve products is planned are read through barriers: as one fusion it would need all twelve at once.
// RUN: ballast-opt %t/sum.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify --ballast-to-stablehlo | FileCheck %s --check-prefix=SUM
// SUM: "stablehlo.add"
// SUM-NEXT: "stablehlo.add"
// SUM-NEXT: %[[FIRST:.+]] = "stablehlo.add"(%{{.+}}, %{{.+}})
// SUM: %[[BEHIND:.+]] = "stablehlo.optimization_barrier"(%[[FIRST]])
// SUM-NEXT: "stablehlo.add"(%[[BEHIND]],
// SUM-NEXT: "stablehlo.add"
// SUM-NEXT: %[[SECOND:.+]] = "stablehlo.add"
// SUM: %[[BEHIND:.+]] = "stablehlo.optimization_barrier"(%[[SECOND]])
// SUM-NEXT: "stablehlo.add"(%[[BEHIND]],
// SUM: %[[THIRD:.+]] = "stablehlo.optimization_barrier"
// SUM-NEXT: "stablehlo.add"(%[[THIRD]],

// A reduction with what is fused into it is run by a library of XLA's, which spreads a number on the way, but stores a spread that others read too,
// first of all. So the number that this maximum compares with waits for the product; that of the other maximum, which no reduction takes, does not.
// RUN: ballast-opt %t/reduced.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify --ballast-to-stablehlo -o %t/reduced.out
// RUN: FileCheck %s --check-prefix=REDUCED --input-file %t/reduced.out
// REDUCED: %[[PRODUCT:.+]] = "stablehlo.dot_general"
// REDUCED: %[[NUMBER:.+]] = "stablehlo.constant"
// REDUCED: %[[LATE:.+]]:2 = "stablehlo.optimization_barrier"(%[[NUMBER]], %[[PRODUCT]])
// REDUCED-NEXT: %[[SPREAD:.+]] = "stablehlo.broadcast_in_dim"(%[[LATE]]#0)
// REDUCED-NEXT: %[[MOST:.+]] = "stablehlo.maximum"(%[[LATE]]#1, %[[SPREAD]])
// REDUCED-NEXT: "stablehlo.reduce"(%[[MOST]], %[[NUMBER]])
// REDUCED: "stablehlo.dot_general"
// REDUCED-NEXT: %[[NUMBER:.+]] = "stablehlo.constant"
// REDUCED-NEXT: %[[SPREAD:.+]] = "stablehlo.broadcast_in_dim"(%[[NUMBER]])
// REDUCED-NEXT: "stablehlo.maximum"(%{{.+}}, %[[SPREAD]])

// XLA writes what an elementwise op makes over what it reads for the last time, but only where no barrier stands between. So the number that the sum over
// windows is halved with waits for the product: the sum itself, the newest value, is read as it was made.
// RUN: ballast-opt %t/overwritten.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify --ballast-to-stablehlo -o %t/overwritten.out
// RUN: FileCheck %s --check-prefix=OVERWRITTEN --input-file %t/overwritten.out
// OVERWRITTEN: %[[PRODUCT:.+]] = "stablehlo.dot_general"
// OVERWRITTEN: %[[WINDOWS:.+]] = "stablehlo.reduce_window"
// OVERWRITTEN: %[[LATE:.+]]:2 = "stablehlo.optimization_barrier"(%{{.+}}, %[[PRODUCT]])
// OVERWRITTEN-NEXT: %[[SPREAD:.+]] = "stablehlo.broadcast_in_dim"(%[[LATE]]#0)
// OVERWRITTEN-NEXT: %[[HALF:.+]] = "stablehlo.multiply"(%[[WINDOWS]], %[[SPREAD]])
// OVERWRITTEN-NEXT: "stablehlo.add"(%[[HALF]], %[[LATE]]#1)

// A sum of four products reads 256 bytes and makes 64. Under a cap of 260 it is planned in parts, of which the first has left one value when the
// last product is made.
// RUN: ballast-opt %t/four.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap=400 cap-counts=temp heap-gaps=false swap=false time-limit=5" --ballast-verify --ballast-to-stablehlo | FileCheck %s --check-prefix=WHOLE
// WHOLE-COUNT-3: "stablehlo.add"
// WHOLE-NOT: optimization_barrier
// RUN: ballast-opt %t/four.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap=260 cap-counts=temp heap-gaps=false swap=false relax-limit=0 time-limit=5" --ballast-verify --ballast-to-stablehlo | FileCheck %s --check-prefix=PARTS
// PARTS: %[[FIRST:.+]] = "stablehlo.add"
// PARTS-NEXT: %[[BEHIND:.+]] = "stablehlo.optimization_barrier"(%[[FIRST]])
// PARTS-NEXT: "stablehlo.add"(%[[BEHIND]],
// PARTS: %[[LAST:.+]] = "stablehlo.dot_general"
// PARTS-NEXT: "stablehlo.add"(%{{.+}}, %[[LAST]])

//--- scatter.mlir
func.func @main(%x: tensor<4x4xf32>, %rows: tensor<4x1xi32>) -> (tensor<64x4xf32>, tensor<64x4xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %zeros = "stablehlo.broadcast_in_dim"(%zero) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x4xf32>
  %g = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = "stablehlo.scatter"(%zeros, %rows, %g) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<64x4xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<64x4xf32>
  %m = "stablehlo.maximum"(%s, %zeros) : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<64x4xf32>
  return %s, %m : tensor<64x4xf32>, tensor<64x4xf32>
}

//--- sum.mlir
func.func @main(%x: tensor<4x4xf32>, %large: tensor<16x16xf32>) -> tensor<4x4xf32> {
  %w = "stablehlo.dot_general"(%large, %large) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = "stablehlo.slice"(%w) <{limit_indices = array<i64: 4, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x16xf32>) -> tensor<4x4xf32>
  %p0 = "stablehlo.dot_general"(%y, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p1 = "stablehlo.dot_general"(%p0, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p2 = "stablehlo.dot_general"(%p1, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p3 = "stablehlo.dot_general"(%p2, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p4 = "stablehlo.dot_general"(%p3, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p5 = "stablehlo.dot_general"(%p4, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p6 = "stablehlo.dot_general"(%p5, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p7 = "stablehlo.dot_general"(%p6, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p8 = "stablehlo.dot_general"(%p7, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p9 = "stablehlo.dot_general"(%p8, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p10 = "stablehlo.dot_general"(%p9, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p11 = "stablehlo.dot_general"(%p10, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q0 = "stablehlo.dot_general"(%x, %p11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q1 = "stablehlo.dot_general"(%x, %p10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s1 = "stablehlo.add"(%q0, %q1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q2 = "stablehlo.dot_general"(%x, %p9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s2 = "stablehlo.add"(%s1, %q2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q3 = "stablehlo.dot_general"(%x, %p8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s3 = "stablehlo.add"(%s2, %q3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q4 = "stablehlo.dot_general"(%x, %p7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s4 = "stablehlo.add"(%s3, %q4) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q5 = "stablehlo.dot_general"(%x, %p6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s5 = "stablehlo.add"(%s4, %q5) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q6 = "stablehlo.dot_general"(%x, %p5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s6 = "stablehlo.add"(%s5, %q6) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q7 = "stablehlo.dot_general"(%x, %p4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s7 = "stablehlo.add"(%s6, %q7) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q8 = "stablehlo.dot_general"(%x, %p3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s8 = "stablehlo.add"(%s7, %q8) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q9 = "stablehlo.dot_general"(%x, %p2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s9 = "stablehlo.add"(%s8, %q9) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q10 = "stablehlo.dot_general"(%x, %p1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s10 = "stablehlo.add"(%s9, %q10) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q11 = "stablehlo.dot_general"(%x, %p0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s11 = "stablehlo.add"(%s10, %q11) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s11 : tensor<4x4xf32>
}

//--- reduced.mlir
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %zeros = "stablehlo.broadcast_in_dim"(%zero) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
  %p = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = "stablehlo.maximum"(%p, %zeros) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = "stablehlo.reduce"(%m, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = "stablehlo.dot_general"(%p, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = "stablehlo.maximum"(%q, %zeros) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %n : tensor<4xf32>, tensor<4x4xf32>
}

//--- overwritten.mlir
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %half = "stablehlo.constant"() <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
  %halves = "stablehlo.broadcast_in_dim"(%half) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
  %p = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %w = "stablehlo.reduce_window"(%p, %zero) <{padding = dense<1> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %m = "stablehlo.multiply"(%w, %halves) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = "stablehlo.add"(%m, %p) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = "stablehlo.dot_general"(%s, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %q : tensor<4x4xf32>
}

//--- four.mlir
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = "stablehlo.dot_general"(%a, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = "stablehlo.dot_general"(%b, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = "stablehlo.dot_general"(%c, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s1 = "stablehlo.add"(%a, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s2 = "stablehlo.add"(%s1, %c) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s3 = "stablehlo.add"(%s2, %d) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = "stablehlo.dot_general"(%s3, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %e : tensor<4x4xf32>
}
