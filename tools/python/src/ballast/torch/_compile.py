"""`ballast.torch.compile`: a model or a function whose training step runs under a cap."""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.eval_frame import OptimizedModule

from .. import _options
from .._errors import BallastError, UnsupportedModel, of_ballast
from .._plan import Plan
from ._backend import Backend, too_often
from ._captured import break_of, holder, remedies_of
from ._distributions import know_divergences
from ._settings import GUARDS, changed


def optimizer_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Bytes of an optimizer's state: what it holds, and for parameters that it has not stepped yet what its kind will hold.

    Raises:
        ValueError: its state is empty and its kind is not known: give `held_bytes`.
        TypeError: it is no optimizer.
    """
    if not hasattr(optimizer, "state") or not hasattr(optimizer, "param_groups"):
        raise TypeError(f"optimizer={optimizer!r}: give one of torch.optim, or else held_bytes, not {type(optimizer).__name__}")
    held = {parameter: [value for value in state.values() if isinstance(value, torch.Tensor)] for parameter, state in optimizer.state.items()}
    total = sum(tensor.numel() * tensor.element_size() for tensors in held.values() for tensor in tensors)
    for group in optimizer.param_groups:
        waiting = [parameter for parameter in group["params"] if parameter.requires_grad and not held.get(parameter)]
        to_come = _state_to_come(type(optimizer).__name__, group, waiting) if waiting else 0
        # Of a kind that is not known what is there counts: it may keep a parameter's state with another one's.
        if to_come is None and not total:
            raise ValueError(f"what {type(optimizer).__name__} will hold is not known before its first step: give held_bytes instead, or step it once")
        total += to_come or 0
    return total


def _state_to_come(kind: str, group: dict[str, Any], parameters: list[torch.Tensor]) -> int | None:
    """Bytes that an optimizer of some kind will hold for parameters of one of its groups; None: the kind is not known."""
    size = sum(parameter.numel() * parameter.element_size() for parameter in parameters)
    # Steps are counted by parameter, in a tensor of one number.
    counters = len(parameters) * (8 if torch.get_default_dtype() == torch.float64 and not group.get("fused") else 4)
    if kind in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax"):
        # NAdam has a product of its momenta beside the counter.
        return size * (3 if group.get("amsgrad") else 2) + counters * (2 if kind == "NAdam" else 1)
    if kind == "SGD":
        return size if group.get("momentum") else 0
    if kind in ("Adagrad", "RMSprop"):
        return size * (1 + bool(group.get("momentum")) + bool(group.get("centered"))) + counters
    return None


class _Compiled:
    """What both forms of a compiled model share."""

    _ballast_backend: Backend

    @property
    def plan(self) -> Plan:
        """The plan of the last graph compiled for training.

        Raises:
            BallastError: nothing was compiled yet for training.
        """
        if not self._ballast_backend.plans and self._ballast_backend.ungraded.met:
            raise BallastError(
                "there is no plan: it was called without gradients alone (under torch.no_grad(), with nothing in it that is trained, or with gradients that torch.func "
                "takes inside), and such calls are not planned"
            )
        if not self._ballast_backend.plans:
            raise BallastError("there is no plan yet: it is made by the first call in training (with gradients) that is not inside of what something else compiles")
        return self._ballast_backend.plans[-1]


def compile(  # noqa: A001
    model: Callable[..., Any], cap: int | float | str, *, compiler: str | None = None, optimizer: torch.optim.Optimizer | None = None,
    held_bytes: int | float | str = 0, accumulates: bool = False, fullgraph: bool = True, **options: Any,
) -> Any:
    """`torch.compile` under a memory cap: what is kept from forward to backward and what is computed again follows a plan.

    Args:
        model: A module or function.
        cap: Bytes, such as `"8GiB"`, or a share such as `"60%"` of what the step takes without a plan, everything kept: checkpoints that the model has of its
            own do not make it smaller.
        compiler: `"inductor"` or `"eager"`; by default inductor for models on an accelerator, and no compiler on the CPU and where values are
            offloaded.
        optimizer: Its state counts as held for the whole step.
        held_bytes: What else is held: bytes, such as `"2GiB"`.
        accumulates: Gradients are there before a step makes its own, as they are where several backward passes are summed, or where gradients are zeroed
            and not dropped: they count as held, too.
        fullgraph: Refuse models that break into several graphs; without it every graph is planned under the cap by itself.
        options: `cap_counts`, `times`, `offload`, `time_limit`, `seed`, `threads`, `in_flight`: as for `Partitioner`.

    Returns:
        The compiled model. `.plan` is there after the first call.

    Raises:
        ValueError, TypeError: options that make no sense.
        NoPlan: at the first call, where no plan keeps the cap.
        UnsupportedModel: the model is sharded; or, at the first call, it cannot be captured as one graph of fixed sizes.
    """
    if isinstance(model, _Compiled):
        warnings.warn("Ballast: what is given to ballast.torch.compile is planned already: this cap takes the place of the one it had", stacklevel=2)
        model = unplanned(model)
    _refuse_sharded(model)
    _options.yes_or_no("accumulates", accumulates)
    _options.yes_or_no("fullgraph", fullgraph)
    held_bytes = _options.held("held_bytes", held_bytes)
    if compiler is None:
        parameter = next(model.parameters(), None) if isinstance(model, torch.nn.Module) else None
        on_accelerator = parameter is not None and parameter.device.type != "cpu"
        compiler = "inductor" if on_accelerator and not options.get("offload") else "eager"
    if optimizer is not None:
        held_bytes += optimizer_bytes(optimizer)
    if accumulates:
        held_bytes += _gradient_bytes(model, optimizer)
    backend = Backend(cap, compiler=compiler, held_bytes=held_bytes, **options)
    backend.whole, backend.accumulates = fullgraph, accumulates
    return _compiled(model, backend, optimizer)


def _compiled(model: Callable[..., Any], backend: Backend, optimizer: torch.optim.Optimizer | None = None) -> Any:
    owner = holder(model, optimizer)
    backend.owner = weakref.ref(owner) if owner is not None else None
    compiled = torch.compile(model, backend=backend, dynamic=False, fullgraph=backend.whole)
    if not isinstance(compiled, OptimizedModule):
        return CompiledFunction(model, compiled, backend)
    # A hook of the model's may have to initialize it at its first call: what torch has made is kept, its class is not.
    compiled.__class__ = CompiledModule
    object.__setattr__(compiled, "_ballast_backend", backend)
    # What torch.compile would compile in place of this one.
    compiled._torchdynamo_orig_callable = _within(model)
    return compiled


def _within(model: Callable[..., Any]) -> Callable[..., Any]:
    """A planned model as what is compiled around it has it: a part of that, without a plan of its own."""
    def run(*args: Any, **kwargs: Any) -> Any:
        _say_within()
        return model(*args, **kwargs)

    return run


# While dynamo captures it is called in place of what is captured.
@torch._dynamo.assume_constant_result
def _say_within() -> None:
    warnings.warn(
        "Ballast: a planned model is called inside of what torch.compile compiles, and becomes a part of that graph: there it runs WITHOUT its plan, and its cap does "
        "not hold. Give the cap to what is around it (ballast.torch.compile(step, cap)), which then plans all of it, or call the planned model outside of it",
        stacklevel=2,
    )


def _gradient_bytes(model: Callable[..., Any], optimizer: torch.optim.Optimizer | None) -> int:
    if isinstance(model, torch.nn.Module):
        parameters = list(model.parameters())
    elif optimizer is not None:
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    else:
        raise ValueError("accumulates=True: whose gradients? Of a function the parameters are not known: give its optimizer, or held_bytes instead")
    return sum(parameter.numel() * parameter.element_size() for parameter in parameters if parameter.requires_grad)


def _refuse_sharded(model: Any) -> None:
    """A graph under FSDP's hooks would count the shards of parameters and not what is gathered for them."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    if fsdp is not None and isinstance(model, torch.nn.Module) and any(isinstance(module, fsdp.FSDPModule) for module in model.modules()):
        raise UnsupportedModel(
            "the model is sharded by fully_shard, whose hooks gather parameters outside of any graph: before it is sharded, compile its blocks, "
            "each as block.compile(backend=ballast.torch.Backend(cap), dynamic=False, fullgraph=True)"
        )


