// Every attribute prints as it was written, parses back, and survives bytecode.
// RUN: ballast-opt %s --allow-unregistered-dialect | ballast-opt --allow-unregistered-dialect | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --emit-bytecode -o %t.bc
// RUN: ballast-opt %t.bc --allow-unregistered-dialect | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --mlir-print-op-generic | ballast-opt --allow-unregistered-dialect | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --verify-roundtrip -o /dev/null

// CHECK-LABEL: func @device_on_registered_and_unregistered_ops
func.func @device_on_registered_and_unregistered_ops(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math.exp {{.*}} {ballast.device = #ballast.device<0>}
  %0 = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  // CHECK: "other.op"{{.*}} {ballast.device = #ballast.device<12>}
  %1 = "other.op"(%0) {ballast.device = #ballast.device<12>} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @recompute_with_one_and_several_positions
func.func @recompute_with_one_and_several_positions(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ballast.recompute = #ballast.recompute<before = [3]>
  %0 = math.exp %x {ballast.recompute = #ballast.recompute<before = [3]>} : tensor<4xf32>
  // CHECK: ballast.position = 1 : i64, ballast.recompute = #ballast.recompute<before = [3, 7, 9]>
  %1 = math.exp %0 {ballast.position = 1, ballast.recompute = #ballast.recompute<before = [3, 7, 9]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @swap_of_a_value
func.func @swap_of_a_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ballast.swap = #ballast.swap<out_after = 5, in_before = [9, 12]>
  %0 = math.exp %x {ballast.swap = #ballast.swap<in_before = [9, 12], out_after = 5>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @receives_on_several_devices
func.func @receives_on_several_devices(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ballast.receives = [#ballast.receive<device = 1, position = 4>, #ballast.receive<device = 2, position = 0, again_before = [9]>]
  %0 = math.exp %x {ballast.device = #ballast.device<0>, ballast.receives = [#ballast.receive<device = 1, position = 4>,
    #ballast.receive<device = 2, position = 0, again_before = [9]>]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A number given as its bits, with no short decimal form, comes back bit by bit; 0.1 prints short.
// CHECK-LABEL: func @cost_keeps_every_bit_of_its_seconds
func.func @cost_keeps_every_bit_of_its_seconds(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: #ballast.cost<seconds = 1.000000e-01, flops = 4, bytes = 32>
  %0 = math.exp %x {ballast.cost = #ballast.cost<seconds = 0.1, flops = 4, bytes = 32>} : tensor<4xf32>
  // CHECK: #ballast.cost<seconds = 1.0000000000000002E-8, flops = 9223372036854775807, bytes = 0>
  %1 = math.exp %0 {ballast.cost = #ballast.cost<seconds = 0x3E45798EE2308C3B, flops = 9223372036854775807, bytes = 0>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @plan_with_an_idle_device
// CHECK-SAME: #ballast.plan<version = 2, devices = 3, tmax = 4.000000e-03, tmin = 2.000000e-03, ratio = 2.000000e+00, bound = 3.000000e-03,
// CHECK-SAME: bound_class = "contiguous", gap = 2.500000e-01, stop = time_limit, method = "dp", seed = 18446744073709551615,
// CHECK-SAME: fingerprint = "0123456789abcdef", checksum = "fedcba9876543210", cap_met = false, bound_trusts_highs = true, stages = [
// CHECK-SAME: <device = 0, cap = 110, requested_cap = 100, smallest_cap = 105, peak = 104, unplanned_peak = 200, host_peak = 50, seconds = 4.000000e-03, unplanned_seconds = 3.000000e-03, bound = 3.000000e-03>,
// CHECK-SAME: <device = 2, cores = 4, cap = 100, requested_cap = 100, peak = 60, unplanned_peak = 60, seconds = 2.000000e-03, unplanned_seconds = 2.000000e-03, bound = 2.000000e-03>
// CHECK-SAME: ], settings = {order = "program"}>
func.func @plan_with_an_idle_device() attributes {ballast.plan = #ballast.plan<
    version = 2, devices = 3, tmax = 4.0e-3, tmin = 2.0e-3, ratio = 2.0, bound = 3.0e-3, bound_class = "contiguous", gap = 0.25,
    stop = time_limit, method = "dp", seed = 18446744073709551615, fingerprint = "0123456789abcdef",
    checksum = "fedcba9876543210", cap_met = false, bound_trusts_highs = true, stages = [
      <device = 0, cap = 110, requested_cap = 100, smallest_cap = 105, peak = 104, unplanned_peak = 200, host_peak = 50,
       seconds = 4.0e-3, unplanned_seconds = 3.0e-3, bound = 3.0e-3>,
      <device = 2, cores = 4, cap = 100, requested_cap = 100, peak = 60, unplanned_peak = 60, seconds = 2.0e-3,
       unplanned_seconds = 2.0e-3, bound = 2.0e-3>], settings = {order = "program"}>} {
  return
}

// CHECK-LABEL: func @plan_without_a_ratio_where_a_stage_has_no_time
// CHECK-SAME: tmin = 0.000000e+00, bound = 0.000000e+00
func.func @plan_without_a_ratio_where_a_stage_has_no_time() attributes {ballast.plan = #ballast.plan<
    version = 2, devices = 1, tmax = 0.0, tmin = 0.0, bound = 0.0, bound_class = "all", gap = 0.0, stop = proved, method = "none",
    seed = 0, fingerprint = "0123456789ABCDEF", stages = [
      <device = 0, cap = 0, requested_cap = 0, peak = 0, unplanned_peak = 0, seconds = 0.0, unplanned_seconds = 0.0, bound = 0.0>]>} {
  return
}

// CHECK-LABEL: func @rules_of_the_user
// CHECK-SAME: {ballast.must_keep}
func.func @rules_of_the_user(%x: tensor<4xf32> {ballast.must_keep}) -> tensor<4xf32> {
  // CHECK: {ballast.never_recompute, ballast.never_swap}
  %0 = math.exp %x {ballast.never_recompute, ballast.never_swap} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @program_of_one_device
// CHECK-SAME: ballast.program = #ballast.program<device = 1, devices = 2, arguments = [0, 3], results = [2]>
func.func @program_of_one_device() attributes {
    ballast.program = #ballast.program<device = 1, devices = 2, arguments = [0, 3], results = [2]>} {
  return
}

// CHECK-LABEL: func @program_of_an_idle_device
// CHECK-SAME: ballast.program = #ballast.program<device = 0, devices = 1>
func.func @program_of_an_idle_device() attributes {ballast.program = #ballast.program<device = 0, devices = 1>} {
  return
}
