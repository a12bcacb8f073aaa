// The program of remat.mlir: under 15 bytes a goes after b has read it, and is there again before d.

// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-apply | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-apply --cse --canonicalize | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-apply --cse --canonicalize --ballast-apply | FileCheck %s --check-prefix=RECOMPUTE
// RECOMPUTE-LABEL: func.func @main
// RECOMPUTE-SAME: %[[X:[a-z0-9]+]]: tensor<1xf32>
// RECOMPUTE-SAME: ballast.applied = #ballast.plan<
// RECOMPUTE-SAME: peak = 13
// RECOMPUTE-NOT: ballast.plan =
// RECOMPUTE-NOT: ballast.recompute
// RECOMPUTE-NOT: ballast.position
// RECOMPUTE: %[[A:.+]] = math.exp %[[X]]
// RECOMPUTE: %[[B:.+]] = math.sin %[[A]]
// RECOMPUTE: %[[C:.+]] = math.cos %[[B]]
// RECOMPUTE: %[[HELD:.+]]:2 = ballast.barrier %[[C]], %[[X]]
// RECOMPUTE: %[[AGAIN:.+]] = math.exp %[[HELD]]#1
// RECOMPUTE: %[[D:.+]] = arith.cmpf olt, %[[AGAIN]], %[[HELD]]#0
// RECOMPUTE: return %[[D]]

// A clone lies where its original does.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-apply -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOCATION
// LOCATION-COUNT-2: math.exp {{.*}} loc("{{.*}}ballast-apply.mlir":65:8)

// Where copies cost next to nothing, a goes to the host and back; the copy back waits for c.
// RUN: ballast-opt %s --remat="devices=%S/Inputs/fast-host.toml cap=15 time-limit=10" --ballast-apply --cse --canonicalize | FileCheck %s --check-prefix=SWAP
// SWAP-LABEL: func.func @main
// SWAP: %[[A:.+]] = math.exp
// SWAP: %[[HOST:.+]] = ballast.swap_out %[[A]]
// SWAP: %[[C:.+]] = math.cos
// SWAP: %[[HELD:.+]]:2 = ballast.barrier %[[C]], %[[HOST]]
// SWAP: %[[BACK:.+]] = ballast.swap_in %[[HELD]]#1
// SWAP: arith.cmpf olt, %[[BACK]], %[[HELD]]#0

// Sizes that the plan took for dynamic dimensions are read from it.
// RUN: sed 's/tensor<1x/tensor<?x/g' %s | ballast-opt --remat="cap=15 time-limit=10 dynamic-dim=1" --ballast-apply | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC-COUNT-2: math.exp {{.*}}tensor<?xf32>

// A plan that keeps everything changes no op.
// RUN: ballast-opt %s --remat="cap=100% time-limit=10" --ballast-apply | FileCheck %s --check-prefix=KEEP
// KEEP-COUNT-1: math.exp
// KEEP-NOT: ballast.barrier

// A number crosses as a tensor of one element.
// RUN: ballast-opt %S/Inputs/number.mlir --rl-partition="devices=2 method=dp" --ballast-verify --ballast-apply -o %t.number.mlir
// RUN: FileCheck %s --check-prefix=NUMBER --input-file=%t.number.mlir
// RUN: ballast-opt %t.number.mlir --ballast-outline | FileCheck %s --check-prefix=SENT
// NUMBER: %[[S:.+]] = math.exp
// NUMBER: %[[WRAPPED:.+]] = tensor.from_elements %[[S]]
// NUMBER: %[[HOST:.+]] = ballast.swap_out %[[WRAPPED]] {{.*}} : tensor<f32>
// NUMBER: %[[BACK:.+]] = ballast.swap_in %[[HOST]] {ballast.device = #ballast.device<1>}
// NUMBER: tensor.extract %[[BACK]][] {ballast.device = #ballast.device<1>}
// SENT: ballast.send {{.*}} from 0 to 1 tag {{.*}} : tensor<f32>

// The rewritten program parses in stock mlir-opt with the plugin.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-apply -o %t.mlir
// RUN: mlir-opt %plugin %t.mlir | FileCheck %s --check-prefix=RECOMPUTE

// An op edited after planning is found out, and nothing is written.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" | sed 's/math.sin/math.tan/' > %t.edited.mlir
// RUN: not ballast-opt %t.edited.mlir --ballast-apply -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix=EDITED
// EDITED: edited.mlir:{{.*}} error: the program was edited after it was planned

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}

// A plan that repeats and copies nothing leaves the program as it was, and is not taken for one that was not carried out.
// RUN: ballast-opt %s --remat="cap=100% time-limit=10" --ballast-apply --ballast-apply -o /dev/null
