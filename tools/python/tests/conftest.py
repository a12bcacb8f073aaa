"""Where the tests find the planner (BALLAST_BIN, else the release build of this checkout), and the devices that JAX has in them."""

import os
import pathlib

import pytest

# Pipelines of JAX are tested on four devices of one process; JAX reads this when it starts.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4".strip()

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True, scope="session")
def planner():
    """Points the package at a build of the planner."""
    if not os.environ.get("BALLAST_BIN"):
        os.environ["BALLAST_BIN"] = str(ROOT / "target" / "release")
    assert (pathlib.Path(os.environ["BALLAST_BIN"]) / "ballast").is_file(), "build it: cargo build --release -p ballast"


@pytest.fixture
def fresh_torch():
    """Each test as the first of a process: nothing compiled, one seed, one thread."""
    import torch

    torch._dynamo.reset()
    torch.manual_seed(0)
    torch.set_num_threads(1)
