// Complex results are compared by their two parts, small integers and floats widened, and a call of LAPACK runs: 128, 64, 64 and 64 numbers, of a positive definite
// matrix none of which is undefined.
// REQUIRES: xla
// RUN: ballast run %s %s --backend xla --python %python --json - | FileCheck %s
// CHECK: "results": 4,
// CHECK: "elements": 320,
// CHECK-NEXT: "both_nan": 0,
// CHECK-NEXT: "identical": true

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<8x8xcomplex<f32>>, tensor<8x8xi4>, tensor<8x8xf8E4M3FN>) -> (tensor<8x8xcomplex<f32>>, tensor<8x8xi4>, tensor<8x8xf8E4M3FN>, tensor<8x8xf32>), sym_name = "main"}> ({
  ^bb0(%a: tensor<8x8xcomplex<f32>>, %b: tensor<8x8xi4>, %c: tensor<8x8xf8E4M3FN>):
    %0 = "stablehlo.multiply"(%a, %a) : (tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
    %1 = "stablehlo.add"(%b, %b) : (tensor<8x8xi4>, tensor<8x8xi4>) -> tensor<8x8xi4>
    %2 = "stablehlo.convert"(%c) : (tensor<8x8xf8E4M3FN>) -> tensor<8x8xf32>
    %3 = "stablehlo.multiply"(%2, %2) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = "stablehlo.convert"(%3) : (tensor<8x8xf32>) -> tensor<8x8xf8E4M3FN>
    %i = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8x8xi32>
    %j = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x8xi32>
    %5 = "stablehlo.compare"(%i, %j) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %6 = "stablehlo.convert"(%5) : (tensor<8x8xi1>) -> tensor<8x8xf32>
    %7:2 = "stablehlo.custom_call"(%6) <{api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, call_target_name = "lapack_spotrf_ffi", has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<i32>)
    "func.return"(%0, %1, %4, %7#0) : (tensor<8x8xcomplex<f32>>, tensor<8x8xi4>, tensor<8x8xf8E4M3FN>, tensor<8x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
