"""Checks gradients of interpolation, as they are exported, against eager ones. Needs torch; the files that are written need torch-mlir."""

import itertools

import pytest

torch = pytest.importorskip("torch")

from ballast.export._torch_upsampling import bilinear, bilinear_backward  # noqa: E402

aten = torch.ops.aten


def test_bilinear_interpolation_and_its_gradient_are_eager_ones():
    """To more and to fewer elements, by size and by factor, with and without corners that stay where they are."""
    torch.manual_seed(0)
    for (rows, columns), align in itertools.product([(8, 10), (3, 13), (4, 5), (1, 1), (9, 2)], (False, True)):
        x, gradient = torch.randn(2, 3, 4, 5, dtype=torch.float64), torch.randn(2, 3, rows, columns, dtype=torch.float64)
        for scales in [(None, None), (rows / 4 + 0.1, columns / 5 + 0.1)]:
            there, back = [[rows, columns], align, *scales], [[rows, columns], list(x.shape), align, *scales]
            found, expected = bilinear(x, *there), aten.upsample_bilinear2d(x, *there)
            torch.testing.assert_close(found, expected, msg=lambda text: f"{there}: {text}")
            found, expected = bilinear_backward(gradient, *back), aten.upsample_bilinear2d_backward(gradient, *back)
            torch.testing.assert_close(found, expected, msg=lambda text: f"{back}: {text}")


def test_what_is_between_two_elements_is_of_both_by_halves():
    gradient = torch.tensor([[[[1.0, 2.0, 4.0]]]], dtype=torch.bfloat16)
    found = bilinear_backward(gradient, [1, 3], [1, 1, 1, 2], True)
    assert found.dtype == torch.bfloat16 and found.tolist() == [[[[2.0, 5.0]]]]


@pytest.mark.parametrize("form", ["linalg", "tosa", "stablehlo"])
def test_a_step_with_bilinear_upsampling_is_written_in_every_form(form):
    pytest.importorskip("torch_mlir", reason="torch-mlir is not installed: requirements-export-torch.txt")
    from ballast.export import torch as export_torch

    module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Upsample(scale_factor=2, mode="bilinear"), torch.nn.Flatten(), torch.nn.Linear(64, 5))
    text = export_torch.export(module, (torch.randn(2, 3, 4, 4),), torch.randint(0, 5, (2,)), form)
    # Both weights come in, and new ones go out.
    assert all(text.count(f"tensor<{sizes}xf32>") >= 2 for sizes in ("4x3x3x3", "5x64")) and "upsample" not in text
