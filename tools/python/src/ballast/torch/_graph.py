"""The joint forward-backward graph of AOTAutograd as a memory problem.

A value is a storage, not a tensor: views belong to the storage they look at, so a reader of a view reads the storage. An op with several
results has a value for each storage; small ones of random ops, and those of the backward pass, are computed with the largest one once and kept.

Nodes of the problem that hold no bytes order the rest: the boundary between the passes, which reads what must be there when the forward
pass ends and before which no gradient comes in; one after every op that may draw random numbers, so that they are drawn in program order; and one after
every op that reads what the step writes to, so that it reads what was there before.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.utils import _pytree as pytree
from torch.utils.checkpoint import CheckpointPolicy

from .. import _planner
from .._errors import UnsupportedModel
from ._cost import TimeOf, tensors
from ._ops import is_collective, is_custom, is_foreign

#: A result this many times smaller than the largest one of its op is counted beside it while the op runs.
SMALL_RESULT = 16
#: Where a node of a graph says how many bytes its op takes while it runs, beside its results.
WORKSPACE = "ballast_workspace"
#: Which op of the joint graph it is a run of.
OP = "ballast_op"
#: And what one run of it takes, in seconds of the plan's times.
SECONDS = "ballast_seconds"
ATTENTION = {"flex_attention", "flex_attention_backward"}


@dataclasses.dataclass
class Part:
    """What one node of the problem stands for."""

    #: `op`, `also` (a further result of an op, taken when the op runs), `tangent`, `boundary`, `effect`, `token`, `state` (of the generator).
    kind: str
    node: fx.Node | None = None
    #: Storage computed, as the graph's fake tensors name it.
    storage: int | None = None
    #: Does it stand for a run in the backward pass that a checkpoint demands?
    again: bool = False


def is_random(node: fx.Node) -> bool:
    """Does the op draw random numbers from the generator's state?"""
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    # Attention kernels are marked for the dropout they can do.
    names = [argument.name for argument in node.target._schema.arguments]
    if "dropout_p" not in names:
        return True
    at = names.index("dropout_p")
    return (node.args[at] if at < len(node.args) else node.kwargs.get("dropout_p", 0.0)) != 0.0


def storages(node: fx.Node) -> list[tuple[int, int]]:
    """Name and bytes of each storage that a node's results look at."""
    found = {}
    for tensor in tensors(node.meta.get("val")):
        if tensor.layout != torch.strided:
            raise UnsupportedModel(
                f"'{node.name}' is a {str(tensor.layout).removeprefix('torch.')} tensor, and plans are for dense ones: give sparse=False to the embedding it comes from"
            )
        storage = tensor.untyped_storage()
        found[storage._cdata] = int(storage.nbytes())
    return list(found.items())


def main_device(values: Iterable[torch.Tensor]) -> torch.device | None:
    """Where values are computed: an accelerator, if any is on one."""
    return min({value.device for value in values}, key=lambda device: (device.type == "cpu", str(device)), default=None)


def is_tangent(node: fx.Node) -> bool:
    """Is this an input of the backward pass alone?"""
    return node.op == "placeholder" and ("tangents" in str(node.target) or "bwd_seed" in str(node.target) or "bwd_base" in str(node.target))


def refuse_dynamic(graph: fx.Graph) -> None:
    """Refuses graphs of sizes that are not known, before anybody asks for the bytes of a value.

    Raises:
        UnsupportedModel: says which size, and what makes it fixed.
    """
    for node in graph.nodes:
        value = node.meta.get("val")
        symbolic = [part for part in (value, *(size for tensor in tensors(value) for size in tensor.shape)) if isinstance(part, torch.SymInt)]
        if not symbolic:
            continue
        if any("_offsets" in str(other.meta.get("desc")) for other in graph.find_nodes(op="placeholder")):
            raise UnsupportedModel(
                "the model takes a jagged nested tensor, whose rows may have other lengths in every batch: plans are for fixed sizes; pad the batch to one shape "
                "(torch.nested.to_padded_tensor) and mask what was padded"
            )
        if free_unbacked_symbols(symbolic):
            raise UnsupportedModel(
                f"the size of '{node.name}' depends on values, as where rows are chosen by torch.where or by a mask: plans are for fixed sizes; multiply by the "
                "mask, or take a fixed number of rows (topk, or a capacity for each expert)"
            )
        raise UnsupportedModel(
            f"the size of '{node.name}' is not known when the step is compiled: plans are for fixed sizes; call torch.compile with "
            "dynamic=False, and pad batches to one shape"
        )


