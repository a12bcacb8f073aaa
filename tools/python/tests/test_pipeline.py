"""Pipelines: torch's own engine runs the planned stages, to the same losses as one process, under the cap of every device."""

import os
import pathlib

import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
from group_torch import member  # noqa: E402
from models_torch import chain  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast.torch import _bubble  # noqa: E402

MICROBATCHES, STEPS = 4, 10


def mean(output, _target):
    return (output - 0.1).square().mean()


def batch_and_model():
    torch.manual_seed(0)
    return torch.randn(64, 16, 32), chain(8)


def one_process():
    """Losses of ten steps without a pipeline."""
    batch, model = batch_and_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        parts = [mean(model(part), None) / MICROBATCHES for part in batch.chunk(MICROBATCHES)]
        for part in parts:
            part.backward()
        optimizer.step()
        losses.append(sum(part.item() for part in parts))
    return losses


def worker(rank, size, cap, schedule, folder):
    """One process of the group; writes what it measured."""
    with member(rank, size, folder):
        batch, model = batch_and_model()
        planned = ballast.torch.pipeline(
            model, (batch.chunk(MICROBATCHES)[0],), devices=size, cap=cap, microbatches=MICROBATCHES, schedule=schedule, time_limit=1, threads=1
        )
        stage = planned.stage(rank, "cpu")
        runs = planned.schedule(stage, mean)
        optimizer = torch.optim.SGD(stage.submod.parameters(), lr=0.1)
        found = {"losses": []}

        def step(losses):
            runs.step(*([batch] if rank == 0 else []), **({"target": batch, "losses": losses} if rank == size - 1 else {}))

        for at in range(STEPS):
            optimizer.zero_grad(set_to_none=False)
            losses = []
            if at == STEPS - 1:
                found["measured"] = ballast.torch.measure(lambda: step(losses)).peak_bytes  # noqa: B023
            else:
                step(losses)
            optimizer.step()
            found["losses"].append(sum(loss.item() for loss in losses) / MICROBATCHES)
        found["bubble"] = planned.measure_bubble(stage, lambda: step([]), steps=3)
        assert "forward_one_chunk" not in vars(stage)
        one = planned.stages[rank]
        # There before the step: parameters and gradients, and torch's buffers.
        sent = one.sent_bytes if rank < size - 1 else 0
        found["measured"] += 2 * one.parameter_bytes + MICROBATCHES * (one.received_bytes + sent)
        found |= {"plan": planned.plan(rank).to_json(), "points": planned.split_points}
        found["planned bubble"] = planned.simulate()[1]
        torch.save(found, pathlib.Path(folder, f"{rank}.pt"))


@pytest.mark.parametrize(("size", "schedule", "cap"), [(2, "1f1b", "2.4MB"), (4, "gpipe", "1.7MB")])
def test_processes_train_as_one_does_under_their_caps(size, schedule, cap, tmp_path):
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.multiprocessing.spawn(worker, (size, cap, schedule, str(tmp_path)), nprocs=size)
    found = [torch.load(tmp_path / f"{rank}.pt", weights_only=False) for rank in range(size)]
    assert found[-1]["losses"] == pytest.approx(one_process(), rel=1e-6)
    assert found[-1]["losses"][-1] < found[-1]["losses"][0]
    assert all(one["points"] == found[0]["points"] and len(one["points"]) == size - 1 for one in found)
    plans = [ballast.Plan.from_json(one["plan"]) for one in found]
    assert any(plan.recomputed for plan in plans)
    for one, plan in zip(found, plans, strict=True):
        assert plan.peak_bytes <= plan.cap_bytes
        assert one["measured"] <= plan.cap_bytes


    bubble = found[0]["bubble"]
    assert all(one["bubble"] == bubble and one["planned bubble"] == bubble.planned for one in found)
    assert [one.index for one in bubble.stages] == list(range(size)) and bubble.steps == 3
    for one in bubble.stages:
        assert one.busy_seconds == pytest.approx(MICROBATCHES * (one.forward_seconds + one.backward_seconds))
        assert 0 < one.busy_seconds <= bubble.step_seconds
        assert one.idle_seconds == pytest.approx(bubble.step_seconds - one.busy_seconds)
    assert 0 < bubble.replayed < 1 and 0 <= bubble.measured < 1 and bubble.table().count("\n") == size + 1


