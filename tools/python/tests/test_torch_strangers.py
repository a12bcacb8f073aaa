"""PyTorch: what people's own programs do: draw twice, call a model twice before its backward pass, compile in pieces and by name, bring checkpoints along."""

import copy
import dataclasses
import functools
import gc
import warnings

import pytest

torch = pytest.importorskip("torch")

import models_torch  # noqa: E402
from steps_torch import QUICK, said  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast.torch import _equal, _partitioner  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")

perceptron = functools.partial(models_torch.perceptron, activation=torch.nn.GELU)


# What is known of one cap, and another one.


def test_a_cap_on_the_step_is_kept_after_one_on_what_is_saved():
    model, batch = perceptron(256, 8), torch.randn(512, 256)

    def step(x):
        return model(x).square().mean()

    saved = ballast.torch.compile(step, cap="60%", cap_counts="saved", **QUICK)
    saved(batch).backward()
    torch._dynamo.reset()
    whole = ballast.torch.compile(step, cap="60%", **QUICK)
    whole(batch).backward()
    assert saved.plan.peak_bytes <= saved.plan.cap_bytes and whole.plan.peak_bytes <= whole.plan.cap_bytes


def test_a_plan_known_to_take_less_than_it_does_is_not_taken():
    model, batch = perceptron(), torch.randn(512, 64)
    ballast.torch.compile(lambda x: model(x).sum(), cap="90%", **QUICK)(batch).backward()
    # As if no rehearsal had been possible when it was found.
    known = _partitioner.KNOWN._of
    for problem, candidates in known.items():
        known[problem] = [dataclasses.replace(one, takes=1) for one in candidates]
    torch._dynamo.reset()
    compiled = ballast.torch.compile(lambda x: model(x).sum(), cap="70%", **QUICK)
    compiled(batch).backward()
    assert compiled.plan.peak_bytes <= compiled.plan.cap_bytes
    assert all(one.takes > 1 for one in known[max(known, key=lambda problem: len(known[problem]))])


# Random numbers.

TWICE = {
    "randn_like": lambda h: (h + torch.randn_like(h)) * torch.randn_like(h),
    "uniform_": lambda h: h * torch.empty_like(h).uniform_() * torch.empty_like(h).uniform_(),
    "normal_": lambda h: h * torch.zeros_like(h).normal_() * torch.zeros_like(h).normal_(),
    "randint_like": lambda h: h * torch.randint_like(h, 0, 5) * torch.randint_like(h, 0, 5),
    "rrelu": lambda h: functional.rrelu(h, training=True) * functional.rrelu(h, training=True),
    "gumbel_softmax": lambda h: functional.gumbel_softmax(h) * functional.gumbel_softmax(h),
    "dropout": lambda h: functional.dropout(h, 0.5) * functional.dropout(h, 0.5),
    "attention": lambda h: functional.scaled_dot_product_attention(*[h.view(4, 4, -1, 64)] * 3, dropout_p=0.3)
    - functional.scaled_dot_product_attention(*[h.view(4, 4, -1, 64)] * 3, dropout_p=0.3),
    "rsample": lambda h: torch.distributions.Exponential(h.exp()).rsample() * torch.distributions.Exponential(h.exp()).rsample(),
}


@pytest.mark.parametrize("cap", ["200%", "90%"])
@pytest.mark.parametrize("name", TWICE)
def test_what_is_drawn_twice_is_two_draws(name, cap):
    weight, batch = torch.nn.Parameter(torch.randn(64, 64) / 8), torch.randn(1024, 64)

    def step(x):
        h = x @ weight
        # Enough beside the draws that a cap can be kept.
        return TWICE[name](h.tanh()).sum() + h.sin().cos().sin().cos().square().sum()

    def run(function):
        weight.grad = None
        torch.manual_seed(3)
        loss = function(batch)
        loss.backward()
        return loss.detach(), weight.grad, torch.get_rng_state()

    for one, same in zip(run(step), run(ballast.torch.compile(step, cap=cap, **QUICK)), strict=True):
        torch.testing.assert_close(one, same, rtol=1e-4, atol=1e-3)


def test_equal_ops_are_one_and_what_only_looks_equal_is_not():
    graph = torch.fx.Graph()
    value = torch.empty(4)
    aten = torch.ops.aten

    def call(target, *arguments):
        node = graph.call_function(target, arguments)
        node.meta["val"] = torch.empty(4)
        return node

    x = graph.placeholder("x")
    x.meta["val"] = value
    made = [call(aten.exp.default, x), call(aten.exp.default, x), call(aten.mul.Tensor, x, 0.0), call(aten.mul.Tensor, x, -0.0), call(aten.mul.Tensor, x, 0)]
    made += [call(aten.randn_like.default, x), call(aten.randn_like.default, x)]
    total = made[0]
    for node in made[1:]:
        total = call(aten.add.Tensor, total, node)
    returned = [call(aten.sin.default, x), call(aten.sin.default, x)]
    graph.output((total, *returned))
    # No values are recorded anew: they are none of torch's made-up ones.
    recorded = _equal._recorded
    try:
        _equal._recorded = lambda node: node.meta["val"]
        _equal.merge_equal(graph)
    finally:
        _equal._recorded = recorded
    targets = [node.target for node in graph.nodes if node.op == "call_function"]
    assert targets.count(aten.exp.default) == 1
    assert targets.count(aten.mul.Tensor) == 3 and targets.count(aten.randn_like.default) == 2
    # What the step returns stays two tensors.
    assert targets.count(aten.sin.default) == 2


