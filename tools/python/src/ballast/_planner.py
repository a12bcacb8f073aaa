"""Memory problems as the planner reads them, and the schedules it gives back, through `ballast remat`."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import tempfile
from collections.abc import Sequence

from . import _programs
from ._devices import HostLink


@dataclasses.dataclass
class Node:
    """One op of the sequence and the value it makes. Sizes in bytes, time in seconds."""

    name: str
    time: float
    size: int
    inputs: list[int]
    workspace: int = 0
    backward: bool = False
    keep: bool = False
    recomputable: bool = True
    swappable: bool = True


@dataclasses.dataclass
class Problem:
    """An op sequence in program order, and the bytes that are there from start to end."""

    nodes: list[Node] = dataclasses.field(default_factory=list)
    resident_bytes: int = 0
    name: str = ""

    def add(self, node: Node) -> int:
        """Appends a node and returns its index."""
        node.inputs = sorted(set(node.inputs))
        self.nodes.append(node)
        return len(self.nodes) - 1

    def total_time(self) -> float:
        """Seconds of running every node once."""
        return sum(node.time for node in self.nodes)

    def keep_all(self, order: Sequence[int] | None = None) -> list[tuple[str, int]]:
        """The schedule that recomputes nothing: every node in program order, or those given in another one, every value freed after its last use."""
        order = range(len(self.nodes)) if order is None else order
        last = {index: index for index in order}
        for index in order:
            for source in self.nodes[index].inputs:
                last[source] = index
        leaving: dict[int, list[int]] = {}
        for index in order:
            if not self.nodes[index].keep:
                leaving.setdefault(last[index], []).append(index)
        steps: list[tuple[str, int]] = []
        for index in order:
            steps.append(("compute", index))
            steps.extend(("free", gone) for gone in leaving.get(index, ()))
        return steps

    def peak(self, steps: Sequence[tuple[str, int]]) -> int:
        """Largest number of bytes on the device over a schedule, resident bytes included."""
        live = peak = self.resident_bytes
        for kind, index in steps:
            node = self.nodes[index]
            if kind in ("compute", "swap_in"):
                live += node.size
                peak = max(peak, live + (node.workspace if kind == "compute" else 0))
            elif kind in ("free", "swap_out"):
                live -= node.size if kind == "free" else 0
        return peak

    def to_json(self) -> str:
        """The instance file of `ballast remat`."""
        nodes = [
            {
                "id": index, "name": node.name, "time": node.time, "size": node.size, "workspace": node.workspace,
                "is_backward": node.backward, "keep": node.keep, "recomputable": node.recomputable, "swappable": node.swappable,
            }
            for index, node in enumerate(self.nodes)
        ]
        edges = [[source, index] for index, node in enumerate(self.nodes) for source in node.inputs]
        return json.dumps({"name": self.name, "nodes": nodes, "edges": edges, "resident_bytes": self.resident_bytes})


@dataclasses.dataclass
class Schedule:
    """What the planner answered: steps, and its figures. Times in seconds."""

    steps: list[tuple[str, int]]
    value: float
    bound: float
    peak_bytes: int
    recomputes: int
    method: str
    stop_reason: str
    bound_class: str = ""
    #: What was planned under, resident bytes included.
    budget_bytes: int = 0


def solve(
    problem: Problem, budget_bytes: int, *, time_limit: float = 10.0, seed: int = 0, threads: int | None = None,
    work_limit: int | None = None, order: str = "free", solver: str = "auto", link: HostLink | None = None,
) -> Schedule:
    """Plans under a budget that counts the resident bytes too; with a link, values may also be copied to the host and back beside computation.

    Raises:
        NoPlan: no plan keeps the budget; the error has the least cap known.
    """
    with tempfile.TemporaryDirectory(prefix="ballast-") as folder:
        instance, plan = pathlib.Path(folder, "instance.json"), pathlib.Path(folder, "plan.json")
        instance.write_text(problem.to_json())
        arguments = [
            "remat", instance, "--budget", str(max(int(budget_bytes), 1)), "--output", plan, "--order", order,
            "--seed", str(seed), "--solver", solver,
        ]
        if link is None:
            arguments.append("--no-swap")
        else:
            arguments += ["--bandwidth", str(link.bandwidth), "--latency", repr(link.latency_seconds)]
        if work_limit is not None:
            arguments += ["--work-limit", str(work_limit)]
        else:
            arguments += ["--time-limit", str(time_limit)]
        if threads is not None:
            arguments += ["--threads", str(threads)]
        answer = json.loads(_programs.run("ballast", arguments, timeout_seconds=10 * time_limit + 600))
        steps = [(kind, index) for kind, index in json.loads(plan.read_text())["steps"]]
    return Schedule(
        steps=steps, value=answer["value"], bound=answer["bound"], peak_bytes=answer["peak_bytes"],
        recomputes=answer["recomputes"], method=answer["method"], stop_reason=str(answer["stop_reason"]),
        bound_class=answer.get("bound_class", ""), budget_bytes=int(budget_bytes),
    )
