"""Training steps of PyTorch and JAX under a memory cap in bytes, planned by Ballast.

`ballast.torch.compile(model, cap="8GiB")` for PyTorch, `ballast.jit(step, cap="8GiB")` and `ballast.checkpoint_policy` for JAX,
`ballast.will_it_fit` for the question before. Frameworks are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._devices import HostLink
from ._errors import BallastError, NoPlan, ProgramNotFound, UnsupportedModel, UnsupportedVersion
from ._plan import Plan, Value
from ._programs import set_programs
from ._units import format_bytes, parse_bytes

if TYPE_CHECKING:
    from . import jax, torch
    from .jax import checkpoint_policy, jit, step_policy, will_it_fit

__version__ = "0.1.0"

__all__ = [
    "BallastError", "HostLink", "NoPlan", "Plan", "ProgramNotFound", "UnsupportedModel", "UnsupportedVersion", "Value",
    "checkpoint_policy", "format_bytes", "jax", "jit", "parse_bytes", "set_programs", "step_policy", "torch", "will_it_fit",
]

_OF_JAX = ("jit", "checkpoint_policy", "step_policy", "will_it_fit")


def __getattr__(name: str) -> Any:
    if name in ("jax", "torch"):
        return importlib.import_module(f".{name}", __name__)
    if name in _OF_JAX:
        return getattr(importlib.import_module(".jax", __name__), name)
    raise AttributeError(f"module 'ballast' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
