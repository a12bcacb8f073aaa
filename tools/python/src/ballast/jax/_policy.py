"""A policy for `jax.checkpoint` under a cap, found from what JAX itself keeps and computes under each.

Which classes of equations to save, and where asked to offload, is searched: JAX's own policies first, then one by one the class that
saves most per byte, then exchanges, while what is kept stays under the cap. Of all that was looked at the best is given. What is kept
are the residuals of `jax.vjp`; what it costs are the operations XLA counts in the lowered gradient, or the seconds of a device.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Var

from .. import _options
from .._clock import Clock
from .._errors import BallastError, NoPlan
from .._plan import Plan
from .._units import format_bytes, parse_cap
from ._classes import OFFLOADED, SAVED, Choice, Class, Key, Pick, Policy, Recorder, bytes_of, put, saving, values
from ._memory import counted, stats_of
from ._planned import OPERATIONS
from ._price import Cost, Price


@dataclasses.dataclass(frozen=True)
class _Figures:
    """Bytes as the cap counts, of these none of the host's; what it costs."""

    kept: int
    cost: Cost

    @property
    def rank(self) -> tuple[float, int]:
        """What is less is better."""
        return self.cost.value, self.kept


def checkpoint_policy(
    fn: Callable[..., Any], *args: Any, cap: int | float | str, cap_counts: str = "saved", wrt: int | tuple[int, ...] = 0,
    times: str = OPERATIONS, offload: bool = False, time_limit: float = 60.0, prevent_cse: bool = True,
) -> Policy:
    """A policy that keeps what `fn` holds for its gradient under a cap, with as little repeated as can be found.

    Args:
        fn: What `jax.checkpoint` will wrap: a loss, a block, the body of a `lax.scan`.
        args: Its arguments, or their shapes (`jax.ShapeDtypeStruct`).
        cap: Bytes, or a share such as `"60%"` of what is counted without a checkpoint. Memory of the host does not count.
        cap_counts: `"saved"`: bytes `jax.vjp` keeps beyond the arguments; `"temp"`: XLA's temporaries of the gradient, compiled for
            every candidate that counts.
        wrt: Arguments the gradient is for, as `argnums` of `jax.grad`.
        times: What is made least: `"operations"`, or the seconds of a device such as `"h100-80gb"` or a device file (docs/devices.md).
        offload: Values may be copied to the host's pinned memory and back, as JAX's `save_and_offload_only_these_names` does it. Paid for
            in seconds of the host link of the device in `times`.
        time_limit: Seconds to search.
        prevent_cse: As for `jax.checkpoint`, which is to be called with the same; False inside `lax.scan`.

    Returns:
        A callable for `policy=`; it works wherever `jax.checkpoint` does: inside `lax.scan`, under sharding, on every platform.

    Raises:
        NoPlan: keeping nothing but arguments takes more than the cap.
        BallastError: the platform cannot offload, or not be asked what a program takes then.
        ValueError: options that make no sense.
    """
    if cap_counts not in ("saved", "temp"):
        raise ValueError(f"cap_counts={cap_counts!r}: choose 'saved' (bytes kept for the gradient) or 'temp' (XLA's temporaries)")
    _options.seconds("time_limit", time_limit)
    price = Price(times, offload)
    if cap_counts == "temp" and not price.moves:
        raise BallastError(
            f"the {jax.default_backend()} back end keeps what is offloaded in the device's own memory, so XLA's temporaries do not say what it spares: "
            "use cap_counts='saved', or find the policy on the accelerator"
        )
    return Search(fn, args, cap_counts=cap_counts, wrt=wrt, price=price, prevent_cse=prevent_cse).run(cap, time_limit)


