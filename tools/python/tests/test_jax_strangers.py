"""JAX: calls and steps that nobody had thought of: of other names, in other settings, inside of transformations."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import stablehlo  # noqa: E402
from loops import written_anew  # noqa: E402

import ballast  # noqa: E402
from ballast.jax import _classes, _jaxprs, _loops, _planned, _policy, _program  # noqa: E402
from ballast.jax._operations import operations  # noqa: E402

OPTIONS = {"times": "operations", "time_limit": 1, "tries": 2}
KEYS = jax.random.split(jax.random.key(0), 8)
LAYERS, X = [0.1 * jax.random.normal(key, (16, 16)) for key in KEYS[:6]], jax.random.normal(KEYS[7], (256, 16))


def loss(layers, x):
    for weight in layers:
        x = x + jnp.sin(jnp.tanh(x @ weight) * jnp.exp(-x))
    return jnp.square(x).mean()


def step(layers, x):
    return jax.value_and_grad(loss)(layers, x)


def same(found, right, tolerance=1e-4):
    """Have the two the same structure, types and, nearly, numbers?"""
    assert jax.tree.structure(found) == jax.tree.structure(right)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(right), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * max(float(np.abs(other).max()), 1e-30))


def cell(h, x, weights):
    a = jnp.tanh(h @ weights[0] + x @ weights[1])
    gate = jax.nn.sigmoid(2 * a + x)
    return gate * h + (1 - gate) * jnp.sin(a) * jnp.exp(-a * a)


def recurrent(weights, xs):
    """A layer over the steps of a sequence: all that it hands on."""

    def body(h, x):
        h = cell(h, x, weights)
        return h, h

    return jax.lax.scan(body, jnp.zeros(xs.shape[1:]), xs)[1]


# Steps of one text.


def test_steps_of_one_text_keep_the_places_of_their_arguments_and_results(monkeypatch):
    # Nothing but loops written anew, which are the step itself and not its text.
    monkeypatch.setattr(_program.Program, "forms", lambda *_: iter(()))
    weights, xs, other = LAYERS[:2], X.reshape(16, 16, 16), 2 * X.reshape(16, 16, 16)

    def total(weights, xs):
        return jnp.square(recurrent(weights, xs)).sum()

    def first(weights, xs, unused):
        return list(jax.value_and_grad(total)(weights, xs))

    def second(weights, unused, xs):
        return jax.value_and_grad(total)(weights, xs)

    for one, given in ((first, (weights, xs, other)), (second, (weights, other, xs))):
        planned = ballast.jit(one, cap="80%", cap_counts="temp", **OPTIONS)
        same(planned(*given), jax.jit(one)(*given))
        assert planned.plan.method == "loops written anew"


def test_an_argument_that_nobody_reads_takes_no_memory():
    unused = jnp.ones(1 << 18)
    planned = ballast.jit(lambda layers, unused, x: step(layers, x), cap="80%", **OPTIONS)
    same(planned(LAYERS, unused, X), step(LAYERS, X))
    plan = planned.plan
    assert plan.measured_bytes <= plan.cap_bytes < plan.unplanned_bytes < unused.nbytes


def test_prepare_gives_the_plan_of_its_arguments():
    planned = ballast.jit(step, cap="1GB")
    whole = planned.prepare(LAYERS, X)
    half = planned.prepare(LAYERS, X[:128])
    assert planned.prepare(LAYERS, X) is planned.plan is whole is not half
    planned(LAYERS, X[:128])
    assert planned.plan is half and half.peak_bytes < whole.peak_bytes


# Settings of JAX.


def test_a_step_is_traced_anew_where_jax_traces_it_anew():
    def draw(x, row):
        return x + row + jax.random.normal(jax.random.key(0), x.shape)

    plain, planned = jax.jit(draw), ballast.jit(draw, cap="1GB")
    before = planned(X, X[0])
    with jax.threefry_partitionable(False):
        same(planned(X, X[0]), plain(X, X[0]))
        assert not np.allclose(planned(X, X[0]), before)
    for call in (plain, planned):
        with jax.numpy_rank_promotion("raise"), pytest.raises(ValueError, match="rank"):
            call(X, X[0])
    same(planned(X, X[0]), before)


def test_loops_written_anew_draw_the_random_numbers_of_the_step():
    def dropped(weight, xs, key):
        def body(carried, x):
            h, key = carried
            key, own = jax.random.split(key)
            a = jnp.sin(h @ weight + x)
            return (0.5 * h + jnp.tanh(jnp.where(jax.random.bernoulli(own, 0.5, h.shape), a * jnp.exp(a), 0)), key), None

        return jax.lax.scan(body, (jnp.zeros_like(xs[0]), key), xs)[0][0].sum()

    def with_setting(*given):
        with jax.threefry_partitionable(False):
            return jax.value_and_grad(dropped)(*given)

    given = LAYERS[0], X.reshape(16, 16, 16), KEYS[0]
    forms = written_anew(with_setting, *given)
    assert len(forms) == 3
    for run in forms.values():
        same(jax.jit(run)(*given), jax.jit(with_setting)(*given))


# Loops written anew.


def test_layers_in_loops_of_their_own_are_written_anew():
    def total(weights, xs):
        first, second, third = weights
        ys = recurrent(first, xs)
        return (jnp.square(recurrent(third, recurrent(second, ys))) * ys).sum()

    given = list(zip(LAYERS[:3], LAYERS[3:], strict=True)), X.reshape(16, 16, 16)
    one = jax.value_and_grad(total, (0, 1))
    forms = written_anew(one, *given)
    assert forms
    for run in forms.values():
        same(jax.jit(run)(*given), jax.jit(one)(*given))


def test_products_that_a_gradient_needs_no_value_of_are_stacked_in_place_of_more():
    def step(policy):
        def layer(x, weight):
            # The gradient needs two cosines of the product, and not the product.
            return x + jnp.sin(jnp.sin(x @ weight)), None

        def loss(weights, x):
            return jnp.square(jax.lax.scan(jax.checkpoint(layer, policy=policy, prevent_cse=False) if policy else layer, x, weights)[0]).sum()

        return jax.value_and_grad(loss)

    given = jnp.stack(LAYERS), X
    forms = written_anew(step(None), *given)
    options = ballast.jax.compiler_options()
    own, run, plain = (jax.jit(one).lower(*given).compile(options) for one in (
        step(jax.checkpoint_policies.dots_saveable), forms["all but products and random numbers"], step(None),
    ))
    same(run(*given), plain(*given))
    assert run.memory_analysis().temp_size_in_bytes <= own.memory_analysis().temp_size_in_bytes < plain.memory_analysis().temp_size_in_bytes
    assert operations(run) <= operations(own)


def test_a_form_that_cannot_be_written_does_not_take_the_others_along(monkeypatch):
    def failing(*given):
        (mode, run), *others = _loops.rolled(*given)

        def fails(*_):
            raise KeyError("a variable")

        return [(mode, fails), ("another time", run), *others]

    monkeypatch.setattr(_program, "rolled", failing)
    monkeypatch.setattr(_program.Program, "forms", lambda *_: iter(()))
    one = jax.value_and_grad(lambda weights, xs: recurrent(weights, xs).sum())
    given = LAYERS[2:4], X.reshape(16, 16, 16)
    planned = ballast.jit(one, cap="80%", cap_counts="temp", **OPTIONS)
    same(planned(*given), one(*given))
    assert any("could not be written anew" in note and "a variable" in note for note in planned.plan.notes)


def test_products_in_the_branches_of_a_conditional_are_seen():
    jaxpr = jax.make_jaxpr(lambda x: jax.lax.cond(x.sum() > 0, lambda x: x @ x.T, lambda x: jnp.sin(x @ x.T), x))(X)
    (conditional,) = (one for one in jaxpr.jaxpr.eqns if one.primitive.name == "cond")
    assert _jaxprs.has(conditional, frozenset({"dot_general"})) and not _jaxprs.has(conditional, frozenset({"exp"}))


# What a cap counts, and constants.


def test_values_of_an_arguments_type_are_counted_as_saved():
    def embedded(tables, ids):
        x = sum(table[ids] for table in tables)
        for _ in range(4):
            x = jnp.sin(x)
        return x.sum()

    tables, ids = [jnp.full((64, 8), 0.1 * at) for at in range(4)], jnp.arange(64)
    for cap, saved in ((1 << 20, 4 * 64 * 8 * 4), (64 * 8 * 4 + 512, 64 * 8 * 4), (1, 0)):
        policy = ballast.checkpoint_policy(embedded, tables, ids, cap=cap, time_limit=2)
        held = jax.tree.leaves(jax.vjp(lambda tables, policy=policy: jax.checkpoint(embedded, policy=policy)(tables, ids), tables)[1])
        beyond = sum(one.nbytes for one in held if not any(one is given for given in (*tables, ids)))
        assert saved <= policy.plan.saved_bytes == beyond <= cap


def test_a_policy_is_the_best_that_was_looked_at_where_time_is_short(monkeypatch):
    def layers(weights, x):
        for weight in weights:
            x = jnp.sin(jnp.tanh(x @ weight))
        return x

    given = [jax.ShapeDtypeStruct((16, 16), jnp.float32)] * 3, jax.ShapeDtypeStruct((64, 16), jnp.float32)
    # One value of each layer: what dots_saveable keeps.
    cap = 3 * 64 * 16 * 4
    plan = ballast.checkpoint_policy(layers, *given, cap=cap, wrt=(0, 1), time_limit=1e-6).plan
    assert plan.saved_bytes == cap and plan.stop_reason == "time-limit"
    # Without JAX's own, the classes one by one, after which time is up.
    monkeypatch.setattr(_policy, "_moves", lambda *_: iter(()))
    monkeypatch.setattr(_classes, "_NAMED", {})
    plan = ballast.checkpoint_policy(layers, *given, cap=cap, wrt=(0, 1), time_limit=60).plan
    assert plan.saved_bytes == cap


def test_large_constants_of_booleans_reach_the_planner_and_come_back():
    mask = np.tril(np.ones((16, 16), bool))
    lowered = jax.jit(lambda x: jnp.where(mask, jnp.sin(x), 0) + jnp.where(np.ones((16, 16), bool), 1, x)).lower(X[:16])
    (expected,) = stablehlo.results(stablehlo.text_of(lowered), [X[:16]])
    text, _ = _planned.planned(_planned.generic(lowered.compiler_ir("stablehlo")), _planned.KEEP_ALL, "operations", "xla")
    np.testing.assert_array_equal(stablehlo.results(text, [X[:16]])[0], expected)


# Transformations, and places of arguments.


def test_a_planned_step_inside_of_a_transformation_is_the_step_as_it_is():
    planned = ballast.jit(step, cap="60%", cap_counts="temp", **OPTIONS)
    right = step(LAYERS, X)
    with pytest.warns(ballast.jax.UnplannedWarning, match="a transformation of JAX traces it"):
        same(jax.jit(planned)(LAYERS, X), right)
    with pytest.warns(ballast.jax.UnplannedWarning):
        assert jax.eval_shape(planned, LAYERS, X)[0].shape == ()
        assert jax.make_jaxpr(planned)(LAYERS, X).out_avals[0].shape == ()
        same(jax.vmap(planned, (None, 0))(LAYERS, jnp.stack([X, X]))[0], jnp.stack([right[0]] * 2))
    with pytest.raises(ballast.BallastError, match="a transformation of JAX traces it"):
        jax.jit(ballast.jit(step, cap="60%", fallback=False))(LAYERS, X)


@pytest.mark.filterwarnings("ignore::ballast.jax.UnplannedWarning")
@pytest.mark.parametrize("gradient", [jax.grad, lambda one: jax.jit(jax.grad(one)), lambda one: jax.grad(jax.jit(one)), jax.jacfwd])
def test_a_planned_step_has_no_gradient(gradient):
    with pytest.raises(ballast.BallastError, match="no gradient of its own"):
        gradient(ballast.jit(loss, cap="60%"))(LAYERS, X)


@pytest.mark.parametrize("places", [{"donate_argnums": 7}, {"static_argnums": 7}, {"donate_argnums": 0, "static_argnums": 0}], ids=str)
def test_places_that_jax_refuses_are_refused(places):
    for make in (jax.jit, lambda step, **given: ballast.jit(step, cap="1GB", **given)):
        with pytest.raises(ValueError, match="argnums|argnames"):
            make(step, **places)


# Pipelines.


def staged(model, parameters, *inputs, loss):
    """A pipeline of two stages, its step on two micro-batches, and the step without it."""
    pipeline = ballast.jax.pipeline(model, parameters, *inputs, devices=2, cap="10MB", microbatches=2, time_limit=1)
    batches = [inputs, jax.tree.map(lambda one: 0.5 * one, inputs)]
    train = pipeline.value_and_grad(loss)
    value, gradients = train(pipeline.split(parameters), batches, [0.0, 1.0])

    def whole(parameters):
        return sum(loss(model(parameters, *given), target) for given, target in zip(batches, (0.0, 1.0), strict=True)) / 2

    same((value, pipeline.join(gradients)), jax.value_and_grad(whole)(parameters))
    return pipeline, train


def test_gradients_go_through_complex_values_between_stages():
    def filtered(weights, x):
        h = jnp.tanh(x @ weights[0])
        gate = h.mean(-1, keepdims=True)
        low = jnp.fft.rfft(h, axis=-1)[:, :3]
        return jnp.tanh((jnp.fft.irfft(low, n=16, axis=-1) + gate) @ weights[1])

    pipeline, _ = staged(filtered, LAYERS[:2], X[:32], loss=lambda found, target: jnp.square(found - target).mean())
    assert any(one.dtype == jnp.complex64 for one in pipeline._programs[0].sent)


def test_results_of_a_pipeline_may_be_numbers_and_inputs_unused():
    def model(weights, x, unused):
        return jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1]), 2.0, 3

    _, train = staged(model, LAYERS[:2], X[:32], X[:8], loss=lambda found, target: (jnp.square(found[0] - target) * found[1]).mean())
    with pytest.raises(ValueError, match="micro-batch 0 has inputs of the shapes"):
        train([[LAYERS[0]], [LAYERS[1]]], [(X[:16], X[:8])] * 2, [0.0, 1.0])


def test_stages_may_hand_on_integers_alone():
    def picked(weights, x):
        return jnp.tanh(jax.nn.one_hot(jnp.argmax(x @ weights[0], axis=-1), 16) @ weights[1])

    pipeline, _ = staged(picked, LAYERS[:2], X[:32], loss=lambda found, target: jnp.square(found - target).mean())
    assert [one.dtype for one in pipeline._programs[0].sent] == [jnp.int32]


def test_another_memory_or_another_generator_is_another_step():
    device = jax.devices()[0]
    step = ballast.jit(lambda x: jnp.tanh(x @ x), cap="100%")
    step(LAYERS[0])
    on_host = jax.device_put(LAYERS[0], jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host"))
    np.testing.assert_allclose(step(on_host), step(LAYERS[0]), rtol=1e-6)

    def drawn(seed):
        return jax.random.normal(jax.random.key(seed), (4,))

    step = ballast.jit(drawn, cap="100%")
    step(1)
    with jax.default_prng_impl("rbg"):
        np.testing.assert_array_equal(step(1), drawn(1))
