// Programs without a plan, and options there are not.
// RUN: ballast-opt %s --ballast-to-stablehlo -verify-diagnostics -split-input-file
// RUN: not ballast-opt %s --ballast-to-stablehlo="backend=xla" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option backend

// expected-error@+1 {{the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`}}
func.func @no_plan(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}

// -----

// expected-error@+1 {{the module has no function to plan}}
module {
}
