// A plan whose figures contradict each other is refused.
// RUN: ballast-opt %s -verify-diagnostics -split-input-file

func.func @plan_belongs_on_a_function(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ballast.plan' belongs on a function}}
  %0 = math.exp %x {ballast.plan = 1} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{'ballast.plan' must be #ballast.plan<..>, not "good"}}
func.func @plan_is_a_plan() attributes {ballast.plan = "good"} {
  return
}

// -----

// expected-error@+1 {{plan of version 1: this build reads version 2; plan the program again}}
#plan = #ballast.plan<version = 1, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{tmax 3 is not the time of the slowest stage, 2}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 3.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{tmin 1 is not the time of the fastest stage, 2}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{ratio 1.5 is not tmax/tmin, 1}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.5, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{lower bound 2.5 is above tmax 2}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 2.5, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{gap 0 is not (tmax - bound)/tmax, 0.5}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.0, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{'bound_class' must name the class of plans the bound holds for}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{'method' must name the method that found the plan}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{fingerprint "123" is not 16 hexadecimal digits}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "123", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{a plan has at least one stage}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = []>

// -----

// expected-error@+1 {{a stage is on device 1, but there are 1 devices}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 1, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{stages must stand in ascending order of device, but device 0 follows 0}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>, <device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{no ratio exists where a stage has no time}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 0.0, tmin = 0.0, ratio = 1.0, bound = 0.0, bound_class = "all", gap = 0.0, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 0.0, unplanned_seconds = 0.0, bound = 0.0>]>

// -----

// expected-error@+1 {{peak of 11 bytes is above the cap of 10 bytes}}
#stage = #ballast.stage<device = 0, cap = 10, requested_cap = 10, peak = 11, unplanned_peak = 12, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>

// -----

// expected-error@+1 {{cap 10 is below the requested cap 12: a cap is only ever raised}}
#stage = #ballast.stage<device = 0, cap = 10, requested_cap = 12, peak = 9, unplanned_peak = 12, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>

// -----

// expected-error@+1 {{'smallest_cap' 11 is above the cap 10 that was kept}}
#stage = #ballast.stage<device = 0, cap = 10, requested_cap = 8, smallest_cap = 11, peak = 9, unplanned_peak = 12, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>

// -----

// expected-error@+1 {{lower bound 3 is above the stage's time 2}}
#stage = #ballast.stage<device = 0, cap = 10, requested_cap = 8, peak = 9, unplanned_peak = 12, seconds = 2.0, unplanned_seconds = 2.0, bound = 3.0>

// -----

// expected-error@+1 {{a stage has at least one core, not 0}}
#stage = #ballast.stage<device = 0, cores = 0, cap = 10, requested_cap = 8, peak = 9, unplanned_peak = 12, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>

// -----

// expected-error@+1 {{'host_peak' must not be negative, but is -5}}
#stage = #ballast.stage<device = 0, cap = 10, requested_cap = 8, peak = 9, unplanned_peak = 12, host_peak = -5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>

// -----

// expected-error@+1 {{checksum "none" is not 16 hexadecimal digits}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", checksum = "none", stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{cap 10 of device 0 is above the requested cap 9, but 'cap_met' is not false}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", stages = [<device = 0, cap = 10, requested_cap = 9, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>

// -----

// expected-error@+1 {{'cap_met' is false, but no stage has a cap above the requested one}}
#plan = #ballast.plan<version = 2, devices = 1, tmax = 2.0, tmin = 2.0, ratio = 1.0, bound = 1.0, bound_class = "all", gap = 0.5, stop = finished, method = "dp", seed = 0, fingerprint = "0123456789abcdef", cap_met = false, stages = [<device = 0, cap = 10, requested_cap = 10, peak = 5, unplanned_peak = 5, seconds = 2.0, unplanned_seconds = 2.0, bound = 1.0>]>
