"""A step as an exported program: the forms of it that can be planned, and one plan of a form, made, loaded again by public calls, compiled and measured."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.export
from jax.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from .._clock import Clock
from .._errors import BallastError, first_line
from .._known import PROBLEMS, Candidate, Known, key_of
from ._arguments import Call
from ._counts import Counts, count
from ._loops import rolled
from ._planned import BARRIER, BODY, KEEP_ALL, OPERATIONS, SPREAD, body_of_loop, fusion, generic, gradients_written_out, planned, unit, without_barriers
from ._signature import Signature, commit_as
from ._tries import Form, Memory, Try

#: From how many times the operations of the step without a plan on the program is planned op by op, too.
_DEAR = 1.1
#: Loops inside one another whose bodies are looked at, at most.
_DEPTH = 8

#: Plans compiled and measured before, by program.
KNOWN: Known[Try] = Known()
#: Programs whose loops were written anew, and what there was to say of that.
_LOOPS_ANEW: dict[str, list[str]] = {}


def compiler_options() -> dict[str, Any]:
    """Options for `jax.jit` on the platform at hand, without which barriers that hold recomputed ops back would not last.

    XLA's CPU compiler drops them before it schedules unless it is told not to. That for GPUs drops them after, and has to: it has no code for one.
    """
    return {"xla_disable_hlo_passes": "cse_barrier_expander"} if jax.default_backend() == "cpu" else {}


class Program:
    """An exported step, and its planned forms."""

    def __init__(self, step: Callable[..., Any], plain: Any, lowered: Any, call: Call, times: str) -> None:
        self._step, self._lowered, self._call, self._times = step, lowered, call, times
        self.notes: list[str] = []
        #: What compiling the last planned program took.
        self.compile_seconds = 0.0
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
        text, figures = planned(self._text, KEEP_ALL, times, fusion())
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            self._ops = count(ir.Module.parse(text))
        #: Temporaries that the planner predicts without a plan.
        self._predicted = int(figures["peak_bytes"])

    def attempt(self, form: Form, asked: int, time_limit: float, seed: int, *, gaps: bool) -> tuple[Try, Any]:
        """Plans for so many bytes of temporaries, loads and compiles the outcome."""
        cap = max(asked - form.around, 1)
        options = f"function='{form.function}' relax-limit=8 time-limit={time_limit} seed={seed} cap={cap}"
        text, figures = planned(form.text, options, self._times, form.fusion, gaps=gaps)
        ops, serialized = _read(text)
        compiled = self.load(serialized)
        return Try(asked, int(figures["peak_bytes"]) + form.around, Memory.of(compiled), figures, serialized, form, ops), compiled

    def load(self, program: bytes | Callable[..., Any]) -> Any:
        """The compiled form of a planned program."""
        call = jax.jit(self._signature.function(program), **self._call.donation, compiler_options=compiler_options())
        lowered = call.lower(*self._call.dynamic, **self._call.named)
        commit_as(lowered, self._lowered)
        begun = time.monotonic()
        compiled = lowered.compile()
        self.compile_seconds = time.monotonic() - begun
        return compiled

    @property
    def unit(self) -> str:
        """What times of plans are."""
        return unit(self._times)

    def cost(self, one: Try) -> float:
        """What plans are compared by."""
        return one.memory.operations if self._times == OPERATIONS else float(one.figures["report"]["value"])

    def forms(self, target: int, unplanned: Memory) -> Iterator[Form]:
        """What to plan, in the order to try: the body of a loop that holds most of the memory, the program with its loops opened, the same without the checkpoints
        in it, that with gradients of pooling written out. Of a step that fits the one without checkpoints alone: there is nothing else to gain. Where none of them keeps the
        cap, or all that do are dear, the program with every op on its own: a fusion runs with all it reads in memory, and what it is one of cannot be dropped alone."""
        if unplanned.temporary <= target:
            yield self._checkpoints_dropped[0]
            return
        if "stablehlo.while" in self._text:
            body = self._body(target)
            if body is not None:
                yield body
        yield Form(self._text, "", 0, self._predicted, unplanned.temporary, self._ops, fusion())
        if BARRIER in self._text:
            yield self._checkpoints_dropped[0]
        written = gradients_written_out(self._text)
        if written is not None:
            yield self._unplanned_form(written, fusion())[0]
        known = KNOWN.best(self.key, target)
        # Seconds of ops that are not fused are no seconds of the device: they would not be beside those of the other forms.
        if known is None or (self._times == OPERATIONS and known.found.memory.operations > _DEAR * unplanned.operations):
            yield self._unplanned_form(written or self._text, SPREAD)[0]

    def checkpoints_cost(self, operations: float) -> bool:
        """Has a step of so many operations more than it would without the checkpoints in it? Not where barriers do not hold, or hold nothing back."""
        return self._checkpoints_dropped[1] < operations

    @functools.cached_property
    def _checkpoints_dropped(self) -> tuple[Form, float]:
        """What its author computes again computed once, and the operations of that: a cap above what the checkpoints in it take may need less of it."""
        return self._unplanned_form(without_barriers(self._text), fusion())

    def _unplanned_form(self, text: str, fusions: str) -> tuple[Form, float]:
        """Another form of the program, and its operations where nothing is computed again."""
        once, figures = planned(text, KEEP_ALL, self._times, fusions)
        ops, serialized = _read(once)
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
            ops, serialized = _read(text)
            measured = Memory.of(self.load(serialized)).temporary
            around = max(measured - own, 0)
            if around < target and 2 * around <= measured:
                found = Form(text, BODY, around, own + around, measured, ops, fusion())
        return found

    def loops_anew(self, unplanned: Memory, clock: Clock) -> list[tuple[Try, Callable[..., Any]]]:
        """The step with loops that compute again what they would keep, compiled and measured; loops stay loops. Once for a program, unless time is up before all are."""
        if self.key in _LOOPS_ANEW or "stablehlo.while" not in self._text:
            self.notes += _LOOPS_ANEW.get(self.key, [])
            return []
        found = []
        _, figures = planned(self._text, f"loops=whole {KEEP_ALL}", self._times, fusion(), rewrite=False)
        for again, run in self._loops_by_what_runs_again():
            if clock.over(self.compile_seconds):
                break
            try:
                found.append(self._loop_anew(again, run, unplanned, float(figures["compute_seconds"])))
            except Exception as error:
                self.notes.append(f"its loops could not be written anew to compute again {again}: {first_line(error)}")
        while len(_LOOPS_ANEW) >= PROBLEMS:
            del _LOOPS_ANEW[next(iter(_LOOPS_ANEW))]
        if not clock.stopped:
            _LOOPS_ANEW[self.key] = list(self.notes)
        for one, _ in found:
            KNOWN.add(self.key, Candidate(self.cost(one), one.memory.temporary, one))
        return found

    def _loops_by_what_runs_again(self) -> list[tuple[str, Callable[..., Any]]]:
        try:
            return rolled(self._step, self._call.dynamic, self._call.named, self._signature)
        except Exception as error:  # A jaxpr may hold what cannot be written anew: then other forms have to do.
            self.notes.append(f"its loops could not be written anew: {first_line(error)}")
            return []

    def _loop_anew(self, again: str, run: Callable[..., Any], unplanned: Memory, base: float) -> tuple[Try, Any]:
        with jax_mlir.make_ir_context(), ir.Location.unknown():
            module = ir.Module.parse(jax.export.export(jax.jit(run))(*self._signature.shapes).mlir_module())
            text, ops = generic(module), count(module)
        _, figures = planned(text, f"loops=whole {KEEP_ALL}", self._times, fusion(), rewrite=False)
        # Not by way of its export, whose ops XLA orders otherwise: a few per cent of a small step's memory.
        compiled = self.load(run)
        memory, predicted = Memory.of(compiled), int(figures["peak_bytes"])
        form = Form(text, "", 0, predicted, unplanned.temporary, self._ops, fusion(), again=again, unplanned_seconds=base)
        return Try(predicted, predicted, memory, figures, run, form, ops), compiled


def _read(text: str) -> tuple[Counts, bytes]:
    """The ops of a program, and the program as JAX loads it."""
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        return count(module), stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
