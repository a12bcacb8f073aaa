// Ops that the user bound to devices before the partition stay there while the others move.
// RUN: ballast-opt %s --rl-partition="devices=2 work-limit=1000 seed=1" -o %t.partition.mlir
// RUN: FileCheck %s --check-prefix=PARTITION --input-file=%t.partition.mlir
// RUN: ballast-opt %t.partition.mlir --remat="cap=12KiB swap=false work-limit=1000 seed=1" --remarks-filter=ballast --ballast-verify -o %t.plan.mlir 2>%t.remarks
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: FileCheck %s --input-file=%t.plan.mlir

// Without a cap all ops are where the first one is bound to: what crosses takes longer than the ops.
// PARTITION: ballast.plan = #ballast.plan<{{.*}}pinned = "true", pins = "0"
// PARTITION-COUNT-4: ballast.device = #ballast.device<1>

// Under the cap two of the four results go to the other device, each device then having three values of 4 KiB; without rounds the cap was raised to 20 KiB.
// REMARK: remark: [Passed] Remat {{.*}}cap_met=true,{{.*}}rounds={{([2-9]|1[0-9])}},
// CHECK: ballast.plan = #ballast.plan<{{.*}}pinned = "true", pins = "0"
// CHECK: math.exp {{.*}}ballast.device = #ballast.device<1>
// CHECK: ballast.device = #ballast.device<0>

// Planned once more, it is still known which op is bound: all have a device by now.
// RUN: ballast-opt %t.plan.mlir --remat="cap=12KiB swap=false work-limit=1000 seed=1" --ballast-verify 2>&1 | FileCheck %s

// Placed anew without a cap, the others go to where the bound one stays.
// RUN: ballast-opt %t.plan.mlir --rl-partition="devices=2 work-limit=1000 seed=1" -o %t.again.mlir
// RUN: FileCheck %s --check-prefix=PARTITION --input-file=%t.again.mlir

func.func @main(%x: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  %a = math.exp %x {ballast.device = #ballast.device<1>} : tensor<1024xf32>
  %b = math.sin %a : tensor<1024xf32>
  %c = math.cos %b : tensor<1024xf32>
  %d = math.tanh %c : tensor<1024xf32>
  return %a, %b, %c, %d : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
}
