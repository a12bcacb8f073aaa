// Kernel gradients of depthwise convolutions become sums over products: one for every position of the kernel.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-depthwise-gradients -split-input-file | FileCheck %s
// A second run finds nothing to do.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-depthwise-gradients --ballast-depthwise-gradients -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-depthwise-gradients --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A kernel of two positions over an image of five, every other element of which the forward convolution saw: padded before, cropped behind.
// CHECK-LABEL: func @every_position_is_a_sum
// CHECK-SAME: %[[X:.*]]: tensor<2x5x3xf32>, %[[DY:.*]]: tensor<2x2x3xf32>
// CHECK: %[[ZERO:.*]] = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>}
// CHECK: %[[P:.*]] = "stablehlo.pad"(%[[X]], %[[ZERO]]) {edge_padding_high = array<i64: 0, -2, 0>, edge_padding_low = array<i64: 0, 1, 0>, interior_padding = array<i64: 0, 0, 0>} : (tensor<2x5x3xf32>, tensor<f32>) -> tensor<2x4x3xf32>
// CHECK: %[[A:.*]] = "stablehlo.slice"(%[[P]]) {limit_indices = array<i64: 2, 3, 3>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x2x3xf32>
// CHECK: %[[PRODUCT:.*]] = "stablehlo.multiply"(%[[A]], %[[DY]])
// CHECK: %[[FIRST:.*]] = "stablehlo.reduce"(%[[PRODUCT]], %[[ZERO]]) ({
// CHECK: "stablehlo.add"
// CHECK: }) {dimensions = array<i64: 0, 1>} : (tensor<2x2x3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK: %[[LINE:.*]] = "stablehlo.reshape"(%[[FIRST]]) : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK: "stablehlo.slice"(%[[P]]) {limit_indices = array<i64: 2, 4, 3>, start_indices = array<i64: 0, 1, 0>, strides = array<i64: 1, 2, 1>}
// CHECK: %[[ALL:.*]] = "stablehlo.concatenate"(%[[LINE]], %{{.*}}) {dimension = 0 : i64} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[G:.*]] = "stablehlo.reshape"(%[[ALL]]) : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
// CHECK: return %[[G]]
// REMARK: remark: [Passed] DepthwiseGradient | Category:ballast | Function=every_position_is_a_sum | Remark="depthwise gradients were written out", ops=1
func.func @every_position_is_a_sum(%x: tensor<2x5x3xf32>, %dy: tensor<2x2x3xf32>) -> tensor<2x1x3xf32> {
  %g = "stablehlo.convolution"(%x, %dy) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[f, 0, b]x[i, 0, o]->[0, b, f]>, feature_group_count = 1 : i64, padding = dense<[[1, -2]]> : tensor<1x2xi64>, rhs_dilation = array<i64: 2>}> : (tensor<2x5x3xf32>, tensor<2x2x3xf32>) -> tensor<2x1x3xf32>
  return %g : tensor<2x1x3xf32>
}

// -----

// What stays as it is, and why: sums of short numbers, several features per channel, another layout.
// CHECK-LABEL: func @others_stay
// CHECK-COUNT-3: "stablehlo.convolution"
// REMARK: remark: [Missed] DepthwiseGradient {{.*}}a depthwise gradient stays as it is: its elements are neither f32 nor f64
// REMARK: remark: [Missed] DepthwiseGradient {{.*}}a depthwise gradient stays as it is: it has more than one feature per channel
// REMARK: remark: [Missed] DepthwiseGradient {{.*}}a depthwise gradient stays as it is: it is not laid out as
func.func @others_stay(%x: tensor<2x4x3xbf16>, %y: tensor<2x4x3xf32>, %z: tensor<2x4x6xf32>, %t: tensor<3x4x2xf32>) -> (tensor<1x1x3xbf16>, tensor<1x1x6xf32>, tensor<1x1x3xf32>) {
  %0 = "stablehlo.convolution"(%x, %x) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[f, 0, b]x[i, 0, o]->[0, b, f]>, feature_group_count = 1 : i64}> : (tensor<2x4x3xbf16>, tensor<2x4x3xbf16>) -> tensor<1x1x3xbf16>
  %1 = "stablehlo.convolution"(%y, %z) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[f, 0, b]x[i, 0, o]->[0, b, f]>, feature_group_count = 1 : i64}> : (tensor<2x4x3xf32>, tensor<2x4x6xf32>) -> tensor<1x1x6xf32>
  %2 = "stablehlo.convolution"(%t, %y) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[i, 0, o]->[0, b, f]>, feature_group_count = 1 : i64}> : (tensor<3x4x2xf32>, tensor<2x4x3xf32>) -> tensor<1x1x3xf32>
  return %0, %1, %2 : tensor<1x1x3xbf16>, tensor<1x1x6xf32>, tensor<1x1x3xf32>
}

// -----

// A kernel read from the end has its positions in the other order.
// CHECK-LABEL: func @a_reversed_window_stays
// CHECK: "stablehlo.convolution"
// REMARK: remark: [Missed] DepthwiseGradient {{.*}}a depthwise gradient stays as it is: its image is dilated, reversed or grouped
func.func @a_reversed_window_stays(%x: tensor<2x4x3xf32>, %dy: tensor<2x3x3xf32>) -> tensor<2x1x3xf32> {
  %g = "stablehlo.convolution"(%x, %dy) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[f, 0, b]x[i, 0, o]->[0, b, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: true>}> : (tensor<2x4x3xf32>, tensor<2x3x3xf32>) -> tensor<2x1x3xf32>
  return %g : tensor<2x1x3xf32>
}
