"""Pipelines: a model's stages as functions, each planned under the cap of its device, and a step that JAX's asynchronous dispatch runs.

The forward pass is traced and cut between equations, so that the slowest stage is as fast as `ballast partition` finds. Of every stage a
policy says what it keeps per micro-batch, found under what the cap leaves beside parameters, gradients, optimizer state, boundary values and
XLA's temporaries, with as many micro-batches in flight as the schedule has there (docs/pipelines.md).
"""

from __future__ import annotations

import dataclasses
import functools
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .. import _options
from .._errors import NoPlan, UnsupportedModel
from .._plan import Plan
from .._stages import BANDWIDTH, Pass, Stage, Staged, check, in_flight, play
from .._units import format_bytes, parse_bytes
from ._cuts import Cuts
from ._planned import OPERATIONS
from ._policy import Search
from ._stage import Compiled, StageProgram, parted

#: Most policies tried for a stage, and how near to each other the bytes they may keep are near enough, as a share of the cap.
TRIES, WITHIN = 6, 0.03


def pipeline(
    model: Callable[..., Any], parameters: Any, *inputs: Any, devices: int | Sequence[jax.Device], cap: int | str, microbatches: int,
    schedule: str = "1f1b", state_per_parameter: float = 0.0, bandwidth: float = BANDWIDTH, split_points: Sequence[str] | None = None,
    times: str = OPERATIONS, time_limit: float = 10.0,
) -> Pipeline:
    """Cuts a model into one stage per device and plans each under the cap.

    Args:
        model: From parameters and inputs to results, such as `module.apply`; the loss comes later.
        parameters: A pytree of arrays of floating point, or their shapes.
        inputs: One micro-batch, or its shapes.
        devices: How many, of `jax.devices()`; or which.
        cap: Bytes that each device may hold: parameters, gradients, optimizer state, and all micro-batches in flight.
        microbatches: How many a step has.
        schedule: `"1f1b"` or `"gpipe"`.
        state_per_parameter: Bytes of optimizer state per byte of a parameter, such as 2 for Adam.
        bandwidth: Bytes per second between two devices.
        split_points: Names of values (`jax.ad_checkpoint.checkpoint_name`) after which stages begin, in order, in place of those found.
        times: Whose seconds stages are balanced by, and policies made least: `"operations"`, or a device such as `"h100-80gb"`.
        time_limit: Seconds to search for the policy of a stage, for each try.

    Raises:
        NoPlan: a stage cannot keep the cap.
        UnsupportedModel: the model cannot be cut so, or two stages share a parameter.
        ValueError: options that make no sense, or fewer devices than asked for.
    """
    check(devices if isinstance(devices, numbers.Integral) else len(devices), microbatches, schedule, bandwidth, state_per_parameter)
    _options.seconds("time_limit", time_limit)
    placed = _devices(devices)
    cap_bytes = parse_bytes(cap)
    # As JAX takes them: numbers of Python are arrays, doubles of NumPy singles where doubles are off.
    parameters = jax.eval_shape(lambda given: given, parameters)
    leaves = jax.tree.leaves(parameters)
    if not all(jnp.issubdtype(leaf.dtype, jnp.floating) for leaf in leaves):
        raise UnsupportedModel("a parameter is not of floating point and has no gradient: make it an input, or a constant of the model")
    cuts = Cuts(model, parameters, inputs, times)
    if split_points is None:
        points = cuts.find(len(placed), cap_bytes, 2 + state_per_parameter, bandwidth)
    else:
        points = [cuts.named(name) for name in split_points]
    if len(points) != len(placed) - 1 or points != sorted(set(points)):
        raise ValueError(f"{len(points)} split points, in order, make {len(points) + 1} stages, and there are {len(placed)} devices")
    return Pipeline(cuts, points, parameters, placed, cap_bytes, microbatches, schedule, state_per_parameter, bandwidth, times, time_limit)


def _devices(wanted: int | Sequence[jax.Device]) -> list[jax.Device]:
    if not isinstance(wanted, numbers.Integral):
        return list(wanted)
    seen = jax.devices()
    if wanted > len(seen):
        raise ValueError(
            f"devices={wanted}, and JAX sees {len(seen)}: on a CPU XLA_FLAGS=--xla_force_host_platform_device_count={wanted}, set before JAX starts, makes as many"
        )
    return seen[:wanted]


