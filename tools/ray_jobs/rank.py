"""One process of a training job: it takes steps together with the job's other processes, and all begin again when one of them does.

The processes of a job meet in a folder that all hosts see. `starts` has a line for every process that started; their number is the
*generation*: work done in an earlier one is lost, as there are no checkpoints. `progress.N` holds the generation and the steps of process N.
A step is time asleep, as of a process that waits for its accelerator.
"""

import json
import os
import pathlib
import time

POLL_SECONDS = 0.02


class Member:
    """One process of a job of so many, in the job's folder."""

    def __init__(self, folder: str, rank: int, width: int) -> None:
        self.folder = pathlib.Path(folder)
        self.rank = rank
        self.width = width

    def progress(self, rank: int) -> tuple[int, int]:
        """Generation and steps of a process; nothing done where it never wrote."""
        try:
            generation, step = (self.folder / f"progress.{rank}").read_text().split()
            return int(generation), int(step)
        except FileNotFoundError:
            return 0, 0

    def generation(self) -> int:
        return (self.folder / "starts").read_bytes().count(b"\n")

    def announce(self) -> None:
        """Tells the others that this process starts, and how far the job was when the one before it ended: all of it begins again."""
        generation, _ = self.progress(self.rank)
        others = [self.progress(rank) for rank in range(self.width)]
        before = generation, max((step for at, step in others if at == generation), default=0)
        line = {"rank": self.rank, "pid": os.getpid(), "seconds": time.time(), "before": before}
        with open(self.folder / "starts", "a") as starts:
            starts.write(json.dumps(line) + "\n")

    def write(self, generation: int, step: int) -> None:
        part = self.folder / f"part.{self.rank}"
        part.write_text(f"{generation} {step}")
        part.rename(self.folder / f"progress.{self.rank}")

    def together(self, generation: int, step: int) -> bool:
        """Waits until all have come so far; false as soon as one begins again."""
        while self.generation() == generation and not self.done():
            if all(self.progress(rank) >= (generation, step) for rank in range(self.width)):
                return True
            time.sleep(POLL_SECONDS)
        return self.done()

    def done(self) -> bool:
        return (self.folder / "done").exists()


def train(folder: str, rank: int, width: int, seconds: float, step_seconds: float) -> None:
    """Takes the steps of a job; returns when all its processes have."""
    member = Member(folder, rank, width)
    member.announce()
    steps = max(1, round(seconds / step_seconds))
    while not member.done():
        generation = member.generation()
        member.write(generation, 0)
        if member.together(generation, 0) and take_steps(member, generation, steps, seconds / steps):
            (member.folder / "done").touch()


def take_steps(member: Member, generation: int, steps: int, step_seconds: float) -> bool:
    """False where a process of the job began again meanwhile."""
    begin = time.monotonic()
    for step in range(1, steps + 1):
        time.sleep(max(0.0, begin + step * step_seconds - time.monotonic()))
        member.write(generation, step)
        if not member.together(generation, step):
            return False
    return True


def outcome(folders: list[str], width: int, step_seconds: float) -> dict[str, float]:
    """What the folders of a finished job say, one for each time it was placed: when it first began and when it ended, how often it began
    again, and the work that was lost."""
    lost: dict[tuple[str, int], int] = {}
    began, count = [], 0
    for folder in folders:
        starts = [json.loads(line) for line in (pathlib.Path(folder) / "starts").read_text().splitlines()]
        began += [start["seconds"] for start in starts[:width]]
        count += len(starts)
        done = [start["before"] for start in starts]
        if folder != folders[-1]:
            done += [Member(folder, rank, width).progress(rank) for rank in range(width)]
        for generation, step in done:
            if generation > 0:
                lost[folder, generation] = max(step, lost.get((folder, generation), 0))
    return {
        "began": max(began[:width]),
        "ended": (pathlib.Path(folders[-1]) / "done").stat().st_mtime,
        "restarts": len(lost),
        "lost_device_seconds": sum(lost.values()) * step_seconds * width,
        "engine_starts": count,
    }
