// What --rl-partition refuses.
// RUN: not ballast-opt %s --rl-partition="devices=9 use-all-devices=true" 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: rl-partition-errors.mlir:[[#@LINE+72]]:1: error: 9 devices for 2 ops
// RUN: not ballast-opt %s --rl-partition="devices=0" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: devices=0: 0 devices: write 1 to
// RUN: not ballast-opt %s --rl-partition="devices=-2" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: devices=-2: neither a number of devices
// RUN: not ballast-opt %s --rl-partition="function=other" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: no function '@other': the module has @main
// RUN: not ballast-opt %s --rl-partition="cap=nothing" 2>&1 | FileCheck %s --check-prefix=CAP
// CAP: error: cap 'nothing' is not a size
// RUN: not ballast-opt %s --rl-partition="threads=1025" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: threads=1025: give 0 to 1024
// RUN: not ballast-opt %s --rl-partition="devices=%S/Inputs/broken.toml" 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: error: {{.*}}broken.toml:3
// RUN: not ballast-opt %s --rl-partition="devices=%S/Inputs/no-memory.toml" 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: {{.*}}no-memory.toml{{.*}}memory
// RUN: not ballast-opt %s --rl-partition="profile=%S/Inputs/unknown-op.profile.json" 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: error: {{.*}}unknown-op.profile.json{{.*}}no.such.op
// RUN: not ballast-opt %s --rl-partition="devices=2 cores=4" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: cores=4: cores are those of one chip, and there are 2 devices: name one
// RUN: not ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=5" 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: error: cores=5: the chip 'npu-0' has 4
// RUN: not ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 cap=50%%" 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: error: cores=4: the cap of a core is given in bytes
// RUN: not ballast-opt %s --rl-partition="method=guess" 2>&1 | FileCheck %s --check-prefix=METHOD
// METHOD: Cannot find option named 'guess'
// RUN: not ballast-opt %s --rl-partition="devices=2 method=genetic population=1" 2>&1 | FileCheck %s --check-prefix=POPULATION
// POPULATION: error: population=1: give 2 to 65536
// RUN: not ballast-opt %s --rl-partition="devices=2 method=genetic elite=100" 2>&1 | FileCheck %s --check-prefix=ELITE
// ELITE: error: method=genetic: elite is 100: it is below the population, 100
// RUN: not ballast-opt %s --rl-partition="devices=2 method=genetic crossover=1.5" 2>&1 | FileCheck %s --check-prefix=CROSSOVER
// CROSSOVER: error: crossover=1.5: give 0 to 1
// RUN: not ballast-opt %s --rl-partition="devices=2 method=genetic mutation=-1" 2>&1 | FileCheck %s --check-prefix=MUTATION
// MUTATION: error: mutation=-1: give 0 to 1
// RUN: not ballast-opt %s --rl-partition="devices=2 method=genetic fitness=luck" 2>&1 | FileCheck %s --check-prefix=FITNESS
// FITNESS: Cannot find option named 'luck'
// RUN: not ballast-opt %s --rl-partition="devices=%S/Inputs/chip.toml cores=4 method=genetic" 2>&1 | FileCheck %s --check-prefix=ON-CORES
// ON-CORES: error: method=genetic: it places on devices; over `cores=` take dp
// RUN: not ballast-opt %s --rl-partition="devices=2 placement-file=%S/Inputs/six.placement.json" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}six.placement.json: it places 6 ops and 'main' has 2: it was made for another program
// RUN: not ballast-opt %s --rl-partition="devices=1 placement-file=%S/Inputs/two.placement.json" 2>&1 | FileCheck %s --check-prefix=AWAY
// AWAY: rl-partition-errors.mlir:[[#@LINE+34]]:{{.*}}error: {{.*}}two.placement.json: its op 1 runs on device 1, and there are 1
// RUN: not ballast-opt %s --rl-partition="placement-file=%S/Inputs/chip.toml" 2>&1 | FileCheck %s --check-prefix=NO-PLACEMENT
// NO-PLACEMENT: error: {{.*}}chip.toml: not a placement
// RUN: not ballast-opt %s --rl-partition="placement-file=nowhere.json" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: nowhere.json: cannot be read
// RUN: not ballast-opt %s --rl-partition="devices=2 method=dp placement-file=%S/Inputs/two.placement.json" 2>&1 | FileCheck %s --check-prefix=AND-METHOD
// AND-METHOD: error: placement-file= names the device of every op: nothing is left to `method`, `cores` or `schedule`
// RUN: not ballast-opt %s --rl-partition="devices=2 schedule=1f1b placement-file=%S/Inputs/two.placement.json" 2>&1 | FileCheck %s --check-prefix=AND-METHOD
// RUN: not ballast-opt %s --rl-partition="devices=2 method=dp graph-file=%S/nowhere/graph.json" 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: error: cannot write graph-file '{{.*}}nowhere/graph.json'
// What only another method reads is refused, and so is what no pipeline is cut by.
// RUN: not ballast-opt %s --rl-partition="network=nowhere.net" 2>&1 | FileCheck %s --check-prefix=NETWORK
// NETWORK: error: network=nowhere.net is for the learner alone: give method=rl with it, or leave it out
// RUN: not ballast-opt %s --rl-partition="method=dp save-network=%t.net" 2>&1 | FileCheck %s --check-prefix=SAVED
// SAVED: error: save-network={{.*}}.net is for the learner alone
// RUN: not ballast-opt %s --rl-partition="reward=weighted" 2>&1 | FileCheck %s --check-prefix=REWARD
// REWARD: error: reward=weighted is for the learner alone
// RUN: not ballast-opt %s --rl-partition="devices=2 episodes=7" 2>&1 | FileCheck %s --check-prefix=EPISODES
// EPISODES: error: episodes=7 is for the learner alone: give method=rl with it, or leave it out
// RUN: not ballast-opt %s --rl-partition="devices=2 method=rl population=7" 2>&1 | FileCheck %s --check-prefix=BRED-ALONE
// BRED-ALONE: error: population=7 is for the genetic search alone: give method=genetic with it
// RUN: not ballast-opt %s --rl-partition="weights=1,nan,1" 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: error: weights=1,nan,1: give three numbers
// RUN: not ballast-opt %s --rl-partition="method=rl weights=1,2,1" 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: error: weights=1,2,1 are those of reward=weighted: give that with them, or leave them out
// RUN: not ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=2 schedule=1f1b method=exact" 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: error: method=exact with a schedule: layers are cut by dynamic programming; use method=auto or method=dp
// RUN: not ballast-opt %S/Inputs/training-chain.mlir --allow-unregistered-dialect --rl-partition="devices=2 schedule=1f1b method=genetic" 2>&1 | FileCheck %s --check-prefix=BRED
// BRED: error: method=genetic with a schedule
// RUN: not ballast-opt %S/Inputs/buffer.mlir --rl-partition="devices=2 method=dp" 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: buffer.mlir:6:{{.*}} error: placed on device 1, and 'bufferization.materialize_in_destination' on device 0, though both use one buffer

func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  return %b : tensor<1xf32>
}
// RUN: not ballast-opt %s --rl-partition="devices=3 use-all-devices=true placement-file=%S/Inputs/two.placement.json" 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: error: {{.*}}two.placement.json: 1 of 3 devices run nothing, against use-all-devices=true
