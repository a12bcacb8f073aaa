// Ops that hand on what cannot be sent to another device run on one: tokens, tuples, tensors of open sizes. Every plan can be carried out.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 dynamic-dim=4096 use-all-devices work-limit=1000 seed=1" --remat="dynamic-dim=4096 work-limit=1000" --ballast-verify -split-input-file -o %t.plan.mlir
// RUN: FileCheck %s --input-file=%t.plan.mlir
// RUN: ballast-opt %t.plan.mlir --allow-unregistered-dialect --ballast-apply -split-input-file -o %t.applied.mlir

// What holds ops on one device is said.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 dynamic-dim=4096 use-all-devices work-limit=1000 seed=1" --remarks-filter=ballast -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: [Missed] HeldTogether {{.*}}Function=tuple{{.*}}of_ops=6, ops=3, type="tuple<
// WHY: [Missed] HeldTogether {{.*}}Function=open{{.*}}of_ops=4, ops=4, type=tensor<?x16xf32>

// CHECK-LABEL: func.func @token(
// CHECK: "stablehlo.outfeed"{{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK: "stablehlo.outfeed"{{.*}}ballast.device = #ballast.device<[[AT]]>
func.func @token(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>) {
  %t = "stablehlo.after_all"() : () -> !stablehlo.token
  %a = "stablehlo.exponential"(%x) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %o = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<512x512xf32>, !stablehlo.token) -> !stablehlo.token
  %b = "stablehlo.sine"(%a) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = "stablehlo.cosine"(%b) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = "stablehlo.outfeed"(%c, %o) <{outfeed_config = ""}> : (tensor<512x512xf32>, !stablehlo.token) -> !stablehlo.token
  return %c, %b : tensor<512x512xf32>, tensor<512x512xf32>
}

// -----

// A part of a tuple is one more view of it.
// CHECK-LABEL: func.func @tuple(
// CHECK: "stablehlo.custom_call"{{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK-COUNT-2: "stablehlo.get_tuple_element"
// CHECK: "stablehlo.dot_general"{{.*}}ballast.device = #ballast.device<[[AT]]>
// CHECK-NEXT: "stablehlo.dot_general"{{.*}}ballast.device = #ballast.device<[[AT]]>
func.func @tuple(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>) {
  %a = "stablehlo.exponential"(%x) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = "stablehlo.dot_general"(%a, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %t = "stablehlo.custom_call"(%a, %b) <{call_target_name = "two", has_side_effect = false, api_version = 1 : i32, backend_config = ""}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tuple<tensor<512x512xf32>, tensor<512x512xf32>>
  %c = "stablehlo.dot_general"(%b, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = "stablehlo.get_tuple_element"(%t) <{index = 0 : i32}> : (tuple<tensor<512x512xf32>, tensor<512x512xf32>>) -> tensor<512x512xf32>
  %q = "stablehlo.get_tuple_element"(%t) <{index = 1 : i32}> : (tuple<tensor<512x512xf32>, tensor<512x512xf32>>) -> tensor<512x512xf32>
  %d = "stablehlo.dot_general"(%c, %p) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %e = "stablehlo.dot_general"(%d, %q) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %d, %e : tensor<512x512xf32>, tensor<512x512xf32>
}

// -----

// CHECK-LABEL: func.func @open(
// CHECK: math.exp {{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK-NEXT: math.sin {{.*}}ballast.device = #ballast.device<[[AT]]>
// CHECK-NEXT: math.cos {{.*}}ballast.device = #ballast.device<[[AT]]>
// CHECK-NEXT: arith.addf {{.*}}ballast.device = #ballast.device<[[AT]]>
func.func @open(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %a = math.exp %x : tensor<?x16xf32>
  %b = math.sin %a : tensor<?x16xf32>
  %c = math.cos %b : tensor<?x16xf32>
  %d = arith.addf %c, %a : tensor<?x16xf32>
  return %d : tensor<?x16xf32>
}
