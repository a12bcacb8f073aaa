"""Training jobs on a Ray cluster of this machine, placed by Ballast or by Ray, while hosts are killed.

    run.py learn --batches 10 --folder OUT              learns on-line: OUT/history.jsonl, OUT/learned.net
    run.py compare --seeds 0,1,2,3,4 --folder OUT first-fit PACK SPREAD learned=OUT/learned.net

Jobs and failures come from seeds; every run says what the simulator had predicted for it.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

from batch import Batch, ByEngine, ByPlacer
from hosts import Hosts, host_of
from placer import Placer

# Of Ray's placement groups; the first is its default.
STRATEGIES = ["PACK", "SPREAD"]
SHORTEST_SECONDS, LONGEST_SECONDS = 4.0, 10.0


class Bench:
    """The cluster, and what of Ballast runs beside it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cluster = json.loads(pathlib.Path(options.cluster).read_text())
        self.names = [device["name"] for device in self.cluster["devices"]]
        self.hosts = Hosts(self.cluster)

    def ballast(self, *words: str) -> dict:
        done = subprocess.run([self.options.ballast, "lab", *words], stdout=subprocess.PIPE, check=True, text=True)
        return json.loads(done.stdout)

    def jobs(self, seed: int) -> list[dict]:
        """Jobs that come one after another; the same for a seed whoever places them."""
        draw = random.Random(seed)
        jobs, at = [], 0.0
        for number in range(self.options.jobs):
            at += draw.expovariate(1 / self.options.interval) if number else 0.0
            job = {"name": f"job{number}", "devices": draw.choice(self.options.widths)}
            jobs.append(job | {"seconds": draw.uniform(SHORTEST_SECONDS, LONGEST_SECONDS), "submitted-seconds": at})
        return jobs

    def simulate(self, jobs: list[dict], seed: int, *method: str) -> dict:
        """What the simulator says of a batch whose processes start and whose hosts come back as they do here."""
        # A job takes its start here too; the simulator's does not.
        startup = self.options.startup
        longer = [job | {"seconds": job["seconds"] + startup} for job in jobs]
        path = self.folder / "jobs.json"
        path.write_text(json.dumps({"version": 1, "jobs": longer}))
        words = ["place-simulate", str(path), self.options.cluster, "--fault-unit", "host", "--interference", "0"]
        words += ["--recovery", str(self.options.recovery), "--restart", str(self.options.restart), "--horizon", "1000"]
        return self.ballast(*words, "--fault-seed", str(seed), *method)

    def run(self, jobs: list[dict], failures: list[dict], scheduler: ByPlacer | ByEngine) -> dict:
        host = {device["name"]: host_of(device) for device in self.cluster["devices"]}
        self.hosts.wait_for(set(self.hosts.devices))
        batch = Batch(self.hosts, jobs, scheduler, self.options.step)
        times = [(failure["seconds"], host[failure["device"]]) for failure in failures]
        return batch.run(times, self.options.down, self.options.kill_placer_every)

    def run_placed(self, jobs: list[dict], failures: list[dict], *method: str, moves: bool = False) -> tuple[dict, list[dict]]:
        """A batch under a placer of Ballast's: figures, and its placements."""
        journal = self.folder / "journal.jsonl"
        journal.unlink(missing_ok=True)
        command = [self.options.ballast, "lab", "place-serve", self.options.cluster, "--journal", str(journal), *method]
        placer = Placer(command)
        try:
            scheduler = ByPlacer(placer, moves)
            figures = self.run(jobs, failures, scheduler) | {"placer_starts": placer.starts}
        finally:
            placer.close()
        return figures, scheduler.placements

    def record(self, jobs: list[dict], placements: list[dict], figures: dict, seed: int) -> dict:
        """A line of the history: what was chosen, and what the engine made of it."""
        number = {name: index for index, name in enumerate(self.names)}
        of_job = {job["name"]: index for index, job in enumerate(jobs)}
        decisions = [
            {
                "job": of_job[placed["job"]],
                "occupied": [number[name] for name in placed["occupied"]],
                "devices": [number[name] for name in placed["devices"]],
            }
            for placed in placements
        ]
        randoms = [self.simulate(jobs, seed, "--method", "random", "--seed", str(draw)) for draw in range(4)]
        return {
            "jobs": jobs,
            "decisions": decisions,
            "makespan-seconds": figures["makespan_seconds"],
            "random-makespan-seconds": min(run["makespan_seconds"] for run in randoms),
            "run-seconds": figures["run_seconds"],
        }


