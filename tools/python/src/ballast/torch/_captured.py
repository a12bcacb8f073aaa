"""What dynamo has captured, before autograd sees it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import torch
from torch import fx


@contextlib.contextmanager
def onednn(enabled: bool) -> Iterator[None]:
    """Switched on or off, and nothing else of it, which `torch.backends.mkldnn.flags` does not promise."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(enabled)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def begins_at(graph: fx.Graph) -> str:
    """The line of the program that a graph begins with, where it is known."""
    for node in graph.nodes:
        lines = re.findall(r'File "(.+)", line (\d+)', node.stack_trace or "")
        if lines:
            return ", which begins at {}:{}".format(*lines[-1])
    return ""


def has_lstm(gm: fx.GraphModule) -> bool:
    """Does it call torch's own LSTM?"""
    return "lstm" in _called(gm.graph)


def takes_gradients(graph: fx.Graph) -> bool:
    """Are gradients taken in it, by transforms of functions, so that none is left for autograd?"""
    return "_grad_increment_nesting" in _called(graph)


def _called(graph: fx.Graph) -> set[str]:
    return {getattr(node.target, "__name__", "") for node in graph.nodes if node.op == "call_function"}
