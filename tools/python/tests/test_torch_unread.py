"""PyTorch: parameters and buffers that a graph does not read are on the device all the same."""

import copy
import gc
import warnings
import weakref

import pytest

torch = pytest.importorskip("torch")

from models_torch import perceptron  # noqa: E402
from steps_torch import QUICK  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


class Partly(torch.nn.Module):
    """Of 20 KB that it has, its forward pass reads 4."""

    def __init__(self):
        super().__init__()
        self.read = torch.nn.Linear(31, 32)
        self.tied = torch.nn.Linear(31, 32)
        self.tied.weight = self.read.weight
        self.part = torch.nn.Parameter(self.read.bias.detach()[:7])
        self.frozen = torch.nn.Parameter(torch.zeros(1000), requires_grad=False)
        self.unread = torch.nn.Linear(31, 32)
        self.register_buffer("table", torch.zeros(2000))
        self.later = torch.nn.LazyLinear(8)

    def forward(self, x):
        return self.read(x).tanh().square().mean()

    def step(self, x):
        return self(x)


#: 32 x 31 weights and 32 biases twice, the tied layer's own 32 biases, and what is frozen or no parameter.
PARTLY = 4 * (2 * 1024 + 32 + 1000 + 2000)


@pytest.mark.parametrize("options", [{}, {"cap": "90%"}, {"accumulates": True}, {"fullgraph": False}])
def test_what_the_forward_pass_does_not_read_is_there_beside_it(options):
    model, batch = Partly(), torch.randn(64, 31)
    optimizer = torch.optim.SGD([parameter for parameter in model.parameters() if not torch.nn.parameter.is_lazy(parameter)])
    gradients = 4 * (2 * 1024 + 32 + 7) if "accumulates" in options else 0
    given = {"cap": "1GiB", "optimizer": optimizer, **QUICK, **options}
    if gradients:
        del model.later
    for called in (ballast.torch.compile(model, **given), ballast.torch.compile(model.step, **given)):
        called(batch).backward()
        assert called.plan.resident_bytes == PARTLY + batch.nbytes + gradients
        assert called.plan.peak_bytes > called.plan.resident_bytes and max(called.plan.timeline) <= called.plan.peak_bytes
        torch._dynamo.reset()
    kept = ballast.torch.compile(model, cap="1GiB", cap_counts="saved", **QUICK)
    kept(batch).backward()
    assert kept.plan.peak_bytes == kept.plan.saved_bytes < PARTLY
    fit = ballast.torch.will_it_fit(model, batch)
    assert fit.argument_bytes == PARTLY + batch.nbytes < fit.peak_bytes


def test_of_a_function_it_is_what_its_optimizer_has_that_is_there_beside_it():
    model, batch = Partly(), torch.randn(64, 31)
    model.later = None
    optimizer = torch.optim.SGD(model.parameters())
    read = model.read.weight.nbytes + model.read.bias.nbytes
    for given, there in (None, read), (optimizer, PARTLY - model.table.nbytes):
        called = ballast.torch.compile(lambda x: model(x), cap="1GiB", optimizer=given, **QUICK)
        called(batch).backward()
        assert called.plan.resident_bytes == there + batch.nbytes
        assert ballast.torch.will_it_fit(lambda x: model(x), batch, optimizer=given).argument_bytes == there + batch.nbytes
        torch._dynamo.reset()


def test_the_whole_model_is_there_beside_every_graph_of_it_at_every_size():
    first, second = perceptron(layers=2), perceptron(layers=1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()])

    def step(x):
        x = first(x)
        torch._dynamo.graph_break()
        return second(x).sum()

    parameters = 3 * 4 * (64 * 64 + 64)
    compiled = ballast.torch.compile(step, cap="1GiB", optimizer=optimizer, fullgraph=False, **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows in (16, 32):
            compiled(torch.randn(rows, 64)).backward()
    inputs = [plan.resident_bytes - parameters for plan in compiled._ballast_backend.plans]
    assert inputs == [256 * rows for rows in (16, 16, 32, 32)]


def test_what_is_not_read_counts_in_copies_and_the_compiled_model_does_not_outlive_its_users():
    model, batch = Partly(), torch.randn(64, 31)
    compiled = ballast.torch.compile(model, cap="1GiB", **QUICK)
    compiled(batch).backward()
    other = copy.deepcopy(compiled)
    other.table = torch.zeros(3000)
    other(batch).backward()
    # In a copy what was a part of another parameter's memory, 7 numbers, has its own.
    assert other.plan.resident_bytes == compiled.plan.resident_bytes + 4 * (1000 + 7) == PARTLY + batch.nbytes + 4028
    gone = weakref.ref(model)
    del model, compiled
    gc.collect()
    assert gone() is None
