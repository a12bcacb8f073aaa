"""JAX: conditionals in the bodies of loops written anew, whose products are stacked and whose rest is computed again."""

import random

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import ballast  # noqa: E402
from ballast.jax import _conditionals, _jaxprs, _loops, _program  # noqa: E402
from ballast.jax._conditionals import Saved  # noqa: E402
from ballast.jax._operations import operations  # noqa: E402

ROWS, WIDTH, TRIPS = 8, 16, 4
PRODUCTS = _loops.MODES["all but products and random numbers"]


def branch_of(choose, depth):
    """A random branch: some have no product, some another conditional."""
    ops = [choose.randrange(8) for _ in range(choose.randrange(1, 4))]
    ops += [8] if depth else []
    inner = conditional_of(choose, depth - 1) if depth else None
    jitted = choose.random() < 0.3

    def branch(h, weights, number):
        for op in ops:
            h = [
                lambda h: h @ weights,
                lambda h: jnp.tanh(h @ weights.T) * h,
                lambda h: jnp.tanh(h),
                lambda h: h * jnp.sin(h),
                lambda h: jax.nn.softmax(h @ weights, axis=-1),
                lambda h: jnp.maximum(h, 0.1 * h),
                # Of another shape: what branches save is not the same.
                lambda h: jnp.tanh(h.T @ h)[:ROWS] * jnp.sin(h[:, :4] @ weights[:4]),
                lambda h: 0.5 * h,
                lambda h: inner(h, weights, number),
            ][op](h)
        return h

    return jax.jit(branch) if jitted else branch


def conditional_of(choose, depth):
    """A random `cond` or `switch`, one in another up to this depth."""
    branches = [branch_of(choose, depth) for _ in range(choose.choice([2, 2, 3]))]

    def conditional(h, weights, number):
        if len(branches) == 2:
            return jax.lax.cond(number % 2 > 0, *branches, h, weights, number)
        return jax.lax.switch(number % 3, branches, h, weights, number)

    return conditional


def program(seed):
    """The gradient of a loss over a random loop with conditionals in its body, and its arguments."""
    choose = random.Random(seed)
    conditionals = [conditional_of(choose, choose.choice([0, 1, 1])) for _ in range(choose.choice([1, 1, 2]))]

    def loss(weights, x, numbers):
        def body(h, given):
            for one in conditionals:
                h = jnp.tanh(h + one(h, *given))
            return h, h.mean()

        h, rows = jax.lax.scan(body, x, (weights, numbers))
        return jnp.square(h).mean() + rows.sum()

    draw = np.random.default_rng(seed)
    weights, x = draw.normal(0, 0.3, (TRIPS, WIDTH, WIDTH)), draw.normal(0, 1, (ROWS, WIDTH))
    numbers = draw.integers(0, 6, TRIPS).astype(np.int32)
    return jax.value_and_grad(loss, (0, 1)), (weights.astype(np.float32), x.astype(np.float32), numbers)


RUN = _jaxprs.run


def one_by_one(equation, env):
    """Runs an equation of a jaxpr without calls of functions: loops and branches op by op."""
    if isinstance(equation, _jaxprs.Written) or equation.primitive.name not in ("cond", "scan"):
        RUN(equation, env)
        return
    given = [_jaxprs.value(var, env) for var in equation.invars]
    if equation.primitive.name == "cond":
        results = _jaxprs.evaluate(_jaxprs.inlined(equation.params["branches"][int(given[0])]), given[1:], one_by_one)
    else:
        closed, (consts, carried) = _jaxprs.inlined(equation.params["jaxpr"]), _loops._counts(equation.params)

        def body(carry, xs):
            found = _jaxprs.evaluate(closed, [*given[:consts], *carry, *xs], one_by_one)
            return found[:carried], found[carried:]

        carry, stacks = jax.lax.scan(body, given[consts:consts + carried], given[consts + carried:], reverse=equation.params["reverse"])
        results = [*carry, *stacks]
    env.update(zip(equation.outvars, results, strict=True))


def test_random_conditionals_in_two_give_the_same_bits(monkeypatch):
    # What XLA fuses rounds otherwise: conditionals that are left whole run op by op, too.
    monkeypatch.setattr(_jaxprs, "run", one_by_one)
    in_two = 0
    for seed in range(16):
        step, given = program(seed)
        flat = _jaxprs.inlined(jax.make_jaxpr(step)(*given))
        plans = _loops._plans(flat, PRODUCTS)
        in_two += any(isinstance(var, Saved) for plan in plans.values() for var in plan.handed)
        with jax.disable_jit():
            leaves = [jnp.asarray(one) for one in given]
            expected, found = _jaxprs.evaluate(flat, leaves, one_by_one), _loops._step(flat, plans)(*leaves)
        for one, other in zip(expected, found, strict=True):
            assert np.isfinite(one).all() and (np.asarray(one) == np.asarray(other)).all(), seed
    assert in_two >= 8, in_two


def equation_of(function, *given):
    """The conditional of a function."""
    (found,) = (one for one in jax.make_jaxpr(function)(*given).jaxpr.eqns if one.primitive.name == "cond")
    return found


