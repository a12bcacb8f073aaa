"""The backend for `torch.compile`: plans the joint graph, hands back forward and backward graphs."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch._inductor.config
import torch._inductor.exc
from torch import fx
from torch._functorch import config as functorch_config
from torch._functorch import partitioners
from torch._inductor.custom_graph_pass import CustomPartitionerFn

from .. import _planner
from .._devices import DEVICES, HostLink, by_name
from .._errors import BallastError, NoPlan, UnsupportedModel, first_line, of_ballast
from .._plan import Plan
from .._units import format_bytes, parse_cap
from ._captured import begins_at, has_lstm, onednn, takes_gradients
from ._copies import copies
from ._cost import Measured, Roofline, TimeOf, link_of
from ._counts import KNOWN, Counts, Made
from ._equal import merge_equal
from ._graph import JointProblem, main_device
from ._judge import judge
from ._readback import ReadBack, Way
from ._rehearsal import rehearse
from ._report import report
from ._rewrite import rewrite

#: How often a plan is made again when its graphs take more than it said.
TRIES = 8
#: Of the room that a stage has per micro-batch in flight, what one may keep between its passes.
STASH_SHARES = (1.0, 0.85, 0.7, 0.5)
_MEASURED: dict[bool, Measured] = {}


class Partitioner(CustomPartitionerFn):
    """Splits a joint graph under a cap. A value for `torch._inductor.config.custom_partitioner_fn`, and for `partition_fn` of AOTAutograd.

    Args:
        cap: Bytes, such as `"8GiB"`, or a share such as `"60%"` of what the cap counts in the step without a plan.
        cap_counts: `"step"`: everything the step holds, parameters, inputs, gradients and `held_bytes` included;
            `"saved"`: bytes kept from forward to backward beyond parameters and inputs.
        held_bytes: What else is on the device for the whole step, such as optimizer state.
        times: `"roofline"` of the device the step is on, the roofline of a device by name (`"h100-80gb"`), `"measured"` (every op once per shape,
            on its device) or a function of a node that gives seconds.
        offload: Values may be copied to the host's pinned memory and back, beside computation, where that costs less than computing them again. True: over
            the host link of the device that `times` names or the step is on; or the link.
        time_limit: Seconds the planner may search.
        work_limit: Search steps instead of seconds: the same plan comes out whatever the clock, for times that are the same.
        seed: Seed of its random choices.
        threads: Threads it searches with; default: all cores.
        rehearse: Every step planned is run once on made-up values on its own device, and what the allocator has then counts where that is more than the
            values of the graph; where that cannot be done, and under inductor, `Backend` and `compile` read the allocator in the second step, and plan again
            where it gave more than the cap. Not where `times` names a device.
        fused: Price elementwise ops as a fusing compiler runs them.
        in_flight: Micro-batches whose forward pass has run and whose backward pass has not, as on a stage of a pipeline: what one
            keeps between its passes counts so often. With `cap_counts="step"`.
    """

    def __init__(
        self, cap: int | float | str, *, cap_counts: str = "step", held_bytes: int = 0, times: str | TimeOf = "roofline",
        time_limit: float = 10.0, work_limit: int | None = None, seed: int = 0, threads: int | None = None, fused: bool = False,
        in_flight: int = 1, offload: bool | HostLink = False, rehearse: bool = True,
    ) -> None:
        if cap_counts not in ("step", "saved"):
            raise ValueError(f"cap_counts={cap_counts!r}: choose 'step' (everything a step holds) or 'saved' (bytes kept for backward)")
        if in_flight < 1 or (in_flight > 1 and cap_counts != "step"):
            raise ValueError(f"in_flight={in_flight}: give 1 or more micro-batches, and cap_counts='step' with more than one")
        parse_cap(cap, 2**60)
        self.cap = cap
        self.in_flight = in_flight
        self.cap_counts = cap_counts
        self.held_bytes = int(held_bytes)
        self.time_limit = time_limit
        self.work_limit = work_limit
        self.seed = seed
        self.threads = threads
        self.fused = fused
        self._time_of = _times(times, fused)
        #: A named device is not the one that could be asked.
        self.rehearse = rehearse and not (isinstance(times, str) and times in DEVICES)
        self.offload = offload
        #: The plan of every graph that was split, in order.
        self.plans: list[Plan] = []
        self._again: tuple[int, int] | None = None
        #: Is one graph all there is of the model?
        self.whole = False

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
        module = prepare(gm)
        joint = JointProblem(module, num_fwd_outputs, self._time_of, held_bytes=self.held_bytes, movable=bool(self.offload))
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
        # A share is of what was known of the step when it was planned first.
        cap = parse_cap(self.cap, unplanned) if self._again is None else self.plans[index].cap_bytes
        schedule = None
        if unplanned > cap:
            best, schedule = self._planned(counts, cap, made)
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
            warnings.warn(f"Ballast: of this model, {one if self.whole else many}", stacklevel=3)
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
        best = KNOWN.best(counts.key(), cap)
        if best is None:
            assert refused is not None
            raise refused
        if schedule is not None and best.found is schedule:
            return outcome, schedule
        # What is proved of this cap holds for any plan that keeps it. Its own bound is of another cap.
        bound, bound_class = (0.0, "any") if schedule is None else (schedule.bound, schedule.bound_class)
        return made(best.found.steps, best.found.budget_bytes), dataclasses.replace(best.found, bound=bound, bound_class=bound_class)

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
        return min(found, key=lambda one: one[1].value)

    def _fit(self, counts: Counts, cap: int, made: Callable[..., Made]) -> tuple[Made, _planner.Schedule]:
        """Plans, and plans again for less where the graphs take more than the plan said."""
        budget = cap
        least: int | None = None
        for _ in range(TRIES):
            try:
                schedule = self._solve(counts, budget)
            except NoPlan as error:
                # Of a plan made again only whether there is one matters.
                if least is None and self._again is None:
                    least = self._least(counts, budget, error, made)
                break
            outcome = made(schedule.steps, schedule.budget_bytes)
            takes = counts.remember(outcome, schedule)
            if takes <= cap:
                return outcome, schedule
            least = min(takes, least) if least is not None else takes
            # What the graphs take moves with the plan: a little more than what was missing.
            budget -= takes - cap + cap // 400
        # Of all searches for this problem, not of this one alone: what was found once can be had.
        least = min((taken for taken in (least, KNOWN.least(counts.key())) if taken is not None), default=None)
        known = "" if least is None else f"; the least cap found to have a plan is {least} bytes ({format_bytes(least)})"
        counted = "the step holds" if self.cap_counts == "step" else "is kept for backward"
        raise NoPlan(
            f"no plan keeps the cap of {cap} bytes ({format_bytes(cap)}) on what {counted}{known}", least, found=least is not None
        )

    def _solve(self, counts: Counts, budget: int, time_limit: float | None = None) -> _planner.Schedule:
        """Plans in program order, where most plans are proved the best of their kind within a second, and where only the boundary binds no other
        order is better; for a cap on the whole step with first runs in any order too, and takes the better one."""
        limit = time_limit or self.time_limit
        orders = ("program",) if counts.what == "saved" else ("program", "free")
        found: list[_planner.Schedule] = []
        refused: NoPlan | None = None
        for order in orders:
            try:
                found.append(_planner.solve(
                    counts.problem(budget), counts.budget(budget), time_limit=limit / len(orders), work_limit=self.work_limit, seed=self.seed,
                    threads=self.threads, order=order, link=counts.link,
                ))
            except NoPlan as error:
                # The least of any order is the one that counts: it is asked last.
                refused = error
        if not found:
            assert refused is not None
            raise refused
        best = min(found, key=lambda schedule: schedule.value)
        return dataclasses.replace(best, bound=found[-1].bound, bound_class=found[-1].bound_class)

    def _least(self, counts: Counts, budget: int, refused: NoPlan, made: Callable[..., Made]) -> int | None:
        """What the graphs of the smallest plan take: found by halving between what is refused and what is not."""
        low = budget
        joint = counts.joint.problem
        high = counts.cap_of(joint.peak(joint.keep_all()))
        if refused.found and refused.least_cap_bytes is not None:
            high = min(high, counts.cap_of(refused.least_cap_bytes))
        elif refused.least_cap_bytes is not None:
            low = max(low, counts.cap_of(refused.least_cap_bytes) - 1)
        found = None
        hasty = max(self.time_limit / 2, 1.0)
        for _ in range(8):
            middle = high if found is None else (low + high) // 2
            try:
                schedule = self._solve(counts, middle, hasty)
                takes = counts.remember(made(schedule.steps, schedule.budget_bytes), schedule)
                found = takes if found is None else min(found, takes)
                high = middle
            except NoPlan:
                low = middle
            if high - low <= max(high // 100, 1):
                break
        return found


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


def prepare(gm: fx.GraphModule) -> fx.GraphModule:
    """What torch's own partitioners do first: dead code, common subexpressions, marks of what must be saved."""
    gm.graph.eliminate_dead_code()
    gm.recompile()
    if functorch_config.cse:
        gm.graph = merge_equal(gm.graph)
    if partitioners.has_recomputable_ops(gm):
        gm = partitioners.cleanup_recompute_tags(gm, is_default_partition=False)
    if not functorch_config.unsafe_allow_optimization_of_collectives:
        partitioners.force_save_collectives(gm)
    partitioners.force_save_effectful_ops(gm)
    partitioners.force_save_bw_mutation_src(gm)
    return gm


