"""What a step takes and gives, leaf by leaf: a program found for it is of the leaves that it reads, whatever their places in its arguments.

Steps of one text may differ in all else: in the names of their results, and in arguments that none of them reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.export

from ._jaxprs import shape_of


class Signature:
    """The leaves of an exported step."""

    def __init__(self, exported: jax.export.Exported, given_away: Sequence[bool]) -> None:
        self._exported = exported
        self._read = sorted(exported.module_kept_var_idx)
        #: Types of the leaves that the step reads.
        self.shapes = [shape_of(exported.in_avals[at]) for at in self._read]
        self._donated = [given_away[at] for at in self._read]

    @property
    def key(self) -> str:
        """All of it that a program depends on and that the step's text may not tell: weak types and keys of random numbers, and what is given away."""
        return str((self.shapes, list(map(shape_of, self._exported.out_avals)), self._donated))

    def all_leaves(self, read: Sequence[Any]) -> list[Any]:
        """Leaves that the step reads, and zeros for the others: what hands an argument on reads it, and holds it in memory."""
        known = dict(zip(self._read, read, strict=True))
        return [known[at] if at in known else jax.lax.full(kind.shape, 0, kind.dtype) for at, kind in enumerate(self._exported.in_avals)]

    def function(self, program: bytes | Callable[..., Any]) -> Callable[..., Any]:
        """The step, done by a program: one that is serialized, or a function of the leaves that it reads."""
        run = self._loaded(program) if isinstance(program, bytes) else program

        def call(*args: Any, **kwargs: Any) -> Any:
            leaves = jax.tree.leaves((args, kwargs))
            return jax.tree.unflatten(self._exported.out_tree, run(*(leaves[at] for at in self._read)))

        return call

    def _loaded(self, program: bytes) -> Callable[..., Any]:
        loaded = dataclasses.replace(self._exported, mlir_module_serialized=program)

        def run(*read: Any) -> list[Any]:
            args, kwargs = jax.tree.unflatten(loaded.in_tree, self.all_leaves(read))
            return jax.tree.leaves(loaded.call(*args, **kwargs))

        return run


def commit_as(lowered: Any, plain: Any) -> None:
    """Leaves results of a program free to go to other devices where `jax.jit` leaves those of the step so: JAX ties down all that an exported program gives. Where
    JAX keeps elsewhere whether it does, they stay tied."""
    of = [getattr(getattr(one, "_lowering", None), "compile_args", {}) for one in (lowered, plain)]
    if all("committed" in one for one in of):
        of[0]["committed"] = of[1]["committed"]
