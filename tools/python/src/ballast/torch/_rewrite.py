"""A schedule back as graphs: forward and backward with what is computed again written out, in the order of the schedule.

The joint graph is written anew with a node for every run; what crosses the boundary is saved. Torch's own extraction then cuts it in two.
A random op that runs again draws from the generator's state that its first run saved. Copies to the host and back are ops of the graph, too
(`_moves.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx
from torch._functorch import partitioners
from torch.utils import _pytree as pytree

from .._errors import Unwritable
from ._graph import JointProblem, is_random, is_tangent, storages, updates_averages
from ._moves import Moves


class Rewriter:
    """Writes the runs of a schedule into a new joint graph."""

    def __init__(self, joint: JointProblem, steps: Sequence[tuple[str, int]], room: int) -> None:
        self._joint = joint
        self.graph = fx.Graph()
        self.moves = Moves(joint, self.graph, room)
        #: How often each op runs.
        self.runs: dict[fx.Node, int] = {}
        # New nodes of old ones: inputs and results of ops that are there now, and views of these.
        self._there: dict[fx.Node, fx.Node] = {}
        self._views: dict[fx.Node, fx.Node] = {}
        # By storage: the problem's nodes that hold it now, each with the new nodes of its run.
        self._holders: dict[int, dict[int, dict[fx.Node, fx.Node]]] = {}
        # The run that is there of each op, and of those again that a checkpoint demands of it.
        self._there_now: dict[tuple[fx.Node, bool], fx.Node] = {}
        # Results taken out of each run of an op that has several.
        self._parts: dict[fx.Node, dict[fx.Node, fx.Node]] = {}
        # The run of each op that was written last, and which of its results nobody has taken yet.
        self._latest: dict[fx.Node, fx.Node] = {}
        self._untaken: dict[fx.Node, set[int]] = {}
        self._states: dict[fx.Node, fx.Node] = {}
        #: Which node of the joint graph makes each value that has left.
        self._moved: dict[int, fx.Node] = {}
        self._makers = {part.node for part in joint.parts if part.kind == "op"}
        self._lookers: dict[int, list[fx.Node]] = {}
        for node in joint.nodes:
            for name, _ in storages(node):
                self._lookers.setdefault(name, []).append(node)
        self._again = self._random_again(steps)
        self._boundary: fx.Node | None = None
        self._results: list[Any] = []
        for node in joint.nodes:
            if node.op in ("placeholder", "get_attr"):
                self._there[node] = self.graph.node_copy(node, self._get)
        for kind, index in steps:
            self._step(kind, index)
        self.moves.end_pass()
        backward = [self._result(result) for result in joint.backward_results]
        output = self.graph.output(tuple([*self._results, *backward]))
        output.meta = dict(joint.output.meta)

    def _step(self, kind: str, index: int) -> None:
        if kind == "compute":
            self.moves.claim(index)
            self._compute(index)
        elif kind == "free":
            self._free(index)
            self.moves.free(index)
        elif kind == "swap_out":
            old, new = self._held(index)
            self._moved[index] = old
            self.moves.out(index, old, new)
        elif kind == "swap_in":
            old = self._moved[index]
            self._hold(index, {old: self.moves.back(index, old)})
        elif kind == "host_free":
            self.moves.forget(index)
        else:
            raise ValueError(f"a step '{kind}' has no form in a graph")

    def _random_again(self, steps: Sequence[tuple[str, int]]) -> set[fx.Node]:
        """Random ops that run more than once. What a run has made is taken from it, not computed, as when the runs are written."""
        count: dict[fx.Node, int] = {}
        untaken: dict[fx.Node, set[int]] = {}
        for kind, index in steps:
            part = self._joint.parts[index]
            if kind == "compute" and part.kind == "boundary":
                untaken.clear()
            elif kind == "compute" and part.kind == "op" and part.node is not None and part.storage is not None and is_random(part.node):
                if part.storage not in untaken.get(part.node, ()):
                    count[part.node] = count.get(part.node, 0) + 1
                    untaken[part.node] = {name for name, _ in storages(part.node)}
                untaken[part.node].discard(part.storage)
        return {node for node, runs in count.items() if runs > 1}

    def _result(self, result: Any) -> Any:
        return self._get(result) if isinstance(result, fx.Node) else result

    def _get(self, node: fx.Node) -> fx.Node:
        """The new node for an old one; views are written where they are first needed."""
        found = self._there.get(node) or self._views.get(node)
        if found is None:
            if node in self._makers:
                raise Unwritable(f"internal error: '{node.name}' is read where the plan does not hold it")
            found = self._views[node] = self._copy(node)
        self.moves.arrived(found)
        return found

    def _copy(self, node: fx.Node) -> fx.Node:
        arguments = {source: self._get(source) for source in node.all_input_nodes}
        return self.graph.node_copy(node, lambda source: arguments[source])

    def _compute(self, index: int) -> None:
        part = self._joint.parts[index]
        node, storage = part.node, part.storage
        if part.kind == "boundary":
            self._results = [self._result(result) for result in self._joint.forward_results]
            # Views do not cross into the backward pass: what they look at does.
            self._views.clear()
            # Nor do results that nobody took from a run: the plan counts a new one.
            self._untaken.clear()
            self.moves.end_pass()
            self._boundary = next(iter(reversed(self.graph.nodes)))
        if node is None or storage is None:
            if part.kind == "effect" and node is not None:
                self._there[node] = self._copy(node)
            return
        if part.kind == "op":
            if storage not in self._untaken.get(node, ()):
                self._run(node, again=part.again)
            self._untaken[node].discard(storage)
            self._bind(index, node, storage, self._latest[node])
        elif part.kind == "also":
            # Its op may have run again since it ran first, and what that first run made is gone.
            self._bind(index, node, storage, self._there_now[node, part.again])

    def _run(self, node: fx.Node, *, again: bool) -> None:
        """Writes one run of an op, with all its results taken out."""
        if node in self._again:
            new = self._run_random(node)
        elif self._boundary is not None and updates_averages(node):
            new = self._run_without_averages(node)
        else:
            new = self._copy(node)
        self.runs[node] = self.runs.get(node, 0) + 1
        self._there_now[node, again] = new
        self._latest[node] = new
        self._untaken[node] = {name for name, _ in storages(node)}
        self._parts[new] = {
            user: self.graph.node_copy(user, lambda _source: new)
            for user in node.users
            if user.target is operator.getitem and user.args[0] is node and user.args[1] < len(new.meta["val"])
        }

    def _run_without_averages(self, node: fx.Node) -> fx.Node:
        """Batch normalisation in the backward pass: its running averages are not read, which would be saved for that pass, and which the next step writes to."""
        values, weight, bias, _, _, training, momentum, eps = node.args
        args = tuple(self._get(part) if isinstance(part, fx.Node) else part for part in (values, weight, bias))
        new = self.graph.call_function(torch.ops.aten._native_batch_norm_legit.no_stats, (*args, training, momentum, eps))
        new.meta = dict(node.meta)
        new.meta["val"] = node.meta["val"][:3]
        return new

    def _run_random(self, node: fx.Node) -> fx.Node:
        arguments = {source: self._get(source) for source in node.all_input_nodes}
        args, kwargs = pytree.tree_map_only(fx.Node, lambda source: arguments[source], (node.args, node.kwargs))
        prims = torch._prims.rng_prims
        if node not in self._states:
            both = self.graph.call_function(prims.run_and_save_rng_state, (node.target, *args), kwargs)
            state = self.graph.call_function(operator.getitem, (both, 0))
            state.meta["val"] = _sample_state(node)
            both.meta["val"] = (state.meta["val"], node.meta["val"])
            self._states[node] = state
            new = self.graph.call_function(operator.getitem, (both, 1))
        else:
            new = self.graph.call_function(prims.run_with_rng_state, (self._states[node], node.target, *args), kwargs)
        new.meta = dict(node.meta)
        return new

    def _bind(self, index: int, node: fx.Node, storage: int, run: fx.Node) -> None:
        if isinstance(node.meta.get("val"), (tuple, list)):
            made = {user: taken for user, taken in self._parts[run].items() if any(name == storage for name, _ in storages(user))}
        else:
            made = {node: run}
        self._hold(index, made)

    def _hold(self, index: int, made: dict[fx.Node, fx.Node]) -> None:
        """These new nodes hold a value of the problem from now on."""
        storage = self._joint.parts[index].storage
        assert storage is not None
        self._holders.setdefault(storage, {})[index] = made
        self._there.update(made)

    def _held(self, index: int) -> tuple[fx.Node, fx.Node]:
        """The one node that makes a value that may be moved, and the new node that holds it."""
        storage = self._joint.parts[index].storage
        assert storage is not None
        ((old, new),) = self._holders[storage][index].items()
        return old, new

    def _free(self, index: int) -> None:
        storage = self._joint.parts[index].storage
        if storage is None:
            return
        for node in self._lookers.get(storage, ()):
            self._views.pop(node, None)
            if node.op == "call_function":
                self._there.pop(node, None)
        holders = self._holders.get(storage, {})
        holders.pop(index, None)
        for made in holders.values():
            self._there.update(made)

    def saved(self) -> list[fx.Node]:
        """New nodes of the forward pass, inputs included, that the backward pass reads. Marks every node with its pass."""
        found: dict[fx.Node, None] = {}
        before: set[fx.Node] = set()
        forward = True
        for node in self.graph.nodes:
            if node.op == "placeholder":
                if not is_tangent(node):
                    before.add(node)
            elif node.op == "output":
                results = node.args[0][len(self._joint.forward_results) :]
                found.update((result, None) for result in results if isinstance(result, fx.Node) and result in before)
            elif node.op == "call_function":
                # Without the marks torch's extraction would put an op that it takes for impure, as attention is, into both passes.
                node.meta["partitioner_tag"] = "must_be_in_forward" if forward else "must_be_in_backward"
                if forward:
                    before.add(node)
                else:
                    found.update((source, None) for source in node.all_input_nodes if source in before)
            forward = forward and node is not self._boundary
        return list(found)


def rewrite(
    joint: JointProblem, steps: Sequence[tuple[str, int]], num_fwd_outputs: int, static: list[int], *, room: int = 2**62
) -> tuple[fx.GraphModule, fx.GraphModule, Rewriter]:
    """Forward and backward graphs that run a schedule; copies to the host are waited for where values and workspace would take more than `room`."""
    writer = Rewriter(joint, steps, room)
    module = fx._lazy_graph_module._make_graph_module(joint.module, writer.graph)
    primals = [node for node in module.graph.nodes if partitioners._is_primal(node)]
    static_nodes = torch.utils._ordered_set.OrderedSet(node for at, node in enumerate(primals) if at in static)
    forward, backward = partitioners._extract_fwd_bwd_modules(
        module, writer.saved(), saved_sym_nodes=[], num_fwd_outputs=num_fwd_outputs, static_lifetime_input_nodes=static_nodes
    )
    forward.graph.eliminate_dead_code(is_impure_node=partitioners.is_not_collective)
    backward.graph.eliminate_dead_code(is_impure_node=partitioners.is_not_collective)
    forward = partitioners.raise_getitems(forward)
    backward = partitioners.raise_getitems(backward)
    forward = partitioners.thread_graphsafe_rng_from_hops(forward, is_backward=False)
    backward = partitioners.thread_graphsafe_rng_from_hops(backward, is_backward=True)
    forward.recompile()
    backward.recompile()
    return forward, backward, writer


def _sample_state(node: fx.Node) -> Any:
    from torch._guards import detect_fake_mode

    mode = detect_fake_mode()
    value = node.meta["val"]
    device = (value[0] if isinstance(value, (tuple, list)) else value).device
    if mode is None:
        return torch.get_rng_state()
    with mode:
        return mode.from_tensor(torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state())