class Backend:
    """A backend for `torch.compile(model, backend=...)`; `plans` has what was planned.

    Args:
        cap: As for `Partitioner`, which takes the other options.
        compiler: `"eager"`: the graphs run op by op, with no compiler; `"inductor"`: torch's compiler, on CPU too where there is a C++
            compiler.
    """

    def __init__(self, cap: int | float | str, *, compiler: str = "eager", **options: Any) -> None:
        if compiler not in ("eager", "inductor"):
            raise ValueError(f"compiler={compiler!r}: choose 'eager' (op by op) or 'inductor'")
        self.compiler = compiler
        #: Has torch handed a graph over?
        self.asked = False
        #: Is one graph all there is of the model?
        self.whole = False
        self.partitioner = Partitioner(cap, **{"fused": compiler == "inductor", **options})

    @property
    def plans(self) -> list[Plan]:
        """The plan of every graph compiled for training, in order."""
        return self.partitioner.plans

    def __call__(self, gm: fx.GraphModule, example_inputs: list[Any], **_options: Any) -> Any:
        """Compiles a graph that dynamo has captured."""
        self.asked, self.partitioner.whole = True, self.whole
        if takes_gradients(gm.graph):
            warnings.warn(
                "Ballast: torch.func takes gradients inside of what is compiled, which runs WITHOUT a plan: plans are for what is kept from a forward to a backward "
                "pass of autograd. Compile the loss alone, and take its gradient with backward()",
                stacklevel=2,
            )
        index = len(self.plans)
        # Compilers change what they compile.
        graph = copy.deepcopy(gm.graph)

        def compile_graph(read_back: ReadBack, inputs: Any, way: Way) -> tuple[Callable[..., Any], Plan | None]:
            with self.partitioner.again(index, way.unseen) if index < len(self.plans) else contextlib.nullcontext():
                run = self._compile(fx.GraphModule(gm, copy.deepcopy(graph)), list(inputs), read_back, way)
            plan = self.plans[index] if index < len(self.plans) else None
            return run, plan if plan is not None and self.partitioner.reads_back(plan) else None

        def chosen(plan: Plan) -> None:
            self.plans[index] = plan

        device = main_device(value for value in example_inputs if isinstance(value, torch.Tensor))
        try:
            return ReadBack(device, compile_graph, chosen, fuses=self.compiler == "inductor").compile(example_inputs)
        except Exception as error:
            said = of_ballast(error)
            if self.whole or not isinstance(said, NoPlan):
                raise
            raise NoPlan(f"graph {index + 1} of the model{begins_at(graph)}: {said}", said.least_cap_bytes, found=said.found) from error

    def _compile(self, gm: fx.GraphModule, example_inputs: list[Any], read_back: ReadBack, way: Way) -> Callable[..., Any]:
        if self.compiler == "inductor":
            from torch._inductor.compile_fx import compile_fx, compile_fx_inner
            from torch._inductor.cpp_builder import get_cpp_compiler

            def inner(graph: fx.GraphModule, inputs: Any, **given: Any) -> Any:
                compiled = compile_fx_inner(graph, inputs, **given)
                if given.get("is_inference"):
                    return compiled
                return read_back.backward(graph, compiled) if given.get("is_backward") else read_back.forward(compiled)

            patches: dict[str, Any] = {"custom_partitioner_fn": self.partitioner}
            if way.apart:
                patches["max_fusion_size"] = 1
            if self.partitioner.offload:
                # Its own order counts what is on the host as if it were not, and would move copies to where they hide nothing.
                patches["reorder_for_peak_memory"] = False
            try:
                # Asked for now: a graph of library calls alone would miss it in the backward pass, inside of autograd.
                if all(value.device.type == "cpu" for value in example_inputs if isinstance(value, torch.Tensor)):
                    get_cpp_compiler()
                return compile_fx(gm, example_inputs, inner, config_patches=patches)
            except Exception as error:
                missing = _without_compiler(error)
                if missing is None:
                    raise
                raise BallastError(
                    f"compiler='inductor' needs a C++ compiler, and none works ({missing}): install one (Debian: package g++), name it in the variable CXX, or "
                    "give compiler='eager'"
                ) from error
        from torch._dynamo.backends.common import aot_autograd
        from torch._dynamo.backends.debugging import boxed_nop

        enabled = torch._C._get_mkldnn_enabled()

        def partition(*given: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
            with onednn(enabled):
                return self.partitioner(*given, **options)

        # With it, tracing makes one op of an LSTM whose input needs no gradient, and that op has nothing for the backward pass when it runs.
        with functorch_config.patch(enable_autograd_cache=False), onednn(enabled and not has_lstm(gm)):
            return aot_autograd(
                fw_compiler=lambda graph, inputs: read_back.forward(boxed_nop(graph, inputs)),
                bw_compiler=lambda graph, inputs: read_back.backward(graph, boxed_nop(graph, inputs)),
                inference_compiler=boxed_nop, partition_fn=partition, keep_inference_input_mutations=True,
            )(gm, example_inputs)


def _without_compiler(error: BaseException | None) -> str | None:
    """What inductor says of a C++ compiler that is not there, if that is what went wrong."""
    while error is not None:
        if isinstance(error, torch._inductor.exc.InvalidCxxCompiler):
            return first_line(error)
        error = getattr(error, "inner_exception", None) or error.__cause__
    return None


def optimizer_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Bytes of an optimizer's state: what it holds, or before its first step what its kind will hold.

    Raises:
        ValueError: its state is empty and its kind is not known: give `held_bytes`.
    """
    tensors = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, torch.Tensor)]
    if tensors:
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    total = 0
    for group in optimizer.param_groups:
        size = sum(parameter.numel() * parameter.element_size() for parameter in group["params"] if parameter.requires_grad)
        kind = type(optimizer).__name__
        if kind in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax"):
            total += size * (3 if group.get("amsgrad") else 2)
        elif kind == "SGD":
            total += size if group.get("momentum") else 0
        elif kind in ("Adagrad", "RMSprop"):
            total += size * (1 + bool(group.get("momentum")) + bool(group.get("centered")))
        else:
            raise ValueError(f"what {kind} will hold is not known before its first step: give held_bytes instead, or step it once")
    return total


class _Compiled:
    """What both forms of a compiled model share."""

    _ballast_backend: Backend

    @property
    def plan(self) -> Plan:
        """The plan of the last graph compiled for training.

        Raises:
            BallastError: nothing was compiled yet.
        """
        if not self._ballast_backend.plans:
            raise BallastError("there is no plan yet: it is made by the first call in training (with gradients)")
        return self._ballast_backend.plans[-1]


def compile(  # noqa: A001
    model: Callable[..., Any], cap: int | float | str, *, compiler: str | None = None, optimizer: torch.optim.Optimizer | None = None,
    held_bytes: int = 0, fullgraph: bool = True, **options: Any,
) -> Any:
    """`torch.compile` under a memory cap: what is kept from forward to backward and what is computed again follows a plan.

    Args:
        model: A module or function.
        cap: Bytes, such as `"8GiB"`, or a share such as `"60%"` of what the step takes without a plan.
        compiler: `"inductor"` or `"eager"`; by default inductor for models on an accelerator, and no compiler on the CPU and where values are
            offloaded.
        optimizer: Its state counts as held for the whole step.
        held_bytes: What else is held.
        fullgraph: Refuse models that break into several graphs; without it every graph is planned under the cap by itself.
        options: `cap_counts`, `times`, `offload`, `time_limit`, `seed`, `threads`: as for `Partitioner`.

    Returns:
        The compiled model. `.plan` is there after the first call.

    Raises:
        ValueError: options that make no sense.
        NoPlan: at the first call, where no plan keeps the cap.
        UnsupportedModel: the model is sharded; or, at the first call, it cannot be captured as one graph of fixed sizes.
    """
    _refuse_sharded(model)
    if compiler is None:
        parameter = next(model.parameters(), None) if isinstance(model, torch.nn.Module) else None
        on_accelerator = parameter is not None and parameter.device.type != "cpu"
        compiler = "inductor" if on_accelerator and not options.get("offload") else "eager"
    if optimizer is not None:
        held_bytes += optimizer_bytes(optimizer)
    backend = Backend(cap, compiler=compiler, held_bytes=held_bytes, **options)
    backend.whole = fullgraph
    compiled = torch.compile(model, backend=backend, dynamic=False, fullgraph=fullgraph)
    if isinstance(compiled, torch.nn.Module):
        kind = type(compiled)

        class Compiled(_Compiled, kind):  # type: ignore[misc, valid-type]
            def __call__(self, *args: Any, **kwargs: Any) -> Any:
                return _call(super().__call__, args, kwargs, backend)

        Compiled.__name__ = Compiled.__qualname__ = kind.__name__
        object.__setattr__(compiled, "_ballast_backend", backend)
        compiled.__class__ = Compiled
        return compiled
    return CompiledFunction(compiled, backend)


def _refuse_sharded(model: Any) -> None:
    """A graph under FSDP's hooks would count the shards of parameters and not what is gathered for them."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    if fsdp is not None and isinstance(model, torch.nn.Module) and any(isinstance(module, fsdp.FSDPModule) for module in model.modules()):
        raise UnsupportedModel(
            "the model is sharded by fully_shard, whose hooks gather parameters outside of any graph: before it is sharded, compile its blocks, "
            "each as block.compile(backend=ballast.torch.Backend(cap), dynamic=False, fullgraph=True)"
        )


class CompiledFunction(_Compiled):
    """A compiled function; `plan` is there after the first call."""

    def __init__(self, function: Callable[..., Any], backend: Backend) -> None:
        self._function = function
        self._ballast_backend = backend

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it."""
        return _call(self._function, args, kwargs, self._ballast_backend)


def _call(function: Callable[..., Any], args: Any, kwargs: Any, backend: Backend) -> Any:
    """Calls, and says what went wrong in one sentence where it is ours to say."""
    exceptions = torch._dynamo.exc
    try:
        # Beyond the limit the model would run as it is, without a plan.
        with torch._dynamo.config.patch(fail_on_recompile_limit_hit=True):
            found = function(*args, **kwargs)
        if not backend.asked:
            backend.asked = True
            warnings.warn(
                "Ballast: torch.compile has captured nothing of this model (a scripted one, or compiling is switched off): it runs WITHOUT a plan",
                stacklevel=4,
            )
        return found
    except exceptions.BackendCompilerFailed as error:
        said = of_ballast(error)
        if said is None:
            raise
        raise said from None
    except exceptions.FailOnRecompileLimitHit as error:
        raise UnsupportedModel(
            f"torch.compile has compiled the model {len(backend.plans)} times, as often as it may ({first_line(error)}): pad batches to few sizes, give numbers that "
            "change from step to step as tensors, or raise torch._dynamo.config.recompile_limit"
        ) from error
    except exceptions.Unsupported as error:
        raise UnsupportedModel(
            f"the model is not one graph ({first_line(error)}): a cap holds for the step of one graph; take out what breaks it, or give fullgraph=False "
            "to plan every graph by itself"
        ) from error
