// A view made of more than the value it shows, as a slice at an offset that an op computes, waits for that too: its readers keep it on the device.
// RUN: ballast-opt %s --remat="dynamic-dim=8 time-limit=1" --ballast-verify --ballast-apply -split-input-file | FileCheck %s
// RUN: ballast-opt %s --rl-partition="devices=2 dynamic-dim=8 time-limit=1 use-all-devices" --remat="time-limit=1 dynamic-dim=8" --ballast-verify --ballast-apply -split-input-file -o %t.two.mlir

// CHECK-LABEL: func.func @slice(
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: %[[WHOLE:.*]] = math.exp
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[WHOLE]][%[[AT]]] [4] [1]
// CHECK: math.sin %[[PART]]
func.func @slice(%x: tensor<16xf32>, %k: tensor<1xi64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = tensor.extract %k[%c0] : tensor<1xi64>
  %o = arith.index_cast %i : i64 to index
  %y = math.exp %x : tensor<16xf32>
  %s = tensor.extract_slice %y[%o] [4] [1] : tensor<16xf32> to tensor<4xf32>
  %r = math.sin %s : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @reshape(
// CHECK: %[[SHAPE:.*]] = arith.addi
// CHECK: tensor.reshape %{{.*}}(%[[SHAPE]])
func.func @reshape(%x: tensor<16xf32>, %k: tensor<2xi32>) -> tensor<4x4xf32> {
  %k2 = arith.addi %k, %k : tensor<2xi32>
  %y = math.exp %x : tensor<16xf32>
  %s = tensor.reshape %y(%k2) : (tensor<16xf32>, tensor<2xi32>) -> tensor<4x4xf32>
  %r = math.sin %s : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @expand(
// CHECK: %[[SIZE:.*]] = tensor.dim
// CHECK: tensor.expand_shape %{{.*}} output_shape [%[[SIZE]], 2, 2]
func.func @expand(%x: tensor<?x4xf32>) -> tensor<?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %y = math.exp %x : tensor<?x4xf32>
  %s = tensor.expand_shape %y [[0], [1, 2]] output_shape [%d, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  %r = math.sin %s : tensor<?x2x2xf32>
  return %r : tensor<?x2x2xf32>
}
