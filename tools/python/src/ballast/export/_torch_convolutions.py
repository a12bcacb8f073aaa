"""Gradients of convolutions out of ops that every form of torch-mlir has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten


def decomposition(form: str) -> Callable[..., Any]:
    """What stands for `aten.convolution_backward` in a form: torch-mlir's own where that has a lowering, else plain convolutions."""

    def backward(
        gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias_sizes: Any, stride: list[int], padding: list[int],
        dilation: list[int], transposed: bool, output_padding: list[int], groups: int, mask: list[bool],
    ) -> Any:
        strided = any(step > 1 for step in stride)
        if not transposed and len(stride) == 2 and groups == 1 and set(dilation) == {1} and not (strided and form == "stablehlo"):
            return NotImplemented
        of_x = _of_transposed_input if transposed else _of_input
        # A transposed convolution is the gradient of a plain one: its input takes the place of that one's gradient.
        ends = (x, gradient) if transposed else (gradient, x)
        return (
            of_x(gradient, x, weight, stride, padding, dilation, groups) if mask[0] else None,
            _of_weight(*ends, weight, stride, padding, dilation, groups) if mask[1] else None,
            gradient.sum([0, *range(2, gradient.dim())]) if mask[2] else None,
        )

    return backward


def _of_transposed_input(
    gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int,
) -> torch.Tensor:
    return aten.convolution(gradient, weight, None, stride, padding, dilation, False, [0] * len(stride), groups)


def _of_input(
    gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int,
) -> torch.Tensor:
    """The gradient, with zeros between its elements and around it, under the weights turned about: no form has a lowering for all transposed convolutions."""
    axes = range(2, x.dim())
    for axis, step, padded, spread in zip(axes, stride, padding, dilation, strict=True):
        if step > 1:
            gradient = _lengthened(gradient.unsqueeze(axis + 1), axis + 1, 0, step - 1).flatten(axis, axis + 1)
        reach = spread * (weight.shape[axis] - 1)
        gradient = _lengthened(gradient, axis, reach - padded, x.shape[axis] + padded - gradient.shape[axis])
    turned = weight.flip(list(axes)).unflatten(0, (groups, -1)).transpose(1, 2).flatten(0, 1)
    ones, zeros = [1] * len(stride), [0] * len(stride)
    return aten.convolution(gradient, turned, None, ones, zeros, dilation, False, zeros, groups)


def _of_weight(
    gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int,
) -> torch.Tensor:
    """The input under the gradient, summed over the batch: examples are the channels of a group, and stride and dilation change places."""
    axes = range(2, x.dim())
    none = [0] * len(stride)
    depthwise = x.shape[1] == groups > 1
    if depthwise:
        # Every channel of every example is a group of its own: in TOSA many groups have one channel each.
        under = gradient.flatten(0, 1).unsqueeze(1)
        of_weight = aten.convolution(x.flatten(0, 1).unsqueeze(0), under, None, dilation, padding, stride, False, none, x.shape[0] * groups)
        of_weight = of_weight.squeeze(0).unflatten(0, (x.shape[0], -1)).sum(0).unsqueeze(0)
    else:
        by_group = x.unflatten(1, (groups, -1)).permute(2, 1, 0, *(axis + 1 for axis in axes)).flatten(1, 2)
        of_weight = aten.convolution(by_group, gradient.transpose(0, 1), None, dilation, padding, stride, False, none, groups)
    for axis in axes:
        # Rows of the input that the last stride does not reach would be weights further on.
        of_weight = of_weight.narrow(axis, 0, weight.shape[axis])
    return of_weight.transpose(0, 1)


def _lengthened(values: torch.Tensor, axis: int, before: int, after: int) -> torch.Tensor:
    """With so many zeros before and after along an axis; of fewer than none, so many elements are cut off."""
    start, end = max(-before, 0), values.shape[axis] - max(-after, 0)
    if end - start < values.shape[axis]:
        values = values.narrow(axis, start, end - start)
    if before > 0 or after > 0:
        inner = [0, 0] * (values.dim() - 1 - axis)
        values = aten.constant_pad_nd(values, [*inner, max(before, 0), max(after, 0)])
    return values
