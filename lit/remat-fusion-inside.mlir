// Memory inside of loops and branches: what is computed there is fused as it is outside, and the next of a carried value is written over it. Values have 1024
// bytes. Beside what is told of every function, arguments and the buffer of the result are there.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=1GB solver=keep-all" -split-input-file 2> %t.warnings | FileCheck %s

// The product alone: all behind it is one op, written over the value that it is the next of. Two arguments, the result, the product.
// CHECK-LABEL: func.func @a_chain_until_it_is_small(
// CHECK-SAME: unplanned_peak = 4096,
func.func @a_chain_until_it_is_small(%w: tensor<16x16xf32>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r:2 = "stablehlo.while"(%w, %x) ({
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %s = "stablehlo.reduce"(%b, %z) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %t = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%t) : (tensor<f32>) -> ()
    }) : (tensor<16x16xf32>, tensor<f32>) -> tensor<f32>
    %c = "stablehlo.compare"(%s, %z) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %d = "stablehlo.dot_general"(%b, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %t = "stablehlo.tanh"(%d) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = "stablehlo.sine"(%t) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = "stablehlo.cosine"(%t) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %m = "stablehlo.multiply"(%s, %c) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "stablehlo.return"(%a, %m) : (tensor<16x16xf32>, tensor<16x16xf32>) -> ()
  }) : (tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>)
  return %r#1 : tensor<16x16xf32>
}

// -----

// An argument and the result: nothing else.
// CHECK-LABEL: func.func @element_by_element(
// CHECK-SAME: unplanned_peak = 2048,
func.func @element_by_element(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = "stablehlo.while"(%x) ({
  ^bb0(%b: tensor<16x16xf32>):
    %c = "test.again"() : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%b: tensor<16x16xf32>):
    %t = "stablehlo.tanh"(%b) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    "stablehlo.return"(%t) : (tensor<16x16xf32>) -> ()
  }) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// What is read at other places than the one that is written is still needed: the next value has memory of its own.
// CHECK-LABEL: func.func @at_other_places(
// CHECK-SAME: unplanned_peak = 3072,
func.func @at_other_places(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = "stablehlo.while"(%x) ({
  ^bb0(%b: tensor<16x16xf32>):
    %c = "test.again"() : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%b: tensor<16x16xf32>):
    %v = "stablehlo.reverse"(%b) <{dimensions = array<i64: 0>}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %t = "stablehlo.add"(%b, %v) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "stablehlo.return"(%t) : (tensor<16x16xf32>) -> ()
  }) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// And so it has where the value before it is handed on. Two arguments, both results of the loop, and the next value.
// CHECK-LABEL: func.func @handed_on(
// CHECK-SAME: unplanned_peak = 5120,
func.func @handed_on(%w: tensor<16x16xf32>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r:2 = "stablehlo.while"(%w, %x) ({
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %c = "test.again"() : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>):
    %t = "stablehlo.tanh"(%b) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    "stablehlo.return"(%b, %t) : (tensor<16x16xf32>, tensor<16x16xf32>) -> ()
  }) : (tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>)
  return %r#1 : tensor<16x16xf32>
}

// -----

// Of an arm the product is there beside the result, which both arms write. Two arguments, the index, the result, the product.
// CHECK-LABEL: func.func @arms(
// CHECK-SAME: unplanned_peak = 4100,
func.func @arms(%a: tensor<16x16xf32>, %w: tensor<16x16xf32>, %i: tensor<i32>) -> tensor<16x16xf32> {
  %r = "stablehlo.case"(%i) ({
    %n = "stablehlo.negate"(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    "stablehlo.return"(%n) : (tensor<16x16xf32>) -> ()
  }, {
    %d = "stablehlo.dot_general"(%a, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = "stablehlo.sine"(%d) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %c = "stablehlo.cosine"(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %e = "stablehlo.exponential"(%c) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %m = "stablehlo.add"(%s, %e) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "stablehlo.return"(%m) : (tensor<16x16xf32>) -> ()
  }) : (tensor<i32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
