// What is refused: a plan says what the ops do that it was made for.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-gather-gradients -verify-diagnostics -split-input-file

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: write its gather gradients out before, or remove `ballast.plan`}}
func.func @planned(%label: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<4x9xf32> attributes {ballast.plan = #plan} {
  %zeros = "stablehlo.constant"() <{value = dense<0.0> : tensor<4x9xf32>}> : () -> tensor<4x9xf32>
  %g = "stablehlo.scatter"(%zeros, %label, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<4x9xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4x9xf32>
  return %g : tensor<4x9xf32>
}
