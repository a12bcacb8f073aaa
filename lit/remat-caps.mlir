// A cap that no plan keeps, because the memory sits in a loop, three products at once: said once and loudly, in the plan and in every report.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="loops=whole cap=60%% swap=false time-limit=2 plan-file=%t.json" --remarks-filter=ballast -o %t.mlir 2> %t.log
// RUN: FileCheck %s --check-prefix=LOUD --input-file=%t.log
// LOUD: remat-caps.mlir:[[#@LINE+29]]:10: warning: no memory plan keeps the cap of device 0: asked {{[0-9.]+}} MiB, used {{[0-9.]+}} MiB, least possible {{[0-9.]+}} MiB; 'stablehlo.while' binds: it is a loop, which is planned as one op, and its body alone takes 12.00 MiB at once. `--ballast-unroll` before planning opens it, so that its ops are planned one by one; else recompute inside of it (in JAX `jax.checkpoint` on the body of `lax.scan`)
// LOUD: [Missed] Cap {{.*}}no memory plan keeps the cap asked for{{.*}}op=stablehlo.while
// LOUD-NOT: warning:
// LOUD: [Missed] Remat {{.*}}nothing planned: the program is unchanged and does not fit the cap asked for{{.*}}cap_met=false
// LOUD-NOT: the unchanged program fits
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// IR: cap_met = false
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// FILE: "cap_met": false
// What verifies a plan says so once, however many passes read it after that.
// RUN: ballast-opt %t.mlir --allow-unregistered-dialect --ballast-verify --ballast-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: warning: the plan of device 0 does not keep the cap asked for: asked {{[0-9.]+}} MiB, used {{[0-9.]+}} MiB
// TABLE-NOT: warning
// TABLE: the cap asked for is not kept
// RUN: ballast-opt %t.mlir --allow-unregistered-dialect --ballast-report="format=json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE

// relax-limit=0 refuses, for the same reason.
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="loops=whole cap=60%% swap=false time-limit=2 relax-limit=0" 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: remat-caps.mlir:[[#@LINE+11]]:10: error: no memory plan of device 0 keeps its cap of {{.*}}'stablehlo.while' alone needs more
// REFUSED: note: it is a loop, which is planned as one op

// Caps of several devices are one warning.
// RUN: ballast-opt %S/remat.mlir --rl-partition="devices=2 time-limit=2 cap=1GiB" --remat="cap=2 time-limit=2 relax-limit=100" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: warning: no memory plan keeps the cap of device
// BOTH: note: at least 1 of the 1 caps raised would be so under any placement: arguments, buffers of results and one working set take
// BOTH-NOT: warning:

func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<1024x1024xf32>):
    %n = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<1024x1024xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %a = "stablehlo.dot_general"(%v, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %b = "stablehlo.dot_general"(%a, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %d = "stablehlo.dot_general"(%b, %v) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %m = "stablehlo.multiply"(%b, %d) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %c = "stablehlo.multiply"(%a, %m) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %c) : (tensor<i32>, tensor<1024x1024xf32>) -> ()
  }) : (tensor<i32>, tensor<1024x1024xf32>) -> (tensor<i32>, tensor<1024x1024xf32>)
  return %0#1 : tensor<1024x1024xf32>
}

// A share is one of what the partition given needs, and stays so many bytes when ops move: the settings say how many, and those are what is verified.
// RUN: ballast-opt %S/../tests/inputs/models/gpt2_tiny_b2_s64.mlir --allow-unregistered-dialect --rl-partition="devices=2 work-limit=60000 seed=1" --remat="cap=70%% work-limit=20000 seed=1" -o %t.moved.mlir
// RUN: FileCheck %s --check-prefix=MOVED --input-file=%t.moved.mlir
// MOVED: cap = "70%", cap_counts = "all", caps = "0:{{[0-9]+}},1:{{[0-9]+}}"
// RUN: ballast-opt %t.moved.mlir --allow-unregistered-dialect --ballast-verify -o /dev/null
// RUN: sed 's/caps = "0:/caps = "0:1/' %t.moved.mlir > %t.other.mlir
// RUN: not ballast-opt %t.other.mlir --allow-unregistered-dialect --ballast-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}requested_cap

// A loop that runs as often as a value says is none that `--ballast-unroll` opens.
// RUN: sed 's/(%%x: tensor<1024x1024xf32>) ->/(%%x: tensor<1024x1024xf32>, %%k: tensor<i32>) ->/; s/(%%i, %%n) </(%%i, %%k) </' %s > %t.uncounted.mlir
// RUN: ballast-opt %t.uncounted.mlir --allow-unregistered-dialect --remat="cap=60%% swap=false time-limit=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNCOUNTED
// UNCOUNTED: 'stablehlo.while' binds: it is a loop that runs as often as its values say, planned as one op, and its body alone takes 12.00 MiB at once. `--ballast-outline-body` takes its body out

// Nor does it open loops of other kinds.
// RUN: sed -n '/^.. BEGIN KINDS/,/^.. END KINDS/s/^.. //p' %s | grep -v KINDS > %t.kinds.mlir
// RUN: ballast-opt %t.kinds.mlir --remat="cap=70 relax-limit=9 swap=false time-limit=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHERKIND
// OTHERKIND: 'scf.while' binds: it is a loop, which is planned as one op, and its body alone takes {{.*}} at once. Written as `scf.for` or `stablehlo.while` it can be opened (`--ballast-unroll`)
// BEGIN KINDS
// func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
//   %0 = arith.constant 0 : index
//   %1 = arith.constant 1 : index
//   %3 = arith.constant 3 : index
//   %q, %r = scf.while (%n = %0, %v = %x) : (index, tensor<16xf32>) -> (index, tensor<16xf32>) {
//     %c = arith.cmpi slt, %n, %3 : index
//     scf.condition(%c) %n, %v : index, tensor<16xf32>
//   } do {
//   ^bb0(%n: index, %v: tensor<16xf32>):
//     %a = math.exp %v : tensor<16xf32>
//     %b = math.sin %a : tensor<16xf32>
//     %m = arith.addi %n, %1 : index
//     scf.yield %m, %b : index, tensor<16xf32>
//   }
//   return %r : tensor<16xf32>
// }
// END KINDS
