// What a back end was measured to hold is reckoned with: bytes beside an op, values it stores though they could be fused, spread constants it would make first
// of all. Here two products of 64 bytes, between them a sum with a spread argument and a maximum with a spread constant, one fusion.

// RUN: split-file %s %t
// RUN: ballast-opt %t/program.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify | FileCheck %s --check-prefix=FUSED
// FUSED: unplanned_peak = 128
// FUSED-NOT: held
// FUSED-NOT: workspace
// RUN: ballast-opt %t/program.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5 storage=%t/storage.json" --ballast-verify -o %t/planned.mlir
// RUN: FileCheck %s --check-prefix=MEASURED --input-file %t/planned.mlir
// The spread argument is a value of its own, and 1000 bytes are held while the fusion runs.
// MEASURED: unplanned_peak = 1192
// MEASURED-SAME: held = "1,3"
// MEASURED-SAME: workspace = "4:1000"

// The plan is carried out as it was made; the zero is spread once the sum's operand is there. Ops have their numbers, which only their locations say.
// RUN: ballast-opt %t/planned.mlir --allow-unregistered-dialect --ballast-to-stablehlo=number-ops=true --mlir-print-debuginfo | FileCheck %s --check-prefix=LATE
// LATE: %[[PRODUCT:.+]] = "stablehlo.dot_general"({{.*}} loc(#[[AT:.+]])
// LATE: %[[ZERO:.+]] = "stablehlo.constant"
// LATE: %[[LATE:.+]]:2 = "stablehlo.optimization_barrier"(%[[ZERO]], %{{.*}})
// LATE: "stablehlo.broadcast_in_dim"(%[[LATE]]#0)
// LATE: "stablehlo.maximum"
// LATE: #[[AT]] = loc("ballast.0")

// A number may be computed: all of it comes before what waits.
// RUN: ballast-opt %t/computed.mlir --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5 storage=%t/computed.json" --ballast-to-stablehlo | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: %[[ZERO:.+]] = "stablehlo.constant"
// COMPUTED: %[[ONE:.+]] = "stablehlo.exponential"(%[[ZERO]])
// COMPUTED: %[[AFTER:.+]]:2 = "stablehlo.optimization_barrier"(%[[ONE]], %{{.*}})
// COMPUTED: "stablehlo.broadcast_in_dim"(%[[AFTER]]#0)
// COMPUTED: "stablehlo.maximum"

// What a file may not say.
// RUN: not ballast-opt %t/program.mlir --allow-unregistered-dialect --remat="storage=%t/other.json" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: other.json: op 4 ('stablehlo.add') is none of the program's: the file was measured on another program; measure again
// RUN: not ballast-opt %t/program.mlir --allow-unregistered-dialect --remat="storage=%t/constant.json" 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: constant.json: op 2 ('stablehlo.constant') is a view or a constant, which holds nothing of its own: leave it out
// RUN: not ballast-opt %t/program.mlir --allow-unregistered-dialect --remat="storage=%t/absent.json" 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: absent.json: the storage file cannot be read

//--- storage.json
{"version": 1, "ops": [
  {"op": 1, "name": "stablehlo.broadcast_in_dim", "stored": true},
  {"op": 3, "name": "stablehlo.broadcast_in_dim", "stored": true},
  {"op": 4, "name": "stablehlo.maximum", "workspace-bytes": 1000}
]}

//--- other.json
{"version": 1, "ops": [{"op": 4, "name": "stablehlo.add", "workspace-bytes": 1000}]}

//--- constant.json
{"version": 1, "ops": [{"op": 2, "name": "stablehlo.constant", "workspace-bytes": 1000}]}

//--- program.mlir
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.broadcast_in_dim"(%b) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
  %4 = "stablehlo.maximum"(%1, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "stablehlo.add"(%0, %4) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "stablehlo.dot_general"(%5, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = "stablehlo.dot_general"(%6, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %7 : tensor<4x4xf32>
}

//--- computed.json
{"version": 1, "ops": [
  {"op": 1, "name": "stablehlo.broadcast_in_dim", "stored": true},
  {"op": 4, "name": "stablehlo.broadcast_in_dim", "stored": true},
  {"op": 5, "name": "stablehlo.maximum", "workspace-bytes": 1000}
]}

//--- computed.mlir
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.broadcast_in_dim"(%b) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %c = "stablehlo.exponential"(%2) : (tensor<f32>) -> tensor<f32>
  %3 = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
  %4 = "stablehlo.maximum"(%1, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "stablehlo.add"(%0, %4) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "stablehlo.dot_general"(%5, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = "stablehlo.dot_general"(%6, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %7 : tensor<4x4xf32>
}
