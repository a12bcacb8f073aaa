"""PyTorch training steps under a memory cap.

`ballast.torch.compile(model, cap="8GiB")`; `torch.compile(model, backend=ballast.torch.Backend("8GiB"))` or
`torch.compile(model, backend="ballast", options={"cap": "8GiB"})`; or `ballast.torch.Partitioner("8GiB")` for
`torch._inductor.config.custom_partitioner_fn` and for `partition_fn` of AOTAutograd.
"""

from __future__ import annotations

import collections
import importlib
from typing import Any

from .._errors import UnsupportedVersion

try:
    _torch = importlib.import_module("torch")
except ImportError as error:
    raise UnsupportedVersion(f"ballast.torch needs PyTorch 2.11: {error}; install it with `pip install 'ballast[torch]'`") from None
if tuple(int(part) for part in _torch.__version__.split("+")[0].split(".")[:2]) != (2, 11):
    raise UnsupportedVersion(
        f"ballast.torch was written for PyTorch 2.11, and this is {_torch.__version__}: the joint graph it plans is torch's own, and changes "
        "from version to version; install torch 2.11"
    )

from ._backend import Backend  # noqa: E402
from ._bubble import Bubble, StageTimes  # noqa: E402
from ._compile import CompiledFunction, compile, optimizer_bytes  # noqa: E402
from ._cost import Measured, Roofline  # noqa: E402
from ._distributions import know_divergences as _know_divergences  # noqa: E402
from ._fit import will_it_fit  # noqa: E402
from ._lstm import mend as _mend_lstm  # noqa: E402
from ._measure import Measurement, measure  # noqa: E402
from ._partitioner import Partitioner  # noqa: E402
from ._pipeline import Pipeline, Stage, pipeline  # noqa: E402

__all__ = ["Backend", "Bubble", "CompiledFunction", "Measured", "Measurement", "Partitioner", "Pipeline", "Roofline", "Stage", "StageTimes", "compile", "measure", "optimizer_bytes", "pipeline", "will_it_fit"]

_mend_lstm()
_know_divergences()

#: The backends made by name, of the models compiled last, by the id of their options.
_BY_NAME: collections.OrderedDict[int, tuple[dict[str, Any], Backend]] = collections.OrderedDict()
_MOST_BY_NAME = 64


def backend(gm: Any, example_inputs: list[Any], *, options: dict[str, Any] | None = None, **_other: Any) -> Any:
    """The backend by name: `torch.compile(model, backend="ballast", options={"cap": "8GiB"})`. Calls of
    `torch.compile` that are given the very same dict share one `Backend`, as models do that are given one.

    Raises:
        ValueError: the options have no cap.
    """
    if not options or "cap" not in options:
        raise ValueError("backend 'ballast' needs a cap: torch.compile(model, backend='ballast', options={'cap': '8GiB'})")
    # Every graph of one call of torch.compile comes with the same dict, which is kept: no other one has its id.
    if id(options) not in _BY_NAME:
        _BY_NAME[id(options)] = options, Backend(**options)
    _, planner = _BY_NAME[id(options)]
    _BY_NAME.move_to_end(id(options))
    if len(_BY_NAME) > _MOST_BY_NAME:
        _BY_NAME.popitem(last=False)
    return planner(gm, example_inputs)


# Torch calls it where all that is compiled is forgotten.
backend.reset = _BY_NAME.clear  # type: ignore[attr-defined]

