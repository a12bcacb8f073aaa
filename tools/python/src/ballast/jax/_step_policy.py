"""A policy for the `jax.checkpoint` calls inside a step, found from what XLA takes for the whole step under it.

Which classes of equations to save is searched from both ends: from nothing, those first whose saving spares most per byte; from
everything, those dropped first that cost least per byte. Prefixes of both orders (where asked, with the rest offloaded), JAX's own policies,
and sets beside the best one are compiled, and of all that keep the cap the one that costs least is taken: fewest operations, or seconds of
a device. What was compiled for one cap is known for the next.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from .. import _options
from .._clock import Clock
from .._errors import BallastError, NoPlan
from .._known import Candidate, Known, key_of
from .._plan import Plan
from .._units import format_bytes, parse_cap
from ._classes import OFFLOADED, SAVED, Choice, Class, Key, Pick, Policy, Recorder, put, saving, values
from ._memory import counted as counted_bytes, stats_of
from ._operations import operations
from ._planned import OPERATIONS
from ._price import Cost, Price

#: Policies compiled before, by step.
KNOWN: Known[Choice] = Known()
#: Of the time to search, what single classes may take; the rest is for sets that are compiled.
SINGLE = 0.4


def step_policy(
    make_step: Callable[[Any], Callable[..., Any]], *args: Any, cap: int | float | str, cap_counts: str = "temp",
    donate_argnums: int | Sequence[int] = (), compiler_options: dict[str, Any] | None = None, times: str = OPERATIONS, offload: bool = False,
    time_limit: float = 120.0,
) -> Policy:
    """A policy for the checkpoints inside a step, such as one `nn.remat` per block, so that the compiled step keeps a cap.

    Args:
        make_step: From a policy to the step that uses it: `make_step(policy)` is what would be given to `jax.jit`, gradients and optimizer
            included, with `jax.checkpoint(..., policy=policy)` or `nn.remat(..., policy=policy)` around its parts.
        args: Arguments of the step, or their shapes.
        cap: Bytes, or a share such as `"60%"` of what is counted where the policy saves everything. Memory of the host does not count.
        cap_counts: `"temp"`: XLA's temporaries; `"step"`: arguments and results too, donated memory once.
        donate_argnums, compiler_options: As for `jax.jit`, and to be given to it too. XLA's CPU compiler drops the barriers that hold
            recomputation back unless it is given `ballast.jax.compiler_options()`.
        times: What is made least: `"operations"`, or the seconds of a device such as `"h100-80gb"` or a device file (docs/devices.md).
        offload: Values may be copied to the host's pinned memory and back, paid for in seconds of the host link of the device in `times`.
        time_limit: Seconds to search. Every set that counts is compiled.

    Raises:
        NoPlan: no set of values that was compiled keeps the cap.
        BallastError: the step asks no policy, or the platform does not offload.
        ValueError: options that make no sense.
    """
    if cap_counts not in ("temp", "step"):
        raise ValueError(f"cap_counts={cap_counts!r}: choose 'temp' (XLA's temporaries) or 'step' (arguments, results and temporaries)")
    parse_cap(cap, 2**60)
    _options.seconds("time_limit", time_limit)
    price = Price(times, offload)
    if not price.moves:
        raise BallastError(
            f"the {jax.default_backend()} back end keeps what is offloaded in the device's own memory, so that no step takes less by it: find the policy on "
            "the accelerator, or one for a block by ballast.checkpoint_policy(..., offload=True)"
        )
    return _Search(make_step, args, cap_counts, donate_argnums, compiler_options, price, time_limit).run(cap)


@dataclasses.dataclass(frozen=True)
class _Figures:
    """Bytes as the cap counts, of these none of the host's; operations as compiled, and what the choice costs."""

    kept: int
    operations: float
    cost: Cost


