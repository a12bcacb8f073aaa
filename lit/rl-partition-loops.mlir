// A loop over layers is many layers: opened where one op would stand in a plan's way, left alone elsewhere.
// Four layers in a loop, two devices: the iterations are placed.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=layers" --allow-unregistered-dialect | FileCheck %s --check-prefix=PLACED
// PLACED-LABEL: func.func @layers
// PLACED-NOT: stablehlo.while
// What an iteration hands on is stored, so that none is fused with the next.
// PLACED: "stablehlo.dot_general"
// PLACED-COUNT-3: "stablehlo.optimization_barrier"
// PLACED: "stablehlo.dot_general"
// PLACED-NOT: stablehlo.optimization_barrier
// PLACED-LABEL: func.func @other
// PLACED: stablehlo.while
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=layers" --allow-unregistered-dialect --ballast-verify=function=layers -o %t.mlir
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.mlir
// BOTH-DAG: ballast.device = #ballast.device<0>
// BOTH-DAG: ballast.device = #ballast.device<1>
// RUN: ballast-opt %s --ballast-plan="devices=2 time-limit=2 function=layers" --allow-unregistered-dialect | FileCheck %s --check-prefix=PLACED

// As one op where that is asked for, and on one device, where nothing is gained.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=layers loops=whole" --allow-unregistered-dialect | FileCheck %s --check-prefix=WHOLE
// RUN: ballast-opt %s --rl-partition="devices=1 time-limit=2 function=layers" --allow-unregistered-dialect | FileCheck %s --check-prefix=WHOLE
// RUN: ballast-opt %s --remat="time-limit=2 function=layers" --allow-unregistered-dialect | FileCheck %s --check-prefix=WHOLE
// WHOLE-LABEL: func.func @layers
// WHOLE: stablehlo.while
// Opened it would be other ops, which take less; what is proved holds for the loop as it stands.
// RUN: ballast-opt %s --rl-partition="devices=1 time-limit=2 function=short" --remarks-filter=ballast --allow-unregistered-dialect -o %t.mlir 2> %t.log
// RUN: FileCheck %s --check-prefix=FASTER --input-file=%t.log
// FASTER: [Missed] LoopWhole {{.*}}least_seconds_of_program=0.00018{{[0-9]+}}, least_seconds_opened=0.000093

// A loop launches the ops of its body in every iteration, 0.9 us each: with 100 short ones it is in the way as well, and costs what they do.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=short" --allow-unregistered-dialect | FileCheck %s --check-prefix=SHORT
// SHORT-LABEL: func.func @short
// SHORT-NOT: stablehlo.while
// SHORT-LABEL: func.func @stacked
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=short loops=whole" --allow-unregistered-dialect | FileCheck %s --check-prefix=PRICE
// PRICE-LABEL: func.func @short
// PRICE: }) {ballast.cost = #ballast.cost<seconds = 1.{{[0-9]+}}E-4, flops = 52429000,

// Many loops, none of which is in the way alone, are together.
// RUN: ballast-opt %S/Inputs/several-loops.mlir --rl-partition="devices=2 time-limit=2" --allow-unregistered-dialect | FileCheck %s --check-prefix=SEVERAL
// SEVERAL-LABEL: func.func @several
// SEVERAL-NOT: stablehlo.while
// SEVERAL-COUNT-40: "stablehlo.dot_general"

// Rounds that only make elements of elements, as those of random numbers, are fused: nothing is stored between them.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=rounds" --allow-unregistered-dialect | FileCheck %s --check-prefix=ROUNDS
// ROUNDS-LABEL: func.func @rounds
// ROUNDS-NOT: stablehlo.{{while|optimization_barrier}}
// ROUNDS-COUNT-20: "stablehlo.xor"

// What a loop stacks is put together in parts on several devices, each as soon as its slices are there: 24 slices in three.
// RUN: ballast-opt %s --rl-partition="devices=2 time-limit=2 function=stacked" --allow-unregistered-dialect | FileCheck %s --check-prefix=STACK
// RUN: ballast-opt %s --ballast-unroll --allow-unregistered-dialect | FileCheck %s --check-prefix=ONCE
// STACK-LABEL: func.func @stacked
// STACK-NOT: stablehlo.while
// STACK-COUNT-8: "stablehlo.dot_general"
// STACK: %[[FIRST:.+]] = "stablehlo.concatenate"{{.*}} -> tensor<8x64x64xf32>
// STACK-COUNT-8: "stablehlo.dot_general"
// STACK: %[[SECOND:.+]] = "stablehlo.concatenate"{{.*}} -> tensor<8x64x64xf32>
// STACK-COUNT-8: "stablehlo.dot_general"
// STACK: %[[THIRD:.+]] = "stablehlo.concatenate"{{.*}} -> tensor<8x64x64xf32>
// STACK: "stablehlo.concatenate"(%[[FIRST]], %[[SECOND]], %[[THIRD]])
// ONCE-LABEL: func.func @stacked
// ONCE-COUNT-24: "stablehlo.dot_general"
// ONCE: "stablehlo.concatenate"{{.*}} -> tensor<24x64x64xf32>

