"""What was planned, for people and programs."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Any

from ._units import format_bytes


@dataclasses.dataclass
class Value:
    """One stored value of the program."""

    #: Name in the graph.
    name: str
    #: The op that makes it.
    op: str
    #: Where it comes from in the user's program: module path or source line, as far as known.
    source: str
    #: Bytes of its storage.
    bytes: int
    #: Seconds of one execution of its op, as planned with.
    seconds: float
    #: `saved`, `offloaded`, `recomputed`, `result` or `temporary`.
    fate: str
    #: How often its op runs.
    runs: int = 1
    #: Why it is so, in words.
    reason: str = ""


@dataclasses.dataclass
class Plan:
    """A plan under a cap. Bytes are bytes, times are seconds of the cost model planned with."""

    framework: str
    cap_bytes: int
    #: What the cap counts: `step`, `saved` or `temp`.
    cap_counts: str
    #: Most that is held at any moment, counted as the cap counts.
    peak_bytes: int
    #: The same without any plan: nothing recomputed, in program order.
    unplanned_bytes: int
    #: Bytes there from start to end: parameters, inputs, optimizer state.
    resident_bytes: int
    #: Bytes kept from forward to backward beyond parameters and inputs; of a compiled JAX step, XLA's temporaries.
    saved_bytes: int
    #: Seconds of the step as planned.
    seconds: float
    #: Seconds without recomputation.
    unplanned_seconds: float
    #: Proven lower bound on the seconds of any plan under the cap, for the problem given to the planner.
    bound: float
    values: list[Value] = dataclasses.field(default_factory=list)
    #: Which plans the bound holds for: `any`, or those whose first runs are in `program-order`.
    bound_class: str = "any"
    #: Who found it, and what ended the search.
    method: str = ""
    stop_reason: str = ""
    #: Most that was measured, where it was, counted as the cap counts.
    measured_bytes: int | None = None
    #: Operations of the program that was compiled, where they were counted: products and convolutions by formula, loops as often as they run.
    operations: float | None = None
    #: Live bytes at every step of the plan, in order.
    timeline: list[int] = dataclasses.field(default_factory=list)
    #: Which of the steps is the first of the backward pass.
    boundary: int | None = None
    notes: list[str] = dataclasses.field(default_factory=list)
    #: Bytes copied to the host's pinned memory, and back; they do not count under the cap.
    offloaded_bytes: int = 0
    #: Seconds of these copies over the host link, both ways.
    link_seconds: float = 0.0
    #: PyTorch: most that is on the host at any moment.
    host_bytes: int = 0

    @property
    def gap(self) -> float:
        """How far the plan may be from the best one: (seconds - bound) / seconds."""
        return (self.seconds - self.bound) / self.seconds if self.seconds > 0 else 0.0

    @property
    def overhead(self) -> float:
        """Share of time that recomputation adds, by the cost model."""
        return self.seconds / self.unplanned_seconds - 1 if self.unplanned_seconds > 0 else 0.0

    @property
    def saved(self) -> list[Value]:
        """Values kept from forward to backward, largest first."""
        return self._of("saved")

    @property
    def offloaded(self) -> list[Value]:
        """Values kept from forward to backward by the host, largest first."""
        return self._of("offloaded")

    @property
    def recomputed(self) -> list[Value]:
        """Values whose op runs more than once, largest first."""
        return sorted((value for value in self.values if value.runs > 1), key=lambda value: (-value.bytes, value.name))

    def _of(self, fate: str) -> list[Value]:
        return sorted((value for value in self.values if value.fate == fate), key=lambda value: (-value.bytes, value.name))

    def table(self, rows: int = 20) -> str:
        """The figures, and the largest values saved and recomputed, as text."""
        lines = [
            f"cap {format_bytes(self.cap_bytes)} ({self.cap_counts}), planned peak {format_bytes(self.peak_bytes)}, "
            f"unplanned {format_bytes(self.unplanned_bytes)}",
            f"resident {format_bytes(self.resident_bytes)}, "
            + (f"{'kept for the gradient' if self.measured_bytes is None else 'temporaries'} {format_bytes(self.saved_bytes)}" if self.framework == "jax"
               else f"saved for backward {format_bytes(self.saved_bytes)} in {len(self.saved)} values"),
            f"time {100 * self.overhead:+.2f} %, {self._proved()} ({self.method}, stopped by {self.stop_reason})",
        ]
        if self.measured_bytes is not None:
            lines.insert(1, f"measured {format_bytes(self.measured_bytes)}")
        if self.offloaded_bytes:
            lines.append(f"offloaded {format_bytes(self.offloaded_bytes)} to the host, {self.link_seconds:.3e} s of copies there and back")
        lines += [f"note: {note}" for note in self.notes]
        listed = (self.offloaded + self.saved + [value for value in self.recomputed if value.fate not in ("saved", "offloaded")])[:rows]
        if listed:
            width = max(len(value.name) for value in listed)
            lines.append(f"{'value':<{width}}  {'bytes':>12}  {'fate':<10}  runs  op, source")
            for value in listed:
                lines.append(f"{value.name:<{width}}  {value.bytes:>12}  {value.fate:<10}  {value.runs:>4}  {value.op}, {value.source}")
        return "\n".join(lines)

    def _proved(self) -> str:
        if not (self.bound > 0 and self.unplanned_seconds > 0):
            return "no bound is proved"
        return f"proven bound {100 * (self.bound / self.unplanned_seconds - 1):+.2f} %, gap {100 * self.gap:.2f} %"

    def why(self, name: str) -> str:
        """What becomes of the values whose name or source has `name` in it, and why.

        Raises:
            KeyError: no value has it.
        """
        found = [value for value in self.values if name in value.name or name in value.source]
        if not found:
            known = ", ".join(sorted({value.source for value in self.values if value.source})[:8])
            raise KeyError(f"no value is called or comes from {name!r}; sources are such as {known}")
        lines = []
        for value in sorted(found, key=lambda value: -value.bytes):
            runs = f", its op runs {value.runs} times" if value.runs > 1 else ""
            lines.append(f"{value.name} ({value.op}, {value.source or 'no source'}), {format_bytes(value.bytes)}: {value.fate}{runs}; {value.reason}")
        return "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draws the live bytes of every step beside the cap, with matplotlib; written to `path` where that is given. Returns the figure.

        Raises:
            ImportError: matplotlib is not installed.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("plot() needs matplotlib: pip install matplotlib; table() needs nothing") from None
        figure = Figure(figsize=(8, 4))
        axes = figure.subplots()
        mebi = 2**20
        axes.step(range(len(self.timeline)), [live / mebi for live in self.timeline], where="mid", label="planned")
        axes.axhline(self.cap_bytes / mebi, color="tab:red", label="cap")
        axes.axhline(self.unplanned_bytes / mebi, color="grey", linestyle="--", label="unplanned peak")
        if self.boundary is not None:
            axes.axvline(self.boundary, color="grey", linewidth=0.8)
            axes.text(self.boundary, 0, " backward", va="bottom")
        axes.set_xlabel("op")
        axes.set_ylabel("MiB")
        axes.set_ylim(bottom=0)
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The plan as JSON text, written to `path` where that is given."""
        text = json.dumps({"version": 1, **dataclasses.asdict(self), "gap": self.gap}, indent=1)
        if path is not None:
            file = pathlib.Path(path)
            beside = file.with_name(f".{file.name}.{os.getpid()}")
            beside.write_text(text + "\n")
            beside.replace(file)
        return text

    @classmethod
    def from_json(cls, text: str | os.PathLike[str]) -> Plan:
        """Reads what `to_json` wrote: the text, or a path.

        Raises:
            ValueError: it is no plan of this package.
        """
        if isinstance(text, os.PathLike) or not text.lstrip().startswith("{"):
            text = pathlib.Path(text).read_text()
        try:
            held = json.loads(text)
            version = held.pop("version")
            held.pop("gap", None)
            if version != 1:
                raise ValueError(f"it has version {version}, this package reads 1")
            held["values"] = [Value(**value) for value in held["values"]]
            return cls(**held)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a plan of this package: {error}") from None
