"""PyTorch: training loops as newcomers write them, under a cap: parameters after some steps are eager's to the last bit, and the allocator sees no more than the cap."""

import logging

import pytest

torch = pytest.importorskip("torch")

from models_torch import perceptron  # noqa: E402
from steps_torch import QUICK  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


class Denoiser(nn.Module):
    """A U-Net with group normalisation and a skip connection that learns noise it draws itself."""

    def __init__(self, width=8):
        super().__init__()
        self.down, self.low, self.up = (self.block(*channels) for channels in ((3, width), (width, 2 * width), (3 * width, width)))
        self.last = nn.Conv2d(width, 3, 1)

    @staticmethod
    def block(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU())

    def forward(self, x):
        noise, share = torch.randn_like(x), torch.rand(len(x), 1, 1, 1)
        high = self.down(x * (1 - share) + noise * share)
        low = functional.interpolate(self.low(functional.avg_pool2d(high, 2)), scale_factor=2.0)
        return functional.mse_loss(self.last(self.up(torch.cat([low, high], 1))), noise)


class Translator(nn.Module):
    """A decoder with attention that is told the right word at every step but the third ones; its words in and out are one table."""

    def __init__(self, words=64, width=32):
        super().__init__()
        self.table, self.cell = nn.Embedding(words, width, padding_idx=0), nn.GRUCell(2 * width, width)
        self.out = nn.Linear(width, words, bias=False)
        self.out.weight = self.table.weight

    def forward(self, source, target):
        memory = self.table(source)
        state, word, logits = memory.mean(1), target[:, 0], []
        for at in range(1, target.shape[1]):
            seen = torch.softmax((memory @ state[:, :, None])[:, :, 0].masked_fill(source == 0, -1e9), -1)
            state = self.cell(torch.cat([self.table(word), (seen[:, None] @ memory)[:, 0]], -1), state)
            logits.append(self.out(state))
            word = target[:, at] if at % 3 else logits[-1].detach().argmax(-1)
        return functional.cross_entropy(torch.stack(logits, 1).flatten(0, 1), target[:, 1:].flatten(), ignore_index=0)


class Adapted(nn.Module):
    """Frozen layers with trained products of low rank beside them."""

    def __init__(self, width=64):
        super().__init__()
        self.frozen = perceptron(width).requires_grad_(False)
        self.down = nn.ParameterList(torch.randn(4, width).div(8) for _ in self.frozen)
        self.up = nn.ParameterList(torch.randn(width, 4).div(8) for _ in self.frozen)

    def forward(self, x):
        for layer, down, up in zip(self.frozen, self.down, self.up, strict=True):
            x = layer(x) + functional.dropout(x, 0.1) @ down.T @ up.T
        return x.square().mean()


#: By name: a model, a batch, and a cap that asks for values to be computed again.
LOOPS = {
    "denoiser": (Denoiser, lambda: (torch.randn(4, 3, 32, 32),), "80%"),
    "translator": (Translator, lambda: (torch.randint(0, 64, (32, 12)), torch.randint(1, 64, (32, 8))), "70%"),
    "adapters": (Adapted, lambda: (torch.randn(512, 64),), "70%"),
}


def trained(name, *, planned):
    """Losses and norms of three clipped steps, the parameters and their average after them; what was called, and how batches are made."""
    torch.manual_seed(0)
    make, batch, cap = LOOPS[name]
    model = make()
    optimizer = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad])
    average = torch.optim.swa_utils.AveragedModel(model)
    called = ballast.torch.compile(model, cap, optimizer=optimizer, **QUICK) if planned else model
    found = []
    for _ in range(3):
        loss = called(*batch())
        loss.backward()
        found += [loss.detach(), nn.utils.clip_grad_norm_(model.parameters(), 0.5)]
        optimizer.step()
        optimizer.zero_grad()
        average.update_parameters(model)
    return found + [parameter.detach() for parameter in (*model.parameters(), *average.parameters())], called, batch


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_under_a_cap_trains_as_without(name):
    expected, _, _ = trained(name, planned=False)
    found, planned, batch = trained(name, planned=True)
    assert all(torch.equal(one, same) for one, same in zip(expected, found, strict=True))
    plan, given = planned.plan, batch()
    assert plan.recomputed
    # What is there for the whole step, the optimizer's state among it, is not allocated in it.
    assert ballast.torch.measure(lambda: planned(*given).backward()).peak_bytes + plan.resident_bytes <= plan.cap_bytes


def test_a_gan_of_two_planned_losses_trains_as_without():
    def trained(plan):
        torch.manual_seed(0)
        maker, judge = perceptron(32, 8), perceptron(32, 8)
        optimizers = [torch.optim.Adam(model.parameters(), 1e-2, betas=(0.5, 0.9)) for model in (maker, judge)]

        def judged(real, noise):
            with torch.no_grad():
                made = maker(noise)
            return functional.softplus(-judge(real)).mean() + functional.softplus(judge(made)).mean()

        def made(noise):
            return functional.softplus(-judge(maker(noise))).mean()

        steps = [plan(made, optimizers[0]), plan(judged, optimizers[1])]
        for _ in range(3):
            for at, given in ((1, (torch.randn(512, 32), torch.randn(512, 32))), (0, (torch.randn(512, 32),))):
                optimizers[at].zero_grad()
                steps[at](*given).backward()
                optimizers[at].step()
        return [parameter.detach() for model in (maker, judge) for parameter in model.parameters()], steps

    expected, _ = trained(lambda loss, _optimizer: loss)
    found, steps = trained(lambda loss, optimizer: ballast.torch.compile(loss, "70%", optimizer=optimizer, **QUICK))
    assert all(torch.equal(one, same) for one, same in zip(expected, found, strict=True))
    for step in steps:
        assert step.plan.recomputed and max(step.plan.peak_bytes, step.plan.measured_bytes) <= step.plan.cap_bytes


def test_a_model_that_logs_is_told_of_the_switch():
    torch._dynamo.reset()
    logger = logging.getLogger("model")

    def model(x):
        logger.warning("a loss of ones")
        return x.tanh().sum()

    inputs = torch.randn(4, 2, requires_grad=True)
    with pytest.raises(ballast.UnsupportedModel, match=r"logging.*add the logging method to `torch._dynamo.config.ignore_logging_functions`, take out"):
        ballast.torch.compile(model, cap="100%")(inputs)
    with torch._dynamo.config.patch(ignore_logging_functions={logging.Logger.warning}):
        ballast.torch.compile(model, cap="100%")(inputs).backward()
    assert inputs.grad is not None


def test_a_recurrent_model_that_torch_does_not_capture_is_told_of_the_switch():
    torch._dynamo.reset()
    model = torch.nn.LSTM(8, 8)
    inputs = torch.randn(4, 2, 8, requires_grad=True)
    with pytest.raises(ballast.UnsupportedModel, match=r"set torch._dynamo.config.allow_rnn=True"):
        ballast.torch.compile(model, cap="100%")(inputs)
    with torch._dynamo.config.patch(allow_rnn=True):
        ballast.torch.compile(model, cap="100%")(inputs)[0].sum().backward()
    assert inputs.grad is not None
