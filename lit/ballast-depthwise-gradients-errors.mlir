// What is refused: a plan says what the ops do that it was made for.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-depthwise-gradients -verify-diagnostics -split-input-file

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: write its depthwise gradients out before, or remove `ballast.plan`}}
func.func @planned(%x: tensor<2x4x3xf32>, %dy: tensor<2x4x3xf32>) -> tensor<3x1x3xf32> attributes {ballast.plan = #plan} {
  %g = "stablehlo.convolution"(%x, %dy) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[f, 0, b]x[i, 0, o]->[0, b, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<1x2xi64>}> : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<3x1x3xf32>
  return %g : tensor<3x1x3xf32>
}
