// What --remat refuses: with an error at the op or the module, and without output.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="cap=12 time-limit=5 relax-limit=0" -verify-diagnostics -split-input-file

// expected-error@+1 {{the module has no function to plan}}
module {
}

// -----

func.func @dynamic_shapes_need_a_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@-1 {{dynamic}}
  %a = math.exp %x : tensor<?xf32>
  return %a : tensor<?xf32>
}

// -----

// expected-error@+1 {{several blocks}}
func.func @only_straight_lines(%x: tensor<1xf32>) -> tensor<1xf32> {
  cf.br ^next
^next:
  // expected-note@-1 0+ {{}}
  // expected-note@+1 {{the second block starts here}}
  return %x : tensor<1xf32>
}

// -----

func.func @the_cap_is_below_the_largest_op(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  // expected-error@+3 {{no memory plan of device 0 keeps its cap of 12 B: 'arith.cmpf' binds; the smallest cap not ruled out is 13 B}}
  // expected-note@+2 {{its operands, results and workspace are there at once. A larger cap helps, or more devices}}
  // expected-note@+1 {{`relax-limit` lets the cap be raised}}
  %d = arith.cmpf olt, %a, %b : tensor<1xf32>
  return %d : tensor<1xi1>
}

// -----

func.func @the_op_alone_is_above_the_cap_on_any_device(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+3 {{no memory plan of device 0 keeps its cap of 12 B: 'math.exp' alone needs more; the smallest cap not ruled out is 24 B}}
  // expected-note@+2 {{more devices do not, as the op alone needs more than this one}}
  // expected-note@+1 {{`relax-limit` lets the cap be raised}}
  %a = math.exp %x : tensor<3xf32>
  return %a : tensor<3xf32>
}

// -----

func.func @some_ops_have_no_device(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = math.exp %x {ballast.device = #ballast.device<0>} : tensor<1xf32>
  // expected-error@+1 {{has no `ballast.device`, but other ops of the function have}}
  %b = math.sin %a : tensor<1xf32>
  return %b : tensor<1xf32>
}

// -----

func.func @devices_beyond_the_last(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error@+1 {{runs on device 1, but there are 1 devices, numbered from 0}}
  %a = math.exp %x {ballast.device = #ballast.device<1>} : tensor<1xf32>
  return %a : tensor<1xf32>
}

// -----

// expected-error@+1 {{the function has no op to plan: it returns arguments, constants and views of them}}
func.func @nothing_runs(%x: tensor<1xf32>) -> tensor<1xf32> {
  return %x : tensor<1xf32>
}

// -----

func.func @sums_of_bytes_stay_in_64_bits(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error@+1 {{up to here the values of the program take more than 1.0 EiB: check the shapes}}
  %a:8 = "some.op"(%x) : (tensor<1xf32>) -> (tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>, tensor<1152921504606846976xf32>)
  %b = math.exp %x : tensor<1xf32>
  return %b : tensor<1xf32>
}

// -----

// expected-error@+1 {{the module has no function to plan: one of a module inside of it is not looked for, plan that module alone}}
module {
  module @inner {
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      return %x : tensor<1xf32>
    }
  }
}
