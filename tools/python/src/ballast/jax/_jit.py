"""`jit` under a cap: the step is exported, planned by `ballast-opt`, loaded again by public calls, and measured.

What XLA takes for a program is known once it has compiled it, so plans are made and compiled until one keeps the cap and uses
what it allows, as `ballast fit` does.
"""

from __future__ import annotations

import functools
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.export
from jax.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from .. import _options
from .._clock import Clock
from .._errors import BallastError, NoPlan, ProgramNotFound, first_line
from .._known import PROBLEMS, Candidate, Known, key_of
from .._plan import Plan
from .._units import format_bytes, parse_cap
from ._arguments import Arguments, Call, Names, Places
from ._counts import count
from ._loops import rolled
from ._next_cap import next_cap
from ._planned import BARRIER, BODY, KEEP_ALL, OPERATIONS, SPREAD, XLA_CPU, body_of_loop, check_times, fusion, generic, gradients_written_out, planned, unit, usual_times, without_barriers
from ._signature import Signature, commit_as
from ._traced import Traced, caller, is_traced, refuse_traced, without_gradient
from ._tries import Form, Memory, Try


#: Steps are planned one at a time, whatever threads call them: they share what is known of programs, and the cores.
_SEARCH = threading.RLock()


def compiler_options() -> dict[str, Any]:
    """Options for `jax.jit` on the platform at hand, without which barriers that hold recomputed ops back would not last.

    XLA's CPU compiler drops them before it schedules unless it is told not to. That for GPUs drops them after, and has to: it has no code for one.
    """
    return {"xla_disable_hlo_passes": "cse_barrier_expander"} if jax.default_backend() == "cpu" else {}


class UnplannedWarning(UserWarning):
    """A step runs without a plan, and the message says why."""


_SHARDED = "plans are for one device: put its arguments there with jax.device_put, or use ballast.checkpoint_policy inside of jax.jit for a step over several"
_PUT = "a step runs where its arguments are: put them there with jax.device_put"
#: What to do instead of options of `jax.jit` that make no sense here.
_INSTEAD = {
    "in_shardings": _SHARDED, "out_shardings": _SHARDED, "device": _PUT, "backend": _PUT,
    "compiler_options": "plans are measured with ballast.jax.compiler_options(): give others to all that is compiled, in the variable XLA_FLAGS",
    "inline": "a planned step is the outermost function, which goes into no other: leave it out",
    "keep_unused": "arguments that the step does not read take no memory in it: leave it out",
    "donate": "say which arguments it gives away by donate_argnums or donate_argnames",
}


def jit(
    step: Callable[..., Any] | None = None, *, cap: int | float | str, cap_counts: str = "step", donate_argnums: Places = None, donate_argnames: Names = None,
    static_argnums: Places = None, static_argnames: Names = None, times: str | None = None, time_limit: float = 10.0, tries: int = 6, within: float = 0.03,
    seed: int = 0, fallback: bool = True, total_time_limit: float | None = 600.0, **others: Any,
) -> Jitted | Callable[[Callable[..., Any]], Jitted]:
    """`jax.jit` under a memory cap.

    Args:
        step: A function of pytrees of arrays, such as a training step. Without one a decorator with these options is returned: `@ballast.jit(cap="8GiB")`.
        cap: Bytes, such as `"8GiB"`, or a share such as `"60%"` of what the cap counts in the step without a plan.
        cap_counts: `"step"`: arguments, results and temporaries, those that share memory by donation once;
            `"temp"`: XLA's temporaries alone.
        donate_argnums, donate_argnames, static_argnums, static_argnames: As for `jax.jit`.
        times: What is made least: `"operations"`, those of the compiled step, or the seconds of a device by roofline, such as `"h100-80gb"`
            or the path of a device file (docs/devices.md). Unless given, the seconds of the GPU at hand, and operations on other platforms.
        time_limit: Seconds the planner may search for each try.
        tries: Most plans to compile.
        within: How far below the cap is near enough, as a share of the cap.
        seed: Seed of the planner's random choices.
        fallback: Where a step cannot be planned at all, run it without a plan and warn; otherwise that is an error. A cap that no plan keeps
            is always an error.
        total_time_limit: Seconds after which no further plan is begun, compilation included, nor one searched for; None: as many as the tries take.
        others: None. What else `jax.jit` takes is refused with what to do instead.

    Returns:
        A function like `step`; `.plan` is there after the first call.

    Raises:
        TypeError: an option is none of these.
        ValueError: an option has a value that it cannot have.
    """
    _options.none_besides(jit, others, _INSTEAD)

    def under_cap(step: Callable[..., Any]) -> Jitted:
        return Jitted(
            step, Arguments(step, static_argnums, static_argnames, donate_argnums, donate_argnames), cap=cap, cap_counts=cap_counts,
            times=times, time_limit=time_limit, tries=tries, within=within, seed=seed, fallback=fallback, total_time_limit=total_time_limit,
        )

    return under_cap if step is None else under_cap(step)


