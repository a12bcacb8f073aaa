// RUN: ballast-opt %s --ballast-messages -verify-diagnostics -split-input-file

func.func @tensor(%x: tensor<4xf32>) {
  // expected-error@+1 {{is no message of a buffer yet: bufferize first}}
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  return
}

// -----

func.func @element(%x: memref<4xbf16>) {
  // expected-error@+1 {{MLIR's lowering of MPI carries no bf16, only f32, f64, i8, i16, i32, i64: keep makers and readers of such values on one device}}
  ballast.send %x from 0 to 1 tag 0 : memref<4xbf16>
  return
}

// -----

func.func @count(%x: memref<65536x65536xi8>) {
  // expected-error@+1 {{4294967296 elements are more than MPI counts in one message}}
  ballast.recv_into %x from 0 to 1 tag 0 : memref<65536x65536xi8>
  return
}