// Under a cap that the program with its loop whole is over; the cap is in bytes of that program. Opened it is over it by more, 5 MiB for 4: it stays as it was.
// RUN: ballast-opt %s --remat="cap=90%% swap=false time-limit=2 function=layers" --remarks-filter=ballast --allow-unregistered-dialect -o %t.mlir 2> %t.log
// RUN: FileCheck %s --check-prefix=OPENED --input-file=%t.log
// RUN: FileCheck %s --check-prefix=CAP --input-file=%t.mlir
// So it is where all was put on one device before the cap was known.
// RUN: ballast-opt %s --rl-partition="devices=1 time-limit=2 function=layers" --remat="cap=90%% swap=false time-limit=2 function=layers" --ballast-verify="function=layers" --remarks-filter=ballast --allow-unregistered-dialect -o %t.mlir 2> %t.log
// RUN: FileCheck %s --check-prefix=OPENED --input-file=%t.log
// RUN: FileCheck %s --check-prefix=CAP --input-file=%t.mlir
// OPENED: [Passed] Unroll {{.*}}Function=layers
// OPENED-NOT: LoopWhole
// OPENED: [Passed] AsBefore {{.*}}Function=layers
// CAP-LABEL: func.func @layers
// CAP-COUNT-1: stablehlo.while
// CAP-LABEL: func.func @other
// RUN: ballast-opt %s --remat="cap=90%% swap=false time-limit=2 function=layers loops=whole" --remarks-filter=ballast --allow-unregistered-dialect -o %t.mlir 2> %t.log
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.log
// RUN: FileCheck %s --check-prefix=WHOLE --input-file=%t.mlir
// LEFT: [Missed] LoopWhole {{.*}}a loop is planned as one op

// RUN: not ballast-opt %s --rl-partition="loops=none" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: loops

func.func @layers(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<512x512xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<512x512xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %a = "stablehlo.dot_general"(%v, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %b = "stablehlo.tanh"(%a) : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %b) : (tensor<i32>, tensor<512x512xf32>) -> ()
  }) : (tensor<i32>, tensor<512x512xf32>) -> (tensor<i32>, tensor<512x512xf32>)
  %1 = "stablehlo.tanh"(%0#1) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}

func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<8xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %v) : (tensor<i32>, tensor<8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}

func.func @short(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %v: tensor<64x64xf32>):
    %n = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<64x64xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %a = "stablehlo.dot_general"(%v, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %a) : (tensor<i32>, tensor<64x64xf32>) -> ()
  }) : (tensor<i32>, tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>)
  %1 = "stablehlo.dot_general"(%0#1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

func.func @stacked(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<24x64x64xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %none = "stablehlo.constant"() <{value = dense<0.0> : tensor<24x64x64xf32>}> : () -> tensor<24x64x64xf32>
  %0:3 = "stablehlo.while"(%zero, %x, %none) ({
  ^bb0(%i: tensor<i32>, %v: tensor<64x64xf32>, %s: tensor<24x64x64xf32>):
    %n = "stablehlo.constant"() <{value = dense<24> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<64x64xf32>, %s: tensor<24x64x64xf32>):
    %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %a = "stablehlo.dot_general"(%v, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %u = "stablehlo.reshape"(%a) : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %t = "stablehlo.dynamic_update_slice"(%s, %u, %i, %z, %z) : (tensor<24x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<24x64x64xf32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %a, %t) : (tensor<i32>, tensor<64x64xf32>, tensor<24x64x64xf32>) -> ()
  }) : (tensor<i32>, tensor<64x64xf32>, tensor<24x64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>, tensor<24x64x64xf32>)
  %1 = "stablehlo.tanh"(%0#2) : (tensor<24x64x64xf32>) -> tensor<24x64x64xf32>
  return %1 : tensor<24x64x64xf32>
}

func.func @rounds(%x: tensor<256x256xi32>) -> tensor<256x256xi32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %many = "stablehlo.constant"() <{value = dense<20> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%i: tensor<i32>, %b: tensor<256x256xi32>):
    %c = "stablehlo.compare"(%i, %many) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %b: tensor<256x256xi32>):
    %d = "stablehlo.broadcast_in_dim"(%one) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<256x256xi32>
    %e = "stablehlo.shift_left"(%b, %d) : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi32>
    %f = "stablehlo.xor"(%b, %e) : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi32>
    %g = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%g, %f) : (tensor<i32>, tensor<256x256xi32>) -> ()
  }) : (tensor<i32>, tensor<256x256xi32>) -> (tensor<i32>, tensor<256x256xi32>)
  %1 = "stablehlo.dot_general"(%0#1, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi32>
  return %1 : tensor<256x256xi32>
}
