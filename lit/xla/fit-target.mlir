// Programs may be compiled for a GPU that is described. What is stored where comes from what XLA writes then.
// REQUIRES: xla
// RUN: ballast-opt --allow-unregistered-dialect --mlir-print-op-generic %examples/mlp3_b128.mlir -o %t.mlir
// RUN: %python %S/Inputs/dumped.py %tools/xla %t.mlir | FileCheck %s --check-prefix DUMPED
// DUMPED: steps {{[1-9][0-9]*}} most 1310720 same True

// A jaxlib without a compiler for it is told to be one, before anything is planned.
// RUN: not ballast fit %examples/mlp3_b128.mlir --cap 50%% --python %python --target %tools/xla/h100.txtpb -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix PLUGIN
// RUN: test ! -e %t.none.mlir
// PLUGIN: ballast: error: {{.*}}mlp3_b128.mlir
// PLUGIN-NEXT: this Python's jaxlib has no compiler for CUDA: install jax-cuda13-plugin
// RUN: not ballast fit %examples/mlp3_b128.mlir --cap 50%% --python %python --target %t.absent -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix ABSENT
// ABSENT: ballast: error: {{.*}}absent
// Nothing runs there.
// RUN: not ballast run %t.mlir %t.mlir --backend xla --python %python --target %tools/xla/h100.txtpb 2>&1 | FileCheck %s --check-prefix RUNS
// RUNS: error: the following required arguments were not provided:
// RUNS-NEXT: --compile-only