def test_a_mask_is_of_the_run_that_is_there():
    from ballast.torch._fit import _captured
    from ballast.torch._graph import JointProblem
    from ballast.torch._judge import judge
    from ballast.torch._rewrite import rewrite

    # The generator's state is no smaller than 5 kB: more than that is worth a second run.
    graph, outputs, _ = _captured(lambda x: functional.dropout(x, 0.5).sin().sum(), (torch.randn(100, 100, requires_grad=True),))
    joint = JointProblem(_partitioner.prepare(graph), outputs, lambda node: 1.0)
    names = {node.name: index for index, node in enumerate(joint.problem.nodes)}
    value, mask = names["native_dropout"], names["native_dropout.1"]
    assert joint.parts[mask].kind == "op" and joint.problem.nodes[mask].recomputable
    steps = []
    for kind, index in joint.problem.keep_all():
        if index == mask and kind == "compute":
            continue
        if kind == "compute" and index == joint.boundary:
            steps.append(("free", value))
        steps.append((kind, index))
        if kind == "compute" and index == joint.boundary:
            steps += [("compute", value), ("compute", mask)]
    forward, backward, _ = rewrite(joint, steps, outputs, [])
    # The generator's state crosses the boundary; the 10 000 bytes of the mask of the first run do not.
    assert judge(forward, backward, outputs).saved_bytes == torch.get_rng_state().numel()


def test_masks_are_drawn_again_where_that_keeps_a_cap():
    # Masks of 16 384 bytes each, and 5056 for a state of the generator: what `torch.utils.checkpoint` of every layer would keep, but for the layer's input.
    layers = (torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Dropout(0.1)) for _ in range(6))
    model, batch = torch.nn.Sequential(*layers), torch.randn(256, 64)

    def step(called):
        torch.manual_seed(1)
        called(batch).square().mean().backward()
        found = [parameter.grad for parameter in model.parameters()] + [torch.get_rng_state()]
        model.zero_grad()
        return found

    expected = step(model)
    planned = ballast.torch.compile(model, cap=40_000, cap_counts="saved", **{**QUICK, "time_limit": 3.0})
    for found in step(planned), step(planned):
        assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))
    masks = [value for value in planned.plan.values if value.name.startswith("native_dropout") and value.name.endswith(".1")]
    assert planned.plan.saved_bytes <= 40_000 < 6 * 16_384 == sum(value.bytes for value in masks)
    assert sum(value.fate == "recomputed" for value in masks) >= 4


# Several graphs.


class Block(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.net = perceptron(layers=layers)

    def forward(self, x):
        return self.net(x)


class Logged(torch.nn.Module):
    """Looks at the values of its blocks as it goes, so that each is a graph."""

    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(12), Block(6), Block(3)])
        self.norms = []

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
            self.norms.append(x.norm().item())
        return x.square().mean()


