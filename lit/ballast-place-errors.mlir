// What --ballast-place refuses; nothing is written then.
// RUN: not ballast-opt %s --ballast-place 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: cluster= names no file
// RUN: not ballast-opt %s --ballast-place="cluster=%t.none.json" 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}.none.json: No such file
// RUN: echo '{"version": 1, "devices": [{"name": "a", "failures-per-second": 1.5}]}' > %t.rate.json
// RUN: not ballast-opt %s --ballast-place="cluster=%t.rate.json" 2>&1 | FileCheck %s --check-prefix=RATE
// RATE: error: {{.*}}.rate.json: device 'a' fails 1.5 times a second: the rate lies in 0 to 1
// RUN: echo '{"version": 1, "devices": [{"name": "a"}]}' > %t.small.json
// RUN: not ballast-opt %s --ballast-place="cluster=%t.small.json placement-file=%t.placed.json" 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: ballast-place-errors.mlir:[[#@LINE+30]]:1: error: job 'main' needs 2 devices and the cluster has 1
// RUN: test ! -e %t.placed.json
// RUN: echo '{"version": 1, "devices": [{"name": "a", "state": "failed"}, {"name": "b", "state": "failed"}]}' > %t.failed.json
// RUN: not ballast-opt %s --ballast-place="cluster=%t.failed.json" 2>&1 | FileCheck %s --check-prefix=FAILED
// FAILED: error: none of the cluster's 2 devices is usable
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json job-devices=0" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json steps=0" 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: {{job-devices=0: give 1 to 4096|steps=0: give 1 to 1000000000000}}
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=guess" 2>&1 | FileCheck %s --check-prefix=METHOD
// METHOD: Cannot find option named 'guess'
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=learned" 2>&1 | FileCheck %s --check-prefix=NETWORK
// NETWORK: error: the learned policy needs a network
// RUN: echo damaged > %t.net
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json method=learned network=%t.net" 2>&1 | FileCheck %s --check-prefix=DAMAGED
// A network makes the learned policy the default.
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json network=%t.net" 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error: {{.*}}.net:
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json devices=0" 2>&1 | FileCheck %s --check-prefix=DEVICES
// DEVICES: error: devices=0
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json placement-file=%t.none/p.json" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot write placement-file '{{.*}}.none/p.json'
// RUN: not ballast-opt %s --ballast-place="cluster=%S/Inputs/jobs.cluster.json profile=%S/Inputs/unknown-op.profile.json" 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: error: {{.*}}unknown-op.profile.json{{.*}}no.such.op
// RUN: sed 's/devices = 2 : i64/colour = 2 : i64/' %s | not ballast-opt --ballast-place="cluster=%S/Inputs/jobs.cluster.json" 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: 'ballast.job' has an entry 'colour': it knows devices and steps
// RUN: sed 's/devices = 2 : i64/devices = 0 : i64/' %s | not ballast-opt --ballast-place="cluster=%S/Inputs/jobs.cluster.json" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: 'ballast.job': devices is a whole number above 0, not 0 : i64
// RUN: sed 's/func @main/func private @main/' %s | not ballast-opt --ballast-place="cluster=%S/Inputs/jobs.cluster.json" 2>&1 | FileCheck %s --check-prefix=NO-JOB
// NO-JOB: error: no public function with a body

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.job = {devices = 2 : i64}} {
  %a = math.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}
