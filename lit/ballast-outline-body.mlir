// The body of a loop as a function that is planned alone.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-outline-body -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-outline-body="depth=1 name=inside" -split-input-file | FileCheck %s --check-prefix=INNER
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-outline-body="depth=2" --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-outline-body=function=step --remat="function=step_body fusion=none cap=90% swap=false time-limit=10" --ballast-to-stablehlo | FileCheck %s --check-prefix=PLANNED

// What is carried comes first, in the buffers of the results; then what is read from outside. Constants go along, helpers are inlined;
// what counts stays in the loop.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:.+]]: tensor<100xf32>, %[[W:.+]]: tensor<100xf32>)
// CHECK: %[[ZERO:.+]] = "stablehlo.constant"
// CHECK: "stablehlo.while"(%[[ZERO]], %[[X]])
// CHECK: }, {
// CHECK-NEXT: ^bb0(%[[I:.+]]: tensor<i32>, %[[V:.+]]: tensor<100xf32>):
// CHECK-NEXT: %[[SUM:.+]] = "stablehlo.add"(%[[I]], %{{.+}})
// CHECK-NEXT: %[[NEXT:.+]] = func.call @step_body(%[[I]], %[[V]], %[[W]])
// CHECK-NEXT: "stablehlo.return"(%[[SUM]], %[[NEXT]])
// CHECK: func.func @step_body(%{{.+}}: tensor<i32>, %[[V:.+]]: tensor<100xf32> {tf.aliasing_output = 0 : i32}, %[[W:.+]]: tensor<100xf32>) -> tensor<100xf32>
// CHECK-NEXT: %[[A:.+]] = "stablehlo.exponential"(%[[W]])
// CHECK: %[[END:.+]] = "stablehlo.multiply"({{.+}}, %[[A]])
// CHECK-NOT: "stablehlo.add"
// CHECK: return %[[END]]

// The plan of the body is carried out in it, and it is a part of the program.
// PLANNED: call @step_body
// PLANNED-LABEL: func.func private @step_body
// PLANNED-NOT: ballast
// PLANNED: "stablehlo.exponential"
// PLANNED: "stablehlo.optimization_barrier"
// PLANNED: "stablehlo.exponential"
// PLANNED-NOT: ballast.plan

// INNER-LABEL: func.func @step(
// INNER-NOT: call @inside
func.func @step(%x: tensor<100xf32>, %w: tensor<100xf32>) -> tensor<100xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<100xf32>):
    %n = "stablehlo.constant"() <{value = dense<1000000> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<100xf32>):
    %a = "stablehlo.exponential"(%w) : (tensor<100xf32>) -> tensor<100xf32>
    %b = func.call @helper(%v) : (tensor<100xf32>) -> tensor<100xf32>
    %d = "stablehlo.atan2"(%a, %b) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
    %e = "stablehlo.multiply"(%d, %a) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
    %s = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s, %e) : (tensor<i32>, tensor<100xf32>) -> ()
  }) : (tensor<i32>, tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>)
  return %r#1 : tensor<100xf32>
}
func.func private @helper(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = "stablehlo.concatenate"(%x, %x) <{dimension = 0 : i64}> : (tensor<100xf32>, tensor<100xf32>) -> tensor<200xf32>
  %1 = "stablehlo.sine"(%0) : (tensor<200xf32>) -> tensor<200xf32>
  %2 = "stablehlo.slice"(%1) <{start_indices = array<i64: 0>, limit_indices = array<i64: 100>, strides = array<i64: 1>}> : (tensor<200xf32>) -> tensor<100xf32>
  return %2 : tensor<100xf32>
}

// -----

// A counter of the loop's own is an argument too, and no result; the larger of two loops is taken, and the loop in it by depth. What the inner
// one reads from around the outer one comes as an argument of the outer body.
// CHECK-LABEL: func.func @nested
// CHECK: "first.loop"
// CHECK: scf.for
// CHECK-NEXT: func.call @nested_body(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}})
// CHECK: func.func @nested_body(%{{.+}}: index, %{{.+}}: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: "outer.layer"
// CHECK-NEXT: scf.for
// INNER-LABEL: func.func @nested
// INNER: "outer.layer"
// INNER: func.call @inside
// INNER: func.func @inside(%{{.+}}: index, %[[U:.+]]: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %[[Y:.+]]: tensor<8xf32>) -> tensor<8xf32>
// INNER-NEXT: "inner.layer"(%[[U]], %[[Y]])
// REMARK-COUNT-2: [Missed] OutlineBody {{.*}}no loop is inside 2 others
func.func @nested(%x: tensor<8xf32>, %y: tensor<8xf32>, %lo: index, %hi: index, %by: index) -> tensor<8xf32> {
  %p = scf.for %i = %lo to %hi step %by iter_args(%v = %x) -> tensor<8xf32> {
    %1 = "first.loop"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  %r = scf.for %i = %lo to %hi step %by iter_args(%v = %p) -> tensor<8xf32> {
    %1 = "outer.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = scf.for %j = %lo to %hi step %by iter_args(%u = %1) -> tensor<8xf32> {
      %3 = "inner.layer"(%u, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      scf.yield %3 : tensor<8xf32>
    }
    scf.yield %2 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// A private function is found by its name, with and without the sign before it.
// RUN: sed -n '/^func.func private @beside/,$p' %s | ballast-opt --allow-unregistered-dialect --ballast-outline-body=function=beside | FileCheck %s --check-prefix=BESIDE
// RUN: sed -n '/^func.func private @beside/,$p' %s | ballast-opt --allow-unregistered-dialect --ballast-outline-body=function=@beside | FileCheck %s --check-prefix=BESIDE
// BESIDE-LABEL: func.func private @beside
// BESIDE: func.call @beside_body
// BESIDE: func.func @beside_body
func.func private @beside(%x: tensor<8xf32>, %lo: index, %hi: index) -> tensor<8xf32> {
  %r = scf.for %i = %lo to %hi step %hi iter_args(%v = %x) -> tensor<8xf32> {
    %1 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @shown(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
