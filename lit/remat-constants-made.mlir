// What a named op of linalg reads of computed constants lies in memory while it runs: ones of 256 KiB, made for each of two products. With x, w and both results
// 1.25 MiB are there at the second.
// RUN: ballast-opt %s --remat="cap=1310720 relax-limit=0 swap=false work-limit=1000 function=products" --ballast-verify=function=products | FileCheck %s
// RUN: not ballast-opt %s --remat="cap=1310719 relax-limit=0 swap=false work-limit=1000 function=products" 2>&1 | FileCheck %s --check-prefix=REFUSED
// A generic op takes the making in: only x and the result.
// RUN: ballast-opt %s --remat="cap=524288 relax-limit=0 swap=false work-limit=1000 function=scaled" --ballast-verify=function=scaled | FileCheck %s --check-prefix=TAKEN
// CHECK: peak = 1310720
// REFUSED: error: no memory plan of device 0 keeps its cap of 1310719 B: 'linalg.matmul' binds
// TAKEN: peak = 524288

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @products(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %o = linalg.fill ins(%one : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %gw = linalg.matmul ins(%x, %o : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  %gx = linalg.matmul ins(%o, %w : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %gw, %gx : tensor<256x256xf32>, tensor<256x256xf32>
}

func.func @scaled(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %one = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %o = linalg.fill ins(%one : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %o : tensor<256x256xf32>, tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}
