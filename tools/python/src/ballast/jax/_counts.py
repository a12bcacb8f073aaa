"""The ops of a StableHLO module: how many of a name, a source and a size there are."""

from __future__ import annotations

import collections
from typing import Any

from jaxlib.mlir import ir

from ._planned import BARRIER

#: By name, source and bytes of the results.
Counts = collections.Counter[tuple[str, str, int]]
_ELEMENT_BYTES = {"i1": 1, "i8": 1, "ui8": 1, "i16": 2, "ui16": 2, "f16": 2, "bf16": 2, "i32": 4, "ui32": 4, "f32": 4, "i64": 8, "ui64": 8, "f64": 8}


def count(module: Any) -> Counts:
    """The ops that make values, constants apart."""
    found: Counts = collections.Counter()

    def visit(operation: Any) -> Any:
        size = sum(_bytes(result.type) for result in operation.results)
        if size and operation.name not in ("stablehlo.constant", BARRIER):
            found[operation.name, _location(operation.location), size] += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def _bytes(kind: Any) -> int:
    if not isinstance(kind, ir.RankedTensorType):
        return 0
    total = _ELEMENT_BYTES.get(str(kind.element_type), 0)
    for size in kind.shape:
        total *= size
    return total


def _location(location: Any) -> str:
    """The name JAX gave, such as `jit(step)/Block_3/dot_general`: the first quoted text of a location."""
    parts = str(location).split('"')
    return parts[1] if len(parts) > 2 else ""
