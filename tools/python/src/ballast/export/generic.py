"""Writes a StableHLO program in the form that Ballast reads, whatever form it has: `python -m ballast.export.generic PROGRAM -o OUTPUT`.

Read are text as `jax.jit(f).lower(...).as_text()` gives it, MLIR bytecode, StableHLO's portable artifacts (`Exported.mlir_module_serialized`) and what
`jax.export.export(...)(...).serialize()` gives. Written is text in generic form, with where ops come from: stock MLIR registers no StableHLO, and parses that alone.
Needs jax; an artifact of jax.export needs flatbuffers too. `ballast fit` and `ballast run` do this by themselves.
"""

import argparse
import pathlib
import sys

#: The first bytes of MLIR bytecode, in which portable artifacts are written, too.
BYTECODE = b"ML\xefR"


def generic(data, *, barriers=True, name="-"):
    """The text in generic form, with its optimization barriers or without; `name` is the file that its places are in.

    Raises:
        ValueError: it is none of the forms above; the message says what was wrong.
    """
    from jax.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    if not data.strip():
        raise ValueError("it is empty")
    with mlir.make_ir_context() as context, ir.Location.unknown():
        try:
            if data.startswith(BYTECODE):
                try:
                    module = stablehlo.deserialize_portable_artifact(context, data)
                except Exception:  # Bytecode of StableHLO itself, and no artifact.
                    module = ir.Module.parse(data)
            else:
                module = parsed(text_of(data), name)
        except ir.MLIRError as error:
            raise ValueError(str(error)) from error
        if not barriers:
            drop_barriers(module)
        return text_in_generic_form(module)


def parsed(text, name):
    """The module of a text, with the name of its file in the places of ops that have none of their own, as where MLIR reads the file."""
    from jaxlib.mlir import ir

    # Around functions alone stands a module that shifts nothing: MLIR counts columns from a carriage return on, and lines by newlines.
    for written in (text, f"module {{\r{text}\n}}"):
        try:
            module = ir.Operation.parse(written, source_name=name)
        except ir.MLIRError:
            continue
        if module.operation.name == "builtin.module":
            return module
    return ir.Module.parse(text)


def text_in_generic_form(module, locations=True):
    """A module as the planner parses it, with the places in its source or without."""
    with module.context:
        widen_booleans(module)
        inline_hidden_calls(module)
    return module.operation.get_asm(print_generic_op_form=True, enable_debug_info=locations)


def widen_booleans(module):
    """Writes large constants of booleans as bytes that are converted. MLIR prints what has more than 100 elements in hexadecimal: jaxlib's a byte for each
    boolean, that of the planner a bit, and neither reads the other."""
    import numpy
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    found = []

    def visit(operation):
        if operation.name == "stablehlo.constant" and str(operation.results[0].type).endswith("xi1>"):
            value = operation.attributes["value"]
            if len(value) > 100 and not value.is_splat:
                found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for constant in found:
        with ir.InsertionPoint(constant), constant.location:
            values = numpy.array(constant.attributes["value"]).astype(numpy.int8)
            widened = stablehlo.convert(constant.results[0].type, stablehlo.constant(ir.DenseElementsAttr.get(values)))
        constant.results[0].replace_all_uses_with(widened)
        constant.erase()


def inline_hidden_calls(module):
    """Puts the callee in place of calls in an op with a single region, such as a `reduce`: who does not know the op takes it for a table of symbols, and
    does not find the function."""
    from jaxlib.mlir import ir

    functions = {ir.StringAttr(op.attributes["sym_name"]).value: op.operation for op in module.body.operations if op.operation.name == "func.func"}
    hidden = []

    def visit(operation):
        around = operation.parent
        while operation.name == "func.call" and around is not None and around.name != "func.func":
            if len(around.regions) == 1:
                hidden.append(operation)
                break
            around = around.parent
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    while hidden:
        call = hidden.pop()
        callee = functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value].clone(ip=ir.InsertionPoint(module.body))
        (body,) = callee.regions[0].blocks
        for argument, operand in zip(body.arguments, list(call.operands), strict=True):
            argument.replace_all_uses_with(operand)
        *operations, last = list(body.operations)
        for operation in operations:
            operation.operation.move_before(call)
        for result, value in zip(call.results, list(last.operands), strict=True):
            result.replace_all_uses_with(value)
        call.erase()
        callee.erase()
        for operation in operations:
            operation.operation.walk(visit)


def drop_barriers(module):
    """Puts what goes into each optimization barrier in place of what comes out: nothing holds a repeat apart any more."""
    from jaxlib.mlir import ir

    found = []

    def visit(operation):
        if operation.name == "stablehlo.optimization_barrier":
            found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for barrier in found:
        for result, operand in zip(barrier.results, list(barrier.operands), strict=True):
            result.replace_all_uses_with(operand)
    for barrier in found:
        barrier.erase()


def text_of(data):
    """MLIR text, or the text in an artifact of jax.export."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        pass
    import jax.export

    try:
        return str(jax.export.deserialize(bytearray(data)).mlir_module())
    except ImportError as error:
        raise ValueError(f"an artifact of jax.export is read with flatbuffers, which is not installed: {error}") from error
    except Exception as error:
        raise ValueError(f"it is neither text, nor MLIR bytecode, nor an artifact of jax.export: {error}") from error


def main():
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m ballast.export.generic", description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path, help="StableHLO program in any form")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="file to write")
    parser.add_argument("--name", help="what the places of ops call the file; default: as it was given")
    parser.add_argument("--without-barriers", action="store_true", help="leave optimization barriers out, and with them what holds recomputation apart")
    options = parser.parse_args()
    try:
        name = options.name or str(options.program)
        text = generic(options.program.read_bytes(), barriers=not options.without_barriers, name=name)
    except (OSError, ValueError) as error:
        sys.exit(f"{options.program}: {error}")
    options.output.write_text(text)


if __name__ == "__main__":
    main()
