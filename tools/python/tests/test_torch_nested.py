"""PyTorch: planned models inside of what else calls or compiles models: `DistributedDataParallel`."""

import copy
import warnings

import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast.torch import _partitioner  # noqa: E402

QUICK = {"time_limit": 1.0, "threads": 1}


@pytest.fixture(autouse=True)
def fresh(fresh_torch):
    _partitioner.KNOWN.clear()


class Deep(torch.nn.Module):
    """Layers of 256 x 256, a quarter of a MiB of parameters each."""

    def __init__(self, layers=8):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(256, 256) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x)).exp()
        return x.square().mean()


def said(caught):
    return [str(one.message) for one in caught if "Ballast" in str(one.message)]


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
