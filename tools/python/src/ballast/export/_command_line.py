"""What the exporters share: options made from a model's fields, loading a user's function, writing the file."""

import argparse
import dataclasses
import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path


def parse(framework, description, models, own, add_options):
    """Parses the command line: one sub-command per model, and those for a program of one's own, `own`, each with its help.

    `add_options(parser)` adds what a framework's exporter has of its own. Returns the options and the model they
    describe, which is None for one's own.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m ballast.export.{framework}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="model", required=True, metavar="MODEL")
    for name, kind in models.items():
        summary = kind.__doc__.splitlines()[0]
        command = commands.add_parser(name, help=summary, description=kind.__doc__)
        for field in dataclasses.fields(kind):
            command.add_argument(f"--{field.name}", type=_at_least(getattr(kind, "MINIMA", {}).get(field.name, 1)),
                                 default=field.default, metavar="N",
                                 help="default %(default)s")
        _add_common(command, add_options)
    for name, summary in own.items():
        command = commands.add_parser(name, help=summary, description=summary)
        command.add_argument("source", metavar="FILE.py:NAME", help="the function to call, without arguments")
        _add_common(command, add_options)
    options = parser.parse_args()
    if options.model in own:
        return options, None
    kind = models[options.model]
    fields = {field.name: getattr(options, field.name) for field in dataclasses.fields(kind)}
    try:
        return options, kind(**fields)
    except ValueError as error:
        parser.error(str(error))


def _add_common(parser, add_options):
    parser.add_argument("--rate", type=float, default=0.01, help="learning rate of the SGD update, default %(default)s")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file to write")
    add_options(parser)


def _at_least(least):
    def number(text):
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{text} is not {least} or more")
        return value

    return number


def load_function(source):
    """The function that `FILE.py:NAME` means."""
    path, _, name = source.rpartition(":")
    if not path or not name:
        sys.exit(f"{source}: expected FILE.py:NAME")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or not Path(path).is_file():
        sys.exit(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        sys.exit(f"{path}: has no function {name}")
    return getattr(module, name)


def write(path, text):
    """Writes a program, whole or not at all, after checking that every tensor's size is known."""
    dynamic = re.search(r"tensor<[^>]*\?[^>]*>", text)
    if dynamic:
        sys.exit(f"not written: the program holds a tensor of unknown size, {dynamic.group()}")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(text if text.endswith("\n") else text + "\n")
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
    print(f"{path}: {len(text.splitlines())} lines, {len(text) / 1e3:.0f} kB", file=sys.stderr)
