"""Compiles a StableHLO program with XLA; measures its memory, and runs it on arguments from a seed.

Prints one JSON object. Results go to a file, one after another, row-major and little-endian. With --each the functions of the
program are compiled and timed one by one instead, and copies between the device and the host where the device is not the host.
"""

import argparse
import json
import os
import pathlib
import sys
import time

# Barriers hold recomputed ops back; XLA's CPU compiler would drop them before it schedules.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_disable_hlo_passes=cse_barrier_expander"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import jax  # noqa: E402
import numpy  # noqa: E402
from jaxlib import xla_client  # noqa: E402

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1",
         "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}


def arguments(module, seed):
    """One random array per parameter: small numbers, or integers that are valid indices."""
    shapes = xla_client.XlaComputation(module.as_serialized_hlo_module_proto()).program_shape().parameter_shapes()
    for number, shape in enumerate(shapes):
        random = numpy.random.default_rng([seed, number])
        kind = shape.numpy_dtype()
        dims = shape.dimensions()
        if numpy.issubdtype(kind, numpy.integer) or kind == numpy.bool_:
            yield random.integers(0, 2, dims).astype(kind)
        else:
            yield ((random.random(dims) - 0.5) / 4).astype(kind)


# What a call takes that computes nothing: Python, and XLA's dispatch.
EMPTY = """module { func.func @main() -> tensor<f32> {
  %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  return %0 : tensor<f32> } }"""
# Bytes of a copy whose time is nearly all latency, and of one whose time is nearly all transfer.
COPY_BYTES = (4 << 10, 32 << 20)


def functions(text):
    """The public functions of a module as programs of their own, by name, in order; private ones go with each."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        found = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
        private = [op for op in found if "sym_visibility" in op.attributes
                   and ir.StringAttr(op.attributes["sym_visibility"]).value == "private"]
        for op in found:
            if op in private:
                continue
            alone = ir.Module.create()
            with ir.InsertionPoint(alone.body):
                op.clone().attributes["sym_name"] = ir.StringAttr.get("main")
                for helper in private:
                    helper.clone()
            yield ir.StringAttr(op.attributes["sym_name"]).value, str(alone)


def timed(compiled, inputs, runs):
    """Seconds of every run, from the call until all results are there."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        for output in compiled.execute(inputs):
            output.block_until_ready()
        seconds.append(time.perf_counter() - start)
    return seconds


def copies(device):
    """[bytes, seconds to the host, seconds back] for each size: the median of nine copies, the first left out."""
    found = []
    for size in COPY_BYTES:
        there, back = [], []
        for number in range(10):
            host = numpy.full(size, number, dtype=numpy.uint8)
            start = time.perf_counter()
            value = jax.device_put(host, device).block_until_ready()
            back.append(time.perf_counter() - start)
            start = time.perf_counter()
            numpy.asarray(value)
            there.append(time.perf_counter() - start)
        found.append([size, sorted(there[1:])[4], sorted(back[1:])[4]])
    return found


def time_each(options, device, compile_program):
    """Seconds of every run of every function, less those of a call that computes nothing."""
    overhead = min(timed(compile_program(EMPTY), [], 100))
    answer = {"overhead_seconds": overhead, "functions": {}}
    for name, text in functions(options.program.read_text()):
        compiled = compile_program(text)
        inputs = [jax.device_put(value, device) for value in arguments(compiled.hlo_modules()[0], options.seed)]
        seconds = timed(compiled, inputs, options.runs)
        answer["functions"][name] = [max(second - overhead, 0.0) for second in seconds]
    if device.platform != "cpu":
        answer["copies"] = copies(device)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path, help="StableHLO program, as text")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--platform", default="cpu", help="where to run: cpu, gpu, tpu; default %(default)s")
    parser.add_argument("--runs", type=int, default=1, help="timed runs, after one that is not timed")
    parser.add_argument("--results", type=pathlib.Path, help="run, and write the results here")
    parser.add_argument("--each", action="store_true", help="time the functions of the program one by one")
    options = parser.parse_args()

    # Arrays keep the types of the program, 64 bits too.
    jax.config.update("jax_enable_x64", True)
    device = jax.devices(options.platform)[0]

    def compile_program(text):
        return device.client.compile_and_load(text, xla_client.DeviceList((device,)), xla_client.CompileOptions())

    if options.each:
        json.dump(time_each(options, device, compile_program), sys.stdout)
        return
    compiled = compile_program(options.program.read_text())
    memory = compiled.get_compiled_memory_stats()
    answer = {
        "temporary_bytes": memory.temp_size_in_bytes,
        "argument_bytes": memory.argument_size_in_bytes,
        "result_bytes": memory.output_size_in_bytes,
        "alias_bytes": memory.alias_size_in_bytes,
        "flops": compiled.cost_analysis().get("flops"),
    }
    if options.results:
        module = compiled.hlo_modules()[0]
        inputs = [jax.device_put(value, device) for value in arguments(module, options.seed)]
        seconds = []
        outputs = []
        for _ in range(options.runs + 1):
            start = time.perf_counter()
            outputs = compiled.execute(inputs)
            for output in outputs:
                output.block_until_ready()
            seconds.append(time.perf_counter() - start)
        answer["seconds"] = min(seconds[1:])
        # Accelerators count what their allocator hands out; the CPU client does not.
        answer["device_peak_bytes"] = (device.memory_stats() or {}).get("peak_bytes_in_use")
        answer["results"] = []
        with options.results.open("wb") as file:
            for output in outputs:
                value = numpy.asarray(output)
                answer["results"].append({"element": NAMES[str(value.dtype)], "elements": int(value.size)})
                file.write(numpy.ascontiguousarray(value).tobytes())
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
