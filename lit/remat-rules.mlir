// Rules of the user and of the ops themselves bind the plan.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=15 time-limit=10 swap=false" -split-input-file --ballast-verify 2>/dev/null | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=15 time-limit=10 swap=false" -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN

// a may not run twice and nothing else can go: the cap is raised to the unchanged program's peak.
// WARN: warning: no memory plan was found that keeps the cap of device 0: asked 15 bytes, used 16 bytes
// CHECK-LABEL: func.func @never_recompute_is_kept
// CHECK-NOT: ballast.recompute =
func.func @never_recompute_is_kept(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x {ballast.never_recompute} : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}

// -----

// WARN: warning: no memory plan was found that keeps the cap of device 0: asked 15 bytes, used 16 bytes
// CHECK-LABEL: func.func @must_keep_is_kept
// CHECK-NOT: ballast.recompute =
func.func @must_keep_is_kept(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x {ballast.must_keep} : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}

// -----

// What an unknown op does is unknown: it never runs twice.
// WARN: warning: no memory plan was found that keeps the cap of device 0: asked 15 bytes, used 16 bytes
// CHECK-LABEL: func.func @unknown_ops_run_once
// CHECK-NOT: ballast.recompute =
func.func @unknown_ops_run_once(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = "other.op"(%x) : (tensor<1xf32>) -> tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
