"""Pipelines are played in two places: here, and by the planner, whose plans say how long a step takes. Both have to say the same."""

import json
import pathlib

import pytest

from ballast import _programs, _stages

MODELS = pathlib.Path(__file__).parents[3] / "tests/inputs/models"
#: A slow device between two fast ones, and links of two speeds: no two stages take the same time.
UNEQUAL = """
version = 1
[kinds.fast]
like = "h100-80gb"
[kinds.slow]
like = "rtx2080ti"
[[devices]]
kind = "fast"
[[devices]]
kind = "slow"
[[devices]]
kind = "fast"
[link]
bandwidth = "25GB/s"
latency = "2us"
[[links]]
from = "fast-0"
to = "slow-0"
bandwidth = "100GB/s"
"""
#: Program, devices, micro-batches and cap: fewer micro-batches than stages, more of them, recomputation.
PLANS = [
    ("mlp3_b128", "2", 1, ""),
    ("mlp3_b128", "3", 7, ""),
    ("mlp3_b128", "unequal", 8, ""),
    ("gpt2_tiny_b2_s64", "4", 2, ""),
    ("gpt2_tiny_b2_s64", "unequal", 16, ""),
    ("gpt2_tiny_b2_s64", "2", 6, "cap=70%"),
]


@pytest.mark.parametrize("schedule", ["gpipe", "1f1b"])
@pytest.mark.parametrize(("model", "devices", "microbatches", "cap"), PLANS)
def test_a_pipeline_takes_as_long_here_as_in_the_plan(tmp_path, schedule, model, devices, microbatches, cap):
    plan = planned(tmp_path, schedule, model, devices, microbatches, cap)
    # A device that runs nothing is none of the pipeline, but one that idles.
    stages = [one for one in plan["stages"] if one["in_flight"]]
    assert [one["in_flight"] for one in stages] == _stages.in_flight(schedule, len(stages), microbatches)
    # A plan's passes have the copies in them.
    played = _stages.play(
        [one["forward_seconds"] for one in stages], [one["backward_seconds"] + one["weights_seconds"] for one in stages], [0.0] * len(stages),
        [one["in_flight"] for one in stages], microbatches,
    )
    assert played.seconds == pytest.approx(plan["step_seconds"], rel=1e-9)
    assert 1 - sum(played.busy) / len(plan["stages"]) == pytest.approx(plan["bubble"], rel=1e-9, abs=1e-12)


def planned(folder, schedule, model, devices, microbatches, cap):
    """The pipeline of a plan file."""
    file = folder / "plan.json"
    if devices == "unequal":
        devices = folder / "devices.toml"
        devices.write_text(UNEQUAL)
    options = f"schedule={schedule} micro-batches={microbatches} devices={devices} {cap} work-limit=20000 max-rounds=1 plan-file={file}"
    _programs.run("ballast-opt", [MODELS / f"{model}.mlir", "--allow-unregistered-dialect", f"--ballast-plan={options}", "-o", folder / "planned.mlir"])
    return json.loads(file.read_text())["pipeline"]
