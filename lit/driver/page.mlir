// The page of `report=` is the one that `ballast report` writes from the plan file, byte for byte; whole or not at all.
// RUN: ballast-opt %s --remat="cap=15 swap=false work-limit=100 plan-file=%t.json report=%t.html" -o %t.mlir
// RUN: ballast report %t.json --html %t.command.html > %t.text
// RUN: cmp %t.html %t.command.html
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html
// RUN: ballast-opt %s --ballast-plan="devices=2 cap=32 work-limit=100 plan-file=%t.plan.json report=%t.plan.html" -o %t.plan.mlir
// RUN: ballast report %t.plan.json --html %t.plan.command.html > %t.plan.text
// RUN: cmp %t.plan.html %t.plan.command.html
// PAGE: <!DOCTYPE html>
// PAGE: <h1>@main on 1 device</h1>
// PAGE: <h2>Recomputed</h2>
// PAGE: 1 value, 4 B in all
// PAGE: </html>

// A partition alone has a page too: nothing is recomputed there.
// RUN: ballast-opt %s --rl-partition="devices=2 method=dp use-all-devices=true work-limit=100 report=%t.cut.html" -o %t.cut.mlir
// RUN: FileCheck %s --check-prefix=CUT --input-file=%t.cut.html
// CUT: <h1>@main on 2 devices</h1>
// CUT: Nothing is recomputed.

// What there was stays where the page cannot be written or there is no plan.
// RUN: echo older > %t.html
// RUN: not ballast-opt %s --remat="cap=5 relax-limit=0 report=%t.html" -o %t.mlir 2> %t.said
// RUN: grep older %t.html
// RUN: not ballast-opt %s --remat="report=%t.no/such/page.html" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ballast-opt %s --rl-partition="report=%t.no/such/page.html" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ballast-opt %s --remat="plan-file=%t.both report=%t.both" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// NOWHERE: error: cannot write report '{{.*}}no/such/page.html'
// TWICE: error: cannot write report '{{.*}}': plan-file goes there too

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
