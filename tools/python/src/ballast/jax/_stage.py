"""One stage of a pipeline as two compiled functions, its forward and its backward pass, with what a policy keeps between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Var, jaxpr_as_fun

from ._classes import Policy, all_that_can_be_saved, bytes_of
from ._cuts import Part
from ._memory import counted, stats_of
from ._policy import Search
from ._price import Price


@dataclasses.dataclass(frozen=True)
class Compiled:
    """The passes of a stage under a policy, functions of its constants first. Bytes of one micro-batch, as XLA says of what it compiled."""

    forward: Callable[..., Any]
    backward: Callable[..., Any]
    forward_shapes: tuple[Any, ...]
    backward_shapes: tuple[Any, ...]
    kept_bytes: int
    forward_temporary: int
    backward_temporary: int


class StageProgram:
    """A stage as it was cut: flat lists in, flat lists out. Values of floating point have gradients, real and complex ones."""

    def __init__(self, part: Part, parameters: list[jax.ShapeDtypeStruct], *, first: bool) -> None:
        # Nobody asks for gradients of the model's inputs.
        self._first = first
        self._compiled: dict[Policy | None, Compiled] = {}
        #: Stages of equal text have the same policies.
        self.text = f"{first} {len(part.constants)} {len(parameters)} {part.text}"
        self._run, self._constants, self.parameters, self.received, self.sent = part.function, part.constant_shapes, parameters, part.received, part.sent
        self.constant_bytes, self.parameter_bytes, self.received_bytes, self.sent_bytes = map(_sum, (self._constants, parameters, self.received, self.sent))
        self.received_gradient_bytes, self.sent_gradient_bytes = _sum(self._moving(self.received)[0]), _sum(parted(self.sent)[0])

    def _moving(self, received: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return ([], list(received)) if self._first else parted(received)

    def _split(self, parameters: Sequence[Any], floats: Sequence[Any], others: Sequence[Any], constants: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The stage, with values of floating point apart."""
        return parted(self._run(constants, parameters, list(others) if self._first else _merged(self.received, floats, others)))

    def merged(self, floats: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        """Values sent, in their order."""
        return _merged(self.sent, floats, others)

    def search(self, times: str) -> Search:
        """A search for policies under which a micro-batch keeps no more bytes than a cap beside what it received."""
        # Passes are compiled apart, so that nothing computed again can be merged with its first run.
        return Search(
            self._split, (self.parameters, *self._moving(self.received), self._constants), cap_counts="saved", wrt=(0, 1), price=Price(times, offload=False),
            prevent_cse=False,
        )

    def compile(self, policy: Policy | None) -> Compiled:
        """The passes under a policy; None: everything is saved."""
        if policy not in self._compiled:
            self._compiled[policy] = self._compile(policy)
        return self._compiled[policy]

    def _compile(self, policy: Policy | None) -> Compiled:
        wrapped = jax.checkpoint(self._split, policy=policy or all_that_can_be_saved, prevent_cse=False)

        def both(constants: Any, parameters: Any, received: Any) -> Any:
            floats, others = self._moving(received)
            sent, pull, rest = jax.vjp(lambda own, moving: wrapped(own, moving, others, constants), parameters, floats, has_aux=True)
            return self.merged(sent, rest), pull

        forward_shapes = (self._constants, self.parameters, self.received)
        program, shape = jax.make_jaxpr(both, return_shape=True)(*forward_shapes)
        run, tree = jaxpr_as_fun(program), jax.tree.structure(shape[1])
        given = {one: at for at, one in enumerate(program.jaxpr.invars)}
        count = len(self.sent)
        # Of what the backward pass reads, arguments are there already; the rest is kept, each value once.
        read = program.jaxpr.outvars[count:]
        own: dict[Any, int] = {}
        for at, one in enumerate(read):
            if not (isinstance(one, Var) and (one in given or one in own)):
                own[one if isinstance(one, Var) else at] = at

        def forward(constants: Any, parameters: Any, received: Any) -> Any:
            values = run(*constants, *parameters, *received)
            return values[:count], [values[count + at] for at in own.values()]

        place = {one: at for at, one in enumerate(own)}

        def backward(constants: Any, parameters: Any, received: Any, kept: Any, gradients: Any) -> Any:
            arguments = [*constants, *parameters, *received]
            leaves = [
                arguments[given[one]] if isinstance(one, Var) and one in given else kept[place[one if isinstance(one, Var) else at]]
                for at, one in enumerate(read)
            ]
            return jax.tree.unflatten(tree, leaves)(gradients)

        kept = [jax.ShapeDtypeStruct(one.aval.shape, one.aval.dtype) for one in (read[at] for at in own.values())]
        backward_shapes = (*forward_shapes, kept, parted(self.sent)[0])
        compiled = jax.jit(forward), jax.jit(backward)
        return Compiled(
            *compiled, forward_shapes, backward_shapes, _sum(kept), _temporary(compiled[0], *forward_shapes), _temporary(compiled[1], *backward_shapes)
        )


def parted(values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Values of floating point, and all others."""
    return [value for value in values if _has_gradient(value)], [value for value in values if not _has_gradient(value)]


def _merged(like: Sequence[Any], floats: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The inverse of `parted`, in the order of `like`."""
    first, second = iter(floats), iter(others)
    return [next(first) if _has_gradient(one) else next(second) for one in like]


def _has_gradient(value: Any) -> bool:
    return jnp.issubdtype(value.dtype, jnp.inexact)


def _sum(values: Sequence[Any]) -> int:
    return sum(map(bytes_of, values))


def _temporary(function: Any, *shapes: Any) -> int:
    return counted(stats_of(function.lower(*shapes).compile()), "temp")
