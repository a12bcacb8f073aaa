// A bound that the partition proved is one for its devices and its caps.
// RUN: ballast-opt %s --rl-partition="devices=2 cap=12KiB method=dp work-limit=1000 seed=1" -o %t.mlir
// RUN: FileCheck %s --check-prefix=DP --input-file=%t.mlir
// RUN: ballast-opt %t.mlir --remat="cap=12KiB work-limit=1000 seed=1" | FileCheck %s --check-prefix=DP
// RUN: ballast-opt %t.mlir --remat="devices=2 cap=12KiB work-limit=1000 seed=1" | FileCheck %s --check-prefix=DP
// RUN: ballast-opt %t.mlir --remat="cap=1MiB max-rounds=1 work-limit=1000 seed=1" | FileCheck %s --check-prefix=ANY
// RUN: ballast-opt %t.mlir --remat="devices=4 cap=12KiB max-rounds=1 work-limit=1000 seed=1" 2>&1 | FileCheck %s --check-prefixes=OTHER,ANY

// DP: bound_class = "contiguous-sequence-within-caps"
// OTHER: warning: the function was partitioned for other devices: another `--rl-partition` may find a faster placement for these
// ANY: bound_class = "any-assignment"

func.func @main(%x: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  %a = math.exp %x : tensor<1024xf32>
  %b = math.sin %x : tensor<1024xf32>
  %c = math.cos %x : tensor<1024xf32>
  %d = math.tanh %x : tensor<1024xf32>
  return %a, %b, %c, %d : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
}
