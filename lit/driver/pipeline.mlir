// A printed pipeline names every option with its value, parses back, and prints the same again.
// The devices file is not there, so the pass fails after the pipeline is printed.
// RUN: not ballast-opt %s --ballast-verify="function=f devices='my devices.toml'" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// RUN: not ballast-opt %s --pass-pipeline="builtin.module(ballast-verify{devices={my devices.toml} function=f profile= cap=})" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: ballast-verify{cap= devices={my devices.toml} function=f profile=}
module {
}
