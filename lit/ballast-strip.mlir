// RUN: ballast-opt %s --ballast-strip -split-input-file | FileCheck %s

// The devices go, which only the planner reads; what else is said of the target stays.
// CHECK: module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>, dlti.map = #dlti.map<"cache" = 64 : i64>} {
// CHECK-NEXT: func.func @main(%{{.*}}: tensor<4xf32>) {
// CHECK: math.exp %{{.*}} {other.name} : tensor<4xf32>
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>, dlti.map = #dlti.map<"cache" = 64 : i64>, dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"memory_bytes" = 1000 : i64>>} {
  func.func @main(%x: tensor<4xf32>) attributes {ballast.program = #ballast.program<device = 0, devices = 1, arguments = [0]>} {
    %a = math.exp %x {ballast.device = #ballast.device<0>, other.name} : tensor<4xf32>
    return
  }
}

// -----

// Which MPI the messages are for, said by --ballast-messages, goes too: once they are calls nothing reads it.
// CHECK: module {
// CHECK-NEXT: func.func @rank
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">} {
  func.func @rank() {
    return
  }
}
