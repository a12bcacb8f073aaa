// Opened, a loop reads the matrix it was handed in another order, and the product after it the matrix itself: one copy in f32 serves all three products.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false cap=90% time-limit=5" --ballast-strip | FileCheck %s
// CHECK-NOT: "stablehlo.while"
// CHECK: %[[W:.*]] = "stablehlo.convert"(%{{.*}}) : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK: %[[T:.*]] = "stablehlo.transpose"(%[[W]]) {{.*}} -> tensor<8x8xf32>
// CHECK-NOT: tensor<8x8xbf16>
// CHECK-COUNT-2: "stablehlo.dot"(%{{.*}}, %[[T]])
// CHECK: "stablehlo.dot"(%{{.*}}, %[[W]])

func.func @main(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %two = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
  %t = "stablehlo.transpose"(%w) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %l:3 = "stablehlo.while"(%zero, %x, %t) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4x8xbf16>, %m: tensor<8x8xbf16>):
    %c = "stablehlo.compare"(%i, %two) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4x8xbf16>, %m: tensor<8x8xbf16>):
    %n = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p = "stablehlo.dot"(%a, %m) : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %s = "stablehlo.tanh"(%p) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    "stablehlo.return"(%n, %s, %m) : (tensor<i32>, tensor<4x8xbf16>, tensor<8x8xbf16>) -> ()
  }) : (tensor<i32>, tensor<4x8xbf16>, tensor<8x8xbf16>) -> (tensor<i32>, tensor<4x8xbf16>, tensor<8x8xbf16>)
  %q = "stablehlo.dot"(%l#1, %w) : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %q : tensor<4x8xbf16>
}
