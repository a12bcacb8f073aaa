"""Will it fit? What a step takes on a device, what is live when it takes most, and the largest batch."""

from __future__ import annotations

import pathlib
import re
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import jax

from .._fits import Fit, Live, largest_batch, of_device
from ._memory import counted, stats_of

_RANGE = re.compile(r'^\s*(?P<name>[\w.\-]+)(?:\{[^}]*\})?:\s*(?P<size>\d+) bytes')


def will_it_fit(
    step: Callable[..., Any], *args: Any, device: str | int = "h100-80gb", donate_argnums: int | Sequence[int] = (), live: bool = True,
    batch_args: Callable[[int], tuple[Any, ...]] | None = None, most: int = 65536,
) -> Fit:
    """What a step takes, beside the memory of a device. Nothing runs: arguments may be shapes (`jax.ShapeDtypeStruct`).

    The step is compiled for the platform at hand; another platform fuses and schedules otherwise, by some per cent.

    Args:
        step: What would be given to `jax.jit`.
        args: Its arguments.
        device: A name such as `h100-80gb`, or memory in bytes such as `"24GiB"`.
        donate_argnums: As for `jax.jit`.
        live: Say what is live at the peak, by source line.
        batch_args: From a batch size to the arguments: the largest batch that fits is searched by doubling and halving.
        most: Largest batch to try.

    Raises:
        ValueError: the device is not known.
    """
    name, memory = of_device(device)
    compiled, ranges = _compile(step, args, donate_argnums, live)
    stats = stats_of(compiled)
    peak = counted(stats, "step")
    largest = None
    if batch_args is not None:
        def fits(batch: int) -> bool:
            return counted(stats_of(_compile(step, batch_args(batch), donate_argnums, False)[0]), "step") <= memory

        largest = largest_batch(fits, most)
    return Fit(
        peak <= memory, name, memory, peak, int(stats.argument_size_in_bytes), int(stats.output_size_in_bytes), int(stats.temp_size_in_bytes),
        int(stats.alias_size_in_bytes), ranges, largest,
    )


def _compile(step: Callable[..., Any], args: tuple[Any, ...], donate: int | Sequence[int], live: bool) -> tuple[Any, tuple[Live, ...]]:
    lowered = jax.jit(step, donate_argnums=donate).lower(*args)
    if not live:
        return lowered.compile(), ()
    with tempfile.TemporaryDirectory(prefix="ballast-") as folder:
        try:
            compiled = lowered.compile(compiler_options={"xla_dump_to": folder, "xla_dump_hlo_as_text": True})
        except Exception:  # A platform that does not take these options per program.
            return lowered.compile(), ()
        return compiled, _live(pathlib.Path(folder))


def _live(folder: pathlib.Path) -> tuple[Live, ...]:
    """Reads XLA's own list of what is live at the peak, and the source lines of its instructions."""
    ranges = next(iter(sorted(folder.glob("*live-range.txt"))), None)
    module = next(iter(sorted(folder.glob("*after_optimizations.txt"))), None)
    if ranges is None or module is None:
        return ()
    text = ranges.read_text()
    start = text.find("Live ranges at ")
    if start < 0:
        return ()
    sources = _sources(module.read_text())
    sums: dict[str, list[int]] = {}
    for line in text[start:].splitlines()[1:]:
        found = _RANGE.match(line)
        if found:
            source = sources.get(found.group("name"), "") or found.group("name")
            entry = sums.setdefault(source, [0, 0])
            entry[0] += int(found.group("size"))
            entry[1] += 1
    return tuple(sorted((Live(source, size, count) for source, (size, count) in sums.items()), key=lambda one: (-one.bytes, one.source)))


def _sources(text: str) -> dict[str, str]:
    """Source line and op name of every instruction of a module in HLO text, whose header has tables of files and frames."""
    files = {number: pathlib.Path(name).name for number, name in re.findall(r'^(\d+) "([^"]*)"$', text.split("FunctionNames")[0], re.MULTILINE)}
    locations = {
        number: f"{files.get(file, '?')}:{line}"
        for number, file, line in re.findall(r"^(\d+) \{file_name_id=(\d+) .*?\bline=(\d+)", text, re.MULTILINE)
    }
    frames = {
        number: locations.get(location, "") for number, location in re.findall(r"^(\d+) \{file_location_id=(\d+)", text, re.MULTILINE)
    }
    found = {}
    for name, rest in re.findall(r"^\s*(?:ROOT )?%?([\w.\-]+) = (.*)$", text, re.MULTILINE):
        op, frame = re.search(r'op_name="([^"]*)"', rest), re.search(r"stack_frame_id=(\d+)", rest)
        source = f"{frames.get(frame.group(1), '') if frame else ''} {op.group(1) if op else ''}".strip()
        found[name] = source.replace("\\'", "'")
    return found
