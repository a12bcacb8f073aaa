"""Forward passes whose backward pass has yet to come: a cap that was planned for one of them says nothing of several."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from .._plan import Plan
from .._units import format_bytes


@dataclasses.dataclass(frozen=True)
class _Left:
    """What one forward pass has left."""

    #: One of the values saved: it is there until the backward pass has run, or until nobody can ask for that any more.
    saved: StorageWeakRef
    #: Of all that the pass left, results included.
    bytes: int


class InFlight:
    """The forward passes of one piece of code, whatever the sizes it was compiled for.

    Args:
        planned_for: How many were planned for.
    """

    def __init__(self, planned_for: int) -> None:
        self._planned_for = planned_for
        self._left: list[_Left] = []
        self._said = False

    def watched(self, compiled: Callable[[list[Any]], Any], results: int, plan: Callable[[], Plan]) -> Callable[[list[Any]], Any]:
        """A compiled forward pass that is counted until its backward pass; the first so many of what it gives are results, the others are saved."""
        def run(inputs: list[Any]) -> Any:
            if not self._said:
                self._say(plan())
            # The list is emptied on the way.
            there = {value.untyped_storage()._cdata for value in inputs if isinstance(value, torch.Tensor)}
            found = compiled(inputs)
            self._note(found, results, there)
            return found

        return run

    def _note(self, found: Any, results: int, there: set[int]) -> None:
        own = [value for value in found if isinstance(value, torch.Tensor) and value.untyped_storage()._cdata not in there]
        given = {value.untyped_storage()._cdata for value in found[:results] if isinstance(value, torch.Tensor)}
        saved = max(
            (value for value in found[results:] if isinstance(value, torch.Tensor) and value.untyped_storage()._cdata not in there | given),
            key=lambda value: value.untyped_storage().nbytes(), default=None,
        )
        # A pass that saves nothing of its own holds nothing that its backward pass would free.
        if saved is not None:
            sizes = {value.untyped_storage()._cdata: value.untyped_storage().nbytes() for value in own}
            self._left.append(_Left(StorageWeakRef(saved.untyped_storage()), sum(sizes.values())))

    def _say(self, plan: Plan) -> None:
        """Warns where another pass is about to run beside those in flight, and the cap has no room for that."""
        self._left = [left for left in self._left if not left.saved.expired()]
        number = len(self._left) + 1
        if number <= self._planned_for:
            return
        # What is planned for several is planned for as many equal ones.
        beside = sum(left.bytes for left in self._left[self._planned_for - 1 :])
        takes = (plan.saved_bytes if plan.cap_counts == "saved" else plan.peak_bytes) + beside
        if takes <= plan.cap_bytes:
            return
        self._said = True
        more = f"in_flight={number}, which plans for so many, or " if plan.cap_counts == "step" else ""
        warnings.warn(
            f"Ballast: the model is called while {number - 1} forward {'passes' if number > 2 else 'pass'} of it {'wait' if number > 2 else 'waits'} for the "
            f"backward pass: together they take about {format_bytes(takes)}, under a cap of {format_bytes(plan.cap_bytes)} that was planned for "
            f"{self._planned_for} at a time. Call it once for all inputs, with the loss inside; or give {more}a smaller cap",
            stacklevel=3,
        )
