// Programs without a plan, or with half of one.
// RUN: ballast-opt %s --ballast-verify -verify-diagnostics -split-input-file

// A figure at a time of a plan that was written by the planner: each is found out, whoever else is told the same.
// RUN: ballast-opt %S/Inputs/several.mlir --remat="function=first cap=15 time-limit=10" -o %t.plan.mlir

// What the plan says of its times follows from its stages.
// RUN: sed 's/tmax = [^,]*/tmax = 9.0e-6/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=TMAX
// TMAX: error: tmax 9e-06 is not the time of the slowest stage
// RUN: sed 's/tmin = [^,]*/tmin = 1.0e-9/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=TMIN
// TMIN: error: tmin 1e-09 is not the time of the fastest stage
// RUN: sed 's/ratio = [^,]*/ratio = 2.0/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=RATIO
// RATIO: error: ratio 2 is not tmax/tmin, 1
// RUN: sed 's/ratio = [^,]*, //' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=NO-RATIO
// NO-RATIO: error: `ballast.plan` says ratio = none, but the replay gives 1
// RUN: sed 's/gap = [^,]*/gap = 0.5/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=GAP
// GAP: error: gap 0.5 is not (tmax - bound)/tmax

// Times that agree with each other and not with the replay.
// RUN: sed 's/tmax = [^,]*/tmax = 9.0e-6/; s/tmin = [^,]*/tmin = 9.0e-6/; s/ seconds = [^,]*, unplanned/ seconds = 9.0e-6, unplanned/; s/gap = [^,]*/gap = 1.0/; s/bound = [^,]*, bound_class/bound = 0.0, bound_class/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=SECONDS
// SECONDS: error: `ballast.plan` says seconds = 0.000009 of device 0, but the replay gives 0.0000045
// RUN: sed 's/unplanned_seconds = [^,]*/unplanned_seconds = 1.0e-6/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// UNPLANNED: error: `ballast.plan` says unplanned_seconds = 0.000001 of device 0, but the replay gives 0.0000036

// What only a search could show is as the planner wrote it, or is not believed.
// RUN: sed 's/bound = [^,]*, bound_class/bound = 1.0e-6, bound_class/; s/gap = [^,]*/gap = 0.77777877/; s/stop = proved/stop = finished/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: error: {{gap|.*was changed after it was written}}
// RUN: sed 's/bound_class = "[^"]*"/bound_class = "any-assignment"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/bound_class = "[^"]*"/bound_class = "all-there-are"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CLASS
// CLASS: error: `ballast.plan` says bound_class = all-there-are, but the replay gives one of any-assignment,
// RUN: sed 's/stop = [a-z_]*/stop = interrupted/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/method = "[^"]*"/method = "exact"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/, stages = /, bound_trusts_highs = true, stages = /' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/seed = 0/seed = 1/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/unplanned_seconds = \([^,]*\), bound = [^>]*/unplanned_seconds = \1, bound = 1.0e-9/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/overlap = "false"/overlap = "true"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/settings = {/settings = {held = "99999", workspace = "99999:5", /' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/settings = {/settings = {held = "99999", workspace = "99999:5", /' %t.plan.mlir | not ballast-opt --ballast-apply=function=first 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/checksum = "[^"]*", //' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// CHANGED: error: `ballast.plan` was changed after it was written

