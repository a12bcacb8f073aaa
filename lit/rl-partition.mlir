// Six equal ops in a chain.
// RUN: ballast-opt %s --rl-partition="devices=1 method=dp" --ballast-verify | FileCheck %s --check-prefix=ONE
// ONE: dlti.target_system_spec = #dlti.target_system_spec<"a100-80gb-0" =
// ONE: ballast.plan = #ballast.plan<version = 2, devices = 1,
// ONE-COUNT-6: ballast.device = #ballast.device<0>

// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp time-limit=10" --ballast-verify | FileCheck %s --check-prefix=TWO
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp granularity=layer" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp order=memory" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp count=exact" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp cap=1GiB" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp work-limit=1000 seed=1 threads=2" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// DEVICES: devices = 2,
// TWO: devices = 2,
// TWO: math.exp {{.*}}ballast.device = #ballast.device<0>
// TWO: ballast.receives = [#ballast.receive<device = 1, position = 0>]
// TWO: math.atan {{.*}}ballast.device = #ballast.device<1>

// By default any placement may win, and the bound holds for all of them; the plan names the kind.
// RUN: ballast-opt %s --rl-partition="devices=2 work-limit=100000 seed=1" --remarks-filter=ballast --ballast-verify -o %t.auto.mlir 2>%t.auto
// RUN: FileCheck %s --check-prefix=AUTO --input-file=%t.auto
// RUN: ballast-opt %s --rl-partition="devices=2 work-limit=100000 seed=1 threads=2" -o %t.two-threads.mlir
// RUN: ballast-opt %s --rl-partition="devices=2 work-limit=100000 seed=1 threads=1" -o %t.one-thread.mlir
// RUN: diff %t.one-thread.mlir %t.two-threads.mlir
// RUN: FileCheck %s --check-prefix=KIND --input-file=%t.auto.mlir
// AUTO: Partition {{.*}}bound_class=any-assignment,{{.*}}placement={{sequence-cut|folded-layers|free}},{{.*}}step_seconds=
// KIND: ballast.plan = #ballast.plan<{{.*}}placement = "{{sequence-cut|folded-layers|free}}"{{.*}}step_seconds = "

// Who moves ops is chosen, said, and kept for later rounds; a policy proposes the same on one thread and on two.
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=4 refine=learned work-limit=100000 seed=1" --remarks-filter=ballast --ballast-verify -o %t.learned.mlir 2>%t.learned
// RUN: FileCheck %s --check-prefix=LEARNED --input-file=%t.learned
// RUN: FileCheck %s --check-prefix=REFINE --input-file=%t.learned.mlir
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=4 refine=learned work-limit=100000 seed=1 threads=2" -o %t.learned-two.mlir
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=4 refine=learned work-limit=100000 seed=1" -o %t.learned-one.mlir
// RUN: diff %t.learned-one.mlir %t.learned-two.mlir
// RUN: ballast-opt %t.learned.mlir --allow-unregistered-dialect --remat="work-limit=1000" --ballast-verify | FileCheck %s --check-prefix=REFINE
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=4 refine=none work-limit=100000" --remarks-filter=ballast --ballast-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNREFINED
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=4 refine=annealing work-limit=100000" --remarks-filter=ballast --ballast-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=ANNEALED
// LEARNED: Partition {{.*}}refined_by=learned
// REFINE: ballast.plan = #ballast.plan<{{.*}}refine = "learned"
// UNREFINED: Partition {{.*}}refined_by=none
// ANNEALED: Partition {{.*}}refined_by=annealing

// A backward pass that is one fusion falls into parts, so that devices can share it; a later pass reads which ops store their values.
// RUN: ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=8 fusion=xla work-limit=100000" --ballast-verify -o %t.chain.mlir
// RUN: ballast-opt %t.chain.mlir --allow-unregistered-dialect --remat="fusion=xla work-limit=1000" --ballast-verify -o %t.chain-remat.mlir
// RUN: FileCheck %s --check-prefix=HELD --input-file=%t.chain.mlir
// RUN: FileCheck %s --check-prefix=HELD --input-file=%t.chain-remat.mlir
// HELD: ballast.plan = #ballast.plan<{{.*}}fusion = "xla"{{.*}}held = "{{[0-9]+}}

// A placement from a file is taken as it is, though dynamic programming has a faster one.
// RUN: ballast-opt %s --rl-partition="devices=2 placement-file=%S/Inputs/six.placement.json" --remarks-filter=ballast --ballast-verify 2>%t.given | FileCheck %s --check-prefix=GIVEN
// RUN: FileCheck %s --check-prefix=BY --input-file=%t.given
// GIVEN: math.exp {{.*}}ballast.device = #ballast.device<1>
// GIVEN-COUNT-5: ballast.device = #ballast.device<0>
// BY: Partition {{.*}}method=given
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp graph-file=%t.graph.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=GRAPH --input-file=%t.graph.json
// GRAPH: "name": "main"
// GRAPH-COUNT-6: "name": "math.

