// What ops say in attributes, constants and regions, and what a function says that is called and not inlined.
func.func @main(%x: tensor<4xf32>, %n: tensor<f32>) -> (tensor<f32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = arith.addf %x, %c : tensor<4xf32>
  %1 = linalg.reduce ins(%0 : tensor<4xf32>) outs(%n : tensor<f32>) dimensions = [0]
    (%in: f32, %init: f32) {
      %m = arith.maximumf %in, %init : f32
      linalg.yield %m : f32
    }
  %2 = arith.cmpf olt, %0, %x : tensor<4xf32>
  %3 = "stablehlo.compare"(%0, %x) <{comparison_direction = #stablehlo<comparison_direction LT>}> {note = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = call @branches(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3, %4 : tensor<f32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
}
func.func private @branches(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.sin %x : tensor<4xf32>
  cf.br ^end
^end:
  return %0 : tensor<4xf32>
}
