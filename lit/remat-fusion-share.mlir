// A share is one of what the program takes as it is, not of what is left where values are computed inside of whoever reads them: three rows of 1024 bytes, written
// into a stack that two fusions read to the end. Argument, results, stack and a row are 11 rows; computed inside, there would be 7.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=100% swap=false work-limit=20000" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// WHOLE: requested_cap = 11264, peak = 11264, unplanned_peak = 11264
// WHOLE-NOT: inside =
// WHOLE-NOT: ballast.recompute =

// Where that is above the cap, they are, and the cap is what it was.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap=90% swap=false work-limit=20000" --ballast-verify 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE-NOT: warning
// INSIDE: requested_cap = 10138, peak = 7168
// INSIDE-SAME: inside = "5,7,9"

func.func @main(%h0: tensor<1x256xf32>) -> (tensor<3x256xf32>, tensor<3x256xf32>) {
  %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %zf = "stablehlo.constant"() <{value = dense<0.0> : tensor<3x256xf32>}> : () -> tensor<3x256xf32>
  %i0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %h1 = "stablehlo.tanh"(%h0) : (tensor<1x256xf32>) -> tensor<1x256xf32>
  %st0 = "stablehlo.dynamic_update_slice"(%zf, %h1, %i0, %z) : (tensor<3x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<3x256xf32>
  %i1 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %h2 = "stablehlo.tanh"(%h1) : (tensor<1x256xf32>) -> tensor<1x256xf32>
  %st1 = "stablehlo.dynamic_update_slice"(%st0, %h2, %i1, %z) : (tensor<3x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<3x256xf32>
  %i2 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
  %h3 = "stablehlo.tanh"(%h2) : (tensor<1x256xf32>) -> tensor<1x256xf32>
  %st2 = "stablehlo.dynamic_update_slice"(%st1, %h3, %i2, %z) : (tensor<3x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<3x256xf32>
  %t = "stablehlo.tanh"(%st2) : (tensor<3x256xf32>) -> tensor<3x256xf32>
  %u = "stablehlo.cosine"(%st2) : (tensor<3x256xf32>) -> tensor<3x256xf32>
  return %t, %u : tensor<3x256xf32>, tensor<3x256xf32>
}
