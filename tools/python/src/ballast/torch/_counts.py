"""A schedule as graphs, what these take and how long they run, and what a cap counts of that."""

from __future__ import annotations

import dataclasses

from torch import fx

from .. import _planner
from .._devices import HostLink
from .._known import Candidate, Known, key_of
from ._copies import Copies
from ._graph import JointProblem, storages
from ._judge import Memory
from ._rewrite import Rewriter

#: Schedules found before, by problem.
KNOWN: Known[_planner.Schedule] = Known()


def once(joint: JointProblem) -> dict[fx.Node, float]:
    """Seconds of one run of every op. A further result of an op is a node with the op's time: its first run costs nothing."""
    return {part.node: joint.problem.nodes[index].time for index, part in enumerate(joint.parts) if part.kind == "op" and part.node is not None}


def step_seconds(joint: JointProblem, made: Made) -> float:
    """Seconds of the step as its graphs run it, waiting for copies included."""
    return sum(seconds * made.writer.runs.get(node, 1) for node, seconds in once(joint).items()) + made.copies.waited_seconds


@dataclasses.dataclass
class Made:
    """A schedule as graphs, and what they take."""

    forward: fx.GraphModule
    backward: fx.GraphModule
    writer: Rewriter
    memory: Memory
    copies: Copies
    #: Most bytes that a rehearsal took beyond what comes in; None where there was none.
    rehearsed_bytes: int | None = None


class Counts:
    """What a cap counts, and the problem whose budget says the same."""

    def __init__(self, what: str, joint: JointProblem, in_flight: int, link: HostLink | None, unseen: int = 0) -> None:
        self.what = what
        #: Bytes that the step was seen to take beyond what is counted here.
        self.unseen = unseen
        self.link = link
        self.joint = joint
        self.in_flight = in_flight
        #: Most that one of several micro-batches may keep between its passes.
        self.stash = 0
        self._slack = 0
        self._kept = 0
        if what == "saved":
            # At the boundary so much more is held than anywhere else that the budget binds there alone.
            self._slack = 2 * sum(node.size + node.workspace for node in joint.problem.nodes) + 1
            names = {name for result in joint.forward_results if isinstance(result, fx.Node) for name, _ in storages(result)}
            self._kept = sum(joint.problem.nodes[joint.of_storage[name]].size for name in names if name in joint.of_storage)

    def key(self, what: str | None = None) -> str:
        """A name for what is planned, the same under every cap; for caps that count something else, too."""
        problem = self.joint.problem
        problem.nodes[self.joint.boundary].workspace = 0
        return key_of("torch", what or self.what, self.in_flight, problem.to_json(), self.link, self.unseen)

    def remember(self, outcome: Made, schedule: _planner.Schedule) -> int:
        """What the graphs of a schedule take; it is a candidate for every cap above that, the one it was made for or not, and for caps
        that count something else."""
        seconds = step_seconds(self.joint, outcome)
        for what in ("step", "saved"):
            KNOWN.add(self.key(what), Candidate(seconds, self.of(outcome, what), schedule))
        return self.of(outcome)

    def copy_seconds(self, size: int) -> float:
        """Of a copy to the host and one back."""
        return 2 * self.link.seconds(size) if self.link is not None else 0.0

    def problem(self, cap: int) -> _planner.Problem:
        """The problem to plan: at its boundary the budget leaves room for the stash and no more."""
        problem = self.joint.problem
        stashed = max(self.budget(cap) - problem.resident_bytes - self.stash, 0) if self.in_flight > 1 else 0
        problem.nodes[self.joint.boundary].workspace = self._slack or stashed
        return problem

    def budget(self, cap: int) -> int:
        """The planner's budget for a cap."""
        if self.what == "saved":
            return cap + self._slack + self._kept + self.joint.problem.resident_bytes
        return cap - (self.in_flight - 1) * self.stash

    def cap_of(self, budget: int) -> int:
        """The cap for a budget of the planner."""
        if self.what == "saved":
            return max(budget - self._slack - self._kept - self.joint.problem.resident_bytes, 0)
        return budget + (self.in_flight - 1) * self.stash

    def of(self, made: Made, what: str | None = None) -> int:
        """What the graphs take, as the cap counts, or another one: by count of their values, or in a rehearsal where that took more."""
        memory = made.memory
        if (what or self.what) == "saved":
            return memory.saved_bytes
        # A rehearsal sees what a step before it was seen to take beyond its count.
        taken = memory.peak_bytes + self.unseen if made.rehearsed_bytes is None else max(memory.peak_bytes, made.rehearsed_bytes)
        return taken + self.beside(memory, what)

    def beside(self, memory: Memory, what: str | None = None) -> int:
        """What is there beside one micro-batch's step, as the cap counts, or another one: parameters and inputs, and what other micro-batches in
        flight keep."""
        if (what or self.what) == "saved":
            return 0
        return (self.in_flight - 1) * (memory.saved_bytes + memory.result_bytes) + self.joint.problem.resident_bytes
