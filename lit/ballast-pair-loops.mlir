// Pairs of loops: what one stacks for the other is kept or computed again.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops=cap=50% -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops=cap=50% --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Without a cap all stacks stay that cost anything to do without.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops -split-input-file | FileCheck %s --check-prefix=ALL
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pair-loops="cap=128 time-limit=20 function=counted_the_same_way plan-file=-" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// A private function beside a public one is found by its name, with and without the sign before it.
// RUN: sed -n '/^func.func @counted_the/,/^}/{s/func @/func private @/;p}; /^func.func @loops_of_scf/,/^}/p' %s | ballast-opt --allow-unregistered-dialect --ballast-pair-loops="cap=128 time-limit=20 function=counted_the_same_way plan-file=-" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: sed -n '/^func.func @counted_the/,/^}/{s/func @/func private @/;p}; /^func.func @loops_of_scf/,/^}/p' %s | ballast-opt --allow-unregistered-dialect --ballast-pair-loops="cap=128 time-limit=20 function=@counted_the_same_way plan-file=-" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE

// Where the loops stay loops and no plan keeps a cap, the advice names this pass; not where no stack goes from one loop to the other.
// RUN: sed -n '/^func.func @counted_the/,/^}/p' %s | not ballast-opt --allow-unregistered-dialect --remat="loops=whole cap-counts=temp cap=64 relax-limit=0 time-limit=1" 2>&1 | FileCheck %s --check-prefix=ADVICE
// RUN: sed -n '/^func.func @counted_the/,/^}/p' %s | ballast-opt --allow-unregistered-dialect --remat="loops=whole cap-counts=temp cap=200 time-limit=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ADVICE
// ADVICE: it is a loop, which is planned as one op, {{.*}}. `--ballast-pair-loops` before planning lets the backward loop compute again what the forward loop stacks for it
// RUN: sed -n '/^func.func @a_stack_that_is_read_whole/,/^}/p' %s | not ballast-opt --allow-unregistered-dialect --remat="loops=whole cap-counts=temp cap=64 relax-limit=0 time-limit=1" 2>&1 | FileCheck %s --check-prefix=NO-ADVICE
// NO-ADVICE: it is a loop, which is planned as one op
// NO-ADVICE-NOT: --ballast-pair-loops

