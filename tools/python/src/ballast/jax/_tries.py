"""What is tried of a step: the forms that are planned, plans of them as they were compiled and measured, and which temporaries to ask for next."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .._plan import Plan, Value
from .._units import format_bytes
from ._counts import Counts
from ._memory import stats_of
from ._operations import operations


@dataclasses.dataclass(frozen=True)
class Memory:
    """What XLA says it takes, bytes, and the operations of the program."""

    temporary: int
    arguments: int
    results: int
    shared: int
    operations: float

    @classmethod
    def of(cls, compiled: Any) -> Memory:
        stats = stats_of(compiled)
        return cls(
            int(stats.temp_size_in_bytes), int(stats.argument_size_in_bytes), int(stats.output_size_in_bytes), int(stats.alias_size_in_bytes),
            operations(compiled),
        )

    def counted(self, what: str) -> int:
        """Bytes, as a cap counts."""
        return self.temporary + (self.arguments + self.results - self.shared if what == "step" else 0)


@dataclasses.dataclass(frozen=True)
class Form:
    """What is planned of a program: all of it, or the body of a loop with what is held around it. Bytes of temporaries."""

    text: str
    function: str
    #: Held around a body; 0 where the program is planned.
    around: int
    #: Predicted without a plan.
    predicted: int
    #: What XLA takes without a plan.
    measured: int
    ops: Counts
    #: Whose fusions are reckoned with.
    fusion: str
    #: With how many times the operations of the step without a plan no other form is tried.
    enough: float = 1.02
    #: What its loops compute again, where the step was written anew and not planned; seconds then are beside those of the step as it is.
    again: str = ""
    unplanned_seconds: float = 0.0


@dataclasses.dataclass(frozen=True)
class Try:
    """One plan, compiled and measured."""

    asked: int
    predicted: int
    memory: Memory
    figures: dict[str, Any]
    #: The planned program as it is loaded, or the step written anew. What it compiles to is not kept, as it may hold much.
    program: bytes | Callable[..., Any]
    form: Form
    ops: Counts

    @property
    def enough(self) -> int:
        """The least temporaries for which the planner may be asked and give the same plan."""
        return min(self.asked, self.predicted)

    @property
    def free(self) -> bool:
        return self.figures["recompute_seconds"] <= 0

    def plan(self, cap: int, counts: str, unplanned: Memory, unit: str, notes: list[str], *, proved: bool) -> Plan:
        """The plan for people. What was proved of another cap, where it was found under one, is not proved of this one."""
        report = self.figures["report"]
        values = []
        # What a loop holds is written once, however often it runs: of loops written anew the counts say nothing.
        counted = {} if self.form.again else self.ops
        for key, runs in sorted(counted.items(), key=lambda item: (-item[0][2], item[0])):
            before = self.form.ops.get(key, 0)
            if before and runs > before:
                op, source, size = key
                values.append(Value(
                    op.removeprefix("stablehlo."), op, source, size, 0.0, "recomputed", -(-runs // before),
                    f"it is computed again for later uses; that frees {format_bytes(size)} until then",
                ))
        base = self.form.unplanned_seconds or self.figures["compute_seconds"]
        bound = report["bound"] if proved and not self.form.again else min(base, report["value"])
        return Plan(
            framework="jax", cap_bytes=cap, cap_counts=counts, peak_bytes=self.memory.counted(counts), unplanned_bytes=unplanned.counted(counts),
            resident_bytes=self.memory.arguments + self.memory.results - self.memory.shared, saved_bytes=self.memory.temporary,
            seconds=report["value"], unplanned_seconds=base, bound=bound, values=values, bound_class=report["bound_class"],
            method="loops written anew" if self.form.again else report["method"],
            stop_reason="all that is dropped was tried" if self.form.again else report["stop_reason"], measured_bytes=self.memory.counted(counts), operations=self.memory.operations,
            notes=[
                f"times are {unit}",
                *([f"loops compute again, in those of the gradient, what they would keep for it: {self.form.again}"] if self.form.again else []),
                *(["planned is what a loop repeats: times and bounds are those of one iteration"] if self.form.function else []),
                f"operations of the compiled step: {self.memory.operations:.4g}, {self.memory.operations / max(unplanned.operations, 1.0):.4f} of the unplanned step",
                *([] if self.form.again else [f"the planner was asked for {format_bytes(self.asked)} of temporaries and predicted {format_bytes(self.predicted)}"]),
                *notes,
            ],
        )


def next_asked(tried: list[Try], target: int, within: float, first: int) -> int | None:
    """The temporaries to ask for next, or None where another plan is not worth it: what is measured is taken to follow what was asked for."""
    if not tried:
        return first
    slack = int(target * within)
    fits = [one for one in tried if one.memory.temporary <= target]
    low = max(fits, key=lambda one: one.asked, default=None)
    high = min((one for one in tried if one.memory.temporary > target), key=lambda one: one.enough, default=None)
    last = tried[-1]
    if low is not None and (low.memory.temporary + slack >= target or low.free):
        return None
    if low is None and last.predicted > last.asked:
        # The plan took more than it was asked for, as no smaller one was found.
        return None
    least, most = (low.asked if low else 0), (high.enough if high else 2**62)
    aim = target - slack / 2
    if low and high and high.memory.temporary > low.memory.temporary:
        share = (aim - low.memory.temporary) / (high.memory.temporary - low.memory.temporary)
        guess = int(low.asked + share * (high.enough - low.asked))
    else:
        nearest = low or high
        assert nearest is not None
        guess = int((nearest.enough if high else nearest.asked) * aim / max(nearest.memory.temporary, 1))
    if not least < guess < most:
        guess = (least + most) // 2
    return guess if most - least > max(slack, 1) and least < guess < most else None
