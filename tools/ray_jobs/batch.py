"""One batch of training jobs on a Ray cluster whose hosts are killed while it runs."""

import collections
import pathlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator

import ray
from hosts import Hosts
from placer import Placer
from rank import outcome, train
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

POLL_SECONDS = 0.1

# Options of the Ray task of each process of a job.
Launch = tuple[str, list[dict]]


class ByPlacer:
    """Devices chosen by a placer of Ballast's, to which each process is bound. When a host dies the engine starts them again there; or, where
    jobs may move, a job with a process on it goes back to the placer."""

    def __init__(self, placer: Placer, moves: bool = False) -> None:
        self.placer = placer
        self.moves = moves
        self.placements: list[dict] = []

    def tell(self, event: dict) -> Iterator[Launch]:
        for placed in self.placer.tell(event):
            self.placements.append(placed)
            yield placed["job"], [{"num_cpus": 1, "resources": {device: 1}} for device in placed["devices"]]

    def submit(self, job: dict) -> Iterator[Launch]:
        return self.tell({"submit": job})

    def finish(self, name: str) -> Iterator[Launch]:
        return self.tell({"finish": name})

    def give_back(self, name: str) -> Iterator[Launch]:
        return self.tell({"return": name})

    def change(self, kind: str, devices: list[str]) -> Iterator[Launch]:
        return self.tell({kind: devices})

    def to_move(self, devices: list[str], running: Iterable[str]) -> list[str]:
        """Jobs that run on these devices and are to get others."""
        where = {placed["job"]: placed["devices"] for placed in self.placements}
        return [name for name in running if self.moves and set(where[name]) & set(devices)]


class ByEngine:
    """Devices chosen by Ray: a placement group per job, which Ray moves when a host dies."""

    def __init__(self, strategy: str) -> None:
        self.strategy = strategy
        self.groups: dict[str, object] = {}

    def submit(self, job: dict) -> Iterator[Launch]:
        group = placement_group([{"CPU": 1}] * job["devices"], strategy=self.strategy)
        self.groups[job["name"]] = group
        strategies = (PlacementGroupSchedulingStrategy(group, bundle) for bundle in range(job["devices"]))
        yield job["name"], [{"num_cpus": 1, "scheduling_strategy": strategy} for strategy in strategies]

    def finish(self, name: str) -> Iterator[Launch]:
        remove_placement_group(self.groups.pop(name))
        yield from ()

    def change(self, kind: str, devices: list[str]) -> Iterator[Launch]:
        yield from ()

    def to_move(self, devices: list[str], running: Iterable[str]) -> list[str]:
        return []


class Batch:
    """The jobs of a batch while they wait and run."""

    def __init__(self, hosts: Hosts, jobs: list[dict], scheduler: ByPlacer | ByEngine, step_seconds: float) -> None:
        self.hosts = hosts
        self.jobs = {job["name"]: job for job in jobs}
        self.waiting = collections.deque(jobs)
        self.scheduler = scheduler
        self.step_seconds = step_seconds
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rj"))
        self.folders: dict[str, list[str]] = {name: [] for name in self.jobs}
        self.running: dict[str, list] = {}
        self.launched: dict[str, float] = {}
        self.outcomes: dict[str, dict] = {}
        self.recoveries: list[float] = []
        self.kills = 0
        self.killed: dict[str, float] = {}
        self.back_at: dict[str, float] = {}
        self.alive = set(hosts.devices)
        self.task = ray.remote(max_retries=-1)(train)
        self.begin = time.time()

    def now(self) -> float:
        return time.time() - self.begin

    def launch(self, launches: Iterator[Launch]) -> None:
        for name, options in launches:
            if name in self.running or name in self.outcomes:
                raise RuntimeError(f"job {name} was placed twice")
            job = self.jobs[name]
            # A folder for every time it is placed: what is left of the time before must not meet it.
            folder = self.folder / f"{name}.{len(self.folders[name])}"
            folder.mkdir()
            (folder / "starts").touch()
            self.folders[name].append(str(folder))
            self.launched.setdefault(name, time.time())
            job_arguments = (job["devices"], job["seconds"], self.step_seconds)
            self.running[name] = [
                self.task.options(**of_rank).remote(str(folder), rank, *job_arguments)
                for rank, of_rank in enumerate(options)
            ]

    def fail(self, host: str, down_seconds: float) -> None:
        if host in self.alive and host not in self.back_at:
            self.hosts.kill(host)
            self.kills += 1
            self.killed[host] = self.now()
            self.back_at[host] = self.now() + down_seconds

    def look_at_hosts(self) -> None:
        for host in [host for host, at in self.back_at.items() if at <= self.now()]:
            del self.back_at[host]
            self.hosts.start(host)
        self.hosts.start_again()
        alive = self.hosts.up()
        for host in sorted(self.alive - alive):
            self.killed.setdefault(host, self.now())
            devices = self.hosts.devices[host]
            self.launch(self.scheduler.change("down", devices))
            for name in self.scheduler.to_move(devices, list(self.running)):
                for task in self.running.pop(name):
                    ray.cancel(task, force=True)
                self.launch(self.scheduler.give_back(name))
        for host in sorted(alive - self.alive):
            self.recoveries.append(self.now() - self.killed.pop(host))
            self.launch(self.scheduler.change("up", self.hosts.devices[host]))
        self.alive = alive

    def look_at_jobs(self) -> None:
        while self.waiting and self.waiting[0].get("submitted-seconds", 0.0) <= self.now():
            self.launch(self.scheduler.submit(self.waiting.popleft()))
        for name, tasks in list(self.running.items()):
            ready, _ = ray.wait(tasks, num_returns=len(tasks), timeout=0)
            if len(ready) == len(tasks):
                ray.get(tasks)
                del self.running[name]
                self.outcomes[name] = outcome(self.folders[name], self.jobs[name]["devices"], self.step_seconds)
                self.launch(self.scheduler.finish(name))

    def run(self, failures: list[tuple[float, str]], down_seconds: float, kill_placer_every: float) -> dict:
        """Runs the batch to its end; hosts are killed at the times given."""
        due = collections.deque(failures)
        next_kill = kill_placer_every or float("inf")
        while len(self.outcomes) < len(self.jobs):
            while due and due[0][0] <= self.now():
                self.fail(due.popleft()[1], down_seconds)
            if self.now() >= next_kill and isinstance(self.scheduler, ByPlacer):
                self.scheduler.placer.kill()
                next_kill += kill_placer_every
            self.look_at_hosts()
            self.look_at_jobs()
            time.sleep(POLL_SECONDS)
        for host in self.back_at:
            self.hosts.start(host)
        self.back_at.clear()
        return self.figures()

    def figures(self) -> dict:
        runs = [self.outcomes[name] for name in self.jobs]
        mean = lambda values: statistics.fmean(values) if values else 0.0  # noqa: E731
        shutil.rmtree(self.folder, ignore_errors=True)
        return {
            "makespan_seconds": max(run["ended"] for run in runs) - self.begin,
            "restarts": sum(run["restarts"] for run in runs),
            "lost_device_seconds": sum(run["lost_device_seconds"] for run in runs),
            "jobs_done": len(runs),
            "kills": self.kills,
            "recovery_seconds": mean(self.recoveries),
            "startup_seconds": mean([run["began"] - self.launched[name] for name, run in zip(self.jobs, runs, strict=False)]),
            "engine_starts": sum(run["engine_starts"] for run in runs),
            "run_seconds": [run["ended"] - self.launched[name] for name, run in zip(self.jobs, runs, strict=False)],
            "completed_seconds": [run["ended"] - self.begin for run in runs],
        }
