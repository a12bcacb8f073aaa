#!/usr/bin/env python3
"""A partitioner in fifty lines: an example of what `--method exec:PROGRAM` runs.

Reads a question of kind "partition" on standard input, answers with a device per node on standard output. Nodes are taken in a topological
order and fill one device after another up to a load, so that the devices form a pipeline; the least such load is found by halving.
"""
import json
import sys
from graphlib import CycleError, TopologicalSorter

workload = json.load(sys.stdin)["workload"]
kinds = workload["accelerators"]
nodes = {node["id"]: node for node in workload["nodes"]}
kind_of = [number for number, kind in enumerate(kinds) for _ in range(kind["count"])]
kind_of += [len(kinds)] * int(workload["maxCPUs"])
caps = [kind.get("maxSize", float("inf")) for kind in kinds] + [float("inf")]
# A class shares a device; so do groups that wait for each other. Backward nodes are exempt from the order.
group_of = {name: "class " + node["colorClass"] if "colorClass" in node else name for name, node in nodes.items()}
forward = [(e["sourceId"], e["destId"]) for e in workload["edges"]]
forward = [edge for edge in forward if not any(nodes[end].get("isBackwardNode") for end in edge)]
while True:
    waits = {group: set() for group in group_of.values()}
    for source, reader in forward:
        if group_of[source] != group_of[reader]:
            waits[group_of[reader]].add(group_of[source])
    try:
        order = list(TopologicalSorter(waits).static_order())
        break
    except CycleError as error:
        joined = set(error.args[1])
        group_of = {name: min(joined) if group in joined else group for name, group in group_of.items()}
size, times = {}, {}
for name, node in nodes.items():
    more = [float("inf") if t is None else t for t in [*node["latencies"], node.get("cpuLatency")]]
    sums = times.get(group_of[name], [0.0] * len(more))
    times[group_of[name]] = [a + b for a, b in zip(sums, more, strict=True)]
    size[group_of[name]] = size.get(group_of[name], 0.0) + node["size"]


def fill(most):
    """Devices filled in turn up to this load; none where the last one is full."""
    device, load, held, place = 0, 0.0, 0.0, {}
    for group in order:
        while load + times[group][kind_of[device]] > most or held + size[group] > caps[kind_of[device]]:
            device, load, held = device + 1, 0.0, 0.0
            if device == len(kind_of):
                return None
        load, held, place[group] = load + times[group][kind_of[device]], held + size[group], device
    return place


low, high = 0.0, sum(max(t for t in row if t < float("inf")) for row in times.values())
best = fill(high) or sys.exit("filling one device after another, no room is left for the last nodes")
for _ in range(40):
    found = fill((low + high) / 2)
    low, high, best = (low, (low + high) / 2, found) if found else ((low + high) / 2, high, best)
json.dump({"assignment": {name: best[group] for name, group in group_of.items()}}, sys.stdout)
