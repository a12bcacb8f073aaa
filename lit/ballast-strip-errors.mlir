// The pass takes no options, and leaves ops of the dialect alone: they are the business of the lowering passes.
// RUN: not ballast-opt %s --ballast-strip="all" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option all
// RUN: ballast-opt %s --ballast-strip | FileCheck %s

// CHECK: ballast.barrier
func.func @ops_stay(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = ballast.barrier %x : tensor<1xf32>
  return %a : tensor<1xf32>
}
