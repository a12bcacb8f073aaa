"""Graphs that no backward pass follows: they run as they are, without a plan, and what they take is said where it is above the cap."""

from __future__ import annotations

import warnings

from torch import fx

from .._errors import UnsupportedModel
from .._units import format_bytes
from ._graph import refuse_dynamic
from ._judge import judge_alone


class Ungraded:
    """What a backend has met of them.

    Args:
        cap: As the backend has it.
        counts: What the cap counts.
    """

    def __init__(self, cap: int | float | str, counts: str) -> None:
        self._cap, self._counts = cap, counts
        #: Was there any?
        self.met = False
        self._said = False

    def note(self, graph: fx.Graph, *, transforms: bool, trains: bool, held_bytes: int, cap_bytes: int | None) -> None:
        """One is compiled.

        Args:
            graph: As it will run.
            transforms: Does torch.func take gradients in it?
            trains: Is autograd on, so that nothing in it is trained?
            held_bytes: What is there beside its inputs and parameters.
            cap_bytes: None: a share of a step that was not planned.
        """
        self.met = True
        if transforms:
            warnings.warn(
                "Ballast: torch.func takes gradients inside of what is compiled, which runs WITHOUT a plan: plans are for what is kept from a forward to a backward "
                "pass of autograd. Compile the loss alone, and take its gradient with backward()",
                stacklevel=2,
            )
        elif self._counts == "step" and not self._said:
            self._say(graph, "nothing in it is trained" if trains else "gradients are switched off", held_bytes, cap_bytes)

    def _say(self, graph: fx.Graph, why: str, held_bytes: int, cap_bytes: int | None) -> None:
        try:
            refuse_dynamic(graph)
            takes = judge_alone(graph) + held_bytes
        except UnsupportedModel:
            # It needs no plan, and may run.
            return
        if cap_bytes is not None and takes <= cap_bytes:
            return
        self._said = True
        if cap_bytes is None:
            beside = f"its cap, {self._cap!r}, is a share of the step in training, of which there is no plan yet"
        else:
            beside = f"its cap is {format_bytes(cap_bytes)}"
        warnings.warn(
            f"Ballast: what is called without gradients ({why}) runs WITHOUT a plan and takes {format_bytes(takes)}; {beside}. Plans are for what is kept from a "
            "forward to a backward pass: call it with smaller batches, or give a larger cap",
            stacklevel=3,
        )
