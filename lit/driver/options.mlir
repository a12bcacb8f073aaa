// Options: printed with their defaults, parsed back from that print, and refused when they make no sense.

// Every option has a default, and the printed pipeline is itself a pipeline.
// RUN: ballast-opt %s --remat="cap=60% time-limit=20 order=free devices='my devices.toml'" --dump-pass-pipeline --mlir-disable-threading --verify-each=0 --help > %t.help
// RUN: FileCheck %s --check-prefix=HELP --input-file=%t.help
// HELP-DAG: --cap=<string>
// HELP-DAG: --time-limit=<number>
// HELP-DAG: --work-limit=<ulong>
// HELP-DAG: --swap
// HELP-DAG: =free {{.*}}any topological order
// HELP-DAG: =weighted

// RUN: not ballast-opt %s --remat="time-limit=5s" 2>&1 | FileCheck %s --check-prefix=SECONDS
// SECONDS: '5s' value invalid for floating point argument

// RUN: not ballast-opt %s --remat="seed=-1" 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: '-1' value invalid for ulong argument

// RUN: not ballast-opt %s --remat="cpa=60%" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: no such option cpa

// RUN: not ballast-opt %s --remat="order=backwards" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: for the --order option: Cannot find option named 'backwards'!

// RUN: not ballast-opt %s --remat="swap=maybe" 2>&1 | FileCheck %s --check-prefix=SWAP
// SWAP: 'maybe' is invalid value for boolean argument

// RUN: not ballast-opt %s --remat="solver=oracle" 2>&1 | FileCheck %s --check-prefix=SOLVER
// SOLVER: for the --solver option: Cannot find option named 'oracle'!

// RUN: not ballast-opt %s --rl-partition="method=luck" 2>&1 | FileCheck %s --check-prefix=METHOD
// METHOD: for the --method option: Cannot find option named 'luck'!

// RUN: not ballast-opt %s --rl-partition="granularity=atom" 2>&1 | FileCheck %s --check-prefix=GRANULARITY
// GRANULARITY: Cannot find option named 'atom'!

// RUN: not ballast-opt %s --rl-partition="reward=praise" 2>&1 | FileCheck %s --check-prefix=REWARD
// REWARD: Cannot find option named 'praise'!

// RUN: not ballast-opt %s --rl-partition="setting=theirs" 2>&1 | FileCheck %s --check-prefix=SETTING
// SETTING: Cannot find option named 'theirs'!

// RUN: not ballast-opt %s --rl-partition="order=free" 2>&1 | FileCheck %s --check-prefix=PARTITION-ORDER
// PARTITION-ORDER: Cannot find option named 'free'!

// RUN: not ballast-opt %s --rl-partition="count=3mac" 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: Cannot find option named '3mac'!

// RUN: not ballast-opt %s --ballast-report="format=poem" 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: Cannot find option named 'poem'!

// RUN: not ballast-opt %s --ballast-inline="cap=1" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: no such option cap

module {
}