// The other methods find the same cut.
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=exact" --remarks-filter=ballast --ballast-verify 2>%t.exact | FileCheck %s --check-prefix=TWO
// RUN: FileCheck %s --check-prefix=EXACT --input-file=%t.exact
// EXACT: Partition {{.*}}bound_class=contiguous-dag{{.*}}proposed_by=exact
// RUN: ballast-opt %s --rl-partition="devices=2 method=genetic generations=20" --remarks-filter=ballast --ballast-verify 2>%t.genetic | FileCheck %s --check-prefix=DEVICES
// RUN: FileCheck %s --check-prefix=GENETIC --input-file=%t.genetic
// GENETIC: Partition {{.*}}proposed_by=genetic
// RUN: ballast-opt %s --rl-partition="devices=2 method=genetic population=10 generations=20 elite=0 crossover=0.9 mutation=0.3 seed=3" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: ballast-opt %s --rl-partition="devices=2 method=genetic fitness=predicted generations=20" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: ballast-opt %s --rl-partition="devices=2 method=genetic fitness=loads work-limit=500 threads=1" --ballast-verify -o %t.one.mlir
// RUN: ballast-opt %s --rl-partition="devices=2 method=genetic fitness=loads work-limit=500 threads=2" --ballast-verify -o %t.two.mlir
// RUN: diff %t.one.mlir %t.two.mlir

// A slow device gets less: with one tenth of the speed, one op of six where every device must have one, and else nothing.
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/two-kinds.toml use-all-devices=true method=dp" --ballast-verify | FileCheck %s --check-prefix=UNEQUAL
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/two-kinds.toml use-all-devices=true method=exact" --ballast-verify | FileCheck %s --check-prefix=DEVICES
// UNEQUAL: ballast.device = #ballast.device<1>
// UNEQUAL-COUNT-5: ballast.device = #ballast.device<0>
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/two-kinds.toml method=dp" --ballast-verify 2>%t.idle | FileCheck %s --check-prefix=FASTER
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.idle
// FASTER-COUNT-6: ballast.device = #ballast.device<0>
// SAID: warning: 1 of 2 devices stay idle: no partition found that uses more of them is faster

// More devices than ops: some stay idle, whatever the method.
// RUN: ballast-opt %s --rl-partition="devices=9 method=dp" --ballast-verify 2>%t.more | FileCheck %s --check-prefix=MORE
// RUN: ballast-opt %s --rl-partition="devices=9 time-limit=10" --ballast-verify 2>%t.more | FileCheck %s --check-prefix=MORE
// RUN: FileCheck %s --check-prefix=IDLE --input-file=%t.more
// RUN: ballast-opt %s --rl-partition="devices=9 method=dp granularity=layer" --ballast-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAYER
// MORE: devices = 9,
// IDLE: warning: 8 of 9 devices stay idle
// LAYER: warning: 9 devices for one layer: the partition is made op by op

// Over the cores of a chip a stage gets a group of cores; the groups are the devices from there on.
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 method=dp" --ballast-verify | FileCheck %s --check-prefix=CORES
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 method=dp" --remat="time-limit=10" --ballast-verify | FileCheck %s --check-prefix=CORES
// RUN: ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=3 cap=64KiB method=dp" --ballast-verify | FileCheck %s --check-prefix=CAP
// RUN: ballast-opt %s --rl-partition="devices=a100-80gb cores=2 method=dp" --ballast-verify | FileCheck %s --check-prefix=LINEAR
// CORES: "npu-0 core 0" = #dlti.target_device_spec<{{.*}}"group_cores" = 1 : i64, "group_speed_up" = 1.0
// CORES-SAME: "npu-0 cores 2-3" = #dlti.target_device_spec<{{.*}}"memory_bytes" = 2097152 : i64{{.*}}"group_cores" = 2 : i64, "group_speed_up" = 1.5
// CORES: devices = 3,{{.*}}<device = 2, cores = 2, cap = 2097152,
// CAP: "memory_bytes" = 65536 : i64
// LINEAR: "a100-80gb-0 cores 0-1" = {{.*}}"memory_bytes" = 160000000000 : i64
// LINEAR: devices = 1,{{.*}}<device = 0, cores = 2,

// A device the user put on an op is kept; planning again forgets what an earlier plan wrote.
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp" --rl-partition="devices=3 use-all-devices=true method=dp" --ballast-verify | FileCheck %s --check-prefix=AGAIN
// AGAIN: devices = 3,
// AGAIN: ballast.device = #ballast.device<2>

// The whole pipeline; its output reads back and verifies.
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true time-limit=10 method=dp" --remat="cap=100% time-limit=10" -o %t.mlir
// RUN: ballast-opt %t.mlir --ballast-verify | FileCheck %s --check-prefix=DEVICES
// RUN: mlir-opt %t.mlir %plugin --pass-pipeline='builtin.module(ballast-verify)' | FileCheck %s --check-prefix=DEVICES

// Stock mlir-opt with the plugin gives the same bytes.
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices=true method=dp work-limit=100 seed=1" --remat="cap=80% work-limit=100 seed=1" -o %t.driver.mlir 2>/dev/null
// RUN: mlir-opt %s %plugin --pass-pipeline='builtin.module(rl-partition{devices=2 use-all-devices=true method=dp work-limit=100 seed=1},remat{cap=80%% work-limit=100 seed=1})' -o %t.plugin.mlir 2>/dev/null
// RUN: diff %t.driver.mlir %t.plugin.mlir

func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = math.exp %x : tensor<64x64xf32>
  %1 = math.sin %0 : tensor<64x64xf32>
  %2 = math.cos %1 : tensor<64x64xf32>
  %3 = math.tanh %2 : tensor<64x64xf32>
  %4 = math.sqrt %3 : tensor<64x64xf32>
  %5 = math.atan %4 : tensor<64x64xf32>
  return %5 : tensor<64x64xf32>
}
