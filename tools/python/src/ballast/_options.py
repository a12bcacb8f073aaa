"""Options that everything here has in common, looked at before anything is captured: what is wrong is named as it was given."""

from __future__ import annotations

import difflib
import inspect
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._units import parse_bytes

#: What the planner reads.
MOST_SECONDS = 1e9
MOST_THREADS = 1024
MOST_SEED = 2**64 - 1


def number(name: str, value: Any, what: str = "a number") -> None:
    """Refuses what is no number.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}={value!r}: give {what}, not {type(value).__name__}")


def seconds(name: str, value: Any) -> float:
    """Seconds above zero.

    Raises:
        TypeError: it is no number.
        ValueError: it is none that makes sense.
    """
    number(name, value, "a number of seconds")
    if not 0 < value <= MOST_SECONDS:
        raise ValueError(f"{name}={value!r}: give seconds above zero, at most {MOST_SECONDS:g}")
    return float(value)


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in a range.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is out of the range.
    """
    allowed = f"a whole number from {least} to {most}" if most is not None else f"a whole number, {least} or more"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}={value!r}: give {allowed}, not {type(value).__name__}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name}={value!r}: give {allowed}")
    return int(value)


def yes_or_no(name: str, value: Any) -> bool:
    """True or False.

    Raises:
        TypeError: it is neither.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name}={value!r}: give True or False, not {type(value).__name__}")
    return value


def held(name: str, value: Any) -> int:
    """Bytes, 0 or more, written as a cap is.

    Raises:
        TypeError: it is neither a number nor text.
        ValueError: it is no number of bytes, or below zero.
    """
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, str)):
        raise TypeError(f"{name}={value!r}: give bytes, 0 or more, such as '2GiB', not {type(value).__name__}")
    if isinstance(value, numbers.Real):
        # What is below one byte is none.
        value = float(value) if not isinstance(value, numbers.Integral) else int(value)
        if 0 <= value < 1:
            return 0
    try:
        return parse_bytes(value)
    except ValueError:
        raise ValueError(f"{name}={value!r}: give bytes, 0 or more, such as '2GiB' or {2**31}") from None


def none_besides(function: Callable[..., Any], given: Iterable[str], instead: Mapping[str, str]) -> None:
    """Refuses options that a function does not have, says what it takes, and what to do instead where that is known.

    Raises:
        TypeError: one is given.
    """
    taken = [one.name for one in inspect.signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY]
    for name in given:
        near = difflib.get_close_matches(name, taken, 1)
        what = instead.get(name) or (f"the nearest is {near[0]}" if near else "leave it out")
        raise TypeError(f"ballast.{function.__name__} has no option {name}: {what}. It takes {', '.join(taken)}")