class Search:
    """The search for one function. What it learns of a choice under one cap it knows under the next."""

    def __init__(
        self, fn: Callable[..., Any], args: tuple[Any, ...], *, cap_counts: str, wrt: int | tuple[int, ...], price: Price, prevent_cse: bool
    ) -> None:
        self._fn, self._counts, self._wrt, self._price, self._prevent_cse = fn, cap_counts, wrt, price, prevent_cse
        self._args = jax.tree.map(_abstract, args)
        self._seen: dict[Choice, _Figures] = {}
        recorder = Recorder()
        self._everything, self._classes, self._named = self._of(recorder), recorder.classes, recorder.named

    def run(self, wanted: int | float | str, time_limit: float) -> Policy:
        """The policy under a cap.

        Raises:
            NoPlan: keeping nothing but arguments takes more.
        """
        with Clock(time_limit) as clock:
            return self._search(wanted, clock)

    @property
    def least_bytes(self) -> int:
        """The smallest cap that `run` has a policy for."""
        return min(self._figures(frozenset()).kept, self._everything.kept)

    def least(self) -> Policy:
        """The policy that keeps least: nothing, where everything is not less."""
        everything, nothing = self._everything, self._figures(frozenset())
        chosen, best = (saving(self._classes), everything) if everything.kept < nothing.kept else (frozenset(), nothing)
        return self._policy(chosen, self._classes, best, everything, nothing, best.kept, "what keeps least was asked for")

    def _search(self, wanted: int | float | str, clock: Clock) -> Policy:
        everything, classes = self._everything, self._classes
        cap = parse_cap(wanted, everything.kept)
        nothing = self._figures(frozenset())
        fits = everything.kept <= cap
        if fits and self._price.by_operations:
            return self._policy(saving(classes), classes, everything, everything, nothing, cap, "everything is kept: it fits")
        if nothing.kept > cap and not fits:
            raise NoPlan(
                f"keeping nothing but arguments takes {nothing.kept} bytes ({format_bytes(nothing.kept)}), over the cap of {cap} bytes "
                f"({format_bytes(cap)}): checkpoint smaller parts of the function", nothing.kept, found=True,
            )
        # What is stored takes time to write and to read: by seconds saving everything need not be best.
        start = (saving(classes), everything) if fits else (frozenset(), nothing)
        for saved in self._named.values():
            self._figures(saving(saved))
        alone: dict[Pick, _Figures] = {}
        for pick in self._picks(classes):
            if clock.over():
                break
            clock.says(f"what to save: {len(self._seen)} choices traced")
            figures = self._figures(frozenset([pick]))
            if figures != nothing:
                alone[pick] = figures
        # A class may be of use beside another one alone: those that keep more bytes stay candidates.
        candidates = sorted(alone, key=lambda pick: (-(nothing.cost.value - alone[pick].cost.value) / max(alone[pick].kept - nothing.kept, 1), pick))
        # The best choice so far is near a good one, but class by class from the start there may be a better one.
        for chosen, figures in (self._best(start, cap), start):
            self._improve(chosen, figures, cap, candidates, clock)
        chosen, best = self._best(start, cap)
        stopped = "time-limit" if clock.stopped else "no class or exchange helps"
        return self._policy(chosen, classes, best, everything, nothing, cap, stopped)

    def _best(self, start: tuple[Choice, _Figures], cap: int) -> tuple[Choice, _Figures]:
        """The best of all choices that were traced and keep the cap, whatever the clock left of the search."""
        return min([start, *(one for one in self._seen.items() if one[1].kept <= cap)], key=lambda one: one[1].rank)

    def _improve(self, chosen: Choice, best: _Figures, cap: int, candidates: list[Pick], clock: Clock) -> None:
        """Traces choices beside one and goes on from the first that is better, until none is or time is up."""
        improved = True
        while improved and not clock.over():
            improved = False
            for move in _moves(chosen, candidates):
                if clock.over():
                    break
                clock.says(f"what to save: {len(self._seen)} choices traced")
                figures = self._figures(move)
                if figures.kept <= cap and figures.rank < best.rank:
                    chosen, best, improved = move, figures, True
                    break

    def _picks(self, classes: dict[Key, Class]) -> Iterator[Pick]:
        for key, one in classes.items():
            yield key, SAVED
            if self._price.offload and one.movable:
                yield key, OFFLOADED

    def _figures(self, choice: Choice) -> _Figures:
        if choice not in self._seen:
            self._seen[choice] = self._of(Policy(choice))
        return self._seen[choice]

    def _of(self, policy: Any) -> _Figures:
        """Bytes kept, and cost of the gradient."""
        wrapped = jax.checkpoint(self._fn, policy=policy, prevent_cse=self._prevent_cse)
        kept = self._residuals(wrapped) if self._counts == "saved" else counted(stats_of(self._traced(wrapped).lower().compile()), "temp")
        # Behind barriers in any case: in a loop the passes are apart, and what is computed again is not taken for the same.
        traced = self._traced(jax.checkpoint(self._fn, policy=policy))
        return _Figures(kept, self._price.lowered(traced))

    def _traced(self, wrapped: Callable[..., Any]) -> Any:
        return jax.jit(self._gradient(wrapped)).trace(*self._args)

    def _gradient(self, wrapped: Callable[..., Any]) -> Callable[..., Any]:
        def total(*args: Any) -> Any:
            # Any pytree of results: their sum has the gradients that all of them being used has.
            return sum(map(_real_sum, jax.tree.leaves(wrapped(*args))), jnp.float32(0))

        return jax.value_and_grad(total, argnums=self._wrt, allow_int=True)

    def _residuals(self, wrapped: Callable[..., Any]) -> int:
        """Bytes of what the pullback of `jax.vjp` holds on the device beyond the arguments."""
        places = (self._wrt,) if isinstance(self._wrt, numbers.Integral) else self._wrt

        def pulled(*args: Any) -> Any:
            def part(*chosen: Any) -> Any:
                full = list(args)
                for number, value in zip(places, chosen, strict=True):
                    full[number] = value
                return wrapped(*full)

            return jax.vjp(part, *(args[number] for number in places))[1]

        jaxpr = jax.make_jaxpr(pulled)(*self._args).jaxpr
        # Arguments are held anyway, and what is held twice is there once. Others may have their types.
        given = set(jaxpr.invars)
        held = dict.fromkeys(one for one in jaxpr.outvars if isinstance(one, Var) and one not in given)
        literals = [one for one in jaxpr.outvars if not isinstance(one, Var)]
        return sum(bytes_of(one.aval) for one in (*held, *literals) if one.aval.memory_space != jax.memory.Space.Host)

    def _policy(
        self, chosen: Choice, classes: dict[Key, Class], best: _Figures, everything: _Figures, nothing: _Figures, cap: int, stopped: str
    ) -> Policy:
        policy = Policy(chosen)
        spent = "operations" if self._price.by_operations else "time"
        policy._plan = Plan(
            framework="jax", cap_bytes=cap, cap_counts=self._counts, peak_bytes=best.kept, unplanned_bytes=everything.kept, resident_bytes=0,
            saved_bytes=best.kept, seconds=best.cost.value, unplanned_seconds=everything.cost.value,
            bound=self._price.bound(everything.cost.value, best.cost.value), values=values(classes, chosen),
            method="class search", stop_reason=stopped, measured_bytes=best.kept if self._counts == "temp" else None,
            offloaded_bytes=best.cost.copies.out_bytes, link_seconds=best.cost.link_seconds,
            notes=[
                *(["times are operations as XLA counts them in the lowered gradient"] if self._price.by_operations else []),
                f"keeping nothing takes {format_bytes(nothing.kept)} and {nothing.cost.value / max(everything.cost.value, 1e-30):.4f} of the {spent}",
                *self._price.notes(),
            ],
        )
        return policy


def _moves(chosen: Choice, candidates: list[Pick]) -> Iterator[Choice]:
    """Choices beside one: one class more or elsewhere, one exchanged, one less."""
    taken = {key for key, _ in chosen}
    for pick in candidates:
        if pick not in chosen:
            yield put(chosen, pick)
    for old in sorted(chosen):
        for pick in candidates:
            if pick[0] not in taken:
                yield put(chosen - {old}, pick)
    for old in sorted(chosen):
        yield chosen - {old}


def _real_sum(leaf: Any) -> Any:
    """A sum that depends on all of a leaf that has a gradient."""
    # What is under a checkpoint may come out as a number of Python.
    leaf = leaf if isinstance(leaf, jax.Array) else jnp.asarray(leaf)
    if jnp.issubdtype(leaf.dtype, jnp.complexfloating):
        return _real_sum(leaf.real) + _real_sum(leaf.imag)
    return jnp.sum(leaf.astype(jnp.float32)) if jnp.issubdtype(leaf.dtype, jnp.floating) else 0


def _abstract(leaf: Any) -> Any:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    array = leaf if hasattr(leaf, "dtype") and hasattr(leaf, "shape") else jnp.asarray(leaf)
    return jax.ShapeDtypeStruct(array.shape, array.dtype)
