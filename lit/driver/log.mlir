// What the solvers do is printed on standard error where BALLAST_LOG asks for it, without colours in a file, and the program that is written is the same.
// RUN: ballast-opt %s --remat="cap=15 work-limit=1000 swap=false solver=milp" -o %t.quiet.mlir 2> %t.quiet
// RUN: env BALLAST_LOG=ballast_remat=debug ballast-opt %s --remat="cap=15 work-limit=1000 swap=false solver=milp" -o %t.log.mlir 2> %t.log
// RUN: FileCheck %s --input-file=%t.log
// RUN: not grep DEBUG %t.quiet
// RUN: diff %t.quiet.mlir %t.log.mlir
// CHECK: {{^[^[:cntrl:]]*}} DEBUG ballast_remat::{{.*}} plan method=
func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
