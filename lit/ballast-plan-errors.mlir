// What pipelines of micro-batches refuse: a message that says what to write, no output.
// RUN: not ballast-opt %s --ballast-plan="schedule=1f1b micro-batches=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ballast-opt %s --rl-partition="schedule=1f1b micro-batches=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ballast-opt %s --remat="schedule=1f1b micro-batches=0 function=step" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: micro-batches=0: give 1 to 4096
// RUN: not ballast-opt %s --ballast-plan="schedule=gpipe micro-batches=5000" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: micro-batches=5000: give 1 to 4096
// RUN: not ballast-opt %s --ballast-plan="schedule=2f2b" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Cannot find option named '2f2b'
// RUN: not ballast-opt %s --ballast-plan="micro-batches=few" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: 'few' value invalid
// RUN: not ballast-opt %s --ballast-plan="devices=3 schedule=1f1b function=step" 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: 3 stages for 2 pieces of the forward pass
// RUN: not ballast-opt %s --ballast-plan="devices=2 schedule=1f1b function=forward" 2>&1 | FileCheck %s --check-prefix=UNTOLD
// UNTOLD: error: function 'forward': forward and backward pass cannot be told apart
// RUN: not ballast-opt %s --ballast-plan="devices=2 schedule=1f1b function=pinned" 2>&1 | FileCheck %s --check-prefix=PINNED
// PINNED: ballast-plan-errors.mlir:[[#@LINE+78]]:{{.*}} error: op 0 ('math.exp') is bound to a device
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b method=rl function=step" 2>&1 | FileCheck %s --check-prefix=LEARNER
// LEARNER: error: method=rl with a schedule
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b order=memory function=step" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: order=memory with a schedule
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b refine=learned function=step" 2>&1 | FileCheck %s --check-prefix=REFINE
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b refine=none function=step" 2>&1 | FileCheck %s --check-prefix=REFINE
// REFINE: error: refine={{learned|none}} with a schedule: layers are cut by dynamic programming, and nobody moves ops from there; leave it out
// RUN: not ballast-opt %s --rl-partition="cores=2 schedule=1f1b function=step" 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: error: cores= with a schedule
// RUN: not ballast-opt %s --remat="schedule=1f1b order=free function=step" 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: error: order=free with a schedule
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b function=step" --remat="schedule=gpipe function=step" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b function=step" --remat="function=step" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: the function was partitioned with schedule=1f1b micro-batches=8: give that here too, instead of schedule={{gpipe micro-batches=8|none}}
// RUN: not ballast-opt %s --rl-partition="devices=1 schedule=interleaved micro-batches=2 function=step" --remat="schedule=interleaved stages-per-device=3 micro-batches=2 function=step" 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: the function was partitioned with schedule=interleaved stages-per-device=2 micro-batches=2: give that here too, instead of schedule=interleaved stages-per-device=3 micro-batches=2
// Fewer stages than the partition has, whose devices are read after that.
// RUN: not ballast-opt %S/ballast-plan.mlir --allow-unregistered-dialect --rl-partition="devices=1 schedule=interleaved stages-per-device=3 micro-batches=1" --remat="schedule=interleaved micro-batches=1" 2>&1 | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: error: the function was partitioned with schedule=interleaved stages-per-device=3 micro-batches=1: give that here too, instead of schedule=interleaved stages-per-device=2 micro-batches=1
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b micro-batches=4 function=step" --remat="schedule=1f1b function=step" 2>&1 | FileCheck %s --check-prefix=MICRO
// MICRO: error: the function was partitioned with schedule=1f1b micro-batches=4: give that here too, instead of schedule=1f1b micro-batches=8
// RUN: not ballast-opt %s --remat="schedule=1f1b model-file=%t.lp function=step" 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: error: model-file with a schedule
// RUN: not ballast-opt %s --ballast-plan="devices=2 schedule=interleaved stages-per-device=1 function=step" 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: stages-per-device=1: give 2 to 64
// RUN: not ballast-opt %s --ballast-plan="devices=2 schedule=interleaved micro-batches=3 function=step" 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: error: interleaved schedules need a multiple of 2 micro-batches (one round per device), not 3
// RUN: not ballast-opt %s --ballast-plan="devices=2 schedule=interleaved micro-batches=4 function=step" 2>&1 | FileCheck %s --check-prefix=PIECES
// PIECES: error: 4 stages for 2 pieces of the forward pass
// RUN: not ballast-opt %s --ballast-plan="devices=4096 schedule=interleaved micro-batches=4096 function=step" 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: 4096 devices with 2 stages each: there may be 4096 stages
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=auto function=step" 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: not ballast-opt %s --remat="devices=2 schedule=auto function=step" 2>&1 | FileCheck %s --check-prefix=AUTO
// AUTO: error: schedule=auto compares steps under memory plans: only --ballast-plan does both; name a schedule
// RUN: not ballast-opt %s --ballast-plan="devices=2 schedule=auto cap=60% function=step" 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: error: the cap is a share of what a device needs, which differs by schedule
// RUN: not ballast-opt %s --ballast-plan="devices=3 schedule=auto function=step" 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: error: schedule=auto: no schedule has enough pieces of the forward pass for its stages; use fewer devices
// A placement by hand whose gradient would come back.
// RUN: not ballast-opt %s --remat="devices=2 schedule=1f1b function=against" 2>&1 | FileCheck %s --check-prefix=AGAINST
// AGAINST: error: {{.*}}op 3 ('arith.mulf') of the backward pass on device 1 reads a value of device 0