def test_a_bubble_is_what_no_pass_runs_in():
    batch, model = batch_and_model()
    planned = ballast.torch.pipeline(model, (batch,), devices=2, cap="1GB", microbatches=4)
    # Two steps of 20 and 22 s, the last stage's end; a pass takes 1 and 2 s, so that warm-up and drain are 3 of 15 s.
    gathered = [(stage, [1.0] * 8, [2.0] * 8, [20.0 - stage, 20.0 + 2 * stage]) for stage in range(2)]
    bubble = _bubble.bubble_of(planned, gathered)
    assert bubble.step_seconds == 21 and bubble.stages[0].busy_seconds == 12 and bubble.stages[1].idle_seconds == 9
    assert bubble.measured == pytest.approx(1 - 24 / 42) and bubble.replayed == pytest.approx(0.2, abs=1e-4)
    assert bubble.planned == planned.simulate()[1] and "42.9 % measured over 2 steps" in bubble.table()
    with pytest.raises(ValueError, match="1 or more"):
        planned.measure_bubble(None, lambda: None, steps=0)


def test_stages_and_their_step_follow_the_formula():
    batch, model = batch_and_model()
    planned = ballast.torch.pipeline(model, (batch,), devices=4, cap="1GB", microbatches=8)
    # Equal blocks: two per stage, and warm-up and drain are three of eleven slots.
    assert planned.split_points == ["2", "4", "6"]
    assert [stage.in_flight for stage in planned.stages] == [4, 3, 2, 1]
    copies = 2 * 3 * planned.stages[0].sent_bytes / 25e9
    one = planned.stages[0].forward_seconds + planned.stages[0].backward_seconds
    seconds, bubble = planned.simulate()
    assert 11 * one <= seconds <= 11 * one + 8 * copies
    assert bubble == pytest.approx(1 - 8 * one / seconds)
    assert "1f1b, 4 stages" in planned.table()
    # The model is as it was.
    torch.testing.assert_close(model(batch), batch_and_model()[1](batch))


def test_what_torchs_engine_cannot_run_is_refused_before():
    batch, model = batch_and_model()

    def planned(model, **options):
        return ballast.torch.pipeline(model, (batch,), **{"devices": 2, "cap": "1GB", "microbatches": 2, **options})

    tied = torch.nn.Sequential(torch.nn.Linear(32, 32), *chain(3), torch.nn.Linear(32, 32))
    tied[4].weight = tied[0].weight
    with pytest.raises(ballast.UnsupportedModel, match=r"1 pieces in a row.*untie '.\.weight'"):
        planned(tied)
    with pytest.raises(ballast.UnsupportedModel, match=r"weight' is used by stages 0 and 1.*untie"):
        planned(tied, split_points=["2"])

    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = chain(4)

        def forward(self, x):
            mask = x.sum(-1, keepdim=True)
            for block in self.blocks:
                x = block(x) * mask
            return x

    with pytest.raises(ballast.UnsupportedModel, match="read by 3 stages"):
        planned(Masked(), split_points=["blocks.1", "blocks.2", "blocks.3"], devices=4)

    class Whole(Masked):
        def forward(self, x):
            mask = x.sum(-1, keepdim=True) > 0
            for block in self.blocks:
                x = torch.where(mask, block(x), x)
            return x

    with pytest.raises(ballast.UnsupportedModel, match="floating point"):
        planned(Whole(), split_points=["blocks.2"])
    with pytest.raises(ballast.UnsupportedModel, match="not a submodule that runs once"):
        planned(chain(4), split_points=["no such"])
    with pytest.raises(ballast.UnsupportedModel, match="too few for 5 stages"):
        planned(torch.nn.Sequential(torch.nn.Linear(32, 32)), devices=5)
    with pytest.raises(ballast.NoPlan, match="no split into 2 stages holds"):
        planned(chain(4), cap="1kB")
    for options in ({"devices": 0}, {"schedule": "zero-bubble"}, {"cap": "much"}, {"split_points": ["1", "2"]}):
        with pytest.raises(ValueError, match="devices|choose|bytes|split points"):
            planned(chain(4), **options)


class Beside(torch.nn.Module):
    """Blocks that hand a sum on beside their result."""

    def __init__(self, read):
        super().__init__()
        self.blocks, self.norm, self.read = chain(4), torch.nn.BatchNorm1d(16), read

    def forward(self, x):
        beside = x.mean()
        for block in self.blocks:
            x = self.norm(block(x)) if block is self.blocks[0] else block(x)
            beside = beside + x.square().mean()
        return self.read(x, beside)


