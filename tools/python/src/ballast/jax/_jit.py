"""`jit` under a cap: the step is exported, planned by `ballast-opt`, loaded again by public calls, and measured (`_program.py`).

What XLA takes for a program is known once it has compiled it, so plans are made and compiled until one keeps the cap and uses
what it allows (`_search.py`), as `ballast fit` does.
"""

from __future__ import annotations

import functools
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import jax

from .. import _options
from .._errors import BallastError, NoPlan, ProgramNotFound, first_line
from .._plan import Plan
from .._units import format_bytes, parse_cap
from ._arguments import Arguments, Call, Names, Places
from ._planned import BARRIER, check_times, usual_times
from ._program import Program
from ._search import Search
from ._traced import Traced, caller, is_traced, refuse_traced, without_gradient
from ._tries import Memory

#: Steps are planned one at a time, whatever threads call them: they share what is known of programs, and the cores.
_SEARCH = threading.RLock()


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
        total_time_limit: Seconds after which no further plan is begun, compilation included, nor one searched for, nor before that where compiling the last one took longer
            than what is left; None: as many as the tries take.
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
        self._times, self._fallback = times, fallback
        self._search = Search(cap_counts, time_limit, tries, within, seed, total_time_limit)
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
        return without_gradient(call.step(self._step), call.dynamic, call.named, self._warning(str(Traced())))

    def prepare(self, *args: Any, **kwargs: Any) -> Plan | None:
        """Plans and compiles for arguments like these, `jax.ShapeDtypeStruct` allowed, without running. None: it runs without a plan."""
        try:
            return self._ready(self._arguments.of(args, kwargs))[1]
        except Traced as error:
            self._warning(str(error))()
            return None

    def _warning(self, why: str, takes: str = "") -> Callable[[], None]:
        """Says, once it is called, that the step runs without a plan.

        Raises:
            BallastError: at once, as it is not to.
        """
        text, place = f"this step cannot be planned: {why}", caller()
        if not self._fallback:
            raise BallastError(text)
        return lambda: warnings.warn_explicit(f"Ballast: {text}. It runs WITHOUT a plan{takes}", UnplannedWarning, **place)

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
        """The step as it is where that keeps the cap, and otherwise under a plan."""
        step = call.step(self._step)
        refuse_traced(step, call.dynamic, call.named)
        plain = jax.jit(step, **call.donation)
        lowered = plain.lower(*call.dynamic, **call.named)
        memory = Memory.of(lowered.compile())
        takes = memory.counted(self._counts)
        cap = parse_cap(self._cap, takes)

        def program() -> Program:
            return Program(step, plain, lowered, call, usual_times() if self._times is None else self._times)

        if takes <= cap:
            plan = _unplanned_plan(memory, self._counts, cap)
            return self._with_fewer_operations(program, plain, memory, plan, again) if BARRIER in lowered.as_text() else (plain, plan)
        try:
            return self._search.fit(program(), cap, memory, again)
        except (NoPlan, ProgramNotFound):
            raise
        except Exception as error:
            # What neither this package nor a step's author raises on purpose is known by its kind.
            kind = "" if isinstance(error, BallastError) else f"{type(error).__name__}: "
            self._warning(f"{kind}{first_line(error)}", f" and takes {format_bytes(takes)}, over the cap of {format_bytes(cap)}")()
            return plain, None

    def _with_fewer_operations(
        self, program: Callable[[], Program], plain: Callable[..., Any], memory: Memory, as_it_is: Plan, again: bool
    ) -> tuple[Callable[..., Any], Plan]:
        """A step that keeps the cap by its checkpoints: where barriers hold it may compute less again and keep it still."""
        try:
            one = program()
            if one.checkpoints_cost(memory.operations):
                found, plan = self._search.fit(one, as_it_is.cap_bytes, memory, again)
                if plan.operations < memory.operations:
                    return found, plan
        except Exception as error:  # It runs as it is, within the cap.
            as_it_is.notes.append(f"its checkpoints are as they were: {first_line(error)}")
        return plain, as_it_is


def _unplanned_plan(memory: Memory, counts: str, cap: int) -> Plan:
    return Plan(
        framework="jax", cap_bytes=cap, cap_counts=counts, peak_bytes=memory.counted(counts), unplanned_bytes=memory.counted(counts),
        resident_bytes=memory.arguments + memory.results - memory.shared, saved_bytes=memory.temporary, seconds=0.0, unplanned_seconds=0.0,
        bound=0.0, method="keep-all", stop_reason="the step fits without a plan", measured_bytes=memory.counted(counts), operations=memory.operations,
    )
