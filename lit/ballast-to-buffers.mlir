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

// CHECK-LABEL: func.func @messages_send_and_receive_buffers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK: %[[SENT:.+]] = bufferization.to_buffer %[[X]] read_only : tensor<4x8xf32> to memref<4x8xf32>
// CHECK: ballast.send %[[SENT]] from 0 to 1 tag 0 : memref<4x8xf32>
// CHECK: %[[ROOM:.+]] = memref.alloc() : memref<4x8xf32>
// CHECK: ballast.recv_into %[[ROOM]] from 1 to 0 tag 1 : memref<4x8xf32>
// CHECK: %[[Y:.+]] = bufferization.to_tensor %[[ROOM]] restrict writable : memref<4x8xf32> to tensor<4x8xf32>
// CHECK: %[[STAGE:.+]] = memref.alloc() : memref<4xf32, 1>
// CHECK: ballast.recv_into %[[STAGE]] from 1 to 0 tag 2 : memref<4xf32, 1>
// CHECK: %[[HOST:.+]] = bufferization.to_tensor %[[STAGE]] restrict writable : memref<4xf32, 1> to tensor<4xf32>
// CHECK: %[[BACK:.+]] = bufferization.alloc_tensor() copy(%[[HOST]]) {memory_space = 0 : i64} : tensor<4xf32>
// CHECK: return %[[Y]], %[[BACK]]
func.func @messages_send_and_receive_buffers(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  ballast.send %x from 0 to 1 tag 0 : tensor<4x8xf32>
  %y = ballast.recv from 1 to 0 tag 1 : tensor<4x8xf32>
  %h = ballast.recv from 1 to 0 tag 2 : !ballast.host<tensor<4xf32>>
  %held = ballast.barrier %h : !ballast.host<tensor<4xf32>>
  %z = ballast.swap_in %held : !ballast.host<tensor<4xf32>>
  return %y, %z : tensor<4x8xf32>, tensor<4xf32>
}
