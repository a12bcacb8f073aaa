// What ops, loops and what they hold beside their operands are taken for.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=1GB solver=keep-all fusion=none cap-counts=temp loops=whole" -split-input-file 2> %t.warnings | FileCheck %s

// A slice is written into the stack that is carried: there is no second one beside it, only the number that counts, and the next one is written over it.
// CHECK-LABEL: func.func @a_stack_is_written_in_place(
// CHECK-SAME: unplanned_peak = 4,
func.func @a_stack_is_written_in_place(%s: tensor<100x64xf32>, %x: tensor<1x64xf32>) -> tensor<100x64xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %n = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %s) ({
  ^bb0(%i: tensor<i32>, %v: tensor<100x64xf32>):
    %c = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<100x64xf32>):
    %1 = "stablehlo.dynamic_update_slice"(%v, %x, %i, %zero) : (tensor<100x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<100x64xf32>
    %2 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%2, %1) : (tensor<i32>, tensor<100x64xf32>) -> ()
  }) : (tensor<i32>, tensor<100x64xf32>) -> (tensor<i32>, tensor<100x64xf32>)
  return %r#1 : tensor<100x64xf32>
}

// -----

// The first of three decompositions of 1024 bytes is there until the sum, which reads it through another shape. Beside them is the counter.
// CHECK-LABEL: func.func @what_is_viewed_lives_on(
// CHECK-SAME: unplanned_peak = 3076,
func.func @what_is_viewed_lives_on(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %n = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %a) ({
  ^bb0(%i: tensor<i32>, %x: tensor<16x16xf32>):
    %p = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %x: tensor<16x16xf32>):
    %d = "stablehlo.cholesky"(%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %v = "stablehlo.reshape"(%d) : (tensor<16x16xf32>) -> tensor<256xf32>
    %e = "stablehlo.cholesky"(%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %f = "stablehlo.cholesky"(%e) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %w = "stablehlo.reshape"(%v) : (tensor<256xf32>) -> tensor<16x16xf32>
    %q = "stablehlo.add"(%w, %f) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %q) : (tensor<i32>, tensor<16x16xf32>) -> ()
  }) : (tensor<i32>, tensor<16x16xf32>) -> (tensor<i32>, tensor<16x16xf32>)
  return %r#1 : tensor<16x16xf32>
}

// -----

// A loop hands on 4000 bytes that nobody reads behind it: they lie where they were, and so does the sum. A slice of 32 bytes and a counter are there.
// CHECK-LABEL: func.func @what_is_handed_on_takes_no_memory(
// CHECK-SAME: unplanned_peak = 36,
func.func @what_is_handed_on_takes_no_memory(%a: tensor<8xf32>, %b: tensor<1000xf32>) -> tensor<8xf32> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %n = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %a, %b) ({
  ^bb0(%i: tensor<i32>, %x: tensor<8xf32>, %y: tensor<1000xf32>):
    %p = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %x: tensor<8xf32>, %y: tensor<1000xf32>):
    %s = "stablehlo.slice"(%y) <{start_indices = array<i64: 0>, limit_indices = array<i64: 8>, strides = array<i64: 1>}> : (tensor<1000xf32>) -> tensor<8xf32>
    %q = "stablehlo.add"(%x, %s) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %q, %y) : (tensor<i32>, tensor<8xf32>, tensor<1000xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>, tensor<1000xf32>) -> (tensor<i32>, tensor<8xf32>, tensor<1000xf32>)
  return %r#1 : tensor<8xf32>
}

// -----

// Running sums of 1000 are made in ten steps of twice the length, not of windows of 1000: eleven joins for each element.
// CHECK-LABEL: func.func @running_sums(
// CHECK: flops = 22000,
func.func @running_sums(%a: tensor<2x1000xf32>) -> tensor<2x1000xf32> {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [999, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1000>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x1000xf32>, tensor<f32>) -> tensor<2x1000xf32>
  return %r : tensor<2x1000xf32>
}

// -----

// CHECK-LABEL: func.func @running_sums_from_the_end(
// CHECK: flops = 22000,
func.func @running_sums_from_the_end(%a: tensor<2x1000xf32>) -> tensor<2x1000xf32> {
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [0, 999]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1000>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x1000xf32>, tensor<f32>) -> tensor<2x1000xf32>
  return %r : tensor<2x1000xf32>
}

// -----

// What nobody else reads is written in place: indices, and what is there, is added and is written. An argument is copied.
// CHECK-LABEL: func.func @scattered(
// CHECK: "stablehlo.scatter"
// CHECK: flops = 0, bytes = 500>
// CHECK: "stablehlo.scatter"
// CHECK: flops = 0, bytes = 6580>
func.func @scattered(%a: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) -> (tensor<100x8xf32>, tensor<100x8xf32>) {
  %m = "stablehlo.cholesky"(%a) : (tensor<100x8xf32>) -> tensor<100x8xf32>
  %r = "stablehlo.scatter"(%m, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%q) : (tensor<f32>) -> ()
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  %s = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    "stablehlo.return"(%q) : (tensor<f32>) -> ()
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return %r, %s : tensor<100x8xf32>, tensor<100x8xf32>
}

// -----

