"""Plans found before in this process, so that more memory is never answered with a slower plan.

A search that a clock stops may find less under a larger cap than under a smaller one. What was found under any cap is a candidate under every
cap that it keeps, and of all candidates the fastest is taken, of equally fast ones the one that takes least.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
from typing import Generic, TypeVar

from ._units import format_bytes

Found = TypeVar("Found")

#: Problems whose plans are remembered; the one not asked about for longest is forgotten.
PROBLEMS = 32


@dataclasses.dataclass(frozen=True)
class Candidate(Generic[Found]):
    """A plan that was made: its time, what it takes as the cap counts, and what makes it again."""

    cost: float
    takes: int
    found: Found


class Known(Generic[Found]):
    """Candidates by problem; of each problem those that no other one beats in both time and memory."""

    def __init__(self) -> None:
        self._of: collections.OrderedDict[str, list[Candidate[Found]]] = collections.OrderedDict()
        self._answers: dict[str, dict[int, float]] = {}

    def add(self, problem: str, candidate: Candidate[Found]) -> None:
        """Remembers a plan, unless a known one is no worse in both."""
        known = self._of.setdefault(problem, [])
        self._of.move_to_end(problem)
        while len(self._of) > PROBLEMS:
            self._answers.pop(self._of.popitem(last=False)[0], None)
        if any(one.cost <= candidate.cost and one.takes <= candidate.takes for one in known):
            return
        known[:] = [one for one in known if not (candidate.cost <= one.cost and candidate.takes <= one.takes)] + [candidate]

    def remove(self, problem: str, candidate: Candidate[Found]) -> None:
        """Forgets a plan that turned out to take more than was noted down."""
        self._of[problem] = [one for one in self._of.get(problem, ()) if one is not candidate]

    def best(self, problem: str, cap: int) -> Candidate[Found] | None:
        """The fastest candidate that keeps a cap; None where none is known."""
        fitting = [one for one in self._of.get(problem, ()) if one.takes <= cap]
        return min(fitting, key=lambda one: (one.cost, one.takes), default=None)

    def least(self, problem: str) -> int | None:
        """The least that any candidate takes; None where none is known."""
        return min((one.takes for one in self._of.get(problem, ())), default=None)

    def answered(self, problem: str, cap: int, cost: float) -> list[str]:
        """Notes down what a cap was answered with; what is to be said where a larger one was answered with a slower plan before."""
        answers = self._answers.setdefault(problem, {})
        slower = sorted(above for above, before in answers.items() if above > cap and before > cost)
        answers[cap] = cost
        return [
            f"the plan given before for the larger cap of {format_bytes(above)} is slower than this one: compile it again, and it is this one"
            for above in slower
        ]

    def clear(self) -> None:
        """Forgets everything."""
        self._of.clear()
        self._answers.clear()


def key_of(*parts: object) -> str:
    """A name for a problem: equal parts, equal names."""
    digest = hashlib.sha256()
    for part in parts:
        text = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.hexdigest()
