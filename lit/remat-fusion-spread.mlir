// `fusion=spread` counts every value but those that only spread another one or count positions: a loop makes them where it reads them.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=1KB cap-counts=temp fusion=none" --ballast-verify | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=1KB cap-counts=temp fusion=spread" --ballast-verify | FileCheck %s --check-prefixes=CHECK,SPREAD
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=1KB cap-counts=temp fusion=xla" --ballast-verify | FileCheck %s --check-prefixes=CHECK,XLA

// Two values of 256 bytes beside each other; without fusion the spread labels, 128 bytes, wait for their second reader; of one fusion nothing is stored but its result.
// CHECK: func.func @picked
// NONE: unplanned_peak = 640,
// SPREAD: unplanned_peak = 512,
// XLA: unplanned_peak = 0,
func.func @picked(%label: tensor<8xi8>) -> tensor<8x16xi8> {
  %0 = "stablehlo.broadcast_in_dim"(%label) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xi8>) -> tensor<8x16xi8>
  %1 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x16xi8>
  %2 = "stablehlo.xor"(%0, %1) : (tensor<8x16xi8>, tensor<8x16xi8>) -> tensor<8x16xi8>
  %3 = "stablehlo.convert"(%2) : (tensor<8x16xi8>) -> tensor<8x16xi16>
  %4 = "stablehlo.negate"(%3) : (tensor<8x16xi16>) -> tensor<8x16xi16>
  %5 = "stablehlo.convert"(%4) : (tensor<8x16xi16>) -> tensor<8x16xi8>
  %6 = "stablehlo.and"(%5, %0) : (tensor<8x16xi8>, tensor<8x16xi8>) -> tensor<8x16xi8>
  return %6 : tensor<8x16xi8>
}
