// Two ops that have to run on different devices.
func.func @main(%x: tensor<262144xf32>) -> tensor<262144xf32> {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<262144xf32>
  %b = math.sin %a {ballast.device = #ballast.device<1>} : tensor<262144xf32>
  return %b : tensor<262144xf32>
}
