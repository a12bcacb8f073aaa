// What the host cannot hold (tensors of open sizes, buffers, tuples) is not swapped: each argument and value takes 64 bytes, tuples 128.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="devices=%S/Inputs/fast-host.toml cap=85% dynamic-dim=16 time-limit=1" --ballast-verify -split-input-file -o %t.plan.mlir
// RUN: FileCheck %s --input-file=%t.plan.mlir --implicit-check-not="ballast.swap ="
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="devices=%S/Inputs/fast-host.toml cap=85% dynamic-dim=16 time-limit=1" --ballast-verify --ballast-apply -split-input-file -o %t.applied.mlir

// CHECK-LABEL: func.func @open_sizes(
func.func @open_sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = math.exp %x : tensor<?xf32>
  %b = math.sin %a : tensor<?xf32>
  %c = math.cos %b : tensor<?xf32>
  %d = arith.mulf %c, %y : tensor<?xf32>
  %e = math.tanh %d : tensor<?xf32>
  %f = arith.addf %e, %c : tensor<?xf32>
  %g = arith.addf %f, %b : tensor<?xf32>
  %h = arith.addf %g, %a : tensor<?xf32>
  return %h, %e : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @buffers(
func.func @buffers(%x: memref<16xf32>) -> memref<16xf32> {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  %c = memref.alloc() : memref<16xf32>
  linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
  %d = memref.alloc() : memref<16xf32>
  linalg.add ins(%b, %c : memref<16xf32>, memref<16xf32>) outs(%d : memref<16xf32>)
  %e = memref.alloc() : memref<16xf32>
  linalg.add ins(%a, %d : memref<16xf32>, memref<16xf32>) outs(%e : memref<16xf32>)
  return %e : memref<16xf32>
}

// -----

// CHECK-LABEL: func.func @tuples(
func.func @tuples(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %t = "some.pair"(%x) : (tensor<16xf32>) -> tuple<tensor<16xf32>, tensor<16xf32>>
  %a = math.sin %x : tensor<16xf32>
  %b = math.cos %a : tensor<16xf32>
  %c = arith.addf %a, %b : tensor<16xf32>
  %d = arith.addf %c, %y : tensor<16xf32>
  %u = "some.first"(%t) : (tuple<tensor<16xf32>, tensor<16xf32>>) -> tensor<16xf32>
  return %u, %d : tensor<16xf32>, tensor<16xf32>
}