class _Search:
    def __init__(
        self, make_step: Callable[[Any], Callable[..., Any]], args: tuple[Any, ...], counts: str, donate: int | Sequence[int],
        options: dict[str, Any] | None, price: Price, time_limit: float,
    ) -> None:
        self._make, self._args, self._counts, self._donate, self._options = make_step, args, counts, donate, options
        self._price = price
        self._clock = Clock(time_limit)
        self._problem = ""
        self._seen: dict[Choice, _Figures] = {}
        self._lowered: dict[Choice, Cost] = {}
        #: Classes to exchange, the most promising ones first.
        self._candidates: list[Pick] = []

    def run(self, wanted: int | float | str) -> Policy:
        with self._clock:
            return self._search(wanted)

    def _search(self, wanted: int | float | str) -> Policy:
        recorder = Recorder()
        traced = self._trace(recorder)
        classes = recorder.classes
        if not classes:
            raise BallastError("the step asks no policy: give the one it is made with to jax.checkpoint or nn.remat inside it")
        self._problem = key_of("policy", self._counts, self._price.times, self._price.offload, sorted((self._options or {}).items()), traced.lower().as_text())
        everything = self._measured(saving(classes))
        nothing = self._measured(frozenset())
        cap = parse_cap(wanted, everything.kept)
        for saved in recorder.named.values():
            self._measured(saving(saved))
        stopped = "no set beside the best one helps"
        if self._price.by_operations and everything.kept <= cap and everything.cost.value <= nothing.cost.value:
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

    def _orders(self, classes: dict[Key, Class], cap: int) -> bool:
        """Prefixes of two orders of the classes, halved between what fits and what does not. False: time was up."""
        none, whole = self._counted(frozenset()), self._counted(saving(classes))
        spared, lost = {}, {}
        for key in sorted(classes, key=lambda key: (-classes[key].bytes, key)):
            if self._clock.spent(SINGLE):
                break
            spared[key] = (none - self._counted(saving([key]))) / max(classes[key].bytes, 1)
            lost[key] = (self._counted(saving(classes) - {(key, SAVED)}) - whole) / max(classes[key].bytes, 1)
        # A class that alone spares nothing may do so beside others, and one that is not looked at any more comes last.
        worth = sorted(classes, key=lambda key: (-max(spared.get(key, 0.0), lost.get(key, 0.0)), classes[key].bytes, key))
        away = [key for key in worth if key in spared and self._price.offload and classes[key].movable]
        self._candidates = [pick for key in worth if key in spared for pick in ((key, SAVED), (key, OFFLOADED)) if pick[1] == SAVED or key in away]
        orders = (sorted(classes, key=lambda key: (-spared.get(key, 0.0), -lost.get(key, 0.0), classes[key].bytes, key)),
                      sorted(classes, key=lambda key: (-lost.get(key, 0.0), -spared.get(key, 0.0), classes[key].bytes, key)), worth)
        for order, rest in [(order, []) for order in orders] + ([(order, away) for order in orders] if away else []):
            low, high = 0, len(order)
            while high - low > 1:
                if self._clock.over():
                    return False
                middle = (low + high) // 2
                saved = order[:middle]
                if self._measured(saving(saved) | {(key, OFFLOADED) for key in rest if key not in saved}).kept <= cap:
                    low = middle
                else:
                    high = middle
        return True

    def _beside(self, classes: dict[Key, Class], cap: int) -> bool:
        """Sets beside the best one, until none is better. False: time was up."""
        while True:
            best = KNOWN.best(self._problem, cap)
            if best is None:
                return True
            for move in self._moves(best.found, classes):
                if self._clock.over():
                    return False
                if move in self._seen:
                    continue
                # Lowering is cheap beside compiling: what cannot spare anything is not compiled.
                if self._counted(move) > self._counted(best.found):
                    continue
                found = self._measured(move)
                if found.kept <= cap and (found.cost.value, found.kept) < (best.cost, best.takes):
                    break
            else:
                return True

    def _moves(self, chosen: Choice, classes: dict[Key, Class]) -> Iterator[Choice]:
        """One class more or elsewhere, one exchanged, one less."""
        taken = {key for key, _ in chosen}
        fewer = sorted(chosen, key=lambda pick: (-classes[pick[0]].bytes, pick))
        for pick in self._candidates:
            if pick not in chosen:
                yield put(chosen, pick)
        for old in fewer:
            yield chosen - {old}
        for old in fewer:
            for pick in self._candidates:
                if pick[0] not in taken:
                    yield put(chosen - {old}, pick)

    # What is known of a set.

    def _trace(self, policy: Any) -> Any:
        return jax.jit(self._make(policy), donate_argnums=self._donate).trace(*self._args)

    def _compile(self, choice: Choice) -> Any:
        return self._trace(Policy(choice)).lower().compile(self._options)

    def _counted(self, choice: Choice) -> float:
        """What it costs, before anything is compiled: XLA's count of operations, or seconds."""
        if choice not in self._lowered:
            self._lowered[choice] = self._price.lowered(self._trace(Policy(choice)))
        return self._lowered[choice].value

    def _measured(self, choice: Choice) -> _Figures:
        """Bytes and cost of the compiled step."""
        if choice not in self._seen:
            self._clock.says(f"what to save: {len(self._seen)} choices compiled")
            compiled = self._compile(choice)
            kept = counted_bytes(stats_of(compiled), self._counts)
            self._counted(choice)
            counted = operations(compiled)
            cost = Cost(counted) if self._price.by_operations else self._lowered[choice]
            self._seen[choice] = _Figures(kept, counted, cost)
            KNOWN.add(self._problem, Candidate(cost.value, kept, choice))
        return self._seen[choice]

    def _policy(
        self, best: Candidate[Choice], classes: dict[Key, Class], everything: _Figures, nothing: _Figures, cap: int, stopped: str
    ) -> Policy:
        policy = Policy(best.found)
        chosen = self._measured(best.found)
        notes = ["times are operations of the compiled step, loops as often as they run"] if self._price.by_operations else []
        policy._plan = Plan(
            framework="jax", cap_bytes=cap, cap_counts=self._counts, peak_bytes=best.takes, unplanned_bytes=everything.kept, resident_bytes=0,
            saved_bytes=best.takes, seconds=best.cost, unplanned_seconds=everything.cost.value, bound=self._price.bound(everything.cost.value, best.cost),
            values=values(classes, best.found), method="class search", stop_reason=stopped, measured_bytes=best.takes, operations=chosen.operations,
            offloaded_bytes=chosen.cost.copies.out_bytes, link_seconds=chosen.cost.link_seconds,
            notes=[
                *notes,
                f"saving nothing takes {format_bytes(nothing.kept)} and {nothing.operations / max(everything.operations, 1.0):.4f} of the operations",
                f"{len(self._seen)} policies were compiled",
                *self._price.notes(),
                *KNOWN.answered(self._problem, cap, best.cost),
            ],
        )
        return policy