def learn(bench: Bench) -> None:
    """Places batches, learns from each, and places the next with what was learned."""
    options = bench.options
    history, network = bench.folder / "history.jsonl", bench.folder / "learned.net"
    for path in (history, network):
        path.unlink(missing_ok=True)
    for number in range(options.batches):
        seed = options.first_seed + number
        jobs = bench.jobs(seed)
        failures = bench.simulate(jobs, seed, "--method", "first-fit")["failures"]
        method = ["--method", "random"]
        if network.exists():
            method = ["--method", "learned", "--network", str(network), "--explore"]
        figures, placements = bench.run_placed(jobs, failures, *method, "--seed", str(seed))
        with history.open("a") as lines:
            lines.write(json.dumps(bench.record(jobs, placements, figures, seed)) + "\n")
        words = ["train", "place", "--cluster", options.cluster, "--history", str(history), "-o", str(network)]
        words += ["--credit", options.credit, "--rate", "0.0003", "--trainings", str(options.trainings), "--batches", str(number + 1)]
        words += ["--shortest", str(SHORTEST_SECONDS), "--longest", str(LONGEST_SECONDS), "--entropy", "0.05", "--replay-batch", "all"]
        bench.ballast(*words, *(["--resume", str(network)] if network.exists() else []))
        say({"batch": number} | figures)


def compare(bench: Bench) -> None:
    """The same batches with the same failures under every placer."""
    for seed in bench.options.seeds:
        jobs = bench.jobs(seed)
        for placer in bench.options.placers:
            name, _, network = placer.removeprefix("move:").partition("=")
            moves = placer.startswith("move:")
            method = ["--method", "learned", "--network", network] if network else ["--method", name]
            by_engine = name in STRATEGIES
            predicted = bench.simulate(jobs, seed, *(["--method", "first-fit"] if by_engine else method))
            if by_engine:
                figures = bench.run(jobs, predicted["failures"], ByEngine(name))
            else:
                figures, _ = bench.run_placed(jobs, predicted["failures"], *method, moves=moves)
                # In the simulator jobs stay where they were placed.
                for figure in () if moves else ("makespan_seconds", "restarts", "lost_device_seconds"):
                    figures[f"predicted_{figure}"] = predicted[figure]
            row = {"seed": seed, "placer": placer.partition("=")[0]} | figures
            with (bench.folder / "compare.jsonl").open("a") as lines:
                lines.write(json.dumps(row) + "\n")
            say(row)


def say(row: dict) -> None:
    """One line of figures; those of single jobs stay in the file."""
    print(json.dumps({name: value for name, value in row.items() if not isinstance(value, list)}), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common = argparse.ArgumentParser(add_help=False)
    here = pathlib.Path(__file__).parent
    common.add_argument("--ballast", default="ballast", help="the program")
    common.add_argument("--cluster", default=str(here / "cluster.json"), help="cluster file; failures are of whole hosts")
    common.add_argument("--folder", required=True, help="where answers go")
    common.add_argument("--jobs", type=int, default=30, help="jobs of a batch")
    common.add_argument("--interval", type=float, default=1.6, help="mean seconds between two jobs")
    numbers = lambda text: [int(number) for number in text.split(",")]  # noqa: E731
    common.add_argument("--widths", type=numbers, default=[1, 1, 1, 2], help="devices of a job, each as likely")
    common.add_argument("--step", type=float, default=0.25, help="seconds of a step")
    common.add_argument("--down", type=float, default=3.0, help="seconds from the kill of a host to its start")
    common.add_argument("--recovery", type=float, default=9.0, help="for the simulator: from the kill until it is back")
    common.add_argument("--restart", type=float, default=2.0, help="for the simulator: until the processes work again")
    common.add_argument("--startup", type=float, default=0.3, help="for the simulator: from a placement to the first step")
    common.add_argument("--kill-placer-every", type=float, default=0.0, help="seconds between kills of the placer; 0: none")
    commands = parser.add_subparsers(dest="command", required=True)
    learning = commands.add_parser("learn", parents=[common], help="learn on-line")
    learning.add_argument("--batches", type=int, default=10)
    learning.add_argument("--credit", choices=["batch", "job"], default="job")
    learning.add_argument("--trainings", type=int, default=10, help="updates after each batch")
    learning.add_argument("--first-seed", type=int, default=1000, help="seed of the first batch; the others follow")
    comparing = commands.add_parser("compare", parents=[common], help="run the same batches under several placers")
    comparing.add_argument("--seeds", type=numbers, default=[0])
    comparing.add_argument("placers", nargs="+", help=f"a method of `ballast lab place`, {', '.join(STRATEGIES)}, or NAME=NETWORK; with move: in front jobs whose host died are placed anew")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    bench = Bench(options)
    try:
        {"learn": learn, "compare": compare}[options.command](bench)
    finally:
        bench.hosts.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
