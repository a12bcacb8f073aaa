// Four ops, hand-checked. Bytes: x 4 (an argument, resident), a 4, b 4, c 4, d 1. The unchanged program peaks at 16 while c
// runs (x, a, b, c); d needs 13 (x, a, c, d), and so does c when a is not there.

// RUN: ballast-opt %s --remat="cap=100% time-limit=10" --ballast-verify | FileCheck %s --check-prefix=FITS
// FITS-LABEL: func.func @main
// FITS-SAME: peak = 16, unplanned_peak = 16
// FITS-NOT: ballast.recompute
// FITS-NOT: ballast.swap

// The cap is the device's memory where none is given.
// RUN: ballast-opt %s --remat="time-limit=10" --ballast-verify | FileCheck %s --check-prefix=MEMORY
// MEMORY: cap = 80000000000, requested_cap = 80000000000, peak = 16

// Under 15 bytes a goes after b has read it and is computed again before d, at position 3.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 relax-limit=0" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=13 time-limit=10 relax-limit=0" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 swap=false" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 order=program" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 work-limit=1000 seed=3 threads=2" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 swap=false solver=milp" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 swap=false solver=stepwise" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=2 swap=false solver=local-search" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 swap=false solver=greedy" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10 swap=false solver=gaps" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RECOMPUTE-LABEL: func.func @main
// RECOMPUTE-SAME: peak = 13, unplanned_peak = 16
// RECOMPUTE: math.exp {{.*}}ballast.position = 0 : i64, ballast.recompute = #ballast.recompute<before = [3]>
// RECOMPUTE-NOT: ballast.recompute
// RECOMPUTE-NOT: ballast.swap

// Where copies cost next to nothing, a is swapped instead; with swap=false it is not.
// RUN: ballast-opt %s --remat="devices=%S/Inputs/fast-host.toml cap=15 time-limit=10" --ballast-verify | FileCheck %s --check-prefix=SWAP
// RUN: ballast-opt %s --remat="devices=%S/Inputs/fast-host.toml cap=15 time-limit=10 overlap=true" --ballast-verify | FileCheck %s --check-prefix=SWAP
// RUN: ballast-opt %s --remat="devices=%S/Inputs/fast-host.toml cap=15 time-limit=10 swap=false" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// SWAP: host_peak = 4
// SWAP: math.exp {{.*}}ballast.swap = #ballast.swap<out_after = {{[01]}}, in_before = [3]>
// SWAP-NOT: ballast.recompute

// One block with every buffer on a multiple of 16: x takes 16 bytes outside, a, b and c 48 in it; d needs as much.
// RUN: ballast-opt %s --remat="cap=64 arena=16 time-limit=10 plan-file=%t.arena.json" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// RUN: FileCheck %s --check-prefix=BLOCK --input-file=%t.arena.json
// WHOLE-NOT: ballast.recompute
// BLOCK: "arena": {
// BLOCK-NEXT: "alignment_bytes": 16,
// BLOCK-NEXT: "arena_bytes": 48,
// BLOCK-NEXT: "live_bytes": 48,
// RUN: ballast-opt %s --remat="cap=15 arena=1 time-limit=10 swap=false plan-file=%t.arena.json" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: FileCheck %s --check-prefix=SMALL --input-file=%t.arena.json
// SMALL: "arena_bytes": 9,

// The dynamic program is for chains.
// RUN: not ballast-opt %s --remat="cap=15 swap=false solver=chain" 2>&1 | FileCheck %s --check-prefix=CHAIN
// CHAIN: solver chain does not apply: the graph is not a chain of layers

// Every planner by name. Where a step does not say which ops run backward, the widest gap between two uses takes the place of
// the turn: only a may be away, between b and d.
// RUN: ballast-opt %s --remat="solver=milp cap=15 time-limit=10" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="solver=stepwise cap=15 time-limit=10" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="solver=local-search cap=15 time-limit=10" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="solver=greedy cap=15" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="solver=sqrt-n cap=16" --ballast-verify | FileCheck %s --check-prefix=FITS
// RUN: ballast-opt %s --remat="solver=keep-all cap=16" --ballast-verify | FileCheck %s --check-prefix=FITS
// RUN: ballast-opt %s --remat="solver=q-learning cap=15 q-rounds=50 q-weight=0.25 q-epsilon=0.2 relax-limit=0 save-q-table=%t.q.json" --ballast-verify | FileCheck %s --check-prefix=SWAP
// RUN: ballast-opt %s --remat="solver=q-learning cap=15 q-rounds=1 relax-limit=0 q-table=%t.q.json" --ballast-verify | FileCheck %s --check-prefix=SWAP
// Rate, discount and target of the learning; and a scheme as it is, also in a stage that fits.
// RUN: ballast-opt %s --remat="solver=q-learning cap=15 q-rounds=50 q-alpha=0.25 q-gamma=0 q-target=1000 q-initial=all relax-limit=0" --ballast-verify | FileCheck %s --check-prefix=SWAP
// RUN: ballast-opt %s --remat="solver=q-learning q-rounds=0 q-initial=1" --ballast-verify | FileCheck %s --check-prefix=SWAP
// RUN: ballast-opt %s --remat="solver=q-learning q-rounds=0 q-initial=none" --ballast-verify | FileCheck %s --check-prefix=FITS
// RUN: ballast-opt %s --remat="solver=capuchin cap=15 relax-limit=0" --ballast-verify | FileCheck %s --check-prefix=RECOMPUTE
// RUN: ballast-opt %s --remat="solver=capuchin devices=%S/Inputs/fast-host.toml cap=15 relax-limit=0" --ballast-verify | FileCheck %s --check-prefix=SWAP
// Overlapped copies are issued an op early, so that a is back while c runs.
// RUN: ballast-opt %s --remat="solver=q-learning devices=%S/Inputs/fast-host.toml cap=15 overlap=true" --ballast-verify 2>&1 | FileCheck %s --check-prefix=VDNN
// No op here is a convolution, so that the vDNN-like scheduler swaps nothing and its cap is raised to the peak.
// RUN: ballast-opt %s --remat="solver=vdnn cap=15" --ballast-verify 2>&1 | FileCheck %s --check-prefix=VDNN
// VDNN: warning: no memory plan was found that keeps the cap of device 0: asked 15 bytes, used 16 bytes
// VDNN-NOT: ballast.swap =

// A cap without a plan is raised, and the op that binds is named.
// RUN: ballast-opt %s --remat="cap=12 time-limit=10" --ballast-verify 2>&1 | FileCheck %s --check-prefix=RELAXED
// RELAXED: remat.mlir:[[#@LINE+14]]:8: warning: no memory plan keeps the cap of device 0: asked 12 bytes, used 13 bytes, least possible 13 bytes; 'arith.cmpf' binds: its operands, results and workspace are there at once. A larger cap helps, or more devices
// RELAXED: cap_met = false, stages = [<device = 0, cap = 13, requested_cap = 12, smallest_cap = 13, peak = 13

// Remarks name the value, its bytes and what it costs.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] Remat {{.*}}planned recomputation and swaps
// REMARK: [Passed] Recompute {{.*}}bytes=4, {{.*}}seconds={{.*}}, times=1
// RUN: ballast-opt %s --remat="cap=100% time-limit=10" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNCHANGED
// UNCHANGED: [Passed] Remat {{.*}}the unchanged program fits

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
