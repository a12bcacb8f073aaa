// b takes a in, and is stored because a decomposition reads it. Every value is 4 bytes, but the result e, which is 1; x is an argument.
// XLA's view: x and e throughout (5), b and c (8), b, c and d (12): 17 in all; 13 if b goes and is made again for e.

// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% time-limit=5" --ballast-verify | FileCheck %s --check-prefix=XLA
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% fusion=xla time-limit=5" --ballast-verify | FileCheck %s --check-prefix=XLA
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% fusion=auto cap-counts=all time-limit=5" --ballast-verify | FileCheck %s --check-prefix=XLA
// XLA: peak = 17, unplanned_peak = 17
// XLA-SAME: cap_counts = "all"
// XLA-SAME: fusion = "xla"

// The native view: x (4); a, b; b, c; b, c, d (12); b, d, e: 16.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% fusion=none time-limit=5" --ballast-verify | FileCheck %s --check-prefix=NONE
// NONE: peak = 16, unplanned_peak = 16
// NONE-SAME: fusion = "none"

// Temporaries alone.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% cap-counts=temp time-limit=5" --ballast-verify | FileCheck %s --check-prefix=TEMP
// TEMP: peak = 12, unplanned_peak = 12
// TEMP-SAME: cap_counts = "temp"

// What is fused into a repeated op is repeated with it.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=13 relax-limit=0 swap=false time-limit=5" --ballast-verify --ballast-apply | FileCheck %s --check-prefix=AGAIN
// AGAIN: ballast.applied
// AGAIN-SAME: peak = 13
// AGAIN: %[[A:.+]] = "stablehlo.add"(%[[X:.+]], %[[X]])
// AGAIN-NEXT: %[[B:.+]] = "stablehlo.maximum"(%[[A]], %[[X]])
// AGAIN-NEXT: %[[C:.+]] = "stablehlo.cholesky"(%[[B]])
// AGAIN-NEXT: %[[D:.+]] = "stablehlo.cholesky"(%[[C]])
// AGAIN-NEXT: %[[HELD:.+]]:2 = ballast.barrier %[[D]], %[[X]]
// AGAIN-NEXT: %[[A2:.+]] = "stablehlo.add"(%[[HELD]]#1, %[[HELD]]#1)
// AGAIN-NEXT: %[[B2:.+]] = "stablehlo.maximum"(%[[A2]], %[[HELD]]#1)
// AGAIN-NEXT: "stablehlo.compare"(%[[B2]], %[[HELD]]#0)

// The report lists the fusions.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% time-limit=5" --ballast-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: fusion=xla: 1 fusion, cap counts all
// REPORT-NEXT: stablehlo.maximum at position 0 with stablehlo.add
// RUN: sed 's/"stablehlo.add"(%x, %x)/"stablehlo.add"(%z, %x)/; s/^  %a = /  %z = "stablehlo.cholesky"(%x) : (tensor<1x1xf32>) -> tensor<1x1xf32>\n&/' %s | ballast-opt --allow-unregistered-dialect --remat="cap=100% time-limit=5" --ballast-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: stablehlo.maximum at position 1 with stablehlo.add
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=100% time-limit=5" --ballast-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "fusion": "xla"
// JSON: "root": "stablehlo.maximum"
// JSON: "members": [
// JSON-NEXT: "stablehlo.add"

// A partition and its memory plan see the same program: auto follows, another model is refused.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=none cap-counts=all method=dp" --remat="cap=100% time-limit=5" --ballast-verify | FileCheck %s --check-prefix=NONE
// RUN: not ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=none method=dp" --remat="fusion=xla time-limit=5" 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error: the function was partitioned with fusion=none: give that here too, instead of fusion=xla
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="fusion=loop" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=loop" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: fusion{{.*}}loop
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="cap-counts=results" 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: cap-counts{{.*}}results

func.func @main(%x: tensor<1x1xf32>) -> tensor<1x1xi1> {
  %a = "stablehlo.add"(%x, %x) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %b = "stablehlo.maximum"(%a, %x) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %c = "stablehlo.cholesky"(%b) : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %d = "stablehlo.cholesky"(%c) : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %e = "stablehlo.compare"(%b, %d) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
  return %e : tensor<1x1xi1>
}
