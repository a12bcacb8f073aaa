// A cap that XLA's compiler for GPUs keeps, by its own measure, on a machine without one: barriers hold there without an option.
// REQUIRES: xla-cuda
// RUN: ballast fit %examples/gpt2_tiny_b2_s64.mlir --cap 60%% --python %cuda-python --target %tools/xla/h100.txtpb --tries 2 --remat "swap=false work-limit=100000 seed=1" -o %t.mlir > %t.json
// RUN: FileCheck %s --input-file %t.json
// RUN: ballast run %examples/gpt2_tiny_b2_s64.mlir %t.mlir --backend xla --compile-only --python %cuda-python --target %tools/xla/h100.txtpb --json - | FileCheck %s --check-prefix AGAIN
// CHECK: "unplanned_bytes": {{24[0-9]{5},}}
// CHECK: "fusion": "xla-gpu"
// CHECK: "fits": true
// AGAIN: "original": {
// AGAIN: "temporary_bytes": {{24[0-9]{5},}}
// AGAIN: "rewritten": {
// AGAIN: "temporary_bytes": {{1[0-4][0-9]{5},}}
