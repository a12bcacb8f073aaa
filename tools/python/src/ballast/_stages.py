"""Stages of a pipeline, whatever framework runs them: where they are cut, the order of their passes, and the step by their times."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import tempfile
from collections.abc import Sequence

from . import _options, _programs
from ._errors import NoPlan
from ._units import format_bytes

#: Bytes per second between two devices where nothing else is said: PCIe 4.0 with 16 lanes, rounded down.
BANDWIDTH = 25e9
#: A backward pass has two products for every one of the forward pass.
BACKWARD = 2.0
#: Search steps of the partition: a number, so that every process finds the same cuts.
WORK = 1_000_000
_SCHEDULES = ("1f1b", "gpipe")


@dataclasses.dataclass(frozen=True)
class Stage:
    """One stage as it was cut. Bytes, and seconds of one micro-batch by roofline."""

    index: int
    #: What it begins with: a submodule, or an equation; empty for the first.
    begins: str
    forward_seconds: float
    backward_seconds: float
    parameter_bytes: int
    #: What comes in from the stage before, per micro-batch.
    received_bytes: int
    #: What goes on to the next stage or leaves the model, per micro-batch.
    sent_bytes: int
    #: Most micro-batches whose forward pass has run and whose backward pass has not.
    in_flight: int


class Staged:
    """What the pipelines of all frameworks say of themselves."""

    stages: list[Stage]
    cap_bytes: int
    microbatches: int
    schedule_name: str
    bandwidth: float

    def simulate(self) -> tuple[float, float]:
        """Seconds of a step and its bubble, the share of device time spent idle, by the stages' times."""
        played = play(
            [stage.forward_seconds for stage in self.stages], [stage.backward_seconds for stage in self.stages],
            [stage.sent_bytes / self.bandwidth for stage in self.stages], [stage.in_flight for stage in self.stages], self.microbatches,
        )
        return played.seconds, played.bubble

    def table(self) -> str:
        """The stages, and the step by their times."""
        seconds, bubble = self.simulate()
        lines = [
            f"{self.schedule_name}, {len(self.stages)} stages, {self.microbatches} micro-batches, cap {format_bytes(self.cap_bytes)} per device; "
            f"step {seconds:.3e} s and bubble {100 * bubble:.1f} % by roofline",
            "stage  forward s  backward s  parameters     received  in flight  begins with",
        ]
        lines += [
            f"{one.index:>5}  {one.forward_seconds:>9.2e}  {one.backward_seconds:>10.2e}  {format_bytes(one.parameter_bytes):>10}  "
            f"{format_bytes(one.received_bytes):>11}  {one.in_flight:>9}  {one.begins or 'the model'}"
            for one in self.stages
        ]
        return "\n".join(lines)


def check(devices: int, microbatches: int, schedule: str, bandwidth: float, state_per_parameter: float) -> None:
    """Options that every pipeline has.

    Raises:
        ValueError, TypeError: they make no sense.
    """
    _options.whole("devices", devices, 1)
    _options.whole("microbatches", microbatches, 1)
    if schedule not in _SCHEDULES:
        raise ValueError(
            f"schedule={schedule!r}: choose '1f1b' or 'gpipe'; schedules that halve the backward pass cannot run a stage that is one graph"
        )
    for name, value in (("bandwidth", bandwidth), ("state_per_parameter", state_per_parameter)):
        _options.number(name, value)
    if not bandwidth > 0 or not state_per_parameter >= 0:
        raise ValueError("bandwidth is above zero, state_per_parameter is not negative")


def in_flight(schedule: str, stages: int, microbatches: int) -> list[int]:
    """For every stage the most micro-batches whose forward pass has run and whose backward pass has not."""
    return [microbatches if schedule == "gpipe" else min(stages - index, microbatches) for index in range(stages)]


