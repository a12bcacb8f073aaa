#!/usr/bin/env python3
"""A decoder's step compiled for a GPU that is described and need not be there: temporaries, and the bytes its kernels read and write.

As it is, with a `jax.checkpoint` around every block, and planned with the fusions of loops (`xla`) and of whole rows (`xla-gpu`) under caps of the temporaries.
A row of a table each. Needs jaxlib's plugin for CUDA and optax. docs/jax.md has the rows of an H100.
"""

import argparse
import dataclasses
import math
import pathlib
import re
import time

import jax
from jax._src import lib
from jax.experimental import topologies
from jax.interpreters import mlir as jax_mlir
from jax.sharding import SingleDeviceSharding
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from ballast.jax._planned import OPERATIONS, generic, planned
from jax_accelerator import decoder

BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8, "s64": 8, "u64": 8}


def size(kind):
    """Bytes of a type as HLO writes it, of all in a tuple."""
    shapes = re.findall(r"(\w+)\[([\d,]*)\]", kind)
    return sum(BYTES.get(element, 0) * math.prod(int(number) for number in numbers.split(",") if number) for element, numbers in shapes)


def traffic(hlo):
    """Bytes that the kernels of a compiled program read and write: operands and results of fusions, copies and calls of libraries."""
    kinds, total = {}, 0
    for line in hlo[hlo.index("ENTRY"):].splitlines():
        found = re.match(r"\s+(?:ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*?)\)", line)
        if not found:
            continue
        name, kind, operation, operands = found.groups()
        kinds[name] = kind
        if operation in ("fusion", "copy", "custom-call"):
            total += size(kind) + sum(size(kinds.get(operand, "")) for operand in re.findall(r"%([\w.\-]+)", operands))
    return total


def main():
    """Reads the command line, compiles, and prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", type=pathlib.Path, default=pathlib.Path(__file__).parents[3] / "tools/xla/h100.txtpb", help="the GPU as XLA describes it")
    parser.add_argument("--caps", default="65,45,30", help="percent of the temporaries of the step as it is (default 65,45,30)")
    parser.add_argument("--time-limit", type=float, default=6.0, help="seconds of a search (default 6)")
    parser.add_argument("--times", default="h100-80gb", help="the device that plans are made for (default h100-80gb)")
    parser.add_argument("--small", action="store_true", help="a small decoder, to try the script")
    arguments = parser.parse_args()
    described = topologies.get_topology_desc("described", "cuda", target_config=arguments.target.read_text(), topology="1x1x1").devices[0]
    options = {"xla_gpu_autotune_level": 0, "xla_gpu_enable_triton_gemm": False}
    if lib.cuda_path:
        options["xla_gpu_cuda_data_dir"] = lib.cuda_path
    step_of, start, batch, _ = decoder(arguments.small)
    given = jax.eval_shape(start), jax.eval_shape(lambda: batch)
    there = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=SingleDeviceSharding(described)), given)

    def row(name, expected, step):
        before = time.perf_counter()
        compiled = jax.jit(step, donate_argnums=0).lower(*there).compile(options)
        took, hlo = time.perf_counter() - before, compiled.as_text()
        taken, products = compiled.memory_analysis().temp_size_in_bytes, hlo.count("__cublas$")
        print(f"| {name} | {expected} | {taken / 1e6:.1f} | {traffic(hlo) / 1e9:.1f} | {products} | {took:.1f} |", flush=True)
        return taken

    print("| step | expected MB | temporaries MB | read and written GB | products | compiled in s |\n|---|---|---|---|---|---|")
    plain = row("as it is", "", step_of(lambda block: block))
    for name in ("nothing_saveable", "dots_with_no_batch_dims_saveable"):
        policy = getattr(jax.checkpoint_policies, name)
        row(f"`{name}`", "", step_of(lambda block, policy=policy: jax.checkpoint(block, policy=policy)))
    exported = jax.export.export(jax.jit(step_of(lambda block: block), donate_argnums=0), platforms=["cuda"])(*given)
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        text = generic(ir.Module.parse(exported.mlir_module()))
    for percent in arguments.caps.split(","):
        cap = int(plain * float(percent) / 100)
        for fusion, times in (("xla", OPERATIONS), ("xla", arguments.times), ("xla-gpu", OPERATIONS), ("xla-gpu", arguments.times)):
            limits = f"function='' relax-limit=8 time-limit={arguments.time_limit} seed=0 cap={cap}"
            rewritten, figures = planned(text, limits, times, fusion)
            with jax_mlir.make_ir_context(), ir.Location.unknown():
                artifact = stablehlo.serialize_portable_artifact(ir.Module.parse(rewritten), stablehlo.get_current_version())
            step = dataclasses.replace(exported, mlir_module_serialized=artifact).call
            row(f"{percent} %, `{fusion}`, {times}", f"{figures['peak_bytes'] / 1e6:.1f}", step)


if __name__ == "__main__":
    main()
