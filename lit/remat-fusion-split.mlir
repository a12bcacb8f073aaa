// A sum of eight values is one fused op that reads all of them. A cap under which that op cannot run as a whole is kept by
// storing sums on the way, and the program says so in its plan.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=60% cap-counts=temp swap=false work-limit=200000 function=main" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="cap=60% cap-counts=temp swap=false work-limit=200000 function=main fusion=xla relax-limit=0" 2>&1 | FileCheck %s --check-prefix=WHOLE
// A partition over one device decided nothing that this would change.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=1 function=main" --remat="cap=60% cap-counts=temp swap=false work-limit=200000 function=main" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s
// Where a plan keeps the cap with fused ops whole, that one is taken.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% cap-counts=temp swap=false work-limit=200000 function=main" | FileCheck %s --check-prefix=LARGE
// A sum that two fused ops compute, each for itself, is stored once for both.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=60% cap-counts=temp swap=false work-limit=200000 function=two" --ballast-verify=function=two --remarks-filter=ballast 2>&1 | FileCheck %s
// Where no fused op is above the cap by itself, but with what is kept beside it, every value is stored.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=95% cap-counts=temp swap=false work-limit=200000 function=beside" --ballast-verify=function=beside --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=STORED
// CHECK-NOT: warning
// CHECK: remark: [Passed] FusionSplit {{.*}}no plan keeps the cap with fused ops whole: planned with those above it in parts", cap_whole={{[0-9]+}}, seconds={{[0-9.e-]+}}, seconds_whole=
// CHECK: cap = [[CAP:[0-9]+]], requested_cap = [[CAP]]
// CHECK-SAME: fusion = "xla"
// CHECK-SAME: held = "{{[0-9,]+}}"
// WHOLE: error:
// LARGE: fusion = "xla"
// LARGE-NOT: held =
// STORED-NOT: warning
// STORED: remark: [Passed] FusionSplit {{.*}}no plan keeps the cap with fused ops whole: planned with every value stored
// STORED: cap = [[CAP:[0-9]+]], requested_cap = [[CAP]]
// STORED-SAME: fusion = "spread"

func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t0 = "stablehlo.tanh"(%d0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d1 = "stablehlo.dot_general"(%t0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t1 = "stablehlo.tanh"(%d1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d2 = "stablehlo.dot_general"(%t1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t2 = "stablehlo.tanh"(%d2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d3 = "stablehlo.dot_general"(%t2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t3 = "stablehlo.tanh"(%d3) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d4 = "stablehlo.dot_general"(%t3, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t4 = "stablehlo.tanh"(%d4) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d5 = "stablehlo.dot_general"(%t4, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t5 = "stablehlo.tanh"(%d5) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d6 = "stablehlo.dot_general"(%t5, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t6 = "stablehlo.tanh"(%d6) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d7 = "stablehlo.dot_general"(%t6, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t7 = "stablehlo.tanh"(%d7) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = "stablehlo.add"(%t0, %t1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = "stablehlo.add"(%s1, %t2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = "stablehlo.add"(%s2, %t3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s4 = "stablehlo.add"(%s3, %t4) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s5 = "stablehlo.add"(%s4, %t5) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s6 = "stablehlo.add"(%s5, %t6) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s7 = "stablehlo.add"(%s6, %t7) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s7 : tensor<64x64xf32>
}

func.func @two(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %d0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t0 = "stablehlo.tanh"(%d0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d1 = "stablehlo.dot_general"(%t0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t1 = "stablehlo.tanh"(%d1) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d2 = "stablehlo.dot_general"(%t1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t2 = "stablehlo.tanh"(%d2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d3 = "stablehlo.dot_general"(%t2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t3 = "stablehlo.tanh"(%d3) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d4 = "stablehlo.dot_general"(%t3, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t4 = "stablehlo.tanh"(%d4) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d5 = "stablehlo.dot_general"(%t4, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t5 = "stablehlo.tanh"(%d5) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d6 = "stablehlo.dot_general"(%t5, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t6 = "stablehlo.tanh"(%d6) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %d7 = "stablehlo.dot_general"(%t6, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t7 = "stablehlo.tanh"(%d7) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = "stablehlo.add"(%t0, %t1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = "stablehlo.add"(%s1, %t2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = "stablehlo.add"(%s2, %t3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s4 = "stablehlo.add"(%s3, %t4) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s5 = "stablehlo.add"(%s4, %t5) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s6 = "stablehlo.add"(%s5, %t6) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s7 = "stablehlo.add"(%s6, %t7) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = "stablehlo.negate"(%s7) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = "stablehlo.multiply"(%s7, %v) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
}

func.func @beside(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %v = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d0 = "stablehlo.dot_general"(%v, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d1 = "stablehlo.dot_general"(%d0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = "stablehlo.add"(%d0, %d1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d2 = "stablehlo.dot_general"(%d1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = "stablehlo.add"(%s1, %d2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d3 = "stablehlo.dot_general"(%d2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = "stablehlo.add"(%s2, %d3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = "stablehlo.dot_general"(%s3, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
