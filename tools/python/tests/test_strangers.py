"""JAX: steps of others, with what the models of the exporters do not have."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import ballast  # noqa: E402
from ballast.jax import _planned  # noqa: E402


def descent(loss):
    """A step of gradient descent on a loss of parameters and a batch."""

    def step(parameters, batch):
        value, gradients = jax.value_and_grad(loss)(parameters, batch)
        return jax.tree.map(lambda one, slope: one - 0.01 * slope, parameters, gradients), value

    return step


def agree(planned, step, arguments):
    """Has the planned step the results of the step?"""
    for found, right in zip(jax.tree.leaves(planned(*arguments)), jax.tree.leaves(jax.jit(step)(*arguments)), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5)


def test_calls_of_lapack_are_planned_though_they_say_how_they_are_sharded():
    def loss(weight, x):
        for _ in range(4):
            x = jnp.tanh(x @ weight)
        return jnp.log(jnp.diag(jnp.linalg.cholesky(x @ x.T + jnp.eye(len(x))))).sum()

    arguments = 0.5 * jnp.eye(128), jax.random.normal(jax.random.key(0), (64, 128))
    planned = ballast.jit(descent(loss), cap="90%", cap_counts="temp", time_limit=2, tries=3, fallback=False)
    agree(planned, descent(loss), arguments)
    assert planned.plan.measured_bytes <= planned.plan.cap_bytes < planned.plan.unplanned_bytes


def test_where_fused_ops_keep_no_cap_ops_are_planned_one_by_one():
    def loss(weights, x):
        for weight in weights:
            x = x + jnp.tanh(x @ weight)
        return jnp.square(x).mean()

    arguments = [0.1 * jax.random.normal(key, (64, 64)) for key in jax.random.split(jax.random.key(1), 6)], jnp.ones((256, 64))
    planned = ballast.jit(descent(loss), cap="65%", time_limit=2, tries=6)
    agree(planned, descent(loss), arguments)
    assert planned.plan.measured_bytes <= planned.plan.cap_bytes


def test_gradients_of_pooling_are_written_out_where_the_cap_asks_for_it():
    def pooled(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss(weights, x):
        for weight in weights:
            x = pooled(jax.nn.relu(jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))))
        return jnp.square(x).mean()

    keys = jax.random.split(jax.random.key(2), 3)
    arguments = [0.1 * jax.random.normal(key, (3, 3, 8, 8)) for key in keys], jax.random.normal(jax.random.key(3), (8, 32, 32, 8))
    planned = ballast.jit(descent(loss), cap="60%", cap_counts="temp", time_limit=2, tries=3)
    agree(planned, descent(loss), arguments)
    assert planned.plan.measured_bytes <= planned.plan.cap_bytes
    module = jax.jit(descent(loss)).lower(*arguments).compiler_ir("stablehlo")
    text = _planned.generic(module)
    counts = [one.count('"stablehlo.select_and_scatter"') for one in (text, _planned.gradients_written_out(text))]
    assert counts == [3, 0]
    assert _planned.gradients_written_out(_planned.generic(jax.jit(jnp.sin).lower(1.0).compiler_ir("stablehlo"))) is None


def test_a_policy_saves_no_complex_numbers():
    def block(filters, x):
        return jnp.real(jnp.fft.ifft(jnp.fft.fft(x) * filters)) + jnp.sin(x)

    filters, x = jnp.ones(64, jnp.complex64), jax.random.normal(jax.random.key(4), (8, 64))
    policy = ballast.checkpoint_policy(block, filters, x, cap="50%", wrt=(1,), time_limit=10)
    found, right = (jax.grad(lambda x, block=one: block(filters, x).sum())(x) for one in (jax.checkpoint(block, policy=policy), block))
    np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-5)
    assert policy.plan.values and "fft" not in {value.name for value in policy.plan.values}


def test_parts_of_a_pipeline_that_only_view_take_no_time():
    def deep(weights, x):
        for weight in weights:
            x = jnp.tanh(x @ weight).reshape(32, 2, 48).reshape(64, 48)
        return x

    weights = [jax.ShapeDtypeStruct((48, 48), jnp.float32)] * 4
    pipeline = ballast.jax.pipeline(
        deep, weights, jax.ShapeDtypeStruct((64, 48), jnp.float32), devices=[jax.devices()[0]] * 2, cap="3MB", microbatches=2, schedule="gpipe", time_limit=1
    )
    assert len(pipeline.stages) == 2 and all(stage.forward_seconds > 0 for stage in pipeline.stages)
