// Shardings say how values are spread over a mesh: a plan is for whole values, and says so, once.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="time-limit=2" -verify-diagnostics -split-input-file
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-plan="devices=1 time-limit=2" -verify-diagnostics -split-input-file

// expected-warning@+1 {{argument 1: is sharded over a mesh of devices, and one more: sizes, times and caps here are those of whole values}}
func.func @gspmd(%x: tensor<8x8xf32> {mhlo.sharding = "{replicated}"}, %y: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) -> tensor<8x8xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "stablehlo.custom_call"(%0) <{call_target_name = "Sharding"}> {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

"sdy.mesh"() <{mesh = #sdy.mesh<["x"=4, "y"=1]>, sym_name = "mesh"}> : () -> ()
func.func @shardy(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "stablehlo.exponential"(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning@+1 {{is sharded over a mesh of devices: sizes}}
  %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

"sdy.mesh"() <{mesh = #sdy.mesh<["x"=1]>, sym_name = "mesh"}> : () -> ()
func.func @on_one_device(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "stablehlo.exponential"(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
