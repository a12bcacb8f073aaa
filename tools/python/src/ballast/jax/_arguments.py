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

    @functools.cached_property
    def leaves(self) -> list[Any]:
        """Traced arguments, leaf by leaf."""
        return self._flat[0]

    @functools.cached_property
    def _flat(self) -> tuple[list[Any], Any]:
        return jax.tree.flatten((self.dynamic, self.named))

    @functools.cached_property
    def mark(self) -> Hashable:
        """Calls of equal marks run the same compiled step. Those of unequal ones may, too: a mark is made and compared in less time than a `kind`, as JAX's arrays have much
        of it at hand, and share it."""
        arrays = [((leaf.aval, leaf.sharding) if leaf.committed else leaf.aval) if type(leaf) in _ARRAYS else _kind_of(leaf, None) for leaf in self.leaves]
        # Values of unequal hashes are never compared.
        return hash(self.key), self.key, self._flat[1], arrays, _settings()

    @property
    def kind(self) -> Hashable:
        """All that a compiled step depends on: which arguments there are, and their shapes and types; where those lie that cannot be moved; what is fixed; and how JAX is set
        up, as far as it traces functions anew for that."""
        settings = _settings()
        _ARRAYS.update(filter(_is_array, set(map(type, self.leaves))))
        return self._flat[1], tuple(_kind_of(leaf, settings[0]) for leaf in self.leaves), settings, self.key

    @property
    def is_tied(self) -> bool:
        """Is there an array that cannot be moved to another device?"""
        return any(map(_is_committed, self.leaves))

    @functools.cached_property
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


#: Types of JAX's own arrays, of those that were looked at.
_ARRAYS: set[type] = set()


def _settings() -> tuple[Any, ...]:
    """How JAX is set up: first the device that things go to."""
    chosen = jax.config.jax_default_device
    usual = jax.local_devices(backend=chosen)[0] if isinstance(chosen, str) else chosen or jax.local_devices()[0]
    # A seed that the step makes keys of becomes one of this kind, which is nothing that JAX itself traces anew for.
    return usual, str(jax.config.jax_default_prng_impl), trace_context()


def _kind_of(leaf: Any, usual: Any) -> tuple[Any, ...]:
    """Shape and type of a leaf, and where it lies if it is an array that cannot be moved from there: where it would be put anyway says nothing."""
    if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
        return (type(leaf).__name__,)
    where = leaf.sharding if _is_committed(leaf) and not _is_usual(leaf.sharding, usual) else None
    return tuple(leaf.shape), leaf.dtype, bool(getattr(leaf, "weak_type", False)), where


def _is_array(kind: type) -> bool:
    """Is it a type of arrays of numbers, which say what they are and where?"""
    return issubclass(kind, jax.Array) and not issubclass(kind, jax.core.Tracer) and hasattr(kind, "aval") and hasattr(kind, "committed")


def _is_committed(leaf: Any) -> bool:
    return bool(getattr(leaf, "committed", False))


def _is_usual(sharding: Any, usual: Any) -> bool:
    return sharding.device_set == {usual} and sharding.memory_kind in (None, usual.default_memory().kind)
