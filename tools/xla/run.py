"""Compiles a StableHLO program with XLA; measures its memory, and runs it on arguments from a seed.

Prints one JSON object. Results go to a file, one after another, row-major and little-endian. With --each the functions of the
program are compiled and timed one by one instead, and copies between the device and the host where the device is not the host.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import jax  # noqa: E402
import numpy  # noqa: E402
from jax._src import lib  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jaxlib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1",
         "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
         "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}


def plain(value):
    """An array of numbers that every reader knows, and the name of their type: complex ones as their two parts, small floats and integers widened."""
    if numpy.iscomplexobj(value):
        value = numpy.stack([value.real, value.imag], axis=-1)
    if str(value.dtype) not in NAMES:
        whole = jax.numpy.issubdtype(value.dtype, jax.numpy.integer)
        value = value.astype(numpy.int8 if whole else numpy.float32)
    return value, NAMES[str(value.dtype)]


def load_libraries():
    """What JAX loads before it compiles a call of LAPACK for a CPU; such a call ends the process otherwise."""
    try:
        from jaxlib.cpu import _lapack
    except ImportError:  # Another jaxlib may have it elsewhere, and be in no need of it.
        return
    _lapack.initialize()


class Arguments:
    """One random array per parameter: small numbers, integers that are valid indices; above zero where a root or a logarithm is taken."""

    def __init__(self, module, seed, positive):
        computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
        self.shapes = computation.program_shape().parameter_shapes()
        self.seed = seed
        self.positive = positive

    def __len__(self):
        return len(self.shapes)

    def __getitem__(self, number):
        shape = self.shapes[number]
        random = numpy.random.default_rng([self.seed, number])
        kind = shape.numpy_dtype()
        dims = shape.dimensions()
        # JAX's knows integers of four bits, too.
        if jax.numpy.issubdtype(kind, jax.numpy.integer) or kind == numpy.bool_:
            return random.integers(0, 2, dims).astype(kind)
        numbers = random.random(dims)
        if numpy.issubdtype(kind, numpy.complexfloating):
            return ((numbers - 0.5 + 1j * (random.random(dims) - 0.5)) / 4).astype(kind)
        limits = jax.numpy.finfo(kind)
        # A type of few bits, such as f4E2M1FN, has no number but zero below 1/4.
        width = max(1 / 4, 8 * float(limits.smallest_subnormal))
        # A scale without a sign, f8E8M0FNU, is NaN for what is below zero.
        if number in self.positive or float(limits.min) > 0:
            # From 1/64, so that no root of it is near a division by zero.
            return (1 / 64 + numbers * width).astype(kind)
        return ((numbers - 0.5) * width).astype(kind)


class Inputs:
    """Arguments on a device. A program that is donated an argument takes its memory: such a one is put there anew for every run."""

    def __init__(self, arguments, device):
        self.arguments = arguments
        self.device = device
        self.values = [None] * len(arguments)

    def ready(self):
        for number, value in enumerate(self.values):
            if value is None or value.is_deleted():
                self.values[number] = jax.device_put(self.arguments[number], self.device)
        for value in self.values:
            value.block_until_ready()
        return self.values


# Ops that keep a value above zero if what they read is, apart from scale: which of their operands that is asked of.
KEEPS = {"convert": (0,), "reshape": (0,), "broadcast_in_dim": (0,), "transpose": (0,), "slice": (0,), "dynamic_slice": (0,),
         "optimization_barrier": (0,), "add": (0, 1), "multiply": (0, 1), "divide": (0,), "maximum": (0, 1),
         "sqrt": (0,), "concatenate": None, "select": (1, 2), "pad": (0, 1), "gather": (0,), "reduce": (0,)}
# Ops that take numbers above zero alone.
ASKS = {"sqrt", "rsqrt", "log", "cbrt"}


def positive_arguments(text):
    """Numbers of the arguments of the entry that reach a root or a logarithm by way of ops that keep their sign, such as second moments."""
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        bodies, calls = {}, {}
        for op in module.body.operations:
            if op.operation.name == "func.func" and len(op.regions[0].blocks) > 0:
                name = ir.StringAttr(op.attributes["sym_name"]).value
                bodies[name] = op.regions[0].blocks[0]
                for inner in bodies[name].operations:
                    if inner.operation.name in ("func.call", "call"):
                        callee = ir.FlatSymbolRefAttr(inner.attributes["callee"]).value
                        calls.setdefault(callee, []).append(inner.operation)
        public = [name for name in bodies if name not in calls]
        entry = "main" if "main" in bodies else (public or list(bodies))[0]
        found, seen, work = set(), set(), []

        def ask(value, function):
            key = (function, hash(value), str(value.get_name()) if hasattr(value, "get_name") else repr(value))
            if key not in seen:
                seen.add(key)
                work.append((value, function))

        for name, body in bodies.items():
            for op in body.operations:
                if op.operation.name.removeprefix("stablehlo.") in ASKS:
                    ask(op.operation.operands[0], name)
        while work:
            value, function = work.pop()
            if isinstance(value.maybe_downcast(), ir.BlockArgument):
                argument = ir.BlockArgument(value)
                if argument.owner != bodies[function]:
                    continue
                if function == entry:
                    found.add(argument.arg_number)
                for call in calls.get(function, []):
                    caller = next(name for name, body in bodies.items() if body == call.operation.block)
                    ask(call.operands[argument.arg_number], caller)
                continue
            op = ir.OpResult(value).owner
            name = op.name.removeprefix("stablehlo.")
            if name in ("func.call", "call"):
                callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
                last = list(bodies[callee].operations)[-1].operation
                ask(last.operands[ir.OpResult(value).result_number], callee)
                continue
            if name == "optimization_barrier":
                ask(op.operands[ir.OpResult(value).result_number], function)
                continue
            # A square is not negative whatever is squared.
            if name not in KEEPS or (name == "multiply" and op.operands[0] == op.operands[1]):
                continue
            which = KEEPS[name]
            for number in range(len(op.operands)) if which is None else which:
                ask(op.operands[number], function)
        return sorted(found)


# What a call takes that computes nothing: Python, and XLA's dispatch.
EMPTY = """module { func.func @main() -> tensor<f32> {
  %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  return %0 : tensor<f32> } }"""
# Bytes of a copy whose time is nearly all latency, and of one whose time is nearly all transfer.
COPY_BYTES = (4 << 10, 32 << 20)


def functions(text):
    """The public functions of a module as programs of their own, by name, in order; private ones go with each."""
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
    """Seconds of every run, from the call until all results are there; and the results of the last."""
    seconds = []
    outputs = []
    for _ in range(runs):
        values = inputs.ready()
        start = time.perf_counter()
        outputs = compiled.execute(values)
        for output in outputs:
            output.block_until_ready()
        seconds.append(time.perf_counter() - start)
    return seconds, outputs


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


def described(target):
    """The device of a file that describes it: the compiler of its platform's plugin needs no device."""
    from jax.experimental import topologies
    # A plugin would look for its devices first.
    jax.config.update("jax_platforms", "cpu")
    try:
        return topologies.get_topology_desc("described", "cuda", target_config=target.read_text(), topology="1x1x1").devices[0]
    except jax.errors.JaxRuntimeError as error:
        sys.exit(f"{target}: XLA does not take this for the description of a GPU: {error}")
    except RuntimeError:  # JAX knows no such platform.
        sys.exit("this Python's jaxlib has no compiler for CUDA: install jax-cuda13-plugin of its version, and nvidia-cuda-nvcc")


