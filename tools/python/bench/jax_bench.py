#!/usr/bin/env python3
"""Steps of flax models under caps: `cargo xtask bench jax`. A Markdown table on standard output.

For every model caps in percent of the temporaries XLA takes for the step as it is, and what it takes with `nn.remat` around every block: what `ballast.jit` and `ballast.step_policy` take and compute, beside the own policy that keeps the cap with the fewest operations.
Operations are those of the compiled program, loops as often as they run. Every step is run once, and its results are compared; beside them how far those of the step as it is move
when every number that goes into it is one rounding larger.
"""

import argparse
import pathlib
import sys
import time
import warnings

import jax
import jax.numpy as jnp
from models_jax import MODELS, arguments_of, remat, step_of

import ballast
import ballast.jax
from ballast.jax._operations import operations

#: JAX's own policies around every block.
OWN = {
    "nothing": jax.checkpoint_policies.nothing_saveable,
    "dots, no batch": jax.checkpoint_policies.dots_with_no_batch_dims_saveable,
    "dots": jax.checkpoint_policies.dots_saveable,
}
BEGIN, END = "<!-- written by `cargo xtask bench jax`: begin -->\n", "<!-- end -->"


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME", help=f"of {', '.join(MODELS)}; default: all")
    parser.add_argument("--caps", nargs="+", type=int, default=[40, 60, 75], metavar="PERCENT", help="1 to 100 (default 40 60 75)")
    parser.add_argument("--time-limit", type=float, default=4.0, help="seconds of every search of ballast.jit, above 0 (default 4)")
    parser.add_argument("--policy-time", type=float, default=60.0, help="seconds of every search of ballast.step_policy, above 0 (default 60)")
    parser.add_argument("--page", type=pathlib.Path, help="write the table into this page too, between its marks")
    arguments = parser.parse_args()
    if not all(1 <= cap <= 100 for cap in arguments.caps) or not arguments.time_limit > 0 or not arguments.policy_time > 0:
        parser.error("--caps are from 1 to 100, limits above 0")
    # A step that runs without a plan is no row of this table.
    warnings.simplefilter("error", ballast.jax.UnplannedWarning)
    lines = ["| model | cap | of | own policy | its ops | `ballast.jit` | ops | `step_policy` | ops | results | by itself |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for name in arguments.models:
        for line in rows(name, arguments):
            print(line, flush=True)
            lines.append(line)
    if arguments.page:
        before, rest = arguments.page.read_text().split(BEGIN)
        arguments.page.write_text(before + BEGIN + "\n".join(lines) + "\n" + rest[rest.index(END):])


def rows(name, arguments):
    """The rows of one model, the smallest cap first: what is found for it is known for the larger ones."""
    start = time.monotonic()
    given = arguments_of(name)
    scanned = name in ("decoder-scan", "lstm")
    plain = compiled(name, lambda block: block, given)
    whole, base = memory(plain), operations(plain)
    expected = run(plain, given)
    itself = difference(expected, run(plain, rounded_up(given)))
    own = {}
    for policy, function in OWN.items():
        step = compiled(name, remat(function, scanned=scanned), given)
        own[policy] = memory(step), operations(step)
    caps = {whole * percent // 100: f"{percent} %" for percent in arguments.caps}
    caps |= {own["nothing"][0]: "`nn.remat`"} if own["nothing"][0] < whole else {}
    print(f"{name}: {ballast.format_bytes(whole)}, {base:.4g} operations, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    for cap, of in sorted(caps.items()):
        fitting = [(ops, policy) for policy, (taken, ops) in own.items() if taken <= cap]
        best = min(fitting, default=(None, "none"))
        planned = shown_jit(name, given, cap, arguments, base, expected)
        chosen = shown_policy(name, given, cap, scanned, arguments, base, expected)
        worst = max((found for found in (planned[2], chosen[2]) if found is not None), default=None)
        print(f"{name} {of}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        yield (
            f"| {name} | {ballast.format_bytes(cap)} | {of} | {best[1]} | {'' if best[0] is None else f'{best[0] / base:.4f}'} | {planned[0]} | {planned[1]} | "
            f"{chosen[0]} | {chosen[1]} | {'' if worst is None else f'{worst:.0e}'} | {itself:.0e} |"
        )


def shown_jit(name, given, cap, arguments, base, expected):
    """Memory and operations of the planned step, and how far its results are from the expected."""
    planned = ballast.jit(step_of(name, lambda block: block), cap=cap, cap_counts="temp", donate_argnums=0, time_limit=arguments.time_limit, tries=3)
    try:
        found = planned(*copied(given))
    except ballast.NoPlan as refused:
        least = refused.least_cap_bytes
        return "refused" + (f", least {ballast.format_bytes(least)}" if least else ""), "", None
    plan = planned.plan
    assert plan.measured_bytes <= cap
    return ballast.format_bytes(plan.measured_bytes), f"{plan.operations / base:.4f}", difference(expected, found)


def shown_policy(name, given, cap, scanned, arguments, base, expected):
    """The same of the step whose blocks are wrapped with the policy found."""
    def make(policy):
        return step_of(name, remat(policy, scanned=scanned))

    try:
        policy = ballast.step_policy(
            make, *given, cap=cap, donate_argnums=0, compiler_options=ballast.jax.compiler_options(), time_limit=arguments.policy_time
        )
    except ballast.NoPlan as refused:
        return f"refused, least {ballast.format_bytes(refused.least_cap_bytes)}", "", None
    step = compiled(name, remat(policy, scanned=scanned), given)
    assert memory(step) == policy.plan.measured_bytes <= cap
    return ballast.format_bytes(memory(step)), f"{operations(step) / base:.4f}", difference(expected, run(step, given))


def compiled(name, wrap, given):
    """A step, compiled so that recomputation stays where it is written."""
    return jax.jit(step_of(name, wrap), donate_argnums=0).lower(*given).compile(ballast.jax.compiler_options())


def memory(step):
    """XLA's temporaries."""
    return int(step.memory_analysis().temp_size_in_bytes)


def run(step, given):
    """Results of one step; what is given is not donated."""
    return jax.block_until_ready(step(*copied(given)))


def rounded_up(tree):
    """The same, every floating-point number the next larger one."""
    return jax.tree.map(lambda leaf: jnp.nextafter(leaf, jnp.inf) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf, tree)


def copied(tree):
    """Arrays of their own."""
    return jax.tree.map(lambda leaf: leaf.copy(), tree)


def difference(expected, found):
    """Largest difference of a parameter, statistic, moment or loss, beside the largest of its kind.

    Of its kind, not of the same array: the gradient of a bias before a softmax is zero but for rounding, whatever computes it."""
    (parameters, rest, moments), loss = expected
    worst = 0.0
    for kind, other in zip((parameters, rest, moments[0].mu, moments[0].nu, loss), (*found[0][:2], found[0][2][0].mu, found[0][2][0].nu, found[1]), strict=True):
        pairs = [(jnp.asarray(a, jnp.float32), jnp.asarray(b, jnp.float32)) for a, b in zip(jax.tree.leaves(kind), jax.tree.leaves(other), strict=True)]
        if pairs:
            worst = max(worst, max(float(jnp.abs(a - b).max()) for a, b in pairs) / max(float(jnp.abs(a).max()) for a, _ in pairs))
    return worst


if __name__ == "__main__":
    main()
