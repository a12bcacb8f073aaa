// Modules side by side, planned in parallel by the stock driver: every dialect a pass needs is loaded before.
// RUN: mlir-opt %plugin %s --pass-pipeline="builtin.module(builtin.module(rl-partition{devices=1 time-limit=2}))" -o %t.mlir
// RUN: mlir-opt %plugin %s --pass-pipeline="builtin.module(builtin.module(ballast-plan{devices=1 time-limit=2}))" -o %t.mlir
// RUN: mlir-opt %plugin %t.mlir --pass-pipeline="builtin.module(ballast-verify)" -o /dev/null
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK-COUNT-8: dlti.target_system_spec
module @m0 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m1 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m2 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m3 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m4 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m5 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m6 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
module @m7 {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    %b = math.sin %a : tensor<4xf32>
    return %b : tensor<4xf32>
  }
}
