// A true plan passes and is left as it is.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" -o %t.planned.mlir
// RUN: ballast-opt %t.planned.mlir --ballast-verify -o %t.verified.mlir
// RUN: diff %t.planned.mlir %t.verified.mlir
// RUN: ballast-opt %t.planned.mlir --ballast-verify="function=main devices=1" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] Verify {{.*}}the plan is as its attributes say{{.*}}derived="the fingerprint, costs, the schedule, {{.*}}on_trust="bounds and their class, stop,{{.*}}stages=1,

// A cap may be given that the plan must keep whatever it says itself.
// RUN: ballast-opt %t.planned.mlir --ballast-verify="cap=13" -o /dev/null
// RUN: not ballast-opt %t.planned.mlir --ballast-verify="cap=12" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: device 0 needs 13 bytes under its plan, above the cap of 12 bytes given here
// RUN: not ballast-opt %t.planned.mlir --ballast-verify="cap=some" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-CAP
// NO-CAP: error: cap 'some' is not a size

// A raised cap is said, and so is one above the memory of its device.
// RUN: ballast-opt %s --remat="cap=12 time-limit=10" -o %t.raised.mlir 2>/dev/null
// RUN: ballast-opt %t.raised.mlir --ballast-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISED
// RAISED: warning: the plan of device 0 does not keep the cap asked for: asked 12 bytes, used 13 bytes
// RUN: ballast-opt %s --remat="devices=%S/Inputs/tiny.toml cap=1MiB time-limit=10" -o %t.large.mlir 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: ballast-opt %t.large.mlir --ballast-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: warning: the cap of 1.000 MiB of device 0 is above its memory, 8192 bytes: a plan that uses it does not run there

// Attributes, constants and regions are part of the program that was planned; Ballast's own are not.
// RUN: ballast-opt %S/Inputs/contents.mlir --allow-unregistered-dialect --remat="time-limit=2" -o %t.contents.mlir
// RUN: ballast-opt %t.contents.mlir --allow-unregistered-dialect --ballast-verify -o /dev/null
// RUN: ballast-opt %t.contents.mlir --allow-unregistered-dialect --mlir-print-op-generic | ballast-opt --allow-unregistered-dialect --ballast-verify -o /dev/null
// RUN: ballast-opt %t.contents.mlir --allow-unregistered-dialect --emit-bytecode | ballast-opt --allow-unregistered-dialect --ballast-verify -o /dev/null
// RUN: sed 's/dense<1.0/dense<1.5/' %t.contents.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: sed 's/arith.maximumf/arith.minimumf/' %t.contents.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: sed 's/cmpf olt/cmpf ogt/' %t.contents.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: sed 's/direction LT/direction GT/' %t.contents.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: sed 's/math.sin/math.cos/' %t.contents.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: sed 's/note = 1/note = 2/' %t.contents.mlir | not ballast-opt --allow-unregistered-dialect --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// RUN: sed 's/main(%%arg0/main(%%other/; s/%%arg0/%%other/g' %t.contents.mlir | ballast-opt --allow-unregistered-dialect --ballast-verify -o /dev/null

// Every function with a plan is checked: a second one, a private one, one of a nested module.
// RUN: ballast-opt %S/Inputs/several.mlir --pass-pipeline="builtin.module(remat{function=first cap=15 time-limit=5},remat{function=second cap=15 time-limit=5},remat{function=third cap=15 time-limit=5},builtin.module(remat{cap=15 time-limit=5}))" | sed 's/func.func @third/func.func private @third/' > %t.several.mlir
// RUN: ballast-opt %t.several.mlir --ballast-verify --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL-COUNT-4: [Passed] Verify
// RUN: sed '/@first(/s/peak = 13, unpl/peak = 12, unpl/' %t.several.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=LIES
// RUN: sed '/@second(/s/peak = 13, unpl/peak = 12, unpl/' %t.several.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=LIES
// RUN: sed '/@third(/s/peak = 13, unpl/peak = 12, unpl/' %t.several.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=LIES
// RUN: sed '/@inner(/s/peak = 13, unpl/peak = 12, unpl/' %t.several.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=LIES
// LIES: error: `ballast.plan` says peak = 12 of device 0, but the replay gives 13

// The same plan with one figure changed is a lie, whichever figure it is.
// RUN: sed 's/peak = 13, unplanned/peak = 12, unplanned/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=PEAK
// PEAK: error: `ballast.plan` says peak = 12 of device 0, but the replay gives 13
// RUN: sed 's/unplanned_peak = 16/unplanned_peak = 17/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// UNPLANNED: error: `ballast.plan` says unplanned_peak = 17 of device 0, but the replay gives 16
// RUN: sed 's/requested_cap = 15/requested_cap = 14/; s/stages = /cap_met = false, stages = /' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CAP
// CAP: error: `ballast.plan` says requested_cap = 14 of device 0, but the replay gives 15

// A recompute at another place breaks the replay: a is not there when d reads it.
// RUN: sed 's/, ballast.recompute = #ballast.recompute<before = .3.>//' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=DROPPED
// DROPPED: error: {{.*}}device 0
// RUN: sed 's/before = .3./before = [2]/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED: error: {{.*}}device 0

// A cost the model does not give.
// RUN: sed 's/seconds = 9.0000392349190772E-7, flops = 1/seconds = 8.0e-7, flops = 1/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=COST
// COST: error: `ballast.cost` says 0.0000008 s, but the cost model says 0.00000090000392349190{{[0-9]+}} s on device 0

// An edited program.
// RUN: sed 's/math.sin/math.tan/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=EDITED
// EDITED: error: the program was edited after it was planned

// Missing attributes.
// RUN: sed 's/ballast.position = 2 : i64//; s/>, }/>}/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=POSITION
// POSITION: math.cos
// RUN: not ballast-opt %s --ballast-verify 2>&1 | FileCheck %s --check-prefix=UNPLANNED-PROGRAM
// UNPLANNED-PROGRAM: error: the function has no `ballast.plan`: plan it first

// What carries out a plan is no plan any more.
// RUN: ballast-opt %t.planned.mlir --ballast-apply | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=APPLIED
// APPLIED: error: the function carries out its plan already

// A module describes one set of devices: a plan for others says which one can no longer be checked.
// RUN: ballast-opt %S/Inputs/several.mlir --remat="function=first work-limit=1000" --remat="function=second devices=v100-16gb work-limit=1000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: ballast-opt %S/Inputs/several.mlir --remat="function=first work-limit=1000" --remat="function=second work-limit=1000" --remat="function=second devices=1 work-limit=1000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME --allow-empty
// OTHER: several.mlir:3{{.*}}: warning: the plan of @first was made for other devices than these
// SAME-NOT: warning

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
