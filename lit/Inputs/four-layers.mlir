// A training step of four layers: forward pass, gradients, and what is learned of each layer.
func.func @main(%x: tensor<4096x64xf32>, %target: tensor<4096x64xf32>, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w3: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %z0 = "stablehlo.dot_general"(%x, %w0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %h0 = "stablehlo.tanh"(%z0) : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %z1 = "stablehlo.dot_general"(%h0, %w1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %h1 = "stablehlo.tanh"(%z1) : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %z2 = "stablehlo.dot_general"(%h1, %w2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %h2 = "stablehlo.tanh"(%z2) : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %z3 = "stablehlo.dot_general"(%h2, %w3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %h3 = "stablehlo.tanh"(%z3) : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %d3 = "stablehlo.subtract"(%h3, %target) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %s3 = "stablehlo.multiply"(%h3, %h3) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %t3 = "stablehlo.subtract"(%d3, %s3) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %g3 = "stablehlo.dot_general"(%h2, %t3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %n3 = "stablehlo.subtract"(%w3, %g3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d2 = "stablehlo.dot_general"(%t3, %w3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %s2 = "stablehlo.multiply"(%h2, %h2) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %t2 = "stablehlo.subtract"(%d2, %s2) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %g2 = "stablehlo.dot_general"(%h1, %t2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %n2 = "stablehlo.subtract"(%w2, %g2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d1 = "stablehlo.dot_general"(%t2, %w2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %s1 = "stablehlo.multiply"(%h1, %h1) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %t1 = "stablehlo.subtract"(%d1, %s1) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %g1 = "stablehlo.dot_general"(%h0, %t1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %n1 = "stablehlo.subtract"(%w1, %g1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d0 = "stablehlo.dot_general"(%t1, %w1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %s0 = "stablehlo.multiply"(%h0, %h0) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %t0 = "stablehlo.subtract"(%d0, %s0) : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %g0 = "stablehlo.dot_general"(%x, %t0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %n0 = "stablehlo.subtract"(%w0, %g0) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %n0, %n1, %n2, %n3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
