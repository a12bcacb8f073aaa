"""What a step takes, as the allocator counts it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch

from ._host import HELD


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Bytes allocated during a call, beyond what was allocated before it."""

    peak_bytes: int
    #: Still there after it: gradients, and results that the caller holds.
    left_bytes: int
    #: Most on the host for values that have left the device, beyond what was there before. On CUDA all pinned memory of torch's allocator.
    host_bytes: int = 0


def measure(step: Callable[[], Any], *, device: torch.device | str = "cpu") -> Measurement:
    """Calls `step` once and reads the allocator: CUDA's own statistics, or every allocation the profiler saw on the CPU, where the host's share is no
    memory of torch's allocator.

    Call the step once before, so that compiling does not count.
    """
    device = torch.device(device)
    if device.type == "cuda":
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
        torch.cuda.reset_peak_host_memory_stats()
        before, pinned = torch.cuda.memory_allocated(device), torch.cuda.host_memory_stats().get("active_bytes.current", 0)
        step()
        torch.cuda.synchronize(device)
        return Measurement(
            torch.cuda.max_memory_allocated(device) - before, torch.cuda.memory_allocated(device) - before,
            torch.cuda.host_memory_stats().get("active_bytes.peak", 0) - pinned,
        )
    from torch.profiler import ProfilerActivity, profile

    held = HELD.reset()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, acc_events=True) as profiler:
        step()
    changes = []
    for event in _events(profiler.profiler.kineto_results.experimental_event_tree()):
        if event.tag.name == "Allocation" and event.extra_fields.device.type == "cpu":
            changes.append((event.start_time_ns, event.extra_fields.alloc_size))
    live = peak = 0
    for _, size in sorted(changes, key=lambda change: change[0]):
        live += size
        peak = max(peak, live)
    return Measurement(peak, live, HELD.peak - held)


def _events(roots: list[Any]) -> Any:
    stack = list(roots)
    while stack:
        event = stack.pop()
        yield event
        stack.extend(event.children)
