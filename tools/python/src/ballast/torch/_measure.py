"""What a step takes, as the allocator counts it."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.profiler

from ._host import HELD

#: Of a process there is one profiler, and of a device one peak.
_MEASURING = threading.RLock()
#: Before the name of a region among the profiler's.
_REGION = "ballast region "


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Bytes allocated during a call, beyond what was allocated before it."""

    peak_bytes: int
    #: Still there after it: gradients, and results that the caller holds.
    left_bytes: int
    #: Most on the host for values that have left the device, beyond what was there before. On CUDA all pinned memory of torch's allocator.
    host_bytes: int = 0


def measure(step: Callable[[], Any], *, device: torch.device | str | None = None) -> Measurement:
    """Calls `step` once and reads the allocator: CUDA's own statistics, or every allocation the profiler saw on the CPU, where the host's share is no
    memory of torch's allocator.

    Args:
        step: What is measured. Call it once before, so that compiling does not count.
        device: Whose memory. Without it that of CUDA where this process has used it, else the CPU's.
    """
    if device is None:
        device = "cuda" if torch.cuda.is_initialized() else "cpu"
    with _MEASURING:
        return Regions(torch.device(device)).measure(step)


@contextlib.contextmanager
def alone() -> Iterator[bool]:
    """Whether something may be measured inside: not where somebody profiles, nor while another thread measures. Nobody is waited for, who may wait himself."""
    if torch.autograd._profiler_enabled() or not _MEASURING.acquire(blocking=False):
        yield False
        return
    try:
        yield True
    finally:
        _MEASURING.release()


class Span:
    """What the allocator of a device gives between `begin` and `end`, which need not stand in one function."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._profiler: torch.autograd.profiler.profile | None = None
        self._before = 0

    def begin(self) -> None:
        """From now on. On CUDA torch's own peak starts anew, which is one for all who ask."""
        if self._device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self._device)
            self._before = torch.cuda.memory_allocated(self._device)
        else:
            # Torch's outer profiler, told to be silent about events of earlier cycles, makes Python objects of all events; nobody reads them here.
            self._profiler = torch.autograd.profiler.profile(use_kineto=True, profile_memory=True)
            self._profiler.__enter__()

    def end(self) -> tuple[int, int]:
        """Most bytes that were allocated beyond what was there at the beginning, and what is left of them."""
        if self._device.type == "cuda":
            now, most = torch.cuda.memory_allocated(self._device), torch.cuda.max_memory_allocated(self._device)
            return most - self._before, now - self._before
        assert self._profiler is not None
        self._profiler.__exit__(None, None, None)
        return _allocated(self.events())

    def events(self) -> list[Any]:
        """The profiler's, on the CPU, once it has ended."""
        assert self._profiler is not None
        return self._profiler.kineto_results.experimental_event_tree()


class Regions:
    """A measurement with named parts, for one call of `measure`."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._most = 0
        #: Of each region the most bytes that were allocated beyond what was there when it began, its results included.
        self.peak_bytes: dict[str, int] = {}

    @contextlib.contextmanager
    def region(self, name: str) -> Iterator[None]:
        """A part of what is measured; regions do not overlap."""
        if self._device.type == "cuda":
            self._peak_since()
            before = torch.cuda.memory_allocated(self._device)
            yield
            self.peak_bytes[name] = self._peak_since() - before
        else:
            with torch.profiler.record_function(_REGION + name):
                yield

    def measure(self, step: Callable[[], Any]) -> Measurement:
        """Calls `step` once and reads the allocator."""
        return self._on_cuda(step) if self._device.type == "cuda" else self._on_cpu(step)

    def _on_cuda(self, step: Callable[[], Any]) -> Measurement:
        device = self._device
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
        torch.cuda.reset_peak_host_memory_stats()
        before, pinned = torch.cuda.memory_allocated(device), torch.cuda.host_memory_stats().get("active_bytes.current", 0)
        step()
        torch.cuda.synchronize(device)
        self._peak_since()
        return Measurement(
            self._most - before, torch.cuda.memory_allocated(device) - before, torch.cuda.host_memory_stats().get("active_bytes.peak", 0) - pinned,
        )

    def _peak_since(self) -> int:
        """CUDA's peak since it was asked for last."""
        peak = torch.cuda.max_memory_allocated(self._device)
        torch.cuda.reset_peak_memory_stats(self._device)
        self._most = max(self._most, peak)
        return peak

    def _on_cpu(self, step: Callable[[], Any]) -> Measurement:
        held = HELD.reset()
        span = Span(self._device)
        span.begin()
        try:
            step()
        finally:
            peak, left = span.end()
        for event in _events(span.events()):
            if event.name.startswith(_REGION):
                self.peak_bytes[event.name.removeprefix(_REGION)] = _allocated([event])[0]
        return Measurement(peak, left, HELD.peak - held)


def _allocated(roots: list[Any]) -> tuple[int, int]:
    """Most bytes that torch's CPU allocator gave, and what is left, in some events and all below."""
    changes = [
        (event.start_time_ns, event.extra_fields.alloc_size)
        for event in _events(roots) if event.tag.name == "Allocation" and event.extra_fields.device.type == "cpu"
    ]
    live = peak = 0
    for _, size in sorted(changes, key=lambda change: change[0]):
        live += size
        peak = max(peak, live)
    return peak, live


def _events(roots: list[Any]) -> Iterator[Any]:
    stack = list(roots)
    while stack:
        event = stack.pop()
        yield event
        stack.extend(event.children)
