// A recommender looks up rows of four tables and puts them side by side, one fused op as a compiler would have it, which reads every table. On several devices the
// rows are stored, so that every device can have a table of its own.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=4 cap=6MiB work-limit=20000" --remat="cap=6MiB work-limit=20000" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --implicit-check-not=warning:
// One device is planned as its compiler stores values.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="devices=1 work-limit=20000" 2>/dev/null | FileCheck %s --check-prefix=ONE
// CHECK: remark: [Passed] {{.*}}cap_met=true
// CHECK: held = "0,1,2,3"
// CHECK-COUNT-4: "stablehlo.gather"{{.*}}ballast.device
// ONE-NOT: held =
func.func @main(%table0: tensor<16384x64xf32>, %table1: tensor<16384x64xf32>, %table2: tensor<16384x64xf32>, %table3: tensor<16384x64xf32>, %rows: tensor<128x1xi32>, %w: tensor<256x64xf32>) -> tensor<128x64xf32> {
  %r0 = "stablehlo.gather"(%table0, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<16384x64xf32>, tensor<128x1xi32>) -> tensor<128x64xf32>
  %r1 = "stablehlo.gather"(%table1, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<16384x64xf32>, tensor<128x1xi32>) -> tensor<128x64xf32>
  %r2 = "stablehlo.gather"(%table2, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<16384x64xf32>, tensor<128x1xi32>) -> tensor<128x64xf32>
  %r3 = "stablehlo.gather"(%table3, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<16384x64xf32>, tensor<128x1xi32>) -> tensor<128x64xf32>
  %all = "stablehlo.concatenate"(%r0, %r1, %r2, %r3) <{dimension = 1 : i64}> : (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x256xf32>
  %d = "stablehlo.dot_general"(%all, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
  return %d : tensor<128x64xf32>
}
