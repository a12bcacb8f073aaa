// A tensor whose size is known when the program runs, made on one device and read on another.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<?xf32>
  %b = math.sin %a {ballast.device = #ballast.device<1>} : tensor<?xf32>
  return %b : tensor<?xf32>
}
