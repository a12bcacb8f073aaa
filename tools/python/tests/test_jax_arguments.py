"""Fixed arguments and those given away, by place, by name and by type: as `jax.jit` has them."""

import concurrent.futures
import functools
import inspect
import time

import jax
import jax.numpy as jnp
import pytest

import ballast
from ballast import _programs
from ballast.jax import _jit, _program

X = jnp.arange(4, dtype=jnp.int32)


def times(x, factor=2):
    return x * factor


def zeros(x, count, more=0):
    return jnp.zeros(count + more) + x.sum()


def both(step, **options):
    return jax.jit(step, **options), ballast.jit(step, cap="1GB", **options)


def test_equal_values_of_other_types_are_other_steps():
    for call in both(times, static_argnums=1):
        assert [str(call(X, factor).dtype) for factor in (1, 1.0, True)] == ["int32", "float32", "int32"]


@pytest.mark.parametrize("static", [1, -1, (1,), (1, 2)])
def test_what_is_fixed_may_be_given_by_place_or_by_name(static):
    plain, planned = both(zeros, static_argnums=static)
    assert (planned(X, 3) == plain(X, 3)).all()
    if static != -1:
        assert (planned(X, count=3) == plain(X, count=3)).all()
    if static == (1, 2):
        assert planned(X, 3, more=2).shape == plain(X, 3, more=2).shape == (5,)
        assert planned(X, count=3, more=1).shape == (4,)


def test_a_fixed_argument_by_name_behind_one_that_is_left_out():
    def step(x, scale=2.0, count=1):
        return jnp.zeros(count) + x.sum() * scale

    for call in both(step, static_argnums=2):
        assert call(X, count=3).tolist() == [12.0] * 3


def test_what_is_given_away_by_name_is_gone():
    def step(state, batch):
        return state + batch.sum()

    for call in both(step, donate_argnums=0):
        state = jnp.ones(1000)
        call(state=state, batch=jnp.ones(3))
        assert state.is_deleted()


@pytest.mark.parametrize("make", [jax.jit, functools.partial(ballast.jit, cap="1GB")], ids=["jax", "ballast"])
def test_a_method_is_handed_its_instance(make):
    class Model:
        factor = 3

        @functools.partial(make, static_argnums=0)
        def step(self, x):
            """Thrice."""
            return self.factor * x

    model = Model()
    assert model.step(X).tolist() == model.step(x=X).tolist() == Model.step(model, X).tolist() == [0, 3, 6, 9]
    assert (model.step.__name__, model.step.__doc__, Model.step.__qualname__.split(".")[-1]) == ("step", "Thrice.", "step")


@pytest.mark.parametrize("make", [jax.jit, functools.partial(ballast.jit, cap="1GB")], ids=["jax", "ballast"])
@pytest.mark.parametrize("given", [{"donate_argnames": "state"}, {"donate_argnums": 1}, {"donate_argnames": ["state"], "donate_argnums": 1}], ids=str)
def test_what_is_given_away_may_be_named(make, given):
    step = make(lambda batch, state, *, scale: state + scale * batch.sum(), static_argnames="scale", **given)
    for place in (True, False):
        batch, state = jnp.ones(1000), jnp.ones(1000)
        found = step(batch, state, scale=2) if place else step(state=state, batch=batch, scale=2)
        assert found[0] == 2001 and state.is_deleted() and not batch.is_deleted()


def test_a_name_that_the_step_has_not_is_refused():
    with pytest.raises(ValueError, match="invalid argnames"):
        ballast.jit(times, cap="1GB", donate_argnames="nobody")


def test_what_cannot_be_fixed_is_named():
    for call in both(times, static_argnums=1):
        for args, named in (((X, [2]), {}), ((X,), {"factor": [2]})):
            with pytest.raises(ValueError, match="list"):
                call(*args, **named)
    with pytest.raises(ValueError, match="argument factor is of type list"):
        call(X, [2])


def deep(weights, x):
    def loss(weights):
        y = x
        for weight in weights:
            y = jnp.tanh(y @ weight)
        return jnp.square(y).mean()

    return jax.value_and_grad(loss)(weights)


DEEP = [jnp.eye(16)] * 6, jnp.ones((256, 16))


def test_threads_that_call_at_once_plan_once(monkeypatch):
    compiled = []

    def slowly(*given, **named):
        compiled.append(given)
        time.sleep(0.2)
        return compile_one(*given, **named)

    compile_one = _jit.Jitted._compile
    monkeypatch.setattr(_jit.Jitted, "_compile", slowly)
    planned = ballast.jit(times, cap="1GB")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        plans = list(pool.map(lambda _: (planned(X).tolist(), planned.prepare(X)), range(4)))
    assert len(compiled) == 1 and all(found == [0, 2, 4, 6] and plan is planned.plan for found, plan in plans)


@pytest.mark.parametrize("cap", ["60%", "1GB"])
def test_a_step_runs_where_its_arguments_were_put(cap):
    planned = ballast.jit(deep, cap=cap, cap_counts="temp", time_limit=2, tries=2)
    usual, other = jax.devices()[:2]
    for device in (usual, other, usual):
        value, gradients = planned(*jax.device_put(DEEP, device))
        assert {leaf.device for leaf in (value, *gradients)} == {device}
        assert jnp.allclose(value, deep(*DEEP)[0])
    # What was put nowhere goes where all goes.
    assert planned(*DEEP)[0].device == usual


