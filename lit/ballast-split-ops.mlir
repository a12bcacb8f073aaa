// RUN: ballast-opt %s --ballast-split-ops="keys-file=%t.json" | FileCheck %s
// RUN: FileCheck %s --check-prefix=KEYS --input-file=%t.json
// RUN: ballast-opt %s --ballast-split-ops="function=main keys-file=%t.json" | FileCheck %s
// RUN: ballast-opt %s --ballast-split-ops 2>&1 | FileCheck %s --check-prefix=KEYS

// Two sums of the same types are one op to time; what they read comes as arguments, constants come along.
// CHECK-NOT: @main
// CHECK-LABEL: func.func @op0(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK: %[[ZERO:.+]] = linalg.fill
// CHECK: %[[A:.+]] = linalg.matmul ins(%[[X]], %[[X]] : {{.*}}) outs(%[[ZERO]]
// CHECK: return %[[A]]
// CHECK-LABEL: func.func @op1(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4xf32>, %[[Y:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK: linalg.add ins(%[[X]], %[[Y]]
// CHECK-NOT: func.func
// KEYS: linalg.matmul
// KEYS-NEXT: linalg.add
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.add ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.add ins(%b, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