class Pipeline(Staged):
    """A model in stages, one per device. Made by `pipeline`."""

    def __init__(
        self, cuts: Cuts, points: list[int], parameters: Any, devices: list[jax.Device], cap: int, microbatches: int, schedule: str,
        state_per_parameter: float, bandwidth: float, times: str, time_limit: float,
    ) -> None:
        self.cap_bytes, self.microbatches, self.schedule_name, self.bandwidth = cap, microbatches, schedule, bandwidth
        #: Where each stage runs.
        self.devices = devices
        self._state, self._times, self._time_limit = state_per_parameter, times, time_limit
        self._tree, self._results = jax.tree.structure(parameters), cuts.results
        leaves = [jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(parameters)]
        parts = cuts.parts(points)
        self._owned = [part.parameters for part in parts]
        self._programs = [StageProgram(part, [leaves[at] for at in part.parameters], first=not index) for index, part in enumerate(parts)]
        self._flying = in_flight(schedule, len(parts), microbatches)
        # Which pass comes when is told by the order in which passes are possible: one third of the time is forward.
        even = [1.0] * len(parts)
        self._order: list[Pass] = play(even, [2.0] * len(parts), [0.0] * len(parts), self._flying, microbatches).order
        self._searches: dict[str, Search] = {}
        planned = [self._planned(stage) for stage in range(len(parts))]
        self._compiled = [compiled for compiled, _ in planned]
        self._constants = [[jax.device_put(value, device) for value in part.constants] for part, device in zip(parts, devices, strict=True)]
        self._plans = [plan for _, plan in planned]
        #: What stages after the first begin with.
        self.split_points = [cuts.begins(at) for at in points]
        #: The stages as they were cut.
        self.stages = [
            Stage(
                index, (["", *self.split_points])[index], cuts.seconds(compiled.forward, *compiled.forward_shapes),
                cuts.seconds(compiled.backward, *compiled.backward_shapes), program.parameter_bytes,
                program.received_bytes, program.sent_bytes, self._flying[index],
            )
            for index, (program, compiled) in enumerate(zip(self._programs, self._compiled, strict=True))
        ]

    def forward(self, index: int) -> Callable[..., Any]:
        """A stage's forward pass, compiled by `jax.jit`: `forward(parameters, received) -> (sent, kept)`, all of them flat lists.

        `received` of the first stage are the model's inputs, `sent` of the last its results; between two stages what is used later, in the
        order in which it was made. `kept` is what the backward pass needs beside parameters and `received`.
        """
        return functools.partial(self._compiled[index].forward, self._constants[index])

    def backward(self, index: int) -> Callable[..., Any]:
        """A stage's backward pass: `backward(parameters, received, kept, gradients) -> (of parameters, of received)`.

        Gradients are those of the values of floating point among `sent` and `received`, in their order.
        """
        return functools.partial(self._compiled[index].backward, self._constants[index])

    def plan(self, index: int) -> Plan:
        """The plan of a stage; its peak counts what its device holds through the whole step."""
        return self._plans[index]

    def split(self, parameters: Any) -> list[list[jax.Array]]:
        """Parameters by stage, each on its device. Optimizer states made from these are where they belong."""
        leaves = jax.tree.leaves(parameters)
        return [[jax.device_put(leaves[at], device) for at in owned] for owned, device in zip(self._owned, self.devices, strict=True)]

    def join(self, stages: Sequence[Sequence[Any]]) -> Any:
        """Parameters, or their gradients, as the model has them."""
        leaves: list[Any] = [None] * sum(map(len, self._owned))
        for owned, values in zip(self._owned, stages, strict=True):
            for at, value in zip(owned, values, strict=True):
                leaves[at] = value
        return jax.tree.unflatten(self._tree, leaves)

    def value_and_grad(self, loss: Callable[..., Any]) -> Callable[..., Any]:
        """A step in the schedule's order: `step(stage_parameters, batches, targets) -> (value, stage_gradients)`.

        Raises:
            ValueError: there are more or fewer micro-batches than the pipeline was made for, or they have other shapes or types.

        Passes are dispatched in an order that every device can keep, and JAX runs those of different devices side by side. `batches` has a
        tuple of the model's inputs for every micro-batch, `targets` what `loss(results, target)` takes. The value and the gradients are the
        means over micro-batches. The loss runs beside the last stage and does not count under the cap.
        """
        return _Step(self, loss)

    # Under the cap.

    def _planned(self, index: int) -> tuple[Compiled, Plan]:
        program, flying, search = self._programs[index], self._flying[index], self._search(index)
        least, _ = self.peak_bytes(index, 0, 0, 0)
        floor = max(search.least_bytes, 1)
        asked, low, high = (self.cap_bytes - least) // flying, 0, None
        best: tuple[Compiled, Plan] | None = None
        tried: list[int] = []
        for attempt in range(TRIES):
            # In the end the policy that keeps least, whatever it costs.
            last = best is None and (attempt == TRIES - 1 or asked < floor)
            policy = search.least() if last else search.run(asked, self._time_limit)
            compiled = program.compile(policy)
            peak, _ = self._peak(index, compiled)
            tried.append(peak)
            if peak <= self.cap_bytes:
                plan = self._plan(index, policy.plan, compiled)
                best = (compiled, plan) if best is None or plan.seconds < best[1].seconds else best
                low = max(asked, floor)
            else:
                high = min(asked, compiled.kept_bytes)
            # Temporaries differ from policy to policy, so that what fits is found between what did and what did not.
            near = high is None or high - low <= max(WITHIN * self.cap_bytes / flying, 1)
            if last or near and best is not None:
                break
            asked = (low + high) // 2 if best is not None else min(asked - -(-(peak - self.cap_bytes) // flying), high * 3 // 4)
        if best is None:
            raise self._refused(index, min(tried), least)
        return best

    def _search(self, index: int) -> Search:
        program = self._programs[index]
        if program.text not in self._searches:
            self._searches[program.text] = program.search(self._times)
        return self._searches[program.text]

    def _refused(self, index: int, tried: int, alone: int) -> NoPlan:
        """Stages before this one keep the cap. The figure is one that all of them were found to keep, as they are cut."""
        later = range(index + 1, len(self._programs))
        enough = max(tried, *(self._peak(one, self._programs[one].compile(self._search(one).least()))[0] for one in later), 0)
        return NoPlan(
            f"no policy keeps the cap of {self.cap_bytes} bytes ({format_bytes(self.cap_bytes)}) on stage {index}: the least that was tried takes {tried} bytes "
            f"({format_bytes(tried)}), {alone} of them parameters, constants, gradients, optimizer state and boundary values; all stages have a policy "
            f"under {enough} bytes ({format_bytes(enough)}); use more devices, or smaller micro-batches", enough, found=True,
        )

    def _plan(self, index: int, found: Plan, compiled: Compiled) -> Plan:
        """The plan of a stage's policy, as its device sees it."""
        peak, resident = self._peak(index, compiled)
        unplanned, _ = self._peak(index, self._programs[index].compile(None))
        return dataclasses.replace(
            found, cap_bytes=self.cap_bytes, cap_counts="step", peak_bytes=peak, resident_bytes=resident, unplanned_bytes=unplanned,
            saved_bytes=compiled.kept_bytes, measured_bytes=None,
            notes=[
                f"of {self._flying[index]} micro-batches in flight each keeps {format_bytes(compiled.kept_bytes)} beside what it received",
                f"temporaries: forward {format_bytes(compiled.forward_temporary)}, backward {format_bytes(compiled.backward_temporary)}",
                *found.notes,
            ],
        )

    def _peak(self, index: int, compiled: Compiled) -> tuple[int, int]:
        return self.peak_bytes(index, compiled.kept_bytes, compiled.forward_temporary, compiled.backward_temporary)

    def peak_bytes(self, index: int, kept: int, forward_temporary: int, backward_temporary: int) -> tuple[int, int]:
        """Most that a stage's device holds over a step, and what is there from start to end; by the order of passes.

        Args:
            index: The stage.
            kept: Bytes that a micro-batch keeps beside what it received.
            forward_temporary, backward_temporary: Bytes of temporaries of one pass.
        """
        program, last = self._programs[index], index == len(self._programs) - 1
        resident = int((1 + self._state) * program.parameter_bytes) + program.constant_bytes
        live = peak = resident
        summed = 0
        for kind, stage, _ in self._order:
            if (kind, stage) == ("F", index):
                # The last stage's results stay for their gradient, which is as large.
                live += program.received_bytes + kept + program.sent_bytes
                peak = max(peak, live + forward_temporary, live + program.sent_gradient_bytes if last else 0)
                live += program.sent_gradient_bytes - program.sent_bytes if last else 0
            elif (kind, stage) == ("B", index):
                live += 0 if last else program.sent_gradient_bytes
                made = program.parameter_bytes + program.received_gradient_bytes
                peak = max(peak, live + summed + made + backward_temporary)
                summed = program.parameter_bytes
                live += program.received_gradient_bytes - program.received_bytes - kept - program.sent_gradient_bytes
            elif (kind, stage) == ("F", index + 1):
                live -= program.sent_bytes
            elif (kind, stage) == ("B", index - 1):
                live -= program.received_gradient_bytes
        return peak, resident


