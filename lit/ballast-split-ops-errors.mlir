// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-split-ops="keys-file=%t.json" -verify-diagnostics -split-input-file
// RUN: not ballast-opt %s --allow-unregistered-dialect --split-input-file --ballast-split-ops="keys-file=%t.none/keys.json" 2>&1 | FileCheck %s
// CHECK: error: cannot write keys-file '{{.*}}.none/keys.json'

func.func @main(%x: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %a = math.exp %x : tensor<4xf32>
  // expected-warning@+1 {{is not timed: it takes or returns something else than tensors of static shape}}
  %b = "other.pair"(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return %b : tensor<4xcomplex<f32>>
}
