// A product of 4 MiB is divided by the sums of its rows, 1 KiB, which reads it last: the quotient lies where the product was, as in XLA (jaxlib 0.10.2: 4194304 B of temporaries).
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=softmax cap=100% cap-counts=temp time-limit=5" --ballast-verify="function=softmax" | FileCheck %s --check-prefix=OVER
// OVER-LABEL: func.func @softmax
// OVER-SAME: peak = 4195328, unplanned_peak = 4195328
// OVER-SAME: fusion = "xla"

// Every result in memory of its own: product, spread sums and quotient.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=softmax cap=100% cap-counts=temp fusion=none time-limit=5" | FileCheck %s --check-prefix=NONE
// NONE-LABEL: func.func @softmax
// NONE-SAME: unplanned_peak = 12582912

// Both are one buffer, which no plan makes smaller.
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="function=softmax cap=4194304 cap-counts=temp relax-limit=0 time-limit=5" 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: the smallest cap not ruled out is

// The product is read afterwards: it stays.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=kept cap=100% cap-counts=temp time-limit=5" --ballast-verify="function=kept" | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: func.func @kept
// KEPT-SAME: unplanned_peak = 8388608

func.func @softmax(%a: tensor<256x64xf32>, %b: tensor<64x4096xf32>, %c: tensor<4096x64xf32>) -> tensor<256x64xf32> {
  %x = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x64xf32>, tensor<64x4096xf32>) -> tensor<256x4096xf32>
  %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %sums = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %sum = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<256x4096xf32>, tensor<f32>) -> tensor<256xf32>
  %spread = "stablehlo.broadcast_in_dim"(%sums) <{broadcast_dimensions = array<i64: 0>}> : (tensor<256xf32>) -> tensor<256x4096xf32>
  %y = "stablehlo.divide"(%x, %spread) : (tensor<256x4096xf32>, tensor<256x4096xf32>) -> tensor<256x4096xf32>
  %z = "stablehlo.dot_general"(%y, %c) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x4096xf32>, tensor<4096x64xf32>) -> tensor<256x64xf32>
  return %z : tensor<256x64xf32>
}

func.func @kept(%a: tensor<256x64xf32>, %b: tensor<64x4096xf32>, %c: tensor<4096x64xf32>) -> (tensor<256x64xf32>, tensor<256x64xf32>) {
  %x = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x64xf32>, tensor<64x4096xf32>) -> tensor<256x4096xf32>
  %y = "stablehlo.tanh"(%x) : (tensor<256x4096xf32>) -> tensor<256x4096xf32>
  %z = "stablehlo.dot_general"(%y, %c) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x4096xf32>, tensor<4096x64xf32>) -> tensor<256x64xf32>
  %w = "stablehlo.dot_general"(%x, %c) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x4096xf32>, tensor<4096x64xf32>) -> tensor<256x64xf32>
  return %z, %w : tensor<256x64xf32>, tensor<256x64xf32>
}
