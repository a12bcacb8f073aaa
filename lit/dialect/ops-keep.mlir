// What a plan put in place stays in place: neither CSE nor canonicalization merges copies behind a barrier or drops transfers.
// RUN: ballast-opt %s --cse --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @recomputed_copy_is_not_merged
func.func @recomputed_copy_is_not_merged(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = math.exp %[[X:.*]] :
  // CHECK: %[[K:.*]]:2 = ballast.barrier %[[X]]
  // CHECK: %[[B:.*]] = math.exp %[[K]]#0
  // CHECK: return %[[A]], %[[B]]
  %0 = math.exp %x : tensor<4xf32>
  %k:2 = ballast.barrier %x, %g : tensor<4xf32>, tensor<4xf32>
  %1 = math.exp %k#0 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// The counter-check: without the barrier the copies are one.
// CHECK-LABEL: func @copy_without_a_barrier_is_merged
func.func @copy_without_a_barrier_is_merged(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = math.exp
  // CHECK-NEXT: return %[[A]], %[[A]]
  %0 = math.exp %x : tensor<4xf32>
  %1 = math.exp %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @two_returns_from_the_host_stay_two
func.func @two_returns_from_the_host_stay_two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: ballast.swap_out
  // CHECK-COUNT-2: ballast.swap_in
  %h = ballast.swap_out %x : tensor<4xf32>
  %0 = ballast.swap_in %h : !ballast.host<tensor<4xf32>>
  %1 = ballast.swap_in %h : !ballast.host<tensor<4xf32>>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @messages_are_not_dropped
func.func @messages_are_not_dropped(%x: tensor<4xf32>) {
  // CHECK-COUNT-2: ballast.send
  // CHECK: ballast.recv
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  %y = ballast.recv from 1 to 0 tag 1 : tensor<4xf32>
  return
}
