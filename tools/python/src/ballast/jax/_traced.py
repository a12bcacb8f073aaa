"""A step that is called while JAX traces it: as a part of what `jax.jit`, `jax.vmap`, `jax.eval_shape` or another transformation makes of it, it has no plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from .._errors import BallastError

try:
    # False while JAX traces or transforms what is called.
    from jax._src.core import trace_state_clean
except ImportError:

    def trace_state_clean() -> bool:
        """Nothing is known of it from outside."""
        return False


class Traced(BallastError):
    """A step is a part of what JAX traces, and no program of its own."""

    def __init__(self) -> None:
        super().__init__("a transformation of JAX traces it or a value that it closes over, such as jax.jit or jax.vmap, and plans are for what is called by itself")


def is_traced(leaves: Sequence[Any]) -> bool:
    """Does JAX trace what is computed now: from these leaves, or whatever it is from?"""
    if any(issubclass(kind, jax.core.Tracer) for kind in set(map(type, leaves))):
        return True
    # A gradient or `jax.vmap` computes at once what is none of its own.
    return not trace_state_clean() and isinstance(jax.lax.neg(0.0), jax.core.Tracer)


def refuse_traced(step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Looks for values that JAX traces among those that a step closes over.

    Raises:
        Traced: there is one.
    """
    if not trace_state_clean() and is_traced(jax.make_jaxpr(step)(*args, **kwargs).consts):
        raise Traced


def without_gradient(step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the step gives, which any transformation but a gradient may be made of.

    Raises:
        BallastError: where it is differentiated, there or later.
    """
    closed, shapes = jax.make_jaxpr(step, return_shape=True)(*args, **kwargs)
    # Of what the step closes over, too.
    run = jax.custom_jvp(lambda consts, leaves: jax.core.eval_jaxpr(closed.jaxpr, consts, *leaves))
    run.defjvp(_refuse)
    return jax.tree.unflatten(jax.tree.structure(shapes), run(closed.consts, jax.tree.leaves((args, kwargs))))


def _refuse(*_: Any) -> Any:
    raise BallastError("a planned step has no gradient of its own: plan the whole step, with the gradient and the optimizer in it, and not the loss")
