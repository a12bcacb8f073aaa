"""Where the tests find the planner (BALLAST_BIN, else the release build of this checkout), the devices that JAX has in them, and whether torch is there."""

import os
import pathlib
import sys

import pytest

# Pipelines of JAX are tested on four devices of one process; JAX reads this when it starts.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4".strip()

ROOT = pathlib.Path(__file__).resolve().parents[3]


def pytest_addoption(parser):
    """Adds `--without-torch`."""
    parser.addoption("--without-torch", action="store_true", help="torch counts as missing: files that ask for it (pytest.importorskip) are skipped")


def pytest_configure(config):
    """Hides torch before the first test file is read."""
    if config.getoption("--without-torch"):
        # What Python's `import` takes for a module that is not there.
        sys.modules["torch"] = None


@pytest.fixture(autouse=True, scope="session")
def planner():
    """Points the package at a build of the planner."""
    if not os.environ.get("BALLAST_BIN"):
        os.environ["BALLAST_BIN"] = str(ROOT / "target" / "release")
    assert (pathlib.Path(os.environ["BALLAST_BIN"]) / "ballast").is_file(), "build it: cargo build --release -p ballast"


@pytest.fixture
def fresh_torch():
    """Each test as the first of a process: nothing compiled, no plan known, one seed, one thread."""
    import torch
    from ballast.torch import _partitioner

    torch._dynamo.reset()
    _partitioner.KNOWN.clear()
    torch.manual_seed(0)
    torch.set_num_threads(1)
