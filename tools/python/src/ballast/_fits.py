"""The answer to "will it fit?", and the search for the largest batch that does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ._devices import by_name
from ._units import format_bytes, parse_bytes


@dataclasses.dataclass(frozen=True)
class Live:
    """Values of one source line that are live at the peak."""

    source: str
    bytes: int
    values: int


@dataclasses.dataclass(frozen=True)
class Fit:
    """The answer of `will_it_fit`. All sizes in bytes: of JAX as XLA's own assignment of buffers for the platform at hand has them, of PyTorch
    as the graphs hold them op by op. Arguments of a PyTorch step are parameters, inputs, and what else is held."""

    fits: bool
    device: str
    memory_bytes: int
    peak_bytes: int
    argument_bytes: int
    result_bytes: int
    temporary_bytes: int
    #: Arguments whose memory results take over (donation).
    shared_bytes: int
    #: Temporaries live at the peak, by source line, largest first; empty where the compiler does not tell.
    live: tuple[Live, ...]
    #: Largest batch that fits, where `batch_args` was given.
    largest_batch: int | None = None

    def __bool__(self) -> bool:
        return self.fits

    def table(self, rows: int = 12) -> str:
        """The answer as text."""
        lines = [
            f"{'fits' if self.fits else 'does NOT fit'}: {format_bytes(self.peak_bytes)} of {format_bytes(self.memory_bytes)} on {self.device}",
            f"arguments {format_bytes(self.argument_bytes)}, results {format_bytes(self.result_bytes)}, of these the same memory "
            f"{format_bytes(self.shared_bytes)}, temporaries {format_bytes(self.temporary_bytes)}",
        ]
        if self.largest_batch is not None:
            lines.append(f"largest batch: {self.largest_batch}")
        lines += [f"{format_bytes(live.bytes):>12}  {live.values:>4} values  {live.source}" for live in self.live[:rows]]
        return "\n".join(lines)


def of_device(device: str | int) -> tuple[str, int]:
    """Name and memory of a device given by name or by bytes."""
    if isinstance(device, str):
        try:
            return f"{device} bytes" if device.isdigit() else device, parse_bytes(device)
        except ValueError:
            return device, by_name(device).memory_bytes
    return format_bytes(device), parse_bytes(device)


def largest_batch(fits: Callable[[int], bool], most: int) -> int:
    """The largest batch up to `most` that fits, found by doubling and halving; 0 where none does."""
    if not fits(1):
        return 0
    low, high = 1, 2
    while high <= most and fits(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
