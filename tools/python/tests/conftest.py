"""Where the tests find the planner: BALLAST_BIN, else the release build of this checkout."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True, scope="session")
def planner():
    """Points the package at a build of the planner."""
    if not os.environ.get("BALLAST_BIN"):
        os.environ["BALLAST_BIN"] = str(ROOT / "target" / "release")
    assert (pathlib.Path(os.environ["BALLAST_BIN"]) / "ballast").is_file(), "build it: cargo build --release -p ballast"
