"""Which arguments of a step are fixed and which are given away, by their places or names, as `jax.jit` reads them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax

try:
    # All that JAX itself traces a function anew for, when it changes.
    from jax._src.config import trace_context
except ImportError:

    def trace_context() -> Hashable:
        """What is known of it from outside."""
        return jax.config.jax_enable_x64, jax.config.jax_default_matmul_precision, jax.config.jax_threefry_partitionable


_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclasses.dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    #: Traced arguments in order, those by name, and which of the first are given away.
    dynamic: tuple[Any, ...]
    named: dict[str, Any]
    donated: tuple[int, ...]
    #: Arguments that the step is compiled for: by place, and by name.
    fixed: dict[int, Any]
    fixed_named: dict[str, Any]

    @property
    def key(self) -> Hashable:
        """Tells calls apart by what is fixed; by type too, as 1, 1.0 and True are equal."""
        places = tuple((at, type(value), value) for at, value in self.fixed.items())
        return places, tuple((name, type(value), value) for name, value in sorted(self.fixed_named.items()))

    def step(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """The step as a function of its traced arguments."""
        places = [at for at in range(len(self.dynamic) + len(self.fixed)) if at not in self.fixed]

        def call(*dynamic: Any, **named: Any) -> Any:
            full = dict(zip(places, dynamic, strict=True)) | self.fixed
            return step(*(full[at] for at in range(len(full))), **named, **self.fixed_named)

        return call


class Arguments:
    """What `static_argnums` and `donate_argnums` say of a step."""

    def __init__(self, step: Callable[..., Any], static: int | Sequence[int], donate: int | Sequence[int]) -> None:
        # Refuses what JAX refuses: places that the step has not, and those both fixed and given away.
        jax.jit(step, static_argnums=static, donate_argnums=donate)
        self._static, self._donate = _numbers(static), _numbers(donate)
        try:
            parameters = inspect.signature(step).parameters.values()
        except (TypeError, ValueError):  # A callable that does not say what it takes.
            parameters = ()
        self._names = [parameter.name for parameter in parameters if parameter.kind in _PLACED]

    def of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Reads a call. What is given by name stands at its place, where nothing before it is left out."""
        placed, named = list(args), dict(kwargs)
        if self._static or self._donate:
            for name in self._names[len(placed) :]:
                if name not in named:
                    break
                placed.append(named.pop(name))
        count = len(placed)
        static = {at + count if at < 0 else at for at in self._static}
        fixed = {at: placed[at] for at in sorted(static) if 0 <= at < count}
        names = {self._names[at] for at in static if count <= at < len(self._names)}
        places = [at for at in range(count) if at not in fixed]
        return Call(
            dynamic=tuple(placed[at] for at in places),
            named={name: value for name, value in named.items() if name not in names},
            donated=tuple(places.index(at) for at in self._donate if at in places),
            fixed=fixed,
            fixed_named={name: named[name] for name in sorted(names) if name in named},
        )


def _numbers(value: int | Sequence[int]) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def kinds_of(leaves: Sequence[Any]) -> Hashable:
    """All of arguments that a compiled step depends on: shapes, types, and where arrays lie that cannot be moved; and how JAX is set up, as far as it traces
    functions anew for that."""
    chosen = jax.config.jax_default_device
    usual = jax.local_devices(backend=chosen)[0] if isinstance(chosen, str) else chosen or jax.local_devices()[0]
    # A seed that the step makes keys of becomes one of this kind, which is nothing that JAX itself traces anew for.
    generator = str(jax.config.jax_default_prng_impl)
    return tuple(_kind_of(leaf, usual) for leaf in leaves), usual, generator, trace_context()


def _kind_of(leaf: Any, usual: Any) -> tuple[Any, ...]:
    if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
        return (type(leaf).__name__,)
    # Where an array would be put anyway says nothing.
    where = leaf.sharding if is_committed(leaf) and not _is_usual(leaf.sharding, usual) else None
    return tuple(leaf.shape), str(leaf.dtype), bool(getattr(leaf, "weak_type", False)), where


def is_committed(leaf: Any) -> bool:
    """Is it an array that cannot be moved to another device?"""
    return bool(getattr(leaf, "committed", False))


def _is_usual(sharding: Any, usual: Any) -> bool:
    return sharding.device_set == {usual} and sharding.memory_kind in (None, usual.default_memory().kind)
