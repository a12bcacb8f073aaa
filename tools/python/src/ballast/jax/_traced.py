"""A step that is called while JAX traces it: as a part of what `jax.jit`, `jax.vmap`, `jax.eval_shape` or another transformation makes of it, it has no plan."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from .._errors import BallastError

try:
    # False while JAX traces or transforms what is called; and what traces it.
    from jax._src.core import trace_ctx, trace_state_clean
except ImportError:
    trace_ctx = None

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


def without_gradient(step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], say: Callable[[], None]) -> Any:
    """What the step gives, which any transformation but a gradient may be made of.

    Args:
        say: Says that it has no plan: at once, or where a gradient may follow once the step is compiled.

    Raises:
        BallastError: where it is differentiated, there or later.
    """
    closed, shapes = jax.make_jaxpr(step, return_shape=True)(*args, **kwargs)
    leaves, made = jax.tree.leaves((args, kwargs)), jax.tree.structure(shapes)
    waits = _in_a_gradient()
    once = functools.cache(say)

    def run(consts: list[Any], leaves: list[Any]) -> list[Any]:
        given = jax.core.eval_jaxpr(closed.jaxpr, consts, *leaves)
        return _COMPILED.bind(*given, then=once) if waits and given else given

    # Of what the step closes over, too.
    found = jax.custom_jvp(run)
    found.defjvp(_refuse)
    given = found(closed.consts, leaves)
    if not waits or not given:
        say()
    return jax.tree.unflatten(made, given)


def caller() -> dict[str, Any]:
    """The line that called the step, as `warnings.warn_explicit` takes it: neither one of this package nor, where JAX calls it for somebody, one of JAX."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("ballast", "jax"):
        frame = frame.f_back
    known = frame.f_globals
    return {
        "filename": frame.f_code.co_filename, "lineno": frame.f_lineno, "module": known.get("__name__"), "registry": known.setdefault("__warningregistry__", {}),
    }


def _in_a_gradient() -> bool:
    """Is what is traced now a part of what JAX differentiates, though it may be no value of it that the gradient is of?"""
    trace = trace_ctx.trace if trace_ctx is not None else None
    while trace is not None:
        if type(trace).__name__ in ("JVPTrace", "LinearizeTrace"):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def _compiled(given: Sequence[Any], then: Callable[[], None]) -> list[Any]:
    then()
    return list(given)


#: Hands on what it is given, and does something once it is compiled or run.
_COMPILED = Primitive("ballast_compiled")
_COMPILED.multiple_results = True
_COMPILED.def_impl(lambda *given, then: _compiled(given, then))
_COMPILED.def_abstract_eval(lambda *given, then: list(given))
mlir.register_lowering(_COMPILED, lambda _, *given, then: _compiled(given, then))
batching.primitive_batchers[_COMPILED] = lambda given, axes, then: (_COMPILED.bind(*given, then=then), axes)


def _refuse(*_: Any) -> Any:
    raise BallastError("a planned step has no gradient of its own: plan the whole step, with the gradient and the optimizer in it, and not the loss")
