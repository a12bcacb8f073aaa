"""Pairs of loops rewritten by `--ballast-pair-loops`: the programs that JAX writes for scans give the same results."""

import json
import random
import subprocess
import sys

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import stablehlo  # noqa: E402

from ballast import _programs  # noqa: E402
from ballast.jax import _loops  # noqa: E402

WIDTH, ROWS = 16, 8


def body_of(choose):
    """One iteration of a random loop: two values are carried, weights and a number go with each iteration."""
    ops = [choose.randrange(9) for _ in range(choose.randrange(4, 10))]
    reads = [choose.random() for _ in range(2 * len(ops) + 2)]
    checkpointed = choose.random() < 0.2

    def iteration(carried, given):
        weights, number, key = given
        values = list(carried)
        picks = iter(reads)

        def pick():
            return values[int(next(picks) * len(values))]

        for op in ops:
            a, b = pick(), pick()
            values.append(
                [
                    lambda a, b: a @ weights,
                    lambda a, b: jnp.tanh(a),
                    lambda a, b: a * b,
                    lambda a, b: a + jnp.sin(b),
                    lambda a, b: jax.nn.softmax(a, axis=-1),
                    lambda a, b: (a - a.mean(axis=-1, keepdims=True)) * jax.lax.rsqrt(a.var(axis=-1, keepdims=True) + 1e-3),
                    lambda a, b: jnp.where(a > b, a, 0.5 * b),
                    lambda a, b: a * number.astype(a.dtype) * 0.1,
                    lambda a, b: jnp.where(jax.random.bernoulli(key, 0.8, a.shape), a, 0.0),
                ][op](a, b)
            )
        return (jnp.tanh(pick() + values[-1]), jnp.tanh(pick())), values[-1].mean(axis=0)

    return jax.checkpoint(iteration) if checkpointed else iteration


def program(seed, batches=None):
    """The gradient of a loss over one or two random loops, of which the second may run backwards or go on from the first; summed over so many batches in a loop
    of its own, if any."""
    choose = random.Random(seed)
    trips = choose.choice([2, 3, 5])
    loops = [(body_of(choose), choose.random() < 0.3) for _ in range(choose.choice([1, 1, 2]))]

    def loss(weights, x, keys):
        carried, total = (x, 0.5 * x), 0.0
        for (iteration, reverse), w in zip(loops, weights, strict=True):
            carried, rows = jax.lax.scan(iteration, carried, (w, jnp.arange(trips), keys), reverse=reverse)
            total = total + jnp.square(rows).sum()
        return total + carried[0].sum() + jnp.square(carried[1]).mean()

    given = [jax.ShapeDtypeStruct((trips, WIDTH, WIDTH), jnp.float32) for _ in loops]
    keys = jax.ShapeDtypeStruct((trips, 2), jnp.uint32)
    x = jax.ShapeDtypeStruct((ROWS, WIDTH), jnp.float32)
    step = jax.value_and_grad(loss, argnums=(0, 1))
    if batches is not None:
        x = jax.ShapeDtypeStruct((batches, ROWS, WIDTH), jnp.float32)
        of_one = step

        def step(weights, xs, keys):
            def batch(total, x):
                value, (of_weights, of_x) = of_one(weights, x, keys)
                return jax.tree.map(jnp.add, total, of_weights), (value, of_x)

            return jax.lax.scan(batch, jax.tree.map(jnp.zeros_like, weights), xs)

    lowered = jax.jit(step, keep_unused=True).lower(given, x, keys)
    return stablehlo.text_of(lowered), [*given, x, keys], choose


def results(text, shapes):
    """What a program gives for arguments from a seed."""
    draw = np.random.default_rng(0)
    arguments = [
        draw.integers(0, 1 << 31, shape.shape).astype(shape.dtype)
        if shape.dtype == jnp.uint32
        else draw.normal(0, 0.3, shape.shape).astype(shape.dtype)
        for shape in shapes
    ]
    return stablehlo.results(text, arguments)


def test_random_loops_give_the_same_results_whatever_is_kept(tmp_path):
    rewritten = 0
    inside = 0
    for seed, batches in [*((seed, None) for seed in range(20)), *((seed, 2) for seed in range(20, 28))]:
        text, shapes, choose = program(seed, batches)
        source, target, decided = (tmp_path / name for name in ("step.mlir", "paired.mlir", "decided.json"))
        source.write_text(text)
        cap = choose.choice([80, 50, 20, 1])
        passes = f"--ballast-pair-loops=cap={cap}% plan-file={decided}"
        _programs.run("ballast-opt", [source, "--allow-unregistered-dialect", passes, "--mlir-print-op-generic", "-o", target])
        plan = json.loads(decided.read_text())
        assert plan["kept-bytes"] <= plan["stack-bytes"], (seed, plan)
        rewritten += plan["rewritten"]
        inside += plan["rewritten"] if batches else 0
        for expected, found in zip(results(text, shapes), results(target.read_text(), shapes), strict=True):
            assert np.isfinite(expected).all(), seed
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max(), err_msg=f"{seed}")
    assert rewritten >= 15 and inside >= 5, (rewritten, inside)


