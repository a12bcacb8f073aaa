// The pass takes no options, and a program in which nothing is swapped is left as it is.
// RUN: not ballast-opt %s --ballast-to-buffers="space=1" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option space
// RUN: ballast-opt %s --ballast-to-buffers | FileCheck %s

// CHECK-LABEL: func.func @nothing_is_swapped
// CHECK-NEXT: math.exp
// CHECK-NEXT: return
func.func @nothing_is_swapped(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}
