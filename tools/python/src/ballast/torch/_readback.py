"""What the allocator gave in the first steps, read where nothing could be rehearsed; a plan that it did not keep to is made again."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from .._errors import NoPlan, of_ballast
from .._plan import Plan
from .._units import format_bytes
from ._graph import is_tangent
from ._measure import Span, alone

#: Steps before the one that is measured: in the first one kernels are tuned and libraries take what they keep.
WARM_UP = 1
#: Plans made again for one graph before what is left over is only said.
AGAIN = 6
#: Of what was missing, shares that are planned for, the next one where no plan has so little.
SHARES = (1.0, 0.5, 0.25)
#: Calls that may go by without a backward pass to measure.
PATIENCE = 8


@dataclasses.dataclass(frozen=True)
class Way:
    """How a graph is planned and compiled."""

    #: Bytes taken beside what a plan counts.
    unseen: int = 0
    #: Is every op a kernel of its own?
    apart: bool = False


class ReadBack:
    """A compiled graph whose first steps are measured, once it is told which plan they have.

    Each pass is measured by itself, so that what runs between the two, and other graphs in flight, do not count.

    Args:
        device: Where it runs; None: on no device that could be asked.
        compile_graph: Plans and compiles the graph for some arguments; the graphs of both passes go through `forward` and `backward` of this object.
        chosen: Told the plan in use where that is not the one compiled last.
        fuses: May ops be compiled into one? A fusion of what is computed again for several layers holds all of it at once.
    """

    def __init__(
        self, device: torch.device | None, compile_graph: Callable[[ReadBack, Any, Way], tuple[Callable[..., Any], Plan | None]],
        chosen: Callable[[Plan], None], *, fuses: bool = False,
    ) -> None:
        self._device = device or torch.device("cpu")
        self._compile = compile_graph
        self._chosen = chosen
        self._run: Callable[..., Any] | None = None
        self._plan: Plan | None = None
        self._fuses = fuses
        self._way = Way()
        #: Of the plans measured and missed the one that took least.
        self._least: tuple[Callable[..., Any], Plan] | None = None
        self._plans_left = AGAIN
        self._calls = 0
        #: Most that the last forward pass took, and what it left; None where it was not measured.
        self._first_half: tuple[int, int] | None = None
        self._waits = self._missed = False

    def compile(self, inputs: Any) -> Callable[..., Any]:
        """Compiles for the first time: what to call from now on."""
        self._run, self._plan = self._compile(self, inputs, self._way)
        self._waits = self._plan is not None
        return self if self._waits else self._run

    def __call__(self, *args: Any) -> Any:
        """Runs the graph; after a step that took too much, another one."""
        if self._missed:
            self._replan(args)
        self._calls += 1
        self._waits &= self._calls <= WARM_UP + PATIENCE
        self._first_half = None
        assert self._run is not None
        return self._run(*args)

    def forward(self, compiled: Any, call: Callable[[list[Any]], Any] | None = None) -> Any:
        """A compiled forward pass that is measured when its time has come; `call` runs it, where that is not done by calling it alone."""
        call = call or compiled

        def run(inputs: list[Any]) -> Any:
            if not self._waits or self._calls <= WARM_UP:
                return call(inputs)
            with alone() as may:
                if not may:
                    return call(inputs)
                results, *self._first_half = self._measured(call, inputs)
                return results

        return Boxed(compiled, run)

    def backward(self, graph: fx.GraphModule, compiled: Callable[[list[Any]], Any]) -> Any:
        """The same of a backward pass. Gradients that come in count, as the simulator counts them."""
        tangents = [index for index, node in enumerate(graph.graph.find_nodes(op="placeholder")) if is_tangent(node)]

        def run(inputs: list[Any]) -> Any:
            first_half, self._first_half = self._first_half, None
            if not self._waits or first_half is None:
                return compiled(inputs)
            with alone() as may:
                if not may:
                    return compiled(inputs)
                forward_peak, kept = first_half
                incoming = _bytes([inputs[index] for index in tangents])
                results, peak, _ = self._measured(compiled, inputs)
                self._judge(max(forward_peak, kept + incoming + peak))
                return results

        return Boxed(compiled, run)

    def _measured(self, compiled: Callable[[list[Any]], Any], inputs: list[Any]) -> tuple[Any, int, int]:
        span = Span(self._device)
        span.begin()
        try:
            results = compiled(inputs)
        finally:
            peak, left = span.end()
        return results, peak, left

    def _judge(self, step_bytes: int) -> None:
        plan = self._plan
        assert plan is not None
        self._waits = False
        plan.measured_bytes = step_bytes + plan.resident_bytes
        self._missed = plan.measured_bytes > plan.cap_bytes

    def _replan(self, args: tuple[Any, ...]) -> None:
        """Takes a plan for what was missing; where there is none, the best of those known. Whatever goes wrong, what runs goes on."""
        run, plan = self._run, self._plan
        assert run is not None and plan is not None and plan.measured_bytes is not None
        self._missed = False
        if self._least is None or plan.measured_bytes < (self._least[1].measured_bytes or 0):
            self._least = run, plan
        why = "no other one took less"
        for way in self._ways(plan.measured_bytes - plan.peak_bytes):
            try:
                self._run, self._plan = self._compile(self, args, way)
            except Exception as error:
                why = str(error)
                if isinstance(of_ballast(error), NoPlan):
                    continue
                break
            self._say(plan, "another plan takes its place" + (", with every op apart" if way.apart else ""))
            self._way = way
            self._plans_left -= 1
            self._calls = 0
            # Not where this time it could be rehearsed, as where the first call was profiled.
            self._waits = self._plan is not None
            return
        self._run, self._plan = self._least
        self._chosen(self._plan)
        self._say(self._plan, f"it goes on, as there is no plan for less ({why})")

    def _ways(self, missing: int) -> list[Way]:
        if self._plans_left == 0:
            return []
        less = [dataclasses.replace(self._way, unseen=self._way.unseen + int(share * missing)) for share in SHARES]
        return less + ([Way(apart=True)] if self._fuses and not self._way.apart else [])

    @staticmethod
    def _say(plan: Plan, what: str) -> None:
        warnings.warn(
            f"Ballast: the allocator gave {format_bytes(plan.measured_bytes or 0)} in a step planned to take {format_bytes(plan.peak_bytes)} under a cap of "
            f"{format_bytes(plan.cap_bytes)}; {what}",
            stacklevel=2,
        )


class Boxed:
    """A compiled graph that is run in another way; torch asks the graph itself for the rest."""

    def __init__(self, compiled: Any, run: Callable[[list[Any]], Any]) -> None:
        # Of the object and not of its class: dynamo's wrappers take over what stands there.
        self._boxed_call = True
        self._compiled = compiled
        self._in_place = run

    def __call__(self, inputs: list[Any]) -> Any:
        """Runs it; the list is emptied on the way."""
        return self._in_place(inputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)


def _bytes(tensors: list[Any]) -> int:
    """Of the memory behind some tensors."""
    return sum({tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors if isinstance(tensor, torch.Tensor)}.values())
