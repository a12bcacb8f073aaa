// Every option of --remat with a value it refuses: a message that says what to write, exit 1, no output.

// RUN: not ballast-opt %s --remat="cap=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: cap '0' leaves no memory at all
// RUN: not ballast-opt %s --remat="cap=0%" 2>&1 | FileCheck %s --check-prefix=ZERO-SHARE
// ZERO-SHARE: error: cap '0%' leaves no memory at all
// RUN: not ballast-opt %s --remat="cap=-1GiB" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: cap '-1GiB' is negative
// RUN: not ballast-opt %s --remat="cap=lots" 2>&1 | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: error: cap 'lots' is not a size: write bytes with a unit
// RUN: not ballast-opt %s --remat="devices=0" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: devices=0: 0 devices: write 1 to
// RUN: not ballast-opt %s --remat="devices=%S/Inputs/nowhere.toml" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: {{.*}}neither a number of devices, nor a file
// RUN: not ballast-opt %s --remat="function=other" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: no function '@other': the module has @main
// RUN: not ballast-opt %s --remat="time-limit=-1" 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: error: time-limit=-1: give seconds
// RUN: not ballast-opt %s --remat="threads=0" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: threads=0: give 1 to 1024
// RUN: not ballast-opt %s --remat="relax-step=0" 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: relax-step=0: give a share of the cap above 0
// RUN: not ballast-opt %s --remat="relax-limit=0.5" 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: relax-limit=0.5: give a multiple of the cap, at least 1, or 0
// RUN: not ballast-opt %s --remat="max-ratio=0.9" 2>&1 | FileCheck %s --check-prefix=RATIO
// RATIO: error: max-ratio=0.9: give a ratio of stage times, at least 1
// RUN: not ballast-opt %s --remat="max-rounds=0" 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: error: max-rounds=0: give at least 1
// RUN: not ballast-opt %s --remat="profile=%S/Inputs/nowhere.json" 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: error: {{.*}}nowhere.json
// RUN: not ballast-opt %s --remat="plan-file=%S/no/such/folder/plan.json" 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: error: cannot write plan-file

// RUN: not ballast-opt %s --remat="cap=0" -o %t.nothing
// RUN: not test -e %t.nothing

func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}
