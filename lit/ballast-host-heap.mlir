// RUN: ballast-opt %s --ballast-host-heap -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @host_buffers_are_views_of_counted_bytes
// CHECK: %[[BYTES:.+]] = arith.constant 64 : index
// CHECK: %[[RAW:.+]] = call @ballast_host_alloc(%[[BYTES]]) : (index) -> memref<?xi8>
// CHECK: %[[START:.+]] = arith.constant 0 : index
// CHECK: %[[HOST:.+]] = memref.view %[[RAW]][%[[START]]][] : memref<?xi8> to memref<4x4xf32>
// CHECK: memref.copy %{{.*}}, %[[HOST]] : memref<4x4xf32> to memref<4x4xf32>
// CHECK: memref.copy %[[HOST]], %{{.*}} : memref<4x4xf32> to memref<4x4xf32>
// CHECK: call @ballast_host_free(%[[RAW]]) : (memref<?xi8>) -> ()
// CHECK: func.func private @ballast_host_alloc(index) -> memref<?xi8> attributes {llvm.emit_c_interface}
func.func @host_buffers_are_views_of_counted_bytes(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %host = memref.alloc() : memref<4x4xf32, 1>
  memref.copy %x, %host : memref<4x4xf32> to memref<4x4xf32, 1>
  memref.copy %host, %y : memref<4x4xf32, 1> to memref<4x4xf32>
  memref.dealloc %host : memref<4x4xf32, 1>
  return
}

// -----

// CHECK-LABEL: func.func @device_buffers_stay
// CHECK: memref.alloc() : memref<4xf32>
// CHECK-NOT: ballast
func.func @device_buffers_stay() -> memref<4xf32> {
  %x = memref.alloc() : memref<4xf32>
  return %x : memref<4xf32>
}
