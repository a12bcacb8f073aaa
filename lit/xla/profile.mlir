// Every distinct op is compiled and timed alone; two sums of one type are one op.
// REQUIRES: xla
// RUN: ballast profile %s --backend xla --runs 3 --warm-up 2 --kind here --python %python -o %t.json
// RUN: FileCheck %s --input-file %t.json
// CHECK: "here"
// CHECK-DAG: "stablehlo.add (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)"
// CHECK-DAG: "stablehlo.dot_general (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>) #{{[0-9a-f]+}}"
// CHECK-DAG: "runs": 3
// CHECK: "to-host"
// CHECK-NEXT: "bytes-per-second"

// A Python without jaxlib leaves no profile.
// RUN: rm -f %t.none.json
// RUN: not ballast profile %s --backend xla --python false -o %t.none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ls %t.none.json
// NONE: profile.mlir: false failed

func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = "stablehlo.add"(%x, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = "stablehlo.dot_general"(%a, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = "stablehlo.add"(%b, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
