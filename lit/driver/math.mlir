// What LLVM has no intrinsic for is a call of C's library, on both routes to native code; the rest stays an intrinsic.
// RUN: ballast-opt %s --ballast-to-native=apply=false | FileCheck %s
// RUN: ballast-opt %s --remat=time-limit=1 -o %t.mlir && ballast-opt %t.mlir --ballast-to-mpi | FileCheck %s
// CHECK-NOT: math.
// CHECK-DAG: llvm.func @erff(f32) -> f32
// CHECK-DAG: llvm.call @erff
// CHECK-DAG: llvm.intr.exp
// CHECK-NOT: math.
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %f = math.erf %a : f32
    %s = math.exp %f : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
