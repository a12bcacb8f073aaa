// Programs without a plan.
// RUN: ballast-opt %s --ballast-apply -verify-diagnostics -split-input-file

// A lying plan is not carried out: it passes the check of --ballast-verify first, on every route.
// RUN: ballast-opt %S/ballast-apply.mlir --remat="cap=15 time-limit=10" -o %t.plan.mlir
// RUN: sed 's/peak = 13, unpl/peak = 12, unpl/' %t.plan.mlir > %t.lie.mlir
// RUN: not ballast-opt %t.lie.mlir --ballast-apply 2>&1 | FileCheck %s --check-prefix=LIE
// RUN: not ballast-opt %t.lie.mlir --ballast-to-stablehlo 2>&1 | FileCheck %s --check-prefix=LIE
// RUN: not ballast-opt %t.lie.mlir --ballast-to-native 2>&1 | FileCheck %s --check-prefix=LIE
// RUN: not ballast-opt %t.lie.mlir --ballast-to-mpi 2>&1 | FileCheck %s --check-prefix=LIE
// LIE: error: `ballast.plan` says peak = 12 of device 0, but the replay gives 13
// RUN: sed 's/ cap = 15/ cap = 12/; s/requested_cap = 15/requested_cap = 12/; s/peak = 13, unpl/peak = 12, unpl/' %t.plan.mlir | not ballast-opt --ballast-apply 2>&1 | FileCheck %s --check-prefix=CAP
// CAP: error: device 0: {{.*}}needs 13 bytes on the device, above the cap of 12

// What carries out a plan is not planned again.
// RUN: ballast-opt %t.plan.mlir --ballast-apply -o %t.applied.mlir
// RUN: not ballast-opt %t.applied.mlir --remat="cap=15 time-limit=10" 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not ballast-opt %t.applied.mlir --rl-partition="devices=2" 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: @main carries out a plan already (`ballast.applied`): plan the program that it was made from

// Nor is it verified again: its copies are no ops of the program.
// RUN: ballast-opt %S/ballast-apply.mlir --remat="devices=%S/Inputs/fast-host.toml cap=15 time-limit=10" --ballast-apply -o %t.swapped.mlir
// RUN: not ballast-opt %t.swapped.mlir --ballast-verify 2>&1 | FileCheck %s --check-prefix=SWAPPED
// RUN: not ballast-opt %t.swapped.mlir --ballast-report 2>&1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: error: 'ballast.swap_out': !ballast.host<tensor<1xf32>> is a copy on the host, as `--ballast-apply` writes them: the function carries out a plan already

// What the host cannot hold goes from no device to another.
// RUN: not ballast-opt %S/Inputs/open-sizes.mlir --remat="devices=2 dynamic-dim=16 time-limit=1" --ballast-apply 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: open-sizes.mlir:3:{{.*}} error: its value of type tensor<?xf32> cannot be copied to the host: only numbers, vectors and tensors of static shape can: put the ops that make and read it on one device by `ballast.device`

// A plan under another name is carried out by nobody.
// RUN: sed 's/ballast.plan = /ballast.applied = /' %t.plan.mlir > %t.renamed.mlir
// RUN: not ballast-opt %t.renamed.mlir --ballast-apply 2>&1 | FileCheck %s --check-prefix=RENAMED
// RUN: not ballast-opt %t.renamed.mlir --ballast-outline 2>&1 | FileCheck %s --check-prefix=RENAMED
// RENAMED: error: `ballast.applied` says that the function carries out its plan, but this op still has `ballast.position`
// RUN: sed 's/ {ballast.cost = .*} :/ :/' %t.renamed.mlir > %t.bare.mlir
// RUN: not ballast-opt %t.bare.mlir --ballast-apply 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: error: `ballast.applied` says that the function carries out its plan, but it is the program that was planned

// expected-error@+1 {{the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`}}
func.func @no_plan(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}

// -----

// expected-error@+1 {{the module has no function to plan}}
module {
}
