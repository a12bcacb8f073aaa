// RUN: ballast-opt %s --split-input-file --ballast-entry="seed=7" | FileCheck %s
// RUN: ballast-opt %s --split-input-file --ballast-entry="runs=3" | FileCheck %s --check-prefix=RUNS
// RUN: ballast-opt %s --split-input-file --ballast-entry="attached=true" | FileCheck %s --check-prefix=ATTACHED
// RUN: ballast-opt %s --split-input-file --ballast-entry="seed=7 attached=false" | FileCheck %s
// ATTACHED-NOT: mpi.init
// ATTACHED: mpi.comm_rank
// ATTACHED-NOT: mpi.finalize
// RUNS-COUNT-3: call @ballast_start
// RUNS-NOT: call @ballast_start
// RUNS: call @ballast_finish

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

// -----

// The program of one device numbers arguments and results as the whole program does, and starts with all others.
// CHECK-LABEL: func.func @ballast_entry()
// CHECK: mpi.init
// CHECK: mpi.comm_rank
// CHECK: call @ballast_rank
// CHECK: %[[NUMBER:.+]] = arith.constant 4 : index
// CHECK: call @ballast_fill(%{{.+}}, %{{.+}}, %{{.+}}, %[[NUMBER]], %{{.+}})
// CHECK: mpi.send
// CHECK: mpi.recv
// CHECK-NEXT: call @ballast_start
// CHECK: %[[NUMBER:.+]] = arith.constant 9 : index
// CHECK: call @ballast_take(%{{.+}}, %{{.+}}, %{{.+}}, %[[NUMBER]])
// CHECK: mpi.finalize
// CHECK-NEXT: call @ballast_finish
func.func @main_device1(%x: memref<2xf32>) -> memref<2xf32>
    attributes {ballast.program = #ballast.program<device = 1, devices = 3, arguments = [4], results = [9]>} {
  %y = memref.alloc() : memref<2xf32>
  memref.copy %x, %y : memref<2xf32> to memref<2xf32>
  return %y : memref<2xf32>
}
