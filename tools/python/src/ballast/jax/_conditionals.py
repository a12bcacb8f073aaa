"""Conditionals in two: one that gives what is dear to compute, such as the products of its branches, and one that follows from these.

What the body of a loop computes by `jax.lax.cond` or `jax.lax.switch` is one equation, and with a product in any branch none of its results could be computed again
without that product. In two, the products are values like others: they are stacked, and the rest of the branches runs again from them.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, JaxprEqn

from ._classes import bytes_of
from ._jaxprs import Env, Written, constants, demanded, has, inlined, value, variables


@dataclasses.dataclass(frozen=True, eq=False)
class Saved:
    """A result that a conditional has besides its own: in each branch another value of this type, or zeros."""

    aval: Any


class Body:
    """The jaxpr of a loop's body or of a branch, with functions inlined and conditionals in two."""

    def __init__(self, closed: ClosedJaxpr, dear: frozenset[str]) -> None:
        closed = inlined(closed)
        self._dear = dear
        self.jaxpr, self.constants = closed.jaxpr, constants(closed)
        #: Its equations, those of conditionals with what they give besides.
        self.equations: list[Any] = []
        #: From which its variables follow where what conditionals give besides is there.
        self.again: list[Any] = []
        #: What each conditional gives besides.
        self.groups: list[list[Saved]] = []
        for one in self.jaxpr.eqns:
            halves = _split(one, dear)
            if halves is None:
                self.equations.append(one)
                self.again.append(one)
                continue
            count = len(one.outvars)
            self.equations.append(halves[0])
            self.again += [dataclasses.replace(halves[0], outvars=halves[0].outvars[count:], function=_from(halves[0].function, count)), halves[1]]
            self.groups.append(list(halves[0].outvars[count:]))

    @property
    def makers(self) -> dict[Any, Any]:
        """From what each variable follows, by variable."""
        return {var: one for one in self.again for var in one.outvars}

    @property
    def cuts(self) -> list[Any]:
        """What is dear to compute, each as what takes fewest bytes of what alone follows from it."""
        readers: dict[Any, list[Any]] = collections.defaultdict(list)
        for one in self.again:
            for var in variables(one.invars):
                readers[var].append(one)
        for var in variables(self.jaxpr.outvars):
            readers[var].append(None)
        return [_smallest(var, readers, self._dear) for one in self.again if has(one, self._dear) for var in one.outvars]


def _from(function: Callable[..., Sequence[Any]], first: int) -> Callable[..., Sequence[Any]]:
    return lambda *given: function(*given)[first:]


def _split(equation: JaxprEqn, dear: frozenset[str]) -> tuple[Written, Written] | None:
    """A conditional that gives what its branches have of these primitives after its results, and one that gives the results alone, from inputs and what the other
    one gives besides. None: it is no conditional, has none of them, or effects, which come once, or chooses by the platform, whose branches others cannot compile."""
    by_platform = equation.params.get("branches_platforms") is not None
    if equation.primitive.name != "cond" or equation.effects or by_platform or not has(equation, dear):
        return None
    branches = [_Branch(one, dear) for one in equation.params["branches"]]
    places, saved = _joined([[var.aval for var in one.saved] for one in branches])
    invars, outvars = list(equation.invars), list(equation.outvars)
    whole = [one.whole(at, saved) for one, at in zip(branches, places, strict=True)]
    rest = [one.rest(at, len(invars) - 1) for one, at in zip(branches, places, strict=True)]

    def chosen(of: Sequence[Callable[..., Any]]) -> Callable[..., Sequence[Any]]:
        def function(index: Any, *given: Any) -> Sequence[Any]:
            with equation.ctx.manager:
                return jax.lax.switch(index, of, *given)

        return function

    return Written(invars, [*outvars, *saved], chosen(whole), dear), Written([*invars, *saved], outvars, chosen(rest), frozenset())


class _Branch:
    """One branch, and what it is computed again from."""

    def __init__(self, closed: ClosedJaxpr, dear: frozenset[str]) -> None:
        self._body = body = Body(closed, dear)
        self._results = body.jaxpr.outvars
        makers = body.makers
        cuts = set(body.cuts)
        #: Of these what the results need.
        self.saved: list[Any] = []
        seen: set[Any] = set()
        stack = variables(self._results)
        while stack:
            var = stack.pop()
            if var in seen:
                continue
            seen.add(var)
            if var in cuts:
                self.saved.append(var)
            elif var in makers:
                stack += variables(makers[var].invars)

    def whole(self, places: Sequence[int], saved: Sequence[Saved]) -> Callable[..., list[Any]]:
        """Its results, and what is saved of it in these places, zeros in all others."""

        def function(*given: Any) -> list[Any]:
            env = self._env(given)
            demanded(self._body.equations, [*self._results, *self.saved], env)
            found = dict(zip(places, (env[var] for var in self.saved), strict=True))
            zeros = ((at, jax.lax.full(one.aval.shape, 0, one.aval.dtype)) for at, one in enumerate(saved) if at not in found)
            found.update(zeros)
            return [*(value(var, env) for var in self._results), *(found[at] for at in range(len(saved)))]

        return function

    def rest(self, places: Sequence[int], count: int) -> Callable[..., list[Any]]:
        """Its results, from so many inputs and after them what is saved."""

        def function(*given: Any) -> list[Any]:
            env = self._env(given[:count])
            env.update((var, given[count + at]) for var, at in zip(self.saved, places, strict=True))
            demanded(self._body.again, self._results, env)
            return [value(var, env) for var in self._results]

        return function

    def _env(self, given: Sequence[Any]) -> Env:
        return {**self._body.constants, **dict(zip(self._body.jaxpr.invars, given, strict=True))}


def _smallest(var: Any, readers: dict[Any, list[Any]], dear: frozenset[str]) -> Any:
    """Of what alone is computed from a variable, one after the other, the last one of the fewest bytes: the mask that random bits become, say."""
    least = var
    while len(readers[var]) == 1 and readers[var][0] is not None and len(readers[var][0].outvars) == 1 and not has(readers[var][0], dear):
        (var,) = readers[var][0].outvars
        if readers[var] and bytes_of(var.aval) <= bytes_of(least.aval):
            least = var
    return least


def _joined(branches: Sequence[Sequence[Any]]) -> tuple[list[list[int]], list[Saved]]:
    """The fewest values that have those of each branch among them, and the places of these."""
    saved: list[Saved] = []
    of_kind: dict[Any, list[int]] = collections.defaultdict(list)
    places = []
    for kinds in branches:
        free = {kind: list(known) for kind, known in of_kind.items()}
        found = []
        for kind in kinds:
            key = kind.shape, kind.dtype
            if not free.get(key):
                of_kind[key].append(len(saved))
                free.setdefault(key, []).append(len(saved))
                saved.append(Saved(kind))
            found.append(free[key].pop(0))
        places.append(found)
    return places, saved