def mutates(node: fx.Node) -> bool:
    """Does the op write to one of its arguments?"""
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


class JointProblem:
    """A joint graph, the problem made from it, and how the two belong together."""

    def __init__(
        self, module: fx.GraphModule, num_fwd_outputs: int, time_of: TimeOf, *, held_bytes: int = 0, movable: bool = False
    ) -> None:
        self.module = module
        #: May values be copied to the host and back?
        self.movable = movable
        self.nodes = list(module.graph.nodes)
        self.output = self.nodes[-1]
        results = pytree.arg_tree_leaves(*self.output.args)
        self.forward_results: list[Any] = results[:num_fwd_outputs]
        self.backward_results: list[Any] = results[num_fwd_outputs:]
        self.problem = _planner.Problem()
        self.parts: list[Part] = []
        #: Problem node that computes a storage, in the forward pass or wherever its only run is.
        self.of_storage: dict[int, int] = {}
        #: The same for runs that a checkpoint demands in the backward pass.
        self._again: dict[int, int] = {}
        self._resident: dict[int, int] = {}
        self._time_of = time_of
        #: Ops whose workspace a rehearsal has told.
        self._learnt: set[str] = set()
        refuse_dynamic(module.graph)
        self._mutated = self._mutated_inputs()
        #: By storage that is written to: a node after every op that reads it.
        self._readers: dict[int, list[int]] = {name: [] for name in self._mutated}
        self._backward = self._backward_nodes()
        self.device = main_device(tensor for node in self.nodes if node.op == "call_function" for tensor in tensors(node.meta.get("val")))
        self._random: int | None = None
        self.boundary = -1
        #: Node that all incoming gradients are there for, where there are several.
        self._begin: int | None = None
        self._build()
        self.problem.resident_bytes = sum(self._resident.values()) + held_bytes
        self.input_bytes = sum(self._resident.values())

    # What the graph says.

    def _backward_nodes(self) -> set[fx.Node]:
        """What the forward pass does not need."""
        needed: set[fx.Node] = set()
        stack = [result for result in self.forward_results if isinstance(result, fx.Node)]
        stack += [node for node in self.nodes if self._is_forward_effect(node) or self._stays_forward(node)]
        while stack:
            node = stack.pop()
            if node not in needed:
                needed.add(node)
                stack.extend(node.all_input_nodes)
        return {node for node in self.nodes if node not in needed and node.op == "call_function"}

    def _stays_forward(self, node: fx.Node) -> bool:
        """Does an op of the forward pass, which the backward pass alone needs, have to run with the others: does it draw, or read what is written to?"""
        if node.op != "call_function" or node.meta.get("partitioner_tag") != "is_forward":
            return False
        return may_draw(node) or bool(self._mutated_read(node) and not _is_view(node))

    def _mutated_read(self, node: fx.Node) -> set[int]:
        """What it reads of the storages that are written to."""
        return _looked_at(node) & self._mutated

    def _is_forward_effect(self, node: fx.Node) -> bool:
        if node.op != "call_function" or not self._is_effect(node):
            return False
        return node.meta.get("partitioner_tag") not in ("is_backward", "must_be_in_backward")

    @staticmethod
    def _is_effect(node: fx.Node) -> bool:
        return mutates(node) or (not tensors(node.meta.get("val")) and not node.users and node.is_impure(impure_random=False))

    def _mutated_inputs(self) -> set[int]:
        """Storages of inputs that the step writes to: what reads them may not run again."""
        found = {name for node in self.nodes if mutates(node) for name, _ in storages(node.args[0])}
        described = {str(node.meta["desc"]): node for node in self.nodes if node.op == "placeholder" and "desc" in node.meta}
        for desc in self.output.meta.get("desc") or ():
            for leaf in pytree.tree_leaves(desc):
                source = described.get(str(getattr(leaf, "mutated_input", "")))
                if source is not None:
                    found.update(name for name, _ in storages(source))
        return found

    # The problem.

    def _add(self, part: Part, node: _planner.Node) -> int:
        self.parts.append(part)
        return self.problem.add(node)

    def _build(self) -> None:
        forward_results = {name for result in self.forward_results if isinstance(result, fx.Node) for name, _ in storages(result)}
        kept = {name for result in self.backward_results if isinstance(result, fx.Node) for name, _ in storages(result)}
        self._kept = kept | forward_results
        self._forward_results = forward_results
        late = []
        boundary_inputs: list[int] = []
        for node in self.nodes:
            if is_tangent(node) or node in self._backward:
                late.append(node)
            elif node.op in ("placeholder", "get_attr"):
                self._resident.update(storages(node))
            elif node.op == "call_function":
                boundary_inputs += self._forward(node)
        boundary_inputs += [self.of_storage[name] for name in forward_results if name in self.of_storage]
        self.boundary = self._add(
            Part("boundary"), _planner.Node("boundary", 0.0, 0, boundary_inputs, recomputable=False, swappable=False)
        )
        tangents = [node for node in late if node.op == "placeholder"]
        incoming = [self._tangent(node, name, size) for node in tangents for name, size in storages(node)]
        if len(incoming) > 1:
            # They come together, before anything of the backward pass runs.
            self._begin = self._add(
                Part("token", tangents[-1]), _planner.Node("begin", 0.0, 0, incoming, backward=True, recomputable=False, swappable=False)
            )
        for node in self.nodes:
            if node.op == "call_function" and node not in self._backward and _demanded(node):
                self._op(node, again=True)
        for node in late:
            if node.op == "placeholder":
                continue
            if self._is_effect(node):
                self._effect(node, [self.boundary])
            else:
                self._op(node)

    def _tangent(self, node: fx.Node, name: int, size: int) -> int:
        """Adds an incoming gradient. Autograd holds it until the backward pass has ended."""
        self.of_storage[name] = self._add(
            Part("tangent", node, name),
            _planner.Node(node.name, 0.0, size, [self.boundary], backward=True, keep=True, recomputable=False, swappable=False),
        )
        return self.of_storage[name]

    def _forward(self, node: fx.Node) -> list[int]:
        """Adds a node of the forward pass; returns what must have run when that pass ends."""
        if self._is_effect(node):
            return [self._effect(node, [])]
        made = self._op(node)
        # What a policy says to save is there at the end of the forward pass and runs once.
        return made if node.meta.get("recompute") == CheckpointPolicy.MUST_SAVE else []

    def _effect(self, node: fx.Node, after: list[int]) -> int:
        for name, size in storages(node):
            if name not in self.of_storage and name not in self._resident:
                self._resident[name] = size
        written = self._mutated_read(node) if mutates(node) else self._mutated
        after = after + sorted({index for name in written for index in self._readers.get(name, ())})
        return self._add(
            Part("effect", node), _planner.Node(node.name, 0.0, 0, self._inputs(node) + after, recomputable=False, swappable=False)
        )

    def _inputs(self, node: fx.Node, *, again: bool = False) -> list[int]:
        found = set()
        late = again or node in self._backward
        for source in node.all_input_nodes:
            for name, _ in storages(source):
                if late and name in self._again:
                    found.add(self._again[name])
                elif name in self.of_storage:
                    found.add(self.of_storage[name])
        if late and self._begin is not None:
            found.add(self._begin)
        return sorted(found)

    def _op(self, node: fx.Node, *, again: bool = False) -> list[int]:
        """Adds the values an op makes; none for a view. Returns their indices."""
        held = self._again if again else self.of_storage
        looked_at = _looked_at(node)
        averages = updated_averages(node)
        made = [(name, size) for name, size in storages(node) if name not in looked_at and name not in self._resident]
        # A run in the backward pass updates no averages: what reads them there reads those of the first run.
        made = [pair for pair in made if not (again and pair[0] in averages)]
        made = [pair for pair in made if again or pair[0] not in self.of_storage]
        if not made:
            return []
        used = {name for user in node.users for name, _ in storages(user)} if _has_parts(node) else {name for name, _ in made}
        results = sorted((pair for pair in made if pair[0] in used), key=lambda pair: -pair[1]) or made[:1]
        unused = sum(size for name, size in made if (name, size) not in results)
        inputs = self._inputs(node, again=again) + ([self.boundary] if again else [])
        seconds = self._time_of(node)
        repeats = self._may_repeat(node)
        random, ordered = is_random(node), may_draw(node)
        backward = again or node in self._backward
        # Results that come with the first one and are kept: those of the backward pass, averages, which a second run would update twice, and of random ops all but those,
        # such as masks, that are worth the state that draws them again.
        # Others are nodes with the op's time, and the time of first runs that nobody needs would hide copies: where there are any, small results come along, too.
        small = [at > 0 and size * SMALL_RESULT <= results[0][1] for at, (_, size) in enumerate(results)]
        state = self._state(node, results[0][1]) if random and not again and repeats else []
        repeats &= not random or again or bool(state)
        kept = [
            name in averages or (backward and not again) or (random and (again or not repeats or small[at])) for at, (name, _) in enumerate(results)
        ]
        along = [at > 0 and (kept[at] or (self.movable and small[at])) for at in range(len(results))]
        scratch = int(getattr(self._time_of, "workspace", _nothing)(node))
        node.meta[WORKSPACE], node.meta[SECONDS], node.meta[OP] = scratch, seconds, node.name
        # Small results that are not wanted from a run are there while it lasts, as are those that come along.
        beside = [size for at, (_, size) in enumerate(results) if along[at] or small[at]]
        workspace = scratch + unused + sum(beside)
        indices: list[int] = []
        for at, (name, size) in enumerate(results):
            keep = name in self._kept
            if along[at]:
                index = self._add(
                    Part("also", node, name, again),
                    _planner.Node(
                        f"{node.name}.{at}", 0.0, size, [indices[0]], backward=backward, keep=keep, recomputable=False,
                        swappable=not backward and self._may_move(node, name, size),
                    ),
                )
            else:
                reads = list(inputs) + state + indices[:1]
                if ordered and not again and self._random is not None:
                    reads.append(self._random)
                index = self._add(
                    Part("op", node, name, again),
                    _planner.Node(
                        node.name if at == 0 else f"{node.name}.{at}", seconds, size, reads, workspace=workspace if at == 0 else scratch,
                        backward=backward, keep=keep, recomputable=repeats and name not in self._forward_results,
                        swappable=not backward and self._may_move(node, name, size),
                    ),
                )
            held[name] = index
            indices.append(index)
        if not again and (read := self._mutated_read(node)):
            token = self._token(node, "read", indices[0], backward=backward)
            for storage in read:
                self._readers[storage].append(token)
        if ordered and not again:
            self._random = self._token(node, "drawn", indices[0])
        return indices

    def _state(self, node: fx.Node, size: int) -> list[int]:
        """Adds the generator's state that a second run draws from, which the first one saves. None where it is no smaller than the result: nothing is gained."""
        held = _state_bytes(node)
        if held >= size:
            return []
        return [self._add(Part("state", node), _planner.Node(f"{node.name}.state", 0.0, held, [], recomputable=False, swappable=False))]

    def _token(self, node: fx.Node, what: str, behind: int, *, backward: bool = False) -> int:
        token = _planner.Node(f"{node.name}.{what}", 0.0, 0, [behind], backward=backward, recomputable=False, swappable=False)
        return self._add(Part("token", node), token)

    def learn(self, workspaces: dict[str, int]) -> bool:
        """Takes over what ops were seen to allocate beside their results; says whether anything was new."""
        new = workspaces.keys() - self._learnt
        self._learnt |= new
        for index, part in enumerate(self.parts):
            if part.kind == "op" and part.node is not None and part.node.name in new:
                self.problem.nodes[index].workspace += workspaces[part.node.name] - part.node.meta[WORKSPACE]
        changed = [node for node in self.nodes if node.name in new and node.meta[WORKSPACE] != workspaces[node.name]]
        for node in changed:
            node.meta[WORKSPACE] = workspaces[node.name]
        return bool(changed)

    def _may_repeat(self, node: fx.Node) -> bool:
        policy = node.meta.get("recompute")
        if policy == CheckpointPolicy.MUST_SAVE:
            return False
        target = node.target
        if isinstance(target, torch._ops.HigherOrderOperator):
            return target.name() in ATTENTION
        if not isinstance(target, torch._ops.OpOverload):
            return target is operator.getitem
        if target.namespace in ("_c10d_functional", "c10d", "fsdp", "prims") and is_random(node):
            return False
        if is_collective(target):
            return False
        # Sizes that depend on values have been refused: an index is as good as any op where it is one of whole numbers.
        if torch.Tag.data_dependent_output in target.tags:
            return False
        if policy is None and is_custom(target):
            return False
        return not self._reads_mutated(node)

    def _may_move(self, node: fx.Node, name: int, size: int) -> bool:
        """May this storage leave the device and come back? Not what the step returns or writes to, nor what a policy says to save, nor what one whole
        tensor does not say: parts of a storage, or results that share one."""
        if not self.movable or size == 0 or name in self._kept or name in self._mutated:
            return False
        if node.meta.get("recompute") == CheckpointPolicy.MUST_SAVE:
            return False
        makers = [user for user in node.users if user.target is operator.getitem and user.args[0] is node] if _has_parts(node) else [node]
        makers = [maker for maker in makers if any(held == name for held, _ in storages(maker))]
        if len(makers) != 1 or any(is_foreign(one.target) for one in (node, *makers[0].users)):
            return False
        value = makers[0].meta.get("val")
        return isinstance(value, torch.Tensor) and value.device == self.device and _is_whole(value, size)

    def _reads_mutated(self, node: fx.Node) -> bool:
        # Batch normalisation in training reads its running averages only to write them.
        return bool(self._mutated_read(node)) and not updates_averages(node)


