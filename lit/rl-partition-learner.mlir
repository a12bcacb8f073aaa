// The learner on devices: it runs to a result, also where the best plan known is far above the bound.
// REQUIRES: learner

// Twelve equal ops in a chain; every link takes longer than all of them, so that one device is the best start.
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/islands.toml method=rl episodes=12 work-limit=4000 seed=1" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="not refined"
// RUN: ballast-opt %s --rl-partition="devices=4 method=rl episodes=12 work-limit=4000 seed=1" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="not refined"
// CHECK: Partition {{.*}}devices=4,{{.*}}proposed_by=rl, {{.*}}proposed_tmax_seconds={{.*}}tmax_seconds=

// The published setting, on devices and on the cores of a chip, where the exact grouping is beside it.
// RUN: ballast-opt %s --rl-partition="devices=4 method=rl setting=published episodes=6 seed=1" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="not refined"
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 method=rl setting=published episodes=6 seed=1" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP --implicit-check-not="not refined"
// CHIP: Partition {{.*}}method=dp,{{.*}}proposed_by=rl, proposed_over_answer=1{{.*}}proposed_tmax_seconds=

// Under other weights another plan is the best one: one stage on all cores holds least and hands nothing on.
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 method=rl reward=weighted weights=1,0,0 episodes=3 seed=1" -o %t.compute.mlir 2>/dev/null
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 method=rl reward=weighted weights=0,0,1 episodes=3 seed=1" -o %t.route.mlir 2>/dev/null
// RUN: not diff -q %t.compute.mlir %t.route.mlir
// RUN: FileCheck %s --check-prefix=STAGES --input-file=%t.compute.mlir
// RUN: FileCheck %s --check-prefix=STAGE --input-file=%t.route.mlir --implicit-check-not="#ballast.device<1>"
// STAGES: #ballast.device<1>
// STAGE: #ballast.device<0>

// Without a step to learn by, the policy that ships with Ballast acts; a run is the same every time.
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/islands.toml method=rl learning-rate=0 episodes=4 work-limit=2000 seed=3 threads=1" -o %t.one.mlir 2>/dev/null
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/islands.toml method=rl learning-rate=0 episodes=4 work-limit=2000 seed=3 threads=2" -o %t.two.mlir 2>/dev/null
// RUN: diff %t.one.mlir %t.two.mlir

func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = math.exp %x : tensor<64x64xf32>
  %1 = math.sin %0 : tensor<64x64xf32>
  %2 = math.cos %1 : tensor<64x64xf32>
  %3 = math.tanh %2 : tensor<64x64xf32>
  %4 = math.exp2 %3 : tensor<64x64xf32>
  %5 = math.atan %4 : tensor<64x64xf32>
  %6 = math.exp %5 : tensor<64x64xf32>
  %7 = math.sin %6 : tensor<64x64xf32>
  %8 = math.cos %7 : tensor<64x64xf32>
  %9 = math.tanh %8 : tensor<64x64xf32>
  %10 = math.exp2 %9 : tensor<64x64xf32>
  %11 = math.atan %10 : tensor<64x64xf32>
  return %11 : tensor<64x64xf32>
}
