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


def generic(data, *, barriers=True):
    """The text in generic form, with its optimization barriers or without.

    Raises:
        ValueError: it is none of the forms above; the message says what was wrong.
    """
    from jax.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    with mlir.make_ir_context() as context, ir.Location.unknown():
        try:
            if data.startswith(BYTECODE):
                try:
                    module = stablehlo.deserialize_portable_artifact(context, data)
                except Exception:  # Bytecode of StableHLO itself, and no artifact.
                    module = ir.Module.parse(data)
            else:
                module = ir.Module.parse(text_of(data))
        except ir.MLIRError as error:
            raise ValueError(str(error)) from error
        if not barriers:
            drop_barriers(module)
        return module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)


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
    parser.add_argument("--without-barriers", action="store_true", help="leave optimization barriers out, and with them what holds recomputation apart")
    options = parser.parse_args()
    try:
        text = generic(options.program.read_bytes(), barriers=not options.without_barriers)
    except (OSError, ValueError) as error:
        sys.exit(f"{options.program}: {error}")
    options.output.write_text(text)


if __name__ == "__main__":
    main()
