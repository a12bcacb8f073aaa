"""PyTorch: calls without gradients have no plan, and that is said where they take more than the cap, or nobody knows the cap."""

import warnings

import pytest

torch = pytest.importorskip("torch")

from steps_torch import QUICK, said  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")
#: Two layers of 8 x 8 without biases and 32 rows: 512 bytes of parameters, and 1024 of the input and of either result.
PARAMETERS, ROWS = 2 * 8 * 8 * 4, 32 * 8 * 4


def two_layers():
    return torch.nn.Sequential(torch.nn.Linear(8, 8, bias=False), torch.nn.Linear(8, 8, bias=False)), torch.randn(32, 8)


def told(compiled, batch, times=1):
    """What is said in some calls."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(times):
            compiled(batch)
    return said(caught)


def test_what_is_frozen_and_above_its_cap_is_said_once_with_its_bytes():
    model, batch = two_layers()
    takes = PARAMETERS + 3 * ROWS
    compiled = ballast.torch.compile(model.requires_grad_(False), cap=takes - 1, **QUICK)
    (found,) = told(compiled, batch, times=2)
    assert "nothing in it is trained" in found and f"takes {ballast.format_bytes(takes)}" in found and "WITHOUT a plan" in found
    with pytest.raises(ballast.BallastError, match="called without gradients alone"):
        _ = compiled.plan
    torch._dynamo.reset()
    assert told(ballast.torch.compile(model, cap=takes, **QUICK), batch) == []
    torch._dynamo.reset()
    (found,) = told(ballast.torch.compile(model, cap=takes, held_bytes=1, **QUICK), batch)
    assert f"its cap is {ballast.format_bytes(takes)}" in found


def test_an_evaluation_is_compared_with_the_cap_of_the_training():
    model, batch = two_layers()
    compiled = ballast.torch.compile(model, cap="200%", **QUICK)
    with torch.no_grad():
        (found,) = told(compiled, batch)
    assert "'200%', is a share of the step in training" in found
    # What was said is not said again, nor is what keeps the cap that is known by then.
    torch._dynamo.reset()
    compiled = ballast.torch.compile(model, cap="200%", **QUICK)
    compiled(batch).sum().backward()
    with torch.no_grad():
        assert told(compiled, batch) == []
        (found,) = told(compiled, torch.randn(512, 8))
    assert "gradients are switched off" in found and f"its cap is {ballast.format_bytes(compiled.plan.cap_bytes)}" in found


def test_a_cap_on_what_is_kept_for_backward_is_kept_by_what_keeps_nothing():
    model, batch = two_layers()
    with torch.no_grad():
        assert told(ballast.torch.compile(model, cap=1, cap_counts="saved", **QUICK), batch) == []
