// The library is a plugin of stock mlir-opt: dialect, passes, options, pass order.
// RUN: mlir-opt %s %plugin --allow-unregistered-dialect --pass-pipeline='builtin.module(ballast-inline)' | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%library --allow-unregistered-dialect | FileCheck %s --check-prefix=DIALECT
// RUN: mlir-opt %plugin --help | FileCheck %s --check-prefix=HELP

// The driver gives the same bytes.
// RUN: mlir-opt %s %plugin --allow-unregistered-dialect --pass-pipeline='builtin.module(ballast-inline,cse)' -o %t.stock
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-inline --cse -o %t.driver
// RUN: cmp %t.stock %t.driver

// The driver also loads the library it already is, as a plugin.
// RUN: ballast-opt %s %plugin --allow-unregistered-dialect --pass-pipeline='builtin.module(ballast-inline)' | FileCheck %s

// Without the dialect the text of an attribute cannot be read.
// RUN: not mlir-opt %s --load-pass-plugin=%library 2>&1 | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func @main
// CHECK: "some.op"
// CHECK-NOT: @helper
// DIALECT: call @helper
// HELP: --ballast-inline
// HELP: --remat
// HELP: --cap=<string>
// HELP: --rl-partition
// HELP: --method=<value>
// WITHOUT: error: {{.*}}ballast
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = math.exp %0 {ballast.device = #ballast.device<0>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "some.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