def decoder(layers):
    """A training step of layers under a scan."""

    def loss(weights, x):
        def layer(x, w):
            return x + jnp.tanh(jnp.tanh(x @ w[0]) @ w[1]), None

        return jnp.square(jax.lax.scan(layer, x, weights)[0]).mean()

    def step(weights, x):
        return weights - 0.1 * jax.grad(loss)(weights, x)

    return jax.jit(step).lower(jax.ShapeDtypeStruct((layers, 2, 64, 64), jnp.float32), jax.ShapeDtypeStruct((512, 64), jnp.float32))


def test_fit_keeps_a_cap_with_loops_that_stay_loops(tmp_path):
    source, fitted = tmp_path / "step.mlir", tmp_path / "fitted.mlir"
    source.write_text(stablehlo.text_of(decoder(20)))
    command = ["fit", source, "--python", sys.executable, "--cap", "60%", "--loops", "stay", "--tries", "3", "-o", fitted]
    answer = json.loads(_programs.run("ballast", command))
    chosen = answer["tries"][answer["chosen"]]
    assert chosen["program"] == "loop-pairs"
    assert chosen["measured_bytes"] <= 0.6 * answer["unplanned_bytes"]
    # What runs again, as often as it does, over the step as it is.
    assert 1.0 <= chosen["compared_flops"] / next(form for form in answer["forms"] if form["name"] == "as-is")["flops"]
    assert fitted.read_text().count("stablehlo.while") == 2
    _programs.run("ballast", ["run", source, fitted, "--backend", "xla", "--python", sys.executable, "--json", "-"])


def test_fit_opens_short_loops_where_that_computes_less(tmp_path):
    source, fitted = tmp_path / "step.mlir", tmp_path / "fitted.mlir"
    subprocess.run([sys.executable, "-m", "ballast.export.jax", "decoder", "-o", source], check=True, capture_output=True)
    command = ["fit", source, "--python", sys.executable, "--cap", "40%", "--tries", "2", "--remat", "swap=false time-limit=3", "-o", fitted]
    answer = json.loads(_programs.run("ballast", command))
    kept = [tried for tried in answer["tries"] if tried["fits"]]
    chosen = answer["tries"][answer["chosen"]]
    # The gradient of its loss is written out, too.
    assert chosen["program"] == "gather-gradients"
    assert "stablehlo.while" not in fitted.read_text()
    assert chosen["compared_flops"] == min(tried["compared_flops"] for tried in kept)
    # Beside loops of more iterations one whose loops stay would have been as good.
    near = [tried for tried in kept if tried["program"] == "loop-pairs"]
    assert any(tried["compared_flops"] <= 1.1 * chosen["compared_flops"] for tried in near), answer["tries"]


def test_fit_goes_on_without_a_form_that_takes_too_long_to_compile(tmp_path):
    source, fitted, python = tmp_path / "step.mlir", tmp_path / "fitted.mlir", tmp_path / "python"
    source.write_text(stablehlo.text_of(decoder(20)))
    # Compiles what has loops, and is not done with anything else.
    slow = f"{{ touch {tmp_path}/slow; exec sleep 600; }}"
    python.write_text(f'#!/bin/sh\ncase "$2" in *.mlir) grep -q stablehlo.while "$2" || {slow};; esac\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    answer = json.loads(
        _programs.run("ballast", ["fit", source, "--python", python, "--cap", "60%", "--step-limit", "20", "--tries", "2", "-o", fitted])
    )
    assert (tmp_path / "slow").exists()
    assert {form["name"] for form in answer["forms"]}.isdisjoint({"loops-opened"})
    assert answer["tries"][answer["chosen"]]["measured_bytes"] <= 0.6 * answer["unplanned_bytes"]


def test_scans_say_what_they_carry_as_jax_says_it_before_0_11_and_since():
    class Tree:
        def unpack(self):
            return ["a", "b"], ["carried"], ["x", "y", "z"]

    assert _loops._counts({"num_consts": 2, "num_carry": 1}) == _loops._counts({"ft_in": Tree()}) == (2, 1)
