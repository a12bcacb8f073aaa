// What a plan does, as a table on stderr or as JSON in a file.
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-report="format=table" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: @main: tmax {{.*}} ms, tmin {{.*}} ms, tmax/tmin 1.000, 0 idle
// TABLE: unplanned peak
// TABLE: 16 B {{.*}} 13 B

// RUN: ballast-opt %s --remat="cap=15 time-limit=10" --ballast-report="format=json output=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// JSON: "function": "main"
// JSON: "ratio": 1.0
// JSON: "unplanned_peak_bytes": 16
// JSON-NEXT: "peak_bytes": 13
// JSON: "recomputes": 1

func.func @main(%x: tensor<1xf32>) -> tensor<1xi1> {
  %a = math.exp %x : tensor<1xf32>
  %b = math.sin %a : tensor<1xf32>
  %c = math.cos %b : tensor<1xf32>
  %d = arith.cmpf olt, %a, %c : tensor<1xf32>
  return %d : tensor<1xi1>
}
