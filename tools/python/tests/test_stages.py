"""JAX pipelines: stages on four devices have the losses and gradients of the step that is not split, under the cap of every device."""

import functools

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import ballast  # noqa: E402
import ballast.jax  # noqa: E402
from ballast import _stages  # noqa: E402

MICROBATCHES, STEPS, RATE = 6, 10, 0.1


def model(parameters, x, mask):
    """Residual blocks under a mask that every one of them reads, and that is no number of floating point."""
    x = x @ parameters["in"]
    for layer in parameters["layers"]:
        h = jnp.tanh(x @ layer["up"])
        x = jnp.where(mask[:, None], x + jnp.sin(h @ layer["down"]), x)
        x = jax.ad_checkpoint.checkpoint_name(x, layer_names[id(layer)]) if id(layer) in layer_names else x
    return {"y": x @ parameters["out"]}


layer_names = {}


def loss(results, target):
    return jnp.square(results["y"] - target).mean()


@pytest.fixture
def given():
    keys = iter(jax.random.split(jax.random.key(0), 64))

    def weight(*shape):
        return 0.2 * jax.random.normal(next(keys), shape)

    layers = [{"up": weight(32, 64), "down": weight(64, 32)} for _ in range(8)]
    parameters = {"in": weight(16, 32), "out": weight(32, 4), "layers": layers}
    batches = [(jax.random.normal(next(keys), (64, 16)), jnp.arange(64) % 3 > 0) for _ in range(MICROBATCHES)]
    targets = [jax.random.normal(next(keys), (64, 4)) for _ in range(MICROBATCHES)]
    return parameters, batches, targets


def unsplit(batches, targets):
    """The same step on one device."""
    def total(parameters):
        return sum(loss(model(parameters, *batch), target) for batch, target in zip(batches, targets, strict=True)) / MICROBATCHES

    return jax.jit(jax.value_and_grad(total))


def measured(pipeline, step, parameters, batches, targets):
    """Most bytes that every device holds: JAX's arrays after every pass, and the pass's temporaries."""
    own = {id(leaf) for stage in parameters for leaf in stage}
    others = {id(leaf) for leaf in jax.live_arrays() if id(leaf) not in own}
    peaks = [0] * len(pipeline.devices)
    real = list(pipeline._compiled)

    def watched(index, function, temporary):
        def run(*arguments):
            made = function(*arguments)
            # Numbers are the loss's, which does not count.
            held = sum(leaf.nbytes for leaf in jax.live_arrays() if leaf.ndim and id(leaf) not in others and pipeline.devices[index] in leaf.devices())
            peaks[index] = max(peaks[index], held + temporary)
            return made

        return run

    class Watched:
        def __init__(self, index):
            self.forward = watched(index, real[index].forward, real[index].forward_temporary)
            self.backward = watched(index, real[index].backward, real[index].backward_temporary)

    pipeline._compiled = [Watched(index) for index in range(len(real))]
    step(parameters, batches, targets)
    pipeline._compiled = real
    return peaks


@pytest.mark.parametrize(("schedule", "cap"), [("1f1b", "330kB"), ("gpipe", "400kB")])
def test_four_devices_train_as_one_does_under_their_caps(given, schedule, cap):
    parameters, batches, targets = given
    pipeline = ballast.jax.pipeline(
        model, parameters, *batches[0], devices=4, cap=cap, microbatches=MICROBATCHES, schedule=schedule, time_limit=2
    )
    step, whole = pipeline.value_and_grad(loss), unsplit(batches, targets)
    stages = pipeline.split(parameters)
    assert [{device for leaf in stage for device in leaf.devices()} for stage in stages] == [{device} for device in jax.devices()[:4]]
    assert all(a is b or bool((a == b).all()) for a, b in zip(jax.tree.leaves(pipeline.join(stages)), jax.tree.leaves(parameters), strict=True))
    losses = []
    for _ in range(STEPS):
        value, gradients = step(stages, batches, targets)
        expected, slopes = whole(parameters)
        assert float(value) == pytest.approx(float(expected), rel=1e-5)
        for a, b in zip(jax.tree.leaves(slopes), jax.tree.leaves(pipeline.join(gradients)), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-3, atol=1e-6)
        stages = jax.tree.map(lambda leaf, slope: leaf - RATE * slope, stages, gradients)
        parameters = jax.tree.map(lambda leaf, slope: leaf - RATE * slope, parameters, slopes)
        losses.append(float(value))
    assert losses[-1] < losses[0]
    del gradients, value
    plans = [pipeline.plan(index) for index in range(4)]
    assert any(plan.recomputed for plan in plans) and any(plan.unplanned_bytes > plan.cap_bytes for plan in plans)
    for plan, peak in zip(plans, measured(pipeline, step, stages, batches, targets), strict=True):
        assert plan.resident_bytes < peak <= plan.peak_bytes <= plan.cap_bytes