class _Step:
    """One step of a pipeline, dispatched pass by pass."""

    def __init__(self, pipeline: Pipeline, loss: Callable[..., Any]) -> None:
        self._pipeline = pipeline
        last = pipeline._programs[-1]

        def valued(floats: Sequence[Any], others: Sequence[Any], target: Any) -> Any:
            results = jax.tree.unflatten(pipeline._results, last.merged(floats, others))
            return loss(results, target) / pipeline.microbatches

        self._loss = jax.jit(jax.value_and_grad(valued))
        self._sum = jax.jit(lambda a, b: jax.tree.map(jnp.add, a, b), donate_argnums=0)

    def __call__(self, parameters: Sequence[Sequence[Any]], batches: Sequence[Any], targets: Sequence[Any]) -> tuple[Any, list[list[Any]]]:
        pipeline = self._pipeline
        if len(batches) != pipeline.microbatches or len(targets) != pipeline.microbatches:
            raise ValueError(f"{len(batches)} batches and {len(targets)} targets, and the pipeline has {pipeline.microbatches} micro-batches")
        # What waits to be taken: values for the next stage's forward pass, gradients for the backward passes.
        values: dict[tuple[int, int], Any] = {(0, batch): self._inputs(batch, given) for batch, given in enumerate(batches)}
        gradients: dict[tuple[int, int], Any] = {}
        held: dict[tuple[int, int], Any] = {}
        summed: list[Any] = [None] * len(pipeline.stages)
        total = None
        for kind, stage, batch in pipeline._order:
            device = pipeline.devices[stage]
            if kind == "F":
                received = jax.device_put(values.pop((stage, batch)), device)
                sent, kept = pipeline.forward(stage)(parameters[stage], received)
                held[stage, batch] = received, kept
                if stage + 1 < len(pipeline.stages):
                    values[stage + 1, batch] = sent
                else:
                    value, gradients[stage, batch] = self._loss(*parted(sent), jax.device_put(targets[batch], device))
                    total = value if total is None else total + value
                del sent, received, kept
            else:
                received, kept = held.pop((stage, batch))
                gradient = jax.device_put(gradients.pop((stage, batch)), device)
                own, back = pipeline.backward(stage)(parameters[stage], received, kept, gradient)
                summed[stage] = own if summed[stage] is None else self._sum(summed[stage], own)
                if stage:
                    gradients[stage - 1, batch] = back
                del received, kept, gradient, own, back
        return total, summed

    def _inputs(self, batch: int, given: Any) -> list[Any]:
        """A micro-batch as the first stage receives it."""
        named, received = jax.tree_util.tree_leaves_with_path(given), self._pipeline._programs[0].received
        found, wanted = [jnp.shape(leaf) for _, leaf in named], [one.shape for one in received]
        if found != wanted:
            raise ValueError(
                f"micro-batch {batch} has inputs of the shapes {found}, and the pipeline was made for {wanted}: cut batches so, pad the last one, or make another pipeline"
            )
        for (path, leaf), one in zip(named, received, strict=True):
            # As JAX takes it: a double of NumPy is a single where doubles are off.
            dtype = jax.typeof(leaf).dtype
            if dtype != one.dtype:
                raise ValueError(
                    f"micro-batch {batch} has {dtype} in its inputs{jax.tree_util.keystr(path)}, and the pipeline was made for {one.dtype}: convert it, or make "
                    "another pipeline"
                )
        return [leaf for _, leaf in named]
