"""PyTorch: how compiled models are used: smaller last batches, copies, files, threads, and questions asked beside them."""

import copy
import dataclasses
import io
import pathlib
import subprocess
import sys
import threading
import warnings

import pytest

torch = pytest.importorskip("torch")

from models_torch import perceptron  # noqa: E402
from steps_torch import QUICK, said  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast._errors import Unwritable  # noqa: E402
from ballast.torch._measure import Span  # noqa: E402
from ballast.torch import _partitioner  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")


def test_a_share_is_of_the_largest_step_so_that_a_smaller_last_batch_trains():
    compiled = ballast.torch.compile(perceptron(), cap="90%", **QUICK)
    compiled(torch.randn(1024, 64)).sum().backward()
    first = compiled.plan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Parameters and gradients alone are above nine tenths of this one.
        compiled(torch.randn(2, 64)).sum().backward()
        assert compiled.plan.cap_bytes == first.cap_bytes
        compiled(torch.randn(2048, 64)).sum().backward()
    assert compiled.plan.cap_bytes == int(0.9 * compiled.plan.unplanned_bytes) > first.cap_bytes
    assert len(compiled._ballast_backend.plans) == 3


def test_of_a_model_of_several_graphs_each_has_its_own_share_at_every_size():
    first, second = perceptron(layers=8), perceptron(layers=3)

    def step(x):
        x = first(x)
        torch._dynamo.graph_break()
        return second(x).sum()

    compiled = ballast.torch.compile(step, cap="95%", fullgraph=False, **QUICK)
    with pytest.warns(UserWarning, match="graph 2 is planned under the cap alone"):
        compiled(torch.randn(512, 64)).backward()
    with pytest.warns(UserWarning, match="plan 3: it is compiled anew"):
        compiled(torch.randn(256, 64)).backward()
    caps = [plan.cap_bytes for plan in compiled._ballast_backend.plans]
    assert caps[2:] == caps[:2] and caps[0] > caps[1]


def test_what_the_first_search_proved_is_what_a_plan_says(monkeypatch):
    found = []
    solve = _partitioner._planner.solve

    def noted(problem, budget, **options):
        # Further results of an op have its time, too, and take none.
        found.append((budget, solve(problem, budget, **options), problem.total_time()))
        return found[-1][1]

    def more(*given):
        # As if the graphs took more than the planner counts, so that it is asked for less.
        memory = judge(*given)
        return dataclasses.replace(memory, peak_bytes=memory.peak_bytes + 20_000)

    judge = _partitioner.judge
    monkeypatch.setattr(_partitioner, "judge", more)
    monkeypatch.setattr(_partitioner._planner, "solve", noted)
    model = torch.nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True)
    compiled = ballast.torch.compile(lambda x: model(x).square().mean(), cap="80%", rehearse=False, **QUICK)
    compiled(torch.randn(8, 32, 32)).backward()
    plan = compiled.plan
    searches = {budget: schedule.bound - (total - plan.unplanned_seconds) for budget, schedule, total in found if schedule.bound_class == "any"}
    assert len(searches) > 1 and max(searches) == plan.cap_bytes
    assert plan.bound == pytest.approx(max(searches[plan.cap_bytes], plan.unplanned_seconds), rel=1e-9)
    # Of a search for less more is proved, and not of this cap.
    assert plan.bound < searches[min(searches)]


def test_where_the_better_promise_is_not_kept_the_other_orders_plan_of_the_whole_cap_is_taken(monkeypatch):
    asked = {"program": [], "free": []}
    solve = _partitioner._planner.solve

    def boastful(problem, budget, *, order, **options):
        # Of any order a plan that promises to take no time, and whose graphs take what the step takes without a plan.
        asked[order].append(budget)
        found = solve(problem, budget, order="program", **options)
        return found if order == "program" else dataclasses.replace(found, steps=problem.keep_all(), value=0.0)

    _partitioner.KNOWN.clear()
    monkeypatch.setattr(_partitioner._planner, "solve", boastful)
    compiled = ballast.torch.compile(perceptron(), cap="80%", work_limit=1000, threads=1, rehearse=False)
    compiled(torch.randn(1024, 64)).sum().backward()
    plan = compiled.plan
    assert plan.recomputed and plan.peak_bytes <= plan.cap_bytes < plan.unplanned_bytes
    # The order whose plan keeps the cap is not asked for less, and the other one is, for as long as it promises more.
    assert asked["program"] == [plan.cap_bytes]
    assert len(asked["free"]) > 1 and max(asked["free"][1:]) < plan.cap_bytes


