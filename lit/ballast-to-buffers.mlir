// RUN: ballast-opt %s --ballast-to-buffers | FileCheck %s

// CHECK-LABEL: func.func @swaps_become_copies_between_memory_spaces
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[A:.+]] = math.exp %[[X]]
// CHECK: %[[HOST:.+]] = bufferization.alloc_tensor() copy(%[[A]]) {memory_space = 1 : i64} : tensor<4xf32>
// CHECK: %[[B:.+]] = math.sin %[[X]]
// CHECK: %[[BACK:.+]] = bufferization.alloc_tensor() copy(%[[HOST]]) {memory_space = 0 : i64} : tensor<4xf32>
// CHECK: arith.addf %[[BACK]], %[[B]]
// CHECK-NOT: ballast
func.func @swaps_become_copies_between_memory_spaces(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  %host = ballast.swap_out %a : tensor<4xf32>
  %b = math.sin %x : tensor<4xf32>
  %held:2 = ballast.barrier %host, %b : !ballast.host<tensor<4xf32>>, tensor<4xf32>
  %back = ballast.swap_in %held#0 : !ballast.host<tensor<4xf32>>
  %c = arith.addf %back, %held#1 : tensor<4xf32>
  return %c : tensor<4xf32>
}
