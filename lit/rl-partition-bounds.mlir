// A bound is named after the plans it holds for, and what counts as memory counts for every search alike.

// Arguments do not count here: under 1 MiB the better cut is one that holds 4 MiB of weights on either device.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=%S/Inputs/two-fast.toml fusion=none cap=1MiB cap-counts=temp method=dp" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEMP --implicit-check-not=warning
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=%S/Inputs/two-fast.toml fusion=none cap=1MiB cap-counts=temp method=exact" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEMP --implicit-check-not=warning
// TEMP: Partition {{.*}}gap=0,{{.*}}tmax_seconds=0.00000306620

// A device stays idle where that is faster, and the plan says so.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=%S/Inputs/two-slow-link.toml fusion=none method=dp" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: warning: {{.*}}1 of 2 devices stay idle: no partition found that uses more of them is faster
// IDLE: Partition {{.*}}bound_class=contiguous-sequence,{{.*}}gap=0,{{.*}}tmax_seconds=0.000006

// Layers hide the best cut: their proof is one over cuts between layers, and a bound for any assignment is that of the ops.
// RUN: ballast-opt %S/Inputs/layers-hide-a-better-cut.mlir --allow-unregistered-dialect --rl-partition="devices=%S/Inputs/two-fast.toml granularity=layer fusion=none method=dp" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: ballast-opt %S/Inputs/layers-hide-a-better-cut.mlir --allow-unregistered-dialect --rl-partition="devices=%S/Inputs/two-fast.toml granularity=layer fusion=none method=exact" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: ballast-opt %S/Inputs/layers-hide-a-better-cut.mlir --allow-unregistered-dialect --rl-partition="devices=%S/Inputs/two-fast.toml granularity=op fusion=none method=dp" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPS
// LAYERS: Partition
// LAYERS-NOT: any-assignment{{.*}}gap=0,
// OPS: Partition {{.*}}tmax_seconds=0.00000626

// Under caps a bound counts what memory costs any placement, and says whose caps it is for.
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=2 time-limit=0 work-limit=20000" --remat="cap=40%% time-limit=0 work-limit=20000" --ballast-verify -o - 2>&1 | FileCheck %s --check-prefix=CAPS
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=2 time-limit=0 work-limit=20000" --remat="cap=40%% time-limit=0 work-limit=20000 overlap=true" --ballast-verify -o - 2>&1 | FileCheck %s --check-prefix=OVERLAP
// CAPS: ballast.plan{{.*}}bound_class = "any-assignment-within-caps"
// OVERLAP: ballast.plan{{.*}}bound_class = "any-assignment"

func.func @main(%x: tensor<16x1024xf32>, %w: tensor<1024x1024xf32>, %v: tensor<1024x1024xf32>) -> tensor<16x1024xf32> {
  %1 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x1024xf32>, tensor<1024x1024xf32>) -> tensor<16x1024xf32>
  %2 = "stablehlo.dot_general"(%1, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x1024xf32>, tensor<1024x1024xf32>) -> tensor<16x1024xf32>
  %3 = "stablehlo.tanh"(%2) : (tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %4 = "stablehlo.tanh"(%3) : (tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %5 = "stablehlo.tanh"(%4) : (tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %6 = "stablehlo.tanh"(%5) : (tensor<16x1024xf32>) -> tensor<16x1024xf32>
  return %6 : tensor<16x1024xf32>
}