@pytest.mark.parametrize("cap", ["60%", "1GB"])
def test_results_go_to_other_devices_where_arguments_do(cap, monkeypatch):
    planned = ballast.jit(deep, cap=cap, cap_counts="temp", time_limit=2, tries=2)
    usual, other = jax.devices()[:2]
    value, gradients = planned(*DEEP)
    assert (gradients[0] + jax.device_put(jnp.eye(16), other)).device == other
    # Arguments that are tied to a device tie the results to it, and are no reason to search again.
    monkeypatch.setattr(_program.Program, "attempt", None)
    tied, _ = planned(DEEP[0], jax.device_put(DEEP[1], usual))
    assert tied == value and tied.committed and not planned(*DEEP)[0].committed


def test_without_jit_the_step_runs_as_it_is(monkeypatch):
    monkeypatch.setattr("ballast._programs.run", None)
    seen = []

    def step(weights, x):
        seen.append(x)
        return deep(weights, x)

    planned = ballast.jit(step, cap="60%", cap_counts="temp", fallback=False)
    with jax.disable_jit():
        planned(*DEEP)
    assert len(seen) == 1 and seen[0] is DEEP[1]


@pytest.mark.parametrize(
    ("given", "error", "allowed"),
    [
        ({"time_limit": 0}, ValueError, "seconds above zero"), ({"time_limit": "2"}, TypeError, "a number of seconds"), ({"seed": -1}, ValueError, "from 0 to"),
        ({"tries": 0}, ValueError, "1 or more"), ({"tries": 1.5}, TypeError, "a whole number"), ({"within": -1}, ValueError, "0 or more"),
        ({"total_time_limit": 0}, ValueError, "seconds above zero"), ({"times": "h100"}, ValueError, "h100-80gb"), ({"times": "nowhere.toml"}, ValueError, "a device file that is there"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(given, error, allowed):
    with pytest.raises(error, match=allowed) as refused:
        ballast.jit(lambda x: x, cap="1GB", **given)
    assert next(iter(given)) in str(refused.value)


@pytest.mark.parametrize(
    ("option", "instead"),
    [
        ("in_shardings", "one device.*checkpoint_policy"), ("out_shardings", "one device.*checkpoint_policy"), ("device", "jax.device_put"), ("backend", "jax.device_put"),
        ("compiler_options", "XLA_FLAGS"), ("inline", "leave it out"), ("keep_unused", "leave it out"), ("donate", "donate_argnums"),
        ("static_argnum", "the nearest is static_argnums"), ("colour", "leave it out"),
    ],
)
def test_options_that_it_has_not_are_refused_with_what_to_do_instead(option, instead):
    with pytest.raises(TypeError, match=rf"ballast.jit has no option {option}: .*{instead}.* It takes cap, cap_counts, donate_argnums, .*total_time_limit$"):
        ballast.jit(times, cap="1GB", **{option: 1})


@pytest.mark.parametrize("device", [0, 2])
def test_a_step_runs_where_its_arguments_are(device):
    place = jax.sharding.NamedSharding(jax.sharding.Mesh(jax.devices()[device:][:1], "d"), jax.sharding.PartitionSpec("d"))
    given = jax.device_put(DEEP, place)
    planned = ballast.jit(deep, cap="60%", cap_counts="temp", time_limit=1)
    for one, other in zip(jax.tree.leaves(planned(*given)), jax.tree.leaves(jax.jit(deep)(*given)), strict=True):
        assert jnp.allclose(one, other, rtol=1e-5) and one.devices() == other.devices() == {jax.devices()[device]}
    assert planned.plan.measured_bytes <= planned.plan.cap_bytes < planned.plan.unplanned_bytes


def test_a_step_over_several_devices_has_no_plan_and_says_so():
    place = jax.sharding.NamedSharding(jax.sharding.Mesh(jax.devices(), "d"), jax.sharding.PartitionSpec())
    with pytest.warns(ballast.jax.UnplannedWarning, match="runs on 4 devices, and plans are for one: use ballast.checkpoint_policy"):
        ballast.jit(deep, cap="60%", cap_counts="temp")(*jax.device_put(DEEP, place))
    with pytest.raises(ballast.BallastError, match="runs on 4 devices"):
        ballast.jit(deep, cap="60%", cap_counts="temp", fallback=False)(*jax.device_put(DEEP, place))


def test_every_option_of_jaxs_own_is_taken_or_has_something_instead():
    own = {name for name, one in inspect.signature(jax.jit).parameters.items() if one.kind is one.KEYWORD_ONLY}
    assert own <= {*inspect.signature(ballast.jit).parameters, *_jit._INSTEAD}


def test_a_missing_planner_is_no_step_that_cannot_be_planned(monkeypatch, tmp_path):
    planned = ballast.jit(deep, cap="60%", cap_counts="temp")
    monkeypatch.setattr(_programs, "_folder", None)
    monkeypatch.setattr(_programs, "_OWN", tmp_path)
    monkeypatch.setenv("BALLAST_BIN", str(tmp_path))
    with pytest.raises(ballast.ProgramNotFound, match="BALLAST_BIN"):
        planned(*DEEP)


def test_options_alone_make_a_decorator():
    @ballast.jit(cap="1GB", static_argnums=1)
    def scaled(x, factor):
        """Doc."""
        return x * factor

    assert jnp.array_equal(scaled(X, 3), X * 3)
    assert scaled.__name__ == "scaled" and scaled.plan.cap_bytes == 10**9