def cut(
    seconds: Sequence[float], sizes: Sequence[float], moved: Sequence[int], *, devices: int, cap: int, bandwidth: float
) -> list[int]:
    """The pieces that the second and further stages begin with, so that the slowest stage is as fast as `ballast partition` finds.

    Args:
        seconds: Forward seconds of every piece of the model, in order.
        sizes: Bytes that its stage holds for it from step to step: no byte for two pieces.
        moved: Bytes that every piece but the last hands on.
        devices: Stages, no more than there are pieces.
        cap: Bytes of a device.
        bandwidth: Bytes per second between two devices.

    Raises:
        NoPlan: what is held from step to step does not fit.
    """
    count = len(seconds)
    if devices == 1:
        return []
    whole = int(sum(sizes))
    refused = NoPlan(
        f"no split into {devices} stages holds parameters, constants, gradients and optimizer state, {whole} bytes ({format_bytes(whole)}) in all, under the cap of "
        f"{cap} bytes ({format_bytes(cap)}) per device: raise it, or use more devices"
    )
    if max(sizes) > cap:
        raise refused
    # Numbers of NumPy are none that JSON has.
    workload = {
        "name": "stages", "maxFPGAs": int(devices), "maxCPUs": 0, "maxSizePerFPGA": cap,
        "nodes": [
            {"id": piece, "fpgaLatency": (1 + BACKWARD) * seconds[piece], "cpuLatency": 1e9, "size": float(sizes[piece]), "supportedOnFpga": True}
            for piece in range(count)
        ],
        # A chain, so that no stage jumps over another one; what a piece hands on moves forward once and its gradient back once.
        "edges": [{"sourceId": piece, "destId": piece + 1, "cost": float(2 * moved[piece] / bandwidth)} for piece in range(count - 1)],
    }
    with tempfile.TemporaryDirectory(prefix="ballast-") as folder:
        source, target = pathlib.Path(folder, "stages.json"), pathlib.Path(folder, "assignment.json")
        source.write_text(json.dumps(workload))
        try:
            _programs.run("ballast", ["partition", source, "--output", target, "--work-limit", str(WORK), "--threads", "1"])
        except NoPlan:
            raise refused from None
        assignment = json.loads(target.read_text())["assignment"]
    chosen = [assignment[str(piece)] for piece in range(count)]
    cuts = [piece for piece in range(1, count) if chosen[piece] != chosen[piece - 1]]
    # Fewer stages than devices, where one op is most of the time: the longest runs are halved.
    while len(cuts) < devices - 1:
        edges = [0, *cuts, count]
        longest = max((run for run in zip(edges, edges[1:], strict=False) if run[1] - run[0] > 1), key=lambda run: sum(seconds[run[0] : run[1]]))
        half = min(range(longest[0] + 1, longest[1]), key=lambda at: abs(sum(seconds[longest[0] : at]) - sum(seconds[at : longest[1]])))
        cuts = sorted([*cuts, half])
    return cuts


#: A pass of a stage over a micro-batch: `F` or `B`, stage, micro-batch.
Pass = tuple[str, int, int]


@dataclasses.dataclass(frozen=True)
class Played:
    """A step by the times of its stages."""

    seconds: float
    #: Share of device time spent idle.
    bubble: float
    #: Of every stage the share of the step in which it computes.
    busy: list[float]
    #: The passes in the order in which they begin, no pass before what it needs.
    order: list[Pass]


def play(
    forward: Sequence[float], backward: Sequence[float], copies: Sequence[float], in_flight: Sequence[int], microbatches: int
) -> Played:
    """Plays a schedule: every stage runs as many forward passes as it may have in flight, then one backward and one forward pass in turn."""
    count = len(forward)
    orders = [_order(min(in_flight[stage], microbatches), microbatches) for stage in range(count)]
    done: dict[Pass, float] = {}
    begun: list[tuple[float, int, Pass]] = []
    clock, at = [0.0] * count, [0] * count
    moved = True
    while moved:
        moved = False
        for stage in range(count):
            while at[stage] < len(orders[stage]):
                kind, batch = orders[stage][at[stage]]
                if kind == "F":
                    needed, late = (("F", stage - 1, batch), copies[stage - 1]) if stage else (None, 0.0)
                else:
                    needed, late = (("B", stage + 1, batch), copies[stage]) if stage < count - 1 else (("F", stage, batch), 0.0)
                if needed is not None and needed not in done:
                    break
                start = max(clock[stage], (done[needed] + late) if needed is not None else 0.0)
                clock[stage] = done[kind, stage, batch] = start + (forward[stage] if kind == "F" else backward[stage])
                # Passes that take no time are in the order in which they were found to be possible.
                begun.append((start, len(begun), (kind, stage, batch)))
                at[stage] += 1
                moved = True
    step = max(clock)
    busy = [microbatches * (forward[stage] + backward[stage]) / step if step > 0 else 0.0 for stage in range(count)]
    return Played(step, 1 - sum(busy) / count if step > 0 else 0.0, busy, [one for _, _, one in sorted(begun)])


def _order(warm: int, microbatches: int) -> list[tuple[str, int]]:
    """The passes of one stage."""
    order = [("F", batch) for batch in range(warm)]
    for batch in range(microbatches):
        order.append(("B", batch))
        if warm + batch < microbatches:
            order.append(("F", warm + batch))
    return order
