"""The bubble of a pipeline as it runs: how long each stage computes and waits, beside what was planned."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from .._stages import play


@dataclasses.dataclass(frozen=True)
class StageTimes:
    """What one stage was measured to do in a step, on average. Seconds."""

    index: int
    #: Of one forward and one backward pass over a micro-batch.
    forward_seconds: float
    backward_seconds: float
    #: In passes.
    busy_seconds: float
    #: The rest of the step: waiting for values and gradients, handing them on, the loss.
    idle_seconds: float


@dataclasses.dataclass(frozen=True)
class Bubble:
    """Measured and planned bubble: the share of all devices' time in a step that no pass runs in."""

    stages: tuple[StageTimes, ...]
    #: From the common start of a step to the end of the last stage, on average.
    step_seconds: float
    #: Steps measured.
    steps: int
    #: By the stages' times by roofline, as planned.
    planned: float
    #: By the measured times of passes, and copies as planned, if all else were as the schedule has it.
    replayed: float

    @property
    def measured(self) -> float:
        """As it ran."""
        return 1 - sum(stage.busy_seconds for stage in self.stages) / (len(self.stages) * self.step_seconds)

    def table(self) -> str:
        """The figures as text."""
        lines = [
            f"bubble {100 * self.measured:.1f} % measured over {self.steps} steps of {self.step_seconds:.3e} s, {100 * self.replayed:.1f} % by the schedule with measured "
            f"passes, {100 * self.planned:.1f} % planned",
            "stage  forward s  backward s     busy s     idle s   idle",
        ]
        lines += [
            f"{one.index:>5}  {one.forward_seconds:>9.2e}  {one.backward_seconds:>10.2e}  {one.busy_seconds:>9.2e}  {one.idle_seconds:>9.2e}  "
            f"{100 * one.idle_seconds / self.step_seconds:>3.0f} %"
            for one in self.stages
        ]
        return "\n".join(lines)


def measure(pipeline: Any, stage: Any, step: Callable[[], Any], steps: int, group: Any) -> Bubble:
    """Runs a step once to have it planned and compiled, and then as often as said; every process of the group has the same answer."""
    if steps < 1:
        raise ValueError("steps is 1 or more")
    step()
    watch = _Watch(stage)
    walls = []
    try:
        for _ in range(steps):
            dist.barrier(group)
            start = time.perf_counter()
            step()
            watch.wait()
            walls.append(time.perf_counter() - start)
    finally:
        watch.end()
    forward, backward = watch.seconds()
    gathered: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(gathered, (stage.stage_index, forward, backward, walls), group=group)
    return bubble_of(pipeline, sorted(gathered))


def bubble_of(pipeline: Any, gathered: list[tuple[int, list[float], list[float], list[float]]]) -> Bubble:
    """The bubble from what the processes saw: stage, seconds of its forward and of its backward passes, seconds of its steps."""
    steps = len(gathered[0][3])
    # A step ends where the last of its stages does.
    length = sum(max(walls) for walls in zip(*(walls for *_, walls in gathered), strict=True)) / steps
    stages = tuple(
        StageTimes(
            index, sum(forward) / len(forward), sum(backward) / len(backward), (sum(forward) + sum(backward)) / steps,
            length - (sum(forward) + sum(backward)) / steps,
        )
        for index, forward, backward, _ in gathered
    )
    replayed = play(
        [one.forward_seconds for one in stages], [one.backward_seconds for one in stages],
        [one.sent_bytes / pipeline.bandwidth for one in pipeline.stages], [one.in_flight for one in pipeline.stages], pipeline.microbatches,
    )
    return Bubble(stages, length, steps, pipeline.simulate()[1], replayed.bubble)


class _Watch:
    """Times the passes of one of torch's stages: by its device's own clock where that is CUDA's."""

    _PASSES = ("forward_one_chunk", "backward_one_chunk")

    def __init__(self, stage: Any) -> None:
        self._stage, self._cuda = stage, stage.device.type == "cuda"
        self._marks: dict[str, list[tuple[Any, Any]]] = {name: [] for name in self._PASSES}
        for name in self._PASSES:
            setattr(stage, name, self._timed(name, getattr(stage, name)))

    def _timed(self, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            start = self._mark()
            made = run(*args, **kwargs)
            self._marks[name].append((start, self._mark()))
            return made

        return timed

    def _mark(self) -> Any:
        if not self._cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def wait(self) -> None:
        """Until everything that was started has ended."""
        if self._cuda:
            torch.cuda.synchronize(self._stage.device)

    def end(self) -> None:
        """Leaves the stage as it was."""
        for name in self._PASSES:
            delattr(self._stage, name)

    def seconds(self) -> tuple[list[float], list[float]]:
        """Of the forward and of the backward passes."""
        forward, backward = (
            [start.elapsed_time(end) / 1000 if self._cuda else end - start for start, end in self._marks[name]] for name in self._PASSES
        )
        return forward, backward
