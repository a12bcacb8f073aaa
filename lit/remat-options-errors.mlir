// Every option of --remat with a value it refuses: a message that says what to write, exit 1, no output.

// RUN: not ballast-opt %s --remat="cap=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: cap '0' leaves no memory at all
// RUN: not ballast-opt %s --remat="cap=0%" 2>&1 | FileCheck %s --check-prefix=ZERO-SHARE
// ZERO-SHARE: error: cap '0%' leaves no memory at all
// RUN: not ballast-opt %s --remat="cap=inf%%" 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: cap 'inf%' is not a percentage
// RUN: not ballast-opt %s --remat="cap=-1GiB" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: cap '-1GiB' is negative
// RUN: not ballast-opt %s --remat="cap=lots" 2>&1 | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: error: cap 'lots' is not a size: write bytes with a unit
// RUN: not ballast-opt %s --remat="devices=0" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: devices=0: 0 devices: write 1 to
// RUN: not ballast-opt %s --remat="devices=%S/Inputs/nowhere.toml" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: devices={{.*}}nowhere.toml: no such device file
// RUN: not ballast-opt %s --remat="function=other" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: no function '@other': the module has @main
// RUN: not ballast-opt %s --remat="time-limit=-1" 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: error: time-limit=-1: give 0 to 1e9
// RUN: not ballast-opt %s --remat="threads=1025" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: threads=1025: give 0 to 1024
// RUN: not ballast-opt %s --remat="relax-step=0" 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: relax-step=0: give 0.0001 to 10
// RUN: not ballast-opt %s --remat="relax-limit=0.5" 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: relax-limit=0.5: give a multiple of the cap, at least 1, or 0
// RUN: not ballast-opt %s --remat="max-ratio=0.9" 2>&1 | FileCheck %s --check-prefix=RATIO
// RATIO: error: max-ratio=0.9: give 1 to 1e18
// RUN: not ballast-opt %s --remat="max-rounds=0" 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: error: max-rounds=0: give 1 to 1000000
// RUN: not ballast-opt %S/remat.mlir --remat="arena=16 cap=47 relax-limit=0 time-limit=2" 2>&1 | FileCheck %s --check-prefix=ARENA
// ARENA: error: {{.*}}the smallest cap {{.*}} 64
// RUN: not ballast-opt %S/remat.mlir --remat="arena=16 solver=q-learning cap=63 relax-limit=0" 2>&1 | FileCheck %s --check-prefix=ARENA-FIELD
// ARENA-FIELD: error: {{.*}}solver=q-learning does not plan for an arena
// RUN: not ballast-opt %S/remat.mlir --remat="arena=16 schedule=1f1b" 2>&1 | FileCheck %s --check-prefix=ARENA-PIPELINE
// ARENA-PIPELINE: error: arena with a schedule
// RUN: not ballast-opt %s --remat="profile=%S/Inputs/nowhere.json" 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: error: {{.*}}nowhere.json
// RUN: not ballast-opt %s --remat="plan-file=%S/no/such/folder/plan.json" 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: error: cannot write plan-file

// RUN: not ballast-opt %s --remat="solver=guess" 2>&1 | FileCheck %s --check-prefix=SOLVER
// SOLVER: Cannot find option named 'guess'
// RUN: not ballast-opt %s --remat="solver=keep-all cap=7 relax-limit=0" 2>&1 | FileCheck %s --check-prefix=KEEP-ALL
// KEEP-ALL: error: {{.*}}the smallest cap not ruled out is 8
// RUN: not ballast-opt %s --remat="solver=q-learning q-rounds=-1" 2>&1 | FileCheck %s --check-prefix=Q-ROUNDS
// Q-ROUNDS: '-1' value invalid for ulong argument
// RUN: not ballast-opt %s --remat="solver=q-learning q-weight=1.5" 2>&1 | FileCheck %s --check-prefix=Q-WEIGHT
// Q-WEIGHT: error: q-weight=1.5: give 0 to 1
// RUN: not ballast-opt %s --remat="solver=q-learning q-epsilon=-1" 2>&1 | FileCheck %s --check-prefix=Q-EPSILON
// Q-EPSILON: error: q-epsilon=-1: give 0 to 1
// RUN: not ballast-opt %s --remat="solver=q-learning q-alpha=1.5" 2>&1 | FileCheck %s --check-prefix=Q-ALPHA
// Q-ALPHA: error: q-alpha=1.5: give 0 to 1
// RUN: not ballast-opt %s --remat="solver=q-learning q-gamma=1" 2>&1 | FileCheck %s --check-prefix=Q-GAMMA
// Q-GAMMA: error: q-gamma=1: give 0 to 0.999999
// RUN: not ballast-opt %s --remat="solver=q-learning q-target=-1" 2>&1 | FileCheck %s --check-prefix=Q-TARGET
// Q-TARGET: error: q-target=-1: give 0 to 1000
// RUN: not ballast-opt %s --remat="solver=q-learning q-initial=some" 2>&1 | FileCheck %s --check-prefix=Q-INITIAL
// Q-INITIAL: error: q-initial=some: 's' in a scheme: it is written in 0 and 1
// RUN: not ballast-opt %S/remat.mlir --remat="solver=q-learning cap=15 q-initial=0101010101010101" 2>&1 | FileCheck %s --check-prefix=Q-LENGTH
// Q-LENGTH: error: device 0: {{.*}}the initial scheme has 16 entries and this program
// RUN: not ballast-opt %s --remat="solver=q-learning q-table=%S/Inputs/nowhere.json" 2>&1 | FileCheck %s --check-prefix=Q-TABLE
// Q-TABLE: error: q-table '{{.*}}nowhere.0.json'
// RUN: echo '{"version": 1, "candidates": [' > %t.damaged.0.json
// RUN: not ballast-opt %s --remat="solver=q-learning q-table=%t.damaged.json" -o %t.nothing 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error: q-table '{{.*}}damaged.0.json'
// RUN: not ballast-opt %s --remat="save-q-table=%t.q.json" 2>&1 | FileCheck %s --check-prefix=Q-ALONE
// Q-ALONE: error: save-q-table={{.*}}.q.json is for Q-learning alone: give solver=q-learning with it
// RUN: not ballast-opt %s --remat="q-initial=none" 2>&1 | FileCheck %s --check-prefix=Q-INITIAL-ALONE
// Q-INITIAL-ALONE: error: q-initial=none is for Q-learning alone: give solver=q-learning with it
// RUN: not ballast-opt %S/remat.mlir --remat="solver=q-learning cap=15 swap=false" 2>&1 | FileCheck %s --check-prefix=NO-SWAP
// NO-SWAP: error: device 0: solver q-learning does not apply: it swaps, and swaps are off
// RUN: not ballast-opt %S/remat.mlir --remat="solver=keep-all cap=15" 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: error: device 0: solver keep-all does not apply: the unchanged program does not fit the cap

// A table of another program is refused.
// RUN: ballast-opt %S/remat.mlir --remat="solver=q-learning cap=15 q-rounds=5 save-q-table=%t.other.json" -o /dev/null
// RUN: sed -e 's/"activation"/"pooling"/' %t.other.0.json > %t.wrong.0.json
// RUN: not ballast-opt %S/remat.mlir --remat="solver=q-learning cap=15 q-table=%t.wrong.json" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: device 0: the table of solver q-learning does not fit

// RUN: not ballast-opt %s --remat="cap=0" -o %t.nothing
// RUN: not test -e %t.nothing

func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}
