"builtin.module"() ({
  "func.func"() <{function_type = (tensor<256x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<2x64xi64>, tensor<2x64xi64>) -> (tensor<256x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<256x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<192x64xf32>, %arg7: tensor<192xf32>, %arg8: tensor<64x64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<256x64xf32>, %arg11: tensor<256xf32>, %arg12: tensor<64x256xf32>, %arg13: tensor<64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<64xf32>, %arg16: tensor<64xf32>, %arg17: tensor<64xf32>, %arg18: tensor<192x64xf32>, %arg19: tensor<192xf32>, %arg20: tensor<64x64xf32>, %arg21: tensor<64xf32>, %arg22: tensor<256x64xf32>, %arg23: tensor<256xf32>, %arg24: tensor<64x256xf32>, %arg25: tensor<64xf32>, %arg26: tensor<64xf32>, %arg27: tensor<64xf32>, %arg28: tensor<2x64xi64>, %arg29: tensor<2x64xi64>):
    %0 = "stablehlo.constant"() <{value = dense<-1> : tensor<2x64xi64>}> : () -> tensor<2x64xi64>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<256xi64>}> : () -> tensor<256xi64>
    %2 = "stablehlo.constant"() <{value = dense<1> : tensor<256xi64>}> : () -> tensor<256xi64>
    %3 = "stablehlo.constant"() <{value = dense<256> : tensor<i64>}> : () -> tensor<i64>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<64xi64>}> : () -> tensor<64xi64>
    %5 = "stablehlo.constant"() <{value = dense<1> : tensor<64xi64>}> : () -> tensor<64xi64>
    %6 = "stablehlo.constant"() <{value = dense<64> : tensor<i64>}> : () -> tensor<i64>
    %7 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<256x64xf32>}> : () -> tensor<256x64xf32>
    %8 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<2x64x256xf32>}> : () -> tensor<2x64x256xf32>
    %11 = "stablehlo.constant"() <{value = dense<-3.40282347E+38> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %13 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %14 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2x64x256xf32>}> : () -> tensor<2x64x256xf32>
    %16 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<2x64x256xf32>}> : () -> tensor<2x64x256xf32>
    %17 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<2x64x256xf32>}> : () -> tensor<2x64x256xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.636619746> : tensor<2x64x256xf32>}> : () -> tensor<2x64x256xf32>
    %19 = "stablehlo.constant"() <{value = dense<4.471500e-02> : tensor<2x64x256xf32>}> : () -> tensor<2x64x256xf32>
    %20 = "arith.constant"() <{value = dense<64> : tensor<1xi64>}> : () -> tensor<1xi64>
    %21 = "arith.constant"() <{value = dense<1.000000e-05> : tensor<1xf64>}> : () -> tensor<1xf64>
    %22 = "arith.constant"() <{value = dense<1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %23 = "arith.constant"() <{value = dense<4.000000e+00> : tensor<1xf64>}> : () -> tensor<1xf64>
    %24 = "arith.constant"() <{value = dense<128> : tensor<1xi64>}> : () -> tensor<1xi64>
    %25 = "arith.constant"() <{value = dense<4.471500e-02> : tensor<1xf64>}> : () -> tensor<1xf64>
    %26 = "arith.constant"() <{value = dense<0.79788456080286541> : tensor<1xf64>}> : () -> tensor<1xf64>
    %27 = "arith.constant"() <{value = dense<5.000000e-01> : tensor<1xf64>}> : () -> tensor<1xf64>
    %28 = "arith.constant"() <{value = dense<1.341450e-01> : tensor<1xf64>}> : () -> tensor<1xf64>
    %29 = "arith.constant"() <{value = dense<1.000000e-02> : tensor<1xf64>}> : () -> tensor<1xf64>
    %30 = "stablehlo.gather"(%arg0, %arg28) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<256x64xf32>, tensor<2x64xi64>) -> tensor<2x64x64xf32>
    %31 = "stablehlo.convert"(%30) : (tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %32 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<64x64xf32>) -> tensor<2x64x64xf32>
    %33 = "stablehlo.add"(%31, %32) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %34 = "stablehlo.convert"(%33) : (tensor<2x64x64xf32>) -> tensor<2x64x64xf64>
    %35 = "stablehlo.reduce"(%34, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg138: tensor<f64>, %arg139: tensor<f64>):
      %831 = "stablehlo.add"(%arg138, %arg139) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%831) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %36 = "stablehlo.reshape"(%35) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %37 = "stablehlo.convert"(%20) : (tensor<1xi64>) -> tensor<1xf64>
    %38 = "stablehlo.reshape"(%37) : (tensor<1xf64>) -> tensor<f64>
    %39 = "stablehlo.broadcast_in_dim"(%38) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x64x1xf64>
    %40 = "stablehlo.divide"(%36, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %41 = "stablehlo.broadcast_in_dim"(%40) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf64>) -> tensor<2x64x64xf64>
    %42 = "stablehlo.subtract"(%34, %41) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %43 = "stablehlo.multiply"(%42, %42) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %44 = "stablehlo.reduce"(%43, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg136: tensor<f64>, %arg137: tensor<f64>):
      %830 = "stablehlo.add"(%arg136, %arg137) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%830) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %45 = "stablehlo.reshape"(%44) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %46 = "stablehlo.divide"(%45, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %47 = "stablehlo.convert"(%46) : (tensor<2x64x1xf64>) -> tensor<2x64x1xf32>
    %48 = "stablehlo.reduce"(%33, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg134: tensor<f32>, %arg135: tensor<f32>):
      %829 = "stablehlo.add"(%arg134, %arg135) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%829) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %49 = "stablehlo.reshape"(%48) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %50 = "stablehlo.convert"(%20) : (tensor<1xi64>) -> tensor<1xf32>
    %51 = "stablehlo.reshape"(%50) : (tensor<1xf32>) -> tensor<f32>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x1xf32>
    %53 = "stablehlo.divide"(%49, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %54 = "stablehlo.convert"(%21) : (tensor<1xf64>) -> tensor<1xf32>
    %55 = "stablehlo.reshape"(%54) : (tensor<1xf32>) -> tensor<f32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x1xf32>
    %57 = "stablehlo.add"(%47, %56) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %58 = "stablehlo.rsqrt"(%57) : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %59 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %60 = "stablehlo.subtract"(%33, %59) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %61 = "stablehlo.broadcast_in_dim"(%58) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %62 = "stablehlo.multiply"(%60, %61) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %63 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %64 = "stablehlo.multiply"(%62, %63) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %65 = "stablehlo.broadcast_in_dim"(%arg3) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %66 = "stablehlo.add"(%64, %65) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %67 = "stablehlo.reshape"(%66) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %68 = "stablehlo.transpose"(%arg6) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %69 = "stablehlo.dot_general"(%67, %68) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x192xf32>) -> tensor<128x192xf32>
    %70 = "stablehlo.convert"(%22) : (tensor<1xi64>) -> tensor<1xf32>
    %71 = "stablehlo.reshape"(%70) : (tensor<1xf32>) -> tensor<f32>
    %72 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<128x192xf32>
    %73 = "stablehlo.multiply"(%69, %72) : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xf32>
    %74 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<192xf32>
    %75 = "stablehlo.multiply"(%arg7, %74) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %76 = "stablehlo.broadcast_in_dim"(%75) <{broadcast_dimensions = array<i64: 1>}> : (tensor<192xf32>) -> tensor<128x192xf32>
    %77 = "stablehlo.add"(%73, %76) : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xf32>
    %78 = "stablehlo.reshape"(%77) : (tensor<128x192xf32>) -> tensor<2x64x192xf32>
    %79 = "stablehlo.reshape"(%78) : (tensor<2x64x192xf32>) -> tensor<2x64x3x4x16xf32>
    %80 = "stablehlo.transpose"(%79) <{permutation = array<i64: 2, 0, 3, 1, 4>}> : (tensor<2x64x3x4x16xf32>) -> tensor<3x2x4x64x16xf32>
    %81 = "stablehlo.slice"(%80) <{limit_indices = array<i64: 1, 2, 4, 64, 16>, start_indices = array<i64: 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<3x2x4x64x16xf32>) -> tensor<1x2x4x64x16xf32>
    %82 = "stablehlo.slice"(%80) <{limit_indices = array<i64: 2, 2, 4, 64, 16>, start_indices = array<i64: 1, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<3x2x4x64x16xf32>) -> tensor<1x2x4x64x16xf32>
    %83 = "stablehlo.slice"(%80) <{limit_indices = array<i64: 3, 2, 4, 64, 16>, start_indices = array<i64: 2, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<3x2x4x64x16xf32>) -> tensor<1x2x4x64x16xf32>
    %84 = "stablehlo.reshape"(%81) : (tensor<1x2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
    %85 = "stablehlo.reshape"(%82) : (tensor<1x2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
    %86 = "stablehlo.reshape"(%83) : (tensor<1x2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
    %87 = "stablehlo.transpose"(%85) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x4x64x16xf32>) -> tensor<2x4x16x64xf32>
    %88 = "stablehlo.reshape"(%84) : (tensor<2x4x64x16xf32>) -> tensor<8x64x16xf32>
    %89 = "stablehlo.reshape"(%87) : (tensor<2x4x16x64xf32>) -> tensor<8x16x64xf32>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %91 = "stablehlo.dot_general"(%88, %90) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x16xf32>, tensor<8x16x64xf32>) -> tensor<8x64x64xf32>
    %92 = "stablehlo.reshape"(%91) : (tensor<8x64x64xf32>) -> tensor<2x4x64x64xf32>
    %93 = "stablehlo.convert"(%23) : (tensor<1xf64>) -> tensor<1xf32>
    %94 = "stablehlo.reshape"(%93) : (tensor<1xf32>) -> tensor<f32>
    %95 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x64x64xf32>
    %96 = "stablehlo.divide"(%92, %95) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %97 = "stablehlo.convert"(%12) : (tensor<i64>) -> tensor<f64>
    %98 = "stablehlo.convert"(%6) : (tensor<i64>) -> tensor<f64>
    %99 = "stablehlo.divide"(%98, %97) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %100 = "stablehlo.ceil"(%99) : (tensor<f64>) -> tensor<f64>
    %101 = "stablehlo.convert"(%100) : (tensor<f64>) -> tensor<i64>
    %102 = "stablehlo.reshape"(%101) : (tensor<i64>) -> tensor<1xi64>
    %103 = "stablehlo.dynamic_iota"(%102) <{iota_dimension = 0 : i64}> : (tensor<1xi64>) -> tensor<64xi64>
    %104 = "stablehlo.multiply"(%103, %5) : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi64>
    %105 = "stablehlo.add"(%104, %4) : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi64>
    %106 = "stablehlo.reshape"(%105) : (tensor<64xi64>) -> tensor<1x64xi64>
    %107 = "stablehlo.reshape"(%105) : (tensor<64xi64>) -> tensor<64x1xi64>
    %108 = "stablehlo.broadcast_in_dim"(%106) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x64xi64>) -> tensor<64x64xi64>
    %109 = "stablehlo.broadcast_in_dim"(%107) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<64x1xi64>) -> tensor<64x64xi64>
    %110 = "stablehlo.compare"(%108, %109) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<64x64xi64>, tensor<64x64xi64>) -> tensor<64x64xi1>
    %111 = "stablehlo.reshape"(%110) : (tensor<64x64xi1>) -> tensor<1x1x64x64xi1>
    %112 = "stablehlo.broadcast_in_dim"(%111) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x64x64xi1>) -> tensor<2x4x64x64xi1>
    %113 = "stablehlo.broadcast_in_dim"(%96) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %114 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x64x64xf32>
    %115 = "stablehlo.select"(%112, %113, %114) : (tensor<2x4x64x64xi1>, tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %116 = "stablehlo.reduce"(%115, %14) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg132: tensor<f32>, %arg133: tensor<f32>):
      %828 = "stablehlo.maximum"(%arg132, %arg133) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%828) : (tensor<f32>) -> ()
    }) : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64xf32>
    %117 = "stablehlo.reshape"(%116) : (tensor<2x4x64xf32>) -> tensor<2x4x64x1xf32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x1xf32>) -> tensor<2x4x64x64xf32>
    %119 = "stablehlo.subtract"(%115, %118) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %120 = "stablehlo.exponential"(%119) : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %121 = "stablehlo.reduce"(%120, %8) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg130: tensor<f32>, %arg131: tensor<f32>):
      %827 = "stablehlo.add"(%arg130, %arg131) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%827) : (tensor<f32>) -> ()
    }) : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64xf32>
    %122 = "stablehlo.reshape"(%121) : (tensor<2x4x64xf32>) -> tensor<2x4x64x1xf32>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x1xf32>) -> tensor<2x4x64x64xf32>
    %124 = "stablehlo.divide"(%120, %123) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %125 = "stablehlo.reshape"(%124) : (tensor<2x4x64x64xf32>) -> tensor<8x64x64xf32>
    %126 = "stablehlo.reshape"(%86) : (tensor<2x4x64x16xf32>) -> tensor<8x64x16xf32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %128 = "stablehlo.dot_general"(%125, %127) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x64xf32>, tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %129 = "stablehlo.reshape"(%128) : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %130 = "stablehlo.transpose"(%129) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x4x64x16xf32>) -> tensor<2x64x4x16xf32>
    %131 = "stablehlo.reshape"(%130) : (tensor<2x64x4x16xf32>) -> tensor<2x64x64xf32>
    %132 = "stablehlo.reshape"(%131) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %133 = "stablehlo.transpose"(%arg8) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %134 = "stablehlo.dot_general"(%132, %133) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %135 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<128x64xf32>
    %136 = "stablehlo.multiply"(%134, %135) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %137 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %138 = "stablehlo.multiply"(%arg9, %137) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %139 = "stablehlo.broadcast_in_dim"(%138) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> tensor<128x64xf32>
    %140 = "stablehlo.add"(%136, %139) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %141 = "stablehlo.reshape"(%140) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %142 = "stablehlo.add"(%33, %141) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %143 = "stablehlo.convert"(%142) : (tensor<2x64x64xf32>) -> tensor<2x64x64xf64>
    %144 = "stablehlo.reduce"(%143, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg128: tensor<f64>, %arg129: tensor<f64>):
      %826 = "stablehlo.add"(%arg128, %arg129) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%826) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %145 = "stablehlo.reshape"(%144) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %146 = "stablehlo.divide"(%145, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %147 = "stablehlo.broadcast_in_dim"(%146) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf64>) -> tensor<2x64x64xf64>
    %148 = "stablehlo.subtract"(%143, %147) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %149 = "stablehlo.multiply"(%148, %148) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %150 = "stablehlo.reduce"(%149, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg126: tensor<f64>, %arg127: tensor<f64>):
      %825 = "stablehlo.add"(%arg126, %arg127) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%825) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %151 = "stablehlo.reshape"(%150) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %152 = "stablehlo.divide"(%151, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %153 = "stablehlo.convert"(%152) : (tensor<2x64x1xf64>) -> tensor<2x64x1xf32>
    %154 = "stablehlo.reduce"(%142, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg124: tensor<f32>, %arg125: tensor<f32>):
      %824 = "stablehlo.add"(%arg124, %arg125) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%824) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %155 = "stablehlo.reshape"(%154) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %156 = "stablehlo.divide"(%155, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %157 = "stablehlo.add"(%153, %56) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %158 = "stablehlo.rsqrt"(%157) : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %159 = "stablehlo.broadcast_in_dim"(%156) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %160 = "stablehlo.subtract"(%142, %159) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %161 = "stablehlo.broadcast_in_dim"(%158) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %162 = "stablehlo.multiply"(%160, %161) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %163 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %164 = "stablehlo.multiply"(%162, %163) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %165 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %166 = "stablehlo.add"(%164, %165) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %167 = "stablehlo.reshape"(%166) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %168 = "stablehlo.transpose"(%arg10) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %169 = "stablehlo.dot_general"(%167, %168) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    %170 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<128x256xf32>
    %171 = "stablehlo.multiply"(%169, %170) : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>
    %172 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %173 = "stablehlo.multiply"(%arg11, %172) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %174 = "stablehlo.broadcast_in_dim"(%173) <{broadcast_dimensions = array<i64: 1>}> : (tensor<256xf32>) -> tensor<128x256xf32>
    %175 = "stablehlo.add"(%171, %174) : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>
    %176 = "stablehlo.reshape"(%175) : (tensor<128x256xf32>) -> tensor<2x64x256xf32>
    %177 = "stablehlo.multiply"(%176, %17) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %178 = "stablehlo.sqrt"(%18) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %179 = "stablehlo.power"(%176, %16) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %180 = "stablehlo.multiply"(%19, %179) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %181 = "stablehlo.add"(%176, %180) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %182 = "stablehlo.multiply"(%178, %181) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %183 = "stablehlo.tanh"(%182) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %184 = "stablehlo.add"(%183, %15) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %185 = "stablehlo.multiply"(%184, %177) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %186 = "stablehlo.reshape"(%185) : (tensor<2x64x256xf32>) -> tensor<128x256xf32>
    %187 = "stablehlo.transpose"(%arg12) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %188 = "stablehlo.dot_general"(%186, %187) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
    %189 = "stablehlo.multiply"(%188, %135) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %190 = "stablehlo.multiply"(%arg13, %137) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %191 = "stablehlo.broadcast_in_dim"(%190) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> tensor<128x64xf32>
    %192 = "stablehlo.add"(%189, %191) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %193 = "stablehlo.reshape"(%192) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %194 = "stablehlo.add"(%142, %193) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %195 = "stablehlo.convert"(%194) : (tensor<2x64x64xf32>) -> tensor<2x64x64xf64>
    %196 = "stablehlo.reduce"(%195, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg122: tensor<f64>, %arg123: tensor<f64>):
      %823 = "stablehlo.add"(%arg122, %arg123) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%823) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %197 = "stablehlo.reshape"(%196) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %198 = "stablehlo.divide"(%197, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %199 = "stablehlo.broadcast_in_dim"(%198) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf64>) -> tensor<2x64x64xf64>
    %200 = "stablehlo.subtract"(%195, %199) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %201 = "stablehlo.multiply"(%200, %200) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %202 = "stablehlo.reduce"(%201, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg120: tensor<f64>, %arg121: tensor<f64>):
      %822 = "stablehlo.add"(%arg120, %arg121) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%822) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %203 = "stablehlo.reshape"(%202) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %204 = "stablehlo.divide"(%203, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %205 = "stablehlo.convert"(%204) : (tensor<2x64x1xf64>) -> tensor<2x64x1xf32>
    %206 = "stablehlo.reduce"(%194, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg118: tensor<f32>, %arg119: tensor<f32>):
      %821 = "stablehlo.add"(%arg118, %arg119) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%821) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %207 = "stablehlo.reshape"(%206) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %208 = "stablehlo.divide"(%207, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %209 = "stablehlo.add"(%205, %56) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %210 = "stablehlo.rsqrt"(%209) : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %211 = "stablehlo.broadcast_in_dim"(%208) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %212 = "stablehlo.subtract"(%194, %211) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %213 = "stablehlo.broadcast_in_dim"(%210) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %214 = "stablehlo.multiply"(%212, %213) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %215 = "stablehlo.broadcast_in_dim"(%arg14) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %216 = "stablehlo.multiply"(%214, %215) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %217 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %218 = "stablehlo.add"(%216, %217) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %219 = "stablehlo.reshape"(%218) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %220 = "stablehlo.transpose"(%arg18) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %221 = "stablehlo.dot_general"(%219, %220) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x192xf32>) -> tensor<128x192xf32>
    %222 = "stablehlo.multiply"(%221, %72) : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xf32>
    %223 = "stablehlo.multiply"(%arg19, %74) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %224 = "stablehlo.broadcast_in_dim"(%223) <{broadcast_dimensions = array<i64: 1>}> : (tensor<192xf32>) -> tensor<128x192xf32>
    %225 = "stablehlo.add"(%222, %224) : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xf32>
    %226 = "stablehlo.reshape"(%225) : (tensor<128x192xf32>) -> tensor<2x64x192xf32>
    %227 = "stablehlo.reshape"(%226) : (tensor<2x64x192xf32>) -> tensor<2x64x3x4x16xf32>
    %228 = "stablehlo.transpose"(%227) <{permutation = array<i64: 2, 0, 3, 1, 4>}> : (tensor<2x64x3x4x16xf32>) -> tensor<3x2x4x64x16xf32>
    %229 = "stablehlo.slice"(%228) <{limit_indices = array<i64: 1, 2, 4, 64, 16>, start_indices = array<i64: 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<3x2x4x64x16xf32>) -> tensor<1x2x4x64x16xf32>
    %230 = "stablehlo.slice"(%228) <{limit_indices = array<i64: 2, 2, 4, 64, 16>, start_indices = array<i64: 1, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<3x2x4x64x16xf32>) -> tensor<1x2x4x64x16xf32>
    %231 = "stablehlo.slice"(%228) <{limit_indices = array<i64: 3, 2, 4, 64, 16>, start_indices = array<i64: 2, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>}> : (tensor<3x2x4x64x16xf32>) -> tensor<1x2x4x64x16xf32>
    %232 = "stablehlo.reshape"(%229) : (tensor<1x2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
    %233 = "stablehlo.reshape"(%230) : (tensor<1x2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
    %234 = "stablehlo.reshape"(%231) : (tensor<1x2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
    %235 = "stablehlo.transpose"(%233) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x4x64x16xf32>) -> tensor<2x4x16x64xf32>
    %236 = "stablehlo.reshape"(%232) : (tensor<2x4x64x16xf32>) -> tensor<8x64x16xf32>
    %237 = "stablehlo.reshape"(%235) : (tensor<2x4x16x64xf32>) -> tensor<8x16x64xf32>
    %238 = "stablehlo.broadcast_in_dim"(%237) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %239 = "stablehlo.dot_general"(%236, %238) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x16xf32>, tensor<8x16x64xf32>) -> tensor<8x64x64xf32>
    %240 = "stablehlo.reshape"(%239) : (tensor<8x64x64xf32>) -> tensor<2x4x64x64xf32>
    %241 = "stablehlo.divide"(%240, %95) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %242 = "stablehlo.broadcast_in_dim"(%241) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %243 = "stablehlo.select"(%112, %242, %114) : (tensor<2x4x64x64xi1>, tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %244 = "stablehlo.reduce"(%243, %14) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg116: tensor<f32>, %arg117: tensor<f32>):
      %820 = "stablehlo.maximum"(%arg116, %arg117) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%820) : (tensor<f32>) -> ()
    }) : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64xf32>
    %245 = "stablehlo.reshape"(%244) : (tensor<2x4x64xf32>) -> tensor<2x4x64x1xf32>
    %246 = "stablehlo.broadcast_in_dim"(%245) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x1xf32>) -> tensor<2x4x64x64xf32>
    %247 = "stablehlo.subtract"(%243, %246) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %248 = "stablehlo.exponential"(%247) : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %249 = "stablehlo.reduce"(%248, %8) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg114: tensor<f32>, %arg115: tensor<f32>):
      %819 = "stablehlo.add"(%arg114, %arg115) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%819) : (tensor<f32>) -> ()
    }) : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64xf32>
    %250 = "stablehlo.reshape"(%249) : (tensor<2x4x64xf32>) -> tensor<2x4x64x1xf32>
    %251 = "stablehlo.broadcast_in_dim"(%250) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x1xf32>) -> tensor<2x4x64x64xf32>
    %252 = "stablehlo.divide"(%248, %251) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %253 = "stablehlo.reshape"(%252) : (tensor<2x4x64x64xf32>) -> tensor<8x64x64xf32>
    %254 = "stablehlo.reshape"(%234) : (tensor<2x4x64x16xf32>) -> tensor<8x64x16xf32>
    %255 = "stablehlo.broadcast_in_dim"(%254) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %256 = "stablehlo.dot_general"(%253, %255) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x64xf32>, tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %257 = "stablehlo.reshape"(%256) : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %258 = "stablehlo.transpose"(%257) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x4x64x16xf32>) -> tensor<2x64x4x16xf32>
    %259 = "stablehlo.reshape"(%258) : (tensor<2x64x4x16xf32>) -> tensor<2x64x64xf32>
    %260 = "stablehlo.reshape"(%259) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %261 = "stablehlo.transpose"(%arg20) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %262 = "stablehlo.dot_general"(%260, %261) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %263 = "stablehlo.multiply"(%262, %135) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %264 = "stablehlo.multiply"(%arg21, %137) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %265 = "stablehlo.broadcast_in_dim"(%264) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> tensor<128x64xf32>
    %266 = "stablehlo.add"(%263, %265) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %267 = "stablehlo.reshape"(%266) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %268 = "stablehlo.add"(%194, %267) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %269 = "stablehlo.convert"(%268) : (tensor<2x64x64xf32>) -> tensor<2x64x64xf64>
    %270 = "stablehlo.reduce"(%269, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg112: tensor<f64>, %arg113: tensor<f64>):
      %818 = "stablehlo.add"(%arg112, %arg113) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%818) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %271 = "stablehlo.reshape"(%270) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %272 = "stablehlo.divide"(%271, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %273 = "stablehlo.broadcast_in_dim"(%272) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf64>) -> tensor<2x64x64xf64>
    %274 = "stablehlo.subtract"(%269, %273) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %275 = "stablehlo.multiply"(%274, %274) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %276 = "stablehlo.reduce"(%275, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg110: tensor<f64>, %arg111: tensor<f64>):
      %817 = "stablehlo.add"(%arg110, %arg111) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%817) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %277 = "stablehlo.reshape"(%276) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %278 = "stablehlo.divide"(%277, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %279 = "stablehlo.convert"(%278) : (tensor<2x64x1xf64>) -> tensor<2x64x1xf32>
    %280 = "stablehlo.reduce"(%268, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg108: tensor<f32>, %arg109: tensor<f32>):
      %816 = "stablehlo.add"(%arg108, %arg109) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%816) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %281 = "stablehlo.reshape"(%280) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %282 = "stablehlo.divide"(%281, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %283 = "stablehlo.add"(%279, %56) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %284 = "stablehlo.rsqrt"(%283) : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %285 = "stablehlo.broadcast_in_dim"(%282) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %286 = "stablehlo.subtract"(%268, %285) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %287 = "stablehlo.broadcast_in_dim"(%284) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %288 = "stablehlo.multiply"(%286, %287) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %289 = "stablehlo.broadcast_in_dim"(%arg16) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %290 = "stablehlo.multiply"(%288, %289) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %291 = "stablehlo.broadcast_in_dim"(%arg17) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %292 = "stablehlo.add"(%290, %291) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %293 = "stablehlo.reshape"(%292) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %294 = "stablehlo.transpose"(%arg22) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %295 = "stablehlo.dot_general"(%293, %294) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    %296 = "stablehlo.multiply"(%295, %170) : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>
    %297 = "stablehlo.multiply"(%arg23, %172) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %298 = "stablehlo.broadcast_in_dim"(%297) <{broadcast_dimensions = array<i64: 1>}> : (tensor<256xf32>) -> tensor<128x256xf32>
    %299 = "stablehlo.add"(%296, %298) : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>
    %300 = "stablehlo.reshape"(%299) : (tensor<128x256xf32>) -> tensor<2x64x256xf32>
    %301 = "stablehlo.multiply"(%300, %17) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %302 = "stablehlo.power"(%300, %16) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %303 = "stablehlo.multiply"(%19, %302) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %304 = "stablehlo.add"(%300, %303) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %305 = "stablehlo.multiply"(%178, %304) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %306 = "stablehlo.tanh"(%305) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %307 = "stablehlo.add"(%306, %15) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %308 = "stablehlo.multiply"(%307, %301) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %309 = "stablehlo.reshape"(%308) : (tensor<2x64x256xf32>) -> tensor<128x256xf32>
    %310 = "stablehlo.transpose"(%arg24) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %311 = "stablehlo.dot_general"(%309, %310) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
    %312 = "stablehlo.multiply"(%311, %135) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %313 = "stablehlo.multiply"(%arg25, %137) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %314 = "stablehlo.broadcast_in_dim"(%313) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> tensor<128x64xf32>
    %315 = "stablehlo.add"(%312, %314) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %316 = "stablehlo.reshape"(%315) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %317 = "stablehlo.add"(%268, %316) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %318 = "stablehlo.convert"(%317) : (tensor<2x64x64xf32>) -> tensor<2x64x64xf64>
    %319 = "stablehlo.reduce"(%318, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg106: tensor<f64>, %arg107: tensor<f64>):
      %815 = "stablehlo.add"(%arg106, %arg107) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%815) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %320 = "stablehlo.reshape"(%319) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %321 = "stablehlo.divide"(%320, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %322 = "stablehlo.broadcast_in_dim"(%321) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf64>) -> tensor<2x64x64xf64>
    %323 = "stablehlo.subtract"(%318, %322) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %324 = "stablehlo.multiply"(%323, %323) : (tensor<2x64x64xf64>, tensor<2x64x64xf64>) -> tensor<2x64x64xf64>
    %325 = "stablehlo.reduce"(%324, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg104: tensor<f64>, %arg105: tensor<f64>):
      %814 = "stablehlo.add"(%arg104, %arg105) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%814) : (tensor<f64>) -> ()
    }) : (tensor<2x64x64xf64>, tensor<f64>) -> tensor<2x64xf64>
    %326 = "stablehlo.reshape"(%325) : (tensor<2x64xf64>) -> tensor<2x64x1xf64>
    %327 = "stablehlo.divide"(%326, %39) : (tensor<2x64x1xf64>, tensor<2x64x1xf64>) -> tensor<2x64x1xf64>
    %328 = "stablehlo.convert"(%327) : (tensor<2x64x1xf64>) -> tensor<2x64x1xf32>
    %329 = "stablehlo.reduce"(%317, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg102: tensor<f32>, %arg103: tensor<f32>):
      %813 = "stablehlo.add"(%arg102, %arg103) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%813) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %330 = "stablehlo.reshape"(%329) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %331 = "stablehlo.divide"(%330, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %332 = "stablehlo.add"(%328, %56) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %333 = "stablehlo.rsqrt"(%332) : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %334 = "stablehlo.broadcast_in_dim"(%331) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %335 = "stablehlo.subtract"(%317, %334) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %336 = "stablehlo.broadcast_in_dim"(%333) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %337 = "stablehlo.multiply"(%335, %336) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %338 = "stablehlo.broadcast_in_dim"(%arg26) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %339 = "stablehlo.multiply"(%337, %338) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %340 = "stablehlo.broadcast_in_dim"(%arg27) <{broadcast_dimensions = array<i64: 2>}> : (tensor<64xf32>) -> tensor<2x64x64xf32>
    %341 = "stablehlo.add"(%339, %340) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %342 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %343 = "stablehlo.reshape"(%341) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %344 = "stablehlo.dot_general"(%343, %342) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    %345 = "stablehlo.reshape"(%344) : (tensor<128x256xf32>) -> tensor<2x64x256xf32>
    %346 = "stablehlo.reshape"(%arg29) : (tensor<2x64xi64>) -> tensor<2x64x1xi64>
    %347 = "stablehlo.convert"(%3) : (tensor<i64>) -> tensor<f64>
    %348 = "stablehlo.divide"(%347, %97) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %349 = "stablehlo.ceil"(%348) : (tensor<f64>) -> tensor<f64>
    %350 = "stablehlo.convert"(%349) : (tensor<f64>) -> tensor<i64>
    %351 = "stablehlo.reshape"(%350) : (tensor<i64>) -> tensor<1xi64>
    %352 = "stablehlo.dynamic_iota"(%351) <{iota_dimension = 0 : i64}> : (tensor<1xi64>) -> tensor<256xi64>
    %353 = "stablehlo.multiply"(%352, %2) : (tensor<256xi64>, tensor<256xi64>) -> tensor<256xi64>
    %354 = "stablehlo.add"(%353, %1) : (tensor<256xi64>, tensor<256xi64>) -> tensor<256xi64>
    %355 = "stablehlo.broadcast_in_dim"(%346) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xi64>) -> tensor<2x64x256xi64>
    %356 = "stablehlo.broadcast_in_dim"(%354) <{broadcast_dimensions = array<i64: 2>}> : (tensor<256xi64>) -> tensor<2x64x256xi64>
    %357 = "stablehlo.compare"(%355, %356) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2x64x256xi64>, tensor<2x64x256xi64>) -> tensor<2x64x256xi1>
    %358 = "stablehlo.reduce"(%345, %14) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg100: tensor<f32>, %arg101: tensor<f32>):
      %812 = "stablehlo.maximum"(%arg100, %arg101) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%812) : (tensor<f32>) -> ()
    }) : (tensor<2x64x256xf32>, tensor<f32>) -> tensor<2x64xf32>
    %359 = "stablehlo.reshape"(%358) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %360 = "stablehlo.broadcast_in_dim"(%359) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x256xf32>
    %361 = "stablehlo.subtract"(%345, %360) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %362 = "stablehlo.exponential"(%361) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %363 = "stablehlo.reduce"(%362, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg98: tensor<f32>, %arg99: tensor<f32>):
      %811 = "stablehlo.add"(%arg98, %arg99) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%811) : (tensor<f32>) -> ()
    }) : (tensor<2x64x256xf32>, tensor<f32>) -> tensor<2x64xf32>
    %364 = "stablehlo.reshape"(%363) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %365 = "stablehlo.log"(%364) : (tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %366 = "stablehlo.broadcast_in_dim"(%365) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x256xf32>
    %367 = "stablehlo.subtract"(%361, %366) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %368 = "stablehlo.broadcast_in_dim"(%357) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x256xi1>) -> tensor<2x64x256xi1>
    %369 = "stablehlo.broadcast_in_dim"(%367) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %370 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %371 = "stablehlo.select"(%368, %369, %370) : (tensor<2x64x256xi1>, tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %372 = "stablehlo.reduce"(%371, %8) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg96: tensor<f32>, %arg97: tensor<f32>):
      %810 = "stablehlo.add"(%arg96, %arg97) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%810) : (tensor<f32>) -> ()
    }) : (tensor<2x64x256xf32>, tensor<f32>) -> tensor<f32>
    %373 = "stablehlo.negate"(%372) : (tensor<f32>) -> tensor<f32>
    %374 = "stablehlo.convert"(%24) : (tensor<1xi64>) -> tensor<1xf32>
    %375 = "stablehlo.reshape"(%374) : (tensor<1xf32>) -> tensor<f32>
    %376 = "stablehlo.divide"(%373, %375) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %377 = "stablehlo.divide"(%9, %375) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %378 = "stablehlo.negate"(%377) : (tensor<f32>) -> tensor<f32>
    %379 = "stablehlo.broadcast_in_dim"(%378) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %380 = "stablehlo.broadcast_in_dim"(%379) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %381 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %382 = "stablehlo.select"(%368, %380, %381) : (tensor<2x64x256xi1>, tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %383 = "stablehlo.exponential"(%367) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %384 = "stablehlo.reduce"(%382, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg94: tensor<f32>, %arg95: tensor<f32>):
      %809 = "stablehlo.add"(%arg94, %arg95) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%809) : (tensor<f32>) -> ()
    }) : (tensor<2x64x256xf32>, tensor<f32>) -> tensor<2x64xf32>
    %385 = "stablehlo.reshape"(%384) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %386 = "stablehlo.broadcast_in_dim"(%385) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x256xf32>
    %387 = "stablehlo.multiply"(%383, %386) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %388 = "stablehlo.subtract"(%382, %387) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %389 = "stablehlo.reshape"(%388) : (tensor<2x64x256xf32>) -> tensor<128x256xf32>
    %390 = "stablehlo.transpose"(%389) <{permutation = array<i64: 1, 0>}> : (tensor<128x256xf32>) -> tensor<256x128xf32>
    %391 = "stablehlo.dot_general"(%390, %343) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x128xf32>, tensor<128x64xf32>) -> tensor<256x64xf32>
    %392 = "stablehlo.transpose"(%391) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %393 = "stablehlo.transpose"(%342) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %394 = "stablehlo.dot_general"(%389, %393) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
    %395 = "stablehlo.reshape"(%394) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %396 = "stablehlo.transpose"(%392) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %397 = "stablehlo.multiply"(%395, %338) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %398 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x64xf32>
    %399 = "stablehlo.multiply"(%397, %398) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %400 = "stablehlo.reduce"(%397, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg92: tensor<f32>, %arg93: tensor<f32>):
      %808 = "stablehlo.add"(%arg92, %arg93) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%808) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %401 = "stablehlo.reshape"(%400) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %402 = "stablehlo.multiply"(%397, %337) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %403 = "stablehlo.reduce"(%402, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg90: tensor<f32>, %arg91: tensor<f32>):
      %807 = "stablehlo.add"(%arg90, %arg91) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%807) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %404 = "stablehlo.reshape"(%403) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %405 = "stablehlo.broadcast_in_dim"(%404) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %406 = "stablehlo.multiply"(%337, %405) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %407 = "stablehlo.broadcast_in_dim"(%401) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %408 = "stablehlo.subtract"(%399, %407) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %409 = "stablehlo.subtract"(%408, %406) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %410 = "stablehlo.divide"(%333, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %411 = "stablehlo.broadcast_in_dim"(%410) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %412 = "stablehlo.multiply"(%411, %409) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %413 = "stablehlo.multiply"(%395, %337) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %414 = "stablehlo.reduce"(%413, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg88: tensor<f32>, %arg89: tensor<f32>):
      %806 = "stablehlo.add"(%arg88, %arg89) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%806) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %415 = "stablehlo.reduce"(%395, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg86: tensor<f32>, %arg87: tensor<f32>):
      %805 = "stablehlo.add"(%arg86, %arg87) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%805) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %416 = "stablehlo.reshape"(%412) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %417 = "stablehlo.transpose"(%310) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %418 = "stablehlo.dot_general"(%416, %417) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    %419 = "stablehlo.transpose"(%416) <{permutation = array<i64: 1, 0>}> : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %420 = "stablehlo.dot_general"(%419, %309) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    %421 = "stablehlo.transpose"(%420) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %422 = "stablehlo.reduce"(%416, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg84: tensor<f32>, %arg85: tensor<f32>):
      %804 = "stablehlo.add"(%arg84, %arg85) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%804) : (tensor<f32>) -> ()
    }) : (tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>
    %423 = "stablehlo.reshape"(%422) : (tensor<64xf32>) -> tensor<1x64xf32>
    %424 = "stablehlo.reshape"(%423) : (tensor<1x64xf32>) -> tensor<64xf32>
    %425 = "stablehlo.transpose"(%421) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %426 = "stablehlo.reshape"(%418) : (tensor<128x256xf32>) -> tensor<2x64x256xf32>
    %427 = "stablehlo.multiply"(%300, %300) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %428 = "stablehlo.multiply"(%427, %300) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %429 = "stablehlo.convert"(%25) : (tensor<1xf64>) -> tensor<1xf32>
    %430 = "stablehlo.reshape"(%429) : (tensor<1xf32>) -> tensor<f32>
    %431 = "stablehlo.broadcast_in_dim"(%430) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %432 = "stablehlo.multiply"(%428, %431) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %433 = "stablehlo.add"(%300, %432) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %434 = "stablehlo.convert"(%26) : (tensor<1xf64>) -> tensor<1xf32>
    %435 = "stablehlo.reshape"(%434) : (tensor<1xf32>) -> tensor<f32>
    %436 = "stablehlo.broadcast_in_dim"(%435) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %437 = "stablehlo.multiply"(%433, %436) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %438 = "stablehlo.tanh"(%437) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %439 = "stablehlo.convert"(%27) : (tensor<1xf64>) -> tensor<1xf32>
    %440 = "stablehlo.reshape"(%439) : (tensor<1xf32>) -> tensor<f32>
    %441 = "stablehlo.broadcast_in_dim"(%440) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %442 = "stablehlo.multiply"(%300, %441) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %443 = "stablehlo.broadcast_in_dim"(%71) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %444 = "stablehlo.add"(%438, %443) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %445 = "stablehlo.multiply"(%444, %441) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %446 = "stablehlo.multiply"(%438, %438) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %447 = "stablehlo.convert"(%12) : (tensor<i64>) -> tensor<f32>
    %448 = "stablehlo.broadcast_in_dim"(%447) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %449 = "stablehlo.subtract"(%448, %446) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %450 = "stablehlo.convert"(%28) : (tensor<1xf64>) -> tensor<1xf32>
    %451 = "stablehlo.reshape"(%450) : (tensor<1xf32>) -> tensor<f32>
    %452 = "stablehlo.broadcast_in_dim"(%451) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x256xf32>
    %453 = "stablehlo.multiply"(%427, %452) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %454 = "stablehlo.add"(%453, %443) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %455 = "stablehlo.multiply"(%454, %436) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %456 = "stablehlo.multiply"(%442, %449) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %457 = "stablehlo.multiply"(%456, %455) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %458 = "stablehlo.add"(%445, %457) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %459 = "stablehlo.multiply"(%426, %458) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %460 = "stablehlo.reshape"(%459) : (tensor<2x64x256xf32>) -> tensor<128x256xf32>
    %461 = "stablehlo.transpose"(%294) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %462 = "stablehlo.dot_general"(%460, %461) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
    %463 = "stablehlo.transpose"(%460) <{permutation = array<i64: 1, 0>}> : (tensor<128x256xf32>) -> tensor<256x128xf32>
    %464 = "stablehlo.dot_general"(%463, %293) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x128xf32>, tensor<128x64xf32>) -> tensor<256x64xf32>
    %465 = "stablehlo.transpose"(%464) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %466 = "stablehlo.reduce"(%460, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg82: tensor<f32>, %arg83: tensor<f32>):
      %803 = "stablehlo.add"(%arg82, %arg83) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%803) : (tensor<f32>) -> ()
    }) : (tensor<128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %467 = "stablehlo.reshape"(%466) : (tensor<256xf32>) -> tensor<1x256xf32>
    %468 = "stablehlo.reshape"(%467) : (tensor<1x256xf32>) -> tensor<256xf32>
    %469 = "stablehlo.transpose"(%465) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %470 = "stablehlo.reshape"(%462) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %471 = "stablehlo.multiply"(%470, %289) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %472 = "stablehlo.multiply"(%471, %398) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %473 = "stablehlo.reduce"(%471, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg80: tensor<f32>, %arg81: tensor<f32>):
      %802 = "stablehlo.add"(%arg80, %arg81) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%802) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %474 = "stablehlo.reshape"(%473) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %475 = "stablehlo.multiply"(%471, %288) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %476 = "stablehlo.reduce"(%475, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg78: tensor<f32>, %arg79: tensor<f32>):
      %801 = "stablehlo.add"(%arg78, %arg79) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%801) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %477 = "stablehlo.reshape"(%476) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %478 = "stablehlo.broadcast_in_dim"(%477) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %479 = "stablehlo.multiply"(%288, %478) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %480 = "stablehlo.broadcast_in_dim"(%474) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %481 = "stablehlo.subtract"(%472, %480) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %482 = "stablehlo.subtract"(%481, %479) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %483 = "stablehlo.divide"(%284, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %484 = "stablehlo.broadcast_in_dim"(%483) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %485 = "stablehlo.multiply"(%484, %482) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %486 = "stablehlo.multiply"(%470, %288) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %487 = "stablehlo.reduce"(%486, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg76: tensor<f32>, %arg77: tensor<f32>):
      %800 = "stablehlo.add"(%arg76, %arg77) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%800) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %488 = "stablehlo.reduce"(%470, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg74: tensor<f32>, %arg75: tensor<f32>):
      %799 = "stablehlo.add"(%arg74, %arg75) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%799) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %489 = "stablehlo.add"(%412, %485) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %490 = "stablehlo.reshape"(%489) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %491 = "stablehlo.transpose"(%261) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %492 = "stablehlo.dot_general"(%490, %491) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %493 = "stablehlo.transpose"(%490) <{permutation = array<i64: 1, 0>}> : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %494 = "stablehlo.dot_general"(%493, %260) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
    %495 = "stablehlo.transpose"(%494) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %496 = "stablehlo.reduce"(%490, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg72: tensor<f32>, %arg73: tensor<f32>):
      %798 = "stablehlo.add"(%arg72, %arg73) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%798) : (tensor<f32>) -> ()
    }) : (tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>
    %497 = "stablehlo.reshape"(%496) : (tensor<64xf32>) -> tensor<1x64xf32>
    %498 = "stablehlo.reshape"(%497) : (tensor<1x64xf32>) -> tensor<64xf32>
    %499 = "stablehlo.transpose"(%495) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %500 = "stablehlo.reshape"(%492) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %501 = "stablehlo.reshape"(%500) : (tensor<2x64x64xf32>) -> tensor<2x64x4x16xf32>
    %502 = "stablehlo.transpose"(%501) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x64x4x16xf32>) -> tensor<2x4x64x16xf32>
    %503 = "stablehlo.reshape"(%502) : (tensor<2x4x64x16xf32>) -> tensor<8x64x16xf32>
    %504 = "stablehlo.transpose"(%253) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %505 = "stablehlo.broadcast_in_dim"(%503) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %506 = "stablehlo.dot_general"(%504, %505) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x64xf32>, tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %507 = "stablehlo.transpose"(%254) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x64x16xf32>) -> tensor<8x16x64xf32>
    %508 = "stablehlo.broadcast_in_dim"(%507) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %509 = "stablehlo.dot_general"(%503, %508) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x16xf32>, tensor<8x16x64xf32>) -> tensor<8x64x64xf32>
    %510 = "stablehlo.reshape"(%506) : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %511 = "stablehlo.reshape"(%509) : (tensor<8x64x64xf32>) -> tensor<2x4x64x64xf32>
    %512 = "stablehlo.multiply"(%511, %252) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %513 = "stablehlo.reduce"(%512, %8) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg70: tensor<f32>, %arg71: tensor<f32>):
      %797 = "stablehlo.add"(%arg70, %arg71) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%797) : (tensor<f32>) -> ()
    }) : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64xf32>
    %514 = "stablehlo.reshape"(%513) : (tensor<2x4x64xf32>) -> tensor<2x4x64x1xf32>
    %515 = "stablehlo.broadcast_in_dim"(%514) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x1xf32>) -> tensor<2x4x64x64xf32>
    %516 = "stablehlo.multiply"(%252, %515) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %517 = "stablehlo.subtract"(%512, %516) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %518 = "stablehlo.broadcast_in_dim"(%517) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %519 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x4x64x64xf32>
    %520 = "stablehlo.select"(%112, %518, %519) : (tensor<2x4x64x64xi1>, tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %521 = "stablehlo.divide"(%520, %95) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %522 = "stablehlo.reshape"(%521) : (tensor<2x4x64x64xf32>) -> tensor<8x64x64xf32>
    %523 = "stablehlo.transpose"(%236) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x64x16xf32>) -> tensor<8x16x64xf32>
    %524 = "stablehlo.broadcast_in_dim"(%522) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %525 = "stablehlo.dot_general"(%523, %524) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x16x64xf32>, tensor<8x64x64xf32>) -> tensor<8x16x64xf32>
    %526 = "stablehlo.transpose"(%237) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x16x64xf32>) -> tensor<8x64x16xf32>
    %527 = "stablehlo.broadcast_in_dim"(%526) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %528 = "stablehlo.dot_general"(%522, %527) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x64xf32>, tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %529 = "stablehlo.reshape"(%525) : (tensor<8x16x64xf32>) -> tensor<2x4x16x64xf32>
    %530 = "stablehlo.reshape"(%528) : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %531 = "stablehlo.transpose"(%529) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x4x16x64xf32>) -> tensor<2x4x64x16xf32>
    %532 = "stablehlo.concatenate"(%530, %531, %510) <{dimension = 0 : i64}> : (tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>) -> tensor<6x4x64x16xf32>
    %533 = "stablehlo.reshape"(%532) : (tensor<6x4x64x16xf32>) -> tensor<3x2x4x64x16xf32>
    %534 = "stablehlo.transpose"(%533) <{permutation = array<i64: 1, 3, 0, 2, 4>}> : (tensor<3x2x4x64x16xf32>) -> tensor<2x64x3x4x16xf32>
    %535 = "stablehlo.reshape"(%534) : (tensor<2x64x3x4x16xf32>) -> tensor<2x64x192xf32>
    %536 = "stablehlo.reshape"(%535) : (tensor<2x64x192xf32>) -> tensor<128x192xf32>
    %537 = "stablehlo.transpose"(%220) <{permutation = array<i64: 1, 0>}> : (tensor<64x192xf32>) -> tensor<192x64xf32>
    %538 = "stablehlo.dot_general"(%536, %537) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x192xf32>, tensor<192x64xf32>) -> tensor<128x64xf32>
    %539 = "stablehlo.transpose"(%536) <{permutation = array<i64: 1, 0>}> : (tensor<128x192xf32>) -> tensor<192x128xf32>
    %540 = "stablehlo.dot_general"(%539, %219) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<192x128xf32>, tensor<128x64xf32>) -> tensor<192x64xf32>
    %541 = "stablehlo.transpose"(%540) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %542 = "stablehlo.reduce"(%536, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg68: tensor<f32>, %arg69: tensor<f32>):
      %796 = "stablehlo.add"(%arg68, %arg69) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%796) : (tensor<f32>) -> ()
    }) : (tensor<128x192xf32>, tensor<f32>) -> tensor<192xf32>
    %543 = "stablehlo.reshape"(%542) : (tensor<192xf32>) -> tensor<1x192xf32>
    %544 = "stablehlo.reshape"(%543) : (tensor<1x192xf32>) -> tensor<192xf32>
    %545 = "stablehlo.transpose"(%541) <{permutation = array<i64: 1, 0>}> : (tensor<64x192xf32>) -> tensor<192x64xf32>
    %546 = "stablehlo.reshape"(%538) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %547 = "stablehlo.multiply"(%546, %215) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %548 = "stablehlo.multiply"(%547, %398) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %549 = "stablehlo.reduce"(%547, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg66: tensor<f32>, %arg67: tensor<f32>):
      %795 = "stablehlo.add"(%arg66, %arg67) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%795) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %550 = "stablehlo.reshape"(%549) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %551 = "stablehlo.multiply"(%547, %214) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %552 = "stablehlo.reduce"(%551, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg64: tensor<f32>, %arg65: tensor<f32>):
      %794 = "stablehlo.add"(%arg64, %arg65) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%794) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %553 = "stablehlo.reshape"(%552) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %554 = "stablehlo.broadcast_in_dim"(%553) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %555 = "stablehlo.multiply"(%214, %554) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %556 = "stablehlo.broadcast_in_dim"(%550) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %557 = "stablehlo.subtract"(%548, %556) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %558 = "stablehlo.subtract"(%557, %555) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %559 = "stablehlo.divide"(%210, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %560 = "stablehlo.broadcast_in_dim"(%559) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %561 = "stablehlo.multiply"(%560, %558) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %562 = "stablehlo.multiply"(%546, %214) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %563 = "stablehlo.reduce"(%562, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg62: tensor<f32>, %arg63: tensor<f32>):
      %793 = "stablehlo.add"(%arg62, %arg63) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%793) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %564 = "stablehlo.reduce"(%546, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg60: tensor<f32>, %arg61: tensor<f32>):
      %792 = "stablehlo.add"(%arg60, %arg61) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%792) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %565 = "stablehlo.add"(%489, %561) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %566 = "stablehlo.reshape"(%565) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %567 = "stablehlo.transpose"(%187) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %568 = "stablehlo.dot_general"(%566, %567) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    %569 = "stablehlo.transpose"(%566) <{permutation = array<i64: 1, 0>}> : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %570 = "stablehlo.dot_general"(%569, %186) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    %571 = "stablehlo.transpose"(%570) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %572 = "stablehlo.reduce"(%566, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg58: tensor<f32>, %arg59: tensor<f32>):
      %791 = "stablehlo.add"(%arg58, %arg59) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%791) : (tensor<f32>) -> ()
    }) : (tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>
    %573 = "stablehlo.reshape"(%572) : (tensor<64xf32>) -> tensor<1x64xf32>
    %574 = "stablehlo.reshape"(%573) : (tensor<1x64xf32>) -> tensor<64xf32>
    %575 = "stablehlo.transpose"(%571) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %576 = "stablehlo.reshape"(%568) : (tensor<128x256xf32>) -> tensor<2x64x256xf32>
    %577 = "stablehlo.multiply"(%176, %176) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %578 = "stablehlo.multiply"(%577, %176) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %579 = "stablehlo.multiply"(%578, %431) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %580 = "stablehlo.add"(%176, %579) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %581 = "stablehlo.multiply"(%580, %436) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %582 = "stablehlo.tanh"(%581) : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %583 = "stablehlo.multiply"(%176, %441) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %584 = "stablehlo.add"(%582, %443) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %585 = "stablehlo.multiply"(%584, %441) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %586 = "stablehlo.multiply"(%582, %582) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %587 = "stablehlo.subtract"(%448, %586) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %588 = "stablehlo.multiply"(%577, %452) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %589 = "stablehlo.add"(%588, %443) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %590 = "stablehlo.multiply"(%589, %436) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %591 = "stablehlo.multiply"(%583, %587) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %592 = "stablehlo.multiply"(%591, %590) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %593 = "stablehlo.add"(%585, %592) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %594 = "stablehlo.multiply"(%576, %593) : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
    %595 = "stablehlo.reshape"(%594) : (tensor<2x64x256xf32>) -> tensor<128x256xf32>
    %596 = "stablehlo.transpose"(%168) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %597 = "stablehlo.dot_general"(%595, %596) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
    %598 = "stablehlo.transpose"(%595) <{permutation = array<i64: 1, 0>}> : (tensor<128x256xf32>) -> tensor<256x128xf32>
    %599 = "stablehlo.dot_general"(%598, %167) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x128xf32>, tensor<128x64xf32>) -> tensor<256x64xf32>
    %600 = "stablehlo.transpose"(%599) <{permutation = array<i64: 1, 0>}> : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %601 = "stablehlo.reduce"(%595, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg56: tensor<f32>, %arg57: tensor<f32>):
      %790 = "stablehlo.add"(%arg56, %arg57) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%790) : (tensor<f32>) -> ()
    }) : (tensor<128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %602 = "stablehlo.reshape"(%601) : (tensor<256xf32>) -> tensor<1x256xf32>
    %603 = "stablehlo.reshape"(%602) : (tensor<1x256xf32>) -> tensor<256xf32>
    %604 = "stablehlo.transpose"(%600) <{permutation = array<i64: 1, 0>}> : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %605 = "stablehlo.reshape"(%597) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %606 = "stablehlo.multiply"(%605, %163) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %607 = "stablehlo.multiply"(%606, %398) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %608 = "stablehlo.reduce"(%606, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg54: tensor<f32>, %arg55: tensor<f32>):
      %789 = "stablehlo.add"(%arg54, %arg55) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%789) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %609 = "stablehlo.reshape"(%608) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %610 = "stablehlo.multiply"(%606, %162) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %611 = "stablehlo.reduce"(%610, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg52: tensor<f32>, %arg53: tensor<f32>):
      %788 = "stablehlo.add"(%arg52, %arg53) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%788) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %612 = "stablehlo.reshape"(%611) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %613 = "stablehlo.broadcast_in_dim"(%612) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %614 = "stablehlo.multiply"(%162, %613) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %615 = "stablehlo.broadcast_in_dim"(%609) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %616 = "stablehlo.subtract"(%607, %615) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %617 = "stablehlo.subtract"(%616, %614) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %618 = "stablehlo.divide"(%158, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %619 = "stablehlo.broadcast_in_dim"(%618) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %620 = "stablehlo.multiply"(%619, %617) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %621 = "stablehlo.multiply"(%605, %162) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %622 = "stablehlo.reduce"(%621, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg50: tensor<f32>, %arg51: tensor<f32>):
      %787 = "stablehlo.add"(%arg50, %arg51) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%787) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %623 = "stablehlo.reduce"(%605, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg48: tensor<f32>, %arg49: tensor<f32>):
      %786 = "stablehlo.add"(%arg48, %arg49) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%786) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %624 = "stablehlo.add"(%565, %620) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %625 = "stablehlo.reshape"(%624) : (tensor<2x64x64xf32>) -> tensor<128x64xf32>
    %626 = "stablehlo.transpose"(%133) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %627 = "stablehlo.dot_general"(%625, %626) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %628 = "stablehlo.transpose"(%625) <{permutation = array<i64: 1, 0>}> : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %629 = "stablehlo.dot_general"(%628, %132) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
    %630 = "stablehlo.transpose"(%629) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %631 = "stablehlo.reduce"(%625, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg46: tensor<f32>, %arg47: tensor<f32>):
      %785 = "stablehlo.add"(%arg46, %arg47) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%785) : (tensor<f32>) -> ()
    }) : (tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>
    %632 = "stablehlo.reshape"(%631) : (tensor<64xf32>) -> tensor<1x64xf32>
    %633 = "stablehlo.reshape"(%632) : (tensor<1x64xf32>) -> tensor<64xf32>
    %634 = "stablehlo.transpose"(%630) <{permutation = array<i64: 1, 0>}> : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %635 = "stablehlo.reshape"(%627) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %636 = "stablehlo.reshape"(%635) : (tensor<2x64x64xf32>) -> tensor<2x64x4x16xf32>
    %637 = "stablehlo.transpose"(%636) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x64x4x16xf32>) -> tensor<2x4x64x16xf32>
    %638 = "stablehlo.reshape"(%637) : (tensor<2x4x64x16xf32>) -> tensor<8x64x16xf32>
    %639 = "stablehlo.transpose"(%125) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %640 = "stablehlo.broadcast_in_dim"(%638) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %641 = "stablehlo.dot_general"(%639, %640) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x64xf32>, tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %642 = "stablehlo.transpose"(%126) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x64x16xf32>) -> tensor<8x16x64xf32>
    %643 = "stablehlo.broadcast_in_dim"(%642) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %644 = "stablehlo.dot_general"(%638, %643) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x16xf32>, tensor<8x16x64xf32>) -> tensor<8x64x64xf32>
    %645 = "stablehlo.reshape"(%641) : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %646 = "stablehlo.reshape"(%644) : (tensor<8x64x64xf32>) -> tensor<2x4x64x64xf32>
    %647 = "stablehlo.multiply"(%646, %124) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %648 = "stablehlo.reduce"(%647, %8) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg44: tensor<f32>, %arg45: tensor<f32>):
      %784 = "stablehlo.add"(%arg44, %arg45) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%784) : (tensor<f32>) -> ()
    }) : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64xf32>
    %649 = "stablehlo.reshape"(%648) : (tensor<2x4x64xf32>) -> tensor<2x4x64x1xf32>
    %650 = "stablehlo.broadcast_in_dim"(%649) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x1xf32>) -> tensor<2x4x64x64xf32>
    %651 = "stablehlo.multiply"(%124, %650) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %652 = "stablehlo.subtract"(%647, %651) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %653 = "stablehlo.broadcast_in_dim"(%652) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %654 = "stablehlo.select"(%112, %653, %519) : (tensor<2x4x64x64xi1>, tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %655 = "stablehlo.divide"(%654, %95) : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %656 = "stablehlo.reshape"(%655) : (tensor<2x4x64x64xf32>) -> tensor<8x64x64xf32>
    %657 = "stablehlo.transpose"(%88) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x64x16xf32>) -> tensor<8x16x64xf32>
    %658 = "stablehlo.broadcast_in_dim"(%656) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %659 = "stablehlo.dot_general"(%657, %658) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x16x64xf32>, tensor<8x64x64xf32>) -> tensor<8x16x64xf32>
    %660 = "stablehlo.transpose"(%89) <{permutation = array<i64: 0, 2, 1>}> : (tensor<8x16x64xf32>) -> tensor<8x64x16xf32>
    %661 = "stablehlo.broadcast_in_dim"(%660) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %662 = "stablehlo.dot_general"(%656, %661) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<8x64x64xf32>, tensor<8x64x16xf32>) -> tensor<8x64x16xf32>
    %663 = "stablehlo.reshape"(%659) : (tensor<8x16x64xf32>) -> tensor<2x4x16x64xf32>
    %664 = "stablehlo.reshape"(%662) : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %665 = "stablehlo.transpose"(%663) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<2x4x16x64xf32>) -> tensor<2x4x64x16xf32>
    %666 = "stablehlo.concatenate"(%664, %665, %645) <{dimension = 0 : i64}> : (tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>) -> tensor<6x4x64x16xf32>
    %667 = "stablehlo.reshape"(%666) : (tensor<6x4x64x16xf32>) -> tensor<3x2x4x64x16xf32>
    %668 = "stablehlo.transpose"(%667) <{permutation = array<i64: 1, 3, 0, 2, 4>}> : (tensor<3x2x4x64x16xf32>) -> tensor<2x64x3x4x16xf32>
    %669 = "stablehlo.reshape"(%668) : (tensor<2x64x3x4x16xf32>) -> tensor<2x64x192xf32>
    %670 = "stablehlo.reshape"(%669) : (tensor<2x64x192xf32>) -> tensor<128x192xf32>
    %671 = "stablehlo.transpose"(%68) <{permutation = array<i64: 1, 0>}> : (tensor<64x192xf32>) -> tensor<192x64xf32>
    %672 = "stablehlo.dot_general"(%670, %671) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x192xf32>, tensor<192x64xf32>) -> tensor<128x64xf32>
    %673 = "stablehlo.transpose"(%670) <{permutation = array<i64: 1, 0>}> : (tensor<128x192xf32>) -> tensor<192x128xf32>
    %674 = "stablehlo.dot_general"(%673, %67) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<192x128xf32>, tensor<128x64xf32>) -> tensor<192x64xf32>
    %675 = "stablehlo.transpose"(%674) <{permutation = array<i64: 1, 0>}> : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %676 = "stablehlo.reduce"(%670, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg42: tensor<f32>, %arg43: tensor<f32>):
      %783 = "stablehlo.add"(%arg42, %arg43) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%783) : (tensor<f32>) -> ()
    }) : (tensor<128x192xf32>, tensor<f32>) -> tensor<192xf32>
    %677 = "stablehlo.reshape"(%676) : (tensor<192xf32>) -> tensor<1x192xf32>
    %678 = "stablehlo.reshape"(%677) : (tensor<1x192xf32>) -> tensor<192xf32>
    %679 = "stablehlo.transpose"(%675) <{permutation = array<i64: 1, 0>}> : (tensor<64x192xf32>) -> tensor<192x64xf32>
    %680 = "stablehlo.reshape"(%672) : (tensor<128x64xf32>) -> tensor<2x64x64xf32>
    %681 = "stablehlo.multiply"(%680, %63) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %682 = "stablehlo.multiply"(%681, %398) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %683 = "stablehlo.reduce"(%681, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>):
      %782 = "stablehlo.add"(%arg40, %arg41) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%782) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %684 = "stablehlo.reshape"(%683) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %685 = "stablehlo.multiply"(%681, %62) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %686 = "stablehlo.reduce"(%685, %8) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
      %781 = "stablehlo.add"(%arg38, %arg39) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%781) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
    %687 = "stablehlo.reshape"(%686) : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %688 = "stablehlo.broadcast_in_dim"(%687) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %689 = "stablehlo.multiply"(%62, %688) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %690 = "stablehlo.broadcast_in_dim"(%684) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %691 = "stablehlo.subtract"(%682, %690) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %692 = "stablehlo.subtract"(%691, %689) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %693 = "stablehlo.divide"(%58, %52) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %694 = "stablehlo.broadcast_in_dim"(%693) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
    %695 = "stablehlo.multiply"(%694, %692) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %696 = "stablehlo.multiply"(%680, %62) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %697 = "stablehlo.reduce"(%696, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg36: tensor<f32>, %arg37: tensor<f32>):
      %780 = "stablehlo.add"(%arg36, %arg37) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%780) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %698 = "stablehlo.reduce"(%680, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg34: tensor<f32>, %arg35: tensor<f32>):
      %779 = "stablehlo.add"(%arg34, %arg35) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%779) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %699 = "stablehlo.add"(%624, %695) : (tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %700 = "stablehlo.reduce"(%699, %8) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg32: tensor<f32>, %arg33: tensor<f32>):
      %778 = "stablehlo.add"(%arg32, %arg33) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%778) : (tensor<f32>) -> ()
    }) : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
    %701 = "stablehlo.reshape"(%700) : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %702 = "stablehlo.reshape"(%701) : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %703 = "stablehlo.compare"(%arg28, %0) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<2x64xi64>, tensor<2x64xi64>) -> tensor<2x64xi1>
    %704 = "stablehlo.reshape"(%703) : (tensor<2x64xi1>) -> tensor<2x64x1xi1>
    %705 = "stablehlo.broadcast_in_dim"(%704) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x1xi1>) -> tensor<2x64x64xi1>
    %706 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x64x64xf32>
    %707 = "stablehlo.broadcast_in_dim"(%699) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %708 = "stablehlo.select"(%705, %706, %707) : (tensor<2x64x64xi1>, tensor<2x64x64xf32>, tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
    %709 = "stablehlo.reshape"(%arg28) : (tensor<2x64xi64>) -> tensor<2x64x1xi64>
    %710 = "stablehlo.scatter"(%7, %709, %708) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %777 = "stablehlo.add"(%arg30, %arg31) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%777) : (tensor<f32>) -> ()
    }) : (tensor<256x64xf32>, tensor<2x64x1xi64>, tensor<2x64x64xf32>) -> tensor<256x64xf32>
    %711 = "stablehlo.add"(%396, %710) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %712 = "stablehlo.convert"(%29) : (tensor<1xf64>) -> tensor<1xf32>
    %713 = "stablehlo.reshape"(%712) : (tensor<1xf32>) -> tensor<f32>
    %714 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256x64xf32>
    %715 = "stablehlo.multiply"(%711, %714) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %716 = "stablehlo.subtract"(%arg0, %715) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %717 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x64xf32>
    %718 = "stablehlo.multiply"(%702, %717) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %719 = "stablehlo.subtract"(%arg1, %718) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %720 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %721 = "stablehlo.multiply"(%697, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %722 = "stablehlo.subtract"(%arg2, %721) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %723 = "stablehlo.multiply"(%698, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %724 = "stablehlo.subtract"(%arg3, %723) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %725 = "stablehlo.multiply"(%622, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %726 = "stablehlo.subtract"(%arg4, %725) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %727 = "stablehlo.multiply"(%623, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %728 = "stablehlo.subtract"(%arg5, %727) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %729 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<192x64xf32>
    %730 = "stablehlo.multiply"(%679, %729) : (tensor<192x64xf32>, tensor<192x64xf32>) -> tensor<192x64xf32>
    %731 = "stablehlo.subtract"(%arg6, %730) : (tensor<192x64xf32>, tensor<192x64xf32>) -> tensor<192x64xf32>
    %732 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<192xf32>
    %733 = "stablehlo.multiply"(%678, %732) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %734 = "stablehlo.subtract"(%arg7, %733) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %735 = "stablehlo.multiply"(%634, %717) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %736 = "stablehlo.subtract"(%arg8, %735) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %737 = "stablehlo.multiply"(%633, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %738 = "stablehlo.subtract"(%arg9, %737) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %739 = "stablehlo.multiply"(%604, %714) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %740 = "stablehlo.subtract"(%arg10, %739) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %741 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %742 = "stablehlo.multiply"(%603, %741) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %743 = "stablehlo.subtract"(%arg11, %742) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %744 = "stablehlo.broadcast_in_dim"(%713) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x256xf32>
    %745 = "stablehlo.multiply"(%575, %744) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %746 = "stablehlo.subtract"(%arg12, %745) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %747 = "stablehlo.multiply"(%574, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %748 = "stablehlo.subtract"(%arg13, %747) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %749 = "stablehlo.multiply"(%563, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %750 = "stablehlo.subtract"(%arg14, %749) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %751 = "stablehlo.multiply"(%564, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %752 = "stablehlo.subtract"(%arg15, %751) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %753 = "stablehlo.multiply"(%487, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %754 = "stablehlo.subtract"(%arg16, %753) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %755 = "stablehlo.multiply"(%488, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %756 = "stablehlo.subtract"(%arg17, %755) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %757 = "stablehlo.multiply"(%545, %729) : (tensor<192x64xf32>, tensor<192x64xf32>) -> tensor<192x64xf32>
    %758 = "stablehlo.subtract"(%arg18, %757) : (tensor<192x64xf32>, tensor<192x64xf32>) -> tensor<192x64xf32>
    %759 = "stablehlo.multiply"(%544, %732) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %760 = "stablehlo.subtract"(%arg19, %759) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %761 = "stablehlo.multiply"(%499, %717) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %762 = "stablehlo.subtract"(%arg20, %761) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %763 = "stablehlo.multiply"(%498, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %764 = "stablehlo.subtract"(%arg21, %763) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %765 = "stablehlo.multiply"(%469, %714) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %766 = "stablehlo.subtract"(%arg22, %765) : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
    %767 = "stablehlo.multiply"(%468, %741) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %768 = "stablehlo.subtract"(%arg23, %767) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %769 = "stablehlo.multiply"(%425, %744) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %770 = "stablehlo.subtract"(%arg24, %769) : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %771 = "stablehlo.multiply"(%424, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %772 = "stablehlo.subtract"(%arg25, %771) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %773 = "stablehlo.multiply"(%414, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %774 = "stablehlo.subtract"(%arg26, %773) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %775 = "stablehlo.multiply"(%415, %720) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %776 = "stablehlo.subtract"(%arg27, %775) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    "func.return"(%716, %719, %722, %724, %726, %728, %731, %734, %736, %738, %740, %743, %746, %748, %750, %752, %754, %756, %758, %760, %762, %764, %766, %768, %770, %772, %774, %776, %376) : (tensor<256x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<192x64xf32>, tensor<192xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>) -> ()
  }) : () -> ()
}) : () -> ()
