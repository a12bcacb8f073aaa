// What is refused: a plan says what the ops do that it was made for, and a name can be taken.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-outline-body -verify-diagnostics -split-input-file

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: outline the body before, or remove `ballast.plan`}}
func.func @planned(%x: tensor<8xf32>, %lo: index, %hi: index) -> tensor<8xf32> attributes {ballast.plan = #plan} {
  %r = scf.for %i = %lo to %hi step %hi iter_args(%v = %x) -> tensor<8xf32> {
    %1 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// expected-error@+1 {{the module has a function '@main_body' already: rename it}}
func.func @main(%x: tensor<8xf32>, %lo: index, %hi: index) -> tensor<8xf32> {
  %r = scf.for %i = %lo to %hi step %hi iter_args(%v = %x) -> tensor<8xf32> {
    %1 = "some.layer"(%v) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @main_body(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
