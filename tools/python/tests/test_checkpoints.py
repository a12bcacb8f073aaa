"""JAX: steps with checkpoints of their own, which a plan starts from and need not keep."""

import os
import pathlib
import subprocess
import sys

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import ballast  # noqa: E402
from ballast.jax._operations import operations  # noqa: E402

GIVEN = [(jnp.full((32, 128), 0.01), jnp.full((128, 32), 0.01)) for _ in range(6)], jnp.ones((512, 32))


def block(x, weights):
    return x + jax.nn.gelu(x @ weights[0]) @ weights[1]


def step_with(block):
    def loss(blocks, x):
        for weights in blocks:
            x = block(x, weights)
        return jnp.square(x).mean()

    return lambda blocks, x: jax.value_and_grad(loss)(blocks, x)


CHECKPOINTED = step_with(jax.checkpoint(block))


def check_results(planned):
    for one, other in zip(jax.tree.leaves(planned(*GIVEN)), jax.tree.leaves(jax.jit(CHECKPOINTED)(*GIVEN)), strict=True):
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-8)


def test_checkpoints_in_a_step_are_where_the_search_starts_and_no_rule():
    lowered = jax.jit(CHECKPOINTED).lower(*GIVEN)
    # As its author wrote it, and as it would be without.
    theirs, plain = lowered.compile(ballast.jax.compiler_options()), jax.jit(step_with(block)).lower(*GIVEN).compile()
    assert operations(theirs) > 1.1 * operations(plain)
    cap = (theirs.memory_analysis().temp_size_in_bytes + plain.memory_analysis().temp_size_in_bytes) // 2
    planned = ballast.jit(CHECKPOINTED, cap=cap, cap_counts="temp", time_limit=2)
    plan = planned.prepare(*GIVEN)
    assert plan.measured_bytes <= cap and plan.operations < (operations(theirs) + operations(plain)) / 2
    check_results(planned)


def where_barriers_hold():
    """What holds in a process whose compiler keeps barriers to the end, as XLA's for GPUs does."""
    theirs = jax.jit(CHECKPOINTED).lower(*GIVEN).compile()
    cap = 3 * theirs.memory_analysis().temp_size_in_bytes
    planned = ballast.jit(CHECKPOINTED, cap=cap, cap_counts="temp", time_limit=2)
    plan = planned.prepare(*GIVEN)
    assert plan.measured_bytes <= cap and plan.operations < 0.95 * operations(theirs), plan.table()
    check_results(planned)
    # One that holds nothing back costs nothing: the step stays as it is.
    other = ballast.jit(lambda blocks, x: jnp.sin(jax.lax.optimization_barrier(x)).sum(), cap="1GiB", cap_counts="temp", time_limit=2)
    assert other.prepare(*GIVEN).stop_reason == "the step fits without a plan"


def test_a_step_that_its_checkpoints_keep_under_the_cap_computes_less_again_where_barriers_hold():
    # XLA reads its options once in a process.
    there = {"XLA_FLAGS": "--xla_disable_hlo_passes=cse_barrier_expander"}
    code = "import test_checkpoints; test_checkpoints.where_barriers_hold()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=pathlib.Path(__file__).parent, env=os.environ | there)
