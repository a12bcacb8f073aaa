"""PyTorch: how long the searches for a cap may take together, by a clock that stands still while nothing searches."""

import types

import pytest

torch = pytest.importorskip("torch")

from models_torch import perceptron  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast import _planner  # noqa: E402
from ballast.torch import _partitioner  # noqa: E402
from ballast.torch._rehearsal import Rehearsal  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


class Clock:
    """Every search takes all of its time, whatever it finds; so does a rehearsal of some seconds."""

    def __init__(self, monkeypatch, rehearsal=0.0):
        self.now = 0.0
        self.asked = []
        search, rehearse = _planner.solve, _partitioner.rehearse

        def solve(problem, budget, *, time_limit, **options):
            self.now += time_limit
            self.asked.append(time_limit)
            return search(problem, budget, time_limit=0.2, **options)

        def rehearsed(*given):
            self.now += rehearsal
            return rehearse(*given)

        monkeypatch.setattr(_planner, "solve", solve)
        monkeypatch.setattr(_partitioner, "rehearse", rehearsed)
        monkeypatch.setattr(_partitioner, "time", types.SimpleNamespace(monotonic=lambda: self.now))


def refused(**options):
    """A cap without a plan: parameters and gradients alone are above it."""
    with pytest.raises(ballast.NoPlan, match="least cap found") as error:
        ballast.torch.compile(perceptron(16, 8), cap="10kB", threads=1, **options)(torch.randn(256, 16))
    return error.value.least_cap_bytes


@pytest.mark.parametrize("limit, most", [(20.0, 60.0), (1.0, 6.0)])
@pytest.mark.parametrize("rehearsal", [0.0, 0.5])
def test_a_refusal_takes_three_times_the_limit_and_all_of_it_at_first(monkeypatch, limit, most, rehearsal):
    clock = Clock(monkeypatch, rehearsal)
    refused(time_limit=limit)
    # Two orders share the first search; what is left over is one rehearsal and the last, shortest search.
    assert sum(clock.asked[:2]) == limit
    assert clock.now <= most + 3 * rehearsal + limit / 50


def test_plans_made_again_share_what_the_first_left(monkeypatch):
    clock = Clock(monkeypatch)
    monkeypatch.setattr(_partitioner, "rehearse", lambda *given: Rehearsal(10**6, {}))
    monkeypatch.setattr(_partitioner.JointProblem, "learn", lambda *given: False)
    search = _planner.solve
    known = []

    def solve(problem, budget, **options):
        # Whatever is asked for, the plan is the first one, and a rehearsal says that it takes too much.
        known.append(search(problem, known[0].budget_bytes if known else budget, **options))
        return known[0]

    monkeypatch.setattr(_planner, "solve", solve)
    with pytest.raises(ballast.NoPlan):
        ballast.torch.compile(perceptron(16, 8), cap="200kB", threads=1, time_limit=20.0)(torch.randn(256, 16))
    assert len(clock.asked) == 2 * _partitioner.TRIES
    assert [sum(clock.asked[at:at + 2]) for at in (0, 2, 4, 6)] == [20.0, 20.0, 10.0, 5.0]
    assert clock.now <= 60.0 + 20.0 / 50


def test_where_searches_count_steps_no_clock_has_a_say(monkeypatch):
    found = {refused(time_limit=1.0, work_limit=20_000)}
    for rehearsal in (0.0, 100.0):
        _partitioner.KNOWN.clear()
        torch._dynamo.reset()
        torch.manual_seed(0)
        with monkeypatch.context() as patched:
            Clock(patched, rehearsal)
            found.add(refused(time_limit=1.0, work_limit=20_000))
    assert len(found) == 1
