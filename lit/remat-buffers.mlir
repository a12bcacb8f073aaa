// What reads a buffer runs once, in its turn, where something in the program writes the buffer; where nobody does, it may run again. Every tensor takes 256 bytes.
// RUN: ballast-opt %s --remat="cap=90% swap=false work-limit=1000" --ballast-verify -split-input-file 2>%t.warnings | FileCheck %s

// CHECK-LABEL: func.func @written(
// CHECK: math.exp {{.*}}ballast.position = 0 : i64} :
// CHECK: bufferization.materialize_in_destination
func.func @written(%m: memref<64xf32>, %x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %t = bufferization.to_tensor %m restrict : memref<64xf32> to tensor<64xf32>
  %a = math.exp %t : tensor<64xf32>
  %b = math.sin %a : tensor<64xf32>
  %c = math.cos %b : tensor<64xf32>
  bufferization.materialize_in_destination %c in writable %m : (tensor<64xf32>, memref<64xf32>) -> ()
  %d = arith.mulf %c, %x : tensor<64xf32>
  %u = math.sin %d : tensor<64xf32>
  %v = math.cos %u : tensor<64xf32>
  %w = arith.addf %u, %v : tensor<64xf32>
  %h = arith.addf %w, %a : tensor<64xf32>
  return %h, %d : tensor<64xf32>, tensor<64xf32>
}

// -----

// A part of the buffer is the buffer, and of a function without a body nobody knows what it writes.
// CHECK-LABEL: func.func @filled_in_part(
// CHECK: math.exp {{.*}}ballast.position = 0 : i64} :
// CHECK: call @fill(
func.func private @fill(memref<8xf32, strided<[1]>>)
func.func @filled_in_part(%m: memref<64xf32>, %x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %t = bufferization.to_tensor %m restrict : memref<64xf32> to tensor<64xf32>
  %a = math.exp %t : tensor<64xf32>
  %b = math.sin %a : tensor<64xf32>
  %c = math.cos %b : tensor<64xf32>
  %part = memref.subview %m[0] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1]>>
  call @fill(%part) : (memref<8xf32, strided<[1]>>) -> ()
  %d = arith.mulf %c, %x : tensor<64xf32>
  %u = math.sin %d : tensor<64xf32>
  %v = math.cos %u : tensor<64xf32>
  %w = arith.addf %u, %v : tensor<64xf32>
  %h = arith.addf %w, %a : tensor<64xf32>
  return %h, %d : tensor<64xf32>, tensor<64xf32>
}

// -----

// CHECK-LABEL: func.func @read_alone(
// CHECK: math.exp {{.*}}ballast.recompute
func.func @read_alone(%m: memref<64xf32>, %n: memref<64xf32>, %x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %t = bufferization.to_tensor %m restrict : memref<64xf32> to tensor<64xf32>
  %a = math.exp %t : tensor<64xf32>
  %b = math.sin %a : tensor<64xf32>
  %c = math.cos %b : tensor<64xf32>
  memref.copy %m, %n : memref<64xf32> to memref<64xf32>
  %d = arith.mulf %c, %x : tensor<64xf32>
  %u = math.sin %d : tensor<64xf32>
  %v = math.cos %u : tensor<64xf32>
  %w = arith.addf %u, %v : tensor<64xf32>
  %h = arith.addf %w, %a : tensor<64xf32>
  return %h, %d : tensor<64xf32>, tensor<64xf32>
}
