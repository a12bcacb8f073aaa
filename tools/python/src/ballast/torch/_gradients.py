"""Gradients in the form that autograd stores them in: in the layout of what they are the gradient of, each a tensor of its own.

Autograd copies any other gradient once the compiled backward pass has ended, where no plan sees it. Here the copy is an op of the joint graph,
right behind the gradient, so that it is counted, and no other one is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch._functorch._aot_autograd.descriptors import GradAOTOutput, PlainAOTInput
from torch.utils._python_dispatch import _disable_current_modes

aten = torch.ops.aten


def store(graph: fx.Graph, stored: frozenset[int] | None = None) -> None:
    """Copies gradients, in place, that autograd would copy.

    Args:
        stored: By number, the inputs whose gradients autograd stores, those of leaves; gradients of others go on to what made them. None: all.
    """
    output = next(iter(reversed(graph.nodes)))
    inputs = {node.meta["desc"]: node for node in graph.find_nodes(op="placeholder") if "desc" in node.meta}
    seen: set[fx.Node] = set()

    def found(result: Any, desc: Any) -> Any:
        owner = inputs.get(desc.grad_of) if isinstance(desc, GradAOTOutput) else None
        if owner is None or not isinstance(result, fx.Node) or not _is_stored(desc.grad_of, stored):
            return result
        if result not in seen and _obeys(result.meta["val"], owner.meta["val"]):
            seen.add(result)
            return result
        return _copy(graph, result, owner.meta["val"])

    descs = output.meta.get("desc")
    (results,) = output.args
    if descs is not None and len(descs) == len(results):
        output.args = (type(results)(found(result, desc) for result, desc in zip(results, descs, strict=True)),)


def leaves(inputs: list[Any]) -> frozenset[int]:
    """Which of a graph's inputs autograd stores a gradient for."""
    return frozenset(at for at, value in enumerate(inputs) if isinstance(value, torch.Tensor) and value.is_leaf)


def _is_stored(of: Any, stored: frozenset[int] | None) -> bool:
    return stored is None or not isinstance(of, PlainAOTInput) or of.idx in stored


def _obeys(gradient: torch.Tensor, owner: torch.Tensor) -> bool:
    """Torch's `obeys_layout_contract`."""
    if not _is_dense(owner):
        return gradient.is_contiguous()
    pairs = zip(gradient.shape, gradient.stride(), owner.stride(), strict=True)
    return all(stride == own if size != 1 else stride != 0 for size, stride, own in pairs)


def _is_dense(value: torch.Tensor) -> bool:
    return torch._prims_common.is_non_overlapping_and_dense_or_false(value)


def _copy(graph: fx.Graph, gradient: fx.Node, owner: torch.Tensor) -> fx.Node:
    """A copy that obeys: with the dimensions in the order in which they lie in memory it is a contiguous one."""
    order = sorted(range(owner.dim()), key=lambda at: -owner.stride(at)) if _is_dense(owner) else list(range(owner.dim()))
    last = gradient

    def call(target: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        nonlocal last
        with graph.inserting_after(last):
            new = graph.call_function(target, (last, *args), kwargs)
        value = last.meta["val"]
        with _disable_current_modes(), value.fake_mode, torch.no_grad():
            made = target(value, *args, **kwargs)
        new.meta = {**{name: gradient.meta[name] for name in ("stack_trace", "nn_module_stack") if name in gradient.meta}, "val": made, "partitioner_tag": "is_backward"}
        last = new

    in_order = order == sorted(order)
    if not in_order:
        call(aten.permute.default, order)
    call(aten.clone.default, memory_format=torch.contiguous_format)
    if not in_order:
        call(aten.permute.default, sorted(range(len(order)), key=order.__getitem__))
    return last
