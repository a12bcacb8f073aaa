// A loop that hands on a tensor made in its body becomes native code: every iteration has a buffer of its own.
// RUN: ballast-opt %s --ballast-to-native=apply=false | FileCheck %s
// CHECK: llvm.func @main
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %r = scf.for %i = %0 to %3 step %1 iter_args(%v = %x) -> tensor<16xf32> {
    %e = tensor.empty() : tensor<16xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<16xf32>) outs(%e : tensor<16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<16xf32>
    scf.yield %y : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}
