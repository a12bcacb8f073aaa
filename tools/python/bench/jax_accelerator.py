#!/usr/bin/env python3
"""One step on the accelerator at hand, planned or not: what the compiler says it takes, what the allocator gave at most, and seconds.

A process measures one variant, since an allocator's peak is that of its process. Results are JSON, a line. docs/jax.md has the figures of an H100.
"""

import argparse
import json
import time

import jax
import jax.numpy as jnp
import optax

import ballast
import ballast.jax
from ballast.jax._operations import operations

VARIANTS = ("plain", "checkpoint", "dots", "jit", "recompute", "offload")


def norm(x, gain):
    """Layer normalisation without a shift."""
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain


def decoder_block(weights, x, heads=16):
    """Causal attention and two dense layers."""
    batch, length, width = x.shape
    parts = jnp.split(norm(x, weights["gain1"]) @ weights["qkv"], 3, -1)
    query, key, value = (part.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3) for part in parts)
    scores = query @ key.transpose(0, 1, 3, 2) / (width // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = (jax.nn.softmax(scores, -1) @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)
    x = x + mixed @ weights["out"]
    return x + jax.nn.gelu(norm(x, weights["gain2"]) @ weights["up"]) @ weights["down"]


def decoder(small):
    """Layers written out, tied embedding, adamw: 8 layers of width 1024 on 8 x 1024 tokens of 8192."""
    layers, width, length, batch, vocabulary = (2, 64, 32, 2, 128) if small else (8, 1024, 1024, 8, 8192)
    optimizer = optax.adamw(1e-3)

    def start():
        keys = iter(jax.random.split(jax.random.key(0), 4 * layers + 1))
        sizes = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
        blocks = [
            {name: 0.02 * jax.random.normal(next(keys), size) for name, size in sizes.items()} | {"gain1": jnp.ones(width), "gain2": jnp.ones(width)}
            for _ in range(layers)
        ]
        parameters = {"embed": 0.02 * jax.random.normal(next(keys), (vocabulary, width)), "blocks": blocks, "gain": jnp.ones(width)}
        return parameters, optimizer.init(parameters)

    def step_of(wrap):
        block = wrap(decoder_block)

        def loss(parameters, tokens):
            x = parameters["embed"][tokens[:, :-1]]
            for weights in parameters["blocks"]:
                x = block(weights, x)
            logits = norm(x, parameters["gain"]) @ parameters["embed"].T
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        def step(state, tokens):
            value, gradients = jax.value_and_grad(loss)(state[0], tokens)
            updates, memory = optimizer.update(gradients, state[1], state[0])
            return (optax.apply_updates(state[0], updates), memory), value

        return step

    tokens = jax.random.randint(jax.random.key(1), (batch, length + 1), 0, vocabulary)
    one = jax.eval_shape(lambda: start()[0]["blocks"][0])
    return step_of, start, tokens, (decoder_block, one, jax.ShapeDtypeStruct((batch, length, width), jnp.float32), True)


def wide_block(weights, x):
    """Two wide products."""
    return x + jnp.sin(jax.nn.gelu(x @ weights["up"]) @ weights["down"])


def wide(small):
    """Four blocks of 4096 and 16384 under a scan on 8192 tokens, with momentum."""
    layers, width, hidden, tokens = (2, 64, 256, 128) if small else (4, 4096, 16384, 8192)

    def start():
        sizes = {"up": (layers, width, hidden), "down": (layers, hidden, width)}
        keys = jax.random.split(jax.random.key(0), 2)
        parameters = {name: jax.random.normal(key, size) / size[1] ** 0.5 for key, (name, size) in zip(keys, sizes.items(), strict=True)}
        return parameters, jax.tree.map(jnp.zeros_like, parameters)

    def step_of(wrap):
        block = wrap(wide_block)

        def loss(parameters, x):
            return jnp.square(jax.lax.scan(lambda x, weights: (block(weights, x), None), x, parameters)[0]).mean()

        def step(state, x):
            value, gradients = jax.value_and_grad(loss)(state[0], x)
            momentum = jax.tree.map(lambda old, gradient: 0.9 * old + gradient, state[1], gradients)
            return (jax.tree.map(lambda old, change: old - 0.01 * change, state[0], momentum), momentum), value

        return step

    x = jax.random.normal(jax.random.key(1), (tokens, width))
    one = {"up": jax.ShapeDtypeStruct((width, hidden), x.dtype), "down": jax.ShapeDtypeStruct((hidden, width), x.dtype)}
    return step_of, start, x, (wide_block, one, jax.ShapeDtypeStruct(x.shape, x.dtype), False)


def main():
    """Reads the command line, compiles, runs, and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", choices=("decoder", "wide"), help="wide: give JAX_DEFAULT_MATMUL_PRECISION=highest for products in full f32")
    parser.add_argument("variant", choices=VARIANTS, help="recompute, offload: a policy that `ballast.checkpoint_policy` finds for a block")
    parser.add_argument("--cap", default="50%", help="of jit and of policies (default 50%%)")
    parser.add_argument("--times", default="h100-80gb", help="whose seconds policies are priced by (default h100-80gb)")
    parser.add_argument("--time-limit", type=float, default=6.0, help="seconds of a search (default 6)")
    parser.add_argument("--small", action="store_true", help="sizes that a CPU runs, to try the script")
    arguments = parser.parse_args()
    step_of, start, batch, (block, weights, x, written_out) = {"decoder": decoder, "wide": wide}[arguments.program](arguments.small)
    policies = {"checkpoint": jax.checkpoint_policies.nothing_saveable, "dots": jax.checkpoint_policies.dots_with_no_batch_dims_saveable}
    found = {"program": arguments.program, "variant": arguments.variant, "device": jax.devices()[0].device_kind, "jax": jax.__version__}
    if arguments.variant in ("recompute", "offload"):
        moves = arguments.variant == "offload"
        policies[arguments.variant] = ballast.checkpoint_policy(
            block, weights, x, cap=arguments.cap, wrt=(0, 1), times=arguments.times, offload=moves, prevent_cse=written_out, time_limit=8 * arguments.time_limit
        )
    state = jax.jit(start)()
    if arguments.variant == "jit":
        run = ballast.jit(step_of(lambda block: block), cap=arguments.cap, donate_argnums=0, time_limit=arguments.time_limit, tries=3)
        plan = run.prepare(state, batch)
        found |= {"cap_bytes": plan.cap_bytes, "planned_peak_bytes": plan.peak_bytes, "operations": plan.operations}
    else:
        policy = policies.get(arguments.variant)
        step = step_of((lambda block: jax.checkpoint(block, policy=policy, prevent_cse=written_out)) if policy else lambda block: block)
        run = jax.jit(step, donate_argnums=0).lower(state, batch).compile()
        taken = run.memory_analysis()
        found |= {"temporary_bytes": taken.temp_size_in_bytes, "host_bytes": taken.host_temp_size_in_bytes, "operations": operations(run)}
    seconds = []
    for _ in range(8):
        before = time.perf_counter()
        state, value = run(state, batch)
        jax.block_until_ready((state, value))
        seconds.append(time.perf_counter() - before)
    peak = (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
    print(json.dumps(found | {"allocator_peak_bytes": peak, "seconds": min(seconds[3:]), "loss_after_8_steps": float(value)}))


if __name__ == "__main__":
    main()
