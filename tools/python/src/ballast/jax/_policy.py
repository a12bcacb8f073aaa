"""A policy for `jax.checkpoint` under a cap, found from what JAX itself keeps and computes under each.

A policy is asked about one equation at a time and told its primitive, the types it reads and its parameters, so equations that agree in
these are decided together: a class. Which classes to save is searched: one by one the class that saves the most operations per byte,
then exchanges, while what is kept stays under the cap. Both are JAX's own figures: the residuals of `jax.vjp`, and the operations XLA
counts in the lowered gradient.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from .._errors import NoPlan
from .._plan import Plan, Value
from .._units import format_bytes, parse_cap

Key = tuple[str, tuple[Any, ...], str]


class Policy:
    """A policy for `jax.checkpoint(fn, policy=...)`; `plan` says what it keeps."""

    def __init__(self, saved: frozenset[Key]) -> None:
        self._saved = saved
        self._plan: Plan | None = None

    @property
    def plan(self) -> Plan:
        """What is saved and what is computed again, with the figures found."""
        assert self._plan is not None
        return self._plan

    def __call__(self, primitive: Any, *types: Any, **parameters: Any) -> bool:
        """Is this equation's result saved?"""
        return key_of_equation(primitive, types, parameters) in self._saved

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and other._saved == self._saved

    def __hash__(self) -> int:
        return hash(self._saved)


@dataclasses.dataclass(frozen=True)
class _Figures:
    kept: int
    flops: float


def checkpoint_policy(
    fn: Callable[..., Any], *args: Any, cap: int | float | str, cap_counts: str = "saved", wrt: int | tuple[int, ...] = 0,
    time_limit: float = 60.0, prevent_cse: bool = True,
) -> Policy:
    """A policy that keeps what `fn` holds for its gradient under a cap, with few operations repeated.

    Args:
        fn: What `jax.checkpoint` will wrap: a loss, a block, the body of a `lax.scan`.
        args: Its arguments, or their shapes (`jax.ShapeDtypeStruct`).
        cap: Bytes, or a share such as `"60%"` of what is counted without a checkpoint.
        cap_counts: `"saved"`: bytes `jax.vjp` keeps beyond the arguments; `"temp"`: XLA's temporaries of the gradient, compiled for
            every candidate that counts.
        wrt: Arguments the gradient is for, as `argnums` of `jax.grad`.
        time_limit: Seconds to search.
        prevent_cse: As for `jax.checkpoint`, which is to be called with the same; False inside `lax.scan`.

    Returns:
        A callable for `policy=`; it works wherever `jax.checkpoint` does: inside `lax.scan`, under sharding, on every platform.

    Raises:
        NoPlan: keeping nothing but arguments takes more than the cap.
    """
    if cap_counts not in ("saved", "temp"):
        raise ValueError(f"cap_counts={cap_counts!r}: choose 'saved' (bytes kept for the gradient) or 'temp' (XLA's temporaries)")
    return _Search(fn, args, cap_counts, wrt, time_limit, prevent_cse).run(cap)