def test_a_stage_is_a_function_of_what_it_receives(given):
    parameters, batches, _ = given
    # A model that is compiled as a whole is cut all the same.
    pipeline = ballast.jax.pipeline(jax.jit(model), parameters, *batches[0], devices=4, cap="1GB", microbatches=MICROBATCHES, time_limit=1)
    values = list(batches[0])
    for index, own in enumerate(pipeline.split(parameters)):
        assert sum(value.nbytes for value in values) == pipeline.stages[index].received_bytes
        values, _kept = pipeline.forward(index)(own, jax.device_put(values, pipeline.devices[index]))
    np.testing.assert_allclose(np.asarray(values[0]), np.asarray(model(parameters, *batches[0])["y"]), rtol=1e-5)
    # Equal blocks, two per stage: warm-up and drain are three of nine slots, and every stage hands on one value and the mask.
    assert [stage.in_flight for stage in pipeline.stages] == [4, 3, 2, 1]
    assert [stage.received_bytes for stage in pipeline.stages[1:]] == [64 * 32 * 4 + 64] * 3
    assert max(stage.parameter_bytes for stage in pipeline.stages) < 1.1 * min(stage.parameter_bytes for stage in pipeline.stages)
    seconds, bubble = pipeline.simulate()
    assert seconds > 0 and 1 / 3 < bubble < 0.45 and "1f1b, 4 stages" in pipeline.table()
    with pytest.raises(ValueError, match="6 micro-batches"):
        pipeline.value_and_grad(loss)(pipeline.split(parameters), batches[:2], batches[:2])


def test_what_cannot_be_staged_is_refused(given):
    parameters, batches, _ = given

    def planned(function=model, own=parameters, **options):
        return ballast.jax.pipeline(function, own, *batches[0], **{"devices": 2, "cap": "1GB", "microbatches": 2, "time_limit": 1, **options})

    def tied(own, x, mask):
        return (model(own, x, mask)["y"] @ own["out"].T) @ own["in"].T

    def looped(own, x, _mask):
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *own["layers"])
        return jax.lax.scan(lambda x, one: (x + jnp.tanh(x @ one["up"]) @ one["down"], None), x @ own["in"], stacked)[0]

    with pytest.raises(ballast.UnsupportedModel, match="1 pieces in a row.*untie parameter 0"):
        planned(tied)
    with pytest.raises(ballast.UnsupportedModel, match="too few for 4 stages"):
        planned(lambda own, x, mask: looped(own, x, mask), own={"in": parameters["in"], "layers": parameters["layers"][:1]}, devices=4)
    with pytest.raises(ballast.UnsupportedModel, match="floating point"):
        planned(lambda own, x, mask: x, own={"step": jnp.zeros((), jnp.int32)})
    with pytest.raises(ballast.UnsupportedModel, match="no value .* is called 'middle'"):
        planned(split_points=["middle"])
    with pytest.raises(ballast.NoPlan, match="no split into 4 stages"):
        planned(cap="20kB", devices=4)
    with pytest.raises(ballast.NoPlan, match="on stage 0") as refused:
        planned(cap="80kB", devices=4)
    # The figure is one that every stage keeps.
    assert refused.value.least_cap_bytes > 80_000 and refused.value.found
    found = planned(cap=refused.value.least_cap_bytes, devices=4)
    assert max(found.plan(index).peak_bytes for index in range(4)) <= refused.value.least_cap_bytes
    for options, word in (
        ({"devices": 0}, "1 or more"), ({"devices": 99}, "device_count=99"), ({"schedule": "zero-bubble"}, "choose"), ({"cap": "much"}, "bytes"), ({"cap": "60%"}, "a share is of no use here"),
        ({"split_points": []}, "split points"), ({"time_limit": 0}, "above zero"), ({"bandwidth": 0}, "above zero"),
    ):
        with pytest.raises(ValueError, match=word):
            planned(**options)


