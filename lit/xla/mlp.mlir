// A chain of products and rectifiers with its gradient: the repeated rectifiers are not products, so nothing dear is added, and
// every result has the same bits.
// REQUIRES: xla
// RUN: ballast-opt %examples/mlp3_b128.mlir --allow-unregistered-dialect --remat="cap=90%% fusion=xla-cpu swap=false time-limit=5" -o %t.mlir
// RUN: ballast run %examples/mlp3_b128.mlir %t.mlir --backend xla --python %python --json - | FileCheck %s
// CHECK: "identical": true
