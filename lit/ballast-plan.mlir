// A training step of four layers: forward, and backward in reverse, each layer's backward op with its weight.

// Without a schedule the op sequence is cut as it stands.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500" --ballast-verify | FileCheck %s --check-prefix=PLAIN
// PLAIN: ballast.plan = #ballast.plan<version = 2, devices = 2,
// PLAIN-NOT: ballast.pipeline

// With one, a layer's backward op runs where its forward op does, and the function says what a step takes.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=1f1b micro-batches=4" --ballast-verify | FileCheck %s --check-prefixes=STEP,PLACED
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=gpipe micro-batches=4" --ballast-verify | FileCheck %s --check-prefixes=GPIPE,PLACED
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=zero-bubble micro-batches=4" --ballast-verify | FileCheck %s --check-prefixes=ZERO,PLACED
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=interleaved micro-batches=4" --ballast-verify -o %t.interleaved.mlir
// RUN: FileCheck %s --check-prefix=STAGES < %t.interleaved.mlir
// STEP: ballast.pipeline = {bubble = {{.*}}, in_flight = [2, 1], need = [{{.*}}], step = {{[^}]*}}}
// STEP-SAME: micro_batches = "4"{{.*}}schedule = "1f1b"
// GPIPE: ballast.pipeline = {bubble = {{.*}}, in_flight = [4, 4],
// ZERO: ballast.pipeline = {bubble = {{.*}}, in_flight = [2, 2],
// Two stages on each of two devices are planned as four devices; a device needs the same for both of its stages.
// STAGES: "a100-80gb-0/stage0" = {{.*}}"stage" = 0 : i64, "stages" = 2 : i64{{.*}}"a100-80gb-1/stage1" =
// STAGES: ballast.pipeline = {bubble = {{.*}}, in_flight = [4, 3, 2, 1], need = [[[FIRST:[0-9]+]], [[SECOND:[0-9]+]], [[FIRST]], [[SECOND]]],
// STAGES-SAME: schedule = "interleaved:2"
// STAGES: "layer.forward"({{.*}}, %arg4) {{.*}}ballast.device = #ballast.device<3>
// STAGES: "layer.update"({{.*}}, %arg4) {{.*}}ballast.device = #ballast.device<3>
// PLACED: "layer.forward"(%arg0, %arg1) {{.*}}ballast.device = #ballast.device<0>
// PLACED: "layer.forward"({{.*}}, %arg4) {{.*}}ballast.device = #ballast.device<1>
// PLACED: "layer.update"({{.*}}, %arg4) {{.*}}ballast.device = #ballast.device<1>
// PLACED: "layer.update"({{.*}}, %arg1) {{.*}}ballast.device = #ballast.device<0>

// Planned again under another schedule, the devices are two again; what told the passes apart is gone from the printed program.
// RUN: ballast-opt %t.interleaved.mlir --allow-unregistered-dialect --ballast-plan="work-limit=500 schedule=1f1b micro-batches=4" --ballast-verify | FileCheck %s --check-prefix=AGAIN
// AGAIN: "a100-80gb-0" = #dlti
// AGAIN: ballast.pipeline = {bubble = {{.*}}, in_flight = [2, 1],
// AGAIN-NOT: ballast.device<2>
// RUN: ballast-opt %t.interleaved.mlir --allow-unregistered-dialect --ballast-plan="work-limit=500 schedule=auto micro-batches=4" --ballast-verify | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: "a100-80gb-0" = #dlti
// CHOSEN: schedule = "zero-bubble"

// More stages, in the report; the schedule with the shortest step, and what the others came to.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=1 work-limit=500 schedule=interleaved stages-per-device=3 micro-batches=1" --ballast-report="output=%t.three" -o /dev/null
// RUN: FileCheck %s --check-prefix=THREE < %t.three
// THREE: interleaved:3 over 1 micro-batches: step {{.*}}; stage v of the table runs on device v % 1, and needs are those of whole devices
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=auto micro-batches=4" --remarks-filter=ballast --ballast-verify 2>&1 | FileCheck %s --check-prefix=SHORTEST
// SHORTEST: remark: [Analysis] Schedule {{.*}}1f1b="{{[0-9.e-]+}} without caps"
// SHORTEST-SAME: interleaved:2="{{[0-9.e-]+}} without caps"
// SHORTEST: schedule = "zero-bubble"
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=auto micro-batches=3" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNSUITED
// UNSUITED: remark: [Analysis] Schedule {{.*}}interleaved:2="not for 3 micro-batches on 2 devices, or too few pieces"

// Every other option, and the plan as JSON.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="function=main devices=2 cap=90% cap-counts=all fusion=none granularity=op swap=false overlap=false time-limit=2 work-limit=300 seed=3 threads=2 max-ratio=1.5 max-rounds=5 dynamic-dim=4 count=exact schedule=1f1b micro-batches=4 plan-file=%t.json" --ballast-verify -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// JSON: "pipeline": {
// JSON-NEXT: "schedule": "1f1b",
// JSON-NEXT: "micro_batches": 4,
// JSON-NEXT: "step_seconds":
// JSON-NEXT: "bubble":
// JSON-NEXT: "stages": [
// RUN: ballast report %t.json | FileCheck %s --check-prefix=FILE
// FILE: 1f1b over 4 micro-batches: step {{[0-9.]+}} ms, {{[0-9.]+}} % idle{{$}}
// FILE: needs

// The two passes by themselves, and the report.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=2 schedule=1f1b micro-batches=4" --ballast-verify --remat="work-limit=300 schedule=1f1b micro-batches=4" --ballast-report="output=%t.txt" -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t.txt
// REPORT: 1f1b over 4 micro-batches: step

// The same bytes again, and on two threads.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=1f1b micro-batches=4 cap=80% threads=1" -o %t.one
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=1f1b micro-batches=4 cap=80% threads=2" -o %t.two
// RUN: diff %t.one %t.two
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=auto micro-batches=4 cap=257MiB threads=1" -o %t.one
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=2 work-limit=500 schedule=auto micro-batches=4 cap=257MiB threads=2" -o %t.two
// RUN: diff %t.one %t.two

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
