// An argument that is donated for a result is that result's buffer: its bytes count once. 64 bytes each.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=donated time-limit=5" --ballast-verify=function=donated | FileCheck %s --check-prefix=ONCE
// ONCE: @donated{{.*}} unplanned_peak = 128
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=kept time-limit=5" --ballast-verify=function=kept | FileCheck %s --check-prefix=TWICE
// TWICE: @kept{{.*}} unplanned_peak = 192
// So they do where another result takes the buffer, which is as large, and not where one does that is not.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=second time-limit=5" --ballast-verify=function=second | FileCheck %s --check-prefix=SECOND
// SECOND: @second{{.*}} unplanned_peak = 132
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="function=smaller time-limit=5" --ballast-verify=function=smaller | FileCheck %s --check-prefix=SMALLER
// SMALLER: @smaller{{.*}} unplanned_peak = 196

func.func @donated(%w: tensor<16xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<16xf32>) -> tensor<16xf32> {
  %0 = "stablehlo.subtract"(%w, %g) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

func.func @kept(%w: tensor<16xf32>, %g: tensor<16xf32>) -> tensor<16xf32> {
  %0 = "stablehlo.subtract"(%w, %g) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

func.func @second(%w: tensor<16xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<16xf32>) -> (tensor<1xf32>, tensor<4x4xf32>) {
  %0 = "stablehlo.subtract"(%w, %g) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = "stablehlo.slice"(%g) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1xf32>
  %2 = "stablehlo.reshape"(%0) : (tensor<16xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<1xf32>, tensor<4x4xf32>
}

func.func @smaller(%w: tensor<16xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<16xf32>) -> (tensor<1xf32>, tensor<16xf32>) {
  %0 = "stablehlo.subtract"(%w, %g) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = "stablehlo.slice"(%w) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1xf32>
  return %1, %0 : tensor<1xf32>, tensor<16xf32>
}
