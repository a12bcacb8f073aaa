"""Jaxprs: what their equations hold, and how they are run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

Env = dict[Any, Any]
#: Calls of functions that are run as if their equations stood where they are called.
_INLINED = ("jit", "pjit", "closed_call")


@dataclasses.dataclass(frozen=True)
class Written:
    """What stands for an equation: a function from its inputs to its results."""

    invars: Sequence[Any]
    outvars: Sequence[Any]
    function: Callable[..., Sequence[Any]]
    #: Primitives in it, of those that somebody asked for.
    holds: frozenset[str]


def programs_in(value: Any) -> list[Jaxpr]:
    """The jaxprs in a parameter: of a call one, of a conditional one for each branch."""
    if isinstance(value, ClosedJaxpr):
        return [value.jaxpr]
    if isinstance(value, Jaxpr):
        return [value]
    return [one for each in value for one in programs_in(each)] if isinstance(value, (list, tuple)) else []


def has(equation: Any, names: frozenset[str]) -> bool:
    """Is it one of these primitives, or holds one?"""
    if isinstance(equation, Written):
        return bool(equation.holds & names)
    if equation.primitive.name in names:
        return True
    return any(has(one, names) for value in equation.params.values() for jaxpr in programs_in(value) for one in jaxpr.eqns)


def variables(atoms: Iterable[Any]) -> list[Any]:
    """Those that are no literals."""
    return [atom for atom in atoms if not isinstance(atom, Literal)]


def value(var: Any, env: Env) -> Any:
    """What a variable or a literal is."""
    return var.val if isinstance(var, Literal) else env[var]


def run(equation: Any, env: Env) -> None:
    """Runs an equation, functions inlined."""
    given = [value(var, env) for var in equation.invars]
    if isinstance(equation, Written):
        results = equation.function(*given)
    elif equation.primitive.name in _INLINED:
        results = evaluate(equation.params.get("jaxpr", equation.params.get("call_jaxpr")), given)
    else:
        # How random bits are made, among others, is said by where the equation stood.
        with equation.ctx.manager:
            results = equation.primitive.bind(*given, **equation.primitive.get_bind_params(equation.params))
        results = results if equation.primitive.multiple_results else [results]
    env.update(zip(equation.outvars, results, strict=True))


def evaluate(closed: ClosedJaxpr, given: Iterable[Any], run: Callable[[Any, Env], None] = run) -> list[Any]:
    """Runs a jaxpr, functions inlined."""
    jaxpr = closed.jaxpr
    env = {**constants(closed), **dict(zip(jaxpr.invars, given, strict=True))}
    for equation in jaxpr.eqns:
        run(equation, env)
    return [value(var, env) for var in jaxpr.outvars]


def constants(closed: ClosedJaxpr) -> Env:
    """What a jaxpr closes over."""
    return dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))


def demanded(equations: Sequence[Any], wanted: Iterable[Any], env: Env) -> None:
    """Runs of some equations what these variables need and is not there."""
    needed = {var for var in variables(wanted) if var not in env}
    chosen = []
    for equation in reversed(equations):
        if needed & set(equation.outvars):
            chosen.append(equation)
            needed |= {var for var in variables(equation.invars) if var not in env}
    for equation in reversed(chosen):
        run(equation, env)


def inlined(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same jaxpr without calls of functions."""
    return jax.make_jaxpr(lambda *given: evaluate(closed, given))(*map(shape_of, closed.in_avals))


def shape_of(kind: Any) -> jax.ShapeDtypeStruct:
    """The type of a value, as it is traced with."""
    return jax.ShapeDtypeStruct(kind.shape, kind.dtype, weak_type=kind.weak_type)
