"""JAX training steps under a memory cap: `jit`, `checkpoint_policy`, `step_policy`, `pipeline`, `will_it_fit`."""

from __future__ import annotations

import importlib

from .._errors import UnsupportedVersion

try:
    _jax = importlib.import_module("jax")
    importlib.import_module("jax.export")
except ImportError as error:
    raise UnsupportedVersion(f"ballast.jax needs JAX 0.10: {error}; install it with `pip install 'ballast[jax]'`") from None
if tuple(int(part) for part in _jax.__version__.split(".")[:2]) < (0, 10):
    raise UnsupportedVersion(f"ballast.jax was written for JAX 0.10, and this is {_jax.__version__}: install jax 0.10.2 or later")

from ._fit import Fit, will_it_fit  # noqa: E402
from ._jit import Jitted, UnplannedWarning, jit  # noqa: E402
from ._classes import Policy  # noqa: E402
from ._pipeline import Pipeline, Stage, pipeline  # noqa: E402
from ._policy import checkpoint_policy  # noqa: E402
from ._program import compiler_options  # noqa: E402
from ._step_policy import step_policy  # noqa: E402

__all__ = ["Fit", "Jitted", "Pipeline", "Policy", "Stage", "UnplannedWarning", "checkpoint_policy", "compiler_options", "jit", "pipeline", "step_policy", "will_it_fit"]