// Caps: raised by nobody but the plan, and a smallest one that there is not.
// RUN: sed 's/ cap = 15/ cap = 16/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=RAISED
// RAISED: error: cap 16 of device 0 is above the requested cap 15, but 'cap_met' is not false
// RUN: sed 's/ cap = 15/ cap = 16/; s/, stages = /, cap_met = false, stages = /' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=FITS
// FITS: error: `ballast.plan` says bound = {{.*}} of device 0, but the replay gives at most {{.*}}, which a plan of the stage takes
// RUN: sed 's/ cap = 15/ cap = 14/; s/requested_cap = 15/requested_cap = 14/; s/cap = "15"/cap = "14"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: sed 's/ cap = 15/ cap = 16/; s/requested_cap = 15/requested_cap = 16/; s/cap = "15"/cap = "16"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=FITS
// The bound of the stage below what runs unchanged, that of the whole program above.
// RUN: sed 's/ cap = 15/ cap = 16/; s/requested_cap = 15/requested_cap = 16/; s/cap = "15"/cap = "16"/; s/unplanned_seconds = \([^,]*\), bound = [^>]*/unplanned_seconds = \1, bound = 1.0e-9/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: `ballast.plan` says bound = {{[^ ]*}}, but the replay gives at most {{.*}}, which a plan of the class takes
// RUN: sed 's/requested_cap = 15/requested_cap = 15, smallest_cap = 13/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=SMALLEST
// SMALLEST: error: `ballast.plan` says smallest_cap = 13 of device 0, but the replay gives none, as the cap asked for is kept
// RUN: ballast-opt %S/Inputs/several.mlir --remat="function=first cap=12 time-limit=10" 2>/dev/null | sed 's/smallest_cap = 13/smallest_cap = 12/' | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=TOO-SMALL
// TOO-SMALL: error: `ballast.plan` says smallest_cap = 12 of device 0, but the replay gives at least 13, which an op needs at once

// Devices, and the work of ops.
// RUN: sed 's/devices = 1, tmax/devices = 2, tmax/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=DEVICES
// DEVICES: error: `ballast.plan` of @first says devices = 2, but there are 1{{$}}
// A function planned later may have brought other devices.
// RUN: not ballast-opt %S/Inputs/several.mlir --rl-partition="function=first devices=2 work-limit=100" --rl-partition="function=second devices=3 work-limit=100" --ballast-verify 2>&1 | FileCheck %s --check-prefix=BROUGHT
// BROUGHT: error: `ballast.plan` of @first says devices = 2, but there are 3: a module describes one set of devices, and has plans of @second too; where these were made for others than @first, plan all for the same
// RUN: sed '/math.sin/s/flops = [0-9]*/flops = 77/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=FLOPS
// FLOPS: error: `ballast.cost` says flops = 77, but the op has 1
// RUN: sed '/math.sin/s/bytes = [0-9]*/bytes = 77/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: `ballast.cost` says bytes = 77, but the op has 8
// RUN: sed 's/profile = "false"/profile = "0123456789abcdef"/; /math.sin/s/seconds = [^,]*/seconds = 1.0e-9/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=COSTS
// COSTS: error: `ballast.plan` says {{.*}}seconds

// Counts in the settings have the ranges of the options.
// RUN: sed 's/settings = {/settings = {micro_batches = "1000000", schedule = "1f1b", first_backward = "2", /' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: the settings of `ballast.plan`: micro-batches=1000000: give 1 to 4096
// RUN: sed 's/settings = {/settings = {micro_batches = "4611686018427387904", schedule = "interleaved:2", /' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// TOO-MANY: error: the settings of `ballast.plan`: micro-batches=4611686018427387904: give 1 to 4096
// RUN: sed 's/settings = {/settings = {micro_batches = "4", schedule = "interleaved:1000", /' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: error: the settings of `ballast.plan`: stages-per-device=1000: give 2 to 64
// RUN: sed 's/count = "2mac"/count = "3mac"/' %t.plan.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: the settings of `ballast.plan`: count = "3mac" is none

// A view travels with its reader, and what is inside of an op is no part of the plan.
// RUN: ballast-opt %S/Inputs/views.mlir --remat="time-limit=2" -o %t.views.mlir
// RUN: ballast-opt %t.views.mlir --ballast-verify -o /dev/null
// RUN: sed '/tensor.expand_shape/s/#ballast.device<[01]>/#ballast.device<7>/' %t.views.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: error: `ballast.device` says device 7, but views and constants travel with their readers
// RUN: sed 's/scf.yield /scf.yield {ballast.position = 0 : i64} /' %t.views.mlir | not ballast-opt --ballast-verify 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: `ballast.position` on an op inside of another

// expected-error@+1 {{the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`}}
func.func @no_plan(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}

// -----

// expected-error@+1 {{the module has no function to plan}}
module {
}