class Jitted:
    """A step under a cap. Made by `jit`."""

    def __init__(
        self, step: Callable[..., Any], arguments: Arguments, *, cap: int | float | str, cap_counts: str, times: str | None, time_limit: float, tries: int,
        within: float, seed: int, fallback: bool, total_time_limit: float | None,
    ) -> None:
        if cap_counts not in ("step", "temp"):
            raise ValueError(f"cap_counts={cap_counts!r}: choose 'step' (arguments, results and temporaries) or 'temp' (temporaries)")
        _options.whole("tries", tries, 1)
        _options.whole("seed", seed, 0, _options.MOST_SEED)
        _options.seconds("time_limit", time_limit)
        if total_time_limit is not None:
            _options.seconds("total_time_limit", total_time_limit)
        _options.number("within", within)
        if not within >= 0:
            raise ValueError(f"within={within!r}: give a share of the cap, 0 or more, such as 0.03")
        parse_cap(cap, 2**60)
        if times is not None:
            check_times(times)
        self._step = step
        self._cap, self._counts = cap, cap_counts
        self._arguments = arguments
        self._times, self._time_limit, self._tries, self._within, self._seed = times, time_limit, tries, within, seed
        self._fallback, self._total = fallback, total_time_limit
        #: By kinds of arguments: what runs, and its plan, if there is one.
        self._compiled: dict[Any, tuple[Callable[..., Any], Plan | None]] = {}
        #: The mark of the last call, and what ran.
        self._last: tuple[Any, tuple[Callable[..., Any], Plan | None]] | None = None
        self._plan: Plan | None = None
        # Called as the step is, and found where that is looked for.
        functools.update_wrapper(self, step, updated=())

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method it is handed the instance first, as a function is."""
        return self if instance is None else types.MethodType(self, instance)

    @property
    def plan(self) -> Plan:
        """The plan for the arguments of the last call, or of `prepare`.

        Raises:
            BallastError: there is none for them.
        """
        if self._plan is None:
            raise BallastError("there is no plan: it is made by the first call or by prepare(*args), unless that refuses the cap or runs the step without one")
        return self._plan

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the step; plans and compiles it first for arguments of new shapes. What JAX traces, or runs under `jax.disable_jit`, is the step as it is."""
        call = self._arguments.of(args, kwargs)
        if is_traced(call.leaves):
            return self._inside(call)
        if jax.config.jax_disable_jit:
            # What is compiled does not run then.
            return self._step(*args, **kwargs)
        try:
            found = self._ready(call)[0]
        except Traced:
            return self._inside(call)
        return found(*call.dynamic, **call.named)

    def _inside(self, call: Call) -> Any:
        """The step as it is, as a part of what JAX traces. Without a warning where a gradient is asked for: that is an error."""
        text, place = self._without_plan(str(Traced()), ""), caller()
        return without_gradient(call.step(self._step), call.dynamic, call.named, lambda: warnings.warn_explicit(text, UnplannedWarning, **place))

    def prepare(self, *args: Any, **kwargs: Any) -> Plan | None:
        """Plans and compiles for arguments like these, `jax.ShapeDtypeStruct` allowed, without running. None: it runs without a plan."""
        try:
            return self._ready(self._arguments.of(args, kwargs))[1]
        except Traced as error:
            self._warn(str(error), "", stacklevel=2)
            return None

    def _warn(self, why: str, takes: str, *, stacklevel: int) -> None:
        """Says that the step runs without a plan.

        Raises:
            BallastError: it is not to.
        """
        warnings.warn(self._without_plan(why, takes), UnplannedWarning, stacklevel=stacklevel + 1)

    def _without_plan(self, why: str, takes: str) -> str:
        """What there is to say of that."""
        text = f"this step cannot be planned: {why}"
        if not self._fallback:
            raise BallastError(text)
        return f"Ballast: {text}. It runs WITHOUT a plan{takes}"

    def _ready(self, call: Call) -> tuple[Callable[..., Any], Plan | None]:
        last = self._last
        if last is not None and last[0] == call.mark:
            found = last[1]
        else:
            found = self._compiled_for(call)
        self._last = call.mark, found
        self._plan = found[1]
        return found

    def _compiled_for(self, call: Call) -> tuple[Callable[..., Any], Plan | None]:
        kind, tied = call.kind, call.is_tied
        if (kind, tied) not in self._compiled:
            with _SEARCH:
                # Unless another thread did, for which this one waited.
                if (kind, tied) not in self._compiled:
                    self._plan = None
                    # Results are tied to a device where an argument is; all else is as it was.
                    self._compiled[kind, tied] = self._compile(call, again=(kind, not tied) in self._compiled)
        return self._compiled[kind, tied]

    def _compile(self, call: Call, *, again: bool) -> tuple[Callable[..., Any], Plan | None]:
        step = call.step(self._step)
        refuse_traced(step, call.dynamic, call.named)
        plain = jax.jit(step, **call.donation)
        lowered = plain.lower(*call.dynamic, **call.named)
        memory = Memory.of(lowered.compile())
        cap = parse_cap(self._cap, memory.counted(self._counts))

        def program() -> _Program:
            return _Program(step, plain, lowered, call, usual_times() if self._times is None else self._times)

        if memory.counted(self._counts) <= cap:
            plan = _unplanned_plan(memory, self._counts, cap)
            return self._without_checkpoints(program, plain, memory, plan, again) if BARRIER in lowered.as_text() else (plain, plan)
        try:
            return self._fit(program(), cap, memory, again)
        except (NoPlan, ProgramNotFound):
            raise
        except Exception as error:
            takes = f" and takes {format_bytes(memory.counted(self._counts))}, over the cap of {format_bytes(cap)}"
            # What neither this package nor a step's author raises on purpose is known by its kind.
            kind = "" if isinstance(error, BallastError) else f"{type(error).__name__}: "
            self._warn(f"{kind}{first_line(error)}", takes, stacklevel=5)
            return plain, None

    def _without_checkpoints(
        self, program: Callable[[], _Program], plain: Callable[..., Any], memory: Memory, as_it_is: Plan, again: bool
    ) -> tuple[Callable[..., Any], Plan]:
        """A step that keeps the cap by its checkpoints: where barriers hold it may compute less again and keep it still."""
        try:
            one = program()
            if one.computes_again(memory.operations):
                found, plan = self._fit(one, as_it_is.cap_bytes, memory, again)
                if plan.operations < memory.operations:
                    return found, plan
        except Exception as error:  # It runs as it is, within the cap.
            as_it_is.notes.append(f"its checkpoints are as they were: {first_line(error)}")
        return plain, as_it_is

    def _fit(self, program: _Program, cap: int, unplanned: Memory, again: bool) -> tuple[Callable[..., Any], Plan]:
        """Plans and compiles until the measured memory keeps the cap and is close to it, or nothing is gained."""
        fixed = unplanned.counted("step") - unplanned.temporary if self._counts == "step" else 0
        target = cap - fixed
        if target <= 0:
            raise NoPlan(
                f"the cap of {cap} bytes ({format_bytes(cap)}) is not above what arguments and results alone take, {fixed} bytes "
                f"({format_bytes(fixed)}): raise it, or donate what the step replaces (donate_argnums)", fixed
            )
        # What is known keeps the cap and is close to it, or was all that was found: nothing is to be found.
        before = KNOWN.best(program.key, target)
        near = before is not None and (again or before.takes + target * self._within >= target)
        with Clock(self._total) as clock:
            tried, refused = ([], None) if near else self._search(program, target, unplanned, clock)
        if clock.stopped:
            program.notes.append(f"the total_time_limit of {clock.limit:g} s ended the search: no further plan was begun")
        known = KNOWN.best(program.key, target)
        if known is None:
            # Of all calls for this program, not of this one alone: what was found once can be had.
            measured = KNOWN.least(program.key)
            if measured is None and refused is not None:
                raise refused
            if measured is None:
                raise NoPlan(f"no plan was made before the total_time_limit of {clock.limit:g} s was over: raise it")
            least = measured + fixed
            raise NoPlan(
                f"no plan found keeps the cap of {cap} bytes ({format_bytes(cap)}) as XLA measures it; the least that one takes is {least} "
                f"bytes ({format_bytes(least)}): raise the cap, or give more tries or a longer time_limit" + "".join(f"; {note}" for note in program.notes),
                least, found=True,
            )
        best = known.found
        call = next((call for one, call in tried if one is best), None)
        plan = best.plan(cap, self._counts, unplanned, program.unit, program.notes, proved=call is not None)
        plan.notes += KNOWN.answered(program.key, target, known.cost)
        if plan.peak_bytes > cap:
            raise NoPlan(
                f"the best plan takes {plan.peak_bytes} bytes ({format_bytes(plan.peak_bytes)}), over the cap of {cap} bytes ({format_bytes(cap)}): its arguments and "
                "results take more than those of the step as it is; raise the cap", plan.peak_bytes, found=True,
            )
        return program.load(best.program) if call is None else call, plan

    def _search(
        self, program: _Program, target: int, unplanned: Memory, clock: Clock
    ) -> tuple[list[tuple[Try, Callable[..., Any]]], NoPlan | None]:
        """Plans of all forms that are worth it, compiled, and the planner's last refusal."""
        tried: list[tuple[Try, Callable[..., Any]]] = []
        refused: NoPlan | None = None
        if unplanned.temporary > target:
            clock.says("writes loops anew")
            tried += program.with_loops(unplanned, clock)
        forms = iter(program.forms(target, unplanned))
        attempts: list[tuple[Try, Callable[..., Any]]] = []
        while not clock.over():
            form = next(forms, None)
            known = KNOWN.best(program.key, target)
            if form is None or known is not None and known.found.memory.operations <= known.found.form.enough * unplanned.operations:
                break
            # Where another form keeps the cap already, what that left of the tries, and one at least.
            tries = max(self._tries - len(attempts), 1) if known is not None and form.fusion == SPREAD else self._tries
            more, refused = self._attempts(program, form, target, clock, tries)
            attempts += more
        return tried + attempts, refused

    def _attempts(
        self, program: _Program, form: Form, target: int, clock: Clock, tries: int
    ) -> tuple[list[tuple[Try, Callable[..., Any]]], NoPlan | None]:
        """Plans that were compiled for an amount of temporaries, and the planner's last refusal. Where none of half as many as there may be keeps it, all others leave
        room for gaps of the heap, and take less than what they were asked for."""
        found, refused = self._row(program, form, target, clock, tries, gaps=False)
        # What is refused without such room is refused with it.
        if form.fusion == XLA_CPU and (found or refused is None) and all(one.memory.temporary > target for one, _ in found):
            more, later = self._row(program, form, target, clock, tries, gaps=True)
            found, refused = found + more, later or refused
        return found, refused

    def _row(
        self, program: _Program, form: Form, target: int, clock: Clock, tries: int, *, gaps: bool
    ) -> tuple[list[tuple[Try, Callable[..., Any]]], NoPlan | None]:
        """Plans of one kind, each asked for by what the ones before took."""
        found: list[tuple[Try, Callable[..., Any]]] = []
        # What the planner predicts may be more or less than what is measured: it is asked for as much more or less.
        first = max(int(target * form.predicted / max(form.measured, 1)), 1)
        floor = 0
        refused: NoPlan | None = None
        for _ in range(tries):
            tried = [one for one, _ in found]
            if form.fusion == XLA_CPU and not gaps and len(tried) >= tries // 2 and all(one.memory.temporary > target for one in tried):
                break
            asked = next_cap([one.taken for one in tried], target, self._within) if tried else first
            if asked is not None and asked <= floor:
                above = min([form.predicted, *(one.taken.least for one in tried if one.memory.temporary > target)])
                asked = (floor + above) // 2 if above - floor > target * self._within else None
            if asked is None or clock.over():
                break
            clock.says(f"plans and compiles for {format_bytes(asked)} of temporaries, {len(found)} plans so far")
            try:
                found.append(program.attempt(form, asked, clock.at_most(self._time_limit), self._seed, gaps=gaps))
            except NoPlan as error:
                floor, refused = max(floor, asked), error
                continue
            one = found[-1][0]
            KNOWN.add(program.key, Candidate(program.cost(one), one.memory.temporary, one))
        return found, refused


