"""A policy for the `jax.checkpoint` calls inside a step, found from what XLA takes for the whole step under it.

Which classes of equations to save is searched from both ends: from nothing, those first whose saving spares most operations per byte; from
everything, those dropped first that cost least per byte. Prefixes of both orders, JAX's own policies, and sets beside the best one are
compiled, and of all that keep the cap the one with the fewest operations is taken. What was compiled for one cap is known for the next.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from .._errors import BallastError, NoPlan
from .._known import Candidate, Known, key_of
from .._plan import Plan, Value
from .._units import format_bytes, parse_cap
from ._operations import operations
from ._policy import Key, Policy, key_of_equation

#: Policies compiled before, by step.
KNOWN: Known[frozenset[Key]] = Known()
#: Of the time to search, what single classes may take; the rest is for sets that are compiled.
SINGLE = 0.4


def step_policy(
    make_step: Callable[[Any], Callable[..., Any]], *args: Any, cap: int | float | str, cap_counts: str = "temp",
    donate_argnums: int | Sequence[int] = (), compiler_options: dict[str, Any] | None = None, time_limit: float = 120.0,
) -> Policy:
    """A policy for the checkpoints inside a step, such as one `nn.remat` per block, so that the compiled step keeps a cap.

    Args:
        make_step: From a policy to the step that uses it: `make_step(policy)` is what would be given to `jax.jit`, gradients and optimizer
            included, with `jax.checkpoint(..., policy=policy)` or `nn.remat(..., policy=policy)` around its parts.
        args: Arguments of the step, or their shapes.
        cap: Bytes, or a share such as `"60%"` of what is counted where the policy saves everything.
        cap_counts: `"temp"`: XLA's temporaries; `"step"`: arguments and results too, donated memory once.
        donate_argnums, compiler_options: As for `jax.jit`, and to be given to it too. XLA's CPU compiler drops the barriers that hold
            recomputation back unless it is given `ballast.jax.COMPILER_OPTIONS`.
        time_limit: Seconds to search. Every set that counts is compiled.

    Raises:
        NoPlan: no set of values that was compiled keeps the cap.
        BallastError: the step asks no policy.
    """
    if cap_counts not in ("temp", "step"):
        raise ValueError(f"cap_counts={cap_counts!r}: choose 'temp' (XLA's temporaries) or 'step' (arguments, results and temporaries)")
    parse_cap(cap, 2**60)
    return _Search(make_step, args, cap_counts, donate_argnums, compiler_options, time_limit).run(cap)


@dataclasses.dataclass
class _Class:
    """Equations that share their fate: how many a policy was asked about, and the bytes of their results."""

    asked: int = 0
    bytes: int = 0


class _Recorder:
    """A policy that saves everything and writes down what it was asked about."""

    def __init__(self) -> None:
        self.classes: dict[Key, _Class] = {}
        #: What JAX's own policies save, in the same terms.
        self.named: dict[str, set[Key]] = {name: set() for name in _NAMED}

    def __call__(self, primitive: Any, *types: Any, **parameters: Any) -> bool:
        key = key_of_equation(primitive, types, parameters)
        one = self.classes.setdefault(key, _Class())
        one.asked += 1
        one.bytes += _result_bytes(primitive, types, parameters)
        for name, policy in _NAMED.items():
            if policy(primitive, *types, **parameters):
                self.named[name].add(key)
        return True


_NAMED: dict[str, Callable[..., Any]] = {
    "dots_saveable": jax.checkpoint_policies.dots_saveable,
    "dots_with_no_batch_dims_saveable": jax.checkpoint_policies.dots_with_no_batch_dims_saveable,
}


def _result_bytes(primitive: Any, types: Sequence[Any], parameters: dict[str, Any]) -> int:
    """Bytes of an equation's results; where its types cannot be told without running it, of what it reads."""
    try:
        results = primitive.abstract_eval(*types, **parameters)[0]
        return sum(_bytes(result) for result in (results if isinstance(results, (list, tuple)) else [results]))
    except Exception:  # Such as a call of a function, whose rule wants more than types.
        return sum(_bytes(kind) for kind in types)


def _bytes(kind: Any) -> int:
    return math.prod(getattr(kind, "shape", ())) * getattr(getattr(kind, "dtype", None), "itemsize", 4)


@dataclasses.dataclass(frozen=True)
class _Figures:
    kept: int
    operations: float


