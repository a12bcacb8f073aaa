"""JAX: what a call of a planned step looks at, before it runs what was compiled."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import ballast  # noqa: E402
from ballast.jax import UnplannedWarning, _arguments, _jit  # noqa: E402


def test_another_call_flattens_once_and_asks_no_array_what_it_is(monkeypatch):
    flattened, asked = [], []
    flatten, kind_of = jax.tree.flatten, _arguments._kind_of
    planned = ballast.jit(lambda weights, x: [weight + x for weight in weights], cap="1GB")
    weights = [jnp.ones(4) for _ in range(50)]
    for _ in range(2):
        planned(weights, 1.0)
    monkeypatch.setattr(jax.tree, "flatten", lambda *given: (flattened.append(given), flatten(*given))[1])
    monkeypatch.setattr(_arguments, "_kind_of", lambda *given: (asked.append(given[0]), kind_of(*given))[1])
    weights = planned(weights, 1.0)
    # The number alone is no array.
    assert (len(flattened), asked) == (1, [1.0])
    planned(weights, 1.0)
    assert asked == [1.0, 1.0]


def test_a_call_after_a_like_one_is_looked_at_as_closely(monkeypatch):
    compiled = []
    compile_one = _jit.Jitted._compile
    monkeypatch.setattr(_jit.Jitted, "_compile", lambda *given, **named: (compiled.append(given), compile_one(*given, **named))[1])
    x, device = jnp.ones(3), jax.devices()[1]
    # The fourth one's type is weak.
    others = [
        jnp.ones(4), jnp.ones((3, 1)), jnp.ones(3, jnp.int32), jax.lax.full((3,), 1.0), np.ones(3, np.float16), 1.0, 1, True, jax.device_put(x, device), [x],
        jax.device_put(x, jax.devices()[0]),
    ]
    plain = jax.jit(lambda x: jax.tree.map(lambda leaf: leaf * 2, x))
    planned = ballast.jit(lambda x: jax.tree.map(lambda leaf: leaf * 2, x), cap="1GB")
    planned(x), planned(x)
    for other in others:
        before = len(compiled)
        for _ in range(2):
            found, right = planned(other), plain(other)
            assert jax.tree.structure(found) == jax.tree.structure(right)
            for one, expected in zip(jax.tree.leaves(found), jax.tree.leaves(right), strict=True):
                assert (one.aval, one.sharding, one.committed) == (expected.aval, expected.sharding, expected.committed)
        assert len(compiled) == before + 1
        # And back.
        planned(x)
        assert len(compiled) == before + 1
    with jax.numpy_dtype_promotion("strict"):
        before = len(compiled)
        planned(x)
        assert len(compiled) == before + 1


def test_a_warning_names_the_line_that_calls(monkeypatch):
    def broken(*_):
        raise ballast.BallastError("no such op")

    monkeypatch.setattr("ballast._programs.run", broken)
    for use in (lambda planned: planned(jnp.ones((8, 8))), lambda planned: planned.prepare(jnp.ones((8, 8)))):
        with pytest.warns(UnplannedWarning, match="no such op") as found:
            use(ballast.jit(lambda x: jnp.sin(jnp.tanh(x @ x) @ x), cap=1, cap_counts="temp"))
        assert found[0].filename == __file__
