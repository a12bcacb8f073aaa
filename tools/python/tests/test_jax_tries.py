"""JAX: which plans of a step are tried, with programs that take what the tests say."""

import itertools
import json
import pathlib
import types

import pytest

jax = pytest.importorskip("jax")

import ballast  # noqa: E402
from ballast import _clock  # noqa: E402
from ballast._clock import Clock  # noqa: E402
from ballast.jax import _next_cap, _planned, _program, _tries  # noqa: E402

TARGET = 1000
NAMES = itertools.count()
CASES = json.loads((pathlib.Path(__file__).parents[3] / "tests/inputs/next_caps.json").read_text())


class Program:
    """One that takes twice the target without a plan, for 100 operations."""

    forms = _program.Program.forms
    _text, _predicted, _ops, _times, compile_seconds = "", 2 * TARGET, {}, _planned.OPERATIONS, 0.0
    unplanned = _tries.Memory(2 * TARGET, 0, 0, 0, 100.0)

    def __init__(self, takes=lambda asked, gaps: asked, operations=lambda fusion: 101.0):
        self.key, self.takes, self.operations = f"test_jax_tries {next(NAMES)}", takes, operations
        self.tried = []

    def loops_anew(self, unplanned, clock):
        return []

    def cost(self, one):
        return one.memory.operations

    def _unplanned_form(self, text, fusions):
        return _tries.Form(text, "", 0, self._predicted, self.unplanned.temporary, self._ops, fusions), 100.0

    def attempt(self, form, asked, time_limit, seed, *, gaps):
        self.tried.append((form.fusion, gaps))
        memory = _tries.Memory(self.takes(asked, gaps), 0, 0, 0, self.operations(form.fusion))
        return _tries.Try(asked, asked, memory, {"recompute_seconds": 1.0}, b"", form, {}), None

    def search(self, tries):
        ballast.jit(abs, cap=TARGET, tries=tries)._search.over_forms(self, TARGET, self.unplanned, Clock(None))
        return _program.KNOWN.best(self.key, TARGET)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_the_next_cap_is_the_one_that_ballast_fit_asks_for(case):
    assert _next_cap.next_cap([_next_cap.Taken(*plan) for plan in case["plans"]], case["cap"], case["within"]) == case["next"]


def test_room_for_gaps_is_left_only_where_half_of_the_tries_keep_no_cap():
    free = Program()
    assert free.search(4).takes == TARGET and free.tried == [("xla-cpu", False)]
    # Without room for gaps all plans take too much.
    full = Program(lambda asked, gaps: asked if gaps else 2 * TARGET)
    assert full.search(4).takes == TARGET and full.tried == [("xla-cpu", gaps) for gaps in (False, False, True)]
    # The only plan leaves it, as there is no other one if it takes too much.
    single = Program()
    assert single.search(1).takes == TARGET and single.tried == [("xla-cpu", True)]


@pytest.mark.parametrize(("fused", "tried", "cost"), [(105.0, ["xla-cpu"], 105.0), (150.0, ["xla-cpu", "spread"], 104.0)])
def test_ops_are_planned_one_by_one_where_the_plans_that_keep_the_cap_are_dear(fused, tried, cost):
    program = Program(operations=lambda fusion: 104.0 if fusion == "spread" else fused)
    assert program.search(2).cost == cost
    assert [fusion for fusion, _ in program.tried] == tried


def test_ops_that_are_planned_one_by_one_are_asked_for_once_more_where_the_first_plan_misses_the_cap():
    program = Program(operations=lambda fusion: 104.0 if fusion == "spread" else 150.0)
    program.takes = lambda asked, gaps: asked + (40 if program.tried[-1][0] == "spread" else 0)
    # Asked for 1000, and for 1000 * 985 / 1040.
    assert program.search(2).cost == 104.0
    assert [fusion for fusion, _ in program.tried] == ["xla-cpu", "spread", "spread"]


def test_plans_are_asked_for_without_room_for_gaps():
    # Two products of 64 KiB; with room for gaps there would be a third.
    x = jax.ShapeDtypeStruct((128, 128), "float32")
    lowered = jax.jit(lambda x, w: (x @ w @ w).sum()).lower(x, x)
    text = _planned.generic(lowered.compiler_ir("stablehlo"))
    peaks = [_planned.planned(text, _planned.KEEP_ALL, "operations", "xla-cpu", **given)[1]["peak_bytes"] for given in ({}, {"gaps": True})]
    assert peaks[1] - peaks[0] >= 64 << 10


