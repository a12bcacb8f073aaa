"""What the parameters of a jaxpr's equations hold."""

from __future__ import annotations

from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr


def programs_in(value: Any) -> list[Jaxpr]:
    """The jaxprs in a parameter: of a call one, of a conditional one for each branch."""
    if isinstance(value, ClosedJaxpr):
        return [value.jaxpr]
    if isinstance(value, Jaxpr):
        return [value]
    return [one for each in value for one in programs_in(each)] if isinstance(value, (list, tuple)) else []
