// The program of remat.mlir four times: three functions, and one in a module of its own.
module {
func.func @first(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
func.func @second(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
func.func @third(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
module @other {
func.func @inner(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
}
}
