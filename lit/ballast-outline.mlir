// Every device gets a program of its own, and the function runs the segments of all of them in one order.

// RUN: ballast-opt %s --split-input-file --remat="devices=2 time-limit=5" --ballast-apply --ballast-outline | FileCheck %s
// Views and constants may have lost their device on the way.
// RUN: ballast-opt %s --split-input-file --remat="devices=2 time-limit=5" --ballast-apply --cse --canonicalize --ballast-outline | FileCheck %s
// A second run finds nothing to do.
// RUN: ballast-opt %s --split-input-file --remat="devices=2 time-limit=5" --ballast-apply --ballast-outline --cse --canonicalize --ballast-outline | FileCheck %s
// RUN: ballast-opt %s --split-input-file --remat="devices=2 time-limit=5" --ballast-apply --ballast-outline="function=main" | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: ballast.applied
// CHECK-NEXT: %[[A:.+]] = call @main_device0_segment0(%[[X]])
// CHECK-NEXT: %[[B:.+]] = call @main_device1_segment0(%[[A]], %[[W]])
// CHECK-NEXT: %[[C:.+]] = call @main_device0_segment1(%[[A]], %[[B]])
// CHECK-NEXT: return %[[C]], %[[B]]

// CHECK-LABEL: func.func private @main_device0_segment0(
// CHECK: math.exp
// CHECK-LABEL: func.func private @main_device1_segment0(
// CHECK: math.sin
// CHECK-LABEL: func.func private @main_device0_segment1(
// CHECK: arith.subf

// CHECK-LABEL: func.func private @main_device0(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-SAME: ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0], results = [0]>
// CHECK-NEXT: %[[A:.+]] = call @main_device0_segment0(%[[X]])
// CHECK-NEXT: ballast.send %[[A]] from 0 to 1 tag 0 : tensor<4xf32>
// CHECK-NEXT: %[[B:.+]] = ballast.recv from 1 to 0 tag 1 : tensor<4xf32>
// CHECK-NEXT: %[[C:.+]] = call @main_device0_segment1(%[[A]], %[[B]])
// CHECK-NEXT: return %[[C]]

// CHECK-LABEL: func.func private @main_device1(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-SAME: ballast.program = #ballast.program<device = 1, devices = 2, arguments = [1], results = [1]>
// CHECK-NEXT: %[[A:.+]] = ballast.recv from 0 to 1 tag 0 : tensor<4xf32>
// CHECK-NEXT: %[[B:.+]] = call @main_device1_segment0(%[[A]], %[[W]])
// CHECK-NEXT: ballast.send %[[B]] from 1 to 0 tag 1 : tensor<4xf32>
// CHECK-NEXT: return %[[B]]
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  %s = math.sin %a {ballast.device = #ballast.device<1>} : tensor<4xf32>
  %b = arith.addf %s, %w {ballast.device = #ballast.device<1>} : tensor<4xf32>
  %c = arith.subf %a, %b {ballast.device = #ballast.device<0>} : tensor<4xf32>
  return %c, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The second device works on something of its own before it reads %a: until then the value waits in host memory.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.+]] = call @main_device0_segment0
// CHECK: ballast.swap_out %[[A]] : tensor<4xf32>
// CHECK-LABEL: func.func private @main_device1(
// CHECK: %[[H:.+]] = ballast.recv from 0 to 1 tag 0 : !ballast.host<tensor<4xf32>>
// CHECK: call @main_device1_segment{{.*}}(%{{.+}}, %[[H]])
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  %s = math.sin %w {ballast.device = #ballast.device<1>} : tensor<4xf32>
  %t = math.cos %s {ballast.device = #ballast.device<1>} : tensor<4xf32>
  %b = arith.addf %t, %a {ballast.device = #ballast.device<1>} : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// A device without ops has a program, so that ranks and devices have the same numbers.
// CHECK-LABEL: func.func private @main_device1()
// CHECK-SAME: ballast.program = #ballast.program<device = 1, devices = 2>
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<4xf32>
  return %a : tensor<4xf32>
}
