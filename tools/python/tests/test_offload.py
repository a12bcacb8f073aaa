"""PyTorch: values that leave the device for the host between their uses come back as they were, in time, and count where they are."""

import contextlib
import functools

import pytest

torch = pytest.importorskip("torch")

from models_torch import MODELS, Inside, chain  # noqa: E402
from steps_torch import gradients  # noqa: E402
from torch.utils import checkpoint  # noqa: E402

import ballast  # noqa: E402
import ballast.torch  # noqa: E402
from ballast.torch import _copies, _host  # noqa: E402

pytestmark = pytest.mark.usefixtures("fresh_torch")

#: A link that hides most copies, so that no clock decides whether they are worth it.
FAST = ballast.HostLink("200GB", 1e-7)
QUICK = {"time_limit": 2.0, "threads": 1}


@pytest.mark.parametrize(("counts", "share"), [("step", "70%"), ("saved", "40%")])
@pytest.mark.parametrize("name", MODELS)
def test_what_was_away_gives_eagers_gradients_and_no_time_is_added_while_copies_hide(name, counts, share):
    model, batch = MODELS[name]()
    inside = Inside(model)
    state = {key: value.clone() for key, value in inside.state_dict().items()}
    _, expected, _ = gradients(inside, lambda: inside(*batch), state)
    plans = []
    for offload in (False, FAST):
        torch._dynamo.reset()
        compiled = ballast.torch.compile(inside, cap=share, cap_counts=counts, offload=offload, **QUICK)
        _, found, _ = gradients(inside, functools.partial(compiled, *batch), state)
        assert all(torch.equal(found[key], gradient) for key, gradient in expected.items())
        plans.append(compiled.plan)
    held, moved = plans
    assert not held.offloaded and held.offloaded_bytes == held.host_bytes == 0 and held.link_seconds == 0.0
    assert moved.offloaded and moved.peak_bytes <= moved.cap_bytes
    assert moved.unplanned_seconds <= moved.bound <= moved.seconds < held.seconds
    # What is away is a value of the forward pass, and is not counted as saved.
    assert not {value.name for value in moved.offloaded} & {value.name for value in moved.saved}
    assert max(value.bytes for value in moved.offloaded) <= moved.host_bytes <= moved.offloaded_bytes
    assert moved.link_seconds >= 2 * moved.offloaded_bytes / FAST.bandwidth
    assert "offloaded" in moved.table() and "host" in moved.why(moved.offloaded[0].name)
    assert ballast.Plan.from_json(moved.to_json()) == moved


@pytest.mark.parametrize("name", ["encoder with dropout", "resnet"])
def test_the_allocator_sees_less_and_the_host_what_the_plan_says(name):
    model, batch = MODELS[name]()
    inside = Inside(model)
    compiled = ballast.torch.compile(inside, cap="65%", times="measured", offload=FAST, **QUICK)

    def step():
        inside.zero_grad(set_to_none=True)
        compiled(*batch).backward()

    step()
    plan = compiled.plan
    measured = ballast.torch.measure(step)
    assert measured.peak_bytes == pytest.approx(max(plan.timeline) - plan.resident_bytes, rel=0.02)
    assert measured.host_bytes == plan.host_bytes > 0
    # Nothing stays on the host.
    assert _host.HELD.live == 0


def captured(function, *args, **options):
    """The joint problem of a function, and how many results its forward pass has."""
    from ballast.torch._partitioner import prepare
    from ballast.torch._fit import _captured
    from ballast.torch._graph import JointProblem

    graph, outputs, _ = _captured(function, args)
    return JointProblem(prepare(graph), outputs, lambda node: 1.0, movable=True, **options), outputs


def by_hand(early):
    """A step whose exponential (4 MB) is away from its sine to the sine's gradient. With `early` it is asked for when the backward pass begins, else
    right before it is read."""
    joint, outputs = captured(lambda x: x.exp().sin().tanh().sum(), torch.randn(1000, 1000, requires_grad=True))
    names = {node.name: index for index, node in enumerate(joint.problem.nodes)}
    exp = names["exp"]
    steps = []
    for kind, index in joint.problem.keep_all():
        if kind == "compute" and index == names["cos"]:
            steps += [] if early else [("swap_in", exp)]
        steps.append((kind, index))
        if kind == "compute" and index == names["sin"]:
            steps += [("swap_out", exp), ("free", exp)]
        if kind == "compute" and index == joint.boundary and early:
            steps.append(("swap_in", exp))
    return joint, outputs, steps


def order(graph):
    return [node.name for node in graph.graph.nodes if node.op == "call_function"]


