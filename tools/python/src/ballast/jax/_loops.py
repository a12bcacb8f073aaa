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

_PRODUCTS = frozenset({"dot_general", "conv_general_dilated", "ragged_dot", "scan", "while"})
_RANDOM = frozenset({"random_bits", "random_split", "random_fold_in", "threefry2x32", "rng_bit_generator"})
#: What may be computed again, and the primitives whose results may not.
MODES = {"all but products and random numbers": _PRODUCTS | _RANDOM, "all but random numbers": _RANDOM, "all": frozenset[str]()}
_INLINED = ("jit", "pjit", "closed_call")
_Env = dict[Any, Any]


def rolled(step: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> list[tuple[str, Callable[..., Any]]]:
    """The step with fewer stacks, once for each mode in which any is dropped."""
    closed, shape = jax.make_jaxpr(step, return_shape=True)(*args, **kwargs)
    # Pairs of loops may be in different functions of the step.
    flat = jax.make_jaxpr(lambda *leaves: _evaluate(closed.jaxpr, dict(zip(closed.jaxpr.constvars, closed.consts, strict=True)), leaves))(
        *(jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype, weak_type=var.aval.weak_type) for var in closed.jaxpr.invars)
    )
    tree = jax.tree.structure(shape)
    found: list[tuple[str, Callable[..., Any]]] = []
    known: list[set[Var]] = [set()]
    for mode, costly in MODES.items():
        plans = _plans(flat.jaxpr, costly)
        dropped = {outer for plan in plans.values() for outer in plan.dropped}
        if dropped in known:
            continue
        known.append(dropped)

        def run(*given: Any, _plans: dict[int, _Loop] = plans, **named: Any) -> Any:
            env = dict(zip(flat.jaxpr.constvars, flat.consts, strict=True))
            return jax.tree.unflatten(tree, _evaluate(flat.jaxpr, env, jax.tree.leaves((given, named)), _plans))

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
    inner = [getattr(value, "jaxpr", value) for value in equation.params.values()]
    return any(_has(one, names) for jaxpr in inner for one in getattr(jaxpr, "eqns", ()))


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


def _scan(loop: _Loop, env: _Env) -> _Env:
    """The loop with what it keeps and computes again."""
    parameters = loop.equation.params
    kept = [(inner, outer) for inner, outer in loop.stacks if outer not in loop.dropped]
    consts = {**loop.body_consts, **{var: _value(outer, env) for var, outer in zip(loop.consts, loop.outer_consts, strict=True)}}
    missing = {outer: source for source in loop.sources for outer in source.dropped}
    sliced = [(var, _value(outer, env)) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if outer not in missing]
    again = [(source, [(var, source.dropped[outer]) for var, outer in zip(loop.xs, loop.outer_xs, strict=True) if outer in source.dropped]) for source in loop.sources]
    beside = [_slices(source, [inner for _, inner in wanted], env) for source, wanted in again]

    def body(carry: tuple[Any, ...], given: Any) -> tuple[tuple[Any, ...], Any]:
        slices, others = given
        inner: _Env = {**consts, **dict(zip(loop.carry, carry, strict=True)), **dict(zip([var for var, _ in sliced], slices, strict=True))}
        for (source, wanted), stacked, held in zip(again, beside, others, strict=True):
            there: _Env = {**source.body_consts, **{var: _value(outer, env) for var, outer in zip(source.consts, source.outer_consts, strict=True)}}
            there.update(zip(stacked, held, strict=True))
            _demanded(source, [var for _, var in wanted], there)
            inner.update((own, _value(var, there)) for own, var in wanted)
        results = loop.body.outvars[: len(loop.carry)]
        _demanded(loop, [*results, *(var for var, _ in kept)], inner)
        return tuple(_value(var, inner) for var in results), ([_value(var, inner) for var, _ in kept], [inner[var] for var in loop.handed])

    carry, (stacks, handed) = jax.lax.scan(
        body, tuple(_value(var, env) for var in loop.outer_carry), ([held for _, held in sliced], [list(one.values()) for one in beside]),
        length=parameters["length"], reverse=parameters["reverse"], unroll=parameters["unroll"],
    )
    return {
        **dict(zip(loop.equation.outvars, carry, strict=False)), **dict(zip([outer for _, outer in kept], stacks, strict=True)),
        # Loops may share their bodies, and so the variables.
        **{(id(loop), var): stack for var, stack in zip(loop.handed, handed, strict=True)},
    }


def _slices(loop: _Loop, wanted: list[Any], env: _Env) -> dict[Var, Any]:
    """What has to be sliced for a loop's dropped stacks to be computed again: stacks that are kept, what was handed on, the loop's own inputs."""
    stacked = {inner: env[outer] for inner, outer in loop.stacks if outer not in loop.dropped and isinstance(inner, Var)}
    stacked.update((var, env[id(loop), var]) for var in loop.handed)
    stacked.update((var, _value(outer, env)) for var, outer in zip(loop.xs, loop.outer_xs, strict=True))
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
    return found