def test_blocks_of_one_class_are_graphs_of_their_own():
    compiled = ballast.torch.compile(Logged(), cap="75%", fullgraph=False, **QUICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled(torch.randn(1024, 64)).backward()
    plans = compiled._ballast_backend.plans
    assert len(plans) == 3
    assert all(plan.cap_bytes == int(0.75 * plan.unplanned_bytes) for plan in plans)
    assert [line[:45] for line in said(caught)] == ["Ballast: of this model, graph 2 is planned un", "Ballast: of this model, graph 3 is planned un"]


def test_a_model_compiled_by_name_has_one_backend():
    def compiled(model):
        return torch.compile(model, backend="ballast", dynamic=False, options={"cap": "90%", **QUICK})

    first, second = compiled(perceptron()), compiled(perceptron())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first(torch.randn(1024, 64)).sum().backward()
        second(torch.randn(1024, 64)).sum().backward()
    assert not said(caught)
    with pytest.warns(UserWarning, match="plan 2: it is compiled anew"):
        # Parameters and gradients alone are above nine tenths of this one.
        first(torch.randn(2, 64)).sum().backward()
    with pytest.warns(UserWarning, match="graph 2 is planned under the cap alone"):
        torch.compile(Logged(), backend="ballast", dynamic=False, options={"cap": "1GiB", **QUICK})(torch.randn(64, 64)).backward()
    assert ballast.torch._BY_NAME
    torch._dynamo.reset()
    assert not ballast.torch._BY_NAME


# Several passes in flight.


def two_towers(compiled, one, other):
    (compiled(one) * compiled(other)).mean().backward()


def test_a_model_that_is_called_twice_before_its_backward_pass_is_warned_of_once():
    model, one, other = perceptron(), torch.randn(1024, 64), torch.randn(1024, 64)
    compiled = ballast.torch.compile(model, cap="100%", **QUICK)
    with pytest.warns(UserWarning, match="while 1 forward pass of it waits for the backward pass: .* give in_flight=2"):
        two_towers(compiled, one, other)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        two_towers(compiled, one, other)
    assert not said(caught)


def test_passes_in_flight_that_are_planned_for_keep_the_cap():
    model, one, other = perceptron(), torch.randn(1024, 64), torch.randn(1024, 64)
    compiled = ballast.torch.compile(model, cap="70%", in_flight=2, **QUICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        two_towers(compiled, one, other)
        model.zero_grad()
        # The batch of the other call is no parameter or input of the one that is planned.
        taken = ballast.torch.measure(lambda: two_towers(compiled, one, other)).peak_bytes + compiled.plan.resident_bytes
        assert not said(caught)
        three = [compiled(one) for _ in range(3)]
    assert taken <= compiled.plan.cap_bytes
    assert "while 2 forward passes of it wait" in said(caught)[0] and len(three) == 3


def test_passes_without_a_backward_pass_to_come_are_not_in_flight():
    model, batch = perceptron(), torch.randn(1024, 64)
    compiled = ballast.torch.compile(model, cap="100%", **QUICK)
    roomy = ballast.torch.compile(copy.deepcopy(model), cap="1GiB", **QUICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            # Its graph goes with its result.
            compiled(batch)
        losses = []
        for _ in range(3):
            losses.append(compiled(batch).sum())
            losses[-1].backward()
        with torch.no_grad():
            kept = [compiled(batch) for _ in range(3)]
        gc.collect()
        compiled(batch).sum().backward()
        two_towers(roomy, batch, batch)
    assert not [line for line in said(caught) if "compiled anew" not in line] and len(kept) == 3


# Will it fit?


class Checkpointed(torch.nn.Module):
    def __init__(self, own):
        super().__init__()
        self.blocks = torch.nn.ModuleList(perceptron(layers=3) for _ in range(6))
        self.own = own

    def forward(self, x, *, labels):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.own else block(x)
        return functional.mse_loss(x, labels)


def test_a_models_own_checkpoints_count_and_its_arguments_may_have_names():
    batch, labels = torch.randn(1024, 64), torch.randn(1024, 64)
    fits = {}
    for own in (False, True):
        model = Checkpointed(own)
        fits[own] = ballast.torch.will_it_fit(model, batch, labels=labels, device="8MB", times=ballast.torch.Measured())

        def step():
            model.zero_grad()
            model(batch, labels=labels).backward()

        step()
        taken = ballast.torch.measure(step).peak_bytes + fits[own].argument_bytes
        # Eager holds a value more where a checkpoint computes again.
        assert fits[own].peak_bytes == pytest.approx(taken, rel=0.08 if own else 0.02)
    assert fits[True] and not fits[False] and fits[True].peak_bytes < 0.6 * fits[False].peak_bytes


def test_the_largest_batch_is_found_with_arguments_by_name():
    model = Checkpointed(False)

    def of(size):
        return {"x": torch.randn(size, 64), "labels": torch.randn(size, 64)}

    by_name = ballast.torch.will_it_fit(model, **of(2), device="5MB", batch_args=of, most=4096)
    by_place = ballast.torch.will_it_fit(
        lambda x, y: model(x, labels=y), *of(2).values(), device="5MB", batch_args=lambda size: tuple(of(size).values()), most=4096
    )
    assert by_name.largest_batch == by_place.largest_batch and 64 < by_name.largest_batch < 4096


# What is refused.


def test_sizes_that_depend_on_values_are_refused_in_a_sentence():
    class Ragged(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = torch.nn.Linear(64, 2)
            self.experts = torch.nn.ModuleList(perceptron(layers=1) for _ in range(2))

        def forward(self, x):
            chosen, out = self.gate(x).argmax(-1), torch.zeros_like(x)
            for number, expert in enumerate(self.experts):
                rows = torch.where(chosen == number)[0]
                out = out.index_add(0, rows, expert(x[rows]))
            return out.square().mean()

    batch = torch.randn(32, 64)
    for ask in (ballast.torch.compile(Ragged(), cap="1GiB"), lambda x: ballast.torch.will_it_fit(Ragged(), x)):
        with pytest.raises(ballast.UnsupportedModel, match="depends on values, .* a capacity for each expert"):
            ask(batch)


def test_jagged_tensors_are_refused_with_advice_that_helps():
    class Jagged(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Linear(64, 64)

        def forward(self, x):
            return self.net(x).values().square().mean()

    batch = torch.nested.nested_tensor([torch.randn(5, 64), torch.randn(9, 64)], layout=torch.jagged)
    with pytest.raises(ballast.UnsupportedModel, match="jagged nested tensor.*to_padded_tensor") as refused:
        ballast.torch.compile(Jagged(), cap="1GiB")(batch)
    assert "dynamic=False" not in str(refused.value)
