"""Bytes as text, the way the planner reads and writes them."""

from __future__ import annotations

import math
import numbers
import re

_FACTORS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}


def parse_bytes(value: int | float | str) -> int:
    """Bytes of `4096`, `"512MiB"` or `"8GB"`; decimal units count by 1000, binary ones by 1024.

    Raises:
        ValueError: the text is no number with a unit of bytes, or not above zero.
    """
    if isinstance(value, bool):
        raise ValueError("a cap is a number of bytes, such as '8GiB'")
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is not a number of bytes: give one such as '8GiB'")
        found = int(value)
    elif not isinstance(value, str):
        raise ValueError(f"{value!r} is not a number of bytes but of type {type(value).__name__}: give one such as '8GiB'")
    elif is_share(value):
        raise ValueError(f"{value!r}: a share is of no use here, give bytes such as '8GiB'")
    else:
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", value)
        if match is None or match.group(2).lower() not in _FACTORS:
            raise ValueError(f"{value!r} is not a number of bytes: write a number with B, kB, MB, GB, KiB, MiB or GiB, such as '8GiB'")
        found = int(float(match.group(1)) * _FACTORS[match.group(2).lower()])
    if found <= 0:
        below_one = isinstance(value, numbers.Real) and 0 < value < 1
        hint = f", or a share as text, such as '{100 * value:g}%'" if below_one else ""
        raise ValueError(f"{value!r}: give a number of bytes above zero{hint}")
    return found


def is_share(value: int | float | str) -> bool:
    """Is a cap a share of what the step takes without a plan?"""
    return isinstance(value, str) and value.strip().endswith("%")


def parse_cap(value: int | float | str, whole: int | None = None) -> int:
    """As `parse_bytes`, and shares such as `"60%"` of `whole` bytes, rounded down, where that is given."""
    if whole is not None and isinstance(value, str) and is_share(value):
        try:
            share = float(value.strip()[:-1]) / 100
        except ValueError:
            raise ValueError(f"{value!r} is not a share: write one such as '60%'") from None
        if not 0 < share < math.inf:
            raise ValueError(f"{value!r}: give a share above zero")
        return int(whole * share)
    return parse_bytes(value)


def format_bytes(value: float) -> str:
    """`1.5 GiB`, with the largest binary unit that gives at least 1."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(value) >= factor:
            return f"{value / factor:.2f} {unit}"
    return f"{int(value)} B"
