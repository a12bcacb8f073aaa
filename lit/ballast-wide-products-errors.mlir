// What is refused: a plan says what the ops do that it was made for.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-wide-products -verify-diagnostics -split-input-file

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: compute its products in f32 before, or remove `ballast.plan`}}
func.func @planned(%x: tensor<4x4xbf16>) -> tensor<4x4xbf16> attributes {ballast.plan = #plan} {
  %p = "stablehlo.dot"(%x, %x) : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %p : tensor<4x4xbf16>
}
