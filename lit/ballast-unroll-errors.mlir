// What is refused, and loops that would become too many ops.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-unroll -verify-diagnostics -split-input-file
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-unroll=max-ops=0 2>&1 | FileCheck %s
// CHECK: error: max-ops=0: give 1 to 16777216

#plan = #ballast.plan<version = 2, devices = 2, tmax = 1.0, tmin = 1.0, ratio = 1.0, bound = 1.0, bound_class = "any", gap = 0.0, stop = finished, method = "given", seed = 0, fingerprint = "0000000000000000", stages = [<device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.0, unplanned_seconds = 1.0, bound = 1.0>]>

// expected-error@+1 {{'planned' is planned: open its loops before, or remove `ballast.plan`}}
func.func @planned(%x: tensor<8xf32>) -> tensor<8xf32> attributes {ballast.plan = #plan} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %1 step %1 iter_args(%v = %x) -> tensor<8xf32> {
    scf.yield %v : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
