"""Processes of a job that begin again together, and a batch on a real Ray cluster whose hosts and whose placer are killed."""

import json
import multiprocessing
import os
import pathlib
import shutil
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from rank import Member, outcome, train  # noqa: E402

BALLAST = shutil.which("ballast", path=os.environ.get("BALLAST_BIN", os.environ.get("PATH")))


def start(folder, rank, seconds):
    process = multiprocessing.get_context("spawn").Process(target=train, args=(str(folder), rank, 2, seconds, 0.1))
    process.start()
    return process


def wait_for_steps(folder, generation, steps):
    while not any(p.read_text() >= f"{generation} {steps}" for p in folder.glob("progress.*")):
        time.sleep(0.01)


def test_processes_of_a_job_begin_again_when_one_of_them_is_killed(tmp_path):
    (tmp_path / "starts").touch()
    first, second = start(tmp_path, 0, 3.0), start(tmp_path, 1, 3.0)
    wait_for_steps(tmp_path, 2, 3)
    second.kill()
    second.join()
    again = start(tmp_path, 1, 3.0)
    for process in (first, again):
        process.join(30)
        assert process.exitcode == 0
    figures = outcome([str(tmp_path)], 2, 0.1)
    assert figures["restarts"] == 1 and figures["engine_starts"] == 3
    # At least three steps of two devices: one of them had done so many, though it need not be the one that was killed. And not all 30.
    assert 0.6 <= figures["lost_device_seconds"] + 1e-9 <= 5.8 + 1e-9


def test_work_is_lost_of_the_process_that_was_furthest_not_of_the_one_that_was_killed(tmp_path):
    (tmp_path / "starts").touch()
    for rank in range(2):
        Member(tmp_path, rank, 2).announce()
    for rank, step in enumerate((3, 2)):
        Member(tmp_path, rank, 2).write(2, step)
    Member(tmp_path, 1, 2).announce()
    (tmp_path / "done").touch()
    assert outcome([str(tmp_path)], 2, 0.5)["lost_device_seconds"] == 3.0


def test_a_process_that_is_started_again_after_the_job_was_done_ends_at_once(tmp_path):
    (tmp_path / "starts").touch()
    processes = [start(tmp_path, rank, 0.2) for rank in range(2)]
    for process in processes:
        process.join(30)
    late = start(tmp_path, 0, 0.2)
    late.join(30)
    assert late.exitcode == 0


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.skipif(BALLAST is None, reason="the program ballast is not built: set BALLAST_BIN to its folder")
def test_no_job_is_lost_or_placed_twice_when_hosts_and_the_placer_are_killed(tmp_path, moves):
    pytest.importorskip("ray", reason="Ray is not installed: cargo xtask test-python --ray")
    from batch import Batch, ByPlacer
    from hosts import Hosts
    from placer import Placer

    devices = [{"name": f"d{number}", "host": number // 2} for number in range(4)]
    cluster = tmp_path / "cluster.json"
    cluster.write_text(json.dumps({"version": 1, "devices": devices}))
    jobs = [{"name": f"j{i}", "devices": i % 2 + 1, "seconds": 2.0, "submitted-seconds": 0.2 * i} for i in range(6)]
    hosts = Hosts({"devices": devices})
    command = [BALLAST, "lab", "place-serve", str(cluster), "--method", "first-fit", "--journal", str(tmp_path / "journal")]
    placer = Placer(command)
    try:
        scheduler = ByPlacer(placer, moves)
        figures = Batch(hosts, jobs, scheduler, 0.1).run([(1.5, "host0")], 1.0, 0.7)
    finally:
        placer.close()
        hosts.close()
    placed = [placed["job"] for placed in scheduler.placements]
    assert figures["jobs_done"] == 6 and set(placed) == {job["name"] for job in jobs}
    assert moves or len(placed) == 6
    assert figures["kills"] == 1 and figures["restarts"] >= 1 and placer.starts > 2
    # The journal knows the same placements, and no other.
    kept = [json.loads(line)["answer"]["placed"] for line in (tmp_path / "journal").read_text().splitlines()]
    assert sum(kept, []) == scheduler.placements
