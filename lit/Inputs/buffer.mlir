// A buffer that is written on one device and read on another.
func.func @main(%m: memref<16xf32>, %x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.sin %x {ballast.device = #ballast.device<0>} : tensor<16xf32>
  bufferization.materialize_in_destination %0 in writable %m {ballast.device = #ballast.device<0>} : (tensor<16xf32>, memref<16xf32>) -> ()
  %1 = bufferization.to_tensor %m restrict {ballast.device = #ballast.device<1>} : memref<16xf32> to tensor<16xf32>
  %2 = math.cos %1 {ballast.device = #ballast.device<1>} : tensor<16xf32>
  return %2 : tensor<16xf32>
}
