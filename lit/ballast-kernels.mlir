// RUN: ballast-opt %s --ballast-kernels -split-input-file | FileCheck %s
// RUN: ballast-opt %s --ballast-kernels=keep=all -split-input-file | FileCheck %s
// RUN: ballast-opt %s --ballast-kernels=keep=program -split-input-file | FileCheck %s --check-prefix=PROGRAM
// RUN: ballast-opt %s --ballast-kernels=keep=kernels -split-input-file | FileCheck %s --check-prefix=KERNELS

// PROGRAM-LABEL: func.func @equal_ops_share_a_function_and_constants_go_along(
// PROGRAM: call @[[FILL:ballast_kernel_[0-9a-f]+]]
// PROGRAM-NEXT: call @[[FILL]]
// PROGRAM: func.func private @[[FILL]](memref<4xf32>){{$}}
// PROGRAM-NOT: linalg.fill
// KERNELS-NOT: @equal_ops_share_a_function_and_constants_go_along
// KERNELS: func.func @ballast_kernel_{{[0-9a-f]+}}(%{{.+}}: memref<4xf32>) {
// KERNELS: linalg.fill

// CHECK-LABEL: func.func @equal_ops_share_a_function_and_constants_go_along(
// CHECK-SAME: %[[A:.+]]: memref<4xf32>, %[[B:.+]]: memref<4xf32>)
// CHECK: call @ballast_kernel0(%[[A]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: call @ballast_kernel0(%[[B]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: call @ballast_kernel1(%[[A]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: return
// CHECK: func.func private @ballast_kernel0(%[[X:.+]]: memref<4xf32>) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]} {
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[ZERO]] : f32) outs(%[[X]] : memref<4xf32>)
// CHECK: func.func private @ballast_kernel1(
// CHECK: arith.constant 1.000000e+00 : f32
func.func @equal_ops_share_a_function_and_constants_go_along(%a: memref<4xf32>, %b: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<4xf32>)
  linalg.fill ins(%one : f32) outs(%a : memref<4xf32>)
  return
}

// -----

// An op in place has one argument less than one that writes elsewhere: they are not the same.
// CHECK-LABEL: func.func @a_buffer_read_and_written_is_one_argument
// CHECK: %[[B:.+]] = memref.alloc()
// CHECK: call @ballast_kernel0(%{{.*}}, %[[B]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK: call @ballast_kernel1(%[[B]]) : (memref<4xf32>) -> ()
// CHECK: memref.copy %[[B]]
// CHECK: memref.dealloc %[[B]]
func.func @a_buffer_read_and_written_is_one_argument(%a: memref<4xf32>) {
  %b = memref.alloc() : memref<4xf32>
  linalg.map { math.exp } ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  linalg.map { math.exp } ins(%b : memref<4xf32>) outs(%b : memref<4xf32>)
  memref.copy %b, %a : memref<4xf32> to memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @values_of_regions_are_captured_and_results_returned
// CHECK: %[[N:.+]] = memref.dim
// CHECK: %[[SUM:.+]] = call @ballast_kernel0(%[[N]], %{{.*}}) : (index, memref<?xf32>) -> f32
// CHECK-NEXT: return %[[SUM]] : f32
// CHECK: func.func private @ballast_kernel0(%[[N:.+]]: index, %[[X:.+]]: memref<?xf32>) -> f32
// CHECK: %[[S:.+]] = scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK: memref.load %[[X]]
// CHECK: return %[[S]] : f32
func.func @values_of_regions_are_captured_and_results_returned(%x: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// -----

// CHECK-LABEL: func.func @a_loop_of_structured_ops_stays_and_they_go
// CHECK: scf.for
// CHECK: %[[T:.+]] = memref.alloc()
// CHECK: call @ballast_kernel1(%[[T]])
// CHECK: memref.dealloc %[[T]]
// CHECK: func.func private @ballast_kernel0()
// CHECK: func.func private @ballast_kernel1(
// CHECK-NOT: @ballast_kernel2
func.func @a_loop_of_structured_ops_stays_and_they_go(%n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<4xf32>
    linalg.fill ins(%zero : f32) outs(%t : memref<4xf32>)
    memref.dealloc %t : memref<4xf32>
  }
  return
}
func.func private @ballast_kernel0()

// -----

// CHECK-LABEL: func.func @a_strided_copy_is_a_loop_and_a_copy_of_bytes_stays
// CHECK: call @ballast_kernel0(%{{.*}}, %{{.*}}) : (memref<2x2xf32>, memref<2x2xf32, strided<[4, 1]>>) -> ()
// CHECK-NEXT: memref.copy
// CHECK-NEXT: return
// CHECK: func.func private @ballast_kernel0
// CHECK: linalg.copy ins(%{{.*}} : memref<2x2xf32>) outs(%{{.*}} : memref<2x2xf32, strided<[4, 1]>>)
func.func @a_strided_copy_is_a_loop_and_a_copy_of_bytes_stays(%a: memref<2x2xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  %part = memref.subview %b[0, 0] [2, 2] [1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[4, 1]>>
  memref.copy %a, %part : memref<2x2xf32> to memref<2x2xf32, strided<[4, 1]>>
  memref.copy %b, %c : memref<4x4xf32> to memref<4x4xf32>
  return
}
