// Ops of `linalg` read what they write: a sum of a and b that goes into c is none of a and c that goes into b, and is not merged with it. Of those of
// StableHLO the order is of no matter.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% fusion=xla swap=false time-limit=5" --ballast-apply -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @where_it_goes_is_read(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[B:.+]] = linalg.exp
// CHECK: %[[C:.+]] = linalg.exp
// CHECK: linalg.add {{.*}}ins(%[[A]], %[[B]] : {{.*}} outs(%[[C]] :
// CHECK: linalg.add {{.*}}ins(%[[A]], %[[C]] : {{.*}} outs(%[[B]] :
func.func @where_it_goes_is_read(%a: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %b = linalg.exp ins(%p : tensor<4xf32>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.exp ins(%q : tensor<4xf32>) outs(%q : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  %t = linalg.add ins(%a, %c : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %u = linalg.exp ins(%s : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %v = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %u, %v : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @the_order_is_of_no_matter(
// CHECK: %[[SUM:.+]] = "stablehlo.add"
// CHECK: "stablehlo.cholesky"(%[[SUM]])
// CHECK: "stablehlo.cholesky"(%[[SUM]])
func.func @the_order_is_of_no_matter(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = "stablehlo.add"(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %u = "stablehlo.cholesky"(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %v = "stablehlo.cholesky"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %w = "stablehlo.add"(%u, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %u, %w : tensor<4xf32>, tensor<4xf32>
}
