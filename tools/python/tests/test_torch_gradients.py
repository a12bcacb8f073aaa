"""PyTorch: gradients that autograd would copy once the backward pass has ended, where no plan sees it."""

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402
from steps_torch import QUICK  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")
#: Bytes of a parameter.
SIZE = 4 * 128 * 128


class Pair(torch.nn.Module):
    def __init__(self, loss, layout):
        super().__init__()
        self.first, self.second = (torch.nn.Parameter(layout(torch.randn(128, 128))) for _ in range(2))
        self.loss = loss

    def forward(self, x):
        return self.loss(self, x)


def plain(value):
    return value


#: Of each loss what the model holds at most beyond parameters and batch, in gradients alone: both, and a copy of one where autograd makes one.
LOSSES = {
    "as it is": (lambda m, x: (x @ m.first + x @ m.second).square().mean(), plain, 2),
    "transposed": (lambda m, x: torch.einsum("bd,fd->bf", x, m.first).square().mean() + (x @ m.second).square().mean(), plain, 3),
    "in another layout": (lambda m, x: torch.einsum("bd,df->bf", x, m.first).square().mean() + (x @ m.second).square().mean(), torch.t, 3),
    "of two parameters": (lambda m, x: functional.linear(x, m.first + m.second).square().mean(), plain, 2),
    "a number": (lambda m, x: (x @ m.first).square().mean() + m.second.sum(), plain, 2),
}


@pytest.mark.parametrize("name", LOSSES)
def test_copies_of_gradients_are_in_the_plan(name):
    loss, layout, gradients = LOSSES[name]
    model, batch = Pair(loss, layout), torch.randn(4, 128)
    model(batch).backward()
    expected = [parameter.grad for parameter in model.parameters()]
    model.zero_grad()
    planned = ballast.torch.compile(model, cap="100%", **QUICK)
    for _ in range(2):
        planned(batch).backward()
        model.zero_grad()
    measured = ballast.torch.measure(lambda: planned(batch).backward())
    plan = planned.plan
    assert measured.peak_bytes + plan.resident_bytes <= plan.peak_bytes <= plan.cap_bytes
    # Nothing else is as large: 4 rows of 128 numbers are 2048 bytes, and an `einsum` takes 14 408 for itself.
    assert gradients * SIZE <= measured.peak_bytes < gradients * SIZE + 8 * 2048
    assert measured.left_bytes < 2 * SIZE + 2048
    for parameter, gradient in zip(model.parameters(), expected, strict=True):
        assert torch.equal(parameter.grad, gradient) and parameter.grad.stride() == gradient.stride() == parameter.stride()
    assert ballast.torch.will_it_fit(model, batch, times=ballast.torch.Measured()).peak_bytes >= measured.peak_bytes + plan.resident_bytes


@pytest.mark.parametrize("accumulates", [False, True])
def test_gradients_that_are_added_up_or_go_on_are_not_copied(accumulates):
    model, leaf = Pair(LOSSES["transposed"][0], plain), torch.randn(128, 4, requires_grad=True)
    optimizer = torch.optim.SGD(model.parameters())

    def copied(x):
        torch._dynamo.reset()
        # A copy of 2048 bytes in the forward pass, whose gradient lies transposed.
        planned = ballast.torch.compile(lambda x: model(x.t().contiguous()), cap="1GiB", optimizer=optimizer, accumulates=accumulates, **QUICK)
        planned(x).backward()
        return sorted(value.bytes for value in planned.plan.values if "clone" in value.op)

    # The gradient of a leaf is stored, as a parameter's is; that of a product goes on to what made it.
    assert copied(leaf) == ([2048] if accumulates else [2048, 2048, SIZE])
    assert copied(leaf * 1.0) == ([2048] if accumulates else [2048, SIZE])