def test_parameters_are_taken_as_jax_takes_them():
    def scaled(own, x):
        return functools.reduce(lambda x, weight: jnp.tanh(x @ weight), own["layers"], x) * own["scale"]

    x = np.ones((64, 16))
    made = [
        ballast.jax.pipeline(scaled, {"layers": [number(0.1) * np.eye(16)] * 4, "scale": scale}, x, devices=2, cap="1MB", microbatches=2, time_limit=1)
        for number, scale in ((np.float32, jnp.float32(2)), (np.float64, 2.0))
    ]
    # Singles, as they are computed: 4 of 16 x 16, and one number.
    assert [[stage.parameter_bytes for stage in pipeline.stages] for pipeline in made] == [[2 * 16 * 16 * 4, 2 * 16 * 16 * 4 + 4]] * 2
    value, _ = made[1].value_and_grad(lambda found, target: (found - target).sum())(
        made[1].split({"layers": [0.1 * np.eye(16)] * 4, "scale": 2.0}), [(x,)] * 2, [0.0, 0.0]
    )
    np.testing.assert_allclose(value, scaled({"layers": [0.1 * np.eye(16)] * 4, "scale": 2.0}, x).sum(), rtol=1e-5)


def test_options_may_be_numbers_of_numpy():
    weights, x = [jnp.eye(16)] * 4, jnp.ones((64, 16))
    made = [
        ballast.jax.pipeline(
            lambda weights, x: functools.reduce(lambda x, weight: jnp.tanh(x @ weight), weights, x), weights, x, devices=whole(2), cap=whole(10**6), microbatches=whole(2),
            state_per_parameter=real(2), bandwidth=real(10**9), time_limit=real(1),
        )
        for whole, real in ((int, float), (np.int64, np.float32))
    ]
    assert made[0].split_points == made[1].split_points and made[0].plan(1).peak_bytes == made[1].plan(1).peak_bytes
    with pytest.raises(TypeError, match="bandwidth='32GB': give a number, not str"):
        ballast.jax.pipeline(lambda weights, x: x, weights, x, devices=2, cap="1MB", microbatches=2, bandwidth="32GB")


def test_stages_begin_after_named_values(given):
    parameters, batches, _ = given
    layer_names.clear()
    layer_names.update({id(parameters["layers"][1]): "second", id(parameters["layers"][5]): "sixth"})
    try:
        pipeline = ballast.jax.pipeline(
            lambda own, x, mask: model({**own, "layers": parameters["layers"]}, x, mask), {"in": parameters["in"], "out": parameters["out"]}, *batches[0],
            devices=3, cap="1GB", microbatches=2, split_points=["second", "sixth"], time_limit=1,
        )
    finally:
        layer_names.clear()
    assert pipeline.split_points == ["second", "sixth"] == [stage.begins for stage in pipeline.stages[1:]]


