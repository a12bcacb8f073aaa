// Programs without a plan.
// RUN: ballast-opt %s --ballast-apply -verify-diagnostics -split-input-file

// expected-error@+1 {{the function has no `ballast.plan`: plan it first, with `--rl-partition` or `--remat`}}
func.func @no_plan(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x : tensor<1xf32>
  return %a : tensor<1xf32>
}

// -----

// expected-error@+1 {{the module has no function to plan}}
module {
}
