"""The exceptions of this package. Each says in one sentence what is wrong and what to do."""

from __future__ import annotations


class BallastError(RuntimeError):
    """Ballast cannot do what was asked."""


class ProgramNotFound(BallastError):
    """The planner's programs are not where they are looked for."""


class UnsupportedVersion(BallastError):
    """A framework is missing, or of a version that this package was not written for."""


class NoPlan(BallastError):
    """No plan keeps the cap. `least_cap_bytes` is the smallest cap known to have one, or else the least any plan can have."""

    def __init__(self, message: str, least_cap_bytes: int | None = None, *, found: bool = False) -> None:
        super().__init__(message)
        self.least_cap_bytes = least_cap_bytes
        #: Is a plan for `least_cap_bytes` known to exist?
        self.found = found


class Unwritable(BallastError):
    """A schedule has no form as graphs: the plan is wrong, and another one may not be."""


class UnsupportedModel(BallastError):
    """The model cannot be planned: a graph that breaks, dynamic shapes."""


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its kind where it says nothing."""
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def of_ballast(error: BaseException | None) -> BallastError | None:
    """What Ballast said, if an error that somebody else raised goes back to that."""
    while error is not None and not isinstance(error, BallastError):
        error = getattr(error, "inner_exception", None) or error.__cause__
    return error
