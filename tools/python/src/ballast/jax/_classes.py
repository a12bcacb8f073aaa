"""Classes of equations that share their fate under a policy, and the policy that gives each its own.

A policy is asked about one equation at a time and told its primitive, the types it reads and its parameters, so equations that agree in
these are decided together.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.ad_checkpoint import Offloadable

from .._plan import Plan, Value

Key = tuple[str, tuple[Any, ...], str]
#: A class, and what becomes of it where it is not computed again: `SAVED` or `OFFLOADED`.
Pick = tuple[Key, str]
Choice = frozenset[Pick]
SAVED, OFFLOADED = "saved", "offloaded"
#: JAX's name of the host's memory that a device copies to by itself.
PINNED_HOST = "pinned_host"
_AWAY = Offloadable(src="device", dst=PINNED_HOST)


class Policy:
    """A policy for `jax.checkpoint(fn, policy=...)`; `plan` says what it keeps."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._fates = dict(choice)
        self._plan: Plan | None = None

    @property
    def plan(self) -> Plan:
        """What is saved, offloaded and computed again, with the figures found."""
        assert self._plan is not None
        return self._plan

    def __call__(self, primitive: Any, *types: Any, **parameters: Any) -> Any:
        """Is this equation's result saved? True, False, or where to."""
        fate = self._fates.get(key_of_equation(primitive, types, parameters))
        return _AWAY if fate == OFFLOADED else fate == SAVED

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and other._choice == self._choice

    def __hash__(self) -> int:
        return hash(self._choice)


@dataclasses.dataclass
class Class:
    """Equations that share their fate: how many a policy was asked about, and the bytes of their results."""

    asked: int = 0
    bytes: int = 0
    #: Can its results be held by the host? Not those of JAX's own types, such as keys of random numbers.
    movable: bool = True


class Recorder:
    """A policy that saves everything but complex numbers and writes down what it was asked about."""

    def __init__(self) -> None:
        self.classes: dict[Key, Class] = {}
        #: What JAX's own policies save, in the same terms.
        self.named: dict[str, set[Key]] = {name: set() for name in _NAMED}

    def __call__(self, primitive: Any, *types: Any, **parameters: Any) -> bool:
        if not all_that_can_be_saved(primitive, *types, **parameters):
            return False
        key = key_of_equation(primitive, types, parameters)
        results = _results(primitive, types, parameters)
        size, movable = sum(map(bytes_of, results)), all(map(_plain, results))
        one = self.classes.setdefault(key, Class())
        one.asked += 1
        one.bytes += size
        one.movable = one.movable and movable
        for name, policy in _NAMED.items():
            if policy(primitive, *types, **parameters):
                self.named[name].add(key)
        return True


_NAMED: dict[str, Callable[..., Any]] = {
    "dots_saveable": jax.checkpoint_policies.dots_saveable,
    "dots_with_no_batch_dims_saveable": jax.checkpoint_policies.dots_with_no_batch_dims_saveable,
}


def all_that_can_be_saved(primitive: Any, *types: Any, **parameters: Any) -> bool:
    """A policy that saves everything but complex numbers: `jax.checkpoint` saves by `reduce_precision`, which is for real numbers alone."""
    return not any(map(_complex, _results(primitive, types, parameters)))


def _results(primitive: Any, types: Sequence[Any], parameters: dict[str, Any]) -> Sequence[Any]:
    """Types of an equation's results; where they cannot be told without running it, of what it reads."""
    try:
        results = primitive.abstract_eval(*types, **parameters)[0]
        return results if isinstance(results, (list, tuple)) else [results]
    except Exception:  # Such as a call of a function, whose rule wants more than types.
        return types


def _complex(kind: Any) -> bool:
    return hasattr(kind, "dtype") and jax.dtypes.issubdtype(kind.dtype, jax.numpy.complexfloating)


def _plain(kind: Any) -> bool:
    return hasattr(kind, "dtype") and not jax.dtypes.issubdtype(kind.dtype, jax.dtypes.extended)


def bytes_of(kind: Any) -> int:
    """Bytes of an array of this type."""
    return math.prod(getattr(kind, "shape", ())) * getattr(getattr(kind, "dtype", None), "itemsize", 4)


def key_of_equation(primitive: Any, types: Any, parameters: dict[str, Any]) -> Key:
    """Equations that agree in this share their fate."""
    shapes = tuple(f"{getattr(kind, 'dtype', '?')}{list(getattr(kind, 'shape', ()))}" for kind in types)
    plain = ",".join(f"{name}={value!r}" for name, value in sorted(parameters.items()) if isinstance(value, (int, str, bool, tuple, type(None))))
    return (primitive.name, shapes, plain)


def saving(keys: Iterable[Key]) -> Choice:
    """These classes saved, all others computed again."""
    return frozenset((key, SAVED) for key in keys)


def put(choice: Choice, pick: Pick) -> Choice:
    """A choice with one class picked, whatever it was before."""
    return frozenset((key, fate) for key, fate in choice if key != pick[0]) | {pick}


def values(classes: dict[Key, Class], choice: Choice) -> list[Value]:
    """What becomes of every class, for people."""
    fates, listed = dict(choice), []
    said = {SAVED: "the policy saves all", OFFLOADED: "the policy moves all to the host and back"}
    for key, one in classes.items():
        fate = fates.get(key, "recomputed")
        reason = f"{one.asked} equations, of which {said.get(fate, 'the policy saves none: they are computed again where the gradient needs them')}"
        listed.append(Value(key[0], key[0], ", ".join(map(str, key[1])), one.bytes, 0.0, fate, 2 if fate == "recomputed" else 1, reason))
    return listed
