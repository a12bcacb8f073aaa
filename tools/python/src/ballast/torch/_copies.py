"""What forward and backward graphs copy to the host and back, as they run: time on the link, time waited for it, and that nothing is read or freed too early."""

from __future__ import annotations

import dataclasses

from torch import fx

from .._devices import HostLink
from .._errors import BallastError
from ._graph import SECONDS, storages
from ._host import OFFLOAD, OFFLOADED, RELOAD, RELOADED


@dataclasses.dataclass(frozen=True)
class Copies:
    """Of one step."""

    #: Bytes copied to the host.
    bytes: int = 0
    #: Of all copies, both ways.
    link_seconds: float = 0.0
    #: By which the step is longer than its ops: copies that computing waits for, and those that end after it.
    waited_seconds: float = 0.0


def copies(forward: fx.GraphModule, backward: fx.GraphModule, link: HostLink | None) -> Copies:
    """Walks both graphs with a clock for computing and one for each way of the link (docs/memory-planner.md, Time).

    Raises:
        BallastError: a value is read before it is back, or may be freed before it has left; the rewriting is wrong.
    """
    clock = _Clock(link)
    for graph in (forward.graph, backward.graph):
        for node in graph.nodes:
            if node.op == "call_function":
                clock.step(node)
    if clock.under_way:
        raise BallastError(f"internal error: copies are not waited for: {', '.join(sorted(clock.under_way))}")
    return Copies(clock.bytes, clock.link_seconds, max(clock.now, *clock.free.values()) - clock.computed)


class _Clock:
    """Nodes of the backward graph have the names of those of the forward graph that they stand for."""

    def __init__(self, link: HostLink | None) -> None:
        self._link = link
        self.now = self.computed = self.link_seconds = 0.0
        self.bytes = 0
        self.free = {OFFLOAD: 0.0, RELOAD: 0.0}
        #: When each copy that was not waited for ends, by the name of what it writes to.
        self.under_way: dict[str, float] = {}

    def step(self, node: fx.Node) -> None:
        """Runs one node."""
        if node.target in (OFFLOAD, RELOAD):
            self._read(node.args[0])
            size = sum(size for _, size in storages(node))
            seconds = self._link.seconds(size) if self._link is not None else 0.0
            self.free[node.target] = self.under_way[node.name] = max(self.now, self.free[node.target]) + seconds
            self.link_seconds += seconds
            self.bytes += size if node.target is OFFLOAD else 0
        elif node.target in (OFFLOADED, RELOADED):
            self.now = max(self.now, self.under_way.pop(str(node.args[0]), 0.0))
        else:
            for source in node.all_input_nodes:
                self._read(source)
            seconds = node.meta.get(SECONDS, 0.0)
            self.now += seconds
            self.computed += seconds

    def _read(self, source: object) -> None:
        if str(source) in self.under_way:
            raise BallastError(f"internal error: '{source}' is read while it is copied")
