// What is refused: a plan says what the ops do that it was made for.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-pool-gradients -verify-diagnostics -split-input-file

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: write its pooling gradients out before, or remove `ballast.plan`}}
func.func @planned(%x: tensor<4xf32>, %dy: tensor<2xf32>, %zero: tensor<f32>) -> tensor<4xf32> attributes {ballast.plan = #plan} {
  %g = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