def test_copies_are_issued_where_the_plan_has_them_and_waited_for_where_they_are_needed():
    from ballast.torch._judge import judge
    from ballast.torch._rewrite import rewrite

    # A copy each way of 4 MB takes 2 s, an op one.
    link = ballast.HostLink(4_000_000, 1.0)
    found = {}
    for early in (False, True):
        joint, outputs, steps = by_hand(early)
        forward, backward, _ = rewrite(joint, steps, outputs, [])
        back = order(backward)
        assert order(forward)[:3] == ["exp", "sin", "exp_host"] and order(forward)[-1] == "exp_host_wait"
        assert back.index("exp_back") < back.index("exp_back_wait") == back.index("cos") - 1
        assert (back.index("exp_back") == 0) == early
        memory, moved = judge(forward, backward, outputs), _copies.copies(forward, backward, link)
        assert memory.saved_bytes == 4_000_000 and memory.host_bytes == moved.bytes == 4_000_000 and moved.link_seconds == 4.0
        found[early] = moved.waited_seconds
    # Two seconds out, which two ops hide; two back, of which the gradient of the hyperbolic tangent hides one where they are issued before it.
    assert found == {False: 2.0, True: 1.0}


def test_a_copy_out_is_waited_for_when_its_memory_is_wanted():
    from ballast.torch._rewrite import rewrite

    joint, outputs, steps = by_hand(early=False)
    tight, _, _ = rewrite(joint, steps, outputs, [], room=8_000_000)
    roomy, _, _ = rewrite(joint, steps, outputs, [], room=13_000_000)
    assert order(tight).index("exp_host_wait") < order(tight).index("tanh") < order(roomy).index("exp_host_wait")


@pytest.mark.parametrize("lost", ["exp_host_wait", "exp_back_wait"])
def test_graphs_that_do_not_wait_are_refused(lost):
    from ballast.torch._rewrite import rewrite

    joint, outputs, steps = by_hand(early=True)
    graphs = rewrite(joint, steps, outputs, [])[:2]
    for graph in graphs:
        for node in graph.graph.nodes:
            if node.name == lost:
                graph.graph.erase_node(node)
    with pytest.raises(ballast.BallastError, match="not waited for|while it is copied"):
        _copies.copies(*graphs, FAST)


def test_results_inputs_views_and_what_is_written_to_stay():
    def run(x, weight, buffer):
        kept = (x @ weight).relu()
        wide = kept.expand(3, *kept.shape)
        buffer.add_(kept.detach().sum())
        hidden = (wide.sin() @ weight).tanh()
        return hidden.sum(), kept

    joint, _ = captured(run, torch.randn(64, 64, requires_grad=True), torch.randn(64, 64, requires_grad=True), torch.zeros(()))
    nodes = joint.problem.nodes
    movable = {node.name for node in nodes if node.swappable}
    assert {"sin", "tanh"} <= movable
    assert not {"relu", "sum_2", "boundary"} & movable
    for node, part in zip(nodes, joint.parts, strict=True):
        if node.swappable:
            assert part.kind in ("op", "also") and not node.backward and not node.keep and node.size > 0
            assert part.node.op == "call_function" and part.storage not in joint._resident

    # Without being asked nothing moves.
    compiled = ballast.torch.compile(Inside(chain(3)), cap="70%", **QUICK)
    compiled(torch.randn(64, 32)).backward()
    assert not compiled.plan.offloaded


def test_what_a_policy_saves_stays_on_the_device():
    layers = torch.nn.ModuleList(torch.nn.Linear(32, 32) for _ in range(4))
    products = (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)

    def choose(_context, function, *_args, **_kwargs):
        return checkpoint.CheckpointPolicy.MUST_SAVE if function in products else checkpoint.CheckpointPolicy.PREFER_SAVE

    def run(x):
        def body(y):
            for layer in layers:
                y = torch.tanh(layer(y)).sin()
            return y

        context = functools.partial(checkpoint.create_selective_checkpoint_contexts, choose)
        return checkpoint.checkpoint(body, x, use_reentrant=False, context_fn=context).sum()

    x = torch.randn(256, 32, requires_grad=True)
    run(x).backward()
    expected, x.grad = x.grad, None
    compiled = ballast.torch.compile(run, cap="80%", offload=FAST, **QUICK)
    compiled(x).backward()
    assert torch.equal(x.grad, expected) and compiled.plan.offloaded
    assert not any(value.name.startswith("addmm") for value in compiled.plan.offloaded)


