"""Operations of a compiled program, read from its HLO text: loops count as often as they run.

XLA's own cost analysis takes the body of a loop to run once, so that a step under `lax.scan` and the same step written out would not compare.
Products and convolutions are counted by their formulas (twice the multiplications), elementwise ops and reductions by elements.
"""

from __future__ import annotations

import math
import re
from typing import Any

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\) -> .* \{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*)$")
_SHAPE = re.compile(r"\w+\[([\d,]*)\]")
_TARGET = re.compile(r'custom_call_target="([^"]*)"')
_NAME = re.compile(r"%([\w.\-]+)")
_CALLS = re.compile(r"(?:calls|body|to_apply|true_computation|false_computation)=%?([\w.\-]+)")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')
_ELEMENTWISE = frozenset(
    "abs add and atan2 cbrt ceil cosine divide erf exponential exponential-minus-one floor log log-plus-one logistic maximum minimum multiply "
    "negate not or popcnt power remainder round-nearest-afz round-nearest-even rsqrt shift-left shift-right-arithmetic shift-right-logical sign "
    "sine sqrt subtract tan tanh xor".split()
)


def operations(compiled: Any) -> float:
    """Operations of a program that JAX has compiled."""
    return operations_of(compiled.as_text())


def operations_of(text: str) -> float:
    """Operations of an HLO module."""
    computations: dict[str, list[tuple[str, tuple[int, ...], str, str]]] = {}
    entry = current = ""
    for line in text.splitlines():
        found = _COMPUTATION.match(line)
        if found:
            current = found.group(2)
            computations[current] = []
            entry = current if found.group(1) else entry
        elif current:
            instruction = _INSTRUCTION.match(line)
            if instruction:
                name, kind, op, rest = instruction.groups()
                # Calls of a GPU's libraries return their scratch memory beside the result.
                shape = _SHAPE.match(kind.removeprefix("(") if op == "custom-call" else kind)
                computations[current].append((name, _dims(shape.group(1)) if shape else (), op, rest))
    known: dict[str, float] = {}

    def total(name: str) -> float:
        if name not in known:
            known[name] = 0.0
            shapes = {made: shape for made, shape, _, _ in computations.get(name, ())}
            known[name] = sum(_cost(shape, op, rest, shapes, total) for _, shape, op, rest in computations.get(name, ()))
        return known[name]

    return total(entry)


def _cost(shape: tuple[int, ...], op: str, rest: str, shapes: dict[str, tuple[int, ...]], total: Any) -> float:
    size = math.prod(shape)
    operands = [shapes.get(name, ()) for name in _NAME.findall(rest.split("), ")[0])]
    if op in _ELEMENTWISE:
        return float(size)
    if op == "dot":
        contracted = re.search(r"lhs_contracting_dims=\{([\d,]*)\}", rest)
        return 2.0 * size * math.prod(operands[0][at] for at in _dims(contracted.group(1) if contracted else ""))
    if op == "convolution":
        labels = re.search(r"dim_labels=\w+_(\w+)->", rest)
        kernel = operands[1]
        return 2.0 * size * math.prod(kernel) / kernel[labels.group(1).index("o")] if labels else 0.0
    if op == "reduce":
        return float(math.prod(operands[0]))
    if op == "reduce-window":
        window = re.search(r"window=\{size=([\dx]+)", rest)
        return float(size * math.prod(int(extent) for extent in window.group(1).split("x"))) if window else float(size)
    if op == "select-and-scatter":
        return float(math.prod(operands[0]))
    if op == "custom-call":
        return _library_cost(shape, rest, operands)
    if op in ("fusion", "call", "while", "conditional", "async-start"):
        trips = _TRIPS.search(rest)
        inner = [called.strip().lstrip("%") for called in _CALLS.findall(rest)]
        branches = _BRANCHES.search(rest)
        # Of branches the most expensive one.
        taken = max((total(name.strip().lstrip("%")) for name in branches.group(1).split(",")), default=0.0) if branches else 0.0
        return (sum(total(name) for name in inner) + taken) * (int(trips.group(1)) if trips else 1)
    return 0.0


def _library_cost(shape: tuple[int, ...], rest: str, operands: list[tuple[int, ...]]) -> float:
    """Of a product by cuBLAS or a convolution by cuDNN; 0 of all else."""
    found = _TARGET.search(rest)
    target = found.group(1) if found else ""
    if target.startswith("__cublas$"):
        contracted = re.search(r'"lhs_contracting_dimensions":\[([^\]]*)\]', rest)
        return 2.0 * math.prod(shape) * math.prod(operands[0][int(at.strip('"'))] for at in (contracted.group(1).split(",") if contracted else ()))
    if target.startswith("__cudnn$conv"):
        # Of input, kernel and output of the convolution one is the result, and the other two are read: for the input's gradient the output's comes first.
        kernel = shape if "BackwardFilter" in target else operands[1]
        output = operands[0] if "BackwardInput" in target else operands[1] if "BackwardFilter" in target else shape
        labels = re.search(r"dim_labels=\w+_(\w+)->", rest)
        return 2.0 * math.prod(output) * math.prod(kernel) / kernel[labels.group(1).index("o")] if labels else 0.0
    return 0.0


def _dims(text: str) -> tuple[int, ...]:
    return tuple(int(extent) for extent in text.split(",") if extent)
