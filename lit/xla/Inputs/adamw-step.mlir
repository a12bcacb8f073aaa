"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{tf.aliasing_output = 1 : i32}, {tf.aliasing_output = 2 : i32}, {tf.aliasing_output = 3 : i32}, {tf.aliasing_output = 4 : i32}, {tf.aliasing_output = 5 : i32}, {tf.aliasing_output = 6 : i32}, {}, {}, {}], function_type = (tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<i32>, tensor<64x16xf32>, tensor<64x8xf32>) -> (tensor<f32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x32xf32>, tensor<32x8xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]['w1']"}, {jax.result_info = "result[1]['w2']"}, {jax.result_info = "result[2]['w1']"}, {jax.result_info = "result[2]['w2']"}, {jax.result_info = "result[3]['w1']"}, {jax.result_info = "result[3]['w2']"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x32xf32>, %arg1: tensor<32x8xf32>, %arg2: tensor<16x32xf32>, %arg3: tensor<32x8xf32>, %arg4: tensor<16x32xf32>, %arg5: tensor<32x8xf32>, %arg6: tensor<i32>, %arg7: tensor<64x16xf32>, %arg8: tensor<64x8xf32>):
    %0 = "stablehlo.dot_general"(%arg7, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x16xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
    %1 = "stablehlo.tanh"(%0) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    %2 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x32xf32>
    %4 = "stablehlo.subtract"(%3, %1) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %5 = "stablehlo.dot_general"(%1, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x32xf32>, tensor<32x8xf32>) -> tensor<64x8xf32>
    %6 = "stablehlo.subtract"(%5, %arg8) : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
    %7 = "stablehlo.multiply"(%6, %6) : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
    %8 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x8xf32>
    %10 = "stablehlo.multiply"(%9, %6) : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.reduce"(%7, %11) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %111 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%111) : (tensor<f32>) -> ()
    }) : (tensor<64x8xf32>, tensor<f32>) -> tensor<f32>
    %13 = "stablehlo.constant"() <{value = dense<5.120000e+02> : tensor<f32>}> : () -> tensor<f32>
    %14 = "stablehlo.divide"(%12, %13) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %15 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.constant"() <{value = dense<5.120000e+02> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.divide"(%15, %16) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x8xf32>
    %19 = "stablehlo.multiply"(%18, %10) : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
    %20 = "stablehlo.dot_general"(%19, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x8xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    %21 = "stablehlo.transpose"(%20) <{permutation = array<i64: 1, 0>}> : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %22 = "stablehlo.dot_general"(%19, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x8xf32>, tensor<32x8xf32>) -> tensor<64x32xf32>
    %23 = "stablehlo.multiply"(%22, %4) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %24 = "stablehlo.multiply"(%23, %1) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %25 = "stablehlo.add"(%23, %24) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %26 = "stablehlo.dot_general"(%25, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<64x32xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
    %27 = "stablehlo.transpose"(%26) <{permutation = array<i64: 1, 0>}> : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %28 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %29 = "stablehlo.add"(%arg6, %28) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %30 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %32 = "stablehlo.multiply"(%31, %arg2) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %33 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %35 = "stablehlo.multiply"(%34, %27) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %36 = "stablehlo.add"(%32, %35) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %37 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %39 = "stablehlo.multiply"(%38, %arg3) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %40 = "stablehlo.constant"() <{value = dense<1.000000e-01> : tensor<f32>}> : () -> tensor<f32>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %42 = "stablehlo.multiply"(%41, %21) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %43 = "stablehlo.add"(%39, %42) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %44 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %46 = "stablehlo.multiply"(%45, %arg4) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %47 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %48 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %49 = "stablehlo.multiply"(%48, %27) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %50 = "stablehlo.multiply"(%49, %27) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %51 = "stablehlo.add"(%46, %50) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %52 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %53 = "stablehlo.broadcast_in_dim"(%52) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %54 = "stablehlo.multiply"(%53, %arg5) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %55 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %57 = "stablehlo.multiply"(%56, %21) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %58 = "stablehlo.multiply"(%57, %21) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %59 = "stablehlo.add"(%54, %58) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %60 = "stablehlo.convert"(%29) : (tensor<i32>) -> tensor<f32>
    %61 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %62 = "stablehlo.power"(%61, %60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %63 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %64 = "stablehlo.subtract"(%63, %62) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %65 = "stablehlo.broadcast_in_dim"(%64) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %66 = "stablehlo.divide"(%36, %65) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %67 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %68 = "stablehlo.power"(%67, %60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %69 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %70 = "stablehlo.subtract"(%69, %68) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %71 = "stablehlo.broadcast_in_dim"(%70) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %72 = "stablehlo.divide"(%51, %71) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %73 = "stablehlo.sqrt"(%72) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %74 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %75 = "stablehlo.broadcast_in_dim"(%74) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %76 = "stablehlo.add"(%73, %75) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %77 = "stablehlo.divide"(%66, %76) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %78 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %79 = "stablehlo.broadcast_in_dim"(%78) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %80 = "stablehlo.multiply"(%79, %arg0) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %81 = "stablehlo.add"(%77, %80) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %82 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %83 = "stablehlo.broadcast_in_dim"(%82) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %84 = "stablehlo.multiply"(%83, %81) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %85 = "stablehlo.subtract"(%arg0, %84) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %86 = "stablehlo.constant"() <{value = dense<0.899999976> : tensor<f32>}> : () -> tensor<f32>
    %87 = "stablehlo.power"(%86, %60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %88 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %89 = "stablehlo.subtract"(%88, %87) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %91 = "stablehlo.divide"(%43, %90) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %92 = "stablehlo.constant"() <{value = dense<9.990000e-01> : tensor<f32>}> : () -> tensor<f32>
    %93 = "stablehlo.power"(%92, %60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %94 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %95 = "stablehlo.subtract"(%94, %93) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %96 = "stablehlo.broadcast_in_dim"(%95) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %97 = "stablehlo.divide"(%59, %96) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %98 = "stablehlo.sqrt"(%97) : (tensor<32x8xf32>) -> tensor<32x8xf32>
    %99 = "stablehlo.constant"() <{value = dense<9.99999993E-9> : tensor<f32>}> : () -> tensor<f32>
    %100 = "stablehlo.broadcast_in_dim"(%99) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %101 = "stablehlo.add"(%98, %100) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %102 = "stablehlo.divide"(%91, %101) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %103 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %104 = "stablehlo.broadcast_in_dim"(%103) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %105 = "stablehlo.multiply"(%104, %arg1) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %106 = "stablehlo.add"(%102, %105) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %107 = "stablehlo.constant"() <{value = dense<1.000000e-03> : tensor<f32>}> : () -> tensor<f32>
    %108 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %109 = "stablehlo.multiply"(%108, %106) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %110 = "stablehlo.subtract"(%arg1, %109) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    "func.return"(%14, %85, %110, %36, %43, %51, %59) : (tensor<f32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x32xf32>, tensor<32x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()

