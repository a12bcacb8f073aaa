"""What forward and backward graphs hold, op by op, as they run: the judge of a plan that has become graphs."""

from __future__ import annotations

import dataclasses

from torch import fx
from torch.utils import _pytree as pytree

from ._graph import WORKSPACE, storages
from ._host import OFFLOAD


@dataclasses.dataclass
class Memory:
    """Bytes of a step beyond its inputs and parameters."""

    #: Most that is live at any op of either pass.
    peak_bytes: int
    #: Kept from forward to backward.
    saved_bytes: int
    #: Results of the forward pass, which stay.
    result_bytes: int
    #: Live at every op, in order, forward and then backward.
    timeline: list[int]
    #: How many of these belong to the forward pass.
    forward_ops: int
    #: Most that is on the host at any op.
    host_bytes: int = 0


def judge(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> Memory:
    """Replays both graphs: a storage is live from the op that makes it to the last that looks at it; results of the forward pass stay, and so do
    gradients that come in, which autograd holds until the backward pass has ended. What `offload` makes is on the host, counts there, and nowhere else."""
    first = _Pass(forward.graph)
    results = pytree.arg_tree_leaves(*first.output.args)
    held = set()
    for result in results[:num_fwd_outputs]:
        if isinstance(result, fx.Node):
            held.update(first.of[result])
    saved: set[int] = set()
    for result in results[num_fwd_outputs:]:
        if isinstance(result, fx.Node):
            saved.update(first.of[result])
    held -= first.inputs
    saved -= first.inputs
    by_name = {node.name: node for node in forward.graph.nodes}
    second = _Pass(backward.graph, {name for name, node in by_name.items() if node.target is OFFLOAD})
    # What comes in from the forward pass is freed after its last use, unless it is an input or a result of the step, or a gradient.
    owned = set()
    tangents = 0
    for node in backward.graph.nodes:
        if node.op != "placeholder":
            continue
        origin = by_name.get(node.name)
        for storage in second.of[node]:
            if origin is None:
                tangents += second.size[storage]
            elif all(own in saved - held for own in first.of[origin]):
                owned.add(storage)
    saved_bytes = sum(first.size[storage] for storage in saved - held - first.host)
    held_bytes = sum(first.size[storage] for storage in held)
    timeline = first.replay(0, keep=held | saved)
    last = second.replay(held_bytes + saved_bytes + tangents, keep=second.results(), owned=owned)
    away = first.replay(0, keep=held | saved, host=True)
    away += second.replay(sum(first.size[storage] for storage in saved & first.host), keep=second.results(), owned=owned, host=True)
    return Memory(max([*timeline, *last, 0]), saved_bytes, held_bytes, timeline + last, len(timeline), max([*away, 0]))


def judge_alone(graph: fx.Graph) -> int:
    """Most bytes that are live at any op of a graph that no backward pass follows, inputs and parameters included."""
    only = _Pass(graph)
    return sum(only.size[storage] for storage in only.inputs) + max([*only.replay(0, keep=set()), 0])


class _Pass:
    """One graph, with the storages its nodes look at. Copies of an op share fake tensors, so every run gets storages of its own. Inputs named in
    `away` are on the host."""

    def __init__(self, graph: fx.Graph, away: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        self.nodes = list(graph.nodes)
        self.output = self.nodes[-1]
        self.size: dict[int, int] = {}
        self.inputs: set[int] = set()
        self.host: set[int] = set()
        self.of: dict[fx.Node, set[int]] = {}
        self._made: dict[fx.Node, set[int]] = {}
        names: dict[fx.Node, dict[int, int]] = {}
        shared: dict[int, int] = {}
        for node in self.nodes:
            if node.op == "output":
                continue
            known: dict[int, int] = {}
            for source in node.all_input_nodes:
                known.update(names[source])
            own: dict[int, int] = {}
            made = set()
            for name, size in storages(node):
                if node.op in ("placeholder", "get_attr"):
                    known.update({name: shared[name]} if name in shared else {})
                if name not in known:
                    known[name] = len(self.size)
                    self.size[known[name]] = size
                    made.add(known[name])
                    if node.op in ("placeholder", "get_attr"):
                        shared[name] = known[name]
                own[name] = known[name]
            names[node] = own
            self.of[node] = set(own.values())
            if node.target is OFFLOAD or (node.op == "placeholder" and node.name in away):
                self.host |= self.of[node]
            if node.op in ("placeholder", "get_attr"):
                self.inputs |= self.of[node]
            else:
                self._made[node] = made

    def results(self) -> set[int]:
        """Storages that the output looks at."""
        return {storage for node in self.output.all_input_nodes for storage in self.of[node]}

    def replay(self, start: int, *, keep: set[int], owned: set[int] | None = None, host: bool = False) -> list[int]:
        """Live bytes at every op, on the device or on the host."""
        last: dict[int, int] = {}
        for at, node in enumerate(self.nodes):
            for source in (node, *node.all_input_nodes):
                for storage in self.of.get(source, ()):
                    if (storage in self.host) == host:
                        last[storage] = at
        leaving: dict[int, int] = {}
        for storage, at in last.items():
            if storage in keep or (storage in self.inputs and storage not in (owned or ())):
                continue
            leaving[at] = leaving.get(at, 0) + self.size[storage]
        live = start
        timeline = []
        for at, node in enumerate(self.nodes):
            if node.op == "call_function":
                live += sum(self.size[storage] for storage in self._made[node] if (storage in self.host) == host)
                timeline.append(live + (0 if host else node.meta.get(WORKSPACE, 0)))
            live -= leaving.get(at, 0)
        return timeline
