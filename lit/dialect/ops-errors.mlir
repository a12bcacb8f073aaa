// Ops that mean nothing are refused.
// RUN: ballast-opt %s -verify-diagnostics -split-input-file

func.func @swapped_tensor_has_a_size(%x: tensor<?xf32>) {
  // expected-error@+1 {{must be statically shaped tensor}}
  %h = ballast.swap_out %x : tensor<?xf32>
  return
}

// -----

func.func @host_handle_is_of_the_tensor(%x: tensor<4xf32>) {
  // expected-error@+1 {{failed to verify that the host handle is of the tensor's type}}
  %h = "ballast.swap_out"(%x) : (tensor<4xf32>) -> !ballast.host<tensor<8xf32>>
  return
}

// -----

func.func @host_copy_comes_back_as_it_left(%h: !ballast.host<tensor<4xf32>>) {
  // expected-error@+1 {{failed to verify that the tensor is of the host handle's type}}
  %x = "ballast.swap_in"(%h) : (!ballast.host<tensor<4xf32>>) -> tensor<4xf16>
  return
}

// -----

func.func @device_tensor_is_not_swapped_in(%x: tensor<4xf32>) {
  // expected-error@+1 {{must be A tensor in host memory}}
  %y = "ballast.swap_in"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @barrier_is_an_identity(%x: tensor<4xf32>) {
  // expected-error@+1 {{failed to verify that every result has its operand's type}}
  %y = "ballast.barrier"(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @barrier_has_as_many_results_as_operands(%x: tensor<4xf32>) {
  // expected-error@+1 {{failed to verify that every result has its operand's type}}
  %y:2 = "ballast.barrier"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @barrier_of_nothing() {
  // expected-error@+1 {{'ballast.barrier' op needs at least one operand}}
  "ballast.barrier"() : () -> ()
  return
}

// -----

func.func @no_message_to_itself(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.send' op device 1 cannot send to itself}}
  ballast.send %x from 1 to 1 tag 0 : tensor<4xf32>
  return
}

// -----

func.func @no_message_to_nowhere(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.send' op device -1 does not exist}}
  ballast.send %x from 0 to -1 tag 0 : tensor<4xf32>
  return
}

// -----

func.func @no_negative_tag() {
  // expected-error@+1 {{'ballast.recv' op tag -4 must not be negative}}
  %x = ballast.recv from 0 to 1 tag -4 : tensor<4xf32>
  return
}

// -----

func.func @received_tensor_has_a_size() {
  // expected-error@+1 {{must be statically shaped tensor of any type values or A tensor in host memory}}
  %x = ballast.recv from 0 to 1 tag 0 : tensor<?xf32>
  return
}

// -----

func.func @no_buffer_from_itself(%m: memref<4xf32>) {
  // expected-error@+1 {{'ballast.recv_into' op device 1 cannot send to itself}}
  ballast.recv_into %m from 1 to 1 tag 0 : memref<4xf32>
  return
}
