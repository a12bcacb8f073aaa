// A true plan passes and is left as it is.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" -o %t.planned.mlir
// RUN: ballast-opt %t.planned.mlir --ballast-verify -o %t.verified.mlir
// RUN: diff %t.planned.mlir %t.verified.mlir
// RUN: ballast-opt %t.planned.mlir --ballast-verify="function=main devices=1" --remarks-filter=ballast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: [Passed] Verify {{.*}}the plan is as its attributes say

// The same plan with one figure changed is a lie, whichever figure it is.
// RUN: sed 's/peak = 13, unplanned/peak = 12, unplanned/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=PEAK
// PEAK: error: `ballast.plan` says peak = 12 of device 0, but the replay gives 13
// RUN: sed 's/unplanned_peak = 16/unplanned_peak = 17/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// UNPLANNED: error: `ballast.plan` says unplanned_peak = 17 of device 0, but the replay gives 16
// RUN: sed 's/requested_cap = 15/requested_cap = 14/' %t.planned.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CAP
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

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
