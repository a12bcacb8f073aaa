"""The ops that copy a value to the host and back: on CUDA pinned memory, side streams and events, on the CPU storage outside of torch's allocator.

Each copy is two ops. `offload` and `reload` issue it and return at once; `offloaded_` and `reloaded_` hold the computing stream until it has ended.
Between them runs what the plan has there. What is copied out must not be freed before `offloaded_`, what comes back not be read before
`reloaded_`; the graphs are written so, and `_copies.py` checks that they are. Memory given back after `offloaded_` is free at once on the
computing stream, which the `record_stream` of a tensor could not promise: the allocator would take other memory meanwhile, above the cap.
"""

from __future__ import annotations

import threading

import torch

#: Declared as writing to their argument, so that a compiler keeps their place before what reads it.
_DEFINED = torch.library.Library("ballast", "DEF")
for _schema in (
    "offload(Tensor value, int[] stride) -> Tensor", "offloaded_(Tensor(a!) host, Tensor value) -> ()", "reload(Tensor host, Device device) -> Tensor",
    "reloaded_(Tensor(a!) value) -> ()",
):
    _DEFINED.define(_schema, tags=(torch.Tag.needs_exact_strides,))
OFFLOAD = torch.ops.ballast.offload.default
OFFLOADED = torch.ops.ballast.offloaded_.default
RELOAD = torch.ops.ballast.reload.default
RELOADED = torch.ops.ballast.reloaded_.default


class _Held:
    """Bytes of the CPU's stand-in for the host: now, and at most since the last reset."""

    def __init__(self) -> None:
        # A buffer may go while another one is counted: by the same thread.
        self._lock = threading.RLock()
        self.live = self.peak = 0

    def add(self, size: int) -> None:
        """Counts a buffer, or with a negative size its end."""
        with self._lock:
            self.live += size
            self.peak = max(self.peak, self.live)

    def reset(self) -> int:
        """Forgets the peak; what is held now."""
        with self._lock:
            self.peak = self.live
            return self.live


HELD = _Held()


class _Buffer(bytearray):
    """Memory that torch's allocator does not know of, counted while it is there."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        HELD.add(size)

    def __del__(self) -> None:
        HELD.add(-len(self))


def _offload_cpu(value: torch.Tensor, stride: list[int]) -> torch.Tensor:
    storage = torch.frombuffer(_Buffer(value.numel() * value.element_size()), dtype=torch.uint8).untyped_storage()
    host = torch.empty(0, dtype=value.dtype).set_(storage, 0, value.size(), stride)
    return host.copy_(value)


def _reload_cpu(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    return torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=device).copy_(host)


class _Streams:
    """One stream for each way, and the events that end the copies under way, by where they write."""

    def __init__(self) -> None:
        self._streams: dict[tuple[int, str], torch.cuda.Stream] = {}
        self._ends: dict[int, torch.cuda.Event] = {}

    def copy(self, target: torch.Tensor, source: torch.Tensor, way: str, device: torch.device) -> None:
        """Issues a copy behind all that was issued on the computing stream: what made the value, and what used the memory before."""
        with torch.cuda.device(device):
            key = (torch.cuda.current_device(), way)
            if key not in self._streams:
                self._streams[key] = torch.cuda.Stream()
            stream = self._streams[key]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                target.copy_(source, non_blocking=True)
                self._ends[target.data_ptr()] = stream.record_event()

    def wait(self, target: torch.Tensor, device: torch.device) -> bool:
        """Holds the computing stream, not the program, until a copy has ended. False: none writes there."""
        end = self._ends.pop(target.data_ptr(), None)
        if end is not None:
            with torch.cuda.device(device):
                torch.cuda.current_stream().wait_event(end)
        return end is not None


_STREAMS = _Streams()


def _offload_cuda(value: torch.Tensor, stride: list[int]) -> torch.Tensor:
    # The allocator of pinned memory gives a block out again only when the copies that used it have ended.
    host = torch.empty_strided(value.size(), stride, dtype=value.dtype, device="cpu", pin_memory=True)
    _STREAMS.copy(host, value, "out", value.device)
    return host


def _reload_cuda(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    value = torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=device)
    _STREAMS.copy(value, host, "back", device)
    return value


def _offload(value: torch.Tensor, stride: list[int]) -> torch.Tensor:
    # The strides of the graph, not those that a compiler gave the value: it would copy a result of other strides while that is being written.
    return _offload_cuda(value, stride) if value.device.type == "cuda" else _offload_cpu(value, stride)


def _waited(target: torch.Tensor, device: torch.device) -> None:
    if not _STREAMS.wait(target, device):
        raise RuntimeError("Ballast: no copy writes where one is waited for: a compiler has taken the result of a copy elsewhere")


def _offloaded(host: torch.Tensor, value: torch.Tensor) -> None:
    if value.device.type == "cuda":
        _waited(host, value.device)


def _reload(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    return _reload_cuda(host, device) if device.type == "cuda" else _reload_cpu(host, device)


def _reloaded(value: torch.Tensor) -> None:
    if value.device.type == "cuda":
        _waited(value, value.device)


for _name, _function in (("offload", _offload), ("offloaded_", _offloaded), ("reload", _reload), ("reloaded_", _reloaded)):
    # `reload` is given a tensor of the host and a device: one function for both back ends.
    _DEFINED.impl(_name, _function, "CompositeExplicitAutograd")


@torch.library.register_fake("ballast::offload")
def _offload_fake(value: torch.Tensor, stride: list[int]) -> torch.Tensor:
    return torch.empty_strided(value.size(), stride, dtype=value.dtype, device="cpu")


@torch.library.register_fake("ballast::offloaded_")
def _offloaded_fake(host: torch.Tensor, value: torch.Tensor) -> None:
    return None


@torch.library.register_fake("ballast::reload")
def _reload_fake(host: torch.Tensor, device: torch.device) -> torch.Tensor:
    return torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=device)


@torch.library.register_fake("ballast::reloaded_")
def _reloaded_fake(value: torch.Tensor) -> None:
    return None
