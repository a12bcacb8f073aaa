// RUN: ballast-opt %s --ballast-entry -verify-diagnostics -split-input-file
// RUN: not ballast-opt %S/ballast-entry.mlir --split-input-file --ballast-entry="runs=0" 2>&1 | FileCheck %s
// CHECK: error: runs=0: give 1 to 1000000

// expected-error@+1 {{cannot run a function that takes or returns tensor<4xf32>: only buffers of static shape}}
func.func @tensors(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error@+1 {{cannot run a function that takes or returns memref<4xcomplex<f32>>: no random complex<f32> is known}}
func.func @complex(%x: memref<4xcomplex<f32>>) {
  return
}

// -----

// expected-error@+1 {{'@ballast_start' is a name of the run-time library's, of type () -> (): rename it}}
func.func private @ballast_start(memref<4xf32>)
func.func @main(%x: memref<4xf32>) {
  call @ballast_start(%x) : (memref<4xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{the module has a function '@ballast_entry' already: rename it}}
func.func private @ballast_entry()
func.func @main(%x: memref<4xf32>) {
  return
}
