"""What dynamo has captured, before autograd sees it."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import fx
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from torch.utils.weak import WeakIdKeyDictionary

from .._errors import first_line
from ._graph import main_device

#: Of every parameter seen a number that no later one has, as an id could.
_NUMBERS: WeakIdKeyDictionary = WeakIdKeyDictionary()
_COUNT = itertools.count()
#: How the names of torch's own files begin.
_TORCH = os.path.join(os.path.dirname(torch.__file__), "")


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where a graph comes from, by which it is told whether it is another one's code compiled anew, for other sizes or in another mode."""

    #: The lines of the program that it begins in, outermost first.
    lines: tuple[str, ...]
    #: The parameters it reads, by number.
    parameters: frozenset[int]

    def same(self, other: Origin) -> bool:
        """Blocks of one class begin in the same lines and share no parameter; a model that leaves a layer out at random shares most of its own. Of what is all
        torch's own, as `Sequential`, there are no lines, and of a function perhaps no parameters."""
        if self.lines != other.lines:
            return False
        return bool(self.parameters & other.parameters) or (bool(self.lines) and not self.parameters and not other.parameters)


def origin(gm: fx.GraphModule, inputs: Iterable[Any]) -> Origin:
    """Where a graph comes from, by its nodes and by what it holds and is called with."""
    parameters = [*gm.parameters(), *(value for value in inputs if isinstance(value, torch.nn.Parameter))]
    return Origin(_lines(gm.graph), frozenset(_NUMBERS.setdefault(value, next(_COUNT)) for value in parameters))


def holder(model: Callable[..., Any], optimizer: torch.optim.Optimizer | None) -> torch.nn.Module | torch.optim.Optimizer | None:
    """Who knows what is there beside a call: the module, also of a method of one; of any other function its optimizer."""
    module = getattr(model, "__self__", model)
    return module if isinstance(module, torch.nn.Module) else optimizer


def unread_bytes(owner: torch.nn.Module | torch.optim.Optimizer | None, gm: fx.GraphModule, inputs: Iterable[Any]) -> int:
    """Bytes of what an owner has on the graph's device and the graph does not read: parameters and buffers for another graph, another call, or none.
    Each storage counts once, and not beside a view of it that is read."""
    if owner is None:
        return 0
    if isinstance(owner, torch.nn.Module):
        owned = [*owner.parameters(), *owner.buffers()]
    else:
        owned = [parameter for group in owner.param_groups for parameter in group["params"]]
    read = [tensor for value in (*inputs, *gm.parameters(), *gm.buffers()) for tensor in _dense(value)]
    device = main_device(read)
    known = {tensor.untyped_storage()._cdata for tensor in read}
    own = {tensor.untyped_storage()._cdata: tensor.untyped_storage().nbytes() for value in owned for tensor in _dense(value) if tensor.device == device}
    return sum(size for storage, size in own.items() if storage not in known)


def _dense(value: Any) -> list[torch.Tensor]:
    """The tensors with a storage behind a value: none of what has no sizes yet, and the parts of what is made of several."""
    if not isinstance(value, torch.Tensor) or torch.nn.parameter.is_lazy(value):
        return []
    if is_traceable_wrapper_subclass(value):
        return [tensor for name in value.__tensor_flatten__()[0] for tensor in _dense(getattr(value, name))]
    return [value] if value.layout == torch.strided else []


@contextlib.contextmanager
def onednn(enabled: bool) -> Iterator[None]:
    """Switched on or off, and nothing else of it, which `torch.backends.mkldnn.flags` does not promise."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(enabled)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def begins_at(graph: fx.Graph) -> str:
    """The line of the program that a graph begins with, where it is known."""
    lines = _lines(graph)
    return f", which begins at {lines[-1]}" if lines else ""


def break_of(error: torch._dynamo.exc.Unsupported) -> str:
    """What dynamo says of what it cannot capture, in one line: the kind, what is behind it, and the last line of the program on the way there."""
    said = first_line(error)
    explained = re.search(r"^\s*Explanation: (.+)$", str(error), re.MULTILINE)
    if explained is not None:
        said += f": {explained[1].strip().rstrip('.')}"
    frames = list(error.real_stack or ())
    own = [frame for frame in frames if not frame.filename.startswith(_TORCH)]
    if own:
        said += f"; at {own[-1].filename}:{own[-1].lineno}"
    # Of sizes that depend on values the stack ends in the program, and the text has what is below.
    caused = re.search(r"^Caused by: .*\((\S+:\d+) in (\w+)\)$", str(error), re.MULTILINE)
    if frames and frames[-1].filename.startswith(_TORCH):
        said += f"; in torch's {frames[-1].name}, {frames[-1].filename.removeprefix(_TORCH)}:{frames[-1].lineno}"
    elif caused is not None:
        said += f"; in torch's {caused[2]}, {caused[1]}"
    return said


def remedies_of(error: torch._dynamo.exc.Unsupported) -> str:
    """What dynamo would have done about it by a switch of its own, before what else helps; nothing where it names none."""
    hints = re.findall(r"^\s*Hint: (.+)$", str(error), re.MULTILINE)
    found = [hint.strip().rstrip(".") for hint in hints if "torch._dynamo.config." in hint]
    return "".join(f"{hint[0].lower()}{hint[1:]}, " for hint in found)


def _lines(graph: fx.Graph) -> tuple[str, ...]:
    """The lines of the program that its first node stands in, outermost first; none where they are not known."""
    for node in graph.nodes:
        lines = re.findall(r'File "(.+)", line (\d+)', node.stack_trace or "")
        if lines:
            return tuple(f"{file}:{line}" for file, line in lines)
    return ()


def has_lstm(gm: fx.GraphModule) -> bool:
    """Does it call torch's own LSTM?"""
    return "lstm" in _called(gm.graph)


def takes_gradients(graph: fx.Graph) -> bool:
    """Are gradients taken in it, by transforms of functions? Autograd may have some to take as well."""
    return "_grad_increment_nesting" in _called(graph)


def _called(graph: fx.Graph) -> set[str]:
    return {getattr(node.target, "__name__", "") for node in graph.nodes if node.op == "call_function"}
