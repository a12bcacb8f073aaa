#!/usr/bin/env python3
"""Caps kept, and torch's own budget solvers at equal memory: `cargo xtask bench torch`. Markdown tables on standard output.

`caps`: for every model caps from 30 % of the unplanned step upwards: kept by the allocator or refused, time added, proven gap, and how far
gradients are from eager's. `solvers`: what torch's `dp` and `ilp` save and take for budgets from 0.1 to 1.0, beside a plan whose cap is what
they were measured to take; times are torch's own estimate of every op that runs. `offload`: a wide model on an H100 by roofline, whose values may or may
not leave for the host; planned, not run.
"""

import argparse
import copy
import sys
import time

import torch
from models import MODELS, WithLoss, wide
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.debugging import boxed_nop
from torch._functorch import config, partitioners
from torch._guards import detect_fake_mode
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.fx_passes.replace_random import replace_random_passes
from torch._inductor.virtualized import V

import ballast
import ballast.torch
from ballast.torch._cost import Measured
from ballast.torch._judge import judge


#: Times closer than this share count as equal: torch's estimate has 1 for every op but products.
SAME = 1e-5


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", choices=("caps", "solvers", "offload"))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), metavar="NAME", help=f"of {', '.join(MODELS)}; default: all")
    parser.add_argument("--rows", type=int, default=10, help="caps or budgets per model, 2 to 20 (default 10)")
    parser.add_argument("--time-limit", type=float, default=2.0, help="seconds of every search, above 0 (default 2)")
    arguments = parser.parse_args()
    if not 2 <= arguments.rows <= 20 or not arguments.time_limit > 0:
        parser.error("--rows is from 2 to 20, --time-limit above 0")
    torch.set_num_threads(1)
    {"caps": caps, "solvers": solvers, "offload": offload}[arguments.table](arguments)


def chosen(arguments):
    """The models asked for, each with its batch, drawn from one seed."""
    for name in arguments.models:
        torch.manual_seed(0)
        yield name, *MODELS[name]()


def caps(arguments):
    """Ten caps for every model."""
    print("| model | cap | of unplanned | measured of cap | time added | bound | gradients | s to compile |")
    print("|---|---|---|---|---|---|---|---|")
    for name, model, batch in chosen(arguments):
        model = WithLoss(model)
        state = copy.deepcopy(model.state_dict())
        # Measured once for all caps; what an op allocates beside its results counts, as the allocator will say.
        times = Measured()
        expected, _, _ = step(model, model, batch, state)
        overheads = []
        refused = None
        # From the smallest up: what is found for one is known for the next.
        for row in reversed(range(arguments.rows)):
            share = 100 - 70 * row // (arguments.rows - 1)
            torch._dynamo.reset()
            compiled = ballast.torch.compile(model, cap=f"{share}%", times=times, time_limit=arguments.time_limit)
            start = time.perf_counter()
            try:
                step(model, compiled, batch, state)
            except ballast.NoPlan as error:
                refused = error.least_cap_bytes
                print(f"| {name} | | {share} % | refused, least found {ballast.format_bytes(refused)} | | | | {time.perf_counter() - start:.1f} |", flush=True)
                continue
            seconds = time.perf_counter() - start
            plan = compiled.plan
            found, _, _ = step(model, compiled, batch, state)
            worst = difference(expected, found)
            measured = ballast.torch.measure(lambda: step(model, compiled, batch, None)).peak_bytes + plan.resident_bytes
            overheads.append(plan.overhead)
            print(
                f"| {name} | {ballast.format_bytes(plan.cap_bytes)} | {share} % | {100 * measured / plan.cap_bytes:.1f} % | +{100 * plan.overhead:.2f} % | "
                f"+{100 * (plan.bound / plan.unplanned_seconds - 1):.2f} % | {worst:.0e} | {seconds:.1f} |", flush=True,
            )
        falling = all(less >= more for less, more in zip(overheads, overheads[1:], strict=False))
        print(f"{name}: time {'never rises' if falling else 'does NOT always fall'} as the cap rises", file=sys.stderr)


def step(model, run, batch, state):
    """Loss, gradients and buffers of one step from a state and a seed."""
    if state is not None:
        model.load_state_dict(state)
    model.zero_grad(set_to_none=True)
    torch.manual_seed(1)
    loss = run(*batch)
    loss.backward()
    if state is None:
        return None
    gradients = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
    return gradients, loss.item(), {name: buffer.clone() for name, buffer in model.named_buffers()}


def difference(expected, found):
    """Largest difference of a gradient beside the largest value of the same gradient, or infinity where one is missing."""
    if expected.keys() != found.keys():
        return float("inf")
    return max(float((value - found[name]).abs().max() / value.abs().max().clamp_min(1e-30)) for name, value in expected.items())


