"builtin.module"() <{sym_name = "jit_step"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}], function_type = (tensor<10xf32>, tensor<4096x10xf32>, tensor<64xf32>, tensor<3x3x3x64xf32>, tensor<192xf32>, tensor<3x3x64x192xf32>, tensor<384xf32>, tensor<3x3x192x384xf32>, tensor<256xf32>, tensor<3x3x384x256xf32>, tensor<256xf32>, tensor<3x3x256x256xf32>, tensor<4096xf32>, tensor<1024x4096xf32>, tensor<4096xf32>, tensor<4096x4096xf32>, tensor<29x32x32x3xf32>, tensor<29xi32>) -> (tensor<10xf32>, tensor<4096x10xf32>, tensor<64xf32>, tensor<3x3x3x64xf32>, tensor<192xf32>, tensor<3x3x64x192xf32>, tensor<384xf32>, tensor<3x3x192x384xf32>, tensor<256xf32>, tensor<3x3x384x256xf32>, tensor<256xf32>, tensor<3x3x256x256xf32>, tensor<4096xf32>, tensor<1024x4096xf32>, tensor<4096xf32>, tensor<4096x4096xf32>, tensor<f32>), res_attrs = [{jax.result_info = "result[0]['classes/bias']"}, {jax.result_info = "result[0]['classes/kernel']"}, {jax.result_info = "result[0]['conv1/bias']"}, {jax.result_info = "result[0]['conv1/kernel']"}, {jax.result_info = "result[0]['conv2/bias']"}, {jax.result_info = "result[0]['conv2/kernel']"}, {jax.result_info = "result[0]['conv3/bias']"}, {jax.result_info = "result[0]['conv3/kernel']"}, {jax.result_info = "result[0]['conv4/bias']"}, {jax.result_info = "result[0]['conv4/kernel']"}, {jax.result_info = "result[0]['conv5/bias']"}, {jax.result_info = "result[0]['conv5/kernel']"}, {jax.result_info = "result[0]['dense6/bias']"}, {jax.result_info = "result[0]['dense6/kernel']"}, {jax.result_info = "result[0]['dense7/bias']"}, {jax.result_info = "result[0]['dense7/kernel']"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg25: tensor<10xf32>, %arg26: tensor<4096x10xf32>, %arg27: tensor<64xf32>, %arg28: tensor<3x3x3x64xf32>, %arg29: tensor<192xf32>, %arg30: tensor<3x3x64x192xf32>, %arg31: tensor<384xf32>, %arg32: tensor<3x3x192x384xf32>, %arg33: tensor<256xf32>, %arg34: tensor<3x3x384x256xf32>, %arg35: tensor<256xf32>, %arg36: tensor<3x3x256x256xf32>, %arg37: tensor<4096xf32>, %arg38: tensor<1024x4096xf32>, %arg39: tensor<4096xf32>, %arg40: tensor<4096x4096xf32>, %arg41: tensor<29x32x32x3xf32>, %arg42: tensor<29xi32>):
    %71 = "stablehlo.convolution"(%arg41, %arg28) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>}> : (tensor<29x32x32x3xf32>, tensor<3x3x3x64xf32>) -> tensor<29x16x16x64xf32>
    %72 = "stablehlo.broadcast_in_dim"(%arg27) <{broadcast_dimensions = array<i64: 3>}> : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x64xf32>) -> tensor<29x16x16x64xf32>
    %74 = "stablehlo.add"(%71, %73) : (tensor<29x16x16x64xf32>, tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xf32>
    %75 = "func.call"(%74) <{callee = @relu}> : (tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xf32>
    %76 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %77 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x16x16x64xf32>
    %78 = "stablehlo.compare"(%74, %77) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x16x16x64xf32>, tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xi1>
    %79 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %80 = "stablehlo.broadcast_in_dim"(%79) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %81 = "stablehlo.reduce_window"(%75, %80) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg93: tensor<f32>, %arg94: tensor<f32>):
      %344 = "stablehlo.maximum"(%arg93, %arg94) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%344) : (tensor<f32>) -> ()
    }) : (tensor<29x16x16x64xf32>, tensor<f32>) -> tensor<29x8x8x64xf32>
    %82 = "stablehlo.convolution"(%81, %arg30) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x8x8x64xf32>, tensor<3x3x64x192xf32>) -> tensor<29x8x8x192xf32>
    %83 = "stablehlo.broadcast_in_dim"(%arg29) <{broadcast_dimensions = array<i64: 3>}> : (tensor<192xf32>) -> tensor<1x1x1x192xf32>
    %84 = "stablehlo.broadcast_in_dim"(%83) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x192xf32>) -> tensor<29x8x8x192xf32>
    %85 = "stablehlo.add"(%82, %84) : (tensor<29x8x8x192xf32>, tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xf32>
    %86 = "func.call"(%85) <{callee = @relu_0}> : (tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xf32>
    %87 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %88 = "stablehlo.broadcast_in_dim"(%87) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x8x8x192xf32>
    %89 = "stablehlo.compare"(%85, %88) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x8x8x192xf32>, tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xi1>
    %90 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %91 = "stablehlo.broadcast_in_dim"(%90) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %92 = "stablehlo.reduce_window"(%86, %91) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg91: tensor<f32>, %arg92: tensor<f32>):
      %343 = "stablehlo.maximum"(%arg91, %arg92) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%343) : (tensor<f32>) -> ()
    }) : (tensor<29x8x8x192xf32>, tensor<f32>) -> tensor<29x4x4x192xf32>
    %93 = "stablehlo.convolution"(%92, %arg32) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x192xf32>, tensor<3x3x192x384xf32>) -> tensor<29x4x4x384xf32>
    %94 = "stablehlo.broadcast_in_dim"(%arg31) <{broadcast_dimensions = array<i64: 3>}> : (tensor<384xf32>) -> tensor<1x1x1x384xf32>
    %95 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x384xf32>) -> tensor<29x4x4x384xf32>
    %96 = "stablehlo.add"(%93, %95) : (tensor<29x4x4x384xf32>, tensor<29x4x4x384xf32>) -> tensor<29x4x4x384xf32>
    %97 = "func.call"(%96) <{callee = @relu_1}> : (tensor<29x4x4x384xf32>) -> tensor<29x4x4x384xf32>
    %98 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %99 = "stablehlo.broadcast_in_dim"(%98) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x384xf32>
    %100 = "stablehlo.compare"(%96, %99) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x4x4x384xf32>, tensor<29x4x4x384xf32>) -> tensor<29x4x4x384xi1>
    %101 = "stablehlo.convolution"(%97, %arg34) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x384xf32>, tensor<3x3x384x256xf32>) -> tensor<29x4x4x256xf32>
    %102 = "stablehlo.broadcast_in_dim"(%arg33) <{broadcast_dimensions = array<i64: 3>}> : (tensor<256xf32>) -> tensor<1x1x1x256xf32>
    %103 = "stablehlo.broadcast_in_dim"(%102) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x256xf32>) -> tensor<29x4x4x256xf32>
    %104 = "stablehlo.add"(%101, %103) : (tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %105 = "func.call"(%104) <{callee = @relu_2}> : (tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %106 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %107 = "stablehlo.broadcast_in_dim"(%106) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x256xf32>
    %108 = "stablehlo.compare"(%104, %107) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xi1>
    %109 = "stablehlo.convolution"(%105, %arg36) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x256xf32>, tensor<3x3x256x256xf32>) -> tensor<29x4x4x256xf32>
    %110 = "stablehlo.broadcast_in_dim"(%arg35) <{broadcast_dimensions = array<i64: 3>}> : (tensor<256xf32>) -> tensor<1x1x1x256xf32>
    %111 = "stablehlo.broadcast_in_dim"(%110) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x1x1x256xf32>) -> tensor<29x4x4x256xf32>
    %112 = "stablehlo.add"(%109, %111) : (tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %113 = "func.call"(%112) <{callee = @relu_2}> : (tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %114 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %115 = "stablehlo.broadcast_in_dim"(%114) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x256xf32>
    %116 = "stablehlo.compare"(%112, %115) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xi1>
    %117 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %118 = "stablehlo.broadcast_in_dim"(%117) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %119 = "stablehlo.reduce_window"(%113, %118) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg89: tensor<f32>, %arg90: tensor<f32>):
      %342 = "stablehlo.maximum"(%arg89, %arg90) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%342) : (tensor<f32>) -> ()
    }) : (tensor<29x4x4x256xf32>, tensor<f32>) -> tensor<29x2x2x256xf32>
    %120 = "stablehlo.reshape"(%119) : (tensor<29x2x2x256xf32>) -> tensor<29x1024xf32>
    %121 = "stablehlo.dot_general"(%120, %arg38) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x1024xf32>, tensor<1024x4096xf32>) -> tensor<29x4096xf32>
    %122 = "stablehlo.broadcast_in_dim"(%arg37) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4096xf32>) -> tensor<1x4096xf32>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4096xf32>) -> tensor<29x4096xf32>
    %124 = "stablehlo.add"(%121, %123) : (tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xf32>
    %125 = "func.call"(%124) <{callee = @relu_3}> : (tensor<29x4096xf32>) -> tensor<29x4096xf32>
    %126 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %127 = "stablehlo.broadcast_in_dim"(%126) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4096xf32>
    %128 = "stablehlo.compare"(%124, %127) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xi1>
    %129 = "stablehlo.dot_general"(%125, %arg40) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x4096xf32>, tensor<4096x4096xf32>) -> tensor<29x4096xf32>
    %130 = "stablehlo.broadcast_in_dim"(%arg39) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4096xf32>) -> tensor<1x4096xf32>
    %131 = "stablehlo.broadcast_in_dim"(%130) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x4096xf32>) -> tensor<29x4096xf32>
    %132 = "stablehlo.add"(%129, %131) : (tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xf32>
    %133 = "func.call"(%132) <{callee = @relu_3}> : (tensor<29x4096xf32>) -> tensor<29x4096xf32>
    %134 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %135 = "stablehlo.broadcast_in_dim"(%134) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4096xf32>
    %136 = "stablehlo.compare"(%132, %135) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xi1>
    %137 = "stablehlo.dot_general"(%133, %arg26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x4096xf32>, tensor<4096x10xf32>) -> tensor<29x10xf32>
    %138 = "stablehlo.broadcast_in_dim"(%arg25) <{broadcast_dimensions = array<i64: 1>}> : (tensor<10xf32>) -> tensor<1x10xf32>
    %139 = "stablehlo.broadcast_in_dim"(%138) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x10xf32>) -> tensor<29x10xf32>
    %140 = "stablehlo.add"(%137, %139) : (tensor<29x10xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>
    %141:3 = "func.call"(%140) <{callee = @log_softmax}> : (tensor<29x10xf32>) -> (tensor<29x10xf32>, tensor<29x10xf32>, tensor<29x1xf32>)
    %142 = "stablehlo.broadcast_in_dim"(%arg42) <{broadcast_dimensions = array<i64: 0>}> : (tensor<29xi32>) -> tensor<29x1xi32>
    %143:2 = "func.call"(%141#0, %142) <{callee = @take_along_axis}> : (tensor<29x10xf32>, tensor<29x1xi32>) -> (tensor<29x1xf32>, tensor<29x1x1xi32>)
    %144 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %145 = "stablehlo.reduce"(%143#0, %144) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg87: tensor<f32>, %arg88: tensor<f32>):
      %341 = "stablehlo.add"(%arg87, %arg88) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%341) : (tensor<f32>) -> ()
    }) : (tensor<29x1xf32>, tensor<f32>) -> tensor<f32>
    %146 = "stablehlo.constant"() <{value = dense<2.900000e+01> : tensor<f32>}> : () -> tensor<f32>
    %147 = "stablehlo.divide"(%145, %146) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %148 = "stablehlo.negate"(%147) : (tensor<f32>) -> tensor<f32>
    %149 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %150 = "stablehlo.negate"(%149) : (tensor<f32>) -> tensor<f32>
    %151 = "stablehlo.constant"() <{value = dense<2.900000e+01> : tensor<f32>}> : () -> tensor<f32>
    %152 = "stablehlo.divide"(%150, %151) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %153 = "stablehlo.broadcast_in_dim"(%152) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x1xf32>
    %154 = "func.call"(%143#1, %153) <{callee = @take_along_axis_4}> : (tensor<29x1x1xi32>, tensor<29x1xf32>) -> tensor<29x10xf32>
    %155 = "func.call"(%141#1, %141#2, %154) <{callee = @log_softmax_5}> : (tensor<29x10xf32>, tensor<29x1xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>
    %156 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %157 = "stablehlo.reduce"(%155, %156) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg85: tensor<f32>, %arg86: tensor<f32>):
      %340 = "stablehlo.add"(%arg85, %arg86) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%340) : (tensor<f32>) -> ()
    }) : (tensor<29x10xf32>, tensor<f32>) -> tensor<10xf32>
    %158 = "stablehlo.reshape"(%157) : (tensor<10xf32>) -> tensor<1x10xf32>
    %159 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %160 = "stablehlo.reduce"(%158, %159) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg83: tensor<f32>, %arg84: tensor<f32>):
      %339 = "stablehlo.add"(%arg83, %arg84) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%339) : (tensor<f32>) -> ()
    }) : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %161 = "stablehlo.dot_general"(%155, %133) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x10xf32>, tensor<29x4096xf32>) -> tensor<10x4096xf32>
    %162 = "stablehlo.transpose"(%161) <{permutation = array<i64: 1, 0>}> : (tensor<10x4096xf32>) -> tensor<4096x10xf32>
    %163 = "stablehlo.dot_general"(%155, %arg26) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x10xf32>, tensor<4096x10xf32>) -> tensor<29x4096xf32>
    %164 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %165 = "stablehlo.broadcast_in_dim"(%164) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4096xf32>
    %166 = "stablehlo.select"(%136, %163, %165) : (tensor<29x4096xi1>, tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xf32>
    %167 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %168 = "stablehlo.reduce"(%166, %167) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg81: tensor<f32>, %arg82: tensor<f32>):
      %338 = "stablehlo.add"(%arg81, %arg82) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%338) : (tensor<f32>) -> ()
    }) : (tensor<29x4096xf32>, tensor<f32>) -> tensor<4096xf32>
    %169 = "stablehlo.reshape"(%168) : (tensor<4096xf32>) -> tensor<1x4096xf32>
    %170 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %171 = "stablehlo.reduce"(%169, %170) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg79: tensor<f32>, %arg80: tensor<f32>):
      %337 = "stablehlo.add"(%arg79, %arg80) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%337) : (tensor<f32>) -> ()
    }) : (tensor<1x4096xf32>, tensor<f32>) -> tensor<4096xf32>
    %172 = "stablehlo.dot_general"(%166, %125) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<4096x4096xf32>
    %173 = "stablehlo.transpose"(%172) <{permutation = array<i64: 1, 0>}> : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %174 = "stablehlo.dot_general"(%166, %arg40) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x4096xf32>, tensor<4096x4096xf32>) -> tensor<29x4096xf32>
    %175 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %176 = "stablehlo.broadcast_in_dim"(%175) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4096xf32>
    %177 = "stablehlo.select"(%128, %174, %176) : (tensor<29x4096xi1>, tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xf32>
    %178 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %179 = "stablehlo.reduce"(%177, %178) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg77: tensor<f32>, %arg78: tensor<f32>):
      %336 = "stablehlo.add"(%arg77, %arg78) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%336) : (tensor<f32>) -> ()
    }) : (tensor<29x4096xf32>, tensor<f32>) -> tensor<4096xf32>
    %180 = "stablehlo.reshape"(%179) : (tensor<4096xf32>) -> tensor<1x4096xf32>
    %181 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %182 = "stablehlo.reduce"(%180, %181) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg75: tensor<f32>, %arg76: tensor<f32>):
      %335 = "stablehlo.add"(%arg75, %arg76) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%335) : (tensor<f32>) -> ()
    }) : (tensor<1x4096xf32>, tensor<f32>) -> tensor<4096xf32>
    %183 = "stablehlo.dot_general"(%177, %120) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x4096xf32>, tensor<29x1024xf32>) -> tensor<4096x1024xf32>
    %184 = "stablehlo.transpose"(%183) <{permutation = array<i64: 1, 0>}> : (tensor<4096x1024xf32>) -> tensor<1024x4096xf32>
    %185 = "stablehlo.dot_general"(%177, %arg38) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<29x4096xf32>, tensor<1024x4096xf32>) -> tensor<29x1024xf32>
    %186 = "stablehlo.reshape"(%185) : (tensor<29x1024xf32>) -> tensor<29x2x2x256xf32>
    %187 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %188 = "stablehlo.pad"(%113, %187) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<29x4x4x256xf32>, tensor<f32>) -> tensor<29x4x4x256xf32>
    %189 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %190 = "stablehlo.select_and_scatter"(%188, %186, %189) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg73: tensor<f32>, %arg74: tensor<f32>):
      %334 = "stablehlo.compare"(%arg73, %arg74) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%334) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg71: tensor<f32>, %arg72: tensor<f32>):
      %333 = "stablehlo.add"(%arg71, %arg72) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%333) : (tensor<f32>) -> ()
    }) : (tensor<29x4x4x256xf32>, tensor<29x2x2x256xf32>, tensor<f32>) -> tensor<29x4x4x256xf32>
    %191 = "stablehlo.slice"(%190) <{limit_indices = array<i64: 29, 4, 4, 256>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %192 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %193 = "stablehlo.broadcast_in_dim"(%192) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x256xf32>
    %194 = "stablehlo.select"(%116, %191, %193) : (tensor<29x4x4x256xi1>, tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %195 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %196 = "stablehlo.reduce"(%194, %195) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg69: tensor<f32>, %arg70: tensor<f32>):
      %332 = "stablehlo.add"(%arg69, %arg70) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%332) : (tensor<f32>) -> ()
    }) : (tensor<29x4x4x256xf32>, tensor<f32>) -> tensor<256xf32>
    %197 = "stablehlo.reshape"(%196) : (tensor<256xf32>) -> tensor<1x1x1x256xf32>
    %198 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %199 = "stablehlo.reduce"(%197, %198) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg67: tensor<f32>, %arg68: tensor<f32>):
      %331 = "stablehlo.add"(%arg67, %arg68) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%331) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %200 = "stablehlo.convolution"(%105, %194) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<3x3x256x256xf32>
    %201 = "stablehlo.reverse"(%arg36) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x256x256xf32>) -> tensor<3x3x256x256xf32>
    %202 = "stablehlo.convolution"(%194, %201) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x256xf32>, tensor<3x3x256x256xf32>) -> tensor<29x4x4x256xf32>
    %203 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %204 = "stablehlo.broadcast_in_dim"(%203) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x256xf32>
    %205 = "stablehlo.select"(%108, %202, %204) : (tensor<29x4x4x256xi1>, tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    %206 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %207 = "stablehlo.reduce"(%205, %206) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg65: tensor<f32>, %arg66: tensor<f32>):
      %330 = "stablehlo.add"(%arg65, %arg66) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%330) : (tensor<f32>) -> ()
    }) : (tensor<29x4x4x256xf32>, tensor<f32>) -> tensor<256xf32>
    %208 = "stablehlo.reshape"(%207) : (tensor<256xf32>) -> tensor<1x1x1x256xf32>
    %209 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %210 = "stablehlo.reduce"(%208, %209) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg63: tensor<f32>, %arg64: tensor<f32>):
      %329 = "stablehlo.add"(%arg63, %arg64) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%329) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %211 = "stablehlo.convolution"(%97, %205) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x384xf32>, tensor<29x4x4x256xf32>) -> tensor<3x3x384x256xf32>
    %212 = "stablehlo.reverse"(%arg34) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x384x256xf32>) -> tensor<3x3x384x256xf32>
    %213 = "stablehlo.convolution"(%205, %212) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x256xf32>, tensor<3x3x384x256xf32>) -> tensor<29x4x4x384xf32>
    %214 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %215 = "stablehlo.broadcast_in_dim"(%214) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x384xf32>
    %216 = "stablehlo.select"(%100, %213, %215) : (tensor<29x4x4x384xi1>, tensor<29x4x4x384xf32>, tensor<29x4x4x384xf32>) -> tensor<29x4x4x384xf32>
    %217 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %218 = "stablehlo.reduce"(%216, %217) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg61: tensor<f32>, %arg62: tensor<f32>):
      %328 = "stablehlo.add"(%arg61, %arg62) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%328) : (tensor<f32>) -> ()
    }) : (tensor<29x4x4x384xf32>, tensor<f32>) -> tensor<384xf32>
    %219 = "stablehlo.reshape"(%218) : (tensor<384xf32>) -> tensor<1x1x1x384xf32>
    %220 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %221 = "stablehlo.reduce"(%219, %220) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg59: tensor<f32>, %arg60: tensor<f32>):
      %327 = "stablehlo.add"(%arg59, %arg60) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%327) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x384xf32>, tensor<f32>) -> tensor<384xf32>
    %222 = "stablehlo.convolution"(%92, %216) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x192xf32>, tensor<29x4x4x384xf32>) -> tensor<3x3x192x384xf32>
    %223 = "stablehlo.reverse"(%arg32) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x192x384xf32>) -> tensor<3x3x192x384xf32>
    %224 = "stablehlo.convolution"(%216, %223) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x4x4x384xf32>, tensor<3x3x192x384xf32>) -> tensor<29x4x4x192xf32>
    %225 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %226 = "stablehlo.pad"(%86, %225) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<29x8x8x192xf32>, tensor<f32>) -> tensor<29x8x8x192xf32>
    %227 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %228 = "stablehlo.select_and_scatter"(%226, %224, %227) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg57: tensor<f32>, %arg58: tensor<f32>):
      %326 = "stablehlo.compare"(%arg57, %arg58) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%326) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg55: tensor<f32>, %arg56: tensor<f32>):
      %325 = "stablehlo.add"(%arg55, %arg56) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%325) : (tensor<f32>) -> ()
    }) : (tensor<29x8x8x192xf32>, tensor<29x4x4x192xf32>, tensor<f32>) -> tensor<29x8x8x192xf32>
    %229 = "stablehlo.slice"(%228) <{limit_indices = array<i64: 29, 8, 8, 192>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xf32>
    %230 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %231 = "stablehlo.broadcast_in_dim"(%230) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x8x8x192xf32>
    %232 = "stablehlo.select"(%89, %229, %231) : (tensor<29x8x8x192xi1>, tensor<29x8x8x192xf32>, tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xf32>
    %233 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %234 = "stablehlo.reduce"(%232, %233) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg53: tensor<f32>, %arg54: tensor<f32>):
      %324 = "stablehlo.add"(%arg53, %arg54) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%324) : (tensor<f32>) -> ()
    }) : (tensor<29x8x8x192xf32>, tensor<f32>) -> tensor<192xf32>
    %235 = "stablehlo.reshape"(%234) : (tensor<192xf32>) -> tensor<1x1x1x192xf32>
    %236 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %237 = "stablehlo.reduce"(%235, %236) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg51: tensor<f32>, %arg52: tensor<f32>):
      %323 = "stablehlo.add"(%arg51, %arg52) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%323) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x192xf32>, tensor<f32>) -> tensor<192xf32>
    %238 = "stablehlo.convolution"(%81, %232) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x8x8x64xf32>, tensor<29x8x8x192xf32>) -> tensor<3x3x64x192xf32>
    %239 = "stablehlo.reverse"(%arg30) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3x64x192xf32>) -> tensor<3x3x64x192xf32>
    %240 = "stablehlo.convolution"(%232, %239) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x8x8x192xf32>, tensor<3x3x64x192xf32>) -> tensor<29x8x8x64xf32>
    %241 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %242 = "stablehlo.pad"(%75, %241) <{edge_padding_high = array<i64: 0, 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 0, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<29x16x16x64xf32>, tensor<f32>) -> tensor<29x16x16x64xf32>
    %243 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %244 = "stablehlo.select_and_scatter"(%242, %240, %243) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %322 = "stablehlo.compare"(%arg49, %arg50) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%322) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg47: tensor<f32>, %arg48: tensor<f32>):
      %321 = "stablehlo.add"(%arg47, %arg48) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%321) : (tensor<f32>) -> ()
    }) : (tensor<29x16x16x64xf32>, tensor<29x8x8x64xf32>, tensor<f32>) -> tensor<29x16x16x64xf32>
    %245 = "stablehlo.slice"(%244) <{limit_indices = array<i64: 29, 16, 16, 64>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xf32>
    %246 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %247 = "stablehlo.broadcast_in_dim"(%246) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x16x16x64xf32>
    %248 = "stablehlo.select"(%78, %245, %247) : (tensor<29x16x16x64xi1>, tensor<29x16x16x64xf32>, tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xf32>
    %249 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %250 = "stablehlo.reduce"(%248, %249) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg45: tensor<f32>, %arg46: tensor<f32>):
      %320 = "stablehlo.add"(%arg45, %arg46) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%320) : (tensor<f32>) -> ()
    }) : (tensor<29x16x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %251 = "stablehlo.reshape"(%250) : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %252 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %253 = "stablehlo.reduce"(%251, %252) <{dimensions = array<i64: 0, 1, 2>}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %319 = "stablehlo.add"(%arg43, %arg44) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%319) : (tensor<f32>) -> ()
    }) : (tensor<1x1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %254 = "stablehlo.convolution"(%arg41, %248) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 2>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<29x32x32x3xf32>, tensor<29x16x16x64xf32>) -> tensor<3x3x3x64xf32>
    %255 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %256 = "stablehlo.broadcast_in_dim"(%255) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<10xf32>
    %257 = "stablehlo.multiply"(%256, %160) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %258 = "stablehlo.subtract"(%arg25, %257) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %259 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %260 = "stablehlo.broadcast_in_dim"(%259) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4096x10xf32>
    %261 = "stablehlo.multiply"(%260, %162) : (tensor<4096x10xf32>, tensor<4096x10xf32>) -> tensor<4096x10xf32>
    %262 = "stablehlo.subtract"(%arg26, %261) : (tensor<4096x10xf32>, tensor<4096x10xf32>) -> tensor<4096x10xf32>
    %263 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %264 = "stablehlo.broadcast_in_dim"(%263) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64xf32>
    %265 = "stablehlo.multiply"(%264, %253) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %266 = "stablehlo.subtract"(%arg27, %265) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %267 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %268 = "stablehlo.broadcast_in_dim"(%267) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x3x64xf32>
    %269 = "stablehlo.multiply"(%268, %254) : (tensor<3x3x3x64xf32>, tensor<3x3x3x64xf32>) -> tensor<3x3x3x64xf32>
    %270 = "stablehlo.subtract"(%arg28, %269) : (tensor<3x3x3x64xf32>, tensor<3x3x3x64xf32>) -> tensor<3x3x3x64xf32>
    %271 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %272 = "stablehlo.broadcast_in_dim"(%271) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<192xf32>
    %273 = "stablehlo.multiply"(%272, %237) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %274 = "stablehlo.subtract"(%arg29, %273) : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xf32>
    %275 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %276 = "stablehlo.broadcast_in_dim"(%275) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x64x192xf32>
    %277 = "stablehlo.multiply"(%276, %238) : (tensor<3x3x64x192xf32>, tensor<3x3x64x192xf32>) -> tensor<3x3x64x192xf32>
    %278 = "stablehlo.subtract"(%arg30, %277) : (tensor<3x3x64x192xf32>, tensor<3x3x64x192xf32>) -> tensor<3x3x64x192xf32>
    %279 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %280 = "stablehlo.broadcast_in_dim"(%279) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<384xf32>
    %281 = "stablehlo.multiply"(%280, %221) : (tensor<384xf32>, tensor<384xf32>) -> tensor<384xf32>
    %282 = "stablehlo.subtract"(%arg31, %281) : (tensor<384xf32>, tensor<384xf32>) -> tensor<384xf32>
    %283 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %284 = "stablehlo.broadcast_in_dim"(%283) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x192x384xf32>
    %285 = "stablehlo.multiply"(%284, %222) : (tensor<3x3x192x384xf32>, tensor<3x3x192x384xf32>) -> tensor<3x3x192x384xf32>
    %286 = "stablehlo.subtract"(%arg32, %285) : (tensor<3x3x192x384xf32>, tensor<3x3x192x384xf32>) -> tensor<3x3x192x384xf32>
    %287 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %288 = "stablehlo.broadcast_in_dim"(%287) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %289 = "stablehlo.multiply"(%288, %210) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %290 = "stablehlo.subtract"(%arg33, %289) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %291 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %292 = "stablehlo.broadcast_in_dim"(%291) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x384x256xf32>
    %293 = "stablehlo.multiply"(%292, %211) : (tensor<3x3x384x256xf32>, tensor<3x3x384x256xf32>) -> tensor<3x3x384x256xf32>
    %294 = "stablehlo.subtract"(%arg34, %293) : (tensor<3x3x384x256xf32>, tensor<3x3x384x256xf32>) -> tensor<3x3x384x256xf32>
    %295 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %296 = "stablehlo.broadcast_in_dim"(%295) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<256xf32>
    %297 = "stablehlo.multiply"(%296, %199) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %298 = "stablehlo.subtract"(%arg35, %297) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %299 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %300 = "stablehlo.broadcast_in_dim"(%299) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3x256x256xf32>
    %301 = "stablehlo.multiply"(%300, %200) : (tensor<3x3x256x256xf32>, tensor<3x3x256x256xf32>) -> tensor<3x3x256x256xf32>
    %302 = "stablehlo.subtract"(%arg36, %301) : (tensor<3x3x256x256xf32>, tensor<3x3x256x256xf32>) -> tensor<3x3x256x256xf32>
    %303 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %304 = "stablehlo.broadcast_in_dim"(%303) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4096xf32>
    %305 = "stablehlo.multiply"(%304, %182) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %306 = "stablehlo.subtract"(%arg37, %305) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %307 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %308 = "stablehlo.broadcast_in_dim"(%307) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1024x4096xf32>
    %309 = "stablehlo.multiply"(%308, %184) : (tensor<1024x4096xf32>, tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
    %310 = "stablehlo.subtract"(%arg38, %309) : (tensor<1024x4096xf32>, tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
    %311 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %312 = "stablehlo.broadcast_in_dim"(%311) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4096xf32>
    %313 = "stablehlo.multiply"(%312, %171) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %314 = "stablehlo.subtract"(%arg39, %313) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %315 = "stablehlo.constant"() <{value = dense<0.00999999977> : tensor<f32>}> : () -> tensor<f32>
    %316 = "stablehlo.broadcast_in_dim"(%315) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4096x4096xf32>
    %317 = "stablehlo.multiply"(%316, %173) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %318 = "stablehlo.subtract"(%arg40, %317) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    "func.return"(%258, %262, %266, %270, %274, %278, %282, %286, %290, %294, %298, %302, %306, %310, %314, %318, %148) : (tensor<10xf32>, tensor<4096x10xf32>, tensor<64xf32>, tensor<3x3x3x64xf32>, tensor<192xf32>, tensor<3x3x64x192xf32>, tensor<384xf32>, tensor<3x3x192x384xf32>, tensor<256xf32>, tensor<3x3x384x256xf32>, tensor<256xf32>, tensor<3x3x256x256xf32>, tensor<4096xf32>, tensor<1024x4096xf32>, tensor<4096xf32>, tensor<4096x4096xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xf32>, res_attrs = [{}], sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg24: tensor<29x16x16x64xf32>):
    %68 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x16x16x64xf32>
    %70 = "stablehlo.maximum"(%arg24, %69) : (tensor<29x16x16x64xf32>, tensor<29x16x16x64xf32>) -> tensor<29x16x16x64xf32>
    "func.return"(%70) : (tensor<29x16x16x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xf32>, res_attrs = [{}], sym_name = "relu_0", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<29x8x8x192xf32>):
    %65 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %66 = "stablehlo.broadcast_in_dim"(%65) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x8x8x192xf32>
    %67 = "stablehlo.maximum"(%arg23, %66) : (tensor<29x8x8x192xf32>, tensor<29x8x8x192xf32>) -> tensor<29x8x8x192xf32>
    "func.return"(%67) : (tensor<29x8x8x192xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<29x4x4x384xf32>) -> tensor<29x4x4x384xf32>, res_attrs = [{}], sym_name = "relu_1", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<29x4x4x384xf32>):
    %62 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %63 = "stablehlo.broadcast_in_dim"(%62) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x384xf32>
    %64 = "stablehlo.maximum"(%arg22, %63) : (tensor<29x4x4x384xf32>, tensor<29x4x4x384xf32>) -> tensor<29x4x4x384xf32>
    "func.return"(%64) : (tensor<29x4x4x384xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>, res_attrs = [{}], sym_name = "relu_2", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<29x4x4x256xf32>):
    %59 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %60 = "stablehlo.broadcast_in_dim"(%59) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4x4x256xf32>
    %61 = "stablehlo.maximum"(%arg21, %60) : (tensor<29x4x4x256xf32>, tensor<29x4x4x256xf32>) -> tensor<29x4x4x256xf32>
    "func.return"(%61) : (tensor<29x4x4x256xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<29x4096xf32>) -> tensor<29x4096xf32>, res_attrs = [{}], sym_name = "relu_3", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<29x4096xf32>):
    %56 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x4096xf32>
    %58 = "stablehlo.maximum"(%arg20, %57) : (tensor<29x4096xf32>, tensor<29x4096xf32>) -> tensor<29x4096xf32>
    "func.return"(%58) : (tensor<29x4096xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<29x10xf32>) -> (tensor<29x10xf32>, tensor<29x10xf32>, tensor<29x1xf32>), res_attrs = [{}, {}, {}], sym_name = "log_softmax", sym_visibility = "private"}> ({
  ^bb0(%arg15: tensor<29x10xf32>):
    %39 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %40 = "stablehlo.reduce"(%arg15, %39) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %55 = "stablehlo.maximum"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%55) : (tensor<f32>) -> ()
    }) : (tensor<29x10xf32>, tensor<f32>) -> tensor<29xf32>
    %41 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %42 = "stablehlo.broadcast_in_dim"(%41) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29xf32>
    %43 = "stablehlo.maximum"(%42, %40) : (tensor<29xf32>, tensor<29xf32>) -> tensor<29xf32>
    %44 = "stablehlo.broadcast_in_dim"(%43) <{broadcast_dimensions = array<i64: 0>}> : (tensor<29xf32>) -> tensor<29x1xf32>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<29x1xf32>) -> tensor<29x10xf32>
    %46 = "stablehlo.subtract"(%arg15, %45) : (tensor<29x10xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>
    %47 = "stablehlo.exponential"(%46) : (tensor<29x10xf32>) -> tensor<29x10xf32>
    %48 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %49 = "stablehlo.reduce"(%47, %48) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %54 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%54) : (tensor<f32>) -> ()
    }) : (tensor<29x10xf32>, tensor<f32>) -> tensor<29xf32>
    %50 = "stablehlo.broadcast_in_dim"(%49) <{broadcast_dimensions = array<i64: 0>}> : (tensor<29xf32>) -> tensor<29x1xf32>
    %51 = "stablehlo.log"(%50) : (tensor<29x1xf32>) -> tensor<29x1xf32>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<29x1xf32>) -> tensor<29x10xf32>
    %53 = "stablehlo.subtract"(%46, %52) : (tensor<29x10xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>
    "func.return"(%53, %47, %50) : (tensor<29x10xf32>, tensor<29x10xf32>, tensor<29x1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<29x10xf32>, tensor<29x1xi32>) -> (tensor<29x1xf32>, tensor<29x1x1xi32>), res_attrs = [{}, {}], sym_name = "take_along_axis", sym_visibility = "private"}> ({
  ^bb0(%arg11: tensor<29x10xf32>, %arg12: tensor<29x1xi32>):
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<29x1xi32>
    %18 = "stablehlo.compare"(%arg12, %17) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<29x1xi32>, tensor<29x1xi32>) -> tensor<29x1xi1>
    %19 = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<29x1xi32>
    %21 = "stablehlo.add"(%arg12, %20) : (tensor<29x1xi32>, tensor<29x1xi32>) -> tensor<29x1xi32>
    %22 = "stablehlo.select"(%18, %21, %arg12) : (tensor<29x1xi1>, tensor<29x1xi32>, tensor<29x1xi32>) -> tensor<29x1xi32>
    %23 = "stablehlo.reshape"(%22) : (tensor<29x1xi32>) -> tensor<29x1x1xi32>
    %24 = "stablehlo.constant"() <{value = dense<9> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %26 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<29x1x1xi32>
    %27 = "stablehlo.compare"(%23, %26) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<29x1x1xi32>, tensor<29x1x1xi32>) -> tensor<29x1x1xi1>
    %28 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64: 2>}> : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<1x1x1xi32>) -> tensor<29x1x1xi32>
    %30 = "stablehlo.compare"(%23, %29) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<29x1x1xi32>, tensor<29x1x1xi32>) -> tensor<29x1x1xi1>
    %31 = "stablehlo.and"(%27, %30) : (tensor<29x1x1xi1>, tensor<29x1x1xi1>) -> tensor<29x1x1xi1>
    %32 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %33 = "stablehlo.reduce"(%31, %32) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg13: tensor<i1>, %arg14: tensor<i1>):
      %38 = "stablehlo.and"(%arg13, %arg14) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%38) : (tensor<i1>) -> ()
    }) : (tensor<29x1x1xi1>, tensor<i1>) -> tensor<29x1xi1>
    %34 = "stablehlo.gather"(%arg11, %23) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<29x10xf32>, tensor<29x1x1xi32>) -> tensor<29x1xf32>
    %35 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> tensor<f32>
    %36 = "stablehlo.broadcast_in_dim"(%35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x1xf32>
    %37 = "stablehlo.select"(%33, %34, %36) : (tensor<29x1xi1>, tensor<29x1xf32>, tensor<29x1xf32>) -> tensor<29x1xf32>
    "func.return"(%37, %23) : (tensor<29x1xf32>, tensor<29x1x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<29x1x1xi32>, tensor<29x1xf32>) -> tensor<29x10xf32>, res_attrs = [{}], sym_name = "take_along_axis_4", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<29x1x1xi32>, %arg8: tensor<29x1xf32>):
    %12 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<29x10xf32>
    %14 = "stablehlo.scatter"(%13, %arg7, %arg8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %15 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%15) : (tensor<f32>) -> ()
    }) : (tensor<29x10xf32>, tensor<29x1x1xi32>, tensor<29x1xf32>) -> tensor<29x10xf32>
    "func.return"(%14) : (tensor<29x10xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<29x10xf32>, tensor<29x1xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>, res_attrs = [{}], sym_name = "log_softmax_5", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<29x10xf32>, %arg1: tensor<29x1xf32>, %arg2: tensor<29x10xf32>):
    %0 = "stablehlo.negate"(%arg2) : (tensor<29x10xf32>) -> tensor<29x10xf32>
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %11 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) : (tensor<29x10xf32>, tensor<f32>) -> tensor<29xf32>
    %3 = "stablehlo.reshape"(%2) : (tensor<29xf32>) -> tensor<29x1xf32>
    %4 = "stablehlo.divide"(%3, %arg1) : (tensor<29x1xf32>, tensor<29x1xf32>) -> tensor<29x1xf32>
    %5 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %10 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<29x1xf32>, tensor<f32>) -> tensor<29xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0>}> : (tensor<29xf32>) -> tensor<29x10xf32>
    %8 = "stablehlo.multiply"(%7, %arg0) : (tensor<29x10xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>
    %9 = "stablehlo.add"(%arg2, %8) : (tensor<29x10xf32>, tensor<29x10xf32>) -> tensor<29x10xf32>
    "func.return"(%9) : (tensor<29x10xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
