"""How long plans are looked for in all, and what is done at the moment, for whoever waits at a terminal."""

from __future__ import annotations

import sys
import time


class Clock:
    """Runs from when it is made."""

    def __init__(self, limit: float | None) -> None:
        self._begun = time.monotonic()
        self.limit = limit
        #: Was anything left out because it was over?
        self.stopped = False

    def over(self, takes: float = 0.0) -> bool:
        """Is it over, or would it be before what is next is done, which takes so many seconds? Whoever asks leaves that out then."""
        if self.limit is not None and time.monotonic() - self._begun + takes >= self.limit:
            self.stopped = True
        return self.stopped

    def at_most(self, seconds: float, then: float = 0.0) -> float:
        """So many seconds, or what is left before something that takes so many where that is less: a hundredth of one at least, as nobody can search for none."""
        if self.limit is None:
            return seconds
        return min(seconds, max(self.limit - (time.monotonic() - self._begun) - then, 0.01))

    def spent(self, share: float) -> bool:
        """Is this share of it over? Unlike `over`, it does not say that anything was left out."""
        return self.limit is not None and time.monotonic() - self._begun >= self.limit * share

    def says(self, text: str) -> None:
        """Shows what is done now in one line, on a terminal alone."""
        if sys.stderr.isatty():
            print(f"\r\x1b[KBallast: {text} ({time.monotonic() - self._begun:.0f} s)", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Clock:
        return self

    def __exit__(self, *_: object) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
