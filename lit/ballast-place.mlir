// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json" | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=first-fit" | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=capacity-aware" | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=interference-aware" | FileCheck %s --check-prefixes=CHECK,APART
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=fault-greedy" | FileCheck %s --check-prefixes=CHECK,SOUND
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=random seed=3" > %t.random.mlir
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=random seed=3" | diff - %t.random.mlir
// RUN: FileCheck %s --input-file=%t.random.mlir
// A second run, another file of devices, measured times: the placement is written anew.
// RUN: ballast-opt %t.random.mlir --ballast-place="cluster=%S/Inputs/jobs.cluster.json devices=v100-16gb count=exact dynamic-dim=4" | FileCheck %s --check-prefix=ANEW
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json job-devices=2 steps=10 placement-file=%t.json" | FileCheck %s --check-prefix=ALL
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json" --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ballast-opt %t.random.mlir --ballast-strip | FileCheck %s --check-prefix=STRIPPED

// STRIPPED-NOT: ballast.

// FILE: "job": "one_device"
// FILE: "waiting": [
// FILE-NEXT: "two_devices"

// A job that says nothing needs one device and runs one step.
// CHECK-LABEL: func.func @one_device
// FIRST-SAME: ballast.placement = {devices = ["d0"], seconds = {{[0-9.E-]+}} : f64}
// FAST-SAME: devices = ["d1"]
// APART-SAME: devices = ["d0"]
// SOUND-SAME: devices = ["d1"]
// ANEW-LABEL: func.func @one_device
// ANEW-SAME: ballast.placement = {devices = ["d0"], seconds
// ALL-LABEL: func.func @one_device
// ALL-SAME: devices = ["d0", "d1"]
// REMARK: ballast-place.mlir:[[#@LINE+1]]:1: remark: {{.*}}was given devices{{.*}}d0
func.func @one_device(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = call @helper(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}

// Private helpers are no jobs; their ops count where they are called.
// CHECK-LABEL: func.func private @helper
// CHECK-NOT: ballast.placement
// CHECK: {
func.func private @helper(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = math.exp %x : tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}

// Two devices, taken from those left over; a failed one serves nobody.
// CHECK-LABEL: func.func @two_devices
// FIRST-SAME: ballast.job = {devices = 2 : i64, steps = 1000 : i64}, ballast.placement = {devices = ["d1", "d3"], seconds = {{[0-9.E-]+}} : f64}
// FAST-SAME: devices = ["d0", "d3"]
// APART-SAME: devices = ["d3", "d1"]
// SOUND-SAME: devices = ["d3", "d0"]
// ALL-LABEL: func.func @two_devices
// ALL-SAME: devices = []
// REMARK: remark: {{.*}}was given devices
func.func @two_devices(%x: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {ballast.job = {devices = 2 : i64, steps = 1000 : i64}} {
  %a = math.exp %x : tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}

// Nothing is left: the job waits, and is told its time.
// CHECK-LABEL: func.func @waits
// CHECK-SAME: ballast.placement = {devices = [], seconds
// REMARK: remark: {{.*}}waits for devices
func.func @waits(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = math.exp %x : tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}
