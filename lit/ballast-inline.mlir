// Calls of private helpers become their bodies; nothing else changes.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-inline -split-input-file 2>/dev/null | FileCheck %s
// A second run finds nothing to do.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-inline --ballast-inline -split-input-file 2>/dev/null | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-inline --mlir-print-debuginfo --mlir-print-local-scope -split-input-file 2>/dev/null | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: func @calls_of_calls_are_inlined
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @calls_of_calls_are_inlined(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[A:.*]] = "some.relu"(%[[X]])
  // CHECK-NEXT: %[[B:.*]] = "some.relu"(%[[A]])
  // CHECK-NEXT: %[[C:.*]] = "some.relu"(%[[B]])
  // CHECK-NEXT: return %[[C]]
  // LOC: "some.relu"({{.*}} loc(callsite(callsite("{{.*}}":[[#RELU:]]:8 at "{{.*}}":{{[0-9]+}}:8) at "{{.*}}":{{[0-9]+}}:8))
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-NOT: @twice
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-NOT: @relu
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "some.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @calls_inside_regions_are_inlined
func.func @calls_inside_regions_are_inlined(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: scf.if
  // CHECK-NEXT: "some.relu"
  // CHECK-NEXT: scf.yield
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = func.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "some.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @results_and_arguments_keep_their_order
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i64
func.func @results_and_arguments_keep_their_order(%x: i32, %y: i64) -> (i64, i32, i32) {
  // CHECK-NEXT: %[[N:.*]] = "some.op"(%[[Y]], %[[X]])
  // CHECK-NEXT: return %[[Y]], %[[N]], %[[X]]
  %0:3 = call @swap(%x, %y) : (i32, i64) -> (i64, i32, i32)
  return %0#0, %0#1, %0#2 : i64, i32, i32
}
func.func private @swap(%a: i32, %b: i64) -> (i64, i32, i32) {
  %0 = "some.op"(%b, %a) : (i64, i32) -> i32
  return %b, %0, %a : i64, i32, i32
}

// -----

// CHECK-LABEL: func @rules_on_a_call_hold_for_the_body
func.func @rules_on_a_call_hold_for_the_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "some.relu"{{.*}} {ballast.device = #ballast.device<1>, ballast.never_recompute}
  // CHECK: "some.other"{{.*}} {ballast.device = #ballast.device<0>, ballast.never_recompute}
  %0 = call @both(%x) {ballast.device = #ballast.device<1>, ballast.never_recompute} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "some.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "some.other"(%0) {ballast.device = #ballast.device<0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @public_functions_stay_calls
func.func @public_functions_stay_calls(%x: i32) -> i32 {
  // CHECK: call @shared
  %0 = call @shared(%x) : (i32) -> i32
  return %0 : i32
}
// CHECK: func @shared
func.func @shared(%x: i32) -> i32 {
  return %x : i32
}

// -----

// CHECK-LABEL: func @dead_helpers_go_and_referenced_ones_stay
func.func @dead_helpers_go_and_referenced_ones_stay() {
  // CHECK: "some.reference"() {to = @referenced}
  "some.reference"() {to = @referenced} : () -> ()
  // CHECK: "some.property"() <{to = @in_property}>
  "some.property"() <{to = @in_property}> : () -> ()
  return
}
// CHECK: func private @referenced
func.func private @referenced() {
  %0 = func.constant @by_a_referenced_one : () -> ()
  return
}
// CHECK: func private @in_property
func.func private @in_property() {
  return
}
// CHECK: func private @by_a_referenced_one
func.func private @by_a_referenced_one() {
  return
}
// CHECK-NOT: @dead
func.func private @dead() {
  call @dead_too() : () -> ()
  return
}
func.func private @dead_too()

// -----

// A module of private functions alone is a library: all of it stays.
// CHECK-LABEL: func private @caller_in_a_library
func.func private @caller_in_a_library(%x: i32) -> i32 {
  // CHECK-NEXT: "some.op"
  %0 = call @callee_in_a_library(%x) : (i32) -> i32
  return %0 : i32
}
// CHECK: func private @callee_in_a_library
func.func private @callee_in_a_library(%x: i32) -> i32 {
  %0 = "some.op"(%x) : (i32) -> i32
  return %0 : i32
}

// -----

// A module in a function's body has names of its own: what it calls there is not the outer function of that name.
// CHECK-LABEL: func.func @names_mean_what_is_nearest
// CHECK-NEXT: math.exp
// CHECK: func.func private @f
// CHECK-NEXT: math.sin
// CHECK: func.func @g
// CHECK-NEXT: call @f
// CHECK-NOT: math.exp
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @names_mean_what_is_nearest(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  builtin.module {
    func.func private @f(%y: tensor<4xf32>) -> tensor<4xf32> {
      %1 = math.sin %y : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func @g(%y: tensor<4xf32>) -> tensor<4xf32> {
      %1 = func.call @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
  }
  return %0 : tensor<4xf32>
}
