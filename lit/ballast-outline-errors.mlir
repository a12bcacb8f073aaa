// RUN: ballast-opt %s --ballast-outline -verify-diagnostics -split-input-file

// expected-error@+1 {{the function does not carry out a plan yet: plan it, then run `--ballast-apply`}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.applied = #plan} {
  // expected-note@+1 {{the value is made here}}
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  // expected-error@+1 {{reads a value of another device, which is not copied to the host for it}}
  %b = math.sin %a {ballast.device = #ballast.device<1>} : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.applied = #plan} {
  // expected-error@+1 {{runs on device 2, but the plan is for 2 devices}}
  %a = math.exp %x {ballast.device = #ballast.device<2>} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.applied = #plan} {
  // expected-error@+1 {{has no `ballast.device`, and may not run on several: partition the whole function}}
  %a = ballast.barrier %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>
// expected-error@+1 {{the module has a function '@main_device1' already: rename it}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.applied = #plan} {
  return %x : tensor<4xf32>
}
func.func private @main_device1()

// -----

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>
// expected-error@+1 {{the module has a function '@main_device0_segment0' already: rename it}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.applied = #plan} {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func private @main_device0_segment0()
