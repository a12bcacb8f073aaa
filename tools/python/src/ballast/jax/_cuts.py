"""A model's equations in a row, and where they may be cut into stages: before any equation, with all that is used later handed on."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Literal, Var, jaxpr_as_fun

from .._errors import BallastError, UnsupportedModel
from .._stages import cut
from ._classes import bytes_of
from ._planned import KEEP_ALL, generic, planned

#: What the planner says of a program in which nothing takes time.
NOTHING_TO_PLAN = "the function has no op to plan"

#: Most places that are looked at; more are thinned evenly.
PLACES = 128
#: JAX's names of an equation that is a call of a compiled function.
_CALLS = ("jit", "pjit")


@dataclasses.dataclass(frozen=True)
class Part:
    """The equations of one stage, as a function of its constants, its parameters and what it receives."""

    function: Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], list[Any]]
    #: Arrays that the model closes over, and their types.
    constants: list[Any]
    constant_shapes: list[jax.ShapeDtypeStruct]
    #: Which of the model's parameters it reads, in their order.
    parameters: list[int]
    received: list[jax.ShapeDtypeStruct]
    sent: list[jax.ShapeDtypeStruct]
    #: Its equations, whatever its values are called in the model.
    text: str


class Cuts:
    """The forward pass of a model, traced."""

    def __init__(self, model: Callable[..., Any], parameters: Any, inputs: tuple[Any, ...], times: str) -> None:
        traced, shape = jax.make_jaxpr(model, return_shape=True)(parameters, *inputs)
        self._program = _opened(traced)
        self._times, self._seconds_of = times, {}
        #: The structure of the model's results.
        self.results = jax.tree.structure(shape)
        jaxpr = self._program.jaxpr
        self._count = len(jax.tree.leaves(parameters))
        self._given = set(jaxpr.invars[: self._count])
        self._equations = jaxpr.eqns
        end = len(self._equations)
        self._made: dict[Var, int] = dict.fromkeys(jaxpr.invars[self._count :], -1)
        self._last: dict[Var, int] = {}
        for at, equation in enumerate(self._equations):
            self._last.update((read, at) for read in equation.invars if isinstance(read, Var))
            self._made.update((made, at) for made in equation.outvars)
        self._last.update((result, end) for result in jaxpr.outvars if isinstance(result, Var))

    def find(self, devices: int, cap: int, held: float, bandwidth: float) -> list[int]:
        """The equations that the second and further stages begin with, none between two uses of one parameter.

        Args:
            devices, cap, bandwidth: As for `cut`.
            held: Bytes held per byte of a parameter.

        Raises:
            UnsupportedModel: there are fewer places than stages.
        """
        crossing, shared = self._crossing(), self._shared()
        closed = list(shared.values())
        if shared:
            # Nor where a stage would be left without any: the way around a tied model's first or last product is no pipeline.
            reads = [at for at, equation in enumerate(self._equations) if any(isinstance(one, Var) and one in self._given for one in equation.invars)]
            closed += [(0, reads[0]), (reads[-1], len(self._equations))]
        places = _places(crossing, closed)
        if len(places) + 1 < devices:
            raise UnsupportedModel(self._too_few(len(places) + 1, len(_places(crossing, [])) + 1, devices, shared))
        starts = [0, *places]
        parts = [self.part(start, stop) for start, stop in zip(starts, [*places, len(self._equations)], strict=True)]
        seconds = [self._seconds(part) for part in parts]
        cuts = cut(seconds, self._sizes(parts, held), [crossing[at - 1] for at in places], devices=devices, cap=cap, bandwidth=bandwidth)
        return [starts[piece] for piece in cuts]

    def _too_few(self, count: int, pieces: int, devices: int, shared: dict[int, tuple[int, int]]) -> str:
        if pieces < devices:
            return f"the model has {pieces} pieces in a row, too few for {devices} stages: what is under one scan, checkpoint or custom rule stays in one piece"
        widest = max(shared, key=lambda at: shared[at][1] - shared[at][0])
        return (
            f"without a cut between two uses of one parameter, of which each stage would train a copy, the model has {count} pieces in a row, too few for "
            f"{devices} stages: untie parameter {widest} of the flattened parameters, whose uses are the furthest apart"
        )

    def _shared(self) -> dict[int, tuple[int, int]]:
        """Parameters that several equations read, and the first and the last of these.

        What is made of one alone and is as large, such as its transpose, is read in its place.
        """
        jaxpr = self._program.jaxpr
        stands_for = {one: at for at, one in enumerate(jaxpr.invars[: self._count])}
        uses: dict[int, list[int]] = {at: [] for at in range(self._count)}
        direct = dict.fromkeys(range(self._count), 0)
        for at, equation in enumerate(self._equations):
            read = {one for one in equation.invars if isinstance(one, Var)}
            for one in read & stands_for.keys():
                uses[stands_for[one]].append(at)
                direct[stands_for[one]] += one in self._given
            if len(read) == 1 and len(equation.outvars) == 1:
                (one,) = read
                if one in stands_for and getattr(equation.outvars[0].aval, "size", 0) == one.aval.size:
                    stands_for[equation.outvars[0]] = stands_for[one]
        for one in {one for one in jaxpr.outvars if isinstance(one, Var)} & stands_for.keys():
            uses[stands_for[one]].append(len(self._equations))
            direct[stands_for[one]] += one in self._given
        return {at: (uses[at][0], uses[at][-1]) for at, count in direct.items() if count > 1}

    def _sizes(self, parts: Sequence[Part], held: float) -> list[float]:
        """Bytes that stages hold for pieces from step to step, in the first that needs them."""
        sizes = [held * sum(bytes_of(self._program.jaxpr.invars[at].aval) for at in part.parameters) for part in parts]
        seen: set[int] = set()
        for piece, part in enumerate(parts):
            for value, shape in zip(part.constants, part.constant_shapes, strict=True):
                sizes[piece] += bytes_of(shape) if id(value) not in seen else 0
                seen.add(id(value))
        return sizes

    def named(self, name: str) -> int:
        """The equation after the value that `jax.ad_checkpoint.checkpoint_name` calls so.

        Raises:
            UnsupportedModel: there is none.
        """
        for at, equation in enumerate(self._equations[:-1]):
            if equation.primitive.name == "name" and equation.params["name"] == name:
                return at + 1
        raise UnsupportedModel(f"no value outside of loops and inner functions is called {name!r} by jax.ad_checkpoint.checkpoint_name: a stage cannot begin after it")

    def begins(self, at: int) -> str:
        """What an equation is called."""
        before, equation = self._equations[at - 1], self._equations[at]
        if before.primitive.name == "name":
            return str(before.params["name"])
        scope = str(equation.source_info.name_stack)
        return f"equation {at}, {equation.primitive.name}{' in ' + scope if scope else ''}"

    def parts(self, points: Sequence[int]) -> list[Part]:
        """The stages that begin at these equations, the first at the model's beginning.

        Raises:
            UnsupportedModel: two stages share a parameter.
        """
        found = [self.part(start, stop) for start, stop in zip([0, *points], [*points, len(self._equations)], strict=True)]
        owner: dict[int, int] = {}
        for stage, part in enumerate(found):
            for at in part.parameters:
                if owner.setdefault(at, stage) != stage:
                    raise UnsupportedModel(
                        f"parameter {at} of the flattened parameters is used by stages {owner[at]} and {stage}, and each would train a copy: untie it, or give "
                        "split_points that keep its uses together"
                    )
        # What nobody reads is held, with gradients of zero, by the first.
        found[0].parameters.extend(at for at in range(self._count) if at not in owner)
        return found

    def part(self, start: int, stop: int) -> Part:
        """The equations from `start` to before `stop`."""
        jaxpr = self._program.jaxpr
        end = stop == len(self._equations)
        equations = self._equations[start:stop]
        # Inputs that the model does not use are given to it, too.
        received = self._live(start) if start else list(jaxpr.invars[self._count :])
        sent = list(jaxpr.outvars) if end else self._live(stop)
        read = {one for equation in equations for one in equation.invars if isinstance(one, Var)} | {one for one in sent if isinstance(one, Var)}
        parameters = [at for at, one in enumerate(jaxpr.invars[: self._count]) if one in read]
        # Constants are arguments: compiled into the passes, each would hold a copy of its own.
        held = [(one, value) for one, value in zip(jaxpr.constvars, self._program.consts, strict=True) if one in read]
        piece = ClosedJaxpr(
            jaxpr.replace(
                constvars=[], invars=[*(one for one, _ in held), *(jaxpr.invars[at] for at in parameters), *received], outvars=sent, eqns=equations,
                debug_info=jaxpr.debug_info.with_unknown_names(),
            ),
            [],
        )
        run = jaxpr_as_fun(piece)
        count = len(parameters)

        def function(constants: Sequence[Any], given: Sequence[Any], values: Sequence[Any]) -> list[Any]:
            results = run(*constants, *given[:count], *values)
            # A result of the model may be a number of Python.
            return [value if isinstance(value, jax.Array) else jnp.asarray(value, one.aval.dtype) for value, one in zip(results, sent, strict=True)]

        return Part(
            function, [value for _, value in held], [_shape(one.aval) for one, _ in held], parameters,
            [_shape(one.aval) for one in received], [_shape(one.aval) for one in sent], str(piece.jaxpr),
        )

    def seconds(self, function: Callable[..., Any], *args: Any) -> float:
        """Seconds of a function by roofline, as the planner has them."""
        traced = jax.jit(function).trace(*args)
        key = str(traced.jaxpr)
        if key not in self._seconds_of:
            module = traced.lower(lowering_platforms=("cpu",)).compiler_ir("stablehlo")
            try:
                self._seconds_of[key] = float(planned(generic(module), KEEP_ALL, self._times, "xla", rewrite=False)[1]["compute_seconds"])
            except BallastError as error:
                # Views and constants take no time, and there is nothing to plan.
                if NOTHING_TO_PLAN not in str(error):
                    raise
                self._seconds_of[key] = 0.0
        return self._seconds_of[key]

    def _seconds(self, part: Part) -> float:
        given = [_shape(self._program.jaxpr.invars[at].aval) for at in part.parameters]
        return self.seconds(part.function, part.constant_shapes, given, part.received)

    def _crossing(self) -> list[int]:
        """Bytes handed on before every equation but the first."""
        change = [0] * (len(self._equations) + 2)
        for one, made in self._made.items():
            last = self._last.get(one, -1)
            if last > made:
                change[made + 1] += bytes_of(one.aval)
                change[last + 1] -= bytes_of(one.aval)
        return list(itertools.accumulate(change))[1 : len(self._equations)]

    def _live(self, at: int) -> list[Var]:
        """What is handed on before an equation: made before it, and used by it or later."""
        return [one for one, made in self._made.items() if made < at <= self._last.get(one, -1)]


def _places(crossing: Sequence[float], closed: Iterable[tuple[int, int]]) -> list[int]:
    """Equations before which little is handed on: nowhere beside is less. None within what is closed, from after its first equation to its last."""
    sizes = [inf, *crossing, inf]
    for first, last in closed:
        sizes[first + 1 : last + 1] = [inf] * len(sizes[first + 1 : last + 1])
    found = [at for at in range(1, len(sizes) - 1) if sizes[at] < inf and sizes[at] <= min(sizes[at - 1], sizes[at + 1])]
    return found if len(found) <= PLACES else [found[at * len(found) // PLACES] for at in range(PLACES)]


def _opened(program: ClosedJaxpr) -> ClosedJaxpr:
    """The equations of a model that is compiled as a whole, such as by `jax.jit`."""
    while len(program.jaxpr.eqns) == 1 and program.jaxpr.eqns[0].primitive.name in _CALLS:
        outer, (equation,) = program, program.jaxpr.eqns

        def run(*values: Any, outer: ClosedJaxpr = outer, equation: Any = equation) -> list[Any]:
            known = dict(zip([*outer.jaxpr.constvars, *outer.jaxpr.invars], [*outer.consts, *values], strict=True))

            def read(one: Any) -> Any:
                return one.val if isinstance(one, Literal) else known[one]

            made = jaxpr_as_fun(equation.params["jaxpr"])(*map(read, equation.invars))
            known.update(zip(equation.outvars, made, strict=True))
            return list(map(read, outer.jaxpr.outvars))

        program = jax.make_jaxpr(run)(*(_shape(kind) for kind in program.in_avals))
    return program


def _shape(kind: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(kind.shape, kind.dtype)
