"""A planned step run once before anybody uses it, on made-up values, with the allocator read: what a count of bytes cannot know (an op's own buffers,
a result that the allocator holds more for than it has elements) is known before the first step, and not after it."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.debugging import boxed_nop
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from ._cost import made_up, preserved_random_state
from ._graph import ATTENTION, is_tangent
from ._measure import measure
from ._ops import is_foreign

#: Share of the memory that is free which a rehearsal may take: the model's own is there beside it.
FREE_SHARE = 0.5


def rehearse(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int, device: torch.device | None, needed: int) -> int | None:
    """Most bytes that both passes were seen to take beyond what comes in.

    Returns:
        None where they are not run: an op does more than compute its result (collectives, ops of the user's own), an op refuses made-up values, or `needed`
        bytes, inputs and parameters among them, are more than `FREE_SHARE` of what is free.
    """
    graphs = (forward, backward)
    if not all(_only_computes(node) for graph in graphs for node in graph.graph.nodes) or needed > FREE_SHARE * _free_bytes(device):
        return None
    try:
        with preserved_random_state(), torch.no_grad(), _disable_current_modes():
            inputs = {node.name: made_up(node) for node in forward.graph.find_nodes(op="placeholder")}
            run = _Step(*map(_boxed, graphs), num_fwd_outputs, inputs)
            # Gradients that come in are made in the run: they are there in the backward pass, and count in the judge, too.
            return measure(run, device=device or "cpu").peak_bytes
    except Exception:  # An op may refuse values made up for it, as an index out of range: then the count stands alone.
        return None


class _Step:
    """One step: what the forward pass saves goes into the backward pass and is freed there, its results stay."""

    def __init__(self, forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int, inputs: dict[str, Any]) -> None:
        self._forward, self._backward = boxed_nop(forward, []), boxed_nop(backward, [])
        self._outputs = num_fwd_outputs
        self._inputs = inputs
        self._first = [node.name for node in forward.graph.nodes if node.op == "placeholder"]
        self._saved = [str(leaf) for leaf in pytree.arg_tree_leaves(*list(forward.graph.nodes)[-1].args)[num_fwd_outputs:]]
        self._second = [node for node in backward.graph.nodes if node.op == "placeholder"]

    def __call__(self) -> Any:
        found = list(self._forward([self._inputs[name] for name in self._first]))
        results, kept = found[:self._outputs], dict(zip(self._saved, found[self._outputs:], strict=True))
        del found
        arguments = [made_up(node) if is_tangent(node) else kept.pop(node.name) for node in self._second]
        kept.clear()
        return results, self._backward(arguments)


def _boxed(module: fx.GraphModule) -> fx.GraphModule:
    """A copy: the form that frees its arguments is set in a graph itself."""
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    return fx.GraphModule(module, graph)


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
