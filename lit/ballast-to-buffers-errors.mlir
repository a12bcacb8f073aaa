// The pass takes no options, and a program in which nothing is swapped is left as it is.
// RUN: not ballast-opt %s --ballast-to-buffers="space=1" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option space
// RUN: ballast-opt %s --ballast-to-buffers 2>/dev/null | FileCheck %s
// What has no op on buffers is told what to run first, once for each dialect; with that it becomes native code.
// RUN: sed '/^func.func/a %%c = tosa.tanh %%x : (tensor<1xf32>) -> tensor<1xf32>' %s > %t.mlir
// RUN: not ballast-opt %t.mlir --ballast-to-native=apply=false 2>&1 | FileCheck %s --check-prefix=ADVICE
// ADVICE-COUNT-1: warning: 'tosa.tanh' on tensors becomes no op on buffers: run `--tosa-to-linalg-pipeline` before planning
// ADVICE: warning: 'math.exp' on tensors becomes no op on buffers: run `--convert-elementwise-to-linalg` before planning
// ADVICE: error: op was not bufferized
// RUN: ballast-opt %t.mlir --tosa-to-linalg-pipeline --convert-elementwise-to-linalg --ballast-to-native=apply=false 2>&1 | FileCheck %s --check-prefix=NATIVE
// NATIVE-NOT: warning
// NATIVE: llvm.func @nothing_is_swapped
// What would be left in the program is refused.
// RUN: sed '/^func.func/a %%s = linalg.softmax dimension(0) ins(%%x : tensor<1xf32>) outs(%%x : tensor<1xf32>) -> tensor<1xf32>' %s > %t.softmax.mlir
// RUN: not ballast-opt %t.softmax.mlir --ballast-to-native=apply=false 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX: error: of 'linalg.softmax' no pass makes loops: decompose it before planning

// CHECK-LABEL: func.func @nothing_is_swapped
// CHECK-NEXT: math.exp
// CHECK-NEXT: return
func.func @nothing_is_swapped(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}
