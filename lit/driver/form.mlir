// A program in a form that MLIR does not read is refused with what to do about it; one that is refused for something else is not.
// RUN: not ballast-opt %s --allow-unregistered-dialect -o %t.mlir 2>&1 | FileCheck %s
// RUN: not ls %t.mlir
// RUN: echo 'func.func @f( { return }' | not ballast-opt --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=generic
// CHECK: error: Dialect `stablehlo' not found for custom op 'stablehlo.tanh'
// CHECK: ballast-opt: note: '{{.*}}form.mlir' is text in StableHLO's own form: MLIR reads StableHLO as text in generic form alone, which `python -m ballast.export.generic PROGRAM -o GENERIC` writes
// OTHER: error: expected
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
