// Counted loops become their iterations; what one stacks for another becomes the slices.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll -split-input-file | FileCheck %s
// A second run finds nothing to do.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll --ballast-unroll -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll=max-ops=10 -split-input-file 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll="max-ops=10 nested=inner" -split-input-file 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll --mlir-print-debuginfo --mlir-print-local-scope -split-input-file | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: func @bodies_follow_each_other
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[A:.*]] = "some.layer"(%[[X]]) {ballast.never_recompute}
// CHECK-NEXT: %[[B:.*]] = "some.layer"(%[[A]]) {ballast.never_recompute}
// CHECK-NEXT: %[[C:.*]] = "some.layer"(%[[B]]) {ballast.never_recompute}
// CHECK-NEXT: return %[[C]]
// LOC-LABEL: func @bodies_follow_each_other
// LOC: "some.layer"({{.*}} loc(callsite({{.*}} at "iteration 0"(
// LOC: "some.layer"({{.*}} loc(callsite({{.*}} at "iteration 1"(
// LOC: "some.layer"({{.*}} loc(callsite({{.*}} at "iteration 2"(
// REMARK: remark: [Passed] Unroll | Category:ballast | Function=bodies_follow_each_other | Remark="loops were opened", loops=1
func.func @bodies_follow_each_other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>):
    %n = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>):
    %1 = func.call @helper(%v) : (tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2, %1) : (tensor<i32>, tensor<8xf32>) -> ()
  }) {ballast.never_recompute} : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  return %r#1 : tensor<8xf32>
}
func.func private @helper(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "some.layer"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The forward loop stacks what it computes; the backward loop reads it from the end. Weights are read at the counter.
// CHECK-LABEL: func @stacks_become_their_slices
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[W:.*]]: tensor<2x8xf32>
// CHECK-NEXT: %[[W0:.*]] = "stablehlo.slice"(%[[W]]) {limit_indices = array<i64: 1, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}
// CHECK-NEXT: %[[R0:.*]] = "stablehlo.reshape"(%[[W0]])
// CHECK-NEXT: %[[A:.*]] = "some.layer"(%[[X]], %[[R0]])
// CHECK-NEXT: %[[W1:.*]] = "stablehlo.slice"(%[[W]]) {limit_indices = array<i64: 2, 8>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}
// CHECK-NEXT: %[[R1:.*]] = "stablehlo.reshape"(%[[W1]])
// CHECK-NEXT: %[[B:.*]] = "some.layer"(%[[A]], %[[R1]])
// CHECK-NEXT: %[[GB:.*]] = "some.gradient"(%[[B]], %[[A]])
// CHECK-NEXT: %[[SB:.*]] = "stablehlo.reshape"(%[[GB]])
// CHECK-NEXT: %[[GA:.*]] = "some.gradient"(%[[GB]], %[[X]])
// CHECK-NEXT: %[[SA:.*]] = "stablehlo.reshape"(%[[GA]])
// CHECK-NEXT: %[[G:.*]] = "stablehlo.concatenate"(%[[SA]], %[[SB]]) {dimension = 0 : i64}
// CHECK-NEXT: return %[[GA]], %[[G]]
func.func @stacks_become_their_slices(%x: tensor<8xf32>, %w: tensor<2x8xf32>) -> (tensor<8xf32>, tensor<2x8xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %none = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%none) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x8xf32>
  %f:4 = "stablehlo.while"(%zero, %x, %empty, %w) ({
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>, %s: tensor<2x8xf32>, %a: tensor<2x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>, %s: tensor<2x8xf32>, %a: tensor<2x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.dynamic_slice"(%a, %i, %0) <{slice_sizes = array<i64: 1, 8>}> : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<1x8xf32>) -> tensor<8xf32>
    %3 = "some.layer"(%v, %2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %4 = "stablehlo.broadcast_in_dim"(%v) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf32>) -> tensor<1x8xf32>
    %5 = "stablehlo.dynamic_update_slice"(%s, %4, %i, %0) : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    %6 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%6, %3, %5, %a) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
  %b:4 = "stablehlo.while"(%zero, %f#1, %f#2, %empty) ({
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s: tensor<2x8xf32>, %t: tensor<2x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s: tensor<2x8xf32>, %t: tensor<2x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    // From the end, and wrapped as a negative index would be.
    %1 = "stablehlo.subtract"(%one, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = "stablehlo.compare"(%1, %0) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %two = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.add"(%1, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %4 = "stablehlo.select"(%2, %3, %1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %5 = "stablehlo.dynamic_slice"(%s, %4, %0) <{slice_sizes = array<i64: 1, 8>}> : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %6 = "stablehlo.reshape"(%5) : (tensor<1x8xf32>) -> tensor<8xf32>
    %7 = "some.gradient"(%g, %6) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %8 = "stablehlo.reshape"(%7) : (tensor<8xf32>) -> tensor<1x8xf32>
    %9 = "stablehlo.dynamic_update_slice"(%t, %8, %1, %0) : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    %10 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%10, %7, %s, %9) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
  return %b#1, %b#3 : tensor<8xf32>, tensor<2x8xf32>
}

// -----

// Two outer iterations of three inner ones; ten ops hold either loop and not both.
// CHECK-LABEL: func @loops_in_loops
// CHECK-COUNT-6: "some.layer"
// CHECK-NOT: "some.layer"
// FEW-LABEL: func @loops_in_loops
// FEW-NOT: "stablehlo.while"
// FEW: scf.for
// FEW: scf.for
// FEW-NOT: scf.for
// INNER-LABEL: func @loops_in_loops
// INNER: scf.for
// INNER-COUNT-3: "some.layer"
// INNER-NOT: "some.layer"
func.func @loops_in_loops(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %7 = arith.constant 7 : index
  %r = scf.for %i = %0 to %2 step %1 iter_args(%v = %x) -> tensor<8xf32> {
    %s = scf.for %j = %1 to %7 step %2 iter_args(%u = %v) -> tensor<8xf32> {
      %k = arith.addi %i, %j : index
      %t = "some.layer"(%u, %k) : (tensor<8xf32>, index) -> tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// REMARK: remark: [Missed] LoopWhole | Category:ballast | Function=a_loop_that_computes_its_end_stays | Remark="a loop stays whole: how often it runs depends on values that are computed", bytes=32
// CHECK-LABEL: func @a_loop_that_computes_its_end_stays
// INNER-LABEL: func @a_loop_that_computes_its_end_stays
// FEW-LABEL: func @a_loop_that_computes_its_end_stays
// CHECK: "stablehlo.while"
func.func @a_loop_that_computes_its_end_stays(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.while"(%x) ({
  ^bb0(%v: tensor<8xf32>):
    %c = "some.test"(%v) : (tensor<8xf32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%v: tensor<8xf32>):
    %1 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    "stablehlo.return"(%1) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A slice of a stack that was never written is what it was made of; one row of four is written into the rest.
// CHECK-LABEL: func @rows_not_written_stay
// CHECK-SAME: %[[X:.*]]: tensor<1x8xf32>, %[[S:.*]]: tensor<4x8xf32>
// CHECK: %[[ROW:.*]] = "stablehlo.slice"(%[[S]]) {limit_indices = array<i64: 3, 8>, start_indices = array<i64: 2, 0>
// CHECK: %[[ALL:.*]] = "stablehlo.dynamic_update_slice"(%[[S]], %[[X]],
// CHECK: return %[[ROW]], %[[ALL]]
func.func @rows_not_written_stay(%x: tensor<1x8xf32>, %s: tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<4x8xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %s) ({
  ^bb0(%i: tensor<i32>, %v: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<4x8xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.dynamic_update_slice"(%v, %x, %i, %z) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %2 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2, %1) : (tensor<i32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>)
  %row = "stablehlo.slice"(%r#1) <{start_indices = array<i64: 2, 0>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 1>}> : (tensor<4x8xf32>) -> tensor<1x8xf32>
  return %row, %r#1 : tensor<1x8xf32>, tensor<4x8xf32>
}

// -----

// Only the loops of the function that is named, where one is.
// RUN: sed -n '/^func.func @named/,$p' %s | ballast-opt --allow-unregistered-dialect --ballast-unroll=function=named | FileCheck %s --check-prefix=NAMED
// NAMED-LABEL: func.func @named
// NAMED-COUNT-2: "some.layer"
// NAMED-LABEL: func.func @another
// NAMED: scf.for
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-unroll=function=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: no function '@nobody': the module has
func.func @named(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %r = scf.for %i = %0 to %2 step %1 iter_args(%v = %x) -> tensor<8xf32> {
    %3 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @another(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %r = scf.for %i = %0 to %2 step %1 iter_args(%v = %x) -> tensor<8xf32> {
    %3 = "other.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Bounds are compared without a sign where the loop says so: 100 to 130 of eight bits are three iterations, and from -2 to 7 there is none.
// CHECK-LABEL: func @bounds_without_a_sign
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[A:.*]] = math.cos %[[X]]
// CHECK-NEXT: %[[B:.*]] = math.cos %[[A]]
// CHECK-NEXT: %[[C:.*]] = math.cos %[[B]]
// CHECK-NEXT: return %[[C]]
func.func @bounds_without_a_sign(%x: tensor<8xf32>) -> tensor<8xf32> {
  %from = arith.constant 100 : i8
  %to = arith.constant 130 : i8
  %step = arith.constant 10 : i8
  %r = scf.for unsigned %i = %from to %to step %step iter_args(%v = %x) -> tensor<8xf32> : i8 {
    %1 = math.cos %v : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  %high = arith.constant -2 : index
  %7 = arith.constant 7 : index
  %3 = arith.constant 3 : index
  %s = scf.for unsigned %i = %high to %7 step %3 iter_args(%v = %r) -> tensor<8xf32> {
    %1 = math.sin %v : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %s : tensor<8xf32>
}

// -----

// Booleans of `arith` wrap, where those of StableHLO are disjunctions: true and true is false, and of an index the last bit stays.
// CHECK-LABEL: func @booleans_of_arith_stay_ops
// CHECK: %[[A:.*]] = arith.index_cast %{{.*}} : index to i1
// CHECK: %[[B:.*]] = arith.addi %{{.*}}, %[[A]] : i1
// CHECK: %[[C:.*]] = arith.index_cast %{{.*}} : index to i1
// CHECK: %[[D:.*]] = arith.addi %[[B]], %[[C]] : i1
// CHECK: return %[[D]]
func.func @booleans_of_arith_stay_ops() -> i1 {
  %0 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %5 = arith.constant 5 : index
  %f = arith.constant false
  %r = scf.for %i = %0 to %5 step %2 iter_args(%odd = %f) -> i1 {
    %last = arith.index_cast %i : index to i1
    %1 = arith.addi %odd, %last : i1
    scf.yield %1 : i1
  }
  return %r : i1
}

// -----

// A loss at each step: the second loop reads pieces, made of the pieces that the first one stacks and of slices of an argument. Nothing is made of the whole.
// CHECK-LABEL: func @what_is_made_of_a_stack_is_made_of_its_pieces
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<2x2x4xf32>
// CHECK-NEXT: %[[A:.*]] = "some.layer"(%[[X]])
// CHECK-NEXT: %[[ROW:.*]] = "stablehlo.reshape"(%[[A]]) : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NOT: tensor<2x
// CHECK: %[[PIECE:.*]] = "stablehlo.reshape"(%[[ROW]]) : (tensor<1x8xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT: %[[PART:.*]] = "stablehlo.slice"(%[[Y]]) {limit_indices = array<i64: 1, 2, 4>, start_indices = array<i64: 0, 0, 0>
// CHECK-NEXT: %[[LOSS:.*]] = "stablehlo.subtract"(%[[PIECE]], %[[PART]]) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT: %[[TURNED:.*]] = "stablehlo.transpose"(%[[LOSS]]) {{.*}} : (tensor<1x2x4xf32>) -> tensor<1x4x2xf32>
// CHECK-NEXT: %[[FLAT:.*]] = "stablehlo.reshape"(%[[TURNED]]) : (tensor<1x4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: "some.gradient"(%{{.*}}, %[[FLAT]])
// CHECK: "stablehlo.slice"(%[[Y]]) {limit_indices = array<i64: 2, 2, 4>, start_indices = array<i64: 1, 0, 0>
// CHECK-NEXT: "stablehlo.subtract"({{.*}} -> tensor<1x2x4xf32>
// CHECK-NOT: "stablehlo.subtract"
// CHECK: return
func.func @what_is_made_of_a_stack_is_made_of_its_pieces(%x: tensor<8xf32>, %y: tensor<2x2x4xf32>) -> tensor<4x2xf32> {
  %zeros = "stablehlo.constant"() <{value = dense<0.0> : tensor<2x8xf32>}> : () -> tensor<2x8xf32>
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %a:3 = "stablehlo.while"(%zero, %x, %zeros) ({
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>, %s: tensor<2x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>, %s: tensor<2x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<8xf32>) -> tensor<1x8xf32>
    %3 = "stablehlo.dynamic_update_slice"(%s, %2, %i, %0) : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    %4 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%4, %1, %3) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>)
  %r = "stablehlo.reshape"(%a#2) : (tensor<2x8xf32>) -> tensor<2x2x4xf32>
  %d = "stablehlo.subtract"(%r, %y) : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %t = "stablehlo.transpose"(%d) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x2x4xf32>) -> tensor<2x4x2xf32>
  %g = "stablehlo.constant"() <{value = dense<0.0> : tensor<4x2xf32>}> : () -> tensor<4x2xf32>
  %b:3 = "stablehlo.while"(%zero, %g, %t) ({
  ^bb0(%i: tensor<i32>, %v: tensor<4x2xf32>, %s: tensor<2x4x2xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<4x2xf32>, %s: tensor<2x4x2xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.dynamic_slice"(%s, %i, %0, %0) <{slice_sizes = array<i64: 1, 4, 2>}> : (tensor<2x4x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x2xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<1x4x2xf32>) -> tensor<4x2xf32>
    %3 = "some.gradient"(%v, %2) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %4 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%4, %3, %s) : (tensor<i32>, tensor<4x2xf32>, tensor<2x4x2xf32>) -> ()
  }) : (tensor<i32>, tensor<4x2xf32>, tensor<2x4x2xf32>) -> (tensor<i32>, tensor<4x2xf32>, tensor<2x4x2xf32>)
  return %b#1 : tensor<4x2xf32>
}

// -----

// A row of a product needs all of one operand: the product is made whole, and sliced.
// CHECK-LABEL: func @products_of_a_stack_are_sliced
// CHECK: %[[ALL:.*]] = "stablehlo.dot_general"({{.*}} -> tensor<2x8xf32>
// CHECK: %[[TURNED:.*]] = "stablehlo.reshape"(%[[ALL]]) : (tensor<2x8xf32>) -> tensor<2x4x2xf32>
// CHECK: "stablehlo.slice"(%[[TURNED]]) {limit_indices = array<i64: 1, 4, 2>
// CHECK: "stablehlo.slice"(%[[TURNED]]) {limit_indices = array<i64: 2, 4, 2>
// CHECK-NOT: "stablehlo.dot_general"
// CHECK: return
func.func @products_of_a_stack_are_sliced(%x: tensor<8xf32>, %y: tensor<8x8xf32>) -> tensor<4x2xf32> {
  %zeros = "stablehlo.constant"() <{value = dense<0.0> : tensor<2x8xf32>}> : () -> tensor<2x8xf32>
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %a:3 = "stablehlo.while"(%zero, %x, %zeros) ({
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>, %s: tensor<2x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>, %s: tensor<2x8xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<8xf32>) -> tensor<1x8xf32>
    %3 = "stablehlo.dynamic_update_slice"(%s, %2, %i, %0) : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    %4 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%4, %1, %3) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<2x8xf32>)
  %d = "stablehlo.dot_general"(%a#2, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %t = "stablehlo.reshape"(%d) : (tensor<2x8xf32>) -> tensor<2x4x2xf32>
  %g = "stablehlo.constant"() <{value = dense<0.0> : tensor<4x2xf32>}> : () -> tensor<4x2xf32>
  %b:3 = "stablehlo.while"(%zero, %g, %t) ({
  ^bb0(%i: tensor<i32>, %v: tensor<4x2xf32>, %s: tensor<2x4x2xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<4x2xf32>, %s: tensor<2x4x2xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %1 = "stablehlo.dynamic_slice"(%s, %i, %0, %0) <{slice_sizes = array<i64: 1, 4, 2>}> : (tensor<2x4x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x2xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<1x4x2xf32>) -> tensor<4x2xf32>
    %3 = "some.gradient"(%v, %2) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %4 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%4, %3, %s) : (tensor<i32>, tensor<4x2xf32>, tensor<2x4x2xf32>) -> ()
  }) : (tensor<i32>, tensor<4x2xf32>, tensor<2x4x2xf32>) -> (tensor<i32>, tensor<4x2xf32>, tensor<2x4x2xf32>)
  return %b#1 : tensor<4x2xf32>
}

// -----

// A private function is found by its name, with and without the sign before it: what is to be opened is not dropped as a helper.
// RUN: sed -n '/^func.func private @beside/,$p' %s | ballast-opt --allow-unregistered-dialect --ballast-unroll=function=beside | FileCheck %s --check-prefix=BESIDE
// RUN: sed -n '/^func.func private @beside/,$p' %s | ballast-opt --allow-unregistered-dialect --ballast-unroll=function=@beside | FileCheck %s --check-prefix=BESIDE
// BESIDE-LABEL: func.func private @beside
// BESIDE-COUNT-2: "some.layer"
// BESIDE-NOT: scf.for
// BESIDE-LABEL: func.func @shown
func.func private @beside(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %r = scf.for %i = %0 to %2 step %1 iter_args(%v = %x) -> tensor<8xf32> {
    %3 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @shown(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// What other blocks read of a loop is not looked for: it stays whole. In a region of one block it is opened.
// RUN: sed -n '/^func.func @in_a_region_of_blocks/,$p' %s | ballast-opt --ballast-unroll=nested=inner --remarks-filter=ballast 2>%t.around | FileCheck %s --check-prefix=AROUND
// RUN: FileCheck %s --check-prefix=STAYS < %t.around
// AROUND-LABEL: func.func @in_a_region_of_blocks
// AROUND: scf.for
// AROUND: math.sin
// AROUND-NOT: scf.for
// AROUND: scf.if
// AROUND-COUNT-2: math.exp
// STAYS: remark: [Missed] LoopWhole{{.*}}a loop stays whole: the region it stands in has several blocks
func.func @in_a_region_of_blocks(%x: tensor<4xf32>, %b: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %q = scf.execute_region -> tensor<4xf32> {
    %r = scf.for %i = %0 to %2 step %1 iter_args(%v = %x) -> tensor<4xf32> {
      %y = math.exp %v : tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    cf.cond_br %b, ^other, ^end
  ^other:
    %s = math.sin %r : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  ^end:
    scf.yield %r : tensor<4xf32>
  }
  %p = scf.if %b -> tensor<4xf32> {
    %r = scf.for %i = %0 to %2 step %1 iter_args(%v = %x) -> tensor<4xf32> {
      %y = math.exp %v : tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %r : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %q, %p : tensor<4xf32>, tensor<4xf32>
}
