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
// A fused op that fits, but not beside what is kept, falls into parts, too.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=95% cap-counts=temp swap=false work-limit=200000 function=half" --ballast-verify=function=half --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=HALF
// Where no fused op takes even a quarter of the cap, but is above it with what is kept beside it, every value is stored.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=96% cap-counts=temp swap=false work-limit=200000 function=beside" --ballast-verify=function=beside --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=STORED
// Where neither keeps the cap, the smallest one said is that of the way that needs least: two values of 16 KiB. The sum as a whole needs eight.
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="cap=32767 cap-counts=temp swap=false work-limit=200000 function=main relax-limit=0" 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=32768 cap-counts=temp swap=false work-limit=200000 function=main relax-limit=0" --ballast-verify | FileCheck %s --check-prefix=KEPT
// LEAST: error: {{.*}}the smallest cap not ruled out is 32768 B
// KEPT: cap = 32768, requested_cap = 32768
// CHECK-NOT: warning
// CHECK: remark: [Passed] FusionSplit {{.*}}no plan keeps the cap with fused ops whole: planned with those above it in parts", cap_whole={{[0-9]+}}, seconds={{[0-9.e-]+}}, seconds_whole=
// CHECK: cap = [[CAP:[0-9]+]], requested_cap = [[CAP]]
// CHECK-SAME: fusion = "xla"
// CHECK-SAME: held = "{{[0-9,]+}}"
// WHOLE: error:
// LARGE: fusion = "xla"
// LARGE-NOT: held =
// HALF-NOT: warning
// HALF: remark: [Passed] FusionSplit {{.*}}no plan keeps the cap with fused ops whole: planned with those above half of it in parts"
// HALF: cap = [[CAP:[0-9]+]], requested_cap = [[CAP]]
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

func.func @beside(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %v0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v1 = "stablehlo.dot_general"(%v0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v2 = "stablehlo.dot_general"(%v1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v3 = "stablehlo.dot_general"(%v2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v4 = "stablehlo.dot_general"(%v3, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v5 = "stablehlo.dot_general"(%v4, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v6 = "stablehlo.dot_general"(%v5, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v7 = "stablehlo.dot_general"(%v6, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v8 = "stablehlo.dot_general"(%v7, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v9 = "stablehlo.dot_general"(%v8, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v10 = "stablehlo.dot_general"(%v9, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v11 = "stablehlo.dot_general"(%v10, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v12 = "stablehlo.dot_general"(%v11, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v13 = "stablehlo.dot_general"(%v12, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v14 = "stablehlo.dot_general"(%v13, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v15 = "stablehlo.dot_general"(%v14, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %v16 = "stablehlo.dot_general"(%v15, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d0 = "stablehlo.dot_general"(%v16, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d1 = "stablehlo.dot_general"(%d0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s1 = "stablehlo.add"(%d0, %d1) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d2 = "stablehlo.dot_general"(%d1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s2 = "stablehlo.add"(%s1, %d2) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d3 = "stablehlo.dot_general"(%d2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s3 = "stablehlo.add"(%s2, %d3) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r0 = "stablehlo.dot_general"(%s3, %v0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r1 = "stablehlo.dot_general"(%r0, %v1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r2 = "stablehlo.dot_general"(%r1, %v2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r3 = "stablehlo.dot_general"(%r2, %v3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r4 = "stablehlo.dot_general"(%r3, %v4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r5 = "stablehlo.dot_general"(%r4, %v5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r6 = "stablehlo.dot_general"(%r5, %v6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r7 = "stablehlo.dot_general"(%r6, %v7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r8 = "stablehlo.dot_general"(%r7, %v8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r9 = "stablehlo.dot_general"(%r8, %v9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r10 = "stablehlo.dot_general"(%r9, %v10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r11 = "stablehlo.dot_general"(%r10, %v11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r12 = "stablehlo.dot_general"(%r11, %v12) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r13 = "stablehlo.dot_general"(%r12, %v13) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r14 = "stablehlo.dot_general"(%r13, %v14) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r15 = "stablehlo.dot_general"(%r14, %v15) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r16 = "stablehlo.dot_general"(%r15, %v16) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r16 : tensor<16x16xf32>
}

func.func @half(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %v0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d0 = "stablehlo.dot_general"(%v0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d1 = "stablehlo.dot_general"(%d0, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s1 = "stablehlo.add"(%d0, %d1) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d2 = "stablehlo.dot_general"(%d1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s2 = "stablehlo.add"(%s1, %d2) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d3 = "stablehlo.dot_general"(%d2, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s3 = "stablehlo.add"(%s2, %d3) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r0 = "stablehlo.dot_general"(%s3, %v0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r0 : tensor<16x16xf32>
}