def test_no_cut_is_between_two_uses_of_a_parameter_and_it_counts_once():
    size = 64
    weights = {"x": size * size * 4, "h": size * size * 4}

    def recurrent(parameters, x):
        """Layers of a recurrent network, written out: each reads its two products of 16 KiB in every one of eight steps."""
        steps = [x[:, at] for at in range(8)]
        for index, own in enumerate(parameters):
            state = jnp.zeros((4, size))
            for at, one in enumerate(steps):
                steps[at] = state = jnp.tanh(one @ own["x"] + state @ own["h"])
            steps[-1] = jax.ad_checkpoint.checkpoint_name(steps[-1], f"layer{index}")
        return steps[-1]

    parameters = [{name: jnp.ones((size, size)) / size for name in weights} for _ in range(2)]
    x, whole = jnp.ones((4, 8, size)), 2 * sum(weights.values())
    options = {"devices": 2, "microbatches": 2, "time_limit": 1}
    # Each counted once, 128 KiB with their gradients; by uses it would be eight times that.
    with pytest.raises(ballast.NoPlan, match=f" {2 * whole} bytes"):
        ballast.jax.pipeline(recurrent, parameters, x, cap=whole // 2, **options)
    pipeline = ballast.jax.pipeline(recurrent, parameters, x, cap=6 * whole, **options)
    assert [stage.parameter_bytes for stage in pipeline.stages] == [whole // 2] * 2
    assert all(pipeline.plan(index).peak_bytes <= 6 * whole for index in range(2))

    def chained(parameters, x):
        for weight in parameters:
            x = jnp.sin(x * weight) + weight
        return x

    pipeline = ballast.jax.pipeline(chained, [jnp.float32(1)] * 6, jnp.float32(1), devices=3, cap="1MB", microbatches=1, time_limit=1)
    assert sum(map(len, pipeline.split([jnp.float32(1)] * 6))) == 6
    with pytest.raises(ballast.UnsupportedModel, match="used by stages 0 and 1.*untie"):
        ballast.jax.pipeline(
            lambda own, x: jax.ad_checkpoint.checkpoint_name(x * own, "middle") + own, jnp.float32(1), jnp.float32(1), devices=2, cap="1MB", microbatches=1,
            split_points=["middle"],
        )


def test_constants_are_held_once_and_not_by_every_micro_batch():
    size, count = 64, 3
    key = iter(jax.random.split(jax.random.key(1), 16))
    frozen = [jax.random.normal(next(key), (size, size)) / 8 for _ in range(4)]
    parameters = [0.1 * jax.random.normal(next(key), (size,)) for _ in range(4)]
    batches = [(jax.random.normal(next(key), (8, size)),) for _ in range(count)]
    targets = [jnp.ones((8, size))] * count

    def adapted(parameters, x):
        for whole, own in zip(frozen, parameters, strict=True):
            x = x + jnp.tanh(x @ whole * own)
        return x

    def mean(result, target):
        return jnp.square(result - target).mean()

    pipeline = ballast.jax.pipeline(adapted, parameters, *batches[0], devices=2, cap="1MB", microbatches=count, state_per_parameter=2.0, time_limit=1)
    own = pipeline.split(parameters)
    values = list(batches[0])
    for index in range(2):
        values, kept = pipeline.forward(index)(own[index], jax.device_put(values, pipeline.devices[index]))
        assert all(one.shape != (size, size) for one in kept)
        # Two frozen products of 16 KiB, and of two rows of 256 bytes parameter, gradient and state.
        assert pipeline.plan(index).resident_bytes == 2 * size * size * 4 + 3 * 2 * size * 4
    value, gradients = pipeline.value_and_grad(mean)(own, batches, targets)
    expected, slopes = jax.value_and_grad(
        lambda own: sum(mean(adapted(own, *batch), target) for batch, target in zip(batches, targets, strict=True)) / count
    )(parameters)
    assert float(value) == pytest.approx(float(expected), rel=1e-5)
    for a, b in zip(slopes, pipeline.join(gradients), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-3, atol=1e-6)


def test_a_micro_batch_of_another_type_is_refused_by_name():
    def scaled(parameters, batch):
        return jnp.sin(batch["x"] * parameters["a"]) * parameters["b"] * batch["factor"]

    parameters, batch = {"a": jnp.ones(4), "b": jnp.ones(4)}, {"x": jnp.ones(4), "factor": 2.0}
    pipeline = ballast.jax.pipeline(scaled, parameters, batch, devices=2, cap="1MB", microbatches=2, time_limit=1)
    step, own = pipeline.value_and_grad(lambda result, _: result.sum()), pipeline.split(parameters)
    # A double of NumPy is a single, as JAX takes it.
    value, _ = step(own, [(batch,), ({"x": np.ones(4), "factor": np.float64(2)},)], [0, 0])
    assert float(value) == pytest.approx(8 * np.sin(1))
    with pytest.raises(ValueError, match=r"micro-batch 1 has int32 in its inputs\[0\]\['x'\], and the pipeline was made for float32"):
        step(own, [(batch,), ({**batch, "x": jnp.ones(4, jnp.int32)},)], [0, 0])


def test_a_played_step_has_every_pass_after_what_it_needs():
    played = _stages.play([1.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.1, 0.2, 0.0], [3, 2, 1], 4)
    assert sorted(played.order) == sorted((kind, stage, batch) for kind in "FB" for stage in range(3) for batch in range(4))
    at = {one: place for place, one in enumerate(played.order)}
    for kind, stage, batch in played.order:
        needed = ("F", stage - 1, batch) if kind == "F" else ("B", stage + 1, batch) if stage < 2 else ("F", stage, batch)
        assert needed not in at or at[needed] < at[kind, stage, batch]
    assert played.busy[2] == 0 and played.bubble == pytest.approx(1 - sum(played.busy) / 3)
    assert played.seconds * played.busy[1] == pytest.approx(4 * 5.0)
