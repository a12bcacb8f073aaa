"""PyTorch: programs whose graphs hold what the common models do not."""

import warnings

import pytest

torch = pytest.importorskip("torch")

from steps_torch import QUICK  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


def step(function, inputs):
    """Gradients of one step, and the most it allocates."""
    for value in inputs:
        value.grad = None
    function(*inputs).backward()
    found = [value.grad.clone() for value in inputs if value.requires_grad]
    for value in inputs:
        value.grad = None
    return found, ballast.torch.measure(lambda: function(*inputs).backward()).peak_bytes


def check(function, inputs, cap):
    """A plan under a cap, with eager's gradients; the plan, and what its step was seen to allocate."""
    expected, _ = step(function, inputs)
    compiled = ballast.torch.compile(function, cap, **QUICK)
    found, peak = step(compiled, inputs)
    torch.testing.assert_close(found, expected)
    return compiled.plan, peak


def test_a_value_computed_twice_is_one_value():
    def twice(weight, batch):
        first, second = torch.tanh(batch @ weight), torch.tanh(batch @ weight)
        for _ in range(3):
            first, second = torch.tanh(first @ weight), torch.tanh(second @ weight)
        return (first + second.sin()).square().mean()

    inputs = (0.1 * torch.randn(64, 64)).requires_grad_(), torch.randn(256, 64)
    plan, peak = check(twice, inputs, "65%")
    assert plan.recomputed
    # Both are there once: four values of 64 KiB, and not eight.
    assert peak + plan.resident_bytes <= plan.cap_bytes


def test_rows_taken_by_index_run_again():
    source, target = torch.randint(0, 200, (2, 3000))
    weights = [torch.randn(64, 32).div(8).requires_grad_() for _ in range(3)]

    def network(nodes, *weights):
        for weight in weights:
            messages = torch.relu(torch.cat([nodes[source], nodes[target]], -1) @ weight)
            nodes = nodes + torch.zeros_like(nodes).index_add(0, target, messages) / 8
        return nodes.square().mean()

    plan, peak = check(network, (torch.randn(200, 32), *weights), "60%")
    assert any("index" in value.name for value in plan.recomputed)
    assert peak + plan.resident_bytes <= plan.cap_bytes


def test_a_loss_that_refuses_made_up_values_is_rehearsed_with_the_rest():
    def likelihood(weight, batch):
        return torch.nn.functional.binary_cross_entropy(torch.sigmoid(batch @ weight), batch)

    inputs = (0.1 * torch.randn(64, 64)).requires_grad_(), torch.rand(256, 64)
    plan, peak = check(likelihood, inputs, "100%")
    # What the allocator said while the step was run on made-up values is what it says of a real one.
    assert plan.measured_bytes == plan.unplanned_bytes
    assert abs(peak + plan.resident_bytes - plan.measured_bytes) <= 64


@pytest.mark.parametrize("kind, options, values, numbers", [
    ("SGD", {}, 0, 0), ("SGD", {"momentum": 0.9}, 1, 0),
    ("Adam", {}, 2, 1), ("AdamW", {"amsgrad": True}, 3, 1), ("AdamW", {"fused": True}, 2, 1), ("NAdam", {}, 2, 2), ("RAdam", {}, 2, 1), ("Adamax", {}, 2, 1), ("Adagrad", {}, 1, 1),
    ("RMSprop", {}, 1, 1), ("RMSprop", {"momentum": 0.9}, 2, 1), ("RMSprop", {"momentum": 0.9, "centered": True}, 3, 1),
])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_optimizers_state_is_known_before_its_first_step(kind, options, values, numbers, dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        weights = [torch.randn(8, 8, requires_grad=True) for _ in range(3)]
        optimizer = getattr(torch.optim, kind)([*weights, torch.randn(8, 8)], **options)
        expected = ballast.torch.optimizer_bytes(optimizer)
        sum(weight.sum() for weight in weights).backward()
        optimizer.step()
    finally:
        torch.set_default_dtype(before)
    assert ballast.torch.optimizer_bytes(optimizer) == expected
    # Adagrad has a state of what is not trained, too.
    tensors, counter = 4 if kind == "Adagrad" else 3, 4 if options.get("fused") else dtype.itemsize
    assert expected == tensors * (values * 64 * dtype.itemsize + numbers * counter)


def test_gradients_taken_inside_are_not_planned_and_that_is_said():
    def gradient(weight, x):
        return torch.func.grad(lambda weight: torch.tanh(torch.tanh(x @ weight) @ weight).square().mean())(weight)

    weight, x = torch.randn(16, 16), torch.randn(64, 16)
    compiled = ballast.torch.compile(gradient, "50%", **QUICK)
    with pytest.warns(UserWarning, match="torch.func takes gradients inside .* WITHOUT a plan"):
        found = compiled(weight, x)
    assert torch.allclose(found, gradient(weight, x))


def test_gradients_taken_inside_of_what_is_trained_are_planned_with_it():
    weight = torch.nn.Parameter(torch.randn(16, 16))

    def penalty(x):
        gradient = torch.func.grad(lambda z: torch.tanh(torch.tanh(z @ weight) @ weight).sum())(x)
        return gradient.square().mean()

    compiled = ballast.torch.compile(penalty, "90%", **QUICK)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Ballast")
        compiled(torch.randn(256, 16)).backward()
    assert compiled.plan.peak_bytes <= compiled.plan.cap_bytes < compiled.plan.unplanned_bytes


def test_divergences_of_distributions_are_known_before_their_first_call():
    distributions = torch.distributions
    weights = [torch.randn(16, 64).div(4).requires_grad_(), torch.randn(32, 16).div(4).requires_grad_()]

    def loss(x, into, out):
        mean, deviation = torch.tanh(x @ into).chunk(2, -1)
        latent = distributions.Normal(mean, deviation.exp())
        target = distributions.Normal(latent.rsample() @ out, 1.0)
        return (distributions.kl_divergence(latent, distributions.Normal(torch.zeros_like(mean), 1.0)).sum(-1) - target.log_prob(x).sum(-1)).mean()

    x = torch.randn(256, 16)
    # As in a new process, and as after `register_kl`.
    distributions.kl._KL_MEMOIZE.clear()
    compiled = ballast.torch.compile(loss, "70%", **QUICK)
    torch.manual_seed(0)
    compiled(x, *weights).backward()
    found = [weight.grad for weight in weights]
    for weight in weights:
        weight.grad = None
    peak = ballast.torch.measure(lambda: compiled(x, *weights).backward()).peak_bytes
    for weight in weights:
        weight.grad = None
    torch.manual_seed(0)
    loss(x, *weights).backward()
    assert all(torch.equal(one, weight.grad) for one, weight in zip(found, weights, strict=True))
    assert peak + compiled.plan.resident_bytes <= compiled.plan.cap_bytes
