// The program and what is written about it are different files, and what was there stays until a run has gone well.
// RUN: cp %s %t.mlir

// The output over the input: refused, whatever the name it goes by.
// RUN: ln -sf %t.mlir %t.link
// RUN: not ballast-opt %t.mlir -o %t.mlir 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not ballast-opt %t.mlir -o %t.link 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: cmp %s %t.mlir
// INPUT: ballast-opt: -o {{.*}}: the program is read from this file

// A run that fails leaves the older output; one that does not, replaces what a link leads to and keeps its mode.
// RUN: echo older > %t.out
// RUN: chmod 604 %t.out
// RUN: ln -sf %t.out %t.to-out
// RUN: not ballast-opt %t.mlir --remat="cap=nonsense" -o %t.to-out 2> %t.said
// RUN: FileCheck %s --check-prefix=FAILED --input-file=%t.said
// RUN: grep older %t.out
// FAILED: error: {{.*}}nonsense
// RUN: ballast-opt %t.mlir --remat="cap=1MiB" -o %t.to-out
// RUN: ls -lL %t.to-out | grep "^-rw----r--"
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.out
// PLAN: ballast.plan

// What passes write goes neither over the program, nor where it is written, nor twice into one file; here and in stock `mlir-opt`.
// RUN: not ballast-opt %t.mlir --remat="plan-file=%t.mlir" -o %t.other 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not ballast-opt %t.mlir --remat="plan-file=%t.to-out" -o %t.out 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: not ballast-opt %t.mlir --remat="plan-file=%t.json graph-file=%t.json" -o %t.other 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ballast-opt %t.mlir --ballast-plan="plan-file=%t.no/such/plan.json" -o %t.other 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not mlir-opt %plugin %t.mlir --pass-pipeline="builtin.module(remat{plan-file=%t.mlir})" -o %t.other 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not mlir-opt %plugin %t.mlir --pass-pipeline="builtin.module(remat{plan-file=%t.stock})" -o %t.stock 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: cmp %s %t.mlir
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.out
// READ: error: cannot write plan-file '{{.*}}': the program is read from this file
// WRITTEN: error: cannot write plan-file '{{.*}}': the program is written to this file
// TWICE: error: cannot write graph-file '{{.*}}': plan-file goes there too
// NOWHERE: error: cannot write plan-file '{{.*}}no/such/plan.json'

// Endless inputs are refused, outputs that take nothing are an error, and a reader that goes away ends the run quietly.
// RUN: not ballast-opt /dev/zero -o %t.other 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not ballast-opt %t.mlir -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not ls %t.other
// RUN: bash -c 'ballast-opt %t.mlir 2> %t.said | true; test ${PIPESTATUS[0]} = 141'
// RUN: not grep . %t.said
// ENDLESS: ballast-opt: cannot open input file '/dev/zero': larger than {{.*}}, the most that is read
// FULL: ballast-opt: cannot write output file '/dev/full': No space left on device

func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = arith.addf %x, %y : tensor<64x64xf32>
  %1 = arith.mulf %0, %y : tensor<64x64xf32>
  %2 = arith.subf %1, %x : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
