"""Pipelines: where to split a model, and a memory plan per stage, for `torch.distributed.pipelining`, whose stages and schedules run them.

The forward graph of `torch.export` is cut where a submodule begins. `ballast partition` chooses the cuts, so that the slowest stage is as fast as can be
(times by roofline, copies included); every stage is then planned by itself under the cap, with as many micro-batches in flight as the
schedule has there (docs/pipelines.md).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves

from .._errors import BallastError, NoPlan, UnsupportedModel, first_line, of_ballast
from .._plan import Plan
from .._stages import BACKWARD, BANDWIDTH, Stage, Staged, check, in_flight
from .._stages import cut as cut_pieces
from .._units import format_bytes, parse_bytes
from ._backend import Backend
from ._bubble import Bubble, measure
from ._compile import compile as compile_under
from ._cost import Roofline, tensors

def pipeline(
    model: torch.nn.Module, args: tuple[Any, ...], *, devices: int, cap: int | str, microbatches: int, kwargs: dict[str, Any] | None = None,
    schedule: str = "1f1b", state_per_parameter: float = 0.0, bandwidth: float = BANDWIDTH, split_points: list[str] | None = None, **options: Any,
) -> Pipeline:
    """Splits a model into one stage per device and plans each under the cap.

    Every process of the group calls it with the same arguments; then `p.stage(rank, device)` and `p.schedule(stage, loss_fn)` are torch's own.

    Args:
        model: What `torch.export` captures.
        args, kwargs: One micro-batch, as the model takes it.
        devices: Stages, one per process.
        cap: Bytes that each device may hold: parameters, gradients, optimizer state, receive buffers, and all micro-batches in flight.
        microbatches: How many a step has.
        schedule: `"1f1b"` or `"gpipe"`.
        state_per_parameter: Bytes of optimizer state per byte of a parameter, such as 2 for Adam.
        bandwidth: Bytes per second between two devices.
        split_points: Submodules that stages begin with, in place of those found.
        options: `times`, `time_limit`, `seed`, `threads`: as for `ballast.torch.compile`.

    Raises:
        ValueError, TypeError: options that make no sense.
        UnsupportedModel: the model cannot be exported or cut, or two stages share a parameter.
    """
    check(devices, microbatches, schedule, bandwidth, state_per_parameter)
    cap_bytes = parse_bytes(cap)
    _check(cap_bytes, options)
    pieces = _Pieces(model, args, kwargs or {})
    held = 2 + state_per_parameter
    points = split_points if split_points is not None else pieces.cut(devices, cap_bytes, held, bandwidth)
    if len(points) != devices - 1:
        raise ValueError(f"{len(points)} split points make {len(points) + 1} stages, and there are {devices} devices")
    return Pipeline(model, args, kwargs or {}, pieces, points, cap_bytes, microbatches, schedule, state_per_parameter, bandwidth, options)


def _check(cap: int, options: dict[str, Any]) -> None:
    """Options that the stages are compiled with, looked at before the model is.

    Raises:
        ValueError, TypeError: they make no sense.
    """
    taken = [name for name in ("held_bytes", "in_flight", "optimizer") if name in options]
    if taken:
        raise TypeError(f"{taken[0]} is the pipeline's to say: give microbatches, schedule and state_per_parameter")
    of_backend = {name: value for name, value in options.items() if name not in ("accumulates", "fullgraph") and (name, value) != ("compiler", None)}
    Backend(cap, **of_backend)


class Pipeline(Staged):
    """A model in stages. Made by `pipeline`."""

    def __init__(
        self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], pieces: _Pieces, points: list[str], cap: int,
        microbatches: int, schedule: str, state_per_parameter: float, bandwidth: float, options: dict[str, Any],
    ) -> None:
        from torch.distributed.pipelining import SplitPoint
        from torch.distributed.pipelining import pipeline as split

        #: Submodules that the second and further stages begin with.
        self.split_points = list(points)
        self.cap_bytes, self.microbatches, self.schedule_name = cap, microbatches, schedule
        self.bandwidth, self._state, self._options = bandwidth, state_per_parameter, options
        figures = pieces.figures(points)
        own = {name: module.__dict__.get("forward") for name, module in model.named_modules()}
        try:
            #: Torch's own representation, with all stages.
            self.pipe = split(model, args, kwargs, split_spec={point: SplitPoint.BEGINNING for point in points} or None)
        except Exception as error:
            raise UnsupportedModel(f"torch.distributed.pipelining cannot split the model before {', '.join(points)}: {first_line(error)}") from error
        finally:
            # Torch marks the points by replacing methods of the model.
            for name, module in model.named_modules():
                if own[name] is None:
                    module.__dict__.pop("forward", None)
                else:
                    module.__dict__["forward"] = own[name]
        count = len(points) + 1
        if self.pipe.num_stages != count:
            raise UnsupportedModel(f"splitting before {', '.join(points)} gives {self.pipe.num_stages} stages, not {count}: the points are not in the order in which they run")
        self._refuse_shared(count)
        self._refuse_skips(count)
        self._refuse_unused(count)
        flying = in_flight(schedule, count, microbatches)
        #: The stages as they were cut.
        self.stages = [
            Stage(
                index, (points[index - 1] if index else ""), figures[index][0], BACKWARD * figures[index][0], self._parameter_bytes(index),
                figures[index - 1][1] if index else 0, figures[index][1],
                flying[index],
            )
            for index in range(count)
        ]
        self._compiled: dict[int, Any] = {}

    def _refuse_shared(self, count: int) -> None:
        seen: dict[str, int] = {}
        for index in range(count):
            for name, _ in self.pipe.get_stage_module(index).named_parameters():
                known = seen.setdefault(_plain(name), index)
                if known != index:
                    raise UnsupportedModel(
                        f"parameter '{_plain(name)}' is used by stages {known} and {index}, and each would train a copy: untie it (in transformers "
                        "tie_word_embeddings=False), or give split_points that keep its uses together"
                    )

    def _refuse_skips(self, count: int) -> None:
        """What torch's engine would end with in the first step: values for several stages, and such as have no gradient."""
        for index in range(1, count):
            for node in self.pipe.get_stage_module(index).graph.find_nodes(op="placeholder"):
                if any(not tensor.is_floating_point() for tensor in tensors(node.meta.get("val"))):
                    raise UnsupportedModel(
                        f"stage {index} receives '{node.name}', which is not of floating point, and torch's stages hand on nothing else: make it in every "
                        "stage (a mask), or as floats (in transformers attn_implementation='eager')"
                    )
        for node in self.pipe.split_gm.graph.nodes:
            readers = sorted({str(user.target) for user in node.users if user.op == "call_module"})
            if node.op != "placeholder" and len(readers) > 1:
                raise UnsupportedModel(
                    f"'{node.name}' is read by {len(readers)} stages ({', '.join(readers)}), and torch's pipelines have no gradient for what skips a stage: "
                    "make it in every stage, or give split_points that keep its readers together"
                )

    def _refuse_unused(self, count: int) -> None:
        """Torch's engine sends a gradient back for all that a stage was handed, and ends where there is none."""
        for index, call in enumerate(self.pipe.split_gm.graph.find_nodes(op="call_module")[:count]):
            module = self.pipe.get_stage_module(index)
            placeholders = module.graph.find_nodes(op="placeholder")
            # What the model itself is given comes from no stage.
            handed = [own.op != "placeholder" for own in call.args]
            for node in _without_gradient(module, placeholders, handed):
                raise UnsupportedModel(
                    f"stage {index} receives '{node.name}', and what it gives has no gradient of that (nothing that is read later depends on it, or only by a comparison or "
                    "a detached value), while torch's stages send one back for all that they are handed: take it out of what the submodules return, make it in the "
                    "stage that reads it, or give split_points that keep its readers together"
                )

    def _parameter_bytes(self, index: int) -> int:
        return sum(parameter.numel() * parameter.element_size() for parameter in self.pipe.get_stage_module(index).parameters())

    def held_bytes(self, index: int) -> int:
        """What a stage holds beside parameters and what its passes make: gradients summed up, optimizer state, buffers to receive into."""
        stage = self.stages[index]
        trained = sum(p.numel() * p.element_size() for p in self.pipe.get_stage_module(index).parameters() if p.requires_grad)
        summed = trained if self.microbatches > 1 else 0
        # Torch has a buffer per micro-batch for what comes in, one for the gradient of what went out, and keeps the last stage's results.
        return int(summed + self._state * trained + self.microbatches * (stage.received_bytes + stage.sent_bytes))

    def module(self, index: int) -> Any:
        """A stage as a module under its plan, for `PipelineStage` or any engine; planned at its first call.

        Raises:
            NoPlan: what the stage holds from step to step is above the cap; or, at the first call, no plan keeps it.
        """
        if index not in self._compiled:
            self._refuse_held(index)
            self._compiled[index] = compile_under(
                self.pipe.get_stage_module(index), self.cap_bytes, held_bytes=self.held_bytes(index), in_flight=self.stages[index].in_flight,
                **self._options,
            )
            self._compiled[index]._ballast_backend.accumulates |= self.microbatches > 1
        return self._compiled[index]

    def _refuse_held(self, index: int) -> None:
        """What can be known before anything runs, and before another process waits for this one."""
        least = self.stages[index].parameter_bytes + self.held_bytes(index)
        if least > self.cap_bytes:
            raise NoPlan(
                f"stage {index} holds parameters, gradients, optimizer state and receive buffers of {least} bytes ({format_bytes(least)}) from step to step, above the "
                f"cap of {self.cap_bytes} bytes ({format_bytes(self.cap_bytes)})", least
            )

    def stage(self, index: int, device: torch.device | str, group: Any = None) -> Any:
        """Torch's own stage, with the planned module in it.

        Raises:
            NoPlan: what it holds from step to step is above the cap.
        """
        built = self.pipe.build_stage(index, torch.device(device), group)
        built.submod.to(device)
        built.submod = self.module(index)
        return built

    def schedule(self, stage: Any, loss_fn: Callable[..., torch.Tensor] | None = None, **options: Any) -> Any:
        """Torch's own schedule over a stage. Its first `step` raises `NoPlan` where no plan keeps the cap; what runs in the other processes waits for this one then."""
        from torch.distributed.pipelining import Schedule1F1B, ScheduleGPipe

        kind = ScheduleGPipe if self.schedule_name == "gpipe" else Schedule1F1B
        built = kind(stage, n_microbatches=self.microbatches, loss_fn=loss_fn, **options)
        built.step = _said(built.step)
        return built

    def plan(self, index: int) -> Plan:
        """The plan of a stage that has run in this process.

        Raises:
            BallastError: it has not.
        """
        if index not in self._compiled:
            raise BallastError(f"stage {index} has not run in this process: its plan is made by the first step")
        return self._compiled[index].plan

    def measure_bubble(self, stage: Any, step: Callable[[], Any], *, steps: int = 10, group: Any = None) -> Bubble:
        """How long each stage computes and waits, beside the plan. Every process of the group calls it.

        Args:
            stage: This process's, from `stage`.
            step: Runs this process's part of one step, such as `lambda: schedule.step(batch)`, optimizer left out. Gradients add up over the calls.
            steps: How often, after one call that is not measured.
            group: As for `stage`.
        """
        return measure(self, stage, step, steps, group)