def unplanned(model: Callable[..., Any]) -> Callable[..., Any]:
    """The model itself, where a planned one is given."""
    if isinstance(model, CompiledModule):
        return model._orig_mod
    return model._function if isinstance(model, CompiledFunction) else model


class CompiledModule(_Compiled, OptimizedModule):
    """A compiled module; `plan` is there after the first call. A copy of it, and one that was saved and loaded, is compiled and planned anew."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it."""
        if torch.compiler.is_dynamo_compiling():
            _say_within()
            # By name it would be looked up by a method of torch's that dynamo does not trace.
            return self._modules["_orig_mod"](*args, **kwargs)
        return _call(super().__call__, args, kwargs, self._ballast_backend)

    def __bool__(self) -> bool:
        """What its model is; torch's own would ask for a length that most models do not have, and dynamo asks."""
        return bool(self._orig_mod)

    def __reduce__(self) -> Any:
        """Its model and how it was compiled."""
        return _compiled, (self._orig_mod, self._ballast_backend.anew())


class CompiledFunction(_Compiled):
    """A compiled function; `plan` is there after the first call."""

    def __init__(self, function: Callable[..., Any], compiled: Callable[..., Any], backend: Backend) -> None:
        self._function, self._compiled = function, compiled
        self._ballast_backend = backend

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it."""
        if torch.compiler.is_dynamo_compiling():
            _say_within()
            return self._function(*args, **kwargs)
        return _call(self._compiled, args, kwargs, self._ballast_backend)


def _call(function: Callable[..., Any], args: Any, kwargs: Any, backend: Backend) -> Any:
    """Calls, and says what went wrong in one sentence where it is ours to say."""
    exceptions = torch._dynamo.exc
    know_divergences()
    try:
        # Beyond the limit the model would run as it is, without a plan. Torch counts what all models of a class are compiled to as one: each has as much as it may.
        models = backend.models()
        with changed(
            fail_on_recompile_limit_hit=lambda _: True, recompile_limit=lambda limit: models * limit, accumulated_recompile_limit=lambda limit: models * limit,
            # Under DistributedDataParallel torch would cut the model into one graph per bucket of gradients, and each would have the whole cap.
            optimize_ddp=lambda mode: False if mode in (True, "ddp_optimizer") else mode,
            **GUARDS,
        ) as own:
            backend.limit = own["recompile_limit"]
            found = function(*args, **kwargs)
        if not backend.asked:
            backend.asked = True
            warnings.warn(
                "Ballast: torch.compile has captured nothing of this model (a scripted one, or compiling is switched off): it runs WITHOUT a plan",
                stacklevel=4,
            )
        return found
    except exceptions.BackendCompilerFailed as error:
        said = of_ballast(error)
        if said is None:
            raise
        raise said from None
    except exceptions.FailOnRecompileLimitHit as error:
        raise too_often(backend.times()) from error
    except exceptions.Unsupported as error:
        # What torch refuses by a switch of its own needs no other model.
        remedy = f"{remedies_of(error)}take out what breaks it"
        raise UnsupportedModel(
            f"the model is not one graph ({break_of(error)}): a cap holds for the step of one graph; {remedy}, or give fullgraph=False to plan every graph by itself"
        ) from error