def solvers(arguments):
    """Torch's own solvers beside plans for what they were measured to take."""
    print("| model | solver | budget | saved | measured peak | torch's time | at equal saved | at equal peak |")
    print("|---|---|---|---|---|---|---|---|")
    for name, model, batch in chosen(arguments):
        joint, outputs = captured(WithLoss(model), batch)
        times = Times(joint)
        counts = {"rows": 0, "better": 0, "worse": 0}
        for solver in ("dp", "ilp"):
            for row in range(arguments.rows):
                budget = round((row + 1) / arguments.rows, 3)
                with config.patch(activation_memory_budget=budget, activation_memory_budget_solver=solver):
                    theirs = Split(partitioners.min_cut_rematerialization_partition(copy.deepcopy(joint), None, num_fwd_outputs=outputs), outputs, times)
                shown = []
                for kind, cap in (("saved", theirs.saved), ("step", theirs.peak)):
                    partitioner = ballast.torch.Partitioner(
                        max(cap, 1), cap_counts=kind, held_bytes=0, times=times, time_limit=arguments.time_limit, rehearse=False
                    )
                    counts["rows"] += 1
                    try:
                        ours = Split(partitioner(copy.deepcopy(joint), None, num_fwd_outputs=outputs), outputs, times)
                    except ballast.NoPlan as error:
                        counts["worse"] += 1
                        shown.append(f"refused, least {ballast.format_bytes(error.least_cap_bytes or 0)}")
                        continue
                    assert (ours.saved if kind == "saved" else ours.peak) <= cap
                    counts["better"] += ours.seconds < theirs.seconds * (1 - SAME)
                    counts["worse"] += ours.seconds > theirs.seconds * (1 + SAME)
                    shown.append(f"{added(ours.seconds, times.base)}")
                print(
                    f"| {name} | {solver} | {budget} | {ballast.format_bytes(theirs.saved)} | {ballast.format_bytes(theirs.peak)} | "
                    f"{added(theirs.seconds, times.base)} | {shown[0]} | {shown[1]} |", flush=True,
                )
        print(f"{name}: better on {counts['better']} of {counts['rows']} rows, slower on {counts['worse']}", file=sys.stderr, flush=True)


def offload(arguments):
    """A wide model under caps, with and without its host link."""
    model, batch = wide()
    joint, outputs = captured(WithLoss(model), batch)
    print("| cap | of unplanned | offload | time added | proven bound | saved | to the host | seconds on the link |")
    print("|---|---|---|---|---|---|---|---|")
    for share in ("50%", "35%", "25%"):
        for moving in (False, True):
            partitioner = ballast.torch.Partitioner(share, times="h100-80gb", offload=moving, time_limit=arguments.time_limit)
            partitioner(copy.deepcopy(joint), None, num_fwd_outputs=outputs)
            plan = partitioner.plans[0]
            print(
                f"| {ballast.format_bytes(plan.cap_bytes)} | {share} | {'yes' if moving else 'no'} | +{100 * plan.overhead:.2f} % | "
                f"+{100 * (plan.bound / plan.unplanned_seconds - 1):.2f} % | {ballast.format_bytes(plan.saved_bytes)} | "
                f"{ballast.format_bytes(plan.offloaded_bytes)} | {plan.link_seconds:.4f} |", flush=True,
            )


def added(seconds, base):
    """Time added, as a share of running every op once."""
    # Rounded first: what is above zero by less than a float's last bit has no sign.
    return f"{round(100 * (seconds / base - 1), 3) + 0.0:+.3f} %"


def captured(model, batch):
    """The joint graph as inductor's decompositions leave it."""
    found = []

    def keep(module, inputs, *, num_fwd_outputs, **_options):
        # Without seeds in the graph min-cut would draw new numbers in the backward pass.
        with V.set_fake_mode(detect_fake_mode(inputs)):
            replace_random_passes(module)
        found.append((copy.deepcopy(module), num_fwd_outputs))
        raise StopIteration("captured")

    torch._dynamo.reset()
    with config.patch(enable_autograd_cache=False):
        backend = aot_autograd(fw_compiler=boxed_nop, bw_compiler=boxed_nop, partition_fn=keep, decompositions=select_decomp_table())
        try:
            torch.compile(model, backend=backend, dynamic=False, fullgraph=True)(*batch)
        except torch._dynamo.exc.BackendCompilerFailed as stopped:
            if not found:
                raise stopped
    return found[0]


class Times:
    """Torch's own estimate of an op's time, operations, once per op and shapes."""

    def __init__(self, joint):
        self._known = {}
        self.base = sum(self(node) for node in joint.graph.nodes if node.op == "call_function")

    def __call__(self, node):
        if not isinstance(node.target, torch._ops.OpOverload):
            return 0.0 if "getitem" in str(node.target) else 1.0
        key = (str(node.target), str([getattr(source.meta.get("val"), "shape", None) for source in node.all_input_nodes]), str(node.args))
        if key not in self._known:
            from torch.utils import _pytree as pytree

            mode = detect_fake_mode([leaf for leaf in pytree.tree_leaves(node.meta.get("val"))])
            with mode:
                self._known[key] = float(partitioners.estimate_runtime(node))
        return self._known[key]


class Split:
    """Forward and backward graphs with their figures."""

    def __init__(self, graphs, outputs, times):
        forward, backward = graphs
        memory = judge(forward, backward, outputs)
        self.saved, self.peak = memory.saved_bytes, memory.peak_bytes + resident(forward)
        self.seconds = sum(times(node) for graph in graphs for node in graph.graph.nodes if node.op == "call_function")


def resident(forward: fx.GraphModule):
    """Bytes of a graph's inputs, each storage once."""
    found = {}
    for node in forward.graph.find_nodes(op="placeholder"):
        if isinstance(node.meta.get("val"), torch.Tensor):
            storage = node.meta["val"].untyped_storage()
            found[storage._cdata] = storage.nbytes()
    return sum(found.values())


if __name__ == "__main__":
    main()
