"""PyTorch: planned models inside of what else calls or compiles models: `DistributedDataParallel`, compiled functions and modules around them."""

import copy
import warnings

import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402
from steps_torch import QUICK, said  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


class Deep(torch.nn.Module):
    """Layers of 256 x 256, a quarter of a MiB of parameters each."""

    def __init__(self, layers=8):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(256, 256) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x)).exp()
        return x.square().mean()


# DistributedDataParallel.


@pytest.fixture
def group(tmp_path):
    """A process group of this process alone."""
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.parametrize("cap", [26_000_000, "50%"])
def test_a_model_under_distributed_data_parallel_is_one_graph_under_its_cap(group, cap):
    model, batch = Deep(), torch.randn(2048, 256)
    eager = copy.deepcopy(model)
    eager(batch).backward()
    compiled = ballast.torch.compile(model, cap=cap, **QUICK)
    # Two buckets, and more of 1 MiB each where torch knows the order of gradients.
    parallel = DistributedDataParallel(compiled, bucket_cap_mb=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            compiled.zero_grad()
            parallel(batch).backward()
    assert not said(caught)
    (plan,) = compiled._ballast_backend.plans
    for one, same in zip(model.parameters(), eager.parameters(), strict=True):
        assert torch.equal(one.grad, same.grad)
    compiled.zero_grad()
    # The buckets themselves were there before.
    held = batch.nbytes + sum(parameter.nbytes for parameter in model.parameters())
    assert ballast.torch.measure(lambda: parallel(batch).backward()).peak_bytes + held <= plan.cap_bytes
    # What torch is set to elsewhere stays.
    assert torch._dynamo.config.optimize_ddp is True


# Inside of what else is compiled.

#: What of a planned model and a batch is a loss, for torch.compile and for ballast.torch.compile.
AROUND = {
    "a function": lambda inner: lambda x: inner(x) * 2,
    "a module": lambda inner: torch.nn.Sequential(torch.nn.Tanh(), inner),
}


def gradients(model, call, batch):
    model.zero_grad()
    call(batch).backward()
    return [parameter.grad for parameter in model.parameters()]


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("around", AROUND)
def test_inside_of_what_torch_compiles_a_planned_model_is_a_part_and_that_is_said(around, fullgraph):
    model, batch = Deep(2), torch.randn(64, 256)
    right = gradients(model, AROUND[around](model), batch)
    inner = ballast.torch.compile(model, cap="100%", **QUICK)
    outer = torch.compile(AROUND[around](inner), backend="aot_eager", fullgraph=fullgraph)
    with pytest.warns(UserWarning, match="runs WITHOUT its plan, and its cap does not hold"):
        found = gradients(model, outer, batch)
    for one, same in zip(found, right, strict=True):
        assert torch.equal(one, same)
    assert not inner._ballast_backend.plans
    with pytest.raises(ballast.BallastError, match="not inside of what something else compiles"):
        _ = inner.plan
    # By itself it is planned as before.
    inner(batch).backward()
    assert inner.plan.peak_bytes <= inner.plan.cap_bytes


@pytest.mark.parametrize("around", AROUND)
def test_of_planned_models_inside_each_other_the_outer_cap_is_kept(around):
    model, batch = Deep(), torch.randn(2048, 256)
    inner = ballast.torch.compile(model, cap="1GB", **QUICK)
    outer = ballast.torch.compile(AROUND[around](inner), cap="50%", **QUICK)
    with pytest.warns(UserWarning, match="runs WITHOUT its plan"):
        gradients(model, outer, batch)
    (plan,) = outer._ballast_backend.plans
    model.zero_grad()
    held = batch.nbytes + sum(parameter.nbytes for parameter in model.parameters())
    assert ballast.torch.measure(lambda: outer(batch).backward()).peak_bytes + held <= plan.cap_bytes < 0.51 * plan.unplanned_bytes
    assert not inner._ballast_backend.plans


def test_a_planned_function_inside_of_what_is_compiled_is_a_part_of_it():
    batch = torch.randn(64, 64, requires_grad=True)
    inner = ballast.torch.compile(lambda x: x.sin().exp(), cap="100%", **QUICK)
    with pytest.warns(UserWarning, match="runs WITHOUT its plan") as caught:
        torch.compile(lambda x: inner(x).sum(), backend="aot_eager", fullgraph=True)(batch).backward()
    # Nothing of it is called scripted, nor switched off.
    assert {text[:80] for text in said(caught)} == {said(caught)[0][:80]}
    assert torch.allclose(batch.grad, batch.detach().sin().exp() * batch.detach().cos())


@pytest.mark.parametrize("empty", [False, True])
def test_a_planned_model_is_as_true_as_its_model(empty):
    """Torch's own asks a model for its length that has none."""
    assert bool(ballast.torch.compile(Deep(1), cap="100%"))
    assert bool(ballast.torch.compile(torch.nn.Sequential(*([] if empty else [torch.nn.Tanh()])), cap="100%")) is not empty


# Compiled once more.


@pytest.mark.parametrize("kind", ["module", "function"])
def test_what_torch_compiles_of_a_planned_model_runs_without_its_plan_and_says_so(kind):
    model, batch = Deep(2), torch.randn(64, 256)
    right = gradients(model, model, batch)
    inner = ballast.torch.compile(model if kind == "module" else lambda x: model(x), cap="100%", **QUICK)
    again = torch.compile(inner, backend="aot_eager", fullgraph=True)
    with pytest.warns(UserWarning, match="runs WITHOUT its plan"):
        found = gradients(model, again, batch)
    for one, same in zip(found, right, strict=True):
        assert torch.equal(one, same)
    with pytest.raises(ballast.BallastError, match="not inside of what something else compiles"):
        _ = inner.plan


@pytest.mark.parametrize("kind", ["module", "function"])
def test_a_cap_given_to_what_is_planned_takes_the_place_of_the_one_before(kind):
    model, batch = Deep(2), torch.randn(64, 256)
    inner = ballast.torch.compile(model if kind == "module" else lambda x: model(x), cap=1, **QUICK)
    with pytest.warns(UserWarning, match="takes the place of the one it had"):
        outer = ballast.torch.compile(inner, cap="100%", **QUICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outer(batch).backward()
    assert not said(caught) and type(outer) is type(inner)
    assert outer.plan.cap_bytes == outer.plan.unplanned_bytes
    # The one before is what it was.
    with pytest.raises(ballast.NoPlan):
        inner(batch)


def test_whether_a_planned_model_fits_is_asked_of_its_model():
    model, batch = Deep(2), torch.randn(64, 256)
    inner = ballast.torch.compile(model, cap="100%", **QUICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fits = [ballast.torch.will_it_fit(one, batch).peak_bytes for one in (inner, model)]
    assert fits[0] == fits[1] and not said(caught)
