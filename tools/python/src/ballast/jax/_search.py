"""The search for a plan of a step: which forms of it are planned and for how much memory, until what is measured keeps the cap and is close to it, or nothing is gained."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .._clock import Clock
from .._errors import NoPlan
from .._known import Candidate
from .._plan import Plan
from .._units import format_bytes
from ._next_cap import next_cap
from ._planned import SPREAD, XLA_CPU
from ._program import KNOWN, Program
from ._tries import Form, Memory, Try

#: A plan, and what runs it.
Compiled = tuple[Try, Callable[..., Any]]


@dataclasses.dataclass(frozen=True)
class Search:
    """What a search is made with; see `jit`."""

    counts: str
    time_limit: float
    tries: int
    within: float
    seed: int
    total: float | None

    def fit(self, program: Program, cap: int, unplanned: Memory, again: bool) -> tuple[Callable[..., Any], Plan]:
        """Plans and compiles until the measured memory keeps the cap and is close to it, or nothing is gained."""
        fixed = unplanned.counted("step") - unplanned.temporary if self.counts == "step" else 0
        target = cap - fixed
        if target <= 0:
            raise NoPlan(
                f"the cap of {cap} bytes ({format_bytes(cap)}) is not above what arguments and results alone take, {fixed} bytes "
                f"({format_bytes(fixed)}): raise it, or donate what the step replaces (donate_argnums)", fixed
            )
        # What is known keeps the cap and is close to it, or was all that was found: nothing is to be found.
        before = KNOWN.best(program.key, target)
        near = before is not None and (again or before.takes + target * self.within >= target)
        with Clock(self.total) as clock:
            tried, refused = ([], None) if near else self.over_forms(program, target, unplanned, clock)
        if clock.stopped:
            program.notes.append(f"the total_time_limit of {clock.limit:g} s ended the search: no further plan was begun")
        known = KNOWN.best(program.key, target)
        if known is None:
            raise _nothing_keeps(cap, fixed, program, unplanned, refused, clock)
        best = known.found
        call = next((call for one, call in tried if one is best), None)
        plan = best.plan(cap, self.counts, unplanned, program.unit, program.notes, proved=call is not None)
        plan.notes += KNOWN.answered(program.key, target, known.cost)
        if plan.peak_bytes > cap:
            raise NoPlan(
                f"the best plan takes {plan.peak_bytes} bytes ({format_bytes(plan.peak_bytes)}), over the cap of {cap} bytes ({format_bytes(cap)}): its arguments and "
                "results take more than those of the step as it is; raise the cap", plan.peak_bytes, found=True,
            )
        return program.load(best.program) if call is None else call, plan

    def over_forms(self, program: Program, target: int, unplanned: Memory, clock: Clock) -> tuple[list[Compiled], NoPlan | None]:
        """Plans of all forms that are worth it, compiled, and the planner's last refusal."""
        tried: list[Compiled] = []
        refused: NoPlan | None = None
        if unplanned.temporary > target:
            clock.says("writes loops anew")
            tried += program.loops_anew(unplanned, clock)
        forms = iter(program.forms(target, unplanned))
        attempts: list[Compiled] = []
        # A compilation is not stopped: what takes as long as the last one would be over too late.
        while not clock.over(program.compile_seconds):
            form = next(forms, None)
            known = KNOWN.best(program.key, target)
            if form is None or known is not None and known.found.memory.operations <= known.found.form.enough * unplanned.operations:
                break
            # Where another form keeps the cap already, what that left of the tries, and two at least: the first says how model and measure go together.
            tries = max(self.tries - len(attempts), min(self.tries, 2)) if known is not None and form.fusion == SPREAD else self.tries
            more, refused = self._of_form(program, form, target, clock, tries)
            attempts += more
        return tried + attempts, refused

    def _of_form(self, program: Program, form: Form, target: int, clock: Clock, tries: int) -> tuple[list[Compiled], NoPlan | None]:
        """Plans that were compiled for an amount of temporaries, and the planner's last refusal. Where none of half as many as there may be keeps it, all others leave
        room for gaps of the heap, and take less than what they were asked for."""
        found, refused = self._asked_in_turn(program, form, target, clock, tries, gaps=False)
        # What is refused without such room is refused with it.
        if form.fusion == XLA_CPU and (found or refused is None) and all(one.memory.temporary > target for one, _ in found):
            more, later = self._asked_in_turn(program, form, target, clock, tries, gaps=True)
            found, refused = found + more, later or refused
        return found, refused

    def _asked_in_turn(self, program: Program, form: Form, target: int, clock: Clock, tries: int, *, gaps: bool) -> tuple[list[Compiled], NoPlan | None]:
        """Plans of one kind, each asked for by what the ones before took."""
        found: list[Compiled] = []
        # What the planner predicts may be more or less than what is measured: it is asked for as much more or less.
        first = max(int(target * form.predicted / max(form.measured, 1)), 1)
        floor = 0
        refused: NoPlan | None = None
        for _ in range(tries):
            tried = [one for one, _ in found]
            if form.fusion == XLA_CPU and not gaps and len(tried) >= tries // 2 and all(one.memory.temporary > target for one in tried):
                break
            asked = next_cap([one.taken for one in tried], target, self.within) if tried else first
            if asked is not None and asked <= floor:
                above = min([form.predicted, *(one.taken.least for one in tried if one.memory.temporary > target)])
                asked = (floor + above) // 2 if above - floor > target * self.within else None
            if asked is None or clock.over(program.compile_seconds):
                break
            clock.says(f"plans and compiles for {format_bytes(asked)} of temporaries, {len(found)} plans so far")
            try:
                found.append(program.attempt(form, asked, clock.at_most(self.time_limit, program.compile_seconds), self.seed, gaps=gaps))
            except NoPlan as error:
                floor, refused = max(floor, asked), error
                continue
            one = found[-1][0]
            KNOWN.add(program.key, Candidate(program.cost(one), one.memory.temporary, one))
        return found, refused


def _nothing_keeps(cap: int, fixed: int, program: Program, unplanned: Memory, refused: NoPlan | None, clock: Clock) -> NoPlan:
    """What to say where no plan keeps a cap; arguments and results count with so many bytes."""
    as_it_is = unplanned.temporary + fixed
    # Of all calls for this program, not of this one alone: what was found once can be had.
    measured = KNOWN.least(program.key)
    if measured is None and refused is None:
        return NoPlan(f"no plan was made before the total_time_limit of {clock.limit:g} s was over: raise it")
    if measured is None:
        # What the planner goes on to say is of the program as it models it, which may take far less.
        why = str(refused).partition(";")[0]
        return NoPlan(
            f"no plan was found for the cap of {cap} bytes ({format_bytes(cap)}): {why}; the step as it is takes {as_it_is} bytes ({format_bytes(as_it_is)}): "
            "raise the cap", as_it_is, found=True,
        )
    least, what = min((measured + fixed, "one"), (as_it_is, "the step as it is"))
    return NoPlan(
        f"no plan found keeps the cap of {cap} bytes ({format_bytes(cap)}) as XLA measures it; the least that {what} takes is {least} "
        f"bytes ({format_bytes(least)}): raise the cap, or give more tries or a longer time_limit" + "".join(f"; {note}" for note in program.notes),
        least, found=True,
    )
