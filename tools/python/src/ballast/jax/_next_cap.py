"""Which cap to ask a planner for next, by what the plans before took.

`ballast fit` has the same rule in Rust (tools/ballast/src/fit/next_cap.rs). Tests of both read tests/inputs/next_caps.json.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

#: A cap above any program.
_BOUNDLESS = 1 << 50


@dataclasses.dataclass(frozen=True)
class Taken:
    """A plan, as far as the rule goes by it. Bytes."""

    asked: int
    predicted: int
    measured: int
    #: Without recomputation.
    free: bool

    @property
    def least(self) -> int:
        """The least cap for which the planner gives the same plan."""
        return min(self.asked, self.predicted)

    @property
    def most(self) -> int:
        """The most cap for which it does: where the plan takes more than it was asked for, no smaller one was found."""
        return max(self.asked, self.predicted)


def next_cap(taken: Sequence[Taken], cap: int, within: float) -> int | None:
    """The cap to ask for after these plans, the last one last, or None where another plan is not worth it, or nothing was planned.

    What is measured is taken to follow what was asked for: in a straight line between two plans around the cap, by the same factor beyond them. It is asked for
    a little less than the cap, as a plan above it is of no use.
    """
    if not taken:
        return None
    slack = int(cap * within)
    keeping = [plan for plan in taken if plan.measured <= cap]
    if any(plan.measured + slack >= cap or plan.free for plan in keeping):
        # Enough of the memory is used, or there is nothing to gain from the rest.
        return None
    low = max(keeping, key=lambda plan: (plan.most, plan.measured), default=None)
    high = min((plan for plan in taken if plan.measured > cap), key=lambda plan: (plan.least, plan.measured), default=None)
    if low is None and taken[-1].predicted > taken[-1].asked:
        # The plan took more than it was asked for, as no smaller one was found: asking for less is in vain.
        return None
    least, most = (low.most if low else 0), (high.least if high else _BOUNDLESS)
    aim = cap - slack / 2
    if low and high:
        guess = least + (aim - low.measured) / (high.measured - low.measured) * (most - least)
    elif low:
        guess = least * aim / max(low.measured, 1)
    else:
        guess = most * aim / high.measured
    asked = int(guess) if least < int(guess) < most else (least + most) // 2
    return asked if least < asked < most and most - least > max(slack, 1) else None
