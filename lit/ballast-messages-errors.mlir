// RUN: ballast-opt %s --ballast-messages -verify-diagnostics -split-input-file

func.func @tensor(%x: tensor<4xf32>) {
  // expected-error@+1 {{is no message of a buffer yet: bufferize first}}
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  return
}

// -----

func.func @element(%x: memref<4xcomplex<f32>>) {
  // expected-error@+1 {{MPI carries no complex<f32>, only f32, f64, i8, i16, i32, i64, i1, f16, bf16, index: keep makers and readers of such values on one device}}
  ballast.send %x from 0 to 1 tag 0 : memref<4xcomplex<f32>>
  return
}

// -----

func.func @count(%x: memref<65536x65536xi8>) {
  // expected-error@+1 {{4294967296 elements are more than MPI counts in one message}}
  ballast.recv_into %x from 0 to 1 tag 0 : memref<65536x65536xi8>
  return
}
