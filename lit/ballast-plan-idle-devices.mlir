// A pipeline is made of the devices that run something: the first of two holds two micro-batches, whatever stands behind them.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=%S/Inputs/weak-third.toml work-limit=500 schedule=1f1b micro-batches=4 plan-file=%t.json" --ballast-verify -o %t.mlir 2>%t.said
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// SAID: warning: 1 of 3 devices stay idle
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.mlir
// PLAN: ballast.pipeline = {bubble = {{.*}}, in_flight = [2, 1, 0], need = [{{[1-9][0-9]+}}, {{[1-9][0-9]+}}, 0],
// RUN: ballast report %t.json | FileCheck %s --check-prefix=REPORT
// REPORT: 1f1b over 4 micro-batches: step {{[0-9.]+}} ms, {{[0-9.]+}} % idle{{$}}

// Plans in which all devices count are judged as they were made; those that say what neither gives are refused.
// RUN: ballast-opt %S/Inputs/idle-counted.mlir --allow-unregistered-dialect --ballast-verify --ballast-report="output=%t.older" -o /dev/null
// RUN: FileCheck %s --check-prefix=OLDER --input-file=%t.older
// OLDER: 1f1b over 4 micro-batches: step
// RUN: sed 's/in_flight = .3, 2, 1./in_flight = [3, 2, 0]/' %S/Inputs/idle-counted.mlir > %t.mixed.mlir
// RUN: not ballast-opt %t.mixed.mlir --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error: `ballast.pipeline` says in_flight = [3, 2, 0], but the simulation gives [2, 1, 0]

func.func @main(%x: tensor<64x64xf32>, %w1: tensor<4096x4096xf32>, %w2: tensor<4096x4096xf32>, %w3: tensor<4096x4096xf32>, %w4: tensor<4096x4096xf32>) -> (tensor<f32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %0 = "layer.forward"(%x, %w1) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32>
  %1 = "layer.forward"(%0, %w2) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32>
  %2 = "layer.forward"(%1, %w3) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32>
  %3 = "layer.forward"(%2, %w4) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32>
  %l = "layer.loss"(%3) : (tensor<64x64xf32>) -> tensor<f32>
  %4 = "layer.gradient"(%3) : (tensor<64x64xf32>) -> tensor<64x64xf32> loc("transpose(jvp(loss))")
  %5 = "layer.update"(%4, %2, %w4) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> loc("transpose(jvp(4))")
  %6 = "layer.backward"(%4, %w4) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32> loc("transpose(jvp(4))")
  %7 = "layer.update"(%6, %1, %w3) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> loc("transpose(jvp(3))")
  %8 = "layer.backward"(%6, %w3) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32> loc("transpose(jvp(3))")
  %9 = "layer.update"(%8, %0, %w2) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> loc("transpose(jvp(2))")
  %10 = "layer.backward"(%8, %w2) : (tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<64x64xf32> loc("transpose(jvp(2))")
  %11 = "layer.update"(%10, %x, %w1) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> loc("transpose(jvp(1))")
  return %l, %11, %9, %7, %5 : tensor<f32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
}
