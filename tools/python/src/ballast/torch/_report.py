"""What was planned and becomes graphs, as a `Plan`."""

from __future__ import annotations

import re

from torch import fx

from .. import _planner
from .._plan import Plan, Value
from .._units import format_bytes
from ._counts import Counts, Made, once, step_seconds
from ._graph import JointProblem, is_tangent, storages, updated_averages


def report(joint: JointProblem, counts: Counts, cap: int, unplanned: int, schedule: _planner.Schedule | None, made: Made) -> Plan:
    """The plan, with the fate of every value."""
    memory, runs_of = made.memory, made.writer.runs
    total = joint.problem.total_time()
    base = sum(once(joint).values())
    seconds = step_seconds(joint, made)
    bound = base if schedule is None else min(max(schedule.bound - (total - base), base), seconds)
    saved = {node.name for node in made.backward.graph.find_nodes(op="placeholder") if not is_tangent(node)}
    moved = {node.name for node in made.writer.moves.written}
    values = []
    for index, part in enumerate(joint.parts):
        node = joint.problem.nodes[index]
        if part.kind not in ("op", "also") or part.again or part.node is None:
            continue
        names = {part.node.name} | {user.name for user in part.node.users if any(name == part.storage for name, _ in storages(user))}
        # No second run updates averages.
        runs = 1 if part.storage in updated_averages(part.node) else runs_of.get(part.node, 1)
        if names & moved:
            both = counts.copy_seconds(node.size)
            fate, reason = "offloaded", f"copies to the host and back take {both:.2e} s beside other work, and free {format_bytes(node.size)} between"
        elif names & saved:
            fate, reason = "saved", "a later use in the backward pass costs less memory time than computing it again"
            if not node.recomputable:
                reason = "its op may not run twice, or its result is too small to matter"
        elif runs > 1:
            fate, reason = "recomputed", f"computing it again takes {node.time:.2e} s and frees {format_bytes(node.size)} until then"
        elif node.keep:
            fate, reason = "result", "the step returns it"
        else:
            fate, reason = "temporary", "it is used within one pass"
        values.append(Value(node.name, str(part.node.target), source_of(part.node), node.size, node.time, fate, runs, reason))
    if schedule is None:
        method, stopped = "keep-all", "the step fits without a plan"
    else:
        method, stopped = schedule.method, schedule.stop_reason
    extra = counts.beside(memory)
    return Plan(
        framework="torch", cap_bytes=cap, cap_counts=counts.what, peak_bytes=counts.of(made), unplanned_bytes=unplanned,
        resident_bytes=joint.problem.resident_bytes, saved_bytes=memory.saved_bytes, seconds=seconds, unplanned_seconds=base, bound=bound,
        bound_class=schedule.bound_class if schedule else "any", values=values, method=method, stop_reason=stopped,
        timeline=[live + extra for live in memory.timeline], boundary=memory.forward_ops, offloaded_bytes=made.copies.bytes,
        link_seconds=made.copies.link_seconds, host_bytes=memory.host_bytes,
        measured_bytes=None if made.rehearsed_bytes is None or counts.what == "saved" else made.rehearsed_bytes + extra,
    )


def source_of(node: fx.Node) -> str:
    """Module path of a node, or else its source line, as far as known."""
    stack = node.meta.get("nn_module_stack")
    if stack:
        path, _ = list(stack.values())[-1]
        words = [word for word in re.findall(r"\w+", str(path)) if word not in ("L", "G", "self", "fn", "_modules", "_orig_mod")]
        # Of an op in the outermost module itself there is no path.
        if words:
            return ".".join(words)
    trace = node.meta.get("stack_trace") or ""
    files = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
    return files[-1].replace("File ", "") if files else ""