// A view of what somebody else reads is no copy of it: an update of a reshaped argument, or of a reshaped value with other readers, reads and writes all
// of 4096 bytes, and reads update and index. What nobody but the view reads is written in place.
// CHECK-LABEL: func.func @updated_through_a_view(
// CHECK: "stablehlo.dynamic_update_slice"
// CHECK-SAME: bytes = 8324>
// CHECK: "stablehlo.dynamic_update_slice"
// CHECK-SAME: bytes = 8324>
// CHECK: "stablehlo.dynamic_update_slice"
// CHECK-SAME: bytes = 256>
func.func @updated_through_a_view(%a: tensor<32x32xf32>, %u: tensor<32xf32>, %i: tensor<i32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<32x32xf32>) {
  %v = "stablehlo.reshape"(%a) : (tensor<32x32xf32>) -> tensor<1024xf32>
  %0 = "stablehlo.dynamic_update_slice"(%v, %u, %i) : (tensor<1024xf32>, tensor<32xf32>, tensor<i32>) -> tensor<1024xf32>
  %b = "stablehlo.cholesky"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %w = "stablehlo.reshape"(%b) : (tensor<32x32xf32>) -> tensor<1024xf32>
  %1 = "stablehlo.dynamic_update_slice"(%w, %u, %i) : (tensor<1024xf32>, tensor<32xf32>, tensor<i32>) -> tensor<1024xf32>
  %c = "stablehlo.cholesky"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %x = "stablehlo.reshape"(%c) : (tensor<32x32xf32>) -> tensor<1024xf32>
  %2 = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<1024xf32>, tensor<32xf32>, tensor<i32>) -> tensor<1024xf32>
  return %0, %1, %2, %b : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<32x32xf32>
}

// -----

// A hundred iterations of 128 operations, one comparison and one sum.
// CHECK-LABEL: func.func @up_to_and_with_the_last(
// CHECK: flops = 13000,
func.func @up_to_and_with_the_last(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %from = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %to = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%from, %a) ({
  ^bb0(%i: tensor<i32>, %x: tensor<4x4xf32>):
    %p = "stablehlo.compare"(%i, %to) <{comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %x: tensor<4x4xf32>):
    %d = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %j = "stablehlo.add"(%i, %from) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %d) : (tensor<i32>, tensor<4x4xf32>) -> ()
  }) : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
  return %r#1 : tensor<4x4xf32>
}

// -----

// 9, 7, 5, 3, 1.
// CHECK-LABEL: func.func @counted_down(
// CHECK: flops = 650,
func.func @counted_down(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %from = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%from, %a) ({
  ^bb0(%i: tensor<i32>, %x: tensor<4x4xf32>):
    %to = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %p = "stablehlo.compare"(%i, %to) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %x: tensor<4x4xf32>):
    %d = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %two = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %j = "stablehlo.subtract"(%i, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%j, %d) : (tensor<i32>, tensor<4x4xf32>) -> ()
  }) : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
  return %r#1 : tensor<4x4xf32>
}

// -----

// Bounds that are arguments: one iteration is counted, of eight exponentials.
// CHECK-LABEL: func.func @iterations_nobody_knows(
// CHECK: scf.forall (%{{.*}}) in (%{{.*}})
// CHECK: flops = 8, bytes = 64>
// CHECK: scf.forall (%{{.*}}) = (%{{.*}}) to (4)
// CHECK: flops = 8, bytes = 64>
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: flops = 32, bytes = 256>
func.func @iterations_nobody_knows(%a: tensor<4x8xf32>, %n: index) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%o = %e) -> tensor<4x8xf32> {
    %s = tensor.extract_slice %a[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %t = math.exp %s : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  %1 = scf.forall (%i) = (%n) to (4) step (1) shared_outs(%o = %e) -> tensor<4x8xf32> {
    %s = tensor.extract_slice %a[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %t = math.exp %s : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  %2 = scf.forall (%i) in (4) shared_outs(%o = %e) -> tensor<4x8xf32> {
    %s = tensor.extract_slice %a[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %t = math.exp %s : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A product by its letters; one of complex numbers, which are four real products each; eight bits and back, element by element.
// CHECK-LABEL: func.func @products_and_elements(
// CHECK: "stablehlo.einsum"({{.*}} flops = 60, bytes = 124>
// CHECK: "stablehlo.dot_general"({{.*}} flops = 240, bytes = 248>
// CHECK: "stablehlo.uniform_quantize"({{.*}} flops = 6, bytes = 30>
// CHECK: "stablehlo.uniform_dequantize"({{.*}} flops = 6, bytes = 30>
func.func @products_and_elements(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<2x3xcomplex<f32>>, %d: tensor<3x5xcomplex<f32>>) -> (tensor<2x5xf32>, tensor<2x5xcomplex<f32>>, tensor<2x3xf32>) {
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ij,jk->ik"}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1 = "stablehlo.dot_general"(%c, %d) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xcomplex<f32>>, tensor<3x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  %q = "stablehlo.uniform_quantize"(%a) : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.1>>
  %2 = "stablehlo.uniform_dequantize"(%q) : (tensor<2x3x!quant.uniform<i8:f32, 0.1>>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x5xf32>, tensor<2x5xcomplex<f32>>, tensor<2x3xf32>
}

// -----

// What says where a value lies, or how, is the value.
// CHECK-LABEL: func.func @annotations_are_views(
// CHECK: "sdy.sharding_constraint"({{.*}}> {ballast.device = #ballast.device<0>} :
// CHECK: "stablehlo.custom_call"({{.*}}> {ballast.device = #ballast.device<0>} :
func.func @annotations_are_views(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.tanh"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"x"}]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.custom_call"(%1) <{call_target_name = "LayoutConstraint"}> : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
