"""A step whose loops compute again, in the loop of the gradient, what they would keep for it: as a checkpoint around their bodies does.

`jax.lax.scan` under a gradient is two loops: one that runs the function and stacks what the other one needs. A stack that only loops of the same
length read, step by step, can be dropped where its slices follow from what is there in that step: the loop's inputs, what it hands on,
constants, and other stacks. The step is written so by evaluating its own jaxpr; loops stay loops.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.extend.core import Jaxpr, JaxprEqn, Literal, Var

from ._jaxprs import programs_in
from ._signature import Signature

_PRODUCTS = frozenset({"dot_general", "conv_general_dilated", "ragged_dot", "scan", "while"})
_RANDOM = frozenset({"random_bits", "random_split", "random_fold_in", "threefry2x32", "rng_bit_generator"})
#: What may be computed again, and the primitives whose results may not.
MODES = {"all but products and random numbers": _PRODUCTS | _RANDOM, "all but random numbers": _RANDOM, "all": frozenset[str]()}
_INLINED = ("jit", "pjit", "closed_call")
_Env = dict[Any, Any]


def rolled(step: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], signature: Signature) -> list[tuple[str, Callable[..., Any]]]:
    """The step with fewer stacks, once for each mode in which any is dropped: from the leaves that it reads to those of its results. What any other step with
    the same program calls its arguments and results is not in it."""
    closed = jax.make_jaxpr(step)(*args, **kwargs)

    def inlined(*read: Any) -> list[Any]:
        return _evaluate(closed.jaxpr, dict(zip(closed.jaxpr.constvars, closed.consts, strict=True)), signature.all_leaves(read))

    # Pairs of loops may be in different functions of the step.
    flat = jax.make_jaxpr(inlined)(*signature.shapes)
    found: list[tuple[str, Callable[..., Any]]] = []
    known: list[set[Var]] = [set()]
    for mode, costly in MODES.items():
        plans = _plans(flat.jaxpr, costly)
        dropped = {outer for plan in plans.values() for outer in plan.dropped}
        if dropped in known:
            continue
        known.append(dropped)

        def run(*read: Any, _plans: dict[int, _Loop] = plans) -> list[Any]:
            return _evaluate(flat.jaxpr, dict(zip(flat.jaxpr.constvars, flat.consts, strict=True)), read, _plans)

        found.append((mode, run))
    return found


@dataclasses.dataclass
class _Loop:
    """A scan, and what becomes of its stacks."""

    equation: JaxprEqn
    #: By the stack outside: the variable of the body that is not kept.
    dropped: dict[Var, Var] = dataclasses.field(default_factory=dict)
    #: What is handed on and has to be stacked for others.
    handed: list[Var] = dataclasses.field(default_factory=list)
    #: Loops whose stacks are not there, of those that this one reads.
    sources: list[_Loop] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        parameters = self.equation.params
        self.body: Jaxpr = parameters["jaxpr"].jaxpr
        self.body_consts = dict(zip(self.body.constvars, parameters["jaxpr"].consts, strict=True))
        consts, carried = _counts(parameters)
        self.consts, self.carry, self.xs = (self.body.invars[:consts], self.body.invars[consts : consts + carried], self.body.invars[consts + carried :])
        self.outer_consts, self.outer_carry, self.outer_xs = (
            self.equation.invars[:consts], self.equation.invars[consts : consts + carried], self.equation.invars[consts + carried :],
        )
        #: Stacks, each inside and outside of the body.
        self.stacks = list(zip(self.body.outvars[carried:], self.equation.outvars[carried:], strict=True))
        self.makers = {var: one for one in self.body.eqns for var in one.outvars}

    def needs(self, wanted: Iterable[Any], there: set[Any], costly: frozenset[str]) -> set[Var] | None:
        """Inputs of the body from which these variables follow, given some that are there; None where that takes an op that is not to be repeated."""
        found: set[Var] = set()
        stack = [var for var in wanted if isinstance(var, Var)]
        seen: set[Var] = set()
        while stack:
            var = stack.pop()
            if var in seen or var in there:
                continue
            seen.add(var)
            maker = self.makers.get(var)
            if maker is None:
                found.add(var)
                continue
            if _has(maker, costly):
                return None
            stack += [source for source in maker.invars if isinstance(source, Var)]
        return found


def _counts(parameters: dict[str, Any]) -> tuple[int, int]:
    """How many constants a scan has, and how many values it hands on. From JAX 0.11 on a tree of its arguments says so."""
    if "num_consts" in parameters:
        return parameters["num_consts"], parameters["num_carry"]
    consts, carried, _ = parameters["ft_in"].unpack()
    return len(consts), len(carried)


def _plans(jaxpr: Jaxpr, costly: frozenset[str]) -> dict[int, _Loop]:
    """What becomes of the stacks of every loop, by the place of its equation."""
    loops = {at: _Loop(one) for at, one in enumerate(jaxpr.eqns) if one.primitive.name == "scan" and not one.effects}
    readers: dict[Any, list[tuple[int, bool]]] = collections.defaultdict(list)
    for at, one in enumerate(jaxpr.eqns):
        # What a loop slices comes last.
        first = len(one.invars) - len(loops[at].outer_xs) if at in loops else len(one.invars)
        for place, var in enumerate(one.invars):
            if isinstance(var, Var):
                readers[var].append((at, place >= first))
    for var in jaxpr.outvars:
        if isinstance(var, Var):
            readers[var].append((-1, False))
    for loop in loops.values():
        length = loop.equation.params["length"]

        def free(outer: Any, length: int = length) -> bool:
            return bool(readers[outer]) and all(sliced and loops[at].equation.params["length"] == length for at, sliced in readers[outer])

        _choose(loop, [pair for pair in loop.stacks if free(pair[1])], costly)
        for at in {at for outer in loop.dropped for at, _ in readers[outer]}:
            loops[at].sources.append(loop)
    return loops


def _choose(loop: _Loop, candidates: list[tuple[Any, Any]], costly: frozenset[str]) -> None:
    """Drops stacks, those that are made last first, while each follows from what is left."""
    order = {var: at for at, one in enumerate(loop.body.eqns) for var in one.outvars}
    carried = set(loop.carry)
    stacked = {inner for inner, _ in loop.stacks if isinstance(inner, Var)}
    kept = stacked - carried
    for inner, outer in sorted(candidates, key=lambda pair: -order.get(pair[0], -1)):
        # What is handed on is stacked already, and follows from nothing.
        if isinstance(inner, Var) and inner not in carried and loop.needs([inner], kept - {inner}, costly) is not None:
            loop.dropped[outer] = inner
            kept.discard(inner)
    needs = loop.needs(loop.dropped.values(), kept, frozenset())
    assert needs is not None
    loop.handed = [var for var in loop.carry if var in needs - stacked]
    if len(loop.handed) >= len(loop.dropped):
        # As much would be stacked as is dropped.
        loop.dropped, loop.handed = {}, []


def _has(equation: JaxprEqn, names: frozenset[str]) -> bool:
    """Is it one of these primitives, or holds one?"""
    if equation.primitive.name in names:
        return True
    return any(_has(one, names) for value in equation.params.values() for jaxpr in programs_in(value) for one in jaxpr.eqns)


def _evaluate(jaxpr: Jaxpr, env: _Env, given: Iterable[Any], loops: dict[int, _Loop] | None = None) -> list[Any]:
    """Runs a jaxpr, functions inlined and loops as planned."""
    env.update(zip(jaxpr.invars, given, strict=True))
    for at, equation in enumerate(jaxpr.eqns):
        loop = (loops or {}).get(at)
        if loop is not None and (loop.dropped or loop.sources):
            env.update(_scan(loop, env))
        else:
            _run(equation, env)
    return [_value(var, env) for var in jaxpr.outvars]


def _run(equation: JaxprEqn, env: _Env) -> None:
    given = [_value(var, env) for var in equation.invars]
    if equation.primitive.name in _INLINED:
        inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
        results = _evaluate(inner.jaxpr, dict(zip(inner.jaxpr.constvars, inner.consts, strict=True)), given)
    else:
        # How random bits are made, among others, is said by where the equation stood.
        with equation.ctx.manager:
            results = equation.primitive.bind(*given, **equation.primitive.get_bind_params(equation.params))
        results = results if equation.primitive.multiple_results else [results]
    env.update(zip(equation.outvars, results, strict=True))


def _value(var: Any, env: _Env) -> Any:
    return var.val if isinstance(var, Literal) else env[var]


def _demanded(loop: _Loop, wanted: Iterable[Any], env: _Env) -> None:
    """Runs of a body what these variables need and is not there."""
    needed = {var for var in wanted if isinstance(var, Var) and var not in env}
    chosen = []
    for equation in reversed(loop.body.eqns):
        if needed & set(equation.outvars):
            chosen.append(equation)
            needed |= {var for var in equation.invars if isinstance(var, Var) and var not in env}
    for equation in reversed(chosen):
        _run(equation, env)


class _Again:
    """What a loop computes again of another one whose stacks are not there, iteration by iteration."""

    def __init__(self, loop: _Loop, pairs: list[tuple[Var, Var]], env: _Env) -> None:
        self._loop = loop
        #: Inputs of the one's body, and the variables of the other one's body that they are.
        self.pairs = pairs
        self._consts = _constants(loop, env)
        held, absent = _slices(loop, [inner for _, inner in pairs], env)
        # What the other one read may itself be of a loop whose stacks are not there.
        self._variables, self._sources = list(held), _sources(loop, absent, env)
        #: What is sliced for it.
        self.stacks: tuple[Any, ...] = (list(held.values()), [one.stacks for one in self._sources])

    def run(self, slices: Any) -> _Env:
        """The inputs, from the slices of an iteration."""
        own, others = slices
        env: _Env = {**self._consts, **dict(zip(self._variables, own, strict=True))}
        for source, given in zip(self._sources, others, strict=True):
            env.update(source.run(given))
        _demanded(self._loop, [inner for _, inner in self.pairs], env)
        return {var: _value(inner, env) for var, inner in self.pairs}


def _sources(loop: _Loop, inputs: Iterable[Var], env: _Env) -> list[_Again]:
    """What a loop computes again of others, for some of its inputs."""
    wanted = set(inputs)
    found = []
    for source in loop.sources:
        pairs = [(var, source.dropped[outer]) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if var in wanted and outer in source.dropped]
        if pairs:
            found.append(_Again(source, pairs, env))
    return found


def _constants(loop: _Loop, env: _Env) -> _Env:
    """What the body of a loop reads in every iteration."""
    return {**loop.body_consts, **{var: _value(outer, env) for var, outer in zip(loop.consts, loop.outer_consts, strict=True)}}


def _scan(loop: _Loop, env: _Env) -> _Env:
    """The loop with what it keeps and computes again."""
    parameters = loop.equation.params
    kept = [(inner, outer) for inner, outer in loop.stacks if outer not in loop.dropped]
    consts, again = _constants(loop, env), _sources(loop, loop.xs, env)
    absent = {var for one in again for var, _ in one.pairs}
    sliced = [(var, _value(outer, env)) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if var not in absent]

    def body(carry: tuple[Any, ...], given: Any) -> tuple[tuple[Any, ...], Any]:
        slices, others = given
        inner: _Env = {**consts, **dict(zip(loop.carry, carry, strict=True)), **dict(zip([var for var, _ in sliced], slices, strict=True))}
        for one, held in zip(again, others, strict=True):
            inner.update(one.run(held))
        results = loop.body.outvars[: len(loop.carry)]
        _demanded(loop, [*results, *(var for var, _ in kept)], inner)
        return tuple(_value(var, inner) for var in results), ([_value(var, inner) for var, _ in kept], [inner[var] for var in loop.handed])

    with loop.equation.ctx.manager:
        carry, (stacks, handed) = jax.lax.scan(
            body, tuple(_value(var, env) for var in loop.outer_carry), ([held for _, held in sliced], [one.stacks for one in again]),
            length=parameters["length"], reverse=parameters["reverse"], unroll=parameters["unroll"],
        )
    return {
        **dict(zip(loop.equation.outvars, carry, strict=False)), **dict(zip([outer for _, outer in kept], stacks, strict=True)),
        # Loops may share their bodies, and so the variables.
        **{(id(loop), var): stack for var, stack in zip(loop.handed, handed, strict=True)},
    }


def _slices(loop: _Loop, wanted: list[Any], env: _Env) -> tuple[dict[Var, Any], set[Var]]:
    """What has to be sliced for a loop's dropped stacks to be computed again: stacks that are kept, what was handed on, the loop's own inputs; and those of these
    inputs whose stacks are not there."""
    dropped = {outer for source in loop.sources for outer in source.dropped}
    stacked = {inner: env[outer] for inner, outer in loop.stacks if outer not in loop.dropped and isinstance(inner, Var)}
    stacked.update((var, env[id(loop), var]) for var in loop.handed)
    stacked.update((var, _value(outer, env)) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if outer not in dropped)
    inputs = set(loop.xs)
    seen: set[Any] = set()
    stack = [var for var in wanted if isinstance(var, Var)]
    found: dict[Var, Any] = {}
    while stack:
        var = stack.pop()
        if var in seen:
            continue
        seen.add(var)
        if var in stacked:
            found[var] = stacked[var]
        elif var in loop.makers:
            stack += [source for source in loop.makers[var].invars if isinstance(source, Var)]
    return found, (seen & inputs) - set(stacked)
