// RUN: ballast-opt %s --ballast-host-heap -verify-diagnostics

func.func @arithmetic_on_a_host_copy_is_refused() -> f32 {
  %i = arith.constant 0 : index
  %host = memref.alloc() : memref<4xf32, 1>
  // expected-error@+1 {{reads a copy on the host by memref.load: only copies and messages can}}
  %x = memref.load %host[%i] : memref<4xf32, 1>
  return %x : f32
}
