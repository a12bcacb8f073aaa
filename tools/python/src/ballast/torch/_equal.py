"""Ops that compute the same, made one."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch._functorch import partitioners
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from ._graph import storages


def merge_equal(graph: fx.Graph) -> fx.Graph:
    """The graph without common subexpressions. What looks at the value of an op that is gone looks at that of the op which stands for it: `fx_graph_cse` leaves the
    recorded values as they are, by which a view would be one of a value that nobody computes."""
    maker = {}
    for node in graph.nodes:
        for storage, _ in storages(node):
            maker.setdefault(storage, node.name)
    merged = partitioners.fx_graph_cse(graph)
    names = {node.name for node in merged.nodes}
    if len(names) == len(graph.nodes):
        return merged
    for node in merged.nodes:
        if node.op == "call_function" and any(maker[storage] not in names for storage, _ in storages(node)):
            node.meta["val"] = _recorded(node)
    return merged


def _recorded(node: fx.Node) -> Any:
    """The value that a node is recorded to have, of the recorded values it reads."""
    args, kwargs = pytree.tree_map_only(fx.Node, lambda read: read.meta["val"], (node.args, node.kwargs))
    mode = next(value.fake_mode for value in pytree.tree_leaves(node.meta["val"]) if isinstance(value, torch._subclasses.FakeTensor))
    with _disable_current_modes(), mode, torch.no_grad():
        return node.target(*args, **kwargs)
