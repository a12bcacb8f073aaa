"""What XLA says a compiled program takes."""

from __future__ import annotations

from typing import Any

from .._errors import BallastError


def stats_of(compiled: Any) -> Any:
    """Its figures, bytes.

    Raises:
        BallastError: the platform's compiler gives none.
    """
    stats = compiled.memory_analysis()
    if stats is None:
        raise BallastError("this platform's compiler does not say what memory a program takes: ask on the CPU, JAX_PLATFORMS=cpu")
    return stats


def counted(stats: Any, what: str) -> int:
    """Bytes, as a cap counts: `"step"`, with those that share memory by donation once, or `"temp"`."""
    around = stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes if what == "step" else 0
    return int(stats.temp_size_in_bytes + around)
