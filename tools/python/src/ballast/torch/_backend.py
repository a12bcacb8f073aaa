"""The backend for `torch.compile`: plans the joint graph, hands back forward and backward graphs."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import torch
import torch._inductor.exc
from torch import fx
from torch._functorch import config as functorch_config

from .._errors import BallastError, NoPlan, UnsupportedModel, first_line, of_ballast
from .._plan import Plan
from ._captured import Origin, begins_at, has_lstm, onednn, origin, takes_gradients, unread_bytes
from ._gradients import leaves
from ._graph import main_device
from ._in_flight import InFlight
from ._partitioner import Partitioner
from ._readback import Boxed, ReadBack, Way
from ._settings import GUARDS, changed_until_compiled
from ._ungraded import Ungraded


#: The backends that have compiled something which torch has not forgotten.
_COMPILED: weakref.WeakSet[Backend] = weakref.WeakSet()


def too_often(times: int) -> UnsupportedModel:
    """Says that a model was compiled as often as it may."""
    return UnsupportedModel(
        f"torch.compile has compiled the model {times} times, as often as it may, counted with what else is compiled of the same code: pad batches to few sizes, give "
        "numbers that change from step to step as tensors, raise torch._dynamo.config.recompile_limit, or have all that is compiled forgotten "
        "(torch._dynamo.reset())"
    )


@dataclasses.dataclass
class _Piece:
    """A piece of the model's code that becomes one graph, or several of other sizes."""

    begins: Origin
    #: Its plans among the backend's.
    plans: list[int]
    in_flight: InFlight
    #: Graphs made of it.
    times: int = 0


