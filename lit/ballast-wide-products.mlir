// Products of 16-bit floats become products in f32: each operand is converted once for all of a block, and what is read in another order is converted before.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-wide-products | FileCheck %s
// Nothing is left to do a second time.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-wide-products --ballast-wide-products --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-3: remark: [Passed] WideProduct
// REMARK-NOT: WideProduct

// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xbf16>, %[[W:.*]]: tensor<8x8xbf16>)
// CHECK-NEXT: %[[XF:.*]] = "stablehlo.convert"(%[[X]]) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[WF:.*]] = "stablehlo.convert"(%[[W]]) : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[PF:.*]] = "stablehlo.dot_general"(%[[XF]], %[[WF]]) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[P:.*]] = "stablehlo.convert"(%[[PF]]) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK-NEXT: %[[QF:.*]] = "stablehlo.convert"(%[[P]]) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[TF:.*]] = "stablehlo.transpose"(%[[WF]]) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: "stablehlo.dot_general"(%[[QF]], %[[TF]])
// CHECK-NOT: tensor<8x8xbf16>
func.func @two(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %p = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %t = "stablehlo.transpose"(%w) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %q = "stablehlo.dot_general"(%p, %t) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %q : tensor<4x8xbf16>
}

// Inside a body, too; a view that others read stays.
// CHECK-LABEL: func.func @nested
// CHECK: "stablehlo.transpose"{{.*}} -> tensor<4x4xf16>
// CHECK: "stablehlo.if"
// CHECK: %[[F:.*]] = "stablehlo.convert"({{.*}}) : (tensor<4x4xf16>) -> tensor<4x4xf32>
// CHECK: %[[T:.*]] = "stablehlo.transpose"(%[[F]])
// CHECK: "stablehlo.dot"(%[[F]], %[[T]]) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @nested(%c: tensor<i1>, %x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %t = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<4x4xf16>) -> tensor<4x4xf16>
  %r = "stablehlo.if"(%c) ({
    %p = "stablehlo.dot"(%x, %t) : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
    "stablehlo.return"(%p) : (tensor<4x4xf16>) -> ()
  }, {
    "stablehlo.return"(%t) : (tensor<4x4xf16>) -> ()
  }) : (tensor<i1>) -> tensor<4x4xf16>
  return %r : tensor<4x4xf16>
}

// A view that products of two bodies read goes once.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: "stablehlo.transpose"{{.*}} -> tensor<4x4xf16>
// CHECK-COUNT-2: "stablehlo.transpose"{{.*}} -> tensor<4x4xf32>
// CHECK: return
func.func @branches(%c: tensor<i1>, %x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %t = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<4x4xf16>) -> tensor<4x4xf16>
  %r = "stablehlo.if"(%c) ({
    %p = "stablehlo.dot"(%x, %t) : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
    "stablehlo.return"(%p) : (tensor<4x4xf16>) -> ()
  }, {
    %q = "stablehlo.dot"(%t, %x) : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
    "stablehlo.return"(%q) : (tensor<4x4xf16>) -> ()
  }) : (tensor<i1>) -> tensor<4x4xf16>
  return %r : tensor<4x4xf16>
}

// Of results in f32, of sizes that are not known, or by an algorithm of its own, a product stays as it is.
// CHECK-LABEL: func.func @others
// CHECK-NOT: "stablehlo.convert"
// CHECK: return
func.func @others(%x: tensor<4x4xbf16>, %y: tensor<?x4xbf16>) -> (tensor<4x4xf32>, tensor<?x4xbf16>, tensor<4x4xbf16>) {
  %0 = "stablehlo.dot"(%x, %x) : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  %1 = "stablehlo.dot"(%y, %x) : (tensor<?x4xbf16>, tensor<4x4xbf16>) -> tensor<?x4xbf16>
  %2 = "stablehlo.dot"(%x, %x) {algorithm = #stablehlo<dot_algorithm "bf16">} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<?x4xbf16>, tensor<4x4xbf16>
}
