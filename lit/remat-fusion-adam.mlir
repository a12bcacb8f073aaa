// Adam as JAX libraries write it: new moments and the step counter are results beside the new weight. What is returned lies in buffers that are there
// from the start, so the fusion of the new weight, which reads both new moments, takes no room: in parts it would, and the cap, 1.1 times what the
// compiler needs unplanned, would be raised to twice that.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=9MiB fusion=xla-cpu cap-counts=temp swap=false time-limit=5" --ballast-verify --ballast-to-stablehlo -o %t.mlir 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
// QUIET-NOT: warning
// RUN: FileCheck %s --input-file %t.mlir
// CHECK: "stablehlo.dot_general"
// CHECK: "stablehlo.sqrt"
// CHECK-NOT: optimization_barrier
// CHECK: return

"func.func"() <{function_type = (tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<i32>, tensor<512x2048xf32>, tensor<512x1024xf32>) -> (tensor<2048x1024xf32>, tensor<i32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>), sym_name = "main"}> ({
^bb0(%arg0: tensor<2048x1024xf32>, %arg1: tensor<2048x1024xf32>, %arg2: tensor<2048x1024xf32>, %arg3: tensor<i32>, %arg4: tensor<512x2048xf32>, %arg5: tensor<512x1024xf32>):
  %0 = "stablehlo.transpose"(%arg4) <{permutation = array<i64: 1, 0>}> : (tensor<512x2048xf32>) -> tensor<2048x512xf32>
  %1 = "stablehlo.dot_general"(%0, %arg5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2048x512xf32>, tensor<512x1024xf32>) -> tensor<2048x1024xf32>
  %2 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
  %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %4 = "stablehlo.multiply"(%3, %arg1) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %5 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
  %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %7 = "stablehlo.multiply"(%6, %1) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %8 = "stablehlo.add"(%4, %7) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %9 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
  %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %11 = "stablehlo.multiply"(%10, %arg2) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %12 = "stablehlo.multiply"(%1, %1) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %13 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
  %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %15 = "stablehlo.multiply"(%14, %12) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %16 = "stablehlo.add"(%11, %15) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %17 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %18 = "stablehlo.add"(%arg3, %17) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %19 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
  %20 = "stablehlo.convert"(%18) : (tensor<i32>) -> tensor<f32>
  %21 = "stablehlo.power"(%19, %20) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %22 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %23 = "stablehlo.subtract"(%22, %21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %24 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
  %25 = "stablehlo.convert"(%18) : (tensor<i32>) -> tensor<f32>
  %26 = "stablehlo.power"(%24, %25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %27 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %28 = "stablehlo.subtract"(%27, %26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %29 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %30 = "stablehlo.divide"(%8, %29) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %31 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %32 = "stablehlo.divide"(%16, %31) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %33 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %35 = "stablehlo.add"(%32, %34) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %36 = "stablehlo.sqrt"(%35) : (tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %37 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
  %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %39 = "stablehlo.add"(%36, %38) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %40 = "stablehlo.divide"(%30, %39) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %41 = "stablehlo.constant"() <{value = dense<-1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
  %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2048x1024xf32>
  %43 = "stablehlo.multiply"(%42, %40) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %44 = "stablehlo.add"(%arg0, %43) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  "func.return"(%44, %18, %8, %16) : (tensor<2048x1024xf32>, tensor<i32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> ()
}) : () -> ()
