"""JAX: planned steps that are called while JAX traces or transforms something."""

import warnings

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import ballast  # noqa: E402
from ballast.jax import UnplannedWarning  # noqa: E402

W, X = np.eye(4, dtype=np.float32), np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)


def step(weights, x):
    return jnp.square(jnp.tanh(x @ weights)).sum()


def said(function, *given):
    """What a function gives, and what is said of planned steps in it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        return function(*given), [str(one.message) for one in found if issubclass(one.category, UnplannedWarning)]


def closing_over(scale, **options):
    """A planned step that closes over a value, called with arrays of NumPy."""
    return ballast.jit(lambda weights, x: step(weights, scale * x), cap="50%", cap_counts="temp", **options)(W, X)


IN_A_TRANSFORMATION = {
    "NumPy's arrays in jit": lambda: jax.jit(lambda y: ballast.jit(step, cap="50%", cap_counts="temp")(W, X) + y)(0.0),
    "a traced value closed over in jit": lambda: jax.jit(closing_over)(1.0),
    "a traced value closed over in vmap": lambda: jax.vmap(closing_over)(np.ones(1, np.float32))[0],
}


@pytest.mark.parametrize("run", IN_A_TRANSFORMATION.values(), ids=IN_A_TRANSFORMATION)
def test_a_step_that_a_transformation_traces_says_so_whatever_is_traced(run):
    found, messages = said(run)
    np.testing.assert_allclose(found, step(W, X), rtol=1e-6)
    assert len(messages) == 1 and "a transformation of JAX traces it or a value that it closes over" in messages[0]


def test_where_that_is_to_be_an_error_it_is_one():
    for run in (lambda scale: closing_over(scale, fallback=False), lambda scale: ballast.jit(step, cap="50%", fallback=False)(W, X) + scale):
        with pytest.raises(ballast.BallastError, match="a transformation of JAX traces it"):
            jax.jit(run)(1.0)


GRADIENTS = {
    "of its arguments": lambda: jax.grad(ballast.jit(step, cap="50%"))(W, X),
    "of what it closes over": lambda: jax.grad(closing_over)(1.0),
    "of what it closes over, in jit": lambda: jax.jit(jax.grad(closing_over))(1.0),
    "of a jit of it": lambda: jax.grad(jax.jit(ballast.jit(step, cap="50%")))(W, X),
    "of a scan over it": lambda: jax.grad(lambda w: jax.lax.scan(lambda sum, x: (sum + ballast.jit(step, cap="50%")(w, x), None), 0.0, X[None])[0])(W),
    "forwards": lambda: jax.jvp(closing_over, (1.0,), (1.0,)),
}


@pytest.mark.parametrize("run", GRADIENTS.values(), ids=GRADIENTS)
def test_a_gradient_is_refused_without_a_warning_before(run):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnplannedWarning)
        with pytest.raises(ballast.BallastError, match="no gradient of its own"):
            run()


def test_a_step_on_what_a_gradient_does_not_trace_has_its_plan():
    planned = ballast.jit(step, cap="1GB")
    value, messages = said(jax.grad(lambda y: y * y + planned(W, X)), 3.0)
    assert value == 6.0 and not messages and planned.plan.method == "keep-all"
    # So has one that is computed while something else is traced.
    with jax.ensure_compile_time_eval():
        assert not said(planned, W, X)[1]


def test_a_step_in_jit_on_what_a_gradient_does_not_trace_says_that_it_has_no_plan():
    planned = jax.jit(ballast.jit(step, cap="50%", cap_counts="temp"))
    for gradient in (jax.grad, lambda loss: jax.jit(jax.grad(loss))):
        value, messages = said(gradient(lambda y: y * planned(W, X)), 3.0)
        np.testing.assert_allclose(value, step(W, X), rtol=1e-6)
        assert len(messages) == 1
        jax.clear_caches()


def test_the_warning_is_of_the_line_that_calls_the_step():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        jax.jit(ballast.jit(step, cap="50%", cap_counts="temp"))(W, X)
    assert [one.filename for one in found] == [__file__]


def test_what_is_traced_and_closed_over_is_not_prepared():
    def outer(scale):
        assert ballast.jit(lambda weights, x: step(weights, scale * x), cap="1GB").prepare(W, X) is None
        return scale

    _, messages = said(jax.jit(outer), 1.0)
    assert len(messages) == 1 and "a value that it closes over" in messages[0]
