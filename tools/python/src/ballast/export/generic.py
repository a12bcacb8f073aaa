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


def generic(data):
    """The text in generic form.

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
        return module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)


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
    options = parser.parse_args()
    try:
        text = generic(options.program.read_bytes())
    except (OSError, ValueError) as error:
        sys.exit(f"{options.program}: {error}")
    options.output.write_text(text)


if __name__ == "__main__":
    main()