class _Search:
    def __init__(
        self, fn: Callable[..., Any], args: tuple[Any, ...], counts: str, wrt: int | tuple[int, ...], time_limit: float, prevent_cse: bool
    ) -> None:
        self._fn, self._counts, self._wrt, self._prevent_cse = fn, counts, wrt, prevent_cse
        self._args = jax.tree.map(_abstract, args)
        self._until = time.monotonic() + time_limit
        self._seen: dict[frozenset[Key], _Figures] = {}
        self._classes: dict[Key, None] = {}

    def run(self, wanted: int | float | str) -> Policy:
        everything = self._figures(None)
        cap = parse_cap(wanted, everything.kept)
        recorded = dict.fromkeys(self._classes)
        nothing = self._figures(frozenset())
        if everything.kept <= cap:
            return self._policy(frozenset(recorded), everything, everything, nothing, cap, "everything is kept: it fits")
        if nothing.kept > cap:
            raise NoPlan(
                f"keeping nothing but arguments takes {nothing.kept} bytes ({format_bytes(nothing.kept)}), over the cap of {cap} bytes "
                f"({format_bytes(cap)}): checkpoint smaller parts of the function", nothing.kept, found=True,
            )
        stopped = "no class or exchange helps"
        chosen: frozenset[Key] = frozenset()
        best = nothing
        alone = {}
        for key in recorded:
            if self._late():
                stopped = "time-limit"
                break
            figures = self._figures(frozenset([key]))
            if figures != nothing:
                alone[key] = figures
        # A class may be of use beside another one alone: those that keep more bytes stay candidates.
        candidates = sorted(alone, key=lambda key: (-(nothing.flops - alone[key].flops) / max(alone[key].kept - nothing.kept, 1), key))
        improved = True
        while improved and not self._late():
            improved = False
            for move in self._moves(chosen, candidates):
                if self._late():
                    stopped = "time-limit"
                    break
                figures = self._figures(move)
                if figures.kept <= cap and (figures.flops, figures.kept) < (best.flops, best.kept):
                    chosen, best, improved = move, figures, True
                    break
        return self._policy(chosen, best, everything, nothing, cap, stopped)

    @staticmethod
    def _moves(chosen: frozenset[Key], candidates: list[Key]) -> Any:
        """Sets beside a set: one class more, one exchanged, two for one."""
        for key in candidates:
            if key not in chosen:
                yield chosen | {key}
        for old in sorted(chosen):
            for key in candidates:
                if key not in chosen:
                    yield (chosen - {old}) | {key}
        for old in sorted(chosen):
            yield chosen - {old}

    def _late(self) -> bool:
        return time.monotonic() > self._until

    def _figures(self, saved: frozenset[Key] | None) -> _Figures:
        """Bytes kept and operations of the gradient; None: everything is saved, and the classes are recorded."""
        if saved is not None and saved in self._seen:
            return self._seen[saved]

        def everything(primitive: Any, *types: Any, **parameters: Any) -> bool:
            self._classes.setdefault(key_of_equation(primitive, types, parameters))
            return True

        policy = everything if saved is None else Policy(saved)
        wrapped = jax.checkpoint(self._fn, policy=policy, prevent_cse=self._prevent_cse)
        lowered = jax.jit(self._gradient(wrapped)).lower(*self._args)
        flops = float((lowered.cost_analysis() or {}).get("flops", 0.0))
        if self._counts == "temp":
            kept = int(lowered.compile().memory_analysis().temp_size_in_bytes)
        else:
            kept = self._residuals(wrapped)
        figures = _Figures(kept, flops)
        if saved is not None:
            self._seen[saved] = figures
        return figures

    def _gradient(self, wrapped: Callable[..., Any]) -> Callable[..., Any]:
        def total(*args: Any) -> Any:
            # Any pytree of results: their sum has the gradients that all of them being used has.
            return sum(jnp.sum(leaf.astype(jnp.float32)) for leaf in jax.tree.leaves(wrapped(*args)) if jnp.issubdtype(leaf.dtype, jnp.floating))

        return jax.value_and_grad(total, argnums=self._wrt, allow_int=True)

    def _residuals(self, wrapped: Callable[..., Any]) -> int:
        """Bytes of what the pullback of `jax.vjp` holds beyond the arguments."""
        numbers = (self._wrt,) if isinstance(self._wrt, int) else self._wrt

        def pulled(*args: Any) -> Any:
            def part(*chosen: Any) -> Any:
                full = list(args)
                for number, value in zip(numbers, chosen, strict=True):
                    full[number] = value
                return wrapped(*full)

            return jax.vjp(part, *(args[number] for number in numbers))[1]

        held = jax.eval_shape(pulled, *self._args)
        inputs: dict[tuple[Any, ...], int] = {}
        for leaf in jax.tree.leaves(self._args):
            kind = (leaf.shape, str(leaf.dtype))
            inputs[kind] = inputs.get(kind, 0) + 1
        total = 0
        for leaf in jax.tree.leaves(held):
            kind = (leaf.shape, str(leaf.dtype))
            # Arguments are held anyway; they come back with the type they went in with.
            if inputs.get(kind, 0):
                inputs[kind] -= 1
            else:
                total += _bytes(leaf)
        return total

    def _policy(self, saved: frozenset[Key], best: _Figures, everything: _Figures, nothing: _Figures, cap: int, stopped: str) -> Policy:
        policy = Policy(saved)
        policy._plan = Plan(
            framework="jax", cap_bytes=cap, cap_counts=self._counts, peak_bytes=best.kept, unplanned_bytes=everything.kept, resident_bytes=0,
            saved_bytes=best.kept, seconds=best.flops, unplanned_seconds=everything.flops, bound=min(everything.flops, best.flops),
            values=[
                Value(key[0], key[0], ", ".join(map(str, key[1])), 0, 0.0, "saved" if key in saved else "recomputed", 1 if key in saved else 2,
                      "its class is in the policy" if key in saved else "its class is not in the policy: it is computed again where the gradient needs it")
                for key in self._classes
            ],
            method="class search", stop_reason=stopped, measured_bytes=best.kept if self._counts == "temp" else None,
            notes=[
                "times are operations as XLA counts them in the lowered gradient",
                f"keeping nothing takes {format_bytes(nothing.kept)} and {nothing.flops / max(everything.flops, 1.0):.4f} of the operations",
            ],
        )
        return policy


def _abstract(leaf: Any) -> Any:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    array = leaf if hasattr(leaf, "dtype") and hasattr(leaf, "shape") else jnp.asarray(leaf)
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


def _bytes(leaf: Any) -> int:
    size = 1
    for extent in leaf.shape:
        size *= extent
    return size * (leaf.dtype.itemsize if hasattr(leaf.dtype, "itemsize") else 4)


def key_of_equation(primitive: Any, types: Any, parameters: dict[str, Any]) -> Key:
    """Equations that agree in this share their fate."""
    shapes = tuple(f"{getattr(kind, 'dtype', '?')}{list(getattr(kind, 'shape', ()))}" for kind in types)
    plain = ",".join(f"{name}={value!r}" for name, value in sorted(parameters.items()) if isinstance(value, (int, str, bool, tuple, type(None))))
    return (primitive.name, shapes, plain)
