// Products of 16-bit floats are computed in f32 before planning where the program is over the cap with the copies of their operands, under fusion=xla-cpu on one device.

// Left whole, the operand and the result of the second product count, which are 64 bytes each: XLA holds four to six times that.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false products=whole cap=600B time-limit=5" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// Nothing is over the cap: the program stays as it is.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false time-limit=5" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false products=auto cap=768B time-limit=5" --ballast-verify | FileCheck %s --check-prefix=WHOLE
// WHOLE: peak = 128, unplanned_peak = 128
// WHOLE-NOT: xf32>
// In f32 both matrices are 256 bytes and rows 128. The first matrix is held for the third product, so the second has 256 + 256 + 128 + 128 = 768 bytes; copied again, it has 512. A share is one of the 768 bytes.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false cap=80% time-limit=5" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false cap=600B time-limit=5" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=WIDE
// So it is where a partition put everything on one device.
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-cpu devices=1 time-limit=5" --remat="cap-counts=temp heap-gaps=false cap=600B time-limit=5" --ballast-verify --remarks-filter=ballast 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: remark: [Passed] WideProduct | Category:ballast | Function=main | Remark="products of 16-bit floats are computed in f32", ops=3
// WIDE: cap_met=true
// WIDE: peak=512, {{.*}}unplanned_peak=768
// The plan is carried out on what is planned, and the first matrix is copied twice.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla-cpu cap-counts=temp heap-gaps=false cap=600B time-limit=5" --ballast-apply | FileCheck %s --check-prefix=APPLIED
// APPLIED-COUNT-3: "stablehlo.convert"({{.*}}) {{.*}}: (tensor<8x8xbf16>) -> tensor<8x8xf32>
// Not for another back end, and not where ops are on several devices.
// RUN: ballast-opt %s --allow-unregistered-dialect --remat="fusion=xla cap-counts=temp cap=50% time-limit=5" -o - 2>/dev/null | FileCheck %s --check-prefix=OTHER
// RUN: ballast-opt %s --allow-unregistered-dialect --rl-partition="fusion=xla-cpu devices=2 time-limit=1" --remat="cap-counts=temp cap=50% time-limit=1" -o - 2>/dev/null | FileCheck %s --check-prefix=OTHER
// OTHER: ballast.plan
// OTHER-NOT: xf32>
// RUN: not ballast-opt %s --allow-unregistered-dialect --remat="products=some" 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: products

func.func @main(%x: tensor<4x8xbf16>, %v: tensor<8x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<4x8xbf16> {
  %s = "stablehlo.sine"(%x) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %p = "stablehlo.dot"(%s, %v) : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %t = "stablehlo.tanh"(%p) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %q = "stablehlo.dot"(%t, %w) : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %u = "stablehlo.tanh"(%q) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %r = "stablehlo.dot"(%u, %v) : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  return %r : tensor<4x8xbf16>
}
