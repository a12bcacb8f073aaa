// A step of an optimiser that is donated its parameters and moments, as JAX exports it: it runs again and again, and second moments are
// drawn above zero, so that their root is a number and results can be compared.
// REQUIRES: xla
// RUN: ballast-opt %S/Inputs/adamw-step.mlir --allow-unregistered-dialect --remat="cap=90%% fusion=xla-cpu swap=false time-limit=5" -o %t.mlir
// RUN: ballast run %S/Inputs/adamw-step.mlir %t.mlir --backend xla --python %python --json - | FileCheck %s
// CHECK: "positive_arguments": [
// CHECK-NEXT: 4,
// CHECK-NEXT: 5
// CHECK: "results": 7,
// CHECK-NEXT: "compared": 7,
// CHECK: "both_nan": 0,
// CHECK-NEXT: "identical": true
