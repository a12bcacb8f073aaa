// A number made on one device and read on both.
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<16xf32>, %l: tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = tensor.extract %l[] {ballast.device = #ballast.device<0>} : tensor<f32>
  %s = math.exp %0 {ballast.device = #ballast.device<0>} : f32
  %e = tensor.empty() : tensor<16xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) attrs = {ballast.device = #ballast.device<0>} {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %s : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<16xf32>) outs(%e : tensor<16xf32>) attrs = {ballast.device = #ballast.device<1>} {
  ^bb0(%p: f32, %q: f32):
    %m = arith.addf %p, %s : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  return %a, %b : tensor<16xf32>, tensor<16xf32>
}
