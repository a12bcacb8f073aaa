"""Ops that compute the same, made one."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch._inductor.pattern_matcher import compute_mutation_region_ids, same_mutation_regions
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from ._graph import may_draw, mutates, storages


def merge_equal(graph: fx.Graph) -> None:
    """Takes common subexpressions out of a joint graph, in place. What looks at the value of an op that is gone looks at that of the op which stands for it.

    Torch's own `fx_graph_cse` makes one draw of two of most random ops (it goes by a list of names), leaves the recorded values as they are, by which a view
    would be one of a value that nobody computes, and takes 0.0 for -0.0. As there, results of the step stay apart, each a tensor of its own, and so do ops
    between which something is written."""
    compute_mutation_region_ids(graph)
    maker: dict[int, fx.Node] = {}
    for node in graph.nodes:
        for storage, _ in storages(node):
            maker.setdefault(storage, node)
    returned = {storage for node in next(iter(reversed(graph.nodes))).all_input_nodes for storage, _ in storages(node)}
    seen: dict[Any, fx.Node] = {}
    gone: set[fx.Node] = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        if any(maker[storage] in gone for storage, _ in storages(node)):
            node.meta["val"] = _recorded(node)
        if _stands_alone(node) or any(storage in returned for storage, _ in storages(node)):
            continue
        key = node.target, _key(node.args), _key(node.kwargs)
        same = seen.get(key)
        if same is None or not same_mutation_regions(node, same):
            seen[key] = node
            continue
        node.replace_all_uses_with(same)
        gone.add(node)
    for node in gone:
        graph.erase_node(node)


def _stands_alone(node: fx.Node) -> bool:
    """May two of it with the same arguments differ: does it draw, write, leave memory as it is, or is it not known what it does?"""
    return may_draw(node) or mutates(node) or getattr(node.target, "overloadpacket", None) is torch.ops.aten.empty


def _key(value: Any) -> Any:
    """Equal for equal arguments, and for no others: 1 is not 1.0, nor is 0.0 -0.0."""
    if isinstance(value, fx.Node):
        return value
    if isinstance(value, (list, tuple)):
        return type(value), *(_key(part) for part in value)
    if isinstance(value, dict):
        return tuple((name, _key(value[name])) for name in sorted(value))
    return type(value), repr(value)


def _recorded(node: fx.Node) -> Any:
    """The value that a node is recorded to have, of the recorded values it reads."""
    args, kwargs = pytree.tree_map_only(fx.Node, lambda read: read.meta["val"], (node.args, node.kwargs))
    mode = next(value.fake_mode for value in pytree.tree_leaves(node.meta["val"]) if isinstance(value, torch._subclasses.FakeTensor))
    with _disable_current_modes(), mode, torch.no_grad():
        return node.target(*args, **kwargs)
