"""Programs of StableHLO through the planner's passes: as planned, and the figures of the plan."""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
from typing import Any

import jax
from jax.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

from .. import _programs
from .._devices import DEVICES, of_cuda
from ..export.generic import drop_barriers, text_in_generic_form

#: What a step costs: operations of its compiled form, by which plans are compared.
OPERATIONS = "operations"
#: A device on which an op takes as long as it has operations. Bytes count a little, so that nothing is moved twice without need.
_BY_OPERATIONS = """version = 1
[kinds.operations]
memory = "1000TB"
peak = { f32 = "1TFLOP/s" }
memory-bandwidth = "100TB/s"
host-link = { bandwidth = "25GB/s" }
[[devices]]
kind = "operations"
"""
#: Nothing recomputed, in program order.
KEEP_ALL = "solver=keep-all cap=1000TB"


#: What holds recomputation apart from what it repeats.
BARRIER = "stablehlo.optimization_barrier"
#: The body of a loop as a function.
BODY = "ballast_body"
#: Fusions of XLA's compiler for CPUs, whose heap has gaps.
XLA_CPU = "xla-cpu"
#: Fusions of a back end that stores every value but what is only spread or counted.
SPREAD = "spread"


def body_of_loop(text: str, depth: int) -> str | None:
    """The program with the body of a loop as the function `BODY`, loops inside it opened; None where no loop is so deep.

    Args:
        text: The program, as `generic` gives it.
        depth: 0 for the loop with most ops, 1 for the one with most ops inside it, and so on.
    """
    outlined = _passed(text, f"--ballast-outline-body=name={BODY} depth={depth}")
    return _passed(outlined, f"--ballast-unroll=function={BODY}") if BODY in outlined else None


def without_barriers(text: str) -> str:
    """The program with its functions inlined and what goes into each barrier in place of what comes out: what `jax.checkpoint` computes again is then
    what there is already.

    Args:
        text: The program, as `generic` gives it.
    """
    inlined = _passed(text, "--ballast-inline")
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(inlined)
        drop_barriers(module)
        return generic(module)


def gradients_written_out(text: str) -> str | None:
    """The program with gradients of max pooling, of gathers of one element per row and of depthwise kernels as elementwise ops and sums, functions inlined; None
    where it has none. XLA's own take indices, zeros and copies that no plan can do without.

    Args:
        text: The program, as `generic` gives it.
    """
    def count(text: str) -> int:
        return len(re.findall(r'"stablehlo\.(?:select_and_)?scatter"|batch_group_count = (?!1 )\d', text))

    if not count(text):
        return None
    written = _passed(text, "--ballast-inline", "--ballast-gather-gradients", "--ballast-depthwise-gradients", "--ballast-pool-gradients")
    return written if count(written) < count(text) else None


def _passed(text: str, *passes: str) -> str:
    """A program after passes of the planner, in the form that `generic` gives."""
    with tempfile.TemporaryDirectory(prefix="ballast-") as folder:
        source, target = (pathlib.Path(folder, name) for name in ("step.mlir", "passed.mlir"))
        source.write_text(text)
        _programs.run("ballast-opt", [
            source, "--allow-unregistered-dialect", *passes, "--mlir-print-debuginfo", "--mlir-print-op-generic", "-o", target,
        ])
        return target.read_text()


def planned(text: str, options: str, times: str, fusion: str, *, rewrite: bool = True, gaps: bool = False) -> tuple[str, dict[str, Any]]:
    """A program as planned, and the figures of its plan.

    Args:
        text: The program, as `generic` gives it.
        options: What is planned: cap, solver, limits.
        times: `"operations"`, or a device.
        fusion: Whose fusions are reckoned with, `xla`, `xla-cpu`, `xla-gpu` or `spread`.
        rewrite: As StableHLO alone; otherwise the plan stays in attributes, the figures of the device among them.
        gaps: With room for gaps of XLA's heap on CPUs. What is measured has them, and a plan that leaves room for them may compute again for memory that is there.
    """
    with tempfile.TemporaryDirectory(prefix="ballast-") as folder:
        source, target, plan = (pathlib.Path(folder, name) for name in ("step.mlir", "planned.mlir", "plan.json"))
        source.write_text(text)
        device: str | pathlib.Path = times
        if times == OPERATIONS:
            device = pathlib.Path(folder, "operations.toml")
            device.write_text(_BY_OPERATIONS)
        given = f"cap-counts=temp fusion={fusion} heap-gaps={str(gaps).lower()} gradients=whole products=whole swap=false devices={device} plan-file={plan} {options}"
        arguments = [
            source, "--allow-unregistered-dialect", f"--remat={given}",
            *(["--ballast-to-stablehlo", "--ballast-strip"] if rewrite else []), "--mlir-print-debuginfo", "--mlir-print-op-generic", "-o", target,
        ]
        _programs.run("ballast-opt", arguments)
        return target.read_text(), json.loads(plan.read_text())["stages"][0]


def fusion() -> str:
    """The fusions of the platform at hand."""
    return {"cpu": XLA_CPU, "gpu": "xla-gpu"}.get(jax.default_backend(), "xla")


def check_times(times: str) -> None:
    """Refuses what times cannot be by.

    Raises:
        ValueError: it is no device, and no file of one.
    """
    if times != OPERATIONS and times not in DEVICES and not pathlib.Path(times).is_file():
        raise ValueError(
            f"times={times!r}: give {OPERATIONS!r}, a device file that is there (docs/devices.md), or one of {', '.join(DEVICES)}"
        )


def usual_times() -> str:
    """What is made least where nothing is asked for: the seconds of the GPU at hand, as the table of devices has it. Elsewhere operations: what bounds a
    CPU's time is said by no roofline."""
    return of_cuda(jax.devices()[0].device_kind).name if jax.default_backend() == "gpu" else OPERATIONS


def unit(times: str) -> str:
    """What times of plans are."""
    return "operations, 1e12 to the second" if times == OPERATIONS else f"seconds of {times} by roofline"


def generic(module: Any) -> str:
    """A module as the planner reads it, without what shards it."""
    with module.context:
        _drop_shardings(module)
    return str(text_in_generic_form(module))


def _drop_shardings(module: Any) -> None:
    """Takes Shardy's ops and attributes out: on one device they say nothing, and they cannot be serialised with the rest."""
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for operation in found:
        if operation.name == "sdy.sharding_constraint":
            operation.results[0].replace_all_uses_with(operation.operands[0])
            operation.erase()
        elif operation.name == "sdy.mesh":
            operation.erase()
        else:
            # A custom call of a library has its own rule of sharding.
            for name in [name for name in operation.attributes.keys() if name.startswith("sdy.")]:
                del operation.attributes[name]
            for key in ("arg_attrs", "res_attrs"):
                if operation.name == "func.func" and key in operation.attributes:
                    kept = [
                        ir.DictAttr.get({named.name: named.attr for named in each if not named.name.startswith("sdy.")})
                        for each in ir.ArrayAttr(operation.attributes[key])
                    ]
                    operation.attributes[key] = ir.ArrayAttr.get(kept)