def test_what_is_handed_on_and_has_no_gradient_is_refused_before():
    batch, _ = batch_and_model()

    def planned(read):
        model = Beside(read)
        found = ballast.torch.pipeline(model, (batch,), devices=2, cap="1GB", microbatches=2, split_points=["blocks.2"])
        # Asking runs nothing in earnest.
        assert model.norm.num_batches_tracked == 0
        return found

    for read in (lambda x, beside: x, lambda x, beside: x + beside.detach(), lambda x, beside: torch.where(beside > 0, x, -x)):
        with pytest.raises(ballast.UnsupportedModel, match=r"stage 1 receives '\w+', and what it gives has no gradient of that"):
            planned(read)
    for read in (lambda x, beside: x + beside, lambda x, beside: (x, beside)):
        with torch.no_grad():
            assert len(planned(read).stages) == 2



def test_no_cut_is_between_two_uses_of_a_parameter_and_it_counts_once():
    batch, model = batch_and_model()
    # Blocks 2 to 5 share a matrix: the even cut, before block 4, would train two copies of it.
    for block in model[3:6]:
        block.up.weight = model[2].up.weight
    parameter_bytes = 4 * sum(parameter.numel() for parameter in model.parameters())
    # Parameters and gradients, the shared matrix once.
    with pytest.raises(ballast.NoPlan, match=f" {2 * parameter_bytes} bytes"):
        ballast.torch.pipeline(model, (batch,), devices=2, cap=2 * parameter_bytes // 3, microbatches=2)
    planned = ballast.torch.pipeline(model, (batch,), devices=2, cap="1GB", microbatches=2)
    assert sum(stage.parameter_bytes for stage in planned.stages) == parameter_bytes
    block, _, inner = planned.split_points[0].partition(".")
    assert not 2 < int(block) + (inner == "down") <= 5


def test_frozen_parameters_have_neither_gradient_nor_state_under_the_cap():
    class Adapted(torch.nn.Module):
        """A frozen product of 64 KiB beside a trained one of 2 KiB."""

        def __init__(self):
            super().__init__()
            self.whole = torch.nn.Linear(128, 128, bias=False).requires_grad_(False)
            self.low, self.high = torch.nn.Linear(128, 2, bias=False), torch.nn.Linear(2, 128, bias=False)

        def forward(self, x):
            return x + torch.tanh(self.whole(x) + self.high(self.low(x)))

    model, batch = torch.nn.Sequential(*(Adapted() for _ in range(8))), torch.randn(4, 128)

    def planned(cap):
        return ballast.torch.pipeline(model, (batch,), devices=2, cap=cap, microbatches=4, state_per_parameter=2.0, time_limit=1, threads=1)

    # Eight frozen products once, eight trained ones four times: 8 * (64 + 4 * 2) KiB = 576 KiB; all of them four times would be 2112.
    with pytest.raises(ballast.NoPlan, match=f" {576 * 1024} bytes"):
        planned(200 * 1024)
    found = planned(400 * 1024)
    assert [stage.parameter_bytes for stage in found.stages] == [4 * 66 * 1024] * 2
    for index in range(2):
        found.module(index)(torch.randn(4, 128, requires_grad=index > 0)).sum().backward()
        assert found.plan(index).peak_bytes <= found.cap_bytes


def test_what_a_stage_holds_from_step_to_step_is_refused_before_anything_runs():
    batch, model = batch_and_model()
    planned = ballast.torch.pipeline(model, (batch,), devices=2, cap="1GB", microbatches=4)
    least = planned.stages[1].parameter_bytes + planned.held_bytes(1)
    planned.cap_bytes = least - 1
    with pytest.raises(ballast.NoPlan, match="stage 1 holds") as refused:
        planned.module(1)
    assert refused.value.least_cap_bytes == least
    planned.cap_bytes = least
    assert planned.module(1) is planned.module(1)


def test_a_cap_that_no_plan_keeps_is_said_by_the_step_with_the_least_cap(tmp_path):
    batch, model = batch_and_model()
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        planned = ballast.torch.pipeline(model, (batch,), devices=1, cap="1GB", microbatches=1, time_limit=1, threads=1)
        least = planned.stages[0].parameter_bytes + planned.held_bytes(0)
        planned.cap_bytes = least - 1
        with pytest.raises(ballast.NoPlan, match="stage 0 holds"):
            planned.stage(0, "cpu")
        # One byte above what it holds from step to step there is no room for a value of any size.
        planned.cap_bytes = least + 1
        stage = planned.stage(0, "cpu")
        with pytest.raises(ballast.NoPlan, match="the least cap found") as refused:
            planned.schedule(stage, mean).step(batch, target=batch, losses=[])
        assert refused.value.found and refused.value.least_cap_bytes > least + 1
    finally:
        dist.destroy_process_group()
