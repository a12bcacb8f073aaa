#!/usr/bin/env python3
"""A planner in fifty lines: an example of what `--solver exec:PROGRAM` runs.

Reads a question of kind "memory" on standard input, answers with a plan on standard output. Nodes run in program order; where memory is
short, the value that is needed again furthest ahead is dropped (Belady's rule), and made again when it is needed.
"""
import json
import sys

question = json.load(sys.stdin)
instance, budget = question["instance"], question["budget_bytes"]
nodes = instance["nodes"]
inputs, uses = [[] for _ in nodes], [[] for _ in nodes]
for source, reader in instance["edges"]:
    inputs[reader].append(source)
    uses[source].append(reader)
keep = {node["id"] for node in nodes if node.get("keep")}
held, steps = {}, []


def next_use(value, now):
    """The next node that reads a value; one past the end for kept values, two for values that nobody needs."""
    return min((use for use in uses[value] if use >= now), default=len(nodes) + (value not in keep))


def missing(node, found):
    """What has to run again before a node can."""
    for value in inputs[node]:
        if value not in held and value not in found:
            found.add(value)
            missing(value, found)
    return found


def run(node, now, pinned):
    """Runs a node; `pinned` values stay."""
    need = nodes[node]["size"] + nodes[node].get("workspace", 0) + instance.get("resident_bytes", 0)
    while sum(held.values()) + need > budget:
        droppable = [v for v in held if v not in pinned and held[v] and nodes[v].get("recomputable", True)]
        if not droppable:
            sys.exit(f"no room for node {node} under {budget} bytes")
        drop(max(droppable, key=lambda value: (next_use(value, now), held[value])))
    steps.append(["compute", node])
    held[node] = nodes[node]["size"]


def drop(value):
    """Frees a value."""
    steps.append(["free", value])
    del held[value]


for now in range(len(nodes) + 1):
    ends = now == len(nodes)
    again = keep - set(held) if ends else set()
    again |= set().union(*(missing(node, set()) for node in again)) if ends else missing(now, set())
    todo = sorted(again) + ([] if ends else [now])
    for at, node in enumerate(todo):
        run(node, now, set().union(*(inputs[later] for later in todo[at:]), keep if ends else ()))
    for value in [value for value in held if next_use(value, now + 1) > len(nodes)]:
        drop(value)
json.dump({"steps": steps}, sys.stdout)