class Compiler:
    """Compiles for a device, or for the description of one."""

    def __init__(self, device, is_there):
        self.device = device
        self.is_there = is_there

    def options(self, dump=None, triton=True):
        options = xla_client.CompileOptions()
        overrides = []
        if self.device.platform == "cpu":
            # Barriers hold recomputed ops back; this compiler would drop them before it schedules. That of GPUs drops them after it has.
            overrides.append(("xla_disable_hlo_passes", "cse_barrier_expander"))
        elif lib.cuda_path:
            overrides.append(("xla_gpu_cuda_data_dir", lib.cuda_path))
        if not self.is_there:
            # Kernels cannot be timed on a device that is not there.
            overrides += [("xla_gpu_autotune_level", 0), ("xla_gpu_enable_triton_gemm", triton)]
        if dump:
            overrides += [("xla_dump_to", dump), ("xla_dump_hlo_as_proto", True)]
        options.env_option_overrides = overrides
        return options

    def __call__(self, text, dump=None):
        devices = xla_client.DeviceList((self.device,))
        client = self.device.client
        if self.is_there:
            return client.compile_and_load(text, devices, self.options(dump))
        with mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            try:
                return client.compile(module, devices, self.options(dump))
            except jax.errors.JaxRuntimeError as error:
                # Without timing, Triton has no tiles for some products. It stays on for all others: where kernels are timed it mostly wins, and takes no scratch memory.
                if "tile sizes" not in str(error):
                    raise
                return client.compile(module, devices, self.options(dump, triton=False))


