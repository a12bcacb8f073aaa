"""PyTorch: steps that write to buffers and draw random numbers, in the order of eager."""

import copy
import warnings

import pytest

torch = pytest.importorskip("torch")

from steps_torch import QUICK  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast.torch._cost import Roofline  # noqa: E402
from ballast.torch._fit import _captured  # noqa: E402
from ballast.torch._graph import JointProblem, updated_averages  # noqa: E402
from ballast.torch._partitioner import prepare  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


def after(model, run, batch):
    """Loss, gradients and buffers after two steps from one seed."""
    torch.manual_seed(7)
    losses = []
    for _ in range(2):
        loss = run(batch)
        loss.backward()
        losses.append(loss.detach().clone())
    return losses, [parameter.grad for parameter in model.parameters()], list(model.buffers())


def check(make, cap, batch, options=QUICK, **tolerances):
    """A plan under a cap does what eager does; the plan."""
    torch.manual_seed(0)
    eager = make()
    planned = copy.deepcopy(eager)
    expected = after(eager, eager, batch)
    compiled = ballast.torch.compile(planned, cap, **options)
    torch.testing.assert_close(after(planned, compiled, batch), expected, **tolerances)
    return compiled.plan


class Layers(torch.nn.Module):
    """Four layers of 64, and what comes of them."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(4))

    def through(self, batch):
        for layer in self.layers:
            batch = torch.tanh(layer(batch)) + batch
        return batch


class Memory(Layers):
    """Reads a buffer at the end of the step that writes to it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.randn(256, 64))

    def forward(self, batch):
        new = 0.9 * self.memory + 0.1 * batch
        found = self.through(batch) + self.memory
        self.memory.copy_(new)
        return found.square().mean()


@pytest.mark.parametrize("cap", ["85%", "65%"])
def test_a_buffer_is_read_before_it_is_written(cap):
    plan = check(Memory, cap, torch.randn(256, 64))
    assert plan.recomputed


class Clamp(torch.autograd.Function):
    """A clamp whose gradient is that of another range, of a mask that the backward pass alone needs."""

    @staticmethod
    def forward(ctx, values, most):
        ctx.save_for_backward(values.abs() <= most)
        return values.clamp(-1, 1)

    @staticmethod
    def backward(ctx, gradient):
        (mask,) = ctx.saved_tensors
        return gradient * mask, None


class Quantised(Layers):
    """A range that the step learns after it was used."""

    def __init__(self):
        super().__init__()
        self.register_buffer("most", torch.tensor(0.2))

    def forward(self, batch):
        values = self.through(batch)
        found = Clamp.apply(values, self.most)
        self.most.copy_(torch.maximum(self.most, values.detach().abs().max()))
        return found.square().sum()


def test_what_the_backward_pass_alone_needs_reads_a_buffer_before_it_is_written():
    check(Quantised, "200%", torch.randn(256, 64))


class Twice(Layers):
    """Normalises by running averages, and updates them afterwards."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(64)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.2, 0.5)

    def forward(self, batch):
        self.norm.eval()
        found = batch
        for layer in self.layers:
            found = self.norm(layer(found)).tanh() + found
        self.norm.train()
        return found.square().mean() + 0 * self.norm(3 * batch).mean()


def test_normalising_by_averages_does_not_run_again_once_they_are_updated():
    plan = check(Twice, "75%", torch.randn(256, 64))
    assert plan.recomputed


class Normed(torch.nn.Module):
    """Two normalised layers, called on two batches as siamese nets are, or with their averages as factors of what they give."""

    def __init__(self, factors=False):
        super().__init__()
        self.factors = factors
        widths = (32, 64), (64, 64)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(*width) for width in widths)
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(64) for _ in widths)

    def through(self, batch):
        for layer, norm in zip(self.layers, self.norms, strict=True):
            batch = torch.relu(norm(layer(batch)))
            if self.factors:
                batch = batch * norm.running_var
        return batch

    def forward(self, batch):
        first = self.through(batch)
        return first.square().mean() if self.factors else (first - self.through(batch.flip(0) + 1)).square().mean()


def test_gradients_of_normalised_batches_hold_no_averages():
    module, results, _ = _captured(Normed(), (torch.randn(64, 32),))
    joint = JointProblem(prepare(module), results, Roofline())
    averages = {joint.of_storage[name] for node in joint.nodes for name in updated_averages(node)}
    # Of two layers two calls, each with a mean and a variance.
    assert len(averages) == 8
    assert not any(joint.problem.nodes[index].recomputable for index in averages)
    assert not any(averages & set(node.inputs) for node in joint.problem.nodes if node.backward)


@pytest.mark.parametrize("factors, cap", [(False, "66%"), (True, "62%")])
def test_averages_are_updated_once_where_a_layer_runs_again(factors, cap):
    # What is counted is the values of the graph, and steps of the search: the same plan on every machine.
    plan = check(lambda: Normed(factors), cap, torch.randn(64, 32), {"work_limit": 5000, "threads": 1, "rehearse": False}, rtol=0, atol=0)
    again = [value.name for value in plan.recomputed if value.name.startswith("_native_batch_norm")]
    assert again
    assert not any(name.endswith((".3", ".4")) for name in again)


def test_a_cap_that_averages_stand_in_the_way_of_is_refused_as_any_other():
    with warnings.catch_warnings(), pytest.raises(ballast.NoPlan, match="the least cap found"):
        warnings.filterwarnings("error", message=".*left out")
        check(lambda: Normed(factors=True), "58%", torch.randn(64, 32), {"work_limit": 5000, "threads": 1, "rehearse": False})


class Noise(torch.autograd.Function):
    """Noise on the gradient, drawn in the forward pass."""

    @staticmethod
    def forward(ctx, values):
        ctx.save_for_backward(torch.rand_like(values))
        return values.clone()

    @staticmethod
    def backward(ctx, gradient):
        (noise,) = ctx.saved_tensors
        return gradient * noise


class Noisy(Layers):
    """Draws for the backward pass before it draws for the forward pass."""

    def forward(self, batch):
        found = Noise.apply(self.through(batch))
        return torch.nn.functional.dropout(found, 0.5).square().mean()


def test_what_the_backward_pass_alone_needs_is_drawn_in_turn():
    check(Noisy, "200%", torch.randn(256, 64))


def test_more_sizes_than_are_compiled_are_an_error_and_not_a_model_without_a_plan():
    compiled = ballast.torch.compile(torch.nn.Linear(8, 8), "100%", fullgraph=False, **QUICK)
    with (
        torch._dynamo.config.patch(recompile_limit=2),
        pytest.raises(ballast.UnsupportedModel, match="pad batches"),
    ):
        for size in (4, 5, 6, 7):
            compiled(torch.randn(size, 8)).sum().backward()
