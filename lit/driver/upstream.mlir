// The driver is mlir-opt with more passes: passes run in the order of their flags, among upstream ones, and the usual options work.
// RUN: ballast-opt %s --ballast-inline --cse --mlir-timing --mlir-timing-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: ballast-opt %s --cse --ballast-inline --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: ballast-opt %s --ballast-inline --mlir-print-ir-before=ballast-inline -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: ballast-opt %s --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: ballast-opt %s --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: ballast-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: not ballast-opt %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING

// TIMING-DAG: BallastInline
// TIMING-DAG: CSE
// ORDER: IR Dump After CSE
// ORDER: IR Dump After BallastInline (ballast-inline)
// BEFORE: IR Dump Before BallastInline
// BEFORE: call @helper
// DIALECTS: ballast
// DIALECTS: linalg
// PASSES-DAG: ballast-inline
// PASSES-DAG: rl-partition
// PASSES-DAG: one-shot-bufferize
// VERSION: LLVM version 22
// MISSING: cannot open input file
func.func @main(%x: i32) -> i32 {
  %0 = call @helper(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @helper(%x: i32) -> i32 {
  return %x : i32
}
