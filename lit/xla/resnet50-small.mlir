// ResNet-50's structure, exported for two images of 32 x 32.
// REQUIRES: xla
// RUN: env PYTHONPATH=%tools/python/src %python -m ballast.export.jax resnet50 --batch 2 --image 32 -o %t.mlir
// RUN: ballast-opt %t.mlir --allow-unregistered-dialect --remat="cap=60%% cap-counts=temp fusion=xla-cpu swap=false time-limit=5" -o %t.planned.mlir
// RUN: ballast run %t.mlir %t.planned.mlir --backend xla --python %python --json %t.json
// RUN: %python %S/Inputs/memory.py %t.json | FileCheck %s
// CHECK: bytes of temporaries before
