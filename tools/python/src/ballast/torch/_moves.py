"""Copies of a schedule to the host and back as nodes of its graph, and where the graph waits for them."""

from __future__ import annotations

import dataclasses

import torch
from torch import fx

from ._graph import JointProblem
from ._host import OFFLOAD, OFFLOADED, RELOAD, RELOADED


@dataclasses.dataclass
class _Leaving:
    """A copy to the host that may be under way."""

    value: fx.Node
    host: fx.Node
    #: What it still holds after the schedule has freed it.
    held: int = 0


class Moves:
    """Writes copies into a graph that is being written.

    A copy to the host is waited for where its memory is needed, at the latest where a pass ends; a copy back before its first reader. `room` is
    what values and workspace may take together.
    """

    def __init__(self, joint: JointProblem, graph: fx.Graph, room: int) -> None:
        self._joint, self._graph, self._room = joint, graph, room
        #: Nodes of the joint graph whose values leave.
        self.written: dict[fx.Node, None] = {}
        self._hosts: dict[int, fx.Node] = {}
        self._leaving: dict[int, _Leaving] = {}
        #: Values that may be on their way back, each with its index.
        self._coming: dict[fx.Node, int] = {}
        self._live = 0

    def claim(self, index: int, *, workspace: bool = True) -> None:
        """Before a value is made or comes back: waits for copies whose memory it needs."""
        node = self._joint.problem.nodes[index]
        needed = node.size + (node.workspace if workspace else 0)
        for leaving in [at for at, one in self._leaving.items() if one.held]:
            if self._live + sum(one.held for one in self._leaving.values()) + needed <= self._room:
                break
            self._left(leaving)
        self._live += node.size

    def free(self, index: int) -> None:
        """The schedule frees a value, which a copy to the host may still read, or a copy back still write."""
        for value in [value for value, at in self._coming.items() if at == index]:
            self.arrived(value)
        size = self._joint.problem.nodes[index].size
        self._live -= size
        if index in self._leaving:
            self._leaving[index].held = size

    def out(self, index: int, old: fx.Node, value: fx.Node) -> None:
        """Issues a copy to the host."""
        self.arrived(value)
        kind = value.meta["val"]
        host = self._call(OFFLOAD, (value, list(kind.stride())), f"{old.name}_host")
        # Inductor makes the value with these strides then, so that the copy is one of bytes.
        value.meta["inductor_realize_to_strides"] = True
        with _mode(kind):
            host.meta["val"] = torch.empty_strided(kind.size(), kind.stride(), dtype=kind.dtype, device="cpu")
        self._hosts[index] = host
        self._leaving[index] = _Leaving(value, host)
        self.written[old] = None

    def back(self, index: int, old: fx.Node) -> fx.Node:
        """Issues a copy back."""
        self._left(index)
        self.claim(index, workspace=False)
        host, kind = self._hosts[index], old.meta["val"]
        value = self._call(RELOAD, (host, kind.device), f"{old.name}_back")
        # Views of it look at the storage by this name.
        value.meta["val"] = kind
        self._coming[value] = index
        return value

    def forget(self, index: int) -> None:
        """The schedule drops the copy on the host."""
        self._left(index)
        self._hosts.pop(index, None)

    def arrived(self, value: fx.Node) -> None:
        """Waits for a copy back, if this value is one that was not waited for."""
        if value in self._coming:
            del self._coming[value]
            self._call(RELOADED, (value,), f"{value.name}_wait").meta["val"] = None

    def end_pass(self) -> None:
        """Waits for all copies: none crosses from the forward to the backward pass, which may run twice."""
        for index in list(self._leaving):
            self._left(index)
        for value in list(self._coming):
            self.arrived(value)

    def _left(self, index: int) -> None:
        one = self._leaving.pop(index, None)
        if one is not None:
            self._call(OFFLOADED, (one.host, one.value), f"{one.host.name}_wait").meta["val"] = None

    def _call(self, target: torch._ops.OpOverload, args: tuple[object, ...], name: str) -> fx.Node:
        return self._graph.create_node("call_function", target, args, name=name)


def _mode(value: torch.Tensor) -> torch._subclasses.FakeTensorMode:
    """Of the joint graph's fake tensors."""
    assert isinstance(value, torch._subclasses.FakeTensor)
    return value.fake_mode
