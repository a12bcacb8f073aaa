"""How lit finds and runs the tests in this folder.

Run all: `/usr/lib/llvm-22/bin/lit -sv -Dbuild=target/release lit`, or `cargo xtask test`. `build` is the folder that holds
ballast-opt and libballast.so; `llvm` the prefix of LLVM, if not the usual one.
"""

import os
import tempfile

import lit.formats

# `config` and `lit_config` are given by lit.
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "target", "release")))
llvm = os.path.abspath(lit_config.params.get("llvm", "/usr/lib/llvm-22"))
driver = os.path.join(build, "ballast-opt")
library = os.path.join(build, "libballast.so")
for needed in (driver, library, os.path.join(llvm, "bin", "mlir-opt")):
    if not os.path.exists(needed):
        lit_config.fatal(f"{needed} is missing: run `cargo xtask test`, or name the build folder with -Dbuild=")

config.name = "ballast"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(root, "lit")
# Outside the tree: lit would leave its Output folders beside the tests. One folder per build, so that two runs do not meet.
config.test_exec_root = os.path.join(build, "lit-output")

config.environment["PATH"] = os.pathsep.join((build, os.path.join(llvm, "bin"), "/usr/bin", "/bin"))
# What the tests do must not depend on who runs them.
config.environment["TMPDIR"] = tempfile.gettempdir()

config.substitutions.append(("%plugin", f"--load-pass-plugin={library} --load-dialect-plugin={library}"))
config.substitutions.append(("%library", library))
config.substitutions.append(("%examples", os.path.join(root, "tests", "inputs", "models")))

for program in ("mlir-runner", "mlir-translate"):
    if os.path.exists(os.path.join(llvm, "bin", program)):
        config.available_features.add(program)
python = os.path.join(root, ".deps", "jax", "bin", "python")
if os.path.exists(python):
    config.available_features.add("xla")
config.substitutions.append(("%python", python))
python = os.path.join(root, ".deps", "jax-cuda", "bin", "python")
if os.path.exists(python):
    config.available_features.add("xla-cuda")
config.substitutions.append(("%cuda-python", python))
config.substitutions.append(("%tools", os.path.join(root, "tools")))
if os.path.exists(os.path.join(build, "libballast_learner.so")):
    config.available_features.add("learner")
