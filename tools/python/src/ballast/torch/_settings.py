"""Settings of `torch._dynamo`, changed for as long as calls or compiling lasts. They are the whole process's, so that calls of several threads share them."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch

#: Else torch does not look whether a parameter is trained now that was not, nor whether a module has got a hook: gradients would be missing or wrong.
GUARDS: dict[str, Callable[[Any], Any]] = {"skip_tensor_guards_with_matching_dict_tags": lambda _: False, "skip_nnmodule_hook_guards": lambda _: False}
_LOCK = threading.Lock()
#: Calls under way that have changed a setting.
_CALLS: Counter[str] = Counter()
#: What such a setting was before the first of them.
_OWN: dict[str, Any] = {}


@contextlib.contextmanager
def changed(**changes: Callable[[Any], Any]) -> Iterator[dict[str, Any]]:
    """Settings changed, each by a function of what it is without any call; where another call has changed one already, to the larger of both.

    Yields:
        What they are without any call.
    """
    config = torch._dynamo.config
    with _LOCK:
        for name, change in changes.items():
            now = getattr(config, name)
            # A value that another call has set is nobody's own.
            own = _OWN.setdefault(name, now)
            wanted = change(own)
            setattr(config, name, max(now, wanted) if _CALLS[name] else wanted)
            _CALLS[name] += 1
        before = {name: _OWN[name] for name in changes}
    try:
        yield before
    finally:
        with _LOCK:
            for name in changes:
                _CALLS[name] -= 1
                if not _CALLS[name]:
                    setattr(config, name, _OWN.pop(name))


def changed_until_compiled(**changes: Callable[[Any], Any]) -> None:
    """Settings changed as by `changed`, until torch has ended what it is compiling: it writes guards when the backend has returned. Does nothing where torch compiles nothing."""
    if torch._guards.CompileContext.try_get() is None:
        return
    handler = torch._dynamo.callback_handler
    stack = contextlib.ExitStack()
    stack.enter_context(changed(**changes))

    def ended(_args: Any) -> None:
        # Another list: torch walks through this one.
        handler.end_callbacks = [callback for callback in handler.end_callbacks if callback is not ended]
        stack.close()

    handler.register_end_callback(ended)