def test_micro_batches_in_flight_share_the_device_and_not_the_host():
    model = Inside(chain(3))
    batch = torch.randn(256, 32)
    model(batch).backward()
    expected = [parameter.grad for parameter in model.parameters()]
    model.zero_grad(set_to_none=True)
    backend = ballast.torch.Backend("55%", in_flight=3, offload=FAST, **QUICK)
    torch.compile(model, backend=backend, dynamic=False, fullgraph=True)(batch).backward()
    (plan,) = backend.plans
    assert plan.offloaded and plan.peak_bytes <= plan.cap_bytes
    assert all(torch.equal(parameter.grad, one) for parameter, one in zip(model.parameters(), expected, strict=True))


def test_the_link_is_that_of_the_device_named_and_a_missing_one_is_said():
    model = Inside(chain(3))
    batch = torch.randn(256, 32)
    compiled = ballast.torch.compile(model, cap="70%", times="v100-16gb", offload=True, **QUICK)
    compiled(batch).backward()
    plan = compiled.plan
    if plan.offloaded:
        out = sum(16e9 * 1e-5 + value.bytes for value in plan.offloaded) / 16e9
        assert plan.link_seconds >= 2 * out * (1 - 1e-9)
    torch._dynamo.reset()
    with pytest.raises(ballast.BallastError, match="times='h100-80gb'"):
        ballast.torch.compile(model, cap="70%", offload=True, **QUICK)(batch)
    for wrong in ({"bandwidth": 0}, {"bandwidth": "1GB", "latency_seconds": -1.0}):
        with pytest.raises(ValueError, match="above zero|0 or more"):
            ballast.HostLink(**wrong)
    with pytest.raises(ValueError, match="h100-80gb"):
        ballast.torch.compile(model, cap="70%", times="abacus")


def test_inductor_keeps_copies_and_their_places(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    model = Inside(torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 8)))
    batch = torch.randn(512, 32)
    model(batch).backward()
    expected = [parameter.grad for parameter in model.parameters()]
    model.zero_grad(set_to_none=True)
    compiled = ballast.torch.compile(model, cap="85%", compiler="inductor", offload=FAST, **QUICK)
    compiled(batch).backward()
    for parameter, one in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, one, rtol=1e-4, atol=1e-7)
    measured = ballast.torch.measure(lambda: compiled(batch).backward())
    assert compiled.plan.offloaded_bytes == compiled.plan.host_bytes == measured.host_bytes > 0


def test_streams_wait_for_what_made_the_value_and_readers_for_the_copy(monkeypatch):
    """The protocol of the CUDA half, on a machine without one: who waits for what, in order."""
    said = []

    class Stream:
        def __init__(self, name="side"):
            self.name = f"{name}{len(streams)}" if name == "side" else name
            streams.append(self.name)

        def wait_stream(self, other):
            said.append(f"{self.name} waits for {other.name}")

        def record_event(self):
            said.append(f"{self.name} records")
            return self.name

        def wait_event(self, event):
            said.append(f"{self.name} waits for event of {event}")

    streams = []
    compute = Stream("compute")
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: compute)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "device", lambda _device: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: contextlib.nullcontext(said.append(f"on {stream.name}")))
    copies = _host._Streams()
    value, host, again = torch.randn(8), torch.empty(8), torch.empty(8)
    copies.copy(host, value, "out", "cuda:0")
    copies.wait(host, "cuda:0")
    copies.copy(again, host, "back", "cuda:0")
    copies.wait(again, "cuda:0")
    copies.wait(again, "cuda:0")
    assert torch.equal(again, value)
    out, back = "side1", "side2"
    assert said == [
        f"{out} waits for compute", f"on {out}", f"{out} records", f"compute waits for event of {out}",
        f"{back} waits for compute", f"on {back}", f"{back} records", f"compute waits for event of {back}",
    ]


def test_copies_are_made_without_a_compiler_unless_one_is_asked_for(monkeypatch):
    asked = []

    def backend(cap, *, compiler, **options):
        asked.append(compiler)
        return lambda gm, inputs: gm

    monkeypatch.setattr("ballast.torch._compile.Backend", backend)
    there = torch.nn.Linear(2, 2, device="meta")
    for options in ({}, {"offload": True}, {"offload": True, "compiler": "inductor"}):
        ballast.torch.compile(there, cap="60%", **options)
    ballast.torch.compile(torch.nn.Linear(2, 2), cap="60%")
    assert asked == ["inductor", "eager", "inductor", "eager"]


def test_a_host_copy_has_the_strides_of_the_graph_whatever_those_of_the_value():
    value = torch.arange(6.0).reshape(2, 3).t()
    host = torch.ops.ballast.offload(value, [2, 1])
    assert value.stride() == (1, 3) and host.stride() == (2, 1) and torch.equal(host, value)


def test_waiting_for_a_copy_that_nobody_made_is_an_error():
    with pytest.raises(RuntimeError, match="no copy writes"):
        _host._waited(torch.zeros(2), torch.device("cpu"))
