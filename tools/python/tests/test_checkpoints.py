"""JAX: steps with checkpoints of their own, which a plan starts from and need not keep."""

import os
import subprocess
import sys

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import ballast  # noqa: E402
from ballast.jax._operations import operations  # noqa: E402


def test_checkpoints_in_a_step_are_where_the_search_starts_and_no_rule():
    blocks = [(jnp.full((32, 128), 0.01), jnp.full((128, 32), 0.01)) for _ in range(6)]
    given = blocks, jnp.ones((512, 32))

    def step_with(block):
        def loss(blocks, x):
            for weights in blocks:
                x = block(x, weights)
            return jnp.square(x).mean()

        return lambda blocks, x: jax.value_and_grad(loss)(blocks, x)

    def block(x, weights):
        return x + jax.nn.gelu(x @ weights[0]) @ weights[1]

    checkpointed = step_with(jax.checkpoint(block))
    lowered = jax.jit(checkpointed).lower(*given)
    # As its author wrote it, and as it would be without.
    theirs, plain = lowered.compile(ballast.jax.compiler_options()), jax.jit(step_with(block)).lower(*given).compile()
    assert operations(theirs) > 1.1 * operations(plain)
    cap = (theirs.memory_analysis().temp_size_in_bytes + plain.memory_analysis().temp_size_in_bytes) // 2
    planned = ballast.jit(checkpointed, cap=cap, cap_counts="temp", time_limit=2)
    plan = planned.prepare(*given)
    assert plan.measured_bytes <= cap and plan.operations < (operations(theirs) + operations(plain)) / 2
    for one, other in zip(jax.tree.leaves(planned(*given)), jax.tree.leaves(jax.jit(checkpointed)(*given)), strict=True):
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-8)


#: Barriers hold to the end, as in XLA's compiler for GPUs: for a process of its own, since XLA reads its options once.
_HELD = """
import jax, jax.numpy as jnp, ballast
from ballast.jax._operations import operations

def block(x, weights):
    return x + jax.nn.gelu(x @ weights[0]) @ weights[1]

def step(blocks, x):
    def loss(blocks, x):
        for weights in blocks:
            x = jax.checkpoint(block)(x, weights)
        return jnp.square(x).mean()
    return jax.value_and_grad(loss)(blocks, x)

given = [(jnp.full((32, 128), 0.01), jnp.full((128, 32), 0.01)) for _ in range(6)], jnp.ones((512, 32))
theirs = jax.jit(step).lower(*given).compile()
takes = theirs.memory_analysis().temp_size_in_bytes
planned = ballast.jit(step, cap=3 * takes, cap_counts="temp", time_limit=2)
plan = planned.prepare(*given)
assert plan.measured_bytes <= 3 * takes and plan.operations < 0.95 * operations(theirs), plan.table()
for one, other in zip(jax.tree.leaves(planned(*given)), jax.tree.leaves(jax.jit(step)(*given)), strict=True):
    assert jnp.allclose(one, other, rtol=1e-5, atol=1e-8)
# Where they hold nothing back, the step stays as it is.
tight = ballast.jit(lambda blocks, x: jnp.sin(jax.lax.optimization_barrier(x)).sum(), cap="1GiB", cap_counts="temp", time_limit=2)
assert tight.prepare(*given).stop_reason == "the step fits without a plan"
"""


def test_a_step_that_its_checkpoints_keep_under_the_cap_computes_less_again_where_barriers_hold():
    flags = {"XLA_FLAGS": "--xla_disable_hlo_passes=cse_barrier_expander"}
    subprocess.run([sys.executable, "-c", _HELD], check=True, env=os.environ | flags)
