// Constants may be made of what is none: of a value whose shape they have, of a size that an op tells, of tokens. They stand behind that, and whoever reads them
// waits for it, also where it has to be there once more.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=5120 swap=false dynamic-dim=16 time-limit=10 relax-limit=0" --ballast-verify --ballast-apply -split-input-file | FileCheck %s
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=5120 swap=false dynamic-dim=16 time-limit=10 relax-limit=0" --ballast-to-stablehlo -split-input-file | FileCheck %s

// The first product goes before the third one is there, and is computed again for its shape.
// CHECK-LABEL: func.func @like_another(
// CHECK: "stablehlo.dot_general"(%[[X:.+]], %[[W:.+]]) <
// CHECK: "stablehlo.dot_general"
// CHECK: "stablehlo.dot_general"
// CHECK: "stablehlo.dot_general"
// CHECK: %[[AGAIN:.+]] = "stablehlo.dot_general"
// CHECK: %[[ONES:.+]] = "chlo.constant_like"(%[[AGAIN]])
// CHECK: "stablehlo.add"({{.*}}, %[[ONES]])
func.func @like_another(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %p = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = "chlo.constant_like"(%p) <{value = 1.0 : f32}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %q = "stablehlo.dot_general"(%p, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = "stablehlo.dot_general"(%q, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = "stablehlo.dot_general"(%r, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %a = "stablehlo.add"(%s, %c) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %a : tensor<16x16xf32>
}

// -----

// CHECK-LABEL: func.func @of_a_size(
// CHECK: %[[SIZE:.+]] = tensor.dim
// CHECK: tensor.empty(%[[SIZE]])
// CHECK: linalg.matmul
// CHECK: linalg.matmul
func.func @of_a_size(%x: tensor<?x16xf32>, %w: tensor<16x16xf32>) -> tensor<?x16xf32> {
  %0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %d = tensor.dim %x, %0 : tensor<?x16xf32>
  %e = tensor.empty(%d) : tensor<?x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.matmul ins(%p, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %q : tensor<?x16xf32>
}

// -----

// CHECK-LABEL: func.func @of_tokens(
// CHECK: %[[FED:.+]]:2 = "stablehlo.infeed"
// CHECK: %[[ALL:.+]] = "stablehlo.after_all"(%[[FED]]#1,
// CHECK: "stablehlo.outfeed"({{.*}}, %[[ALL]])
func.func @of_tokens(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %i:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<16x16xf32>, !stablehlo.token)
  %a = "stablehlo.after_all"(%i#1, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %y = "stablehlo.add"(%i#0, %x) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %o = "stablehlo.outfeed"(%y, %a) <{outfeed_config = ""}> : (tensor<16x16xf32>, !stablehlo.token) -> !stablehlo.token
  %z = "stablehlo.tanh"(%y) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %z : tensor<16x16xf32>
}
