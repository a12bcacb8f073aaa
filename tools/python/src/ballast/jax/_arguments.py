"""Which arguments of a step are fixed and which are given away, by their places or names, as `jax.jit` reads them."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import jax

try:
    # All that JAX itself traces a function anew for, when it changes.
    from jax._src.config import trace_context
except ImportError:

    def trace_context() -> Hashable:
        """What is known of it from outside."""
        return jax.config.jax_enable_x64, jax.config.jax_default_matmul_precision, jax.config.jax_threefry_partitionable


#: As `jax.jit` takes them.
Places = int | Sequence[int] | None
Names = str | Iterable[str] | None


@dataclasses.dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    #: Traced arguments in order, and those by name.
    dynamic: tuple[Any, ...]
    named: dict[str, Any]
    #: Which of them are given away, as `jax.jit` is told.
    donation: dict[str, Any]
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

        # Not under the step's own name: steps of one text are one program.
        @functools.wraps(step, assigned=("__qualname__",), updated=())
        def call(*dynamic: Any, **named: Any) -> Any:
            full = dict(zip(places, dynamic, strict=True)) | self.fixed
            return step(*(full[at] for at in range(len(full))), **named, **self.fixed_named)

        if self.fixed or self.fixed_named:
            # What is left has other places than the step says.
            del call.__wrapped__
        return call


class Arguments:
    """What the options of `jax.jit` that name arguments say of a step."""

    def __init__(
        self, step: Callable[..., Any], static_argnums: Places, static_argnames: Names, donate_argnums: Places, donate_argnames: Names
    ) -> None:
        # Refuses what JAX refuses: places and names that the step has not, and those both fixed and given away.
        jax.jit(step, static_argnums=static_argnums, static_argnames=static_argnames, donate_argnums=donate_argnums, donate_argnames=donate_argnames)
        try:
            parameters = [(one.name, one.kind is one.POSITIONAL_OR_KEYWORD) for one in inspect.signature(step).parameters.values()]
        except (TypeError, ValueError):  # A callable that does not say what it takes.
            parameters = []
        self._names = [name for name, _ in parameters]
        self._static = _both(parameters, static_argnums, static_argnames)
        self._donate = _both(parameters, donate_argnums, donate_argnames)

    def of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Reads a call.

        Raises:
            ValueError: what is fixed cannot be told apart from others.
        """
        count = len(args)
        static = {at + count if at < 0 else at for at in self._static[0]}
        fixed = {at: args[at] for at in sorted(static) if 0 <= at < count}
        fixed_named = {name: kwargs[name] for name in sorted(set(self._static[1])) if name in kwargs}
        for at, value in fixed.items():
            _hashable(self._names[at] if at < len(self._names) else f"number {at}", value)
        for name, value in fixed_named.items():
            _hashable(name, value)
        places = [at for at in range(count) if at not in fixed]
        named = {name: value for name, value in kwargs.items() if name not in fixed_named}
        given_away = tuple(places.index(at) for at in self._donate[0] if at in places)
        return Call(
            dynamic=tuple(args[at] for at in places), named=named,
            donation={"donate_argnums": given_away, "donate_argnames": [name for name in self._donate[1] if name in named]},
            fixed=fixed, fixed_named=fixed_named,
        )


def _both(parameters: Sequence[tuple[str, bool]], places: Places, names: Names) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Places, and names of arguments; where one of them is not given it follows from the other, for arguments that have both."""
    chosen = () if places is None else (operator.index(places),) if hasattr(places, "__index__") else tuple(places)
    called = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    if names is None:
        called = tuple(name for at, (name, has_both) in enumerate(parameters) if has_both and at in chosen)
    elif places is None:
        chosen = tuple(at for at, (name, has_both) in enumerate(parameters) if has_both and name in called)
    return chosen, called


def _hashable(name: str, value: Any) -> None:
    try:
        hash(value)
    except TypeError as error:
        raise ValueError(f"the static argument {name} is of type {type(value).__name__} and cannot be hashed ({error}): give what can be, such as a tuple") from None


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
