"""Will it fit? What a PyTorch step takes on a device, what is live when it takes most, and the largest batch. Nothing runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch._functorch import config as functorch_config
from torch.utils.checkpoint import CheckpointPolicy

from .. import _options
from .._errors import UnsupportedModel
from .._fits import Fit, Live, largest_batch, of_device
from ._captured import break_of, holder, unread_bytes
from ._compile import optimizer_bytes, unplanned
from ._cost import Roofline, TimeOf
from ._distributions import know_divergences
from ._graph import JointProblem, storages
from ._judge import judge
from ._partitioner import prepare
from ._report import source_of
from ._rewrite import rewrite
from ._settings import changed


#: No limit on how often a model is compiled.
_ANY = 2**31


class _Captured(BaseException):
    """The joint graph is there: nothing more is to be done. No `Exception`, so that nobody takes it for a failure."""


def will_it_fit(
    model: Callable[..., Any], *args: Any, device: str | int = "h100-80gb", optimizer: torch.optim.Optimizer | None = None, held_bytes: int | float | str = 0,
    times: TimeOf | None = None, batch_args: Callable[[int], tuple[Any, ...] | dict[str, Any]] | None = None, most: int = 65536, **kwargs: Any,
) -> Fit:
    """What a step of a model takes without a plan, beside the memory of a device: nothing is computed again but what the model itself says, by
    `torch.utils.checkpoint`.

    The joint graph is captured and replayed; the model does not run. Put the loss inside to have it counted.

    Args:
        model: A module or function, in training.
        args: One batch.
        device: A name such as `h100-80gb`, or memory in bytes such as `"24GiB"`.
        optimizer, held_bytes: What else is there for the whole step, as for `compile`.
        times: `ballast.torch.Measured()` runs every op once and counts what it allocates beside its results.
        batch_args: From a batch size to the arguments: the largest batch that fits is searched by doubling and halving. A tuple is given beside `kwargs`;
            a dict is of arguments by name, which take the place of all of `args` and, name by name, of `kwargs`.
        most: Largest batch to try.
        kwargs: Arguments of the model by name, such as `labels=y`. One that is named as an argument here needs a function around the model:
            `will_it_fit(lambda x: model(x, device=y), x)`.

    Raises:
        ValueError: the device is not known.
        UnsupportedModel: the model is not one graph of fixed sizes, or needs no gradients.
    """
    name, memory = of_device(device)
    held = _options.held("held_bytes", held_bytes) + (optimizer_bytes(optimizer) if optimizer is not None else 0)
    time_of = times or Roofline()
    model = unplanned(model)
    owner = holder(model, optimizer)
    found = _replayed(model, args, kwargs, owner, held, time_of)
    largest = None
    if batch_args is not None:
        def fits(batch: int) -> bool:
            given = batch_args(batch)
            positional, named = ((), {**kwargs, **given}) if isinstance(given, dict) else (given, kwargs)
            return _replayed(model, positional, named, owner, held, time_of)[0] <= memory

        largest = largest_batch(fits, most)
    peak, resident, results, live = found
    return Fit(peak <= memory, name, memory, peak, resident, results, peak - resident - results, 0, live, largest)


def _replayed(
    model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], owner: torch.nn.Module | torch.optim.Optimizer | None, held: int,
    time_of: TimeOf,
) -> tuple[int, int, int, tuple[Live, ...]]:
    """Peak, what is there from start to end, results and gradients, and what else is live at the peak."""
    graph, outputs, unread = _captured(model, args, kwargs, owner)
    graph = prepare(graph)
    _demand(graph.graph)
    joint = JointProblem(graph, outputs, time_of, held_bytes=held + unread)
    steps = joint.problem.keep_all(_order(joint))
    forward, backward, _ = rewrite(joint, steps, outputs, [])
    resident = joint.problem.resident_bytes
    peak = judge(forward, backward, outputs).peak_bytes + resident
    nodes = joint.problem.nodes
    live: set[int] = set()
    now = most = resident
    at_peak: set[int] = set()
    for kind, index in steps:
        if kind == "compute":
            live.add(index)
            now += nodes[index].size
            if now + nodes[index].workspace > most:
                most, at_peak = now + nodes[index].workspace, set(live)
        else:
            live.discard(index)
            now -= nodes[index].size
    sums: dict[str, list[int]] = {}
    for index in sorted(at_peak):
        node = joint.parts[index].node
        if node is not None and nodes[index].size:
            entry = sums.setdefault(source_of(node) or node.name, [0, 0])
            entry[0] += nodes[index].size
            entry[1] += 1
    kept = sum(nodes[index].size for index in at_peak if nodes[index].keep)
    table = sorted((Live(source, size, count) for source, (size, count) in sums.items()), key=lambda one: (-one.bytes, one.source))
    return peak, resident, kept, tuple(table)


def _demand(graph: fx.Graph) -> None:
    """A plan may choose what becomes of the model's checkpoints; without one they do as they say. What one of them hands to the next is kept, though it is
    marked where it is taken from its op, and not at the op."""
    kept = {name for node in graph.nodes if node.meta.get("recompute") == CheckpointPolicy.MUST_SAVE for name, _ in storages(node)}
    for node in graph.nodes:
        if node.meta.get("recompute") == CheckpointPolicy.PREFER_RECOMPUTE and not any(name in kept for name, _ in storages(node)):
            node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE


def _order(joint: JointProblem) -> list[int]:
    """Program order; what a checkpoint computes again is computed, all of it, where the backward pass first needs a value of it."""
    region = {index: part.node.meta.get("ac_graph_id") for index, part in enumerate(joint.parts) if part.again and part.node is not None}
    again: dict[int | None, list[int]] = {}
    for index, number in region.items():
        again.setdefault(number, []).append(index)
    order: list[int] = []
    for index in range(len(joint.parts)):
        if index in region:
            continue
        wanted = [index]
        # What a checkpoint reads may be computed again by another one.
        for at in wanted:
            wanted += [one for source in joint.problem.nodes[at].inputs if source in region for one in again.pop(region[source], [])]
        order += sorted(wanted[1:]) + [index]
    return order


def _captured(
    model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, owner: torch.nn.Module | torch.optim.Optimizer | None = None,
) -> tuple[fx.GraphModule, int, int]:
    """The joint graph of a step, how many results its forward pass has, and bytes of what an owner has beside it."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._dynamo.backends.debugging import boxed_nop

    found: list[tuple[fx.GraphModule, int]] = []
    unread = 0

    def keep(module: fx.GraphModule, _inputs: Any, *, num_fwd_outputs: int, **_options: Any) -> Any:
        found.append((module, num_fwd_outputs))
        raise _Captured

    capture = aot_autograd(fw_compiler=boxed_nop, bw_compiler=boxed_nop, partition_fn=keep, keep_inference_input_mutations=True)

    def backend(gm: fx.GraphModule, inputs: list[Any]) -> Any:
        nonlocal unread
        unread = unread_bytes(owner, gm, inputs)
        return capture(gm, inputs)

    know_divergences()
    try:
        # What else is compiled of this model stays as it is, and does not count.
        with changed(recompile_limit=lambda _: _ANY, accumulated_recompile_limit=lambda _: _ANY), functorch_config.patch(enable_autograd_cache=False), \
                torch.random.fork_rng(devices=[]):
            torch.compile(model, backend=backend, dynamic=False, fullgraph=True)(*args, **(kwargs or {}))
    except _Captured:
        pass
    except torch._dynamo.exc.Unsupported as error:
        raise UnsupportedModel(f"the model is not one graph ({break_of(error)}): its memory cannot be told beforehand") from error
    if not found:
        raise UnsupportedModel("the model has no gradients to compute: parameters with requires_grad, and no torch.no_grad, are needed")
    return *found[0], unread
