module {
  func.func @main(%arg0: tensor<64x3x3x3xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64x3x3xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64x64x3x3xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64x3x3xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64x64x3x3xf32>, %arg13: tensor<64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<128x64x3x3xf32>, %arg16: tensor<128xf32>, %arg17: tensor<128xf32>, %arg18: tensor<128x128x3x3xf32>, %arg19: tensor<128xf32>, %arg20: tensor<128xf32>, %arg21: tensor<128x64x1x1xf32>, %arg22: tensor<128xf32>, %arg23: tensor<128xf32>, %arg24: tensor<128x128x3x3xf32>, %arg25: tensor<128xf32>, %arg26: tensor<128xf32>, %arg27: tensor<128x128x3x3xf32>, %arg28: tensor<128xf32>, %arg29: tensor<128xf32>, %arg30: tensor<256x128x3x3xf32>, %arg31: tensor<256xf32>, %arg32: tensor<256xf32>, %arg33: tensor<256x256x3x3xf32>, %arg34: tensor<256xf32>, %arg35: tensor<256xf32>, %arg36: tensor<256x128x1x1xf32>, %arg37: tensor<256xf32>, %arg38: tensor<256xf32>, %arg39: tensor<256x256x3x3xf32>, %arg40: tensor<256xf32>, %arg41: tensor<256xf32>, %arg42: tensor<256x256x3x3xf32>, %arg43: tensor<256xf32>, %arg44: tensor<256xf32>, %arg45: tensor<512x256x3x3xf32>, %arg46: tensor<512xf32>, %arg47: tensor<512xf32>, %arg48: tensor<512x512x3x3xf32>, %arg49: tensor<512xf32>, %arg50: tensor<512xf32>, %arg51: tensor<512x256x1x1xf32>, %arg52: tensor<512xf32>, %arg53: tensor<512xf32>, %arg54: tensor<512x512x3x3xf32>, %arg55: tensor<512xf32>, %arg56: tensor<512xf32>, %arg57: tensor<512x512x3x3xf32>, %arg58: tensor<512xf32>, %arg59: tensor<512xf32>, %arg60: tensor<10x512xf32>, %arg61: tensor<10xf32>, %arg62: tensor<8x3x32x32xf32>, %arg63: tensor<8xi64>) -> (tensor<64x3x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x64x1x1xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<256x128x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x128x1x1xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<512x256x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x256x1x1xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>, tensor<f32>) {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<8x10xf32>}> : () -> tensor<8x10xf32>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<64xf32>}> : () -> tensor<64xf32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.const_shape  {values = dense<[1, 64, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %5 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<128xf32>}> : () -> tensor<128xf32>
    %6 = tosa.const_shape  {values = dense<[1, 128, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %7 = tosa.const_shape  {values = dense<[8, 31, 32, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %8 = tosa.const_shape  {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
    %9 = tosa.const_shape  {values = dense<[8, 31, 31, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %10 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<256xf32>}> : () -> tensor<256xf32>
    %11 = tosa.const_shape  {values = dense<[1, 256, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %12 = tosa.const_shape  {values = dense<[8, 15, 16, 128]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %13 = tosa.const_shape  {values = dense<[8, 15, 15, 128]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %14 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<512xf32>}> : () -> tensor<512xf32>
    %15 = tosa.const_shape  {values = dense<[1, 512, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %16 = tosa.const_shape  {values = dense<[8, 7, 8, 256]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %17 = tosa.const_shape  {values = dense<[8, 7, 7, 256]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %18 = tosa.const_shape  {values = dense<[8, 512]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %19 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %20 = tosa.const_shape  {values = dense<[1, 8, 512]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %21 = tosa.const_shape  {values = dense<[1, 512, 10]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %22 = tosa.const_shape  {values = dense<[8, 10]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %23 = tosa.const_shape  {values = dense<[1, 10]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %24 = tosa.const_shape  {values = dense<[8, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %25 = tosa.const_shape  {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %26 = tosa.const_shape  {values = dense<[1, 8, 10]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %27 = tosa.const_shape  {values = dense<[1, 10, 512]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %28 = tosa.const_shape  {values = dense<[1, 10, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %29 = tosa.const_shape  {values = dense<[10, 512]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %30 = tosa.const_shape  {values = dense<10> : tensor<1xindex>} : () -> !tosa.shape<1>
    %31 = tosa.const_shape  {values = dense<[8, 512, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %32 = tosa.const_shape  {values = dense<[1, 1, 4, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %33 = tosa.const_shape  {values = dense<512> : tensor<1xindex>} : () -> !tosa.shape<1>
    %34 = tosa.const_shape  {values = dense<[8, 1, 4, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %35 = tosa.const_shape  {values = dense<[8, 4, 4, 512]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %36 = tosa.const_shape  {values = dense<[0, 1, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %37 = tosa.const_shape  {values = dense<[4096, 1, 4, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %38 = tosa.const_shape  {values = dense<[4, 4, 8, 512]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %39 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<4096xf32>}> : () -> tensor<4096xf32>
    %40 = tosa.const_shape  {values = dense<[256, 4096, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %41 = tosa.const_shape  {values = dense<[256, 4096, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %42 = tosa.const_shape  {values = dense<[256, 8, 512, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %43 = tosa.const_shape  {values = dense<[512, 256, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %44 = tosa.const_shape  {values = dense<[8, 8, 8, 256]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %45 = tosa.const_shape  {values = dense<[256, 4096, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %46 = tosa.const_shape  {values = dense<[256, 4096, 3, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %47 = tosa.const_shape  {values = dense<[256, 8, 512, 3, 3]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %48 = tosa.const_shape  {values = dense<[512, 256, 3, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %49 = tosa.const_shape  {values = dense<256> : tensor<1xindex>} : () -> !tosa.shape<1>
    %50 = tosa.const_shape  {values = dense<[8, 1, 8, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %51 = tosa.const_shape  {values = dense<[2048, 1, 8, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %52 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<2048xf32>}> : () -> tensor<2048xf32>
    %53 = tosa.const_shape  {values = dense<[128, 2048, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %54 = tosa.const_shape  {values = dense<[128, 2048, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %55 = tosa.const_shape  {values = dense<[128, 8, 256, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %56 = tosa.const_shape  {values = dense<[256, 128, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %57 = tosa.const_shape  {values = dense<[8, 16, 16, 128]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %58 = tosa.const_shape  {values = dense<[128, 2048, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %59 = tosa.const_shape  {values = dense<[128, 2048, 3, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %60 = tosa.const_shape  {values = dense<[128, 8, 256, 3, 3]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %61 = tosa.const_shape  {values = dense<[256, 128, 3, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %62 = tosa.const_shape  {values = dense<128> : tensor<1xindex>} : () -> !tosa.shape<1>
    %63 = tosa.const_shape  {values = dense<[8, 1, 16, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %64 = tosa.const_shape  {values = dense<[1024, 1, 16, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %65 = tosa.const_shape  {values = dense<[16, 16, 8, 128]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %66 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1024xf32>}> : () -> tensor<1024xf32>
    %67 = tosa.const_shape  {values = dense<[64, 1024, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %68 = tosa.const_shape  {values = dense<[64, 1024, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %69 = tosa.const_shape  {values = dense<[64, 8, 128, 1, 1]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %70 = tosa.const_shape  {values = dense<[128, 64, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %71 = tosa.const_shape  {values = dense<[8, 32, 32, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %72 = tosa.const_shape  {values = dense<[64, 1024, 3, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %73 = tosa.const_shape  {values = dense<[64, 1024, 3, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %74 = tosa.const_shape  {values = dense<[64, 8, 128, 3, 3]> : tensor<5xindex>} : () -> !tosa.shape<5>
    %75 = tosa.const_shape  {values = dense<[128, 64, 3, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %76 = tosa.const_shape  {values = dense<64> : tensor<1xindex>} : () -> !tosa.shape<1>
    %77 = tosa.const_shape  {values = dense<[8, 1, 32, 32]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %78 = "tosa.const"() <{values = dense<1.22070313E-4> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %79 = "tosa.const"() <{values = dense<9.99999974E-6> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %80 = "tosa.const"() <{values = dense<4.8828125E-4> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %81 = tosa.const_shape  {values = dense<[128, 1, 1, 64]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %82 = "tosa.const"() <{values = dense<0.001953125> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %83 = tosa.const_shape  {values = dense<[256, 1, 1, 128]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %84 = "tosa.const"() <{values = dense<7.812500e-03> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %85 = tosa.const_shape  {values = dense<[512, 1, 1, 256]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %86 = "tosa.const"() <{values = dense<6.250000e-02> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %87 = "tosa.const"() <{values = dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]> : tensor<1x10xi64>}> : () -> tensor<1x10xi64>
    %88 = "tosa.const"() <{values = dense<1.250000e-01> : tensor<f32>}> : () -> tensor<f32>
    %89 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %90 = "tosa.const"() <{values = dense<6.250000e-02> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %91 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %92 = "tosa.const"() <{values = dense<3.000000e+00> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %93 = "tosa.const"() <{values = dense<-5.000000e-01> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %94 = "tosa.const"() <{values = dense<0.00999999977> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %95 = "tosa.const"() <{values = dense<0.00999999977> : tensor<1xf32>}> : () -> tensor<1xf32>
    %96 = "tosa.const"() <{values = dense<0.00999999977> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %97 = tosa.transpose %arg62 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x3x32x32xf32>) -> tensor<8x32x32x3xf32>
    %98 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<64x3x3x3xf32>) -> tensor<64x3x3x3xf32>
    %99 = tosa.conv2d %97, %98, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x32x32x3xf32>, tensor<64x3x3x3xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x32x32x64xf32>
    %100 = tosa.transpose %99 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %101 = tosa.reduce_sum %100 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %102 = tosa.reduce_sum %101 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %103 = tosa.reduce_sum %102 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %104 = tosa.mul %103, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %105 = tosa.sub %100, %104 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %106 = tosa.mul %105, %105, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %107 = tosa.reduce_sum %106 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %108 = tosa.reduce_sum %107 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %109 = tosa.reduce_sum %108 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %110 = tosa.mul %109, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %111 = tosa.add %110, %79 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %112 = tosa.rsqrt %111 : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %113 = tosa.mul %105, %112, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %114 = tosa.reshape %arg1, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %115 = tosa.mul %113, %114, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %116 = tosa.reshape %arg2, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %117 = tosa.add %115, %116 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %118 = tosa.clamp %117 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %119 = tosa.transpose %118 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %120 = tosa.transpose %arg3 {perms = array<i32: 0, 2, 3, 1>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %121 = tosa.conv2d %119, %120, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x32x32x64xf32>
    %122 = tosa.transpose %121 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %123 = tosa.reduce_sum %122 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %124 = tosa.reduce_sum %123 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %125 = tosa.reduce_sum %124 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %126 = tosa.mul %125, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %127 = tosa.sub %122, %126 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %128 = tosa.mul %127, %127, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %129 = tosa.reduce_sum %128 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %130 = tosa.reduce_sum %129 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %131 = tosa.reduce_sum %130 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %132 = tosa.mul %131, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %133 = tosa.add %132, %79 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %134 = tosa.rsqrt %133 : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %135 = tosa.mul %127, %134, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %136 = tosa.reshape %arg4, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %137 = tosa.mul %135, %136, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %138 = tosa.reshape %arg5, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %139 = tosa.add %137, %138 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %140 = tosa.clamp %139 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %141 = tosa.transpose %140 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %142 = tosa.transpose %arg6 {perms = array<i32: 0, 2, 3, 1>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %143 = tosa.conv2d %141, %142, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x32x32x64xf32>
    %144 = tosa.transpose %143 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %145 = tosa.reduce_sum %144 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %146 = tosa.reduce_sum %145 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %147 = tosa.reduce_sum %146 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %148 = tosa.mul %147, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %149 = tosa.sub %144, %148 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %150 = tosa.mul %149, %149, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %151 = tosa.reduce_sum %150 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %152 = tosa.reduce_sum %151 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %153 = tosa.reduce_sum %152 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %154 = tosa.mul %153, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %155 = tosa.add %154, %79 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %156 = tosa.rsqrt %155 : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %157 = tosa.mul %149, %156, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %158 = tosa.reshape %arg7, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %159 = tosa.mul %157, %158, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %160 = tosa.reshape %arg8, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %161 = tosa.add %159, %160 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %162 = tosa.add %161, %118 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %163 = tosa.clamp %162 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %164 = tosa.transpose %163 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %165 = tosa.transpose %arg9 {perms = array<i32: 0, 2, 3, 1>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %166 = tosa.conv2d %164, %165, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x32x32x64xf32>
    %167 = tosa.transpose %166 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %168 = tosa.reduce_sum %167 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %169 = tosa.reduce_sum %168 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %170 = tosa.reduce_sum %169 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %171 = tosa.mul %170, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %172 = tosa.sub %167, %171 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %173 = tosa.mul %172, %172, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %174 = tosa.reduce_sum %173 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %175 = tosa.reduce_sum %174 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %176 = tosa.reduce_sum %175 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %177 = tosa.mul %176, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %178 = tosa.add %177, %79 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %179 = tosa.rsqrt %178 : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %180 = tosa.mul %172, %179, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %181 = tosa.reshape %arg10, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %182 = tosa.mul %180, %181, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %183 = tosa.reshape %arg11, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %184 = tosa.add %182, %183 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %185 = tosa.clamp %184 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %186 = tosa.transpose %185 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %187 = tosa.transpose %arg12 {perms = array<i32: 0, 2, 3, 1>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %188 = tosa.conv2d %186, %187, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x32x32x64xf32>
    %189 = tosa.transpose %188 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %190 = tosa.reduce_sum %189 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %191 = tosa.reduce_sum %190 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %192 = tosa.reduce_sum %191 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %193 = tosa.mul %192, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %194 = tosa.sub %189, %193 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %195 = tosa.mul %194, %194, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %196 = tosa.reduce_sum %195 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %197 = tosa.reduce_sum %196 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %198 = tosa.reduce_sum %197 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %199 = tosa.mul %198, %78, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %200 = tosa.add %199, %79 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %201 = tosa.rsqrt %200 : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %202 = tosa.mul %194, %201, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %203 = tosa.reshape %arg13, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %204 = tosa.mul %202, %203, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %205 = tosa.reshape %arg14, %4 : (tensor<64xf32>, !tosa.shape<4>) -> tensor<1x64x1x1xf32>
    %206 = tosa.add %204, %205 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>) -> tensor<8x64x32x32xf32>
    %207 = tosa.add %206, %163 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %208 = tosa.clamp %207 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %209 = tosa.transpose %208 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %210 = tosa.transpose %arg15 {perms = array<i32: 0, 2, 3, 1>} : (tensor<128x64x3x3xf32>) -> tensor<128x3x3x64xf32>
    %211 = tosa.conv2d %209, %210, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<8x32x32x64xf32>, tensor<128x3x3x64xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x16x16x128xf32>
    %212 = tosa.transpose %211 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %213 = tosa.reduce_sum %212 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %214 = tosa.reduce_sum %213 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %215 = tosa.reduce_sum %214 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %216 = tosa.mul %215, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %217 = tosa.sub %212, %216 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %218 = tosa.mul %217, %217, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %219 = tosa.reduce_sum %218 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %220 = tosa.reduce_sum %219 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %221 = tosa.reduce_sum %220 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %222 = tosa.mul %221, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %223 = tosa.add %222, %79 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %224 = tosa.rsqrt %223 : (tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %225 = tosa.mul %217, %224, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %226 = tosa.reshape %arg16, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %227 = tosa.mul %225, %226, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %228 = tosa.reshape %arg17, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %229 = tosa.add %227, %228 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %230 = tosa.clamp %229 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %231 = tosa.transpose %230 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %232 = tosa.transpose %arg18 {perms = array<i32: 0, 2, 3, 1>} : (tensor<128x128x3x3xf32>) -> tensor<128x3x3x128xf32>
    %233 = tosa.conv2d %231, %232, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x16x16x128xf32>, tensor<128x3x3x128xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x16x16x128xf32>
    %234 = tosa.transpose %233 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %235 = tosa.reduce_sum %234 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %236 = tosa.reduce_sum %235 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %237 = tosa.reduce_sum %236 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %238 = tosa.mul %237, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %239 = tosa.sub %234, %238 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %240 = tosa.mul %239, %239, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %241 = tosa.reduce_sum %240 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %242 = tosa.reduce_sum %241 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %243 = tosa.reduce_sum %242 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %244 = tosa.mul %243, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %245 = tosa.add %244, %79 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %246 = tosa.rsqrt %245 : (tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %247 = tosa.mul %239, %246, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %248 = tosa.reshape %arg19, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %249 = tosa.mul %247, %248, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %250 = tosa.reshape %arg20, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %251 = tosa.add %249, %250 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %252 = tosa.reshape %arg21, %81 : (tensor<128x64x1x1xf32>, !tosa.shape<4>) -> tensor<128x1x1x64xf32>
    %253 = tosa.slice %209, %8, %7 : (tensor<8x32x32x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x31x32x64xf32>
    %254 = tosa.slice %253, %8, %9 : (tensor<8x31x32x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x31x31x64xf32>
    %255 = tosa.conv2d %254, %252, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<8x31x31x64xf32>, tensor<128x1x1x64xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x16x16x128xf32>
    %256 = tosa.transpose %255 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %257 = tosa.reduce_sum %256 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %258 = tosa.reduce_sum %257 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %259 = tosa.reduce_sum %258 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %260 = tosa.mul %259, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %261 = tosa.sub %256, %260 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %262 = tosa.mul %261, %261, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %263 = tosa.reduce_sum %262 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %264 = tosa.reduce_sum %263 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %265 = tosa.reduce_sum %264 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %266 = tosa.mul %265, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %267 = tosa.add %266, %79 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %268 = tosa.rsqrt %267 : (tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %269 = tosa.mul %261, %268, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %270 = tosa.reshape %arg22, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %271 = tosa.mul %269, %270, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %272 = tosa.reshape %arg23, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %273 = tosa.add %271, %272 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %274 = tosa.add %251, %273 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %275 = tosa.clamp %274 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %276 = tosa.transpose %275 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %277 = tosa.transpose %arg24 {perms = array<i32: 0, 2, 3, 1>} : (tensor<128x128x3x3xf32>) -> tensor<128x3x3x128xf32>
    %278 = tosa.conv2d %276, %277, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x16x16x128xf32>, tensor<128x3x3x128xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x16x16x128xf32>
    %279 = tosa.transpose %278 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %280 = tosa.reduce_sum %279 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %281 = tosa.reduce_sum %280 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %282 = tosa.reduce_sum %281 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %283 = tosa.mul %282, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %284 = tosa.sub %279, %283 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %285 = tosa.mul %284, %284, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %286 = tosa.reduce_sum %285 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %287 = tosa.reduce_sum %286 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %288 = tosa.reduce_sum %287 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %289 = tosa.mul %288, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %290 = tosa.add %289, %79 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %291 = tosa.rsqrt %290 : (tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %292 = tosa.mul %284, %291, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %293 = tosa.reshape %arg25, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %294 = tosa.mul %292, %293, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %295 = tosa.reshape %arg26, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %296 = tosa.add %294, %295 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %297 = tosa.clamp %296 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %298 = tosa.transpose %297 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %299 = tosa.transpose %arg27 {perms = array<i32: 0, 2, 3, 1>} : (tensor<128x128x3x3xf32>) -> tensor<128x3x3x128xf32>
    %300 = tosa.conv2d %298, %299, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x16x16x128xf32>, tensor<128x3x3x128xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x16x16x128xf32>
    %301 = tosa.transpose %300 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %302 = tosa.reduce_sum %301 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %303 = tosa.reduce_sum %302 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %304 = tosa.reduce_sum %303 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %305 = tosa.mul %304, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %306 = tosa.sub %301, %305 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %307 = tosa.mul %306, %306, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %308 = tosa.reduce_sum %307 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %309 = tosa.reduce_sum %308 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %310 = tosa.reduce_sum %309 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %311 = tosa.mul %310, %80, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %312 = tosa.add %311, %79 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %313 = tosa.rsqrt %312 : (tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %314 = tosa.mul %306, %313, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %315 = tosa.reshape %arg28, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %316 = tosa.mul %314, %315, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %317 = tosa.reshape %arg29, %6 : (tensor<128xf32>, !tosa.shape<4>) -> tensor<1x128x1x1xf32>
    %318 = tosa.add %316, %317 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>) -> tensor<8x128x16x16xf32>
    %319 = tosa.add %318, %275 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %320 = tosa.clamp %319 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %321 = tosa.transpose %320 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %322 = tosa.transpose %arg30 {perms = array<i32: 0, 2, 3, 1>} : (tensor<256x128x3x3xf32>) -> tensor<256x3x3x128xf32>
    %323 = tosa.conv2d %321, %322, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<8x16x16x128xf32>, tensor<256x3x3x128xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x8x8x256xf32>
    %324 = tosa.transpose %323 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %325 = tosa.reduce_sum %324 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %326 = tosa.reduce_sum %325 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %327 = tosa.reduce_sum %326 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %328 = tosa.mul %327, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %329 = tosa.sub %324, %328 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %330 = tosa.mul %329, %329, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %331 = tosa.reduce_sum %330 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %332 = tosa.reduce_sum %331 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %333 = tosa.reduce_sum %332 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %334 = tosa.mul %333, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %335 = tosa.add %334, %79 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %336 = tosa.rsqrt %335 : (tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %337 = tosa.mul %329, %336, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %338 = tosa.reshape %arg31, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %339 = tosa.mul %337, %338, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %340 = tosa.reshape %arg32, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %341 = tosa.add %339, %340 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %342 = tosa.clamp %341 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %343 = tosa.transpose %342 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %344 = tosa.transpose %arg33 {perms = array<i32: 0, 2, 3, 1>} : (tensor<256x256x3x3xf32>) -> tensor<256x3x3x256xf32>
    %345 = tosa.conv2d %343, %344, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x8x8x256xf32>, tensor<256x3x3x256xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x8x8x256xf32>
    %346 = tosa.transpose %345 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %347 = tosa.reduce_sum %346 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %348 = tosa.reduce_sum %347 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %349 = tosa.reduce_sum %348 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %350 = tosa.mul %349, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %351 = tosa.sub %346, %350 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %352 = tosa.mul %351, %351, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %353 = tosa.reduce_sum %352 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %354 = tosa.reduce_sum %353 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %355 = tosa.reduce_sum %354 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %356 = tosa.mul %355, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %357 = tosa.add %356, %79 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %358 = tosa.rsqrt %357 : (tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %359 = tosa.mul %351, %358, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %360 = tosa.reshape %arg34, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %361 = tosa.mul %359, %360, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %362 = tosa.reshape %arg35, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %363 = tosa.add %361, %362 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %364 = tosa.reshape %arg36, %83 : (tensor<256x128x1x1xf32>, !tosa.shape<4>) -> tensor<256x1x1x128xf32>
    %365 = tosa.slice %321, %8, %12 : (tensor<8x16x16x128xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x15x16x128xf32>
    %366 = tosa.slice %365, %8, %13 : (tensor<8x15x16x128xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x15x15x128xf32>
    %367 = tosa.conv2d %366, %364, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<8x15x15x128xf32>, tensor<256x1x1x128xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x8x8x256xf32>
    %368 = tosa.transpose %367 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %369 = tosa.reduce_sum %368 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %370 = tosa.reduce_sum %369 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %371 = tosa.reduce_sum %370 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %372 = tosa.mul %371, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %373 = tosa.sub %368, %372 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %374 = tosa.mul %373, %373, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %375 = tosa.reduce_sum %374 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %376 = tosa.reduce_sum %375 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %377 = tosa.reduce_sum %376 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %378 = tosa.mul %377, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %379 = tosa.add %378, %79 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %380 = tosa.rsqrt %379 : (tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %381 = tosa.mul %373, %380, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %382 = tosa.reshape %arg37, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %383 = tosa.mul %381, %382, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %384 = tosa.reshape %arg38, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %385 = tosa.add %383, %384 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %386 = tosa.add %363, %385 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %387 = tosa.clamp %386 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %388 = tosa.transpose %387 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %389 = tosa.transpose %arg39 {perms = array<i32: 0, 2, 3, 1>} : (tensor<256x256x3x3xf32>) -> tensor<256x3x3x256xf32>
    %390 = tosa.conv2d %388, %389, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x8x8x256xf32>, tensor<256x3x3x256xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x8x8x256xf32>
    %391 = tosa.transpose %390 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %392 = tosa.reduce_sum %391 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %393 = tosa.reduce_sum %392 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %394 = tosa.reduce_sum %393 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %395 = tosa.mul %394, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %396 = tosa.sub %391, %395 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %397 = tosa.mul %396, %396, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %398 = tosa.reduce_sum %397 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %399 = tosa.reduce_sum %398 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %400 = tosa.reduce_sum %399 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %401 = tosa.mul %400, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %402 = tosa.add %401, %79 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %403 = tosa.rsqrt %402 : (tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %404 = tosa.mul %396, %403, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %405 = tosa.reshape %arg40, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %406 = tosa.mul %404, %405, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %407 = tosa.reshape %arg41, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %408 = tosa.add %406, %407 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %409 = tosa.clamp %408 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %410 = tosa.transpose %409 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %411 = tosa.transpose %arg42 {perms = array<i32: 0, 2, 3, 1>} : (tensor<256x256x3x3xf32>) -> tensor<256x3x3x256xf32>
    %412 = tosa.conv2d %410, %411, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x8x8x256xf32>, tensor<256x3x3x256xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x8x8x256xf32>
    %413 = tosa.transpose %412 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %414 = tosa.reduce_sum %413 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %415 = tosa.reduce_sum %414 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %416 = tosa.reduce_sum %415 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %417 = tosa.mul %416, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %418 = tosa.sub %413, %417 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %419 = tosa.mul %418, %418, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %420 = tosa.reduce_sum %419 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %421 = tosa.reduce_sum %420 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %422 = tosa.reduce_sum %421 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %423 = tosa.mul %422, %82, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %424 = tosa.add %423, %79 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %425 = tosa.rsqrt %424 : (tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %426 = tosa.mul %418, %425, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %427 = tosa.reshape %arg43, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %428 = tosa.mul %426, %427, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %429 = tosa.reshape %arg44, %11 : (tensor<256xf32>, !tosa.shape<4>) -> tensor<1x256x1x1xf32>
    %430 = tosa.add %428, %429 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>) -> tensor<8x256x8x8xf32>
    %431 = tosa.add %430, %387 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %432 = tosa.clamp %431 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %433 = tosa.transpose %432 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %434 = tosa.transpose %arg45 {perms = array<i32: 0, 2, 3, 1>} : (tensor<512x256x3x3xf32>) -> tensor<512x3x3x256xf32>
    %435 = tosa.conv2d %433, %434, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<8x8x8x256xf32>, tensor<512x3x3x256xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x4x4x512xf32>
    %436 = tosa.transpose %435 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %437 = tosa.reduce_sum %436 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %438 = tosa.reduce_sum %437 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %439 = tosa.reduce_sum %438 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %440 = tosa.mul %439, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %441 = tosa.sub %436, %440 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %442 = tosa.mul %441, %441, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %443 = tosa.reduce_sum %442 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %444 = tosa.reduce_sum %443 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %445 = tosa.reduce_sum %444 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %446 = tosa.mul %445, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %447 = tosa.add %446, %79 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %448 = tosa.rsqrt %447 : (tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %449 = tosa.mul %441, %448, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %450 = tosa.reshape %arg46, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %451 = tosa.mul %449, %450, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %452 = tosa.reshape %arg47, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %453 = tosa.add %451, %452 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %454 = tosa.clamp %453 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %455 = tosa.transpose %454 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %456 = tosa.transpose %arg48 {perms = array<i32: 0, 2, 3, 1>} : (tensor<512x512x3x3xf32>) -> tensor<512x3x3x512xf32>
    %457 = tosa.conv2d %455, %456, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x4x4x512xf32>, tensor<512x3x3x512xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x4x4x512xf32>
    %458 = tosa.transpose %457 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %459 = tosa.reduce_sum %458 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %460 = tosa.reduce_sum %459 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %461 = tosa.reduce_sum %460 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %462 = tosa.mul %461, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %463 = tosa.sub %458, %462 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %464 = tosa.mul %463, %463, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %465 = tosa.reduce_sum %464 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %466 = tosa.reduce_sum %465 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %467 = tosa.reduce_sum %466 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %468 = tosa.mul %467, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %469 = tosa.add %468, %79 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %470 = tosa.rsqrt %469 : (tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %471 = tosa.mul %463, %470, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %472 = tosa.reshape %arg49, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %473 = tosa.mul %471, %472, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %474 = tosa.reshape %arg50, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %475 = tosa.add %473, %474 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %476 = tosa.reshape %arg51, %85 : (tensor<512x256x1x1xf32>, !tosa.shape<4>) -> tensor<512x1x1x256xf32>
    %477 = tosa.slice %433, %8, %16 : (tensor<8x8x8x256xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x7x8x256xf32>
    %478 = tosa.slice %477, %8, %17 : (tensor<8x7x8x256xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x7x7x256xf32>
    %479 = tosa.conv2d %478, %476, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<8x7x7x256xf32>, tensor<512x1x1x256xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x4x4x512xf32>
    %480 = tosa.transpose %479 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %481 = tosa.reduce_sum %480 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %482 = tosa.reduce_sum %481 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %483 = tosa.reduce_sum %482 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %484 = tosa.mul %483, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %485 = tosa.sub %480, %484 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %486 = tosa.mul %485, %485, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %487 = tosa.reduce_sum %486 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %488 = tosa.reduce_sum %487 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %489 = tosa.reduce_sum %488 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %490 = tosa.mul %489, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %491 = tosa.add %490, %79 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %492 = tosa.rsqrt %491 : (tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %493 = tosa.mul %485, %492, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %494 = tosa.reshape %arg52, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %495 = tosa.mul %493, %494, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %496 = tosa.reshape %arg53, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %497 = tosa.add %495, %496 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %498 = tosa.add %475, %497 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %499 = tosa.clamp %498 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %500 = tosa.transpose %499 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %501 = tosa.transpose %arg54 {perms = array<i32: 0, 2, 3, 1>} : (tensor<512x512x3x3xf32>) -> tensor<512x3x3x512xf32>
    %502 = tosa.conv2d %500, %501, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x4x4x512xf32>, tensor<512x3x3x512xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x4x4x512xf32>
    %503 = tosa.transpose %502 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %504 = tosa.reduce_sum %503 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %505 = tosa.reduce_sum %504 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %506 = tosa.reduce_sum %505 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %507 = tosa.mul %506, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %508 = tosa.sub %503, %507 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %509 = tosa.mul %508, %508, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %510 = tosa.reduce_sum %509 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %511 = tosa.reduce_sum %510 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %512 = tosa.reduce_sum %511 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %513 = tosa.mul %512, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %514 = tosa.add %513, %79 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %515 = tosa.rsqrt %514 : (tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %516 = tosa.mul %508, %515, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %517 = tosa.reshape %arg55, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %518 = tosa.mul %516, %517, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %519 = tosa.reshape %arg56, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %520 = tosa.add %518, %519 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %521 = tosa.clamp %520 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %522 = tosa.transpose %521 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %523 = tosa.transpose %arg57 {perms = array<i32: 0, 2, 3, 1>} : (tensor<512x512x3x3xf32>) -> tensor<512x3x3x512xf32>
    %524 = tosa.conv2d %522, %523, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x4x4x512xf32>, tensor<512x3x3x512xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x4x4x512xf32>
    %525 = tosa.transpose %524 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %526 = tosa.reduce_sum %525 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %527 = tosa.reduce_sum %526 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %528 = tosa.reduce_sum %527 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %529 = tosa.mul %528, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %530 = tosa.sub %525, %529 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %531 = tosa.mul %530, %530, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %532 = tosa.reduce_sum %531 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %533 = tosa.reduce_sum %532 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %534 = tosa.reduce_sum %533 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %535 = tosa.mul %534, %84, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %536 = tosa.add %535, %79 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %537 = tosa.rsqrt %536 : (tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %538 = tosa.mul %530, %537, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %539 = tosa.reshape %arg58, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %540 = tosa.mul %538, %539, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %541 = tosa.reshape %arg59, %15 : (tensor<512xf32>, !tosa.shape<4>) -> tensor<1x512x1x1xf32>
    %542 = tosa.add %540, %541 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<8x512x4x4xf32>
    %543 = tosa.add %542, %499 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %544 = tosa.clamp %543 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} : (tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %545 = tosa.reduce_sum %544 {axis = 2 : i32} : (tensor<8x512x4x4xf32>) -> tensor<8x512x1x4xf32>
    %546 = tosa.reduce_sum %545 {axis = 3 : i32} : (tensor<8x512x1x4xf32>) -> tensor<8x512x1x1xf32>
    %547 = tosa.reshape %546, %18 : (tensor<8x512x1x1xf32>, !tosa.shape<2>) -> tensor<8x512xf32>
    %548 = tosa.mul %547, %86, %3 : (tensor<8x512xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<8x512xf32>
    %549 = tosa.transpose %arg60 {perms = array<i32: 1, 0>} : (tensor<10x512xf32>) -> tensor<512x10xf32>
    %550 = tosa.reshape %548, %20 : (tensor<8x512xf32>, !tosa.shape<3>) -> tensor<1x8x512xf32>
    %551 = tosa.reshape %549, %21 : (tensor<512x10xf32>, !tosa.shape<3>) -> tensor<1x512x10xf32>
    %552 = tosa.matmul %550, %551, %1, %1 : (tensor<1x8x512xf32>, tensor<1x512x10xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x10xf32>
    %553 = tosa.reshape %552, %22 : (tensor<1x8x10xf32>, !tosa.shape<2>) -> tensor<8x10xf32>
    %554 = tosa.reshape %arg61, %23 : (tensor<10xf32>, !tosa.shape<2>) -> tensor<1x10xf32>
    %555 = tosa.add %553, %554 : (tensor<8x10xf32>, tensor<1x10xf32>) -> tensor<8x10xf32>
    %556 = tosa.reshape %arg63, %24 : (tensor<8xi64>, !tosa.shape<2>) -> tensor<8x1xi64>
    %557 = tosa.equal %556, %87 : (tensor<8x1xi64>, tensor<1x10xi64>) -> tensor<8x10xi1>
    %558 = tosa.reduce_max %555 {axis = 1 : i32} : (tensor<8x10xf32>) -> tensor<8x1xf32>
    %559 = tosa.sub %555, %558 : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    %560 = tosa.exp %559 : (tensor<8x10xf32>) -> tensor<8x10xf32>
    %561 = tosa.reduce_sum %560 {axis = 1 : i32} : (tensor<8x10xf32>) -> tensor<8x1xf32>
    %562 = tosa.log %561 : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %563 = tosa.sub %559, %562 : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    %564 = tosa.select %557, %563, %0 : (tensor<8x10xi1>, tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
    %565 = tosa.reduce_sum %564 {axis = 0 : i32} : (tensor<8x10xf32>) -> tensor<1x10xf32>
    %566 = tosa.reduce_sum %565 {axis = 1 : i32} : (tensor<1x10xf32>) -> tensor<1x1xf32>
    %567 = tosa.reshape %566, %25 : (tensor<1x1xf32>, !tosa.shape<0>) -> tensor<f32>
    %568 = tosa.negate %567, %1, %1 : (tensor<f32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
    %569 = tosa.mul %568, %88, %3 : (tensor<f32>, tensor<f32>, tensor<1xi8>) -> tensor<f32>
    %570 = tosa.negate %88, %1, %1 : (tensor<f32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
    %571 = tosa.reshape %570, %19 : (tensor<f32>, !tosa.shape<2>) -> tensor<1x1xf32>
    %572 = tosa.tile %571, %22 : (tensor<1x1xf32>, !tosa.shape<2>) -> tensor<8x10xf32>
    %573 = tosa.select %557, %572, %89 : (tensor<8x10xi1>, tensor<8x10xf32>, tensor<1x1xf32>) -> tensor<8x10xf32>
    %574 = tosa.exp %563 : (tensor<8x10xf32>) -> tensor<8x10xf32>
    %575 = tosa.reduce_sum %573 {axis = 1 : i32} : (tensor<8x10xf32>) -> tensor<8x1xf32>
    %576 = tosa.mul %574, %575, %3 : (tensor<8x10xf32>, tensor<8x1xf32>, tensor<1xi8>) -> tensor<8x10xf32>
    %577 = tosa.sub %573, %576 : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
    %578 = tosa.reshape %577, %26 : (tensor<8x10xf32>, !tosa.shape<3>) -> tensor<1x8x10xf32>
    %579 = tosa.reshape %arg60, %27 : (tensor<10x512xf32>, !tosa.shape<3>) -> tensor<1x10x512xf32>
    %580 = tosa.matmul %578, %579, %1, %1 : (tensor<1x8x10xf32>, tensor<1x10x512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x512xf32>
    %581 = tosa.transpose %577 {perms = array<i32: 1, 0>} : (tensor<8x10xf32>) -> tensor<10x8xf32>
    %582 = tosa.reshape %581, %28 : (tensor<10x8xf32>, !tosa.shape<3>) -> tensor<1x10x8xf32>
    %583 = tosa.matmul %582, %550, %1, %1 : (tensor<1x10x8xf32>, tensor<1x8x512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x512xf32>
    %584 = tosa.reshape %583, %29 : (tensor<1x10x512xf32>, !tosa.shape<2>) -> tensor<10x512xf32>
    %585 = tosa.reduce_sum %577 {axis = 0 : i32} : (tensor<8x10xf32>) -> tensor<1x10xf32>
    %586 = tosa.reshape %585, %30 : (tensor<1x10xf32>, !tosa.shape<1>) -> tensor<10xf32>
    %587 = tosa.reshape %580, %31 : (tensor<1x8x512xf32>, !tosa.shape<4>) -> tensor<8x512x1x1xf32>
    %588 = tosa.tile %587, %32 : (tensor<8x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %589 = tosa.mul %588, %90, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %590 = tosa.greater_equal %91, %544 : (tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xi1>
    %591 = tosa.select %590, %91, %589 : (tensor<8x512x4x4xi1>, tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %592 = tosa.reduce_sum %591 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %593 = tosa.reduce_sum %592 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %594 = tosa.reduce_sum %593 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %595 = tosa.reshape %594, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %596 = tosa.mul %591, %538, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %597 = tosa.mul %591, %539, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %598 = tosa.reduce_sum %596 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %599 = tosa.reduce_sum %598 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %600 = tosa.reduce_sum %599 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %601 = tosa.reshape %600, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %602 = tosa.mul %597, %530, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %603 = tosa.mul %597, %537, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %604 = tosa.reduce_sum %602 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %605 = tosa.reduce_sum %604 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %606 = tosa.reduce_sum %605 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %607 = tosa.pow %537, %92 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %608 = tosa.mul %606, %93, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %609 = tosa.mul %608, %607, %3 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %610 = tosa.negate %603, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %611 = tosa.reduce_sum %610 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %612 = tosa.reduce_sum %611 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %613 = tosa.reduce_sum %612 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %614 = tosa.tile %609, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %615 = tosa.mul %614, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %616 = tosa.mul %615, %530, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %617 = tosa.negate %616, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %618 = tosa.reduce_sum %617 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %619 = tosa.reduce_sum %618 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %620 = tosa.reduce_sum %619 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %621 = tosa.add %603, %616 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %622 = tosa.add %613, %620 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %623 = tosa.add %621, %616 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %624 = tosa.add %622, %620 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %625 = tosa.tile %624, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %626 = tosa.mul %625, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %627 = tosa.add %623, %626 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %628 = tosa.transpose %627 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %629 = tosa.transpose %arg57 {perms = array<i32: 1, 2, 3, 0>} : (tensor<512x512x3x3xf32>) -> tensor<512x3x3x512xf32>
    %630 = tosa.transpose_conv2d %628, %629, %14, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x4x4x512xf32>, tensor<512x3x3x512xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x6x6x512xf32>
    %631 = tosa.slice %630, %36, %35 : (tensor<8x6x6x512xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x4x4x512xf32>
    %632 = tosa.transpose %631 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %633 = tosa.transpose %521 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x512x4x4xf32>) -> tensor<512x4x4x8xf32>
    %634 = tosa.transpose %627 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x512x4x4xf32>) -> tensor<512x4x4x8xf32>
    %635 = tosa.conv2d %633, %634, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<512x4x4x8xf32>, tensor<512x4x4x8xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<512x3x3x512xf32>
    %636 = tosa.transpose %635 {perms = array<i32: 3, 0, 1, 2>} : (tensor<512x3x3x512xf32>) -> tensor<512x512x3x3xf32>
    %637 = tosa.greater_equal %91, %521 : (tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xi1>
    %638 = tosa.select %637, %91, %632 : (tensor<8x512x4x4xi1>, tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %639 = tosa.reduce_sum %638 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %640 = tosa.reduce_sum %639 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %641 = tosa.reduce_sum %640 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %642 = tosa.reshape %641, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %643 = tosa.mul %638, %516, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %644 = tosa.mul %638, %517, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %645 = tosa.reduce_sum %643 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %646 = tosa.reduce_sum %645 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %647 = tosa.reduce_sum %646 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %648 = tosa.reshape %647, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %649 = tosa.mul %644, %508, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %650 = tosa.mul %644, %515, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %651 = tosa.reduce_sum %649 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %652 = tosa.reduce_sum %651 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %653 = tosa.reduce_sum %652 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %654 = tosa.pow %515, %92 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %655 = tosa.mul %653, %93, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %656 = tosa.mul %655, %654, %3 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %657 = tosa.negate %650, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %658 = tosa.reduce_sum %657 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %659 = tosa.reduce_sum %658 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %660 = tosa.reduce_sum %659 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %661 = tosa.tile %656, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %662 = tosa.mul %661, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %663 = tosa.mul %662, %508, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %664 = tosa.negate %663, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %665 = tosa.reduce_sum %664 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %666 = tosa.reduce_sum %665 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %667 = tosa.reduce_sum %666 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %668 = tosa.add %650, %663 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %669 = tosa.add %660, %667 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %670 = tosa.add %668, %663 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %671 = tosa.add %669, %667 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %672 = tosa.tile %671, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %673 = tosa.mul %672, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %674 = tosa.add %670, %673 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %675 = tosa.transpose %674 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %676 = tosa.transpose %arg54 {perms = array<i32: 1, 2, 3, 0>} : (tensor<512x512x3x3xf32>) -> tensor<512x3x3x512xf32>
    %677 = tosa.transpose_conv2d %675, %676, %14, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x4x4x512xf32>, tensor<512x3x3x512xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x6x6x512xf32>
    %678 = tosa.slice %677, %36, %35 : (tensor<8x6x6x512xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x4x4x512xf32>
    %679 = tosa.transpose %678 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %680 = tosa.transpose %499 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x512x4x4xf32>) -> tensor<512x4x4x8xf32>
    %681 = tosa.transpose %674 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x512x4x4xf32>) -> tensor<512x4x4x8xf32>
    %682 = tosa.conv2d %680, %681, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<512x4x4x8xf32>, tensor<512x4x4x8xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<512x3x3x512xf32>
    %683 = tosa.transpose %682 {perms = array<i32: 3, 0, 1, 2>} : (tensor<512x3x3x512xf32>) -> tensor<512x512x3x3xf32>
    %684 = tosa.add %591, %679 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %685 = tosa.greater_equal %91, %499 : (tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xi1>
    %686 = tosa.select %685, %91, %684 : (tensor<8x512x4x4xi1>, tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %687 = tosa.reduce_sum %686 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %688 = tosa.reduce_sum %687 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %689 = tosa.reduce_sum %688 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %690 = tosa.reshape %689, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %691 = tosa.mul %686, %493, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %692 = tosa.mul %686, %494, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %693 = tosa.reduce_sum %691 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %694 = tosa.reduce_sum %693 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %695 = tosa.reduce_sum %694 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %696 = tosa.reshape %695, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %697 = tosa.mul %692, %485, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %698 = tosa.mul %692, %492, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %699 = tosa.reduce_sum %697 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %700 = tosa.reduce_sum %699 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %701 = tosa.reduce_sum %700 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %702 = tosa.pow %492, %92 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %703 = tosa.mul %701, %93, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %704 = tosa.mul %703, %702, %3 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %705 = tosa.negate %698, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %706 = tosa.reduce_sum %705 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %707 = tosa.reduce_sum %706 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %708 = tosa.reduce_sum %707 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %709 = tosa.tile %704, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %710 = tosa.mul %709, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %711 = tosa.mul %710, %485, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %712 = tosa.negate %711, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %713 = tosa.reduce_sum %712 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %714 = tosa.reduce_sum %713 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %715 = tosa.reduce_sum %714 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %716 = tosa.add %698, %711 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %717 = tosa.add %708, %715 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %718 = tosa.add %716, %711 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %719 = tosa.add %717, %715 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %720 = tosa.tile %719, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %721 = tosa.mul %720, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %722 = tosa.add %718, %721 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %723 = tosa.transpose %722 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %724 = tosa.transpose %arg51 {perms = array<i32: 1, 2, 3, 0>} : (tensor<512x256x1x1xf32>) -> tensor<256x1x1x512xf32>
    %725 = tosa.transpose_conv2d %723, %724, %10, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<8x4x4x512xf32>, tensor<256x1x1x512xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x8x8x256xf32>
    %726 = tosa.transpose %725 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %727 = tosa.reshape %722, %37 : (tensor<8x512x4x4xf32>, !tosa.shape<4>) -> tensor<4096x1x4x4xf32>
    %728 = tosa.transpose %432 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %729 = tosa.transpose %727 {perms = array<i32: 2, 3, 0, 1>} : (tensor<4096x1x4x4xf32>) -> tensor<4x4x4096x1xf32>
    %730 = tosa.reshape %729, %38 : (tensor<4x4x4096x1xf32>, !tosa.shape<4>) -> tensor<4x4x8x512xf32>
    %731 = tosa.depthwise_conv2d %728, %730, %39, %1, %1 {acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<256x8x8x8xf32>, tensor<4x4x8x512xf32>, tensor<4096xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x2x2x4096xf32>
    %732 = tosa.transpose %731 {perms = array<i32: 0, 3, 1, 2>} : (tensor<256x2x2x4096xf32>) -> tensor<256x4096x2x2xf32>
    %733 = tosa.slice %732, %8, %40 : (tensor<256x4096x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<256x4096x1x2xf32>
    %734 = tosa.slice %733, %8, %41 : (tensor<256x4096x1x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<256x4096x1x1xf32>
    %735 = tosa.reshape %734, %42 : (tensor<256x4096x1x1xf32>, !tosa.shape<5>) -> tensor<256x8x512x1x1xf32>
    %736 = tosa.transpose %735 {perms = array<i32: 1, 2, 0, 3, 4>} : (tensor<256x8x512x1x1xf32>) -> tensor<8x512x256x1x1xf32>
    %737 = tosa.reduce_sum %736 {axis = 0 : i32} : (tensor<8x512x256x1x1xf32>) -> tensor<1x512x256x1x1xf32>
    %738 = tosa.reshape %737, %43 : (tensor<1x512x256x1x1xf32>, !tosa.shape<4>) -> tensor<512x256x1x1xf32>
    %739 = tosa.mul %686, %471, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %740 = tosa.mul %686, %472, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %741 = tosa.reduce_sum %739 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %742 = tosa.reduce_sum %741 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %743 = tosa.reduce_sum %742 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %744 = tosa.reshape %743, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %745 = tosa.mul %740, %463, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %746 = tosa.mul %740, %470, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %747 = tosa.reduce_sum %745 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %748 = tosa.reduce_sum %747 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %749 = tosa.reduce_sum %748 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %750 = tosa.pow %470, %92 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %751 = tosa.mul %749, %93, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %752 = tosa.mul %751, %750, %3 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %753 = tosa.negate %746, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %754 = tosa.reduce_sum %753 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %755 = tosa.reduce_sum %754 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %756 = tosa.reduce_sum %755 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %757 = tosa.tile %752, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %758 = tosa.mul %757, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %759 = tosa.mul %758, %463, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %760 = tosa.negate %759, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %761 = tosa.reduce_sum %760 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %762 = tosa.reduce_sum %761 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %763 = tosa.reduce_sum %762 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %764 = tosa.add %746, %759 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %765 = tosa.add %756, %763 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %766 = tosa.add %764, %759 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %767 = tosa.add %765, %763 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %768 = tosa.tile %767, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %769 = tosa.mul %768, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %770 = tosa.add %766, %769 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %771 = tosa.transpose %770 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %772 = tosa.transpose %arg48 {perms = array<i32: 1, 2, 3, 0>} : (tensor<512x512x3x3xf32>) -> tensor<512x3x3x512xf32>
    %773 = tosa.transpose_conv2d %771, %772, %14, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x4x4x512xf32>, tensor<512x3x3x512xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x6x6x512xf32>
    %774 = tosa.slice %773, %36, %35 : (tensor<8x6x6x512xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x4x4x512xf32>
    %775 = tosa.transpose %774 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x4x4x512xf32>) -> tensor<8x512x4x4xf32>
    %776 = tosa.transpose %454 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x512x4x4xf32>) -> tensor<512x4x4x8xf32>
    %777 = tosa.transpose %770 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x512x4x4xf32>) -> tensor<512x4x4x8xf32>
    %778 = tosa.conv2d %776, %777, %14, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<512x4x4x8xf32>, tensor<512x4x4x8xf32>, tensor<512xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<512x3x3x512xf32>
    %779 = tosa.transpose %778 {perms = array<i32: 3, 0, 1, 2>} : (tensor<512x3x3x512xf32>) -> tensor<512x512x3x3xf32>
    %780 = tosa.greater_equal %91, %454 : (tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xi1>
    %781 = tosa.select %780, %91, %775 : (tensor<8x512x4x4xi1>, tensor<1x1x1x1xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %782 = tosa.reduce_sum %781 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %783 = tosa.reduce_sum %782 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %784 = tosa.reduce_sum %783 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %785 = tosa.reshape %784, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %786 = tosa.mul %781, %449, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %787 = tosa.mul %781, %450, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %788 = tosa.reduce_sum %786 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %789 = tosa.reduce_sum %788 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %790 = tosa.reduce_sum %789 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %791 = tosa.reshape %790, %33 : (tensor<1x512x1x1xf32>, !tosa.shape<1>) -> tensor<512xf32>
    %792 = tosa.mul %787, %441, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %793 = tosa.mul %787, %448, %3 : (tensor<8x512x4x4xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %794 = tosa.reduce_sum %792 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %795 = tosa.reduce_sum %794 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %796 = tosa.reduce_sum %795 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %797 = tosa.pow %448, %92 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x512x1x1xf32>
    %798 = tosa.mul %796, %93, %3 : (tensor<1x512x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %799 = tosa.mul %798, %797, %3 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>, tensor<1xi8>) -> tensor<1x512x1x1xf32>
    %800 = tosa.negate %793, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %801 = tosa.reduce_sum %800 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %802 = tosa.reduce_sum %801 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %803 = tosa.reduce_sum %802 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %804 = tosa.tile %799, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %805 = tosa.mul %804, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %806 = tosa.mul %805, %441, %3 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %807 = tosa.negate %806, %1, %1 : (tensor<8x512x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x512x4x4xf32>
    %808 = tosa.reduce_sum %807 {axis = 0 : i32} : (tensor<8x512x4x4xf32>) -> tensor<1x512x4x4xf32>
    %809 = tosa.reduce_sum %808 {axis = 2 : i32} : (tensor<1x512x4x4xf32>) -> tensor<1x512x1x4xf32>
    %810 = tosa.reduce_sum %809 {axis = 3 : i32} : (tensor<1x512x1x4xf32>) -> tensor<1x512x1x1xf32>
    %811 = tosa.add %793, %806 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %812 = tosa.add %803, %810 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %813 = tosa.add %811, %806 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %814 = tosa.add %812, %810 : (tensor<1x512x1x1xf32>, tensor<1x512x1x1xf32>) -> tensor<1x512x1x1xf32>
    %815 = tosa.tile %814, %34 : (tensor<1x512x1x1xf32>, !tosa.shape<4>) -> tensor<8x512x4x4xf32>
    %816 = tosa.mul %815, %84, %3 : (tensor<8x512x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x512x4x4xf32>
    %817 = tosa.add %813, %816 : (tensor<8x512x4x4xf32>, tensor<8x512x4x4xf32>) -> tensor<8x512x4x4xf32>
    %818 = tosa.transpose %817 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x512x4x4xf32>) -> tensor<8x4x4x512xf32>
    %819 = tosa.transpose %arg45 {perms = array<i32: 1, 2, 3, 0>} : (tensor<512x256x3x3xf32>) -> tensor<256x3x3x512xf32>
    %820 = tosa.transpose_conv2d %818, %819, %10, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<8x4x4x512xf32>, tensor<256x3x3x512xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x9x9x256xf32>
    %821 = tosa.slice %820, %36, %44 : (tensor<8x9x9x256xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x8x8x256xf32>
    %822 = tosa.transpose %821 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %823 = tosa.reshape %817, %37 : (tensor<8x512x4x4xf32>, !tosa.shape<4>) -> tensor<4096x1x4x4xf32>
    %824 = tosa.transpose %823 {perms = array<i32: 2, 3, 0, 1>} : (tensor<4096x1x4x4xf32>) -> tensor<4x4x4096x1xf32>
    %825 = tosa.reshape %824, %38 : (tensor<4x4x4096x1xf32>, !tosa.shape<4>) -> tensor<4x4x8x512xf32>
    %826 = tosa.depthwise_conv2d %728, %825, %39, %1, %1 {acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<256x8x8x8xf32>, tensor<4x4x8x512xf32>, tensor<4096xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x4x4x4096xf32>
    %827 = tosa.transpose %826 {perms = array<i32: 0, 3, 1, 2>} : (tensor<256x4x4x4096xf32>) -> tensor<256x4096x4x4xf32>
    %828 = tosa.slice %827, %8, %45 : (tensor<256x4096x4x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<256x4096x3x4xf32>
    %829 = tosa.slice %828, %8, %46 : (tensor<256x4096x3x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<256x4096x3x3xf32>
    %830 = tosa.reshape %829, %47 : (tensor<256x4096x3x3xf32>, !tosa.shape<5>) -> tensor<256x8x512x3x3xf32>
    %831 = tosa.transpose %830 {perms = array<i32: 1, 2, 0, 3, 4>} : (tensor<256x8x512x3x3xf32>) -> tensor<8x512x256x3x3xf32>
    %832 = tosa.reduce_sum %831 {axis = 0 : i32} : (tensor<8x512x256x3x3xf32>) -> tensor<1x512x256x3x3xf32>
    %833 = tosa.reshape %832, %48 : (tensor<1x512x256x3x3xf32>, !tosa.shape<4>) -> tensor<512x256x3x3xf32>
    %834 = tosa.add %726, %822 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %835 = tosa.greater_equal %91, %432 : (tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xi1>
    %836 = tosa.select %835, %91, %834 : (tensor<8x256x8x8xi1>, tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %837 = tosa.reduce_sum %836 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %838 = tosa.reduce_sum %837 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %839 = tosa.reduce_sum %838 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %840 = tosa.reshape %839, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %841 = tosa.mul %836, %426, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %842 = tosa.mul %836, %427, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %843 = tosa.reduce_sum %841 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %844 = tosa.reduce_sum %843 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %845 = tosa.reduce_sum %844 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %846 = tosa.reshape %845, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %847 = tosa.mul %842, %418, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %848 = tosa.mul %842, %425, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %849 = tosa.reduce_sum %847 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %850 = tosa.reduce_sum %849 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %851 = tosa.reduce_sum %850 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %852 = tosa.pow %425, %92 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %853 = tosa.mul %851, %93, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %854 = tosa.mul %853, %852, %3 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %855 = tosa.negate %848, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %856 = tosa.reduce_sum %855 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %857 = tosa.reduce_sum %856 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %858 = tosa.reduce_sum %857 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %859 = tosa.tile %854, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %860 = tosa.mul %859, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %861 = tosa.mul %860, %418, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %862 = tosa.negate %861, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %863 = tosa.reduce_sum %862 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %864 = tosa.reduce_sum %863 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %865 = tosa.reduce_sum %864 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %866 = tosa.add %848, %861 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %867 = tosa.add %858, %865 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %868 = tosa.add %866, %861 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %869 = tosa.add %867, %865 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %870 = tosa.tile %869, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %871 = tosa.mul %870, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %872 = tosa.add %868, %871 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %873 = tosa.transpose %872 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %874 = tosa.transpose %arg42 {perms = array<i32: 1, 2, 3, 0>} : (tensor<256x256x3x3xf32>) -> tensor<256x3x3x256xf32>
    %875 = tosa.transpose_conv2d %873, %874, %10, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x8x8x256xf32>, tensor<256x3x3x256xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x10x10x256xf32>
    %876 = tosa.slice %875, %36, %44 : (tensor<8x10x10x256xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x8x8x256xf32>
    %877 = tosa.transpose %876 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %878 = tosa.transpose %409 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %879 = tosa.transpose %872 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %880 = tosa.conv2d %878, %879, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<256x8x8x8xf32>, tensor<256x8x8x8xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x3x3x256xf32>
    %881 = tosa.transpose %880 {perms = array<i32: 3, 0, 1, 2>} : (tensor<256x3x3x256xf32>) -> tensor<256x256x3x3xf32>
    %882 = tosa.greater_equal %91, %409 : (tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xi1>
    %883 = tosa.select %882, %91, %877 : (tensor<8x256x8x8xi1>, tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %884 = tosa.reduce_sum %883 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %885 = tosa.reduce_sum %884 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %886 = tosa.reduce_sum %885 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %887 = tosa.reshape %886, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %888 = tosa.mul %883, %404, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %889 = tosa.mul %883, %405, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %890 = tosa.reduce_sum %888 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %891 = tosa.reduce_sum %890 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %892 = tosa.reduce_sum %891 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %893 = tosa.reshape %892, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %894 = tosa.mul %889, %396, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %895 = tosa.mul %889, %403, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %896 = tosa.reduce_sum %894 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %897 = tosa.reduce_sum %896 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %898 = tosa.reduce_sum %897 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %899 = tosa.pow %403, %92 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %900 = tosa.mul %898, %93, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %901 = tosa.mul %900, %899, %3 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %902 = tosa.negate %895, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %903 = tosa.reduce_sum %902 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %904 = tosa.reduce_sum %903 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %905 = tosa.reduce_sum %904 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %906 = tosa.tile %901, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %907 = tosa.mul %906, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %908 = tosa.mul %907, %396, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %909 = tosa.negate %908, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %910 = tosa.reduce_sum %909 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %911 = tosa.reduce_sum %910 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %912 = tosa.reduce_sum %911 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %913 = tosa.add %895, %908 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %914 = tosa.add %905, %912 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %915 = tosa.add %913, %908 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %916 = tosa.add %914, %912 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %917 = tosa.tile %916, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %918 = tosa.mul %917, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %919 = tosa.add %915, %918 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %920 = tosa.transpose %919 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %921 = tosa.transpose %arg39 {perms = array<i32: 1, 2, 3, 0>} : (tensor<256x256x3x3xf32>) -> tensor<256x3x3x256xf32>
    %922 = tosa.transpose_conv2d %920, %921, %10, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x8x8x256xf32>, tensor<256x3x3x256xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x10x10x256xf32>
    %923 = tosa.slice %922, %36, %44 : (tensor<8x10x10x256xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x8x8x256xf32>
    %924 = tosa.transpose %923 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %925 = tosa.transpose %387 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %926 = tosa.transpose %919 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %927 = tosa.conv2d %925, %926, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<256x8x8x8xf32>, tensor<256x8x8x8xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x3x3x256xf32>
    %928 = tosa.transpose %927 {perms = array<i32: 3, 0, 1, 2>} : (tensor<256x3x3x256xf32>) -> tensor<256x256x3x3xf32>
    %929 = tosa.add %836, %924 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %930 = tosa.greater_equal %91, %387 : (tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xi1>
    %931 = tosa.select %930, %91, %929 : (tensor<8x256x8x8xi1>, tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %932 = tosa.reduce_sum %931 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %933 = tosa.reduce_sum %932 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %934 = tosa.reduce_sum %933 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %935 = tosa.reshape %934, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %936 = tosa.mul %931, %381, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %937 = tosa.mul %931, %382, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %938 = tosa.reduce_sum %936 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %939 = tosa.reduce_sum %938 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %940 = tosa.reduce_sum %939 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %941 = tosa.reshape %940, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %942 = tosa.mul %937, %373, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %943 = tosa.mul %937, %380, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %944 = tosa.reduce_sum %942 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %945 = tosa.reduce_sum %944 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %946 = tosa.reduce_sum %945 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %947 = tosa.pow %380, %92 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %948 = tosa.mul %946, %93, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %949 = tosa.mul %948, %947, %3 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %950 = tosa.negate %943, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %951 = tosa.reduce_sum %950 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %952 = tosa.reduce_sum %951 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %953 = tosa.reduce_sum %952 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %954 = tosa.tile %949, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %955 = tosa.mul %954, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %956 = tosa.mul %955, %373, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %957 = tosa.negate %956, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %958 = tosa.reduce_sum %957 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %959 = tosa.reduce_sum %958 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %960 = tosa.reduce_sum %959 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %961 = tosa.add %943, %956 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %962 = tosa.add %953, %960 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %963 = tosa.add %961, %956 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %964 = tosa.add %962, %960 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %965 = tosa.tile %964, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %966 = tosa.mul %965, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %967 = tosa.add %963, %966 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %968 = tosa.transpose %967 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %969 = tosa.transpose %arg36 {perms = array<i32: 1, 2, 3, 0>} : (tensor<256x128x1x1xf32>) -> tensor<128x1x1x256xf32>
    %970 = tosa.transpose_conv2d %968, %969, %5, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<8x8x8x256xf32>, tensor<128x1x1x256xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x16x16x128xf32>
    %971 = tosa.transpose %970 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %972 = tosa.reshape %967, %51 : (tensor<8x256x8x8xf32>, !tosa.shape<4>) -> tensor<2048x1x8x8xf32>
    %973 = tosa.transpose %320 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %974 = tosa.transpose %972 {perms = array<i32: 2, 3, 0, 1>} : (tensor<2048x1x8x8xf32>) -> tensor<8x8x2048x1xf32>
    %975 = tosa.reshape %974, %44 : (tensor<8x8x2048x1xf32>, !tosa.shape<4>) -> tensor<8x8x8x256xf32>
    %976 = tosa.depthwise_conv2d %973, %975, %52, %1, %1 {acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<128x16x16x8xf32>, tensor<8x8x8x256xf32>, tensor<2048xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<128x2x2x2048xf32>
    %977 = tosa.transpose %976 {perms = array<i32: 0, 3, 1, 2>} : (tensor<128x2x2x2048xf32>) -> tensor<128x2048x2x2xf32>
    %978 = tosa.slice %977, %8, %53 : (tensor<128x2048x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<128x2048x1x2xf32>
    %979 = tosa.slice %978, %8, %54 : (tensor<128x2048x1x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<128x2048x1x1xf32>
    %980 = tosa.reshape %979, %55 : (tensor<128x2048x1x1xf32>, !tosa.shape<5>) -> tensor<128x8x256x1x1xf32>
    %981 = tosa.transpose %980 {perms = array<i32: 1, 2, 0, 3, 4>} : (tensor<128x8x256x1x1xf32>) -> tensor<8x256x128x1x1xf32>
    %982 = tosa.reduce_sum %981 {axis = 0 : i32} : (tensor<8x256x128x1x1xf32>) -> tensor<1x256x128x1x1xf32>
    %983 = tosa.reshape %982, %56 : (tensor<1x256x128x1x1xf32>, !tosa.shape<4>) -> tensor<256x128x1x1xf32>
    %984 = tosa.mul %931, %359, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %985 = tosa.mul %931, %360, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %986 = tosa.reduce_sum %984 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %987 = tosa.reduce_sum %986 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %988 = tosa.reduce_sum %987 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %989 = tosa.reshape %988, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %990 = tosa.mul %985, %351, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %991 = tosa.mul %985, %358, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %992 = tosa.reduce_sum %990 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %993 = tosa.reduce_sum %992 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %994 = tosa.reduce_sum %993 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %995 = tosa.pow %358, %92 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %996 = tosa.mul %994, %93, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %997 = tosa.mul %996, %995, %3 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %998 = tosa.negate %991, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %999 = tosa.reduce_sum %998 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1000 = tosa.reduce_sum %999 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1001 = tosa.reduce_sum %1000 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1002 = tosa.tile %997, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %1003 = tosa.mul %1002, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1004 = tosa.mul %1003, %351, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1005 = tosa.negate %1004, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %1006 = tosa.reduce_sum %1005 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1007 = tosa.reduce_sum %1006 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1008 = tosa.reduce_sum %1007 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1009 = tosa.add %991, %1004 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1010 = tosa.add %1001, %1008 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %1011 = tosa.add %1009, %1004 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1012 = tosa.add %1010, %1008 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %1013 = tosa.tile %1012, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %1014 = tosa.mul %1013, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1015 = tosa.add %1011, %1014 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1016 = tosa.transpose %1015 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %1017 = tosa.transpose %arg33 {perms = array<i32: 1, 2, 3, 0>} : (tensor<256x256x3x3xf32>) -> tensor<256x3x3x256xf32>
    %1018 = tosa.transpose_conv2d %1016, %1017, %10, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x8x8x256xf32>, tensor<256x3x3x256xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x10x10x256xf32>
    %1019 = tosa.slice %1018, %36, %44 : (tensor<8x10x10x256xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x8x8x256xf32>
    %1020 = tosa.transpose %1019 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x8x8x256xf32>) -> tensor<8x256x8x8xf32>
    %1021 = tosa.transpose %342 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %1022 = tosa.transpose %1015 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x256x8x8xf32>) -> tensor<256x8x8x8xf32>
    %1023 = tosa.conv2d %1021, %1022, %10, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<256x8x8x8xf32>, tensor<256x8x8x8xf32>, tensor<256xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x3x3x256xf32>
    %1024 = tosa.transpose %1023 {perms = array<i32: 3, 0, 1, 2>} : (tensor<256x3x3x256xf32>) -> tensor<256x256x3x3xf32>
    %1025 = tosa.greater_equal %91, %342 : (tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xi1>
    %1026 = tosa.select %1025, %91, %1020 : (tensor<8x256x8x8xi1>, tensor<1x1x1x1xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1027 = tosa.reduce_sum %1026 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1028 = tosa.reduce_sum %1027 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1029 = tosa.reduce_sum %1028 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1030 = tosa.reshape %1029, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %1031 = tosa.mul %1026, %337, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1032 = tosa.mul %1026, %338, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1033 = tosa.reduce_sum %1031 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1034 = tosa.reduce_sum %1033 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1035 = tosa.reduce_sum %1034 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1036 = tosa.reshape %1035, %49 : (tensor<1x256x1x1xf32>, !tosa.shape<1>) -> tensor<256xf32>
    %1037 = tosa.mul %1032, %329, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1038 = tosa.mul %1032, %336, %3 : (tensor<8x256x8x8xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1039 = tosa.reduce_sum %1037 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1040 = tosa.reduce_sum %1039 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1041 = tosa.reduce_sum %1040 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1042 = tosa.pow %336, %92 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x256x1x1xf32>
    %1043 = tosa.mul %1041, %93, %3 : (tensor<1x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %1044 = tosa.mul %1043, %1042, %3 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>, tensor<1xi8>) -> tensor<1x256x1x1xf32>
    %1045 = tosa.negate %1038, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %1046 = tosa.reduce_sum %1045 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1047 = tosa.reduce_sum %1046 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1048 = tosa.reduce_sum %1047 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1049 = tosa.tile %1044, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %1050 = tosa.mul %1049, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1051 = tosa.mul %1050, %329, %3 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1052 = tosa.negate %1051, %1, %1 : (tensor<8x256x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x256x8x8xf32>
    %1053 = tosa.reduce_sum %1052 {axis = 0 : i32} : (tensor<8x256x8x8xf32>) -> tensor<1x256x8x8xf32>
    %1054 = tosa.reduce_sum %1053 {axis = 2 : i32} : (tensor<1x256x8x8xf32>) -> tensor<1x256x1x8xf32>
    %1055 = tosa.reduce_sum %1054 {axis = 3 : i32} : (tensor<1x256x1x8xf32>) -> tensor<1x256x1x1xf32>
    %1056 = tosa.add %1038, %1051 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1057 = tosa.add %1048, %1055 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %1058 = tosa.add %1056, %1051 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1059 = tosa.add %1057, %1055 : (tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32>
    %1060 = tosa.tile %1059, %50 : (tensor<1x256x1x1xf32>, !tosa.shape<4>) -> tensor<8x256x8x8xf32>
    %1061 = tosa.mul %1060, %82, %3 : (tensor<8x256x8x8xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x256x8x8xf32>
    %1062 = tosa.add %1058, %1061 : (tensor<8x256x8x8xf32>, tensor<8x256x8x8xf32>) -> tensor<8x256x8x8xf32>
    %1063 = tosa.transpose %1062 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x256x8x8xf32>) -> tensor<8x8x8x256xf32>
    %1064 = tosa.transpose %arg30 {perms = array<i32: 1, 2, 3, 0>} : (tensor<256x128x3x3xf32>) -> tensor<128x3x3x256xf32>
    %1065 = tosa.transpose_conv2d %1063, %1064, %5, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<8x8x8x256xf32>, tensor<128x3x3x256xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x17x17x128xf32>
    %1066 = tosa.slice %1065, %36, %57 : (tensor<8x17x17x128xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x16x16x128xf32>
    %1067 = tosa.transpose %1066 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %1068 = tosa.reshape %1062, %51 : (tensor<8x256x8x8xf32>, !tosa.shape<4>) -> tensor<2048x1x8x8xf32>
    %1069 = tosa.transpose %1068 {perms = array<i32: 2, 3, 0, 1>} : (tensor<2048x1x8x8xf32>) -> tensor<8x8x2048x1xf32>
    %1070 = tosa.reshape %1069, %44 : (tensor<8x8x2048x1xf32>, !tosa.shape<4>) -> tensor<8x8x8x256xf32>
    %1071 = tosa.depthwise_conv2d %973, %1070, %52, %1, %1 {acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<128x16x16x8xf32>, tensor<8x8x8x256xf32>, tensor<2048xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<128x4x4x2048xf32>
    %1072 = tosa.transpose %1071 {perms = array<i32: 0, 3, 1, 2>} : (tensor<128x4x4x2048xf32>) -> tensor<128x2048x4x4xf32>
    %1073 = tosa.slice %1072, %8, %58 : (tensor<128x2048x4x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<128x2048x3x4xf32>
    %1074 = tosa.slice %1073, %8, %59 : (tensor<128x2048x3x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<128x2048x3x3xf32>
    %1075 = tosa.reshape %1074, %60 : (tensor<128x2048x3x3xf32>, !tosa.shape<5>) -> tensor<128x8x256x3x3xf32>
    %1076 = tosa.transpose %1075 {perms = array<i32: 1, 2, 0, 3, 4>} : (tensor<128x8x256x3x3xf32>) -> tensor<8x256x128x3x3xf32>
    %1077 = tosa.reduce_sum %1076 {axis = 0 : i32} : (tensor<8x256x128x3x3xf32>) -> tensor<1x256x128x3x3xf32>
    %1078 = tosa.reshape %1077, %61 : (tensor<1x256x128x3x3xf32>, !tosa.shape<4>) -> tensor<256x128x3x3xf32>
    %1079 = tosa.add %971, %1067 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1080 = tosa.greater_equal %91, %320 : (tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xi1>
    %1081 = tosa.select %1080, %91, %1079 : (tensor<8x128x16x16xi1>, tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1082 = tosa.reduce_sum %1081 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1083 = tosa.reduce_sum %1082 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1084 = tosa.reduce_sum %1083 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1085 = tosa.reshape %1084, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1086 = tosa.mul %1081, %314, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1087 = tosa.mul %1081, %315, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1088 = tosa.reduce_sum %1086 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1089 = tosa.reduce_sum %1088 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1090 = tosa.reduce_sum %1089 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1091 = tosa.reshape %1090, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1092 = tosa.mul %1087, %306, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1093 = tosa.mul %1087, %313, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1094 = tosa.reduce_sum %1092 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1095 = tosa.reduce_sum %1094 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1096 = tosa.reduce_sum %1095 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1097 = tosa.pow %313, %92 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1098 = tosa.mul %1096, %93, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1099 = tosa.mul %1098, %1097, %3 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1100 = tosa.negate %1093, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1101 = tosa.reduce_sum %1100 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1102 = tosa.reduce_sum %1101 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1103 = tosa.reduce_sum %1102 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1104 = tosa.tile %1099, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1105 = tosa.mul %1104, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1106 = tosa.mul %1105, %306, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1107 = tosa.negate %1106, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1108 = tosa.reduce_sum %1107 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1109 = tosa.reduce_sum %1108 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1110 = tosa.reduce_sum %1109 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1111 = tosa.add %1093, %1106 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1112 = tosa.add %1103, %1110 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1113 = tosa.add %1111, %1106 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1114 = tosa.add %1112, %1110 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1115 = tosa.tile %1114, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1116 = tosa.mul %1115, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1117 = tosa.add %1113, %1116 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1118 = tosa.transpose %1117 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %1119 = tosa.transpose %arg27 {perms = array<i32: 1, 2, 3, 0>} : (tensor<128x128x3x3xf32>) -> tensor<128x3x3x128xf32>
    %1120 = tosa.transpose_conv2d %1118, %1119, %5, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x16x16x128xf32>, tensor<128x3x3x128xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x18x18x128xf32>
    %1121 = tosa.slice %1120, %36, %57 : (tensor<8x18x18x128xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x16x16x128xf32>
    %1122 = tosa.transpose %1121 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %1123 = tosa.transpose %297 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %1124 = tosa.transpose %1117 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %1125 = tosa.conv2d %1123, %1124, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<128x16x16x8xf32>, tensor<128x16x16x8xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<128x3x3x128xf32>
    %1126 = tosa.transpose %1125 {perms = array<i32: 3, 0, 1, 2>} : (tensor<128x3x3x128xf32>) -> tensor<128x128x3x3xf32>
    %1127 = tosa.greater_equal %91, %297 : (tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xi1>
    %1128 = tosa.select %1127, %91, %1122 : (tensor<8x128x16x16xi1>, tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1129 = tosa.reduce_sum %1128 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1130 = tosa.reduce_sum %1129 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1131 = tosa.reduce_sum %1130 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1132 = tosa.reshape %1131, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1133 = tosa.mul %1128, %292, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1134 = tosa.mul %1128, %293, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1135 = tosa.reduce_sum %1133 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1136 = tosa.reduce_sum %1135 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1137 = tosa.reduce_sum %1136 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1138 = tosa.reshape %1137, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1139 = tosa.mul %1134, %284, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1140 = tosa.mul %1134, %291, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1141 = tosa.reduce_sum %1139 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1142 = tosa.reduce_sum %1141 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1143 = tosa.reduce_sum %1142 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1144 = tosa.pow %291, %92 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1145 = tosa.mul %1143, %93, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1146 = tosa.mul %1145, %1144, %3 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1147 = tosa.negate %1140, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1148 = tosa.reduce_sum %1147 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1149 = tosa.reduce_sum %1148 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1150 = tosa.reduce_sum %1149 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1151 = tosa.tile %1146, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1152 = tosa.mul %1151, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1153 = tosa.mul %1152, %284, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1154 = tosa.negate %1153, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1155 = tosa.reduce_sum %1154 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1156 = tosa.reduce_sum %1155 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1157 = tosa.reduce_sum %1156 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1158 = tosa.add %1140, %1153 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1159 = tosa.add %1150, %1157 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1160 = tosa.add %1158, %1153 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1161 = tosa.add %1159, %1157 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1162 = tosa.tile %1161, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1163 = tosa.mul %1162, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1164 = tosa.add %1160, %1163 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1165 = tosa.transpose %1164 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %1166 = tosa.transpose %arg24 {perms = array<i32: 1, 2, 3, 0>} : (tensor<128x128x3x3xf32>) -> tensor<128x3x3x128xf32>
    %1167 = tosa.transpose_conv2d %1165, %1166, %5, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x16x16x128xf32>, tensor<128x3x3x128xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x18x18x128xf32>
    %1168 = tosa.slice %1167, %36, %57 : (tensor<8x18x18x128xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x16x16x128xf32>
    %1169 = tosa.transpose %1168 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %1170 = tosa.transpose %275 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %1171 = tosa.transpose %1164 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %1172 = tosa.conv2d %1170, %1171, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<128x16x16x8xf32>, tensor<128x16x16x8xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<128x3x3x128xf32>
    %1173 = tosa.transpose %1172 {perms = array<i32: 3, 0, 1, 2>} : (tensor<128x3x3x128xf32>) -> tensor<128x128x3x3xf32>
    %1174 = tosa.add %1081, %1169 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1175 = tosa.greater_equal %91, %275 : (tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xi1>
    %1176 = tosa.select %1175, %91, %1174 : (tensor<8x128x16x16xi1>, tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1177 = tosa.reduce_sum %1176 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1178 = tosa.reduce_sum %1177 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1179 = tosa.reduce_sum %1178 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1180 = tosa.reshape %1179, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1181 = tosa.mul %1176, %269, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1182 = tosa.mul %1176, %270, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1183 = tosa.reduce_sum %1181 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1184 = tosa.reduce_sum %1183 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1185 = tosa.reduce_sum %1184 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1186 = tosa.reshape %1185, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1187 = tosa.mul %1182, %261, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1188 = tosa.mul %1182, %268, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1189 = tosa.reduce_sum %1187 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1190 = tosa.reduce_sum %1189 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1191 = tosa.reduce_sum %1190 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1192 = tosa.pow %268, %92 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1193 = tosa.mul %1191, %93, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1194 = tosa.mul %1193, %1192, %3 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1195 = tosa.negate %1188, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1196 = tosa.reduce_sum %1195 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1197 = tosa.reduce_sum %1196 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1198 = tosa.reduce_sum %1197 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1199 = tosa.tile %1194, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1200 = tosa.mul %1199, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1201 = tosa.mul %1200, %261, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1202 = tosa.negate %1201, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1203 = tosa.reduce_sum %1202 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1204 = tosa.reduce_sum %1203 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1205 = tosa.reduce_sum %1204 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1206 = tosa.add %1188, %1201 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1207 = tosa.add %1198, %1205 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1208 = tosa.add %1206, %1201 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1209 = tosa.add %1207, %1205 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1210 = tosa.tile %1209, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1211 = tosa.mul %1210, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1212 = tosa.add %1208, %1211 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1213 = tosa.transpose %1212 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %1214 = tosa.transpose %arg21 {perms = array<i32: 1, 2, 3, 0>} : (tensor<128x64x1x1xf32>) -> tensor<64x1x1x128xf32>
    %1215 = tosa.transpose_conv2d %1213, %1214, %2, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<8x16x16x128xf32>, tensor<64x1x1x128xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x32x32x64xf32>
    %1216 = tosa.transpose %1215 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %1217 = tosa.reshape %1212, %64 : (tensor<8x128x16x16xf32>, !tosa.shape<4>) -> tensor<1024x1x16x16xf32>
    %1218 = tosa.transpose %208 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1219 = tosa.transpose %1217 {perms = array<i32: 2, 3, 0, 1>} : (tensor<1024x1x16x16xf32>) -> tensor<16x16x1024x1xf32>
    %1220 = tosa.reshape %1219, %65 : (tensor<16x16x1024x1xf32>, !tosa.shape<4>) -> tensor<16x16x8x128xf32>
    %1221 = tosa.depthwise_conv2d %1218, %1220, %66, %1, %1 {acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<64x32x32x8xf32>, tensor<16x16x8x128xf32>, tensor<1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x2x2x1024xf32>
    %1222 = tosa.transpose %1221 {perms = array<i32: 0, 3, 1, 2>} : (tensor<64x2x2x1024xf32>) -> tensor<64x1024x2x2xf32>
    %1223 = tosa.slice %1222, %8, %67 : (tensor<64x1024x2x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<64x1024x1x2xf32>
    %1224 = tosa.slice %1223, %8, %68 : (tensor<64x1024x1x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<64x1024x1x1xf32>
    %1225 = tosa.reshape %1224, %69 : (tensor<64x1024x1x1xf32>, !tosa.shape<5>) -> tensor<64x8x128x1x1xf32>
    %1226 = tosa.transpose %1225 {perms = array<i32: 1, 2, 0, 3, 4>} : (tensor<64x8x128x1x1xf32>) -> tensor<8x128x64x1x1xf32>
    %1227 = tosa.reduce_sum %1226 {axis = 0 : i32} : (tensor<8x128x64x1x1xf32>) -> tensor<1x128x64x1x1xf32>
    %1228 = tosa.reshape %1227, %70 : (tensor<1x128x64x1x1xf32>, !tosa.shape<4>) -> tensor<128x64x1x1xf32>
    %1229 = tosa.mul %1176, %247, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1230 = tosa.mul %1176, %248, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1231 = tosa.reduce_sum %1229 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1232 = tosa.reduce_sum %1231 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1233 = tosa.reduce_sum %1232 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1234 = tosa.reshape %1233, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1235 = tosa.mul %1230, %239, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1236 = tosa.mul %1230, %246, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1237 = tosa.reduce_sum %1235 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1238 = tosa.reduce_sum %1237 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1239 = tosa.reduce_sum %1238 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1240 = tosa.pow %246, %92 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1241 = tosa.mul %1239, %93, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1242 = tosa.mul %1241, %1240, %3 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1243 = tosa.negate %1236, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1244 = tosa.reduce_sum %1243 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1245 = tosa.reduce_sum %1244 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1246 = tosa.reduce_sum %1245 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1247 = tosa.tile %1242, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1248 = tosa.mul %1247, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1249 = tosa.mul %1248, %239, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1250 = tosa.negate %1249, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1251 = tosa.reduce_sum %1250 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1252 = tosa.reduce_sum %1251 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1253 = tosa.reduce_sum %1252 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1254 = tosa.add %1236, %1249 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1255 = tosa.add %1246, %1253 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1256 = tosa.add %1254, %1249 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1257 = tosa.add %1255, %1253 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1258 = tosa.tile %1257, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1259 = tosa.mul %1258, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1260 = tosa.add %1256, %1259 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1261 = tosa.transpose %1260 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %1262 = tosa.transpose %arg18 {perms = array<i32: 1, 2, 3, 0>} : (tensor<128x128x3x3xf32>) -> tensor<128x3x3x128xf32>
    %1263 = tosa.transpose_conv2d %1261, %1262, %5, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x16x16x128xf32>, tensor<128x3x3x128xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x18x18x128xf32>
    %1264 = tosa.slice %1263, %36, %57 : (tensor<8x18x18x128xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x16x16x128xf32>
    %1265 = tosa.transpose %1264 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x16x16x128xf32>) -> tensor<8x128x16x16xf32>
    %1266 = tosa.transpose %230 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %1267 = tosa.transpose %1260 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x128x16x16xf32>) -> tensor<128x16x16x8xf32>
    %1268 = tosa.conv2d %1266, %1267, %5, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<128x16x16x8xf32>, tensor<128x16x16x8xf32>, tensor<128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<128x3x3x128xf32>
    %1269 = tosa.transpose %1268 {perms = array<i32: 3, 0, 1, 2>} : (tensor<128x3x3x128xf32>) -> tensor<128x128x3x3xf32>
    %1270 = tosa.greater_equal %91, %230 : (tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xi1>
    %1271 = tosa.select %1270, %91, %1265 : (tensor<8x128x16x16xi1>, tensor<1x1x1x1xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1272 = tosa.reduce_sum %1271 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1273 = tosa.reduce_sum %1272 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1274 = tosa.reduce_sum %1273 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1275 = tosa.reshape %1274, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1276 = tosa.mul %1271, %225, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1277 = tosa.mul %1271, %226, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1278 = tosa.reduce_sum %1276 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1279 = tosa.reduce_sum %1278 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1280 = tosa.reduce_sum %1279 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1281 = tosa.reshape %1280, %62 : (tensor<1x128x1x1xf32>, !tosa.shape<1>) -> tensor<128xf32>
    %1282 = tosa.mul %1277, %217, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1283 = tosa.mul %1277, %224, %3 : (tensor<8x128x16x16xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1284 = tosa.reduce_sum %1282 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1285 = tosa.reduce_sum %1284 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1286 = tosa.reduce_sum %1285 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1287 = tosa.pow %224, %92 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1288 = tosa.mul %1286, %93, %3 : (tensor<1x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1289 = tosa.mul %1288, %1287, %3 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>, tensor<1xi8>) -> tensor<1x128x1x1xf32>
    %1290 = tosa.negate %1283, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1291 = tosa.reduce_sum %1290 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1292 = tosa.reduce_sum %1291 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1293 = tosa.reduce_sum %1292 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1294 = tosa.tile %1289, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1295 = tosa.mul %1294, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1296 = tosa.mul %1295, %217, %3 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1297 = tosa.negate %1296, %1, %1 : (tensor<8x128x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x128x16x16xf32>
    %1298 = tosa.reduce_sum %1297 {axis = 0 : i32} : (tensor<8x128x16x16xf32>) -> tensor<1x128x16x16xf32>
    %1299 = tosa.reduce_sum %1298 {axis = 2 : i32} : (tensor<1x128x16x16xf32>) -> tensor<1x128x1x16xf32>
    %1300 = tosa.reduce_sum %1299 {axis = 3 : i32} : (tensor<1x128x1x16xf32>) -> tensor<1x128x1x1xf32>
    %1301 = tosa.add %1283, %1296 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1302 = tosa.add %1293, %1300 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1303 = tosa.add %1301, %1296 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1304 = tosa.add %1302, %1300 : (tensor<1x128x1x1xf32>, tensor<1x128x1x1xf32>) -> tensor<1x128x1x1xf32>
    %1305 = tosa.tile %1304, %63 : (tensor<1x128x1x1xf32>, !tosa.shape<4>) -> tensor<8x128x16x16xf32>
    %1306 = tosa.mul %1305, %80, %3 : (tensor<8x128x16x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x128x16x16xf32>
    %1307 = tosa.add %1303, %1306 : (tensor<8x128x16x16xf32>, tensor<8x128x16x16xf32>) -> tensor<8x128x16x16xf32>
    %1308 = tosa.transpose %1307 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x128x16x16xf32>) -> tensor<8x16x16x128xf32>
    %1309 = tosa.transpose %arg15 {perms = array<i32: 1, 2, 3, 0>} : (tensor<128x64x3x3xf32>) -> tensor<64x3x3x128xf32>
    %1310 = tosa.transpose_conv2d %1308, %1309, %2, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<8x16x16x128xf32>, tensor<64x3x3x128xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x33x33x64xf32>
    %1311 = tosa.slice %1310, %36, %71 : (tensor<8x33x33x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x32x32x64xf32>
    %1312 = tosa.transpose %1311 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %1313 = tosa.reshape %1307, %64 : (tensor<8x128x16x16xf32>, !tosa.shape<4>) -> tensor<1024x1x16x16xf32>
    %1314 = tosa.transpose %1313 {perms = array<i32: 2, 3, 0, 1>} : (tensor<1024x1x16x16xf32>) -> tensor<16x16x1024x1xf32>
    %1315 = tosa.reshape %1314, %65 : (tensor<16x16x1024x1xf32>, !tosa.shape<4>) -> tensor<16x16x8x128xf32>
    %1316 = tosa.depthwise_conv2d %1218, %1315, %66, %1, %1 {acc_type = f32, dilation = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<64x32x32x8xf32>, tensor<16x16x8x128xf32>, tensor<1024xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x4x4x1024xf32>
    %1317 = tosa.transpose %1316 {perms = array<i32: 0, 3, 1, 2>} : (tensor<64x4x4x1024xf32>) -> tensor<64x1024x4x4xf32>
    %1318 = tosa.slice %1317, %8, %72 : (tensor<64x1024x4x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<64x1024x3x4xf32>
    %1319 = tosa.slice %1318, %8, %73 : (tensor<64x1024x3x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<64x1024x3x3xf32>
    %1320 = tosa.reshape %1319, %74 : (tensor<64x1024x3x3xf32>, !tosa.shape<5>) -> tensor<64x8x128x3x3xf32>
    %1321 = tosa.transpose %1320 {perms = array<i32: 1, 2, 0, 3, 4>} : (tensor<64x8x128x3x3xf32>) -> tensor<8x128x64x3x3xf32>
    %1322 = tosa.reduce_sum %1321 {axis = 0 : i32} : (tensor<8x128x64x3x3xf32>) -> tensor<1x128x64x3x3xf32>
    %1323 = tosa.reshape %1322, %75 : (tensor<1x128x64x3x3xf32>, !tosa.shape<4>) -> tensor<128x64x3x3xf32>
    %1324 = tosa.add %1216, %1312 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1325 = tosa.greater_equal %91, %208 : (tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xi1>
    %1326 = tosa.select %1325, %91, %1324 : (tensor<8x64x32x32xi1>, tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1327 = tosa.reduce_sum %1326 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1328 = tosa.reduce_sum %1327 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1329 = tosa.reduce_sum %1328 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1330 = tosa.reshape %1329, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1331 = tosa.mul %1326, %202, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1332 = tosa.mul %1326, %203, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1333 = tosa.reduce_sum %1331 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1334 = tosa.reduce_sum %1333 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1335 = tosa.reduce_sum %1334 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1336 = tosa.reshape %1335, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1337 = tosa.mul %1332, %194, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1338 = tosa.mul %1332, %201, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1339 = tosa.reduce_sum %1337 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1340 = tosa.reduce_sum %1339 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1341 = tosa.reduce_sum %1340 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1342 = tosa.pow %201, %92 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1343 = tosa.mul %1341, %93, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1344 = tosa.mul %1343, %1342, %3 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1345 = tosa.negate %1338, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1346 = tosa.reduce_sum %1345 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1347 = tosa.reduce_sum %1346 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1348 = tosa.reduce_sum %1347 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1349 = tosa.tile %1344, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1350 = tosa.mul %1349, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1351 = tosa.mul %1350, %194, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1352 = tosa.negate %1351, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1353 = tosa.reduce_sum %1352 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1354 = tosa.reduce_sum %1353 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1355 = tosa.reduce_sum %1354 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1356 = tosa.add %1338, %1351 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1357 = tosa.add %1348, %1355 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1358 = tosa.add %1356, %1351 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1359 = tosa.add %1357, %1355 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1360 = tosa.tile %1359, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1361 = tosa.mul %1360, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1362 = tosa.add %1358, %1361 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1363 = tosa.transpose %1362 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %1364 = tosa.transpose %arg12 {perms = array<i32: 1, 2, 3, 0>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %1365 = tosa.transpose_conv2d %1363, %1364, %2, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x34x34x64xf32>
    %1366 = tosa.slice %1365, %36, %71 : (tensor<8x34x34x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x32x32x64xf32>
    %1367 = tosa.transpose %1366 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %1368 = tosa.transpose %185 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1369 = tosa.transpose %1362 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1370 = tosa.conv2d %1368, %1369, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<64x32x32x8xf32>, tensor<64x32x32x8xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x3x3x64xf32>
    %1371 = tosa.transpose %1370 {perms = array<i32: 3, 0, 1, 2>} : (tensor<64x3x3x64xf32>) -> tensor<64x64x3x3xf32>
    %1372 = tosa.greater_equal %91, %185 : (tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xi1>
    %1373 = tosa.select %1372, %91, %1367 : (tensor<8x64x32x32xi1>, tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1374 = tosa.reduce_sum %1373 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1375 = tosa.reduce_sum %1374 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1376 = tosa.reduce_sum %1375 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1377 = tosa.reshape %1376, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1378 = tosa.mul %1373, %180, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1379 = tosa.mul %1373, %181, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1380 = tosa.reduce_sum %1378 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1381 = tosa.reduce_sum %1380 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1382 = tosa.reduce_sum %1381 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1383 = tosa.reshape %1382, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1384 = tosa.mul %1379, %172, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1385 = tosa.mul %1379, %179, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1386 = tosa.reduce_sum %1384 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1387 = tosa.reduce_sum %1386 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1388 = tosa.reduce_sum %1387 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1389 = tosa.pow %179, %92 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1390 = tosa.mul %1388, %93, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1391 = tosa.mul %1390, %1389, %3 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1392 = tosa.negate %1385, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1393 = tosa.reduce_sum %1392 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1394 = tosa.reduce_sum %1393 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1395 = tosa.reduce_sum %1394 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1396 = tosa.tile %1391, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1397 = tosa.mul %1396, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1398 = tosa.mul %1397, %172, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1399 = tosa.negate %1398, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1400 = tosa.reduce_sum %1399 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1401 = tosa.reduce_sum %1400 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1402 = tosa.reduce_sum %1401 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1403 = tosa.add %1385, %1398 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1404 = tosa.add %1395, %1402 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1405 = tosa.add %1403, %1398 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1406 = tosa.add %1404, %1402 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1407 = tosa.tile %1406, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1408 = tosa.mul %1407, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1409 = tosa.add %1405, %1408 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1410 = tosa.transpose %1409 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %1411 = tosa.transpose %arg9 {perms = array<i32: 1, 2, 3, 0>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %1412 = tosa.transpose_conv2d %1410, %1411, %2, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x34x34x64xf32>
    %1413 = tosa.slice %1412, %36, %71 : (tensor<8x34x34x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x32x32x64xf32>
    %1414 = tosa.transpose %1413 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %1415 = tosa.transpose %163 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1416 = tosa.transpose %1409 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1417 = tosa.conv2d %1415, %1416, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<64x32x32x8xf32>, tensor<64x32x32x8xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x3x3x64xf32>
    %1418 = tosa.transpose %1417 {perms = array<i32: 3, 0, 1, 2>} : (tensor<64x3x3x64xf32>) -> tensor<64x64x3x3xf32>
    %1419 = tosa.add %1326, %1414 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1420 = tosa.greater_equal %91, %163 : (tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xi1>
    %1421 = tosa.select %1420, %91, %1419 : (tensor<8x64x32x32xi1>, tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1422 = tosa.reduce_sum %1421 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1423 = tosa.reduce_sum %1422 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1424 = tosa.reduce_sum %1423 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1425 = tosa.reshape %1424, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1426 = tosa.mul %1421, %157, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1427 = tosa.mul %1421, %158, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1428 = tosa.reduce_sum %1426 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1429 = tosa.reduce_sum %1428 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1430 = tosa.reduce_sum %1429 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1431 = tosa.reshape %1430, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1432 = tosa.mul %1427, %149, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1433 = tosa.mul %1427, %156, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1434 = tosa.reduce_sum %1432 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1435 = tosa.reduce_sum %1434 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1436 = tosa.reduce_sum %1435 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1437 = tosa.pow %156, %92 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1438 = tosa.mul %1436, %93, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1439 = tosa.mul %1438, %1437, %3 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1440 = tosa.negate %1433, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1441 = tosa.reduce_sum %1440 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1442 = tosa.reduce_sum %1441 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1443 = tosa.reduce_sum %1442 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1444 = tosa.tile %1439, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1445 = tosa.mul %1444, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1446 = tosa.mul %1445, %149, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1447 = tosa.negate %1446, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1448 = tosa.reduce_sum %1447 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1449 = tosa.reduce_sum %1448 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1450 = tosa.reduce_sum %1449 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1451 = tosa.add %1433, %1446 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1452 = tosa.add %1443, %1450 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1453 = tosa.add %1451, %1446 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1454 = tosa.add %1452, %1450 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1455 = tosa.tile %1454, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1456 = tosa.mul %1455, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1457 = tosa.add %1453, %1456 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1458 = tosa.transpose %1457 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %1459 = tosa.transpose %arg6 {perms = array<i32: 1, 2, 3, 0>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %1460 = tosa.transpose_conv2d %1458, %1459, %2, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x34x34x64xf32>
    %1461 = tosa.slice %1460, %36, %71 : (tensor<8x34x34x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x32x32x64xf32>
    %1462 = tosa.transpose %1461 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %1463 = tosa.transpose %140 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1464 = tosa.transpose %1457 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1465 = tosa.conv2d %1463, %1464, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<64x32x32x8xf32>, tensor<64x32x32x8xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x3x3x64xf32>
    %1466 = tosa.transpose %1465 {perms = array<i32: 3, 0, 1, 2>} : (tensor<64x3x3x64xf32>) -> tensor<64x64x3x3xf32>
    %1467 = tosa.greater_equal %91, %140 : (tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xi1>
    %1468 = tosa.select %1467, %91, %1462 : (tensor<8x64x32x32xi1>, tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1469 = tosa.reduce_sum %1468 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1470 = tosa.reduce_sum %1469 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1471 = tosa.reduce_sum %1470 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1472 = tosa.reshape %1471, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1473 = tosa.mul %1468, %135, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1474 = tosa.mul %1468, %136, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1475 = tosa.reduce_sum %1473 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1476 = tosa.reduce_sum %1475 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1477 = tosa.reduce_sum %1476 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1478 = tosa.reshape %1477, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1479 = tosa.mul %1474, %127, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1480 = tosa.mul %1474, %134, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1481 = tosa.reduce_sum %1479 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1482 = tosa.reduce_sum %1481 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1483 = tosa.reduce_sum %1482 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1484 = tosa.pow %134, %92 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1485 = tosa.mul %1483, %93, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1486 = tosa.mul %1485, %1484, %3 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1487 = tosa.negate %1480, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1488 = tosa.reduce_sum %1487 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1489 = tosa.reduce_sum %1488 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1490 = tosa.reduce_sum %1489 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1491 = tosa.tile %1486, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1492 = tosa.mul %1491, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1493 = tosa.mul %1492, %127, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1494 = tosa.negate %1493, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1495 = tosa.reduce_sum %1494 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1496 = tosa.reduce_sum %1495 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1497 = tosa.reduce_sum %1496 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1498 = tosa.add %1480, %1493 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1499 = tosa.add %1490, %1497 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1500 = tosa.add %1498, %1493 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1501 = tosa.add %1499, %1497 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1502 = tosa.tile %1501, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1503 = tosa.mul %1502, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1504 = tosa.add %1500, %1503 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1505 = tosa.transpose %1504 {perms = array<i32: 0, 2, 3, 1>} : (tensor<8x64x32x32xf32>) -> tensor<8x32x32x64xf32>
    %1506 = tosa.transpose %arg3 {perms = array<i32: 1, 2, 3, 0>} : (tensor<64x64x3x3xf32>) -> tensor<64x3x3x64xf32>
    %1507 = tosa.transpose_conv2d %1505, %1506, %2, %1, %1 {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<8x32x32x64xf32>, tensor<64x3x3x64xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x34x34x64xf32>
    %1508 = tosa.slice %1507, %36, %71 : (tensor<8x34x34x64xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<8x32x32x64xf32>
    %1509 = tosa.transpose %1508 {perms = array<i32: 0, 3, 1, 2>} : (tensor<8x32x32x64xf32>) -> tensor<8x64x32x32xf32>
    %1510 = tosa.transpose %118 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1511 = tosa.transpose %1504 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1512 = tosa.conv2d %1510, %1511, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<64x32x32x8xf32>, tensor<64x32x32x8xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x3x3x64xf32>
    %1513 = tosa.transpose %1512 {perms = array<i32: 3, 0, 1, 2>} : (tensor<64x3x3x64xf32>) -> tensor<64x64x3x3xf32>
    %1514 = tosa.add %1421, %1509 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1515 = tosa.greater_equal %91, %118 : (tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xi1>
    %1516 = tosa.select %1515, %91, %1514 : (tensor<8x64x32x32xi1>, tensor<1x1x1x1xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1517 = tosa.reduce_sum %1516 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1518 = tosa.reduce_sum %1517 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1519 = tosa.reduce_sum %1518 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1520 = tosa.reshape %1519, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1521 = tosa.mul %1516, %113, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1522 = tosa.mul %1516, %114, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1523 = tosa.reduce_sum %1521 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1524 = tosa.reduce_sum %1523 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1525 = tosa.reduce_sum %1524 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1526 = tosa.reshape %1525, %76 : (tensor<1x64x1x1xf32>, !tosa.shape<1>) -> tensor<64xf32>
    %1527 = tosa.mul %1522, %105, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1528 = tosa.mul %1522, %112, %3 : (tensor<8x64x32x32xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1529 = tosa.reduce_sum %1527 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1530 = tosa.reduce_sum %1529 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1531 = tosa.reduce_sum %1530 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1532 = tosa.pow %112, %92 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1533 = tosa.mul %1531, %93, %3 : (tensor<1x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1534 = tosa.mul %1533, %1532, %3 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>, tensor<1xi8>) -> tensor<1x64x1x1xf32>
    %1535 = tosa.negate %1528, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1536 = tosa.reduce_sum %1535 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1537 = tosa.reduce_sum %1536 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1538 = tosa.reduce_sum %1537 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1539 = tosa.tile %1534, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1540 = tosa.mul %1539, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1541 = tosa.mul %1540, %105, %3 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1542 = tosa.negate %1541, %1, %1 : (tensor<8x64x32x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8x64x32x32xf32>
    %1543 = tosa.reduce_sum %1542 {axis = 0 : i32} : (tensor<8x64x32x32xf32>) -> tensor<1x64x32x32xf32>
    %1544 = tosa.reduce_sum %1543 {axis = 2 : i32} : (tensor<1x64x32x32xf32>) -> tensor<1x64x1x32xf32>
    %1545 = tosa.reduce_sum %1544 {axis = 3 : i32} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x1xf32>
    %1546 = tosa.add %1528, %1541 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1547 = tosa.add %1538, %1545 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1548 = tosa.add %1546, %1541 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1549 = tosa.add %1547, %1545 : (tensor<1x64x1x1xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    %1550 = tosa.tile %1549, %77 : (tensor<1x64x1x1xf32>, !tosa.shape<4>) -> tensor<8x64x32x32xf32>
    %1551 = tosa.mul %1550, %78, %3 : (tensor<8x64x32x32xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<8x64x32x32xf32>
    %1552 = tosa.add %1548, %1551 : (tensor<8x64x32x32xf32>, tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %1553 = tosa.transpose %arg62 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x3x32x32xf32>) -> tensor<3x32x32x8xf32>
    %1554 = tosa.transpose %1552 {perms = array<i32: 1, 2, 3, 0>} : (tensor<8x64x32x32xf32>) -> tensor<64x32x32x8xf32>
    %1555 = tosa.conv2d %1553, %1554, %2, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<3x32x32x8xf32>, tensor<64x32x32x8xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x3x3x64xf32>
    %1556 = tosa.transpose %1555 {perms = array<i32: 3, 0, 1, 2>} : (tensor<3x3x3x64xf32>) -> tensor<64x3x3x3xf32>
    %1557 = tosa.mul %1556, %94, %3 : (tensor<64x3x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<64x3x3x3xf32>
    %1558 = tosa.sub %arg0, %1557 : (tensor<64x3x3x3xf32>, tensor<64x3x3x3xf32>) -> tensor<64x3x3x3xf32>
    %1559 = tosa.mul %1526, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1560 = tosa.sub %arg1, %1559 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1561 = tosa.mul %1520, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1562 = tosa.sub %arg2, %1561 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1563 = tosa.mul %1513, %94, %3 : (tensor<64x64x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<64x64x3x3xf32>
    %1564 = tosa.sub %arg3, %1563 : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %1565 = tosa.mul %1478, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1566 = tosa.sub %arg4, %1565 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1567 = tosa.mul %1472, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1568 = tosa.sub %arg5, %1567 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1569 = tosa.mul %1466, %94, %3 : (tensor<64x64x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<64x64x3x3xf32>
    %1570 = tosa.sub %arg6, %1569 : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %1571 = tosa.mul %1431, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1572 = tosa.sub %arg7, %1571 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1573 = tosa.mul %1425, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1574 = tosa.sub %arg8, %1573 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1575 = tosa.mul %1418, %94, %3 : (tensor<64x64x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<64x64x3x3xf32>
    %1576 = tosa.sub %arg9, %1575 : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %1577 = tosa.mul %1383, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1578 = tosa.sub %arg10, %1577 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1579 = tosa.mul %1377, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1580 = tosa.sub %arg11, %1579 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1581 = tosa.mul %1371, %94, %3 : (tensor<64x64x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<64x64x3x3xf32>
    %1582 = tosa.sub %arg12, %1581 : (tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32>
    %1583 = tosa.mul %1336, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1584 = tosa.sub %arg13, %1583 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1585 = tosa.mul %1330, %95, %3 : (tensor<64xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<64xf32>
    %1586 = tosa.sub %arg14, %1585 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1587 = tosa.mul %1323, %94, %3 : (tensor<128x64x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<128x64x3x3xf32>
    %1588 = tosa.sub %arg15, %1587 : (tensor<128x64x3x3xf32>, tensor<128x64x3x3xf32>) -> tensor<128x64x3x3xf32>
    %1589 = tosa.mul %1281, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1590 = tosa.sub %arg16, %1589 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1591 = tosa.mul %1275, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1592 = tosa.sub %arg17, %1591 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1593 = tosa.mul %1269, %94, %3 : (tensor<128x128x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<128x128x3x3xf32>
    %1594 = tosa.sub %arg18, %1593 : (tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %1595 = tosa.mul %1234, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1596 = tosa.sub %arg19, %1595 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1597 = tosa.mul %1180, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1598 = tosa.sub %arg20, %1597 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1599 = tosa.mul %1228, %94, %3 : (tensor<128x64x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<128x64x1x1xf32>
    %1600 = tosa.sub %arg21, %1599 : (tensor<128x64x1x1xf32>, tensor<128x64x1x1xf32>) -> tensor<128x64x1x1xf32>
    %1601 = tosa.mul %1186, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1602 = tosa.sub %arg22, %1601 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1603 = tosa.sub %arg23, %1597 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1604 = tosa.mul %1173, %94, %3 : (tensor<128x128x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<128x128x3x3xf32>
    %1605 = tosa.sub %arg24, %1604 : (tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %1606 = tosa.mul %1138, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1607 = tosa.sub %arg25, %1606 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1608 = tosa.mul %1132, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1609 = tosa.sub %arg26, %1608 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1610 = tosa.mul %1126, %94, %3 : (tensor<128x128x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<128x128x3x3xf32>
    %1611 = tosa.sub %arg27, %1610 : (tensor<128x128x3x3xf32>, tensor<128x128x3x3xf32>) -> tensor<128x128x3x3xf32>
    %1612 = tosa.mul %1091, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1613 = tosa.sub %arg28, %1612 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1614 = tosa.mul %1085, %95, %3 : (tensor<128xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<128xf32>
    %1615 = tosa.sub %arg29, %1614 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %1616 = tosa.mul %1078, %94, %3 : (tensor<256x128x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<256x128x3x3xf32>
    %1617 = tosa.sub %arg30, %1616 : (tensor<256x128x3x3xf32>, tensor<256x128x3x3xf32>) -> tensor<256x128x3x3xf32>
    %1618 = tosa.mul %1036, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1619 = tosa.sub %arg31, %1618 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1620 = tosa.mul %1030, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1621 = tosa.sub %arg32, %1620 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1622 = tosa.mul %1024, %94, %3 : (tensor<256x256x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<256x256x3x3xf32>
    %1623 = tosa.sub %arg33, %1622 : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %1624 = tosa.mul %989, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1625 = tosa.sub %arg34, %1624 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1626 = tosa.mul %935, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1627 = tosa.sub %arg35, %1626 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1628 = tosa.mul %983, %94, %3 : (tensor<256x128x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<256x128x1x1xf32>
    %1629 = tosa.sub %arg36, %1628 : (tensor<256x128x1x1xf32>, tensor<256x128x1x1xf32>) -> tensor<256x128x1x1xf32>
    %1630 = tosa.mul %941, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1631 = tosa.sub %arg37, %1630 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1632 = tosa.sub %arg38, %1626 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1633 = tosa.mul %928, %94, %3 : (tensor<256x256x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<256x256x3x3xf32>
    %1634 = tosa.sub %arg39, %1633 : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %1635 = tosa.mul %893, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1636 = tosa.sub %arg40, %1635 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1637 = tosa.mul %887, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1638 = tosa.sub %arg41, %1637 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1639 = tosa.mul %881, %94, %3 : (tensor<256x256x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<256x256x3x3xf32>
    %1640 = tosa.sub %arg42, %1639 : (tensor<256x256x3x3xf32>, tensor<256x256x3x3xf32>) -> tensor<256x256x3x3xf32>
    %1641 = tosa.mul %846, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1642 = tosa.sub %arg43, %1641 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1643 = tosa.mul %840, %95, %3 : (tensor<256xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<256xf32>
    %1644 = tosa.sub %arg44, %1643 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %1645 = tosa.mul %833, %94, %3 : (tensor<512x256x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<512x256x3x3xf32>
    %1646 = tosa.sub %arg45, %1645 : (tensor<512x256x3x3xf32>, tensor<512x256x3x3xf32>) -> tensor<512x256x3x3xf32>
    %1647 = tosa.mul %791, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1648 = tosa.sub %arg46, %1647 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1649 = tosa.mul %785, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1650 = tosa.sub %arg47, %1649 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1651 = tosa.mul %779, %94, %3 : (tensor<512x512x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<512x512x3x3xf32>
    %1652 = tosa.sub %arg48, %1651 : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %1653 = tosa.mul %744, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1654 = tosa.sub %arg49, %1653 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1655 = tosa.mul %690, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1656 = tosa.sub %arg50, %1655 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1657 = tosa.mul %738, %94, %3 : (tensor<512x256x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<512x256x1x1xf32>
    %1658 = tosa.sub %arg51, %1657 : (tensor<512x256x1x1xf32>, tensor<512x256x1x1xf32>) -> tensor<512x256x1x1xf32>
    %1659 = tosa.mul %696, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1660 = tosa.sub %arg52, %1659 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1661 = tosa.sub %arg53, %1655 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1662 = tosa.mul %683, %94, %3 : (tensor<512x512x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<512x512x3x3xf32>
    %1663 = tosa.sub %arg54, %1662 : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %1664 = tosa.mul %648, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1665 = tosa.sub %arg55, %1664 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1666 = tosa.mul %642, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1667 = tosa.sub %arg56, %1666 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1668 = tosa.mul %636, %94, %3 : (tensor<512x512x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<512x512x3x3xf32>
    %1669 = tosa.sub %arg57, %1668 : (tensor<512x512x3x3xf32>, tensor<512x512x3x3xf32>) -> tensor<512x512x3x3xf32>
    %1670 = tosa.mul %601, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1671 = tosa.sub %arg58, %1670 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1672 = tosa.mul %595, %95, %3 : (tensor<512xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<512xf32>
    %1673 = tosa.sub %arg59, %1672 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %1674 = tosa.mul %584, %96, %3 : (tensor<10x512xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<10x512xf32>
    %1675 = tosa.sub %arg60, %1674 : (tensor<10x512xf32>, tensor<10x512xf32>) -> tensor<10x512xf32>
    %1676 = tosa.mul %586, %95, %3 : (tensor<10xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<10xf32>
    %1677 = tosa.sub %arg61, %1676 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    return %1558, %1560, %1562, %1564, %1566, %1568, %1570, %1572, %1574, %1576, %1578, %1580, %1582, %1584, %1586, %1588, %1590, %1592, %1594, %1596, %1598, %1600, %1602, %1603, %1605, %1607, %1609, %1611, %1613, %1615, %1617, %1619, %1621, %1623, %1625, %1627, %1629, %1631, %1632, %1634, %1636, %1638, %1640, %1642, %1644, %1646, %1648, %1650, %1652, %1654, %1656, %1658, %1660, %1661, %1663, %1665, %1667, %1669, %1671, %1673, %1675, %1677, %569 : tensor<64x3x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x64x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x64x1x1xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128x3x3xf32>, tensor<128xf32>, tensor<128xf32>, tensor<256x128x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x128x1x1xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>, tensor<256xf32>, tensor<512x256x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x256x1x1xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512x3x3xf32>, tensor<512xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>, tensor<f32>
  }
}
