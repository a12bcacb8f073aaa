// A printed pipeline names every option with its value, parses back, and prints the same again.
// RUN: ballast-opt %s --ballast-verify="function=f devices='my devices.toml'" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// RUN: ballast-opt %s --pass-pipeline="builtin.module(ballast-verify{devices={my devices.toml} function=f profile=})" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: ballast-verify{devices={my devices.toml} function=f profile=}
module {
}
