"""A step whose loops compute again, in the loop of the gradient, what they would keep for it: as a checkpoint around their bodies does.

`jax.lax.scan` under a gradient is two loops: one that runs the function and stacks what the other one needs. A stack that only loops of the same
length read, step by step, can be dropped where its slices follow from what is there in that step: the loop's inputs, what it hands on,
constants, and other stacks; what is not to be repeated, a product of which the gradient needs other things than its value, or one in a conditional of the body, is stacked
for that. The step is written so by evaluating its own jaxpr; loops stay loops.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, JaxprEqn, Var

from ._classes import bytes_of
from ._conditionals import Body, Saved
from ._jaxprs import Env, demanded, evaluate, has, run, value, variables
from ._signature import Signature

_PRODUCTS = frozenset({"dot_general", "conv_general_dilated", "ragged_dot", "scan", "while"})
_RANDOM = frozenset({"random_bits", "random_split", "random_fold_in", "threefry2x32", "rng_bit_generator"})
#: What may be computed again, and the primitives whose results may not.
MODES = {"all but products and random numbers": _PRODUCTS | _RANDOM, "all but random numbers": _RANDOM, "all": frozenset[str]()}


def rolled(step: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], signature: Signature) -> list[tuple[str, Callable[..., Any]]]:
    """The step with fewer stacks, once for each mode in which any is dropped: from the leaves that it reads to those of its results. What any other step with
    the same program calls its arguments and results is not in it."""
    closed = jax.make_jaxpr(step)(*args, **kwargs)
    # Pairs of loops may be in different functions of the step.
    flat = jax.make_jaxpr(lambda *read: evaluate(closed, signature.all_leaves(read)))(*signature.shapes)
    found: list[tuple[str, Callable[..., Any]]] = []
    known: list[Any] = []
    for mode, costly in MODES.items():
        plans = _plans(flat, costly)
        choice = [(set(plan.dropped), [str(var.aval) for var in plan.handed]) for plan in plans.values() if plan.dropped]
        if not choice or choice in known:
            continue
        known.append(choice)
        found.append((mode, _step(flat, plans)))
    return found


def _step(flat: ClosedJaxpr, loops: dict[int, _Loop]) -> Callable[..., list[Any]]:
    """A jaxpr as a function, its loops as planned."""
    planned = {id(loop.equation): loop for loop in loops.values() if loop.dropped or loop.sources}

    def run_as_planned(equation: JaxprEqn, env: Env) -> None:
        if id(equation) in planned:
            env.update(_scan(planned[id(equation)], env))
        else:
            run(equation, env)

    return lambda *read: evaluate(flat, read, run_as_planned)


@dataclasses.dataclass
class _Loop:
    """A scan, and what becomes of its stacks."""

    equation: JaxprEqn
    #: Primitives that are not to be repeated.
    costly: frozenset[str]
    #: By the stack outside: the variable of the body that is not kept.
    dropped: dict[Var, Var] = dataclasses.field(default_factory=dict)
    #: What is handed on, is a product, or is given by a conditional besides its results, and has to be stacked for others.
    handed: list[Any] = dataclasses.field(default_factory=list)
    #: Loops whose stacks are not there, of those that this one reads.
    sources: list[_Loop] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        parameters = self.equation.params
        self.body = Body(parameters["jaxpr"], self.costly)
        jaxpr = self.body.jaxpr
        consts, carried = _counts(parameters)
        self.consts, self.carry, self.xs = (jaxpr.invars[:consts], jaxpr.invars[consts : consts + carried], jaxpr.invars[consts + carried :])
        self.outer_consts, self.outer_carry, self.outer_xs = (
            self.equation.invars[:consts], self.equation.invars[consts : consts + carried], self.equation.invars[consts + carried :],
        )
        #: Stacks, each inside and outside of the body.
        self.stacks = list(zip(jaxpr.outvars[carried:], self.equation.outvars[carried:], strict=True))
        self.makers = self.body.makers
        there = {*self.carry, *variables(inner for inner, _ in self.stacks)}
        #: What may be stacked besides, together or not at all: what a conditional gives besides its results, and products.
        self.groups = [*self.body.groups, *([var] for var in dict.fromkeys(self.body.cuts) if var not in there and not isinstance(var, Saved))]

    def needs(self, wanted: Iterable[Any], there: set[Any], besides: set[Saved]) -> set[Any] | None:
        """Inputs of the body, and of what may be stacked besides, from which these variables follow, given some that are there; None where that takes an op
        that is not to be repeated."""
        found: set[Any] = set()
        stack = variables(wanted)
        seen: set[Any] = set()
        while stack:
            var = stack.pop()
            if var in seen or var in there:
                continue
            seen.add(var)
            maker = self.makers.get(var)
            if maker is None or var in besides:
                found.add(var)
                continue
            if has(maker, self.costly):
                return None
            stack += variables(maker.invars)
        return found


def _counts(parameters: dict[str, Any]) -> tuple[int, int]:
    """How many constants a scan has, and how many values it hands on. From JAX 0.11 on a tree of its arguments says so."""
    if "num_consts" in parameters:
        return parameters["num_consts"], parameters["num_carry"]
    consts, carried, _ = parameters["ft_in"].unpack()
    return len(consts), len(carried)


def _plans(flat: ClosedJaxpr, costly: frozenset[str]) -> dict[int, _Loop]:
    """What becomes of the stacks of every loop, by the place of its equation."""
    jaxpr = flat.jaxpr
    loops = {at: _Loop(one, costly) for at, one in enumerate(jaxpr.eqns) if one.primitive.name == "scan" and not one.effects}
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

        _choose(loop, [pair for pair in loop.stacks if free(pair[1])])
        for at in {at for outer in loop.dropped for at, _ in readers[outer]}:
            loops[at].sources.append(loop)
    return loops


def _choose(loop: _Loop, candidates: list[tuple[Any, Any]]) -> None:
    """Drops stacks where that takes fewer bytes than what is stacked in their place: products, and what a conditional gives besides its results, where without them
    as much could not be dropped."""
    groups = loop.groups
    best = _droppable(loop, candidates, groups)
    for group in list(groups):
        fewer = [one for one in groups if one is not group]
        less = _droppable(loop, candidates, fewer)
        if less[0] >= best[0]:
            groups, best = fewer, less
    if best[0] > 0:
        _, loop.dropped, loop.handed = best


def _droppable(loop: _Loop, candidates: list[tuple[Any, Any]], groups: list[list[Saved]]) -> tuple[int, dict[Var, Var], list[Any]]:
    """Stacks that can be dropped, those that are made last first, while each follows from what is left; what is stacked in their place; and the bytes that this
    spares in an iteration."""
    order = {var: at for at, one in enumerate(loop.body.again) for var in one.outvars}
    carried, besides = set(loop.carry), [var for group in groups for var in group]
    stacked = set(variables(inner for inner, _ in loop.stacks))
    kept = stacked - carried
    dropped: dict[Var, Var] = {}
    for inner, outer in sorted(candidates, key=lambda pair: -order.get(pair[0], -1)):
        # What is handed on is stacked already, and follows from nothing.
        if isinstance(inner, Var) and inner not in carried and loop.needs([inner], kept - {inner}, set(besides)) is not None:
            dropped[outer] = inner
            kept.discard(inner)
    needs = loop.needs(dropped.values(), kept, set(besides))
    assert needs is not None
    handed = [var for var in (*loop.carry, *besides) if var in needs - stacked]
    spared = sum(bytes_of(inner.aval) for inner in dropped.values()) - sum(bytes_of(var.aval) for var in handed)
    return spared, dropped, handed


class _Again:
    """What a loop computes again of another one whose stacks are not there, iteration by iteration."""

    def __init__(self, loop: _Loop, pairs: list[tuple[Var, Var]], env: Env) -> None:
        self._loop = loop
        #: Inputs of the one's body, and the variables of the other one's body that they are.
        self.pairs = pairs
        self._consts = _constants(loop, env)
        held, absent = _slices(loop, [inner for _, inner in pairs], env)
        # What the other one read may itself be of a loop whose stacks are not there.
        self._variables, self._sources = list(held), _sources(loop, absent, env)
        #: What is sliced for it.
        self.stacks: tuple[Any, ...] = (list(held.values()), [one.stacks for one in self._sources])

    def run(self, slices: Any) -> Env:
        """The inputs, from the slices of an iteration."""
        own, others = slices
        env: Env = {**self._consts, **dict(zip(self._variables, own, strict=True))}
        for source, given in zip(self._sources, others, strict=True):
            env.update(source.run(given))
        demanded(self._loop.body.again, [inner for _, inner in self.pairs], env)
        return {var: value(inner, env) for var, inner in self.pairs}


def _sources(loop: _Loop, inputs: Iterable[Var], env: Env) -> list[_Again]:
    """What a loop computes again of others, for some of its inputs."""
    wanted = set(inputs)
    found = []
    for source in loop.sources:
        pairs = [(var, source.dropped[outer]) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if var in wanted and outer in source.dropped]
        if pairs:
            found.append(_Again(source, pairs, env))
    return found


def _constants(loop: _Loop, env: Env) -> Env:
    """What the body of a loop reads in every iteration."""
    return {**loop.body.constants, **{var: value(outer, env) for var, outer in zip(loop.consts, loop.outer_consts, strict=True)}}


def _scan(loop: _Loop, env: Env) -> Env:
    """The loop with what it keeps and computes again."""
    parameters = loop.equation.params
    kept = [(inner, outer) for inner, outer in loop.stacks if outer not in loop.dropped]
    # Conditionals give no more than their results where nobody reads more.
    equations = loop.body.equations if any(isinstance(var, Saved) for var in loop.handed) else loop.body.jaxpr.eqns
    consts, again = _constants(loop, env), _sources(loop, loop.xs, env)
    absent = {var for one in again for var, _ in one.pairs}
    sliced = [(var, value(outer, env)) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if var not in absent]

    def body(carry: tuple[Any, ...], given: Any) -> tuple[tuple[Any, ...], Any]:
        slices, others = given
        inner: Env = {**consts, **dict(zip(loop.carry, carry, strict=True)), **dict(zip([var for var, _ in sliced], slices, strict=True))}
        for one, held in zip(again, others, strict=True):
            inner.update(one.run(held))
        results = loop.body.jaxpr.outvars[: len(loop.carry)]
        demanded(equations, [*results, *(var for var, _ in kept), *loop.handed], inner)
        return tuple(value(var, inner) for var in results), ([value(var, inner) for var, _ in kept], [inner[var] for var in loop.handed])

    with loop.equation.ctx.manager:
        carry, (stacks, handed) = jax.lax.scan(
            body, tuple(value(var, env) for var in loop.outer_carry), ([held for _, held in sliced], [one.stacks for one in again]),
            length=parameters["length"], reverse=parameters["reverse"], unroll=parameters["unroll"],
        )
    return {
        **dict(zip(loop.equation.outvars, carry, strict=False)), **dict(zip([outer for _, outer in kept], stacks, strict=True)),
        # Loops may share their bodies, and so the variables.
        **{(id(loop), var): stack for var, stack in zip(loop.handed, handed, strict=True)},
    }


def _slices(loop: _Loop, wanted: list[Any], env: Env) -> tuple[dict[Any, Any], set[Any]]:
    """What has to be sliced for a loop's dropped stacks to be computed again: stacks that are kept, what was handed on, the loop's own inputs; and those of these
    inputs whose stacks are not there."""
    dropped = {outer for source in loop.sources for outer in source.dropped}
    stacked = {inner: env[outer] for inner, outer in loop.stacks if outer not in loop.dropped and isinstance(inner, Var)}
    stacked.update((var, env[id(loop), var]) for var in loop.handed)
    stacked.update((var, value(outer, env)) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if outer not in dropped)
    inputs = set(loop.xs)
    seen: set[Any] = set()
    stack = variables(wanted)
    found: dict[Any, Any] = {}
    while stack:
        var = stack.pop()
        if var in seen:
            continue
        seen.add(var)
        if var in stacked:
            found[var] = stacked[var]
        elif var in loop.makers:
            stack += variables(loop.makers[var].invars)
    return found, (seen & inputs) - set(stacked)
