"""What a policy's choice costs: operations, or the seconds of a device with what it copies over its host link.

Seconds are the planner's roofline of the program as lowered, and what copies to the host and back take over its link on top: XLA's compiler for
GPUs runs them one after the other with everything else (an H100, JAX 0.11.2; JAX's own `save_and_offload_only_these_names` alike).
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr

from .._errors import BallastError
from ._classes import PINNED_HOST, bytes_of
from ._jaxprs import programs_in
from ._planned import KEEP_ALL, OPERATIONS, generic, planned

_FIGURE = r'"?{}"? = (?:([\d.Ee+-]+)|\[([\d.Ee+-]+)(?: : f64)?(?:, ([\d.Ee+-]+)(?: : f64)?)?\])'


@dataclasses.dataclass(frozen=True)
class Copies:
    """Bytes that go to the host and come back, and in how many copies, loops as often as they run."""

    out_bytes: int = 0
    back_bytes: int = 0
    out: int = 0
    back: int = 0

    def __add__(self, other: Copies) -> Copies:
        return Copies(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))

    def often(self, times: int) -> Copies:
        """As many times as much."""
        return Copies(*(times * figure for figure in dataclasses.astuple(self)))


@dataclasses.dataclass(frozen=True)
class _Link:
    """Bytes per second, and seconds before the first byte."""

    out: tuple[float, float]
    back: tuple[float, float]

    @classmethod
    def of(cls, text: str, device: str) -> _Link:
        """Reads what the planner writes of the device it planned for."""
        found = [re.search(_FIGURE.format(name), text) for name in ("to_host", "from_host")]
        if not all(found):
            raise BallastError(f"the planner does not say what the host link of {device} does")
        out, back = ([float(part) for part in one.groups() if part] for one in found if one)
        return cls((out[0], (out[1:] or [0.0])[0]), (back[0], (back[1:] or [0.0])[0]))

    def seconds(self, copies: Copies) -> float:
        """To the host and back."""
        ways = ((copies.out_bytes, copies.out, self.out), (copies.back_bytes, copies.back, self.back))
        return sum(bytes_ / way[0] + count * way[1] for bytes_, count, way in ways)


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a choice is compared by, and what it copies."""

    value: float
    copies: Copies = Copies()
    link_seconds: float = 0.0


class Price:
    """Costs of the choices for one function."""

    def __init__(self, times: str, offload: bool) -> None:
        if offload and times == OPERATIONS:
            raise ValueError("offload=True is paid for in seconds over a device's host link: give times=, such as 'h100-80gb' or the path of a device file")
        self.times, self.offload = times, offload
        #: Do values that are offloaded leave the memory of the platform at hand?
        self.moves = not offload or _moves()

    @property
    def by_operations(self) -> bool:
        """Operations, not seconds?"""
        return self.times == OPERATIONS

    def lowered(self, traced: Any) -> Cost:
        """What a traced program costs before it is compiled: operations as XLA counts them, or seconds."""
        if self.times != OPERATIONS:
            return self._seconds(traced)
        return Cost(float((traced.lower().cost_analysis() or {}).get("flops", 0.0)))

    def _seconds(self, traced: Any) -> Cost:
        """Seconds of a traced program on the device."""
        # Lowered for the CPU, where offloading leaves no trace in the program: the planner reads it on every platform.
        module = traced.lower(lowering_platforms=("cpu",)).compiler_ir("stablehlo")
        text, figures = planned(generic(module), KEEP_ALL, self.times, "xla", rewrite=False)
        compute = float(figures["compute_seconds"])
        copies = copies_of(traced.jaxpr)
        if copies == Copies():
            return Cost(compute)
        link_seconds = _Link.of(text, self.times).seconds(copies)
        return Cost(compute + link_seconds, copies, link_seconds)

    def bound(self, everything: float, best: float) -> float:
        """What no choice is below: the operations of saving everything. Seconds have no such bound, as what is stored takes time too."""
        return min(everything, best) if self.by_operations else 0.0

    def notes(self) -> list[str]:
        """What is to be said of the costs."""
        said = [] if self.by_operations else [f"times are seconds of {self.times} by roofline, and nothing is proved of them"]
        if self.offload:
            said.append("copies to the host and back count in full, beside nothing else")
        if not self.moves:
            said.append(
                f"the {jax.default_backend()} back end keeps what is offloaded in the device's own memory: the gradient is the same, the memory is "
                "freed on an accelerator alone"
            )
        return said


def copies_of(program: ClosedJaxpr) -> Copies:
    """What a traced program copies between device and host."""
    return _copies(program.jaxpr)


def _copies(jaxpr: Jaxpr) -> Copies:
    total = Copies()
    for equation in jaxpr.eqns:
        if equation.primitive.name == "device_put":
            for before, after in zip(equation.invars, equation.outvars, strict=True):
                came, goes = (getattr(one.aval, "memory_space", None) == jax.memory.Space.Host for one in (before, after))
                if goes and not came:
                    total += Copies(out_bytes=bytes_of(after.aval), out=1)
                elif came and not goes:
                    total += Copies(back_bytes=bytes_of(after.aval), back=1)
        inner = [_copies(one) for value in equation.params.values() for one in programs_in(value)]
        if equation.primitive.name == "cond":
            total += max(inner, key=lambda one: one.out_bytes + one.back_bytes, default=Copies())
        else:
            total += sum(inner, Copies()).often(int(equation.params["length"]) if equation.primitive.name == "scan" else 1)
    return total


def _moves() -> bool:
    """Does the platform at hand move what a policy offloads?

    Raises:
        BallastError: it has no such memory.
    """
    kinds = sorted(memory.kind for memory in jax.devices()[0].addressable_memories())
    if PINNED_HOST not in kinds:
        raise BallastError(f"the {jax.default_backend()} back end has no memory '{PINNED_HOST}' to offload to, only {', '.join(kinds)}: leave offload out")

    # The CPU's has the name alone: where it lowers a program, nothing of the place is left.
    def away(*_: Any, **__: Any) -> Any:
        return jax.ad_checkpoint.Offloadable(src="device", dst=PINNED_HOST)

    probe = jax.grad(jax.checkpoint(lambda x: jax.numpy.sin(jax.numpy.sin(x)).sum(), policy=away))
    return "annotate_device_placement" in jax.jit(probe).lower(jax.ShapeDtypeStruct((8,), "float32")).as_text()
