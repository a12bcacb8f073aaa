// RUN: ballast-opt %s --ballast-messages | FileCheck %s

// CHECK: module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">}
// CHECK-LABEL: func.func @buffers_are_sent_as_one_dimension
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x8xf32>, %[[Y:[a-z0-9]+]]: memref<f64>
// CHECK: %[[FLAT:.+]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1]] : memref<4x8xf32> into memref<32xf32>
// CHECK: %[[TAG:.+]] = arith.constant 7 : i32
// CHECK: %[[TARGET:.+]] = arith.constant 1 : i32
// CHECK: %[[WORLD:.+]] = mpi.comm_world : !mpi.comm
// CHECK-NEXT: call @ballast_wait()
// CHECK-NEXT: mpi.send(%[[FLAT]], %[[TAG]], %[[TARGET]], %[[WORLD]])
// CHECK-NEXT: call @ballast_resume()
// CHECK: %[[TAG:.+]] = arith.constant 8 : i32
// CHECK: %[[SOURCE:.+]] = arith.constant 3 : i32
// CHECK: mpi.recv(%[[Y]], %[[TAG]], %[[SOURCE]], %{{.+}}) : memref<f64>
func.func @buffers_are_sent_as_one_dimension(%x: memref<4x8xf32>, %y: memref<f64>) {
  ballast.send %x from 0 to 1 tag 7 : memref<4x8xf32>
  ballast.recv_into %y from 3 to 0 tag 8 : memref<f64>
  return
}

// Types that MLIR has no name of Open MPI for go as others that are as wide.
// CHECK-LABEL: func.func @others_go_as_types_as_wide
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x8xi1>, %[[Y:[a-z0-9]+]]: memref<bf16>, %[[Z:[a-z0-9]+]]: memref<3xindex>
// CHECK: %[[FLAT:.+]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1]] : memref<4x8xi1> into memref<32xi1>
// CHECK: %[[BYTES:.+]] = builtin.unrealized_conversion_cast %[[FLAT]] : memref<32xi1> to memref<32xi8>
// CHECK: mpi.send(%[[BYTES]], %{{.+}}) : memref<32xi8>
// CHECK: %[[HALF:.+]] = builtin.unrealized_conversion_cast %[[Y]] : memref<bf16> to memref<i16>
// CHECK: mpi.recv(%[[HALF]], %{{.+}}) : memref<i16>
// CHECK: builtin.unrealized_conversion_cast %[[Z]] : memref<3xindex> to memref<3xi64>
func.func @others_go_as_types_as_wide(%x: memref<4x8xi1>, %y: memref<bf16>, %z: memref<3xindex>) {
  ballast.send %x from 0 to 1 tag 7 : memref<4x8xi1>
  ballast.recv_into %y from 3 to 0 tag 8 : memref<bf16>
  ballast.send %z from 0 to 1 tag 9 : memref<3xindex>
  return
}
