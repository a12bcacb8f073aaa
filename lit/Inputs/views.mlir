// A view between two ops, and an op that holds others.
func.func @main(%x: tensor<4xf32>, %p: i1) -> tensor<2x2xf32> {
  %a = math.exp %x : tensor<4xf32>
  %v = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %b = math.sin %v : tensor<2x2xf32>
  %c = scf.if %p -> tensor<2x2xf32> {
    scf.yield %b : tensor<2x2xf32>
  } else {
    scf.yield %v : tensor<2x2xf32>
  }
  return %c : tensor<2x2xf32>
}
