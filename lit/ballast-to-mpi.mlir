// Each rank runs the ops of its device alone, and what crosses is sent.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=5" -o %t.mlir
// RUN: ballast-opt %t.mlir --ballast-to-mpi=rank=0 | FileCheck %s --check-prefix=FIRST
// RUN: ballast-opt %t.mlir --ballast-to-mpi=rank=1 | FileCheck %s --check-prefix=SECOND
// RUN: ballast-opt %t.mlir --ballast-to-mpi="rank=0 entry=true" | FileCheck %s --check-prefix=ENTRY
// RUN: not ballast-opt %t.mlir --ballast-to-mpi=rank=2 2>&1 | FileCheck %s --check-prefix=NONE

// FIRST: llvm.func @MPI_Send
// FIRST-LABEL: llvm.func @main_device0
// FIRST: llvm.call @ballast_kernel0
// FIRST: llvm.call @MPI_Send
// FIRST-NOT: llvm.call @MPI_Recv
// FIRST-LABEL: llvm.func internal @ballast_kernel0
// FIRST: llvm.fmul
// FIRST-NOT: llvm.fadd

// SECOND-LABEL: llvm.func @main_device1
// SECOND: llvm.call @MPI_Recv
// SECOND: llvm.call @ballast_kernel0
// SECOND-NOT: llvm.call @MPI_Send
// SECOND-LABEL: llvm.func internal @ballast_kernel0
// SECOND-NOT: llvm.fmul
// SECOND: llvm.fadd

// ENTRY: llvm.func @ballast_entry()

// NONE: error: there is no rank 2: the program was cut over 2 devices, numbered from 0

#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) attrs = {ballast.device = #ballast.device<0>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<16xf32>) outs(%e : tensor<16xf32>) attrs = {ballast.device = #ballast.device<1>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %z : tensor<16xf32>
}