def test_of_two_written_plans_that_keep_the_cap_the_faster_one_is_taken(monkeypatch):
    solve = _partitioner._planner.solve

    def boastful(problem, budget, *, order, **options):
        # In any order a plan for much less, which takes longer, and promises to take no time.
        found = solve(problem, budget if order == "program" else budget * 3 // 4, order="program", **options)
        return found if order == "program" else dataclasses.replace(found, value=0.0)

    _partitioner.KNOWN.clear()
    options = {"cap": "90%", "work_limit": 1000, "threads": 1, "rehearse": False}
    batch = torch.randn(1024, 64)
    with monkeypatch.context() as patched:
        patched.setattr(_partitioner, "_orders", lambda _counts: ("program",))
        alone = ballast.torch.compile(perceptron(), **options)
        alone(batch).sum().backward()
    torch._dynamo.reset()
    _partitioner.KNOWN.clear()
    monkeypatch.setattr(_partitioner._planner, "solve", boastful)
    both = ballast.torch.compile(perceptron(), **options)
    both(batch).sum().backward()
    assert both.plan.seconds == alone.plan.seconds and both.plan.peak_bytes <= both.plan.cap_bytes


def test_the_least_cap_is_looked_for_below_what_was_found_before(monkeypatch):
    model, batch, asked = perceptron(), torch.randn(1024, 64), []
    options = {"work_limit": 1000, "threads": 1, "rehearse": False}
    before = ballast.torch.compile(model, cap="80%", **options)
    before(batch).sum().backward()
    solve = _partitioner._planner.solve
    monkeypatch.setattr(_partitioner._planner, "solve", lambda problem, budget, **given: asked.append(budget) or solve(problem, budget, **given))
    with pytest.raises(ballast.NoPlan) as refused:
        ballast.torch.compile(model, cap="40%", **options)(batch)
    assert len(asked) > 2 and max(asked) < before.plan.peak_bytes
    assert refused.value.found and refused.value.least_cap_bytes < before.plan.peak_bytes


@pytest.mark.parametrize("cap", ["80%", "40%"])
def test_a_plan_that_cannot_be_written_does_not_end_the_call(monkeypatch, cap):
    written = []
    rewrite = _partitioner.rewrite

    def second_fails(*given, **options):
        written.append(given)
        # The first is the step without a plan.
        if len(written) == 2:
            raise Unwritable("internal error: 'tanh' is read where the plan does not hold it")
        return rewrite(*given, **options)

    monkeypatch.setattr(_partitioner, "rewrite", second_fails)
    compiled = ballast.torch.compile(perceptron(), cap=cap, work_limit=1000, threads=1, rehearse=False)
    batch = torch.randn(1024, 64)
    with pytest.warns(UserWarning, match="left out .internal error: 'tanh'"):
        if cap == "80%":
            compiled(batch).sum().backward()
            assert compiled.plan.peak_bytes <= compiled.plan.cap_bytes < compiled.plan.unplanned_bytes
        else:
            with pytest.raises(ballast.NoPlan):
                compiled(batch)
    assert len(written) > 1


def test_copies_and_files_of_a_compiled_model_are_planned_anew():
    model, batch = perceptron(), torch.randn(512, 64)
    compiled = ballast.torch.compile(model, cap="95%", **QUICK)
    compiled(batch).sum().backward()
    file = io.BytesIO()
    torch.save(compiled, file)
    file.seek(0)
    for other in (copy.deepcopy(compiled), torch.load(file, weights_only=False)):
        with pytest.raises(ballast.BallastError, match="there is no plan yet"):
            _ = other.plan
        other.zero_grad()
        other(batch).sum().backward()
        assert other.plan.cap_bytes == compiled.plan.cap_bytes and other.plan is not compiled.plan
        for one, same in zip(model.parameters(), other.parameters(), strict=True):
            assert one is not same
            torch.testing.assert_close(one.grad, same.grad)
    assert len(compiled._ballast_backend.plans) == 1


def test_asking_whether_a_model_fits_leaves_what_is_compiled_alone():
    model, batch = perceptron(), torch.randn(512, 64)
    compiled = ballast.torch.compile(model, cap="95%", **QUICK)
    compiled(batch).sum().backward()
    fit = ballast.torch.will_it_fit(model, batch, device="3MB", batch_args=lambda size: (torch.randn(size, 64),), most=4096)
    assert fit and 512 <= fit.largest_batch < 4096
    compiled(batch).sum().backward()
    assert len(compiled._ballast_backend.plans) == 1


def test_gradients_that_are_summed_count_where_it_is_said():
    model, batch = perceptron(), torch.randn(512, 64)
    plain = ballast.torch.compile(copy.deepcopy(model), cap="1GiB", **QUICK)
    summed = ballast.torch.compile(model, cap="1GiB", accumulates=True, **QUICK)
    for compiled in (plain, summed):
        compiled(batch).sum().backward()
    gradients = sum(parameter.grad.nbytes for parameter in model.parameters())
    assert summed.plan.resident_bytes == plain.plan.resident_bytes + gradients
    with pytest.raises(ValueError, match="give its optimizer"):
        ballast.torch.compile(lambda x: model(x).sum(), cap="1GiB", accumulates=True)


def shared_by_threads():
    """What holds where several threads call one model while it is measured."""
    # As where nothing can be rehearsed: the first steps are measured.
    _partitioner.rehearse = lambda *_: None
    torch.set_num_threads(1)
    model = perceptron()
    compiled = ballast.torch.compile(model, cap="1GiB", **QUICK)
    batches = [torch.randn(256, 64) for _ in range(3)]
    compiled(batches[0]).sum().backward()
    wrong = []

    def work(batch):
        try:
            for _ in range(20):
                found = torch.autograd.grad(compiled(batch).sum(), list(model.parameters()))
                right = torch.autograd.grad(model(batch).sum(), list(model.parameters()))
                wrong.extend(1 for one, same in zip(found, right, strict=True) if not torch.allclose(one, same, rtol=1e-4, atol=1e-5))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(compiled._ballast_backend.plans) == 1


def test_threads_that_share_a_model_may_run_while_it_is_measured():
    # In a process of its own: where threads have called what torch has compiled, with or without a plan, torch captures nothing behind a break of a graph any more.
    code = "import test_torch_use; test_torch_use.shared_by_threads()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=pathlib.Path(__file__).parent)


def test_threads_leave_what_torch_is_set_to_as_it_was():
    config, batch = torch._dynamo.config, torch.randn(256, 64)
    names = ("recompile_limit", "accumulated_recompile_limit", "fail_on_recompile_limit_hit", "optimize_ddp")
    before, within = [getattr(config, name) for name in names], []
    models = [ballast.torch.compile(perceptron(), cap="1GiB", **QUICK) for _ in range(2)]
    for compiled in models:
        compiled(batch).sum().backward()
    both, gone = threading.Barrier(2), threading.Event()

    def calls(compiled):
        def hook(*_):
            # Both calls are under way, and the one that began first ends first.
            both.wait(60)
            if compiled is models[1]:
                assert gone.wait(60)
            within.append([getattr(config, name) for name in names])

        with compiled.register_forward_pre_hook(hook):
            compiled(batch)
        gone.set()

    threads = [threading.Thread(target=calls, args=(compiled,)) for compiled in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert within == [[2 * before[0], 2 * before[1], True, False]] * 2
    assert [getattr(config, name) for name in names] == before


class Outputs(torch.nn.Module):
    """Four layers; with what they gave, for a loss outside, or with weights that a hook computes and leaves on its layer."""

    def __init__(self, *, normed):
        super().__init__()
        layers = [torch.nn.Linear(48, 48) for _ in range(4)]
        self.layers = torch.nn.ModuleList(torch.nn.utils.spectral_norm(layer) if normed else layer for layer in layers)
        self.normed = normed

    def forward(self, batch):
        given = []
        for layer in self.layers:
            batch = torch.nn.functional.silu(layer(batch))
            given.append(batch)
        return batch.square().mean() if self.normed else given


@pytest.mark.parametrize("normed", [True, False])
def test_gradients_that_come_in_are_held_until_the_backward_pass_has_ended(normed):
    """Autograd holds them, those of results that a hook leaves on a module among them, whatever reads them last."""
    batch = torch.randn(256, 48)
    compiled = ballast.torch.compile(Outputs(normed=normed), "60%" if normed else "90%", **QUICK)
    for _ in range(2):
        span = Span(torch.device("cpu"))
        span.begin()
        results = compiled(batch)
        _, kept = span.end()
        gradients = [torch.ones_like(result) for result in results] if not normed else [torch.ones_like(results)]
        incoming = 0 if normed else sum(gradient.nbytes for gradient in gradients)
        span = Span(torch.device("cpu"))
        span.begin()
        torch.autograd.backward([results] if normed else results, gradients)
        peak, _ = span.end()
        assert kept + incoming + peak <= compiled.plan.cap_bytes - compiled.plan.resident_bytes
        compiled.zero_grad()


def test_models_of_one_class_are_compiled_as_often_as_one_may_be_each():
    batch = torch.randn(4, 8)

    class Model(torch.nn.Linear):
        def forward(self, batch):
            return super().forward(batch).sum()

    with torch._dynamo.config.patch(recompile_limit=2):
        models = [ballast.torch.compile(Model(8, 8), cap="100%", work_limit=100, rehearse=False) for _ in range(3)]
        for compiled in models:
            compiled(batch).backward()
            assert len(compiled._ballast_backend.plans) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models[0](batch[:3])
        with pytest.raises(ballast.UnsupportedModel, match="the model 2 times"):
            models[0](batch[:2])
        # What is forgotten does not count.
        torch._dynamo.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models[0](batch[:2])


class Averaged(torch.nn.Module):
    """Batch normalisation whose averages are those of all batches: it asks how many there were."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm = torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8, momentum=None)

    def forward(self, batch):
        return self.norm(self.layer(batch)).sum()


def aligned(batch):
    return torch.nn.functional.ctc_loss(batch.log_softmax(-1).unsqueeze(1), torch.ones(1, 2, dtype=torch.int64), (8,), (2,))


def likelihood(batch):
    return torch.nn.functional.gaussian_nll_loss(batch, torch.zeros(8, 8), torch.ones(8, 8))


@pytest.mark.parametrize("model, words", [
    (Averaged(), r"at \S*test_torch_use.py:\d+; in torch's forward, nn/modules/batchnorm.py:\d+"),
    (aligned, r"Operator `aten._ctc_loss.default`'s output shape depends on input Tensor data; at \S*test_torch_use.py:\d+"),
    (likelihood, r"at \S*test_torch_use.py:\d+; in torch's gaussian_nll_loss, nn/functional.py:\d+"),
], ids=["averages of all batches", "ctc_loss", "gaussian_nll_loss"])
def test_of_what_is_not_one_graph_the_op_and_the_line_are_named(model, words):
    compiled = ballast.torch.compile(model, cap="80%", **QUICK)
    with pytest.raises(ballast.UnsupportedModel, match=r"not one graph \(.*" + words):
        compiled(torch.randn(8, 8, requires_grad=True))


def own_call(model):
    """Planned by a call of `torch.compile`, of which torch alone knows; and its backend."""
    backend = ballast.torch.Backend("1GiB", **QUICK)
    return torch.compile(model, backend=backend, dynamic=False, fullgraph=True), backend


def call_of_ours(model):
    planned = ballast.torch.compile(model, cap="1GiB", **QUICK)
    return planned, planned._ballast_backend


@pytest.mark.parametrize("plan", [call_of_ours, own_call])
def test_what_is_trained_from_some_step_on_is_planned_anew(plan):
    model, batch = perceptron(), torch.randn(64, 64)
    model[0].requires_grad_(False)
    other = copy.deepcopy(model)
    planned, backend = plan(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trained in (False, True):
            for called, own in ((planned, model), (other, other)):
                own.zero_grad()
                own[0].requires_grad_(trained)
                called(batch).square().mean().backward()
            for parameter, same in zip(model.parameters(), other.parameters(), strict=True):
                assert (parameter.grad is None and same.grad is None) or torch.equal(parameter.grad, same.grad)
            assert (model[0][0].weight.grad is not None) == trained
    assert len(backend.plans) == 2


def test_what_is_compiled_for_somebody_else_has_torchs_own_settings():
    names = ("skip_tensor_guards_with_matching_dict_tags", "skip_nnmodule_hook_guards")
    own = [getattr(torch._dynamo.config, name) for name in names]
    own_call(perceptron())[0](torch.randn(64, 64)).sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ballast.NoPlan):
            ballast.torch.compile(perceptron(), cap="1kB", **QUICK)(torch.randn(64, 64))
    assert [getattr(torch._dynamo.config, name) for name in names] == own
    assert not torch._dynamo.callback_handler.end_callbacks


def test_a_hook_that_comes_after_the_first_call_is_seen():
    model, batch = perceptron(), torch.randn(64, 64)
    called, _ = own_call(model)
    first = called(batch).sum()
    planned = ballast.torch.compile(model, cap="1GiB", **QUICK)
    before = planned(batch).sum()
    model[0].register_forward_hook(lambda _module, _given, result: 0 * result)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert planned(batch).sum() == model(batch).sum() != before
        assert called(batch).sum() == model(batch).sum() != first
    model[1].register_full_backward_hook(lambda _module, incoming, _outgoing: incoming)
    with pytest.raises(ballast.UnsupportedModel, match="backwards hooks"):
        planned(batch)


def test_keeping_a_graph_that_the_plan_frees_is_said_once():
    model, batch = perceptron(), torch.randn(64, 64)
    other = copy.deepcopy(model)
    planned = ballast.torch.compile(model, cap="1GiB", **QUICK)

    def step(called):
        result = called(batch)
        result.square().mean().backward(retain_graph=True)
        result.mean().backward()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            step(planned)
            step(other)
    assert [message.split(" ")[1] for message in said(caught)] == ["backward(retain_graph=True)"]
    for parameter, same in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(parameter.grad, same.grad)
