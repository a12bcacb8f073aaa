// RUN: ballast-opt %s --ballast-entry="seed=7" | FileCheck %s

// CHECK-LABEL: func.func @ballast_entry()
// CHECK: %[[SEED:.+]] = arith.constant 7 : index
// CHECK: %[[X:.+]] = memref.alloc() : memref<2x3xf32>
// CHECK: %[[AT:.+]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: %[[COUNT:.+]] = arith.constant 6 : index
// CHECK: %[[KIND:.+]] = arith.constant 0 : index
// CHECK: %[[NUMBER:.+]] = arith.constant 0 : index
// CHECK: call @ballast_fill(%[[AT]], %[[COUNT]], %[[KIND]], %[[NUMBER]], %[[SEED]])
// CHECK: call @ballast_start()
// CHECK: %[[RESULT:.+]] = call @main(%[[X]], %{{.+}}) : (memref<2x3xf32>, memref<i64>) -> memref<2x3xf32>
// CHECK: call @ballast_stop()
// CHECK: call @ballast_take
// CHECK-COUNT-3: call @ballast_release
// CHECK: call @ballast_finish()
func.func @main(%x: memref<2x3xf32>, %n: memref<i64>) -> memref<2x3xf32> {
  %y = memref.alloc() : memref<2x3xf32>
  memref.copy %x, %y : memref<2x3xf32> to memref<2x3xf32>
  return %y : memref<2x3xf32>
}
