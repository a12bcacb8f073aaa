// Forty ops forward and forty backward; XLA would compute the whole backward pass in one fusion.
func.func @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %f0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f1 = "stablehlo.tanh"(%f0) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f2 = "stablehlo.dot_general"(%f1, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f3 = "stablehlo.tanh"(%f2) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f4 = "stablehlo.dot_general"(%f3, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f5 = "stablehlo.tanh"(%f4) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f6 = "stablehlo.dot_general"(%f5, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f7 = "stablehlo.tanh"(%f6) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f8 = "stablehlo.dot_general"(%f7, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f9 = "stablehlo.tanh"(%f8) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f10 = "stablehlo.dot_general"(%f9, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f11 = "stablehlo.tanh"(%f10) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f12 = "stablehlo.dot_general"(%f11, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f13 = "stablehlo.tanh"(%f12) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f14 = "stablehlo.dot_general"(%f13, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f15 = "stablehlo.tanh"(%f14) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f16 = "stablehlo.dot_general"(%f15, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f17 = "stablehlo.tanh"(%f16) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f18 = "stablehlo.dot_general"(%f17, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f19 = "stablehlo.tanh"(%f18) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f20 = "stablehlo.dot_general"(%f19, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f21 = "stablehlo.tanh"(%f20) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f22 = "stablehlo.dot_general"(%f21, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f23 = "stablehlo.tanh"(%f22) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f24 = "stablehlo.dot_general"(%f23, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f25 = "stablehlo.tanh"(%f24) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f26 = "stablehlo.dot_general"(%f25, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f27 = "stablehlo.tanh"(%f26) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f28 = "stablehlo.dot_general"(%f27, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f29 = "stablehlo.tanh"(%f28) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f30 = "stablehlo.dot_general"(%f29, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f31 = "stablehlo.tanh"(%f30) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f32 = "stablehlo.dot_general"(%f31, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f33 = "stablehlo.tanh"(%f32) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f34 = "stablehlo.dot_general"(%f33, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f35 = "stablehlo.tanh"(%f34) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f36 = "stablehlo.dot_general"(%f35, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f37 = "stablehlo.tanh"(%f36) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %f38 = "stablehlo.dot_general"(%f37, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %f39 = "stablehlo.tanh"(%f38) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %b39 = "stablehlo.multiply"(%f39, %f39) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b38 = "stablehlo.multiply"(%b39, %f38) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b37 = "stablehlo.multiply"(%b38, %f37) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b36 = "stablehlo.multiply"(%b37, %f36) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b35 = "stablehlo.multiply"(%b36, %f35) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b34 = "stablehlo.multiply"(%b35, %f34) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b33 = "stablehlo.multiply"(%b34, %f33) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b32 = "stablehlo.multiply"(%b33, %f32) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b31 = "stablehlo.multiply"(%b32, %f31) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b30 = "stablehlo.multiply"(%b31, %f30) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b29 = "stablehlo.multiply"(%b30, %f29) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b28 = "stablehlo.multiply"(%b29, %f28) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b27 = "stablehlo.multiply"(%b28, %f27) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b26 = "stablehlo.multiply"(%b27, %f26) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b25 = "stablehlo.multiply"(%b26, %f25) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b24 = "stablehlo.multiply"(%b25, %f24) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b23 = "stablehlo.multiply"(%b24, %f23) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b22 = "stablehlo.multiply"(%b23, %f22) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b21 = "stablehlo.multiply"(%b22, %f21) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b20 = "stablehlo.multiply"(%b21, %f20) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b19 = "stablehlo.multiply"(%b20, %f19) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b18 = "stablehlo.multiply"(%b19, %f18) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b17 = "stablehlo.multiply"(%b18, %f17) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b16 = "stablehlo.multiply"(%b17, %f16) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b15 = "stablehlo.multiply"(%b16, %f15) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b14 = "stablehlo.multiply"(%b15, %f14) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b13 = "stablehlo.multiply"(%b14, %f13) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b12 = "stablehlo.multiply"(%b13, %f12) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b11 = "stablehlo.multiply"(%b12, %f11) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b10 = "stablehlo.multiply"(%b11, %f10) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b9 = "stablehlo.multiply"(%b10, %f9) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b8 = "stablehlo.multiply"(%b9, %f8) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b7 = "stablehlo.multiply"(%b8, %f7) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b6 = "stablehlo.multiply"(%b7, %f6) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b5 = "stablehlo.multiply"(%b6, %f5) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b4 = "stablehlo.multiply"(%b5, %f4) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b3 = "stablehlo.multiply"(%b4, %f3) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b2 = "stablehlo.multiply"(%b3, %f2) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b1 = "stablehlo.multiply"(%b2, %f1) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b0 = "stablehlo.multiply"(%b1, %f0) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %b0 : tensor<256x256xf32>
}
