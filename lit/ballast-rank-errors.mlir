// RUN: ballast-opt %s --ballast-rank -verify-diagnostics -split-input-file
// RUN: not ballast-opt %S/ballast-rank.mlir --ballast-rank="rank=2" 2>&1 | FileCheck %s
// CHECK: error: there is no rank 2: the program was cut over 2 devices, numbered from 0

// expected-error@+1 {{no function is the program of a device: run `--ballast-outline` first}}
module {
  func.func @main() { return }
}

// -----

// expected-error@+1 {{the module has programs for 1 of 2 devices}}
module {
  func.func private @main_device0() attributes {ballast.program = #ballast.program<device = 0, devices = 2>} { return }
}

// -----

func.func private @a() attributes {ballast.program = #ballast.program<device = 0, devices = 2>} { return }
// expected-error@+1 {{is the program of device 0 of 2, but the module has 2 programs: it needs one for every device}}
func.func private @b() attributes {ballast.program = #ballast.program<device = 0, devices = 2>} { return }

// -----

// expected-error@+1 {{takes 1 arguments and returns 0 results, but `ballast.program` numbers 0 and 0}}
func.func private @numbers(%x: tensor<4xf32>) attributes {ballast.program = #ballast.program<device = 0, devices = 1>} { return }

// -----

func.func private @both_send_first_0(%x: tensor<4xf32>)
    attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0]>} {
  // expected-error@+1 {{the messages do not get through: deadlock: device 0 sends to device 1, tag 0, but device 1 waits for another message first}}
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  %0 = ballast.recv from 1 to 0 tag 1 : tensor<4xf32>
  return
}
func.func private @both_send_first_1(%x: tensor<4xf32>)
    attributes {ballast.program = #ballast.program<device = 1, devices = 2, arguments = [0]>} {
  ballast.send %x from 1 to 0 tag 1 : tensor<4xf32>
  %0 = ballast.recv from 0 to 1 tag 0 : tensor<4xf32>
  return
}

// -----

func.func private @lost_0(%x: tensor<4xf32>)
    attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0]>} {
  // expected-error@+1 {{device 0 sends to device 1, tag 0, but no message from 0 to 1 with this tag is left at the other end}}
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  return
}
func.func private @lost_1() attributes {ballast.program = #ballast.program<device = 1, devices = 2>} { return }

// -----

func.func private @types_0(%x: tensor<4xf32>)
    attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0]>} {
  // expected-error@+1 {{one end of the message is tensor<4xf32>, the other tensor<8xf32>}}
  ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  return
}
func.func private @types_1() attributes {ballast.program = #ballast.program<device = 1, devices = 2>} {
  %0 = ballast.recv from 0 to 1 tag 0 : !ballast.host<tensor<8xf32>>
  return
}

// -----

func.func private @sender(%x: tensor<4xf32>)
    attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0]>} {
  // expected-error@+1 {{is sent by device 1, but stands in the program of device 0}}
  ballast.send %x from 1 to 0 tag 0 : tensor<4xf32>
  return
}
func.func private @receiver() attributes {ballast.program = #ballast.program<device = 1, devices = 2>} { return }

// -----

func.func private @region(%x: tensor<4xf32>, %c: i1)
    attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0, 1]>} {
  scf.if %c {
    // expected-error@+1 {{is inside a region: how often it is sent cannot be told}}
    ballast.send %x from 0 to 1 tag 0 : tensor<4xf32>
  }
  return
}
func.func private @other() attributes {ballast.program = #ballast.program<device = 1, devices = 2>} { return }
