"""Where the planner's programs are, and how they are called."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from ._errors import BallastError, NoPlan, ProgramNotFound

_folder: pathlib.Path | None = None
#: Where a wheel has the programs; the libraries they load are in its folder `lib`.
_OWN = pathlib.Path(__file__).parent / "bin"


def set_programs(folder: str | os.PathLike[str] | None) -> None:
    """Takes `ballast` and `ballast-opt` from this folder, such as `target/release` of a checkout; None: look for them again.

    Raises:
        ProgramNotFound: the folder has no program `ballast`.
    """
    global _folder
    if folder is None:
        _folder = None
        return
    found = pathlib.Path(folder).expanduser()
    if not _runs(found / "ballast"):
        raise ProgramNotFound(f"{found} has no program 'ballast': give the folder that holds it, such as target/release of a checkout")
    _folder = found.resolve()


def find(name: str) -> pathlib.Path:
    """The path of a program: in the wheel's own `bin` folder, then where `set_programs` or the variable `BALLAST_BIN` says, then on PATH.

    Raises:
        ProgramNotFound: it is in none of these places.
    """
    own = _OWN / name
    if _runs(own):
        return own
    if _folder is not None and _runs(_folder / name):
        return _folder / name
    setting = os.environ.get("BALLAST_BIN")
    if setting:
        chosen = pathlib.Path(setting).expanduser() / name
        if _runs(chosen):
            return chosen
        raise ProgramNotFound(f"the variable BALLAST_BIN is {setting!r}, but there is no program '{name}' in that folder")
    on_path = shutil.which(name)
    if on_path:
        return pathlib.Path(on_path)
    raise ProgramNotFound(
        f"the program '{name}' was not found: build it with `cargo build --release -p {_package(name)}` and set BALLAST_BIN to the "
        "folder target/release, or put it on PATH"
    )


def run(name: str, arguments: Sequence[str | os.PathLike[str]], *, timeout_seconds: float | None = None) -> str:
    """Runs a program and returns what it printed.

    Raises:
        ProgramNotFound: it is not there.
        NoPlan: it says that there is no plan; with the least cap, where it prints that.
        BallastError: it failed otherwise; the message is the program's own.
    """
    program = find(name)
    command = [str(program), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_seconds, check=False, env=_environment(program))
    except subprocess.TimeoutExpired:
        raise BallastError(f"{name} did not end within {timeout_seconds:.0f} s: give it a longer time_limit") from None
    if done.returncode == 0:
        return done.stdout
    lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
    # Diagnostics of a pass have the place in the program first, and lines of source after them.
    said = next((line for line in reversed(lines) if line.startswith(name + ":")), None)
    said = said or next((line.split("error: ", 1)[1] for line in lines if "error: " in line), lines[-1] if lines else "it said nothing")
    if done.returncode == 1 and ("no plan" in said or said.startswith("no memory plan")):
        raise NoPlan(said.removeprefix("ballast: no plan: "), **_least(done.stdout))
    raise BallastError(f"{name} ended with code {done.returncode}: {said}")


def _least(printed: str) -> dict[str, Any]:
    """What a refusal of `ballast remat` says of caps."""
    try:
        refusal = json.loads(printed)
        return {"least_cap_bytes": int(refusal["smallest_budget"]), "found": bool(refusal["smallest_budget_has_plan"])}
    except (ValueError, KeyError, TypeError):
        return {}


def _environment(program: pathlib.Path) -> dict[str, str] | None:
    """The wheel's programs take the libraries that came with them."""
    libraries = _OWN / "lib"
    if program.parent != _OWN or not libraries.is_dir():
        return None
    before = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": f"{libraries}:{before}" if before else str(libraries)}


def _runs(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _package(name: str) -> str:
    return "ballast-opt -p ballast-passes" if name == "ballast-opt" else name
