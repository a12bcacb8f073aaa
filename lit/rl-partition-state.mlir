// Ops that use one written state of the module, under whatever name they have it from, run on one device: another one would have a state of its own.
// RUN: ballast-opt %s --rl-partition="devices=2 use-all-devices work-limit=1000 seed=1" --ballast-verify -split-input-file -o %t.partition.mlir
// RUN: FileCheck %s --input-file=%t.partition.mlir

// A rule of the user's that tears them apart is refused.
// RUN: not ballast-opt %S/Inputs/state.mlir --rl-partition="devices=2 method=dp" 2>&1 | FileCheck %s --check-prefix=TORN
// TORN: state.mlir:6:{{.*}} error: placed on device 1, and 'ml_program.global_store' on device 0, though both use @state: each device would have one of its own

// CHECK-LABEL: func.func @buffer(
// CHECK: memref.get_global {{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK: bufferization.materialize_in_destination {{.*}}ballast.device = #ballast.device<[[AT]]>
// CHECK: memref.get_global {{.*}}ballast.device = #ballast.device<[[AT]]>
// CHECK: arith.mulf {{.*}}ballast.device = #ballast.device<[[AT]]>
memref.global "private" @g : memref<16xf32> = dense<0.0>
func.func @buffer(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = math.exp %x : tensor<16xf32>
  %m0 = memref.get_global @g : memref<16xf32>
  bufferization.materialize_in_destination %a in writable %m0 : (tensor<16xf32>, memref<16xf32>) -> ()
  %b = math.sin %a : tensor<16xf32>
  %c = math.cos %b : tensor<16xf32>
  %m1 = memref.get_global @g : memref<16xf32>
  %t = bufferization.to_tensor %m1 restrict : memref<16xf32> to tensor<16xf32>
  %d = arith.mulf %t, %c : tensor<16xf32>
  return %b, %d : tensor<16xf32>, tensor<16xf32>
}

// -----

// CHECK-LABEL: func.func @inside(
// CHECK: } {ballast.cost = {{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK: ml_program.global_load {{.*}}ballast.device = #ballast.device<[[AT]]>
ml_program.global private mutable @state(dense<0.0> : tensor<16xf32>) : tensor<16xf32>
func.func @inside(%x: tensor<16xf32>, %p: i1) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = math.exp %x : tensor<16xf32>
  scf.if %p {
    ml_program.global_store @state = %a : tensor<16xf32>
  }
  %b = math.sin %a : tensor<16xf32>
  %c = math.cos %b : tensor<16xf32>
  %s = ml_program.global_load @state : tensor<16xf32>
  %d = arith.mulf %s, %c : tensor<16xf32>
  return %c, %d : tensor<16xf32>, tensor<16xf32>
}

// -----

// CHECK-LABEL: func.func @variable(
// CHECK: tosa.variable_read {{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK: tosa.variable_write {{.*}}ballast.device = #ballast.device<[[AT]]>
// CHECK: tosa.variable_read {{.*}}ballast.device = #ballast.device<[[AT]]>
"tosa.variable"() <{sym_name = "v", var_shape = dense<[16]> : tensor<1xindex>, type = f32, initial_value = dense<0.0> : tensor<16xf32>}> : () -> ()
func.func @variable(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = tosa.exp %x : (tensor<16xf32>) -> tensor<16xf32>
  %1 = tosa.variable_read @v : tensor<16xf32>
  %2 = tosa.add %0, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  tosa.variable_write @v, %2 : tensor<16xf32>
  %3 = tosa.variable_read @v : tensor<16xf32>
  %4 = tosa.sin %3 : (tensor<16xf32>) -> tensor<16xf32>
  return %2, %4 : tensor<16xf32>, tensor<16xf32>
}

// -----

// State of a module inside the program's is one, whatever the program has under the same name.
// CHECK-LABEL: func.func @nested(
// CHECK: ml_program.global_store @inner::@s {{.*}}ballast.device = #ballast.device<[[AT:[01]]]>
// CHECK: ml_program.global_load @inner::@s {{.*}}ballast.device = #ballast.device<[[AT]]>
module @inner {
  ml_program.global public mutable @s(dense<0.5> : tensor<16xf32>) : tensor<16xf32>
}
ml_program.global private @s(dense<0.5> : tensor<16xf32>) : tensor<16xf32>
func.func @nested(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = math.exp %x : tensor<16xf32>
  ml_program.global_store @inner::@s = %a : tensor<16xf32>
  %b = math.sin %a : tensor<16xf32>
  %c = math.cos %b : tensor<16xf32>
  %l = ml_program.global_load @inner::@s : tensor<16xf32>
  %d = arith.mulf %l, %c : tensor<16xf32>
  return %d, %b : tensor<16xf32>, tensor<16xf32>
}

// -----

// What nobody writes, each device has for itself.
// CHECK-LABEL: func.func @constant(
// CHECK: memref.get_global {{.*}}ballast.device = #ballast.device<0>
// CHECK: memref.get_global {{.*}}ballast.device = #ballast.device<1>
memref.global "private" constant @table : memref<16xf32> = dense<3.0>
func.func @constant(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %m0 = memref.get_global @table : memref<16xf32> {ballast.device = #ballast.device<0>}
  %t0 = bufferization.to_tensor %m0 restrict : memref<16xf32> to tensor<16xf32>
  %a = arith.mulf %t0, %x {ballast.device = #ballast.device<0>} : tensor<16xf32>
  %m1 = memref.get_global @table : memref<16xf32> {ballast.device = #ballast.device<1>}
  %t1 = bufferization.to_tensor %m1 restrict : memref<16xf32> to tensor<16xf32>
  %b = arith.mulf %t1, %x {ballast.device = #ballast.device<1>} : tensor<16xf32>
  return %a, %b : tensor<16xf32>, tensor<16xf32>
}
