"""What is tried of a step: the forms that are planned, and plans of them as they were compiled and measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .._plan import Plan, Value
from .._units import format_bytes
from ._counts import Counts
from ._memory import stats_of
from ._next_cap import Taken
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
    def taken(self) -> Taken:
        """What the next cap is chosen by."""
        return Taken(self.asked, self.predicted, self.memory.temporary, self.figures["recompute_seconds"] <= 0)

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