def _said(step: Callable[..., Any]) -> Callable[..., Any]:
    """A step in which what Ballast says is not hidden behind torch's error of a stage."""
    @functools.wraps(step)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return step(*args, **kwargs)
        except RuntimeError as error:
            said = of_ballast(error)
            if said is None or said is error:
                raise
            raise said from None

    return run


@dataclasses.dataclass
class _Read:
    """A parameter, and the nodes that read it first and last."""

    name: str
    parameter: torch.nn.Parameter
    first: int
    last: int

    def held_bytes(self, held: float) -> float:
        """What its stage holds for it, `held` bytes per byte of a parameter that is trained; a frozen one has neither gradient nor state."""
        return (held if self.parameter.requires_grad else 1) * self.parameter.numel() * self.parameter.element_size()


class _Pieces:
    """The forward graph between the places where it may be cut."""

    def __init__(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            program = torch.export.export(model, args, kwargs)
        except Exception as error:
            raise UnsupportedModel(f"torch.export cannot capture the model: {first_line(error)}") from error
        self._graph = program.graph
        self._nodes = [node for node in self._graph.nodes if node.op == "call_function"]
        self._reads = self._read(model, program.graph_signature.inputs_to_parameters)
        spans: dict[str, list[int]] = {}
        for at, node in enumerate(self._nodes):
            for path, _ in (node.meta.get("nn_module_stack") or {}).values():
                spans.setdefault(path, []).append(at)
        #: Where each submodule begins that runs once and in one piece.
        self.begins = {
            path: span[0] for path, span in spans.items() if path and "@" not in path and span[-1] - span[0] + 1 <= len(span) + self._untold(span)
        }

    def _read(self, model: torch.nn.Module, names: Mapping[str, str]) -> list[_Read]:
        """The parameters that are read, tied ones once."""
        found: dict[int, _Read] = {}
        for at, node in enumerate(self._nodes):
            for source in node.all_input_nodes:
                name = names.get(source.name)
                if name is not None:
                    parameter = model.get_parameter(name)
                    found.setdefault(id(parameter), _Read(name, parameter, at, at)).last = at
        return list(found.values())

    def _untold(self, span: list[int]) -> int:
        """Nodes within a span that no module claims."""
        return sum(not self._nodes[at].meta.get("nn_module_stack") for at in range(span[0], span[-1]))

    def cut(self, devices: int, cap: int, held: float, bandwidth: float) -> list[str]:
        """The submodules that stages begin with, none between two uses of one parameter.

        Raises:
            UnsupportedModel: there are fewer places than stages.
        """
        # Of several that begin at one place the outermost names it.
        places: dict[int, str] = {}
        for path, at in self.begins.items():
            if at > 0 and (at not in places or len(path) < len(places[at])):
                places[at] = path
        starts = [0, *(at for at in sorted(places) if not any(one.first < at <= one.last for one in self._reads))]
        if len(starts) < devices:
            raise UnsupportedModel(self._too_few(len(starts), len(places) + 1, devices))
        piece_of = [0] * len(self._nodes)
        for piece, start in enumerate(starts):
            for at in range(start, starts[piece + 1] if piece + 1 < len(starts) else len(self._nodes)):
                piece_of[at] = piece
        sizes = [0.0] * len(starts)
        for one in self._reads:
            sizes[piece_of[one.first]] += one.held_bytes(held)
        cuts = cut_pieces(self._seconds(piece_of, len(starts)), sizes, self._moved(piece_of), devices=devices, cap=cap, bandwidth=bandwidth)
        return [places[starts[piece]] for piece in cuts]

    def _too_few(self, count: int, places: int, devices: int) -> str:
        if places < devices:
            return f"the model has {places} submodules in a row, too few for {devices} stages"
        widest = max(self._reads, key=lambda one: one.last - one.first)
        return (
            f"without a cut between two uses of one parameter, of which each stage would train a copy, the model has {count} pieces in a row, too few for "
            f"{devices} stages: untie '{widest.name}', whose uses are the furthest apart (in transformers tie_word_embeddings=False)"
        )

    def figures(self, points: list[str]) -> list[tuple[float, int]]:
        """For every stage its forward seconds and the bytes it hands on."""
        missing = [point for point in points if point not in self.begins]
        if missing:
            raise UnsupportedModel(f"'{missing[0]}' is not a submodule that runs once and in one piece: a stage cannot begin with it")
        starts = [0, *(self.begins[point] for point in points)]
        piece_of = [sum(at >= start for start in starts) - 1 for at in range(len(self._nodes))]
        seconds = self._seconds(piece_of, len(starts))
        results = next(iter(reversed(self._graph.nodes))).all_input_nodes
        leaving = sum(_bytes(node) for node in results if node.op == "call_function")
        return list(zip(seconds, [*self._moved(piece_of), leaving], strict=True))

    def _seconds(self, piece_of: list[int], count: int) -> list[float]:
        """Forward seconds of every piece."""
        time_of = Roofline()
        seconds = [0.0] * count
        for at, node in enumerate(self._nodes):
            seconds[piece_of[at]] += time_of(node)
        return seconds

    def _moved(self, piece_of: list[int]) -> list[int]:
        """Bytes that cross the end of every piece but the last."""
        index = {node: at for at, node in enumerate(self._nodes)}
        crossing = [0] * max(piece_of[-1], 0)
        for node, at in index.items():
            last = max((piece_of[index[user]] for user in node.users if user in index), default=piece_of[at])
            size = _bytes(node)
            for piece in range(piece_of[at], last):
                crossing[piece] += size
        return crossing


def _without_gradient(module: torch.nn.Module, placeholders: Sequence[fx.Node], handed: list[bool]) -> list[fx.Node]:
    """Those of a stage's inputs that it is handed and that no gradient of its results comes back to; told by a backward pass on values that are sizes alone."""
    values = [node.meta.get("val") for node in placeholders]
    if not any(handed) or len(values) != len(handed) or not all(isinstance(value, torch.Tensor) for value in values):
        return []
    with torch.enable_grad(), FakeTensorMode(allow_non_fake_inputs=True) as mode:
        leaves = [
            torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=value.device, requires_grad=one) for value, one in zip(values, handed, strict=True)
        ]
        # Counters, as those of batch normalisation, would count in earnest.
        own = {name: mode.from_tensor(tensor) for name, tensor in (*module.named_parameters(), *module.named_buffers())}
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        try:
            # The stage may write to what it is handed, and nobody may to a leaf.
            given = torch.func.functional_call(module, own, tuple(leaf.clone() for leaf in leaves))
            results = [one for one in tree_leaves(given) if isinstance(one, torch.Tensor) and one.requires_grad]
            found = torch.autograd.grad(results, wanted, [torch.ones_like(one) for one in results], allow_unused=True) if results else [None] * len(wanted)
        except Exception:
            # What does not run without values is the engine's to run.
            return []
    nodes = [node for node, one in zip(placeholders, handed, strict=True) if one]
    return [node for node, gradient in zip(nodes, found, strict=True) if gradient is None]


def _bytes(node: fx.Node) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors(node.meta.get("val")))


def _plain(name: str) -> str:
    return name.replace("L__self___", "")


__all__ = ["Pipeline", "Stage", "pipeline"]
