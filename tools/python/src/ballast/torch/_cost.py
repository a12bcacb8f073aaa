"""What an op of a joint graph costs: seconds by a roofline, or measured once per op and shape."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree
from torch.utils.flop_counter import flop_registry

from ._measure import measure
from ._ops import is_collective, is_pointwise
from .._devices import CPU, USUAL, Device, HostLink, of_cuda

TimeOf = Callable[[fx.Node], float]


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in the recorded value of a node."""
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def device_of(node: fx.Node) -> torch.device | None:
    """The device of a node's first result."""
    found = tensors(node.meta.get("val"))
    return found[0].device if found else None


class Roofline:
    """`max(operations / peak, bytes / bandwidth) + launch`, with operations counted by torch's own formulas.

    Where a compiler fuses elementwise ops (`fused`), one costs what its operations do and half the traffic of its result.
    """

    def __init__(self, device: Device | None = None, *, fused: bool = False) -> None:
        self.device = device
        self._fused = fused

    def __call__(self, node: fx.Node) -> float:
        device = self.device or _table_entry(device_of(node))
        outputs = tensors(node.meta.get("val"))
        inputs = [tensor for source in node.all_input_nodes for tensor in tensors(source.meta.get("val"))]
        traffic = sum(_stored(tensor) for tensor in (*inputs, *outputs))
        bits = 8 * max((tensor.element_size() for tensor in outputs if tensor.is_floating_point()), default=4)
        flops = _flops(node)
        if flops is None:
            flops = float(max((tensor.numel() for tensor in (*inputs, *outputs)), default=0))
            if self._fused and is_pointwise(node):
                return max(flops / device.peak_f32, sum(_stored(tensor) for tensor in outputs) / 2 / device.bandwidth)
            # Vector units, not matrix units.
            return max(flops / device.peak_f32, traffic / device.bandwidth) + device.launch_seconds
        return max(flops / device.peak(bits), traffic / device.bandwidth) + device.launch_seconds


class Measured:
    """Runs every op once per shape on its own device, three times after a first one, and takes the middle; what it allocates beside its
    results is read from the allocator in another run."""

    def __init__(self, *, fallback: TimeOf | None = None) -> None:
        self._cache: dict[tuple[Any, ...], tuple[float, int]] = {}
        self._fallback = fallback or Roofline()

    def __call__(self, node: fx.Node) -> float:
        """Seconds of one run."""
        return self._figures(node)[0]

    def workspace(self, node: fx.Node) -> int:
        """Bytes allocated while it runs, beside its results."""
        return self._figures(node)[1]

    def _figures(self, node: fx.Node) -> tuple[float, int]:
        key = _key(node)
        if key not in self._cache:
            self._cache[key] = self._measure(node)
        return self._cache[key]

    def _measure(self, node: fx.Node) -> tuple[float, int]:
        if not _runs_alone(node.target):
            return self._fallback(node), 0
        try:
            with preserved_random_state(), torch.no_grad(), torch.utils._python_dispatch._disable_current_modes():
                args, kwargs = pytree.tree_map_only(fx.Node, made_up, (node.args, node.kwargs))
                seconds = []
                for _ in range(4):
                    _wait(device_of(node))
                    start = time.perf_counter()
                    node.target(*args, **kwargs)
                    _wait(device_of(node))
                    seconds.append(time.perf_counter() - start)
                def run() -> None:
                    node.target(*args, **kwargs)
                used = measure(run, device=device_of(node) or "cpu").peak_bytes
            results = sum(_stored(tensor) for tensor in tensors(node.meta.get("val")))
            return sorted(seconds[1:])[1], max(used - results, 0)
        except Exception:  # An op may refuse arguments made up for it, as an index out of range: then the formula stands in.
            return self._fallback(node), 0


def _runs_alone(target: Any) -> bool:
    """May an op run on made-up arguments? Not one that writes to them or waits for other processes, nor one that reads what another op left for it in a
    form of its own: torch's recurrent layers end the process where that is made up."""
    if not isinstance(target, torch._ops.OpOverload) or target._schema.is_mutable or is_collective(target):
        return False
    return not any(argument.name in ("workspace", "reserve", "reserveSpace") for argument in target._schema.arguments)


@contextlib.contextmanager
def preserved_random_state() -> Iterator[None]:
    """Random numbers drawn inside leave no trace."""
    devices = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
    with torch.random.fork_rng(devices=devices):
        yield


def link_of(times: TimeOf, device: torch.device | None) -> HostLink | None:
    """The host link of the device whose times these are, or else of the one a step is on; None where that is the CPU."""
    named = times.device if isinstance(times, Roofline) else None
    return (named or _table_entry(device)).host_link


def _table_entry(device: torch.device | None) -> Device:
    if device is not None and device.type == "cuda" and torch.cuda.is_available():
        return of_cuda(torch.cuda.get_device_name(device))
    return USUAL if device is not None and device.type == "cuda" else CPU


def _stored(tensor: torch.Tensor) -> int:
    return min(tensor.numel() * tensor.element_size(), tensor.untyped_storage().nbytes())


def _flops(node: fx.Node) -> float | None:
    packet = getattr(node.target, "overloadpacket", None)
    if packet not in flop_registry:
        return None
    def shape(leaf: Any) -> Any:
        return leaf.meta.get("val") if isinstance(leaf, fx.Node) else leaf
    args, kwargs = pytree.tree_map(shape, (node.args, node.kwargs))
    try:
        return float(flop_registry[packet](*args, **kwargs, out_val=node.meta.get("val")))
    except Exception:  # A formula that does not know this overload: bytes alone price the op.
        return None


def _key(node: fx.Node) -> tuple[Any, ...]:
    def plain(leaf: Any) -> Any:
        if isinstance(leaf, fx.Node):
            return tuple((tuple(t.shape), t.stride(), t.dtype, str(t.device)) for t in tensors(leaf.meta.get("val")))
        return repr(leaf)
    return (str(node.target), tuple(plain(leaf) for leaf in pytree.tree_leaves((node.args, node.kwargs), is_leaf=lambda x: isinstance(x, fx.Node))))


#: Numbers made up are below it: likelihoods want some from 0 to 1, and sums of many products stay small through many layers.
MADE_UP_BELOW = 1 / 64


def made_up(node: fx.Node) -> Any:
    """A value like the one recorded for a node: numbers from 0 to `MADE_UP_BELOW`, whole numbers 0."""
    def made(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        base = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        return base.uniform_(0, MADE_UP_BELOW) if value.is_floating_point() else base.zero_()
    return pytree.tree_map(made, node.meta.get("val"))


def _wait(device: torch.device | None) -> None:
    if device is not None and device.type == "cuda":
        torch.cuda.synchronize(device)
