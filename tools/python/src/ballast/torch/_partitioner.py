"""Splits the joint graph of a step into a forward and a backward graph under a cap."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch._inductor.config
from torch import fx
from torch._functorch import config as functorch_config
from torch._functorch import partitioners
from torch._inductor.custom_graph_pass import CustomPartitionerFn

from .. import _options, _planner
from .._devices import DEVICES, HostLink, by_name
from .._errors import BallastError, NoPlan, Unwritable
from .._plan import Plan
from .._units import format_bytes, is_share, parse_cap
from ._copies import copies
from ._cost import Measured, Roofline, TimeOf, link_of
from ._counts import KNOWN, Counts, Made, step_seconds
from ._equal import merge_equal
from ._gradients import store
from ._graph import JointProblem, drop_averages, refuse_dynamic
from ._judge import judge
from ._rehearsal import rehearse
from ._report import report
from ._rewrite import rewrite

#: How often a plan is made again when its graphs take more than it said.
TRIES = 8
#: How often what is between a cap that is refused and one that is not is halved.
HALVINGS = 8
#: All searches for a cap take so many times as long as the first one may,
SEARCHES = 3
#: or so many seconds longer, where that is more: in less nothing is found of a large graph, and the least cap found says nothing.
SECONDS = 5.0
#: Of the room that a stage has per micro-batch in flight, what one may keep between its passes.
STASH_SHARES = (1.0, 0.85, 0.7, 0.5)
_MEASURED: dict[bool, Measured] = {}


class Partitioner(CustomPartitionerFn):
    """Splits a joint graph under a cap. A value for `torch._inductor.config.custom_partitioner_fn`, and for `partition_fn` of AOTAutograd.

    Args:
        cap: Bytes, such as `"8GiB"`, or a share such as `"60%"` of what the cap counts in the step without a plan.
        cap_counts: `"step"`: everything the step holds, parameters, inputs, gradients and `held_bytes` included;
            `"saved"`: bytes kept from forward to backward beyond parameters and inputs.
        held_bytes: What else is on the device for the whole step, such as optimizer state: bytes, written as a cap is, or 0.
        times: `"roofline"` of the device the step is on, the roofline of a device by name (`"h100-80gb"`), `"measured"` (every op once per shape,
            on its device) or a function of a node that gives seconds.
        offload: Values may be copied to the host's pinned memory and back, beside computation, where that costs less than computing them again. True: over
            the host link of the device that `times` names or the step is on; or the link.
        time_limit: Seconds the planner may search for the cap. Where the graphs of a plan take more than it said, and where there is none and the least cap is
            looked for, there are more searches: twice as long together, rehearsals included.
        work_limit: Search steps instead of seconds: the same plan comes out whatever the clock, for times that are the same.
        seed: Seed of its random choices.
        threads: Threads it searches with; default: all cores.
        rehearse: Every step planned is run once on made-up values on its own device, and what the allocator has then counts where that is more than the
            values of the graph; where that cannot be done, and under inductor, `Backend` and `compile` read the allocator in the second step, and plan again
            where it gave more than the cap. Not where `times` names a device.
        fused: Price elementwise ops as a fusing compiler runs them.
        in_flight: Forward passes that have run and whose backward pass has not, as the micro-batches on a stage of a pipeline, or where a model is called
            twice before `backward()`: what one keeps between its passes counts so often. With `cap_counts="step"`.
    """

    def __init__(
        self, cap: int | float | str, *, cap_counts: str = "step", held_bytes: int | float | str = 0, times: str | TimeOf = "roofline",
        time_limit: float = 10.0, work_limit: int | None = None, seed: int = 0, threads: int | None = None, fused: bool = False,
        in_flight: int = 1, offload: bool | HostLink = False, rehearse: bool = True,
    ) -> None:
        if cap_counts not in ("step", "saved"):
            raise ValueError(f"cap_counts={cap_counts!r}: choose 'step' (everything a step holds) or 'saved' (bytes kept for backward)")
        self.in_flight = _options.whole("in_flight", in_flight, 1)
        if in_flight > 1 and cap_counts != "step":
            raise ValueError(f"in_flight={in_flight}: give cap_counts='step' with more than one")
        if not isinstance(offload, (bool, HostLink)):
            raise TypeError(f"offload={offload!r}: give True, False or a ballast.HostLink, not {type(offload).__name__}")
        parse_cap(cap, 2**60)
        self.cap = cap
        self.cap_counts = cap_counts
        self.held_bytes = _options.held("held_bytes", held_bytes)
        self.time_limit = _options.seconds("time_limit", time_limit)
        self.work_limit = None if work_limit is None else _options.whole("work_limit", work_limit, 0, _options.MOST_SEED)
        self.seed = _options.whole("seed", seed, 0, _options.MOST_SEED)
        self.threads = None if threads is None else _options.whole("threads", threads, 1, _options.MOST_THREADS)
        self.fused = _options.yes_or_no("fused", fused)
        self._time_of = _times(times, fused)
        #: A named device is not the one that could be asked.
        self.rehearse = _options.yes_or_no("rehearse", rehearse) and not (isinstance(times, str) and times in DEVICES)
        self.offload = offload
        #: The plan of every graph that was split, in order.
        self.plans: list[Plan] = []
        self._again: tuple[int, int] | None = None
        #: Bytes of the model's parameters and buffers that the graph split now does not read.
        self.unread_bytes = 0
        #: Which inputs of the graph split now autograd stores a gradient for, by number; None: all.
        self.stored: frozenset[int] | None = None
        #: How many of what the last forward graph gives are results; the others are saved.
        self.results = 0
        #: Plans of what is compiled now for other sizes, another mode or other numbers in Python.
        self.earlier: list[Plan] = []

    def anew(self) -> Partitioner:
        """One with the same options that has planned nothing."""
        partitioner = copy.copy(self)
        partitioner.plans, partitioner.earlier = [], []
        return partitioner

    def cap_of_earlier(self) -> int | None:
        """The cap in bytes; None where it is a share and nothing of what is compiled now was planned before."""
        if not is_share(self.cap):
            return parse_cap(self.cap)
        return max((plan.cap_bytes for plan in self.earlier), default=None)

    def uuid(self) -> str:
        """Another one at every call: what a cache holds may have been compiled without a plan or for another cap, and None would be its key."""
        return uuid.uuid4().hex

    def __call__(
        self, gm: fx.GraphModule, joint_inputs: Any, *, num_fwd_outputs: int, static_lifetime_input_indices: list[int] | None = None,
        **_unused: Any,
    ) -> tuple[fx.GraphModule, fx.GraphModule]:
        """The forward and the backward graph.

        Raises:
            NoPlan: no plan keeps the cap; the message has the least cap found.
            UnsupportedModel: sizes are not known.
        """
        self.results = num_fwd_outputs
        module = prepare(gm, self.stored)
        held = self.held_bytes + self.unread_bytes
        joint = JointProblem(module, num_fwd_outputs, self._time_of, held_bytes=held, movable=bool(self.offload))
        link = self._link(joint)
        if link is not None and self.fused and joint.device.type == "cuda":
            raise BallastError(
                "copies to the host under inductor gave wrong gradients where they were tried on CUDA (an H100, PyTorch 2.11), and what mends that has not "
                "run there: give compiler='eager', which copies and has been tried there, or leave offload out"
            )
        self._warn(link)
        static = static_lifetime_input_indices or []
        def made(steps: list[tuple[str, int]], budget: int = 2**62) -> Made:
            room = budget - joint.problem.resident_bytes
            while True:
                forward, backward, writer = rewrite(joint, steps, num_fwd_outputs, static, room=room)
                memory = judge(forward, backward, num_fwd_outputs)
                needed = joint.input_bytes + memory.peak_bytes
                tried = rehearse(forward, backward, num_fwd_outputs, joint.device, needed) if self.rehearse else None
                if tried is None or not joint.learn(tried.workspaces):
                    break
            # What a fusing compiler makes of the graphs is not what has run.
            seen = None if tried is None or self.fused else tried.peak_bytes
            return Made(forward, backward, writer, memory, copies(forward, backward, link), seen)

        index, unseen = self._again or (len(self.plans), 0)
        counts = Counts(self.cap_counts, joint, self.in_flight, link, unseen)
        best = made(joint.problem.keep_all())
        unplanned = counts.of(best)
        # A share is of what was known of the step when it was planned first, and what a step has taken is there for a smaller one.
        cap = max([parse_cap(self.cap, unplanned), *(plan.cap_bytes for plan in self.earlier)]) if self._again is None else self.plans[index].cap_bytes
        schedule = None
        if unplanned > cap:
            best, schedule = self._planned(counts, cap, made)
            if self.in_flight > 1:
                # What was proved was proved under one limit on what a micro-batch keeps, not of any plan under the cap.
                schedule = dataclasses.replace(schedule, bound=0.0, bound_class="any")
        plan = report(joint, counts, cap, unplanned, schedule, best)
        if schedule is not None:
            plan.notes += KNOWN.answered(counts.key(), cap, plan.seconds)
        self.plans[index:index + 1] = [plan]
        return best.forward, best.backward

    @contextlib.contextmanager
    def again(self, index: int, unseen: int) -> Iterator[None]:
        """The graph split now is one that was split before, and took `unseen` bytes more than was counted."""
        self._again = index, unseen
        try:
            yield
        finally:
            self._again = None

    def reads_back(self, plan: Plan) -> bool:
        """Is there a measurement to wait for? Not where the step was rehearsed, nor where the device is not the one that `times` names."""
        return self.rehearse and self.cap_counts == "step" and self.in_flight == 1 and plan.measured_bytes is None

    def _warn(self, link: HostLink | None) -> None:
        """Of what makes a plan true of less than it seems."""
        if self.plans and self._again is None:
            number = len(self.plans) + 1
            one = f"plan {number}: it is compiled anew for other sizes, another mode or other numbers in Python; its cap holds, and `plan` is the last one"
            many = f"graph {number} is planned under the cap alone; the cap of a step holds for a model of one graph (fullgraph=True)"
            warnings.warn(f"Ballast: of this model, {one if self.earlier else many}", stacklevel=3)
        if link is not None and self.fused and torch._inductor.config.reorder_for_peak_memory:
            warnings.warn(
                "Ballast: inductor may move copies to where they hide nothing and memory is short: set torch._inductor.config.reorder_for_peak_memory "
                "to False where values are offloaded",
                stacklevel=3,
            )

    def _link(self, joint: JointProblem) -> HostLink | None:
        """What values may be copied over; None without offloading.

        Raises:
            BallastError: nobody has said over what.
        """
        if isinstance(self.offload, HostLink) or not self.offload:
            return self.offload or None
        link = link_of(self._time_of, joint.device)
        if link is None:
            raise BallastError(
                f"offload=True needs a link to the host, and {joint.device} has none: name the device, as in times='h100-80gb', or give "
                "offload=ballast.HostLink('32GB', 1e-5), bytes per second and seconds of every copy"
            )
        return link

    def _planned(self, counts: Counts, cap: int, made: Callable[..., Made]) -> tuple[Made, _planner.Schedule]:
        """Plans under the cap, and takes what was found before under another one where that is faster."""
        schedule: _planner.Schedule | None = None
        refused: NoPlan | None = None
        try:
            outcome, schedule = self._fit(counts, cap, made) if self.in_flight == 1 else self._fit_in_flight(counts, cap, made)
        except NoPlan as error:
            refused = error
        # What is proved of this cap holds for any plan that keeps it. The bound of a plan found before is of another cap.
        bound, bound_class = (0.0, "any") if schedule is None else (schedule.bound, schedule.bound_class)
        while (best := KNOWN.best(counts.key(), cap)) is not None and best.found is not schedule:
            key = counts.key()
            again = _written(made, best.found)
            if again is None:
                KNOWN.remove(key, best)
                continue
            if counts.of(again) <= cap:
                return again, dataclasses.replace(best.found, bound=bound, bound_class=bound_class)
            # A rehearsal may tell now what none told then: what it takes is not what was noted down.
            KNOWN.remove(key, best)
            counts.remember(again, best.found)
        if schedule is None:
            assert refused is not None
            raise refused
        return outcome, schedule

    def _fit_in_flight(self, counts: Counts, cap: int, made: Callable[..., Made]) -> tuple[Made, _planner.Schedule]:
        """Plans for several limits on what a micro-batch keeps between its passes (docs/pipelines.md), and takes the fastest plan."""
        found: list[tuple[Made, _planner.Schedule]] = []
        refused: NoPlan | None = None
        room = max(cap - counts.joint.problem.resident_bytes, 0) // self.in_flight
        for share in STASH_SHARES:
            counts.stash = int(room * share)
            try:
                found.append(self._fit(counts, cap, made))
            except NoPlan as error:
                if refused is None or (error.least_cap_bytes or 2**62) < (refused.least_cap_bytes or 2**62):
                    refused = error
        if not found:
            assert refused is not None
            raise refused
        return min(found, key=lambda one: step_seconds(counts.joint, one[0]))

    def _fit(self, counts: Counts, cap: int, made: Callable[..., Made]) -> tuple[Made, _planner.Schedule]:
        """Plans in every order, and plans an order again for less where its graphs take more than its plan said; of the plans written that keep the cap the fastest.

        In program order most plans are proved the best of their kind within a second, and where only the boundary binds no other order is better; what a
        plan promises in any order its graphs may not keep.
        """
        budgets = dict.fromkeys(_orders(counts), cap)
        kept: list[tuple[Made, _planner.Schedule]] = []
        least: int | None = None
        proved: _planner.Schedule | None = None
        allowance = _Allowance(self.time_limit, self.work_limit)
        for _ in range(TRIES):
            # Half of what is left: few plans are made again more than once or twice.
            limit = self.time_limit if proved is None else allowance.share(2, self.time_limit)
            found, refused = self._solve(counts, budgets, limit)
            if refused is not None and not found and not kept and least is None and self._again is None:
                # Of a plan made again only whether there is one matters.
                least = self._least(counts, max(budgets.values()), refused, made, allowance)
            # The first searches are the ones for the whole cap, and what the last of them proved is proved of any plan under it.
            proved = proved or (list(found.values())[-1] if found else None)
            budgets = {order: budget for order, budget in budgets.items() if order in found}
            for order, schedule in sorted(found.items(), key=lambda one: one[1].value):
                assert proved is not None
                schedule = dataclasses.replace(schedule, bound=proved.bound, bound_class=proved.bound_class)
                outcome = _written(made, schedule)
                if outcome is None:
                    # For a little less another plan is found.
                    budgets[order] -= max(cap // 400, 1)
                    continue
                takes = counts.remember(outcome, schedule)
                if takes <= cap:
                    kept.append((outcome, schedule))
                    del budgets[order]
                elif any(schedule.value >= other.value for _, other in kept):
                    del budgets[order]
                else:
                    least = min(takes, least) if least is not None else takes
                    # What the graphs take moves with the plan: a little more than what was missing.
                    budgets[order] -= takes - cap + cap // 400
            if not budgets or (kept and allowance.over()):
                break
        if kept:
            return min(kept, key=lambda one: step_seconds(counts.joint, one[0]))
        # Of all searches for this problem, not of this one alone: what was found once can be had.
        least = min((taken for taken in (least, KNOWN.least(counts.key())) if taken is not None), default=None)
        known = "" if least is None else f"; the least cap found to have a plan is {least} bytes ({format_bytes(least)})"
        counted = "the step holds" if self.cap_counts == "step" else "is kept for backward"
        raise NoPlan(
            f"no plan keeps the cap of {cap} bytes ({format_bytes(cap)}) on what {counted}{known}", least, found=least is not None
        )

    def _solve(self, counts: Counts, budgets: dict[str, int], limit: float) -> tuple[dict[str, _planner.Schedule], NoPlan | None]:
        """A plan for each order and its budget that has one, and the refusal of the last that has none: the least of any order is the one that counts, and
        that order is asked last."""
        found: dict[str, _planner.Schedule] = {}
        refused: NoPlan | None = None
        for order, budget in budgets.items():
            try:
                found[order] = self._search(counts, budget, order, limit / len(budgets))
            except NoPlan as error:
                refused = error
        return found, refused

    def _search(self, counts: Counts, budget: int, order: str, limit: float) -> _planner.Schedule:
        return _planner.solve(
            counts.problem(budget), counts.budget(budget), time_limit=limit, work_limit=self.work_limit, seed=self.seed, threads=self.threads, order=order,
            link=counts.link,
        )

    def _any(self, counts: Counts, budget: int, limit: float) -> _planner.Schedule | None:
        """The first plan found: most caps that have one have it in a moment, and what that saves is there for the others."""
        orders = _orders(counts)
        for share in (0.25, 0.75) if self.work_limit is None else (1.0,):
            for order in orders:
                with contextlib.suppress(NoPlan):
                    return self._search(counts, budget, order, share * limit / len(orders))
        return None

    def _least(self, counts: Counts, budget: int, refused: NoPlan, made: Callable[..., Made], allowance: _Allowance) -> int | None:
        """What the graphs of the smallest plan take: found by halving between what is refused and what is not, which a plan found before may say."""
        found = KNOWN.least(counts.key())
        if found is not None and found <= budget:
            return found
        low = budget
        joint = counts.joint.problem
        high = counts.cap_of(joint.peak(joint.keep_all()))
        if refused.found and refused.least_cap_bytes is not None:
            high = min(high, counts.cap_of(refused.least_cap_bytes))
        elif refused.least_cap_bytes is not None:
            low = max(low, counts.cap_of(refused.least_cap_bytes) - 1)
        if found is not None:
            high = min(high, found)
        for halvings in range(HALVINGS, 0, -1):
            if found is not None and allowance.over():
                break
            middle = high if found is None else (low + high) // 2
            schedule = self._any(counts, middle, allowance.share(halvings, max(self.time_limit / 2, 1.0)))
            outcome = _written(made, schedule) if schedule is not None else None
            if schedule is None or outcome is None:
                low = middle
            else:
                takes = counts.remember(outcome, schedule)
                found = takes if found is None else min(found, takes)
                high = middle
            if high - low <= max(high // 100, 1):
                break
        return found


def _written(made: Callable[..., Made], schedule: _planner.Schedule) -> Made | None:
    """A schedule as graphs. One that has no such form is wrong, which is said and ends nothing: there are others."""
    try:
        return made(schedule.steps, schedule.budget_bytes)
    except Unwritable as error:
        warnings.warn(f"Ballast: a plan that was found is left out ({error}); please report it", stacklevel=2)
        return None


def _orders(counts: Counts) -> tuple[str, ...]:
    return ("program",) if counts.what == "saved" else ("program", "free")


class _Allowance:
    """Seconds for all searches for one cap, and what is rehearsed between them. Where searches count steps no clock has a say."""

    def __init__(self, time_limit: float, work_limit: int | None) -> None:
        self._ends = time.monotonic() + max(SEARCHES * time_limit, time_limit + SECONDS) if work_limit is None else None
        #: Without any time no search finds anything.
        self._least = time_limit / 50

    def share(self, parts: int, most: float) -> float:
        """Seconds for the next search, where what is left is for so many like it."""
        return most if self._ends is None else min(max((self._ends - time.monotonic()) / parts, self._least), most)

    def over(self) -> bool:
        """Is nothing left?"""
        return self._ends is not None and time.monotonic() > self._ends


def _times(times: str | TimeOf, fused: bool) -> TimeOf:
    if callable(times):
        return times
    if times == "roofline":
        return Roofline(fused=fused)
    if times in DEVICES:
        return Roofline(by_name(times), fused=fused)
    if times == "measured":
        # One for all: plans are compared by the same times, and an op is measured once.
        return _MEASURED.setdefault(fused, Measured(fallback=Roofline(fused=fused)))
    raise ValueError(f"times={times!r}: choose 'roofline', 'measured', or one of {', '.join(DEVICES)}, or give a function of a graph's node")


def prepare(gm: fx.GraphModule, stored: frozenset[int] | None = None) -> fx.GraphModule:
    """What torch's own partitioners do first: dead code, common subexpressions, marks of what must be saved. And averages that are not looked at, and gradients in the form
    that autograd stores those of some inputs (`stored`; None: all) in.

    Raises:
        UnsupportedModel: sizes are not known.
    """
    refuse_dynamic(gm.graph)
    drop_averages(gm.graph)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    if functorch_config.cse:
        merge_equal(gm.graph)
    store(gm.graph, stored)
    gm.recompile()
    if partitioners.has_recomputable_ops(gm):
        gm = partitioners.cleanup_recompute_tags(gm, is_default_partition=False)
    if not functorch_config.unsafe_allow_optimization_of_collectives:
        partitioners.force_save_collectives(gm)
    partitioners.force_save_effectful_ops(gm)
    partitioners.force_save_bw_mutation_src(gm)
    return gm
