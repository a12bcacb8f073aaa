// What fails, fails loudly: a status that is not zero, a message with a location, no output file.
// RUN: rm -f %t.out %t.reproducer.mlir
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-inline -o %t.out 2>&1 | FileCheck %s
// RUN: not ls %t.out

// A crash reproducer holds the pipeline and runs.
// RUN: not ballast-opt %s --allow-unregistered-dialect --ballast-inline --mlir-pass-pipeline-crash-reproducer=%t.reproducer.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=CRASH
// RUN: FileCheck %s --check-prefix=REPRODUCER --input-file=%t.reproducer.mlir
// RUN: not ballast-opt %t.reproducer.mlir --allow-unregistered-dialect --run-reproducer 2>&1 | FileCheck %s
// REPRODUCER: pipeline: "builtin.module(ballast-inline)"
// CRASH: note: Pipeline failed while executing {{.*}}BallastInline{{.*}}: reproducer generated at

// CHECK: error: inlining all calls would make more than 20000000 ops of function
func.func private @f0(%x: i32) -> i32 {
  %0 = "some.op"(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @f1(%0: i32) -> i32 {
  %1 = call @f0(%0) : (i32) -> i32
  %2 = call @f0(%1) : (i32) -> i32
  %3 = call @f0(%2) : (i32) -> i32
  %4 = call @f0(%3) : (i32) -> i32
  %5 = call @f0(%4) : (i32) -> i32
  %6 = call @f0(%5) : (i32) -> i32
  %7 = call @f0(%6) : (i32) -> i32
  %8 = call @f0(%7) : (i32) -> i32
  %9 = call @f0(%8) : (i32) -> i32
  %10 = call @f0(%9) : (i32) -> i32
  %11 = call @f0(%10) : (i32) -> i32
  %12 = call @f0(%11) : (i32) -> i32
  %13 = call @f0(%12) : (i32) -> i32
  %14 = call @f0(%13) : (i32) -> i32
  %15 = call @f0(%14) : (i32) -> i32
  %16 = call @f0(%15) : (i32) -> i32
  %17 = call @f0(%16) : (i32) -> i32
  %18 = call @f0(%17) : (i32) -> i32
  %19 = call @f0(%18) : (i32) -> i32
  %20 = call @f0(%19) : (i32) -> i32
  return %20 : i32
}
func.func private @f2(%0: i32) -> i32 {
  %1 = call @f1(%0) : (i32) -> i32
  %2 = call @f1(%1) : (i32) -> i32
  %3 = call @f1(%2) : (i32) -> i32
  %4 = call @f1(%3) : (i32) -> i32
  %5 = call @f1(%4) : (i32) -> i32
  %6 = call @f1(%5) : (i32) -> i32
  %7 = call @f1(%6) : (i32) -> i32
  %8 = call @f1(%7) : (i32) -> i32
  %9 = call @f1(%8) : (i32) -> i32
  %10 = call @f1(%9) : (i32) -> i32
  %11 = call @f1(%10) : (i32) -> i32
  %12 = call @f1(%11) : (i32) -> i32
  %13 = call @f1(%12) : (i32) -> i32
  %14 = call @f1(%13) : (i32) -> i32
  %15 = call @f1(%14) : (i32) -> i32
  %16 = call @f1(%15) : (i32) -> i32
  %17 = call @f1(%16) : (i32) -> i32
  %18 = call @f1(%17) : (i32) -> i32
  %19 = call @f1(%18) : (i32) -> i32
  %20 = call @f1(%19) : (i32) -> i32
  return %20 : i32
}
func.func private @f3(%0: i32) -> i32 {
  %1 = call @f2(%0) : (i32) -> i32
  %2 = call @f2(%1) : (i32) -> i32
  %3 = call @f2(%2) : (i32) -> i32
  %4 = call @f2(%3) : (i32) -> i32
  %5 = call @f2(%4) : (i32) -> i32
  %6 = call @f2(%5) : (i32) -> i32
  %7 = call @f2(%6) : (i32) -> i32
  %8 = call @f2(%7) : (i32) -> i32
  %9 = call @f2(%8) : (i32) -> i32
  %10 = call @f2(%9) : (i32) -> i32
  %11 = call @f2(%10) : (i32) -> i32
  %12 = call @f2(%11) : (i32) -> i32
  %13 = call @f2(%12) : (i32) -> i32
  %14 = call @f2(%13) : (i32) -> i32
  %15 = call @f2(%14) : (i32) -> i32
  %16 = call @f2(%15) : (i32) -> i32
  %17 = call @f2(%16) : (i32) -> i32
  %18 = call @f2(%17) : (i32) -> i32
  %19 = call @f2(%18) : (i32) -> i32
  %20 = call @f2(%19) : (i32) -> i32
  return %20 : i32
}
func.func private @f4(%0: i32) -> i32 {
  %1 = call @f3(%0) : (i32) -> i32
  %2 = call @f3(%1) : (i32) -> i32
  %3 = call @f3(%2) : (i32) -> i32
  %4 = call @f3(%3) : (i32) -> i32
  %5 = call @f3(%4) : (i32) -> i32
  %6 = call @f3(%5) : (i32) -> i32
  %7 = call @f3(%6) : (i32) -> i32
  %8 = call @f3(%7) : (i32) -> i32
  %9 = call @f3(%8) : (i32) -> i32
  %10 = call @f3(%9) : (i32) -> i32
  %11 = call @f3(%10) : (i32) -> i32
  %12 = call @f3(%11) : (i32) -> i32
  %13 = call @f3(%12) : (i32) -> i32
  %14 = call @f3(%13) : (i32) -> i32
  %15 = call @f3(%14) : (i32) -> i32
  %16 = call @f3(%15) : (i32) -> i32
  %17 = call @f3(%16) : (i32) -> i32
  %18 = call @f3(%17) : (i32) -> i32
  %19 = call @f3(%18) : (i32) -> i32
  %20 = call @f3(%19) : (i32) -> i32
  return %20 : i32
}
func.func private @f5(%0: i32) -> i32 {
  %1 = call @f4(%0) : (i32) -> i32
  %2 = call @f4(%1) : (i32) -> i32
  %3 = call @f4(%2) : (i32) -> i32
  %4 = call @f4(%3) : (i32) -> i32
  %5 = call @f4(%4) : (i32) -> i32
  %6 = call @f4(%5) : (i32) -> i32
  %7 = call @f4(%6) : (i32) -> i32
  %8 = call @f4(%7) : (i32) -> i32
  %9 = call @f4(%8) : (i32) -> i32
  %10 = call @f4(%9) : (i32) -> i32
  %11 = call @f4(%10) : (i32) -> i32
  %12 = call @f4(%11) : (i32) -> i32
  %13 = call @f4(%12) : (i32) -> i32
  %14 = call @f4(%13) : (i32) -> i32
  %15 = call @f4(%14) : (i32) -> i32
  %16 = call @f4(%15) : (i32) -> i32
  %17 = call @f4(%16) : (i32) -> i32
  %18 = call @f4(%17) : (i32) -> i32
  %19 = call @f4(%18) : (i32) -> i32
  %20 = call @f4(%19) : (i32) -> i32
  return %20 : i32
}
func.func private @f6(%0: i32) -> i32 {
  %1 = call @f5(%0) : (i32) -> i32
  %2 = call @f5(%1) : (i32) -> i32
  %3 = call @f5(%2) : (i32) -> i32
  %4 = call @f5(%3) : (i32) -> i32
  %5 = call @f5(%4) : (i32) -> i32
  %6 = call @f5(%5) : (i32) -> i32
  %7 = call @f5(%6) : (i32) -> i32
  %8 = call @f5(%7) : (i32) -> i32
  %9 = call @f5(%8) : (i32) -> i32
  %10 = call @f5(%9) : (i32) -> i32
  %11 = call @f5(%10) : (i32) -> i32
  %12 = call @f5(%11) : (i32) -> i32
  %13 = call @f5(%12) : (i32) -> i32
  %14 = call @f5(%13) : (i32) -> i32
  %15 = call @f5(%14) : (i32) -> i32
  %16 = call @f5(%15) : (i32) -> i32
  %17 = call @f5(%16) : (i32) -> i32
  %18 = call @f5(%17) : (i32) -> i32
  %19 = call @f5(%18) : (i32) -> i32
  %20 = call @f5(%19) : (i32) -> i32
  return %20 : i32
}
func.func @explosion(%x: i32) -> i32 {
  %0 = call @f6(%x) : (i32) -> i32
  return %0 : i32
}
