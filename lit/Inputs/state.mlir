// State of the module that is written on one device and read on another.
ml_program.global private mutable @state(dense<0.0> : tensor<16xf32>) : tensor<16xf32>
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %a = math.exp %x : tensor<16xf32>
  ml_program.global_store @state = %a : tensor<16xf32> {ballast.device = #ballast.device<0>}
  %s = ml_program.global_load @state : tensor<16xf32> {ballast.device = #ballast.device<1>}
  return %a, %s : tensor<16xf32>, tensor<16xf32>
}