class Backend:
    """A backend for `torch.compile(model, backend=...)`; `plans` has what was planned.

    Args:
        cap: As for `Partitioner`, which takes the other options.
        compiler: `"eager"`: the graphs run op by op, with no compiler; `"inductor"`: torch's compiler, on CPU too where there is a C++
            compiler.
    """

    def __init__(self, cap: int | float | str, *, compiler: str = "eager", **options: Any) -> None:
        if compiler not in ("eager", "inductor"):
            raise ValueError(f"compiler={compiler!r}: choose 'eager' (op by op) or 'inductor'")
        self.compiler = compiler
        #: Has torch handed a graph over?
        self.asked = False
        #: Is one graph all there is of the model?
        self.whole = False
        #: Who knows what is there beside a graph's inputs. What torch has compiled keeps a backend, and is not to keep a model.
        self.owner: weakref.ref[torch.nn.Module | torch.optim.Optimizer] | None = None
        #: Are gradients there before a step makes its own? Then autograd adds them up, and stores none.
        self.accumulates = False
        #: The pieces of the model's code.
        self._pieces: list[_Piece] = []
        #: How often a piece may be compiled; as often as torch lets it where nobody says.
        self.limit: int | None = None
        self.partitioner = Partitioner(cap, **{"fused": compiler == "inductor", **options})
        #: The graphs that ran without a plan, because no backward pass follows.
        self.ungraded = Ungraded(cap, self.partitioner.cap_counts)

    def anew(self) -> Backend:
        """One with the same options that has planned nothing."""
        backend = copy.copy(self)
        backend.asked, backend.owner, backend._pieces, backend.partitioner = False, None, [], self.partitioner.anew()
        backend.ungraded = Ungraded(self.partitioner.cap, self.partitioner.cap_counts)
        return backend

    def reset(self) -> None:
        """What torch calls where it forgets all that it has compiled."""
        _COMPILED.discard(self)
        for piece in self._pieces:
            piece.times = 0

    def models(self) -> int:
        """How many backends have compiled something that torch has not forgotten, this one among them."""
        return len(_COMPILED) + (self not in _COMPILED)

    def times(self) -> int:
        """How often the piece was compiled that was compiled most often."""
        return max((piece.times for piece in self._pieces), default=0)

    @property
    def plans(self) -> list[Plan]:
        """The plan of every graph compiled for training, in order."""
        return self.partitioner.plans

    def __call__(self, gm: fx.GraphModule, example_inputs: list[Any], **_options: Any) -> Any:
        """Compiles a graph that dynamo has captured."""
        changed_until_compiled(**GUARDS)
        self.asked = True
        index = len(self.plans)
        piece = self._piece(origin(gm, example_inputs))
        if self.limit is not None and piece.times >= self.limit:
            raise too_often(piece.times)
        piece.times += 1
        _COMPILED.add(self)
        self.partitioner.earlier = [self.plans[earlier] for earlier in piece.plans]
        stored = frozenset() if self.accumulates else leaves(example_inputs)
        unread = unread_bytes(self.owner() if self.owner is not None else None, gm, example_inputs)
        # Compilers change what they compile.
        graph = copy.deepcopy(gm.graph)
        transforms, trains = takes_gradients(graph), torch.is_grad_enabled()

        def ungraded(alone: fx.GraphModule) -> None:
            self.ungraded.note(
                alone.graph, transforms=transforms, trains=trains, held_bytes=self.partitioner.held_bytes + unread, cap_bytes=self.partitioner.cap_of_earlier()
            )

        def watched(compiled: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
            return piece.in_flight.watched(compiled, self.partitioner.results, lambda: self.plans[index])

        def compile_graph(read_back: ReadBack, inputs: Any, way: Way) -> tuple[Callable[..., Any], Plan | None]:
            self.partitioner.unread_bytes, self.partitioner.stored = unread, stored
            with self.partitioner.again(index, way.unseen) if index < len(self.plans) else contextlib.nullcontext():
                run = self._compile(fx.GraphModule(gm, copy.deepcopy(graph)), list(inputs), read_back, way, watched, ungraded)
            plan = self.plans[index] if index < len(self.plans) else None
            return run, plan if plan is not None and self.partitioner.reads_back(plan) else None

        def chosen(plan: Plan) -> None:
            self.plans[index] = plan

        device = main_device(value for value in example_inputs if isinstance(value, torch.Tensor))
        try:
            found = ReadBack(device, compile_graph, chosen, fuses=self.compiler == "inductor").compile(example_inputs)
            piece.plans.extend(range(index, len(self.plans)))
            return found
        except Exception as error:
            said = of_ballast(error)
            if self.whole or not isinstance(said, NoPlan):
                raise
            raise NoPlan(f"graph {index + 1} of the model{begins_at(graph)}: {said}", said.least_cap_bytes, found=said.found) from error

    def _piece(self, begins: Origin) -> _Piece:
        """The piece of code that a graph comes from: one seen before, or a new one."""
        for piece in self._pieces:
            if self.whole or piece.begins.same(begins):
                return piece
        self._pieces.append(_Piece(begins, [], InFlight(self.partitioner.in_flight)))
        return self._pieces[-1]

    def _compile(
        self, gm: fx.GraphModule, example_inputs: list[Any], read_back: ReadBack, way: Way, watched: Callable[[Any], Any],
        ungraded: Callable[[fx.GraphModule], None],
    ) -> Callable[..., Any]:
        if self.compiler == "inductor":
            from torch._inductor.compile_fx import compile_fx, compile_fx_inner
            from torch._inductor.cpp_builder import get_cpp_compiler

            def inner(graph: fx.GraphModule, inputs: Any, **given: Any) -> Any:
                if given.get("is_inference"):
                    ungraded(graph)
                    return compile_fx_inner(graph, inputs, **given)
                compiled = compile_fx_inner(graph, inputs, **given)
                return read_back.backward(graph, _retaining(compiled)) if given.get("is_backward") else read_back.forward(compiled, watched(compiled))

            patches: dict[str, Any] = {"custom_partitioner_fn": self.partitioner}
            if way.apart:
                patches["max_fusion_size"] = 1
            if self.partitioner.offload:
                # Its own order counts what is on the host as if it were not, and would move copies to where they hide nothing.
                patches["reorder_for_peak_memory"] = False
            try:
                # Asked for now: a graph of library calls alone would miss it in the backward pass, inside of autograd.
                if all(value.device.type == "cpu" for value in example_inputs if isinstance(value, torch.Tensor)):
                    get_cpp_compiler()
                return compile_fx(gm, example_inputs, inner, config_patches=patches)
            except Exception as error:
                missing = _without_compiler(error)
                if missing is None:
                    raise
                raise BallastError(
                    f"compiler='inductor' needs a C++ compiler, and none works ({missing}): install one (Debian: package g++), name it in the variable CXX, or "
                    "give compiler='eager'"
                ) from error
        from torch._dynamo.backends.common import aot_autograd
        from torch._dynamo.backends.debugging import boxed_nop

        enabled = torch._C._get_mkldnn_enabled()

        def partition(*given: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
            with onednn(enabled):
                return self.partitioner(*given, **options)

        def forward(graph: fx.GraphModule, inputs: Any) -> Any:
            compiled = boxed_nop(graph, inputs)
            return read_back.forward(compiled, watched(compiled))

        def inference(graph: fx.GraphModule, inputs: Any) -> Any:
            ungraded(graph)
            return boxed_nop(graph, inputs)

        # With it, tracing makes one op of an LSTM whose input needs no gradient, and that op has nothing for the backward pass when it runs.
        with functorch_config.patch(enable_autograd_cache=False), onednn(enabled and not has_lstm(gm)):
            return aot_autograd(
                fw_compiler=forward,
                bw_compiler=lambda graph, inputs: read_back.backward(graph, _retaining(boxed_nop(graph, inputs))),
                inference_compiler=inference, partition_fn=partition, keep_inference_input_mutations=True,
            )(gm, example_inputs)


def _retaining(compiled: Callable[[list[Any]], Any]) -> Any:
    """A compiled backward pass that says, once, where autograd is told to keep what the forward pass saved: the plan frees it."""
    said = False

    def run(inputs: list[Any]) -> Any:
        nonlocal said
        if not said and torch._C._current_graph_task_id() != -1 and torch._C._autograd._get_current_graph_task_keep_graph():
            said = True
            warnings.warn(
                "Ballast: backward(retain_graph=True) keeps what the forward pass has saved beyond the backward pass, whose plan frees it on the way: the step may take "
                "more than its cap. Sum the losses and call backward() once",
                stacklevel=2,
            )
        return compiled(inputs)

    return Boxed(compiled, run)


def _without_compiler(error: BaseException | None) -> str | None:
    """What inductor says of a C++ compiler that is not there, if that is what went wrong."""
    while error is not None:
        if isinstance(error, torch._inductor.exc.InvalidCxxCompiler):
            return first_line(error)
        error = getattr(error, "inner_exception", None) or error.__cause__
    return None