def split(function, *given):
    """A conditional in two, and the types of what it gives besides its results."""
    equation = equation_of(function, *given)
    halves = _conditionals._split(equation, PRODUCTS)
    return halves and (*halves, [var.aval.str_short() for var in halves[0].outvars[len(equation.outvars):]])


X = jnp.linspace(-1, 1, ROWS * WIDTH).reshape(ROWS, WIDTH)


def test_what_branches_save_has_one_place_for_each_type_and_zeros_elsewhere():
    def both(x, index):
        def waves(*products):
            return sum((jnp.sin(one) * jnp.cos(one)).sum() for one in products)

        branches = [lambda x: waves(x @ x.T, x @ jnp.ones((WIDTH, WIDTH))), lambda x: waves(x.T @ x, 2 * x @ x.T), lambda x: x.sum()]
        return jax.lax.switch(index, branches, x)

    whole, rest, types = split(both, X, 0)
    assert types == ["float32[8,16]", "float32[8,8]", "float32[16,16]"]
    for index, there in enumerate(([True, True, False], [False, True, True], [False] * 3)):
        found, *saved = whole.function(jnp.int32(index), *[X][: len(whole.invars) - 1])
        np.testing.assert_array_equal(found, both(X, index))
        assert [bool(one.any()) for one in saved] == there
        np.testing.assert_array_equal(rest.function(jnp.int32(index), X, *saved)[0], found)
    # What is computed again has no product left.
    again = jax.make_jaxpr(rest.function)(jnp.int32(0), X, *saved)
    assert not any(_jaxprs.has(one, PRODUCTS) for one in again.eqns)


def test_a_conditional_in_a_conditional_hands_its_products_on():
    def nested(x, flag):
        return jax.lax.cond(flag, lambda x: jnp.tanh(jax.lax.cond(x[0, 0] > 0, lambda x: x @ x.T @ x, jnp.sin, x)), lambda x: x, x)

    whole, rest, types = split(nested, X, True)
    # The first product is read by the second alone, and nobody needs it again.
    assert types == ["float32[8,16]"]
    again = jax.make_jaxpr(rest.function)(jnp.int32(1), X, X)
    assert not any(_jaxprs.has(one, PRODUCTS) for one in again.eqns) and _jaxprs.has(equation_of(nested, X, True), PRODUCTS)


def test_of_random_numbers_the_mask_is_saved():
    def dropped(x, key, flag):
        return jax.lax.cond(flag, lambda x: jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0), lambda x: x, x)

    assert split(dropped, X, jax.random.key(0), True)[2] == ["bool[8,16]"]


@pytest.mark.parametrize(
    "branch", [jnp.sin, lambda x: jax.lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), lambda x: (jax.debug.print("{x}", x=x[0, 0]), x @ x.T @ x)[1]],
    ids=["elementwise", "nested", "effects"],
)
def test_conditionals_without_products_and_those_with_effects_are_left_whole(branch):
    assert split(lambda x: jax.lax.cond(x[0, 0] > 0, branch, lambda x: x, x), X) is None


def test_branches_for_platforms_are_left_whole():
    assert split(lambda x: jax.lax.platform_dependent(x, cpu=lambda x: x @ x.T, default=lambda x: jnp.sin(x @ x.T)), X) is None


def layers(policy):
    """A training step of layers under a scan, each of one of three kinds."""

    def loss(weights, kinds, x):
        def layer(h, given):
            (a, b), kind = given
            kinds = [lambda h: jnp.tanh(h @ a), lambda h: jax.nn.gelu(h @ a) * jax.nn.sigmoid(h @ b), lambda h: jnp.sin(jnp.cos(h) @ a) @ b]
            z = jax.lax.switch(kind, kinds, h)
            return h + jax.lax.cond(kind > 0, lambda z: z + jnp.sin(z @ b), lambda z: 0.5 * z, z), None

        return jnp.square(jax.lax.scan(jax.checkpoint(layer, policy=policy) if policy else layer, x, (weights, kinds))[0]).mean()

    return jax.value_and_grad(loss)


def test_layers_of_several_kinds_keep_what_a_checkpoint_that_saves_products_takes_with_no_more_operations(monkeypatch):
    given = 0.1 * jax.random.normal(jax.random.key(0), (6, 2, 32, 32)), jnp.arange(6) % 3, jax.random.normal(jax.random.key(1), (256, 32))
    own = jax.jit(layers(jax.checkpoint_policies.dots_saveable)).lower(*given).compile(ballast.jax.compiler_options())
    monkeypatch.setattr(_program.Program, "forms", lambda *_: iter(()))
    planned = ballast.jit(layers(None), cap=own.memory_analysis().temp_size_in_bytes, cap_counts="temp")
    for one, other in zip(jax.tree.leaves(planned(*given)), jax.tree.leaves(own(*given)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert planned.plan.measured_bytes <= planned.plan.cap_bytes < 0.6 * planned.plan.unplanned_bytes
    assert planned.plan.operations <= operations(own)