// The sine is cheaper than what the exponential needs: it runs again. Its stack is in neither loop.
// CHECK-LABEL: func.func @a_stack_is_computed_again_from_another(
// CHECK: %[[A:.+]]:4 = "stablehlo.while"(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}})
// CHECK: %[[E:.+]] = "stablehlo.exponential"
// CHECK: %[[SLICE:.+]] = "stablehlo.reshape"(%[[E]])
// CHECK: %[[STACK:.+]] = "stablehlo.dynamic_update_slice"(%{{.+}}, %[[SLICE]]
// CHECK: "stablehlo.return"(%{{.+}}, %{{.+}}, %{{.+}}, %[[STACK]]) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
// CHECK: "stablehlo.while"(%{{.+}}, %[[A]]#1, %[[A]]#3)
// CHECK: %[[AT:.+]] = "stablehlo.subtract"
// CHECK: %[[READ:.+]] = "stablehlo.dynamic_slice"(%{{.+}}, %[[AT]]
// CHECK: %[[E:.+]] = "stablehlo.reshape"(%[[READ]])
// CHECK: "stablehlo.sine"(%[[E]])
// CHECK-NOT: "stablehlo.dynamic_slice"
// CHECK: return
// REMARK: [Passed] PairLoops | Category:ballast | Function=a_stack_is_computed_again_from_another | Remark="the backward loop computes again what is not kept", added=0, again=2, dropped=1, operations=32, trips=4
// REMARK: [Analysis] Stacks {{.+}} bytes=256, kept=128
// ALL-LABEL: func.func @a_stack_is_computed_again_from_another(
// ALL: :5 = "stablehlo.while"
// ALL: :4 = "stablehlo.while"
func.func @a_stack_is_computed_again_from_another(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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

// -----

// Both are made of what is carried into the iteration, which has no stack yet.
// CHECK-LABEL: func.func @what_is_carried_gets_a_stack(
// CHECK: %[[EMPTY:.+]] = "stablehlo.broadcast_in_dim"({{.+}}) -> tensor<4x8xf32>
// CHECK-NOT: "stablehlo.broadcast_in_dim"
// CHECK: :4 = "stablehlo.while"(%{{.+}}, %{{.+}}, %{{.+}}, %[[EMPTY]])
// CHECK: }, {
// CHECK: ^bb0(%[[I:.+]]: tensor<i32>, %[[H:.+]]: tensor<8xf32>,
// CHECK-NOT: "stablehlo.sine"
// CHECK: %[[SLICE:.+]] = "stablehlo.reshape"(%[[H]])
// CHECK: "stablehlo.dynamic_update_slice"(%{{.+}}, %[[SLICE]], %[[I]]
// CHECK: :3 = "stablehlo.while"
// CHECK: "stablehlo.dynamic_slice"
// CHECK: %[[H:.+]] = "stablehlo.reshape"
// CHECK-DAG: "stablehlo.exponential"(%[[H]])
// CHECK-DAG: "stablehlo.sine"(%[[H]])
// REMARK: PairLoops {{.+}} Function=what_is_carried_gets_a_stack {{.+}} added=1, again=4, dropped=2
func.func @what_is_carried_gets_a_stack(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %e = "stablehlo.exponential"(%h) : (tensor<8xf32>) -> tensor<8xf32>
    %d = "stablehlo.sine"(%h) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.multiply"(%e, %wi) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%d) : (tensor<8xf32>) -> tensor<1x8xf32>
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

// -----

// The backward loop gets the weights, and reads those of the iteration whose slices it reads.
// CHECK-LABEL: func.func @weights_are_read_at_the_iteration_of_the_forward_loop(
// CHECK-SAME: %{{.+}}: tensor<8xf32>, %[[W:.+]]: tensor<4x8xf32>)
// CHECK: :4 = "stablehlo.while"
// CHECK: "stablehlo.while"(%{{.+}}, %{{.+}}#1, %{{.+}}#3, %[[W]])
// CHECK: }, {
// CHECK: ^bb0(%{{.+}}: tensor<i32>, %{{.+}}: tensor<8xf32>, %[[H:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<4x8xf32>):
// CHECK: %[[AT:.+]] = "stablehlo.subtract"
// CHECK: "stablehlo.dynamic_slice"(%[[H]], %[[AT]]
// CHECK: "stablehlo.dynamic_slice"(%[[W]], %[[AT]]
// CHECK: "stablehlo.return"(%{{.+}}, %{{.+}}, %[[H]], %[[W]])
func.func @weights_are_read_at_the_iteration_of_the_forward_loop(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %t0.r = "stablehlo.reshape"(%h) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
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

// -----

// A backward loop may go through the stacks as the forward loop does.
// CHECK-LABEL: func.func @counted_the_same_way(
// CHECK: :4 = "stablehlo.while"
// CHECK: :4 = "stablehlo.while"
// CHECK: }, {
// CHECK: ^bb0(%[[I:.+]]: tensor<i32>, %{{.+}}: tensor<8xf32>, %[[H:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<4x8xf32>):
// CHECK: "stablehlo.dynamic_slice"(%[[H]], %[[I]]
// CHECK: "stablehlo.dynamic_slice"(%[[W]], %[[I]]
// FILE: "pairs": 1
// FILE: "rewritten": 1
// FILE: "stack-bytes": 256
// FILE: "kept-bytes": 128
// FILE: "repeated-operations": 32.0
// FILE: "trips": 4.0
func.func @counted_the_same_way(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %t0.r = "stablehlo.reshape"(%h) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
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
    %r0.r = "stablehlo.dynamic_slice"(%s0, %i, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r0 = "stablehlo.reshape"(%r0.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g0 = "stablehlo.multiply"(%g, %r0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %r1.r = "stablehlo.dynamic_slice"(%s1, %i, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r1 = "stablehlo.reshape"(%r1.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g1 = "stablehlo.multiply"(%g0, %r1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %g1, %s0, %s1) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return %b#1 : tensor<8xf32>
}

// -----

// What depends on the counter itself depends on the forward iteration's.
// CHECK-LABEL: func.func @the_counter_of_the_forward_loop_is_made_of_the_backward_loops(
// CHECK: :4 = "stablehlo.while"
// CHECK: :3 = "stablehlo.while"
// CHECK: }, {
// CHECK: %[[AT:.+]] = "stablehlo.subtract"
// CHECK: "stablehlo.convert"(%[[AT]])
func.func @the_counter_of_the_forward_loop_is_made_of_the_backward_loops(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %fi = "stablehlo.convert"(%i) : (tensor<i32>) -> tensor<f32>
    %fw = "stablehlo.broadcast_in_dim"(%fi) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %e = "stablehlo.multiply"(%m, %fw) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.sine"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
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

// -----

// The forward loop counts from 10, the backward loop from 0: its iteration 0 is the other's 13.
// CHECK-LABEL: func.func @a_counter_is_moved_and_mirrored(
// CHECK: :4 = "stablehlo.while"
// CHECK: :3 = "stablehlo.while"
// CHECK: }, {
// CHECK: ^bb0(%[[I:.+]]: tensor<i32>, %{{.+}}: tensor<8xf32>, %{{.+}}: tensor<4x8xf32>):
// CHECK: %[[LAST:.+]] = "stablehlo.constant"() {value = dense<13> : tensor<i32>}
// CHECK: %[[C:.+]] = "stablehlo.subtract"(%[[LAST]], %[[I]])
// CHECK: "stablehlo.convert"(%[[C]])
func.func @a_counter_is_moved_and_mirrored(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %ten = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
  %f = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
  %a:5 = "stablehlo.while"(%ten, %x, %w, %empty, %empty) ({
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<14> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %less = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %fa = "stablehlo.subtract"(%i, %less) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %wi.r = "stablehlo.dynamic_slice"(%w.all, %fa, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %wi = "stablehlo.reshape"(%wi.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %fi = "stablehlo.convert"(%i) : (tensor<i32>) -> tensor<f32>
    %fw = "stablehlo.broadcast_in_dim"(%fi) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %m = "stablehlo.multiply"(%h, %h) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.multiply"(%m, %fw) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.sine"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %fa, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t1 = "stablehlo.dynamic_update_slice"(%s1, %t1.r, %fa, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
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

// -----

// Drawn twice they would be others.
// CHECK-LABEL: func.func @random_numbers_are_kept(
// CHECK: %[[M:.+]] = "stablehlo.rng"
// CHECK: %[[SLICE:.+]] = "stablehlo.reshape"(%[[M]])
// CHECK: "stablehlo.dynamic_update_slice"(%{{.+}}, %[[SLICE]]
// CHECK: "stablehlo.while"
// CHECK-NOT: "stablehlo.rng"
// CHECK: "stablehlo.exponential"
func.func @random_numbers_are_kept(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %lo = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %hi = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
    %shape = "stablehlo.constant"() <{value = dense<8> : tensor<1xi64>}> : () -> tensor<1xi64>
    %m = "stablehlo.rng"(%lo, %hi, %shape) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.multiply"(%h, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
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

// -----

// CHECK-LABEL: func.func @custom_calls_are_kept(
// CHECK: %[[M:.+]] = "stablehlo.custom_call"
// CHECK: %[[SLICE:.+]] = "stablehlo.reshape"(%[[M]])
// CHECK: "stablehlo.dynamic_update_slice"(%{{.+}}, %[[SLICE]]
// CHECK: "stablehlo.while"
// CHECK-NOT: "stablehlo.custom_call"
// CHECK: "stablehlo.exponential"
func.func @custom_calls_are_kept(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %m = "stablehlo.custom_call"(%h) <{call_target_name = "mine"}> : (tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.multiply"(%h, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
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

// -----

// CHECK-LABEL: func.func @what_never_runs_again_is_kept(
// CHECK: %[[M:.+]] = "stablehlo.cosine"
// CHECK: %[[SLICE:.+]] = "stablehlo.reshape"(%[[M]])
// CHECK: "stablehlo.dynamic_update_slice"(%{{.+}}, %[[SLICE]]
// CHECK: "stablehlo.while"
// CHECK-NOT: "stablehlo.cosine"
// CHECK: "stablehlo.exponential"
func.func @what_never_runs_again_is_kept(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %m = "stablehlo.cosine"(%h) {ballast.never_recompute} : (tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.multiply"(%h, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%m) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
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

// -----

// It is there whatever is decided, so that the other one is made of it for no memory: the cap is one of 128 bytes, of which none are used.
// CHECK-LABEL: func.func @a_stack_that_is_returned_stays(
// CHECK: %[[A:.+]]:4 = "stablehlo.while"
// CHECK: "stablehlo.while"(%{{.+}}, %[[A]]#1, %[[A]]#3)
// CHECK: "stablehlo.sine"
// CHECK: return %{{.+}}, %[[A]]#3
// REMARK: [Analysis] Stacks {{.+}} Function=a_stack_that_is_returned_stays {{.+}} bytes=128, kept=0
func.func @a_stack_that_is_returned_stays(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
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
  return %b#1, %a#3 : tensor<8xf32>, tensor<4x8xf32>
}

// -----

// Without a cap, too: another read costs nothing.
// CHECK-LABEL: func.func @the_same_value_is_stacked_once(
// CHECK: :4 = "stablehlo.while"
// CHECK: :3 = "stablehlo.while"
// ALL-LABEL: func.func @the_same_value_is_stacked_once(
// ALL: :5 = "stablehlo.while"
// ALL: :4 = "stablehlo.while"
func.func @the_same_value_is_stacked_once(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %f = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
  %a:6 = "stablehlo.while"(%zero, %x, %w, %empty, %empty, %empty) ({
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>, %s2: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>, %s2: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %wi.r = "stablehlo.dynamic_slice"(%w.all, %i, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %wi = "stablehlo.reshape"(%wi.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %m = "stablehlo.multiply"(%h, %wi) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.sine"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t1.r = "stablehlo.reshape"(%e) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t1 = "stablehlo.dynamic_update_slice"(%s1, %t1.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %t2.r = "stablehlo.reshape"(%h.next) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t2 = "stablehlo.dynamic_update_slice"(%s2, %t2.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %h.next, %w.all, %t0, %t1, %t2) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %b:5 = "stablehlo.while"(%zero, %a#1, %a#3, %a#4, %a#5) ({
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>, %s2: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>, %s2: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %three = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %at = "stablehlo.subtract"(%three, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r0.r = "stablehlo.dynamic_slice"(%s0, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r0 = "stablehlo.reshape"(%r0.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g0 = "stablehlo.multiply"(%g, %r0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %r1.r = "stablehlo.dynamic_slice"(%s1, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r1 = "stablehlo.reshape"(%r1.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g1 = "stablehlo.multiply"(%g0, %r1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %r2.r = "stablehlo.dynamic_slice"(%s2, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r2 = "stablehlo.reshape"(%r2.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g2 = "stablehlo.multiply"(%g1, %r2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %g2, %s0, %s1, %s2) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return %b#1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @iterations_that_cannot_be_counted(
// CHECK: :5 = "stablehlo.while"
// CHECK: :4 = "stablehlo.while"
// REMARK: [Missed] LoopAlone | Category:ballast | Function=iterations_that_cannot_be_counted | Remark="a loop stays as it is: how often it runs depends on values that are computed"
// REMARK: [Missed] LoopAlone {{.+}} Remark="a loop stays as it is: it stacks nothing that a later loop reads"
func.func @iterations_that_cannot_be_counted(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %f = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
  %a:5 = "stablehlo.while"(%zero, %x, %w, %empty, %empty) ({
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>, %s1: tensor<4x8xf32>):
    %n = "some.bound"() : () -> tensor<i32>
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

// -----

// CHECK-LABEL: func.func @a_stack_that_is_read_whole_stays(
// CHECK: :5 = "stablehlo.while"
// CHECK: :4 = "stablehlo.while"
// REMARK: [Missed] LoopAlone | Category:ballast | Function=a_stack_that_is_read_whole_stays | Remark="a loop stays as it is: no later loop alone reads what it stacks, slice by slice, iteration for iteration"
func.func @a_stack_that_is_read_whole_stays(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %all = "some.whole"(%s0, %s1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
    %g.end = "stablehlo.multiply"(%g1, %all) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %g.end, %s0, %s1) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return %b#1 : tensor<8xf32>
}

// -----

// The first read is past the end, where `dynamic_slice` gives the last slice: it is read twice.
// CHECK-LABEL: func.func @slices_of_another_iteration(
// CHECK: :5 = "stablehlo.while"
// CHECK: :4 = "stablehlo.while"
// REMARK: [Missed] LoopAlone | Category:ballast | Function=slices_of_another_iteration | Remark="a loop stays as it is: no later loop alone
func.func @slices_of_another_iteration(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %three = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
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

// -----

// CHECK-LABEL: func.func @as_often_as_each_other(
// CHECK: :5 = "stablehlo.while"
// CHECK: :4 = "stablehlo.while"
// REMARK: [Missed] LoopAlone | Category:ballast | Function=as_often_as_each_other | Remark="a loop stays as it is: no later loop alone
func.func @as_often_as_each_other(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
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
    %n = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
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

// -----

// What its author keeps is the least already.
// CHECK-LABEL: func.func @a_body_that_is_checkpointed_stays(
// CHECK: :4 = "stablehlo.while"
// CHECK: :3 = "stablehlo.while"
// REMARK: [Missed] StacksKept | Category:ballast | Function=a_body_that_is_checkpointed_stays | Remark="a pair of loops keeps all its stacks"
func.func @a_body_that_is_checkpointed_stays(%x: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %f = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %empty = "stablehlo.broadcast_in_dim"(%f) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
  %a:4 = "stablehlo.while"(%zero, %x, %w, %empty) ({
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %h: tensor<8xf32>, %w.all: tensor<4x8xf32>, %s0: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %wi.r = "stablehlo.dynamic_slice"(%w.all, %i, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %wi = "stablehlo.reshape"(%wi.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %m = "stablehlo.multiply"(%h, %wi) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%m) : (tensor<8xf32>) -> tensor<8xf32>
    %h.next = "stablehlo.sine"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %t0.r = "stablehlo.reshape"(%h) : (tensor<8xf32>) -> tensor<1x8xf32>
    %t0 = "stablehlo.dynamic_update_slice"(%s0, %t0.r, %i, %o) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %h.next, %w.all, %t0) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %b:3 = "stablehlo.while"(%zero, %a#1, %a#3) ({
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<4x8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %g: tensor<8xf32>, %s0: tensor<4x8xf32>):
    %o = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %three = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %at = "stablehlo.subtract"(%three, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r0.r = "stablehlo.dynamic_slice"(%s0, %at, %o) <{slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %r0 = "stablehlo.reshape"(%r0.r) : (tensor<1x8xf32>) -> tensor<8xf32>
    %g0 = "stablehlo.multiply"(%g, %r0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %k = "stablehlo.optimization_barrier"(%r0) : (tensor<8xf32>) -> tensor<8xf32>
    %e = "stablehlo.exponential"(%k) : (tensor<8xf32>) -> tensor<8xf32>
    %g.end = "stablehlo.multiply"(%g0, %e) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %i.next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%i.next, %g.end, %s0) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<4x8xf32>)
  return %b#1 : tensor<8xf32>
}

// -----

// What runs again in it runs in every iteration of the loop around it.
// CHECK-LABEL: func.func @a_pair_inside_a_loop_that_is_in_none(
// CHECK: :2 = "stablehlo.while"
// CHECK: :4 = "stablehlo.while"
// CHECK: :3 = "stablehlo.while"
// REMARK: [Missed] LoopAlone | Category:ballast | Function=a_pair_inside_a_loop_that_is_in_none | Remark="a loop stays as it is: it stacks nothing that a later loop reads"
// REMARK: [Passed] PairLoops | Category:ballast | Function=a_pair_inside_a_loop_that_is_in_none | Remark="the backward loop computes again what is not kept", added=0, again=2, dropped=1, operations=64, trips=4
func.func @a_pair_inside_a_loop_that_is_in_none(%y: tensor<8xf32>, %w: tensor<4x8xf32>) -> tensor<8xf32> {
  %begin = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%begin, %y) ({
  ^bb0(%k: tensor<i32>, %x: tensor<8xf32>):
    %n = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%k, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%k: tensor<i32>, %x: tensor<8xf32>):
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
    %step = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %k.next = "stablehlo.add"(%k, %step) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%k.next, %b#1) : (tensor<i32>, tensor<8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  return %r#1 : tensor<8xf32>
}

// -----

// Nobody counts to the end of a loop like this one.
// CHECK-LABEL: func.func @a_loop_of_very_many_iterations_stays(
// CHECK: stablehlo.while
// REMARK: [Missed] LoopAlone | Category:ballast | Function=a_loop_of_very_many_iterations_stays | Remark="a loop stays as it is: it runs 100000 times or more"
func.func @a_loop_of_very_many_iterations_stays(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  %n = "stablehlo.constant"() <{value = dense<1000000000000> : tensor<i64>}> : () -> tensor<i64>
  %1 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
  %r:2 = "stablehlo.while"(%0, %x) ({
  ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i64>, %v: tensor<8xf32>):
    %t = "stablehlo.tanh"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    %next = "stablehlo.add"(%i, %1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%next, %t) : (tensor<i64>, tensor<8xf32>) -> ()
  }) : (tensor<i64>, tensor<8xf32>) -> (tensor<i64>, tensor<8xf32>)
  return %r#1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @loops_of_scf_stay(
// CHECK: scf.for
// REMARK: [Missed] LoopAlone | Category:ballast | Function=loops_of_scf_stay | Remark="a loop stays as it is: of loops `stablehlo.while` alone is paired"
func.func @loops_of_scf_stay(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %r = scf.for %i = %0 to %4 step %1 iter_args(%v = %x) -> tensor<8xf32> {
    %e = "stablehlo.exponential"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
