// A tuple that a plan keeps for later has no way through a barrier of StableHLO: that is said where it is made, and nothing is written.
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="cap=90%% fusion=none" --ballast-to-stablehlo 2>&1 | FileCheck %s
// CHECK: ballast-to-stablehlo-tuples.mlir:[[#@LINE+5]]:8: error: a tuple is to be kept by a barrier
// CHECK-NOT: func.func
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = "stablehlo.exponential"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = "stablehlo.sine"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = "stablehlo.tuple"(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tuple<tensor<64x64xf32>, tensor<64x64xf32>>
  %c = "stablehlo.cosine"(%b) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = "stablehlo.tanh"(%c) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = "stablehlo.get_tuple_element"(%t) <{index = 0 : i32}> : (tuple<tensor<64x64xf32>, tensor<64x64xf32>>) -> tensor<64x64xf32>
  %d = "stablehlo.multiply"(%p, %e) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
