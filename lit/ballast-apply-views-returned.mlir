// A view that the function returns, at an offset that another device computes, is an op of its own: the offset goes to where it runs.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=1" --remat="time-limit=1" --ballast-verify -o %t.plan.mlir
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.plan.mlir
// RUN: ballast-opt %t.plan.mlir --ballast-apply | FileCheck %s

// PLAN: tensor.extract_slice {{.*}}ballast.position
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: ballast.swap_out
// CHECK: tensor.extract_slice
func.func @main(%x: tensor<16xf32>, %k: tensor<1xi64>) -> (tensor<4xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %i = tensor.extract %k[%c0] {ballast.device = #ballast.device<0>} : tensor<1xi64>
  %o = arith.index_cast %i {ballast.device = #ballast.device<0>} : i64 to index
  %y = math.exp %x {ballast.device = #ballast.device<1>} : tensor<16xf32>
  %s = tensor.extract_slice %y[%o] [4] [1] {ballast.device = #ballast.device<1>} : tensor<16xf32> to tensor<4xf32>
  %z = math.sin %y {ballast.device = #ballast.device<1>} : tensor<16xf32>
  return %s, %z : tensor<4xf32>, tensor<16xf32>
}
