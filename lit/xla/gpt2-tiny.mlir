// The rewritten training step gives the results of the original to 1e-5, which the exit code says, in the memory the plan names.
// REQUIRES: xla
// RUN: ballast-opt %examples/gpt2_tiny_b2_s64.mlir --allow-unregistered-dialect --remat="cap=60%% cap-counts=temp fusion=xla-cpu swap=false time-limit=5" -o %t.mlir
// RUN: ballast run %examples/gpt2_tiny_b2_s64.mlir %t.mlir --backend xla --python %python --json %t.json
// RUN: %python %S/Inputs/memory.py %t.json | FileCheck %s
// RUN: ballast-opt %examples/gpt2_tiny_b2_s64.mlir --allow-unregistered-dialect --remat="cap=40%% cap-counts=temp fusion=xla-cpu swap=false time-limit=5" -o %t.mlir
// RUN: ballast run %examples/gpt2_tiny_b2_s64.mlir %t.mlir --backend xla --python %python --json %t.json
// RUN: %python %S/Inputs/memory.py %t.json | FileCheck %s
// CHECK: {{^}}within the plan
// Softmax and norms computed again as a whole, as plans for GPUs do: the same results, by whatever compiler.
// RUN: ballast-opt %examples/gpt2_tiny_b2_s64.mlir --allow-unregistered-dialect --remat="cap=45%% cap-counts=temp fusion=xla-gpu swap=false time-limit=5" -o %t.mlir
// RUN: FileCheck %s --check-prefix=AGAIN --input-file=%t.mlir
// RUN: ballast run %examples/gpt2_tiny_b2_s64.mlir %t.mlir --backend xla --python %python --json %t.json
// AGAIN: "stablehlo.divide"{{.*}}ballast.recompute
