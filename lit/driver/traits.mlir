// The passes see the traits of upstream ops: true only while the dialect's C++ is compiled by the compiler that compiled MLIR, since a trait
// is known by its name as that compiler spells it. Inlining hands the call's rules to every op but constants (trait ConstantLike), in
// the driver and in the plugin.
// RUN: ballast-opt %s --ballast-inline | FileCheck %s
// RUN: mlir-opt %s %plugin --pass-pipeline='builtin.module(ballast-inline)' | FileCheck %s

// CHECK-LABEL: func @constants_are_seen_as_constants
func.func @constants_are_seen_as_constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: arith.constant dense<2.000000e+00> : tensor<4xf32>
  // CHECK-NEXT: arith.mulf {{.*}} {ballast.never_swap} : tensor<4xf32>
  %0 = call @doubled(%x) {ballast.never_swap} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @doubled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %0 = arith.mulf %x, %two : tensor<4xf32>
  return %0 : tensor<4xf32>
}
