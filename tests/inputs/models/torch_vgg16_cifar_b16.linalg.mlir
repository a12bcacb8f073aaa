#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 2 + d5)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map10 = affine_map<(d0, d1) -> (d0, d1)>
#map11 = affine_map<(d0, d1) -> (d1)>
#map12 = affine_map<(d0) -> (d0)>
#map13 = affine_map<(d0, d1) -> (d0, 0)>
#map14 = affine_map<(d0, d1) -> (d0)>
#map15 = affine_map<(d0, d1) -> ()>
#map16 = affine_map<() -> ()>
#map17 = affine_map<(d0, d1) -> (0, d1)>
#map18 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map19 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map20 = affine_map<(d0, d1, d2, d3) -> ()>
#map21 = affine_map<(d0, d1, d2, d3) -> (d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<64x3x3x3xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<256x128x3x3xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<512x256x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>, tensor<16x3x32x32xf32>, tensor<16xi64>) -> (tensor<64x3x3x3xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<256x128x3x3xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<512x256x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>, tensor<f32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<64x3x3x3xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64x64x3x3xf32>, %arg3: tensor<64xf32>, %arg4: tensor<128x64x3x3xf32>, %arg5: tensor<128xf32>, %arg6: tensor<128x128x3x3xf32>, %arg7: tensor<128xf32>, %arg8: tensor<256x128x3x3xf32>, %arg9: tensor<256xf32>, %arg10: tensor<256x256x3x3xf32>, %arg11: tensor<256xf32>, %arg12: tensor<256x256x3x3xf32>, %arg13: tensor<256xf32>, %arg14: tensor<512x256x3x3xf32>, %arg15: tensor<512xf32>, %arg16: tensor<512x512x3x3xf32>, %arg17: tensor<512xf32>, %arg18: tensor<512x512x3x3xf32>, %arg19: tensor<512xf32>, %arg20: tensor<512x512x3x3xf32>, %arg21: tensor<512xf32>, %arg22: tensor<512x512x3x3xf32>, %arg23: tensor<512xf32>, %arg24: tensor<512x512x3x3xf32>, %arg25: tensor<512xf32>, %arg26: tensor<512x512xf32>, %arg27: tensor<512xf32>, %arg28: tensor<512x512xf32>, %arg29: tensor<512xf32>, %arg30: tensor<10x512xf32>, %arg31: tensor<10xf32>, %arg32: tensor<16x3x32x32xf32>, %arg33: tensor<16xi64>):
    %0 = "arith.constant"() <{value = 32 : index}> : () -> index
    %1 = "arith.constant"() <{value = 8 : index}> : () -> index
    %2 = "arith.constant"() <{value = 4 : index}> : () -> index
    %3 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 3 : index}> : () -> index
    %5 = "arith.constant"() <{value = 2 : index}> : () -> index
    %6 = "arith.constant"() <{value = 1 : index}> : () -> index
    %7 = "arith.constant"() <{value = 16 : index}> : () -> index
    %8 = "arith.constant"() <{value = 0 : index}> : () -> index
    %9 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %10 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %11 = "arith.constant"() <{value = -1 : i64}> : () -> i64
    %12 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %14 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<16x10xf32>}> : () -> tensor<16x10xf32>
    %15 = "arith.constant"() <{value = 1.000000e-02 : f64}> : () -> f64
    %16 = "arith.constant"() <{value = 1.600000e+01 : f32}> : () -> f32
    %17 = "tensor.pad"(%arg32) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg911: index, %arg912: index, %arg913: index, %arg914: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x3x32x32xf32>) -> tensor<16x3x34x34xf32>
    %18 = "tensor.empty"() : () -> tensor<16x64x32x32xf32>
    %19 = "linalg.broadcast"(%arg1, %18) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg909: f32, %arg910: f32):
      "linalg.yield"(%arg909) : (f32) -> ()
    }) : (tensor<64xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %20 = "linalg.conv_2d_nchw_fchw"(%17, %arg0, %19) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg906: f32, %arg907: f32, %arg908: f32):
      %1032 = "arith.mulf"(%arg906, %arg907) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1033 = "arith.addf"(%arg908, %1032) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%1033) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x3x34x34xf32>, tensor<64x3x3x3xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %21 = "linalg.generic"(%20, %18) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg904: f32, %arg905: f32):
      %1030 = "arith.cmpf"(%arg904, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %1031 = "arith.select"(%1030, %arg904, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%1031) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %22 = "tensor.pad"(%21) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg900: index, %arg901: index, %arg902: index, %arg903: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>) -> tensor<16x64x34x34xf32>
    %23 = "linalg.broadcast"(%arg3, %18) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg898: f32, %arg899: f32):
      "linalg.yield"(%arg898) : (f32) -> ()
    }) : (tensor<64xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %24 = "linalg.conv_2d_nchw_fchw"(%22, %arg2, %23) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg895: f32, %arg896: f32, %arg897: f32):
      %1028 = "arith.mulf"(%arg895, %arg896) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1029 = "arith.addf"(%arg897, %1028) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%1029) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x64x34x34xf32>, tensor<64x64x3x3xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %25 = "linalg.generic"(%24, %18) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg893: f32, %arg894: f32):
      %1026 = "arith.cmpf"(%arg893, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %1027 = "arith.select"(%1026, %arg893, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%1027) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %26 = "tensor.empty"() : () -> tensor<16x64x16x16xf32>
    %27 = "linalg.fill"(%10, %26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg891: f32, %arg892: f32):
      "linalg.yield"(%arg891) : (f32) -> ()
    }) : (f32, tensor<16x64x16x16xf32>) -> tensor<16x64x16x16xf32>
    %28 = "tensor.empty"() : () -> tensor<2x2xf32>
    %29 = "linalg.pooling_nchw_max"(%25, %28, %27) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg888: f32, %arg889: f32, %arg890: f32):
      %1025 = "arith.maximumf"(%arg890, %arg888) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%1025) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map4, #map5, #map6]} : (tensor<16x64x32x32xf32>, tensor<2x2xf32>, tensor<16x64x16x16xf32>) -> tensor<16x64x16x16xf32>
    %30 = "tensor.empty"() : () -> tensor<16x64x16x16xi64>
    %31 = "linalg.fill"(%11, %30) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg886: i64, %arg887: i64):
      "linalg.yield"(%arg886) : (i64) -> ()
    }) : (i64, tensor<16x64x16x16xi64>) -> tensor<16x64x16x16xi64>
    %32 = "tensor.empty"() : () -> tensor<2x2xi64>
    %33 = "linalg.generic"(%29, %32, %31) <{indexing_maps = [#map6, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg883: f32, %arg884: i64, %arg885: i64):
      %1007 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %1008 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %1009 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %1010 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %1011 = "arith.muli"(%1009, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %1012 = "arith.addi"(%1011, %1010) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %1013 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %1014 = "linalg.index"() <{dim = 5 : i64}> : () -> index
      %1015 = "arith.muli"(%1013, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %1016 = "arith.addi"(%1015, %1014) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %1017 = "tensor.extract"(%25, %1007, %1008, %1012, %1016) : (tensor<16x64x32x32xf32>, index, index, index, index) -> f32
      %1018 = "arith.cmpf"(%1017, %arg883) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (f32, f32) -> i1
      %1019 = "arith.muli"(%1012, %0) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %1020 = "arith.addi"(%1016, %1019) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %1021 = "arith.index_cast"(%1020) : (index) -> i64
      %1022 = "arith.select"(%1018, %1021, %arg885) : (i1, i64, i64) -> i64
      %1023 = "arith.cmpi"(%arg885, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %1024 = "arith.select"(%1023, %1022, %arg885) : (i1, i64, i64) -> i64
      "linalg.yield"(%1024) : (i64) -> ()
    }) : (tensor<16x64x16x16xf32>, tensor<2x2xi64>, tensor<16x64x16x16xi64>) -> tensor<16x64x16x16xi64>
    %34 = "tensor.pad"(%29) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg879: index, %arg880: index, %arg881: index, %arg882: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x64x16x16xf32>) -> tensor<16x64x18x18xf32>
    %35 = "tensor.empty"() : () -> tensor<16x128x16x16xf32>
    %36 = "linalg.broadcast"(%arg5, %35) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg877: f32, %arg878: f32):
      "linalg.yield"(%arg877) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %37 = "linalg.conv_2d_nchw_fchw"(%34, %arg4, %36) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg874: f32, %arg875: f32, %arg876: f32):
      %1005 = "arith.mulf"(%arg874, %arg875) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1006 = "arith.addf"(%arg876, %1005) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%1006) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x64x18x18xf32>, tensor<128x64x3x3xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %38 = "linalg.generic"(%37, %35) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg872: f32, %arg873: f32):
      %1003 = "arith.cmpf"(%arg872, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %1004 = "arith.select"(%1003, %arg872, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%1004) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %39 = "tensor.pad"(%38) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg868: index, %arg869: index, %arg870: index, %arg871: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>) -> tensor<16x128x18x18xf32>
    %40 = "linalg.broadcast"(%arg7, %35) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg866: f32, %arg867: f32):
      "linalg.yield"(%arg866) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %41 = "linalg.conv_2d_nchw_fchw"(%39, %arg6, %40) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg863: f32, %arg864: f32, %arg865: f32):
      %1001 = "arith.mulf"(%arg863, %arg864) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1002 = "arith.addf"(%arg865, %1001) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%1002) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x128x18x18xf32>, tensor<128x128x3x3xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %42 = "linalg.generic"(%41, %35) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg861: f32, %arg862: f32):
      %999 = "arith.cmpf"(%arg861, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %1000 = "arith.select"(%999, %arg861, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%1000) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %43 = "tensor.empty"() : () -> tensor<16x128x8x8xf32>
    %44 = "linalg.fill"(%10, %43) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg859: f32, %arg860: f32):
      "linalg.yield"(%arg859) : (f32) -> ()
    }) : (f32, tensor<16x128x8x8xf32>) -> tensor<16x128x8x8xf32>
    %45 = "linalg.pooling_nchw_max"(%42, %28, %44) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg856: f32, %arg857: f32, %arg858: f32):
      %998 = "arith.maximumf"(%arg858, %arg856) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%998) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map4, #map5, #map6]} : (tensor<16x128x16x16xf32>, tensor<2x2xf32>, tensor<16x128x8x8xf32>) -> tensor<16x128x8x8xf32>
    %46 = "tensor.empty"() : () -> tensor<16x128x8x8xi64>
    %47 = "linalg.fill"(%11, %46) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg854: i64, %arg855: i64):
      "linalg.yield"(%arg854) : (i64) -> ()
    }) : (i64, tensor<16x128x8x8xi64>) -> tensor<16x128x8x8xi64>
    %48 = "linalg.generic"(%45, %32, %47) <{indexing_maps = [#map6, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg851: f32, %arg852: i64, %arg853: i64):
      %980 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %981 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %982 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %983 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %984 = "arith.muli"(%982, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %985 = "arith.addi"(%984, %983) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %986 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %987 = "linalg.index"() <{dim = 5 : i64}> : () -> index
      %988 = "arith.muli"(%986, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %989 = "arith.addi"(%988, %987) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %990 = "tensor.extract"(%42, %980, %981, %985, %989) : (tensor<16x128x16x16xf32>, index, index, index, index) -> f32
      %991 = "arith.cmpf"(%990, %arg851) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (f32, f32) -> i1
      %992 = "arith.muli"(%985, %7) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %993 = "arith.addi"(%989, %992) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %994 = "arith.index_cast"(%993) : (index) -> i64
      %995 = "arith.select"(%991, %994, %arg853) : (i1, i64, i64) -> i64
      %996 = "arith.cmpi"(%arg853, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %997 = "arith.select"(%996, %995, %arg853) : (i1, i64, i64) -> i64
      "linalg.yield"(%997) : (i64) -> ()
    }) : (tensor<16x128x8x8xf32>, tensor<2x2xi64>, tensor<16x128x8x8xi64>) -> tensor<16x128x8x8xi64>
    %49 = "tensor.pad"(%45) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg847: index, %arg848: index, %arg849: index, %arg850: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x128x8x8xf32>) -> tensor<16x128x10x10xf32>
    %50 = "tensor.empty"() : () -> tensor<16x256x8x8xf32>
    %51 = "linalg.broadcast"(%arg9, %50) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg845: f32, %arg846: f32):
      "linalg.yield"(%arg845) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %52 = "linalg.conv_2d_nchw_fchw"(%49, %arg8, %51) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg842: f32, %arg843: f32, %arg844: f32):
      %978 = "arith.mulf"(%arg842, %arg843) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %979 = "arith.addf"(%arg844, %978) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%979) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x128x10x10xf32>, tensor<256x128x3x3xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %53 = "linalg.generic"(%52, %50) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg840: f32, %arg841: f32):
      %976 = "arith.cmpf"(%arg840, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %977 = "arith.select"(%976, %arg840, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%977) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %54 = "tensor.pad"(%53) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg836: index, %arg837: index, %arg838: index, %arg839: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>) -> tensor<16x256x10x10xf32>
    %55 = "linalg.broadcast"(%arg11, %50) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg834: f32, %arg835: f32):
      "linalg.yield"(%arg834) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %56 = "linalg.conv_2d_nchw_fchw"(%54, %arg10, %55) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg831: f32, %arg832: f32, %arg833: f32):
      %974 = "arith.mulf"(%arg831, %arg832) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %975 = "arith.addf"(%arg833, %974) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%975) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x256x10x10xf32>, tensor<256x256x3x3xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %57 = "linalg.generic"(%56, %50) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg829: f32, %arg830: f32):
      %972 = "arith.cmpf"(%arg829, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %973 = "arith.select"(%972, %arg829, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%973) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %58 = "tensor.pad"(%57) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg825: index, %arg826: index, %arg827: index, %arg828: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>) -> tensor<16x256x10x10xf32>
    %59 = "linalg.broadcast"(%arg13, %50) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg823: f32, %arg824: f32):
      "linalg.yield"(%arg823) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %60 = "linalg.conv_2d_nchw_fchw"(%58, %arg12, %59) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg820: f32, %arg821: f32, %arg822: f32):
      %970 = "arith.mulf"(%arg820, %arg821) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %971 = "arith.addf"(%arg822, %970) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%971) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x256x10x10xf32>, tensor<256x256x3x3xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %61 = "linalg.generic"(%60, %50) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg818: f32, %arg819: f32):
      %968 = "arith.cmpf"(%arg818, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %969 = "arith.select"(%968, %arg818, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%969) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %62 = "tensor.empty"() : () -> tensor<16x256x4x4xf32>
    %63 = "linalg.fill"(%10, %62) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg816: f32, %arg817: f32):
      "linalg.yield"(%arg816) : (f32) -> ()
    }) : (f32, tensor<16x256x4x4xf32>) -> tensor<16x256x4x4xf32>
    %64 = "linalg.pooling_nchw_max"(%61, %28, %63) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg813: f32, %arg814: f32, %arg815: f32):
      %967 = "arith.maximumf"(%arg815, %arg813) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%967) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map4, #map5, #map6]} : (tensor<16x256x8x8xf32>, tensor<2x2xf32>, tensor<16x256x4x4xf32>) -> tensor<16x256x4x4xf32>
    %65 = "tensor.empty"() : () -> tensor<16x256x4x4xi64>
    %66 = "linalg.fill"(%11, %65) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg811: i64, %arg812: i64):
      "linalg.yield"(%arg811) : (i64) -> ()
    }) : (i64, tensor<16x256x4x4xi64>) -> tensor<16x256x4x4xi64>
    %67 = "linalg.generic"(%64, %32, %66) <{indexing_maps = [#map6, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg808: f32, %arg809: i64, %arg810: i64):
      %949 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %950 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %951 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %952 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %953 = "arith.muli"(%951, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %954 = "arith.addi"(%953, %952) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %955 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %956 = "linalg.index"() <{dim = 5 : i64}> : () -> index
      %957 = "arith.muli"(%955, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %958 = "arith.addi"(%957, %956) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %959 = "tensor.extract"(%61, %949, %950, %954, %958) : (tensor<16x256x8x8xf32>, index, index, index, index) -> f32
      %960 = "arith.cmpf"(%959, %arg808) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (f32, f32) -> i1
      %961 = "arith.muli"(%954, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %962 = "arith.addi"(%958, %961) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %963 = "arith.index_cast"(%962) : (index) -> i64
      %964 = "arith.select"(%960, %963, %arg810) : (i1, i64, i64) -> i64
      %965 = "arith.cmpi"(%arg810, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %966 = "arith.select"(%965, %964, %arg810) : (i1, i64, i64) -> i64
      "linalg.yield"(%966) : (i64) -> ()
    }) : (tensor<16x256x4x4xf32>, tensor<2x2xi64>, tensor<16x256x4x4xi64>) -> tensor<16x256x4x4xi64>
    %68 = "tensor.pad"(%64) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg804: index, %arg805: index, %arg806: index, %arg807: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x256x4x4xf32>) -> tensor<16x256x6x6xf32>
    %69 = "tensor.empty"() : () -> tensor<16x512x4x4xf32>
    %70 = "linalg.broadcast"(%arg15, %69) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg802: f32, %arg803: f32):
      "linalg.yield"(%arg802) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %71 = "linalg.conv_2d_nchw_fchw"(%68, %arg14, %70) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg799: f32, %arg800: f32, %arg801: f32):
      %947 = "arith.mulf"(%arg799, %arg800) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %948 = "arith.addf"(%arg801, %947) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%948) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x256x6x6xf32>, tensor<512x256x3x3xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %72 = "linalg.generic"(%71, %69) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg797: f32, %arg798: f32):
      %945 = "arith.cmpf"(%arg797, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %946 = "arith.select"(%945, %arg797, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%946) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %73 = "tensor.pad"(%72) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg793: index, %arg794: index, %arg795: index, %arg796: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>) -> tensor<16x512x6x6xf32>
    %74 = "linalg.broadcast"(%arg17, %69) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg791: f32, %arg792: f32):
      "linalg.yield"(%arg791) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %75 = "linalg.conv_2d_nchw_fchw"(%73, %arg16, %74) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg788: f32, %arg789: f32, %arg790: f32):
      %943 = "arith.mulf"(%arg788, %arg789) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %944 = "arith.addf"(%arg790, %943) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%944) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x6x6xf32>, tensor<512x512x3x3xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %76 = "linalg.generic"(%75, %69) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg786: f32, %arg787: f32):
      %941 = "arith.cmpf"(%arg786, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %942 = "arith.select"(%941, %arg786, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%942) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %77 = "tensor.pad"(%76) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg782: index, %arg783: index, %arg784: index, %arg785: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>) -> tensor<16x512x6x6xf32>
    %78 = "linalg.broadcast"(%arg19, %69) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg780: f32, %arg781: f32):
      "linalg.yield"(%arg780) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %79 = "linalg.conv_2d_nchw_fchw"(%77, %arg18, %78) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg777: f32, %arg778: f32, %arg779: f32):
      %939 = "arith.mulf"(%arg777, %arg778) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %940 = "arith.addf"(%arg779, %939) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%940) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x6x6xf32>, tensor<512x512x3x3xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %80 = "linalg.generic"(%79, %69) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg775: f32, %arg776: f32):
      %937 = "arith.cmpf"(%arg775, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %938 = "arith.select"(%937, %arg775, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%938) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %81 = "tensor.empty"() : () -> tensor<16x512x2x2xf32>
    %82 = "linalg.fill"(%10, %81) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg773: f32, %arg774: f32):
      "linalg.yield"(%arg773) : (f32) -> ()
    }) : (f32, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %83 = "linalg.pooling_nchw_max"(%80, %28, %82) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg770: f32, %arg771: f32, %arg772: f32):
      %936 = "arith.maximumf"(%arg772, %arg770) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%936) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map4, #map5, #map6]} : (tensor<16x512x4x4xf32>, tensor<2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %84 = "tensor.empty"() : () -> tensor<16x512x2x2xi64>
    %85 = "linalg.fill"(%11, %84) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg768: i64, %arg769: i64):
      "linalg.yield"(%arg768) : (i64) -> ()
    }) : (i64, tensor<16x512x2x2xi64>) -> tensor<16x512x2x2xi64>
    %86 = "linalg.generic"(%83, %32, %85) <{indexing_maps = [#map6, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg765: f32, %arg766: i64, %arg767: i64):
      %918 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %919 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %920 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %921 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %922 = "arith.muli"(%920, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %923 = "arith.addi"(%922, %921) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %924 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %925 = "linalg.index"() <{dim = 5 : i64}> : () -> index
      %926 = "arith.muli"(%924, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %927 = "arith.addi"(%926, %925) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %928 = "tensor.extract"(%80, %918, %919, %923, %927) : (tensor<16x512x4x4xf32>, index, index, index, index) -> f32
      %929 = "arith.cmpf"(%928, %arg765) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (f32, f32) -> i1
      %930 = "arith.muli"(%923, %2) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %931 = "arith.addi"(%927, %930) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %932 = "arith.index_cast"(%931) : (index) -> i64
      %933 = "arith.select"(%929, %932, %arg767) : (i1, i64, i64) -> i64
      %934 = "arith.cmpi"(%arg767, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %935 = "arith.select"(%934, %933, %arg767) : (i1, i64, i64) -> i64
      "linalg.yield"(%935) : (i64) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<2x2xi64>, tensor<16x512x2x2xi64>) -> tensor<16x512x2x2xi64>
    %87 = "tensor.pad"(%83) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg761: index, %arg762: index, %arg763: index, %arg764: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>) -> tensor<16x512x4x4xf32>
    %88 = "linalg.broadcast"(%arg21, %81) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg759: f32, %arg760: f32):
      "linalg.yield"(%arg759) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %89 = "linalg.conv_2d_nchw_fchw"(%87, %arg20, %88) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg756: f32, %arg757: f32, %arg758: f32):
      %916 = "arith.mulf"(%arg756, %arg757) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %917 = "arith.addf"(%arg758, %916) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%917) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x4x4xf32>, tensor<512x512x3x3xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %90 = "linalg.generic"(%89, %81) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg754: f32, %arg755: f32):
      %914 = "arith.cmpf"(%arg754, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %915 = "arith.select"(%914, %arg754, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%915) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %91 = "tensor.pad"(%90) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg750: index, %arg751: index, %arg752: index, %arg753: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>) -> tensor<16x512x4x4xf32>
    %92 = "linalg.broadcast"(%arg23, %81) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg748: f32, %arg749: f32):
      "linalg.yield"(%arg748) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %93 = "linalg.conv_2d_nchw_fchw"(%91, %arg22, %92) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg745: f32, %arg746: f32, %arg747: f32):
      %912 = "arith.mulf"(%arg745, %arg746) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %913 = "arith.addf"(%arg747, %912) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%913) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x4x4xf32>, tensor<512x512x3x3xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %94 = "linalg.generic"(%93, %81) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg743: f32, %arg744: f32):
      %910 = "arith.cmpf"(%arg743, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %911 = "arith.select"(%910, %arg743, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%911) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %95 = "tensor.pad"(%94) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg739: index, %arg740: index, %arg741: index, %arg742: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>) -> tensor<16x512x4x4xf32>
    %96 = "linalg.broadcast"(%arg25, %81) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg737: f32, %arg738: f32):
      "linalg.yield"(%arg737) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %97 = "linalg.conv_2d_nchw_fchw"(%95, %arg24, %96) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg734: f32, %arg735: f32, %arg736: f32):
      %908 = "arith.mulf"(%arg734, %arg735) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %909 = "arith.addf"(%arg736, %908) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%909) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x4x4xf32>, tensor<512x512x3x3xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %98 = "linalg.generic"(%97, %81) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg732: f32, %arg733: f32):
      %906 = "arith.cmpf"(%arg732, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %907 = "arith.select"(%906, %arg732, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%907) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %99 = "tensor.empty"() : () -> tensor<16x512x1x1xf32>
    %100 = "linalg.fill"(%10, %99) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg730: f32, %arg731: f32):
      "linalg.yield"(%arg730) : (f32) -> ()
    }) : (f32, tensor<16x512x1x1xf32>) -> tensor<16x512x1x1xf32>
    %101 = "linalg.pooling_nchw_max"(%98, %28, %100) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg727: f32, %arg728: f32, %arg729: f32):
      %905 = "arith.maximumf"(%arg729, %arg727) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%905) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map4, #map5, #map6]} : (tensor<16x512x2x2xf32>, tensor<2x2xf32>, tensor<16x512x1x1xf32>) -> tensor<16x512x1x1xf32>
    %102 = "tensor.empty"() : () -> tensor<16x512x1x1xi64>
    %103 = "linalg.fill"(%11, %102) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg725: i64, %arg726: i64):
      "linalg.yield"(%arg725) : (i64) -> ()
    }) : (i64, tensor<16x512x1x1xi64>) -> tensor<16x512x1x1xi64>
    %104 = "linalg.generic"(%101, %32, %103) <{indexing_maps = [#map6, #map5, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg722: f32, %arg723: i64, %arg724: i64):
      %893 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %894 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %895 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %896 = "linalg.index"() <{dim = 5 : i64}> : () -> index
      %897 = "tensor.extract"(%98, %893, %894, %895, %896) : (tensor<16x512x2x2xf32>, index, index, index, index) -> f32
      %898 = "arith.cmpf"(%897, %arg722) <{fastmath = #arith.fastmath<none>, predicate = 1 : i64}> : (f32, f32) -> i1
      %899 = "arith.muli"(%895, %5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %900 = "arith.addi"(%896, %899) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %901 = "arith.index_cast"(%900) : (index) -> i64
      %902 = "arith.select"(%898, %901, %arg724) : (i1, i64, i64) -> i64
      %903 = "arith.cmpi"(%arg724, %11) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %904 = "arith.select"(%903, %902, %arg724) : (i1, i64, i64) -> i64
      "linalg.yield"(%904) : (i64) -> ()
    }) : (tensor<16x512x1x1xf32>, tensor<2x2xi64>, tensor<16x512x1x1xi64>) -> tensor<16x512x1x1xi64>
    %105 = "tensor.collapse_shape"(%101) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<16x512x1x1xf32>) -> tensor<16x512xf32>
    %106 = "tensor.empty"() : () -> tensor<512x512xf32>
    %107 = "linalg.transpose"(%arg26, %106) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg720: f32, %arg721: f32):
      "linalg.yield"(%arg720) : (f32) -> ()
    }) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %108 = "tensor.empty"() : () -> tensor<16x512xf32>
    %109 = "linalg.fill"(%3, %108) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg718: f32, %arg719: f32):
      "linalg.yield"(%arg718) : (f32) -> ()
    }) : (f32, tensor<16x512xf32>) -> tensor<16x512xf32>
    %110 = "linalg.matmul"(%105, %107, %109) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg715: f32, %arg716: f32, %arg717: f32):
      %891 = "arith.mulf"(%arg715, %arg716) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %892 = "arith.addf"(%arg717, %891) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%892) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %111 = "linalg.generic"(%110, %arg27, %108) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg712: f32, %arg713: f32, %arg714: f32):
      %890 = "arith.addf"(%arg712, %arg713) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%890) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %112 = "linalg.generic"(%111, %108) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg710: f32, %arg711: f32):
      %888 = "arith.cmpf"(%arg710, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %889 = "arith.select"(%888, %arg710, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%889) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %113 = "linalg.transpose"(%arg28, %106) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg708: f32, %arg709: f32):
      "linalg.yield"(%arg708) : (f32) -> ()
    }) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %114 = "linalg.matmul"(%112, %113, %109) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg705: f32, %arg706: f32, %arg707: f32):
      %886 = "arith.mulf"(%arg705, %arg706) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %887 = "arith.addf"(%arg707, %886) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%887) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %115 = "linalg.generic"(%114, %arg29, %108) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg702: f32, %arg703: f32, %arg704: f32):
      %885 = "arith.addf"(%arg702, %arg703) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%885) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %116 = "linalg.generic"(%115, %108) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg700: f32, %arg701: f32):
      %883 = "arith.cmpf"(%arg700, %3) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %884 = "arith.select"(%883, %arg700, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%884) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %117 = "tensor.empty"() : () -> tensor<512x10xf32>
    %118 = "linalg.transpose"(%arg30, %117) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg698: f32, %arg699: f32):
      "linalg.yield"(%arg698) : (f32) -> ()
    }) : (tensor<10x512xf32>, tensor<512x10xf32>) -> tensor<512x10xf32>
    %119 = "tensor.empty"() : () -> tensor<16x10xf32>
    %120 = "linalg.fill"(%3, %119) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg696: f32, %arg697: f32):
      "linalg.yield"(%arg696) : (f32) -> ()
    }) : (f32, tensor<16x10xf32>) -> tensor<16x10xf32>
    %121 = "linalg.matmul"(%116, %118, %120) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg693: f32, %arg694: f32, %arg695: f32):
      %881 = "arith.mulf"(%arg693, %arg694) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %882 = "arith.addf"(%arg695, %881) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%882) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x10xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %122 = "linalg.generic"(%121, %arg31, %119) <{indexing_maps = [#map10, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg690: f32, %arg691: f32, %arg692: f32):
      %880 = "arith.addf"(%arg690, %arg691) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%880) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<10xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %123 = "tensor.expand_shape"(%arg33) <{reassociation = [[0, 1]], static_output_shape = array<i64: 16, 1>}> : (tensor<16xi64>) -> tensor<16x1xi64>
    %124 = "tensor.empty"() : () -> tensor<10xi64>
    %125 = "linalg.generic"(%124) <{indexing_maps = [#map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg689: i64):
      %878 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %879 = "arith.index_cast"(%878) : (index) -> i64
      "linalg.yield"(%879) : (i64) -> ()
    }) : (tensor<10xi64>) -> tensor<10xi64>
    %126 = "tensor.empty"() : () -> tensor<16x10xi1>
    %127 = "linalg.generic"(%123, %125, %126) <{indexing_maps = [#map13, #map11, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg686: i64, %arg687: i64, %arg688: i1):
      %877 = "arith.cmpi"(%arg686, %arg687) <{predicate = 0 : i64}> : (i64, i64) -> i1
      "linalg.yield"(%877) : (i1) -> ()
    }) : (tensor<16x1xi64>, tensor<10xi64>, tensor<16x10xi1>) -> tensor<16x10xi1>
    %128 = "tensor.empty"() : () -> tensor<16xi64>
    %129 = "linalg.fill"(%9, %128) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg684: i64, %arg685: i64):
      "linalg.yield"(%arg684) : (i64) -> ()
    }) : (i64, tensor<16xi64>) -> tensor<16xi64>
    %130 = "tensor.empty"() : () -> tensor<16xf32>
    %131 = "linalg.fill"(%10, %130) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg682: f32, %arg683: f32):
      "linalg.yield"(%arg682) : (f32) -> ()
    }) : (f32, tensor<16xf32>) -> tensor<16xf32>
    %132:2 = "linalg.generic"(%122, %131, %129) <{indexing_maps = [#map10, #map14, #map14], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg679: f32, %arg680: f32, %arg681: i64):
      %872 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %873 = "arith.index_cast"(%872) : (index) -> i64
      %874 = "arith.maximumf"(%arg679, %arg680) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %875 = "arith.cmpf"(%arg679, %arg680) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %876 = "arith.select"(%875, %873, %arg681) : (i1, i64, i64) -> i64
      "linalg.yield"(%874, %876) : (f32, i64) -> ()
    }) : (tensor<16x10xf32>, tensor<16xf32>, tensor<16xi64>) -> (tensor<16xf32>, tensor<16xi64>)
    %133 = "tensor.expand_shape"(%132#0) <{reassociation = [[0, 1]], static_output_shape = array<i64: 16, 1>}> : (tensor<16xf32>) -> tensor<16x1xf32>
    %134 = "linalg.generic"(%122, %133, %119) <{indexing_maps = [#map10, #map13, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg676: f32, %arg677: f32, %arg678: f32):
      %871 = "arith.subf"(%arg676, %arg677) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%871) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x1xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %135 = "linalg.generic"(%134, %119) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg674: f32, %arg675: f32):
      %870 = "math.exp"(%arg674) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%870) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %136 = "tensor.empty"() : () -> tensor<16x1xf32>
    %137 = "linalg.fill"(%3, %136) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg672: f32, %arg673: f32):
      "linalg.yield"(%arg672) : (f32) -> ()
    }) : (f32, tensor<16x1xf32>) -> tensor<16x1xf32>
    %138 = "linalg.generic"(%135, %137) <{indexing_maps = [#map10, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg670: f32, %arg671: f32):
      %869 = "arith.addf"(%arg670, %arg671) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%869) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x1xf32>) -> tensor<16x1xf32>
    %139 = "linalg.generic"(%138, %136) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg668: f32, %arg669: f32):
      %868 = "math.log"(%arg668) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%868) : (f32) -> ()
    }) : (tensor<16x1xf32>, tensor<16x1xf32>) -> tensor<16x1xf32>
    %140 = "linalg.generic"(%134, %139, %119) <{indexing_maps = [#map10, #map13, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg665: f32, %arg666: f32, %arg667: f32):
      %867 = "arith.subf"(%arg665, %arg666) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%867) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x1xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %141 = "linalg.generic"(%127, %140, %14, %119) <{indexing_maps = [#map10, #map10, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg661: i1, %arg662: f32, %arg663: f32, %arg664: f32):
      %866 = "arith.select"(%arg661, %arg662, %arg663) : (i1, f32, f32) -> f32
      "linalg.yield"(%866) : (f32) -> ()
    }) : (tensor<16x10xi1>, tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %142 = "tensor.empty"() : () -> tensor<f32>
    %143 = "linalg.fill"(%3, %142) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg659: f32, %arg660: f32):
      "linalg.yield"(%arg659) : (f32) -> ()
    }) : (f32, tensor<f32>) -> tensor<f32>
    %144 = "linalg.generic"(%141, %143) <{indexing_maps = [#map10, #map15], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg657: f32, %arg658: f32):
      %865 = "arith.addf"(%arg657, %arg658) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%865) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<f32>) -> tensor<f32>
    %145 = "linalg.generic"(%144, %142) <{indexing_maps = [#map16, #map16], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg655: f32, %arg656: f32):
      %864 = "arith.negf"(%arg655) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%864) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %146 = "linalg.generic"(%145, %142) <{indexing_maps = [#map16, #map16], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg653: f32, %arg654: f32):
      %863 = "arith.divf"(%arg653, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%863) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %147 = "linalg.generic"(%13, %142) <{indexing_maps = [#map16, #map16], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg651: f32, %arg652: f32):
      %862 = "arith.divf"(%arg651, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%862) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %148 = "linalg.generic"(%147, %142) <{indexing_maps = [#map16, #map16], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg649: f32, %arg650: f32):
      %861 = "arith.negf"(%arg649) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%861) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %149 = "linalg.generic"(%148, %119) <{indexing_maps = [#map15, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg647: f32, %arg648: f32):
      "linalg.yield"(%arg647) : (f32) -> ()
    }) : (tensor<f32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %150 = "linalg.generic"(%127, %149, %12, %119) <{indexing_maps = [#map10, #map10, #map15, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg643: i1, %arg644: f32, %arg645: f32, %arg646: f32):
      %860 = "arith.select"(%arg643, %arg644, %arg645) : (i1, f32, f32) -> f32
      "linalg.yield"(%860) : (f32) -> ()
    }) : (tensor<16x10xi1>, tensor<16x10xf32>, tensor<f32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %151 = "linalg.generic"(%140, %119) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg641: f32, %arg642: f32):
      %859 = "math.exp"(%arg641) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%859) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %152 = "linalg.generic"(%150, %137) <{indexing_maps = [#map10, #map13], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg639: f32, %arg640: f32):
      %858 = "arith.addf"(%arg639, %arg640) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%858) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x1xf32>) -> tensor<16x1xf32>
    %153 = "linalg.generic"(%151, %152, %119) <{indexing_maps = [#map10, #map13, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg636: f32, %arg637: f32, %arg638: f32):
      %857 = "arith.mulf"(%arg636, %arg637) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%857) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x1xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %154 = "linalg.generic"(%150, %153, %119) <{indexing_maps = [#map10, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg633: f32, %arg634: f32, %arg635: f32):
      %856 = "arith.subf"(%arg633, %arg634) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%856) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %155 = "linalg.matmul"(%154, %arg30, %109) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg630: f32, %arg631: f32, %arg632: f32):
      %854 = "arith.mulf"(%arg630, %arg631) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %855 = "arith.addf"(%arg632, %854) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%855) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<10x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %156 = "tensor.empty"() : () -> tensor<10x16xf32>
    %157 = "linalg.transpose"(%154, %156) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg628: f32, %arg629: f32):
      "linalg.yield"(%arg628) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<10x16xf32>) -> tensor<10x16xf32>
    %158 = "tensor.empty"() : () -> tensor<10x512xf32>
    %159 = "linalg.fill"(%3, %158) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg626: f32, %arg627: f32):
      "linalg.yield"(%arg626) : (f32) -> ()
    }) : (f32, tensor<10x512xf32>) -> tensor<10x512xf32>
    %160 = "linalg.matmul"(%157, %116, %159) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg623: f32, %arg624: f32, %arg625: f32):
      %852 = "arith.mulf"(%arg623, %arg624) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %853 = "arith.addf"(%arg625, %852) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%853) : (f32) -> ()
    }) : (tensor<10x16xf32>, tensor<16x512xf32>, tensor<10x512xf32>) -> tensor<10x512xf32>
    %161 = "tensor.empty"() : () -> tensor<1x10xf32>
    %162 = "linalg.fill"(%3, %161) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg621: f32, %arg622: f32):
      "linalg.yield"(%arg621) : (f32) -> ()
    }) : (f32, tensor<1x10xf32>) -> tensor<1x10xf32>
    %163 = "linalg.generic"(%154, %162) <{indexing_maps = [#map10, #map17], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg619: f32, %arg620: f32):
      %851 = "arith.addf"(%arg619, %arg620) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%851) : (f32) -> ()
    }) : (tensor<16x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %164 = "tensor.collapse_shape"(%163) <{reassociation = [[0, 1]]}> : (tensor<1x10xf32>) -> tensor<10xf32>
    %165 = "tensor.empty"() : () -> tensor<16x512xi1>
    %166 = "linalg.generic"(%116, %165) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg617: f32, %arg618: i1):
      %850 = "arith.cmpf"(%arg617, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%850) : (i1) -> ()
    }) : (tensor<16x512xf32>, tensor<16x512xi1>) -> tensor<16x512xi1>
    %167 = "linalg.generic"(%166, %12, %155, %108) <{indexing_maps = [#map10, #map15, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg613: i1, %arg614: f32, %arg615: f32, %arg616: f32):
      %849 = "arith.select"(%arg613, %arg614, %arg615) : (i1, f32, f32) -> f32
      "linalg.yield"(%849) : (f32) -> ()
    }) : (tensor<16x512xi1>, tensor<f32>, tensor<16x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %168 = "linalg.matmul"(%167, %arg28, %109) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg610: f32, %arg611: f32, %arg612: f32):
      %847 = "arith.mulf"(%arg610, %arg611) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %848 = "arith.addf"(%arg612, %847) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%848) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %169 = "tensor.empty"() : () -> tensor<512x16xf32>
    %170 = "linalg.transpose"(%167, %169) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg608: f32, %arg609: f32):
      "linalg.yield"(%arg608) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x16xf32>) -> tensor<512x16xf32>
    %171 = "linalg.fill"(%3, %106) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg606: f32, %arg607: f32):
      "linalg.yield"(%arg606) : (f32) -> ()
    }) : (f32, tensor<512x512xf32>) -> tensor<512x512xf32>
    %172 = "linalg.matmul"(%170, %112, %171) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg603: f32, %arg604: f32, %arg605: f32):
      %845 = "arith.mulf"(%arg603, %arg604) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %846 = "arith.addf"(%arg605, %845) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%846) : (f32) -> ()
    }) : (tensor<512x16xf32>, tensor<16x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %173 = "tensor.empty"() : () -> tensor<1x512xf32>
    %174 = "linalg.fill"(%3, %173) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg601: f32, %arg602: f32):
      "linalg.yield"(%arg601) : (f32) -> ()
    }) : (f32, tensor<1x512xf32>) -> tensor<1x512xf32>
    %175 = "linalg.generic"(%167, %174) <{indexing_maps = [#map10, #map17], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg599: f32, %arg600: f32):
      %844 = "arith.addf"(%arg599, %arg600) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%844) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %176 = "tensor.collapse_shape"(%175) <{reassociation = [[0, 1]]}> : (tensor<1x512xf32>) -> tensor<512xf32>
    %177 = "linalg.generic"(%112, %165) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg597: f32, %arg598: i1):
      %843 = "arith.cmpf"(%arg597, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%843) : (i1) -> ()
    }) : (tensor<16x512xf32>, tensor<16x512xi1>) -> tensor<16x512xi1>
    %178 = "linalg.generic"(%177, %12, %168, %108) <{indexing_maps = [#map10, #map15, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg593: i1, %arg594: f32, %arg595: f32, %arg596: f32):
      %842 = "arith.select"(%arg593, %arg594, %arg595) : (i1, f32, f32) -> f32
      "linalg.yield"(%842) : (f32) -> ()
    }) : (tensor<16x512xi1>, tensor<f32>, tensor<16x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %179 = "linalg.matmul"(%178, %arg26, %109) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg590: f32, %arg591: f32, %arg592: f32):
      %840 = "arith.mulf"(%arg590, %arg591) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %841 = "arith.addf"(%arg592, %840) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%841) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x512xf32>, tensor<16x512xf32>) -> tensor<16x512xf32>
    %180 = "linalg.transpose"(%178, %169) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg588: f32, %arg589: f32):
      "linalg.yield"(%arg588) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<512x16xf32>) -> tensor<512x16xf32>
    %181 = "linalg.matmul"(%180, %105, %171) <{indexing_maps = [#map7, #map8, #map9], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg585: f32, %arg586: f32, %arg587: f32):
      %838 = "arith.mulf"(%arg585, %arg586) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %839 = "arith.addf"(%arg587, %838) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%839) : (f32) -> ()
    }) : (tensor<512x16xf32>, tensor<16x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %182 = "linalg.generic"(%178, %174) <{indexing_maps = [#map10, #map17], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg583: f32, %arg584: f32):
      %837 = "arith.addf"(%arg583, %arg584) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%837) : (f32) -> ()
    }) : (tensor<16x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %183 = "tensor.collapse_shape"(%182) <{reassociation = [[0, 1]]}> : (tensor<1x512xf32>) -> tensor<512xf32>
    %184 = "tensor.expand_shape"(%179) <{reassociation = [[0], [1, 2, 3]], static_output_shape = array<i64: 16, 512, 1, 1>}> : (tensor<16x512xf32>) -> tensor<16x512x1x1xf32>
    %185 = "tensor.empty"() : () -> tensor<16x512x1x1x4xi64>
    %186 = "linalg.generic"(%104, %185) <{indexing_maps = [#map18, #map19], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg581: i64, %arg582: i64):
      %819 = "arith.index_cast"(%arg581) : (i64) -> index
      %820 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %821 = "arith.remsi"(%819, %5) : (index, index) -> index
      %822 = "arith.cmpi"(%820, %4) <{predicate = 0 : i64}> : (index, index) -> i1
      %823 = "arith.select"(%822, %821, %8) : (i1, index, index) -> index
      %824 = "arith.floordivsi"(%819, %5) : (index, index) -> index
      %825 = "arith.cmpi"(%820, %5) <{predicate = 0 : i64}> : (index, index) -> i1
      %826 = "arith.select"(%825, %824, %8) : (i1, index, index) -> index
      %827 = "arith.addi"(%823, %826) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %828 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %829 = "arith.cmpi"(%820, %6) <{predicate = 0 : i64}> : (index, index) -> i1
      %830 = "arith.select"(%829, %828, %8) : (i1, index, index) -> index
      %831 = "arith.addi"(%827, %830) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %832 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %833 = "arith.cmpi"(%820, %8) <{predicate = 0 : i64}> : (index, index) -> i1
      %834 = "arith.select"(%833, %832, %8) : (i1, index, index) -> index
      %835 = "arith.addi"(%831, %834) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %836 = "arith.index_cast"(%835) : (index) -> i64
      "linalg.yield"(%836) : (i64) -> ()
    }) : (tensor<16x512x1x1xi64>, tensor<16x512x1x1x4xi64>) -> tensor<16x512x1x1x4xi64>
    %187 = "linalg.fill"(%3, %81) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg579: f32, %arg580: f32):
      "linalg.yield"(%arg579) : (f32) -> ()
    }) : (f32, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %188 = "tensor.collapse_shape"(%184) <{reassociation = [[0, 1, 2, 3]]}> : (tensor<16x512x1x1xf32>) -> tensor<8192xf32>
    %189 = "tensor.collapse_shape"(%186) <{reassociation = [[0, 1, 2, 3], [4]]}> : (tensor<16x512x1x1x4xi64>) -> tensor<8192x4xi64>
    %190 = "tm_tensor.scatter"(%188, %189, %187) <{dimension_map = array<i64: 0, 1, 2, 3>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%arg577: f32, %arg578: f32):
      %818 = "arith.addf"(%arg578, %arg577) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%818) : (f32) -> ()
    }) : (tensor<8192xf32>, tensor<8192x4xi64>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %191 = "tensor.empty"() : () -> tensor<16x512x2x2xi1>
    %192 = "linalg.generic"(%98, %191) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg575: f32, %arg576: i1):
      %817 = "arith.cmpf"(%arg575, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%817) : (i1) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<16x512x2x2xi1>) -> tensor<16x512x2x2xi1>
    %193 = "linalg.generic"(%192, %12, %190, %81) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg571: i1, %arg572: f32, %arg573: f32, %arg574: f32):
      %816 = "arith.select"(%arg571, %arg572, %arg573) : (i1, f32, f32) -> f32
      "linalg.yield"(%816) : (f32) -> ()
    }) : (tensor<16x512x2x2xi1>, tensor<f32>, tensor<16x512x2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %194 = "tensor.empty"() : () -> tensor<512x512x3x3xf32>
    %195 = "linalg.fill"(%3, %194) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg569: f32, %arg570: f32):
      "linalg.yield"(%arg569) : (f32) -> ()
    }) : (f32, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %196 = "linalg.generic"(%195) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg568: f32):
      %809 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %810 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %811 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %812 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %813 = "arith.subi"(%5, %811) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %814 = "arith.subi"(%5, %812) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %815 = "tensor.extract"(%arg24, %810, %809, %813, %814) : (tensor<512x512x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%815) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %197 = "linalg.fill"(%3, %69) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg566: f32, %arg567: f32):
      "linalg.yield"(%arg566) : (f32) -> ()
    }) : (f32, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %198 = "tensor.insert_slice"(%193, %197) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 512, 2, 2>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x512x2x2xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %199 = "linalg.conv_2d_nchw_fchw"(%198, %196, %187) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg563: f32, %arg564: f32, %arg565: f32):
      %807 = "arith.mulf"(%arg563, %arg564) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %808 = "arith.addf"(%arg565, %807) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%808) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x4x4xf32>, tensor<512x512x3x3xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %200 = "tensor.empty"() : () -> tensor<512x16x2x2xf32>
    %201 = "linalg.transpose"(%94, %200) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg561: f32, %arg562: f32):
      "linalg.yield"(%arg561) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512x16x2x2xf32>) -> tensor<512x16x2x2xf32>
    %202 = "linalg.transpose"(%193, %200) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg559: f32, %arg560: f32):
      "linalg.yield"(%arg559) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512x16x2x2xf32>) -> tensor<512x16x2x2xf32>
    %203 = "tensor.pad"(%201) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg555: index, %arg556: index, %arg557: index, %arg558: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<512x16x2x2xf32>) -> tensor<512x16x4x4xf32>
    %204 = "linalg.conv_2d_nchw_fchw"(%203, %202, %195) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg552: f32, %arg553: f32, %arg554: f32):
      %805 = "arith.mulf"(%arg552, %arg553) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %806 = "arith.addf"(%arg554, %805) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%806) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<512x16x4x4xf32>, tensor<512x16x2x2xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %205 = "linalg.transpose"(%204, %194) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg550: f32, %arg551: f32):
      "linalg.yield"(%arg550) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %206 = "tensor.empty"() : () -> tensor<512xf32>
    %207 = "linalg.fill"(%3, %206) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg548: f32, %arg549: f32):
      "linalg.yield"(%arg548) : (f32) -> ()
    }) : (f32, tensor<512xf32>) -> tensor<512xf32>
    %208 = "linalg.generic"(%193, %207) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg546: f32, %arg547: f32):
      %804 = "arith.addf"(%arg546, %arg547) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%804) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512xf32>) -> tensor<512xf32>
    %209 = "linalg.generic"(%94, %191) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg544: f32, %arg545: i1):
      %803 = "arith.cmpf"(%arg544, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%803) : (i1) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<16x512x2x2xi1>) -> tensor<16x512x2x2xi1>
    %210 = "linalg.generic"(%209, %12, %199, %81) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg540: i1, %arg541: f32, %arg542: f32, %arg543: f32):
      %802 = "arith.select"(%arg540, %arg541, %arg542) : (i1, f32, f32) -> f32
      "linalg.yield"(%802) : (f32) -> ()
    }) : (tensor<16x512x2x2xi1>, tensor<f32>, tensor<16x512x2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %211 = "linalg.generic"(%195) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg539: f32):
      %795 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %796 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %797 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %798 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %799 = "arith.subi"(%5, %797) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %800 = "arith.subi"(%5, %798) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %801 = "tensor.extract"(%arg22, %796, %795, %799, %800) : (tensor<512x512x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%801) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %212 = "tensor.insert_slice"(%210, %197) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 512, 2, 2>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x512x2x2xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %213 = "linalg.conv_2d_nchw_fchw"(%212, %211, %187) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg536: f32, %arg537: f32, %arg538: f32):
      %793 = "arith.mulf"(%arg536, %arg537) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %794 = "arith.addf"(%arg538, %793) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%794) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x4x4xf32>, tensor<512x512x3x3xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %214 = "linalg.transpose"(%90, %200) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg534: f32, %arg535: f32):
      "linalg.yield"(%arg534) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512x16x2x2xf32>) -> tensor<512x16x2x2xf32>
    %215 = "linalg.transpose"(%210, %200) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg532: f32, %arg533: f32):
      "linalg.yield"(%arg532) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512x16x2x2xf32>) -> tensor<512x16x2x2xf32>
    %216 = "tensor.pad"(%214) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg528: index, %arg529: index, %arg530: index, %arg531: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<512x16x2x2xf32>) -> tensor<512x16x4x4xf32>
    %217 = "linalg.conv_2d_nchw_fchw"(%216, %215, %195) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg525: f32, %arg526: f32, %arg527: f32):
      %791 = "arith.mulf"(%arg525, %arg526) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %792 = "arith.addf"(%arg527, %791) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%792) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<512x16x4x4xf32>, tensor<512x16x2x2xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %218 = "linalg.transpose"(%217, %194) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg523: f32, %arg524: f32):
      "linalg.yield"(%arg523) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %219 = "linalg.generic"(%210, %207) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg521: f32, %arg522: f32):
      %790 = "arith.addf"(%arg521, %arg522) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%790) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512xf32>) -> tensor<512xf32>
    %220 = "linalg.generic"(%90, %191) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg519: f32, %arg520: i1):
      %789 = "arith.cmpf"(%arg519, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%789) : (i1) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<16x512x2x2xi1>) -> tensor<16x512x2x2xi1>
    %221 = "linalg.generic"(%220, %12, %213, %81) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg515: i1, %arg516: f32, %arg517: f32, %arg518: f32):
      %788 = "arith.select"(%arg515, %arg516, %arg517) : (i1, f32, f32) -> f32
      "linalg.yield"(%788) : (f32) -> ()
    }) : (tensor<16x512x2x2xi1>, tensor<f32>, tensor<16x512x2x2xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %222 = "linalg.generic"(%195) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg514: f32):
      %781 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %782 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %783 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %784 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %785 = "arith.subi"(%5, %783) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %786 = "arith.subi"(%5, %784) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %787 = "tensor.extract"(%arg20, %782, %781, %785, %786) : (tensor<512x512x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%787) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %223 = "tensor.insert_slice"(%221, %197) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 512, 2, 2>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x512x2x2xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %224 = "linalg.conv_2d_nchw_fchw"(%223, %222, %187) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg511: f32, %arg512: f32, %arg513: f32):
      %779 = "arith.mulf"(%arg511, %arg512) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %780 = "arith.addf"(%arg513, %779) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%780) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x4x4xf32>, tensor<512x512x3x3xf32>, tensor<16x512x2x2xf32>) -> tensor<16x512x2x2xf32>
    %225 = "linalg.transpose"(%83, %200) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg509: f32, %arg510: f32):
      "linalg.yield"(%arg509) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512x16x2x2xf32>) -> tensor<512x16x2x2xf32>
    %226 = "linalg.transpose"(%221, %200) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg507: f32, %arg508: f32):
      "linalg.yield"(%arg507) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512x16x2x2xf32>) -> tensor<512x16x2x2xf32>
    %227 = "tensor.pad"(%225) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg503: index, %arg504: index, %arg505: index, %arg506: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<512x16x2x2xf32>) -> tensor<512x16x4x4xf32>
    %228 = "linalg.conv_2d_nchw_fchw"(%227, %226, %195) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg500: f32, %arg501: f32, %arg502: f32):
      %777 = "arith.mulf"(%arg500, %arg501) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %778 = "arith.addf"(%arg502, %777) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%778) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<512x16x4x4xf32>, tensor<512x16x2x2xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %229 = "linalg.transpose"(%228, %194) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg498: f32, %arg499: f32):
      "linalg.yield"(%arg498) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %230 = "linalg.generic"(%221, %207) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg496: f32, %arg497: f32):
      %776 = "arith.addf"(%arg496, %arg497) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%776) : (f32) -> ()
    }) : (tensor<16x512x2x2xf32>, tensor<512xf32>) -> tensor<512xf32>
    %231 = "tensor.empty"() : () -> tensor<16x512x2x2x4xi64>
    %232 = "linalg.generic"(%86, %231) <{indexing_maps = [#map18, #map19], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg494: i64, %arg495: i64):
      %758 = "arith.index_cast"(%arg494) : (i64) -> index
      %759 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %760 = "arith.remsi"(%758, %2) : (index, index) -> index
      %761 = "arith.cmpi"(%759, %4) <{predicate = 0 : i64}> : (index, index) -> i1
      %762 = "arith.select"(%761, %760, %8) : (i1, index, index) -> index
      %763 = "arith.floordivsi"(%758, %2) : (index, index) -> index
      %764 = "arith.cmpi"(%759, %5) <{predicate = 0 : i64}> : (index, index) -> i1
      %765 = "arith.select"(%764, %763, %8) : (i1, index, index) -> index
      %766 = "arith.addi"(%762, %765) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %767 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %768 = "arith.cmpi"(%759, %6) <{predicate = 0 : i64}> : (index, index) -> i1
      %769 = "arith.select"(%768, %767, %8) : (i1, index, index) -> index
      %770 = "arith.addi"(%766, %769) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %771 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %772 = "arith.cmpi"(%759, %8) <{predicate = 0 : i64}> : (index, index) -> i1
      %773 = "arith.select"(%772, %771, %8) : (i1, index, index) -> index
      %774 = "arith.addi"(%770, %773) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %775 = "arith.index_cast"(%774) : (index) -> i64
      "linalg.yield"(%775) : (i64) -> ()
    }) : (tensor<16x512x2x2xi64>, tensor<16x512x2x2x4xi64>) -> tensor<16x512x2x2x4xi64>
    %233 = "tensor.collapse_shape"(%224) <{reassociation = [[0, 1, 2, 3]]}> : (tensor<16x512x2x2xf32>) -> tensor<32768xf32>
    %234 = "tensor.collapse_shape"(%232) <{reassociation = [[0, 1, 2, 3], [4]]}> : (tensor<16x512x2x2x4xi64>) -> tensor<32768x4xi64>
    %235 = "tm_tensor.scatter"(%233, %234, %197) <{dimension_map = array<i64: 0, 1, 2, 3>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%arg492: f32, %arg493: f32):
      %757 = "arith.addf"(%arg493, %arg492) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%757) : (f32) -> ()
    }) : (tensor<32768xf32>, tensor<32768x4xi64>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %236 = "tensor.empty"() : () -> tensor<16x512x4x4xi1>
    %237 = "linalg.generic"(%80, %236) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg490: f32, %arg491: i1):
      %756 = "arith.cmpf"(%arg490, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%756) : (i1) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<16x512x4x4xi1>) -> tensor<16x512x4x4xi1>
    %238 = "linalg.generic"(%237, %12, %235, %69) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg486: i1, %arg487: f32, %arg488: f32, %arg489: f32):
      %755 = "arith.select"(%arg486, %arg487, %arg488) : (i1, f32, f32) -> f32
      "linalg.yield"(%755) : (f32) -> ()
    }) : (tensor<16x512x4x4xi1>, tensor<f32>, tensor<16x512x4x4xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %239 = "linalg.generic"(%195) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg485: f32):
      %748 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %749 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %750 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %751 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %752 = "arith.subi"(%5, %750) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %753 = "arith.subi"(%5, %751) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %754 = "tensor.extract"(%arg18, %749, %748, %752, %753) : (tensor<512x512x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%754) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %240 = "tensor.empty"() : () -> tensor<16x512x6x6xf32>
    %241 = "linalg.fill"(%3, %240) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg483: f32, %arg484: f32):
      "linalg.yield"(%arg483) : (f32) -> ()
    }) : (f32, tensor<16x512x6x6xf32>) -> tensor<16x512x6x6xf32>
    %242 = "tensor.insert_slice"(%238, %241) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 512, 4, 4>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x512x4x4xf32>, tensor<16x512x6x6xf32>) -> tensor<16x512x6x6xf32>
    %243 = "linalg.conv_2d_nchw_fchw"(%242, %239, %197) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg480: f32, %arg481: f32, %arg482: f32):
      %746 = "arith.mulf"(%arg480, %arg481) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %747 = "arith.addf"(%arg482, %746) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%747) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x6x6xf32>, tensor<512x512x3x3xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %244 = "tensor.empty"() : () -> tensor<512x16x4x4xf32>
    %245 = "linalg.transpose"(%76, %244) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg478: f32, %arg479: f32):
      "linalg.yield"(%arg478) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512x16x4x4xf32>) -> tensor<512x16x4x4xf32>
    %246 = "linalg.transpose"(%238, %244) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg476: f32, %arg477: f32):
      "linalg.yield"(%arg476) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512x16x4x4xf32>) -> tensor<512x16x4x4xf32>
    %247 = "tensor.pad"(%245) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg472: index, %arg473: index, %arg474: index, %arg475: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<512x16x4x4xf32>) -> tensor<512x16x6x6xf32>
    %248 = "linalg.conv_2d_nchw_fchw"(%247, %246, %195) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg469: f32, %arg470: f32, %arg471: f32):
      %744 = "arith.mulf"(%arg469, %arg470) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %745 = "arith.addf"(%arg471, %744) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%745) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<512x16x6x6xf32>, tensor<512x16x4x4xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %249 = "linalg.transpose"(%248, %194) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg467: f32, %arg468: f32):
      "linalg.yield"(%arg467) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %250 = "linalg.generic"(%238, %207) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg465: f32, %arg466: f32):
      %743 = "arith.addf"(%arg465, %arg466) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%743) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512xf32>) -> tensor<512xf32>
    %251 = "linalg.generic"(%76, %236) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg463: f32, %arg464: i1):
      %742 = "arith.cmpf"(%arg463, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%742) : (i1) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<16x512x4x4xi1>) -> tensor<16x512x4x4xi1>
    %252 = "linalg.generic"(%251, %12, %243, %69) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg459: i1, %arg460: f32, %arg461: f32, %arg462: f32):
      %741 = "arith.select"(%arg459, %arg460, %arg461) : (i1, f32, f32) -> f32
      "linalg.yield"(%741) : (f32) -> ()
    }) : (tensor<16x512x4x4xi1>, tensor<f32>, tensor<16x512x4x4xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %253 = "linalg.generic"(%195) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg458: f32):
      %734 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %735 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %736 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %737 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %738 = "arith.subi"(%5, %736) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %739 = "arith.subi"(%5, %737) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %740 = "tensor.extract"(%arg16, %735, %734, %738, %739) : (tensor<512x512x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%740) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %254 = "tensor.insert_slice"(%252, %241) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 512, 4, 4>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x512x4x4xf32>, tensor<16x512x6x6xf32>) -> tensor<16x512x6x6xf32>
    %255 = "linalg.conv_2d_nchw_fchw"(%254, %253, %197) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg455: f32, %arg456: f32, %arg457: f32):
      %732 = "arith.mulf"(%arg455, %arg456) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %733 = "arith.addf"(%arg457, %732) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%733) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x6x6xf32>, tensor<512x512x3x3xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %256 = "linalg.transpose"(%72, %244) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg453: f32, %arg454: f32):
      "linalg.yield"(%arg453) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512x16x4x4xf32>) -> tensor<512x16x4x4xf32>
    %257 = "linalg.transpose"(%252, %244) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg451: f32, %arg452: f32):
      "linalg.yield"(%arg451) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512x16x4x4xf32>) -> tensor<512x16x4x4xf32>
    %258 = "tensor.pad"(%256) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg447: index, %arg448: index, %arg449: index, %arg450: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<512x16x4x4xf32>) -> tensor<512x16x6x6xf32>
    %259 = "linalg.conv_2d_nchw_fchw"(%258, %257, %195) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg444: f32, %arg445: f32, %arg446: f32):
      %730 = "arith.mulf"(%arg444, %arg445) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %731 = "arith.addf"(%arg446, %730) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%731) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<512x16x6x6xf32>, tensor<512x16x4x4xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %260 = "linalg.transpose"(%259, %194) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg442: f32, %arg443: f32):
      "linalg.yield"(%arg442) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %261 = "linalg.generic"(%252, %207) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg440: f32, %arg441: f32):
      %729 = "arith.addf"(%arg440, %arg441) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%729) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512xf32>) -> tensor<512xf32>
    %262 = "linalg.generic"(%72, %236) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg438: f32, %arg439: i1):
      %728 = "arith.cmpf"(%arg438, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%728) : (i1) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<16x512x4x4xi1>) -> tensor<16x512x4x4xi1>
    %263 = "linalg.generic"(%262, %12, %255, %69) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg434: i1, %arg435: f32, %arg436: f32, %arg437: f32):
      %727 = "arith.select"(%arg434, %arg435, %arg436) : (i1, f32, f32) -> f32
      "linalg.yield"(%727) : (f32) -> ()
    }) : (tensor<16x512x4x4xi1>, tensor<f32>, tensor<16x512x4x4xf32>, tensor<16x512x4x4xf32>) -> tensor<16x512x4x4xf32>
    %264 = "tensor.empty"() : () -> tensor<256x512x3x3xf32>
    %265 = "linalg.fill"(%3, %264) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg432: f32, %arg433: f32):
      "linalg.yield"(%arg432) : (f32) -> ()
    }) : (f32, tensor<256x512x3x3xf32>) -> tensor<256x512x3x3xf32>
    %266 = "linalg.generic"(%265) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg431: f32):
      %720 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %721 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %722 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %723 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %724 = "arith.subi"(%5, %722) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %725 = "arith.subi"(%5, %723) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %726 = "tensor.extract"(%arg14, %721, %720, %724, %725) : (tensor<512x256x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%726) : (f32) -> ()
    }) : (tensor<256x512x3x3xf32>) -> tensor<256x512x3x3xf32>
    %267 = "tensor.insert_slice"(%263, %241) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 512, 4, 4>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x512x4x4xf32>, tensor<16x512x6x6xf32>) -> tensor<16x512x6x6xf32>
    %268 = "linalg.fill"(%3, %62) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg429: f32, %arg430: f32):
      "linalg.yield"(%arg429) : (f32) -> ()
    }) : (f32, tensor<16x256x4x4xf32>) -> tensor<16x256x4x4xf32>
    %269 = "linalg.conv_2d_nchw_fchw"(%267, %266, %268) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg426: f32, %arg427: f32, %arg428: f32):
      %718 = "arith.mulf"(%arg426, %arg427) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %719 = "arith.addf"(%arg428, %718) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%719) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x512x6x6xf32>, tensor<256x512x3x3xf32>, tensor<16x256x4x4xf32>) -> tensor<16x256x4x4xf32>
    %270 = "tensor.empty"() : () -> tensor<256x16x4x4xf32>
    %271 = "linalg.transpose"(%64, %270) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg424: f32, %arg425: f32):
      "linalg.yield"(%arg424) : (f32) -> ()
    }) : (tensor<16x256x4x4xf32>, tensor<256x16x4x4xf32>) -> tensor<256x16x4x4xf32>
    %272 = "linalg.transpose"(%263, %244) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg422: f32, %arg423: f32):
      "linalg.yield"(%arg422) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512x16x4x4xf32>) -> tensor<512x16x4x4xf32>
    %273 = "tensor.pad"(%271) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg418: index, %arg419: index, %arg420: index, %arg421: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<256x16x4x4xf32>) -> tensor<256x16x6x6xf32>
    %274 = "linalg.conv_2d_nchw_fchw"(%273, %272, %265) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg415: f32, %arg416: f32, %arg417: f32):
      %716 = "arith.mulf"(%arg415, %arg416) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %717 = "arith.addf"(%arg417, %716) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%717) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<256x16x6x6xf32>, tensor<512x16x4x4xf32>, tensor<256x512x3x3xf32>) -> tensor<256x512x3x3xf32>
    %275 = "tensor.empty"() : () -> tensor<512x256x3x3xf32>
    %276 = "linalg.transpose"(%274, %275) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg413: f32, %arg414: f32):
      "linalg.yield"(%arg413) : (f32) -> ()
    }) : (tensor<256x512x3x3xf32>, tensor<512x256x3x3xf32>) -> tensor<512x256x3x3xf32>
    %277 = "linalg.generic"(%263, %207) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg411: f32, %arg412: f32):
      %715 = "arith.addf"(%arg411, %arg412) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%715) : (f32) -> ()
    }) : (tensor<16x512x4x4xf32>, tensor<512xf32>) -> tensor<512xf32>
    %278 = "tensor.empty"() : () -> tensor<16x256x4x4x4xi64>
    %279 = "linalg.generic"(%67, %278) <{indexing_maps = [#map18, #map19], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg409: i64, %arg410: i64):
      %697 = "arith.index_cast"(%arg409) : (i64) -> index
      %698 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %699 = "arith.remsi"(%697, %1) : (index, index) -> index
      %700 = "arith.cmpi"(%698, %4) <{predicate = 0 : i64}> : (index, index) -> i1
      %701 = "arith.select"(%700, %699, %8) : (i1, index, index) -> index
      %702 = "arith.floordivsi"(%697, %1) : (index, index) -> index
      %703 = "arith.cmpi"(%698, %5) <{predicate = 0 : i64}> : (index, index) -> i1
      %704 = "arith.select"(%703, %702, %8) : (i1, index, index) -> index
      %705 = "arith.addi"(%701, %704) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %706 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %707 = "arith.cmpi"(%698, %6) <{predicate = 0 : i64}> : (index, index) -> i1
      %708 = "arith.select"(%707, %706, %8) : (i1, index, index) -> index
      %709 = "arith.addi"(%705, %708) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %710 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %711 = "arith.cmpi"(%698, %8) <{predicate = 0 : i64}> : (index, index) -> i1
      %712 = "arith.select"(%711, %710, %8) : (i1, index, index) -> index
      %713 = "arith.addi"(%709, %712) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %714 = "arith.index_cast"(%713) : (index) -> i64
      "linalg.yield"(%714) : (i64) -> ()
    }) : (tensor<16x256x4x4xi64>, tensor<16x256x4x4x4xi64>) -> tensor<16x256x4x4x4xi64>
    %280 = "linalg.fill"(%3, %50) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg407: f32, %arg408: f32):
      "linalg.yield"(%arg407) : (f32) -> ()
    }) : (f32, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %281 = "tensor.collapse_shape"(%269) <{reassociation = [[0, 1, 2, 3]]}> : (tensor<16x256x4x4xf32>) -> tensor<65536xf32>
    %282 = "tensor.collapse_shape"(%279) <{reassociation = [[0, 1, 2, 3], [4]]}> : (tensor<16x256x4x4x4xi64>) -> tensor<65536x4xi64>
    %283 = "tm_tensor.scatter"(%281, %282, %280) <{dimension_map = array<i64: 0, 1, 2, 3>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%arg405: f32, %arg406: f32):
      %696 = "arith.addf"(%arg406, %arg405) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%696) : (f32) -> ()
    }) : (tensor<65536xf32>, tensor<65536x4xi64>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %284 = "tensor.empty"() : () -> tensor<16x256x8x8xi1>
    %285 = "linalg.generic"(%61, %284) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg403: f32, %arg404: i1):
      %695 = "arith.cmpf"(%arg403, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%695) : (i1) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<16x256x8x8xi1>) -> tensor<16x256x8x8xi1>
    %286 = "linalg.generic"(%285, %12, %283, %50) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg399: i1, %arg400: f32, %arg401: f32, %arg402: f32):
      %694 = "arith.select"(%arg399, %arg400, %arg401) : (i1, f32, f32) -> f32
      "linalg.yield"(%694) : (f32) -> ()
    }) : (tensor<16x256x8x8xi1>, tensor<f32>, tensor<16x256x8x8xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %287 = "tensor.empty"() : () -> tensor<256x256x3x3xf32>
    %288 = "linalg.fill"(%3, %287) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg397: f32, %arg398: f32):
      "linalg.yield"(%arg397) : (f32) -> ()
    }) : (f32, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %289 = "linalg.generic"(%288) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg396: f32):
      %687 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %688 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %689 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %690 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %691 = "arith.subi"(%5, %689) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %692 = "arith.subi"(%5, %690) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %693 = "tensor.extract"(%arg12, %688, %687, %691, %692) : (tensor<256x256x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%693) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %290 = "tensor.empty"() : () -> tensor<16x256x10x10xf32>
    %291 = "linalg.fill"(%3, %290) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg394: f32, %arg395: f32):
      "linalg.yield"(%arg394) : (f32) -> ()
    }) : (f32, tensor<16x256x10x10xf32>) -> tensor<16x256x10x10xf32>
    %292 = "tensor.insert_slice"(%286, %291) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 256, 8, 8>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x256x8x8xf32>, tensor<16x256x10x10xf32>) -> tensor<16x256x10x10xf32>
    %293 = "linalg.conv_2d_nchw_fchw"(%292, %289, %280) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg391: f32, %arg392: f32, %arg393: f32):
      %685 = "arith.mulf"(%arg391, %arg392) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %686 = "arith.addf"(%arg393, %685) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%686) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x256x10x10xf32>, tensor<256x256x3x3xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %294 = "tensor.empty"() : () -> tensor<256x16x8x8xf32>
    %295 = "linalg.transpose"(%57, %294) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg389: f32, %arg390: f32):
      "linalg.yield"(%arg389) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256x16x8x8xf32>) -> tensor<256x16x8x8xf32>
    %296 = "linalg.transpose"(%286, %294) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg387: f32, %arg388: f32):
      "linalg.yield"(%arg387) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256x16x8x8xf32>) -> tensor<256x16x8x8xf32>
    %297 = "tensor.pad"(%295) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg383: index, %arg384: index, %arg385: index, %arg386: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<256x16x8x8xf32>) -> tensor<256x16x10x10xf32>
    %298 = "linalg.conv_2d_nchw_fchw"(%297, %296, %288) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg380: f32, %arg381: f32, %arg382: f32):
      %683 = "arith.mulf"(%arg380, %arg381) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %684 = "arith.addf"(%arg382, %683) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%684) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<256x16x10x10xf32>, tensor<256x16x8x8xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %299 = "linalg.transpose"(%298, %287) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg378: f32, %arg379: f32):
      "linalg.yield"(%arg378) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %300 = "tensor.empty"() : () -> tensor<256xf32>
    %301 = "linalg.fill"(%3, %300) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg376: f32, %arg377: f32):
      "linalg.yield"(%arg376) : (f32) -> ()
    }) : (f32, tensor<256xf32>) -> tensor<256xf32>
    %302 = "linalg.generic"(%286, %301) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg374: f32, %arg375: f32):
      %682 = "arith.addf"(%arg374, %arg375) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%682) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256xf32>) -> tensor<256xf32>
    %303 = "linalg.generic"(%57, %284) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg372: f32, %arg373: i1):
      %681 = "arith.cmpf"(%arg372, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%681) : (i1) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<16x256x8x8xi1>) -> tensor<16x256x8x8xi1>
    %304 = "linalg.generic"(%303, %12, %293, %50) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg368: i1, %arg369: f32, %arg370: f32, %arg371: f32):
      %680 = "arith.select"(%arg368, %arg369, %arg370) : (i1, f32, f32) -> f32
      "linalg.yield"(%680) : (f32) -> ()
    }) : (tensor<16x256x8x8xi1>, tensor<f32>, tensor<16x256x8x8xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %305 = "linalg.generic"(%288) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg367: f32):
      %673 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %674 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %675 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %676 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %677 = "arith.subi"(%5, %675) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %678 = "arith.subi"(%5, %676) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %679 = "tensor.extract"(%arg10, %674, %673, %677, %678) : (tensor<256x256x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%679) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %306 = "tensor.insert_slice"(%304, %291) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 256, 8, 8>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x256x8x8xf32>, tensor<16x256x10x10xf32>) -> tensor<16x256x10x10xf32>
    %307 = "linalg.conv_2d_nchw_fchw"(%306, %305, %280) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg364: f32, %arg365: f32, %arg366: f32):
      %671 = "arith.mulf"(%arg364, %arg365) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %672 = "arith.addf"(%arg366, %671) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%672) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x256x10x10xf32>, tensor<256x256x3x3xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %308 = "linalg.transpose"(%53, %294) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg362: f32, %arg363: f32):
      "linalg.yield"(%arg362) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256x16x8x8xf32>) -> tensor<256x16x8x8xf32>
    %309 = "linalg.transpose"(%304, %294) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg360: f32, %arg361: f32):
      "linalg.yield"(%arg360) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256x16x8x8xf32>) -> tensor<256x16x8x8xf32>
    %310 = "tensor.pad"(%308) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg356: index, %arg357: index, %arg358: index, %arg359: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<256x16x8x8xf32>) -> tensor<256x16x10x10xf32>
    %311 = "linalg.conv_2d_nchw_fchw"(%310, %309, %288) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg353: f32, %arg354: f32, %arg355: f32):
      %669 = "arith.mulf"(%arg353, %arg354) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %670 = "arith.addf"(%arg355, %669) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%670) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<256x16x10x10xf32>, tensor<256x16x8x8xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %312 = "linalg.transpose"(%311, %287) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg351: f32, %arg352: f32):
      "linalg.yield"(%arg351) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %313 = "linalg.generic"(%304, %301) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg349: f32, %arg350: f32):
      %668 = "arith.addf"(%arg349, %arg350) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%668) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256xf32>) -> tensor<256xf32>
    %314 = "linalg.generic"(%53, %284) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg347: f32, %arg348: i1):
      %667 = "arith.cmpf"(%arg347, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%667) : (i1) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<16x256x8x8xi1>) -> tensor<16x256x8x8xi1>
    %315 = "linalg.generic"(%314, %12, %307, %50) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg343: i1, %arg344: f32, %arg345: f32, %arg346: f32):
      %666 = "arith.select"(%arg343, %arg344, %arg345) : (i1, f32, f32) -> f32
      "linalg.yield"(%666) : (f32) -> ()
    }) : (tensor<16x256x8x8xi1>, tensor<f32>, tensor<16x256x8x8xf32>, tensor<16x256x8x8xf32>) -> tensor<16x256x8x8xf32>
    %316 = "tensor.empty"() : () -> tensor<128x256x3x3xf32>
    %317 = "linalg.fill"(%3, %316) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg341: f32, %arg342: f32):
      "linalg.yield"(%arg341) : (f32) -> ()
    }) : (f32, tensor<128x256x3x3xf32>) -> tensor<128x256x3x3xf32>
    %318 = "linalg.generic"(%317) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg340: f32):
      %659 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %660 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %661 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %662 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %663 = "arith.subi"(%5, %661) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %664 = "arith.subi"(%5, %662) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %665 = "tensor.extract"(%arg8, %660, %659, %663, %664) : (tensor<256x128x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%665) : (f32) -> ()
    }) : (tensor<128x256x3x3xf32>) -> tensor<128x256x3x3xf32>
    %319 = "tensor.insert_slice"(%315, %291) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 256, 8, 8>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x256x8x8xf32>, tensor<16x256x10x10xf32>) -> tensor<16x256x10x10xf32>
    %320 = "linalg.fill"(%3, %43) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg338: f32, %arg339: f32):
      "linalg.yield"(%arg338) : (f32) -> ()
    }) : (f32, tensor<16x128x8x8xf32>) -> tensor<16x128x8x8xf32>
    %321 = "linalg.conv_2d_nchw_fchw"(%319, %318, %320) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg335: f32, %arg336: f32, %arg337: f32):
      %657 = "arith.mulf"(%arg335, %arg336) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %658 = "arith.addf"(%arg337, %657) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%658) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x256x10x10xf32>, tensor<128x256x3x3xf32>, tensor<16x128x8x8xf32>) -> tensor<16x128x8x8xf32>
    %322 = "tensor.empty"() : () -> tensor<128x16x8x8xf32>
    %323 = "linalg.transpose"(%45, %322) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg333: f32, %arg334: f32):
      "linalg.yield"(%arg333) : (f32) -> ()
    }) : (tensor<16x128x8x8xf32>, tensor<128x16x8x8xf32>) -> tensor<128x16x8x8xf32>
    %324 = "linalg.transpose"(%315, %294) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg331: f32, %arg332: f32):
      "linalg.yield"(%arg331) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256x16x8x8xf32>) -> tensor<256x16x8x8xf32>
    %325 = "tensor.pad"(%323) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg327: index, %arg328: index, %arg329: index, %arg330: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<128x16x8x8xf32>) -> tensor<128x16x10x10xf32>
    %326 = "linalg.conv_2d_nchw_fchw"(%325, %324, %317) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg324: f32, %arg325: f32, %arg326: f32):
      %655 = "arith.mulf"(%arg324, %arg325) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %656 = "arith.addf"(%arg326, %655) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%656) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<128x16x10x10xf32>, tensor<256x16x8x8xf32>, tensor<128x256x3x3xf32>) -> tensor<128x256x3x3xf32>
    %327 = "tensor.empty"() : () -> tensor<256x128x3x3xf32>
    %328 = "linalg.transpose"(%326, %327) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg322: f32, %arg323: f32):
      "linalg.yield"(%arg322) : (f32) -> ()
    }) : (tensor<128x256x3x3xf32>, tensor<256x128x3x3xf32>) -> tensor<256x128x3x3xf32>
    %329 = "linalg.generic"(%315, %301) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg320: f32, %arg321: f32):
      %654 = "arith.addf"(%arg320, %arg321) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%654) : (f32) -> ()
    }) : (tensor<16x256x8x8xf32>, tensor<256xf32>) -> tensor<256xf32>
    %330 = "tensor.empty"() : () -> tensor<16x128x8x8x4xi64>
    %331 = "linalg.generic"(%48, %330) <{indexing_maps = [#map18, #map19], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg318: i64, %arg319: i64):
      %636 = "arith.index_cast"(%arg318) : (i64) -> index
      %637 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %638 = "arith.remsi"(%636, %7) : (index, index) -> index
      %639 = "arith.cmpi"(%637, %4) <{predicate = 0 : i64}> : (index, index) -> i1
      %640 = "arith.select"(%639, %638, %8) : (i1, index, index) -> index
      %641 = "arith.floordivsi"(%636, %7) : (index, index) -> index
      %642 = "arith.cmpi"(%637, %5) <{predicate = 0 : i64}> : (index, index) -> i1
      %643 = "arith.select"(%642, %641, %8) : (i1, index, index) -> index
      %644 = "arith.addi"(%640, %643) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %645 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %646 = "arith.cmpi"(%637, %6) <{predicate = 0 : i64}> : (index, index) -> i1
      %647 = "arith.select"(%646, %645, %8) : (i1, index, index) -> index
      %648 = "arith.addi"(%644, %647) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %649 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %650 = "arith.cmpi"(%637, %8) <{predicate = 0 : i64}> : (index, index) -> i1
      %651 = "arith.select"(%650, %649, %8) : (i1, index, index) -> index
      %652 = "arith.addi"(%648, %651) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %653 = "arith.index_cast"(%652) : (index) -> i64
      "linalg.yield"(%653) : (i64) -> ()
    }) : (tensor<16x128x8x8xi64>, tensor<16x128x8x8x4xi64>) -> tensor<16x128x8x8x4xi64>
    %332 = "linalg.fill"(%3, %35) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg316: f32, %arg317: f32):
      "linalg.yield"(%arg316) : (f32) -> ()
    }) : (f32, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %333 = "tensor.collapse_shape"(%321) <{reassociation = [[0, 1, 2, 3]]}> : (tensor<16x128x8x8xf32>) -> tensor<131072xf32>
    %334 = "tensor.collapse_shape"(%331) <{reassociation = [[0, 1, 2, 3], [4]]}> : (tensor<16x128x8x8x4xi64>) -> tensor<131072x4xi64>
    %335 = "tm_tensor.scatter"(%333, %334, %332) <{dimension_map = array<i64: 0, 1, 2, 3>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%arg314: f32, %arg315: f32):
      %635 = "arith.addf"(%arg315, %arg314) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%635) : (f32) -> ()
    }) : (tensor<131072xf32>, tensor<131072x4xi64>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %336 = "tensor.empty"() : () -> tensor<16x128x16x16xi1>
    %337 = "linalg.generic"(%42, %336) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg312: f32, %arg313: i1):
      %634 = "arith.cmpf"(%arg312, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%634) : (i1) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<16x128x16x16xi1>) -> tensor<16x128x16x16xi1>
    %338 = "linalg.generic"(%337, %12, %335, %35) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg308: i1, %arg309: f32, %arg310: f32, %arg311: f32):
      %633 = "arith.select"(%arg308, %arg309, %arg310) : (i1, f32, f32) -> f32
      "linalg.yield"(%633) : (f32) -> ()
    }) : (tensor<16x128x16x16xi1>, tensor<f32>, tensor<16x128x16x16xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %339 = "tensor.empty"() : () -> tensor<128x128x3x3xf32>
    %340 = "linalg.fill"(%3, %339) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg306: f32, %arg307: f32):
      "linalg.yield"(%arg306) : (f32) -> ()
    }) : (f32, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %341 = "linalg.generic"(%340) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg305: f32):
      %626 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %627 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %628 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %629 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %630 = "arith.subi"(%5, %628) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %631 = "arith.subi"(%5, %629) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %632 = "tensor.extract"(%arg6, %627, %626, %630, %631) : (tensor<128x128x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%632) : (f32) -> ()
    }) : (tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %342 = "tensor.empty"() : () -> tensor<16x128x18x18xf32>
    %343 = "linalg.fill"(%3, %342) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg303: f32, %arg304: f32):
      "linalg.yield"(%arg303) : (f32) -> ()
    }) : (f32, tensor<16x128x18x18xf32>) -> tensor<16x128x18x18xf32>
    %344 = "tensor.insert_slice"(%338, %343) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 128, 16, 16>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x128x16x16xf32>, tensor<16x128x18x18xf32>) -> tensor<16x128x18x18xf32>
    %345 = "linalg.conv_2d_nchw_fchw"(%344, %341, %332) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg300: f32, %arg301: f32, %arg302: f32):
      %624 = "arith.mulf"(%arg300, %arg301) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %625 = "arith.addf"(%arg302, %624) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%625) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x128x18x18xf32>, tensor<128x128x3x3xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %346 = "tensor.empty"() : () -> tensor<128x16x16x16xf32>
    %347 = "linalg.transpose"(%38, %346) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg298: f32, %arg299: f32):
      "linalg.yield"(%arg298) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<128x16x16x16xf32>) -> tensor<128x16x16x16xf32>
    %348 = "linalg.transpose"(%338, %346) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg296: f32, %arg297: f32):
      "linalg.yield"(%arg296) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<128x16x16x16xf32>) -> tensor<128x16x16x16xf32>
    %349 = "tensor.pad"(%347) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg292: index, %arg293: index, %arg294: index, %arg295: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<128x16x16x16xf32>) -> tensor<128x16x18x18xf32>
    %350 = "linalg.conv_2d_nchw_fchw"(%349, %348, %340) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg289: f32, %arg290: f32, %arg291: f32):
      %622 = "arith.mulf"(%arg289, %arg290) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %623 = "arith.addf"(%arg291, %622) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%623) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<128x16x18x18xf32>, tensor<128x16x16x16xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %351 = "linalg.transpose"(%350, %339) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg287: f32, %arg288: f32):
      "linalg.yield"(%arg287) : (f32) -> ()
    }) : (tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %352 = "tensor.empty"() : () -> tensor<128xf32>
    %353 = "linalg.fill"(%3, %352) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg285: f32, %arg286: f32):
      "linalg.yield"(%arg285) : (f32) -> ()
    }) : (f32, tensor<128xf32>) -> tensor<128xf32>
    %354 = "linalg.generic"(%338, %353) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg283: f32, %arg284: f32):
      %621 = "arith.addf"(%arg283, %arg284) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%621) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<128xf32>) -> tensor<128xf32>
    %355 = "linalg.generic"(%38, %336) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg281: f32, %arg282: i1):
      %620 = "arith.cmpf"(%arg281, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%620) : (i1) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<16x128x16x16xi1>) -> tensor<16x128x16x16xi1>
    %356 = "linalg.generic"(%355, %12, %345, %35) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg277: i1, %arg278: f32, %arg279: f32, %arg280: f32):
      %619 = "arith.select"(%arg277, %arg278, %arg279) : (i1, f32, f32) -> f32
      "linalg.yield"(%619) : (f32) -> ()
    }) : (tensor<16x128x16x16xi1>, tensor<f32>, tensor<16x128x16x16xf32>, tensor<16x128x16x16xf32>) -> tensor<16x128x16x16xf32>
    %357 = "tensor.empty"() : () -> tensor<64x128x3x3xf32>
    %358 = "linalg.fill"(%3, %357) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg275: f32, %arg276: f32):
      "linalg.yield"(%arg275) : (f32) -> ()
    }) : (f32, tensor<64x128x3x3xf32>) -> tensor<64x128x3x3xf32>
    %359 = "linalg.generic"(%358) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg274: f32):
      %612 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %613 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %614 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %615 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %616 = "arith.subi"(%5, %614) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %617 = "arith.subi"(%5, %615) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %618 = "tensor.extract"(%arg4, %613, %612, %616, %617) : (tensor<128x64x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%618) : (f32) -> ()
    }) : (tensor<64x128x3x3xf32>) -> tensor<64x128x3x3xf32>
    %360 = "tensor.insert_slice"(%356, %343) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 128, 16, 16>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x128x16x16xf32>, tensor<16x128x18x18xf32>) -> tensor<16x128x18x18xf32>
    %361 = "linalg.fill"(%3, %26) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg272: f32, %arg273: f32):
      "linalg.yield"(%arg272) : (f32) -> ()
    }) : (f32, tensor<16x64x16x16xf32>) -> tensor<16x64x16x16xf32>
    %362 = "linalg.conv_2d_nchw_fchw"(%360, %359, %361) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg269: f32, %arg270: f32, %arg271: f32):
      %610 = "arith.mulf"(%arg269, %arg270) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %611 = "arith.addf"(%arg271, %610) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%611) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x128x18x18xf32>, tensor<64x128x3x3xf32>, tensor<16x64x16x16xf32>) -> tensor<16x64x16x16xf32>
    %363 = "tensor.empty"() : () -> tensor<64x16x16x16xf32>
    %364 = "linalg.transpose"(%29, %363) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg267: f32, %arg268: f32):
      "linalg.yield"(%arg267) : (f32) -> ()
    }) : (tensor<16x64x16x16xf32>, tensor<64x16x16x16xf32>) -> tensor<64x16x16x16xf32>
    %365 = "linalg.transpose"(%356, %346) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg265: f32, %arg266: f32):
      "linalg.yield"(%arg265) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<128x16x16x16xf32>) -> tensor<128x16x16x16xf32>
    %366 = "tensor.pad"(%364) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg261: index, %arg262: index, %arg263: index, %arg264: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<64x16x16x16xf32>) -> tensor<64x16x18x18xf32>
    %367 = "linalg.conv_2d_nchw_fchw"(%366, %365, %358) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg258: f32, %arg259: f32, %arg260: f32):
      %608 = "arith.mulf"(%arg258, %arg259) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %609 = "arith.addf"(%arg260, %608) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%609) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<64x16x18x18xf32>, tensor<128x16x16x16xf32>, tensor<64x128x3x3xf32>) -> tensor<64x128x3x3xf32>
    %368 = "tensor.empty"() : () -> tensor<128x64x3x3xf32>
    %369 = "linalg.transpose"(%367, %368) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg256: f32, %arg257: f32):
      "linalg.yield"(%arg256) : (f32) -> ()
    }) : (tensor<64x128x3x3xf32>, tensor<128x64x3x3xf32>) -> tensor<128x64x3x3xf32>
    %370 = "linalg.generic"(%356, %353) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg254: f32, %arg255: f32):
      %607 = "arith.addf"(%arg254, %arg255) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%607) : (f32) -> ()
    }) : (tensor<16x128x16x16xf32>, tensor<128xf32>) -> tensor<128xf32>
    %371 = "tensor.empty"() : () -> tensor<16x64x16x16x4xi64>
    %372 = "linalg.generic"(%33, %371) <{indexing_maps = [#map18, #map19], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg252: i64, %arg253: i64):
      %589 = "arith.index_cast"(%arg252) : (i64) -> index
      %590 = "linalg.index"() <{dim = 4 : i64}> : () -> index
      %591 = "arith.remsi"(%589, %0) : (index, index) -> index
      %592 = "arith.cmpi"(%590, %4) <{predicate = 0 : i64}> : (index, index) -> i1
      %593 = "arith.select"(%592, %591, %8) : (i1, index, index) -> index
      %594 = "arith.floordivsi"(%589, %0) : (index, index) -> index
      %595 = "arith.cmpi"(%590, %5) <{predicate = 0 : i64}> : (index, index) -> i1
      %596 = "arith.select"(%595, %594, %8) : (i1, index, index) -> index
      %597 = "arith.addi"(%593, %596) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %598 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %599 = "arith.cmpi"(%590, %6) <{predicate = 0 : i64}> : (index, index) -> i1
      %600 = "arith.select"(%599, %598, %8) : (i1, index, index) -> index
      %601 = "arith.addi"(%597, %600) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %602 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %603 = "arith.cmpi"(%590, %8) <{predicate = 0 : i64}> : (index, index) -> i1
      %604 = "arith.select"(%603, %602, %8) : (i1, index, index) -> index
      %605 = "arith.addi"(%601, %604) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %606 = "arith.index_cast"(%605) : (index) -> i64
      "linalg.yield"(%606) : (i64) -> ()
    }) : (tensor<16x64x16x16xi64>, tensor<16x64x16x16x4xi64>) -> tensor<16x64x16x16x4xi64>
    %373 = "linalg.fill"(%3, %18) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg250: f32, %arg251: f32):
      "linalg.yield"(%arg250) : (f32) -> ()
    }) : (f32, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %374 = "tensor.collapse_shape"(%362) <{reassociation = [[0, 1, 2, 3]]}> : (tensor<16x64x16x16xf32>) -> tensor<262144xf32>
    %375 = "tensor.collapse_shape"(%372) <{reassociation = [[0, 1, 2, 3], [4]]}> : (tensor<16x64x16x16x4xi64>) -> tensor<262144x4xi64>
    %376 = "tm_tensor.scatter"(%374, %375, %373) <{dimension_map = array<i64: 0, 1, 2, 3>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%arg248: f32, %arg249: f32):
      %588 = "arith.addf"(%arg249, %arg248) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%588) : (f32) -> ()
    }) : (tensor<262144xf32>, tensor<262144x4xi64>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %377 = "tensor.empty"() : () -> tensor<16x64x32x32xi1>
    %378 = "linalg.generic"(%25, %377) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg246: f32, %arg247: i1):
      %587 = "arith.cmpf"(%arg246, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%587) : (i1) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<16x64x32x32xi1>) -> tensor<16x64x32x32xi1>
    %379 = "linalg.generic"(%378, %12, %376, %18) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg242: i1, %arg243: f32, %arg244: f32, %arg245: f32):
      %586 = "arith.select"(%arg242, %arg243, %arg244) : (i1, f32, f32) -> f32
      "linalg.yield"(%586) : (f32) -> ()
    }) : (tensor<16x64x32x32xi1>, tensor<f32>, tensor<16x64x32x32xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %380 = "tensor.empty"() : () -> tensor<64x64x3x3xf32>
    %381 = "linalg.fill"(%3, %380) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg240: f32, %arg241: f32):
      "linalg.yield"(%arg240) : (f32) -> ()
    }) : (f32, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %382 = "linalg.generic"(%381) <{indexing_maps = [#map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg239: f32):
      %579 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %580 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %581 = "linalg.index"() <{dim = 2 : i64}> : () -> index
      %582 = "linalg.index"() <{dim = 3 : i64}> : () -> index
      %583 = "arith.subi"(%5, %581) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %584 = "arith.subi"(%5, %582) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %585 = "tensor.extract"(%arg2, %580, %579, %583, %584) : (tensor<64x64x3x3xf32>, index, index, index, index) -> f32
      "linalg.yield"(%585) : (f32) -> ()
    }) : (tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %383 = "tensor.empty"() : () -> tensor<16x64x34x34xf32>
    %384 = "linalg.fill"(%3, %383) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg237: f32, %arg238: f32):
      "linalg.yield"(%arg237) : (f32) -> ()
    }) : (f32, tensor<16x64x34x34xf32>) -> tensor<16x64x34x34xf32>
    %385 = "tensor.insert_slice"(%379, %384) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 1, 1>, static_sizes = array<i64: 16, 64, 32, 32>, static_strides = array<i64: 1, 1, 1, 1>}> : (tensor<16x64x32x32xf32>, tensor<16x64x34x34xf32>) -> tensor<16x64x34x34xf32>
    %386 = "linalg.conv_2d_nchw_fchw"(%385, %382, %373) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg234: f32, %arg235: f32, %arg236: f32):
      %577 = "arith.mulf"(%arg234, %arg235) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %578 = "arith.addf"(%arg236, %577) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%578) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x64x34x34xf32>, tensor<64x64x3x3xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %387 = "tensor.empty"() : () -> tensor<64x16x32x32xf32>
    %388 = "linalg.transpose"(%21, %387) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg232: f32, %arg233: f32):
      "linalg.yield"(%arg232) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<64x16x32x32xf32>) -> tensor<64x16x32x32xf32>
    %389 = "linalg.transpose"(%379, %387) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg230: f32, %arg231: f32):
      "linalg.yield"(%arg230) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<64x16x32x32xf32>) -> tensor<64x16x32x32xf32>
    %390 = "tensor.pad"(%388) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg226: index, %arg227: index, %arg228: index, %arg229: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<64x16x32x32xf32>) -> tensor<64x16x34x34xf32>
    %391 = "linalg.conv_2d_nchw_fchw"(%390, %389, %381) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg223: f32, %arg224: f32, %arg225: f32):
      %575 = "arith.mulf"(%arg223, %arg224) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %576 = "arith.addf"(%arg225, %575) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%576) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<64x16x34x34xf32>, tensor<64x16x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %392 = "linalg.transpose"(%391, %380) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg221: f32, %arg222: f32):
      "linalg.yield"(%arg221) : (f32) -> ()
    }) : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %393 = "tensor.empty"() : () -> tensor<64xf32>
    %394 = "linalg.fill"(%3, %393) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg219: f32, %arg220: f32):
      "linalg.yield"(%arg219) : (f32) -> ()
    }) : (f32, tensor<64xf32>) -> tensor<64xf32>
    %395 = "linalg.generic"(%379, %394) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg217: f32, %arg218: f32):
      %574 = "arith.addf"(%arg217, %arg218) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%574) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<64xf32>) -> tensor<64xf32>
    %396 = "linalg.generic"(%21, %377) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg215: f32, %arg216: i1):
      %573 = "arith.cmpf"(%arg215, %3) <{fastmath = #arith.fastmath<none>, predicate = 5 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%573) : (i1) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<16x64x32x32xi1>) -> tensor<16x64x32x32xi1>
    %397 = "linalg.generic"(%396, %12, %386, %18) <{indexing_maps = [#map3, #map20, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 3, 1>}> ({
    ^bb0(%arg211: i1, %arg212: f32, %arg213: f32, %arg214: f32):
      %572 = "arith.select"(%arg211, %arg212, %arg213) : (i1, f32, f32) -> f32
      "linalg.yield"(%572) : (f32) -> ()
    }) : (tensor<16x64x32x32xi1>, tensor<f32>, tensor<16x64x32x32xf32>, tensor<16x64x32x32xf32>) -> tensor<16x64x32x32xf32>
    %398 = "tensor.empty"() : () -> tensor<3x16x32x32xf32>
    %399 = "linalg.transpose"(%arg32, %398) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg209: f32, %arg210: f32):
      "linalg.yield"(%arg209) : (f32) -> ()
    }) : (tensor<16x3x32x32xf32>, tensor<3x16x32x32xf32>) -> tensor<3x16x32x32xf32>
    %400 = "linalg.transpose"(%397, %387) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg207: f32, %arg208: f32):
      "linalg.yield"(%arg207) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<64x16x32x32xf32>) -> tensor<64x16x32x32xf32>
    %401 = "tensor.pad"(%399) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg203: index, %arg204: index, %arg205: index, %arg206: index):
      "tensor.yield"(%3) : (f32) -> ()
    }) : (tensor<3x16x32x32xf32>) -> tensor<3x16x34x34xf32>
    %402 = "tensor.empty"() : () -> tensor<3x64x3x3xf32>
    %403 = "linalg.fill"(%3, %402) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg201: f32, %arg202: f32):
      "linalg.yield"(%arg201) : (f32) -> ()
    }) : (f32, tensor<3x64x3x3xf32>) -> tensor<3x64x3x3xf32>
    %404 = "linalg.conv_2d_nchw_fchw"(%401, %400, %403) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg198: f32, %arg199: f32, %arg200: f32):
      %570 = "arith.mulf"(%arg198, %arg199) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %571 = "arith.addf"(%arg200, %570) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%571) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<3x16x34x34xf32>, tensor<64x16x32x32xf32>, tensor<3x64x3x3xf32>) -> tensor<3x64x3x3xf32>
    %405 = "tensor.empty"() : () -> tensor<64x3x3x3xf32>
    %406 = "linalg.transpose"(%404, %405) <{permutation = array<i64: 1, 0, 2, 3>}> ({
    ^bb0(%arg196: f32, %arg197: f32):
      "linalg.yield"(%arg196) : (f32) -> ()
    }) : (tensor<3x64x3x3xf32>, tensor<64x3x3x3xf32>) -> tensor<64x3x3x3xf32>
    %407 = "linalg.generic"(%397, %394) <{indexing_maps = [#map3, #map21], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg194: f32, %arg195: f32):
      %569 = "arith.addf"(%arg194, %arg195) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%569) : (f32) -> ()
    }) : (tensor<16x64x32x32xf32>, tensor<64xf32>) -> tensor<64xf32>
    %408 = "linalg.generic"(%406, %405) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg192: f32, %arg193: f32):
      %567 = "arith.truncf"(%15) : (f64) -> f32
      %568 = "arith.mulf"(%arg192, %567) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%568) : (f32) -> ()
    }) : (tensor<64x3x3x3xf32>, tensor<64x3x3x3xf32>) -> tensor<64x3x3x3xf32>
    %409 = "linalg.generic"(%arg0, %408, %405) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg189: f32, %arg190: f32, %arg191: f32):
      %566 = "arith.subf"(%arg189, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%566) : (f32) -> ()
    }) : (tensor<64x3x3x3xf32>, tensor<64x3x3x3xf32>, tensor<64x3x3x3xf32>) -> tensor<64x3x3x3xf32>
    %410 = "linalg.generic"(%407, %393) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg187: f32, %arg188: f32):
      %564 = "arith.truncf"(%15) : (f64) -> f32
      %565 = "arith.mulf"(%arg187, %564) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%565) : (f32) -> ()
    }) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %411 = "linalg.generic"(%arg1, %410, %393) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg184: f32, %arg185: f32, %arg186: f32):
      %563 = "arith.subf"(%arg184, %arg185) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%563) : (f32) -> ()
    }) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %412 = "linalg.generic"(%392, %380) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg182: f32, %arg183: f32):
      %561 = "arith.truncf"(%15) : (f64) -> f32
      %562 = "arith.mulf"(%arg182, %561) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%562) : (f32) -> ()
    }) : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %413 = "linalg.generic"(%arg2, %412, %380) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg179: f32, %arg180: f32, %arg181: f32):
      %560 = "arith.subf"(%arg179, %arg180) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%560) : (f32) -> ()
    }) : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %414 = "linalg.generic"(%395, %393) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg177: f32, %arg178: f32):
      %558 = "arith.truncf"(%15) : (f64) -> f32
      %559 = "arith.mulf"(%arg177, %558) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%559) : (f32) -> ()
    }) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %415 = "linalg.generic"(%arg3, %414, %393) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg174: f32, %arg175: f32, %arg176: f32):
      %557 = "arith.subf"(%arg174, %arg175) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%557) : (f32) -> ()
    }) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %416 = "linalg.generic"(%369, %368) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg172: f32, %arg173: f32):
      %555 = "arith.truncf"(%15) : (f64) -> f32
      %556 = "arith.mulf"(%arg172, %555) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%556) : (f32) -> ()
    }) : (tensor<128x64x3x3xf32>, tensor<128x64x3x3xf32>) -> tensor<128x64x3x3xf32>
    %417 = "linalg.generic"(%arg4, %416, %368) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg169: f32, %arg170: f32, %arg171: f32):
      %554 = "arith.subf"(%arg169, %arg170) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%554) : (f32) -> ()
    }) : (tensor<128x64x3x3xf32>, tensor<128x64x3x3xf32>, tensor<128x64x3x3xf32>) -> tensor<128x64x3x3xf32>
    %418 = "linalg.generic"(%370, %352) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg167: f32, %arg168: f32):
      %552 = "arith.truncf"(%15) : (f64) -> f32
      %553 = "arith.mulf"(%arg167, %552) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%553) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %419 = "linalg.generic"(%arg5, %418, %352) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg164: f32, %arg165: f32, %arg166: f32):
      %551 = "arith.subf"(%arg164, %arg165) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%551) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %420 = "linalg.generic"(%351, %339) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg162: f32, %arg163: f32):
      %549 = "arith.truncf"(%15) : (f64) -> f32
      %550 = "arith.mulf"(%arg162, %549) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%550) : (f32) -> ()
    }) : (tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %421 = "linalg.generic"(%arg6, %420, %339) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg159: f32, %arg160: f32, %arg161: f32):
      %548 = "arith.subf"(%arg159, %arg160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%548) : (f32) -> ()
    }) : (tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %422 = "linalg.generic"(%354, %352) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg157: f32, %arg158: f32):
      %546 = "arith.truncf"(%15) : (f64) -> f32
      %547 = "arith.mulf"(%arg157, %546) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%547) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %423 = "linalg.generic"(%arg7, %422, %352) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg154: f32, %arg155: f32, %arg156: f32):
      %545 = "arith.subf"(%arg154, %arg155) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%545) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %424 = "linalg.generic"(%328, %327) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg152: f32, %arg153: f32):
      %543 = "arith.truncf"(%15) : (f64) -> f32
      %544 = "arith.mulf"(%arg152, %543) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%544) : (f32) -> ()
    }) : (tensor<256x128x3x3xf32>, tensor<256x128x3x3xf32>) -> tensor<256x128x3x3xf32>
    %425 = "linalg.generic"(%arg8, %424, %327) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg149: f32, %arg150: f32, %arg151: f32):
      %542 = "arith.subf"(%arg149, %arg150) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%542) : (f32) -> ()
    }) : (tensor<256x128x3x3xf32>, tensor<256x128x3x3xf32>, tensor<256x128x3x3xf32>) -> tensor<256x128x3x3xf32>
    %426 = "linalg.generic"(%329, %300) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg147: f32, %arg148: f32):
      %540 = "arith.truncf"(%15) : (f64) -> f32
      %541 = "arith.mulf"(%arg147, %540) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%541) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %427 = "linalg.generic"(%arg9, %426, %300) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg144: f32, %arg145: f32, %arg146: f32):
      %539 = "arith.subf"(%arg144, %arg145) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%539) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %428 = "linalg.generic"(%312, %287) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32):
      %537 = "arith.truncf"(%15) : (f64) -> f32
      %538 = "arith.mulf"(%arg142, %537) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%538) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %429 = "linalg.generic"(%arg10, %428, %287) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32, %arg141: f32):
      %536 = "arith.subf"(%arg139, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%536) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %430 = "linalg.generic"(%313, %300) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg137: f32, %arg138: f32):
      %534 = "arith.truncf"(%15) : (f64) -> f32
      %535 = "arith.mulf"(%arg137, %534) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%535) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %431 = "linalg.generic"(%arg11, %430, %300) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32, %arg136: f32):
      %533 = "arith.subf"(%arg134, %arg135) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%533) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %432 = "linalg.generic"(%299, %287) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg132: f32, %arg133: f32):
      %531 = "arith.truncf"(%15) : (f64) -> f32
      %532 = "arith.mulf"(%arg132, %531) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%532) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %433 = "linalg.generic"(%arg12, %432, %287) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32, %arg131: f32):
      %530 = "arith.subf"(%arg129, %arg130) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%530) : (f32) -> ()
    }) : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %434 = "linalg.generic"(%302, %300) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg127: f32, %arg128: f32):
      %528 = "arith.truncf"(%15) : (f64) -> f32
      %529 = "arith.mulf"(%arg127, %528) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%529) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %435 = "linalg.generic"(%arg13, %434, %300) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg124: f32, %arg125: f32, %arg126: f32):
      %527 = "arith.subf"(%arg124, %arg125) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%527) : (f32) -> ()
    }) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %436 = "linalg.generic"(%276, %275) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg122: f32, %arg123: f32):
      %525 = "arith.truncf"(%15) : (f64) -> f32
      %526 = "arith.mulf"(%arg122, %525) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%526) : (f32) -> ()
    }) : (tensor<512x256x3x3xf32>, tensor<512x256x3x3xf32>) -> tensor<512x256x3x3xf32>
    %437 = "linalg.generic"(%arg14, %436, %275) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg119: f32, %arg120: f32, %arg121: f32):
      %524 = "arith.subf"(%arg119, %arg120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%524) : (f32) -> ()
    }) : (tensor<512x256x3x3xf32>, tensor<512x256x3x3xf32>, tensor<512x256x3x3xf32>) -> tensor<512x256x3x3xf32>
    %438 = "linalg.generic"(%277, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg117: f32, %arg118: f32):
      %522 = "arith.truncf"(%15) : (f64) -> f32
      %523 = "arith.mulf"(%arg117, %522) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%523) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %439 = "linalg.generic"(%arg15, %438, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg114: f32, %arg115: f32, %arg116: f32):
      %521 = "arith.subf"(%arg114, %arg115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%521) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %440 = "linalg.generic"(%260, %194) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32):
      %519 = "arith.truncf"(%15) : (f64) -> f32
      %520 = "arith.mulf"(%arg112, %519) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%520) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %441 = "linalg.generic"(%arg16, %440, %194) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %518 = "arith.subf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%518) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %442 = "linalg.generic"(%261, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg107: f32, %arg108: f32):
      %516 = "arith.truncf"(%15) : (f64) -> f32
      %517 = "arith.mulf"(%arg107, %516) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%517) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %443 = "linalg.generic"(%arg17, %442, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg104: f32, %arg105: f32, %arg106: f32):
      %515 = "arith.subf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%515) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %444 = "linalg.generic"(%249, %194) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg102: f32, %arg103: f32):
      %513 = "arith.truncf"(%15) : (f64) -> f32
      %514 = "arith.mulf"(%arg102, %513) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%514) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %445 = "linalg.generic"(%arg18, %444, %194) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg99: f32, %arg100: f32, %arg101: f32):
      %512 = "arith.subf"(%arg99, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%512) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %446 = "linalg.generic"(%250, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32):
      %510 = "arith.truncf"(%15) : (f64) -> f32
      %511 = "arith.mulf"(%arg97, %510) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%511) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %447 = "linalg.generic"(%arg19, %446, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32, %arg96: f32):
      %509 = "arith.subf"(%arg94, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%509) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %448 = "linalg.generic"(%229, %194) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32):
      %507 = "arith.truncf"(%15) : (f64) -> f32
      %508 = "arith.mulf"(%arg92, %507) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%508) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %449 = "linalg.generic"(%arg20, %448, %194) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32, %arg91: f32):
      %506 = "arith.subf"(%arg89, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%506) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %450 = "linalg.generic"(%230, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32):
      %504 = "arith.truncf"(%15) : (f64) -> f32
      %505 = "arith.mulf"(%arg87, %504) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%505) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %451 = "linalg.generic"(%arg21, %450, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32):
      %503 = "arith.subf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%503) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %452 = "linalg.generic"(%218, %194) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32):
      %501 = "arith.truncf"(%15) : (f64) -> f32
      %502 = "arith.mulf"(%arg82, %501) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%502) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %453 = "linalg.generic"(%arg22, %452, %194) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32, %arg81: f32):
      %500 = "arith.subf"(%arg79, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%500) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %454 = "linalg.generic"(%219, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32):
      %498 = "arith.truncf"(%15) : (f64) -> f32
      %499 = "arith.mulf"(%arg77, %498) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%499) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %455 = "linalg.generic"(%arg23, %454, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg74: f32, %arg75: f32, %arg76: f32):
      %497 = "arith.subf"(%arg74, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%497) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %456 = "linalg.generic"(%205, %194) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32):
      %495 = "arith.truncf"(%15) : (f64) -> f32
      %496 = "arith.mulf"(%arg72, %495) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%496) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %457 = "linalg.generic"(%arg24, %456, %194) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg69: f32, %arg70: f32, %arg71: f32):
      %494 = "arith.subf"(%arg69, %arg70) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%494) : (f32) -> ()
    }) : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %458 = "linalg.generic"(%208, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg67: f32, %arg68: f32):
      %492 = "arith.truncf"(%15) : (f64) -> f32
      %493 = "arith.mulf"(%arg67, %492) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%493) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %459 = "linalg.generic"(%arg25, %458, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg64: f32, %arg65: f32, %arg66: f32):
      %491 = "arith.subf"(%arg64, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%491) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %460 = "linalg.generic"(%181, %106) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32):
      %489 = "arith.truncf"(%15) : (f64) -> f32
      %490 = "arith.mulf"(%arg62, %489) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%490) : (f32) -> ()
    }) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %461 = "linalg.generic"(%arg26, %460, %106) <{indexing_maps = [#map10, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32, %arg61: f32):
      %488 = "arith.subf"(%arg59, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%488) : (f32) -> ()
    }) : (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %462 = "linalg.generic"(%183, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32):
      %486 = "arith.truncf"(%15) : (f64) -> f32
      %487 = "arith.mulf"(%arg57, %486) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%487) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %463 = "linalg.generic"(%arg27, %462, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32):
      %485 = "arith.subf"(%arg54, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%485) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %464 = "linalg.generic"(%172, %106) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      %483 = "arith.truncf"(%15) : (f64) -> f32
      %484 = "arith.mulf"(%arg52, %483) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%484) : (f32) -> ()
    }) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %465 = "linalg.generic"(%arg28, %464, %106) <{indexing_maps = [#map10, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32):
      %482 = "arith.subf"(%arg49, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%482) : (f32) -> ()
    }) : (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %466 = "linalg.generic"(%176, %206) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32):
      %480 = "arith.truncf"(%15) : (f64) -> f32
      %481 = "arith.mulf"(%arg47, %480) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%481) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %467 = "linalg.generic"(%arg29, %466, %206) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32, %arg46: f32):
      %479 = "arith.subf"(%arg44, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%479) : (f32) -> ()
    }) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %468 = "linalg.generic"(%160, %158) <{indexing_maps = [#map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32):
      %477 = "arith.truncf"(%15) : (f64) -> f32
      %478 = "arith.mulf"(%arg42, %477) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%478) : (f32) -> ()
    }) : (tensor<10x512xf32>, tensor<10x512xf32>) -> tensor<10x512xf32>
    %469 = "linalg.generic"(%arg30, %468, %158) <{indexing_maps = [#map10, #map10, #map10], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32):
      %476 = "arith.subf"(%arg39, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%476) : (f32) -> ()
    }) : (tensor<10x512xf32>, tensor<10x512xf32>, tensor<10x512xf32>) -> tensor<10x512xf32>
    %470 = "tensor.empty"() : () -> tensor<10xf32>
    %471 = "linalg.generic"(%164, %470) <{indexing_maps = [#map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      %474 = "arith.truncf"(%15) : (f64) -> f32
      %475 = "arith.mulf"(%arg37, %474) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%475) : (f32) -> ()
    }) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %472 = "linalg.generic"(%arg31, %471, %470) <{indexing_maps = [#map12, #map12, #map12], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32):
      %473 = "arith.subf"(%arg34, %arg35) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%473) : (f32) -> ()
    }) : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    "func.return"(%409, %411, %413, %415, %417, %419, %421, %423, %425, %427, %429, %431, %433, %435, %437, %439, %441, %443, %445, %447, %449, %451, %453, %455, %457, %459, %461, %463, %465, %467, %469, %472, %146) : (tensor<64x3x3x3xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<256x128x3x3xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<512x256x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>, tensor<f32>) -> ()
  }) : () -> ()
}) : () -> ()
