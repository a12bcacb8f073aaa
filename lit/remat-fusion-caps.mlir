// A sum of eight values is one fused op, of which the partition stores one part; what is left reads more than any device may hold. It is stored in further
// parts where the whole was placed, and the plan keeps its caps; the parts are in what the plan was made with, so that whoever reads it sees the same ops.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000" --remat="cap=60% cap-counts=temp swap=false work-limit=400000" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s
// Where what is fused was chosen, it stays, whatever cap it is above.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000 fusion=xla" --remat="cap=45% cap-counts=temp swap=false work-limit=400000 fusion=xla" 2>&1 | FileCheck %s --check-prefix=WHOLE
// And where every fused op fits nothing is split.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000" --remat="cap=100% cap-counts=temp swap=false work-limit=400000" --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=LARGE
// CHECK-NOT: no memory plan keeps
// CHECK: remark: [Passed] FusionSplit {{.*}}fused ops that alone are above what the caps leave for one are planned in parts", stored={{[1-9]}}
// CHECK-NOT: no memory plan keeps
// CHECK: fusion = "xla"
// CHECK-SAME: held = "{{[0-9]+, ?[0-9]+}}
// WHOLE: warning: no memory plan keeps the cap
// A part in which an op was bound stays on its device, the others may move.
// RUN: sed 's/"stablehlo.add"(%%s3, %%t4) :/"stablehlo.add"(%%s3, %%t4) {ballast.device = #ballast.device<1>} :/' %s > %t.bound.mlir
// RUN: ballast-opt %t.bound.mlir --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000" --remat="cap=60% cap-counts=temp swap=false work-limit=400000" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: remark: [Passed] FusionSplit
// BOUND: pins = "19"
// BOUND: "stablehlo.add"{{.*}}ballast.device = #ballast.device<0>
// BOUND-NEXT: "stablehlo.add"
// BOUND-NEXT: "stablehlo.add"
// BOUND-NEXT: "stablehlo.add"{{.*}}ballast.device = #ballast.device<1>

// The devices of a plan are a placement of the program it came with; of the one before, other ops are planned.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 work-limit=20000" --remat="cap=60% cap-counts=temp swap=false work-limit=400000 plan-file=%t.json" -o %t.parts.mlir
// RUN: ballast-opt %t.parts.mlir --allow-unregistered-dialect --rl-partition="placement-file=%t.json cap-counts=temp" --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: not ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 placement-file=%t.json cap-counts=temp" 2>&1 | FileCheck %s --check-prefix=PARTS
// GIVEN: remark: [Passed] Partition {{.*}}method=given
// PARTS: error: {{.*}}.json: it places 19 ops and 'main' has {{[0-9]+}}: it was made for another program, or for this one with other ops fused
// PARTS-SAME: where `--remat` divided fused ops, as its remark 'FusionSplit' says, give the program as it came from there
// LARGE-NOT: FusionSplit
// LARGE: fusion = "xla"
// LARGE-SAME: held = "18"
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
