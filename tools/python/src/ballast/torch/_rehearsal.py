"""A planned step run once before anybody uses it, on made-up values, with the allocator read: what a count of bytes cannot know (an op's own buffers,
a result that the allocator holds more for than it has elements) is known before the first step, and not after it."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from ._cost import made_up, preserved_random_state
from ._graph import ATTENTION, OP, is_tangent, storages
from ._measure import Regions, alone
from ._ops import is_foreign

#: Share of the memory that is free which a rehearsal may take: the model's own is there beside it.
FREE_SHARE = 0.5


@dataclasses.dataclass(frozen=True)
class Rehearsal:
    """What the allocator said."""

    #: Most that both passes took beyond what comes in.
    peak_bytes: int
    #: By op of the joint graph: bytes allocated while it ran, beside its results.
    workspaces: dict[str, int]


def rehearse(
    forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int, device: torch.device | None, needed: int,
) -> Rehearsal | None:
    """Runs both passes once.

    Returns:
        None where they are not run: an op does more than compute its result (collectives, ops of the user's own), memory runs out, somebody else is
        profiling or measures, or `needed` bytes, inputs and parameters among them, are more than `FREE_SHARE` of what is free.
    """
    graphs = (forward, backward)
    if not all(_only_computes(node) for graph in graphs for node in graph.graph.nodes) or needed > FREE_SHARE * _free_bytes(device):
        return None
    regions = Regions(device or torch.device("cpu"))
    try:
        with alone() as may, preserved_random_state(), torch.no_grad(), _disable_current_modes():
            if not may:
                return None
            inputs = {node.name: made_up(node) for node in forward.graph.find_nodes(op="placeholder")}
            # Gradients that come in are made in the run: they are there in the backward pass, and count in the judge, too.
            peak = regions.measure(lambda: _step(_Watched(forward, regions), _Watched(backward, regions), num_fwd_outputs, inputs)).peak_bytes
    except Exception:  # Then the count stands alone.
        return None
    workspaces: dict[str, int] = {}
    for graph in graphs:
        for node in graph.graph.nodes:
            if node.name in regions.peak_bytes and OP in node.meta:
                beside = max(regions.peak_bytes[node.name] - sum(size for _, size in storages(node)), 0)
                workspaces[node.meta[OP]] = max(beside, workspaces.get(node.meta[OP], 0))
    return Rehearsal(peak, workspaces)


class _Watched(fx.Interpreter):
    """Runs a graph as it will run, with a region of the measurement around every op."""

    def __init__(self, module: fx.GraphModule, regions: Regions) -> None:
        super().__init__(module)
        self._regions = regions

    def run_node(self, n: fx.Node) -> Any:
        """Runs one node."""
        if n.op != "call_function":
            return super().run_node(n)
        with self._regions.region(n.name):
            try:
                return super().run_node(n)
            except Exception as error:
                if isinstance(error, (MemoryError, torch.OutOfMemoryError)) or "allocate" in str(error):
                    raise
                # It refuses values made up for it, as a likelihood one outside of 0 to 1: its result is made up, too.
                return made_up(n)


def _step(forward: _Watched, backward: _Watched, num_fwd_outputs: int, inputs: dict[str, Any]) -> Any:
    """One step: what the forward pass saves goes into the backward pass and is freed there, its results stay."""
    names = [str(leaf) for leaf in pytree.arg_tree_leaves(*list(forward.graph.nodes)[-1].args)[num_fwd_outputs:]]
    found = list(forward.boxed_run([inputs[node.name] for node in forward.graph.find_nodes(op="placeholder")]))
    results, kept = found[:num_fwd_outputs], dict(zip(names, found[num_fwd_outputs:], strict=True))
    # Popped and forgotten, so that the backward pass alone holds it.
    del found
    forward.env.clear()
    inputs_of_backward = backward.graph.find_nodes(op="placeholder")
    # Gradients that come in are held here, as autograd holds them: until the backward pass has ended.
    tangents = {node.name: made_up(node) for node in inputs_of_backward if is_tangent(node)}
    arguments = [tangents[node.name] if is_tangent(node) else kept.pop(node.name) for node in inputs_of_backward]
    return results, backward.boxed_run(arguments)


def _only_computes(node: fx.Node) -> bool:
    if node.op != "call_function" or is_foreign(node.target):
        return node.op in ("placeholder", "get_attr", "output")
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return node.target.name() in ATTENTION or "rng_state" in node.target.name()
    return True


def _free_bytes(device: torch.device | None) -> int:
    """Memory that a program could take now; of a system that does not say, all."""
    if device is not None and device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    try:
        found = re.search(r"MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text())
    except OSError:
        found = None
    return 1024 * int(found.group(1)) if found else 2**62
