// Every op and type prints as it was written, parses back, and survives bytecode.
// RUN: ballast-opt %s | ballast-opt | FileCheck %s
// RUN: ballast-opt %s --emit-bytecode | ballast-opt | FileCheck %s
// RUN: ballast-opt %s --mlir-print-op-generic | ballast-opt | FileCheck %s

// CHECK-LABEL: func @swap_to_the_host_and_back
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @swap_to_the_host_and_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[H:.*]] = ballast.swap_out %[[X]] : tensor<4x8xf32>
  %h = ballast.swap_out %x : tensor<4x8xf32>
  // CHECK: ballast.swap_in %[[H]] : !ballast.host<tensor<4x8xf32>>
  %y = ballast.swap_in %h : !ballast.host<tensor<4x8xf32>>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func @host_handle_as_argument
// CHECK-SAME: !ballast.host<tensor<2xbf16>>
func.func @host_handle_as_argument(%h: !ballast.host<tensor<2xbf16>>) {
  return
}

// CHECK-LABEL: func @barrier_of_mixed_types
func.func @barrier_of_mixed_types(%x: tensor<4xf32>, %g: tensor<8xi1>, %i: index) -> tensor<8xi1> {
  // CHECK: %{{.*}}:3 = ballast.barrier %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<8xi1>, index
  %a:3 = ballast.barrier %x, %g, %i : tensor<4xf32>, tensor<8xi1>, index
  return %a#1 : tensor<8xi1>
}

// CHECK-LABEL: func @message_from_one_device_to_another
func.func @message_from_one_device_to_another(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ballast.send %{{.*}} from 0 to 1 tag 7 : tensor<4xf32>
  ballast.send %x from 0 to 1 tag 7 : tensor<4xf32>
  // CHECK: ballast.recv from 1 to 0 tag 8 : tensor<4xf32>
  %y = ballast.recv from 1 to 0 tag 8 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @message_into_host_memory
func.func @message_into_host_memory() -> !ballast.host<tensor<4xf32>> {
  // CHECK: ballast.recv from 1 to 0 tag 8 : !ballast.host<tensor<4xf32>>
  %h = ballast.recv from 1 to 0 tag 8 : !ballast.host<tensor<4xf32>>
  return %h : !ballast.host<tensor<4xf32>>
}

// CHECK-LABEL: func @messages_of_buffers
func.func @messages_of_buffers(%m: memref<4xf32>) {
  // CHECK: ballast.send %{{.*}} from 0 to 1 tag 7 : memref<4xf32>
  ballast.send %m from 0 to 1 tag 7 : memref<4xf32>
  // CHECK: ballast.recv_into %{{.*}} from 1 to 0 tag 8 : memref<4xf32>
  ballast.recv_into %m from 1 to 0 tag 8 : memref<4xf32>
  return
}