#: From how many times the operations of the step without a plan on the program is planned op by op, too.
_DEAR = 1.1
#: Loops inside one another whose bodies are looked at, at most.
_DEPTH = 8


#: Plans compiled and measured before, by program.
KNOWN: Known[Try] = Known()
#: Programs whose loops were written anew, and what there was to say of that.
_ROLLED: dict[str, list[str]] = {}


class _Program:
    """An exported step, and its planned forms."""

    def __init__(self, step: Callable[..., Any], plain: Any, lowered: Any, call: Call, times: str) -> None:
        self._step, self._lowered, self._call, self._times = step, lowered, call, times
        self.notes: list[str] = []
        exported = jax.export.export(plain)(*call.dynamic, **call.named)
        if exported.nr_devices > 1:
            raise BallastError(
                f"it runs on {exported.nr_devices} devices, and plans are for one: use ballast.checkpoint_policy, which works under sharding"
            )
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(exported.mlir_module())
            self._text = generic(module)
            # Without locations: these name the lines that call, and a call from another line is for the same program.
            bare = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=False)
        self._signature = Signature(exported, [leaf.donated for leaf in jax.tree.leaves(lowered.args_info)])
        self.key = key_of("jax", self._signature.key, times, bare)
        # With its functions inlined and nothing else done to it.
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            text, figures = planned(self._text, KEEP_ALL, times, fusion())
            self._ops = count(ir.Module.parse(text))
        #: Temporaries that the planner predicts without a plan.
        self._predicted = int(figures["peak_bytes"])

    def with_loops(self, unplanned: Memory, clock: Clock) -> list[tuple[Try, Callable[..., Any]]]:
        """The step with loops that compute again what they would keep, compiled and measured; loops stay loops. Once for a program, unless time is up before all are."""
        if self.key in _ROLLED or "stablehlo.while" not in self._text:
            self.notes += _ROLLED.get(self.key, [])
            return []
        found = []
        _, figures = planned(self._text, f"loops=whole {KEEP_ALL}", self._times, fusion(), rewrite=False)
        for again, run in self._rolled():
            if clock.over():
                break
            try:
                found.append(self._with_loops(again, run, unplanned, float(figures["compute_seconds"])))
            except Exception as error:
                self.notes.append(f"its loops could not be written anew to compute again {again}: {first_line(error)}")
        while len(_ROLLED) >= PROBLEMS:
            del _ROLLED[next(iter(_ROLLED))]
        if not clock.stopped:
            _ROLLED[self.key] = list(self.notes)
        for one, _ in found:
            KNOWN.add(self.key, Candidate(self.cost(one), one.memory.temporary, one))
        return found

    def _rolled(self) -> list[tuple[str, Callable[..., Any]]]:
        try:
            return rolled(self._step, self._call.dynamic, self._call.named, self._signature)
        except Exception as error:  # A jaxpr may hold what cannot be written anew: then other forms have to do.
            self.notes.append(f"its loops could not be written anew: {first_line(error)}")
            return []

    def _with_loops(self, again: str, run: Callable[..., Any], unplanned: Memory, base: float) -> tuple[Try, Any]:
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(jax.export.export(jax.jit(run))(*self._signature.shapes).mlir_module())
            text, ops = generic(module), count(module)
        _, figures = planned(text, f"loops=whole {KEEP_ALL}", self._times, fusion(), rewrite=False)
        # Not by way of its export, whose ops XLA orders otherwise: a few per cent of a small step's memory.
        compiled = self.load(run)
        memory, predicted = Memory.of(compiled), int(figures["peak_bytes"])
        form = Form(text, "", 0, predicted, unplanned.temporary, self._ops, fusion(), again=again, unplanned_seconds=base)
        return Try(predicted, predicted, memory, figures, run, form, ops), compiled

    def forms(self, target: int, unplanned: Memory) -> Iterator[Form]:
        """What to plan, in the order to try: the body of a loop that holds most of the memory, the program with its loops opened, the same without the checkpoints
        in it, that with gradients of pooling written out. Of a step that fits the one without checkpoints alone: there is nothing else to gain. Where none of them keeps the
        cap, or all that do are dear, the program with every op on its own: a fusion runs with all it reads in memory, and what it is one of cannot be dropped alone."""
        if unplanned.temporary <= target:
            yield self._without_checkpoints[0]
            return
        if "stablehlo.while" in self._text:
            body = self._body(target)
            if body is not None:
                yield body
        yield Form(self._text, "", 0, self._predicted, unplanned.temporary, self._ops, fusion())
        if BARRIER in self._text:
            yield self._without_checkpoints[0]
        written = gradients_written_out(self._text)
        if written is not None:
            yield self._kept_whole(written, fusion())[0]
        known = KNOWN.best(self.key, target)
        # Seconds of ops that are not fused are no seconds of the device: they would not be beside those of the other forms.
        if known is None or (self._times == OPERATIONS and known.found.memory.operations > _DEAR * unplanned.operations):
            yield self._kept_whole(written or self._text, SPREAD)[0]

    def computes_again(self, operations: float) -> bool:
        """Has a step of so many operations more than it would without the checkpoints in it? Not where barriers do not hold, or hold nothing back."""
        return self._without_checkpoints[1] < operations

    @functools.cached_property
    def _without_checkpoints(self) -> tuple[Form, float]:
        """What its author computes again computed once, and the operations of that: a cap above what the checkpoints in it take may need less of it."""
        return self._kept_whole(without_barriers(self._text), fusion())

    def _kept_whole(self, text: str, fusions: str) -> tuple[Form, float]:
        """Another form of the program, and its operations where nothing is computed again."""
        once, figures = planned(text, KEEP_ALL, self._times, fusions)
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(once)
            serialized = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
            ops = count(module)
        memory = Memory.of(self.load(serialized))
        return Form(text, "", 0, int(figures["peak_bytes"]), memory.temporary, ops, fusions), memory.operations

    def _body(self, target: int) -> Form | None:
        """The innermost body that holds at least half of what XLA takes, and enough for the cap to be kept by what is planned in it alone."""
        found = None
        for depth in range(_DEPTH):
            text = body_of_loop(self._text, depth)
            if text is None:
                break
            _, figures = planned(text, f"function={BODY} loops=whole {KEEP_ALL}", self._times, fusion(), rewrite=False)
            own = int(figures["peak_bytes"])
            with jax_mlir.make_ir_context(), ir.Location.unknown():
                module = ir.Module.parse(text)
                ops = count(module)
                serialized = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
            measured = Memory.of(self.load(serialized)).temporary
            around = max(measured - own, 0)
            if around < target and 2 * around <= measured:
                found = Form(text, BODY, around, own + around, measured, ops, fusion())
        return found

    @property
    def unit(self) -> str:
        """What times of plans are."""
        return unit(self._times)

    def cost(self, one: Try) -> float:
        """What plans are compared by."""
        return one.memory.operations if self._times == OPERATIONS else float(one.figures["report"]["value"])

    def load(self, program: bytes | Callable[..., Any]) -> Any:
        """The compiled form of a planned program."""
        call = jax.jit(self._signature.function(program), **self._call.donation, compiler_options=compiler_options())
        lowered = call.lower(*self._call.dynamic, **self._call.named)
        commit_as(lowered, self._lowered)
        return lowered.compile()

    def attempt(self, form: Form, asked: int, time_limit: float, seed: int, *, gaps: bool) -> tuple[Try, Any]:
        """Plans for so many bytes of temporaries, loads and compiles the outcome."""
        cap = max(asked - form.around, 1)
        options = f"function='{form.function}' relax-limit=8 time-limit={time_limit} seed={seed} cap={cap}"
        text, figures = planned(form.text, options, self._times, form.fusion, gaps=gaps)
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            ops = count(module)
            serialized = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
        compiled = self.load(serialized)
        return Try(asked, int(figures["peak_bytes"]) + form.around, Memory.of(compiled), figures, serialized, form, ops), compiled


def _unplanned_plan(memory: Memory, counts: str, cap: int) -> Plan:
    return Plan(
        framework="jax", cap_bytes=cap, cap_counts=counts, peak_bytes=memory.counted(counts), unplanned_bytes=memory.counted(counts),
        resident_bytes=memory.arguments + memory.results - memory.shared, saved_bytes=memory.temporary, seconds=0.0, unplanned_seconds=0.0,
        bound=0.0, method="keep-all", stop_reason="the step fits without a plan", measured_bytes=memory.counted(counts), operations=memory.operations,
    )