class Timed(Program):
    """One whose every search takes all of its time, by a clock that stands still while nothing searches."""

    def __init__(self, monkeypatch):
        super().__init__(lambda asked, gaps: 2 * TARGET)
        self.now, self.limits = 0.0, []
        monkeypatch.setattr(_clock, "time", types.SimpleNamespace(monotonic=lambda: self.now))

    def attempt(self, form, asked, time_limit, seed, *, gaps):
        self.limits.append(time_limit)
        self.now += time_limit
        return super().attempt(form, asked, time_limit, seed, gaps=gaps)


@pytest.mark.parametrize(("total", "limits"), [(25.0, [10.0, 10.0, 5.0]), (4.0, [4.0]), (None, [10.0] * 15)])
def test_no_search_goes_on_after_the_total_time_limit(monkeypatch, total, limits):
    program = Timed(monkeypatch)
    clock = Clock(total)
    ballast.jit(abs, cap=TARGET, tries=6, time_limit=10.0)._search.over_forms(program, TARGET, program.unplanned, clock)
    assert program.limits == limits and clock.stopped == (total is not None)


@pytest.mark.parametrize(("takes", "says"), [(None, "for the cap of 1000 bytes .*: too small; the step as it is takes 2000"), (3 * TARGET, "the least that the step as it is takes is 2000")])
def test_a_refusal_names_no_more_than_the_step_takes_as_it_is(takes, says):
    class Refused(Program):
        notes = []

        def attempt(self, *given, **named):
            if takes is None:
                # The planner's model of a program may be far above what XLA takes for it.
                raise ballast.NoPlan("too small; the smallest cap not ruled out is 9000 B. Raise the cap or use more devices", 9 * TARGET)
            return super().attempt(*given, **named)

    program = Refused(lambda asked, gaps: takes)
    with pytest.raises(ballast.NoPlan, match=says) as refused:
        ballast.jit(abs, cap=TARGET, cap_counts="temp")._search.fit(program, TARGET, program.unplanned, again=False)
    assert refused.value.least_cap_bytes == 2 * TARGET


@pytest.mark.parametrize(("compiling", "tried"), [(0.0, [10, 10, 10]), (3.0, [10, 10, 1]), (8.0, [10, 4]), (11.0, [10])])
def test_a_search_and_what_is_compiled_after_it_end_by_the_total_time_limit(monkeypatch, compiling, tried):
    class Slow(Timed):
        """One whose every compilation takes so long, after a search of 10 s."""

        def attempt(self, *given, **named):
            found = super().attempt(*given, **named)
            self.compile_seconds = compiling
            self.now += compiling
            return found

    program = Slow(monkeypatch)
    ballast.jit(abs, cap=TARGET, tries=6, time_limit=10.0)._search.over_forms(program, TARGET, program.unplanned, Clock(30.0))
    assert program.limits == tried and program.now <= 30.0


def test_loops_are_written_anew_until_the_total_time_limit(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(_clock, "time", types.SimpleNamespace(monotonic=lambda: now[0]))

    def compiled(program, again, run, unplanned, base):
        now[0] += 6.0
        raise ballast.BallastError(again)

    program = _program.Program.__new__(_program.Program)
    program.key, program._text, program._times, program.notes, program.compile_seconds = f"loops {next(NAMES)}", "stablehlo.while", _planned.OPERATIONS, [], 0.0
    monkeypatch.setattr(_program, "planned", lambda *given, **named: ("", {"compute_seconds": 1.0}))
    monkeypatch.setattr(_program.Program, "_loops_by_what_runs_again", lambda program: [("one", None), ("two", None), ("three", None)])
    monkeypatch.setattr(_program.Program, "_loop_anew", compiled)
    unplanned = Program.unplanned
    for limit, tried in ((10.0, 2), (None, 3), (None, 0)):
        before = now[0]
        program.loops_anew(unplanned, Clock(limit))
        assert now[0] - before == 6.0 * tried
