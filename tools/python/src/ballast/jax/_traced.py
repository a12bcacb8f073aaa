"""A step that is called while JAX traces it: as a part of what `jax.jit`, `jax.vmap`, `jax.eval_shape` or another transformation makes of it, it has no plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from .._errors import BallastError


def is_traced(leaves: Sequence[Any]) -> bool:
    """Is there a value that JAX traces among these?"""
    return any(issubclass(kind, jax.core.Tracer) for kind in set(map(type, leaves)))


def without_gradient(step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the step gives, which any transformation but a gradient may be made of.

    Raises:
        BallastError: where it is differentiated, there or later.
    """
    run = jax.custom_jvp(lambda args, kwargs: step(*args, **kwargs))
    run.defjvp(_refuse)
    return run(args, kwargs)


def _refuse(*_: Any) -> Any:
    raise BallastError("a planned step has no gradient of its own: plan the whole step, with the gradient and the optimizer in it, and not the loss")
