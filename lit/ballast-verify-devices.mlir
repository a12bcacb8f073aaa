// Plans over several devices: what is checked of boundaries, of a pipeline's memory and of bounds.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=100 schedule=1f1b micro-batches=4 cap=33540" -o %t.pipeline.mlir

// A device that needs just its cap, with its micro-batches in flight, keeps it; under a byte less it does not.
// RUN: ballast-opt %t.pipeline.mlir --allow-unregistered-dialect --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: [Passed] Verify {{.*}}stages=2,
// RUN: sed 's/<device = 1, cap = 33540, requested_cap = 33540/<device = 1, cap = 33300, requested_cap = 33300/' %t.pipeline.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=FLIGHT
// FLIGHT: error: device 1 needs 33540 bytes for 1 micro-batches in flight, above its cap of 33300

// A device receives what it reads, and nothing else.
// RUN: sed '/layer.loss/s/ballast.position = 2 : i64/ballast.position = 2 : i64, ballast.receives = [#ballast.receive<device = 0, position = 2>]/' %t.pipeline.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=RECEIVES
// RECEIVES: error: `ballast.receives` names device 0, where nothing reads the value

// No bound for any assignment is above what one device alone takes; where the ops are bound to devices it may be.
// RUN: sed 's/bound = [^,]*, bound_class = "any-assignment", gap = [^,]*/bound = 7.0e-6, bound_class = "any-assignment", gap = 0.518403185/' %t.pipeline.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: `ballast.plan` says bound = 0.000007, but the replay gives at most 0.0000063{{[0-9]*}}, which a plan of the class takes
// RUN: ballast-opt %S/Inputs/apart.mlir --rl-partition="devices=%S/Inputs/two-slow-link.toml fusion=none" --ballast-verify | FileCheck %s --check-prefix=APART
// APART: tmax = 0.00104{{.*}}bound = 0.00104{{.*}}pinned = "true"

// A search that ended with a gap proved nothing.
// RUN: sed 's/stop = [a-z_]*/stop = proved/' %t.pipeline.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=PROVED
// PROVED: error: `ballast.plan` says stop = proved, but the replay gives a gap of 0.78{{[0-9]*}}, which is no proof

// A device that runs nothing is none of the stages.
// RUN: sed 's/{ballast.device = #ballast.device<[01]>}//' %S/Inputs/apart.mlir | ballast-opt --rl-partition="devices=%S/Inputs/two-slow-link.toml fusion=none" -o %t.idle.mlir 2>/dev/null
// RUN: ballast-opt %t.idle.mlir --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: [Passed] Verify {{.*}}stages=1,

// Functions of other dialects are not read.
// RUN: sed 's/func.func @/ml_program.func @/; s/^    return /    ml_program.return /' %t.idle.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: `ballast.plan` can be checked on a `func.func` of a module alone

func.func @main(%x: tensor<64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> (tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "layer.forward"(%x, %w1) : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
  %1 = "layer.forward"(%0, %w2) : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
  %l = "layer.loss"(%1) : (tensor<64xf32>) -> tensor<f32>
  %2 = "layer.gradient"(%1) : (tensor<64xf32>) -> tensor<64xf32> loc("transpose(jvp(loss))")
  %3 = "layer.update"(%2, %0, %w2) : (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transpose(jvp(2))")
  %4 = "layer.backward"(%2, %w2) : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32> loc("transpose(jvp(2))")
  %5 = "layer.update"(%4, %x, %w1) : (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("transpose(jvp(1))")
  return %l, %5, %3 : tensor<f32>, tensor<64x64xf32>, tensor<64x64xf32>
}
