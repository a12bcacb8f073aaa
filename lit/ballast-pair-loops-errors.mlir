// What is refused, and caps that nothing keeps.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops=cap=64 -verify-diagnostics -split-input-file
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops=cap=much 2>&1 | FileCheck %s --check-prefix=CAP
// CAP: cap 'much' is not a size
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops=time-limit=-1 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: error: time-limit=-1: give 0 to 1e9
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops="function=other" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: no function '@other'
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops="plan-file=%t/none/plan.json" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: none/plan.json

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: pair its loops before, or remove `ballast.plan`}}
func.func @planned(%x: tensor<8xf32>) -> tensor<8xf32> attributes {ballast.plan = #plan} {
  return %x : tensor<8xf32>
}

// -----

// expected-warning@+1 {{stacks of 128 B are kept: no choice needs fewer, and the cap is 64 B}}
func.func @over_its_cap(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %f = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
  %a:5 = "stablehlo.while"(%zero, %x, %w, %empty, %empty) ({
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %wi.r = "stablehlo.dynamic_slice"(%w.all, %i, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %wi = "stablehlo.reshape"(%wi.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %m = "stablehlo.multiply"(%h, %wi) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.sine"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%h.next) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t1 = "stablehlo.dynamic_update_slice"(%s1, %t1.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %h.next, %w.all, %t0, %t1) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %b:4 = "stablehlo.while"(%zero, %a#1, %a#3, %a#4) ({
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %three = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %at = "stablehlo.subtract"(%three, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r0.r = "stablehlo.dynamic_slice"(%s0, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r0 = "stablehlo.reshape"(%r0.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g0 = "stablehlo.multiply"(%g, %r0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %r1.r = "stablehlo.dynamic_slice"(%s1, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r1 = "stablehlo.reshape"(%r1.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g1 = "stablehlo.multiply"(%g0, %r1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %g1, %s0, %s1) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return %b#1 : tensor<8xf32>
}