def flops(compiled, text, platform):
    """Operations of a compiled program; of the program as it was handed in where the compiler is not the CPU's."""
    if platform == "cpu":
        return compiled.cost_analysis().get("flops")
    # Products and convolutions that a GPU's libraries compute count as none, and which those are differs from one compilation to the next, as kernels are timed;
    # the compiler of a device that is not there does not say anything.
    computation = xla_client._xla.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    return xla_client._xla.hlo_module_cost_analysis(jax.devices("cpu")[0].client, computation.get_hlo_module()).get("flops")


def time_each(options, device, compile_program):
    """Seconds of every run of every function, less those of a call that computes nothing."""
    overhead = min(timed(compile_program(EMPTY), Inputs([], device), 100)[0])
    answer = {"overhead_seconds": overhead, "functions": {}}
    for name, text in functions(options.program.read_text()):
        compiled = compile_program(text)
        arguments = Arguments(compiled.hlo_modules()[0], options.seed, positive_arguments(text))
        seconds, _ = timed(compiled, Inputs(arguments, device), options.runs)
        answer["functions"][name] = [max(second - overhead, 0.0) for second in seconds]
    if device.platform != "cpu":
        answer["copies"] = copies(device)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path, help="StableHLO program, as text")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--platform", default="cpu", help="where to run: cpu, gpu, tpu; default %(default)s")
    parser.add_argument("--target", type=pathlib.Path, help="compile for the GPU that this file describes, as XLA writes it, instead; it need not be there")
    parser.add_argument("--runs", type=int, default=1, help="timed runs, after one that is not timed")
    parser.add_argument("--results", type=pathlib.Path, help="run, and write the results here")
    parser.add_argument("--positive", help="numbers of the arguments to draw above zero; default: those of which a root or a "
                        "logarithm is taken")
    parser.add_argument("--stored", action="store_true", help="tell what is held while each instruction runs")
    parser.add_argument("--each", action="store_true", help="time the functions of the program one by one")
    options = parser.parse_args()

    # Arrays keep the types of the program, 64 bits too.
    jax.config.update("jax_enable_x64", True)
    if options.target and (options.results or options.each):
        parser.error("--target describes a device that is not there: nothing can run on it")
    device = described(options.target) if options.target else jax.devices(options.platform)[0]
    compile_program = Compiler(device, not options.target)
    if device.platform == "cpu":
        load_libraries()

    if options.each:
        json.dump(time_each(options, device, compile_program), sys.stdout)
        return
    text = options.program.read_text()
    with tempfile.TemporaryDirectory() as folder:
        # Plugins do not hand out what is stored where; they write it down.
        dump = folder if options.stored and device.platform != "cpu" else None
        compiled = compile_program(text, dump)
        memory = compiled.get_compiled_memory_stats()
        answer = {
            "temporary_bytes": memory.temp_size_in_bytes,
            "argument_bytes": memory.argument_size_in_bytes,
            "result_bytes": memory.output_size_in_bytes,
            "alias_bytes": memory.alias_size_in_bytes,
            "flops": flops(compiled, text, device.platform),
        }
        if options.stored:
            from stored import stored
            try:
                answer["stored"] = stored(compiled, dump)
            except Exception as error:  # Another jaxlib may write another format: the sums above hold all the same.
                answer["stored_error"] = repr(error)
    if options.results:
        if options.positive is None:
            positive = positive_arguments(text)
        else:
            positive = [int(number) for number in options.positive.split(",") if number]
        arguments = Arguments(compiled.hlo_modules()[0], options.seed, positive)
        answer["positive"] = positive
        seconds, outputs = timed(compiled, Inputs(arguments, device), options.runs + 1)
        answer["seconds"] = min(seconds[1:])
        # Accelerators count what their allocator hands out; the CPU client does not.
        answer["device_peak_bytes"] = (device.memory_stats() or {}).get("peak_bytes_in_use")
        answer["results"] = []
        with options.results.open("wb") as file:
            for output in outputs:
                value, element = plain(numpy.asarray(output))
                answer["results"].append({"element": element, "elements": int(value.size)})
                file.write(numpy.ascontiguousarray(value).tobytes())
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