class _Search:
    def __init__(
        self, make_step: Callable[[Any], Callable[..., Any]], args: tuple[Any, ...], counts: str, donate: int | Sequence[int],
        options: dict[str, Any] | None, time_limit: float,
    ) -> None:
        self._make, self._args, self._counts, self._donate, self._options = make_step, args, counts, donate, options
        self._start = time.monotonic()
        self._limit = time_limit
        self._problem = ""
        self._seen: dict[frozenset[Key], _Figures] = {}
        self._lowered: dict[frozenset[Key], float] = {}
        #: Classes to exchange, the most promising ones first.
        self._candidates: list[Key] = []

    def run(self, wanted: int | float | str) -> Policy:
        recorder = _Recorder()
        lowered = self._lower(recorder)
        classes = recorder.classes
        if not classes:
            raise BallastError("the step asks no policy: give the one it is made with to jax.checkpoint or nn.remat inside it")
        self._problem = key_of("policy", self._counts, sorted((self._options or {}).items()), lowered.as_text())
        everything = self._measured(frozenset(classes))
        nothing = self._measured(frozenset())
        cap = parse_cap(wanted, everything.kept)
        for saved in recorder.named.values():
            self._measured(frozenset(saved))
        stopped = "no set beside the best one helps"
        if everything.kept <= cap and everything.operations <= nothing.operations:
            stopped = "everything is kept: it fits"
        elif not self._orders(classes, cap) or not self._beside(classes, cap):
            stopped = "time-limit"
        best = KNOWN.best(self._problem, cap)
        if best is None:
            least = min(figures.kept for figures in self._seen.values())
            raise NoPlan(
                f"no policy of {len(self._seen)} that were compiled keeps the cap of {cap} bytes ({format_bytes(cap)}); the least one takes "
                f"{least} bytes ({format_bytes(least)}): put checkpoints around smaller or larger parts of the step", least, found=True,
            )
        return self._policy(best, classes, everything, nothing, cap, stopped)

    # What is tried.

    def _orders(self, classes: dict[Key, _Class], cap: int) -> bool:
        """Prefixes of two orders of the classes, halved between what fits and what does not. False: time was up."""
        none, whole = self._counted(frozenset()), self._counted(frozenset(classes))
        spared, lost = {}, {}
        for key in sorted(classes, key=lambda key: (-classes[key].bytes, key)):
            if time.monotonic() - self._start > self._limit * SINGLE:
                break
            spared[key] = (none - self._counted(frozenset([key]))) / max(classes[key].bytes, 1)
            lost[key] = (self._counted(frozenset(classes) - {key}) - whole) / max(classes[key].bytes, 1)
        # A class that alone spares nothing may do so beside others, and one that is not looked at any more comes last.
        worth = sorted(classes, key=lambda key: (-max(spared.get(key, 0.0), lost.get(key, 0.0)), classes[key].bytes, key))
        self._candidates = [key for key in worth if key in spared]
        for order in (sorted(classes, key=lambda key: (-spared.get(key, 0.0), -lost.get(key, 0.0), classes[key].bytes, key)),
                      sorted(classes, key=lambda key: (-lost.get(key, 0.0), -spared.get(key, 0.0), classes[key].bytes, key)), worth):
            low, high = 0, len(order)
            while high - low > 1:
                if self._late():
                    return False
                middle = (low + high) // 2
                if self._measured(frozenset(order[:middle])).kept <= cap:
                    low = middle
                else:
                    high = middle
        return True

    def _beside(self, classes: dict[Key, _Class], cap: int) -> bool:
        """Sets beside the best one, until none is better. False: time was up."""
        while True:
            best = KNOWN.best(self._problem, cap)
            if best is None:
                return True
            for move in self._moves(best.found, classes):
                if self._late():
                    return False
                if move in self._seen:
                    continue
                # Lowering is cheap beside compiling: what cannot spare operations is not compiled.
                if self._counted(move) > self._counted(best.found):
                    continue
                found = self._measured(move)
                if found.kept <= cap and (found.operations, found.kept) < (best.cost, best.takes):
                    break
            else:
                return True

    def _moves(self, chosen: frozenset[Key], classes: dict[Key, _Class]) -> Iterator[frozenset[Key]]:
        """One class more, one exchanged, one less."""
        more = [key for key in self._candidates if key not in chosen]
        fewer = sorted(chosen, key=lambda key: (-classes[key].bytes, key))
        for key in more:
            yield chosen | {key}
        for old in fewer:
            yield chosen - {old}
        for old in fewer:
            for key in more:
                yield (chosen - {old}) | {key}

    # What is known of a set.

    def _lower(self, policy: Any) -> Any:
        return jax.jit(self._make(policy), donate_argnums=self._donate).lower(*self._args)

    def _counted(self, saved: frozenset[Key]) -> float:
        """Operations before anything is compiled."""
        if saved not in self._lowered:
            self._lowered[saved] = float((self._lower(Policy(saved)).cost_analysis() or {}).get("flops", 0.0))
        return self._lowered[saved]

    def _measured(self, saved: frozenset[Key]) -> _Figures:
        """Bytes and operations of the compiled step."""
        if saved not in self._seen:
            compiled = self._lower(Policy(saved)).compile(self._options)
            stats = compiled.memory_analysis()
            if stats is None:
                raise BallastError("this platform's compiler does not say what memory a program takes")
            kept = int(stats.temp_size_in_bytes)
            if self._counts == "step":
                kept += int(stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes)
            self._seen[saved] = _Figures(kept, operations(compiled))
            KNOWN.add(self._problem, Candidate(self._seen[saved].operations, kept, saved))
        return self._seen[saved]

    def _late(self) -> bool:
        return time.monotonic() - self._start > self._limit

    def _policy(
        self, best: Candidate[frozenset[Key]], classes: dict[Key, _Class], everything: _Figures, nothing: _Figures, cap: int, stopped: str
    ) -> Policy:
        policy = Policy(best.found)
        policy._plan = Plan(
            framework="jax", cap_bytes=cap, cap_counts=self._counts, peak_bytes=best.takes, unplanned_bytes=everything.kept, resident_bytes=0,
            saved_bytes=best.takes, seconds=best.cost, unplanned_seconds=everything.operations, bound=min(everything.operations, best.cost),
            values=[
                Value(key[0], key[0], ", ".join(map(str, key[1])), one.bytes, 0.0, "saved" if key in best.found else "recomputed",
                      1 if key in best.found else 2, f"{one.asked} equations, of which the policy saves {'all' if key in best.found else 'none'}")
                for key, one in classes.items()
            ],
            method="class search", stop_reason=stopped, measured_bytes=best.takes, operations=best.cost,
            notes=[
                "times are operations of the compiled step, loops as often as they run",
                f"saving nothing takes {format_bytes(nothing.kept)} and {nothing.operations / max(everything.operations, 1.0):.4f} of the operations",
                f"{len(self._seen)} policies were compiled",
                *KNOWN.answered(self._problem, cap, best.cost),
            ],
        )
        return policy
