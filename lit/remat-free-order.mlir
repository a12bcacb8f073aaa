// With order=free ops run in any order of their values, but what has effects runs in the order of the program. Every tensor of floats takes 256 bytes, and the
// argument is there all the time.
// RUN: ballast-opt %s --remat="cap=832 order=free swap=false time-limit=10 relax-limit=0" --ballast-verify -split-input-file 2> %t.remarks | FileCheck %s
// RUN: ballast-opt %s --remat="cap=832 order=free swap=false time-limit=10 relax-limit=0" --ballast-verify --ballast-apply -split-input-file 2> %t.remarks | FileCheck %s --check-prefix=APPLIED

// %a would be gone before %c is there if what closes ran first. It does not: %a runs again.
// CHECK-LABEL: func.func @calls_stay_in_their_order(
// CHECK: math.exp {{.*}}ballast.position = 0 : i64, ballast.recompute = #ballast.recompute<before = [{{[34]}}]>
// CHECK: call @read({{.*}}ballast.position = 3 : i64
// CHECK: call @close({{.*}}ballast.position = 4 : i64
// APPLIED-LABEL: func.func @calls_stay_in_their_order(
// APPLIED: math.cos
// APPLIED: call @read(
// APPLIED: call @close(
func.func private @read(tensor<8x8xf32>)
func.func private @close(tensor<8x8xf32>)
func.func @calls_stay_in_their_order(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = math.exp %x : tensor<8x8xf32>
  %b = math.sin %a : tensor<8x8xf32>
  %c = math.cos %b : tensor<8x8xf32>
  func.call @read(%c) : (tensor<8x8xf32>) -> ()
  func.call @close(%a) : (tensor<8x8xf32>) -> ()
  return %x : tensor<8x8xf32>
}

// -----

// What is compared takes 64 bytes and runs early, in place of what it is made of. The call that reads it stays where it is.
// CHECK-LABEL: func.func @what_has_no_effects_moves(
// CHECK-NOT: ballast.recompute =
// CHECK: call @read({{.*}}ballast.position = 4 : i64
// CHECK: arith.cmpf {{.*}}ballast.position = 1 : i64
// CHECK: call @close({{.*}}ballast.position = 5 : i64
// APPLIED-LABEL: func.func @what_has_no_effects_moves(
// APPLIED: arith.cmpf
// APPLIED: math.sin
// APPLIED: call @read(
// APPLIED: call @close(
func.func private @read(tensor<8x8xf32>)
func.func private @close(tensor<8x8xi1>)
func.func @what_has_no_effects_moves(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = math.exp %x : tensor<8x8xf32>
  %b = math.sin %a : tensor<8x8xf32>
  %c = math.cos %b : tensor<8x8xf32>
  func.call @read(%c) : (tensor<8x8xf32>) -> ()
  %d = arith.cmpf olt, %a, %x : tensor<8x8xf32>
  func.call @close(%d) : (tensor<8x8xi1>) -> ()
  return %x : tensor<8x8xf32>
}
