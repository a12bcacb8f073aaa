"""Kinds of ops of a joint graph, by what torch says of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

_OWN = ("ballast", "aten", "prims", "prim", "inductor", "quantized", "rngprims", "_c10d_functional", "fbgemm", "torchvision")


def is_pointwise(node: fx.Node) -> bool:
    """Is this an elementwise op, by torch's own tag?"""
    return isinstance(node.target, torch._ops.OpOverload) and torch.Tag.pointwise in node.target.tags


def is_collective(target: Any) -> bool:
    """Does this op wait for other processes?"""
    return isinstance(target, torch._ops.OpOverload) and target.namespace in ("_c10d_functional", "c10d", "fsdp")


def is_custom(target: Any) -> bool:
    """An op of the user's own: what it does beside its result is not known."""
    return isinstance(target, torch._ops.OpOverload) and target.namespace not in _OWN


def is_foreign(target: Any) -> bool:
    """Collectives, whose results may still be on their way, and custom ops, whose results may look at their arguments."""
    return is_collective(target) or is_custom(target)
