// A share is of what a placement needs: this one on two devices keeps neither cap, and all on one device keeps its own. So what is said of every placement is said of the bytes.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="devices=2 cap=80%% fusion=none swap=false" --remarks-filter=ballast -o /dev/null 2> %t.two
// RUN: FileCheck %s --input-file=%t.two
// CHECK: warning: no memory plan keeps the cap of device 1
// CHECK: note: nor that of device 0
// CHECK: note: at least 1 of the 2 caps raised would be so under any placement held to these bytes: 'stablehlo.exponential' alone needs 6.000 MiB at once
// CHECK: unavoidable_caps=1
// RUN: sed 's/[.]device<1>/.device<0>/' %s > %t.one.mlir
// RUN: ballast-opt %t.one.mlir --allow-unregistered-dialect --remat="devices=2 cap=80%% fusion=none swap=false" -o /dev/null 2>&1 | count 0

// The same caps in bytes are what every placement is held to.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="devices=2 cap=4.8MiB fusion=none swap=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: note: at least 1 of the 1 caps raised would be so under any placement: 'stablehlo.exponential' alone needs 6.000 MiB at once

func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %c = "stablehlo.tanh"(%x) {ballast.device = #ballast.device<1>} : (tensor<4xf32>) -> tensor<1048576xf32>
  %r0 = "stablehlo.reduce"(%c) {ballast.device = #ballast.device<1>} : (tensor<1048576xf32>) -> tensor<f32>
  %b = "stablehlo.exponential"(%x) {ballast.device = #ballast.device<0>} : (tensor<4xf32>) -> tensor<786432xf32>
  %u = "stablehlo.exponential"(%b) {ballast.device = #ballast.device<0>} : (tensor<786432xf32>) -> tensor<786432xf32>
  %r1 = "stablehlo.reduce"(%u) {ballast.device = #ballast.device<0>} : (tensor<786432xf32>) -> tensor<f32>
  %r2 = "stablehlo.add"(%c, %r0, %r1) {ballast.device = #ballast.device<1>} : (tensor<1048576xf32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r2 : tensor<f32>
}
