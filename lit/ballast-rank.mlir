// RUN: ballast-opt %s --ballast-rank | FileCheck %s --check-prefix=FIRST
// RUN: ballast-opt %s --ballast-rank="rank=1" | FileCheck %s --check-prefix=SECOND
// RUN: ballast-opt %S/Inputs/public-helper.mlir --ballast-rank | FileCheck %s --check-prefix=HELPER

// FIRST-NOT: @main(
// FIRST-NOT: segment
// FIRST: func.func {{(public )?}}@main_device0(%[[X:.+]]: tensor<4xf32>)
// FIRST-NEXT: %[[A:.+]] = math.exp %[[X]]
// FIRST-NEXT: ballast.send %[[A]] from 0 to 1 tag 0
// FIRST-NEXT: return
// FIRST-NOT: func.func

// SECOND-NOT: segment
// SECOND: func.func {{(public )?}}@main_device1()
// SECOND-NEXT: %[[A:.+]] = ballast.recv from 0 to 1 tag 0
// SECOND-NEXT: return %[[A]]
// SECOND-NOT: func.func
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @main_device0_segment0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @main_device0_segment0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @main_device0(%x: tensor<4xf32>)
    attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0]>} {
  %0 = call @main_device0_segment0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ballast.send %0 from 0 to 1 tag 0 : tensor<4xf32>
  return
}
func.func private @main_device1() -> tensor<4xf32>
    attributes {ballast.program = #ballast.program<device = 1, devices = 2, results = [0]>} {
  %0 = ballast.recv from 0 to 1 tag 0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Functions of one's own are public unless one says otherwise: those that the program calls are a part of it.
// HELPER-NOT: func.func
// HELPER: func.func {{(public )?}}@main_device0(%[[X:.+]]: tensor<4xf32>) -> tensor<4xf32>
// HELPER-NEXT: %[[A:.+]] = math.tanh %[[X]]
// HELPER-NEXT: return %[[A]]
// HELPER-NOT: func.func
