// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-split-ops="keys-file=%t.json" -verify-diagnostics -split-input-file
// RUN: not ballast-opt %s --allow-unregistered-dialect --split-input-file --ballast-split-ops="keys-file=%t.none/keys.json" 2>&1 | FileCheck %s
// CHECK: error: cannot write keys-file '{{.*}}.none/keys.json'

func.func @main(%x: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
  %a = math.exp %x : tensor<4xf32>
  // expected-warning@+1 {{is not timed: it takes or returns tensor<4xcomplex<f32>>, and no random complex<f32> is known}}
  %b = "other.pair"(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return %b : tensor<4xcomplex<f32>>
}

// RUN: sed 's/tensor<4xcomplex<f32>>/f32/' %s > %t.scalar.mlir
// RUN: ballast-opt %t.scalar.mlir --allow-unregistered-dialect --ballast-split-ops="keys-file=%t.scalar.json" 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: warning: is not timed: it takes or returns f32, which is no tensor of static shape

// A helper that stays keeps its name.
// RUN: sed 's/@main/private @op0/' %s > %t.taken.mlir
// RUN: cat %s >> %t.taken.mlir
// RUN: not ballast-opt %t.taken.mlir --allow-unregistered-dialect --ballast-split-ops="function=main keys-file=%t.taken.json" 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: the module has a function '@op0' already: rename it
