"""PyTorch plans beside what else people use: FSDP2 and inductor."""

import pathlib

import pytest

torch = pytest.importorskip("torch")

from group_torch import member  # noqa: E402
from models_torch import chain  # noqa: E402
from steps_torch import QUICK  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")
WORLD = 2


def expected():
    """Gradients of one process without a plan."""
    torch.manual_seed(0)
    model, batch = chain(3), torch.randn(64, 16, 32)
    model(batch).square().mean().backward()
    return [parameter.grad for parameter in model.parameters()]


def sharded(rank, folder):
    """One process of the group: blocks compiled under a cap, then sharded; and a model that is sharded already."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    with member(rank, WORLD, folder):
        torch.manual_seed(0)
        model, batch = chain(3), torch.randn(64, 16, 32)
        backends = [ballast.torch.Backend("60%", cap_counts="saved", **QUICK) for _ in model]
        for block, backend in zip(model, backends, strict=True):
            block.compile(backend=backend, dynamic=False, fullgraph=True)
        mesh = init_device_mesh("cpu", (WORLD,))
        for part in (*model, model):
            fully_shard(part, mesh=mesh)
        model(batch).square().mean().backward()
        found = {
            "gradients": [parameter.grad.full_tensor() for parameter in model.parameters()],
            "local": [parameter.to_local().numel() for parameter in model.parameters()],
            "plans": [[plan.to_json() for plan in backend.plans] for backend in backends],
        }
        try:
            ballast.torch.compile(model, cap="90%")
        except ballast.UnsupportedModel as refused:
            found["refused"] = str(refused)
        torch.save(found, pathlib.Path(folder, f"{rank}.pt"))


def test_blocks_under_a_cap_are_sharded_afterwards_and_a_sharded_model_is_refused(tmp_path):
    torch.multiprocessing.spawn(sharded, args=(str(tmp_path),), nprocs=WORLD)
    whole = [parameter.numel() for parameter in chain(3).parameters()]
    block_bytes = 4 * sum(parameter.numel() for parameter in chain(1).parameters())
    for rank in range(WORLD):
        found = torch.load(tmp_path / f"{rank}.pt")
        for gradient, one in zip(found["gradients"], expected(), strict=True):
            torch.testing.assert_close(gradient, one, rtol=1e-5, atol=1e-8)
        assert sum(found["local"]) * WORLD == sum(whole)
        for (text,) in found["plans"]:
            plan = ballast.Plan.from_json(text)
            # A block holds its gathered parameters, and its input, while it runs.
            assert block_bytes <= plan.resident_bytes and plan.peak_bytes <= plan.cap_bytes < plan.unplanned_bytes
            assert plan.recomputed
        assert "before it is sharded" in found["refused"]


@pytest.mark.parametrize("door", ["compile", "slot"])
def test_inductor_compiles_what_the_plan_says(door, tmp_path, monkeypatch):
    import torch._inductor.config

    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    model, batch = chain(3), torch.randn(64, 16, 32)
    # What inductor's caches hold of the model as it is must not be taken for the planned one.
    torch.compile(model, dynamic=False)(batch).square().mean().backward()
    model.zero_grad()
    torch._dynamo.reset()
    partitioner = ballast.torch.Partitioner("65%", fused=True, **QUICK)
    with torch._inductor.config.patch(custom_partitioner_fn=partitioner):
        if door == "slot":
            compiled = torch.compile(model, dynamic=False)
            compiled(batch).square().mean().backward()
            (plan,) = partitioner.plans
        else:
            compiled = ballast.torch.compile(model, cap="65%", compiler="inductor", **QUICK)
            compiled(batch).square().mean().backward()
            plan = compiled.plan
            assert not partitioner.plans
    assert plan.peak_bytes <= plan.cap_bytes < plan.unplanned_bytes and plan.recomputed
    for parameter, gradient in zip(model.parameters(), expected(), strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-6)
