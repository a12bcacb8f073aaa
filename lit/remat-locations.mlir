// Where ops come from is no part of what they compute: equal ops stay equal, and a plan stays that of its program, where locations are printed.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla time-limit=5" -o %t.mlir
// RUN: ballast-opt %t.mlir --allow-unregistered-dialect --mlir-print-debuginfo --ballast-verify --ballast-apply | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --mlir-print-debuginfo --remat="fusion=xla time-limit=5" -o %t.mlir
// RUN: ballast-opt %t.mlir --allow-unregistered-dialect --ballast-verify --ballast-apply | FileCheck %s
// CHECK-COUNT-1: "stablehlo.reduce"
// CHECK-NOT: "stablehlo.reduce"
// CHECK: "stablehlo.dot_general"

func.func @main(%a: tensor<4x4xf32>, %z: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "stablehlo.dot_general"(%0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %3 = "stablehlo.tanh"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<f32>, tensor<4xf32>
}
