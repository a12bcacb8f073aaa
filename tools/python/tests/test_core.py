"""What needs no framework: units, programs, the planner, the plan, the table of devices."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib
import warnings

import numpy as np
import pytest

import ballast
from ballast import _devices, _fits, _known, _planner, _programs
from ballast._units import parse_cap

ROOT = pathlib.Path(__file__).resolve().parents[3]


def chain(layers=8, size=1000):
    """Layers forward, a gradient each back, unit times."""
    problem = _planner.Problem()
    for layer in range(layers):
        problem.add(_planner.Node(f"f{layer}", 1.0, size, [layer - 1] if layer else []))
    for layer in reversed(range(layers)):
        problem.add(_planner.Node(f"b{layer}", 1.0, size, [len(problem.nodes) - 1, layer], backward=True))
    return problem


@pytest.mark.parametrize(
    ("text", "found"), [("8GiB", 8 << 30), ("512 MB", 512_000_000), (4096, 4096), ("1.5kib", 1536), ("7", 7), ("10B", 10)]
)
def test_bytes_are_read_with_binary_and_decimal_units(text, found):
    assert ballast.parse_bytes(text) == found


@pytest.mark.parametrize("kind", [np.int64, np.uint32, np.float32, np.float64])
def test_numbers_of_numpy_are_numbers(kind):
    assert ballast.parse_bytes(kind(4096)) == parse_cap(kind(4096), 10) == 4096
    assert ballast.HostLink(kind(4096), kind(2)).seconds(4096) == 3
    assert _fits.of_device(kind(4096)) == ("4.00 KiB", 4096)


@pytest.mark.parametrize("value", [None, [4096], np.zeros(2), b"4kB"], ids=str)
def test_of_what_is_neither_number_nor_text_the_type_is_named(value):
    with pytest.raises(ValueError, match=f"of type {type(value).__name__}"):
        ballast.parse_bytes(value)


@pytest.mark.parametrize("text", ["", "GiB", "8 gigs", "-1", "0", 0, "60%", True])
def test_what_is_no_number_of_bytes_is_refused(text):
    with pytest.raises(ValueError, match="byte|number"):
        ballast.parse_bytes(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan%", "inf%"])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(ValueError, match="is not a number of bytes|above zero"):
        parse_cap(value, 1000)


def test_a_share_given_as_a_number_is_told_how_to_write_it():
    with pytest.raises(ValueError, match="as text, such as '50%'"):
        ballast.parse_bytes(0.5)


def test_a_missing_planner_is_named_with_the_remedy(monkeypatch, tmp_path):
    monkeypatch.delenv("BALLAST_BIN")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ballast.ProgramNotFound, match=r"cargo build --release -p ballast\b.*BALLAST_BIN"):
        _programs.find("ballast")
    monkeypatch.setenv("BALLAST_BIN", str(tmp_path))
    with pytest.raises(ballast.ProgramNotFound, match="BALLAST_BIN"):
        _programs.find("ballast")
    with pytest.raises(ballast.ProgramNotFound, match="no program 'ballast'"):
        ballast.set_programs(tmp_path)


def test_a_wheels_programs_come_first_and_load_its_libraries(monkeypatch, tmp_path):
    monkeypatch.setattr(_programs, "_OWN", tmp_path)
    assert _programs.find("ballast").parent != tmp_path
    script = tmp_path / "ballast"
    script.write_text('#!/bin/sh\necho "libraries $LD_LIBRARY_PATH"\n')
    script.chmod(0o755)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/before")
    assert _programs.run("ballast", []) == "libraries /before\n"
    (tmp_path / "lib").mkdir()
    assert _programs.run("ballast", []) == f"libraries {tmp_path / 'lib'}:/before\n"


def test_the_import_needs_no_framework():
    code = "import sys, ballast; assert not {'torch', 'jax', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_planner_keeps_the_budget_by_this_packages_own_count():
    problem = chain()
    unplanned = problem.peak(problem.keep_all())
    assert unplanned == 9000
    schedule = _planner.solve(problem, 6000, time_limit=2)
    assert problem.peak(schedule.steps) == schedule.peak_bytes <= 6000
    assert schedule.bound <= schedule.value and schedule.value > problem.total_time()
    assert {index for kind, index in schedule.steps if kind == "compute"} == set(range(16))


def test_resident_bytes_workspace_and_ops_that_run_once_are_known_to_the_planner():
    problem = chain()
    problem.resident_bytes = 500
    problem.nodes[3].workspace = 100
    problem.nodes[2].recomputable = False
    schedule = _planner.solve(problem, 6500, time_limit=2)
    assert problem.peak(schedule.steps) == schedule.peak_bytes <= 6500
    assert [step for step in schedule.steps if step == ("compute", 2)] == [("compute", 2)]


def test_with_a_link_values_leave_and_come_back_instead_of_being_made_again():
    problem = chain()
    # A copy takes a quarter of an op: two directions beside computation.
    link = ballast.HostLink(4000)
    schedule = _planner.solve(problem, 6000, time_limit=2, link=link)
    assert schedule.budget_bytes == 6000 and schedule.peak_bytes <= 6000
    assert {"swap_out", "swap_in"} <= {kind for kind, _ in schedule.steps}
    assert schedule.value == problem.total_time() < _planner.solve(problem, 6000, time_limit=2).value
    assert link.seconds(1000) == 0.25 and ballast.HostLink("1kB", 2.0).seconds(500) == 2.5
    for node in problem.nodes:
        node.swappable = False
    assert not {kind for kind, _ in _planner.solve(problem, 6000, time_limit=2, link=link).steps} - {"compute", "free"}


def test_a_budget_below_the_least_is_refused_with_the_least():
    with pytest.raises(ballast.NoPlan) as refused:
        _planner.solve(chain(), 1500, time_limit=2)
    assert refused.value.least_cap_bytes is not None and refused.value.least_cap_bytes >= 2000


def test_of_the_plans_known_a_larger_cap_never_has_the_slower_one():
    found = [(9.0, 60), (5.0, 80), (7.0, 90), (5.0, 70), (2.0, 120)]
    for order in (found, found[::-1]):
        known = _known.Known()
        for cost, takes in order:
            known.add("p", _known.Candidate(cost, takes, None))
        best = [known.best("p", cap) for cap in range(60, 130)]
        assert known.best("p", 59) is None and known.best("q", 1000) is None
        assert [(one.cost, one.takes) for one in (best[0], best[20], best[-1])] == [(9.0, 60), (5.0, 70), (2.0, 120)]
        assert known.least("p") == 60 and known.least("q") is None
        for less, more in zip(best, best[1:], strict=False):
            assert more.cost <= less.cost and less.takes <= more.takes
    for at in range(_known.PROBLEMS):
        known.add(str(at), _known.Candidate(1.0, 1, None))
    assert known.best("p", 1000) is None


def test_a_faster_plan_for_less_memory_is_said_once_it_is_found():
    known = _known.Known()
    known.add("p", _known.Candidate(1.0, 1, None))
    assert known.answered("p", 2000, 5.0) == [] == known.answered("p", 1000, 6.0)
    (note,) = known.answered("p", 1500, 4.0)
    assert "1.95 KiB" in note


def rate(kind, name):
    """Operations per second, of what the file leaves out those on f32."""
    text = kind["peak"].get(name, kind["peak"]["f32"])
    unit = {"TFLOP/s": 1e12, "GFLOP/s": 1e9}[text.lstrip("0123456789.")]
    return float(text.rstrip("TGFLOP/s")) * unit


def test_the_devices_are_those_of_the_planner():
    files = ROOT / "solver/core/src/devices"
    assert sorted(_devices.DEVICES) == sorted(path.stem for path in files.glob("*.toml"))
    listed = (ROOT / "docs/devices.md").read_text().split("## Ready-made kinds")[1].split("## Device files")[0]
    assert sorted(_devices.DEVICES) == sorted(re.findall(r"^\| `([^`]+)` \|", listed, re.MULTILINE))
    for name, device in _devices.DEVICES.items():
        kind = tomllib.loads((files / f"{name}.toml").read_text())["kinds"][name]
        assert ballast.parse_bytes(kind["memory"]) == device.memory_bytes
        sixteen = "bf16" if "bf16" in kind["peak"] else "f16"
        assert [rate(kind, "f32"), rate(kind, sixteen), rate(kind, "f64")] == pytest.approx([device.peak_f32, device.peak_16, device.peak_64], rel=1e-12)
        assert float(kind["memory-bandwidth"].removesuffix("GB/s")) * 1e9 == device.bandwidth
        assert float(kind.get("launch-overhead", "0us").removesuffix("us")) * 1e-6 == pytest.approx(device.launch_seconds)
        assert ballast.parse_bytes(kind["host-link"]["bandwidth"].removesuffix("/s")) == device.host_link.bandwidth
        assert float(kind["host-link"].get("latency", "0us").removesuffix("us")) * 1e-6 == pytest.approx(device.host_link.latency_seconds)
        assert _devices.by_name(name) is device


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-80gb"), ("NVIDIA H200", "h200"), ("NVIDIA B200", "b200"), ("NVIDIA L40S", "l40s"), ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 5090", "rtx-5090"), ("NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"), ("AMD Instinct MI300X", "mi300x"), ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
        ("NVIDIA A100-SXM4-40GB", "a100-40gb"), ("NVIDIA A100-PCIE-40GB", "a100-40gb"), ("Tesla V100-SXM2-16GB", "v100-16gb"), ("Tesla V100-SXM2-32GB", "v100-32gb"),
    ],
)
def test_a_gpu_is_known_by_its_drivers_name(name, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _devices.of_cuda(name).name == kind


@pytest.mark.parametrize("name", ["NVIDIA GH200 480GB", "NVIDIA GB200", "NVIDIA L40", "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 3060"])
def test_a_gpu_that_is_not_known_is_taken_for_an_h100_and_that_is_said(name):
    _devices.of_cuda.cache_clear()
    with pytest.warns(UserWarning, match=f"{name}.*not known.*h100-80gb"):
        assert _devices.of_cuda(name).name == "h100-80gb"


def plan():
    values = [
        ballast.Value("a", "mm", "block.0", 100, 1.0, "saved"),
        ballast.Value("b", "relu", "block.1/attn", 300, 0.5, "recomputed", 2, "it is cheap"),
    ]
    return ballast.Plan(
        "torch", 1000, "step", 900, 1500, 100, 100, 11.0, 10.0, 10.5, values, "milp", "finished", timeline=[100, 900, 300], boundary=2
    )


def test_a_plan_says_its_figures():
    made = plan()
    assert made.gap == pytest.approx(0.5 / 11) and made.overhead == pytest.approx(0.1)
    assert [value.name for value in made.saved] == ["a"] and [value.name for value in made.recomputed] == ["b"]
    assert "cap 1000 B" in made.table() and "b " in made.table()
    assert "it is cheap" in made.why("attn")
    with pytest.raises(KeyError, match=r"block\.1"):
        made.why("no such thing")


def test_a_plan_survives_json(tmp_path):
    made = plan()
    path = tmp_path / "plan.json"
    text = made.to_json(path)
    assert ballast.Plan.from_json(text) == made == ballast.Plan.from_json(path)
    for damaged in ("[]", '{"version": 2}', '{"version": 1}', json.dumps({**json.loads(text), "values": [{"name": 3}]})):
        with pytest.raises(ValueError, match="plan|version|not"):
            ballast.Plan.from_json(damaged if damaged.startswith("{") else path.with_name("none.json").write_text(damaged) and path.with_name("none.json"))


def test_a_plot_has_the_cap_or_says_what_is_missing(tmp_path):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            plan().plot()
        return
    plan().plot(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 1000


def test_files_that_ask_for_torch_are_skipped_without_it_and_no_other_ones():
    folder = pathlib.Path(__file__).parent
    asked = sorted(path.name for path in folder.glob("test_*.py") if re.search(r'^torch = pytest.importorskip\("torch"\)', path.read_text(), re.MULTILINE))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "--collect-only", "--without-torch", "."]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    skipped = re.findall(r"^SKIPPED \[1\] (?:.*/)?(test_\w+\.py):", ran.stdout, re.MULTILINE)
    collected = set(re.findall(r"^(?:.*/)?(test_\w+\.py)::", ran.stdout, re.MULTILINE))
    assert ran.returncode == 0 and sorted(skipped) == asked, ran.stdout
    assert collected == {path.name for path in folder.glob("test_*.py")} - set(asked)