// A lie about the step.
// RUN: ballast-opt %s --ballast-plan="devices=2 work-limit=100 schedule=1f1b function=step" -o %t.mlir
// RUN: sed 's/bubble = [0-9.eE+-]*/bubble = 0.015625/' %t.mlir > %t.bubble.mlir
// RUN: not ballast-opt %t.bubble.mlir --ballast-verify="function=step" 2>&1 | FileCheck %s --check-prefix=LIE
// LIE: error: `ballast.pipeline` says bubble = 0.015625, but the simulation gives
// RUN: sed 's/in_flight = .1, 0./in_flight = [1, 1]/' %t.mlir > %t.held.mlir
// RUN: not ballast-opt %t.held.mlir --ballast-verify="function=step" 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: error: `ballast.pipeline` says in_flight = [1, 1], but the simulation gives [2, 1]
// RUN: sed 's/\(ballast.pipeline = {[^}]* step = \)[0-9.eE+-]*/\11.0/' %t.mlir > %t.longer.mlir
// RUN: not ballast-opt %t.longer.mlir --ballast-verify="function=step" 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: `ballast.pipeline` says step = 1.0, but the simulation gives
// RUN: sed 's/\(ballast.pipeline = {[^}]*need = \[\)[0-9]*/\11/' %t.mlir > %t.need.mlir
// RUN: not ballast-opt %t.need.mlir --ballast-verify="function=step" 2>&1 | FileCheck %s --check-prefix=NEED
// NEED: error: `ballast.pipeline` says need = [1,
// RUN: sed 's/ballast.pipeline = {[^}]*}, //' %t.mlir > %t.none.mlir
// RUN: not ballast-opt %t.none.mlir --ballast-verify="function=step" 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: the plan is for a pipeline, but the function has no `ballast.pipeline`

// RUN: not ballast-opt %s --ballast-plan="devices=3 schedule=1f1b function=step" -o %t.nothing
// RUN: not test -e %t.nothing

func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  %1 = math.sin %0 : tensor<8xf32>
  %2 = arith.mulf %1, %1 : tensor<8xf32> loc("transpose(jvp(sin))")
  %3 = arith.mulf %2, %0 : tensor<8xf32> loc("transpose(jvp(exp))")
  return %3 : tensor<8xf32>
}

func.func @forward(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @pinned(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x {ballast.device = #ballast.device<0>} : tensor<8xf32>
  %1 = arith.mulf %0, %0 : tensor<8xf32> loc("transpose(jvp(exp))")
  return %1 : tensor<8xf32>
}

func.func @against(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x {ballast.device = #ballast.device<0>} : tensor<8xf32>
  %1 = math.sin %0 {ballast.device = #ballast.device<1>} : tensor<8xf32>
  %2 = arith.mulf %1, %1 {ballast.device = #ballast.device<0>} : tensor<8xf32> loc("transpose(jvp(sin))")
  %3 = arith.mulf %2, %0 {ballast.device = #ballast.device<1>} : tensor<8xf32> loc("transpose(jvp(exp))")
  return %3 : tensor<8xf32>
}
