"""Bilinear interpolation and its gradient out of ops that every form of torch-mlir has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten


def decompositions(form: str) -> dict[Any, Callable[..., Any]]:
    """What stands for the ops of bilinear interpolation in a form: TOSA has one for the way there, none has one for the gradient."""
    forward = {} if form == "tosa" else {aten.upsample_bilinear2d.default: bilinear}
    return {**forward, aten.upsample_bilinear2d_backward.default: bilinear_backward}


def bilinear(x: torch.Tensor, output_size: list[int], align_corners: bool, scale_h: float | None = None, scale_w: float | None = None) -> torch.Tensor:
    """Rows and columns are interpolated one after the other, each by a matrix."""
    if list(output_size) == list(x.shape[2:]):
        # Whatever the factors, this is no interpolation.
        return x.clone()
    rows, columns = _weights(x, list(x.shape[2:]), output_size, align_corners, (scale_h, scale_w))
    return torch.matmul(rows, torch.matmul(x.to(rows.dtype), columns.t())).to(x.dtype)


def bilinear_backward(
    gradient: torch.Tensor, output_size: list[int], input_size: list[int], align_corners: bool, scale_h: float | None = None, scale_w: float | None = None,
) -> torch.Tensor:
    """The gradient goes through both matrices, turned about."""
    if list(output_size) == list(input_size[2:]):
        return gradient.clone()
    rows, columns = _weights(gradient, input_size[2:], output_size, align_corners, (scale_h, scale_w))
    return torch.matmul(rows.t(), torch.matmul(gradient.to(rows.dtype), columns)).to(gradient.dtype)


def _weights(
    like: torch.Tensor, before: list[int], after: list[int], align_corners: bool, scales: tuple[float | None, float | None],
) -> list[torch.Tensor]:
    """Of rows and of columns, what every element after it has of every one before: 1 at its place there, falling to 0 at the neighbours. Made of ops, so
    that no file holds it."""
    dtype = torch.promote_types(like.dtype, torch.float32)
    found = []
    for old, new, scale in zip(before, after, scales, strict=True):
        place = torch.arange(new, dtype=dtype, device=like.device)
        if align_corners:
            place = place * ((old - 1) / max(new - 1, 1))
        else:
            step = 1 / scale if scale is not None and scale > 0 else old / new
            place = (place + 0.5) * step - 0.5
        distance = place.clamp(0, old - 1).unsqueeze(1) - torch.arange(old, dtype=dtype, device=like.device)
        found.append((1 - distance.abs()).relu())
    return found
