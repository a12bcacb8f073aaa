// RUN: ballast-opt %s --ballast-entry -verify-diagnostics -split-input-file

// expected-error@+1 {{cannot run a function that takes or returns tensor<4xf32>: only buffers of static shape}}
func.func @tensors(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error@+1 {{cannot run a function that takes or returns memref<4xcomplex<f32>>: no random complex<f32> is known}}
func.func @complex(%x: memref<4xcomplex<f32>>) {
  return
}