def updates_averages(node: fx.Node) -> bool:
    """Is it batch normalisation in training, with running averages that it updates?"""
    return node.target is torch.ops.aten._native_batch_norm_legit_functional.default and len(node.args) == 8 and node.args[5] is True


def updated_averages(node: fx.Node) -> set[int]:
    """The storages of the running averages that batch normalisation in training has updated."""
    if not updates_averages(node):
        return set()
    return {tensor.untyped_storage()._cdata for tensor in tensors(node.meta["val"][3:])}


def drop_averages(graph: fx.Graph) -> None:
    """Takes running averages from what the gradient of batch normalisation reads, in place. In training it is that of the batch's own mean and variance, and does not
    look at them; of a layer that is called twice the averages of the last call would be held, or made again, for the gradient of the first."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.native_batch_norm_backward.default):
        if node.args[7] is True:
            node.args = (*node.args[:3], None, None, *node.args[5:])


def may_draw(node: fx.Node) -> bool:
    """Does the op draw random numbers, or is it not known what it does?"""
    target = node.target
    if isinstance(target, torch._ops.HigherOrderOperator):
        return target.name() not in ATTENTION
    return is_random(node) or is_custom(target)


def _looked_at(node: fx.Node) -> set[int]:
    """The storages of what an op reads."""
    return {name for source in node.all_input_nodes for name, _ in storages(source)}


def _is_view(node: fx.Node) -> bool:
    looked_at = _looked_at(node)
    return all(name in looked_at for name, _ in storages(node))


def _nothing(_node: fx.Node) -> int:
    return 0


def _state_bytes(node: fx.Node) -> int:
    """Bytes of the generator's state that is saved where a random op runs again."""
    on_cuda = any(tensor.device.type == "cuda" for tensor in tensors(node.meta.get("val")))
    # CUDA's is a seed and an offset, 8 bytes each.
    return 16 if on_cuda else int(torch.get_rng_state().numel())


def _demanded(node: fx.Node) -> bool:
    return node.meta.get("recompute") == CheckpointPolicy.MUST_RECOMPUTE


def _has_parts(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), (tuple, list))


def _is_whole(value: torch.Tensor, size: int) -> bool:
    """Is this a plain tensor that covers its storage, every element once?"""
    if value.layout != torch.strided or value.storage_offset() != 0 or value.is_conj() or value.is_neg():
        return False
    return torch._prims_common.is_non_overlapping_and_dense_or_false(value) and value.numel() * value.element_size() == size
