// RUN: ballast-opt %s --ballast-kernels -verify-diagnostics
// RUN: not ballast-opt %s --ballast-kernels=keep=some 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not ballast-opt %s --ballast-to-native=kernels=some 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not ballast-opt %s --ballast-to-mpi=kernels=some 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: Cannot find option named 'some'

func.func @tensors_are_refused_before_anything_is_changed(%a: memref<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  // expected-error@+1 {{reads or makes a tensor: bufferize first}}
  %y = linalg.fill ins(%zero : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
