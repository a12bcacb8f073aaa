// What carries out a plan is StableHLO alone: no op and no attribute of the planner is left.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=15 fusion=none time-limit=10" --ballast-to-stablehlo | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: ballast
// CHECK: %[[A:.+]] = "stablehlo.exponential"(%[[X:.+]]) :
// CHECK: %[[C:.+]] = "stablehlo.cosine"
// CHECK: %[[HELD:.+]]:2 = "stablehlo.optimization_barrier"(%[[C]], %[[X]]) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
// CHECK: %[[AGAIN:.+]] = "stablehlo.exponential"(%[[HELD]]#1)
// CHECK: "stablehlo.compare"(%[[AGAIN]], %[[HELD]]#0)

// Swaps ask for XLA's copies between memories, and say that they may be in vain.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="devices=%S/Inputs/fast-host.toml cap=15 fusion=none time-limit=10" --ballast-to-stablehlo | FileCheck %s --check-prefix=SWAP
// SWAP-NOT: ballast
// SWAP: "stablehlo.custom_call"({{.*}}call_target_name = "annotate_device_placement"
// SWAP-SAME: mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}
// SWAP: "stablehlo.custom_call"({{.*}}call_target_name = "annotate_device_placement"
// SWAP-SAME: mhlo.frontend_attributes = {_xla_buffer_placement = "device"}
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="devices=%S/Inputs/fast-host.toml cap=15 fusion=none time-limit=10" --ballast-to-stablehlo --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Missed] HostOffload {{.*}}copies=2

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = "stablehlo.exponential"(%x) : (tensor<1xf32>) -> tensor<1xf32>
  %b = "stablehlo.sine"(%a) : (tensor<1xf32>) -> tensor<1xf32>
  %c = "stablehlo.cosine"(%b) : (tensor<1xf32>) -> tensor<1xf32>
  %d = "stablehlo.compare"(%a, %c) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
  return %d : tensor<1xi1>
}
