// A program as `jax.jit(f).lower(...).as_text()` prints it: fit has it written in generic form first.
// REQUIRES: xla
// RUN: ballast fit %s --cap 80%% --tries 2 --remat "swap=false time-limit=2 seed=1" --python %python -o %t.mlir > %t.json
// RUN: FileCheck %s --check-prefix=FIT < %t.json
// RUN: FileCheck %s < %t.mlir
// RUN: ballast run %s %t.mlir --backend xla --python %python
// FIT: "chosen": {{[0-9]}}
// CHECK: "stablehlo.tanh"({{.*}}ballast.recompute
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x64xf32>, %arg1: tensor<2048x64xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<64x64xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
    %1 = stablehlo.tanh %0 : tensor<2048x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2048x64xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<2048x64xf32>
    %4 = stablehlo.dot_general %1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
    %5 = stablehlo.tanh %4 : tensor<2048x64xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2048x64xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<2048x64xf32>
    %8 = stablehlo.dot_general %5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
    %9 = stablehlo.tanh %8 : tensor<2048x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2048x64xf32>
    %11 = stablehlo.subtract %10, %9 : tensor<2048x64xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<2048x64xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2048x64xf32>
    %14 = stablehlo.multiply %13, %11 : tensor<2048x64xf32>
    %15 = stablehlo.multiply %14, %9 : tensor<2048x64xf32>
    %16 = stablehlo.add %14, %15 : tensor<2048x64xf32>
    %17 = stablehlo.dot_general %16, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<64x64xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %19 = stablehlo.dot_general %16, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
    %20 = stablehlo.multiply %19, %7 : tensor<2048x64xf32>
    %21 = stablehlo.multiply %20, %5 : tensor<2048x64xf32>
    %22 = stablehlo.add %20, %21 : tensor<2048x64xf32>
    %23 = stablehlo.dot_general %22, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<64x64xf32>
    %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %25 = stablehlo.add %18, %24 : tensor<64x64xf32>
    %26 = stablehlo.dot_general %22, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
    %27 = stablehlo.multiply %26, %3 : tensor<2048x64xf32>
    %28 = stablehlo.multiply %27, %1 : tensor<2048x64xf32>
    %29 = stablehlo.add %27, %28 : tensor<2048x64xf32>
    %30 = stablehlo.dot_general %29, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<64x64xf32>
    %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %32 = stablehlo.add %25, %31 : tensor<64x64xf32>
    return %12, %32 : tensor<f32>, tensor<64x64xf32>
  }
}
