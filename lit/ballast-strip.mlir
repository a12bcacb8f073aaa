// RUN: ballast-opt %s --ballast-strip | FileCheck %s

// CHECK-NOT: dlti
// CHECK-NOT: #ballast
// CHECK: func.func @main
// CHECK: math.exp %{{.*}} {other.name} : tensor<4xf32>
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">} {
  func.func @main(%x: tensor<4xf32>) attributes {ballast.program = #ballast.program<device = 0, devices = 1, arguments = [0]>} {
    %a = math.exp %x {ballast.device = #ballast.device<0>, other.name} : tensor<4xf32>
    return
  }
}
