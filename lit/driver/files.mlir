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

// Nor over what a pass reads, whatever the option is called; nor does the program.
// RUN: cp %S/../Inputs/tiny.toml %t.toml
// RUN: not ballast-opt %t.mlir --remat="devices=%t.toml plan-file=%t.toml" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not ballast-opt %t.mlir --remat="devices=%t.toml graph-file=%t.toml" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not ballast-opt %t.mlir --rl-partition="devices=%t.toml graph-file=%t.toml" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not ballast-opt %t.mlir --ballast-plan="devices=%t.toml plan-file=%t.toml" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not ballast-opt %t.mlir --ballast-plan="devices=%t.toml report=%t.toml schedule=auto" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not ballast-opt %t.out --ballast-report="devices=%t.toml output=%t.toml" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not ballast-opt %t.mlir --remat="devices=%t.toml" -o %t.toml 2>&1 | FileCheck %s --check-prefix=OVER-DEVICES
// RUN: not ballast-opt %t.out --ballast-verify="devices=%t.toml" -o %t.toml 2>&1 | FileCheck %s --check-prefix=OVER-DEVICES
// RUN: not mlir-opt %plugin %t.mlir --pass-pipeline="builtin.module(remat{devices=%t.toml plan-file=%t.toml})" -o %t.other 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: cmp %S/../Inputs/tiny.toml %t.toml
// RUN: not ballast-opt %t.mlir --remat="profile=%t.p plan-file=%t.p" -o %t.other 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not ballast-opt %t.mlir --remat="storage=%t.p plan-file=%t.p" -o %t.other 2>&1 | FileCheck %s --check-prefix=STORAGE
// RUN: not ballast-opt %t.mlir --rl-partition="placement-file=%t.p report=%t.p" -o %t.other 2>&1 | FileCheck %s --check-prefix=PLACEMENT
// RUN: not ballast-opt %t.mlir --ballast-place="cluster=%t.p placement-file=%t.p" -o %t.other 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not ls %t.p
// DEVICES: error: cannot write {{.*}} '{{.*}}.toml': devices is read from this file
// OVER-DEVICES: error: cannot read devices '{{.*}}.toml': the program is written to this file
// PROFILE: error: cannot write plan-file '{{.*}}': profile is read from this file
// STORAGE: error: cannot write plan-file '{{.*}}': storage is read from this file
// PLACEMENT: error: cannot write report '{{.*}}': placement-file is read from this file
// CLUSTER: error: cannot write placement-file '{{.*}}': cluster is read from this file

// Files of stages go by the names they get.
// RUN: cp %s %t.0.lp
// RUN: not ballast-opt %t.0.lp --remat="model-file=%t.lp" -o %t.other 2>&1 | FileCheck %s --check-prefix=MODEL-READ
// RUN: cmp %s %t.0.lp
// RUN: not ballast-opt %t.mlir --remat="model-file=%t.lp" -o %t.0.lp 2>&1 | FileCheck %s --check-prefix=MODEL-WRITTEN
// RUN: not ballast-opt %t.mlir --remat="model-file=%t.lp plan-file=%t.0.lp" -o %t.other 2>&1 | FileCheck %s --check-prefix=MODEL-TWICE
// RUN: not ballast-opt %t.mlir --remat="solver=q-learning q-rounds=2 save-q-table=%t.q.json plan-file=%t.q.0.json" -o %t.other 2>&1 | FileCheck %s --check-prefix=TABLE
// MODEL-READ: error: cannot write model-file '{{.*}}.0.lp': the program is read from this file
// MODEL-WRITTEN: error: cannot write model-file '{{.*}}.0.lp': the program is written to this file
// MODEL-TWICE: error: cannot write model-file '{{.*}}.0.lp': plan-file goes there too
// TABLE: error: cannot write save-q-table '{{.*}}.q.0.json': plan-file goes there too

// A table that is carried on may be written where it was read from, once and again; another run may replace an answer.
// RUN: ballast-opt %S/../remat.mlir --remat="solver=q-learning q-rounds=5 cap=15 save-q-table=%t.q.json" -o /dev/null
// RUN: ballast-opt %S/../remat.mlir --remat="solver=q-learning q-rounds=5 cap=15 q-table=%t.q.json save-q-table=%t.q.json" --remat="solver=q-learning q-rounds=5 cap=15 q-table=%t.q.json save-q-table=%t.q.json" -o /dev/null
// RUN: not ballast-opt %S/../remat.mlir --remat="solver=q-learning q-rounds=5 cap=15 q-table=%t.q.json plan-file=%t.q.0.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: ballast-opt %t.mlir --remat="cap=1MiB plan-file=%t.json" -o /dev/null
// RUN: ballast-opt %t.mlir --remat="cap=1MiB plan-file=%t.json" -o /dev/null
// CARRIED: error: cannot write plan-file '{{.*}}': q-table is read from this file

// Within a run no pass, and no module of the input, has its answer lost to another.
// RUN: not ballast-opt %t.mlir --remat="cap=1MiB plan-file=%t.json" --remat="cap=2MiB plan-file=%t.json" -o %t.other 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not ballast-opt %t.mlir --remat="devices=%t.toml cap=1MiB" --ballast-report="output=%t.toml" -o %t.other 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: cmp %S/../Inputs/tiny.toml %t.toml
// RUN: cp %s %t.two
// RUN: echo "// -----" >> %t.two
// RUN: cat %s >> %t.two
// RUN: not ballast-opt %t.two --split-input-file --remat="cap=1MiB plan-file=%t.json" -o %t.other 2>&1 | FileCheck %s --check-prefix=PASSES
// PASSES: error: cannot write plan-file '{{.*}}': plan-file of a pass before this one, or of the module before this one, is there
// LATER: error: cannot write output '{{.*}}.toml': a pass before this one reads devices from this file

// Endless inputs are refused, outputs that take nothing are an error, and a reader that goes away ends the run quietly.
// RUN: not ballast-opt /dev/zero -o %t.other 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not ballast-opt %t.mlir -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not ls %t.other
// RUN: bash -c 'ballast-opt %t.mlir 2> %t.said | true; test ${PIPESTATUS[0]} = 141'
// RUN: not grep . %t.said
// RUN: bash -c 'ballast-opt --help 2> %t.said | true; test ${PIPESTATUS[0]} = 141'
// RUN: not grep . %t.said
// ENDLESS: ballast-opt: cannot open input file '/dev/zero': larger than {{.*}}, the most that is read
// FULL: ballast-opt: cannot write output file '/dev/full': No space left on device

func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = arith.addf %x, %y : tensor<64x64xf32>
  %1 = arith.mulf %0, %y : tensor<64x64xf32>
  %2 = arith.subf %1, %x : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
